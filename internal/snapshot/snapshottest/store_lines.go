package snapshottest

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"session/internal/snapshot"
)

func pointersDecideNothing(w *World) {
	ctx := w.T.Context()
	ids := w.Chain(main, 4)
	other := w.First("refs/heads/other")
	auto := w.Auto(ids[3])
	fork := w.Fork(ids[1])
	next := ids[3]
	for name, set := range map[string]func() error{
		"lost":           func() error { return w.Pointers.Unpoint(ctx, main) },
		"behind":         func() error { return w.Pointers.Point(ctx, snapshot.Pointer{Path: main, Head: ids[0]}) },
		"another path's": func() error { return w.Pointers.Point(ctx, snapshot.Pointer{Path: main, Head: other.ID}) },
		"a fork of it":   func() error { return w.Pointers.Point(ctx, snapshot.Pointer{Path: main, Head: fork.ID}) },
		"an autosave":    func() error { return w.Pointers.Point(ctx, snapshot.Pointer{Path: main, Head: auto.ID}) },
		"nobody":         func() error { return w.Pointers.Point(ctx, snapshot.Pointer{Path: main, Head: key(77)}) },
		"a later, empty one": func() error {
			return w.Pointers.Point(ctx, snapshot.Pointer{Path: main, Head: snapshot.NextID(w.ID(), next)})
		},
	} {
		if err := set(); err != nil {
			w.T.Fatal(err)
		}
		at := w.WantHead(main, next)
		if at.Pointer == snapshot.PointerStraight {
			w.T.Errorf("%s: the pointer is said to be %s", name, at.Pointer)
		}
		r := w.Ask(snapshot.First, "")
		r.Path = main
		var taken *snapshot.ErrContinued
		if err := w.ask(r); !errors.As(err, &taken) {
			w.T.Errorf("%s: the path was begun twice: %v", name, err)
		}
		found := w.WantSound(false)
		if !slices.ContainsFunc(found.Problems, func(p snapshot.Problem) bool { return p.Kind == snapshot.PointerOff && p.Subject == string(main) }) {
			w.T.Errorf("%s: check says nothing: %+v", name, found.Problems)
		}
		w.Repairing(Noon())
		if at := w.WantHead(main, next); at.Pointer != snapshot.PointerStraight {
			w.T.Errorf("%s: repaired, and %s", name, at.Pointer)
		}
		if err := set(); err != nil {
			w.T.Fatal(err)
		}
		next = w.Next(w.WantHead(main, next).Head.ID).ID
		if at := w.WantHead(main, next); at.Pointer != snapshot.PointerStraight {
			w.T.Errorf("%s: saved, and the pointer is %s", name, at.Pointer)
		}
	}
	if err := w.Pointers.Unpoint(ctx, fork.Path); err != nil {
		w.T.Fatal(err)
	}
	w.WantHead(fork.Path, fork.ID)
	w.WantHead(snapshot.ForkPath(key(3)), "")
}

// pending gives the ids that the next save of a path should take in.
func (w *World) pending(path snapshot.Path) (ids []snapshot.ID) {
	w.T.Helper()
	at, err := w.Head(w.T.Context(), path)
	if err != nil {
		w.T.Fatal(err)
	}
	p, err := w.Pending(w.T.Context(), at)
	if err != nil || len(p.Damaged) > 0 {
		w.T.Error(err, p.Damaged)
	}
	for _, m := range p.Autosaves {
		ids = append(ids, m.ID)
	}
	return ids
}

func (w *World) wantPending(path snapshot.Path, want ...snapshot.ID) {
	w.T.Helper()
	if got := w.pending(path); !slices.Equal(got, want) {
		w.T.Errorf("pending on %s: %v, want %v", path, got, want)
	}
}

// save continues the head and takes in what is pending, as a save does.
func (w *World) save(path snapshot.Path) snapshot.Committed {
	w.T.Helper()
	at, err := w.Head(w.T.Context(), path)
	if err != nil {
		w.T.Fatal(err)
	}
	r := w.Ask(snapshot.First, "")
	r.Path = path
	if at.Head != nil {
		r = w.Ask(snapshot.Continue, at.Head.ID)
	}
	p, err := w.Pending(w.T.Context(), at)
	if err != nil {
		w.T.Fatal(err)
	}
	r.Origin.TookIn = p.TookIn
	return w.Make(r)
}

