package snapshottest

import (
	"context"
	"errors"
	"slices"
	"time"

	"session/internal/snapshot"
)

// everything lets everything go that may go at all.
func everything() snapshot.GCPolicy {
	ever := Noon().AddDate(100, 0, 0)
	return snapshot.GCPolicy{Before: ever, Autosaves: ever, Blobs: ever}
}

func (w *World) plan(p snapshot.GCPolicy) snapshot.GCPlan {
	w.T.Helper()
	plan, err := w.PlanGC(w.T.Context(), p, w.Leaser)
	if err != nil {
		w.T.Fatal(err)
	}
	return plan
}

func (w *World) apply(plan snapshot.GCPlan) snapshot.GCDone {
	w.T.Helper()
	done, err := w.ApplyGC(w.T.Context(), plan, snapshot.GCRun{Leases: w.Leaser, Who: who(99), Now: Noon()})
	if err != nil {
		w.T.Fatal(err)
	}
	live, err := w.Leaser.Live(w.T.Context())
	if err != nil {
		w.T.Fatal(err)
	}
	for _, l := range live {
		if l.Who == who(99) {
			w.T.Errorf("the collection left a lease: %+v", l)
		}
	}
	return done
}

func (w *World) collectAll() snapshot.GCDone {
	w.T.Helper()
	return w.apply(w.plan(everything()))
}

func removed(all []snapshot.Removal) (ids []snapshot.ID) {
	for _, r := range all {
		ids = append(ids, r.ID)
	}
	return ids
}

func (w *World) wantGone(id snapshot.ID) {
	w.T.Helper()
	_, err := w.Load(w.T.Context(), id)
	var gone *snapshot.ErrRemoved
	if !errors.As(err, &gone) || gone.ID != id || gone.Why == "" || !gone.Removed.Equal(Noon()) {
		w.T.Errorf("%s: %v", id, err)
	}
}

// tombstones: an id is never used again, and a chain goes on behind it.
func tombstones(w *World) {
	ctx := w.T.Context()
	first := w.Ask(snapshot.First, "")
	first.Path = main
	s0 := w.Make(first)
	asked := w.Ask(snapshot.Continue, s0.ID)
	s1 := w.Make(asked)
	s2 := w.Make(Large(w.Ask(snapshot.Continue, s1.ID)))
	fork := w.Ask(snapshot.Fork, s1.ID)
	f := w.Make(fork)
	for _, id := range []snapshot.ID{s2.ID, f.ID} { // the newest of their paths
		t, err := w.Delete(ctx, id, Noon(), "by a test")
		if err != nil || t.ID != id || t.Digest == "" {
			w.T.Fatal(t, err)
		}
		w.wantGone(id)
		if _, err := w.Delete(ctx, id, Noon(), "again"); err == nil {
			w.T.Error("deleted twice")
		}
	}
	at := w.WantHead(main, s1.ID)
	if at.Next == s2.ID || at.Pointer != snapshot.PointerStraight {
		w.T.Errorf("%+v", at)
	}
	w.WantHead(f.Path, "")
	var gone *snapshot.ErrRemoved
	if err := w.ask(fork); !errors.As(err, &gone) {
		w.T.Error("the fork's run made it again:", err)
	}
	s3 := w.Next(s1.ID)
	if s3.ID == s2.ID || s3.ID != at.Next || s3.Parent != s1.ID || s3.Depth != 2 {
		w.T.Errorf("%+v", s3.Manifest)
	}
	w.wantContinued(w.ask(w.Ask(snapshot.Continue, s1.ID)), s1.ID, s3)
	if _, err := w.Delete(ctx, s1.ID, Noon(), "in the middle"); err != nil {
		w.T.Fatal(err)
	}
	if err := w.ask(asked); !errors.As(err, &gone) {
		w.T.Error("the run of a removed snapshot made another:", err)
	}
	w.wantContinued(w.ask(w.Ask(snapshot.Continue, s0.ID)), s0.ID, s3)
	s4 := w.Next(s3.ID)
	w.WantHead(main, s4.ID)
	if err := w.Pointers.Unpoint(ctx, main); err != nil {
		w.T.Fatal(err)
	}
	w.WantHead(main, s4.ID)
	w.Next(s4.ID)
	w.WantSound(false)
}

