package lifecycle

import (
	"errors"
	"fmt"
	"time"
)

var (
	// ErrInvalid says that a value breaks a rule that is written at its type. Nothing was changed.
	ErrInvalid = errors.New("invalid")
	// ErrNotFound says that the Owner has no such Session, Plan version or Request. What belongs to others is not found.
	ErrNotFound = errors.New("not found")
	// ErrTaken says that an id is in use, or was: ids are never given twice.
	ErrTaken = errors.New("the id is taken")
)

// TransitionError refuses a change by name: nothing in the table leads on from there.
type TransitionError struct {
	Session ID
	From    Status
	Cause   Cause
}

func (e *TransitionError) Error() string {
	text := fmt.Sprintf("session %s cannot %s: it is %s", e.Session, e.Cause, e.From)
	if e.From == Running && e.Cause == Cancel {
		return text + "; pause it first"
	}
	return text
}

// NotResumableError is SESSION_NOT_RESUMABLE (seed 004 §5.1): only what is paused, hitl_waiting or failed can be resumed.
type NotResumableError struct {
	Session ID
	Status  Status
}

// Code is the error code of the seed's API.
func (e *NotResumableError) Code() string { return "SESSION_NOT_RESUMABLE" }

func (e *NotResumableError) Error() string {
	return fmt.Sprintf("%s: session %s is %s; only a paused, hitl_waiting or failed one can be resumed", e.Code(), e.Session, e.Status)
}

// ChangedError says that a Session is no longer at the version that a change was decided on. Look again and decide anew.
type ChangedError struct {
	Session ID
	Version int64 // it is at
	Status  Status
}

func (e *ChangedError) Error() string {
	return fmt.Sprintf("session %s has changed meanwhile: it is %s, at version %d; look at it again", e.Session, e.Status, e.Version)
}

// FencedError says that another run holds the Session now, or none. The run that gets it must stop acting on the world.
type FencedError struct {
	Session ID
	Run     RunID // who asked
	Holder  RunID // "" if nobody
}

func (e *FencedError) Error() string {
	if e.Holder == "" {
		return fmt.Sprintf("session %s is not held by run %s any more, nor by another", e.Session, e.Run)
	}
	return fmt.Sprintf("session %s is held by run %s now, not by run %s", e.Session, e.Holder, e.Run)
}

// LimitError says that an Owner has as many live Sessions as may be at a time (seed 004 §7.1: HTTP 429).
type LimitError struct {
	Owner Owner
	Limit int
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("maximum %d concurrent sessions allowed; wait for one to end, or cancel one", e.Limit)
}

// GoneError says that a Session was deleted or archived. Its tombstone remains.
type GoneError struct{ Tombstone Tombstone }

func (e *GoneError) Error() string {
	return fmt.Sprintf("session %s was %s at %s", e.Tombstone.ID, e.Tombstone.Kind, e.Tombstone.At.Format(time.RFC3339))
}

// Is makes a gone Session one that is not found, too.
func (e *GoneError) Is(target error) bool { return target == ErrNotFound }

// BusyError refuses to delete or archive a Session under a run.
type BusyError struct {
	Session ID
	Status  Status
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("session %s is %s and cannot be removed; pause and cancel it first", e.Session, e.Status)
}

// AnsweredError refuses a second answer.
type AnsweredError struct{ Request Request }

func (e *AnsweredError) Error() string {
	if e.Request.Decision == nil {
		return fmt.Sprintf("request %s is %s: there is nothing to answer any more", e.Request.ID, e.Request.Status)
	}
	return fmt.Sprintf("request %s was answered by %s at %s", e.Request.ID, e.Request.Decision.By, e.Request.ClosedAt.Format(time.RFC3339))
}
