package cycle

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"session/internal/engine"
	"session/internal/plan"
	"session/internal/session"
	"session/internal/snapshot"
	"session/internal/snapshot/snapshottest"
)

const (
	mainPath  = snapshot.Path("refs/heads/main")
	otherPath = snapshot.Path("refs/heads/other")
)

// draft is a workflow of one step that records what it is told to.
type draft struct{ say string }

// world is a runner over a store in memory that notes what is asked of it, in order.
type world struct {
	*snapshottest.Memory
	store *snapshot.Store
	log   []string
	fail  map[string]error // by what the log calls it
	runs  int
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{Memory: snapshottest.NewMemory(), fail: map[string]error{}}
	id, err := snapshot.NewStoreID(bytes.NewReader(make([]byte, 64)))
	if err != nil {
		t.Fatal(err)
	}
	if w.store, err = snapshot.New(w.Memory, w.Memory, id); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) did(what string) error {
	w.log = append(w.log, what)
	return w.fail[what]
}

func (w *world) Begin(_ context.Context, e Entry) error {
	return w.did("begin " + string(e.Path[len("refs/heads/"):]))
}
func (w *world) Note(context.Context, string, string) error { return w.did("note") }
func (w *world) End(context.Context) error                  { return w.did("end") }

func (w *world) runner() Runner {
	w.runs++
	w.log = nil
	project := func(name string) []Projection {
		return []Projection{{name, func(_ context.Context, made snapshot.Manifest, _ session.Bundle) error { return w.did(name) }}}
	}
	return Runner{Store: w.store, Leaser: w.Memory, Journal: w, RunID: fmt.Sprintf("run%020d", w.runs), Hash: strings.Repeat("a", 64), Accepted: strings.Repeat("b", 64),
		Now: func() time.Time { return time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC) }, Mend: func(context.Context) error { return w.did("mend") },
		Sound: func(s session.State) error {
			if s.WorkingOn == "unsound" {
				return errors.New("unsound")
			}
			return nil
		},
		Project: project("project"), Beside: project("beside")}
}

// work records what it says; "" records nothing, "fail" fails in its step, "unwritable" in what it hands over.
func (w *world) work(say string) Work[draft] {
	return Work[draft]{
		Plan: plan.Plan{Mode: "quick", For: plan.Save, Steps: []plan.Step{{Name: "Speak"}}},
		Steps: func(Base) engine.Steps[draft] {
			return engine.Steps[draft]{"Speak": engine.Does(func(_ context.Context, d *draft) error {
				d.say = say
				if say == "fail" {
					return errors.Join(errors.New("no"), w.did("step"))
				}
				return w.did("step")
			})}
		},
		Draft: func(Base) *draft { return &draft{} },
		Bundle: func(d *draft, _ engine.Report) (session.Bundle, bool, error) {
			if d.say == "unwritable" {
				return session.Bundle{}, true, errors.New("unwritable")
			}
			var b session.Bundle
			b.Context.State.WorkingOn = d.say
			return b, d.say != "", nil
		},
	}
}

func (w *world) do(t *testing.T, at Where, say string) Outcome {
	t.Helper()
	_, out, err := Do(t.Context(), w.runner(), at, w.work(say))
	if err != nil {
		t.Fatalf("%+v %q: %v", at, say, err)
	}
	return out
}

