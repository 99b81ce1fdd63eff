package snapshottest_test

import (
	"testing"

	"session/internal/snapshot"
	"session/internal/snapshot/snapshottest"
)

func TestMemory(t *testing.T) {
	t.Run("Objects", func(t *testing.T) {
		snapshottest.Objects(t, func(*testing.T) snapshot.Objects { return snapshottest.NewMemory() })
	})
	t.Run("Pointers", func(t *testing.T) {
		snapshottest.Pointers(t, func(*testing.T) snapshot.Pointers { return snapshottest.NewMemory() })
	})
	t.Run("Leaser", func(t *testing.T) {
		snapshottest.Leaser(t, func(*testing.T) snapshot.Leaser { return snapshottest.NewMemory() })
	})
	t.Run("Store", func(t *testing.T) {
		snapshottest.Store(t, func(*testing.T) snapshottest.Back {
			m := snapshottest.NewMemory()
			return snapshottest.Back{Objects: m, Pointers: m, Leaser: m}
		})
	})
}
