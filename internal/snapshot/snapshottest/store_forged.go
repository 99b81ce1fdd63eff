package snapshottest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"session/internal/canon"
	"session/internal/snapshot"
)

// forge changes a stored manifest so that its form stays perfect.
func (w *World) forge(id snapshot.ID, change func(*snapshot.Manifest)) {
	w.T.Helper()
	raw, err := w.Objects.Get(w.T.Context(), manifestKey(id))
	if err != nil {
		w.T.Fatal(err)
	}
	w.alter(manifestKey(id), forged(w, raw, change))
}

func forged(w *World, raw []byte, change func(*snapshot.Manifest)) []byte {
	w.T.Helper()
	var m snapshot.Manifest
	if err := json.Unmarshal(raw, &m); err != nil {
		w.T.Fatal(err)
	}
	change(&m)
	out, err := canon.Marshal(&m)
	if err != nil {
		w.T.Fatal(err)
	}
	return out
}

// forgedSnapshots: what no form shows, the chain shows, or for the newest its id and its path's pointer.
func forgedSnapshots(w *World) {
	for name, change := range map[string]func(*snapshot.Manifest){
		"origin": func(m *snapshot.Manifest) { m.Origin.By = "somebody" }, "time": func(m *snapshot.Manifest) { m.Created = m.Created.AddDate(1, 0, 0) },
		"plan": func(m *snapshot.Manifest) { m.PlanHash = "another" }, "depth": func(m *snapshot.Manifest) { m.Depth++ },
		"line": func(m *snapshot.Manifest) { m.Line = key(9) }, "run": func(m *snapshot.Manifest) { m.RunID = "another" },
		"taken in": func(m *snapshot.Manifest) { m.Origin.TookIn = 99 }, "parent's digest": func(m *snapshot.Manifest) { m.ParentDigest = strings.Repeat("0", 64) },
	} {
		for _, place := range []int{1, 3} { // in the middle, and the newest
			w := w.fresh()
			ids := w.Chain(main, 4)
			w.forge(ids[place], change)
			r, err := w.Check(w.T.Context())
			said := slices.ContainsFunc(r.Problems, func(p snapshot.Problem) bool { return p.ID == ids[place] && p.Kind == snapshot.BrokenChain })
			if err != nil || !r.Damage() || !said {
				w.T.Errorf("%s of %d: %+v %v", name, place, r.Problems, err)
			}
			if place == 3 {
				if err := last(w.Walk(w.T.Context(), ids[3])); name == "depth" && err == nil {
					w.T.Error("walked down from a depth that is not there")
				}
				continue
			}
			for _, err := range w.Walk(w.T.Context(), ids[3]) {
				if err != nil {
					w.WantCorrupt(err, ids[1])
					said = false
				}
			}
			if said {
				w.T.Errorf("%s: walked over it", name)
			}
			w.Repairing(Noon())
			w.wantGone(ids[1])
			w.WantSound(true)
		}
	}
	for name, change := range map[string]func(*snapshot.Manifest){ // what the id itself contradicts
		"parent": func(m *snapshot.Manifest) { m.Parent = m.Line }, "kind": func(m *snapshot.Manifest) { m.Kind, m.Line = snapshot.First, m.ID },
		"fork": func(m *snapshot.Manifest) { m.Kind, m.Line = snapshot.Fork, m.ID },
	} {
		w := w.fresh()
		ids := w.Chain(main, 4)
		w.forge(ids[3], change)
		_, err := w.Load(w.T.Context(), ids[3])
		if w.WantCorrupt(err, ids[3]); err == nil {
			w.T.Error(name)
		}
		if _, err := w.Head(w.T.Context(), main); err == nil {
			w.T.Errorf("%s: stood on", name)
		}
	}
	w.mendedMeanwhile()
}

// last is the error that an iteration ends with.
func last[V any](seq iter.Seq2[V, error]) (err error) {
	for _, e := range seq {
		err = e
	}
	return err
}

// mendedMeanwhile: Repair looks again before it sets anything aside.
func (w *World) mendedMeanwhile() {
	w = w.fresh()
	ids := w.Chain(main, 3)
	good := w.raw()
	for _, id := range ids[1:] {
		w.alter(manifestKey(id), []byte("{}"))
	}
	r, err := w.Check(w.T.Context())
	if err != nil || !r.Damage() {
		w.T.Fatal(r, err)
	}
	for _, id := range ids[1:] {
		w.alter(manifestKey(id), []byte(good[manifestKey(id)]))
	}
	if _, err := w.Repair(w.T.Context(), r, snapshot.RepairRun{Leases: w.Leaser, Who: who(1), Now: Noon()}); err != nil {
		w.T.Error(err)
	}
	w.WantHead(main, ids[2])
	w.WantSound(true)
}

