package sql

import (
	"context"
	dbsql "database/sql"
	"fmt"
	"strings"

	"session/internal/memory"
)

// Server is a driver of PostgreSQL (package postgres).
type Server interface {
	DB() *dbsql.DB
	Close()
	Code(error) (code, constraint string) // SQLSTATE; "" if the server did not say it
	Connecting(error) bool                // there was no connection yet
	Lost(error) bool                      // the connection went before anything was answered
}

// migrationLock is what migrations wait for each other with, by pg_advisory_lock: one a database.
const migrationLock = 7305805841

// openPostgres makes a pool that connects when it is first used.
func openPostgres(address string, p Patience, with Drivers) (*DB, error) {
	if with.Postgres == nil {
		return nil, fmt.Errorf("%w: PostgreSQL", ErrNotBuiltIn)
	}
	s, err := with.Postgres(address)
	if err != nil { // its text may hold the address
		return nil, fmt.Errorf("%w: %s cannot be understood; it is like postgres://USER:PASSWORD@HOST:PORT/NAME?sslmode=require", ErrURL, Shown(address))
	}
	d := newDB(s.DB(), postgresDialect(s), p)
	d.server, d.drivers = s, with
	return d, nil
}

func postgresDialect(s Server) dialect {
	return dialect{
		name: "postgres",
		words: strings.NewReplacer("/*lock*/", "FOR UPDATE", "/*now*/", "now()",
			"/*now_ms*/", "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)"),
		rows:     64,
		hasTable: `SELECT COUNT(*) FROM pg_tables WHERE schemaname = current_schema() AND tablename = $1`,
		lock:     fmt.Sprintf(`SELECT pg_advisory_xact_lock(%d)`, migrationLock),
		check:    func(context.Context, *dbsql.DB) error { return nil }, // the server's own business
		again:    func(err error) bool { return againPostgres(s.Code(err)) },
		away:     func(err error) bool { return awayPostgres(s, err) },
		explain:  func(err error) error { return explainPostgres(s, err) },
		writers:  1 << 10, // the pool is the limit
	}
}

// slotConstraint is the index that lets one Session have one place.
const slotConstraint = "sessions_slot"

// againPostgres: serialization failure, deadlock, and two Sessions that wanted one place at a time.
func againPostgres(code, constraint string) bool {
	return code == "40001" || code == "40P01" || code == "23505" && constraint == slotConstraint
}

// awayPostgres: what the server says while it stops, starts or has too many clients, and what a connection says that it
// went with.
func awayPostgres(s Server, err error) bool {
	code, _ := s.Code(err)
	switch {
	case code == "57P01", code == "57P02", code == "57P03", code == "53300", code == "55000" && s.Connecting(err), strings.HasPrefix(code, "08"):
		return true
	case code != "":
		return false
	}
	return s.Lost(err)
}

func explainPostgres(s Server, err error) error {
	code, _ := s.Code(err)
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
