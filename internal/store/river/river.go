// Package river is the queue of package sql's databases: River (riverqueue.com), in tables of its own (river_…) beside the
// Sessions. It fetches, retries, takes over and repeats; what a job is, and when it lives, is the caller's.
package river

import (
	"context"
	dbsql "database/sql"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/riverqueue/river/rivertype"

	"session/internal/lifecycle"
)

const (
	urgentQueue = "urgent" // of lifecycle.High alone
	usualQueue  = "usual"
)

// migrationLock is what River's migrations wait for each other with on PostgreSQL, by pg_advisory_lock.
const migrationLock = 7305805842

// args are a job as River keeps it.
type args struct {
	Path    string          `json:"path" river:"unique"`
	Turn    int64           `json:"turn" river:"unique"`
	Owner   lifecycle.Owner `json:"owner"`
	Session lifecycle.ID    `json:"session"`
}

// Kind implements river.JobArgs.
func (args) Kind() string { return "session_run" }

type cleanArgs struct{}

// Kind implements river.JobArgs.
func (cleanArgs) Kind() string { return "session_cleanup" }

// client is what a river.Client does, whichever transactions it has.
type client interface {
	Insert(ctx context.Context, args river.JobArgs, opts *river.InsertOpts) (*rivertype.JobInsertResult, error)
	Start(ctx context.Context) error
	Stop(ctx context.Context) error
	StopAndCancel(ctx context.Context) error
}

var (
	_ client = (*river.Client[pgx.Tx])(nil)
	_ client = (*river.Client[*dbsql.Tx])(nil)
)

// inTransaction puts a job into the queue in a transaction of database/sql: conn is what it runs on, on a server.
type inTransaction func(ctx context.Context, conn *dbsql.Conn, tx *dbsql.Tx, a args, o *river.InsertOpts) (*rivertype.JobInsertResult, error)

// Queue is River on one database.
type Queue struct {
	within  inTransaction
	client  func(*river.Config) (client, error)
	migrate func(context.Context) error
	insert  client // works nothing
}

