// Package postgres is the driver of PostgreSQL for package sql: one pool of pgx's connections, under database/sql and under
// the queue, and what its errors mean. It knows no table.
package postgres

import (
	"context"
	dbsql "database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
)

// conns are those of one process, unless the address says pool_max_conns.
const conns = 16

// Server is a database on a server.
type Server struct {
	Pool *pgxpool.Pool
	db   *dbsql.DB
}

// Open makes a pool that connects when it is first used. Its errors may hold the address, with its password.
func Open(address string) (*Server, error) {
	c, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, err
	}
	if !strings.Contains(address, "pool_max_conns=") {
		c.MaxConns = conns
	}
	if c.ConnConfig.RuntimeParams["application_name"] == "" {
		c.ConnConfig.RuntimeParams["application_name"] = "session"
	}
	pool, err := pgxpool.NewWithConfig(context.Background(), c) // of its background work, which Close ends
	if err != nil {
		return nil, err
	}
	return &Server{pool, stdlib.OpenDBFromPool(pool)}, nil
}

// DB is the pool as database/sql knows it.
func (s *Server) DB() *dbsql.DB { return s.db }

// Close closes the pool. DB is closed by whoever has it.
func (s *Server) Close() { s.Pool.Close() }

// Code is PostgreSQL's SQLSTATE; "" if the server did not say err.
func (s *Server) Code(err error) (code, constraint string) {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code, e.ConstraintName
	}
	return "", ""
}

// Connecting says that there was no connection yet.
func (s *Server) Connecting(err error) bool {
	var e *pgconn.ConnectError
	return errors.As(err, &e)
}

// Lost says that a connection went before anything was answered.
func (s *Server) Lost(err error) bool {
	var network net.Error
	return s.Connecting(err) || pgconn.SafeToRetry(err) || errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, driver.ErrBadConn) || errors.Is(err, net.ErrClosed) || pgconn.Timeout(err)
}
