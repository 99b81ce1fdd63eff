package github

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"session/blocker"
)

// Part is one part of an Answer, and when GitHub said it.
type Part[T any] struct {
	At     time.Time `json:"at"`
	Commit string    `json:"commit,omitempty"` // what it was asked about; "" where it does not speak of a commit
	Old    bool      `json:"old,omitempty"`    // carried over: it was asked again since, and could not be had
	Value  T         `json:"value"`
}

// Answer is what GitHub said, and what it did not say. It is kept as JSON: the last answer with its age.
type Answer struct {
	Asked  time.Time `json:"asked"`
	Repo   Repo      `json:"repo"`
	Branch string    `json:"branch,omitempty"`
	Commit string    `json:"commit,omitempty"`

	Runs   *Part[[]Run]  `json:"runs,omitempty"` // nil: never known
	Checks *Part[Rollup] `json:"checks,omitempty"`
	Pulls  *Part[[]Pull] `json:"pulls,omitempty"`
	Public *Part[bool]   `json:"public,omitempty"`

	Unknown       []Unknown `json:"unknown,omitempty"`
	NextAllowedAt time.Time `json:"next_allowed_at,omitzero"` // no call before
}

// Run is the newest CI run of a workflow for a commit (REST, "List workflow runs for a repository").
type Run struct {
	Repo       string    `json:"repo"` // owner/name where it runs: of a fork's pull request, the repository it was forked from
	ID         int64     `json:"id"`
	Workflow   string    `json:"workflow"`
	WorkflowID int64     `json:"workflow_id"`
	Event      string    `json:"event"` // push, pull_request, schedule, …
	Branch     string    `json:"branch"`
	Commit     string    `json:"commit"`
	Attempt    int       `json:"attempt"` // 1 and up; a re-run keeps the id
	Status     string    `json:"status"`  // queued, in_progress, completed, waiting, requested, pending
	Conclusion string    `json:"conclusion,omitempty"`
	URL        string    `json:"url,omitempty"`
	Started    time.Time `json:"started,omitzero"` // of this attempt

	Jobs  []Job            `json:"jobs,omitempty"`  // the failing ones, where they were asked for
	Cause *blocker.Blocker `json:"cause,omitempty"` // what the log of the first failing job says
}

// Completed tells whether the run is over.
func (r Run) Completed() bool { return r.Status == "completed" }

// Failing tells whether the run is over and failed, in the sense of package blocker.
func (r Run) Failing() bool {
	return blocker.CIRun{Status: r.Status, Conclusion: r.Conclusion}.Failing()
}

// Job is a failing job of a run.
type Job struct {
	ID         int64  `json:"id"`
	Name       string `json:"name"`
	Conclusion string `json:"conclusion"`
	URL        string `json:"url,omitempty"`
	Steps      []Step `json:"steps,omitempty"` // the failing ones
}

// Step is a failing step of a job.
type Step struct {
	Number     int    `json:"number"` // 1-based, as GitHub counts
	Name       string `json:"name"`
	Conclusion string `json:"conclusion"`
}

// Rollup is what all checks of a commit say (GraphQL, StatusCheckRollup).
type Rollup struct {
	State string  `json:"state,omitempty"` // SUCCESS, FAILURE, ERROR, PENDING, EXPECTED; empty when there is no check
	List  []Check `json:"list,omitempty"`  // of other services than GitHub Actions, whose verdict is in the runs
}

// Check is a check run or commit status of another CI service.
type Check struct {
	Repo       string `json:"repo"`
	Name       string `json:"name"`
	Status     string `json:"status"`               // lower case; completed for a commit status that is not pending
	Conclusion string `json:"conclusion,omitempty"` // lower case
	URL        string `json:"url,omitempty"`
}

func (c Check) run() blocker.CIRun {
	return blocker.CIRun{Name: c.Name, Status: c.Status, Conclusion: c.Conclusion, URL: c.URL}
}

