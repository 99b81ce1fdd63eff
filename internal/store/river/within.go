package river

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

type pgxConn = pgx.Conn

// within is a transaction of somebody else's on a connection, as River wants to see one: it does not end here. One that
// River begins in it is a savepoint.
type within struct {
	*pgxConn
	depth int // of savepoints
	over  bool
}

var _ pgx.Tx = (*within)(nil)

var errNotOurs = errors.New("the transaction ends elsewhere")

func (w *within) savepoint() string { return fmt.Sprintf("session_%d", w.depth) }

// Begin implements pgx.Tx.
func (w *within) Begin(ctx context.Context) (pgx.Tx, error) {
	inner := &within{pgxConn: w.pgxConn, depth: w.depth + 1}
	if _, err := w.Exec(ctx, "savepoint "+inner.savepoint()); err != nil {
		return nil, err
	}
	return inner, nil
}

// Commit implements pgx.Tx.
func (w *within) Commit(ctx context.Context) error { return w.end(ctx, "release savepoint ") }

// Rollback implements pgx.Tx.
func (w *within) Rollback(ctx context.Context) error { return w.end(ctx, "rollback to savepoint ") }

func (w *within) end(ctx context.Context, how string) error {
	switch {
	case w.depth == 0:
		return errNotOurs
	case w.over:
		return pgx.ErrTxClosed
	}
	w.over = true
	_, err := w.Exec(ctx, how+w.savepoint())
	return err
}

// LargeObjects implements pgx.Tx; River has none.
func (w *within) LargeObjects() pgx.LargeObjects { return pgx.LargeObjects{} }

// Conn implements pgx.Tx.
func (w *within) Conn() *pgx.Conn { return w.pgxConn }
