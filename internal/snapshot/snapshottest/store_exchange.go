package snapshottest

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"

	"session/internal/snapshot"
)

const (
	storeB = snapshot.StoreID("11111111111111111111111110")
	storeC = snapshot.StoreID("22222222222222222222222220")
)

func (w *World) export(ids ...snapshot.ID) string {
	w.T.Helper()
	var b bytes.Buffer
	if err := w.Export(w.T.Context(), &b, ids...); err != nil {
		w.T.Fatal(err)
	}
	return b.String()
}

func (w *World) load(file string) (snapshot.Imported, error) {
	w.T.Helper()
	return w.Import(w.T.Context(), strings.NewReader(file), snapshot.ImportLimits{})
}

func (w *World) imported(file string) snapshot.Imported {
	w.T.Helper()
	got, err := w.load(file)
	if err != nil {
		w.T.Fatal(err)
	}
	return got
}

// full is a store with everything in it that an export can hold.
func (w *World) full() (all []snapshot.ID) {
	w.T.Helper()
	ids := w.Chain(main, 3)
	big := w.Make(Large(w.Ask(snapshot.Continue, ids[2])))
	a := w.Make(Large(w.Ask(snapshot.Auto, big.ID)))
	f := w.Fork(ids[1])
	f2 := w.Next(f.ID)
	topic := w.firstOf("refs/heads/topic")
	topic.Base = big.ID
	t := w.Make(topic)
	if _, err := w.Delete(w.T.Context(), t.ID, Noon(), "begun anew"); err != nil {
		w.T.Fatal(err)
	}
	topic.RunID = "again"
	t = w.Make(topic)
	a2 := w.Auto(t.ID)
	if _, err := w.Delete(w.T.Context(), ids[1], Noon(), "in the middle"); err != nil {
		w.T.Fatal(err)
	}
	if _, err := w.Delete(w.T.Context(), f2.ID, Noon(), "the newest"); err != nil {
		w.T.Fatal(err)
	}
	f3 := w.Next(f.ID)
	return []snapshot.ID{big.ID, a.ID, f3.ID, t.ID, a2.ID}
}

func exportImport(w *World) {
	ids := w.full()
	file := w.export(ids...)
	b := w.freshAs(storeB)
	own := b.Chain(main, 2)
	got := b.imported(file)
	if len(got.Added) != 8 || got.Known != 0 || len(got.Tips) != 3 {
		w.T.Errorf("%+v", got)
	}
	if again := b.export(ids...); again != file {
		w.T.Error("exported, imported and exported: another file")
	}
	if again := b.imported(file); again.Known != 8 || len(again.Added) != 0 {
		w.T.Errorf("imported twice: %+v", again)
	}
	if self := w.imported(file); self.Known != 8 || len(self.Added) != 0 {
		w.T.Errorf("imported where it comes from: %+v", self)
	}
	b.WantHead(main, own[1])
	b.WantSound(true)
	w.WantSound(true)
	b.usesWhatItImported(w, ids)
	c := w.freshAs(storeC)
	c.imported(b.export(append(ids, own[1])...))
	if c.export(ids...) != file {
		w.T.Error("through two stores: another file")
	}
	c.WantSound(true)
}

// usesWhatItImported: imported snapshots can be read, forked, and be where a path begins; their own store continues them.
func (w *World) usesWhatItImported(from *World, ids []snapshot.ID) {
	w.T.Helper()
	for _, id := range ids {
		s, err := from.Load(w.T.Context(), id)
		if err != nil {
			w.T.Fatal(err)
		}
		w.WantWhole(id, s.Bundle)
	}
	if err := w.ask(w.Ask(snapshot.Continue, ids[0])); !errors.Is(err, snapshot.ErrForeign) {
		w.T.Error("continued what another store made:", err)
	}
	f := w.Fork(ids[0])
	w.WantHead(f.Path, w.Next(f.ID).ID)
	begin := w.firstOf("refs/heads/from-a-colleague")
	begin.Base = ids[3]
	a := w.Ask(snapshot.Auto, ids[3])
	a.Path = begin.Path
	auto := w.Make(a)
	w.wantPending(begin.Path, auto.ID)
	w.Next(w.Make(begin).ID)
	paths, err := w.Paths(w.T.Context())
	if err != nil {
		w.T.Fatal(err)
	}
	foreign := 0
	for _, p := range paths {
		if p.Foreign {
			foreign++
		}
	}
	if foreign != 3 {
		w.T.Errorf("%d imported lines: %+v", foreign, paths)
	}
	w.WantSound(true)
}

// wantNothing fails unless an import fails so and leaves the store as it was.
func (w *World) wantNothing(name, file string, as any) {
	w.T.Helper()
	before := w.raw()
	if _, err := w.load(file); !isOrAs(err, as) {
		w.T.Errorf("%s: %v", name, err)
	}
	after := w.raw()
	for key := range after {
		if before[key] != after[key] {
			w.T.Errorf("%s: the import was refused and left %s", name, key)
		}
	}
	if len(after) != len(before) {
		w.T.Errorf("%s: the import was refused and took something away", name)
	}
}

