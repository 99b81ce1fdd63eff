package snapshottest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"session/internal/snapshot"
)

// Store attacks the chain rule over a back end. open gives an empty one each time.
func Store(t *testing.T, open func(t *testing.T) Back) {
	for _, c := range []struct {
		name string
		run  func(*World)
	}{
		{"Lineage", lineage}, {"OneContinuationABase", oneContinuation}, {"OneBeginningAPath", oneBeginning}, {"ManyForks", manyForks},
		{"TheSameRunAgain", sameRun}, {"NothingIsOverwritten", nothingOverwritten}, {"WhatIsRefused", refused},
		{"AHundredRunsOneWinner", hundredRuns}, {"PartsAreStoredOnce", storedOnce}, {"CostDoesNotGrow", costConstant},
		{"PointersDecideNothing", pointersDecideNothing}, {"Autosaves", autosaves}, {"LateAutosaves", lateAutosaves}, {"ManyAutosaves", manyAutosaves},
		{"Resolve", resolve}, {"WalkAndHistory", walkAndHistory}, {"Graph", graph},
		{"EveryObjectAltered", everyObjectAltered}, {"ForgedSnapshots", forgedSnapshots}, {"BlobsAreNotTrusted", blobsNotTrusted}, {"CutShort", cutShort}, {"EveryCallFails", everyCallFails},
		{"Tombstones", tombstones}, {"DeleteALine", deleteLine}, {"TheNewestSetAside", newestSetAside}, {"RepairedInTheMiddle", repairedMiddle}, {"TheFirstLost", firstLost},
		{"Collect", collect}, {"CollectKeeps", collectKeeps}, {"CollectAutosaves", collectAutosaves}, {"Sweep", sweep},
		{"ExportImport", exportImport}, {"ImportConflicts", importConflicts}, {"ImportMovesNoHead", importMovesNoHead}, {"ImportForged", importForged},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := NewWorld(t, open(t))
			w.open = func() Back { return open(t) }
			c.run(w)
		})
	}
}

const main = snapshot.Path("refs/heads/main")

func lineage(w *World) {
	at := w.WantHead(main, "")
	s0 := w.First(main)
	if at.Next != s0.ID || at.Line != s0.ID || s0.ID != snapshot.FirstID(w.ID(), main) {
		w.T.Errorf("an empty path promised %s and got %s", at.Next, s0.ID)
	}
	s1 := w.Next(s0.ID)
	s2 := w.Make(Large(w.Ask(snapshot.Continue, s1.ID)))
	s3 := w.Fork(s1.ID)
	s4 := w.Next(s3.ID)
	r := w.Ask(snapshot.First, s1.ID)
	r.Path = "refs/heads/topic"
	b0 := w.Make(r)
	a := w.Auto(s2.ID)
	for _, c := range []struct {
		got         snapshot.Committed
		parent      snapshot.Committed
		line        snapshot.ID
		path        snapshot.Path
		kind        snapshot.Kind
		depth       int
		isWhatItsID snapshot.ID
	}{
		{s0, snapshot.Committed{}, s0.ID, main, snapshot.First, 0, snapshot.FirstID(w.ID(), main)},
		{s1, s0, s0.ID, main, snapshot.Continue, 1, snapshot.NextID(w.ID(), s0.ID)},
		{s2, s1, s0.ID, main, snapshot.Continue, 2, snapshot.NextID(w.ID(), s1.ID)},
		{s3, s1, s3.ID, snapshot.ForkPath(s3.ID), snapshot.Fork, 2, snapshot.ForkID(w.ID(), s1.ID, s3.RunID)},
		{s4, s3, s3.ID, snapshot.ForkPath(s3.ID), snapshot.Continue, 3, snapshot.NextID(w.ID(), s3.ID)},
		{b0, s1, b0.ID, "refs/heads/topic", snapshot.First, 2, snapshot.FirstID(w.ID(), "refs/heads/topic")},
		{a, s2, s0.ID, main, snapshot.Auto, 3, snapshot.AutoID(w.ID(), s2.ID, a.RunID)},
	} {
		m := c.got.Manifest
		if m.Parent != c.parent.ID || m.ParentDigest != c.parent.Digest || m.Line != c.line || m.Path != c.path || m.Kind != c.kind ||
			m.Depth != c.depth || m.ID != c.isWhatItsID {
			w.T.Errorf("%+v", m)
		}
		again, err := w.Load(w.T.Context(), m.ID)
		if err != nil || again.Digest != c.got.Digest {
			w.T.Errorf("%s: %v", m.ID, err)
		}
	}
	w.WantHead(main, s2.ID)
	w.WantHead(s3.Path, s4.ID)
	w.WantHead("refs/heads/topic", b0.ID)
	w.WantSound(true)
}

// wantContinued fails unless err says that by was first.
func (w *World) wantContinued(err error, base snapshot.ID, by snapshot.Committed) {
	w.T.Helper()
	var c *snapshot.ErrContinued
	if !errors.As(err, &c) || c.By != by.ID || c.Run != by.RunID || c.Base != base || c.Path != by.Path {
		w.T.Errorf("%v (%+v), want that %s was first", err, c, by.ID)
	}
}

