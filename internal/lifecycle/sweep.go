package lifecycle

import (
	"context"
	"errors"
	"time"
)

// Swept counts what a clean-up did.
type Swept struct {
	TimedOut int `json:"timed_out"`
	Expired  int `json:"expired"`
	Archived int `json:"archived"`
	Deleted  int `json:"deleted"`
	Purged   int `json:"purged"`
	Passed   int `json:"passed_over"` // changed while they were looked at: the next clean-up looks again
}

// Ensure is the Session of a draft, made if it is not there yet: a work tree's own begins that way. Errors: those of
// Sessions.Create and Sessions.Get.
func Ensure(ctx context.Context, r Sessions, d Draft) (Session, error) {
	s, err := r.Get(ctx, Key{d.Owner, d.ID})
	if !errors.Is(err, ErrNotFound) {
		return s, err
	}
	s, err = r.Create(ctx, d)
	if errors.Is(err, ErrTaken) { // somebody was faster, or it is another's
		if s, again := r.Get(ctx, Key{d.Owner, d.ID}); again == nil {
			return s, nil
		}
	}
	return s, err
}

// batch is how many Sessions a clean-up looks at together.
const batch = 200

// Sweep is the hourly clean-up (seed 004 §6): Requests whose time is out are closed, what is due expires, is archived or
// deleted, and of what is gone the snapshots are purged. purge removes those that no work tree's path holds; it is called
// again, the next time, for a tombstone that it returns an error for, and may be called twice for one that it does not. Any
// number of sweeps may run at a time. What it has counted it has done, also beside an error.
func Sweep(ctx context.Context, r Records, now func() time.Time, purge func(context.Context, Tombstone) error) (done Swept, err error) {
	for _, part := range []func(context.Context, Records, *Swept) (bool, error){
		sweepRequests,
		func(ctx context.Context, r Records, done *Swept) (bool, error) { return sweepDue(ctx, r, now(), done) },
		func(ctx context.Context, r Records, done *Swept) (bool, error) { return sweepGone(ctx, r, purge, done) },
	} {
		for more := true; more && err == nil; {
			more, err = part(ctx, r, &done)
		}
		if err != nil {
			return done, err
		}
	}
	return done, nil
}

func sweepRequests(ctx context.Context, r Records, done *Swept) (more bool, err error) {
	closed, err := r.TimeOut(ctx, batch)
	done.TimedOut += len(closed)
	return len(closed) == batch, err
}

// sweepDue goes on while a full batch brought something about: what was passed over is not worth another look now.
func sweepDue(ctx context.Context, r Records, now time.Time, done *Swept) (more bool, err error) {
	due, err := r.Due(ctx, batch)
	if err != nil {
		return false, err
	}
	did := 0
	for _, s := range due {
		if Due(s, now) == Keep { // the store's clock is ahead of ours
			continue
		}
		err := sweepOne(ctx, r, s, now, done)
		var changed *ChangedError
		var busy *BusyError
		var other *TransitionError
		switch {
		case err == nil:
			did++
		case errors.As(err, &changed), errors.As(err, &busy), errors.As(err, &other), errors.Is(err, ErrNotFound):
			done.Passed++
		default:
			return false, err
		}
	}
	return len(due) == batch && did > 0, nil
}

func sweepOne(ctx context.Context, r Records, s Session, now time.Time, done *Swept) (err error) {
	count := new(int)
	switch Due(s, now) {
	case Lapse:
		count = &done.Expired
		_, err = r.Change(ctx, s.Key(), Change{Version: s.Version, Cause: Expire})
	case Archive:
		count = &done.Archived
		_, err = r.Archive(ctx, s.Key(), s.Version)
	case Remove:
		count = &done.Deleted
		_, err = r.Delete(ctx, s.Key(), s.Version)
	}
	if err == nil {
		*count++
	}
	return err
}

// sweepGone purges what it can: one tombstone whose snapshots are out of reach holds up no other.
func sweepGone(ctx context.Context, r Records, purge func(context.Context, Tombstone) error, done *Swept) (more bool, err error) {
	gone, err := r.Unpurged(ctx, batch)
	did := 0
	for _, t := range gone {
		failed := purge(ctx, t)
		if failed == nil {
			failed = r.Purged(ctx, Key{t.Owner, t.ID})
		}
		if failed == nil {
			did++
		}
		err = errors.Join(err, failed)
	}
	done.Purged += did
	return len(gone) == batch && did > 0, err
}