func deleteLine(w *World) {
	ctx := w.T.Context()
	ids := w.Chain(main, 3)
	w.Auto(ids[2])
	f := w.Fork(ids[1])
	gone, err := w.DeleteLine(ctx, ids[0], Noon(), "expired")
	if err != nil || len(gone) != 4 {
		w.T.Errorf("%d removed: %v", len(gone), err)
	}
	for _, id := range ids {
		w.wantGone(id)
	}
	at := w.WantHead(main, "")
	if slices.Contains(ids, at.Next) {
		w.T.Errorf("the path would begin again with %s", at.Next)
	}
	s0 := w.First(main)
	if s0.ID != at.Next || s0.Line != s0.ID {
		w.T.Errorf("%+v", s0.Manifest)
	}
	r := w.Ask(snapshot.First, "")
	r.Path = main
	w.wantContinued(w.ask(r), "", s0)
	w.WantHead(main, w.Next(s0.ID).ID)
	w.WantHead(f.Path, w.Next(f.ID).ID)
	if again, err := w.DeleteLine(ctx, ids[0], Noon(), "expired"); err != nil || len(again) != 0 {
		w.T.Error(again, err)
	}
	w.WantSound(true)
}

// newestSetAside: a newest snapshot that cannot be read stops its path, until Repair sets it aside. Nothing of it is lost.
func newestSetAside(w *World) {
	for name, hurt := range map[string]func(w *World, c snapshot.Committed){
		"manifest altered": func(w *World, c snapshot.Committed) { w.alter(manifestKey(c.ID), []byte(`{"session_id": "no"}`)) },
		"blob altered": func(w *World, c snapshot.Committed) {
			w.alter(blobKey(c.Parts.Messages.Digest), []byte(`"other words"`))
		},
		"blob lost": func(w *World, c snapshot.Committed) { w.alter(blobKey(c.Parts.Messages.Digest), nil) },
	} {
		for _, depth := range []int{0, 2} {
			w := w.fresh()
			at := w.Make(Large(w.firstOf(main)))
			before := snapshot.ID("")
			for range depth {
				before = at.ID
				at = w.Make(Large(w.Ask(snapshot.Continue, before)))
			}
			hurt(w, at)
			_, err := w.Load(w.T.Context(), at.ID)
			w.WantCorrupt(err, at.ID)
			w.WantCorrupt(w.ask(w.Ask(snapshot.Continue, at.ID)), at.ID)
			if r, err := w.Check(w.T.Context()); err != nil || !r.Damage() {
				w.T.Errorf("%s: %+v %v", name, r, err)
			}
			bytes := total(w)
			done := w.Repairing(Noon())
			if total(w) < bytes {
				w.T.Errorf("%s: repair threw %d bytes away", name, bytes-total(w))
			}
			w.WantHead(main, before)
			w.save(main)
			if r := w.WantSound(false); len(r.Problems) > 1 { // an orphan blob may be left
				w.T.Errorf("%s at depth %d: %+v, after %+v", name, depth, r.Problems, done)
			}
		}
	}
}

func (w *World) firstOf(path snapshot.Path) snapshot.Request {
	r := w.Ask(snapshot.First, "")
	r.Path = path
	return r
}

func manifestKey(id snapshot.ID) string {
	return "snapshots/" + string(id[:1]) + "/" + string(id) + ".json"
}
func blobKey(digest string) string { return "blobs/" + digest[:2] + "/" + digest }

// firstLost: not even its first snapshot is needed to find where a path stands.
func firstLost(w *World) {
	ids := w.Chain(main, 3)
	w.alter(manifestKey(ids[0]), nil)
	if err := w.Pointers.Point(w.T.Context(), snapshot.Pointer{Path: main, Head: ids[0]}); err != nil {
		w.T.Fatal(err)
	}
	w.WantHead(main, ids[2])
	var taken *snapshot.ErrContinued
	if err := w.ask(w.firstOf(main)); !errors.As(err, &taken) {
		w.T.Error("a path that has snapshots began anew:", err)
	}
	w.Repairing(Noon())
	w.wantGone(ids[0])
	w.Next(ids[2])
	w.WantSound(true)
}

// repairedMiddle: what is damaged further back keeps nobody from saving, and Repair lets walks pass over it.
func repairedMiddle(w *World) {
	for name, hurt := range map[string][]byte{"altered": []byte("{}"), "lost": nil} {
		w := w.fresh()
		ids := w.Chain(main, 4)
		auto := w.Auto(ids[3])
		w.alter(manifestKey(ids[1]), hurt)
		w.alter(manifestKey(auto.ID), hurt)
		if err := w.Pointers.Point(w.T.Context(), snapshot.Pointer{Path: main, Head: ids[1]}); err != nil {
			w.T.Fatal(err)
		}
		w.WantHead(main, ids[3])
		for _, err := range w.Walk(w.T.Context(), ids[3]) {
			if err != nil {
				w.WantCorrupt(err, ids[1])
			}
		}
		s := w.save(main)
		w.Repairing(Noon())
		w.wantGone(ids[1])
		n := 0
		for _, err := range w.Walk(w.T.Context(), s.ID) {
			if err != nil {
				w.T.Errorf("%s: %v", name, err)
			}
			n++
		}
		if n != 5 {
			w.T.Errorf("%s: walked %d", name, n)
		}
		w.save(main)
		w.WantSound(true)
	}
}

