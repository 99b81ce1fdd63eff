package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"session/internal/plan"
)

// Run binds every step of p, then runs them in order over d. watch may be nil; it is called by one goroutine at a time.
//
// A nil error means that the draft is to be recorded, with the report. The errors are: those of binding, joined, before
// anything ran (the report is empty); *StepError, a step ended the run; *Cancelled.
func Run[D any](ctx context.Context, p plan.Plan, steps Steps[D], d *D, watch func(Event)) (Report, error) {
	bound, err := bind(p, steps)
	if err != nil {
		return Report{}, err
	}
	r := run[D]{ctx: ctx, of: len(bound), watch: watch}
	for i, b := range bound {
		if err := r.step(i+1, b, d); err != nil {
			return r.report, err
		}
	}
	if ctx.Err() != nil && !r.report.Acted {
		return r.report, r.cancelled("")
	}
	return r.report, nil
}

// bound is a step of the plan with its settings.
type bound[D any] struct {
	plan.Step
	acts bool
	do   func(context.Context, *D) error
}

func bind[D any](p plan.Plan, steps Steps[D]) ([]bound[D], error) {
	all := make([]bound[D], len(p.Steps))
	var wrong []error
	for i, s := range p.Steps {
		step, ok := steps[s.Name]
		if !ok {
			wrong = append(wrong, fmt.Errorf("mode %s, step %d%s: there is no step %q for %s", p.Mode, i+1, written(s), s.Name, p.For))
			continue
		}
		do, err := step.bound(s.With)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("mode %s, step %d%s: %s: %w", p.Mode, i+1, written(s), s.Name, err))
		}
		all[i] = bound[D]{s, step.acts, do}
	}
	return all, errors.Join(wrong...)
}

func written(s plan.Step) string {
	if s.At.File == "" {
		return ""
	}
	return " (" + s.At.String() + ")"
}

// run is one run under way.
type run[D any] struct {
	ctx    context.Context
	of     int
	watch  func(Event)
	report Report
}

// step runs one step and decides whether the run goes on.
func (r *run[D]) step(n int, b bound[D], d *D) error {
	began := r.report.Acted // something that must be recorded was done before this step
	if r.ctx.Err() != nil && !began {
		return r.cancelled(b.Name)
	}
	r.tell(Event{Kind: Begin, N: n, Of: r.of, Step: b.Name})
	if r.ctx.Err() != nil && b.Keep {
		r.end(n, r.interrupted(b.Name, nil))
		return nil
	}
	res := result(b.Name, r.do(n, b, d, began))
	r.report.Acted = began || b.acts && happened(res, b.Keep)
	cancelled := r.ctx.Err() != nil
	if cancelled && began && res.Status == Failed && b.Keep && !b.acts {
		res = r.interrupted(b.Name, res.Err)
	}
	r.end(n, res)
	switch {
	case cancelled && !r.report.Acted:
		return r.cancelled(b.Name)
	case res.Status == Failed && !b.Keep:
		return &StepError{b.Name, res.Err}
	}
	return nil
}

// happened tells whether an acting step has changed the world, or may have: it is done; or it failed, and was marked to
// be kept or did not even get to say that it failed.
func happened(res Result, keep bool) bool {
	var p *PanicError
	return res.Status == Done || res.Status == Failed && (keep || errors.As(res.Err, &p))
}

// do calls the step under the context that it may see: once something was done, only steps that are kept can be
// cancelled.
func (r *run[D]) do(n int, b bound[D], d *D, began bool) error {
	ctx := r.ctx
	if began && !b.Keep {
		ctx = context.WithoutCancel(ctx)
	}
	ctx, stop := r.speaking(ctx, n, b.Name)
	defer stop()
	if b.Limit == 0 {
		return caught(func() error { return b.do(ctx, d) })
	}
	limit := &LimitError{Limit: time.Duration(b.Limit)}
	ctx, free := context.WithTimeoutCause(ctx, limit.Limit, limit)
	defer free()
	err := caught(func() error { return b.do(ctx, d) })
	if err != nil && context.Cause(ctx) == limit {
		limit.Err = err
		return limit
	}
	return err
}

func result(name string, err error) Result {
	if s, ok := skipped(err); ok {
		return Result{Step: name, Status: Skipped, Why: s.Error()}
	}
	if err == nil {
		return Result{Step: name, Status: Done}
	}
	why := err.Error()
	var p *PanicError
	if errors.As(err, &p) {
		why = fmt.Sprintf("panic: %v", p.Value) // the stack stays in Err
	}
	return Result{Step: name, Status: Failed, Why: why, Err: err}
}

// interrupted is the result of a step that is not worth an interrupted person's time. What it said when it was cut short
// is told as well: it may have had a reason of its own.
func (r *run[D]) interrupted(name string, err error) Result {
	why := "interrupted"
	if err != nil && !errors.Is(err, r.ctx.Err()) {
		why += ": " + result(name, err).Why
	}
	return Result{Step: name, Status: Skipped, Why: why, Err: err}
}

func (r *run[D]) cancelled(name string) error {
	return &Cancelled{Step: name, Err: r.ctx.Err(), Cause: context.Cause(r.ctx)}
}

// end records a result and tells it.
func (r *run[D]) end(n int, res Result) {
	r.report.Interrupted = r.report.Interrupted || r.ctx.Err() != nil
	r.report.Results = append(r.report.Results, res)
	r.tell(Event{Kind: End, N: n, Of: r.of, Step: res.Step, Result: res})
}

// tell tells the watcher. One that panics is told nothing more: a broken display must not lose what was done.
func (r *run[D]) tell(e Event) {
	if r.watch == nil {
		return
	}
	if err := caught(func() error { r.watch(e); return nil }); err != nil {
		r.watch, r.report.Watch = nil, err
	}
}

// speaking gives the step a voice that is heard until stop.
func (r *run[D]) speaking(ctx context.Context, n int, name string) (context.Context, func()) {
	if r.watch == nil {
		return ctx, func() {}
	}
	var mu sync.Mutex
	over := false
	say := func(line string) {
		mu.Lock()
		defer mu.Unlock()
		if !over {
			r.tell(Event{Kind: Line, N: n, Of: r.of, Step: name, Line: line})
		}
	}
	return context.WithValue(ctx, speaker{}, say), func() {
		mu.Lock()
		defer mu.Unlock()
		over = true
	}
}
