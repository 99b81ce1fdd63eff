package app

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"session/internal/lifecycle"
	"session/internal/snapshot"
	"session/internal/store/sql"

	"github.com/tidwall/gjson"
)

// QuestionOf is what a request asks, in words.
func QuestionOf(q lifecycle.Request) string {
	return gjson.GetBytes(q.Data, "question").String()
}

// jobs opens the queue, once.
func (x *Sessions) jobs(ctx context.Context) (*sql.Jobs, error) {
	x.opening.Lock()
	defer x.opening.Unlock()
	if x.queue != nil {
		return x.queue, nil
	}
	q, err := x.db.Jobs(ctx)
	if err == nil {
		x.queue = q
	}
	return q, err
}

// enqueue puts the next turn of a Session into the queue.
func (x *Sessions) enqueue(ctx context.Context, s lifecycle.Session, j job) error {
	q, err := x.jobs(ctx)
	if err != nil {
		return err
	}
	_, err = q.Add(ctx, lifecycle.Job{Path: string(s.ID), Turn: s.Events, Owner: s.Owner, Session: s.ID}, lifecycle.Priority(cmp.Or(j.Priority, string(lifecycle.Normal))))
	return err
}

// QueueOptions are a run that a worker is to do.
type QueueOptions struct {
	Input    string
	Base     string // a snapshot as people write it; "" for the newest of the work tree's path
	Agent    string
	Priority string // high, normal, low; "" is normal
	Todos    []string
}

// QueueRun makes a Session whose run a worker does, on a path of its own below the base.
func QueueRun(ctx context.Context, p Place, o QueueOptions) (lifecycle.Session, error) {
	return withSessions(ctx, p, SessionsOptions{}, func(x *Sessions) (lifecycle.Session, error) {
		run, err := x.site.runID()
		if err != nil {
			return lifecycle.Session{}, err
		}
		base, chain, err := x.site.baseOf(ctx, o.Base)
		if err != nil {
			return lifecycle.Session{}, err
		}
		j := job{Base: string(base), Run: run, Agent: o.Agent, Profile: x.site.Profile, Queue: true, Priority: o.Priority}
		if err := errors.Join(priority(o.Priority), x.site.hasAgent(ctx, o.Agent)); err != nil {
			return lifecycle.Session{}, err
		}
		if _, err := x.jobs(ctx); err != nil { // its tables
			return lifecycle.Session{}, err
		}
		d := lifecycle.Draft{ID: lifecycle.ID(snapshot.ForkID(chain.ID(), base, run)), Owner: x.Owner, Input: clip(o.Input, 1<<20),
			Language: string(x.site.Words.Lang()), Options: raw(j)}
		var s lifecycle.Session
		err = x.together(ctx, func(ctx context.Context) (err error) {
			if s, err = x.Create(ctx, d); err == nil && len(o.Todos) > 0 {
				_, err = x.Revise(ctx, s.Key(), lifecycle.Revision{Plan: "work", Todos: todosOf(RunOptions{Todos: o.Todos})})
			}
			if err != nil {
				return err
			}
			return x.enqueue(ctx, s, j)
		})
		return s, err
	})
}

// hasAgent refuses an agent that the policy does not have; "" is the usual one.
func (s *site) hasAgent(ctx context.Context, agent string) error {
	if agent == "" {
		return nil
	}
	p, err := s.policy(ctx)
	if err != nil {
		return err
	}
	return p.mayRun(agent)
}

func priority(p string) error {
	switch lifecycle.Priority(p) {
	case "", lifecycle.High, lifecycle.Normal, lifecycle.Low:
		return nil
	}
	return &UsageError{fmt.Errorf("%.40q is no priority; there are high, normal, low", p)}
}

