package github

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"session/blocker"
)

// Verdict is what CI as a whole says of the asked commit.
type Verdict string

// The verdicts.
const (
	Failed  Verdict = "failed"  // a run or check is over and failed
	Unclear Verdict = "unknown" // something could not be had: neither failed nor passed
	Running Verdict = "running" // nothing failed so far, something is not over
	Stopped Verdict = "stopped" // cancelled or stale: over, and says nothing
	None    Verdict = "none"    // no run and no check for this commit
	Passed  Verdict = "passed"  // everything is over; success, neutral or skipped
)

// CI gives the verdict of CI. A part that is not Fresh counts as unknown.
func (a Answer) CI() Verdict {
	if !Fresh(a, a.Runs) || !Fresh(a, a.Checks) {
		if slices.ContainsFunc(a.ciRuns(), blocker.CIRun.Failing) {
			return Failed
		}
		return Unclear
	}
	all := a.ciRuns()
	over := func(c blocker.CIRun) bool { return c.Status == "completed" }
	good := func(c blocker.CIRun) bool {
		return c.Conclusion == "success" || c.Conclusion == "neutral" || c.Conclusion == "skipped"
	}
	switch {
	case slices.ContainsFunc(all, blocker.CIRun.Failing):
		return Failed
	case a.hiddenRuns() || a.hiddenChecks():
		return Unclear
	case slices.ContainsFunc(all, func(c blocker.CIRun) bool { return !over(c) }):
		return Running
	case slices.ContainsFunc(all, func(c blocker.CIRun) bool { return !good(c) }):
		return Stopped
	case len(all) == 0:
		return None
	}
	return Passed
}

// ciRuns lists the runs and checks that are known.
func (a Answer) ciRuns() (out []blocker.CIRun) {
	if Fresh(a, a.Runs) {
		for _, r := range a.Runs.Value {
			out = append(out, r.ciRun())
		}
	}
	if Fresh(a, a.Checks) {
		for _, c := range a.Checks.Value.List {
			out = append(out, c.run())
		}
	}
	return out
}

func (a Answer) hiddenRuns() bool {
	return slices.ContainsFunc(a.Unknown, func(u Unknown) bool { return u.What == AboutRuns })
}

// hiddenChecks tells whether a check that could not be read may speak against the commit. The state of all checks
// together can be read even with tokens that may not read check runs (fine-grained ones).
func (a Answer) hiddenChecks() bool {
	return a.Checks.Value.State != "SUCCESS" && slices.ContainsFunc(a.Unknown, func(u Unknown) bool { return u.What == AboutChecks })
}

// Blockers gives what stops the work: failing runs with the cause that their log names, failing checks of other services,
// conflicts, reviews. A part that is not Fresh makes none, and its silence clears none. DetectedAt is when GitHub said it.
func (a Answer) Blockers() (out []blocker.Blocker) {
	if Fresh(a, a.Runs) {
		for _, r := range a.Runs.Value {
			out = append(out, r.blockers(a.Runs.At)...)
		}
	}
	if Fresh(a, a.Checks) {
		for _, c := range a.Checks.Value.List {
			out = append(out, blocker.FromCI([]blocker.CIRun{c.run()}, source(c.Repo, a.Commit), a.Checks.At)...)
		}
	}
	if Fresh(a, a.Pulls) {
		for _, p := range a.Pulls.Value {
			out = append(out, blocker.FromReview(p.review(), p.name(), a.Pulls.At)...)
		}
	}
	return blocker.Order(out)
}

func source(repo, commit string) string {
	return "GitHub " + repo + "@" + commit[:min(len(commit), 12)]
}

// ciRun names the run by the job and step that failed, where they are known.
func (r Run) ciRun() blocker.CIRun {
	name := []string{cmp.Or(r.Workflow, "workflow")}
	if len(r.Jobs) > 0 {
		name = append(name, r.Jobs[0].Name)
		if len(r.Jobs[0].Steps) > 0 {
			name = append(name, r.Jobs[0].Steps[0].Name)
		}
	}
	c := blocker.CIRun{Name: strings.Join(name, " / "), Status: r.Status, Conclusion: r.Conclusion, URL: r.URL, Branch: r.Branch,
		Commit: r.Commit, Cause: r.Cause}
	if len(r.Jobs) > 0 {
		c.URL = cmp.Or(r.Jobs[0].URL, r.URL)
	}
	return c
}

// blockers is one ci_failure for a failing run; the jobs that failed besides the first are evidence.
func (r Run) blockers(at time.Time) []blocker.Blocker {
	list := blocker.FromCI([]blocker.CIRun{r.ciRun()}, source(r.Repo, r.Commit), at)
	for i := range list {
		b := &list[i]
		for _, j := range r.Jobs[min(1, len(r.Jobs)):] {
			if len(b.Evidence) < blocker.MaxEvidence {
				b.Evidence = append(b.Evidence, fmt.Sprintf("%s: %s", j.Name, j.Conclusion))
			}
		}
	}
	return list
}

func (p Pull) review() blocker.Review {
	r := blocker.Review{Number: p.Number, URL: p.URL, Decision: p.Decision, Mergeable: p.Mergeable, MergeState: p.MergeState}
	for _, t := range p.Threads {
		r.Threads = append(r.Threads, blocker.Thread{Path: t.Path, Line: t.Line, Author: t.Author, Body: t.Body})
	}
	return r
}
