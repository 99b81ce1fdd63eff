package sql

import (
	"context"
	dbsql "database/sql"
	"fmt"
)

// joint is the transaction that everything takes part in which is done with a context that has it.
type joint struct {
	db *DB
	tx tx
}

type jointKey struct{}

// Atomically does all that f does with this database and the context it gets in one transaction: the whole of it, or, with an
// error, nothing. Where others were in the way f runs again from the beginning, so it must not add to what an earlier try
// left outside of the database. Tables of the queue have to be there (Jobs).
func (d *DB) Atomically(ctx context.Context, f func(context.Context) error) error {
	if _, ok := d.joined(ctx); ok {
		return f(ctx)
	}
	return d.write(context.WithValue(ctx, connKey{}, true), func(t tx) error {
		return f(context.WithValue(ctx, jointKey{}, &joint{db: d, tx: t}))
	})
}

// joined is the transaction of this database that a context brings along.
func (d *DB) joined(ctx context.Context) (tx, bool) {
	j, ok := ctx.Value(jointKey{}).(*joint)
	if !ok || j.db != d {
		return tx{}, false
	}
	return j.tx, true
}

// connKey asks for a transaction whose connection others can be handed.
type connKey struct{}

// begin begins a transaction; where a server's connection was asked for, it is kept beside it.
func (d *DB) begin(ctx context.Context, o *dbsql.TxOptions) (t *dbsql.Tx, conn *dbsql.Conn, err error) {
	if d.server == nil || ctx.Value(connKey{}) == nil {
		t, err = d.db.BeginTx(ctx, o)
		return t, nil, err
	}
	if conn, err = d.db.Conn(ctx); err != nil {
		return nil, nil, fmt.Errorf("connect: %w", err)
	}
	if t, err = conn.BeginTx(ctx, o); err != nil {
		_ = conn.Close() // the other error is the one to tell
		return nil, nil, err
	}
	return t, conn, nil
}
