package lifecycletest

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"session/internal/lifecycle"
)

func fieldsComeBack(t *testing.T, b *bench) {
	hostile := "'; DROP TABLE sessions; -- $1 ? \"\\ %_ \t\n세션 ✅"
	d := lifecycle.Draft{ID: "s1", Owner: ann, Parent: "s0", Input: hostile, Language: "en", Limited: true,
		Options: json.RawMessage(`{"a": [1, 2.50]}`), Metadata: json.RawMessage(`"m"`)}
	b.clock.Set(time.Date(2026, 2, 6, 10, 0, 0, 987654321, time.FixedZone("", 3*3600)))
	s := must[lifecycle.Session](t)(b.Create(t.Context(), d))
	if s.Input != hostile || s.Parent != "s0" || s.CreatedAt != time.Date(2026, 2, 6, 7, 0, 0, 987000000, time.UTC) || !s.Limited || s.Version != 1 {
		t.Errorf("%+v", s)
	}
	b.want("s1", s)
	b.clock.Add(time.Second)
	s = must[lifecycle.Session](t)(b.Change(t.Context(), key("s1"), lifecycle.Change{Version: 1, Cause: lifecycle.Start, Take: "r1", Tokens: 1 << 50, CostMicro: 7}))
	b.want("s1", s)
	b.clock.Add(time.Minute)
	s = must[lifecycle.Session](t)(b.Change(t.Context(), key("s1"), lifecycle.Change{As: "r1", Cause: lifecycle.Complete, Response: json.RawMessage(`{"x":"\u0001"}`),
		Metadata: json.RawMessage(`[]`), Note: json.RawMessage(`{"n":1}`)}))
	if s.ExecutionMS != 60_000 || s.TokensUsed != 1<<50 || string(s.Response) != `{"x":"\u0001"}` {
		t.Errorf("%+v", s)
	}
	b.want("s1", s)
	bare := must[lifecycle.Session](t)(b.Create(t.Context(), lifecycle.Draft{ID: "w", Owner: ann, WorkTree: true}))
	if !bare.ExpiresAt.IsZero() || bare.Options != nil || bare.Language != lifecycle.DefaultLanguage {
		t.Errorf("%+v", bare)
	}
	b.want("w", bare)
	if again := must[lifecycle.Session](t)(b.open().Get(t.Context(), key("s1"))); !reflect.DeepEqual(again, s) {
		t.Errorf("another process sees %+v", again)
	}
}

// everyTransition tries every cause in every state: what leads on is recorded with its event, what does not changes nothing.
func everyTransition(t *testing.T, b *bench) {
	for status, way := range ways() {
		for _, cause := range lifecycle.Causes() {
			id := name("%s-%s", status, cause)
			b.create(id)
			before := b.change(id, way...)
			if before.Status != status {
				t.Fatalf("%s is %s", id, before.Status)
			}
			after, err := b.Change(t.Context(), key(id), lifecycle.Change{Version: before.Version, Cause: cause})
			next, leads := lifecycle.Next(status, cause)
			events := b.events(id)
			if !leads {
				if !is[*lifecycle.TransitionError](err) || int64(len(events)) != before.Events {
					t.Errorf("%s: %v, %d events", id, err, len(events))
				}
				b.want(id, before)
				continue
			}
			if err != nil || after.Status != next.To || int64(len(events)) != before.Events+1 || events[len(events)-1].Type != next.Event {
				t.Errorf("%s: %v, %s, %+v", id, err, after.Status, events)
			}
			b.want(id, after)
		}
	}
}

