package github

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"session/blocker"
)

func TestNoRunsNoPulls(t *testing.T) {
	f := newFake(t)
	a := f.ask(question())
	wantUnknown(t, a)
	if a.CI() != None || len(a.Blockers()) != 0 || a.Public == nil || a.Public.Value || !a.Asked.Equal(instant()) {
		t.Errorf("%s: %s", a.CI(), encode(a))
	}
	if n := len(f.seen()); n != 2 {
		t.Errorf("%d calls for a commit on which nothing failed, want 2", n)
	}
	for _, c := range f.seen() {
		if c.Auth != "token "+secret || c.Header.Get("User-Agent") != "session" || c.Header.Get("X-GitHub-Api-Version") == "" {
			t.Errorf("%s %s: %v", c.Method, c.Path, c.Header)
		}
		if c.Header.Get("Time-Zone") != "" {
			t.Error("go-gh looked the time zone up")
		}
	}
}

// TestEveryVerdict: each status and conclusion that GitHub has, alone and beside a good run.
func TestEveryVerdict(t *testing.T) {
	type row struct {
		status, conclusion string
		alone              Verdict
		blockers           int
		severity           blocker.Severity
	}
	for _, c := range []row{
		{"completed", "success", Passed, 0, ""},
		{"completed", "neutral", Passed, 0, ""},
		{"completed", "skipped", Passed, 0, ""},
		{"completed", "failure", Failed, 1, blocker.High},
		{"completed", "timed_out", Failed, 1, blocker.High},
		{"completed", "startup_failure", Failed, 1, blocker.High},
		{"completed", "action_required", Failed, 1, blocker.Medium},
		{"completed", "cancelled", Stopped, 0, ""},
		{"completed", "stale", Stopped, 0, ""},
		{"completed", "", Stopped, 0, ""},
		{"completed", "invented_later", Stopped, 0, ""},
		{"queued", "", Running, 0, ""},
		{"in_progress", "", Running, 0, ""},
		{"waiting", "", Running, 0, ""},
		{"requested", "", Running, 0, ""},
		{"pending", "", Running, 0, ""},
		{"", "", Running, 0, ""},
		{"in_progress", "failure", Running, 0, ""}, // no verdict before it has completed
	} {
		t.Run(c.status+" "+c.conclusion, func(t *testing.T) {
			f := newFake(t)
			odd := ciRun(11, "status", c.status, "conclusion", c.conclusion)
			f.on(runsPath, runsOf(odd, ciRun(12, "workflow_id", 8, "name", "Docs")))
			a := f.ask(question())
			if got := a.CI(); got != c.alone {
				t.Errorf("verdict %s, want %s", got, c.alone)
			}
			b := a.Blockers()
			if len(b) != c.blockers || c.blockers > 0 && (b[0].Type != blocker.CIFailure || b[0].Severity != c.severity || !b[0].AutoDetected) {
				t.Errorf("blockers: %+v", b)
			}
			f.on(runsPath, runsOf(odd))
			if got := f.ask(question()).CI(); got != c.alone {
				t.Errorf("alone: %s, want %s", got, c.alone)
			}
		})
	}
}

func TestQuestionOfRuns(t *testing.T) {
	for _, name := range []string{"main", "feat/login", "fix#1&x=2", "a+b%20c", "브랜치", "it's", `q"uote`, "ä ö"} {
		f := newFake(t)
		f.on(runsPath, runsOf(ciRun(1, "head_branch", name)))
		q := question()
		q.Branch = name
		a := f.ask(q)
		c := f.to(runsPath)
		if len(c) != 1 || c[0].Query.Get("branch") != name || c[0].Query.Get("head_sha") != commit || c[0].Query.Get("exclude_pull_requests") != "true" {
			t.Errorf("%q: asked %v", name, c)
		}
		if a.CI() != Passed || a.Branch != name {
			t.Errorf("%q: %s, branch %q", name, a.CI(), a.Branch)
		}
		if g := f.to(graphQL); len(g) != 1 || !strings.Contains(g[0].Body, encode(name)) {
			t.Errorf("%q: GraphQL was asked %v", name, g)
		}
	}
	f := newFake(t)
	f.on(runsPath, runsOf(ciRun(1, "head_branch", "v1.2")))
	q := question()
	q.Branch = ""
	a := f.ask(q)
	if c := f.to(runsPath); len(c) != 1 || c[0].Query.Has("branch") || a.CI() != Passed || a.Pulls != nil {
		t.Errorf("a detached HEAD: %v, %s", c, encode(a))
	}
	wantUnknown(t, a)
}

