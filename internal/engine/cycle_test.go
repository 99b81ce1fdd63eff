package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"session/internal/engine"
	"session/internal/plan"
)

// What a save looks like to the engine: a draft of parts, steps that are plain functions, a plan that a policy made.

// save is a draft. Each part is written by one step.
type save struct {
	dirty  []string
	commit string
	pushed bool
	memory remembered
}

// remembered is the part that the memory's steps know, and the only one.
type remembered struct{ text, made string }

type guard struct {
	MaxFileSize int      `json:"max_file_size"`
	Allow       []string `json:"allow"`
}

func (g guard) Check() error {
	if g.MaxFileSize <= 0 {
		return &plan.SettingError{Setting: "max_file_size", Err: errors.New("a number of bytes above 0 is needed")}
	}
	return nil
}

type fromOutside struct {
	push   error
	onPush func()
}

func (w fromOutside) steps() engine.Steps[save] {
	memory := func(d *save) *remembered { return &d.memory }
	return engine.Steps[save]{
		"Look":  engine.Does(func(_ context.Context, d *save) error { d.dirty = []string{"a.go", ".env"}; return nil }),
		"Guard": engine.With(func(_ context.Context, d *save, g guard) error { d.dirty = d.dirty[:1]; return nil }),
		"Commit": engine.Acts(engine.With(func(ctx context.Context, d *save, _ struct {
			Hooks bool `json:"hooks"`
		}) error {
			if len(d.dirty) == 0 {
				return engine.Skip("nothing to commit")
			}
			d.commit = "c1"
			return ctx.Err()
		})),
		"Push": engine.Acts(engine.With(func(ctx context.Context, d *save, _ struct {
			Protected []string `json:"protected"`
		}) error {
			engine.Say(ctx, "pushing %s", d.commit)
			if w.onPush != nil {
				w.onPush()
			}
			d.pushed = w.push == nil && ctx.Err() == nil
			return errors.Join(w.push, ctx.Err())
		})),
		"Describe":        engine.Does(func(_ context.Context, d *save) error { d.memory.text = "auth"; return nil }),
		"Diagnose":        engine.Does(func(ctx context.Context, d *save) error { return ctx.Err() }),
		"SummarizeMemory": engine.On(memory, engine.Does(func(_ context.Context, m *remembered) error { m.made = "did: " + m.text; return nil })),
		"PersistMemory": engine.On(memory, engine.Does(func(ctx context.Context, m *remembered) error {
			if m.made == "" {
				return errors.New("PersistMemory without SummarizeMemory")
			}
			return ctx.Err()
		})),
		"Glance":    engine.Does(func(context.Context, *save) error { return nil }),
		"Verify":    engine.With(func(context.Context, *save, bundled) error { return nil }),
		"CheckDocs": engine.With(func(context.Context, *save, files) error { return nil }),
		"ReadCI":    engine.With(func(context.Context, *save, asking) error { return nil }),
	}
}

type asking struct {
	Within int `json:"within_seconds"`
	Wait   int `json:"wait_seconds"`
}

type bundled struct {
	Bundle string `json:"bundle"`
}

type files struct {
	Files []string `json:"files"`
}

// builtin gives the plan of a mode of the built-in policy; the steps of save are checked, the others are not.
func builtin(t *testing.T, mode string) plan.Plan {
	t.Helper()
	anything := func(names ...string) map[string]plan.Check {
		all := map[string]plan.Check{}
		for _, n := range names {
			all[n] = func(json.RawMessage) error { return nil }
		}
		return all
	}
	p, err := plan.Builtin(plan.Newest, plan.Catalogue{Steps: map[plan.Command]map[string]plan.Check{
		plan.Save: fromOutside{}.steps().Checks(),
		plan.Load: anything("Look", "Validate", "RetrieveMemory", "ContextSelect", "PromptAssemble", "Brief", "Route", "Attempt", "Prove"),
		plan.Run:  anything("RetrieveMemory", "ContextSelect", "PromptAssemble", "AgentCall", "SummarizeMemory", "PersistMemory"),
	}})
	if err != nil {
		t.Fatal(err)
	}
	pl, ok := p.Plan(mode)
	if !ok {
		t.Fatal(mode)
	}
	return pl
}

func statuses(rep engine.Report) (s string) {
	for _, r := range rep.Results {
		s += r.Step + ":" + string(r.Status) + " "
	}
	return s
}

func TestSync(t *testing.T) {
	var d save
	rep, err := engine.Run(context.Background(), builtin(t, "sync"), fromOutside{}.steps(), &d, nil)
	if err != nil || d.commit != "c1" || !d.pushed || d.memory.made != "did: auth" || !rep.Acted || rep.Interrupted {
		t.Errorf("%v %+v %s", err, d, statuses(rep))
	}
}

func TestARejectedPushIsRecorded(t *testing.T) {
	var d save
	rep, err := engine.Run(context.Background(), builtin(t, "sync"), fromOutside{push: errors.New("non-fast-forward")}.steps(), &d, nil)
	want := "Look:done Guard:done Describe:done Commit:done Push:failed ReadCI:done Diagnose:done SummarizeMemory:done PersistMemory:done "
	if err != nil || d.pushed || statuses(rep) != want || rep.Results[4].Why != "non-fast-forward" {
		t.Errorf("%v %+v\n got %s\nwant %s", err, d, statuses(rep), want)
	}
}