func idsAreGivenOnce(t *testing.T, b *bench) {
	s := b.create("s1")
	for _, owner := range []lifecycle.Owner{ann, bob} {
		if _, err := b.Create(t.Context(), lifecycle.Draft{ID: "s1", Owner: owner}); !errors.Is(err, lifecycle.ErrTaken) {
			t.Errorf("%s: %v", owner, err)
		}
	}
	b.want("s1", s)
	must[lifecycle.Tombstone](t)(b.Delete(t.Context(), key("s1"), s.Version))
	for _, owner := range []lifecycle.Owner{ann, bob} {
		if _, err := b.Create(t.Context(), lifecycle.Draft{ID: "s1", Owner: owner}); !errors.Is(err, lifecycle.ErrTaken) {
			t.Errorf("%s, after it is gone: %v", owner, err)
		}
	}
	for _, d := range []lifecycle.Draft{{ID: "", Owner: ann}, {ID: "x y", Owner: ann}, {ID: "x"}, {ID: "x", Owner: ann, Options: json.RawMessage("{")}} {
		if _, err := b.Create(t.Context(), d); !errors.Is(err, lifecycle.ErrInvalid) {
			t.Errorf("%+v: %v", d, err)
		}
	}
	var made atomic.Int64
	stores := []lifecycle.Records{b.Records, b.open(), b.open()}
	together(30, func(i int) {
		if _, err := stores[i%3].Create(t.Context(), lifecycle.Draft{ID: "s2", Owner: ann}); err == nil {
			made.Add(1)
		} else if !errors.Is(err, lifecycle.ErrTaken) {
			t.Error(err)
		}
	})
	if made.Load() != 1 {
		t.Errorf("%d made one session", made.Load())
	}
	var sure atomic.Int64
	together(20, func(i int) {
		if s, err := lifecycle.Ensure(t.Context(), stores[i%3], lifecycle.Draft{ID: "w", Owner: ann, WorkTree: true}); err == nil && s.ID == "w" {
			sure.Add(1)
		} else {
			t.Error(err)
		}
	})
	if sure.Load() != 20 {
		t.Errorf("%d of 20 have it", sure.Load())
	}
}

func othersSeeNothing(t *testing.T, b *bench) {
	s := b.create("s1")
	theirs := lifecycle.Key{Owner: bob, ID: "s1"}
	ctx := t.Context()
	for what, call := range map[string]func() error{
		"get":     func() error { _, err := b.Get(ctx, theirs); return err },
		"change":  func() error { _, err := b.Change(ctx, theirs, lifecycle.Change{Cause: lifecycle.Start}); return err },
		"delete":  func() error { _, err := b.Delete(ctx, theirs, lifecycle.Newest); return err },
		"archive": func() error { _, err := b.Archive(ctx, theirs, lifecycle.Newest); return err },
		"revise":  func() error { _, err := b.Revise(ctx, theirs, lifecycle.Revision{Plan: "p"}); return err },
		"plan":    func() error { _, err := b.Plan(ctx, theirs, 0); return err },
		"work":    func() error { _, err := b.Work(ctx, theirs, "", nil); return err },
		"resume":  func() error { _, _, err := b.Records.Resume(ctx, theirs, lifecycle.Resumption{}); return err },
		"ask": func() error {
			_, err := b.Ask(ctx, theirs, lifecycle.Question{ID: "q", Type: "t", TimeOut: time.Hour})
			return err
		},
		"answer": func() error {
			_, err := b.Answer(ctx, theirs, "q", lifecycle.Decision{By: bob, Choice: "go"})
			return err
		},
		"asked":       func() error { _, err := b.Asked(ctx, theirs); return err },
		"events":      func() error { _, err := b.Events(ctx, theirs, 0, 10); return err },
		"checkpoint":  func() error { _, err := b.Checkpoint(ctx, theirs, "", "snap", ""); return err },
		"checkpoints": func() error { _, err := b.Checkpoints(ctx, theirs); return err },
		"archived":    func() error { _, err := b.Archived(ctx, theirs); return err },
		"tombstone":   func() error { _, err := b.Tombstone(ctx, theirs); return err },
	} {
		if err := call(); !errors.Is(err, lifecycle.ErrNotFound) || is[*lifecycle.GoneError](err) {
			t.Errorf("%s: %v", what, err)
		}
	}
	b.want("s1", s)
	if p := must[lifecycle.Page](t)(b.List(ctx, lifecycle.Query{Owner: bob})); len(p.Sessions) != 0 || p.Sessions == nil || p.Next != "" {
		t.Errorf("%+v", p)
	}
	if n := must[map[lifecycle.Status]int64](t)(b.Counts(ctx, lifecycle.Of(bob))); len(n) != 0 {
		t.Errorf("%v", n)
	}
	if days := must[[]lifecycle.Day](t)(b.Daily(ctx, lifecycle.Of(bob), b.clock.Now(), b.clock.Now())); len(days) != 0 {
		t.Errorf("%v", days)
	}
	if _, err := b.Counts(ctx, lifecycle.Whose{}); !errors.Is(err, lifecycle.ErrInvalid) {
		t.Errorf("nobody's: %v", err)
	}
	must[lifecycle.Tombstone](t)(b.Delete(ctx, key("s1"), lifecycle.Newest))
	if _, err := b.Get(ctx, theirs); !errors.Is(err, lifecycle.ErrNotFound) || is[*lifecycle.GoneError](err) {
		t.Errorf("gone: %v", err)
	}
	if _, err := b.Get(ctx, key("s1")); !errors.Is(err, lifecycle.ErrNotFound) || !is[*lifecycle.GoneError](err) {
		t.Errorf("gone, to its owner: %v", err)
	}
}

