package lifecycletest

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"session/internal/lifecycle"
)

func todoStates(todos []lifecycle.Todo) string {
	var all []string
	for _, d := range todos {
		all = append(all, fmt.Sprintf("%s=%s+%d", d.ID, d.Status, d.RetryCount))
	}
	return strings.Join(all, " ")
}

func plans(t *testing.T, b *bench) {
	ctx, k := t.Context(), key("s1")
	b.create("s1")
	if _, err := b.Plan(ctx, k, 0); !errors.Is(err, lifecycle.ErrNotFound) {
		t.Errorf("no plan: %v", err)
	}
	if _, err := b.Work(ctx, k, "", nil); !errors.Is(err, lifecycle.ErrNotFound) {
		t.Errorf("no plan to work on: %v", err)
	}
	first := must[lifecycle.Plan](t)(b.Revise(ctx, k, lifecycle.Revision{Version: 1, Plan: "p", Hash: "h1", Body: json.RawMessage(`{"steps": []}`), Reason: "begin",
		Todos: []lifecycle.Todo{{ID: "b", Title: "세션"}, {ID: "a", DependsOn: []lifecycle.TodoID{"b"}, Data: json.RawMessage(`[1]`)}, {ID: "c"}}}))
	if got := must[lifecycle.Plan](t)(b.Plan(ctx, k, 0)); !reflect.DeepEqual(got, first) {
		t.Errorf("%+v, want %+v", got, first)
	}
	b.clock.Add(time.Second)
	work := must[[]lifecycle.Todo](t)(b.Work(ctx, k, "", []lifecycle.TodoChange{{ID: "b", To: lifecycle.TodoInProgress}, {ID: "c", To: lifecycle.TodoSkipped, Result: json.RawMessage(`"no"`)}}))
	if todoStates(work) != "b=in_progress+0 a=pending+0 c=skipped+0" {
		t.Errorf("%s", todoStates(work))
	}
	if _, err := b.Work(ctx, k, "", []lifecycle.TodoChange{{ID: "b", To: lifecycle.TodoCompleted}, {ID: "zz", To: lifecycle.TodoCompleted}}); !errors.Is(err, lifecycle.ErrInvalid) {
		t.Errorf("an unknown one: %v", err)
	}
	if got := must[lifecycle.Plan](t)(b.Plan(ctx, k, 1)); !reflect.DeepEqual(got.Todos, work) {
		t.Errorf("half of a change: %+v", got.Todos)
	}
	second := must[lifecycle.Plan](t)(b.Revise(ctx, k, lifecycle.Revision{Plan: "p", Hash: "h2", Todos: []lifecycle.Todo{{ID: "c"}, {ID: "d"}, {ID: "b"}}}))
	if second.Version != 2 || todoStates(second.Todos) != "c=skipped+0 d=pending+0 b=in_progress+0" {
		t.Errorf("%+v", second)
	}
	must[[]lifecycle.Todo](t)(b.Work(ctx, k, "", []lifecycle.TodoChange{{ID: "b", To: lifecycle.TodoCompleted}}))
	if old := must[lifecycle.Plan](t)(b.Plan(ctx, k, 1)); !reflect.DeepEqual(old.Todos, work) {
		t.Errorf("an older version has changed: %+v", old.Todos)
	}
	if s := must[lifecycle.Session](t)(b.Get(ctx, k)); s.Plan != "p" || s.PlanVersion != 2 || s.Events != 1 {
		t.Errorf("%+v", s)
	}
	var changed *lifecycle.ChangedError
	if _, err := b.Revise(ctx, k, lifecycle.Revision{Version: 1, Plan: "p"}); !errors.As(err, &changed) {
		t.Errorf("decided on an older version: %v", err)
	}
	if _, err := b.Plan(ctx, k, 3); !errors.Is(err, lifecycle.ErrNotFound) {
		t.Error(err)
	}
}

func resume(t *testing.T, b *bench) {
	ctx := t.Context()
	for status, way := range ways() {
		id := string(status)
		b.create(id)
		must[lifecycle.Plan](t)(b.Revise(ctx, key(id), lifecycle.Revision{Plan: "p", Todos: []lifecycle.Todo{{ID: "a"}, {ID: "b"}, {ID: "c"}}}))
		must[[]lifecycle.Todo](t)(b.Work(ctx, key(id), "", []lifecycle.TodoChange{{ID: "a", To: lifecycle.TodoInProgress}, {ID: "b", To: lifecycle.TodoInProgress}}))
		before := b.change(id, way...)
		s, todos, err := b.Records.Resume(ctx, key(id), lifecycle.Resumption{Version: before.Version, Take: "r", Modifications: lifecycle.Modifications{Skip: []lifecycle.TodoID{"b"}}})
		if !status.Resumable() {
			var refused *lifecycle.NotResumableError
			if !errors.As(err, &refused) || refused.Status != status {
				t.Errorf("%s: %v", status, err)
			}
			b.want(id, before)
			continue
		}
		if err != nil || s.Status != lifecycle.Running || s.Run != "r" || todoStates(todos) != "a=pending+1 b=skipped+0 c=pending+0" {
			t.Errorf("%s: %v %+v %s", status, err, s, todoStates(todos))
		}
		b.want(id, s)
		if p := must[lifecycle.Plan](t)(b.Plan(ctx, key(id), 0)); !reflect.DeepEqual(p.Todos, todos) {
			t.Errorf("%s: %+v", status, p.Todos)
		}
	}
	b.create("bad")
	before := b.change("bad", lifecycle.Start, lifecycle.Pause)
	if _, _, err := b.Records.Resume(ctx, key("bad"), lifecycle.Resumption{Modifications: lifecycle.Modifications{Skip: []lifecycle.TodoID{"x"}}}); !errors.Is(err, lifecycle.ErrInvalid) {
		t.Error(err)
	}
	b.want("bad", before)
}

