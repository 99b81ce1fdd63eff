package lifecycletest

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"session/internal/lifecycle"
)

// full makes a Session with something of everything, in a state.
func (b *bench) full(id string, way ...lifecycle.Cause) lifecycle.Session {
	b.t.Helper()
	ctx, k := b.t.Context(), key(id)
	b.create(id)
	must[lifecycle.Plan](b.t)(b.Revise(ctx, k, lifecycle.Revision{Plan: "p", Todos: []lifecycle.Todo{{ID: "a", Title: "A"}}}))
	must[lifecycle.Plan](b.t)(b.Revise(ctx, k, lifecycle.Revision{Plan: "p", Todos: []lifecycle.Todo{{ID: "a", Title: "A"}, {ID: "b"}}}))
	must[lifecycle.Checkpoint](b.t)(b.Checkpoint(ctx, k, "", lifecycle.Snapshot(id+"-x"), ""))
	if len(way) > 1 && way[0] == lifecycle.Start {
		b.change(id, lifecycle.Start)
		b.ask(id, "q")
		must[lifecycle.Request](b.t)(b.Answer(ctx, k, "q", lifecycle.Decision{By: ann, Choice: "any"}))
		way = way[1:]
	}
	return b.change(id, way...)
}

func deleted(t *testing.T, b *bench) {
	ctx, k := t.Context(), key("s1")
	s := b.full("s1", lifecycle.Start)
	if _, err := b.Delete(ctx, k, s.Version); !is[*lifecycle.BusyError](err) {
		t.Errorf("while it runs: %v", err)
	}
	s = b.change("s1", lifecycle.Pause)
	if _, err := b.Delete(ctx, k, s.Version-1); !is[*lifecycle.ChangedError](err) {
		t.Errorf("another version: %v", err)
	}
	b.want("s1", s)
	stone := must[lifecycle.Tombstone](t)(b.Delete(ctx, k, s.Version))
	want := lifecycle.Tombstone{ID: "s1", Owner: ann, Head: "s1-x", Kind: lifecycle.Deleted, Status: lifecycle.Paused, At: b.clock.Now(), Purge: []lifecycle.Snapshot{"s1-x"}}
	if !reflect.DeepEqual(stone, want) {
		t.Errorf("%+v, want %+v", stone, want)
	}
	if got := must[lifecycle.Tombstone](t)(b.Tombstone(ctx, k)); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	for what, err := range map[string]error{
		"get": second(b.Get(ctx, k)), "plan": second(b.Plan(ctx, k, 0)), "events": second(b.Events(ctx, k, 0, 1)), "asked": second(b.Asked(ctx, k)),
		"checkpoints": second(b.Checkpoints(ctx, k)), "delete": second(b.Delete(ctx, k, lifecycle.Newest)), "archived": second(b.Archived(ctx, k)),
		"change": second(b.Change(ctx, k, lifecycle.Change{Cause: lifecycle.Resume})),
	} {
		if !errors.Is(err, lifecycle.ErrNotFound) {
			t.Errorf("%s of what is gone: %v", what, err)
		}
	}
	if rest := must[[]lifecycle.Event](t)(b.Unpublished(ctx, 10)); len(rest) != 0 {
		t.Errorf("%+v is left", rest)
	}
	if all := must[[]lifecycle.Tombstone](t)(b.Unpurged(ctx, 10)); !reflect.DeepEqual(all, []lifecycle.Tombstone{want}) {
		t.Errorf("%+v", all)
	}
	for range 2 {
		if err := b.Purged(ctx, k); err != nil {
			t.Fatal(err)
		}
	}
	if all := must[[]lifecycle.Tombstone](t)(b.Unpurged(ctx, 10)); len(all) != 0 {
		t.Errorf("%+v", all)
	}
	want.Purge = nil
	if got := must[lifecycle.Tombstone](t)(b.Tombstone(ctx, k)); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	b.create("s2")
	if _, err := b.Tombstone(ctx, key("s2")); !errors.Is(err, lifecycle.ErrNotFound) {
		t.Errorf("of one that lives: %v", err)
	}
}

func (b *bench) sweep(r lifecycle.Records) lifecycle.Swept {
	b.t.Helper()
	return must[lifecycle.Swept](b.t)(lifecycle.Sweep(b.t.Context(), r, b.clock.Now, func(context.Context, lifecycle.Tombstone) error { return nil }))
}