func (w *World) ask(r snapshot.Request) error {
	_, err := w.Commit(w.T.Context(), r)
	return err
}

func oneContinuation(w *World) {
	s0 := w.First(main)
	s1 := w.Next(s0.ID)
	w.wantContinued(w.ask(w.Ask(snapshot.Continue, s0.ID)), s0.ID, s1)
	s2 := w.Next(s1.ID)
	w.wantContinued(w.ask(w.Ask(snapshot.Continue, s0.ID)), s0.ID, s1)
	w.wantContinued(w.ask(Large(w.Ask(snapshot.Continue, s0.ID))), s0.ID, s1)
	w.wantContinued(w.ask(w.Ask(snapshot.Continue, s1.ID)), s1.ID, s2)
	w.WantHead(main, s2.ID)
	w.WantSound(false)
}

func oneBeginning(w *World) {
	s0 := w.First(main)
	r := w.Ask(snapshot.First, "")
	r.Path = main
	w.wantContinued(w.ask(r), "", s0)
	s1 := w.Next(s0.ID)
	r = w.Ask(snapshot.First, s0.ID)
	r.Path = main
	w.wantContinued(w.ask(r), "", s1)
	r.Path = "refs/heads/Main"
	w.Make(r)
	w.WantHead(main, s1.ID)
}

func manyForks(w *World) {
	base := w.Chain(main, 3)[1]
	seen := map[snapshot.ID]bool{}
	for range 20 {
		f := w.Fork(base)
		seen[f.ID] = true
		w.WantHead(f.Path, f.ID)
		w.WantHead(f.Path, w.Next(f.ID).ID)
	}
	if len(seen) != 20 {
		w.T.Errorf("%d forks", len(seen))
	}
	children, err := w.Children(w.T.Context(), base)
	if err != nil || len(children) != 21 {
		w.T.Errorf("%d children: %v", len(children), err)
	}
	w.WantSound(true)
}

func sameRun(w *World) {
	first := w.Ask(snapshot.First, "")
	first.Path = main
	s0 := w.Make(first)
	next := Large(w.Ask(snapshot.Continue, s0.ID))
	s1 := w.Make(next)
	fork, auto := w.Ask(snapshot.Fork, s0.ID), w.Ask(snapshot.Auto, s1.ID)
	made := map[snapshot.ID]snapshot.Request{s0.ID: first, s1.ID: next, w.Make(fork).ID: fork, w.Make(auto).ID: auto}
	again := func() {
		w.T.Helper()
		for id, r := range made {
			r.Bundle = Words("a second attempt may say something else", 10)
			c, err := w.Commit(w.T.Context(), r)
			if err != nil || !c.Again || c.ID != id {
				w.T.Errorf("%s again: %+v %v", r.Kind, c, err)
			}
			w.WantWhole(id, made[id].Bundle)
		}
	}
	again()
	s2 := w.Next(s1.ID)
	again()
	if p, err := w.Pending(w.T.Context(), w.WantHead(main, s2.ID)); err != nil || len(p.Autosaves) != 1 {
		w.T.Errorf("an autosave that was asked for three times: %+v %v", p, err)
	}
	w.WantSound(false)
}

// raw gives every object as it is.
func (w *World) raw() map[string]string {
	w.T.Helper()
	all := map[string]string{}
	err := w.Objects.List(w.T.Context(), "", func(i snapshot.Info) error {
		b, err := w.Objects.Get(w.T.Context(), i.Key)
		all[i.Key] = string(b)
		return err
	})
	if err != nil {
		w.T.Fatal(err)
	}
	return all
}

func nothingOverwritten(w *World) {
	ids := w.Chain(main, 3)
	w.Make(Large(w.Ask(snapshot.Continue, ids[2])))
	w.Auto(ids[2])
	before := w.raw()
	for _, id := range ids {
		_ = w.ask(w.Ask(snapshot.Continue, id))
		_ = w.ask(Large(w.Ask(snapshot.Continue, id)))
		w.Fork(id)
		w.Auto(id)
	}
	after := w.raw()
	for key, data := range before {
		if after[key] != data {
			w.T.Errorf("%s was changed", key)
		}
	}
}

