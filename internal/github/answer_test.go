package github

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"session/blocker"
)

// full is an answer with everything in it.
func full() Answer {
	cause := blocker.New(blocker.Blocker{Type: blocker.BuildError, Message: "src/a.c:3:5: error: boom", AutoDetected: true, DetectedAt: instant(), File: "src/a.c", Line: 3, Evidence: []string{"x"}})
	return Answer{Asked: instant(), Repo: ours(), Branch: branch, Commit: commit, NextAllowedAt: instant().Add(time.Minute),
		Runs: &Part[[]Run]{At: instant(), Commit: commit, Value: []Run{{Repo: "octo/app", ID: 1, Workflow: "CI", WorkflowID: 7, Event: "push", Branch: branch, Commit: commit,
			Attempt: 1, Status: "completed", Conclusion: "failure", URL: "https://github.com/x", Started: instant(), Cause: &cause,
			Jobs: []Job{{ID: 2, Name: "build", Conclusion: "failure", URL: "https://github.com/y", Steps: []Step{{3, "make", "failure"}}}}}}},
		Checks: &Part[Rollup]{At: instant(), Commit: commit, Value: Rollup{State: "FAILURE", List: []Check{{"octo/app", "circle", "completed", "failure", "https://ci.example/"}}}},
		Pulls: &Part[[]Pull]{At: instant(), Value: []Pull{{Repo: "octo/app", Number: 5, Title: "T", URL: "https://github.com/z", Author: "ann", Base: "main", Head: commit,
			Decision: "CHANGES_REQUESTED", Mergeable: "CONFLICTING", MergeState: "DIRTY", Reviews: []Review{{"bob", "CHANGES_REQUESTED", instant(), false}},
			Threads: []Thread{{"a.c", 1, "bob", "no"}}, Resolved: 1, Outdated: 2}}},
		Public:  &Part[bool]{At: instant(), Value: true},
		Unknown: []Unknown{{AboutLog, Gone, "why", instant(), "CI"}}}
}

// worst is an answer in which everything is at its limit, and every byte costs six in JSON.
func worst() Answer {
	a := full()
	long := func(n int) string { return strings.Repeat("<", n) }
	p := &a.Pulls.Value[0]
	p.Title, p.Base = long(maxText), long(maxText)
	p.Reviews = slices.Repeat([]Review{{Author: long(maxName), State: "CHANGES_REQUESTED", At: instant()}}, maxReviews)
	p.Threads = slices.Repeat([]Thread{{long(maxText), 1, long(maxName), long(maxText)}}, maxThreads)
	a.Pulls.Value = slices.Repeat(a.Pulls.Value, maxPulls)
	link := "https://x/" + long(maxLink-10)
	a.Checks.Value.List = slices.Repeat([]Check{{long(maxName), long(maxName), "completed", "failure", link}}, maxChecks)
	r := &a.Runs.Value[0]
	r.Repo, r.Workflow, r.Branch, r.URL = long(maxName), long(maxName), long(maxText), link
	all := slices.Repeat(a.Runs.Value, maxRuns)
	all[0].Jobs = slices.Repeat([]Job{{ID: 1, Name: long(maxName), URL: link, Steps: slices.Repeat([]Step{{1, long(maxName), "failure"}}, maxSteps)}}, maxJobs)
	a.Runs.Value = all
	a.Unknown = slices.Repeat([]Unknown{{What: AboutLog, Reason: Gone, Why: long(2 * maxText), Detail: long(maxName)}}, maxUnknown)
	return a
}

func TestBlockersOfAll(t *testing.T) {
	var got []blocker.Type
	for _, b := range full().Blockers() {
		got = append(got, b.Type)
		if faults := b.Faults(); len(faults) > 0 || !b.DetectedAt.Equal(instant()) {
			t.Errorf("%v %s", faults, b.DetectedAt)
		}
	}
	if want := []blocker.Type{blocker.MergeConflict, blocker.ReviewBlocked, blocker.CIFailure, blocker.CIFailure}; !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
}

