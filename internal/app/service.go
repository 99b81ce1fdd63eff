package app

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"session/internal/lifecycle"
	"session/internal/store/sql"
)

// Service is the Sessions of every user, as session serve offers them, and the workers that run them in this process.
// What it acknowledges is in the database first: a Service that is killed finds its work there when it starts again.
type Service struct {
	*Sessions
	place  Place
	access sql.Access
	o      ServiceOptions
	queue  *queue
}

// Errors of the database of Sessions that a client may outlive by asking again.
var (
	ErrDatabaseAway      = sql.ErrUnavailable // nothing of the call is recorded
	ErrDatabaseUncertain = sql.ErrUncertain   // look before asking again
)

// ServiceOptions say how a Service is opened.
type ServiceOptions struct {
	Limit   int                                  // live Sessions that a user may have; 0: lifecycle.DefaultLimit
	Workers int                                  // runs at a time in this process; 0: none
	Drain   time.Duration                        // for runs to end when the Service does; then they are handed over
	Report  func(context.Context, string, error) // hears of runs that failed, and of what could not be looked after
}

// OpenService opens the Sessions of a Place for everybody. Errors: those of OpenSessions.
func OpenService(ctx context.Context, p Place, o ServiceOptions) (*Service, error) {
	p.Prompt = false
	x, err := OpenSessions(ctx, p, SessionsOptions{Limit: o.Limit})
	if err != nil {
		return nil, err
	}
	access, err := x.db.Access(ctx)
	if err != nil {
		return nil, errors.Join(err, x.Close())
	}
	return &Service{Sessions: x, place: p, access: access, o: o, queue: newQueue(o.Workers)}, nil
}

// as is the Sessions as one user sees them, in the work tree as it is now.
func (s *Service) as(ctx context.Context, owner lifecycle.Owner) (*Sessions, error) {
	at, err := s.place.open(ctx)
	if err != nil {
		return nil, err
	}
	x := *s.Sessions
	x.Owner, x.site = owner, at
	return &x, nil
}

// StartOptions are what a user wants done.
type StartOptions struct {
	Owner    lifecycle.Owner
	Input    string
	Language string   // "": that of the Place
	Agent    string   // an agent or a program of bundles.yaml; "" for the usual one
	Base     string   // the snapshot to begin from, as people write it; "": where the work tree's path stands
	Todos    []string // what the input consists of; none: it is one thing to do
	Priority string   // high, normal or low; "" is normal
	Metadata []byte   // JSON
}

// Start makes a Session on a path of its own and lets a worker run it. Errors: those of RunOptions' Base, *PolicyError,
// *lifecycle.LimitError, lifecycle.ErrInvalid.
func (s *Service) Start(ctx context.Context, o StartOptions) (lifecycle.Session, error) {
	x, err := s.as(ctx, o.Owner)
	if err != nil {
		return lifecycle.Session{}, err
	}
	r, err := x.newRun(ctx, RunOptions{Fork: true, Base: o.Base, Agent: o.Agent, Input: o.Input, Todos: o.Todos})
	if err != nil {
		return lifecycle.Session{}, err
	}
	d := r.hold.draft
	d.Limited, d.Language, d.Metadata, d.Parent = true, cmp.Or(o.Language, d.Language), o.Metadata, ""
	d.Options = raw(job{Base: string(r.at.Base), Run: r.run, Agent: o.Agent, Profile: r.Profile, Queue: true, Priority: o.Priority})
	made, err := x.Create(ctx, d)
	if err == nil && len(o.Todos) > 0 {
		_, err = x.Revise(ctx, made.Key(), lifecycle.Revision{Plan: "work", Reason: "a new input", Todos: r.hold.todos})
	}
	if err != nil {
		return made, err
	}
	return made, s.Begin(ctx, made)
}

// Begin lets a worker run a Session that was made, or that goes on. It is run once, however often this is said.
func (s *Service) Begin(_ context.Context, x lifecycle.Session) error {
	j, err := jobOf(x)
	if err == nil {
		s.queue.add(x.Key(), j.Priority)
	}
	return err
}

// Load is how many of the workers work, and how many Sessions wait for one.
func (s *Service) Load() (busy, waiting int) { return s.queue.load() }

