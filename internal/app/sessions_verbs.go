package app

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"session/internal/lifecycle"

	"github.com/tidwall/gjson"
)

// SessionsQuery asks for a list of Sessions.
type SessionsQuery struct {
	Statuses []lifecycle.Status
	Limit    int // 0: 20
	Offset   int
	After    lifecycle.Cursor
}

// SessionList is a page of Sessions, the newest first.
type SessionList struct {
	Sessions []lifecycle.Session `json:"sessions"`
	Next     lifecycle.Cursor    `json:"next,omitempty"` // where the next page begins; "" if there is none
}

// ListSessions lists the owner's Sessions.
func ListSessions(ctx context.Context, p Place, q SessionsQuery) (SessionList, error) {
	list, err := withSessions(ctx, p, SessionsOptions{Read: true}, func(x *Sessions) (SessionList, error) {
		page, err := x.List(ctx, lifecycle.Query{Owner: x.Owner, Statuses: q.Statuses, Limit: q.Limit, Offset: q.Offset, After: q.After})
		return SessionList{Sessions: page.Sessions, Next: page.Next}, err
	})
	var none *NoSessionsError
	if errors.As(err, &none) {
		return SessionList{Sessions: []lifecycle.Session{}}, nil
	}
	return list, err
}

// SessionInfo is all that is recorded about a Session.
type SessionInfo struct {
	lifecycle.Session
	Plans       []lifecycle.Plan       `json:"plans"` // every version, oldest first
	Todos       []lifecycle.Todo       `json:"todos"` // of the newest
	Pending     *lifecycle.Request     `json:"pending"`
	Requests    []lifecycle.Request    `json:"requests"`
	Checkpoints []lifecycle.Checkpoint `json:"checkpoints"`
	History     []lifecycle.Event      `json:"history"`
	ArchivedAt  time.Time              `json:"archived_at,omitzero"` // it was put away then, whole
}

// Why is the reason of a Session that failed; "" for any other.
func (i SessionInfo) Why() string {
	if i.Status != lifecycle.Failed {
		return ""
	}
	for _, e := range slices.Backward(i.History) {
		if gjson.GetBytes(e.Data, "cause").String() == string(lifecycle.Fail) {
			return gjson.GetBytes(e.Data, "note.error").String()
		}
	}
	return ""
}

// InfoSession tells all about one Session.
func InfoSession(ctx context.Context, p Place, id string) (SessionInfo, error) {
	return withSessions(ctx, p, SessionsOptions{Read: true}, func(x *Sessions) (SessionInfo, error) {
		s, err := x.Find(ctx, id)
		var gone *lifecycle.GoneError
		if errors.As(err, &gone) && gone.Tombstone.Kind == lifecycle.PutAway {
			return x.archived(ctx, lifecycle.Key{Owner: x.Owner, ID: gone.Tombstone.ID})
		}
		if err != nil {
			return SessionInfo{}, err
		}
		return x.Info(ctx, s.Key())
	})
}

// archived tells all about a Session that was put away.
func (x *Sessions) archived(ctx context.Context, k lifecycle.Key) (SessionInfo, error) {
	a, err := x.Archived(ctx, k)
	i := SessionInfo{Session: a.Session, Plans: a.Plans, Todos: []lifecycle.Todo{}, Requests: a.Requests, Checkpoints: a.Checkpoints, History: a.Events, ArchivedAt: a.At}
	if n := len(a.Plans); n > 0 {
		i.Todos = a.Plans[n-1].Todos
	}
	return i, err
}

// Info tells all about one Session.
func (x *Sessions) Info(ctx context.Context, k lifecycle.Key) (i SessionInfo, err error) {
	if i.Session, err = x.Get(ctx, k); err != nil {
		return i, err
	}
	i.Plans, i.Todos = []lifecycle.Plan{}, []lifecycle.Todo{}
	for v := 1; v <= i.PlanVersion; v++ {
		plan, err := x.Plan(ctx, k, v)
		if err != nil {
			return i, err
		}
		i.Plans, i.Todos = append(i.Plans, plan), plan.Todos
	}
	if i.Requests, err = x.Asked(ctx, k); err != nil {
		return i, err
	}
	for n, q := range i.Requests {
		if q.Status == lifecycle.RequestPending {
			i.Pending = &i.Requests[n]
		}
	}
	if i.Checkpoints, err = x.Checkpoints(ctx, k); err != nil {
		return i, err
	}
	i.History, err = x.Records.Events(ctx, k, 0, int(i.Session.Events))
	return i, err
}

// PauseSession pauses a running Session. The run that holds it stops as soon as it notices, and records nothing more.
func PauseSession(ctx context.Context, p Place, id string) (lifecycle.Session, error) {
	return changeSession(ctx, p, id, lifecycle.Pause)
}

