package sql

import (
	"context"
	dbsql "database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"

	"session/internal/memory"
)

// shared is what only a database on a server has: one pool of connections, under database/sql and under the queue.
type shared struct {
	pool *pgxpool.Pool
}

const (
	migrationLock = 7305805841 // of pg_advisory_lock, one a database
	postgresConns = 16         // of one process, unless the address says pool_max_conns
)

// openPostgres makes a pool that connects when it is first used.
func openPostgres(address string, p Patience) (*DB, error) {
	c, err := pgxpool.ParseConfig(address)
	if err != nil { // its text may hold the address
		return nil, fmt.Errorf("%w: %s cannot be understood; it is like postgres://USER:PASSWORD@HOST:PORT/NAME?sslmode=require", ErrURL, Shown(address))
	}
	if !strings.Contains(address, "pool_max_conns=") {
		c.MaxConns = postgresConns
	}
	if c.ConnConfig.RuntimeParams["application_name"] == "" {
		c.ConnConfig.RuntimeParams["application_name"] = "session"
	}
	pool, err := pgxpool.NewWithConfig(context.Background(), c) // of its background work, which Close ends
	if err != nil {
		return nil, fmt.Errorf("%w: %s", ErrURL, Shown(address))
	}
	d := newDB(stdlib.OpenDBFromPool(pool), postgresDialect(), p)
	d.shared = &shared{pool}
	return d, nil
}

func postgresDialect() dialect {
	return dialect{
		name:     "postgres",
		words:    strings.NewReplacer("/*lock*/", "FOR UPDATE", "/*now*/", "now()"),
		rows:     64,
		hasTable: `SELECT COUNT(*) FROM pg_tables WHERE schemaname = current_schema() AND tablename = $1`,
		lock:     fmt.Sprintf(`SELECT pg_advisory_xact_lock(%d)`, migrationLock),
		check:    func(context.Context, *dbsql.DB) error { return nil }, // the server's own business
		again:    againPostgres,
		away:     awayPostgres,
		explain:  explainPostgres,
		writers:  1 << 10, // the pool is the limit
	}
}

// postgresCode is PostgreSQL's SQLSTATE; "" if the server did not say err.
func postgresCode(err error) (code, constraint string) {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code, e.ConstraintName
	}
	return "", ""
}

// slotConstraint is the index that lets one Session have one place.
const slotConstraint = "sessions_slot"

// againPostgres: serialization failure, deadlock, and two Sessions that wanted one place at a time.
func againPostgres(err error) bool {
	code, constraint := postgresCode(err)
	return code == "40001" || code == "40P01" || code == "23505" && constraint == slotConstraint
}

// awayPostgres: what the server says while it stops, starts or has too many clients, and what a connection says that it
// went with.
func awayPostgres(err error) bool {
	code, _ := postgresCode(err)
	switch {
	case code == "57P01", code == "57P02", code == "57P03", code == "53300", code == "55000" && connecting(err), strings.HasPrefix(code, "08"):
		return true
	case code != "":
		return false
	}
	var network net.Error
	return connecting(err) || pgconn.SafeToRetry(err) || errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, driver.ErrBadConn) || errors.Is(err, net.ErrClosed) || pgconn.Timeout(err)
}

// connecting says that there was no connection yet.
func connecting(err error) bool {
	var e *pgconn.ConnectError
	return errors.As(err, &e)
}

func explainPostgres(err error) error {
	code, _ := postgresCode(err)
	switch {
	case code == "25006":
		return fmt.Errorf("%w: %w", ErrReadOnly, err)
	case code == "53100", code == "53200":
		return fmt.Errorf("%w: %w", ErrFull, err)
	case code == "57014", code == "55P03": // by the server's own time limits
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	case strings.HasPrefix(code, "XX"):
		return fmt.Errorf("%w: %w", memory.ErrDamaged, err)
	}
	return err
}
