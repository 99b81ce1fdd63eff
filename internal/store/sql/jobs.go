package sql

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/riverqueue/river/rivertype"

	"session/internal/lifecycle"
)

// Job is a Session's run that a worker is to do.
type Job struct {
	Path    string          `json:"path" river:"unique"` // that it continues: one job a path and turn
	Turn    int64           `json:"turn" river:"unique"` // which of the Session's runs it is: the number of its newest event
	Owner   lifecycle.Owner `json:"owner"`
	Session lifecycle.ID    `json:"session"`
	attempt int
	rank    int // of its priority, from 1
}

// Kind implements river.JobArgs.
func (Job) Kind() string { return "session_run" }

// Last says that the queue does not try again after this attempt.
func (j Job) Last() bool { return j.attempt >= maxAttempts }

// Priority orders jobs: high comes first, and alone has the last tenth of a worker's slots (seed 004 §7.2).
type Priority string

// The priorities.
const (
	High   Priority = "high"
	Normal Priority = "normal"
	Low    Priority = "low"
)

// Priorities are all of them, the highest first.
func Priorities() []Priority { return []Priority{High, Normal, Low} }

// maxAttempts bounds how often a job is tried; then its Session stays failed until somebody resumes it.
const maxAttempts = 3

const (
	urgentQueue = "urgent" // of High alone
	usualQueue  = "usual"
)

// Jobs is the queue, in tables of River's (river_…) beside the Sessions: it survives whoever fills and works it.
type Jobs struct {
	db     *DB
	insert client // works nothing
}

// client is what a river.Client does, whichever transactions it has.
type client interface {
	Insert(ctx context.Context, args river.JobArgs, opts *river.InsertOpts) (*rivertype.JobInsertResult, error)
	Start(ctx context.Context) error
	Stop(ctx context.Context) error
	StopAndCancel(ctx context.Context) error
}

// Jobs opens the database's queue, with its tables made if they are not there.
func (d *DB) Jobs(ctx context.Context) (*Jobs, error) {
	if err := d.migrateJobs(ctx); err != nil {
		return nil, fmt.Errorf("open the queue in the database: %w", d.explain(ctx, err))
	}
	c, err := d.client(&river.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, fmt.Errorf("open the queue in the database: %w", err)
	}
	return &Jobs{d, c}, nil
}

func (d *DB) client(c *river.Config) (client, error) {
	if d.shared != nil {
		return river.NewClient(riverpgxv5.New(d.shared.pool), c)
	}
	db, err := d.queueConn()
	if err != nil {
		return nil, err
	}
	return river.NewClient(riversqlite.New(db), c)
}

// migrateJobs makes River's tables. River's migrations do not wait for each other: on PostgreSQL a lock of ours does it,
// on SQLite who comes second finds the tables, and looks again.
func (d *DB) migrateJobs(ctx context.Context) error {
	if d.shared != nil {
		return d.migratePostgresJobs(ctx)
	}
	db, err := d.queueConn()
	if err != nil {
		return err
	}
	for try := 1; ; try++ {
		err := migrateRiver(ctx, riversqlite.New(db))
		if err == nil || try == 20 || ctx.Err() != nil {
			return err
		}
		if err := d.wait.Sleep(ctx, time.Duration(try)*10*time.Millisecond); err != nil {
			return err
		}
	}
}