func (b *bench) ask(id, request string, options ...lifecycle.Option) lifecycle.Request {
	b.t.Helper()
	return must[lifecycle.Request](b.t)(b.Ask(b.t.Context(), key(id), lifecycle.Question{ID: lifecycle.RequestID(request), Type: "plan_review",
		Data: json.RawMessage(`{"q":"?"}`), Options: options, TimeOut: 10 * time.Minute}))
}

// answeredOnce: of fifty answers at once one counts, over three openings of the store.
func answeredOnce(t *testing.T, b *bench) {
	stores := []lifecycle.Records{b.Records, b.open(), b.open()}
	b.create("s1")
	b.change("s1", lifecycle.Start)
	for round := range 5 {
		id := name("q%d", round)
		asked := b.ask("s1", id, lifecycle.Option{ID: "yes", Label: "예"}, lifecycle.Option{ID: "no"})
		if all := must[[]lifecycle.Request](t)(b.Asked(t.Context(), key("s1"))); len(all) != round+1 || !reflect.DeepEqual(all[round], asked) {
			t.Errorf("%+v, want %+v", all, asked)
		}
		var won atomic.Int64
		var winner atomic.Value
		together(50, func(i int) {
			by := lifecycle.Owner(fmt.Sprint("p", i))
			got, err := stores[i%3].Answer(t.Context(), key("s1"), asked.ID, lifecycle.Decision{By: by, Via: "rest", Choice: "yes", Data: json.RawMessage(`1`)})
			if err == nil {
				won.Add(1)
				winner.Store(got)
			} else if !is[*lifecycle.AnsweredError](err) {
				t.Error(err)
			}
		})
		all := must[[]lifecycle.Request](t)(b.Asked(t.Context(), key("s1")))
		if got, _ := winner.Load().(lifecycle.Request); won.Load() != 1 || all[round].Decision == nil || !reflect.DeepEqual(all[round], got) {
			t.Fatalf("round %d: %d answers counted; %+v", round, won.Load(), all[round])
		}
	}
	if s := must[lifecycle.Session](t)(b.Get(t.Context(), key("s1"))); s.Status != lifecycle.Running {
		t.Error(s.Status)
	}
	if _, err := b.Answer(t.Context(), key("s1"), "nothing", lifecycle.Decision{By: ann, Choice: "go"}); !errors.Is(err, lifecycle.ErrNotFound) {
		t.Error(err)
	}
	if _, err := b.Ask(t.Context(), key("s1"), lifecycle.Question{ID: "q0", Type: "t", TimeOut: time.Hour}); !errors.Is(err, lifecycle.ErrTaken) {
		t.Errorf("an id twice: %v", err)
	}
}

// requestsEnd without an answer: in time, by a resume, by a cancel.
func requestsEnd(t *testing.T, b *bench) {
	ctx := t.Context()
	for _, id := range []string{"late", "resumed", "cancelled", "early"} {
		b.create(id)
		b.change(id, lifecycle.Start)
		b.ask(id, "q")
	}
	b.change("resumed", lifecycle.Resume)
	b.change("cancelled", lifecycle.Cancel)
	b.clock.Add(10*time.Minute - time.Millisecond)
	if closed := must[[]lifecycle.Request](t)(b.TimeOut(ctx, 10)); len(closed) != 0 {
		t.Errorf("one millisecond before its time: %+v", closed)
	}
	must[lifecycle.Request](t)(b.Answer(ctx, key("early"), "q", lifecycle.Decision{By: ann, Choice: "go"}))
	b.clock.Add(time.Millisecond)
	if _, err := b.Answer(ctx, key("late"), "q", lifecycle.Decision{By: ann, Choice: "go"}); !is[*lifecycle.AnsweredError](err) {
		t.Errorf("at its time: %v", err)
	}
	if closed := must[[]lifecycle.Request](t)(b.TimeOut(ctx, 10)); len(closed) != 1 || closed[0].Session != "late" || closed[0].Status != lifecycle.RequestTimedOut {
		t.Errorf("%+v", closed)
	}
	if closed := must[[]lifecycle.Request](t)(b.TimeOut(ctx, 10)); len(closed) != 0 {
		t.Errorf("twice: %+v", closed)
	}
	for id, want := range map[string]struct {
		s lifecycle.Status
		r lifecycle.RequestStatus
	}{
		"late":      {lifecycle.Paused, lifecycle.RequestTimedOut},
		"resumed":   {lifecycle.Running, lifecycle.RequestDropped},
		"cancelled": {lifecycle.Cancelled, lifecycle.RequestDropped},
		"early":     {lifecycle.Running, lifecycle.RequestAnswered},
	} {
		s := must[lifecycle.Session](t)(b.Get(ctx, key(id)))
		all := must[[]lifecycle.Request](t)(b.Asked(ctx, key(id)))
		if s.Status != want.s || len(all) != 1 || all[0].Status != want.r || all[0].ClosedAt.IsZero() {
			t.Errorf("%s: %s, %+v", id, s.Status, all)
		}
	}
}

