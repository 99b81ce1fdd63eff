// Package service is what the program session-service has, and session has not: the service and the clients of servers.
package service

import (
	"context"
	dbsql "database/sql"
	"errors"
	"io"
	"time"

	"session/commands"
	"session/internal/app"
	"session/internal/mcp"
	"session/internal/proc"
	"session/internal/server"
	"session/internal/snapshot"
	"session/internal/store/postgres"
	"session/internal/store/redis"
	"session/internal/store/river"
	"session/internal/store/s3"
	"session/internal/store/sql"
)

// Parts are all of them.
func Parts() commands.Parts {
	return commands.Parts{Adapters: Adapters(), Serve: serve, MCP: mcp.Serve}
}

// Adapters are the clients of servers.
func Adapters() app.Adapters {
	return app.Adapters{Objects: objects, Coordinate: coordinate, Database: sql.Drivers{Postgres: database, Queue: queue}}
}

func objects(ctx context.Context, url string, o app.ObjectsOptions) (*snapshot.Store, error) {
	at, err := s3.ParseURL(url, o.Getenv)
	if err != nil {
		return nil, &app.UsageError{Err: err}
	}
	at.Prefix += o.Project + "/"
	open := s3.Open
	if o.Make {
		open = s3.Create
	}
	store, err := open(ctx, at, s3.Options{Random: o.Random})
	if err != nil {
		return nil, err
	}
	return store.Snapshots()
}

// coordinator is a Redis as app.Coordinator: its leases are of that interface's type.
type coordinator struct{ *redis.Client }

// Leases implements app.Coordinator.
func (c coordinator) Leases(store snapshot.StoreID) snapshot.Leaser { return c.Client.Leases(store) }

func coordinate(url string, random io.Reader, now func() time.Time) (open func() app.Coordinator, err error) {
	at, err := redis.ParseURL(url)
	if err != nil {
		return nil, err
	}
	return func() app.Coordinator { return coordinator{redis.New(at, redis.Options{Random: random, Now: now})} }, nil
}

func database(address string) (sql.Server, error) { return postgres.Open(address) }

func queue(s sql.Server, file *dbsql.DB) (sql.Queue, error) {
	if p, ok := s.(*postgres.Server); ok {
		return river.OnPostgres(p.Pool)
	}
	return river.OnSQLite(file)
}

func serve(o commands.ServeOptions) (run func(context.Context) error, err error) {
	s, err := server.New(server.Options{Place: o.Place, Log: o.Log, Key: o.Key, Owner: string(o.Service.Owner), Tokens: tokens{o.Service}, Sessions: o.Service, Shared: o.Service, Rates: o.Service.Limiter(),
		Hosts: o.Hosts, Secure: o.Secure, Traces: server.TracesWanted(func(name string) string { return proc.Getenv(o.Place.Env, name) }),
		Limits: server.Limits{Rate: o.Rate, Burst: int(4 * o.Rate), Drain: o.Drain}})
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) error { return s.Serve(ctx, o.Listener) }, nil
}

// tokens are the service's users as the server knows them.
type tokens struct{ *app.Service }

// Identify implements server.Tokens.
func (t tokens) Identify(ctx context.Context, secret string) (server.User, error) {
	x, err := t.Service.Identify(ctx, secret)
	if errors.Is(err, app.ErrNoToken) {
		err = server.ErrNoToken
	}
	return server.User{Name: x.Owner, Metrics: x.Metrics}, err
}
