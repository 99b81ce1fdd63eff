package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"session/internal/plan"
)

// draft is a small draft with a part that has steps of its own.
type draft struct {
	log  []string
	part part
}

type part struct{ found int }

// retrieve are settings as a real step has them.
type retrieve struct {
	TopK    int      `json:"topK"`
	Ranking string   `json:"ranking"`
	Files   []string `json:"files"`
	Inner   struct {
		A int `json:"a"`
	} `json:"inner"`
	hidden int
	Off    int `json:"-"`
}

func (r *retrieve) Check() error {
	if r.TopK < 1 {
		return &plan.SettingError{Setting: "topK", Err: errors.New("a number above 0 is needed")}
	}
	if r.TopK == 13 {
		panic("bad luck")
	}
	return nil
}

func note(name string) Step[draft] {
	return Does(func(_ context.Context, d *draft) error { d.log = append(d.log, name); return nil })
}

func steps() Steps[draft] {
	return Steps[draft]{
		"Look":   note("Look"),
		"Commit": Acts(note("Commit")),
		"Retrieve": On(func(d *draft) *part { return &d.part }, With(func(_ context.Context, p *part, s retrieve) error {
			p.found = s.TopK + len(s.Files) + s.Inner.A + s.hidden
			return nil
		})),
		"Unmade": {},
	}
}

func of(steps ...plan.Step) plan.Plan { return plan.Plan{Mode: "m", For: plan.Save, Steps: steps} }

func with(name, settings string) plan.Step {
	s := plan.Step{Name: name, At: plan.Place{File: "modes.yaml", Line: 7, Col: 5}}
	if settings != "" {
		s.With = json.RawMessage(settings)
	}
	return s
}

func TestStepsRunInOrderOnTheirParts(t *testing.T) {
	var d draft
	rep, err := Run(context.Background(), of(with("Look", ""), with("Retrieve", `{"files":["a"],"inner":{"a":10},"topK":3}`), with("Commit", ""),
		with("Look", "")), steps(), &d, nil)
	if err != nil || !slices.Equal(d.log, []string{"Look", "Commit", "Look"}) || d.part.found != 14 || !rep.Acted || rep.Interrupted {
		t.Errorf("%v %+v %+v", err, d, rep)
	}
	if rep, err := Run(context.Background(), of(), steps(), &d, nil); err != nil || len(rep.Results) != 0 || rep.Acted {
		t.Errorf("%v %+v", err, rep)
	}
}

// settingsRows: settings of Retrieve, and what is said about them.
var settingsRows = []struct{ settings, setting, want string }{
	{``, "topK", "a number above 0 is needed"},
	{`{}`, "topK", "a number above 0 is needed"},
	{`{"topK":0}`, "topK", "a number above 0"},
	{`{"topk":3}`, "topk", "unknown setting; there are: topK, ranking, files, inner"},
	{`{"topK":3,"TopK":4}`, "TopK", "unknown setting"},
	{`{"topK":3,"hidden":1}`, "hidden", "unknown setting"},
	{`{"topK":3,"Off":1}`, "Off", "unknown setting"},
	{`{"topK":3,"-":1}`, "-", "unknown setting"},
	{`{"topK":"3"}`, "topK", "a int is expected, there is a string"},
	{`{"topK":3.5}`, "topK", "a int is expected"},
	{`{"topK":null}`, "topK", "null is no value"},
	{`{"topK":3,"files":[1]}`, "files", "a string is expected"},
	{`{"topK":3,"inner":{"b":1}}`, "", `unknown field "b"`},
	{`{"topK":3,"inner":{"a":"x"}}`, "inner", "a int is expected"},
	{`[]`, "", "settings are a JSON object"},
	{`{"topK":3} {}`, "", "settings are a JSON object"},
	{`{`, "", "settings are a JSON object"},
	{`{"topK":13}`, "", "panic: bad luck"},
}

