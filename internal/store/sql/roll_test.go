package sql

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"session/internal/lifecycle"
)

// TestAllWorkersTogether: two workers of ten slots each do nineteen jobs that are not urgent, not twenty, as one of twenty
// slots would; what is urgent gets the last place, whichever worker has it; and what waits goes on when there is room.
func TestAllWorkersTogether(t *testing.T) {
	onBoth(t, func(t *testing.T, address string) {
		q := openJobs(t, address)
		const usual, most = 25, 19
		for i := range usual {
			if _, err := q.Add(t.Context(), jobNumber(i), lifecycle.Normal); err != nil {
				t.Fatal(err)
			}
		}
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		begun, hold := make(chan lifecycle.ID, 100), make(chan struct{})
		run := func(ctx context.Context, j Job) error {
			begun <- j.Session
			select {
			case <-hold:
			case <-ctx.Done():
			}
			return ctx.Err()
		}
		nothing := func(context.Context) error { return nil }
		var workers sync.WaitGroup
		var all []*Jobs
		for n := range 2 {
			mine := openJobs(t, address)
			all = append(all, mine)
			workers.Go(func() {
				o := WorkOptions{Slots: 10, Name: fmt.Sprint("w", n), Run: run, Clean: nothing, Tick: nothing, Log: quiet(), Grace: time.Minute}
				if err := mine.Work(ctx, o); err != nil {
					t.Error(err)
				}
			})
		}
		for range most {
			<-begun
		}
		refused(t, all[0].db)
		if _, err := q.Add(t.Context(), jobNumber(100), lifecycle.High); err != nil {
			t.Fatal(err)
		}
		if id := <-begun; id != "s100" {
			t.Errorf("%s began when nineteen of twenty slots were taken", id)
		}
		close(hold)
		for range usual - most {
			<-begun
		}
		stop()
		workers.Wait()
		if n := rows(t, all[0].db); n != 0 {
			t.Errorf("%d workers are on the list, and all have gone", n)
		}
	})
}

// refused wants that there is no place for a job that is not urgent now.
func refused(t *testing.T, d *DB) {
	t.Helper()
	r := &roll{db: d, name: "w0", slots: 10, stale: time.Minute, busy: 9} // w1 has the other ten, or the other way round
	err := d.read(t.Context(), func(t tx) error {
		_, err := t.one(`SELECT busy FROM session_workers WHERE name = 'w0'`, nil, &r.busy)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if ok, err := r.grant(t.Context(), 1); ok != 0 || err != nil {
		t.Errorf("with %d and the other's, one more began: %v %v", r.busy, ok, err)
	}
}

func rows(t *testing.T, d *DB) (n int) {
	t.Helper()
	err := d.read(t.Context(), func(t tx) error {
		_, err := t.one(`SELECT COUNT(*) FROM session_workers`, nil, &n)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestRoll: nine tenths of what living workers have, in all; the dead do not count; many who ask at once get what there is.
func TestRoll(t *testing.T) {
	onBoth(t, func(t *testing.T, address string) {
		d := openJobs(t, address).db
		worker := func(name string, slots int) *roll {
			r := &roll{db: d, name: name, slots: slots, stale: time.Hour}
			if err := r.beat(t.Context()); err != nil {
				t.Fatal(err)
			}
			return r
		}
		dead := worker("dead", 1000)
		err := d.write(t.Context(), func(t tx) error {
			_, err := t.exec(`UPDATE session_workers SET seen_ms = seen_ms - 3600001`)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		all := []*roll{worker("a", 4), worker("b", 4), worker("c", 4)} // twelve: at ten of them, ten twelfths, one more may begin
		var got [3]int
		var asking sync.WaitGroup
		for i, r := range all {
			asking.Go(func() {
				for range 10 {
					n, err := r.grant(t.Context(), 1)
					if err != nil {
						t.Error(err)
					}
					got[i] += n
				}
			})
		}
		asking.Wait()
		if n := got[0] + got[1] + got[2]; n != 11 {
			t.Errorf("%v began, of 12 slots", got)
		}
		all[0].enter(t.Context(), func(err error) { t.Error(err) }) // what is urgent is not held up
		all[0].release(t.Context(), func(err error) { t.Error(err) })
		if err := all[0].leave(t.Context()); err != nil { // and with it four slots: eight are left
			t.Fatal(err)
		}
		if n, _ := all[1].grant(t.Context(), 1); (n == 1) != ((got[1]+got[2])*10 <= 8*9) {
			t.Errorf("%d busy of 8: %d", got[1]+got[2], n)
		}
		if err := dead.beat(t.Context()); err != nil { // it was only slow
			t.Fatal(err)
		}
		if n, err := all[1].grant(t.Context(), 5); n != 5 || err != nil {
			t.Errorf("a thousand slots more, and none is free: %v", err)
		}
	})
}
