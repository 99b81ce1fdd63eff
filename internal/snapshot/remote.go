package snapshot

import (
	"errors"
	"fmt"
)

// Errors of a store that is not on this machine, to be told apart with errors.Is.
var (
	// ErrUnavailable: the server does not answer, answers late, or says that it cannot now. Nothing is known to be wrong
	// with what is stored. A write that ended so may have happened.
	ErrUnavailable = errors.New("the store does not answer")
	// ErrRefused: the server does not do this, and will not when asked again.
	ErrRefused = errors.New("the store refuses this")
	// ErrForbidden, an ErrDenied: the server does not take the credentials, or they may not do this.
	ErrForbidden = fmt.Errorf("%w with these credentials", ErrDenied)
	// ErrClock: the clock of this machine and the server's differ by more than signatures allow (AWS: 15 minutes).
	ErrClock = errors.New("the clocks of this machine and of the store differ too much: set this machine's clock")
	// ErrNoBucket: there is no such bucket.
	ErrNoBucket = errors.New("there is no such bucket: make it, or write create=1 into the URL")
	// ErrNoRemote: the bucket and prefix hold no store.
	ErrNoRemote = errors.New("no session store there")
	// ErrUnconditional: the server does not honour If-None-Match, so that two saves could overwrite each other.
	ErrUnconditional = errors.New(`the server does not honour "If-None-Match: *" and would lose work: use another one, or a newer version of it`)
)

// ErrRemoteFormat says that a store was written by a later program, or that its store.json is damaged (Found 0).
type ErrRemoteFormat struct {
	Store string // without secrets
	Found int
	Reads int   // the newest format that this program reads
	Why   error // for a damaged one
}

func (e *ErrRemoteFormat) Error() string {
	if e.Found == 0 {
		return fmt.Sprintf("open store %s: its store.json is damaged: %v: restore it; nothing was changed", e.Store, e.Why)
	}
	return fmt.Sprintf("open store %s: it has format %d, this program reads up to %d: use a newer one; nothing was changed", e.Store, e.Found, e.Reads)
}
