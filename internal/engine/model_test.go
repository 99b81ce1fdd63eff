package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"session/internal/plan"
)

// The model: all plans of up to three steps, each of which acts or not, is kept or not, and behaves in one of five ways,
// with a cancellation at every point: never, before the run, inside of each step, after each step. For each run the
// rules of the package comment are checked from what the steps saw, not from what the engine says.

// behave is what a step does when it runs.
type behave int

const (
	succeed behave = iota
	obey           // succeed, unless its context is cancelled by then
	skip
	fail
	blowUp
	behaviours
)

// kind is one step of the model.
type kind struct {
	acts, keep bool
	does       behave
}

// trace is what a step saw.
type trace struct {
	ran       bool
	late      bool // the run was cancelled when it began
	reachable bool // its context was cancelled when it ended
}

var errModel = errors.New("model")

// world is one run of the model.
type world struct {
	kinds    []kind
	cancelAt int // -1 never, 0 before the run, 2i+1 inside step i, 2i+2 after step i
	stop     context.CancelFunc
	stopped  bool
	saw      []trace
	events   []Event
}

func (w *world) cancel(at int) {
	if w.cancelAt == at {
		w.stop()
		w.stopped = true
	}
}

func (w *world) step(i int) Step[world] {
	s := Does(func(ctx context.Context, w *world) error {
		w.saw[i] = trace{ran: true, late: w.stopped}
		w.cancel(2*i + 1)
		w.saw[i].reachable = ctx.Err() != nil
		switch w.kinds[i].does {
		case obey:
			return ctx.Err()
		case skip:
			return fmt.Errorf("step: %w", Skip("nothing"))
		case fail:
			return errModel
		case blowUp:
			panic(errModel)
		}
		return nil
	})
	if w.kinds[i].acts {
		s = Acts(s)
	}
	return s
}

func (w *world) run() (Report, error) {
	var ctx context.Context
	ctx, w.stop = context.WithCancel(context.Background())
	defer w.stop()
	p, steps := plan.Plan{Mode: "model", For: plan.Save}, Steps[world]{}
	for i, k := range w.kinds {
		name := fmt.Sprintf("S%d", i)
		p.Steps = append(p.Steps, plan.Step{Name: name, Keep: k.keep})
		steps[name] = w.step(i)
	}
	w.cancel(0)
	return Run(ctx, p, steps, w, func(e Event) {
		w.events = append(w.events, e)
		if e.Kind == End {
			w.cancel(2*(e.N-1) + 2)
		}
	})
}

// ends tells what the step itself came to, given what it saw.
func (k kind) ends(t trace) Status {
	switch {
	case k.does == skip:
		return Skipped
	case k.does == fail, k.does == blowUp, k.does == obey && t.reachable:
		return Failed
	}
	return Done
}

// changed tells whether step i changed the world, or may have.
func (w *world) changed(i int) bool {
	k, t := w.kinds[i], w.saw[i]
	if !t.ran || !k.acts {
		return false
	}
	end := k.ends(t)
	return end == Done || end == Failed && (k.keep || k.does == blowUp)
}

func (w *world) check(rep Report, err error) error {
	acted := false
	for i, k := range w.kinds {
		t := w.saw[i]
		if !t.ran {
			if stop, why := w.mayBeMissing(i, k, acted, rep, err); why != nil || stop {
				return why
			}
			continue
		}
		cancelled := w.stopped && (w.cancelAt <= 2*i+1)
		switch {
		case t.late && !acted:
			return fmt.Errorf("step %d began although nothing had been done when the run was cancelled", i)
		case t.late && k.keep:
			return fmt.Errorf("kept step %d began after the run was cancelled", i)
		case t.reachable != (cancelled && (!acted || k.keep)):
			return fmt.Errorf("step %d saw its context cancelled: %v", i, t.reachable)
		}
		acted = acted || w.changed(i)
		end := k.ends(t)
		switch {
		case cancelled && !acted:
			return w.mustEnd(i, isCancelled(err), rep, err, "Cancelled")
		case end == Failed && !k.keep:
			return w.mustEnd(i, isStepError(err, i), rep, err, "StepError")
		}
		if why := w.recorded(i, end, cancelled, acted && !w.changed(i), rep); why != nil {
			return why
		}
	}
	if w.stopped && !acted {
		return w.mustEnd(len(w.kinds)-1, isCancelled(err), rep, err, "Cancelled")
	}
	return w.mustRecord(acted, rep, err)
}

