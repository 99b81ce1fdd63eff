package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"session/internal/atomicfile"
	"session/internal/lifecycle"
	"session/internal/session"
	"session/internal/store/sql"
)

// WorkerOptions are how session worker works.
type WorkerOptions struct {
	Slots int // runs at a time
	Name  string
	Drain bool          // end when there is nothing left in the queue
	Grace time.Duration // for runs under way when it is to end; then another worker goes on with them
	// Rescue is how long a worker may be silent before others take over what it runs; 0: 40 s.
	Rescue time.Duration
	Log    *slog.Logger
}

// Worker does the runs that others queued, in this work tree, until the context ends. Any number of workers may share a
// queue, on as many machines as see its database and the snapshots.
func Worker(ctx context.Context, p Place, o WorkerOptions) error {
	if err := p.Adapters.worker(); err != nil {
		return err
	}
	_, err := withSessions(ctx, p, SessionsOptions{}, func(x *Sessions) (struct{}, error) { return struct{}{}, x.Labour(ctx, o) })
	return err
}

// Labour is Worker over Sessions that are open.
func (x *Sessions) Labour(ctx context.Context, o WorkerOptions) error {
	if o.Slots < 1 || o.Slots > 1000 {
		return &UsageError{fmt.Errorf("a worker has 1 to 1000 slots, not %d", o.Slots)}
	}
	q, err := x.jobs(ctx)
	if err != nil {
		return err
	}
	if o.Name == "" {
		id, err := x.site.runID()
		if err != nil {
			return err
		}
		o.Name = fmt.Sprintf("worker-%d-%s", x.site.PID, id[:8])
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	if o.Drain { // it may not be there when the hour strikes
		if err := x.clean(ctx, o.Log); err != nil {
			return err
		}
		go x.drained(ctx, q, stop)
	}
	place := x.site.Place
	place.Watch, place.Prompt = nil, false
	err = q.Work(ctx, sql.WorkOptions{Slots: o.Slots, Name: o.Name, Log: o.Log, Grace: o.Grace, Rescue: o.Rescue,
		Run: func(ctx context.Context, j lifecycle.Job) error {
			o.Log.InfoContext(ctx, "run begins", "session", j.Session)
			err := x.perform(ctx, place, j)
			if err != nil {
				o.Log.WarnContext(ctx, "run failed", "session", j.Session, "last_try", j.Last(), "error", err)
			} else {
				o.Log.InfoContext(ctx, "run ends", "session", j.Session)
			}
			return err
		},
		Clean: func(ctx context.Context) error { return x.clean(ctx, o.Log) },
		Tick: func(ctx context.Context) error {
			_, err := x.TimeOut(ctx, 1000)
			return err
		}})
	if cause := context.Cause(ctx); err == nil && cause != nil && !errors.Is(cause, context.Canceled) && !errors.Is(cause, errDrained) {
		return cause
	}
	return err
}

// clean is one clean-up, with a line in the log.
func (x *Sessions) clean(ctx context.Context, log *slog.Logger) error {
	d, err := x.Sweep(ctx)
	if err == nil {
		err = x.requeueStranded(ctx)
	}
	log.InfoContext(ctx, "clean-up", "timed_out", d.TimedOut, "expired", d.Expired, "archived", d.Archived, "deleted", d.Deleted, "purged", d.Purged)
	return err
}

// strandedAfter is for how long a Session may be recorded and not queued.
const strandedAfter = time.Minute

// requeueStranded queues what was recorded by somebody who died before it was queued. What is in the queue stays there
// once.
func (x *Sessions) requeueStranded(ctx context.Context) error {
	all, err := x.db.Stranded(ctx, x.site.Now().Add(-strandedAfter), 1000)
	for _, s := range all {
		j, odd := jobOf(s)
		if err == nil && odd == nil && j.Queue {
			err = x.enqueue(ctx, s, j)
		}
	}
	return err
}

// sweptFile is changed by each clean-up that a command makes by itself.
const sweptFile = "sessions.swept"

// cleanHourly is the clean-up where no worker is sure to be: the file beside the snapshots is cleaned by runs, once an hour.
func (x *Sessions) cleanHourly(ctx context.Context) {
	if x.site.sharedDatabase() != "" {
		return
	}
	file := filepath.Join(x.site.storeDir(), sweptFile)
	if info, err := os.Stat(file); err == nil && x.site.Now().Sub(info.ModTime()) < lifecycle.CleanupInterval {
		return
	}
	err := atomicfile.Replace(file, nil, 0o600)
	if err == nil {
		_, err = x.Sweep(ctx)
	}
	if err != nil { // of others' sessions: this run is done
		x.site.warn(session.NewFinding(session.ProjectionBehind, "sessions.clean-failed", "cause", err))
	}
}

var errDrained = errors.New("the queue is empty")

// drained ends the worker when nothing waits and nothing runs, on any machine.
func (x *Sessions) drained(ctx context.Context, q *sql.Jobs, stop context.CancelCauseFunc) {
	t := time.NewTicker(200 * time.Millisecond)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		waiting, running, err := q.Waiting(ctx)
		if err == nil && waiting+running == 0 {
			stop(errDrained)
			return
		}
	}
}

var _ interface {
	lifecycle.Records
	Cancel(ctx context.Context, k lifecycle.Key) (lifecycle.Session, error)
	Remove(ctx context.Context, k lifecycle.Key) (lifecycle.Tombstone, error)
	Begin(ctx context.Context, s lifecycle.Session, priority string) error
} = (*Sessions)(nil) // what the service asks of it