func TestSettingsAreRefusedBeforeTheFirstStep(t *testing.T) {
	for _, row := range settingsRows {
		var d draft
		events := 0
		rep, err := Run(context.Background(), of(with("Look", ""), with("Commit", ""), with("Retrieve", row.settings)), steps(), &d, func(Event) { events++ })
		if err == nil || !strings.Contains(err.Error(), row.want) || !strings.Contains(err.Error(), "mode m, step 3 (modes.yaml:7:5): Retrieve: ") {
			t.Errorf("%s: %v, want %s", row.settings, err, row.want)
		}
		if len(d.log) > 0 || events > 0 || len(rep.Results) > 0 {
			t.Errorf("%s: something ran: %v", row.settings, d.log)
		}
		var s *plan.SettingError
		if errors.As(err, &s) != (row.setting != "") || s != nil && s.Setting != row.setting {
			t.Errorf("%s: points at %+v, want %q", row.settings, s, row.setting)
		}
		if got := steps().Checks()["Retrieve"](json.RawMessage(row.settings)); row.settings != "" && (got == nil || !strings.Contains(got.Error(), row.want)) {
			t.Errorf("%s: the catalogue says %v", row.settings, got)
		}
	}
	_, err := Run(context.Background(), of(with("Look", `{"x":1}`), with("Comit", ""), with("Unmade", "")), steps(), new(draft), nil)
	for _, want := range []string{"step 1 (modes.yaml:7:5): Look: x: this step takes no settings", `step 2 (modes.yaml:7:5): there is no step "Comit" for save`,
		"step 3 (modes.yaml:7:5): Unmade: the step does nothing"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v\ndoes not say %s", err, want)
		}
	}
}

// TestCatalogue: what plan checks is what the engine binds.
func TestCatalogue(t *testing.T) {
	s := steps()
	checks := s.Checks()
	if len(checks) != len(s) || checks["Look"](nil) != nil || checks["Retrieve"](json.RawMessage(`{"topK":1}`)) != nil || checks["Unmade"](nil) == nil {
		t.Error("the checks are not those of the steps")
	}
	if got := s.Acting(); !slices.Equal(got, []string{"Commit"}) {
		t.Error(got)
	}
	p := plan.Profile{Name: "p.yaml", Base: plan.Newest, Modes: "m.yaml"}
	_, err := plan.Assemble(p, map[string][]byte{"m.yaml": []byte("x:\n  for: run\n  steps:\n    - Retrieve:\n        ranking: r\n        topk: 3\n")},
		plan.Catalogue{Steps: map[plan.Command]map[string]plan.Check{plan.Run: checks}})
	var all *plan.Invalid // its text ends after so many
	if !errors.As(err, &all) || !slices.ContainsFunc(all.Problems, func(p plan.Problem) bool {
		return strings.Contains(p.String(), `m.yaml:6:15: x.steps[1].Retrieve: topk: unknown setting`)
	}) {
		t.Error(err)
	}
}

func TestLimit(t *testing.T) {
	wait := func(ctx context.Context, d *draft) error { <-ctx.Done(); return fmt.Errorf("killed: %w", ctx.Err()) }
	s := Steps[draft]{"Wait": Does(wait), "Commit": Acts(note("Commit")), "Slow": Does(func(ctx context.Context, d *draft) error { <-ctx.Done(); return nil }),
		"Idle": Does(func(ctx context.Context, d *draft) error { <-ctx.Done(); return Skip("idle") })}
	short := plan.Step{Name: "Wait", Limit: plan.Duration(time.Millisecond)}
	var l *LimitError

	_, err := Run(context.Background(), of(short), s, new(draft), nil)
	if !errors.As(err, &l) || l.Limit != time.Millisecond || err.Error() != "Wait: stopped after its limit of 1ms: killed: context deadline exceeded" {
		t.Error(err)
	}
	short.Keep = true
	rep, err := Run(context.Background(), of(short, with("Commit", "")), s, new(draft), nil)
	if err != nil || rep.Results[0].Status != Failed || !errors.As(rep.Results[0].Err, &l) || rep.Interrupted {
		t.Error(err, rep)
	}
	short.Keep = false // after an act only its own limit can stop a step that must run
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	rep, err = Run(ctx, of(with("Commit", ""), short), s, new(draft), func(e Event) {
		if e.Kind == Begin && e.Step == "Wait" {
			cancel()
		}
	})
	if !errors.As(err, &l) || !rep.Acted || len(rep.Results) != 2 {
		t.Error(err, rep)
	}
	for _, name := range []string{"Slow", "Idle"} { // late, but not wrong
		rep, err := Run(context.Background(), of(plan.Step{Name: name, Limit: plan.Duration(time.Millisecond)}), s, new(draft), nil)
		if err != nil || rep.Results[0].Status == Failed {
			t.Error(name, err, rep)
		}
	}
}

func TestDeadlineOfTheCaller(t *testing.T) {
	ctx, cancel := context.WithDeadlineCause(context.Background(), time.Unix(0, 0), errors.New("hook deadline"))
	defer cancel()
	rep, err := Run(ctx, of(with("Commit", "")), steps(), new(draft), nil)
	var c *Cancelled
	if !errors.As(err, &c) || !errors.Is(err, context.DeadlineExceeded) || c.Step != "Commit" || !strings.Contains(err.Error(), "hook deadline") || rep.Acted {
		t.Error(err, rep)
	}
}

