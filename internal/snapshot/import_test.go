package snapshot_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"session/internal/canon"
	"session/internal/snapshot"
	"session/internal/snapshot/snapshottest"
)

// A file can make every id the end of a long way past tombstones. It is refused before that costs the square of its size.
func TestImportTakesLinearTime(t *testing.T) {
	w := snapshottest.InMemory(t)
	base := w.First(main)
	var file bytes.Buffer
	if err := w.Export(t.Context(), &file, base.ID); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(file.String(), "\n")
	var out strings.Builder
	out.WriteString(lines[0])
	id := base.ID
	for range 3000 {
		id = snapshot.NextID(w.ID(), id)
		raw, err := canon.Marshal(snapshot.Tombstone{ID: id, Parent: base.ID, Line: base.ID, Path: main, Kind: snapshot.Continue, Depth: 1,
			RunID: "r", Digest: strings.Repeat("0", 64), Removed: snapshottest.Noon(), Why: "x"})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "{\"tombstone\":%s}\n", raw)
	}
	out.WriteString(lines[1])
	m := snapshottest.NewMemory()
	b := snapshottest.NewWorldAs(t, snapshottest.Back{Objects: m, Pointers: m, Leaser: m}, storeB)
	_, err := b.Import(t.Context(), bytes.NewReader(snapshottest.Reseal([]byte(out.String()))), snapshot.ImportLimits{Lines: 4000})
	if !errors.Is(err, snapshot.ErrTooLarge) || len(objects(t, m)) != 0 {
		t.Errorf("%v", err)
	}
}

// An export may begin anywhere in what it is read from.
func TestImportReadsFromWhereItStands(t *testing.T) {
	w := snapshottest.InMemory(t)
	base := w.First(main)
	var file bytes.Buffer
	file.WriteString("something before\n")
	at := file.Len()
	if err := w.Export(t.Context(), &file, base.ID); err != nil {
		t.Fatal(err)
	}
	r := bytes.NewReader(file.Bytes())
	if _, err := r.Seek(int64(at), 0); err != nil {
		t.Fatal(err)
	}
	m := snapshottest.NewMemory()
	b := snapshottest.NewWorldAs(t, snapshottest.Back{Objects: m, Pointers: m, Leaser: m}, storeB)
	if got, err := b.Import(t.Context(), r, snapshot.ImportLimits{}); err != nil || len(got.Added) != 1 {
		t.Error(got, err)
	}
}