// oneOfAHundredTakesIt lets a hundred runs, over four openings of the store, decide on one version; 20 rounds.
func oneOfAHundredTakesIt(t *testing.T, b *bench) {
	stores := []lifecycle.Records{b.Records, b.open(), b.open(), b.open()}
	s := b.create("s1")
	cause := lifecycle.Start
	for round := range 20 {
		var mu sync.Mutex
		var winners []lifecycle.Session
		together(100, func(i int) {
			c := lifecycle.Change{Version: s.Version, Cause: cause, Take: lifecycle.RunID(fmt.Sprint("run-", round, "-", i))}
			got, err := stores[i%4].Change(t.Context(), key("s1"), c)
			if err == nil {
				mu.Lock()
				winners = append(winners, got)
				mu.Unlock()
			} else if !is[*lifecycle.ChangedError](err) {
				t.Error(err)
			}
		})
		if len(winners) != 1 {
			t.Fatalf("round %d: %d winners", round, len(winners))
		}
		b.want("s1", winners[0])
		s, cause = b.change("s1", lifecycle.Pause), lifecycle.Resume
	}
}

func fence(t *testing.T, b *bench) {
	b.create("s1")
	ctx := t.Context()
	s := must[lifecycle.Session](t)(b.Change(ctx, key("s1"), lifecycle.Change{Cause: lifecycle.Start, Take: "dead"}))
	must[lifecycle.Plan](t)(b.Revise(ctx, key("s1"), lifecycle.Revision{As: "dead", Plan: "p", Todos: []lifecycle.Todo{{ID: "a"}}}))
	s = must[lifecycle.Session](t)(b.Change(ctx, key("s1"), lifecycle.Change{Version: s.Version + 1, Take: "alive"}))
	for what, err := range map[string]error{
		"change":     second(b.Change(ctx, key("s1"), lifecycle.Change{As: "dead", Cause: lifecycle.Complete})),
		"checkpoint": second(b.Checkpoint(ctx, key("s1"), "dead", "snap", "")),
		"work":       second(b.Work(ctx, key("s1"), "dead", []lifecycle.TodoChange{{ID: "a", To: lifecycle.TodoInProgress}})),
		"revise":     second(b.Revise(ctx, key("s1"), lifecycle.Revision{As: "dead", Plan: "p"})),
		"ask":        second(b.Ask(ctx, key("s1"), lifecycle.Question{As: "dead", ID: "q", Type: "t", TimeOut: time.Hour})),
	} {
		if !is[*lifecycle.FencedError](err) {
			t.Errorf("%s of a run that was given up: %v", what, err)
		}
	}
	b.want("s1", s)
	must[lifecycle.Session](t)(b.Change(ctx, key("s1"), lifecycle.Change{As: "alive", Cause: lifecycle.Complete}))
}

func second[T any](_ T, err error) error { return err }

func limit(t *testing.T, b *bench) {
	ctx := t.Context()
	draft := func(id string) lifecycle.Draft {
		return lifecycle.Draft{ID: lifecycle.ID(id), Owner: ann, Limited: true}
	}
	for i := range lifecycle.DefaultLimit {
		must[lifecycle.Session](t)(b.Create(ctx, draft(name("s%d", i))))
	}
	_, err := b.Create(ctx, draft("s5"))
	if !is[*lifecycle.LimitError](err) {
		t.Fatal(err)
	}
	must[lifecycle.Session](t)(b.Create(ctx, lifecycle.Draft{ID: "free", Owner: ann}))
	must[lifecycle.Session](t)(b.Create(ctx, lifecycle.Draft{ID: "tree", Owner: ann, WorkTree: true, Limited: true}))
	must[lifecycle.Session](t)(b.Create(ctx, lifecycle.Draft{ID: "other", Owner: bob, Limited: true}))
	b.change("s0", lifecycle.Start, lifecycle.Fail)
	must[lifecycle.Session](t)(b.Create(ctx, draft("s5"))) // the id was not lost with the refusal
	for _, err := range []error{second(b.Change(ctx, key("s0"), lifecycle.Change{Cause: lifecycle.Resume})), third(b.Records.Resume(ctx, key("s0"), lifecycle.Resumption{}))} {
		if !is[*lifecycle.LimitError](err) {
			t.Errorf("a failed one goes on: %v", err)
		}
	}
	must[lifecycle.Tombstone](t)(b.Delete(ctx, key("s1"), lifecycle.Newest))
	if s := b.change("s0", lifecycle.Resume); s.Status != lifecycle.Running {
		t.Errorf("%+v", s)
	}
	o := b.options
	o.Limit = 2
	if _, err := b.subject.Open(t, o).Create(ctx, draft("s9")); !is[*lifecycle.LimitError](err) {
		t.Errorf("a smaller limit: %v", err)
	}
}