// baseOf is the snapshot that a fork begins below.
func (s *site) baseOf(ctx context.Context, ref string) (snapshot.ID, *snapshot.Store, error) {
	fs, chain, err := s.shelf(ctx, false)
	if err != nil {
		return "", nil, err
	}
	c := &lineage{site: s, files: fs, store: chain, here: s.stood(ctx, chain)}
	id, err := c.resolve(ctx, cmp.Or(ref, "HEAD"))
	return id, chain, err
}

// Begin lets a worker run a Session that was created through the service, or that goes on. What it is to run stands in its
// options: {"base", "agent", "profile"}, all of which may be absent; the base is the newest snapshot of the work tree then.
func (x *Sessions) Begin(ctx context.Context, s lifecycle.Session, p string) error {
	if err := priority(p); err != nil {
		return err
	}
	j, err := jobOf(s)
	if err != nil {
		return err
	}
	if !j.Queue && !s.WorkTree { // a work tree's own goes on in the foreground again, the next time
		if s, j, err = x.settle(ctx, s, j, p); err != nil {
			return err
		}
	}
	return x.enqueue(ctx, s, j)
}

// settle writes down, once and for all, what a Session of the service runs and on which path.
func (x *Sessions) settle(ctx context.Context, s lifecycle.Session, asked job, p string) (lifecycle.Session, job, error) {
	base, _, err := x.site.baseOf(ctx, asked.Base)
	if err != nil {
		return s, asked, err
	}
	sum := sha256.Sum256([]byte("service\x00" + string(s.ID)))
	run := cmp.Or(asked.Run, hex.EncodeToString(sum[:12])) // one that has begun stays on its path
	j := job{Base: string(base), Run: run, Agent: asked.Agent, Profile: asked.Profile, Queue: true, Priority: p, Blank: s.Owner != x.Owner}
	s, err = x.Change(ctx, s.Key(), lifecycle.Change{Version: s.Version, Metadata: noted(s.Metadata, jobKey, raw(j))})
	return s, j, err
}

// jobKey is where a Session's metadata say what it runs, where its options are somebody else's words.
const jobKey = "session.job"

// perform does one job: the Session's run, and once more as long as somebody answers or resumes it meanwhile.
func (x *Sessions) perform(ctx context.Context, p Place, j lifecycle.Job) error {
	for {
		s, err := x.Get(ctx, lifecycle.Key{Owner: j.Owner, ID: j.Session})
		if errors.Is(err, lifecycle.ErrNotFound) {
			return nil // deleted meanwhile
		}
		if err != nil {
			return err
		}
		if s.Status != lifecycle.Created && s.Status != lifecycle.Running && s.Status != lifecycle.Failed {
			return nil // paused, cancelled, answered elsewhere: whoever did that says how it goes on
		}
		if err := x.performOnce(ctx, p, s); err != nil {
			return retried(err)
		}
		after, err := x.Get(ctx, s.Key())
		if err != nil || after.Status != lifecycle.Running {
			return err
		}
	}
}

func (x *Sessions) performOnce(ctx context.Context, p Place, s lifecycle.Session) error {
	site, err := p.open(ctx)
	if err != nil {
		return err
	}
	y := &Sessions{Records: x.Records, Owner: s.Owner, Shown: x.Shown, db: x.db, site: site}
	r, err := y.runOf(ctx, s, RunOptions{})
	if err != nil {
		return err
	}
	r.hold.queued = true
	_, err = r.do(ctx)
	return err
}

// retried says which failures another try may mend.
func retried(err error) error {
	var (
		stopped *StoppedError
		fenced  *lifecycle.FencedError
		invalid *UsageError
		policy  *PolicyError
		mode    *ModeError
		other   *lifecycle.NotResumableError
	)
	switch {
	case errors.As(err, &stopped), errors.As(err, &fenced), errors.As(err, &invalid), errors.As(err, &policy), errors.As(err, &mode), errors.As(err, &other):
		return fmt.Errorf("%w: %w", lifecycle.ErrNoRetry, err)
	}
	return err
}
