package snapshottest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"session/internal/snapshot"
)

const storeID = snapshot.StoreID("00000000000000000000000000")

// Back is a whole back end.
type Back struct {
	Objects  snapshot.Objects
	Pointers snapshot.Pointers
	Leaser   snapshot.Leaser
}

// World is a store with short words for what tests do to it. A call that fails ends the test.
type World struct {
	T testing.TB
	Back
	*snapshot.Store
	runs int
	open func() Back
}

// fresh is another world over an empty back end of the same kind, with the same id.
func (w *World) fresh() *World { return w.freshAs(w.ID()) }

// freshAs gives it another id. Its runs have other names than those of w.
func (w *World) freshAs(id snapshot.StoreID) *World {
	n := NewWorldAs(w.T, w.open(), id)
	n.open, n.runs = w.open, w.runs+1000
	return n
}

// NewWorld opens a store over a back end, under a fixed id.
func NewWorld(t testing.TB, b Back) *World { return NewWorldAs(t, b, storeID) }

// NewWorldAs opens it under another id.
func NewWorldAs(t testing.TB, b Back, id snapshot.StoreID) *World {
	t.Helper()
	s, err := snapshot.New(b.Objects, b.Pointers, id)
	if err != nil {
		t.Fatal(err)
	}
	return &World{T: t, Back: b, Store: s}
}

// InMemory is a world of its own.
func InMemory(t testing.TB) *World {
	open := func() Back { m := NewMemory(); return Back{m, m, m} }
	w := NewWorld(t, open())
	w.open = open
	return w
}

// Noon is when everything in these tests is made.
func Noon() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) }

// Words is a bundle that says something. size is about how many bytes of messages it has: from 16 KiB on they are a blob.
func Words(say string, size int) snapshot.Bundle {
	return snapshot.Bundle{
		Environment: json.RawMessage(`{"branch": "main", "commit": "0123abc", "files": [1, 2.0, 3e0]}`),
		Context:     json.RawMessage(fmt.Sprintf(`{"working_on": %q, "next_steps": ["a", "ü", "한"], "blocker": null}`, say)),
		Messages:    json.RawMessage(fmt.Sprintf(`[%q]`, say+strings.Repeat("m", size))),
	}
}

// Ask is a request of a run that is new each time.
func (w *World) Ask(kind snapshot.Kind, base snapshot.ID) snapshot.Request {
	w.runs++
	say := fmt.Sprintf("%s %d", kind, w.runs)
	return snapshot.Request{
		Kind: kind, Base: base, RunID: fmt.Sprint("run-", w.runs), Origin: snapshot.Origin{By: "save"}, PlanHash: "plan", AcceptedPlanHash: "accepted",
		Created: Noon().Add(time.Duration(w.runs) * time.Minute), Bundle: Words(say, 100),
	}
}

// Make commits a request.
func (w *World) Make(r snapshot.Request) snapshot.Committed {
	w.T.Helper()
	c, err := w.Commit(w.T.Context(), r)
	if err != nil {
		w.T.Fatal(err)
	}
	if c.Behind != nil {
		w.T.Error("the pointer stayed behind:", c.Behind)
	}
	return c
}

// First begins a path.
func (w *World) First(path snapshot.Path) snapshot.Committed {
	w.T.Helper()
	r := w.Ask(snapshot.First, "")
	r.Path = path
	return w.Make(r)
}

// Next continues a base.
func (w *World) Next(base snapshot.ID) snapshot.Committed {
	w.T.Helper()
	return w.Make(w.Ask(snapshot.Continue, base))
}

// Fork forks a base.
func (w *World) Fork(base snapshot.ID) snapshot.Committed {
	w.T.Helper()
	return w.Make(w.Ask(snapshot.Fork, base))
}

// Auto makes an autosave below a base.
func (w *World) Auto(base snapshot.ID) snapshot.Committed {
	w.T.Helper()
	return w.Make(w.Ask(snapshot.Auto, base))
}

// Large gives a request so many bytes of messages that they are a blob.
func Large(r snapshot.Request) snapshot.Request {
	r.Bundle = Words(r.RunID, 40_000)
	return r
}

// Chain makes a path of n snapshots and returns their ids, oldest first.
func (w *World) Chain(path snapshot.Path, n int) []snapshot.ID {
	w.T.Helper()
	ids := []snapshot.ID{w.First(path).ID}
	for range n - 1 {
		ids = append(ids, w.Next(ids[len(ids)-1]).ID)
	}
	return ids
}

// WantHead fails unless the path's newest is id ("" for none).
func (w *World) WantHead(path snapshot.Path, id snapshot.ID) snapshot.Position {
	w.T.Helper()
	at, err := w.Head(w.T.Context(), path)
	if err != nil {
		w.T.Errorf("head of %s: %v", path, err)
		return at
	}
	if at.Head == nil && id != "" || at.Head != nil && at.Head.ID != id {
		w.T.Errorf("head of %s: %+v, want %s", path, at.Head, id)
	}
	return at
}

// WantWhole fails unless the snapshot loads and says what the request said.
func (w *World) WantWhole(id snapshot.ID, b snapshot.Bundle) {
	w.T.Helper()
	s, err := w.Load(w.T.Context(), id)
	if err != nil {
		w.T.Error(err)
		return
	}
	for _, p := range [][2]json.RawMessage{{s.Bundle.Environment, b.Environment}, {s.Bundle.Context, b.Context}, {s.Bundle.Messages, b.Messages}} {
		if !sameJSON(p[0], p[1]) {
			w.T.Errorf("snapshot %s says %.80s, want %.80s", id, p[0], p[1])
		}
	}
}

func sameJSON(a, b json.RawMessage) bool {
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	p, _ := json.Marshal(x)
	q, _ := json.Marshal(y)
	return bytes.Equal(p, q)
}

// WantSound fails if Check finds damage; with clean also if it finds anything at all.
func (w *World) WantSound(clean bool) snapshot.Report {
	w.T.Helper()
	r, err := w.Check(w.T.Context())
	if err != nil {
		w.T.Error(err)
	}
	for _, p := range r.Problems {
		if p.Damage() || clean {
			w.T.Errorf("check: %s: %s: %s", p.Kind, p.Subject, p.Detail)
		}
	}
	return r
}

// WantCorrupt fails unless err is *ErrCorrupt of id, and looks like nothing else.
func (w *World) WantCorrupt(err error, id snapshot.ID) {
	w.T.Helper()
	var c *snapshot.ErrCorrupt
	if !errors.As(err, &c) || c.ID != id || errors.Is(err, snapshot.ErrNotFound) {
		w.T.Errorf("%v, want that %s is damaged", err, id)
	}
}

// Repairing runs Repair over what Check finds, and returns what it did.
func (w *World) Repairing(now time.Time) []snapshot.Repaired {
	w.T.Helper()
	r, err := w.Check(w.T.Context())
	if err != nil {
		w.T.Fatal(err)
	}
	done, err := w.Repair(w.T.Context(), r, snapshot.RepairRun{Leases: w.Leaser, Who: who(1), Now: now})
	if err != nil {
		w.T.Fatal(err)
	}
	return done
}