func collect(w *World) {
	ids := w.Chain(main, 5)
	f := w.Fork(ids[1])
	before := w.raw()
	plan := w.plan(snapshot.GCPolicy{Before: Noon().Add(3*time.Minute + time.Second), Keep: 1})
	if got := removed(plan.Remove); !slices.Equal(got, ids[:3]) {
		w.T.Errorf("planned %v, want %v", got, ids[:3])
	}
	if after := w.raw(); len(after) != len(before) {
		w.T.Error("planning changed the store")
	}
	done := w.apply(plan)
	if got := removed(done.Removed); !slices.Equal(got, ids[:3]) || len(done.Kept) != 0 {
		w.T.Errorf("%+v", done)
	}
	for _, id := range ids[:3] {
		w.wantGone(id)
	}
	w.WantHead(main, ids[4])
	w.WantHead(f.Path, f.ID)
	w.collectAll()
	w.WantHead(main, ids[4])
	w.WantHead(f.Path, f.ID)
	w.Next(ids[4])
	w.Next(f.ID)
	r := w.Ask(snapshot.First, "")
	r.Path = main
	var taken *snapshot.ErrContinued
	if err := w.ask(r); !errors.As(err, &taken) {
		w.T.Error("a path whose first snapshots are collected began anew:", err)
	}
	if err := w.Pointers.Unpoint(w.T.Context(), main); err != nil {
		w.T.Fatal(err)
	}
	if w.WantHead(main, snapshot.NextID(w.ID(), ids[4])).Pointer != snapshot.PointerLost {
		w.T.Error("the pointer was not used")
	}
	w.WantSound(false)
}

func collectKeeps(w *World) {
	ctx := w.T.Context()
	ids := w.Chain(main, 4)
	f := w.Fork(ids[1])
	f2 := w.Next(f.ID)
	topic := w.firstOf("refs/heads/topic")
	topic.Base = ids[3]
	w.Make(topic)
	for name, c := range map[string]struct {
		policy snapshot.GCPolicy
		lease  snapshot.ID
		want   []snapshot.ID
	}{
		"nothing asked": {snapshot.GCPolicy{}, "", nil},
		"too young":     {snapshot.GCPolicy{Before: Noon()}, "", nil},
		"the first is pinned, so everything above it stays": {snapshot.GCPolicy{Before: everything().Before, Pinned: ids[:1]}, "", nil},
		"the second is pinned":                              {snapshot.GCPolicy{Before: everything().Before, Pinned: ids[1:2]}, "", ids[:1]},
		"a run works on the path":                           {everything(), w.LeaseKey(main), nil},
		"a run forks the second":                            {everything(), ids[1], ids[:1]},
		"a run works on the fork's path":                    {everything(), w.LeaseKey(f.Path), ids[:3]},
		"three are kept":                                    {snapshot.GCPolicy{Before: everything().Before, Keep: 3}, "", ids[:1]},
	} {
		var lease snapshot.Lease
		if c.lease != "" {
			lease = acquire2(w, c.lease)
		}
		if got := removed(w.plan(c.policy).Remove); !slices.Equal(got, c.want) {
			w.T.Errorf("%s: %v, want %v", name, got, c.want)
		}
		if lease != nil && lease.Release(ctx) != nil {
			w.T.Error("release")
		}
	}
	// Between plan and collection a run begins, and a path's end moves.
	plan := w.plan(everything())
	if got := removed(plan.Remove); len(got) != 4 || !slices.Equal(got[:2], ids[:2]) || !slices.Contains(got, f.ID) {
		w.T.Errorf("planned %v", got)
	}
	lease := acquire2(w, ids[1])
	done := w.apply(plan)
	if got := removed(done.Removed); !slices.Equal(got, ids[:1]) || len(done.Kept) != 3 {
		w.T.Errorf("under a run on the second: %+v", done)
	}
	if err := lease.Release(ctx); err != nil {
		w.T.Error(err)
	}
	plan = w.plan(everything())
	lease = acquire2(w, w.LeaseKey(main))
	if done := w.apply(plan); slices.Contains(removed(done.Removed), ids[1]) || len(done.Kept) == 0 {
		w.T.Errorf("under a run on the path: %+v", done)
	}
	if err := lease.Release(ctx); err != nil {
		w.T.Error(err)
	}
	plan = w.plan(everything())
	if _, err := w.Delete(ctx, f2.ID, Noon(), "the newest goes"); err != nil {
		w.T.Fatal(err)
	}
	if done := w.apply(plan); slices.Contains(removed(done.Removed), f.ID) {
		w.T.Errorf("the newest of a path was collected: %+v", done)
	}
	w.WantHead(f.Path, f.ID)
	w.alter(manifestKey(ids[3]), []byte("{}"))
	if _, err := w.PlanGC(ctx, everything(), w.Leaser); err == nil {
		w.T.Error("collected around a snapshot that cannot be read")
	}
}

