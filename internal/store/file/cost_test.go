package file_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"session/internal/snapshot"
	"session/internal/snapshot/snapshottest"
	"session/internal/store/file"
)

// A usual save, 2 KB of words and no new history, takes one block of the disk.
func TestStoragePerSave(t *testing.T) {
	s := create(t)
	w := world(t, s)
	at := w.First(main).ID
	before := usage(t, s.Dir())
	const saves = 100
	for i := range saves {
		r := w.Ask(snapshot.Continue, at)
		r.Bundle.Environment = []byte(fmt.Sprintf(`{"commit":"%040d","files":[%q]}`, i, strings.Repeat("f", 1000)))
		r.Bundle.Context = []byte(fmt.Sprintf(`{"working_on":%q}`, strings.Repeat("w", 1000)))
		r.Bundle.Messages = []byte(`[]`)
		at = w.Make(r).ID
	}
	per := (usage(t, s.Dir()) - before) / saves
	t.Logf("%d bytes a save", per)
	if per > 4200 { // 4096, and a few folders that outgrew their first block
		t.Errorf("%d bytes a save", per)
	}
}

// usage is what a folder takes on the disk.
func usage(t *testing.T, dir string) (n int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		st, err := d.Info()
		if err == nil {
			n += onDisk(st)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// filled is a store with so many snapshots; the many are not synced, they only have to be there.
func filled(b *testing.B, n int) (*snapshottest.World, *file.Store) {
	b.Helper()
	s := create(b)
	w := world(b, s)
	w.First(main)
	text, err := os.ReadFile(filepath.Join(s.Dir(), "snapshots", firstOf(s)[:1], firstOf(s)+".json"))
	if err != nil {
		b.Fatal(err)
	}
	for i := range n {
		id := string(snapshot.FirstID(s.ID(), snapshot.Path(fmt.Sprint("refs/heads/", i))))
		if err := os.WriteFile(filepath.Join(s.Dir(), "snapshots", id[:1], id+".json"), text, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	return w, s
}

func firstOf(s *file.Store) string { return string(snapshot.FirstID(s.ID(), main)) }

// BenchmarkSave is a whole save of 2 KB: find the head, look for autosaves, commit, move the pointer.
func BenchmarkSave(b *testing.B) {
	for _, n := range []int{10, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			w, _ := filled(b, n)
			r := w.Ask(snapshot.Continue, "")
			r.Bundle = snapshottest.Words("", 1800)
			for i := 0; b.Loop(); i++ {
				at, err := w.Head(b.Context(), main)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := w.Pending(b.Context(), at); err != nil {
					b.Fatal(err)
				}
				r.Base, r.RunID = at.Head.ID, fmt.Sprint("b", i)
				w.Make(r)
			}
		})
	}
}

// BenchmarkHead is what load needs: the head and its parts.
func BenchmarkHead(b *testing.B) {
	for _, n := range []int{10, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			w, _ := filled(b, n)
			for b.Loop() {
				at, err := w.Head(b.Context(), main)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := w.Load(b.Context(), at.Head.ID); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkAutosave is the 300th below one base.
func BenchmarkAutosave(b *testing.B) {
	w, _ := filled(b, 10)
	base := snapshot.ID("")
	at, err := w.Head(b.Context(), main)
	if err == nil {
		base = at.Head.ID
	}
	for range 300 {
		w.Auto(base)
	}
	for b.Loop() {
		w.Auto(base)
	}
}

// BenchmarkFollow finds the head of a path of 1,000 snapshots without its pointer.
func BenchmarkFollow(b *testing.B) {
	w := world(b, createIn(b, memory(b)))
	w.Chain(main, 1000)
	if err := w.Pointers.Unpoint(b.Context(), main); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := w.Head(b.Context(), main); err != nil {
			b.Fatal(err)
		}
	}
}
