package snapshottest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"session/internal/snapshot"
)

// alter puts other bytes under a key, as a person with an editor or a bad disk does; nil takes it away.
func (w *World) alter(key string, data []byte) {
	w.T.Helper()
	err := w.Objects.Delete(w.T.Context(), key)
	if err == nil && data != nil {
		err = w.Objects.PutNew(w.T.Context(), key, data)
	}
	if err != nil {
		w.T.Fatal(err)
	}
}

// everyObjectAltered: whatever is done to any one object, no snapshot is ever read as something that it was not, and Check
// says so.
func everyObjectAltered(w *World) {
	ctx := w.T.Context()
	s0 := w.First(main)
	s1 := w.Make(Large(w.Ask(snapshot.Continue, s0.ID)))
	s2 := w.Next(s1.ID)
	auto := w.Auto(s2.ID)
	was := map[snapshot.ID]snapshot.Snapshot{}
	for _, id := range []snapshot.ID{s0.ID, s1.ID, s2.ID, auto.ID} {
		s, err := w.Load(ctx, id)
		if err != nil {
			w.T.Fatal(err)
		}
		was[id] = s
	}
	w.WantSound(true)
	all := w.raw()
	for key, text := range all {
		data := []byte(text)
		for name, bad := range map[string][]byte{
			"lost": nil, "emptied": {}, "cut": data[:len(data)/2], "longer": append(bytes.Clone(data), ' '), "flipped": flip(data, len(data)/2),
			"early": flip(data, 3), "another's": []byte(all[other(all, key)]), "pretty": bytes.ReplaceAll(data, []byte(":"), []byte(": ")),
		} {
			if len(bad) == 0 && bad != nil && !takesEmpty(w) || bytes.Equal(bad, data) {
				continue
			}
			w.alter(key, bad)
			for id, want := range was {
				got, err := w.Load(ctx, id)
				if err == nil && (got.Digest != want.Digest || !bytes.Equal(got.Bundle.Messages, want.Bundle.Messages) || !bytes.Equal(got.Bundle.Context, want.Bundle.Context)) {
					w.T.Errorf("%s %s: %s was read as something else", key, name, id)
				}
			}
			r, err := w.Check(ctx)
			if err != nil || len(r.Problems) == 0 || name != "lost" && !r.Damage() {
				w.T.Errorf("%s %s: check says %+v %v", key, name, r.Problems, err)
			}
			w.alter(key, data)
		}
	}
	w.WantSound(true)
}

func flip(b []byte, at int) []byte {
	b = bytes.Clone(b)
	if at < len(b) {
		b[at] ^= 1
	}
	return b
}

// other is the key of an object of the same sort.
func other(all map[string]string, key string) string {
	sort, _, _ := strings.Cut(key, "/")
	for k := range all {
		if k != key && strings.HasPrefix(k, sort) {
			return k
		}
	}
	return key
}

// takesEmpty: some object stores refuse empty objects; the store itself writes none.
func takesEmpty(w *World) bool {
	err := w.Objects.PutNew(w.T.Context(), "probe/empty", nil)
	_ = w.Objects.Delete(w.T.Context(), "probe/empty")
	return err == nil
}

// everyCallFails runs each kind of change with every one of its calls failing, and with every one's answer lost. The
// store is whole afterwards, the same run's second attempt succeeds, and what it made is there once.
func everyCallFails(w *World) {
	n := 0
	for _, c := range changes() {
		at := 1
		for ; w.failAt(c, fmt.Sprintf("%s-%d-made", c.name, at), at, true); at++ {
			w.failAt(c, fmt.Sprintf("%s-%d", c.name, at), at, false)
			n += 2
		}
		if at == 1 {
			w.T.Errorf("%s makes no calls", c.name)
		}
	}
	w.T.Logf("%d ways to fail", n)
}

// change is something that a run does to a path of three snapshots. It is asked again after a failure.
type change struct {
	name string
	do   func(w *World, s *snapshot.Store, path snapshot.Path, ids []snapshot.ID) error
}