func acquire2(w *World, id snapshot.ID) snapshot.Lease {
	w.T.Helper()
	l, err := w.Leaser.Acquire(w.T.Context(), id, who(5), 0)
	if err != nil {
		w.T.Fatal(err)
	}
	return l
}

func collectAutosaves(w *World) {
	s0 := w.First(main)
	a1, a2 := w.Auto(s0.ID), w.Make(Large(w.Ask(snapshot.Auto, s0.ID)))
	if got := w.collectAll(); len(got.Removed) != 0 {
		w.T.Errorf("autosaves were collected before a save took them in: %+v", got)
	}
	s1 := w.save(main)
	a3 := w.Auto(s1.ID)
	done := w.collectAll()
	want := []snapshot.ID{s0.ID, a1.ID, a2.ID}
	got := removed(done.Removed)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) || len(keys2(w, "blobs/")) != 0 || len(keys2(w, "trash/")) != 1 {
		w.T.Errorf("%+v, want %v", done, want)
	}
	w.wantPending(main, a3.ID)
	w.wantPending(main, a3.ID, w.Auto(s1.ID).ID)
	if n := len(keys2(w, "tombstones/")); n != 1 {
		w.T.Errorf("%d tombstones: those of autosaves go with their base's removal", n)
	}
	if err := w.ask(w.Ask(snapshot.Auto, s0.ID)); err == nil {
		w.T.Error("an autosave below a removed base")
	}
	w.WantSound(true)
}

func sweep(w *World) {
	r := Large(w.firstOf(main))
	s0 := w.Make(r)
	lost := Large(w.Ask(snapshot.Continue, s0.ID))
	f := &Faults{Objects: w.Objects, Pointers: w.Pointers, FailAt: 2} // dies between blob and manifest
	broken, err := snapshot.New(f, f, w.ID())
	if err != nil {
		w.T.Fatal(err)
	}
	if _, err := broken.Commit(context.Background(), lost); err == nil {
		w.T.Fatal("committed")
	}
	if n := len(keys2(w, "blobs/")); n != 2 {
		w.T.Fatalf("%d blobs", n)
	}
	young := everything()
	young.Blobs = time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC)
	if p := w.plan(young); len(p.Blobs) != 0 {
		w.T.Errorf("a young blob would be swept: %v", p.Blobs)
	}
	plan := w.plan(everything())
	if done := w.apply(plan); len(plan.Blobs) != 1 || len(done.Trash) != 0 || len(keys2(w, "blobs/")) != 1 || len(keys2(w, "trash/")) != 1 {
		w.T.Errorf("%+v", done)
	}
	if done := w.apply(w.plan(young)); len(done.Trash) != 0 || len(keys2(w, "trash/")) != 1 {
		w.T.Errorf("the trash was emptied too early: %+v", done)
	}
	plan = w.plan(everything())
	s1 := w.Make(lost) // after all, between plan and collection
	w.apply(plan)
	w.WantWhole(s0.ID, r.Bundle)
	w.WantWhole(s1.ID, lost.Bundle)
	if len(keys2(w, "blobs/")) != 2 || len(keys2(w, "trash/")) != 0 {
		w.T.Errorf("%v %v", keys2(w, "blobs/"), keys2(w, "trash/"))
	}
	if _, err := w.Delete(w.T.Context(), s1.ID, Noon(), "test"); err != nil {
		w.T.Fatal(err)
	}
	w.collectAll()
	if done := w.collectAll(); len(done.Trash) != 1 || len(keys2(w, "blobs/")) != 1 || len(keys2(w, "trash/")) != 0 {
		w.T.Errorf("%+v", done)
	}
	w.WantSound(true)
}
