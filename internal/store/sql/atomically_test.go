package sql

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"session/internal/lifecycle"
)

// TestAtomically: a Session, its plan and its job are there together or not at all, also where many write at once.
func TestAtomically(t *testing.T) {
	onBoth(t, func(t *testing.T, address string) {
		q := openJobs(t, address)
		r, err := q.db.Records(t.Context(), lifecycle.Options{Now: lifecycleNow, Policy: lifecycle.DefaultPolicy()})
		if err != nil {
			t.Fatal(err)
		}
		broken := errors.New("broken off")
		write := func(n int, breaks bool) error {
			j := jobNumber(n)
			return q.db.Atomically(t.Context(), func(ctx context.Context) error {
				s, err := r.Create(ctx, lifecycle.Draft{ID: j.Session, Owner: j.Owner, Input: "x"})
				if err != nil {
					return err
				}
				if _, err := r.Revise(ctx, s.Key(), lifecycle.Revision{Plan: "p", Todos: []lifecycle.Todo{{ID: "a", Title: "a"}}}); err != nil {
					return err
				}
				if seen, err := r.Get(ctx, s.Key()); err != nil || seen.PlanVersion != 1 {
					return fmt.Errorf("what was written is not seen: %+v %w", seen, err)
				}
				fresh, err := q.Add(ctx, j, lifecycle.Normal)
				if err != nil || !fresh {
					return fmt.Errorf("%v %w", fresh, err)
				}
				if breaks {
					return broken
				}
				return nil
			})
		}
		const many = 20
		var all sync.WaitGroup
		for n := range many {
			all.Go(func() {
				if err := write(n, n%2 == 1); (n%2 == 1) != errors.Is(err, broken) || n%2 == 0 && err != nil {
					t.Errorf("%d: %v", n, err)
				}
			})
		}
		all.Wait()
		for n := range many {
			_, err := r.Get(t.Context(), lifecycle.Key{Owner: "ann", ID: jobNumber(n).Session})
			if (n%2 == 1) != errors.Is(err, lifecycle.ErrNotFound) {
				t.Errorf("session %d: %v", n, err)
			}
		}
		if waiting, _, err := q.Waiting(t.Context()); err != nil || waiting != many/2 {
			t.Errorf("%d jobs wait: %v", waiting, err)
		}
		if err := write(0, false); !errors.Is(err, lifecycle.ErrTaken) {
			t.Errorf("an id was given twice: %v", err)
		}
	})
}