// expiry stands each state at its time and one millisecond before. What is archived can be read; what was live is there
// still, expired, until the next clean-up; a work tree's own Session stays for ever.
func expiry(t *testing.T, b *bench) {
	ctx := t.Context()
	begin := b.clock.Now()
	for status, way := range ways() {
		b.clock.Set(begin)
		id := "e-" + string(status)
		s := b.full(id, way...)
		whole := must[[]lifecycle.Event](t)(b.Events(ctx, key(id), 0, 100))
		due := lifecycle.DefaultPolicy().ExpiresAt(s)
		if s.ExpiresAt != due || due.IsZero() {
			t.Errorf("%s expires %v, want %v", status, s.ExpiresAt, due)
		}
		b.clock.Set(due.Add(-time.Millisecond))
		if got := b.sweep(b.Records); got != (lifecycle.Swept{}) {
			t.Errorf("%s, one millisecond before: %+v", status, got)
		}
		b.want(id, s)
		b.clock.Set(due)
		got := b.sweep(b.Records)
		switch after, err := b.Get(ctx, key(id)); {
		case status.Live():
			if err != nil || after.Status != lifecycle.Expired || got != (lifecycle.Swept{Expired: 1}) {
				t.Errorf("%s: %v %v %+v", status, after.Status, err, got)
			}
			b.clock.Add(lifecycle.CleanupInterval)
			if got := b.sweep(b.Records); got != (lifecycle.Swept{Deleted: 1, Purged: 1}) {
				t.Errorf("%s, the next time: %+v", status, got)
			}
		case status == lifecycle.Failed, status == lifecycle.Expired:
			if !is[*lifecycle.GoneError](err) || got != (lifecycle.Swept{Deleted: 1, Purged: 1}) {
				t.Errorf("%s: %v %+v", status, err, got)
			}
		default:
			a := must[lifecycle.Archived](t)(b.Archived(ctx, key(id)))
			if !is[*lifecycle.GoneError](err) || got != (lifecycle.Swept{Archived: 1, Purged: 1}) || !reflect.DeepEqual(a.Session, s) || !reflect.DeepEqual(a.Events, whole) ||
				len(a.Plans) != 2 || len(a.Plans[1].Todos) != 2 || len(a.Requests) != 1 || len(a.Checkpoints) != 1 {
				t.Errorf("%s: %v %+v %+v", status, err, got, a)
			}
		}
	}
	b.clock.Set(begin)
	tree := must[lifecycle.Session](t)(b.Create(ctx, lifecycle.Draft{ID: "tree", Owner: ann, WorkTree: true}))
	b.clock.Add(1000 * time.Hour)
	if got := b.sweep(b.Records); got != (lifecycle.Swept{}) {
		t.Errorf("%+v", got)
	}
	b.want("tree", tree)
}