func importConflicts(w *World) {
	ids := w.Chain(main, 3)
	auto := w.Auto(ids[2])
	file := w.export(ids[2], auto.ID)
	other := w.fresh() // the same store id: a copy of a store that went its own way
	other.First(main)
	var conflict *snapshot.ErrConflict
	other.wantNothing("the same ids, other words", file, &conflict)
	other = w.freshAs(storeB)
	other.imported(file)
	twin := w.fresh()
	twin.First(main)
	other.wantNothing("known from elsewhere, other words", twin.export(ids[0]), &conflict)
	if _, err := other.Delete(w.T.Context(), ids[1], Noon(), "not wanted here"); err != nil {
		w.T.Fatal(err)
	}
	got := other.imported(file)
	if len(got.Removed) != 1 || got.Removed[0] != ids[1] || got.Known != 3 {
		w.T.Errorf("what was deleted here came back: %+v", got)
	}
	other.wantGone(ids[1])
	other.alter(manifestKey(ids[0]), []byte("{}"))
	var corrupt *snapshot.ErrCorrupt
	other.wantNothing("a known one is damaged here", file, &corrupt)

	lines := strings.SplitAfter(file, "\n")
	fresh := w.freshAs(storeB)
	for name, bad := range map[string]string{
		"empty": "", "no export": "{}\n", "a part of it": strings.Join(lines[:2], ""), "its end is missing": strings.Join(lines[:len(lines)-2], ""),
		"two lines changed places": lines[0] + lines[2] + lines[1] + strings.Join(lines[3:], ""), "a line twice": lines[0] + lines[1] + strings.Join(lines[1:], ""),
		"more behind it": file + "{}\n", "one word altered": strings.Replace(file, "continue 2", "continue X", 1), "cut in a line": file[:len(file)/2],
		"a later format": strings.Replace(file, `"session_export":1`, `"session_export":2`, 1), "no header": strings.Join(lines[1:], ""),
		"spaces": strings.Replace(file, `{"manifest":`, `{ "manifest":`, 1), "a name more": strings.Replace(file, `{"manifest":`, `{"also":1,"manifest":`, 1),
		"a number altered":         strings.Replace(file, `"number":0`, `"number":5`, 1),
		"the store's name altered": strings.Replace(file, string(w.ID()), string(storeC), 1),
	} {
		fresh.wantNothing(name, bad, snapshot.ErrInvalid)
	}
	_, err := fresh.Import(w.T.Context(), strings.NewReader(file), snapshot.ImportLimits{Bytes: int64(len(file) - 1)})
	if !errors.Is(err, snapshot.ErrTooLarge) {
		w.T.Error(err)
	}
	if _, err = fresh.Import(w.T.Context(), strings.NewReader(file), snapshot.ImportLimits{Lines: 3}); !errors.Is(err, snapshot.ErrTooLarge) {
		w.T.Error(err)
	}
	_, err = fresh.Import(w.T.Context(), &twoFaced{first: file, second: strings.Replace(file, "continue 2", "continue X", 1)}, snapshot.ImportLimits{})
	if !errors.Is(err, snapshot.ErrInvalid) {
		w.T.Error("a file that changed between two readings:", err)
	}
	fresh.WantSound(false)
}

// twoFaced reads differently the second time.
type twoFaced struct {
	first, second string
	r             io.Reader
}

func (f *twoFaced) Read(p []byte) (int, error) {
	if f.r == nil {
		f.r = strings.NewReader(f.first)
	}
	return f.r.Read(p)
}

func (f *twoFaced) Seek(_ int64, whence int) (int64, error) {
	if whence == io.SeekCurrent {
		return 0, nil
	}
	f.r = strings.NewReader(f.second)
	return 0, nil
}

// copyOf is a store that says it is w, and has what w has: anybody who has w's exports can make one.
func copyOf(w *World) *World {
	w.T.Helper()
	c := w.fresh()
	for key, data := range w.raw() {
		if err := c.Objects.PutNew(w.T.Context(), key, []byte(data)); err != nil {
			w.T.Fatal(err)
		}
	}
	return c
}

// importMovesNoHead: whoever has seen an export knows this store's id, and can compute what its next ids will be.
func importMovesNoHead(w *World) {
	ids := w.Chain(main, 3)
	whole := w.export(ids[2])
	stranger := copyOf(w)
	next := stranger.Next(ids[2])
	begun := stranger.First("refs/heads/new")
	abroad := w.freshAs(storeB)
	abroad.imported(stranger.export(next.ID))
	var conflict *snapshot.ErrConflict
	for name, file := range map[string]string{
		"the next snapshot of a path":  stranger.export(next.ID),
		"the first of a path":          stranger.export(begun.ID),
		"a fork":                       stranger.export(stranger.Fork(ids[1]).ID),
		"words for our next save":      stranger.export(stranger.Auto(ids[2]).ID),
		"a snapshot with a false heir": abroad.export(abroad.Fork(next.ID).ID),
	} {
		w.wantNothing(name, file, &conflict)
	}
	w.WantHead(main, ids[2])
	w.WantHead("refs/heads/new", "")

	// What a snapshot that is here was built on may come back.
	w.alter(manifestKey(ids[1]), nil)
	w.alter(manifestKey(ids[0]), nil)
	got := w.imported(whole)
	if len(got.Added) != 2 || got.Known != 1 {
		w.T.Errorf("%+v", got)
	}
	w.WantSound(true)
	w.WantHead(main, ids[2])
}

// Reseal gives the lines of an export a last line that fits them, so that altered files get past it.
func Reseal(file []byte) []byte {
	lines := bytes.SplitAfter(file, []byte("\n"))
	if n := len(lines); n > 0 && len(lines[n-1]) == 0 {
		lines = lines[:n-1]
	}
	if n := len(lines); n > 0 && bytes.HasPrefix(lines[n-1], []byte(`{"end":`)) {
		lines = lines[:n-1]
	}
	body := bytes.Join(lines, nil)
	return fmt.Appendf(body, "{\"end\":{\"lines\":%d,\"sha256\":\"%x\"}}\n", len(lines), sha256.Sum256(body))
}
