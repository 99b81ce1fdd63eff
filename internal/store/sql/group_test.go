package sql

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"session/internal/lifecycle"
)

func scratch(t *testing.T) *DB {
	t.Helper()
	d, err := newSQLite(filepath.Join(t.TempDir(), "d.db"), "NORMAL", Patience{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	if err := d.write(t.Context(), statement(`CREATE TABLE seen (n BIGINT PRIMARY KEY)`)); err != nil {
		t.Fatal(err)
	}
	return d
}

func statement(text string, args ...any) func(tx) error {
	return func(t tx) error {
		_, err := t.exec(text, args...)
		return err
	}
}

func count(t *testing.T, d *DB) (n int) {
	t.Helper()
	if err := d.read(t.Context(), func(x tx) error {
		_, err := x.one(`SELECT COUNT(*) FROM seen`, nil, &n)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return n
}

// line lets n write while the turn is taken, so that they wait together, and returns what each was answered.
func line(t *testing.T, d *DB, n int, write func(i int) error) []error {
	t.Helper()
	errs := make([]error, n)
	var all sync.WaitGroup
	d.writer <- struct{}{}
	for i := range n {
		all.Go(func() { errs[i] = write(i) })
	}
	for d.waiting.len() < n { // each has come before the first may go
		runtime.Gosched()
	}
	<-d.writer
	all.Wait()
	return errs
}

func (w *waiting) len() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.all)
}

// TestGroup: what waits is written together, and what one meets is its own: others' work stays.
func TestGroup(t *testing.T) {
	t.Parallel()
	d := scratch(t)
	mine := errors.New("mine")
	errs := line(t, d, 200, func(i int) error {
		return d.write(t.Context(), func(x tx) error {
			if _, err := x.exec(`INSERT INTO seen VALUES ($1)`, i); err != nil {
				return err
			}
			switch i % 4 {
			case 1:
				return mine
			case 2:
				_, err := x.exec(`INSERT INTO seen VALUES ($1)`, i) // a second time
				return err
			}
			return nil
		})
	})
	for i, err := range errs {
		if want := i%4 == 1; errors.Is(err, mine) != want || i%4 != 1 && (err != nil) != (i%4 == 2) {
			t.Errorf("%d: %v", i, err)
		}
	}
	if n := count(t, d); n != 100 {
		t.Errorf("%d rows are there, want 100", n)
	}
}

// TestGroupThatSQLiteEnds: one of a group makes SQLite roll the whole transaction back. It alone hears of it.
func TestGroupThatSQLiteEnds(t *testing.T) {
	t.Parallel()
	d := scratch(t)
	errs := line(t, d, 20, func(i int) error {
		return d.write(t.Context(), func(x tx) error {
			if _, err := x.exec(`INSERT INTO seen VALUES ($1)`, i); err != nil || i != 7 {
				return err
			}
			_, err := x.exec(`INSERT OR ROLLBACK INTO seen VALUES ($1)`, i)
			return err
		})
	})
	for i, err := range errs {
		if (err != nil) != (i == 7) {
			t.Errorf("%d: %v", i, err)
		}
	}
	if n := count(t, d); n != 19 {
		t.Errorf("%d rows are there, want 19", n)
	}
}

// TestGroupLeft: who leaves the line writes nothing; a leader that panics leaves nobody waiting.
func TestGroupLeft(t *testing.T) {
	t.Parallel()
	d := scratch(t)
	d.writer <- struct{}{}
	gone, stop := context.WithCancel(t.Context())
	stop()
	if err := d.write(gone, statement(`INSERT INTO seen VALUES (1)`)); !errors.Is(err, context.Canceled) {
		t.Errorf("left: %v", err)
	}
	<-d.writer
	panics := 0
	var mu sync.Mutex
	errs := line(t, d, 8, func(i int) (err error) {
		defer func() {
			if p := recover(); p != nil {
				mu.Lock()
				defer mu.Unlock()
				panics++
				err = fmt.Errorf("panic: %v", p)
			}
		}()
		return d.write(t.Context(), func(x tx) error { panic("a bug") })
	})
	for i, err := range errs {
		if err == nil {
			t.Errorf("%d: nothing was written, and it was acknowledged", i)
		}
	}
	if panics == 0 || count(t, d) != 0 {
		t.Errorf("%d panics, %d rows", panics, count(t, d))
	}
	if err := d.write(t.Context(), statement(`INSERT INTO seen VALUES (2)`)); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// TestWritersDoNotWaitForReaders: all connections that readers may have are taken, and a writer has one all the same.
func TestWritersDoNotWaitForReaders(t *testing.T) {
	t.Parallel()
	d := scratch(t)
	release := make(chan struct{})
	var readers sync.WaitGroup
	inside := make(chan struct{}, 2*sqliteConns)
	for range 2 * sqliteConns {
		readers.Go(func() {
			if err := d.read(t.Context(), func(tx) error { inside <- struct{}{}; <-release; return nil }); err != nil {
				t.Error(err)
			}
		})
	}
	for range sqliteConns - 1 {
		<-inside
	}
	if err := d.write(t.Context(), statement(`INSERT INTO seen VALUES (1)`)); err != nil {
		t.Error(err)
	}
	close(release)
	readers.Wait()
}

// TestQueueStandsInLine: River's connection writes only when it has the turn, and gives it back, whatever it did.
func TestQueueStandsInLine(t *testing.T) {
	t.Parallel()
	d := scratch(t)
	q, err := d.queueConn()
	if err != nil {
		t.Fatal(err)
	}
	d.writer <- struct{}{} // somebody writes
	late, stop := context.WithCancel(t.Context())
	stop()
	if _, err := q.ExecContext(late, `INSERT INTO seen VALUES (1)`); !errors.Is(err, context.Canceled) {
		t.Errorf("out of turn: %v", err)
	}
	<-d.writer
	for range 3 {
		if _, err := q.ExecContext(t.Context(), `INSERT INTO seen VALUES (1) ON CONFLICT DO NOTHING`); err != nil {
			t.Fatal(err)
		}
		var n int64
		if err := q.QueryRowContext(t.Context(), `INSERT INTO seen VALUES (2) ON CONFLICT (n) DO UPDATE SET n = 2 RETURNING n`).Scan(&n); err != nil || n != 2 {
			t.Fatal(n, err)
		}
		if _, err := q.ExecContext(t.Context(), `INSERT INTO nowhere VALUES (1)`); err == nil {
			t.Error("there is no such table")
		}
		if _, err := q.QueryContext(t.Context(), `SELECT nothing`); err == nil {
			t.Error("there is no such column")
		}
		begun, err := q.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := begun.ExecContext(t.Context(), `INSERT INTO seen VALUES (3)`); err != nil {
			t.Error(err)
		}
		if len(d.writer) != 1 {
			t.Error("a transaction without the turn")
		}
		if err := begun.Rollback(); err != nil {
			t.Error(err)
		}
		if len(d.writer) != 0 {
			t.Fatal("the turn was not given back")
		}
	}
	if n := count(t, d); n != 2 {
		t.Errorf("%d rows, want 2", n)
	}
}

// TestPlaces: where the limit is high, a place is found without looking at all, and the limit holds to the last place.
func TestPlaces(t *testing.T) {
	t.Parallel()
	const limit = 2*few + 3
	r := openRecords(t, sqliteAddress(t), lifecycle.Options{Now: lifecycleNow, Policy: lifecycle.DefaultPolicy(), Limit: limit})
	create := func(i int) error {
		_, err := r.Create(t.Context(), lifecycle.Draft{ID: lifecycle.ID(fmt.Sprintf("s%d", i)), Owner: "ada", Input: "x", Limited: true})
		return err
	}
	for i := range limit {
		if err := create(i); err != nil {
			t.Fatalf("%d of %d: %v", i, limit, err)
		}
	}
	var full *lifecycle.LimitError
	if err := create(limit); !errors.As(err, &full) {
		t.Errorf("one more than the limit: %v", err)
	}
	if _, err := r.Delete(t.Context(), lifecycle.Key{Owner: "ada", ID: "s9"}, 0); err != nil {
		t.Fatal(err)
	}
	if err := create(limit + 1); err != nil {
		t.Errorf("a place that was given back: %v", err)
	}
	less := Records{r.db, r.o}
	less.o.Limit = limit - 20
	if _, err := less.Create(t.Context(), lifecycle.Draft{ID: "less", Owner: "ada", Input: "x", Limited: true}); !errors.As(err, &full) {
		t.Errorf("under a lower limit: %v", err)
	}
}