func TestQuestionsThatCannotBeAsked(t *testing.T) {
	f := newFake(t)
	for name, change := range map[string]func(*Question){
		"short commit":     func(q *Question) { q.Commit = "0123456" },
		"a name":           func(q *Question) { q.Commit = "HEAD" },
		"no commit":        func(q *Question) { q.Commit = "" },
		"upper case":       func(q *Question) { q.Commit = strings.ToUpper(commit) },
		"query in it":      func(q *Question) { q.Commit = "0123456789abcdef0123456789abcdef0123&a=b" },
		"branch not UTF-8": func(q *Question) { q.Branch = "a\xff" },
		"endless branch":   func(q *Question) { q.Branch = strings.Repeat("b", 400) },
		"no repository":    func(q *Question) { q.Repo = Repo{Host: "github.com"} },
		"repository path":  func(q *Question) { q.Repo.Name = "../x" },
	} {
		q := question()
		change(&q)
		a, err := f.client().Ask(context.Background(), q)
		if err != nil || len(a.Unknown) != 1 || a.Unknown[0].Reason != Invalid || a.CI() != Unclear {
			t.Errorf("%s: %v, %s", name, err, encode(a))
		}
	}
	if n := len(f.seen()); n != 0 {
		t.Errorf("%d calls", n)
	}
}

