package sql

import (
	"context"
	"errors"
	"time"
)

var (
	// ErrUnavailable says that the database cannot be reached, is starting or stopping, has no connection to spare, or does
	// not answer in time. Nothing of the call is recorded: it can be made again as it was.
	ErrUnavailable = errors.New("the database is not available")
	// ErrUncertain says that the database was lost in the very moment of the commit. The call is recorded whole or not at
	// all: look which, before making it again.
	ErrUncertain = errors.New("the database was lost while it recorded this")
	// ErrReadOnly says that the database only lets itself be read.
	ErrReadOnly = errors.New("the database is read-only")
	// ErrFull says that the database has no room left.
	ErrFull = errors.New("the database is full")
	// ErrURL says that text is no address of a database. The text is not in the error: it may hold a password.
	ErrURL = errors.New("no address of a database")
	// ErrNotBuiltIn says that this program has no driver for what is asked.
	ErrNotBuiltIn = errors.New("it is not built into this program")

	errSlow = errors.New("it did not answer in time")
)

// Patience says how long a call waits for a database. The zero Patience has the defaults.
type Patience struct {
	// Away is how long a call is tried again while a database that was there is away: restarting, out of connections.
	// 0 is 10 s; less than 0 is not at all.
	Away time.Duration
	// Answer is how long one transaction may take. 0 is 30 s.
	Answer time.Duration
	// Sleep waits, or returns the context's error; nil waits by the machine's clock.
	Sleep func(context.Context, time.Duration) error
}

func (p Patience) filled() Patience {
	if p.Away == 0 {
		p.Away = 10 * time.Second
	}
	if p.Answer <= 0 {
		p.Answer = 30 * time.Second
	}
	if p.Sleep == nil {
		p.Sleep = sleep
	}
	return p
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
