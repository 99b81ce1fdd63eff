package snapshot_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"session/internal/snapshot"
	"session/internal/snapshot/snapshottest"
)

const main = snapshot.Path("refs/heads/main")

func commit(r snapshot.Request) snapshottest.Run {
	return func(s *snapshot.Store) error {
		_, err := s.Commit(context.Background(), r)
		return err
	}
}

// wantOne fails unless exactly one of the runs that live was first, and the others were told.
func wantOne(w *snapshottest.World, order string, id snapshot.ID, errs []error) {
	_, err := w.Load(w.T.Context(), id)
	wins := 0
	for _, e := range errs {
		var c *snapshot.ErrContinued
		switch {
		case e == nil:
			wins++
		case errors.As(e, &c) && c.By == id, errors.Is(e, snapshottest.ErrBroken):
		default:
			w.T.Errorf("%v in %s", e, order)
		}
	}
	died := slices.ContainsFunc(errs, func(e error) bool { return errors.Is(e, snapshottest.ErrBroken) })
	if wins > 1 || wins == 0 && !died || wins == 1 && err != nil {
		w.T.Errorf("%d winners, %v in %s", wins, err, order)
	}
	w.WantSound(false)
}

func TestTwoRunsContinueOneBase(t *testing.T) {
	var base snapshot.ID
	n := snapshottest.Interleave(t, true, []string{" snapshots/", " blobs/"}, func(w *snapshottest.World) []snapshottest.Run {
		base = w.First(main).ID
		return []snapshottest.Run{commit(snapshottest.Large(w.Ask(snapshot.Continue, base))), commit(w.Ask(snapshot.Continue, base))}
	}, func(w *snapshottest.World, order string, errs []error) {
		wantOne(w, order, snapshot.NextID(w.ID(), base), errs)
	})
	t.Log(n, "orders")
}

func TestTwoRunsBeginOnePath(t *testing.T) {
	n := snapshottest.Interleave(t, true, []string{" snapshots/"}, func(w *snapshottest.World) []snapshottest.Run {
		a, b := w.Ask(snapshot.First, ""), w.Ask(snapshot.First, "")
		a.Path, b.Path = main, main
		return []snapshottest.Run{commit(a), commit(b)}
	}, func(w *snapshottest.World, order string, errs []error) {
		wantOne(w, order, snapshot.FirstID(w.ID(), main), errs)
	})
	t.Log(n, "orders")
}

// A removed id must not come back, and a snapshot that its run was told of must not go with it.
func TestContinuedWhileTheContinuationIsRemoved(t *testing.T) {
	var base, gone snapshot.ID
	looks := "get tombstones/" + string(snapshot.NextID(storeA, snapshot.FirstID(storeA, main))[:1]) // at the id in question
	n := snapshottest.Interleave(t, true, []string{"put snapshots/", "del snapshots/", "put tombstones/", looks}, func(w *snapshottest.World) []snapshottest.Run {
		base = w.First(main).ID
		gone = w.Next(base).ID
		return []snapshottest.Run{commit(w.Ask(snapshot.Continue, base)), func(s *snapshot.Store) error {
			_, err := s.Delete(context.Background(), gone, snapshottest.Noon(), "test")
			return err
		}}
	}, func(w *snapshottest.World, order string, errs []error) {
		w.Repairing(snapshottest.Noon())
		w.WantSound(true)
		at, err := w.Head(t.Context(), main)
		if err != nil || at.Head == nil {
			t.Fatal(err, order)
		}
		if errs[0] == nil && (at.Head.Parent != base || at.Head.ID == gone) {
			t.Errorf("the run was told of a snapshot that is not there: %s", order)
		}
		if _, err := w.Load(t.Context(), gone); errs[1] == nil && err == nil {
			t.Errorf("a removed id came back: %s", order)
		}
	})
	t.Log(n, "orders")
}

// Removing the base itself: whatever comes first, the store is sound.
func TestContinuedWhileTheBaseIsRemoved(t *testing.T) {
	var base snapshot.ID
	n := snapshottest.Interleave(t, true, []string{"put snapshots/", "del snapshots/", " tombstones/"}, func(w *snapshottest.World) []snapshottest.Run {
		base = w.Next(w.First(main).ID).ID
		return []snapshottest.Run{commit(w.Ask(snapshot.Continue, base)), func(s *snapshot.Store) error {
			_, err := s.Delete(context.Background(), base, snapshottest.Noon(), "test")
			return err
		}}
	}, func(w *snapshottest.World, order string, errs []error) {
		w.Repairing(snapshottest.Noon())
		w.WantSound(true)
		at, err := w.Head(t.Context(), main)
		if err != nil || errs[0] == nil && at.Head.Parent != base {
			t.Errorf("%v %+v: %s", err, at.Head, order)
		}
	})
	t.Log(n, "orders")
}

