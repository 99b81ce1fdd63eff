package sql

import (
	"fmt"
	"testing"

	"session/internal/lifecycle"
)

// TestUnbegun finds all that may run and has no checkpoint, of every owner, on as many pages as it takes.
func TestUnbegun(t *testing.T) {
	onBoth(t, func(t *testing.T, address string) {
		r := openRecords(t, address, lifecycle.Options{Now: lifecycleNow})
		change := func(k lifecycle.Key, causes ...lifecycle.Cause) {
			for _, c := range causes {
				if _, err := r.Change(t.Context(), k, lifecycle.Change{Cause: c}); err != nil {
					t.Fatal(err)
				}
			}
		}
		const many = 1003
		for n := range many {
			k := lifecycle.Key{Owner: lifecycle.Owner(fmt.Sprintf("u%d", n%7)), ID: lifecycle.ID(fmt.Sprintf("s%04d", n))}
			if _, err := r.Create(t.Context(), lifecycle.Draft{ID: k.ID, Owner: k.Owner}); err != nil {
				t.Fatal(err)
			}
			switch n {
			case 1:
				change(k, lifecycle.Start, lifecycle.Complete)
			case 2:
				change(k, lifecycle.Start, lifecycle.Pause, lifecycle.Cancel)
			case 3:
				change(k, lifecycle.Start, lifecycle.Fail) // it may be resumed
			case 4:
				change(k, lifecycle.Start)
				if _, err := r.Checkpoint(t.Context(), k, "", "snap", ""); err != nil {
					t.Fatal(err)
				}
			}
		}
		all, err := r.db.Unbegun(t.Context())
		seen := map[lifecycle.ID]bool{}
		for _, s := range all {
			seen[s.ID] = true
		}
		if err != nil || len(all) != many-3 || len(seen) != many-3 || seen["s0001"] || seen["s0002"] || seen["s0004"] || !seen["s0003"] {
			t.Errorf("%d found, %d of them once: %v", len(all), len(seen), err)
		}
	})
}
