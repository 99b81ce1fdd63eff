package lifecycle

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// Request is a question that a run puts to a person (HITL). A Session has at most one that is pending.
type Request struct {
	ID        RequestID       `json:"request_id"`
	Session   ID              `json:"session_id"`
	Run       RunID           `json:"run,omitempty"` // that asked
	Type      string          `json:"type"`          // plan_review, decision, approval, …: a plain name
	Data      json.RawMessage `json:"data,omitempty"`
	Options   []Option        `json:"options,omitempty"`
	Status    RequestStatus   `json:"status"`
	CreatedAt time.Time       `json:"created_at,omitzero"`
	TimeoutAt time.Time       `json:"timeout_at,omitzero"` // from this millisecond on it is too late
	ClosedAt  time.Time       `json:"closed_at,omitzero"`  // answered, timed out or dropped
	Decision  *Decision       `json:"decision,omitempty"`
}

// RequestStatus is what became of a Request.
type RequestStatus string

// The states of a Request.
const (
	RequestPending  RequestStatus = "pending"
	RequestAnswered RequestStatus = "answered"
	RequestTimedOut RequestStatus = "timeout"
	RequestDropped  RequestStatus = "cancelled" // the Session went on, ended or expired without an answer
)

// Option is one way to answer.
type Option struct {
	ID    string `json:"id"`
	Label string `json:"label,omitempty"`
}

// Decision is a person's answer.
type Decision struct {
	By     Owner           `json:"by"`               // who decided
	Via    string          `json:"via,omitempty"`    // terminal, rest, web, …
	Choice string          `json:"choice,omitempty"` // the id of an option, where there are options
	Data   json.RawMessage `json:"data,omitempty"`
	Take   RunID           `json:"-"` // the run that goes on with it; "" leaves the one that asked
}

// Question is a Request that is to be.
type Question struct {
	ID      RequestID
	As      RunID // see Change.As
	Type    string
	Data    json.RawMessage // JSON, at most 1 MiB
	Options []Option        // none: any answer will do
	TimeOut time.Duration   // more than 0
}

const maxOptions = 100

// Ask is the Session that waits, and its Request. Errors: ErrInvalid, *FencedError, *TransitionError.
func (s Session) Ask(q Question, now time.Time, p Policy) (Session, Request, Event, error) {
	if err := q.check(); err != nil {
		return s, Request{}, Event{}, err
	}
	note, err := json.Marshal(map[string]any{"request_id": q.ID, "type": q.Type})
	if err != nil {
		return s, Request{}, Event{}, err
	}
	after, e, err := s.Apply(Change{As: q.As, Cause: Ask, Note: note}, now, p)
	if err != nil {
		return s, Request{}, Event{}, err
	}
	r := Request{ID: q.ID, Session: s.ID, Run: s.Run, Type: q.Type, Data: q.Data, Options: q.Options, Status: RequestPending,
		CreatedAt: after.UpdatedAt, TimeoutAt: moment(after.UpdatedAt.Add(q.TimeOut))}
	return after, r, e, nil
}

func (q Question) check() error {
	if q.TimeOut < time.Millisecond {
		return fmt.Errorf("%w: a question of %v cannot be answered", ErrInvalid, q.TimeOut)
	}
	if len(q.Options) > maxOptions {
		return fmt.Errorf("%w: %d options; at most %d", ErrInvalid, len(q.Options), maxOptions)
	}
	for i, o := range q.Options {
		if err := first(plain("option", o.ID), text("an option's label", o.Label)); err != nil {
			return err
		}
		if slices.ContainsFunc(q.Options[:i], func(b Option) bool { return b.ID == o.ID }) {
			return fmt.Errorf("%w: two options are called %s", ErrInvalid, o.ID)
		}
	}
	return first(plain("request", q.ID), plain("kind of request", q.Type), document("the question", q.Data))
}

// Answer decides whether an answer counts: the Session that goes on, and the Request closed. Exactly one answer does, and
// none from the moment on at which the time is out, whether or not anybody has noticed yet. Errors: ErrInvalid,
// *AnsweredError, *TransitionError.
func (s Session) Answer(r Request, d Decision, now time.Time, p Policy) (Session, Request, Event, error) {
	if err := d.check(r); err != nil {
		return s, r, Event{}, err
	}
	if r.Status == RequestPending && !moment(now).Before(r.TimeoutAt) {
		r.Status = RequestTimedOut
	}
	if r.Status != RequestPending {
		return s, r, Event{}, &AnsweredError{r}
	}
	return s.closed(r, Change{Cause: Answer, Take: d.Take}, RequestAnswered, &d, now, p)
}

func (d Decision) check(r Request) error {
	if len(r.Options) > 0 && !slices.ContainsFunc(r.Options, func(o Option) bool { return o.ID == d.Choice }) {
		var ids []string
		for _, o := range r.Options {
			ids = append(ids, o.ID)
		}
		return fmt.Errorf("%w: %.40q is no option of request %s; choose one of %s", ErrInvalid, d.Choice, r.ID, joined(ids))
	}
	return first(plain("person", d.By), optional("way", d.Via), said("the answer", d.Choice), document("the decision", d.Data), optional("run", d.Take))
}

// TimeOut is the Session that nobody answered, and its Request closed. Before its time it is ErrInvalid; a Request that is
// closed already is *AnsweredError.
func (s Session) TimeOut(r Request, now time.Time, p Policy) (Session, Request, Event, error) {
	if r.Status != RequestPending {
		return s, r, Event{}, &AnsweredError{r}
	}
	if moment(now).Before(r.TimeoutAt) {
		return s, r, Event{}, fmt.Errorf("%w: request %s has time until %s", ErrInvalid, r.ID, r.TimeoutAt.Format(time.RFC3339))
	}
	return s.closed(r, Change{Cause: TimeOut}, RequestTimedOut, nil, now, p)
}

func (s Session) closed(r Request, c Change, to RequestStatus, d *Decision, now time.Time, p Policy) (Session, Request, Event, error) {
	c.Note, _ = json.Marshal(map[string]any{"request_id": r.ID, "type": r.Type}) // of plain names only
	after, e, err := s.Apply(c, now, p)
	if err != nil {
		return s, r, Event{}, err
	}
	r.Status, r.Decision, r.ClosedAt = to, d, after.UpdatedAt
	return after, r, e, nil
}