func (d *DB) migratePostgresJobs(ctx context.Context) (err error) {
	conn, err := d.shared.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	if _, err := conn.Exec(ctx, `SELECT pg_advisory_lock($1)`, migrationLock+1); err != nil {
		return err
	}
	defer func() {
		_, unlock := conn.Exec(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock($1)`, migrationLock+1)
		err = errors.Join(err, unlock)
	}()
	return migrateRiver(ctx, riverpgxv5.New(d.shared.pool))
}

func migrateRiver[T any](ctx context.Context, driver riverdriver.Driver[T]) error {
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

// Add puts a job into the queue. false: the same turn is there already.
func (j *Jobs) Add(ctx context.Context, job Job, p Priority) (fresh bool, err error) {
	rank := slices.Index(Priorities(), p) + 1
	if rank == 0 {
		return false, fmt.Errorf("%w: %.40q is no priority; there are high, normal, low", lifecycle.ErrInvalid, string(p))
	}
	o := &river.InsertOpts{Priority: rank, MaxAttempts: maxAttempts, Queue: usualQueue, UniqueOpts: river.UniqueOpts{ByArgs: true}}
	if p == High {
		o.Queue = urgentQueue
	}
	r, err := j.insert.Insert(ctx, job, o)
	if err != nil {
		return false, fmt.Errorf("put session %s into the queue: %w", job.Session, j.db.unexplained(ctx, err))
	}
	return !r.UniqueSkippedAsDuplicate, nil
}

// unexplained tells what is away from what is wrong, for calls that do not come through a transaction of ours.
func (d *DB) unexplained(ctx context.Context, err error) error {
	if d.dialect.away(err) {
		return d.unavailable(ctx, err)
	}
	return d.explain(ctx, err)
}

// WorkOptions are how a worker works.
type WorkOptions struct {
	Slots int    // jobs at a time; at least 1
	Name  string // of the worker, unlike any other's
	// Run does a job. With an error it is tried again, up to a bound, unless the error is ErrNoRetry; the context ends when
	// the worker is to stop.
	Run   func(context.Context, Job) error
	Clean func(context.Context) error // every CleanupInterval, in one worker of all
	Tick  func(context.Context) error // every few seconds, in each worker
	Log   *slog.Logger
	Grace time.Duration // for jobs under way when the context ends, before theirs end too; then another worker goes on with them
	// Rescue is how long a worker may say nothing before others take its jobs over; 0 is 40 s.
	Rescue time.Duration
}

// ErrNoRetry ends a job that trying again would not help.
var ErrNoRetry = errors.New("it is not tried again")

// rescueAfter is when a job is taken over whose worker has said nothing since. It says four times as often that it lives.
const rescueAfter = 40 * time.Second

// Work works until the context ends. It returns when all its jobs have.
func (j *Jobs) Work(ctx context.Context, o WorkOptions) error {
	if o.Rescue <= 0 {
		o.Rescue = rescueAfter
	}
	w := &worker{db: j.db, o: o, slots: newSlots(o.Slots), alive: map[int64]int{}}
	c, err := j.db.client(w.config())
	if err != nil {
		return fmt.Errorf("start the worker: %w", err)
	}
	if err := c.Start(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("start the worker: %w", j.db.unexplained(ctx, err))
	}
	w.beats(ctx)
	w.stopped.Store(true)
	hard, stop := context.WithTimeout(context.WithoutCancel(ctx), max(o.Grace, time.Millisecond))
	defer stop()
	if err := c.Stop(hard); err != nil {
		err = c.StopAndCancel(context.WithoutCancel(ctx))
		if err != nil {
			return fmt.Errorf("stop the worker: %w", err)
		}
	}
	return nil
}

// reserved is how many of n slots only High may take: those that are free when more than nine tenths are busy.
func reserved(n int) int { return max(0, n-n*9/10-1) }

func (w *worker) config() *river.Config {
	all := river.NewWorkers()
	river.AddWorker(all, &runWorker{w: w})
	river.AddWorker(all, river.WorkFunc(func(ctx context.Context, _ *river.Job[cleanJob]) error { return w.o.Clean(ctx) }))
	clean := river.NewPeriodicJob(river.PeriodicInterval(lifecycle.CleanupInterval), func() (river.JobArgs, *river.InsertOpts) {
		return cleanJob{}, &river.InsertOpts{Queue: usualQueue, MaxAttempts: 1, Priority: 1, UniqueOpts: river.UniqueOpts{ByPeriod: lifecycle.CleanupInterval}}
	}, &river.PeriodicJobOpts{RunOnStart: true, ID: "clean-up"})
	return &river.Config{
		ID: w.o.Name, Logger: slog.New(untilStopped{w.o.Log.Handler(), &w.stopped}), Workers: all, PeriodicJobs: []*river.PeriodicJob{clean}, JobTimeout: -1, RescueStuckJobsAfter: w.o.Rescue,
		Queues: map[string]river.QueueConfig{usualQueue: {MaxWorkers: max(1, w.o.Slots-reserved(w.o.Slots))}, urgentQueue: {MaxWorkers: w.o.Slots}},
	}
}

type cleanJob struct{}

// Kind implements river.JobArgs.
func (cleanJob) Kind() string { return "session_cleanup" }

// worker is one worker at work.
type worker struct {
	db      *DB
	o       WorkOptions
	slots   *slots
	stopped atomic.Bool
	mu      sync.Mutex
	alive   map[int64]int // attempt of each job that runs here
}

// runWorker does the jobs of one worker.
type runWorker struct {
	river.WorkerDefaults[Job]
	w *worker
}

// Timeout is asked before a job is done, which takes as long as it takes, and before one is taken over whose worker has not
// said for WorkOptions.Rescue that it lives: a bound that has passed lets River do so.
func (r *runWorker) Timeout(j *river.Job[Job]) time.Duration {
	if j.AttemptedAt != nil && time.Since(*j.AttemptedAt) > r.w.o.Rescue/2 {
		return time.Nanosecond
	}
	return -1
}

// NextRetry is soon where a worker died, and later each time where a job failed.
func (r *runWorker) NextRetry(j *river.Job[Job]) time.Time {
	if j.AttemptedAt != nil && time.Since(*j.AttemptedAt) > r.w.o.Rescue/2 && r.w.beatsOf(j.ID) == 0 {
		return time.Now()
	}
	return time.Now().Add(time.Duration(j.Attempt*j.Attempt) * 5 * time.Second)
}

// Work implements river.Worker.
func (r *runWorker) Work(ctx context.Context, j *river.Job[Job]) error {
	w := r.w
	w.mark(j.ID, j.Attempt)
	defer w.mark(j.ID, 0)
	if j.Queue != urgentQueue {
		if err := w.yield(ctx); err != nil {
			return err
		}
	}
	if err := w.slots.take(ctx, j.Queue == urgentQueue); err != nil {
		return river.JobSnooze(0)
	}
	defer w.slots.give()
	job := j.Args
	job.attempt, job.rank = j.Attempt, j.Priority
	err := w.o.Run(ctx, job)
	switch {
	case err != nil && ctx.Err() != nil:
		return river.JobSnooze(0) // the worker has to stop: that is no attempt
	case errors.Is(err, ErrNoRetry):
		return river.JobCancel(err)
	}
	return err
}

const urgentQuery = `SELECT COUNT(*) FROM river_job WHERE state = 'available' AND queue = '` + urgentQueue + `'`

// yield lets urgent jobs that nobody has fetched yet come first: the two queues are fetched apart. A worker of any machine
// fetches them within a second, since each has a place for them; so the wait is bounded.
func (w *worker) yield(ctx context.Context) error {
	for range 40 {
		var urgent int64
		err := w.db.read(ctx, func(t tx) error {
			_, err := t.one(urgentQuery, nil, &urgent)
			return err
		})
		if err != nil || urgent == 0 {
			return err
		}
		if err := sleep(ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

func (w *worker) mark(id int64, attempt int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if attempt == 0 {
		delete(w.alive, id)
		return
	}
	w.alive[id] = attempt
}

func (w *worker) beatsOf(id int64) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.alive[id]
}

// beats says that the jobs here live, until the context ends.
func (w *worker) beats(ctx context.Context) {
	t := time.NewTicker(w.o.Rescue / 4)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		w.mu.Lock()
		alive := make(map[int64]int, len(w.alive))
		for id, attempt := range w.alive {
			alive[id] = attempt
		}
		w.mu.Unlock()
		for what, err := range map[string]error{"say that jobs live": w.db.beat(ctx, alive), "look after sessions": w.o.Tick(ctx)} {
			if err != nil && ctx.Err() == nil {
				w.o.Log.WarnContext(ctx, "the worker could not "+what, "error", err)
			}
		}
	}
}

const beatQuery = `UPDATE river_job SET attempted_at = /*now*/ WHERE id = $1 AND state = 'running' AND attempt = $2`

// beat moves the time on at which jobs were last known to live. River rescues those that stand still.
func (d *DB) beat(ctx context.Context, jobs map[int64]int) error {
	if len(jobs) == 0 {
		return nil
	}
	return d.write(ctx, func(t tx) error {
		for id, attempt := range jobs {
			if _, err := t.exec(beatQuery, id, attempt); err != nil {
				return err
			}
		}
		return nil
	})
}

// Waiting counts the jobs that nobody has begun, and those under way.
func (j *Jobs) Waiting(ctx context.Context) (waiting, running int64, err error) {
	err = j.db.read(ctx, func(t tx) error {
		_, err := t.one(`SELECT COUNT(*) FILTER (WHERE state <> 'running'), COUNT(*) FILTER (WHERE state = 'running') FROM river_job
WHERE kind = 'session_run' AND state IN ('available', 'pending', 'retryable', 'running', 'scheduled')`, nil, &waiting, &running)
		return err
	})
	if err != nil {
		return 0, 0, fmt.Errorf("count the jobs: %w", err)
	}
	return waiting, running, nil
}

var _ client = (*river.Client[pgx.Tx])(nil)
