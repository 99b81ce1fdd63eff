// Package engine runs the steps of a plan in order over a draft whose type it does not know.
//
// # Model
//
// A Step is a plain function over a draft, bound to the settings that the plan gives it. Run first binds every step of
// a plan and refuses all of it if one is unknown or has wrong settings; then it runs them, one after the other. A nil
// error means: record what the draft holds. The engine itself commits nothing, reads no policy, no flags and no store,
// and keeps no clock beyond the deadlines of contexts (S0.6).
//
// # What ends a run
//
// A step may fail, and unless the plan marks it keep, that ends the run and nothing is recorded. A step that is kept
// has its failure in the report, and the run goes on. A step may skip itself with a reason; that is no failure. A
// panic in a step is a failure with a stack.
//
// # Cancelling
//
// Some steps act: they change the world (a commit, a push, an agent at work). Until the first of them begins, cancelling
// leaves no trace: the run ends with Cancelled whatever the plan marks. From then on there is something that must be
// recorded: steps that are kept are skipped, or cut short, as interrupted; the others run to their end, out of reach of
// the cancelled context, and Run returns nil.
//
// The first acting step itself can still be cancelled while it runs. So a step that acts and is not kept must either do
// what it does or leave the world as it was: its error means that nothing happened. One that is kept (a push, an agent)
// may leave things half done, and its interruption is recorded as its failure.
package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"session/internal/plan"
)

// Status is what became of a step.
type Status string

// The statuses of a step. A step whose failure ended the run is Failed as well, and is the last in the report.
const (
	Done    Status = "done"
	Skipped Status = "skipped" // it had nothing to do, or was interrupted
	Failed  Status = "failed"
)

// Result is what became of one step.
type Result struct {
	Step   string `json:"step"`
	Status Status `json:"status"`
	Why    string `json:"why,omitempty"` // of a skip or failure, for people
	Err    error  `json:"-"`             // of a failure
}

// Report is what became of the steps that were reached, in the plan's order.
type Report struct {
	Results     []Result
	Acted       bool  // a step changed the world, or may have
	Interrupted bool  // the context was cancelled: what was still optional was left out
	Watch       error // the watcher panicked, and was told nothing more
}

// Event tells a watcher how far a run is. Begin and End come once a step, in order; Line as often as the step speaks.
type Event struct {
	Kind   EventKind
	N, Of  int    // step N of Of, from 1
	Step   string // its name
	Line   string // Line: what the step says
	Result Result // End: what became of it
}

// EventKind says what an Event tells.
type EventKind string

// The kinds of events.
const (
	Begin EventKind = "begin"
	Line  EventKind = "line"
	End   EventKind = "end"
)

// Skip is returned by a step that has nothing to do, with the reason. Nothing else may be wrong: a Skip joined with
// another error is a failure.
type Skip string

// Error gives the reason.
func (s Skip) Error() string {
	if s == "" {
		return "nothing to do"
	}
	return string(s)
}

// StepError is the error of a run that a step ended.
type StepError struct {
	Step string
	Err  error
}

// Error names the step and its error.
func (e *StepError) Error() string { return e.Step + ": " + e.Err.Error() }

// Unwrap gives the step's error.
func (e *StepError) Unwrap() error { return e.Err }

// Cancelled is the error of a run that was cancelled before anything was done. It wraps the context's error and cause.
type Cancelled struct {
	Step  string // the step that was running or next; empty: all had run
	Err   error  // context.Canceled or context.DeadlineExceeded
	Cause error
}

// Error says that nothing was changed.
func (e *Cancelled) Error() string {
	return fmt.Sprintf("stopped before anything was changed: %v", e.Cause)
}

// Unwrap gives the context's error and its cause.
func (e *Cancelled) Unwrap() []error { return []error{e.Err, e.Cause} }

// LimitError is the error of a step that was cut short because it took longer than its plan allows.
type LimitError struct {
	Limit time.Duration
	Err   error // what the step said when it was cut
}

// Error names the limit.
func (e *LimitError) Error() string {
	return fmt.Sprintf("stopped after its limit of %v: %v", plan.Duration(e.Limit), e.Err)
}

// Unwrap gives what the step said.
func (e *LimitError) Unwrap() error { return e.Err }

// PanicError is a panic in a step, caught. Panics in goroutines that a step starts cannot be caught.
type PanicError struct {
	Value any
	Stack []byte // of the goroutine that panicked
}

// Error gives the value and, on the lines after it, the stack.
func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v\n%s", e.Value, e.Stack) }

// Unwrap gives the value if it is an error (a runtime.Error is).
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// caught runs f and turns a panic into its error.
func caught(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &PanicError{p, debug.Stack()}
		}
	}()
	return f()
}

// skipped tells whether err says nothing but that there was nothing to do. It follows single wraps only: a join may
// hold a real error beside the skip.
func skipped(err error) (Skip, bool) {
	for err != nil {
		if s, ok := err.(Skip); ok {
			return s, true
		}
		err = errors.Unwrap(err)
	}
	return "", false
}

// speaker carries a step's lines to the watcher.
type speaker struct{}

// Say reports a line of progress of the step that runs under ctx: what a build prints, how far an upload is. It may be
// called from several goroutines; after the step has ended, and outside of a run, it does nothing.
func Say(ctx context.Context, format string, args ...any) {
	if say, ok := ctx.Value(speaker{}).(func(string)); ok {
		say(fmt.Sprintf(format, args...))
	}
}
