package app

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"session/internal/coordination"
	"session/internal/lifecycle"
	"session/internal/needtest"
	"session/internal/session"
	"session/internal/store/redis"
	"session/internal/store/sql"
)

// keeper is where things are kept hot and published, in one process or in Redis.
type keeper interface {
	coordination.Hot
	coordination.Bus
}

func keepers(t *testing.T, run func(t *testing.T, k keeper)) {
	t.Run("Local", func(t *testing.T) { run(t, coordination.NewLocal(time.Now)) })
	t.Run("Redis", func(t *testing.T) {
		at, err := redis.ParseURL(needtest.Server(t, "redis"))
		if err != nil {
			t.Fatal(err)
		}
		c := redis.New(at, redis.Options{Random: rand.Reader, Now: time.Now})
		t.Cleanup(func() { _ = c.Close() })
		run(t, c)
	})
}

// away is a keeper that nobody reaches.
type away struct{ keeper }

var errAway = errors.Join(coordination.ErrUnavailable)

func (away) Put(context.Context, string, coordination.Change) error { return errAway }
func (away) Settle(context.Context, string, string) error           { return errAway }
func (away) Forget(context.Context, string) error                   { return errAway }
func (away) Publish(context.Context, ...coordination.Event) error   { return errAway }

func (away) Look(context.Context, string) (coordination.View, error) {
	return coordination.View{}, errAway
}

