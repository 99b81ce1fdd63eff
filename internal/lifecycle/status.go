package lifecycle

import (
	"fmt"
	"slices"
	"strings"
)

// Status is where a Session is in its life (seed 004 §2.2).
type Status string

// The eight states.
const (
	Created   Status = "created"
	Running   Status = "running"
	Paused    Status = "paused"
	Waiting   Status = "hitl_waiting" // for a person's decision
	Completed Status = "completed"
	Failed    Status = "failed"
	Cancelled Status = "cancelled"
	Expired   Status = "expired"
)

// Statuses are all states, in the seed's order.
func Statuses() []Status {
	return []Status{Created, Running, Paused, Waiting, Completed, Failed, Cancelled, Expired}
}

// Live states are those that count against the limit of Sessions at a time (seed 004 §7.1).
func (s Status) Live() bool {
	return s == Created || s == Running || s == Paused || s == Waiting
}

// Resumable states are those that a resume may begin from (seed 004 §5.2).
func (s Status) Resumable() bool { return s == Paused || s == Waiting || s == Failed }

// Final states are those from which nothing goes on.
func (s Status) Final() bool { return s == Completed || s == Cancelled || s == Expired }

// Ended states have a completed_at (seed 004 §4.1, update_status).
func (s Status) Ended() bool { return s == Completed || s == Failed || s == Cancelled }

// Check refuses what is none of the eight states; errors.Is ErrInvalid.
func (s Status) Check() error {
	if !slices.Contains(Statuses(), s) {
		return fmt.Errorf("%w: %.40q is no status; there are %s", ErrInvalid, string(s), joined(Statuses()))
	}
	return nil
}

func joined[T ~string](all []T) string {
	var b []string
	for _, s := range all {
		b = append(b, string(s))
	}
	return strings.Join(b, ", ")
}

// Cause is why a Session leaves a state.
type Cause string

// The causes.
const (
	Start    Cause = "start"
	Pause    Cause = "pause"
	Ask      Cause = "ask"      // the run asks a person
	Answer   Cause = "answer"   // the person has answered
	TimeOut  Cause = "time-out" // the person has not
	Resume   Cause = "resume"   // also the retry of a failed one
	Complete Cause = "complete"
	Fail     Cause = "fail"
	Cancel   Cause = "cancel"
	Expire   Cause = "expire" // by the clean-up only
)

// Causes are all of them.
func Causes() []Cause {
	return []Cause{Start, Pause, Ask, Answer, TimeOut, Resume, Complete, Fail, Cancel, Expire}
}

// Transition is one row of the table: a way to leave a state, and the event that tells of it.
type Transition struct {
	From  Status
	Cause Cause
	To    Status
	Event EventType
}

// Transitions is everything that may happen: the table of seed 004 §2.2, and what its other sections demand (requirement
// S4.1). What is not here is refused by name. A running Session is cancelled in two steps, by way of paused.
func Transitions() []Transition {
	return []Transition{
		{Created, Start, Running, SessionStarted},
		{Created, Expire, Expired, SessionExpired},
		{Running, Pause, Paused, SessionPaused},
		{Running, Ask, Waiting, SessionPaused},
		{Running, Complete, Completed, SessionCompleted},
		{Running, Fail, Failed, SessionFailed},
		{Running, Expire, Expired, SessionExpired},
		{Paused, Resume, Running, SessionResumed},
		{Paused, Cancel, Cancelled, SessionCancelled},
		{Paused, Expire, Expired, SessionExpired},
		{Waiting, Answer, Running, SessionResumed},
		{Waiting, Resume, Running, SessionResumed},
		{Waiting, TimeOut, Paused, SessionPaused},
		{Waiting, Cancel, Cancelled, SessionCancelled},
		{Waiting, Expire, Expired, SessionExpired},
		{Failed, Resume, Running, SessionResumed},
	}
}

// Next is the transition that a cause makes from a state; false if there is none.
func Next(from Status, cause Cause) (Transition, bool) {
	for _, t := range Transitions() {
		if t.From == from && t.Cause == cause {
			return t, true
		}
	}
	return Transition{}, false
}

// Document is docs/lifecycle.md: the table as a Mermaid diagram and as text.
func Document() string {
	var b strings.Builder
	b.WriteString("# The life of a Session\n\n")
	b.WriteString("Made from the table in `internal/lifecycle/status.go` by `go test ./internal/lifecycle -update`; a test keeps the two equal.\n\n")
	b.WriteString("```mermaid\nstateDiagram-v2\n    [*] --> created\n")
	for _, t := range Transitions() {
		fmt.Fprintf(&b, "    %s --> %s: %s\n", t.From, t.To, t.Cause)
	}
	for _, s := range Statuses() {
		if !leaves(s) {
			fmt.Fprintf(&b, "    %s --> [*]\n", s)
		}
	}
	b.WriteString("```\n\n| from | cause | to | event |\n|---|---|---|---|\n")
	fmt.Fprintf(&b, "| | create | `%s` | `%s` |\n", Created, SessionCreated)
	for _, t := range Transitions() {
		fmt.Fprintf(&b, "| `%s` | %s | `%s` | `%s` |\n", t.From, t.Cause, t.To, t.Event)
	}
	b.WriteString("\nEverything else is refused by name. A running Session is cancelled in two steps: pause, then cancel. ")
	b.WriteString("Only the clean-up makes a Session expire. An event's data tells apart what shares a type: its `from`, `to` and `cause`.\n")
	return b.String()
}

func leaves(s Status) bool {
	return slices.ContainsFunc(Transitions(), func(t Transition) bool { return t.From == s })
}
