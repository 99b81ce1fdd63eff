package lifecycle

import (
	"fmt"
	"time"
)

// Policy says for how long a Session is kept, by its state (seed 004 §6.1). A duration is the time from the Session's last
// change, or from its end; 0 keeps it for ever.
type Policy struct {
	Active    time.Duration // created, running, hitl_waiting: then it expires
	Paused    time.Duration // then it expires
	Completed time.Duration // completed, cancelled: then it is archived
	Failed    time.Duration // then it is deleted
	Expired   time.Duration // for how long what expired can still be seen; then it is deleted

	KeepCompleted bool // do not archive what completed (archive_completed: false)
	KeepExpired   bool // do not delete what expired or failed (delete_expired: false)
}

// DefaultPolicy is the seed's: 24 hours active, 1 hour paused, 7 days completed, 24 hours failed. What expired can be seen
// for as long as lies between two clean-ups.
func DefaultPolicy() Policy {
	return Policy{Active: 24 * time.Hour, Paused: time.Hour, Completed: 7 * 24 * time.Hour, Failed: 24 * time.Hour, Expired: CleanupInterval}
}

// CleanupInterval is the time from one clean-up to the next (seed 004 §6.1, run_interval).
const CleanupInterval = time.Hour

// Check refuses durations below 0; errors.Is ErrInvalid.
func (p Policy) Check() error {
	for _, d := range []time.Duration{p.Active, p.Paused, p.Completed, p.Failed, p.Expired} {
		if d < 0 {
			return fmt.Errorf("%w: a session cannot be kept for %v", ErrInvalid, d)
		}
	}
	return nil
}

// ExpiresAt is when the clean-up takes a Session as it is now; zero: never. A work tree's own Session is never taken.
func (p Policy) ExpiresAt(s Session) time.Time {
	from, d := s.UpdatedAt, p.Active
	switch s.Status {
	case Paused:
		d = p.Paused
	case Completed, Cancelled:
		if from, d = s.CompletedAt, p.Completed; p.KeepCompleted {
			d = 0
		}
	case Failed, Expired:
		if d = p.Expired; s.Status == Failed {
			from, d = s.CompletedAt, p.Failed
		}
		if p.KeepExpired {
			d = 0
		}
	}
	if d == 0 || s.WorkTree {
		return time.Time{}
	}
	return moment(from.Add(d))
}

// Deed is what the clean-up does with a Session.
type Deed string

// The deeds.
const (
	Keep    Deed = "keep"
	Lapse   Deed = "expire"  // the transition to expired
	Archive Deed = "archive" // put away whole, readable (Keeper.Archive)
	Remove  Deed = "delete"  // everything that is its own (Sessions.Delete)
)

// Due says what the clean-up does with a Session at a time: nothing until ExpiresAt, and from that millisecond on what its
// state wants. Nothing that is live is ever removed: it expires first, and only that.
func Due(s Session, now time.Time) Deed {
	if s.WorkTree || s.ExpiresAt.IsZero() || moment(now).Before(s.ExpiresAt) {
		return Keep
	}
	switch s.Status {
	case Completed, Cancelled:
		return Archive
	case Failed, Expired:
		return Remove
	}
	return Lapse
}