// Pull is an open pull request of the branch.
type Pull struct {
	Repo       string   `json:"repo"` // owner/name that it wants to be merged into
	Number     int      `json:"number"`
	Title      string   `json:"title"`
	URL        string   `json:"url,omitempty"`
	Author     string   `json:"author,omitempty"`
	Base       string   `json:"base"`
	Head       string   `json:"head"` // its newest commit; not the asked one while that is not pushed
	Draft      bool     `json:"draft,omitempty"`
	Decision   string   `json:"decision,omitempty"` // CHANGES_REQUESTED, REVIEW_REQUIRED, APPROVED; see decide
	Mergeable  string   `json:"mergeable"`          // MERGEABLE, CONFLICTING, UNKNOWN
	MergeState string   `json:"merge_state,omitempty"`
	Reviews    []Review `json:"reviews,omitempty"` // the newest opinion of each reviewer
	Threads    []Thread `json:"threads,omitempty"` // conversations that still want an answer
	Resolved   int      `json:"resolved,omitempty"`
	Outdated   int      `json:"outdated,omitempty"` // unresolved, on lines that have changed since
}

// Review is the newest opinion of a reviewer.
type Review struct {
	Author string    `json:"author"`
	State  string    `json:"state"` // APPROVED, CHANGES_REQUESTED, DISMISSED
	At     time.Time `json:"at,omitzero"`
	Guest  bool      `json:"guest,omitempty"` // may not push: GitHub does not let the opinion stop a merge, nor do we
}

// Thread is an unresolved conversation on lines that have not changed since.
type Thread struct {
	Path   string `json:"path"`
	Line   int    `json:"line,omitempty"` // 0: the file as a whole
	Author string `json:"author,omitempty"`
	Body   string `json:"body"` // its first line
}

// MaxAnswer bounds a kept Answer, in bytes of JSON.
const MaxAnswer = 8 << 20

// ErrAnswer says that a kept answer cannot be used; there is then no last answer.
var ErrAnswer = errors.New("no answer of GitHub that could be used")

// Parse reads a kept Answer. What a person or another program changed in it is brought back into its limits.
func Parse(text []byte) (Answer, error) {
	if len(text) > MaxAnswer {
		return Answer{}, fmt.Errorf("%w: %d bytes, at most %d", ErrAnswer, len(text), MaxAnswer)
	}
	var a Answer
	if err := json.Unmarshal(text, &a); err != nil {
		return Answer{}, fmt.Errorf("%w: %w", ErrAnswer, err)
	}
	if !a.Repo.valid() {
		return Answer{}, fmt.Errorf("%w: no repository is named", ErrAnswer)
	}
	a.tidy()
	return a, nil
}

// Fresh tells whether a part is what GitHub last said about the answer's commit: known, and not merely carried over from
// before an asking that failed. Only such a part makes blockers and verdicts.
func Fresh[T any](a Answer, p *Part[T]) bool {
	return p != nil && !p.Old && (p.Commit == "" || p.Commit == a.Commit)
}

// carry takes over what is not known from the last answer about the same branch, with its old time. What was asked for was
// asked in vain then, and is Old.
func (a *Answer) carry(last *Answer, asked parts) {
	if last == nil || !last.Repo.Same(a.Repo) {
		return
	}
	a.Public = kept(a.Public, last.Public, asked.public)
	if last.Branch != a.Branch {
		return
	}
	a.Runs = kept(a.Runs, last.Runs, asked.runs)
	a.Checks, a.Pulls = kept(a.Checks, last.Checks, asked.rest), kept(a.Pulls, last.Pulls, asked.rest)
}

func kept[T any](p, last *Part[T], old bool) *Part[T] {
	if p != nil || last == nil {
		return p
	}
	c := *last
	c.Old = c.Old || old
	return &c
}