func (w *world) head(t *testing.T, path snapshot.Path) snapshot.Position {
	t.Helper()
	at, err := w.store.Head(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// hold takes a path's lease, as a run of an hour does.
func (w *world) hold(t *testing.T, path snapshot.Path) {
	t.Helper()
	l, err := w.Acquire(t.Context(), w.store.LeaseKey(path), snapshot.Holder{PID: 7}, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Release(context.Background()) })
}

// TestWhereASnapshotGoes: from how a command was called follow kind, parent, path, and what is written afterwards.
func TestWhereASnapshotGoes(t *testing.T) {
	const held, auto = "mend,begin main,step,project,end", "step,beside"
	for name, tc := range map[string]struct {
		at     func(first, second snapshot.ID) Where
		before func(*testing.T, *world)
		kind   snapshot.Kind
		parent int // 0: none, 1: the first snapshot of main, 2: the second
		path   snapshot.Path
		log    string
	}{
		"goes on":               {at: func(_, _ snapshot.ID) Where { return Where{Path: mainPath} }, kind: snapshot.Continue, parent: 2, path: mainPath, log: held},
		"names the newest":      {at: func(_, b snapshot.ID) Where { return Where{Path: mainPath, Base: b} }, kind: snapshot.Continue, parent: 2, path: mainPath, log: held},
		"forks an older one":    {at: func(a, _ snapshot.ID) Where { return Where{Path: mainPath, Base: a, Fork: true} }, kind: snapshot.Fork, parent: 1, log: held},
		"forks the newest":      {at: func(_, _ snapshot.ID) Where { return Where{Path: mainPath, Fork: true} }, kind: snapshot.Fork, parent: 2, log: held},
		"a hook":                {at: func(_, _ snapshot.ID) Where { return Where{Path: mainPath, Auto: true} }, kind: snapshot.Auto, parent: 2, path: mainPath, log: auto},
		"a new branch":          {at: func(_, b snapshot.ID) Where { return Where{Path: otherPath, Stood: b} }, kind: snapshot.First, parent: 2, path: otherPath, log: strings.Replace(held, "main", "other", 1)},
		"a branch from nowhere": {at: func(_, _ snapshot.ID) Where { return Where{Path: otherPath} }, kind: snapshot.First, path: otherPath, log: strings.Replace(held, "main", "other", 1)},
		"beside a run of an hour": {at: func(_, _ snapshot.ID) Where { return Where{Path: mainPath} }, before: func(t *testing.T, w *world) { w.hold(t, mainPath) },
			kind: snapshot.Auto, parent: 2, path: mainPath, log: auto},
		"a run holds another path": {at: func(_, _ snapshot.ID) Where { return Where{Path: mainPath} }, before: func(t *testing.T, w *world) { w.hold(t, otherPath) },
			kind: snapshot.Continue, parent: 2, path: mainPath, log: held},
		"a hook beside a run": {at: func(_, _ snapshot.ID) Where { return Where{Path: mainPath, Auto: true} }, before: func(t *testing.T, w *world) { w.hold(t, mainPath) },
			kind: snapshot.Auto, parent: 2, path: mainPath, log: auto},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			first := w.do(t, Where{Path: mainPath, Origin: snapshot.Origin{By: "save"}}, "one").Made
			second := w.do(t, Where{Path: mainPath, Origin: snapshot.Origin{By: "save"}}, "two").Made
			if first.Kind != snapshot.First || second.Kind != snapshot.Continue || second.Parent != first.ID {
				t.Fatalf("%+v\n%+v", first, second)
			}
			if tc.before != nil {
				tc.before(t, w)
			}
			at := tc.at(first.ID, second.ID)
			at.Origin.By = "save"
			out := w.do(t, at, "three")
			parent := []snapshot.ID{"", first.ID, second.ID}[tc.parent]
			if out.Made.Kind != tc.kind || out.Made.Parent != parent || tc.path != "" && out.Made.Path != tc.path {
				t.Errorf("made a %s after %q on %s, want a %s after %q on %s", out.Made.Kind, out.Made.Parent, out.Made.Path, tc.kind, parent, tc.path)
			}
			if out.Made.ID != out.Base.Next {
				t.Errorf("the snapshot is %s, the journal was told %s", out.Made.ID, out.Base.Next)
			}
			if got := strings.Join(w.log, ","); got != tc.log {
				t.Errorf("did %s, want %s", got, tc.log)
			}
			if out.Made.PlanHash != strings.Repeat("a", 64) || out.Made.AcceptedPlanHash != strings.Repeat("b", 64) || !out.Made.Created.Equal(w.runner().Now()) {
				t.Errorf("%+v", out.Made)
			}
			if beside := out.Beside != nil; beside != (tc.kind == snapshot.Auto && !at.Auto) {
				t.Errorf("beside is %v", out.Beside)
			}
			if len(out.Behind) > 0 {
				t.Errorf("behind: %v", out.Behind)
			}
		})
	}
}

