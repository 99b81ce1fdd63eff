package app

import (
	"context"
	"errors"
	"time"

	"session/internal/coordination"
	"session/internal/session"
	"session/internal/snapshot"
	"session/internal/store/file"
)

// leases are taken on this machine and then among all: where nobody answers for the others, this machine's is enough,
// because leases decide nothing.
type leases struct {
	near  snapshot.Leaser
	open  func() Coordinator
	store snapshot.StoreID
	warn  func(session.Finding)
}

// here are this machine's leases, in the store that is made for them when somebody takes one.
type here struct{ s *site }

// Acquire implements snapshot.Leaser.
func (h here) Acquire(ctx context.Context, key snapshot.ID, who snapshot.Holder, wait time.Duration) (snapshot.Lease, error) {
	fs, _, err := h.s.store(true)
	if err != nil {
		return nil, err
	}
	return fs.Acquire(ctx, key, who, wait)
}

// Live implements snapshot.Leaser.
func (h here) Live(ctx context.Context) ([]snapshot.Held, error) {
	fs, _, err := h.s.store(false)
	if errors.Is(err, file.ErrNoStore) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return fs.Live(ctx)
}

func isAway(err error) bool {
	return errors.Is(err, coordination.ErrUnavailable) || errors.Is(err, coordination.ErrDamaged)
}

// Acquire implements snapshot.Leaser.
func (l *leases) Acquire(ctx context.Context, key snapshot.ID, who snapshot.Holder, wait time.Duration) (snapshot.Lease, error) {
	near, err := l.near.Acquire(ctx, key, who, wait)
	if err != nil {
		return nil, err
	}
	c := l.open()
	far, err := c.Leases(l.store).Acquire(ctx, key, who, wait)
	if err == nil {
		return &lease{near: near, far: far, client: c}, nil
	}
	_ = c.Close() // nothing was taken through it
	if isAway(err) {
		l.warn(session.NewFinding(session.SourceFailed, "coordination.away", "cause", err))
		return near, nil
	}
	if more := near.Release(context.WithoutCancel(ctx)); more != nil {
		err = errors.Join(err, more)
	}
	return nil, err
}

// Live implements snapshot.Leaser. Where nobody answers for the others it fails: who asks wants to remove something.
func (l *leases) Live(ctx context.Context) (all []snapshot.Held, err error) {
	near, err := l.near.Live(ctx)
	if err != nil {
		return nil, err
	}
	c := l.open()
	defer func() { err = errors.Join(err, c.Close()) }()
	far, err := c.Leases(l.store).Live(ctx)
	return append(near, far...), err
}

type lease struct {
	near, far snapshot.Lease
	client    Coordinator
}

// Renew implements snapshot.Lease.
func (l *lease) Renew(ctx context.Context) error {
	if err := l.far.Renew(ctx); err != nil && !isAway(err) {
		return err
	}
	return l.near.Renew(ctx)
}

// Lost tells that another machine may work on the path.
func (l *lease) Lost() <-chan struct{} {
	if w, ok := l.far.(snapshot.Watched); ok {
		return w.Lost()
	}
	return nil
}

// Release implements snapshot.Lease. One that nobody can be told of ends with its time.
func (l *lease) Release(ctx context.Context) error {
	err := l.far.Release(ctx)
	if isAway(err) {
		err = nil
	}
	return errors.Join(err, l.near.Release(ctx), l.client.Close())
}
