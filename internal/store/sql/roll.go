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

	write  sync.Mutex // held while the line is written
	mu     sync.Mutex
	busy   int
	said   int            // what stands in the line
	behind bool           // a job ended, and somebody is about to say so
	saying sync.WaitGroup // that somebody
}

func (r *roll) now() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.busy
}

const (
	signQuery = `INSERT INTO session_workers (name, slots, busy, seen_ms) VALUES ($1, $2, $3, /*now_ms*/)
ON CONFLICT (name) DO UPDATE SET slots = excluded.slots, busy = excluded.busy, seen_ms = excluded.seen_ms`
	// All in one order, so that two workers who count, with /*lock*/, wait for each other.
	countQuery = `SELECT name, slots, busy, seen_ms > /*now_ms*/ - $1 FROM session_workers ORDER BY name`
	leaveQuery = `DELETE FROM session_workers WHERE name = $1 OR seen_ms < /*now_ms*/ - $2`
)

// enter counts one job more that is urgent: nothing holds it up.
func (r *roll) enter(ctx context.Context, failed func(error)) { r.count(ctx, 1, failed) }

// release counts one job less.
func (r *roll) release(ctx context.Context, failed func(error)) { r.count(ctx, -1, failed) }

// count counts here at once; there soon, once for all that begin and end meanwhile. What cannot be said, failed is told,
// and the next beat says.
func (r *roll) count(ctx context.Context, n int, failed func(error)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.busy += n
	if r.behind {
		return
	}
	r.behind = true
	r.saying.Go(func() {
		r.write.Lock()
		defer r.write.Unlock()
		r.mu.Lock()
		r.behind = false
		said := r.said == r.busy
		r.mu.Unlock()
		if said {
			return
		}
		if err := r.db.write(ctx, func(t tx) error { return r.sign(t, r.now()) }); err != nil {
			failed(err)
		}
	})
}

// grant counts up to n jobs more that are not urgent: one by one, as long as no more than nine tenths of all slots are busy.
func (r *roll) grant(ctx context.Context, n int) (granted int, err error) {
	r.write.Lock()
	defer r.write.Unlock()
	err = r.db.write(ctx, func(t tx) error {
		busy, slots, err := r.load(t, countQuery+" /*lock*/")
		if granted = max(0, min(n, slots*9/10+1-busy)); granted == 0 || err != nil {
			return err
		}
		return r.sign(t, r.now()+granted)
	})
	if err != nil {
		return 0, fmt.Errorf("count the jobs of all workers: %w", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.busy += granted
	return granted, nil
}

// room says that some living worker has a free slot.
func (r *roll) room(ctx context.Context) (free bool, err error) {
	err = r.db.read(ctx, func(t tx) error {
		busy, slots, err := r.load(t, countQuery)
		free = busy < slots
		return err
	})
	return free, err
}

// load sums what all living workers do and may do; this one as it says itself.
func (r *roll) load(t tx, query string) (busy, slots int, err error) {
	busy, slots = r.now(), r.slots
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
	if err == nil {
		r.mu.Lock()
		r.said = busy
		r.mu.Unlock()
	}
	return err
}

// beat says that the worker lives, and sets right what could not be written.
func (r *roll) beat(ctx context.Context) error {
	r.write.Lock()
	defer r.write.Unlock()
	return r.db.write(ctx, func(t tx) error { return r.sign(t, r.now()) })
}

// leave takes the worker off the list, and those that died.
func (r *roll) leave(ctx context.Context) error {
	r.saying.Wait()
	return r.db.write(ctx, func(t tx) error {
		_, err := t.exec(leaveQuery, r.name, 100*r.stale.Milliseconds())
		return err
	})
}
