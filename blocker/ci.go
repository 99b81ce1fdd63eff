package blocker

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// CIRun is one CI run, job or check as a service reports it (GitHub: workflow run, check run, commit status).
type CIRun struct {
	Name       string // workflow, job or check
	Status     string // queued, in_progress, completed, …; only a completed one has a verdict
	Conclusion string // success, failure, timed_out, startup_failure, action_required, cancelled, …
	URL        string
	Branch     string
	Commit     string   // head_sha
	Cause      *Blocker // what the log of the failing job says, if it was read
}

// failing are the conclusions after which nothing goes on by itself (gh's own list). A cancelled run was stopped by
// somebody, a stale or skipped one says nothing.
var failing = map[string]Severity{"failure": High, "timed_out": High, "startup_failure": High, "error": High, "action_required": Medium}

// Failing tells whether the run is over and failed. A run that is not completed has no verdict yet.
func (c CIRun) Failing() bool {
	status := strings.ToLower(c.Status)
	return failing[strings.ToLower(c.Conclusion)] != "" && (status == "" || status == "completed")
}

// FromCI makes a ci_failure of every failing run. What is unknown or under way is no blocker.
func FromCI(runs []CIRun, source string, now time.Time) (out []Blocker) {
	for _, c := range runs {
		if !c.Failing() {
			continue
		}
		conclusion := strings.ToLower(c.Conclusion)
		name := cmp.Or(c.Name, "CI run")
		b := Blocker{Type: CIFailure, Severity: failing[conclusion], Source: source, Rule: "ci-run", AutoDetected: true, DetectedAt: now,
			Message: fmt.Sprintf("%s: %s", name, conclusion), ErrorPattern: name + ": " + conclusion, Cause: c.Cause,
			Resolution: "Open the log of the failing job, mend its first error, push again"}
		b.Description = "The CI run fails: " + b.Message
		if c.URL != "" {
			b.Evidence = append(b.Evidence, cut(c.URL, maxLine))
		}
		if c.Cause != nil {
			b = withCause(b, c.Cause)
		}
		out = append(out, New(b))
	}
	return out
}

// withCause lets a CI failure say what failed inside it.
func withCause(b Blocker, cause *Blocker) Blocker {
	inner := *cause
	inner.Cause = nil
	b.Cause = &inner
	b.File, b.Line, b.Resolution = inner.File, inner.Line, or(inner.Resolution, b.Resolution)
	b.ErrorPattern += ": " + inner.ErrorPattern
	b.Description += ": " + inner.Description
	return b
}

// Thread is one conversation of a review.
type Thread struct {
	Path     string
	Line     int
	Author   string
	Body     string
	Resolved bool
	Outdated bool
}

// Review is what is known of a pull request.
type Review struct {
	Number     int
	URL        string
	Decision   string // CHANGES_REQUESTED, REVIEW_REQUIRED, APPROVED
	Mergeable  string // MERGEABLE, CONFLICTING, UNKNOWN
	MergeState string // DIRTY, BLOCKED, BEHIND, CLEAN, …
	Threads    []Thread
	Checks     []CIRun
}

// Waiting tells that a review is required and has not come: that is no blocker, the work can go on.
func (r Review) Waiting() bool { return strings.EqualFold(r.Decision, "REVIEW_REQUIRED") }

// open are the threads that still want an answer.
func (r Review) open() (out []Thread) {
	for _, t := range r.Threads {
		if !t.Resolved && !t.Outdated {
			out = append(out, t)
		}
	}
	return out
}

// FromReview makes the blockers of a pull request: a conflict with its base, changes requested or conversations open,
// failing checks. UNKNOWN means that GitHub has not computed it yet, and is no blocker.
func FromReview(r Review, source string, now time.Time) (out []Blocker) {
	base := Blocker{Source: source, AutoDetected: true, DetectedAt: now}
	name := fmt.Sprintf("pull request #%d", r.Number)
	if r.Number == 0 {
		name = "the pull request"
	}
	if strings.EqualFold(r.Mergeable, "CONFLICTING") || strings.EqualFold(r.MergeState, "DIRTY") {
		b := base
		b.Type, b.Rule, b.Severity = MergeConflict, "pull-request", High
		b.Message = name + " conflicts with its base branch (" + or(r.Mergeable, r.MergeState) + ")"
		b.ErrorPattern = name + " conflicts with its base branch"
		b.Resolution = "Bring the base branch into this one (merge or rebase), settle the conflicts, push"
		b.Description = describe(&b, b.Message)
		out = append(out, New(b))
	}
	if b, ok := reviewBlocker(r, base, name); ok {
		out = append(out, b)
	}
	return append(out, FromCI(r.Checks, source, now)...)
}

func reviewBlocker(r Review, b Blocker, name string) (Blocker, bool) {
	open := r.open()
	requested := strings.EqualFold(r.Decision, "CHANGES_REQUESTED")
	if !requested && len(open) == 0 {
		return b, false
	}
	b.Type, b.Rule, b.ErrorPattern = ReviewBlocked, "pull-request", name+": review"
	b.Message = fmt.Sprintf("%s: %d open conversations", name, len(open))
	if requested {
		b.Message, b.Severity = fmt.Sprintf("%s: CHANGES_REQUESTED, %d open conversations", name, len(open)), High
	}
	for _, t := range open[:min(len(open), MaxEvidence)] {
		b.Evidence = append(b.Evidence, cut(fmt.Sprintf("%s:%d %s: %s", t.Path, t.Line, t.Author, firstLine(t.Body)), maxLine))
	}
	if len(open) > 0 {
		b.File, b.Line = open[0].Path, open[0].Line
	}
	b.Description = describe(&b, b.Message)
	return New(b), true
}
