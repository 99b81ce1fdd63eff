package github

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// FuzzAsk: whatever GitHub answers, an asking ends without an error, with an answer that can be kept, and never with a
// good verdict where something is missing.
func FuzzAsk(f *testing.F) {
	f.Add(200, encode(map[string]any{"total_count": 1, "workflow_runs": []any{ciRun(11, "conclusion", "failure")}}), graph([]any{pull(5, "reviews", list(review("bob", "CHANGES_REQUESTED", 1)),
		"reviewThreads", list(thread(false, false, "a.c", "bob")), "mergeable", "UNKNOWN")}), oneFailedJob, failing(), "")
	f.Add(200, encode(map[string]any{"workflow_runs": []any{ciRun(11)}}), rollup("FAILURE", "null", check("a", "COMPLETED", `"FAILURE"`), actionsCheck(11, 2, "a", "b", "FAILURE")), "", "", "")
	f.Add(403, `{"message":"x","errors":[null,1,"a",{"code":"missing"},[]]}`, `{"errors":[{"type":"FORBIDDEN","path":["repository",1,{}],"message":"m"}],"data":{"repository":{}}}`, "{}", "\xff\xfe", "60")
	f.Add(302, "", graph(nil, pull(7)), "", "", "https://x/?sig=1")
	f.Fuzz(func(t *testing.T, status int, runs, graphql, jobs, log, header string) {
		if status < 200 || status > 599 {
			return
		}
		o := Options{Token: tokenOf(secret), Now: instant, Sleep: func(context.Context, time.Duration) error { return nil }}
		o.Transport = transport(func(r *http.Request) (*http.Response, error) {
			code, body := 200, graphql
			switch {
			case strings.HasSuffix(r.URL.Path, "/runs"):
				code, body = status, runs
			case strings.HasSuffix(r.URL.Path, "/jobs"):
				body = jobs
			case strings.HasSuffix(r.URL.Path, "/logs"):
				body = log
			}
			if auth := r.Header.Get("Authorization"); auth != "" && r.URL.Host != "api.github.com" || r.URL.Scheme != "https" {
				t.Errorf("%q sent to %s", auth, r.URL)
			}
			return &http.Response{StatusCode: code, Header: http.Header{"Content-Type": {"application/json"}, "Retry-After": {header}, "Location": {header}},
				ContentLength: -1, Request: r, Body: io.NopCloser(bytes.NewReader([]byte(body)))}, nil
		})
		client, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		a, err := client.Ask(context.Background(), question())
		if err != nil {
			t.Fatal(err)
		}
		kept, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		back, err := Parse(kept)
		if err != nil || encode(back) != string(kept) {
			t.Fatalf("%v\n%s\n%s", err, kept, encode(back))
		}
		for _, b := range a.Blockers() {
			if faults := b.Faults(); len(faults) > 0 {
				t.Fatalf("%v: %+v", faults, b)
			}
		}
		if v := a.CI(); (v == Passed || v == None) && (a.Runs == nil || a.Checks == nil) {
			t.Fatalf("%s with parts missing: %s", v, kept)
		}
	})
}

// FuzzDecode: each decoder by itself, without the way through HTTP.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(encode(map[string]any{"workflow_runs": []any{ciRun(1), ciRun(2, "event", "pull_request")}})))
	f.Add([]byte(oneFailedJob))
	f.Add([]byte(strings.TrimSuffix(strings.TrimPrefix(graph([]any{pull(5), nil}, pull(7)), `{"data":`), "}")))
	f.Fuzz(func(t *testing.T, text []byte) {
		var runs runsAnswer
		if json.Unmarshal(text, &runs) == nil {
			for _, r := range newest(runs.WorkflowRuns, "octo/app", question()) {
				if r.Commit != commit || r.Branch != branch || len(r.Workflow) > maxName || r.Workflow == "" {
					t.Fatalf("%+v", r)
				}
			}
		}
		var jobs jobsAnswer
		if json.Unmarshal(text, &jobs) == nil {
			for _, j := range failingJobs(jobs.Jobs) {
				if len(j.Name) > maxName || len(j.Steps) > maxSteps {
					t.Fatalf("%+v", j)
				}
			}
		}
		if repo, err := repository(text); err == nil && repo != nil {
			found := repo.read(ours(), question())
			if found.pulls != nil && len(*found.pulls) > maxPulls || len(found.rollup.List) > maxChecks {
				t.Fatalf("%+v", found)
			}
		}
	})
}
