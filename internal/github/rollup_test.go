package github

import (
	"fmt"
	"strings"
	"testing"

	"session/blocker"
)

// rollup is an answer of GraphQL for a commit with checks, without pull requests.
func rollup(state string, contexts ...string) string {
	return fmt.Sprintf(`{"data":{"repository":{"isPrivate":false,"nameWithOwner":"octo/app","object":{"statusCheckRollup":{"state":%q,
	 "contexts":{"totalCount":%d,"nodes":[%s]}}},"pullRequests":{"nodes":[]},"parent":null}}}`, state, len(contexts), strings.Join(contexts, ","))
}

func actionsCheck(run, job int64, workflow, name, conclusion string) string {
	return fmt.Sprintf(`{"__typename":"CheckRun","databaseId":%d,"name":%q,"status":"COMPLETED","conclusion":%q,"detailsUrl":"https://github.com/j/%d",
	 "checkSuite":{"app":{"slug":"github-actions"},"workflowRun":{"databaseId":%d,"workflow":{"name":%q}}}}`, job, name, conclusion, job, run, workflow)
}

func check(name, status, conclusion string) string {
	return fmt.Sprintf(`{"__typename":"CheckRun","databaseId":9,"name":%q,"status":%q,"conclusion":%s,"detailsUrl":"https://ci.example/9",
	 "checkSuite":{"app":{"slug":"circleci-checks"},"workflowRun":null}}`, name, status, conclusion)
}

func status(name, state string) string {
	return fmt.Sprintf(`{"__typename":"StatusContext","context":%q,"state":%q,"targetUrl":"https://ci.example/s"}`, name, state)
}

// TestOtherServices: checks of other CI services count like runs; those of GitHub Actions are left to its runs.
func TestOtherServices(t *testing.T) {
	for name, c := range map[string]struct {
		state    string
		contexts []string
		want     Verdict
		blocker  string
	}{
		"no checks":                    {"", nil, Passed, ""},
		"good check":                   {"SUCCESS", []string{check("circle", "COMPLETED", `"SUCCESS"`)}, Passed, ""},
		"failing check":                {"FAILURE", []string{check("circle", "COMPLETED", `"FAILURE"`)}, Failed, "circle: failure"},
		"startup failure":              {"FAILURE", []string{check("circle", "COMPLETED", `"STARTUP_FAILURE"`)}, Failed, "circle: startup_failure"},
		"check under way":              {"PENDING", []string{check("circle", "IN_PROGRESS", `null`)}, Running, ""},
		"check cancelled":              {"FAILURE", []string{check("circle", "COMPLETED", `"CANCELLED"`)}, Stopped, ""},
		"failing status":               {"FAILURE", []string{status("jenkins", "FAILURE")}, Failed, "jenkins: failure"},
		"status with an error":         {"FAILURE", []string{status("jenkins", "ERROR")}, Failed, "jenkins: error"},
		"pending status":               {"PENDING", []string{status("jenkins", "PENDING")}, Running, ""},
		"expected status":              {"EXPECTED", []string{status("jenkins", "EXPECTED")}, Running, ""},
		"good status":                  {"SUCCESS", []string{status("jenkins", "SUCCESS")}, Passed, ""},
		"a job that may fail":          {"FAILURE", []string{actionsCheck(1, 2, "CI", "nightly", "FAILURE")}, Passed, ""},
		"a run that was replaced":      {"FAILURE", []string{actionsCheck(99, 2, "CI", "build", "FAILURE")}, Passed, ""},
		"a check of Actions by itself": {"SUCCESS", []string{`{"__typename":"CheckRun","name":"report","status":"COMPLETED","conclusion":"FAILURE","checkSuite":{"app":{"slug":"github-actions"},"workflowRun":null}}`}, Passed, ""},
		"no name, no suite":            {"FAILURE", []string{`{"__typename":"CheckRun","status":"COMPLETED","conclusion":"FAILURE"}`}, Failed, "check: failure"},
		"of a kind that is new":        {"SUCCESS", []string{`{"__typename":"Later"}`}, Passed, ""},
		"new, and not well":            {"PENDING", []string{`{"__typename":"Later"}`}, Unclear, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			f.on(runsPath, runsOf(ciRun(1)))
			f.on(graphQL, text(200, rollup(c.state, c.contexts...)))
			a := f.ask(question())
			if got := a.CI(); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			b := blocker.First(a.Blockers())
			if (b == nil) != (c.blocker == "") || b != nil && (b.Message != c.blocker || b.Type != blocker.CIFailure || b.Source != "GitHub octo/app@0123456789ab") {
				t.Errorf("%+v", b)
			}
		})
	}
}

// TestChecksThatMayNotBeRead: a fine-grained token may not read check runs. What all checks together say it may read.
func TestChecksThatMayNotBeRead(t *testing.T) {
	hidden := func(state string) string {
		return strings.TrimSuffix(rollup(state, "null", status("jenkins", "SUCCESS"), "null"), "}") + `,"errors":[
		 {"type":"FORBIDDEN","path":["repository","object","statusCheckRollup","contexts","nodes",0],"message":"Resource not accessible by personal access token"},
		 {"type":"FORBIDDEN","path":["repository","object","statusCheckRollup","contexts","nodes",2],"message":"Resource not accessible by personal access token"}]}`
	}
	for state, want := range map[string]Verdict{"SUCCESS": Passed, "FAILURE": Unclear, "PENDING": Unclear} {
		f := newFake(t)
		f.on(runsPath, runsOf(ciRun(1)))
		f.on(graphQL, text(200, hidden(state)))
		a := f.ask(question())
		wantUnknown(t, a, "checks=forbidden", "checks=incomplete")
		if a.CI() != want || len(a.Blockers()) != 0 || a.Pulls == nil || a.Public == nil {
			t.Errorf("%s: %s, want %s: %s", state, a.CI(), want, encode(a))
		}
	}
	f := newFake(t)
	f.on(runsPath, runsOf(ciRun(1)))
	f.on(graphQL, text(200, `{"data":{"repository":{"isPrivate":true,"object":{"statusCheckRollup":null},"pullRequests":{"nodes":[]}}},
	 "errors":[{"type":"FORBIDDEN","path":["repository","object","statusCheckRollup"],"message":"no"}]}`))
	a := f.ask(question())
	if wantUnknown(t, a, "checks=forbidden"); a.Checks != nil || a.CI() != Unclear {
		t.Errorf("no checks at all may be read: %s", encode(a))
	}
}

func TestMoreChecksThanOnePage(t *testing.T) {
	f := newFake(t)
	f.on(runsPath, runsOf(ciRun(1)))
	f.on(graphQL, text(200, strings.Replace(rollup("FAILURE", check("a", "COMPLETED", `"SUCCESS"`)), `"totalCount":1`, `"totalCount":180`, 1)))
	a := f.ask(question())
	if wantUnknown(t, a, "checks=incomplete"); a.CI() != Unclear {
		t.Error(a.CI())
	}
}
