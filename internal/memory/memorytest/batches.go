package memorytest

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"session/internal/memory"
)

func applyTwice(t *testing.T, s Subject) {
	b := memory.Batch{SessionRef: "s1", Snapshot: "a", Add: items(t, "s1", "redis one", "redis two", "redis three"), Forget: []memory.ID{ID("s1", 1)}}
	for range 3 {
		apply(t, s.Store, b)
		wantSaid(t, "after applying again", search(t, s.Store, query("s1", "redis")), "redis three | redis one")
		if at := standing(t, s.Store, "s1"); at != "a" {
			t.Errorf("stands at %q", at)
		}
	}
	again := Item(t, "s1", 0, "memcached instead")
	apply(t, s.Store, memory.Batch{SessionRef: "s1", Snapshot: "b", Add: []memory.Item{again}})
	wantSaid(t, "an id that is there is the same item", list(t, s.Store, memory.InSession("s1")), "redis three | redis one")
	wantSaid(t, "and its keywords are", search(t, s.Store, query("s1", "memcached")), "")
	if at := standing(t, s.Store, "s1"); at != "b" {
		t.Errorf("stands at %q", at)
	}
}

func applyWithoutSnapshot(t *testing.T, s Subject) {
	auto := Item(t, "s1", 5, "redis autosaved")
	apply(t, s.Store, memory.Batch{SessionRef: "s1", Add: []memory.Item{auto}})
	if at := standing(t, s.Store, "s1"); at != "" {
		t.Errorf("stands at %q", at)
	}
	apply(t, s.Store, memory.Batch{SessionRef: "s1", Snapshot: "a"})
	apply(t, s.Store, memory.Batch{SessionRef: "s1", Add: []memory.Item{auto, Item(t, "s1", 6, "redis again")}})
	if at := standing(t, s.Store, "s1"); at != "a" {
		t.Errorf("stands at %q", at)
	}
	wantSaid(t, "what no snapshot moved", search(t, s.Store, query("s1", "redis")), "redis again | redis autosaved")
}

func forget(t *testing.T, s Subject) {
	fill(t, s.Store, "s1", "redis one", "redis two")
	fill(t, s.Store, "s2", "redis other")
	apply(t, s.Store, memory.Batch{SessionRef: "s1", Snapshot: "b", Forget: []memory.ID{ID("s1", 0), ID("s2", 0), "no id at all", ID("s1", 77)}})
	wantSaid(t, "s1", search(t, s.Store, query("s1", "redis one")), "redis two")
	wantSaid(t, "list s1", list(t, s.Store, memory.InSession("s1")), "redis two")
	wantSaid(t, "s2", search(t, s.Store, query("s2", "redis")), "redis other")
	apply(t, s.Store, memory.Batch{SessionRef: "s1", Snapshot: "c", Add: items(t, "s1", "redis one"), Forget: []memory.ID{ID("s1", 0)}})
	wantSaid(t, "added and forgotten in one batch", search(t, s.Store, query("s1", "redis")), "redis two")
}