func TestNewestRunOfEachWorkflow(t *testing.T) {
	at := func(min int) string { return fmt.Sprintf("2026-03-04T05:%02d:00Z", min) }
	for name, c := range map[string]struct {
		list []map[string]any
		want []int64
	}{
		"the later of two":                        {[]map[string]any{ciRun(1, "run_started_at", at(1)), ciRun(2, "run_started_at", at(2))}, []int64{2}},
		"whatever the order":                      {[]map[string]any{ciRun(2, "run_started_at", at(2)), ciRun(1, "run_started_at", at(1))}, []int64{2}},
		"a re-run of the older":                   {[]map[string]any{ciRun(2, "run_started_at", at(2)), ciRun(1, "run_started_at", at(9), "run_attempt", 2)}, []int64{1}},
		"same time: higher id":                    {[]map[string]any{ciRun(2), ciRun(1)}, []int64{2}},
		"created, never begun":                    {[]map[string]any{ciRun(1), ciRun(2, "run_started_at", nil, "created_at", at(30))}, []int64{2}},
		"two workflows":                           {[]map[string]any{ciRun(1), ciRun(2, "workflow_id", 8, "name", "Docs")}, []int64{1, 2}},
		"one file, one name":                      {[]map[string]any{ciRun(1, "workflow_id", 7, "name", "A"), ciRun(2, "workflow_id", 8, "name", "A")}, []int64{1, 2}},
		"the commit and its merge are two checks": {[]map[string]any{ciRun(1, "event", "push"), ciRun(2, "event", "pull_request")}, []int64{2, 1}},
		"a manual run replaces that of a push":    {[]map[string]any{ciRun(1, "event", "push"), ciRun(2, "event", "workflow_dispatch")}, []int64{2}},
		"a schedule replaces that of a push":      {[]map[string]any{ciRun(1, "event", "schedule"), ciRun(2, "event", "push")}, []int64{2}},
		"another commit":                          {[]map[string]any{ciRun(1, "head_sha", other), ciRun(2)}, []int64{2}},
		"another branch":                          {[]map[string]any{ciRun(1, "head_branch", "main"), ciRun(2, "workflow_id", 8)}, []int64{2}},
		"none of ours":                            {[]map[string]any{ciRun(1, "head_sha", other)}, nil},
	} {
		f := newFake(t)
		f.on(runsPath, runsOf(c.list...))
		a := f.ask(question())
		var got []int64
		for _, r := range a.Runs.Value {
			got = append(got, r.ID)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestARerunReplacesItsVerdict: the same run, green at its second attempt, is no blocker any more.
func TestARerunReplacesItsVerdict(t *testing.T) {
	f := newFake(t)
	f.failedRun(text(200, jobLog("src/a.c:3:5: error: boom")))
	first := f.ask(question())
	if first.CI() != Failed {
		t.Fatal(first.CI())
	}
	f.on(runsPath, runsOf(ciRun(11, "run_attempt", 2, "run_started_at", "2026-03-04T05:05:00Z")))
	q := question()
	q.Last = &first
	if a := f.ask(q); a.CI() != Passed || len(a.Blockers()) != 0 || a.Runs.Value[0].Attempt != 2 {
		t.Errorf("%s: %s", a.CI(), encode(a))
	}
}

func TestMoreRunsThanOnePage(t *testing.T) {
	f := newFake(t)
	f.on(runsPath, text(200, encode(map[string]any{"total_count": 250, "workflow_runs": []any{ciRun(1)}})))
	a := f.ask(question())
	wantUnknown(t, a, "runs=incomplete")
	if a.CI() != Unclear {
		t.Errorf("%s: 249 runs were not read", a.CI())
	}
}

func TestJobsAndSteps(t *testing.T) {
	f := newFake(t)
	f.failedRun(text(200, jobLog("cc -c src/a.c", "src/a.c:3:5: error: 'x' undeclared (first use in this function)", "make: *** [Makefile:2: a.o] Error 1")))
	a := f.ask(question())
	wantUnknown(t, a)
	r := a.Runs.Value[0]
	if len(r.Jobs) != 1 || r.Jobs[0].ID != 31 || len(r.Jobs[0].Steps) != 1 || r.Jobs[0].Steps[0] != (Step{2, "Run make", "failure"}) {
		t.Fatalf("jobs: %+v", r.Jobs)
	}
	if c := f.to(runsPath + "/11/jobs"); len(c) != 1 || c[0].Query.Get("filter") != "latest" {
		t.Errorf("jobs were asked for so: %v", c)
	}
	all := a.Blockers()
	if len(all) != 1 {
		t.Fatalf("%+v", all)
	}
	b := all[0]
	if b.Cause == nil || b.Cause.Type != blocker.BuildError || b.Cause.File != "src/a.c" || b.Cause.Line != 3 || b.File != "src/a.c" {
		t.Errorf("cause: %+v", b.Cause)
	}
	if b.Message != "CI / build (ubuntu) / Run make: failure" || !b.DetectedAt.Equal(instant()) || b.RecoveryAgent != "devops" {
		t.Errorf("blocker: %+v", b)
	}
	if !slices.Contains(b.Evidence, "https://github.com/octo/app/actions/runs/11/job/31") {
		t.Errorf("evidence: %v", b.Evidence)
	}
}

// TestSeveralFailingRuns: one log is read, the jobs of the others come with the checks.
func TestSeveralFailingRuns(t *testing.T) {
	f := newFake(t)
	f.failedRun(text(200, jobLog("src/a.c:3:5: error: boom")))
	f.on(runsPath, runsOf(ciRun(11, "conclusion", "failure", "name", "Build and a title"), ciRun(12, "workflow_id", 8, "name", "Docs", "conclusion", "failure"),
		ciRun(13, "workflow_id", 9, "name", "Aaa", "conclusion", "startup_failure"), ciRun(14, "workflow_id", 10, "name", "Abc", "conclusion", "action_required")))
	f.on(graphQL, text(200, rollup("FAILURE", actionsCheck(11, 31, "Build", "build (ubuntu)", "FAILURE"), actionsCheck(12, 41, "Docs", "spell", "FAILURE"),
		actionsCheck(12, 42, "Docs", "links", "TIMED_OUT"), actionsCheck(12, 43, "Docs", "fine", "SUCCESS"))))
	a := f.ask(question())
	wantUnknown(t, a)
	var got []string
	for _, b := range a.Blockers() {
		got = append(got, b.Message)
	}
	want := []string{"Build / build (ubuntu) / Run make: failure", "Aaa: startup_failure", "Docs / spell: failure", "Abc: action_required"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	for _, b := range a.Blockers() {
		if strings.HasPrefix(b.Message, "Docs") && !slices.Contains(b.Evidence, "links: timed_out") {
			t.Errorf("the other job is not in the evidence: %v", b.Evidence)
		}
	}
	if n := len(f.seen()); n != 5 { // runs, GraphQL, jobs, log, the log's place
		t.Errorf("%d requests", n)
	}
}

func TestJobsThatCannotBeRead(t *testing.T) {
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		want   []string
	}{
		"forbidden":      {text(403, `{"message":"Resource not accessible by personal access token"}`), []string{"jobs=forbidden"}},
		"no jobs key":    {text(200, `{}`), []string{"jobs=malformed"}},
		"not JSON":       {text(200, `<html>`), []string{"jobs=malformed"}},
		"only good ones": {text(200, `{"total_count":1,"jobs":[{"id":1,"status":"completed","conclusion":"success"}]}`), nil},
		"a second page":  {text(200, `{"total_count":150,"jobs":[{"id":1,"status":"completed","conclusion":"success"}]}`), []string{"jobs=incomplete"}},
		"not over yet":   {text(200, `{"total_count":1,"jobs":[{"id":1,"status":"in_progress","conclusion":"failure"}]}`), nil},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			f.failedRun(text(200, ""))
			f.on(runsPath+"/11/jobs", c.answer)
			a := f.ask(question())
			wantUnknown(t, a, c.want...)
			if b := a.Blockers(); a.CI() != Failed || len(b) != 1 || b[0].Message != "CI: failure" {
				t.Errorf("the run failed all the same: %+v", b)
			}
		})
	}
}

// TestHostileNames: what the API says is kept short, in one line, without control characters, and links are links.
func TestHostileNames(t *testing.T) {
	f := newFake(t)
	long := strings.Repeat("é", 50_000)
	f.on(runsPath, runsOf(ciRun(1, "name", "\x1b]0;x\x07\u202eCI\nsecond"+long, "conclusion", "failure", "html_url", "javascript:alert(1)", "event", "a b"),
		ciRun(2, "workflow_id", 8, "name", "", "path", "../../x/\x1b[2Jci.yml@refs/heads/x", "conclusion", "failure", "run_started_at", "9999-12-31T23:59:59-23:59"),
		ciRun(3, "workflow_id", 9, "name", "", "path", "", "conclusion", long, "status", "completed\x00")))
	f.on(runsPath+"/1/jobs", text(200, encode(map[string]any{"jobs": slices.Repeat([]any{map[string]any{"id": 5, "status": "completed", "conclusion": "failure",
		"name": "\x9b31m" + long[:10_000], "html_url": "https://u:p@x/", "steps": slices.Repeat([]any{map[string]any{"name": long[:4000], "conclusion": "failure"}}, 20)}}, 30)})))
	a := f.ask(question())
	kept := encode(a)
	if len(kept) > 200_000 || strings.ContainsAny(kept, "\x1b\x07\u202e\u009b") || strings.Contains(kept, `\u001b`) || strings.Contains(kept, "javascript:") || strings.Contains(kept, "u:p@") {
		t.Errorf("%d bytes: %.600s", len(kept), kept)
	}
	for _, r := range a.Runs.Value {
		if len(r.Workflow) > maxName || r.Workflow == "" || len(r.Jobs) > maxJobs {
			t.Errorf("%+v", r)
		}
	}
}