// TestNothingIsRecorded: what ends a cycle before its commit leaves no snapshot, no lease and no journal.
func TestNothingIsRecorded(t *testing.T) {
	broken := errors.New("broken")
	for name, tc := range map[string]struct {
		fail string // what fails in the world around
		say  string
		at   func(first, second snapshot.ID) Where
		want func(error) bool
		log  string
	}{
		"a step fails":                 {say: "fail", want: isStep, log: "mend,begin main,step,end"},
		"nothing to record":            {say: "", want: func(err error) bool { return err == nil }, log: "mend,begin main,step,end"},
		"what is recorded is none":     {say: "unwritable", want: func(err error) bool { return err != nil && err.Error() == "unwritable" }, log: "mend,begin main,step,end"},
		"what nobody could read again": {say: "unsound", want: func(err error) bool { return err != nil && err.Error() == "unsound" }, log: "mend,begin main,step,end"},
		"a killed run's leavings":      {say: "x", fail: "mend", want: func(err error) bool { return errors.Is(err, broken) }, log: "mend"},
		"no journal":                   {say: "x", fail: "begin main", want: func(err error) bool { return errors.Is(err, broken) }, log: "mend,begin main"},
		"a base that was continued": {say: "x", at: func(a, _ snapshot.ID) Where { return Where{Path: mainPath, Base: a} },
			want: func(err error) bool { var c *snapshot.ErrContinued; return errors.As(err, &c) }, log: "mend,begin main,step,end"},
		"another branch's base": {say: "x", at: func(_, b snapshot.ID) Where { return Where{Path: otherPath, Base: b} },
			want: func(err error) bool {
				var o *OtherPathError
				return errors.As(err, &o) && o.Path == mainPath && o.Want == otherPath
			}, log: "mend"},
		"a base that is not there": {say: "x", at: func(a, _ snapshot.ID) Where { return Where{Path: mainPath, Base: snapshot.NextID("s", a)} },
			want: func(err error) bool { return errors.Is(err, snapshot.ErrNotFound) }, log: "mend"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			first := w.do(t, Where{Path: mainPath, Origin: snapshot.Origin{By: "save"}}, "one").Made
			second := w.do(t, Where{Path: mainPath, Origin: snapshot.Origin{By: "save"}}, "two").Made
			at := Where{Path: mainPath}
			if tc.at != nil {
				at = tc.at(first.ID, second.ID)
			}
			at.Origin.By = "save"
			w.fail[tc.fail] = broken
			_, out, err := Do(t.Context(), w.runner(), at, w.work(tc.say))
			if !tc.want(err) || out.Made.ID != "" {
				t.Errorf("%v, made %q", err, out.Made.ID)
			}
			if got := strings.Join(w.log, ","); got != tc.log {
				t.Errorf("did %s, want %s", got, tc.log)
			}
			if head := w.head(t, mainPath).Head; head.ID != second.ID {
				t.Errorf("the head is %s, was %s", head.ID, second.ID)
			}
			if live, err := w.Live(t.Context()); err != nil || len(live) > 0 {
				t.Errorf("leases: %v %v", live, err)
			}
		})
	}
}

func isStep(err error) bool {
	var s *engine.StepError
	return errors.As(err, &s) && s.Step == "Speak"
}

func TestANamedBaseIsNeverRecordedBeside(t *testing.T) {
	w := newWorld(t)
	first := w.do(t, Where{Path: mainPath, Origin: snapshot.Origin{By: "save"}}, "one").Made
	w.hold(t, mainPath)
	var busy *snapshot.ErrBusy
	if _, out, err := Do(t.Context(), w.runner(), Where{Path: mainPath, Base: first.ID, Origin: snapshot.Origin{By: "save"}}, w.work("x")); !errors.As(err, &busy) || busy.Who.PID != 7 || out.Made.ID != "" {
		t.Errorf("%v, made %q", err, out.Made.ID)
	}
	if len(w.log) > 0 {
		t.Errorf("did %v", w.log)
	}
}

// TestWhatFollowsTheCommit may fail: the snapshot stands, and each failure is told.
func TestWhatFollowsTheCommit(t *testing.T) {
	for _, what := range []string{"project", "end"} {
		w := newWorld(t)
		w.fail[what] = errors.New("broken")
		out := w.do(t, Where{Path: mainPath, Origin: snapshot.Origin{By: "save"}}, "one")
		if out.Made.ID == "" || len(out.Behind) != 1 || !errors.Is(out.Behind[0], w.fail[what]) {
			t.Errorf("%s: made %q, behind %v", what, out.Made.ID, out.Behind)
		}
		if head := w.head(t, mainPath).Head; head == nil || head.ID != out.Made.ID {
			t.Errorf("%s: the head is %v", what, head)
		}
		if what == "project" && out.Behind[0].Error() != "project: broken" {
			t.Errorf("it must say which: %v", out.Behind[0])
		}
	}
}