func TestPanics(t *testing.T) {
	boom := Does(func(_ context.Context, d *draft) error { d.log[len(d.log)+7] = "x"; return nil })
	outer := On(func(d *draft) *part { panic("no such part") }, Does(func(context.Context, *part) error { return nil }))
	s := Steps[draft]{"Boom": boom, "Outer": outer, "Commit": Acts(note("Commit"))}
	_, err := Run(context.Background(), of(with("Commit", ""), with("Boom", "")), s, new(draft), nil)
	var p *PanicError
	var r runtime.Error
	if !errors.As(err, &p) || !errors.As(err, &r) || !strings.Contains(err.Error(), "engine_test.go") || !strings.Contains(string(p.Stack), "TestPanics") {
		t.Error(err)
	}
	var d draft
	rep, err := Run(context.Background(), of(plan.Step{Name: "Boom", Keep: true}, plan.Step{Name: "Outer", Keep: true}, with("Commit", "")), s, &d, nil)
	if err != nil || len(d.log) != 1 || !errors.As(rep.Results[0].Err, &p) || rep.Results[1].Why != "panic: no such part" {
		t.Error(err, rep)
	}
	if strings.Contains(rep.Results[0].Why, "goroutine") {
		t.Error("a stack has no place in a record:", rep.Results[0].Why)
	}
}

func TestSkip(t *testing.T) {
	for want, errs := range map[Status][]error{
		Skipped: {Skip("no commit"), fmt.Errorf("push: %w", Skip("no commit")), Skip("")},
		Failed:  {errors.Join(Skip("no commit"), errors.New("disk full")), fmt.Errorf("%w and %w", Skip("x"), errors.New("y"))},
	} {
		for _, e := range errs {
			s := Steps[draft]{"S": Acts(Does(func(context.Context, *draft) error { return e }))}
			rep, _ := Run(context.Background(), of(plan.Step{Name: "S", Keep: true}), s, new(draft), nil)
			if got := rep.Results[0]; got.Status != want || got.Why == "" || rep.Acted != (want == Failed) {
				t.Errorf("%v is %+v", e, got)
			}
		}
	}
}

func TestSay(t *testing.T) {
	var late context.Context
	s := Steps[draft]{"Build": Does(func(ctx context.Context, d *draft) error {
		var all sync.WaitGroup
		for i := range 20 {
			all.Go(func() { Say(ctx, "part %d of %d", i+1, 20) })
		}
		all.Wait()
		late = ctx
		return nil
	}), "Look": note("Look")}
	var lines []string
	var kinds []EventKind
	_, err := Run(context.Background(), of(with("Build", ""), with("Look", "")), s, new(draft), func(e Event) {
		kinds = append(kinds, e.Kind)
		if e.Kind == Line {
			lines = append(lines, fmt.Sprintf("%d %d %s %s", e.N, e.Of, e.Step, e.Line))
		}
	})
	slices.Sort(lines)
	if err != nil || len(lines) != 20 || lines[0] != "1 2 Build part 1 of 20" || kinds[0] != Begin || kinds[21] != End {
		t.Error(err, lines, kinds)
	}
	Say(late, "too late")
	Say(context.Background(), "outside")
	if len(lines) != 20 {
		t.Error("a step spoke after its end")
	}
	if _, err := Run(context.Background(), of(with("Build", "")), s, new(draft), nil); err != nil {
		t.Error("nobody listens:", err)
	}
}

func TestAWatcherThatPanicsLosesNothing(t *testing.T) {
	for _, at := range []EventKind{Begin, Line, End} {
		s := Steps[draft]{"Commit": Acts(Does(func(ctx context.Context, d *draft) error {
			Say(ctx, "writing")
			d.log = append(d.log, "Commit")
			return nil
		})), "Look": note("Look")}
		var d draft
		told := 0
		rep, err := Run(context.Background(), of(with("Commit", ""), with("Look", "")), s, &d, func(e Event) {
			if told++; e.Kind == at {
				panic("no terminal")
			}
		})
		if err != nil || !slices.Equal(d.log, []string{"Commit", "Look"}) || !rep.Acted || rep.Watch == nil || told > 3 {
			t.Error(at, err, d, rep, told)
		}
	}
}

func TestResultsAsJSON(t *testing.T) {
	b, err := json.Marshal([]Result{{Step: "Push", Status: Failed, Why: "rejected", Err: errors.New("x")}, {Step: "Look", Status: Done}})
	if err != nil || string(b) != `[{"step":"Push","status":"failed","why":"rejected"},{"step":"Look","status":"done"}]` {
		t.Error(string(b), err)
	}
	if n := reflect.TypeFor[Result]().NumField(); n != 4 {
		t.Error("a new field of Result needs a tag and a place in this test")
	}
}
