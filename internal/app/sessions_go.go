package app

import (
	"context"

	"session/internal/lifecycle"
)

// ResumeOptions say how a Session goes on (seed 004 §5).
type ResumeOptions struct {
	lifecycle.Modifications
	Agent string // instead of the one it has
}

// Going is a Session that goes on: here and now, or in the queue.
type Going struct {
	Session lifecycle.Session `json:"session"`
	Todos   []lifecycle.Todo  `json:"todos"` // as it went on
	Queued  bool              `json:"queued"`
	Run     *RunResult        `json:"run,omitempty"`  // what came of it; nil while it is in the queue
	Load    *LoadResult       `json:"load,omitempty"` // of a recovery that went on with an answer
}

// ResumeSession goes on with a Session that is paused, waits for an answer, or has failed, from its newest snapshot. Errors:
// *lifecycle.NotResumableError for any other.
func ResumeSession(ctx context.Context, p Place, id string, o ResumeOptions) (Going, error) {
	return withSessions(ctx, p, SessionsOptions{Read: true}, func(x *Sessions) (Going, error) {
		s, err := x.Find(ctx, id)
		if err != nil {
			return Going{}, err
		}
		return x.Go(ctx, s, o)
	})
}

// Go goes on with a Session. One that workers run goes into the queue again.
func (x *Sessions) Go(ctx context.Context, s lifecycle.Session, o ResumeOptions) (Going, error) {
	if !s.Status.Resumable() {
		return Going{}, &lifecycle.NotResumableError{Session: s.ID, Status: s.Status}
	}
	j, err := jobOf(s)
	if err != nil {
		return Going{}, err
	}
	if j.Queue {
		if _, err := x.jobs(ctx); err != nil { // its tables
			return Going{}, err
		}
		g := Going{Queued: true}
		err := x.together(ctx, func(ctx context.Context) (err error) {
			if g.Session, g.Todos, err = x.Resume(ctx, s.Key(), lifecycle.Resumption{Modifications: o.Modifications}); err != nil {
				return err
			}
			return x.enqueue(ctx, g.Session, j)
		})
		return g, err
	}
	r, err := x.runOf(ctx, s, RunOptions{Agent: o.Agent})
	if err == nil {
		err = r.pol.mayRun(o.Agent)
	}
	if err != nil {
		return Going{}, err
	}
	r.hold.how.Modifications = o.Modifications
	return x.going(ctx, r)
}

func (x *Sessions) going(ctx context.Context, r *running) (Going, error) {
	res, err := r.do(ctx)
	if err != nil {
		return Going{}, err
	}
	i, err := x.Info(context.WithoutCancel(ctx), lifecycle.Key{Owner: r.hold.now.Owner, ID: res.Session})
	return Going{Session: i.Session, Todos: i.Todos, Run: &res}, err
}

// AnswerOptions are a person's answer to a Session's question.
type AnswerOptions struct {
	Request string // its id; "" for the one that waits
	Choice  string // an option, where there are options; else what the person says
	Via     string // terminal, rest, web
	Hold    bool   // record the answer and do not go on with it here
}

// NothingAskedError says that a Session waits for no answer.
type NothingAskedError struct{ ID lifecycle.ID }

func (e *NothingAskedError) Error() string { return "session " + string(e.ID) + " asks nothing" }

// Answered is a question with the one answer that counts, and how the Session goes on.
type Answered struct {
	Request lifecycle.Request `json:"request"`
	Going
}

// AnswerSession answers what a Session asks. Exactly one answer counts: *lifecycle.AnsweredError for every other, and for
// one that comes too late.
func AnswerSession(ctx context.Context, p Place, id string, o AnswerOptions) (Answered, error) {
	return withSessions(ctx, p, SessionsOptions{Read: true}, func(x *Sessions) (Answered, error) {
		s, err := x.Find(ctx, id)
		if err != nil {
			return Answered{}, err
		}
		return x.Reply(ctx, s, o)
	})
}

// Reply answers what a Session asks, and goes on with the answer.
func (x *Sessions) Reply(ctx context.Context, s lifecycle.Session, o AnswerOptions) (Answered, error) {
	i, err := x.Info(ctx, s.Key())
	if err != nil {
		return Answered{}, err
	}
	id := lifecycle.RequestID(o.Request)
	if id == "" && len(i.Requests) > 0 {
		id = i.Requests[len(i.Requests)-1].ID
	}
	if id == "" {
		return Answered{}, &NothingAskedError{s.ID}
	}
	j, err := jobOf(s)
	if err != nil {
		return Answered{}, err
	}
	d := lifecycle.Decision{By: x.Owner, Via: o.Via, Choice: clip(o.Choice, 1<<19)}
	a, err := x.answered(ctx, s, id, d, j)
	if err != nil || j.Queue || o.Hold {
		return a, err
	}
	if a.Request.Type == recoveryRequest {
		load, err := Recover(ctx, x.site.Place, RecoverOptions{Answer: o.Choice})
		if err != nil {
			return a, err
		}
		a.Load = &load
		a.Session, err = x.Get(ctx, s.Key())
		return a, err
	}
	r, err := x.runOf(ctx, a.Session, RunOptions{})
	if err != nil {
		return a, err
	}
	a.Going, err = x.going(ctx, r)
	return a, err
}

// answered records an answer, and with it, where workers run the Session, its next turn.
func (x *Sessions) answered(ctx context.Context, s lifecycle.Session, id lifecycle.RequestID, d lifecycle.Decision, j job) (a Answered, err error) {
	if j.Queue {
		if _, err := x.jobs(ctx); err != nil { // its tables
			return a, err
		}
	}
	err = x.together(ctx, func(ctx context.Context) (err error) {
		if a.Request, err = x.Answer(ctx, s.Key(), id, d); err != nil {
			return err
		}
		if a.Session, err = x.Get(ctx, s.Key()); err != nil || !j.Queue {
			return err
		}
		a.Queued = true
		return x.enqueue(ctx, a.Session, j)
	})
	return a, err
}

// decided words a decision for the run that goes on with it.
func decided(q lifecycle.Request) string {
	says := q.Decision.Choice
	for _, o := range q.Options {
		if o.ID == says && o.Label != "" {
			says = o.Label
		}
	}
	return "Question: " + QuestionOf(q) + "\nDecision: " + says
}

// unheard is the answer to what a Session asked last, as long as no run has gone on with it: said to the agent that asked;
// where a step of the policy asked, the run goes on with its own input.
func unheard(s lifecycle.Session, all []lifecycle.Request) (says string, heard bool) {
	if len(all) == 0 {
		return "", false
	}
	last := all[len(all)-1]
	if last.Status != lifecycle.RequestAnswered || last.Run != s.Run {
		return "", false
	}
	if last.Type == approvalRequest {
		return "", true
	}
	return decided(last), true
}