// CancelSession ends a Session that is paused or waits for an answer; a running one is paused first.
func CancelSession(ctx context.Context, p Place, id string) (lifecycle.Session, error) {
	return withSessions(ctx, p, SessionsOptions{Read: true}, func(x *Sessions) (lifecycle.Session, error) {
		s, err := x.Find(ctx, id)
		if err != nil {
			return s, err
		}
		return x.Cancel(ctx, s.Key())
	})
}

// WorkTreeSessionError refuses to end a Session that is a work tree's own.
type WorkTreeSessionError struct{ ID lifecycle.ID }

func (e *WorkTreeSessionError) Error() string {
	return "session " + string(e.ID) + " is a work tree's own: it lives as long as its path does"
}

// Cancel ends a Session: seed 004 §2.2 lets a running one be cancelled by way of paused only, so it takes both steps.
func (x *Sessions) Cancel(ctx context.Context, k lifecycle.Key) (lifecycle.Session, error) {
	s, err := x.Get(ctx, k)
	if err != nil {
		return s, err
	}
	if s.WorkTree {
		return s, &WorkTreeSessionError{s.ID}
	}
	if s.Status == lifecycle.Running {
		if s, err = x.Change(ctx, k, lifecycle.Change{Version: s.Version, Cause: lifecycle.Pause}); err != nil {
			return s, err
		}
	}
	return x.Change(ctx, k, lifecycle.Change{Version: s.Version, Cause: lifecycle.Cancel})
}

func changeSession(ctx context.Context, p Place, id string, cause lifecycle.Cause) (lifecycle.Session, error) {
	return withSessions(ctx, p, SessionsOptions{Read: true}, func(x *Sessions) (lifecycle.Session, error) {
		s, err := x.Find(ctx, id)
		if err != nil {
			return s, err
		}
		return x.Change(ctx, s.Key(), lifecycle.Change{Version: s.Version, Cause: cause})
	})
}

// DeleteSession removes a Session that is not running, with everything that is its own; a tombstone stays under its id.
func DeleteSession(ctx context.Context, p Place, id string) (lifecycle.Tombstone, error) {
	return withSessions(ctx, p, SessionsOptions{Read: true}, func(x *Sessions) (lifecycle.Tombstone, error) {
		s, err := x.Find(ctx, id)
		if err != nil {
			return lifecycle.Tombstone{}, err
		}
		return x.Remove(ctx, s.Key())
	})
}

// Remove deletes a Session and its snapshots, where no work tree's path holds them.
func (x *Sessions) Remove(ctx context.Context, k lifecycle.Key) (lifecycle.Tombstone, error) {
	s, err := x.Get(ctx, k)
	if err != nil {
		return lifecycle.Tombstone{}, err
	}
	if s.WorkTree {
		return lifecycle.Tombstone{}, &WorkTreeSessionError{s.ID}
	}
	t, err := x.Delete(ctx, k, s.Version)
	if err != nil {
		return t, err
	}
	if err := x.purge(ctx, t); err != nil {
		return t, err // the clean-up tries again
	}
	return t, x.Purged(ctx, k)
}

// StatsResult is the table of seed 004 §9.2.
type StatsResult struct {
	From   string                     `json:"from"` // first and last day, UTC
	To     string                     `json:"to"`
	Days   []lifecycle.Day            `json:"days"`   // newest first; a day without Sessions is left out
	Counts map[lifecycle.Status]int64 `json:"counts"` // now
}

// SessionStats counts the owner's Sessions of the last days.
func SessionStats(ctx context.Context, p Place, days int) (StatsResult, error) {
	r := StatsResult{Days: []lifecycle.Day{}, Counts: map[lifecycle.Status]int64{}}
	to := p.Now().UTC()
	from := to.Add(-time.Duration(days-1) * 24 * time.Hour)
	r.From, r.To = from.Format(time.DateOnly), to.Format(time.DateOnly)
	_, err := withSessions(ctx, p, SessionsOptions{Read: true}, func(x *Sessions) (_ struct{}, err error) {
		if r.Days, err = x.Daily(ctx, lifecycle.Of(x.Owner), from, to); err == nil {
			r.Counts, err = x.Counts(ctx, lifecycle.Of(x.Owner))
		}
		return struct{}{}, err
	})
	var none *NoSessionsError
	if errors.As(err, &none) {
		err = nil
	}
	return r, err
}

// Sweep is one clean-up: what is due expires, is archived or deleted, with its snapshots where no work tree's path holds
// them.
func (x *Sessions) Sweep(ctx context.Context) (lifecycle.Swept, error) {
	return lifecycle.Sweep(ctx, x.Records, x.site.Now, x.purge)
}

// raw makes JSON of what certainly has one.
func raw(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage("null")
	}
	return b
}
