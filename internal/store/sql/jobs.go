package sql

import (
	"context"
	dbsql "database/sql"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"session/internal/lifecycle"
)

// Job is a Session's run that a worker is to do.
type Job = lifecycle.Job

// Queue is a driver of the queue in a database (package river).
type Queue interface {
	// Migrate makes its tables. On SQLite, who comes second may fail, and looks again.
	Migrate(context.Context) error
	// Insert puts a job into the queue. false: the same turn is there already.
	Insert(context.Context, Job) (fresh bool, err error)
	// InsertIn does so in a transaction, whose end decides. The connection is what it runs on; nil for a file's.
	InsertIn(context.Context, *dbsql.Conn, *dbsql.Tx, Job) (fresh bool, err error)
	// Start fetches jobs and lets them be done until stop, which waits for them, and ends their contexts after grace.
	Start(context.Context, lifecycle.Labour) (stop func(ctx context.Context, grace time.Duration) error, err error)
}

// Jobs is the queue beside the Sessions: it survives whoever fills and works it.
type Jobs struct {
	db    *DB
	queue Queue
}

// Jobs opens the database's queue, with its tables made if they are not there. ErrNotBuiltIn.
func (d *DB) Jobs(ctx context.Context) (*Jobs, error) {
	if d.drivers.Queue == nil {
		return nil, fmt.Errorf("%w: the queue of runs", ErrNotBuiltIn)
	}
	file, err := d.queueConn()
	if err != nil {
		return nil, err
	}
	q, err := d.drivers.Queue(d.server, file)
	if err != nil {
		return nil, fmt.Errorf("open the queue in the database: %w", err)
	}
	if err := d.migrate(ctx, queuePart()); err != nil {
		return nil, fmt.Errorf("open the queue in the database: %w", err)
	}
	if err := d.migrateJobs(ctx, q); err != nil {
		return nil, fmt.Errorf("open the queue in the database: %w", d.explain(ctx, err))
	}
	return &Jobs{d, q}, nil
}

// migrateJobs makes the queue's tables.
func (d *DB) migrateJobs(ctx context.Context, q Queue) error {
	for try := 1; ; try++ {
		err := q.Migrate(ctx)
		if err == nil || try == 20 || d.server != nil || ctx.Err() != nil {
			return err
		}
		if err := d.wait.Sleep(ctx, time.Duration(try)*10*time.Millisecond); err != nil {
			return err
		}
	}
}

// Add puts a job into the queue. false: the same turn is there already.
func (j *Jobs) Add(ctx context.Context, job Job, p lifecycle.Priority) (fresh bool, err error) {
	if job.Rank = slices.Index(lifecycle.Priorities(), p) + 1; job.Rank == 0 {
		return false, fmt.Errorf("%w: %.40q is no priority; there are high, normal, low", lifecycle.ErrInvalid, string(p))
	}
	if _, together := j.db.joined(ctx); j.db.server != nil && !together {
		fresh, err = j.queue.Insert(ctx, job)
	} else { // the queue's one connection would be one more that waits for the disk
		err = j.db.write(ctx, func(t tx) (err error) {
			fresh, err = j.queue.InsertIn(t.ctx, t.conn, t.tx, job)
			return err
		})
	}
	if err != nil {
		return false, fmt.Errorf("put session %s into the queue: %w", job.Session, j.db.unexplained(ctx, err))
	}
	return fresh, nil
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
	// Run does a job. With an error it is tried again, up to a bound, unless the error is lifecycle.ErrNoRetry; the context ends when
	// the worker is to stop.
	Run   func(context.Context, Job) error
	Clean func(context.Context) error // every CleanupInterval, in one worker of all
	Tick  func(context.Context) error // every few seconds, in each worker
	Log   *slog.Logger
	Grace time.Duration // for jobs under way when the context ends, before theirs end too; then another worker goes on with them
	// Rescue is how long a worker may say nothing before others take its jobs over; 0 is 40 s.
	Rescue time.Duration
}

// rescueAfter is when a job is taken over whose worker has said nothing since. It says four times as often that it lives.
const rescueAfter = 40 * time.Second

// Work works until the context ends. It returns when all its jobs have.
func (j *Jobs) Work(ctx context.Context, o WorkOptions) error {
	if o.Rescue <= 0 {
		o.Rescue = rescueAfter
	}
	w := &worker{db: j.db, o: o, slots: newSlots(o.Slots), alive: map[int64]int{}, usual: make(chan struct{}, 1),
		roll: &roll{db: j.db, name: o.Name, slots: o.Slots, stale: o.Rescue}}
	err := w.roll.beat(ctx)
	switch {
	case ctx.Err() != nil: // stopped before it began; nobody knows whether the row was written
		if err := w.roll.leave(context.WithoutCancel(ctx)); err != nil {
			return fmt.Errorf("stop the worker: %w", err)
		}
		return nil
	case err != nil:
		return fmt.Errorf("start the worker: %w", err)
	}
	stop, err := j.queue.Start(ctx, lifecycle.Labour{Name: o.Name, Slots: o.Slots, Usual: max(1, o.Slots-reserved(o.Slots)),
		Run: w.run, Here: w.here, Clean: o.Clean, Log: o.Log, Rescue: o.Rescue})
	if err != nil {
		return fmt.Errorf("start the worker: %w", j.db.unexplained(ctx, err))
	}
	w.beats(ctx)
	ctx = context.WithoutCancel(ctx)
	if err := errors.Join(stop(ctx, o.Grace), w.roll.leave(ctx)); err != nil {
		return fmt.Errorf("stop the worker: %w", err)
	}
	return nil
}