func rebuild(t *testing.T, s Subject) {
	fill(t, s.Store, "s1", "redis one", "redis two")
	fill(t, s.Store, "s2", "redis other")
	b := memory.Batch{SessionRef: "s1", Snapshot: "z", Add: items(t, "s1", "postgres one", "postgres two", "postgres three"), Forget: []memory.ID{ID("s1", 1)}}
	for range 2 {
		if err := s.Store.Rebuild(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		wantSaid(t, "what was", search(t, s.Store, query("s1", "redis")), "")
		wantSaid(t, "what is", search(t, s.Store, query("s1", "postgres")), "postgres three | postgres one")
		wantSaid(t, "another session", search(t, s.Store, query("s2", "redis")), "redis other")
		if at := standing(t, s.Store, "s1"); at != "z" {
			t.Errorf("stands at %q", at)
		}
	}
	if err := s.Store.Rebuild(t.Context(), memory.Batch{SessionRef: "new", Snapshot: "a", Add: items(t, "new", "redis")}); err != nil {
		t.Fatal(err)
	}
	wantSaid(t, "a session that was not there", search(t, s.Store, query("new", "redis")), "redis")
	if err := s.Store.Rebuild(t.Context(), memory.Batch{SessionRef: "s1"}); err != nil {
		t.Fatal(err)
	}
	if at := standing(t, s.Store, "s1"); at != "" || len(list(t, s.Store, memory.InSession("s1"))) != 0 {
		t.Errorf("rebuilt from nothing it stands at %q", at)
	}
}

func drop(t *testing.T, s Subject) {
	fill(t, s.Store, "s1", "redis one")
	fill(t, s.Store, "s2", "redis two")
	for range 2 {
		if err := s.Store.Drop(t.Context(), "s1"); err != nil {
			t.Fatal(err)
		}
	}
	if at := standing(t, s.Store, "s1"); at != "" {
		t.Errorf("stands at %q", at)
	}
	wantSaid(t, "what was dropped", search(t, s.Store, query("s1", "redis")), "")
	q := query("", "redis")
	q.In = memory.InEverySession()
	wantSaid(t, "what is left", search(t, s.Store, q), "redis two")
	fill(t, s.Store, "s1", "redis anew")
	wantSaid(t, "the session anew", search(t, s.Store, query("s1", "redis")), "redis anew")
	wantSaid(t, "the other one still", search(t, s.Store, query("s2", "redis")), "redis two")
}

func behind(t *testing.T, s Subject) {
	fill(t, s.Store, "s1", "redis one")
	for at, want := range map[memory.Snapshot]bool{"": true, "snap": true, "snapshot": false, "SNAP": false} {
		q := query("s1", "redis")
		q.At = at
		found, err := s.Store.Search(t.Context(), q)
		if want && (err != nil || len(found) != 1) || !want && (!errors.Is(err, memory.ErrBehind) || found != nil) {
			t.Errorf("at %q: %v, %v", at, found, err)
		}
	}
	q := query("s2", "redis")
	q.At = "snap"
	if found, err := s.Store.Search(t.Context(), q); !errors.Is(err, memory.ErrBehind) || found != nil {
		t.Errorf("a session that is not there: %v, %v", found, err)
	}
}

func failedApplyKeepsNothing(t *testing.T, s Subject) {
	fill(t, s.Store, "s1", "redis one")
	broken, foreign := Item(t, "s1", 8, "redis broken"), Item(t, "s2", 9, "redis foreign")
	broken.Summary = ""
	for name, add := range map[string][]memory.Item{
		"an item without a summary":  {Item(t, "s1", 7, "redis seven"), broken},
		"an item of another session": {Item(t, "s1", 7, "redis seven"), foreign},
		"an item twice":              {Item(t, "s1", 7, "redis seven"), Item(t, "s1", 7, "redis seven")},
	} {
		b := memory.Batch{SessionRef: "s1", Snapshot: "later", Add: add, Forget: []memory.ID{ID("s1", 0)}}
		for what, call := range map[string]func(context.Context, memory.Batch) error{"apply": s.Store.Apply, "rebuild": s.Store.Rebuild} {
			if err := call(t.Context(), b); !errors.Is(err, memory.ErrInvalid) {
				t.Errorf("%s, %s: %v", what, name, err)
			}
		}
	}
	wantSaid(t, "after three that failed", list(t, s.Store, memory.InSession("s1")), "redis one")
	wantSaid(t, "search", search(t, s.Store, query("s1", "redis")), "redis one")
	if at := standing(t, s.Store, "s1"); at != "snap" {
		t.Errorf("stands at %q", at)
	}
}

// stopper is a context that is cancelled by being asked often enough: somewhere in the middle of a call.
type stopper struct {
	context.Context
	stop context.CancelFunc
	left *atomic.Int64
}

func (s stopper) asked() {
	if s.left.Add(-1) <= 0 {
		s.stop()
	}
}

func (s stopper) Err() error {
	s.asked()
	return s.Context.Err()
}

func (s stopper) Done() <-chan struct{} {
	s.asked()
	return s.Context.Done()
}

// Value is asked through contexts that are made of this one, in the middle of a transaction.
func (s stopper) Value(key any) any {
	s.asked()
	return s.Context.Value(key)
}

func stoppedApplyKeepsNothing(t *testing.T, s Subject) {
	fill(t, s.Store, "s1", "redis one")
	b := memory.Batch{SessionRef: "s1", Snapshot: "later"}
	for n := range 40 {
		b.Add = append(b.Add, Item(t, "s1", 100+n, fmt.Sprintf("redis later%d words%d more%d", n, n, n)))
	}
	stopped := 0
	for steps := 1; ; steps += 1 + steps/3 {
		inner, stop := context.WithCancel(t.Context())
		left := new(atomic.Int64)
		left.Store(int64(steps))
		err := s.Store.Apply(stopper{inner, stop, left}, b)
		stop()
		if err == nil {
			break
		}
		if stopped++; !errors.Is(err, context.Canceled) {
			t.Errorf("stopped at %d: %v", steps, err)
		}
		wantSaid(t, fmt.Sprint("stopped at ", steps), search(t, s.Store, query("s1", "redis")), "redis one")
		if at := standing(t, s.Store, "s1"); at != "snap" {
			t.Fatalf("stopped at %d it stands at %q", steps, at)
		}
	}
	if got := len(list(t, s.Store, memory.InSession("s1"))); got != 41 || stopped < 3 {
		t.Errorf("%d items at last, stopped %d times", got, stopped)
	}
}

func cancelled(t *testing.T, s Subject) {
	fill(t, s.Store, "s1", "redis one")
	ctx, stop := context.WithCancel(t.Context())
	stop()
	_, searched := s.Store.Search(ctx, query("s1", "redis"))
	_, listed := s.Store.List(ctx, memory.InSession("s1"))
	_, stood := s.Store.Standing(ctx, "s1")
	for what, err := range map[string]error{
		"search": searched, "list": listed, "standing": stood, "drop": s.Store.Drop(ctx, "s1"),
		"apply": s.Store.Apply(ctx, memory.Batch{SessionRef: "s1"}), "rebuild": s.Store.Rebuild(ctx, memory.Batch{SessionRef: "s1"}),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", what, err)
		}
	}
	wantSaid(t, "afterwards", search(t, s.Store, query("s1", "redis")), "redis one")
}

func othersSee(t *testing.T, s Subject) {
	other := s.Again(t)
	fill(t, s.Store, "s1", "redis one")
	wantSaid(t, "another opener", search(t, other, query("s1", "redis")), "redis one")
	apply(t, other, memory.Batch{SessionRef: "s1", Snapshot: "b", Add: []memory.Item{Item(t, "s1", 1, "redis two")}})
	wantSaid(t, "the first one", search(t, s.Store, query("s1", "redis")), "redis two | redis one")
	if at := standing(t, s.Store, "s1"); at != "b" {
		t.Errorf("stands at %q", at)
	}
}
