package sql

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// roll is one worker's line in the list of all workers of a database. By it, above nine tenths of all slots, whoever they
// belong to, only urgent jobs start (seed 004 §7.2).
type roll struct {
	db    *DB
	name  string
	slots int
	stale time.Duration // since when a worker counts as dead that has not been seen

	mu   sync.Mutex // held while the list is written: busy is what stands there
	busy int
}

const (
	signQuery = `INSERT INTO session_workers (name, slots, busy, seen_ms) VALUES ($1, $2, $3, /*now_ms*/)
ON CONFLICT (name) DO UPDATE SET slots = excluded.slots, busy = excluded.busy, seen_ms = excluded.seen_ms`
	// All in one order, so that two workers who count, with /*lock*/, wait for each other.
	countQuery = `SELECT name, slots, busy, seen_ms > /*now_ms*/ - $1 FROM session_workers ORDER BY name`
	leaveQuery = `DELETE FROM session_workers WHERE name = $1 OR seen_ms < /*now_ms*/ - $2`
)

// claim counts one more job, unless it is not urgent and more than nine tenths of all slots are busy.
func (r *roll) claim(ctx context.Context, urgent bool) (ok bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	err = r.db.write(ctx, func(t tx) error {
		if ok = urgent; !ok {
			busy, slots, err := r.load(t, countQuery+" /*lock*/")
			if ok = busy*10 <= slots*9; !ok || err != nil {
				return err
			}
		}
		return r.sign(t, r.busy+1)
	})
	if err != nil {
		return false, fmt.Errorf("count the jobs of all workers: %w", err)
	}
	if ok {
		r.busy++
	}
	return ok, nil
}

// room says that some living worker has a free slot.
func (r *roll) room(ctx context.Context) (free bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	err = r.db.read(ctx, func(t tx) error {
		busy, slots, err := r.load(t, countQuery)
		free = busy < slots
		return err
	})
	return free, err
}

// load sums what all living workers do and may do; this one as it says itself.
func (r *roll) load(t tx, query string) (busy, slots int, err error) {
	busy, slots = r.busy, r.slots
	err = t.each(query, []any{r.stale.Milliseconds()}, func(scan func(...any) error) error {
		var name string
		var its, may int
		var alive bool
		if err := scan(&name, &may, &its, &alive); err != nil {
			return err
		}
		if alive && name != r.name {
			busy, slots = busy+its, slots+may
		}
		return nil
	})
	return busy, slots, err
}

func (r *roll) sign(t tx, busy int) error {
	_, err := t.exec(signQuery, r.name, r.slots, busy)
	return err
}

// beat says that the worker lives, and sets right what could not be written.
func (r *roll) beat(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.db.write(ctx, func(t tx) error { return r.sign(t, r.busy) })
}

// release counts one job less, here at once; where the database is away, there with the next beat.
func (r *roll) release(ctx context.Context) error {
	r.mu.Lock()
	r.busy--
	r.mu.Unlock()
	return r.beat(ctx)
}

// leave takes the worker off the list, and those that died.
func (r *roll) leave(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.db.write(ctx, func(t tx) error {
		_, err := t.exec(leaveQuery, r.name, 100*r.stale.Milliseconds())
		return err
	})
}