// OnPostgres is the queue in a database on a server.
func OnPostgres(pool *pgxpool.Pool) (*Queue, error) {
	c, err := river.NewClient(riverpgxv5.New(pool), &river.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	return &Queue{
		insert:  c,
		client:  func(c *river.Config) (client, error) { return river.NewClient(riverpgxv5.New(pool), c) },
		migrate: func(ctx context.Context) error { return migratePostgres(ctx, pool) },
		within: func(ctx context.Context, conn *dbsql.Conn, _ *dbsql.Tx, a args, o *river.InsertOpts) (r *rivertype.JobInsertResult, err error) {
			err = conn.Raw(func(driver any) error { // the transaction's own
				r, err = c.InsertTx(ctx, &within{pgxConn: driver.(*stdlib.Conn).Conn()}, a, o)
				return err
			})
			return r, err
		},
	}, nil
}

// OnSQLite is the queue in a file. River expects no other connection of its own process than this one.
func OnSQLite(db *dbsql.DB) (*Queue, error) {
	c, err := river.NewClient(riversqlite.New(db), &river.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	return &Queue{
		insert: c,
		within: func(ctx context.Context, _ *dbsql.Conn, tx *dbsql.Tx, j args, o *river.InsertOpts) (*rivertype.JobInsertResult, error) {
			return c.InsertTx(ctx, tx, j, o)
		},
		client:  func(c *river.Config) (client, error) { return river.NewClient(riversqlite.New(db), c) },
		migrate: func(ctx context.Context) error { return migrate(ctx, riversqlite.New(db)) },
	}, nil
}

// Migrate makes River's tables. Its migrations do not wait for each other: on PostgreSQL a lock of ours does it, on SQLite
// who comes second fails, finds the tables, and has to look again.
func (q *Queue) Migrate(ctx context.Context) error { return q.migrate(ctx) }

func migratePostgres(ctx context.Context, pool *pgxpool.Pool) (err error) {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	if _, err := conn.Exec(ctx, `SELECT pg_advisory_lock($1)`, migrationLock); err != nil {
		return err
	}
	defer func() {
		_, unlock := conn.Exec(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock($1)`, migrationLock)
		err = errors.Join(err, unlock)
	}()
	return migrate(ctx, riverpgxv5.New(pool))
}

func migrate[T any](ctx context.Context, driver riverdriver.Driver[T]) error {
	m, err := rivermigrate.New(driver, &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	there, err := m.Validate(ctx, nil)
	if err == nil && there.OK {
		return nil
	}
	_, err = m.Migrate(ctx, rivermigrate.DirectionUp, nil)
	return err
}

// Insert puts a job into the queue. false: the same turn is there already.
func (q *Queue) Insert(ctx context.Context, j lifecycle.Job) (fresh bool, err error) {
	return inserted(q.insert.Insert(ctx, args{j.Path, j.Turn, j.Owner, j.Session}, insertion(j)))
}

// InsertIn does so in a transaction, whose end decides. conn is what it runs on; nil for a file's.
func (q *Queue) InsertIn(ctx context.Context, conn *dbsql.Conn, tx *dbsql.Tx, j lifecycle.Job) (fresh bool, err error) {
	return inserted(q.within(ctx, conn, tx, args{j.Path, j.Turn, j.Owner, j.Session}, insertion(j)))
}

func inserted(r *rivertype.JobInsertResult, err error) (fresh bool, _ error) {
	return err == nil && !r.UniqueSkippedAsDuplicate, err
}

func insertion(j lifecycle.Job) *river.InsertOpts {
	o := &river.InsertOpts{Priority: j.Rank, MaxAttempts: lifecycle.MaxAttempts, Queue: usualQueue, UniqueOpts: river.UniqueOpts{ByArgs: true}}
	if j.Rank == 1 {
		o.Queue = urgentQueue
	}
	return o
}

// Start fetches jobs and lets them be done, until stop: those under way have a grace, before their contexts end too.
func (q *Queue) Start(ctx context.Context, l lifecycle.Labour) (stop func(ctx context.Context, grace time.Duration) error, err error) {
	quiet := untilStopped{l.Log.Handler(), new(atomic.Bool)}
	c, err := q.client(config(l, slog.New(quiet)))
	if err != nil {
		return nil, err
	}
	if err := c.Start(context.WithoutCancel(ctx)); err != nil {
		return nil, err
	}
	return func(ctx context.Context, grace time.Duration) error {
		quiet.stopped.Store(true)
		soft, end := context.WithTimeout(ctx, max(grace, time.Millisecond))
		defer end()
		if c.Stop(soft) == nil {
			return nil
		}
		if err := c.StopAndCancel(ctx); err != nil {
			return fmt.Errorf("stop the queue: %w", err)
		}
		return nil
	}, nil
}

func config(l lifecycle.Labour, log *slog.Logger) *river.Config {
	all := river.NewWorkers()
	river.AddWorker(all, &worker{l: l})
	river.AddWorker(all, river.WorkFunc(func(ctx context.Context, _ *river.Job[cleanArgs]) error { return l.Clean(ctx) }))
	clean := river.NewPeriodicJob(river.PeriodicInterval(lifecycle.CleanupInterval), func() (river.JobArgs, *river.InsertOpts) {
		return cleanArgs{}, &river.InsertOpts{Queue: usualQueue, MaxAttempts: 1, Priority: 1, UniqueOpts: river.UniqueOpts{ByPeriod: lifecycle.CleanupInterval}}
	}, &river.PeriodicJobOpts{RunOnStart: true, ID: "clean-up"})
	return &river.Config{
		ID: l.Name, Logger: log, Workers: all, PeriodicJobs: []*river.PeriodicJob{clean}, JobTimeout: -1, RescueStuckJobsAfter: l.Rescue,
		Queues: map[string]river.QueueConfig{usualQueue: {MaxWorkers: l.Usual}, urgentQueue: {MaxWorkers: l.Slots}},
	}
}

// worker does the jobs of one Labour.
type worker struct {
	river.WorkerDefaults[args]
	l lifecycle.Labour
}

// Timeout is asked before a job is done, which takes as long as it takes, and before one is taken over whose worker has not
// said for Labour.Rescue that it lives: a bound that has passed lets River do so.
func (w *worker) Timeout(j *river.Job[args]) time.Duration {
	if j.AttemptedAt != nil && time.Since(*j.AttemptedAt) > w.l.Rescue/2 {
		return time.Nanosecond
	}
	return -1
}

// NextRetry is soon where a worker died, and later each time where a job failed.
func (w *worker) NextRetry(j *river.Job[args]) time.Time {
	if j.AttemptedAt != nil && time.Since(*j.AttemptedAt) > w.l.Rescue/2 && !w.l.Here(j.ID) {
		return time.Now()
	}
	return time.Now().Add(time.Duration(j.Attempt*j.Attempt) * 5 * time.Second)
}

// Work implements river.Worker.
func (w *worker) Work(ctx context.Context, j *river.Job[args]) error {
	a := j.Args
	err := w.l.Run(ctx, j.ID, lifecycle.Job{Path: a.Path, Turn: a.Turn, Owner: a.Owner, Session: a.Session, Attempt: j.Attempt, Rank: j.Priority}, j.Queue == urgentQueue)
	switch {
	case errors.Is(err, lifecycle.ErrSnooze):
		return river.JobSnooze(0)
	case errors.Is(err, lifecycle.ErrNoRetry):
		return river.JobCancel(err)
	}
	return err
}
