package app

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"session/internal/coordination"
	"session/internal/lifecycle"
	"session/internal/snapshot"
	"session/internal/store/sql"
)

// Service is the Sessions of every user, as session serve offers them. What it acknowledges is in the database first: a
// Service that is killed finds its work there when it starts again, and so does every other worker.
type Service struct {
	*Sessions
	place  Place
	access sql.Access
	o      ServiceOptions

	accepted acceptances
}

// ServiceOptions say how a Service is opened.
type ServiceOptions struct {
	Limit   int           // live Sessions that a user may have; 0: lifecycle.DefaultLimit
	Workers int           // runs at a time in this process; 0: other processes run them
	Grace   time.Duration // for runs under way when the Service ends; then they are handed over
	Log     *slog.Logger
}

// Errors of the database of Sessions that a client may outlive by asking again.
var (
	ErrDatabaseAway      = sql.ErrUnavailable // nothing of the call is recorded
	ErrDatabaseUncertain = sql.ErrUncertain   // look before asking again
)

// OpenService opens the Sessions of a Place for everybody. Errors: those of OpenSessions.
func OpenService(ctx context.Context, p Place, o ServiceOptions) (*Service, error) {
	if err := p.Adapters.worker(); err != nil {
		return nil, err
	}
	p.Prompt = false
	x, err := OpenSessions(ctx, p, SessionsOptions{Limit: o.Limit})
	if err != nil {
		return nil, err
	}
	access, err := x.db.Access(ctx)
	if err != nil {
		_ = x.Close() // the other error is the one to tell
		return nil, err
	}
	return &Service{Sessions: x, place: p, access: access, o: o}, nil
}

// StartOptions are what a user wants done.
type StartOptions struct {
	Owner    lifecycle.Owner
	Input    string
	Language string          // "": that of the Place
	Agent    string          // an agent or a program of bundles.yaml; "" for the usual one
	Base     string          // the snapshot to begin from, as people write it; "": where the work tree's path stands
	Todos    []string        // what the input consists of; none: it is one thing to do
	Priority string          // high, normal or low; "" is normal
	Metadata json.RawMessage // kept, and not looked at
}

// Start makes a Session on a path of its own, in the work tree as it is now, and lets a worker run it. Errors:
// *NothingSavedError and those of Base, *PolicyError, *UsageError, *lifecycle.LimitError, lifecycle.ErrInvalid.
func (s *Service) Start(ctx context.Context, o StartOptions) (lifecycle.Session, error) {
	j, id, err := s.job(ctx, o)
	if err != nil {
		return lifecycle.Session{}, err
	}
	if _, err := s.jobs(ctx); err != nil { // its tables
		return lifecycle.Session{}, err
	}
	d := lifecycle.Draft{ID: id, Owner: o.Owner, Input: o.Input, Language: cmp.Or(o.Language, string(s.place.Words.Lang())), Limited: true,
		Metadata: noted(o.Metadata, jobKey, raw(j))}
	var made lifecycle.Session
	err = s.together(ctx, func(ctx context.Context) (err error) {
		if made, err = s.Create(ctx, d); err == nil && len(o.Todos) > 0 {
			_, err = s.Revise(ctx, made.Key(), lifecycle.Revision{Plan: "work", Reason: "a new input", Todos: todosOf(RunOptions{Todos: o.Todos})})
		}
		if err != nil {
			return err
		}
		return s.enqueue(ctx, made, j)
	})
	return made, err
}

// job is what a new Session runs, and the id that its path will have.
func (s *Service) job(ctx context.Context, o StartOptions) (job, lifecycle.ID, error) {
	at, err := s.place.open(ctx)
	if err != nil {
		return job{}, "", err
	}
	if err = s.accepted.must(ctx, at, o.Agent); err == nil {
		err = priority(o.Priority)
	}
	if err != nil {
		return job{}, "", err
	}
	base, chain, err := at.baseOf(ctx, o.Base)
	if err != nil {
		return job{}, "", err
	}
	run, err := at.runID()
	return job{Base: string(base), Run: run, Agent: o.Agent, Profile: at.Profile, Queue: true, Priority: o.Priority,
		Blank: o.Owner != s.Owner}, lifecycle.ID(snapshot.ForkID(chain.ID(), base, run)), err
}

// Limiter counts requests over all services of this database, where a place to do so is named; else nil.
func (s *Service) Limiter() coordination.Limiter {
	if s.client == nil {
		return nil
	}
	return ofDatabase{s.client, s.Shown}
}

// ofDatabase keeps those apart who have the same name in two databases.
type ofDatabase struct {
	coordination.Limiter
	database string
}

// Allow implements coordination.Limiter.
func (l ofDatabase) Allow(ctx context.Context, who string, r coordination.Rate) (bool, time.Duration, error) {
	return l.Limiter.Allow(ctx, l.database+" "+who, r)
}

// Load is how many Sessions run and how many wait, on all workers.
func (s *Service) Load(ctx context.Context) (running, waiting int64, err error) {
	q, err := s.jobs(ctx)
	if err != nil {
		return 0, 0, err
	}
	waiting, running, err = q.Waiting(ctx)
	return running, waiting, err
}

// RunQueue runs Sessions in this process, closes questions whose time is out and cleans up, until ctx ends.
func (s *Service) RunQueue(ctx context.Context) error {
	if err := s.recover(ctx); err != nil {
		return err
	}
	if s.o.Workers == 0 {
		<-ctx.Done()
		return nil
	}
	return s.Labour(ctx, WorkerOptions{Slots: s.o.Workers, Grace: s.o.Grace, Log: s.o.Log})
}

// recover queues what a Service that was killed had recorded and not queued yet. What is in the queue stays there once.
func (s *Service) recover(ctx context.Context) error {
	tokens, err := s.access.List(ctx, "")
	if err != nil {
		return err
	}
	owners := map[lifecycle.Owner]bool{s.Owner: true}
	for _, t := range tokens {
		if t.Owner != "" {
			owners[lifecycle.Owner(t.Owner)] = true
		}
	}
	for owner := range owners {
		q := lifecycle.Query{Owner: owner, Statuses: []lifecycle.Status{lifecycle.Created, lifecycle.Running}, Limit: 1000}
		for more := true; more; more = q.After != "" {
			page, err := s.List(ctx, q)
			if err == nil {
				err = s.requeue(ctx, page.Sessions)
			}
			if err != nil {
				return err
			}
			q.After = page.Next
		}
	}
	return nil
}

func (s *Service) requeue(ctx context.Context, all []lifecycle.Session) error {
	for _, x := range all {
		j, err := jobOf(x)
		if err != nil || !j.Queue || x.Run != "" { // one that a run holds is in the queue
			continue
		}
		if err := s.enqueue(ctx, x, j); err != nil {
			return err
		}
	}
	return nil
}

// Connect notes, where Sessions are shared, that a client watches a Session. The returned function takes it back.
func (s *Service) Connect(ctx context.Context, id lifecycle.ID, client string) (leave func()) {
	a, ok := s.Records.(*announced)
	if !ok {
		return func() {}
	}
	ctx = context.WithoutCancel(ctx)
	a.reach(func() error { return a.hot.Connect(ctx, string(id), client) })
	return func() { a.reach(func() error { return a.hot.Disconnect(ctx, string(id), client) }) }
}