// tidy brings every text and list into its limits.
func (a *Answer) tidy() {
	a.Asked, a.NextAllowedAt = writable(a.Asked), writable(a.NextAllowedAt)
	a.Branch, a.Commit = clip(a.Branch, maxText), objectID(a.Commit)
	if a.Runs != nil {
		a.Runs.At = writable(a.Runs.At)
		a.Runs.Commit, a.Runs.Value = objectID(a.Runs.Commit), each(a.Runs.Value, maxRuns, (*Run).tidy)
	}
	if a.Checks != nil {
		a.Checks.At = writable(a.Checks.At)
		a.Checks.Commit, a.Checks.Value.State = objectID(a.Checks.Commit), word(a.Checks.Value.State)
		a.Checks.Value.List = each(a.Checks.Value.List, maxChecks, (*Check).tidy)
	}
	if a.Pulls != nil {
		a.Pulls.At, a.Pulls.Commit = writable(a.Pulls.At), ""
		a.Pulls.Value = each(a.Pulls.Value, maxPulls, (*Pull).tidy)
	}
	if a.Public != nil {
		a.Public.At, a.Public.Commit = writable(a.Public.At), ""
	}
	a.Unknown = each(a.Unknown, maxUnknown, (*Unknown).tidy)
}

func each[T any](list []T, n int, tidy func(*T)) []T {
	list = head(list, n)
	for i := range list {
		tidy(&list[i])
	}
	return list
}

func (r *Run) tidy() {
	r.Repo, r.Workflow, r.Event = clip(r.Repo, maxName), clip(r.Workflow, maxName), word(r.Event)
	r.Branch, r.Commit, r.URL = clip(r.Branch, maxText), objectID(r.Commit), link(r.URL)
	r.Status, r.Conclusion, r.Started = word(r.Status), word(r.Conclusion), writable(r.Started)
	r.Jobs = each(r.Jobs, maxJobs, (*Job).tidy)
	if r.Cause != nil {
		tidyCause(r.Cause)
	}
	if r.Cause != nil && !r.Cause.Valid() {
		r.Cause = nil
	}
}

// tidyCause bounds what package blocker bounded when it made the blocker, and what may have been changed since.
func tidyCause(b *blocker.Blocker) {
	for _, s := range []*string{&b.Description, &b.ErrorPattern, &b.Resolution, &b.AppearedAfter, &b.RecoveryAgent, &b.Message, &b.ID,
		&b.File, &b.Rule, &b.Source} {
		*s = clip(*s, 2*maxText)
	}
	b.DetectedAt = writable(b.DetectedAt)
	for i := range b.Evidence {
		b.Evidence[i] = clip(b.Evidence[i], maxText)
	}
	b.Cause = nil
}

func (j *Job) tidy() {
	j.Name, j.Conclusion, j.URL = clip(j.Name, maxName), word(j.Conclusion), link(j.URL)
	j.Steps = each(j.Steps, maxSteps, func(s *Step) { s.Name, s.Conclusion = clip(s.Name, maxName), word(s.Conclusion) })
}

func (c *Check) tidy() {
	c.Repo, c.Name, c.URL = clip(c.Repo, maxName), clip(c.Name, maxName), link(c.URL)
	c.Status, c.Conclusion = word(c.Status), word(c.Conclusion)
}

func (p *Pull) tidy() {
	p.Repo, p.Title, p.URL, p.Author = clip(p.Repo, maxName), clip(p.Title, maxText), link(p.URL), clip(p.Author, maxName)
	p.Base, p.Head, p.Decision = clip(p.Base, maxText), objectID(p.Head), word(p.Decision)
	p.Mergeable, p.MergeState, p.Number = word(p.Mergeable), word(p.MergeState), max(p.Number, 0)
	p.Reviews = each(p.Reviews, maxReviews, func(r *Review) {
		r.Author, r.State, r.At = clip(r.Author, maxName), word(r.State), writable(r.At)
	})
	p.Threads = each(p.Threads, maxThreads, func(t *Thread) {
		t.Path, t.Author, t.Body, t.Line = clip(t.Path, maxText), clip(t.Author, maxName), firstLine(t.Body), max(t.Line, 0)
	})
}

// objectID keeps a whole object id (SHA-1 or SHA-256), in lower case hexadecimal digits.
func objectID(s string) string {
	hex := func(c rune) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' }
	if len(s) != 40 && len(s) != 64 || slices.ContainsFunc([]rune(s), func(c rune) bool { return !hex(c) }) {
		return ""
	}
	return s
}