// blobsNotTrusted: a save whose large part is stored already is not built on bytes that went bad.
func blobsNotTrusted(w *World) {
	first := Large(w.firstOf(main))
	s0 := w.Make(first)
	w.alter(blobKey(s0.Parts.Messages.Digest), []byte(`"other words"`))
	r := w.firstOf("refs/heads/other")
	r.Bundle = first.Bundle
	var corrupt *snapshot.ErrCorrupt
	if err := w.ask(r); !errors.As(err, &corrupt) {
		w.T.Errorf("%v", err)
	}
	w.WantHead("refs/heads/other", "")
	w.alter(blobKey(s0.Parts.Messages.Digest), nil)
	w.Make(r) // which also heals the first
	w.WantWhole(s0.ID, first.Bundle)
	w.WantSound(true)
}

// cutShort: a removal that died halfway has happened: nothing is built on what it removes.
func cutShort(w *World) {
	ids := w.Chain(main, 2)
	f := &Faults{Objects: w.Objects, Pointers: w.Pointers, FailAt: 2}
	broken, err := snapshot.New(f, f, w.ID())
	if err != nil {
		w.T.Fatal(err)
	}
	if _, err := broken.Delete(w.T.Context(), ids[1], Noon(), "test"); !errors.Is(err, ErrBroken) {
		w.T.Fatal(err)
	}
	w.WantHead(main, ids[0])
	for _, kind := range []snapshot.Kind{snapshot.Continue, snapshot.Fork, snapshot.Auto} {
		var gone *snapshot.ErrRemoved
		if err := w.ask(w.Ask(kind, ids[1])); !errors.As(err, &gone) || gone.ID != ids[1] {
			w.T.Errorf("%s: %v", kind, err)
		}
	}
	if s, err := w.Resolve(w.T.Context(), "HEAD", w.WantHead(main, ids[0]).Head.ID); err != nil || s != ids[0] {
		w.T.Error(s, err)
	}
	next := w.save(main) // nobody has to repair first
	if next.Parent != ids[0] || next.ID == ids[1] {
		w.T.Errorf("%+v", next.Manifest)
	}
	w.Repairing(Noon())
	w.wantGone(ids[1])
	w.WantHead(main, next.ID)
	w.WantSound(true)
	w.firstCutShort()
}

// firstCutShort: the same for a path's only snapshot.
func (w *World) firstCutShort() {
	first := w.First("refs/heads/only")
	f := &Faults{Objects: w.Objects, Pointers: w.Pointers, FailAt: 2}
	broken, err := snapshot.New(f, f, w.ID())
	if err != nil {
		w.T.Fatal(err)
	}
	if _, err := broken.Delete(w.T.Context(), first.ID, Noon(), "test"); !errors.Is(err, ErrBroken) {
		w.T.Fatal(err)
	}
	at := w.WantHead("refs/heads/only", "")
	if again := w.First("refs/heads/only"); again.ID != at.Next || again.Line != at.Line || again.ID == first.ID {
		w.T.Errorf("%+v", again.Manifest)
	}
	w.Repairing(Noon())
	w.WantSound(true)
}