// mayBeMissing: a step that did not run is one that was interrupted, or the run ended in Cancelled before it.
func (w *world) mayBeMissing(i int, k kind, acted bool, rep Report, err error) (stop bool, why error) {
	switch {
	case !w.stopped || w.cancelAt > 2*i:
		return true, fmt.Errorf("step %d did not run, and nothing was cancelled before it", i)
	case !acted:
		return true, w.mustEnd(i-1, isCancelled(err), rep, err, "Cancelled")
	case !k.keep:
		return true, fmt.Errorf("step %d was left out, although it is not kept", i)
	case len(rep.Results) <= i || rep.Results[i].Status != Skipped || rep.Results[i].Why != "interrupted":
		return true, fmt.Errorf("step %d is recorded as %+v, not as interrupted", i, rep.Results)
	}
	return false, nil
}

func isCancelled(err error) bool {
	var c *Cancelled
	return errors.As(err, &c) && errors.Is(err, context.Canceled)
}

func isStepError(err error, i int) bool {
	var s *StepError
	return errors.As(err, &s) && s.Step == fmt.Sprintf("S%d", i) && !isCancelled(err)
}

// mustEnd: step i was the last that ran, and the run ended in the error that is due.
func (w *world) mustEnd(i int, due bool, rep Report, err error, want string) error {
	for j := i + 1; j < len(w.saw); j++ {
		if w.saw[j].ran {
			return fmt.Errorf("step %d ran after the run had ended", j)
		}
	}
	if !due || len(rep.Results) != i+1 {
		return fmt.Errorf("%d results and error %v, want %d and %s", len(rep.Results), err, i+1, want)
	}
	return nil
}

func (w *world) recorded(i int, end Status, cancelled, before bool, rep Report) error {
	if len(rep.Results) <= i {
		return fmt.Errorf("step %d is not recorded", i)
	}
	got := rep.Results[i]
	if end == Failed && cancelled && before && !w.kinds[i].acts {
		if got.Status != Skipped || !strings.HasPrefix(got.Why, "interrupted") || got.Err == nil {
			return fmt.Errorf("step %d was cut short and is recorded as %+v", i, got)
		}
		return nil
	}
	if got.Status != end || (got.Why == "") != (end == Done) || (got.Err != nil) != (end == Failed) {
		return fmt.Errorf("step %d is recorded as %+v, want %s", i, got, end)
	}
	return nil
}

func (w *world) mustRecord(acted bool, rep Report, err error) error {
	if err != nil || len(rep.Results) != len(w.kinds) {
		return fmt.Errorf("error %v and %d results: what was done is not recorded", err, len(rep.Results))
	}
	last := w.cancelAt == 2*len(w.kinds) // told at the end of the last step, when its result is already in
	if rep.Acted != acted || !last && rep.Interrupted != w.stopped {
		return fmt.Errorf("%+v, want acted %v, interrupted %v", rep, acted, w.stopped)
	}
	return nil
}

// told: one Begin and one End a step, in order.
func (w *world) told(rep Report) error {
	if len(w.events) != 2*len(rep.Results) {
		return fmt.Errorf("%d events for %d results", len(w.events), len(rep.Results))
	}
	for i, e := range w.events {
		want := []EventKind{Begin, End}[i%2]
		if e.Kind != want || e.N != i/2+1 || e.Of != len(w.kinds) || e.Step != fmt.Sprintf("S%d", i/2) {
			return fmt.Errorf("event %d is %+v", i, e)
		}
		if e.Kind == End && e.Result.Status != rep.Results[i/2].Status {
			return fmt.Errorf("told %+v, reported %+v", e.Result, rep.Results[i/2])
		}
	}
	return nil
}

func TestModel(t *testing.T) {
	var all []kind
	for does := range behaviours {
		for _, acts := range []bool{false, true} {
			for _, keep := range []bool{false, true} {
				all = append(all, kind{acts, keep, does})
			}
		}
	}
	runs, wrong := 0, 0
	var grow func([]kind)
	grow = func(kinds []kind) {
		for at := -1; at <= 2*len(kinds); at++ {
			w := &world{kinds: kinds, cancelAt: at, saw: make([]trace, len(kinds))}
			rep, err := w.run()
			runs++
			if why := errors.Join(w.check(rep, err), w.told(rep)); why != nil && wrong < 10 {
				wrong++
				t.Errorf("%+v, cancelled at %d: %v\nreport %+v\nerror %v", kinds, at, why, rep.Results, err)
			}
		}
		if len(kinds) < 3 {
			for _, k := range all {
				if len(kinds) < 2 || k.does != blowUp { // stacks are slow, and two steps show all there is to see
					grow(append(kinds[:len(kinds):len(kinds)], k))
				}
			}
		}
	}
	grow(nil)
	t.Logf("%d runs", runs)
	if runs < 50000 {
		t.Error("the model is smaller than it says")
	}
}