// A sweep takes away what nobody names while a run is about to name it.
func TestCommittedWhileItsBlobIsSwept(t *testing.T) {
	var asked snapshot.Request
	ever := snapshottest.Noon().AddDate(1, 0, 0)
	day := snapshottest.Noon().AddDate(0, 0, 1)
	n := snapshottest.Interleave(t, true, []string{"list snapshots/", "put snapshots/", "put blobs/", "del blobs/", " trash/"}, func(w *snapshottest.World) []snapshottest.Run {
		base := w.First(main).ID
		blob := snapshottest.Words("a large part", 17_000)
		first := w.Ask(snapshot.Continue, base)
		first.Bundle = blob
		lost := w.Make(first)
		if _, err := w.Delete(t.Context(), lost.ID, snapshottest.Noon(), "leaves its blob"); err != nil {
			t.Fatal(err)
		}
		w.Back.Objects.(*snapshottest.Memory).Now = day // what goes to the trash now is younger than the policy's age
		asked = w.Ask(snapshot.Continue, base)
		asked.Bundle = blob
		return []snapshottest.Run{commit(asked), func(s *snapshot.Store) error {
			plan, err := s.PlanGC(context.Background(), snapshot.GCPolicy{Blobs: day}, w.Leaser)
			if err == nil {
				_, err = s.ApplyGC(context.Background(), plan, snapshot.GCRun{Leases: w.Leaser, Now: ever})
			}
			return err
		}}
	}, func(w *snapshottest.World, order string, errs []error) {
		if errs[0] != nil && !errors.Is(errs[0], snapshottest.ErrBroken) || errs[1] != nil && !errors.Is(errs[1], snapshottest.ErrBroken) {
			t.Errorf("%v: %s", errs, order)
		}
		whole := func() {
			at, err := w.Head(t.Context(), main)
			if err != nil {
				t.Fatal(err)
			}
			if errs[0] == nil || at.Head.RunID == asked.RunID {
				w.WantWhole(at.Head.ID, asked.Bundle)
			}
			w.WantSound(false)
		}
		whole()
		for range 2 { // later collections finish what this one began
			plan, err := w.PlanGC(t.Context(), snapshot.GCPolicy{Blobs: ever}, w.Leaser)
			if err == nil {
				_, err = w.ApplyGC(t.Context(), plan, snapshot.GCRun{Leases: w.Leaser, Now: ever})
			}
			if err != nil {
				t.Error(err)
			}
			whole()
		}
	})
	t.Log(n, "orders")
}

// An autosave is taken in by the save that runs beside it, or by the next one; collecting numbers in between loses none.
func TestAutosavedWhileSavedAndCollected(t *testing.T) {
	var auto snapshot.Request
	ever := snapshottest.Noon().AddDate(1, 0, 0)
	n := snapshottest.Interleave(t, false, []string{" autosaves/"}, func(w *snapshottest.World) []snapshottest.Run {
		base := w.First(main).ID
		w.Auto(base)
		auto = w.Ask(snapshot.Auto, base)
		save := w.Ask(snapshot.Continue, base)
		return []snapshottest.Run{commit(auto), func(s *snapshot.Store) error {
			at, err := s.Head(context.Background(), main)
			if err != nil {
				return err
			}
			p, err := s.Pending(context.Background(), at)
			if err != nil {
				return err
			}
			save.Origin.TookIn = p.TookIn
			save.Bundle.Context = taken(p)
			if _, err = s.Commit(context.Background(), save); err != nil {
				return err
			}
			plan, err := s.PlanGC(context.Background(), snapshot.GCPolicy{Autosaves: ever}, w.Leaser)
			if err == nil {
				_, err = s.ApplyGC(context.Background(), plan, snapshot.GCRun{Leases: w.Leaser, Now: ever})
			}
			return err
		}}
	}, func(w *snapshottest.World, order string, errs []error) {
		if errs[0] != nil || errs[1] != nil {
			t.Fatalf("%v: %s", errs, order)
		}
		at, err := w.Head(t.Context(), main)
		if err != nil {
			t.Fatal(err)
		}
		head, err := w.Load(t.Context(), at.Head.ID)
		if err != nil {
			t.Fatal(err)
		}
		p, err := w.Pending(t.Context(), at)
		id := snapshot.AutoID(w.ID(), at.Head.Parent, auto.RunID)
		seen := 0
		if slices.ContainsFunc(p.Autosaves, func(m snapshot.Manifest) bool { return m.ID == id }) {
			seen++
		}
		if slices.Contains(decode(t, head.Bundle.Context), string(id)) {
			seen++
		}
		if err != nil || seen != 1 || len(p.Damaged) > 0 {
			t.Errorf("the autosave was seen %d times, %v %v: %s", seen, p.Damaged, err, order)
		}
		w.WantSound(false)
	})
	t.Log(n, "orders")
}