// TestOldPartsAreNoVerdict: each part by itself, carried over or of another commit.
func TestOldPartsAreNoVerdict(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Answer)
		left   int
		want   Verdict
	}{
		"as it is":                    {func(*Answer) {}, 4, Failed},
		"runs are old":                {func(a *Answer) { a.Runs.Old = true }, 3, Failed},
		"checks are old":              {func(a *Answer) { a.Checks.Old = true }, 3, Failed},
		"both are old":                {func(a *Answer) { a.Runs.Old, a.Checks.Old = true, true }, 2, Unclear},
		"both are missing":            {func(a *Answer) { a.Runs, a.Checks = nil, nil }, 2, Unclear},
		"both are of another commit":  {func(a *Answer) { a.Commit = other }, 2, Unclear},
		"pull requests are old":       {func(a *Answer) { a.Pulls.Old = true }, 2, Failed},
		"all is old":                  {func(a *Answer) { a.Runs.Old, a.Checks.Old, a.Pulls.Old = true, true, true }, 0, Unclear},
		"good runs, checks are old":   {func(a *Answer) { a.Runs.Value[0].Conclusion, a.Checks.Old = "success", true }, 2, Unclear},
		"good checks, runs are old":   {func(a *Answer) { a.Checks.Value.List, a.Runs.Old = nil, true }, 2, Unclear},
		"good, but some are not read": {func(a *Answer) { a.Runs, a.Checks.Value = &Part[[]Run]{}, Rollup{}; a.Unknown[0].What = AboutRuns }, 2, Unclear},
	} {
		a := full()
		c.change(&a)
		if b, v := a.Blockers(), a.CI(); len(b) != c.left || v != c.want {
			t.Errorf("%s: %d blockers, %s; want %d, %s", name, len(b), v, c.left, c.want)
		}
	}
}