// importForged: every line of these files has its form, its digest and its place, and they lie.
func importForged(w *World) {
	ids := w.Chain(main, 3)
	auto, fork := w.Auto(ids[1]), w.Fork(ids[1])
	topic := w.firstOf("refs/heads/topic")
	topic.Base = ids[1]
	top := w.Make(topic)
	file := w.export(ids[2], auto.ID, fork.ID, top.ID)
	b := w.freshAs(storeB)
	own := b.Chain(main, 2)
	next := snapshot.NextID(storeB, own[1])
	for name, c := range map[string]struct { // each of these is a leaf: nothing else in the file contradicts it
		id     snapshot.ID
		change func(*snapshot.Manifest)
	}{
		"depth":                             {ids[2], func(m *snapshot.Manifest) { m.Depth = 7 }},
		"parent's digest":                   {ids[2], func(m *snapshot.Manifest) { m.ParentDigest = strings.Repeat("0", 64) }},
		"another line":                      {ids[2], func(m *snapshot.Manifest) { m.Line = fork.ID }},
		"the line of the reader":            {ids[2], func(m *snapshot.Manifest) { m.Line = own[0] }},
		"another path":                      {ids[2], func(m *snapshot.Manifest) { m.Path = "refs/heads/other" }},
		"an autosave on the reader's line":  {auto.ID, func(m *snapshot.Manifest) { m.Line = own[0] }},
		"an autosave on a line of nobody's": {auto.ID, func(m *snapshot.Manifest) { m.Line = key(3) }},
		"another parent":                    {ids[2], func(m *snapshot.Manifest) { m.Parent = ids[0] }},
		"another run of a fork":             {fork.ID, func(m *snapshot.Manifest) { m.RunID = "another" }},
		"another path of a fork":            {fork.ID, func(m *snapshot.Manifest) { m.Path = main }},
		"another path of a first":           {top.ID, func(m *snapshot.Manifest) { m.Path = main }},
		"the reader's next":                 {ids[2], func(m *snapshot.Manifest) { m.ID = next }},
		"the reader's next, and its parent": {ids[2], func(m *snapshot.Manifest) { m.ID, m.Parent = next, own[1] }},
		"the reader's next as a first":      {top.ID, func(m *snapshot.Manifest) { m.ID, m.Line, m.Path = next, next, main }},
		"behind an autosave": {ids[2], func(m *snapshot.Manifest) {
			m.Parent, m.ParentDigest, m.ID = auto.ID, auto.Digest, snapshot.NextID(w.ID(), auto.ID)
			m.Depth++
		}},
		"a kind that its id does not support": {fork.ID, func(m *snapshot.Manifest) { m.Kind = snapshot.First }},
	} {
		for _, stores := range []string{`"` + string(w.ID()) + `"`, `"` + string(w.ID()) + `","` + string(storeB) + `"`} { // the second: partly ours
			bad := forgeFile(w, file, c.id, c.change)
			bad = strings.Replace(bad, `"stores":["`+string(w.ID())+`"]`, `"stores":[`+stores+`]`, 1)
			before := b.raw()
			if _, err := b.load(string(Reseal([]byte(bad)))); !errors.Is(err, snapshot.ErrInvalid) && !isConflict(err) {
				w.T.Errorf("%s: %v", name, err)
			}
			if len(b.raw()) != len(before) {
				w.T.Errorf("%s: something was written", name)
			}
		}
	}
	b.WantHead(main, own[1])
	b.wantPending(main)
	b.imported(string(Reseal([]byte(file)))) // as it was, it is taken
	b.WantSound(true)
	w.ownForged(file, auto, ids[2])
	b.twiceAnnounced(w, ids[1])
}

// ownForged: files that say about this store's own lines what is not so.
func (w *World) ownForged(file string, auto snapshot.Committed, head snapshot.ID) {
	w.T.Helper()
	next, err := canon.Marshal(snapshot.Tombstone{ID: snapshot.NextID(w.ID(), head), Parent: head, Line: auto.Line, Path: main,
		Kind: snapshot.Continue, Depth: 3, RunID: "r", Digest: strings.Repeat("0", 64), Removed: Noon(), Why: "planted"})
	if err != nil {
		w.T.Fatal(err)
	}
	header, rest, _ := strings.Cut(file, "\n")
	before := w.raw()
	for name, bad := range map[string]string{
		"another number":               strings.Replace(file, `"number":0`, `"number":9`, 1),
		"our next snapshot is removed": header + "\n{\"tombstone\":" + string(next) + "}\n" + rest,
	} {
		_, _ = w.load(string(Reseal([]byte(bad))))
		for key := range w.raw() {
			if before[key] == "" {
				w.T.Errorf("%s: %s was written", name, key)
			}
		}
	}
	w.wantPending(main, auto.ID)
	w.Next(head)
}

// twiceAnnounced: two copies of a store give one number to two autosaves.
func (w *World) twiceAnnounced(from *World, base snapshot.ID) {
	w.T.Helper()
	twin := copyOf(from)
	var other snapshot.ID
	err := twin.Objects.List(w.T.Context(), "autosaves/", func(i snapshot.Info) error { return twin.Objects.Delete(w.T.Context(), i.Key) })
	if err == nil {
		other = twin.Auto(base).ID
	}
	if err != nil || other == "" {
		w.T.Fatal(err)
	}
	var conflict *snapshot.ErrConflict
	w.wantNothing("one number, two autosaves", twin.export(other), &conflict)
}

func isConflict(err error) bool {
	var c *snapshot.ErrConflict
	return errors.As(err, &c)
}

// forgeFile changes one manifest in an export, and what announces it.
func forgeFile(w *World, file string, id snapshot.ID, change func(*snapshot.Manifest)) string {
	w.T.Helper()
	var out strings.Builder
	var m snapshot.Manifest
	for line := range strings.Lines(file) {
		if strings.HasPrefix(line, `{"autosave":`) && m.Kind == snapshot.Auto {
			line = fmt.Sprintf("{\"autosave\":{\"line\":%q,\"number\":0,\"session_id\":%q}}\n", m.Line, m.ID)
		}
		raw, is := strings.CutPrefix(strings.TrimSuffix(line, "}\n"), `{"manifest":`)
		if is && bytes.Contains([]byte(raw), []byte(`"session_id":"`+string(id)+`"`)) {
			line = `{"manifest":` + string(forged(w, []byte(raw), func(x *snapshot.Manifest) { change(x); m = *x })) + "}\n"
		}
		out.WriteString(line)
	}
	return out.String()
}
