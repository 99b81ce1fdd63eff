package sql

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
)

// inLine makes connections that stand in the line of those who write. River has one of its own; where it and the writers
// of Sessions only met in the file, SQLite would let each wait by trying again now and then, and who writes without pause
// leaves nobody else a chance.
type inLine struct {
	driver.Connector
	line chan struct{}
}

// Connect implements driver.Connector.
func (l inLine) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := l.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	conn, ok := c.(sqliteConnection)
	if !ok {
		return nil, errors.Join(errors.New("the SQLite driver's connections are not what they were"), c.Close())
	}
	return &linedUp{sqliteConnection: conn, line: l.line}, nil
}

// sqliteConnection is what a connection of modernc.org/sqlite 1.60 can do, as far as database/sql asks.
type sqliteConnection interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ExecerContext
	driver.QueryerContext
	driver.SessionResetter
	driver.Validator
}

// linedUp is a connection that has the turn to write whenever it does something. It is used by one goroutine at a time.
type linedUp struct {
	sqliteConnection
	line chan struct{}
	in   bool // a transaction, which has the turn
}

// turn waits for the turn; the returned function gives it back. Inside a transaction it is there already.
func (c *linedUp) turn(ctx context.Context) (done func(), err error) {
	if c.in {
		return func() {}, nil
	}
	if err := turn(ctx, c.line); err != nil {
		return nil, err
	}
	return func() { <-c.line }, nil
}

// BeginTx implements driver.ConnBeginTx.
func (c *linedUp) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	done, err := c.turn(ctx)
	if err != nil {
		return nil, err
	}
	t, err := c.sqliteConnection.BeginTx(ctx, o)
	if err != nil {
		done()
		return nil, err
	}
	c.in = true
	return &linedUpTx{t, func() { c.in = false; done() }}, nil
}

// linedUpTx gives the turn back at its end, whichever that is.
type linedUpTx struct {
	driver.Tx
	done func()
}

// Commit implements driver.Tx. After an error of it the driver has rolled back.
func (t *linedUpTx) Commit() error {
	defer t.done()
	return t.Tx.Commit()
}

// Rollback implements driver.Tx.
func (t *linedUpTx) Rollback() error {
	defer t.done()
	return t.Tx.Rollback()
}

// ExecContext implements driver.ExecerContext.
func (c *linedUp) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	done, err := c.turn(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	return c.sqliteConnection.ExecContext(ctx, query, args)
}

// QueryContext implements driver.QueryerContext. It has the turn until its rows are closed: what it writes (RETURNING) is
// committed then.
func (c *linedUp) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	done, err := c.turn(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := c.sqliteConnection.QueryContext(ctx, query, args)
	if err != nil {
		done()
		return nil, err
	}
	return &linedUpRows{Rows: rows, done: done}, nil
}

type linedUpRows struct {
	driver.Rows
	done   func()
	closed bool
}

// Next implements driver.Rows.
func (r *linedUpRows) Next(dest []driver.Value) error {
	if r.closed {
		return io.EOF
	}
	return r.Rows.Next(dest)
}

// Close implements driver.Rows.
func (r *linedUpRows) Close() error {
	if r.closed {
		return nil
	}
	r.closed = true
	defer r.done()
	return r.Rows.Close()
}