// sweepsAtOnce: four clean-ups of six hundred Sessions, one beside another, do each thing once.
func sweepsAtOnce(t *testing.T, b *bench) {
	const each = 60
	for i := range each {
		b.create(name("c%d", i))
		b.create(name("f%d", i))
		b.change(name("f%d", i), lifecycle.Start, lifecycle.Fail)
		b.create(name("live%d", i))
	}
	b.clock.Add(23 * time.Hour)
	for i := range each {
		must[lifecycle.Session](t)(b.Change(t.Context(), key(name("live%d", i)), lifecycle.Change{Tokens: 1}))
	}
	b.clock.Add(time.Hour)
	stores := []lifecycle.Records{b.Records, b.open(), b.open(), b.open()}
	var expired, gone, purged atomic.Int64
	together(4, func(i int) {
		got, err := lifecycle.Sweep(t.Context(), stores[i], b.clock.Now, func(context.Context, lifecycle.Tombstone) error {
			purged.Add(1)
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		expired.Add(int64(got.Expired))
		gone.Add(int64(got.Deleted))
	})
	counts := must[map[lifecycle.Status]int64](t)(b.Counts(t.Context(), lifecycle.Of(ann)))
	if expired.Load() != each || gone.Load() != each || !reflect.DeepEqual(counts, map[lifecycle.Status]int64{lifecycle.Expired: each, lifecycle.Created: each}) {
		t.Errorf("%d expired, %d deleted; there are %v", expired.Load(), gone.Load(), counts)
	}
	if left := must[[]lifecycle.Tombstone](t)(b.Unpurged(t.Context(), 10)); len(left) != 0 {
		t.Errorf("%d tombstones are not purged", len(left))
	}
}

// daily is the table of seed 004 §9.2: what is gone counts as before.
func daily(t *testing.T, b *bench) {
	ctx, from := t.Context(), b.clock.Now()
	b.create("s1")
	b.change("s1", lifecycle.Start)
	b.clock.Add(2 * time.Second)
	must[lifecycle.Session](t)(b.Change(ctx, key("s1"), lifecycle.Change{Cause: lifecycle.Complete, Tokens: 10, CostMicro: 5}))
	b.create("s2")
	b.change("s2", lifecycle.Start)
	b.clock.Add(time.Second)
	b.change("s2", lifecycle.Fail)
	b.create("s3")
	must[lifecycle.Session](t)(b.Create(ctx, lifecycle.Draft{ID: "other", Owner: bob}))
	b.clock.Add(48 * time.Hour)
	b.create("s4")
	want := []lifecycle.Day{{Date: "2026-02-08", Total: 1},
		{Date: "2026-02-06", Total: 3, Completed: 1, Failed: 1, AvgExecutionMS: 1500, Tokens: 10, CostMicro: 5}}
	check := func(when string) {
		t.Helper()
		if got := must[[]lifecycle.Day](t)(b.Daily(ctx, lifecycle.Of(ann), from, b.clock.Now())); !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n%+v, want\n%+v", when, got, want)
		}
	}
	check("at first")
	must[lifecycle.Tombstone](t)(b.Delete(ctx, key("s2"), lifecycle.Newest))
	must[lifecycle.Tombstone](t)(b.Archive(ctx, key("s1"), lifecycle.Newest))
	check("when two are gone")
	if all := must[[]lifecycle.Day](t)(b.Daily(ctx, lifecycle.OfAll(), from, from)); len(all) != 1 || all[0].Total != 4 {
		t.Errorf("everybody's: %+v", all)
	}
	if none := must[[]lifecycle.Day](t)(b.Daily(ctx, lifecycle.Of(ann), from.AddDate(0, 0, -30), from.AddDate(0, 0, -1))); len(none) != 0 {
		t.Errorf("before: %+v", none)
	}
	if n := must[map[lifecycle.Status]int64](t)(b.Counts(ctx, lifecycle.OfAll())); !reflect.DeepEqual(n, map[lifecycle.Status]int64{lifecycle.Created: 3}) {
		t.Errorf("%v", n)
	}
}

// allOrNothing: a call whose context has ended leaves nothing, and a reader never sees a part of a change.
func allOrNothing(t *testing.T, b *bench) {
	s := b.full("s1", lifecycle.Start)
	if _, err := b.Create(stopped(), lifecycle.Draft{ID: "s2", Owner: ann}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := b.Change(stopped(), key("s1"), lifecycle.Change{Cause: lifecycle.Pause}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	b.want("s1", s)
	b.create("s2")
	reader, writer := b.open(), b.open()
	var ended atomic.Bool
	together(2, func(i int) {
		if i == 1 {
			for range 30 {
				for _, c := range []lifecycle.Cause{lifecycle.Pause, lifecycle.Resume} {
					if _, err := writer.Change(t.Context(), key("s1"), lifecycle.Change{Cause: c, Tokens: 1}); err != nil {
						t.Error(err)
					}
				}
			}
			ended.Store(true)
			return
		}
		for !ended.Load() {
			got, err := reader.Get(t.Context(), key("s1"))
			if err != nil || got.TokensUsed != got.Events-s.Events || (got.Status == lifecycle.Running) != (got.TokensUsed%2 == 0) {
				t.Errorf("half a change: %+v %v", got, err)
				return
			}
		}
	})
}

func badOptions(t *testing.T, b *bench) {
	o := b.options
	if o.Check() != nil || o.Limit != lifecycle.DefaultLimit {
		t.Errorf("%+v", o)
	}
	long := strings.Repeat("x", 200)
	if _, err := b.Get(t.Context(), key(long)); !errors.Is(err, lifecycle.ErrInvalid) {
		t.Error(err)
	}
}
