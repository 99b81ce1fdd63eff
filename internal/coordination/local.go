package coordination

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// Local is Hot and Bus within one process: the service without Redis. Safe for concurrent use.
type Local struct {
	now func() time.Time

	mu       sync.Mutex
	sessions map[string]*kept
	swept    time.Time
	inboxes  map[*Inbox]string // by what they listen to; "" is everything
}

type kept struct {
	state    *State
	progress *Progress
	until    time.Time // of both
	pending  *Pending
	clients  map[string]bool
}

// NewLocal makes one. now is the clock that decides how long things are kept.
func NewLocal(now func() time.Time) *Local {
	return &Local{now: now, sessions: map[string]*kept{}, inboxes: map[*Inbox]string{}}
}

// with runs f over what is kept of a session (with make also if that is nothing) and drops what is over.
func (l *Local) with(ctx context.Context, op, session string, make bool, f func(k *kept) error) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if err := CheckName("session", session); err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sweep()
	k := l.sessions[session]
	if k == nil {
		if !make {
			return ErrNotFound
		}
		k = &kept{clients: map[string]bool{}}
	}
	k.expire(l.now())
	err := f(k)
	if l.sessions[session] = k; k.empty() {
		delete(l.sessions, session)
	}
	return err
}

func (k *kept) expire(now time.Time) {
	if !now.Before(k.until) {
		k.state, k.progress = nil, nil
	}
	if k.pending != nil && !now.Before(k.pending.TimeoutAt) {
		k.pending = nil
	}
}

func (k *kept) empty() bool {
	return k.state == nil && k.progress == nil && k.pending == nil && len(k.clients) == 0
}

// sweep drops what nobody asks for any more, once an hour.
func (l *Local) sweep() {
	now := l.now()
	if now.Before(l.swept.Add(time.Hour)) {
		return
	}
	l.swept = now
	maps.DeleteFunc(l.sessions, func(_ string, k *kept) bool { k.expire(now); return k.empty() })
}

// Put implements Hot.
func (l *Local) Put(ctx context.Context, session string, c Change) error {
	if err := c.Check(); err != nil {
		return fmt.Errorf("note session %s: %w", session, err)
	}
	return l.with(ctx, "note session", session, true, func(k *kept) error {
		if c.State != nil || c.Progress != nil {
			k.until = l.now().Add(Kept)
		}
		replace(&k.state, c.State)
		replace(&k.progress, c.Progress)
		replace(&k.pending, c.Pending)
		if c.State != nil {
			k.state.LastActivity = k.state.LastActivity.UTC()
		}
		if c.Pending != nil {
			k.pending.Data = slices.Clone(c.Pending.Data)
			k.pending.TimeoutAt = k.pending.TimeoutAt.UTC()
			k.expire(l.now())
		}
		return nil
	})
}

// replace copies what is given; nothing given leaves what is there.
func replace[T any](to **T, from *T) {
	if from != nil {
		v := *from
		*to = &v
	}
}

// Settle implements Hot.
func (l *Local) Settle(ctx context.Context, session, request string) error {
	return missingIsNil(l.with(ctx, "settle a request", session, false, func(k *kept) error {
		if k.pending != nil && k.pending.Request == request {
			k.pending = nil
		}
		return nil
	}))
}

// Connect implements Hot.
func (l *Local) Connect(ctx context.Context, session, client string) error {
	if err := CheckName("client", client); err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	return l.with(ctx, "connect", session, true, func(k *kept) error { k.clients[client] = true; return nil })
}

// Disconnect implements Hot.
func (l *Local) Disconnect(ctx context.Context, session, client string) error {
	return missingIsNil(l.with(ctx, "disconnect", session, false, func(k *kept) error { delete(k.clients, client); return nil }))
}

// Look implements Hot.
func (l *Local) Look(ctx context.Context, session string) (v View, err error) {
	err = l.with(ctx, "look at session", session, false, func(k *kept) error {
		if k.empty() {
			return ErrNotFound
		}
		replace(&v.State, k.state)
		replace(&v.Progress, k.progress)
		replace(&v.Pending, k.pending)
		if v.Pending != nil {
			v.Pending.Data = slices.Clone(v.Pending.Data)
		}
		v.Clients = slices.Sorted(maps.Keys(k.clients))
		return nil
	})
	return v, err
}

// Forget implements Hot.
func (l *Local) Forget(ctx context.Context, session string) error {
	return missingIsNil(l.with(ctx, "forget session", session, false, func(k *kept) error { *k = kept{}; return nil }))
}

func missingIsNil(err error) error {
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}

// Publish implements Bus.
func (l *Local) Publish(ctx context.Context, events ...Event) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	var errs []error
	for _, e := range events {
		errs = append(errs, l.publish(e))
	}
	return errors.Join(errs...)
}

func (l *Local) publish(e Event) error {
	if err := e.Check(); err != nil {
		return fmt.Errorf("publish: %w", err)
	}
	e.At, e.Data = e.At.UTC(), slices.Clone(e.Data)
	l.mu.Lock()
	defer l.mu.Unlock()
	for b, of := range l.inboxes {
		if of == "" || of == e.Session {
			b.Put(e)
		}
	}
	return nil
}

// Subscribe implements Bus.
func (l *Local) Subscribe(ctx context.Context, session string) (<-chan Heard, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	if err := word("session", session); err != nil {
		return nil, fmt.Errorf("subscribe: %w", err)
	}
	b := NewInbox(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.inboxes[b] = session
	context.AfterFunc(ctx, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.inboxes, b)
	})
	return b.Heard(), nil
}
