package sql

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"session/internal/lifecycle"
)

// Ask implements lifecycle.Requests.
func (r Records) Ask(ctx context.Context, k lifecycle.Key, q lifecycle.Question) (made lifecycle.Request, err error) {
	_, err = r.change(ctx, k, func(t tx, s lifecycle.Session) (lifecycle.Session, lifecycle.Event, error) {
		after, request, e, err := s.Ask(q, r.o.Now(), r.o.Policy)
		if err != nil {
			return s, e, err
		}
		made = request
		n, err := t.exec(lifecycleQueries["add-request"], string(s.ID), string(made.ID), e.Seq, string(made.Run), made.Type, document{&made.Data},
			list(&made.Options), string(made.Status), millis(made.CreatedAt), millis(made.TimeoutAt))
		if err == nil && n == 0 {
			err = fmt.Errorf("%w: request %s", lifecycle.ErrTaken, q.ID)
		}
		return after, e, err
	})
	return made, of("ask in", k, err)
}

// Answer implements lifecycle.Requests.
func (r Records) Answer(ctx context.Context, k lifecycle.Key, id lifecycle.RequestID, d lifecycle.Decision) (lifecycle.Request, error) {
	closed, err := r.close(ctx, k, id, func(s lifecycle.Session, q lifecycle.Request) (lifecycle.Session, lifecycle.Request, lifecycle.Event, error) {
		return s.Answer(q, d, r.o.Now(), r.o.Policy)
	})
	return closed, of("answer", k, err)
}

// close lets how decide about a Request and its Session, and writes both.
func (r Records) close(ctx context.Context, k lifecycle.Key, id lifecycle.RequestID,
	how func(lifecycle.Session, lifecycle.Request) (lifecycle.Session, lifecycle.Request, lifecycle.Event, error)) (closed lifecycle.Request, err error) {
	_, err = r.change(ctx, k, func(t tx, s lifecycle.Session) (lifecycle.Session, lifecycle.Event, error) {
		all, err := t.requests(s.ID)
		if err != nil {
			return s, lifecycle.Event{}, err
		}
		i := slices.IndexFunc(all, func(q lifecycle.Request) bool { return q.ID == id })
		if i < 0 {
			return s, lifecycle.Event{}, fmt.Errorf("%w: request %.140q", lifecycle.ErrNotFound, id)
		}
		var after lifecycle.Session
		var e lifecycle.Event
		if after, closed, e, err = how(s, all[i]); err != nil {
			return s, e, err
		}
		_, err = t.exec(lifecycleQueries["close-request"], string(closed.Status), millis(closed.ClosedAt), pointer(&closed.Decision), string(s.ID), string(id))
		return after, e, err
	})
	return closed, err
}

// Asked implements lifecycle.Requests.
func (r Records) Asked(ctx context.Context, k lifecycle.Key) (all []lifecycle.Request, err error) {
	err = r.look(ctx, k, func(t tx, s record) error {
		all, err = t.requests(s.ID)
		return err
	})
	return all, of("look up the requests of", k, err)
}

func (t tx) requests(id lifecycle.ID) ([]lifecycle.Request, error) {
	all := []lifecycle.Request{}
	err := t.each(lifecycleQueries["requests"], []any{string(id)}, func(scan func(...any) error) error {
		var q lifecycle.Request
		err := scan(&q.Session, &q.ID, &q.Run, &q.Type, document{&q.Data}, list(&q.Options), &q.Status, instant{&q.CreatedAt}, instant{&q.TimeoutAt},
			instant{&q.ClosedAt}, pointer(&q.Decision))
		all = append(all, q)
		return err
	})
	return all, err
}

// TimeOut implements lifecycle.Requests.
func (r Records) TimeOut(ctx context.Context, limit int) (closed []lifecycle.Request, err error) {
	type late struct {
		k  lifecycle.Key
		id lifecycle.RequestID
	}
	var all []late
	err = r.db.read(ctx, func(t tx) error {
		all = nil
		return t.each(lifecycleQueries["late-requests"], []any{r.o.Now().UnixMilli(), limit}, func(scan func(...any) error) error {
			var l late
			err := scan(&l.k.Owner, &l.k.ID, &l.id)
			all = append(all, l)
			return err
		})
	})
	for _, l := range all {
		if err != nil {
			break
		}
		var q lifecycle.Request
		q, err = r.close(ctx, l.k, l.id, func(s lifecycle.Session, q lifecycle.Request) (lifecycle.Session, lifecycle.Request, lifecycle.Event, error) {
			return s.TimeOut(q, r.o.Now(), r.o.Policy)
		})
		var answered *lifecycle.AnsweredError
		if errors.As(err, &answered) || errors.Is(err, lifecycle.ErrNotFound) { // meanwhile
			err = nil
			continue
		}
		if err == nil {
			closed = append(closed, q)
		}
	}
	if err != nil {
		return closed, fmt.Errorf("close requests whose time is out: %w", err)
	}
	return closed, nil
}