// TestAutosavesAreTakenInOnce: the next save has what hooks recorded since the last one; the save after it does not.
func TestAutosavesAreTakenInOnce(t *testing.T) {
	w := newWorld(t)
	save := func(say string, leave bool) Outcome {
		return w.do(t, Where{Path: mainPath, Leave: leave, Origin: snapshot.Origin{By: "save"}}, say)
	}
	save("one", false)
	for _, say := range []string{"first hook", "second hook"} {
		w.do(t, Where{Path: mainPath, Auto: true, Origin: snapshot.Origin{By: "hook"}}, say)
	}
	said := func(o Outcome) string {
		var all []string
		for _, b := range o.Base.Autosaves {
			all = append(all, b.Context.State.WorkingOn)
		}
		return strings.Join(all, ",")
	}
	if o := save("a command that leaves them", true); said(o) != "" || o.Made.Origin.TookIn != 0 {
		t.Errorf("took in %q up to %d", said(o), o.Made.Origin.TookIn)
	}
	if o := save("two", false); said(o) != "first hook,second hook" || o.Made.Origin.TookIn != 2 || len(o.Base.Damaged) > 0 {
		t.Errorf("took in %q up to %d, damaged %v", said(o), o.Made.Origin.TookIn, o.Base.Damaged)
	}
	if o := save("three", false); said(o) != "" || o.Made.Origin.TookIn != 2 {
		t.Errorf("took in %q up to %d", said(o), o.Made.Origin.TookIn)
	}
}

// TestADamagedAutosaveKeepsNobody: it is named, and nothing of it is taken for what was said.
func TestADamagedAutosaveKeepsNobody(t *testing.T) {
	for name, part := range map[string]string{"no bundle of ours": `{"state":7}`, "unreadable": ``} {
		w := newWorld(t)
		w.do(t, Where{Path: mainPath, Origin: snapshot.Origin{By: "save"}}, "one")
		head := w.head(t, mainPath).Head.ID
		req := snapshot.Request{Kind: snapshot.Auto, Base: head, Path: mainPath, RunID: "run-damaged-0000000000", Origin: snapshot.Origin{By: "hook"},
			PlanHash: strings.Repeat("a", 64), AcceptedPlanHash: strings.Repeat("a", 64), Created: w.runner().Now(),
			Bundle: snapshot.Bundle{Environment: []byte(`{}`), Context: []byte(`{"state":7}`), Messages: []byte(`{}`)}}
		made, err := w.store.Commit(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		if part == "" {
			key := fmt.Sprintf("snapshots/%.1s/%s.json", made.ID, made.ID)
			if _, err := w.Get(t.Context(), key); err != nil {
				t.Fatal(err)
			}
			w.Put(key, []byte("{"))
		}
		w.do(t, Where{Path: mainPath, Auto: true, Origin: snapshot.Origin{By: "hook"}}, "sound")
		o := w.do(t, Where{Path: mainPath, Origin: snapshot.Origin{By: "save"}}, "two")
		if len(o.Base.Damaged) != 1 || len(o.Base.Autosaves) != 1 || o.Base.Autosaves[0].Context.State.WorkingOn != "sound" {
			t.Errorf("%s: damaged %v, autosaves %+v", name, o.Base.Damaged, o.Base.Autosaves)
		}
		if o.Made.Origin.TookIn != 2 {
			t.Errorf("%s: took in up to %d", name, o.Made.Origin.TookIn)
		}
	}
}

// TestCtrlCAfterTheLastStepStillRecords: what was done is kept, and lease and journal go.
func TestCtrlCAfterTheLastStepStillRecords(t *testing.T) {
	w := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	work := w.work("kept")
	bundle := work.Bundle
	work.Bundle = func(d *draft, r engine.Report) (session.Bundle, bool, error) { cancel(); return bundle(d, r) }
	_, out, err := Do(ctx, w.runner(), Where{Path: mainPath, Origin: snapshot.Origin{By: "save"}}, work)
	if err != nil || out.Made.ID == "" || len(out.Behind) > 0 {
		t.Fatalf("%v, made %q, behind %v", err, out.Made.ID, out.Behind)
	}
	if !slices.Contains(w.log, "project") || !slices.Contains(w.log, "end") {
		t.Errorf("did %v", w.log)
	}
	if live, _ := w.Live(t.Context()); len(live) > 0 {
		t.Errorf("leases: %v", live)
	}
}