func third[A, B any](_ A, _ B, err error) error { return err }

// limitAtOnce: of fifty that begin at once, five begin, over four openings of the store; again when places are free.
func limitAtOnce(t *testing.T, b *bench) {
	stores := []lifecycle.Records{b.Records, b.open(), b.open(), b.open()}
	for round := range 5 {
		var mu sync.Mutex
		var won []lifecycle.Key
		together(50, func(i int) {
			s, err := stores[i%4].Create(t.Context(), lifecycle.Draft{ID: lifecycle.ID(name("s%d-%d", round, i)), Owner: ann, Limited: true})
			if err == nil {
				mu.Lock()
				won = append(won, s.Key())
				mu.Unlock()
			} else if !is[*lifecycle.LimitError](err) {
				t.Error(err)
			}
		})
		if len(won) != lifecycle.DefaultLimit {
			t.Fatalf("round %d: %d sessions live at once", round, len(won))
		}
		together(len(won), func(i int) {
			if _, err := stores[i%4].Delete(t.Context(), won[i], lifecycle.Newest); err != nil {
				t.Error(err)
			}
		})
	}
}

// pages walks a list while it changes: what was there all the time comes exactly once.
func pages(t *testing.T, b *bench) {
	for i := range 25 {
		if i%3 == 0 {
			b.clock.Add(time.Second)
		}
		b.create(name("s%02d", i))
		if i%2 == 0 {
			b.change(name("s%02d", i), lifecycle.Start)
		}
	}
	seen := map[lifecycle.ID]int{}
	q := lifecycle.Query{Owner: ann, Limit: 4}
	var before lifecycle.Session
	for page := 0; ; page++ {
		p := must[lifecycle.Page](t)(b.List(t.Context(), q))
		for _, s := range p.Sessions {
			seen[s.ID]++
			if !before.CreatedAt.IsZero() && (s.CreatedAt.After(before.CreatedAt) || s.CreatedAt.Equal(before.CreatedAt) && s.ID > before.ID) {
				t.Errorf("%s comes behind %s", s.ID, before.ID)
			}
			before = s
		}
		if p.Next == "" {
			break
		}
		q.After = p.Next
		b.create(name("new%d", page))
		if _, err := b.Change(t.Context(), key(name("s%02d", page*2+1)), lifecycle.Change{Cause: lifecycle.Start}); err != nil && !is[*lifecycle.GoneError](err) {
			t.Fatal(err)
		}
		if _, err := b.Delete(t.Context(), before.Key(), lifecycle.Newest); err != nil && !is[*lifecycle.BusyError](err) {
			t.Fatal(err)
		}
	}
	for i := range 25 {
		if seen[lifecycle.ID(name("s%02d", i))] != 1 {
			t.Errorf("s%02d came %d times", i, seen[lifecycle.ID(name("s%02d", i))])
		}
	}
	running := must[lifecycle.Page](t)(b.List(t.Context(), lifecycle.Query{Owner: ann, Statuses: []lifecycle.Status{lifecycle.Running}, Limit: 1000}))
	waiting := must[lifecycle.Page](t)(b.List(t.Context(), lifecycle.Query{Owner: ann, Statuses: []lifecycle.Status{lifecycle.Waiting, lifecycle.Paused}}))
	if len(running.Sessions) < 13 || len(waiting.Sessions) != 0 {
		t.Errorf("%d running, %d waiting", len(running.Sessions), len(waiting.Sessions))
	}
	all := must[lifecycle.Page](t)(b.List(t.Context(), lifecycle.Query{Owner: ann, Limit: 1000}))
	shifted := must[lifecycle.Page](t)(b.List(t.Context(), lifecycle.Query{Owner: ann, Limit: 2, Offset: 3}))
	if len(shifted.Sessions) != 2 || !reflect.DeepEqual(shifted.Sessions, all.Sessions[3:5]) {
		t.Errorf("offset 3: %+v", shifted)
	}
	for _, q := range []lifecycle.Query{{}, {Owner: ann, Limit: -1}, {Owner: ann, Limit: 1001}, {Owner: ann, Offset: -1}, {Owner: ann, After: "x"}, {Owner: ann, Statuses: []lifecycle.Status{"done"}}} {
		if _, err := b.List(t.Context(), q); !errors.Is(err, lifecycle.ErrInvalid) {
			t.Errorf("%+v: %v", q, err)
		}
	}
}