func changes() []change {
	commit := func(kind snapshot.Kind, base int, large bool) func(*World, *snapshot.Store, snapshot.Path, []snapshot.ID) error {
		return func(w *World, s *snapshot.Store, path snapshot.Path, ids []snapshot.ID) error {
			r := w.Ask(kind, ids[base])
			r.RunID = fmt.Sprint("the run of ", ids[0])
			r.RunID = strings.ReplaceAll(r.RunID, " ", "-")
			if kind == snapshot.First {
				r.Path = "refs/heads/new-" + path
			}
			if large {
				r.Bundle = Words(string(ids[0]), 30_000)
			}
			c, err := s.Commit(context.Background(), r)
			if err == nil {
				err = c.Behind
			}
			return err
		}
	}
	return []change{
		{"continue", commit(snapshot.Continue, 2, false)}, {"continue-large", commit(snapshot.Continue, 2, true)},
		{"fork", commit(snapshot.Fork, 1, true)}, {"auto", commit(snapshot.Auto, 2, true)}, {"first", commit(snapshot.First, 2, false)},
		{"delete", func(w *World, s *snapshot.Store, _ snapshot.Path, ids []snapshot.ID) error {
			_, err := s.Delete(context.Background(), ids[2], Noon(), "test")
			var removed *snapshot.ErrRemoved
			if errors.As(err, &removed) {
				return nil
			}
			return err
		}},
		{"collect", func(w *World, s *snapshot.Store, _ snapshot.Path, ids []snapshot.ID) error {
			plan, err := s.PlanGC(context.Background(), everything(), w.Leaser)
			if err == nil {
				_, err = s.ApplyGC(context.Background(), plan, snapshot.GCRun{Leases: w.Leaser, Who: who(1), Now: Noon()})
			}
			return err
		}},
	}
}

// failAt makes a fresh path, lets one change fail, and looks. It returns false when the change has fewer calls.
func (w *World) failAt(c change, name string, at int, lose bool) bool {
	w.T.Helper()
	w = w.fresh()
	ctx, path := w.T.Context(), snapshot.Path("refs/heads/"+name)
	ids := w.Chain(path, 3)
	f := &Faults{Objects: w.Objects, Pointers: w.Pointers}
	if lose {
		f.LoseAt = at
	} else {
		f.FailAt = at
	}
	broken, err := snapshot.New(f, f, w.ID())
	if err != nil {
		w.T.Fatal(err)
	}
	failure := c.do(w, broken, path, ids)
	hit := f.Calls() >= at
	if hit && !errors.Is(failure, ErrBroken) {
		w.T.Errorf("%s: a failed call was kept quiet: %v", name, failure)
	}
	for _, id := range ids {
		if _, err := w.Load(ctx, id); err != nil && c.name != "delete" && c.name != "collect" {
			w.T.Errorf("%s: %v", name, err)
		}
	}
	r := w.WantSound(false)
	for _, p := range r.Problems {
		if p.Damage() {
			w.T.Errorf("%s: damage: %+v", name, p)
		}
	}
	if err := c.do(w, w.Store, path, ids); err != nil {
		w.T.Errorf("%s: the second attempt: %v", name, err)
	}
	children := 0
	for _, m := range w.nodes() {
		if m.Parent == ids[2] || c.name == "fork" && m.Parent == ids[1] && m.Kind == snapshot.Fork {
			children++
		}
	}
	if want := map[bool]int{true: 0, false: 1}[c.name == "delete" || c.name == "collect"]; children != want {
		w.T.Errorf("%s: %d new snapshots", name, children)
	}
	w.Repairing(Noon())
	return hit
}

func (w *World) nodes() []snapshot.Node {
	w.T.Helper()
	g, err := w.Graph(w.T.Context())
	if err != nil {
		w.T.Fatal(err)
	}
	return g.Nodes
}