// eventsWithoutGaps reads one session's events while forty changes are made to it from four sides.
func eventsWithoutGaps(t *testing.T, b *bench) {
	b.create("s1")
	b.change("s1", lifecycle.Start)
	stores := []lifecycle.Records{b.Records, b.open(), b.open(), b.open()}
	var left atomic.Int64
	left.Store(4)
	together(5, func(i int) {
		if i == 4 {
			follow(t, stores[3], &left)
			return
		}
		for range 10 {
			for _, c := range []lifecycle.Cause{lifecycle.Pause, lifecycle.Resume} {
				_, err := stores[i].Change(t.Context(), key("s1"), lifecycle.Change{Cause: c})
				if err != nil && !is[*lifecycle.TransitionError](err) {
					t.Error(err)
				}
			}
		}
		left.Add(-1)
	})
	b.events("s1")
	all := b.events("s1")
	if page := must[[]lifecycle.Event](t)(b.Events(t.Context(), key("s1"), 2, 3)); !reflect.DeepEqual(page, all[2:5]) {
		t.Errorf("%+v", page)
	}
}

func follow(t *testing.T, r lifecycle.Records, left *atomic.Int64) {
	last := int64(0)
	for ended := false; ; {
		more, err := r.Events(t.Context(), key("s1"), last, 7)
		if err != nil {
			t.Error(err)
			return
		}
		for _, e := range more {
			if e.Seq != last+1 {
				t.Errorf("event %d comes behind %d", e.Seq, last)
			}
			last = e.Seq
		}
		if ended && len(more) == 0 {
			return
		}
		ended = left.Load() == 0
	}
}

func outbox(t *testing.T, b *bench) {
	b.create("s1")
	b.change("s1", lifecycle.Start, lifecycle.Pause)
	b.create("s2")
	all := must[[]lifecycle.Event](t)(b.Unpublished(t.Context(), 100))
	last := map[lifecycle.ID]int64{}
	for _, e := range all {
		if e.Seq != last[e.Session]+1 {
			t.Errorf("%s: %d comes behind %d", e.Session, e.Seq, last[e.Session])
		}
		last[e.Session] = e.Seq
	}
	if len(all) != 4 {
		t.Fatalf("%+v", all)
	}
	two := must[[]lifecycle.Event](t)(b.Unpublished(t.Context(), 2))
	for range 2 {
		if err := b.Published(t.Context(), two); err != nil {
			t.Fatal(err)
		}
	}
	if rest := must[[]lifecycle.Event](t)(b.open().Unpublished(t.Context(), 100)); !reflect.DeepEqual(rest, all[2:]) {
		t.Errorf("%+v, want %+v", rest, all[2:])
	}
	if n := len(b.events("s1")); n != 3 {
		t.Errorf("%d events are left in the history", n)
	}
}

func checkpoints(t *testing.T, b *bench) {
	ctx, k := t.Context(), key("s1")
	b.create("s1")
	for i, snap := range []lifecycle.Snapshot{"x", "y", "x"} {
		b.clock.Add(time.Second)
		c := must[lifecycle.Checkpoint](t)(b.Checkpoint(ctx, k, "", snap, "단계"))
		if c.Number != int64(i)+1 || c.At != b.clock.Now() {
			t.Errorf("%+v", c)
		}
	}
	all := must[[]lifecycle.Checkpoint](t)(b.Checkpoints(ctx, k))
	s := must[lifecycle.Session](t)(b.Get(ctx, k))
	if len(all) != 3 || all[1].Snapshot != "y" || all[2].Label != "단계" || s.Head != "x" || s.Checkpoints != 3 || s.Version != 4 {
		t.Errorf("%+v %+v", all, s)
	}
	var made atomic.Int64
	together(20, func(i int) {
		if _, err := b.Checkpoint(ctx, k, "", lifecycle.Snapshot(fmt.Sprint("z", i)), ""); err == nil {
			made.Add(1)
		} else {
			t.Error(err)
		}
	})
	for i, c := range must[[]lifecycle.Checkpoint](t)(b.Checkpoints(ctx, k)) {
		if c.Number != int64(i)+1 {
			t.Errorf("%+v is number %d", c, i+1)
		}
	}
}
