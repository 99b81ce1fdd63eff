package file_test

import (
	"crypto/rand"
	"path/filepath"
	"testing"

	"session/internal/atomicfile/atomicfiletest"
	"session/internal/snapshot"
	"session/internal/snapshot/snapshottest"
	"session/internal/store/file"
)

func create(t testing.TB) *file.Store {
	t.Helper()
	return createIn(t, t.TempDir())
}

func createIn(t testing.TB, dir string) *file.Store {
	t.Helper()
	s, err := file.Create(filepath.Join(dir, "session"), file.Options{Random: rand.Reader})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestObjects(t *testing.T) {
	snapshottest.Objects(t, func(t *testing.T) snapshot.Objects { return create(t) })
}

func TestPointers(t *testing.T) {
	snapshottest.Pointers(t, func(t *testing.T) snapshot.Pointers { return create(t) })
}

func TestLeaser(t *testing.T) {
	snapshottest.Leaser(t, func(t *testing.T) snapshot.Leaser { return create(t) })
}

func TestStore(t *testing.T) {
	snapshottest.Store(t, func(t *testing.T) snapshottest.Back {
		s := createIn(t, atomicfiletest.Dir(t))
		return snapshottest.Back{Objects: s, Pointers: s, Leaser: s}
	})
}

func memory(t testing.TB) string { return atomicfiletest.Dir(t) }