// TestInterruptedInThePush: the commit is there, so the rest is recorded, out of reach of the cancelled context.
func TestInterruptedInThePush(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var d save
	var lines []string
	rep, err := engine.Run(ctx, builtin(t, "full"), fromOutside{onPush: cancel}.steps(), &d, func(e engine.Event) {
		if e.Kind == engine.Line {
			lines = append(lines, fmt.Sprint(e.N, "/", e.Of, " ", e.Line))
		}
	})
	want := "Look:done Guard:done Describe:done Commit:done Push:failed Verify:skipped CheckDocs:skipped ReadCI:skipped Diagnose:done SummarizeMemory:done PersistMemory:done "
	if err != nil || d.commit == "" || d.pushed || statuses(rep) != want || !rep.Interrupted {
		t.Errorf("%v\n got %s\nwant %s", err, statuses(rep), want)
	}
	if len(lines) != 1 || lines[0] != "5/11 pushing c1" {
		t.Error(lines)
	}
}

func TestCancelledBeforeTheCommit(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	steps := fromOutside{}.steps()
	steps["Look"] = engine.Does(func(context.Context, *save) error { cancel(errors.New("signal: interrupt")); return nil })
	var d save
	rep, err := engine.Run(ctx, builtin(t, "quick"), steps, &d, nil)
	var c *engine.Cancelled
	if !errors.As(err, &c) || c.Step != "Look" || d.commit != "" || rep.Acted || err.Error() != "stopped before anything was changed: signal: interrupt" {
		t.Errorf("%v %+v %s", err, d, statuses(rep))
	}
}

// TestNothingToCommitIsNoAct: a save that changed nothing can still be cancelled without a trace.
func TestNothingToCommitIsNoAct(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	steps := fromOutside{}.steps()
	steps["Guard"] = engine.With(func(_ context.Context, d *save, _ guard) error { d.dirty = nil; return nil })
	steps["Diagnose"] = engine.Does(func(context.Context, *save) error { cancel(); return nil })
	rep, err := engine.Run(ctx, builtin(t, "quick"), steps, new(save), nil)
	if !errors.Is(err, context.Canceled) || rep.Acted || statuses(rep) != "Look:done Guard:done Describe:done Commit:skipped Diagnose:done " {
		t.Errorf("%v %s", err, statuses(rep))
	}
}

// TestRunsDoNotMeet: the engine keeps nothing between runs, and two runs at once do not meet.
func TestRunsDoNotMeet(t *testing.T) {
	p, steps := builtin(t, "sync"), fromOutside{}.steps()
	done := make(chan error, 8)
	for range cap(done) {
		go func() {
			var d save
			_, err := engine.Run(context.Background(), p, steps, &d, func(engine.Event) {})
			if err == nil && d.commit != "c1" {
				err = errors.New("not committed")
			}
			done <- err
		}()
	}
	for range cap(done) {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// TestLimitsOfThePlanHold: Push has two minutes in full; the step sees that deadline and not a later one.
func TestLimitsOfThePlanHold(t *testing.T) {
	steps := fromOutside{}.steps()
	var left, none time.Duration
	look := func(d *time.Duration) func(context.Context, *save) error {
		return func(ctx context.Context, _ *save) error {
			if at, ok := ctx.Deadline(); ok {
				*d = time.Until(at)
			}
			return nil
		}
	}
	steps["Push"] = engine.With(func(ctx context.Context, d *save, _ struct {
		Protected []string `json:"protected"`
	}) error {
		return look(&left)(ctx, d)
	})
	steps["Diagnose"] = engine.Does(look(&none))
	if _, err := engine.Run(context.Background(), builtin(t, "full"), steps, new(save), nil); err != nil {
		t.Fatal(err)
	}
	if left <= 0 || left > 2*time.Minute || none != 0 {
		t.Error(left, none)
	}
}

func Example() {
	type draft struct{ words []string }
	add := func(_ context.Context, d *draft, s struct {
		Word string `json:"word"`
	}) error {
		d.words = append(d.words, s.Word)
		return nil
	}
	p := plan.Plan{Mode: "greet", For: plan.Run, Steps: []plan.Step{
		{Name: "Add", With: json.RawMessage(`{"word":"hello"}`)},
		{Name: "Post", Keep: true},
		{Name: "Add", With: json.RawMessage(`{"word":"world"}`)},
	}}
	steps := engine.Steps[draft]{
		"Add":  engine.With(add),
		"Post": engine.Acts(engine.Does(func(context.Context, *draft) error { return errors.New("no letter box") })),
	}
	var d draft
	report, err := engine.Run(context.Background(), p, steps, &d, nil)
	fmt.Println(d.words, err)
	for _, r := range report.Results {
		fmt.Printf("%s: %s %q\n", r.Step, r.Status, r.Why)
	}
	// Output:
	// [hello world] <nil>
	// Add: done ""
	// Post: failed "no letter box"
	// Add: done ""
}