// RunQueue runs Sessions, closes questions whose time is out, and cleans up every hour, until ctx ends. Then runs have
// ServiceOptions.Drain to end; what has not ended by then is handed to whoever works next.
func (s *Service) RunQueue(ctx context.Context) error {
	if err := s.recover(ctx); err != nil {
		return err
	}
	runs, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	var all sync.WaitGroup
	for range s.o.Workers {
		all.Go(func() {
			for {
				k, ok := s.queue.next(ctx)
				if !ok {
					return
				}
				s.run(runs, k)
				s.queue.done(k)
			}
		})
	}
	all.Go(func() { s.mind(ctx) })
	<-ctx.Done()
	patience := time.AfterFunc(s.o.Drain, stop)
	defer patience.Stop()
	all.Wait()
	return nil
}

// recover finds what a Service that was killed had acknowledged and not ended.
func (s *Service) recover(ctx context.Context) error {
	tokens, err := s.access.List(ctx, "")
	if err != nil {
		return err
	}
	owners := map[lifecycle.Owner]bool{s.Owner: true}
	for _, t := range tokens {
		owners[lifecycle.Owner(t.Owner)] = t.Owner != ""
	}
	delete(owners, "")
	for owner := range owners {
		q := lifecycle.Query{Owner: owner, Statuses: []lifecycle.Status{lifecycle.Created, lifecycle.Running}, Limit: 1000}
		for more := true; more; more = q.After != "" {
			page, err := s.List(ctx, q)
			if err != nil {
				return err
			}
			for _, x := range page.Sessions {
				if j, err := jobOf(x); err == nil && j.Queue {
					s.queue.add(x.Key(), j.Priority)
				}
			}
			q.After = page.Next
		}
	}
	return nil
}

// run runs one Session once.
func (s *Service) run(ctx context.Context, k lifecycle.Key) {
	x, err := s.as(ctx, k.Owner)
	var rec lifecycle.Session
	if err == nil {
		rec, err = x.Get(ctx, k)
	}
	if err == nil && rec.Status != lifecycle.Created && rec.Status != lifecycle.Running {
		return // it was paused or ended while it waited
	}
	var r *running
	if err == nil {
		r, err = x.runOf(ctx, rec, RunOptions{})
	}
	if err == nil {
		_, err = r.do(ctx)
	}
	var stopped *StoppedError
	if err == nil || errors.As(err, &stopped) || errors.Is(err, lifecycle.ErrNotFound) {
		return
	}
	if ctx.Err() != nil {
		err = s.handOver(context.WithoutCancel(ctx), k)
	} else {
		err = errors.Join(err, s.fail(ctx, k, err))
	}
	if err != nil {
		s.report(ctx, "run session "+string(k.ID), err)
	}
}

// handOver lets a run that was interrupted go on elsewhere: the Session is running, and no run holds it.
func (s *Service) handOver(ctx context.Context, k lifecycle.Key) error {
	x, err := s.Get(ctx, k)
	if err == nil && x.Status == lifecycle.Paused {
		_, _, err = s.Resume(ctx, k, lifecycle.Resumption{Version: x.Version, Note: raw(map[string]string{"why": "handed over"})})
	}
	return err
}

// fail records a failure that no run could record, because none had begun.
func (s *Service) fail(ctx context.Context, k lifecycle.Key, why error) error {
	x, err := s.Get(ctx, k)
	if err != nil || x.Run != "" && x.Status == lifecycle.Running {
		return err
	}
	note := raw(map[string]string{"error": clip(why.Error(), 4000)})
	if x.Status == lifecycle.Created {
		if x, err = s.Change(ctx, k, lifecycle.Change{Version: x.Version, Cause: lifecycle.Start}); err != nil {
			return err
		}
	}
	if x.Status == lifecycle.Running {
		_, err = s.Change(ctx, k, lifecycle.Change{Version: x.Version, Cause: lifecycle.Fail, Note: note})
	}
	return err
}

const (
	mindEvery   = 5 * time.Second // a question's time is out at most so much later
	mindAtATime = 200
)

// mind closes questions whose time is out, and cleans up.
func (s *Service) mind(ctx context.Context) {
	often, hourly := time.NewTicker(mindEvery), time.NewTicker(lifecycle.CleanupInterval)
	defer often.Stop()
	defer hourly.Stop()
	for {
		var err error
		select {
		case <-ctx.Done():
			return
		case <-often.C:
			_, err = s.TimeOut(ctx, mindAtATime)
		case <-hourly.C:
			_, err = s.Sweep(ctx)
		}
		if err != nil && ctx.Err() == nil {
			s.report(ctx, "look after sessions", err)
		}
	}
}

func (s *Service) report(ctx context.Context, what string, err error) {
	if s.o.Report != nil {
		s.o.Report(ctx, what, err)
	}
}