func autosaves(w *World) {
	r := w.Ask(snapshot.Auto, "")
	r.Path = main
	a0 := w.Make(r) // before anything was saved
	w.WantHead(main, "")
	w.wantPending(main, a0.ID)
	s0 := w.save(main)
	if a0.Line != s0.ID || a0.Parent != "" {
		w.T.Errorf("an autosave of a path without snapshots: %+v", a0.Manifest)
	}
	w.wantPending(main)
	a1, a2 := w.Auto(s0.ID), w.Auto(s0.ID)
	a3 := w.Make(Large(w.Ask(snapshot.Auto, s0.ID)))
	w.WantHead(main, s0.ID) // nothing continues one, and none is a head
	w.wantPending(main, a1.ID, a2.ID, a3.ID)
	undo := w.Ask(snapshot.Continue, s0.ID) // takes nothing in, and says what it takes back
	undo.Origin = snapshot.Origin{By: "undo", Names: []snapshot.ID{s0.ID}}
	u := w.Make(undo)
	if got, err := w.Load(w.T.Context(), u.ID); err != nil || len(got.Origin.Names) != 1 || got.Origin.Names[0] != s0.ID || got.Origin.TookIn != 1 {
		w.T.Errorf("%+v %v", got.Origin, err)
	}
	w.wantPending(main, a1.ID, a2.ID, a3.ID)
	s1 := w.save(main)
	w.wantPending(main)
	elsewhere := w.Ask(snapshot.Auto, s1.ID) // a new branch, where main stood
	elsewhere.Path = "refs/heads/topic"
	e := w.Make(elsewhere)
	w.wantPending(main)
	w.wantPending("refs/heads/topic", e.ID)
	f := w.Fork(s1.ID)
	w.wantPending(f.Path, w.Auto(f.ID).ID)
	w.wantPending("refs/heads/topic", e.ID)
	w.WantSound(true)
}

// lateAutosaves: a hook that looked before a save and wrote after it is not lost.
func lateAutosaves(w *World) {
	s0 := w.First(main)
	s1 := w.Next(s0.ID)
	late := w.Auto(s0.ID)
	w.wantPending(main, late.ID)
	s2 := w.Next(s1.ID) // a run that did not look
	w.wantPending(main, late.ID)
	later := w.Auto(s0.ID)
	w.wantPending(main, late.ID, later.ID)
	w.save(main)
	w.wantPending(main)
	w.apply(w.plan(snapshot.GCPolicy{Autosaves: everything().Autosaves})) // takes away the numbers that were taken in
	latest := w.Auto(s2.ID)
	w.wantPending(main, latest.ID)
	last := w.Auto(s2.ID)
	w.wantPending(main, latest.ID, last.ID)
	w.save(main)
	w.WantSound(false)
}

func manyAutosaves(w *World) {
	s0 := w.First(main)
	var want []snapshot.ID
	for i := range 70 {
		want = append(want, w.Auto(s0.ID).ID)
		if i == 40 {
			w.save(main)
			want = nil
		}
	}
	w.wantPending(main, want...)
}

func resolve(w *World) {
	ids := w.Chain(main, 5)
	auto := w.Auto(ids[4])
	gone := w.Fork(ids[0])
	if _, err := w.Delete(w.T.Context(), gone.ID, Noon(), "test"); err != nil {
		w.T.Fatal(err)
	}
	if _, err := w.Delete(w.T.Context(), ids[1], Noon(), "test"); err != nil {
		w.T.Fatal(err)
	}
	for i := range 40 {
		w.First(snapshot.Path(fmt.Sprint("refs/heads/", i)))
	}
	head := ids[4]
	var removed *snapshot.ErrRemoved
	var ambiguous *snapshot.ErrAmbiguous
	for _, c := range []struct {
		ref  string
		head snapshot.ID
		want snapshot.ID
		err  any
	}{
		{"HEAD", head, head, nil}, {"HEAD~0", head, head, nil}, {"HEAD~1", head, ids[3], nil}, {"HEAD~", head, ids[3], nil},
		{"HEAD~2", head, ids[2], nil}, {"HEAD~3", head, "", &removed}, {"HEAD~4", head, ids[0], nil}, {"HEAD~5", head, "", snapshot.ErrNotFound},
		{"HEAD", auto.ID, head, nil}, {"HEAD~2", auto.ID, ids[2], nil}, {"HEAD", "", "", snapshot.ErrNothing},
		{string(ids[2]), "", ids[2], nil}, {string(ids[2][:25]), "", ids[2], nil}, {string(ids[2][:12]), "", ids[2], nil},
		{string(auto.ID[:12]), "", auto.ID, nil}, {string(auto.ID) + "~1", "", head, nil}, {string(head[:12]) + "~2", "", ids[2], nil},
		{string(gone.ID), "", "", &removed}, {string(gone.ID[:12]), "", "", &removed},
		{string(key(1000)), "", "", snapshot.ErrNotFound}, {"zzzzzzzzzzzzzzz", "", "", snapshot.ErrNotFound},
		{"", head, "", snapshot.ErrInvalid}, {"~1", head, "", snapshot.ErrInvalid}, {"head", head, "", snapshot.ErrNotFound},
		{"HEAD~x", head, "", snapshot.ErrInvalid}, {"HEAD~-1", head, "", snapshot.ErrInvalid}, {"HEAD~+1", head, "", snapshot.ErrInvalid},
		{"HEAD~99999999999999999999", head, "", snapshot.ErrInvalid}, {"HEAD^", head, "", snapshot.ErrInvalid},
		{"../../x", head, "", snapshot.ErrInvalid}, {"ABC", head, "", snapshot.ErrInvalid}, {strings.Repeat("a", 27), head, "", snapshot.ErrInvalid},
	} {
		got, err := w.Resolve(w.T.Context(), c.ref, c.head)
		if got != c.want || !isOrAs(err, c.err) {
			w.T.Errorf("%q of %s: %s %v, want %s %T", c.ref, c.head, got, err, c.want, c.err)
		}
	}
	clash := ""
	for i := 0; clash == "" && i < len(letters); i++ {
		if n := len(keys2(w, "snapshots/"+letters[i:i+1]+"/")); n > 1 {
			clash = letters[i : i+1]
		}
	}
	if _, err := w.Resolve(w.T.Context(), clash, head); !errors.As(err, &ambiguous) || len(ambiguous.IDs) < 2 {
		w.T.Errorf("%q: %v", clash, err)
	}
}