func records(t *testing.T) lifecycle.Records {
	t.Helper()
	db, err := sql.Open("sqlite:"+filepath.Join(t.TempDir(), "sessions.db"), sql.Patience{}, sql.Drivers{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	r, err := db.Records(t.Context(), lifecycle.Options{Now: time.Now, Policy: lifecycle.DefaultPolicy()})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// told is one Session's life, with what is kept hot of it after each step.
func TestAnnounced(t *testing.T) {
	keepers(t, func(t *testing.T, k keeper) {
		id := lifecycle.ID("test-" + rand.Text())
		key, ctx := lifecycle.Key{Owner: "ada", ID: id}, t.Context()
		heard, err := k.Subscribe(ctx, string(id))
		if err != nil {
			t.Fatal(err)
		}
		a := &announced{Records: records(t), hot: k, bus: k, now: time.Now, warn: func(f session.Finding) { t.Error(f) }}
		must := func(_ any, err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		want := func(status, layer, current string, total, completed int, asked string) {
			t.Helper()
			v, err := k.Look(ctx, string(id))
			if err != nil || v.State.Status != status || v.State.Layer != layer || (v.Pending == nil) != (asked == "") || v.Pending != nil && v.Pending.Request != asked {
				t.Errorf("%+v %+v %v, want %s", v.State, v.Pending, err, status)
			}
			if total > 0 && (v.Progress == nil || *v.Progress != coordination.Progress{Total: total, Completed: completed, Current: current}) {
				t.Errorf("%+v, want %d of %d, %s", v.Progress, completed, total, current)
			}
		}
		must(a.Create(ctx, lifecycle.Draft{ID: id, Owner: "ada", Input: "x"}))
		want("created", "", "", 0, 0, "")
		must(a.Change(ctx, key, lifecycle.Change{Cause: lifecycle.Start, Take: "run"}))
		want("running", "execution", "", 0, 0, "")
		must(a.Revise(ctx, key, lifecycle.Revision{As: "run", Plan: "p", Hash: "h", Body: json.RawMessage(`{}`), Todos: []lifecycle.Todo{{ID: "a", Title: "a"}, {ID: "b", Title: "b"}}}))
		want("running", "execution", "", 2, 0, "")
		must(a.Work(ctx, key, "run", []lifecycle.TodoChange{{ID: "a", To: lifecycle.TodoInProgress}}))
		want("running", "execution", "a", 2, 0, "")
		must(a.Ask(ctx, key, lifecycle.Question{ID: "q", As: "run", Type: "decision", TimeOut: time.Hour}))
		want("hitl_waiting", "", "a", 2, 0, "q")
		must(a.Answer(ctx, key, "q", lifecycle.Decision{By: "ada", Choice: "go"}))
		want("running", "execution", "a", 2, 0, "")
		must(a.Change(ctx, key, lifecycle.Change{Cause: lifecycle.Complete, As: "run"}))
		want("completed", "", "a", 2, 0, "")

		for seq, kind := range []string{"session.created", "session.started"} {
			h := <-heard
			var data struct {
				Seq  int    `json:"seq"`
				User string `json:"user_id"`
			}
			if err := json.Unmarshal(h.Event.Data, &data); err != nil || h.Event.Type != kind || data.Seq != seq+1 || data.User != "ada" {
				t.Errorf("heard %s %s, want %s: %v", h.Event.Type, h.Event.Data, kind, err)
			}
		}
		must(a.Delete(ctx, key, lifecycle.Newest))
		if _, err := k.Look(ctx, string(id)); !errors.Is(err, coordination.ErrNotFound) {
			t.Error("kept after it was deleted:", err)
		}
	})
}

// Nobody answers: every change is made all the same, one warning is given, and what could not be published is when somebody
// answers again.
func TestNobodyHears(t *testing.T) {
	now := time.Now()
	warned := 0
	a := &announced{Records: records(t), hot: away{}, bus: away{}, now: func() time.Time { return now }, warn: func(session.Finding) { warned++ }}
	ctx := t.Context()
	key := lifecycle.Key{Owner: "ada", ID: "one"}
	if _, err := a.Create(ctx, lifecycle.Draft{ID: "one", Owner: "ada", Input: "x"}); err != nil {
		t.Fatal(err)
	}
	if s, err := a.Change(ctx, key, lifecycle.Change{Cause: lifecycle.Start, Take: "run"}); err != nil || s.Status != lifecycle.Running {
		t.Fatal(s, err)
	}
	if warned != 1 {
		t.Errorf("warned %d times", warned)
	}
	local := coordination.NewLocal(func() time.Time { return now })
	heard, err := local.Subscribe(ctx, "one")
	if err != nil {
		t.Fatal(err)
	}
	a.hot, a.bus, now = local, local, now.Add(coordination.Pause)
	if _, err := a.Change(ctx, key, lifecycle.Change{Cause: lifecycle.Complete, As: "run"}); err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for range 3 {
		kinds = append(kinds, (<-heard).Event.Type)
	}
	if !slices.Equal(kinds, []string{"session.created", "session.started", "session.completed"}) {
		t.Errorf("heard %v", kinds)
	}
	if left, err := a.Unpublished(ctx, 10); err != nil || len(left) != 0 {
		t.Errorf("left in the outbox: %v %v", left, err)
	}
}

// asked counts how often the database was asked for a Session.
type asked struct {
	lifecycle.Records
	n *int
}

func (r asked) Get(ctx context.Context, k lifecycle.Key) (lifecycle.Session, error) {
	*r.n++
	return r.Records.Get(ctx, k)
}

// What is kept hot says that nothing changed, and never that something did: that is for the database to say.
func TestCacheFirst(t *testing.T) {
	keepers(t, func(t *testing.T, k keeper) {
		id := lifecycle.ID("test-" + rand.Text())
		key, ctx, n := lifecycle.Key{Owner: "ada", ID: id}, t.Context(), 0
		a := &announced{Records: asked{records(t), &n}, hot: k, bus: k, now: time.Now, warn: func(f session.Finding) { t.Error(f) }}
		x := &Sessions{Records: a}
		change := func(c lifecycle.Change) lifecycle.Session {
			t.Helper()
			s, err := a.Change(ctx, key, c)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		if _, err := a.Create(ctx, lifecycle.Draft{ID: id, Owner: "ada", Input: "x"}); err != nil {
			t.Fatal(err)
		}
		begun := change(lifecycle.Change{Cause: lifecycle.Start, Take: "run"})
		if !x.still(ctx, begun) || n != 0 {
			t.Errorf("nothing changed, and the database was asked %d times", n)
		}
		paused := change(lifecycle.Change{Cause: lifecycle.Pause})
		if x.still(ctx, begun) || !x.still(ctx, paused) {
			t.Error("it was paused")
		}
		if err := k.Forget(ctx, string(id)); err != nil {
			t.Fatal(err)
		}
		if x.still(ctx, paused) {
			t.Error("nothing is kept, and it is said to stand still")
		}
		a.hot = away{}
		if x.still(ctx, paused) || (&Sessions{Records: a.Records}).still(ctx, paused) {
			t.Error("nobody answers, or nothing is shared, and it is said to stand still")
		}
	})
}