func refused(w *World) {
	s0 := w.First(main)
	auto := w.Auto(s0.ID)
	gone := w.Fork(s0.ID)
	if _, err := w.Delete(w.T.Context(), gone.ID, Noon(), "test"); err != nil {
		w.T.Fatal(err)
	}
	none := snapshot.NextID(w.ID(), auto.ID)
	before := w.raw()
	for _, kind := range []snapshot.Kind{snapshot.Continue, snapshot.Fork, snapshot.Auto, snapshot.First} {
		for base, want := range map[snapshot.ID]error{none: snapshot.ErrNotFound, auto.ID: snapshot.ErrLeaf, "nonsense": snapshot.ErrInvalid} {
			r := w.Ask(kind, base)
			if kind == snapshot.First {
				r.Path = "refs/heads/new"
			}
			if err := w.ask(Large(r)); !errors.Is(err, want) {
				w.T.Errorf("%s of %s: %v", kind, base, err)
			}
		}
		r := w.Ask(kind, gone.ID)
		if kind == snapshot.First {
			r.Path = "refs/heads/new"
		}
		var removed *snapshot.ErrRemoved
		if err := w.ask(r); !errors.As(err, &removed) || removed.ID != gone.ID {
			w.T.Errorf("%s of a removed snapshot: %v", kind, err)
		}
	}
	for name, change := range map[string]func(*snapshot.Request){
		"no base": func(r *snapshot.Request) { r.Base = "" }, "no run": func(r *snapshot.Request) { r.RunID = "" },
		"run with a line break": func(r *snapshot.Request) { r.RunID = "a\nb" }, "long run": func(r *snapshot.Request) { r.RunID = fmt.Sprintf("%200d", 1) },
		"no origin": func(r *snapshot.Request) { r.Origin.By = "" }, "other path": func(r *snapshot.Request) { r.Path = "refs/heads/other" },
		"no kind": func(r *snapshot.Request) { r.Kind = "" }, "no time": func(r *snapshot.Request) { r.Created = time.Time{} },
		"no part":       func(r *snapshot.Request) { r.Bundle.Context = nil },
		"no JSON":       func(r *snapshot.Request) { r.Bundle.Context = []byte(`{"a":`) },
		"two values":    func(r *snapshot.Request) { r.Bundle.Context = []byte(`{} {}`) },
		"huge integer":  func(r *snapshot.Request) { r.Bundle.Context = []byte(`{"n":9007199254740993}`) },
		"a name twice":  func(r *snapshot.Request) { r.Bundle.Context = []byte(`{"n":1,"n":2}`) },
		"invalid UTF-8": func(r *snapshot.Request) { r.Bundle.Messages = []byte("[\"\xff\"]") },
		"many names":    func(r *snapshot.Request) { r.Origin.Names = make([]snapshot.ID, snapshot.MaxNames+1) },
		"path with NUL": func(r *snapshot.Request) { r.Kind, r.Base, r.Path = snapshot.First, "", "a\x00b" },
		"a fork's path": func(r *snapshot.Request) { r.Kind, r.Base, r.Path = snapshot.First, "", gone.Path },
		"no path":       func(r *snapshot.Request) { r.Kind, r.Base, r.Path = snapshot.First, "", "" },
		"auto nowhere":  func(r *snapshot.Request) { r.Kind, r.Base, r.Path = snapshot.Auto, "", "" },
	} {
		r := w.Ask(snapshot.Continue, s0.ID)
		change(&r)
		if err := w.ask(r); !errors.Is(err, snapshot.ErrInvalid) {
			w.T.Errorf("%s: %v", name, err)
		}
	}
	if after := w.raw(); len(after) != len(before) {
		w.T.Errorf("%d objects before, %d after nothing but refusals", len(before), len(after))
	}
}

// gated holds the creates of some keys back until open is closed: the sharpest start that a race can have.
type gated struct {
	snapshot.Objects
	prefix  string
	arrived sync.WaitGroup
	open    chan struct{}
}

func (g *gated) PutNew(ctx context.Context, key string, data []byte) error {
	if strings.HasPrefix(key, g.prefix) {
		g.arrived.Done()
		<-g.open
	}
	return g.Objects.PutNew(ctx, key, data)
}

func hundredRuns(w *World) {
	s0 := w.First(main)
	g := &gated{Objects: w.Objects, prefix: "snapshots/", open: make(chan struct{})}
	g.arrived.Add(racers)
	go func() { g.arrived.Wait(); close(g.open) }()
	s, err := snapshot.New(g, w.Pointers, w.ID())
	if err != nil {
		w.T.Fatal(err)
	}
	asked := make([]snapshot.Request, racers)
	for i := range asked {
		asked[i] = w.Ask(snapshot.Continue, s0.ID)
		if i%10 == 0 {
			asked[i] = Large(asked[i])
		}
	}
	var wins atomic.Int64
	errs := make([]error, racers)
	var all sync.WaitGroup
	for i := range asked {
		all.Go(func() {
			_, errs[i] = s.Commit(w.T.Context(), asked[i])
			if errs[i] == nil {
				wins.Add(1)
			}
		})
	}
	all.Wait()
	won := slices.Index(errs, nil)
	if wins.Load() != 1 {
		w.T.Fatalf("%d of %d runs were told that they continued one base", wins.Load(), racers)
	}
	head := w.WantHead(main, snapshot.NextID(w.ID(), s0.ID)).Head
	w.WantWhole(head.ID, asked[won].Bundle)
	for i, err := range errs {
		if i != won {
			w.wantContinued(err, s0.ID, snapshot.Committed{Manifest: *head})
		}
	}
	w.WantSound(false)
}
