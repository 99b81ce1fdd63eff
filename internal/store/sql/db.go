// Package sql keeps tables in a relational database: SQLite, embedded in the program, or PostgreSQL, shared.
//
// There is one schema and one text of each query for both (memory.sql, migrations/). What they have in common carries
// far: $1 parameters in the order of their first use, ON CONFLICT, RETURNING, FILTER. Times are BIGINT milliseconds since
// 1970, ids are TEXT made by the client, JSON is TEXT, and what must be compared as bytes is BYTEA, which is BLOB enough
// for SQLite. The few words that differ stand as comments in the texts (/*clustered*/, /*lock*/, /*now*/, /*now_ms*/,
// /*bytes(*/), and a dialect says what they become.
//
// The schema has parts (memory, lifecycle, queue), and a database gets a part when it is first asked for it: the file of a
// work tree's memory carries no tables of a queue. Each part only moves forward: migrations are numbered files, each runs
// once, in a transaction, and never changes after release. Twenty processes may begin with an empty database together.
//
// What goes wrong between here and the database is one of ErrUnavailable (nothing of the call is recorded), ErrUncertain
// (look before trying again), ErrReadOnly and memory.ErrDamaged; a transaction that certainly has done nothing is tried
// again for a while by itself.
package sql

import (
	"cmp"
	"context"
	dbsql "database/sql"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// DB is an open database, with its schema as this program knows it. It may be used by many goroutines.
type DB struct {
	db      *dbsql.DB
	dialect dialect
	// writer lets one goroutine write at a time where the database would let them wait for each other by polling.
	writer  chan struct{}
	server  Server // PostgreSQL; nil for SQLite
	drivers Drivers
	file    string // SQLite
	// keepsLog says that the write-ahead log stays when the database closes; wrote, that this process made it longer.
	keepsLog bool
	wrote    atomic.Bool
	opening  sync.Mutex  // of queue
	queue    *dbsql.DB   // SQLite: River's own connection, once there is a queue
	reach    atomic.Bool // it was there once
	wait     Patience
	waiting  waiting // for the turn to write
	// readers leaves connections to who writes: one that holds the turn to write never waits behind those who read.
	readers chan struct{}
}

// dialect is what differs between two databases.
type dialect struct {
	name     string
	words    *strings.Replacer                      // of the texts
	rows     int                                    // how many an INSERT takes at its best
	hasTable string                                 // query: 1 if there is a table of this name
	lock     string                                 // statement that makes migrations wait for each other, if BEGIN does not
	check    func(context.Context, *dbsql.DB) error // the database's own test of its storage
	again    func(error) bool                       // another transaction was in the way, and this one has done nothing
	away     func(error) bool                       // the database cannot be reached now, and this transaction has done nothing
	explain  func(error) error                      // makes the driver's errors into ones that callers know
	writers  int                                    // goroutines of one process that may write at a time
	readers  int                                    // and read, fewer than there are connections; 0: usualReaders
}

// usualReaders leaves a quarter of a server's 16 connections to who writes.
const usualReaders = 12

func newDB(db *dbsql.DB, d dialect, p Patience) *DB {
	return &DB{db: db, dialect: d, writer: make(chan struct{}, d.writers), readers: make(chan struct{}, cmp.Or(d.readers, usualReaders)), wait: p.filled()}
}

// Close waits for what is running and closes the database.
func (d *DB) Close() error {
	err := errors.Join(d.settle(), d.db.Close())
	if d.queue != nil {
		err = errors.Join(err, d.queue.Close())
	}
	if d.server != nil {
		d.server.Close()
	}
	if err != nil {
		return fmt.Errorf("close the database: %w", d.dialect.explain(err))
	}
	return nil
}

// turn waits for one of the places of a line. Who came first goes first.
func turn(ctx context.Context, line chan struct{}) error {
	select {
	case line <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// read runs f over one state of the database.
func (d *DB) read(ctx context.Context, f func(tx) error) error {
	if t, ok := d.joined(ctx); ok {
		return f(t)
	}
	if err := turn(ctx, d.readers); err != nil {
		return err
	}
	defer func() { <-d.readers }()
	return d.in(ctx, &dbsql.TxOptions{ReadOnly: true, Isolation: dbsql.LevelRepeatableRead}, f)
}

// in runs f in a transaction, and once more from the beginning while the database says that others were in the way, or that
// it is away for a moment. So f must not add to what an earlier try left.
func (d *DB) in(ctx context.Context, o *dbsql.TxOptions, f func(tx) error) error {
	var waited time.Duration
	for try := 1; ; try++ {
		answer, stop := context.WithTimeoutCause(ctx, d.wait.Answer, errSlow)
		committed, err := d.once(answer, o, f)
		slow := ctx.Err() == nil && context.Cause(answer) == errSlow
		stop()
		switch {
		case err == nil:
			d.reach.Store(true)
			return nil
		case ctx.Err() != nil && !committed:
			return ctx.Err()
		case slow:
			err = fmt.Errorf("%w (%v)", errSlow, d.wait.Answer)
		case try < tries && d.dialect.again(err):
			continue
		}
		if committed && (slow || ctx.Err() != nil || d.dialect.away(err)) {
			return fmt.Errorf("%w: %w", ErrUncertain, err)
		}
		if slow || d.dialect.away(err) {
			if pause := d.pause(try, slow, waited); pause > 0 && d.wait.Sleep(ctx, pause) == nil {
				waited += pause
				continue
			}
			return d.unavailable(ctx, err)
		}
		return d.explain(ctx, err)
	}
}

const tries = 100

// pause is for how long to wait before the next try; 0: it is not worth one. Where nobody ever answered, the address is
// more likely to be wrong than the database to be starting.
func (d *DB) pause(try int, slow bool, waited time.Duration) time.Duration {
	pause := min(20*time.Millisecond<<min(try, 5), d.wait.Away-waited)
	if slow || !d.reach.Load() || pause <= 0 {
		return 0
	}
	return pause
}

func (d *DB) unavailable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("%w: %w", ErrUnavailable, d.dialect.explain(err))
}

// once says, beside an error, whether it may have come after all was done.
func (d *DB) once(ctx context.Context, o *dbsql.TxOptions, f func(tx) error) (committed bool, err error) {
	t, conn, err := d.begin(ctx, o)
	if err != nil {
		return false, err
	}
	if conn != nil {
		defer conn.Close()
	}
	panics := true
	defer func() {
		if panics {
			_ = undo(t) // the panic goes on; a transaction that stayed open would stop everybody
		}
	}()
	err = f(tx{ctx, t, conn, d.dialect.words, d.dialect.rows})
	panics = false
	if err != nil {
		return false, errors.Join(err, undo(t))
	}
	return !o.ReadOnly, t.Commit()
}

// undo rolls back. A transaction that the driver has ended by itself needs no more.
func undo(t *dbsql.Tx) error {
	if err := t.Rollback(); !errors.Is(err, dbsql.ErrTxDone) {
		return err
	}
	return nil
}

// explain prefers the reason that the caller gave for stopping to whatever the driver made of it.
func (d *DB) explain(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return d.dialect.explain(err)
}

// tx is a transaction, with the texts of queries in its dialect.
type tx struct {
	ctx   context.Context
	tx    *dbsql.Tx
	conn  *dbsql.Conn // that it runs on, where that was asked for
	words *strings.Replacer
	rows  int
}

func (t tx) exec(text string, args ...any) (rows int64, err error) {
	r, err := t.tx.ExecContext(t.ctx, t.words.Replace(text), args...)
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

// one scans the one row of a query into dest; false if there is none.
func (t tx) one(text string, args []any, dest ...any) (bool, error) {
	err := t.tx.QueryRowContext(t.ctx, t.words.Replace(text), args...).Scan(dest...)
	if errors.Is(err, dbsql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// each calls f for every row of a query, with a function that scans it.
func (t tx) each(text string, args []any, f func(scan func(...any) error) error) error {
	rows, err := t.tx.QueryContext(t.ctx, t.words.Replace(text), args...)
	if err != nil {
		return err
	}
	return eachRow(rows, f)
}

func eachRow(rows *dbsql.Rows, f func(scan func(...any) error) error) (err error) {
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := f(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (t tx) prepare(text string) (*dbsql.Stmt, error) {
	return t.tx.PrepareContext(t.ctx, t.words.Replace(text))
}

// named reads a file of queries: each begins with a line "-- name: x".
func named(file string) map[string]string {
	queries := map[string]string{}
	for _, part := range strings.Split("\n"+file, "\n-- name: ")[1:] {
		name, text, _ := strings.Cut(part, "\n")
		queries[name] = strings.TrimSpace(text)
	}
	return queries
}