// reserved is how many of n slots only High may take: those that are free when more than nine tenths are busy. So many does
// a worker not even fetch others for; what counts in the end is the roll of all workers.
func reserved(n int) int { return max(0, n-n*9/10-1) }

// worker is one worker at work.
type worker struct {
	db      *DB
	o       WorkOptions
	slots   *slots
	roll    *roll
	usual   chan struct{} // held by the one job that is not urgent and asks whether it may start
	asking  atomic.Int64  // how many want to hold it
	granted int           // how many of them may start; usual is held
	mu      sync.Mutex
	alive   map[int64]int // attempt of each job that runs here
}

// run does one job, when there is a place for it.
func (w *worker) run(ctx context.Context, id int64, j Job, urgent bool) error {
	w.mark(id, j.Attempt)
	defer w.mark(id, 0)
	if err := w.enter(ctx, urgent); err != nil {
		return err
	}
	defer w.exit(ctx)
	err := w.o.Run(ctx, j)
	if err != nil {
		return snoozed(ctx, err)
	}
	return nil
}

// lookAgain is how long it takes until somebody looks again whether a tenth of all slots is free.
const lookAgain = 100 * time.Millisecond

// enter waits for a place here, and until not more than nine tenths of all workers' are taken. ErrSnooze: the worker has to stop.
func (w *worker) enter(ctx context.Context, urgent bool) error {
	for {
		if !urgent {
			if err := w.yield(ctx); err != nil {
				return snoozed(ctx, err)
			}
		}
		if err := w.take(ctx, urgent); err != nil {
			return snoozed(ctx, err)
		}
		ok, err := w.claim(ctx, urgent)
		if ok {
			return nil
		}
		w.slots.give()
		if err == nil {
			err = sleep(ctx, lookAgain)
		}
		if err != nil {
			return snoozed(ctx, err)
		}
	}
}

// claim asks whether a job may start. Of those that are not urgent one asks at a time, for all that wait behind it.
func (w *worker) claim(ctx context.Context, urgent bool) (ok bool, err error) {
	if urgent {
		w.roll.enter(context.WithoutCancel(ctx), w.unsaid)
		return true, nil
	}
	w.asking.Add(1)
	defer w.asking.Add(-1)
	select {
	case w.usual <- struct{}{}:
	case <-ctx.Done():
		return false, ctx.Err()
	}
	defer func() { <-w.usual }()
	if w.granted == 0 {
		if w.granted, err = w.roll.grant(ctx, int(w.asking.Load())); w.granted == 0 {
			return false, err
		}
	}
	w.granted--
	return true, nil
}

// elsewhere is how long what is urgent waits for a place here before it looks for one with other workers.
const elsewhere = time.Second

// take waits for a place here. What is urgent goes back into the queue (ErrSnooze) while another worker has a free one.
func (w *worker) take(ctx context.Context, urgent bool) error {
	if !urgent {
		return w.slots.take(ctx, false)
	}
	for {
		soon, end := context.WithTimeout(ctx, elsewhere)
		err := w.slots.take(soon, true)
		end()
		if err == nil || ctx.Err() != nil {
			return err
		}
		if free, err := w.roll.room(ctx); err != nil || free {
			return errors.Join(err, lifecycle.ErrSnooze)
		}
	}
}

// snoozed is ErrSnooze where the worker has to stop: that is no attempt.
func snoozed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return lifecycle.ErrSnooze
	}
	return err
}

func (w *worker) unsaid(err error) {
	w.o.Log.Warn("the worker could not say how many jobs it does", "error", err)
}

// exit gives the place back.
func (w *worker) exit(ctx context.Context) {
	w.roll.release(context.WithoutCancel(ctx), w.unsaid)
	w.slots.give()
}

const urgentQuery = `SELECT COUNT(*) FROM river_job WHERE state = 'available' AND queue = 'urgent'`

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

func (w *worker) here(id int64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.alive[id] != 0
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
		for what, err := range map[string]error{"say that it lives": w.roll.beat(ctx), "say that jobs live": w.db.beat(ctx, alive),
			"look after sessions": w.o.Tick(ctx)} {
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