const letters = "0123456789abcdefghjkmnpqrstvwxyz"

// isOrAs compares with a sentinel, or with a pointer to a typed error; nil wants none.
func isOrAs(err error, want any) bool {
	switch want := want.(type) {
	case nil:
		return err == nil
	case error:
		return errors.Is(err, want)
	default:
		return errors.As(err, want)
	}
}

func walkAndHistory(w *World) {
	ids := w.Chain(main, 3)
	big := w.Make(Large(w.Ask(snapshot.Continue, ids[2])))
	topic := w.Ask(snapshot.First, big.ID)
	topic.Path = "refs/heads/topic"
	top := w.Make(topic)
	if _, err := w.Delete(w.T.Context(), ids[1], Noon(), "test"); err != nil {
		w.T.Fatal(err)
	}
	var went []snapshot.ID
	for a, err := range w.Walk(w.T.Context(), top.ID) {
		if err != nil {
			w.T.Fatal(err)
		}
		if a.Removed != nil {
			went = append(went, a.Removed.ID)
		} else {
			went = append(went, a.ID)
		}
	}
	if want := []snapshot.ID{top.ID, big.ID, ids[2], ids[1], ids[0]}; !slices.Equal(went, want) {
		w.T.Errorf("walked %v, want %v", went, want)
	}
	var said []snapshot.ID
	for s, err := range w.History(w.T.Context(), top.ID) {
		if err != nil {
			w.T.Fatal(err)
		}
		said = append(said, s.ID)
		if s.ID == big.ID && len(s.Messages) < 40_000 || len(s.Messages) == 0 {
			w.T.Errorf("%s said %d bytes", s.ID, len(s.Messages))
		}
	}
	if want := []snapshot.ID{ids[0], ids[2], big.ID, top.ID}; !slices.Equal(said, want) {
		w.T.Errorf("history %v, want %v", said, want)
	}
	for range w.Walk(w.T.Context(), top.ID) { // stopping early must not go on
		break
	}
	for _, id := range []snapshot.ID{key(5), ids[1]} {
		for _, err := range w.Walk(w.T.Context(), id) {
			if err == nil {
				w.T.Errorf("walked from %s", id)
			}
		}
	}
}

func graph(w *World) {
	ids := w.Chain(main, 3)
	f := w.Fork(ids[0])
	a := w.Auto(ids[2])
	g, err := w.Graph(w.T.Context())
	if err != nil || len(g.Nodes) != 5 || len(g.Damaged) != 0 {
		w.T.Fatalf("%+v %v", g, err)
	}
	place := map[snapshot.ID]int{}
	for i, n := range g.Nodes {
		place[n.ID] = i
		if n.Head != (n.ID == ids[2] || n.ID == f.ID) || n.Parts.Environment.Inline != nil || n.Parts.Environment.Digest == "" {
			w.T.Errorf("%+v", n)
		}
	}
	for i, n := range g.Nodes {
		if n.Parent != "" && place[n.Parent] <= i {
			w.T.Errorf("%s stands behind its parent", n.ID)
		}
	}
	if g.Nodes[0].ID != a.ID {
		w.T.Errorf("the deepest is %s", g.Nodes[0].ID)
	}
	paths, err := w.Paths(w.T.Context())
	if err != nil || len(paths) != 2 || paths[1].Path != main || paths[1].Head.ID != ids[2] || paths[1].Snapshots != 3 || paths[1].Autosaves != 1 ||
		paths[0].Line != f.ID || paths[0].Foreign {
		w.T.Errorf("%+v %v", paths, err)
	}
	changes, err := w.Diff(w.T.Context(), ids[0], ids[1])
	if err != nil || len(changes) != 2 || changes[0].Part != "context_state" || changes[0].Path != "/working_on" ||
		string(changes[0].Before) != `"first 1"` || string(changes[0].After) != `"continue 2"` || changes[1].Part != "message_history_state" {
		w.T.Errorf("%s %v", changes, err)
	}
}
