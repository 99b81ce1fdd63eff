package sql

import (
	"context"
	dbsql "database/sql"
	"errors"
	"slices"
	"sync"
)

// Where one may write at a time, most of a short transaction is its beginning and its end: locks, and a wait for the disk.
// So whoever gets the turn takes along what waits behind it: all of it is one transaction, each part in a savepoint of its
// own, and none is answered before the whole is committed.

// group is how many wait together at most: one that comes last must not wait for long.
const group = 64

// errAborted is for those in a group whose leader panicked.
var errAborted = errors.New("another transaction of the same group broke off")

// writing is one that waits for its turn, or is done.
type writing struct {
	ctx  context.Context
	f    func(tx) error
	done chan error // holds one
}

// waiting are those that nobody has taken along yet, in the order in which they came.
type waiting struct {
	mu  sync.Mutex
	all []*writing
}

func (w *waiting) add(x *writing) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = append(w.all, x)
}

func (w *waiting) take() []*writing {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := min(len(w.all), group)
	taken := slices.Clone(w.all[:n])
	w.all = slices.Delete(w.all, 0, n)
	return taken
}

// leave takes one out. false: somebody has taken it along.
func (w *waiting) leave(x *writing) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	i := slices.Index(w.all, x)
	if i >= 0 {
		w.all = slices.Delete(w.all, i, i+1)
	}
	return i >= 0
}

// write runs f in a transaction that no other writer is in, but those that come before and after f in it.
func (d *DB) write(ctx context.Context, f func(tx) error) error {
	if t, ok := d.joined(ctx); ok {
		return f(t)
	}
	d.wrote.Store(true)
	if d.dialect.writers > 1 {
		return d.in(ctx, &dbsql.TxOptions{}, f)
	}
	x := &writing{ctx, f, make(chan error, 1)}
	d.waiting.add(x)
	for {
		select {
		case err := <-x.done:
			return err
		case d.writer <- struct{}{}:
			d.lead()
		case <-ctx.Done():
			if d.waiting.leave(x) {
				return ctx.Err()
			}
			return <-x.done // it is being written
		}
	}
}

// lead has the turn, and gives it back.
func (d *DB) lead() {
	defer func() { <-d.writer }()
	all := d.waiting.take()
	errs := make([]error, len(all))
	for i := range errs {
		errs[i] = errAborted
	}
	defer func() {
		for i, x := range all {
			x.done <- errs[i]
		}
	}()
	if len(all) == 1 || !d.together(all, errs) {
		for i, x := range all {
			errs[i] = d.in(x.ctx, &dbsql.TxOptions{}, x.f)
		}
	}
}

// together writes all in one transaction. false: that cannot be, and nothing is written. It ends with no context of theirs:
// to stop one would take the others' work back.
func (d *DB) together(all []*writing, errs []error) bool {
	if len(all) == 0 {
		return true
	}
	whole := true
	err := d.in(context.WithoutCancel(all[0].ctx), &dbsql.TxOptions{}, func(t tx) error {
		whole = true
		for i, x := range all {
			if errs[i] = x.ctx.Err(); errs[i] != nil {
				continue
			}
			if _, err := t.exec("SAVEPOINT part"); err != nil {
				return err
			}
			end := "RELEASE part"
			if errs[i] = x.f(t); errs[i] != nil {
				end = "ROLLBACK TO part; RELEASE part"
			}
			if _, err := t.exec(end); err != nil {
				whole = false // SQLite has ended the transaction by itself, for what one of them met
				return err
			}
		}
		return nil
	})
	for i := range errs {
		if err != nil {
			errs[i] = err
		} else if errs[i] != nil {
			errs[i] = d.explain(all[i].ctx, errs[i])
		}
	}
	return whole
}