func TestParse(t *testing.T) {
	kept := encode(full())
	a, err := Parse([]byte(kept))
	if err != nil || encode(a) != kept {
		t.Errorf("%v\n%s\n%s", err, kept, encode(a))
	}
	if worst := encode(worst()); len(worst) > MaxAnswer {
		t.Errorf("the largest answer has %d bytes: it could not be read again", len(worst))
	}
	for name, text := range map[string]string{
		"nothing": "", "no JSON": "{", "a list": "[]", "null": "null", "no repository": "{}", "a path": `{"repo":{"host":"github.com","owner":"..","name":"x"}}`,
		"an option": `{"repo":{"host":"-x","owner":"a","name":"x"}}`, "another type": `{"repo":1}`, "endless": strings.Repeat(" ", MaxAnswer) + kept,
		"a time that is none": strings.Replace(kept, `"asked":"2026`, `"asked":"x2026`, 1),
	} {
		if _, err := Parse([]byte(text)); !errors.Is(err, ErrAnswer) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestParseBringsBackIntoLimits: a kept answer lies in a file that others can write.
func TestParseBringsBackIntoLimits(t *testing.T) {
	a := full()
	long := "\x1b[2J" + strings.Repeat("x", 5000)
	r := &a.Runs.Value[0]
	r.Workflow, r.Status, r.URL, r.Cause.Description, r.Cause.Evidence = long, "a b", "file:///x", long, []string{long}
	r.Cause.Message = ""
	a.Runs.Value = slices.Repeat(a.Runs.Value, 2*maxRuns)
	a.Checks.Value.List = slices.Repeat([]Check{{Name: long}}, 2*maxChecks)
	a.Pulls.Value = slices.Repeat(a.Pulls.Value, 2*maxPulls)
	a.Pulls.Value[0].Number, a.Pulls.Value[0].Title, a.Pulls.Value[0].Threads[0].Line = -5, long, -1
	a.Unknown = slices.Repeat([]Unknown{{What: long, Why: long}}, 2*maxUnknown)
	b, err := Parse([]byte(encode(a)))
	if err != nil {
		t.Fatal(err)
	}
	if len(b.Runs.Value) != maxRuns || len(b.Checks.Value.List) != maxChecks || len(b.Pulls.Value) != maxPulls || len(b.Unknown) != maxUnknown {
		t.Error("lists are not in their limits")
	}
	kept := encode(b)
	if strings.Contains(kept, `\u001b`) || strings.Contains(kept, strings.Repeat("x", 1000)) || strings.Contains(kept, "file:") {
		t.Errorf("%.2000s", kept)
	}
	for _, blocker := range b.Blockers() {
		if faults := blocker.Faults(); len(faults) > 0 {
			t.Errorf("%v", faults)
		}
	}
	a = full()
	a.Runs.Value[0].Cause.Type = "invented"
	if b, err := Parse([]byte(encode(a))); err != nil || b.Runs.Value[0].Cause != nil {
		t.Errorf("a cause that is no blocker was kept: %v", err)
	}
}

func TestClip(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "plain": "plain", "한글 단어": "한글 …", "a\nb\tc": "a b c", "\x1b[31mred\x1b[0m": "[31mred [0m", "a\xffb": "a\uFFFDb", "\u202edesrever\u2066": "desrever",
		"twelve bytes!": "twelve by…", "열두바이트를넘는": "열두바…", "  trimmed \u0085": "trimmed", "a\u2028b": "a b",
	} {
		if got := clip(in, 12); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestLink(t *testing.T) {
	for in, ok := range map[string]bool{
		"https://github.com/a?b=c#d": true, "http://ghe.example/x": true, "": false, "javascript:alert(1)": false, "file:///etc/passwd": false, "//x/y": false,
		"https://u:p@x/": false, "https:///x": false, "https://x/\x1b": false, "https://x/ y\u202e": false, "https://x/" + strings.Repeat("a", maxLink): false,
	} {
		if got := link(in); (got == in && in != "") != ok {
			t.Errorf("%q: %q", in, got)
		}
	}
}

func TestUnknownIsForPeople(t *testing.T) {
	for _, r := range []Reason{RateLimited, ServerError, Offline, TimedOut, Malformed, Interrupted} {
		if !r.Passing() {
			t.Errorf("%s passes by itself", r)
		}
	}
	for _, r := range []Reason{NotGitHub, NoToken, Unauthorized, Forbidden, NotFound, Gone, Invalid, TooLarge, Incomplete, Redirected} {
		if r.Passing() {
			t.Errorf("%s does not pass by itself", r)
		}
	}
}

// FuzzAnswer: whatever is kept, what Parse gives is small, makes valid blockers, and is read again as itself.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte(encode(full())))
	f.Add([]byte(`{"repo":{"host":"h","owner":"o","name":"n"},"runs":{"at":"9999-12-31T23:59:59-23:00","value":[{"cause":{}}]},"pulls":{"value":[{"number":-1,"threads":[{}]}]}}`))
	f.Add([]byte(strings.Replace(encode(full()), `"detected_at":"2026-03-04T05:06:07Z"`, `"detected_at":"0000-01-01T00:00:00Z"`, 1)))
	f.Fuzz(func(t *testing.T, text []byte) {
		a, err := Parse(text)
		if err != nil {
			return
		}
		kept, err := json.Marshal(a)
		if err != nil {
			t.Fatalf("%v", err)
		}
		b, err := Parse(kept)
		if err != nil && !(len(kept) > MaxAnswer) || err == nil && encode(b) != string(kept) {
			t.Fatalf("%v\n%s\n%s", err, kept, encode(b))
		}
		a.CI()
		for _, b := range a.Blockers() {
			b.DetectedAt = instant()
			if faults := b.Faults(); len(faults) > 0 {
				t.Fatalf("%v", faults)
			}
		}
	})
}
