package coordination

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Kept is how long a session's state and progress are kept after they were last written (seed 004 §3.4: 24 hours, and
// "matches session").
const Kept = 24 * time.Hour

// Errors that callers tell apart, with errors.Is.
var (
	// ErrUnavailable: whoever keeps this does not answer, or not in time. Go on without.
	ErrUnavailable = errors.New("the coordination service does not answer")
	// ErrDamaged: what is kept there is not what was written. Go on without; the next write replaces it.
	ErrDamaged = errors.New("the coordination service gives what nobody wrote")
	// ErrNotFound: nothing is kept of this session.
	ErrNotFound = errors.New("nothing is kept of this session")
	// ErrInvalid: the caller asked for what cannot be kept.
	ErrInvalid = errors.New("invalid")
)

// Hot keeps what is going on in sessions. Any number of processes may use it at once; of two that write one part, the
// later wins. Session ids are 1 to 128 letters, digits, '.', '-', '_'.
//
// All methods may return ErrUnavailable, ErrInvalid and the context's error. A write that ended with ErrUnavailable may
// have happened.
type Hot interface {
	// Put writes the parts of a change that are set, as one. State and progress are kept for Kept from now, both, also
	// when only one of them is written; a question until its TimeoutAt, which the keeper's clock decides.
	Put(ctx context.Context, session string, c Change) error
	// Settle removes the pending question if it is this request's. Another one's stays.
	Settle(ctx context.Context, session, request string) error
	// Connect notes a client that watches the session; Disconnect takes it back. They have no time to live of their own.
	Connect(ctx context.Context, session, client string) error
	Disconnect(ctx context.Context, session, client string) error
	// Look returns what is kept. Nothing at all: ErrNotFound. ErrDamaged.
	Look(ctx context.Context, session string) (View, error)
	// Forget removes everything of a session.
	Forget(ctx context.Context, session string) error
}

// State is where a session stands.
type State struct {
	Status       string    // of the lifecycle, e.g. "running"
	Layer        string    // what works on it now, e.g. "execution"
	Plan         string    // the plan's id; "" before there is one
	LastActivity time.Time // UTC
}

// Pending is a question that waits for a person.
type Pending struct {
	Request   string          // id of the request
	Type      string          // e.g. "plan_review"
	Data      json.RawMessage // one JSON value; nil for none
	TimeoutAt time.Time       // when the question is withdrawn
}

// Progress counts todos.
type Progress struct {
	Total, Completed int
	Current          string // id of the todo that is worked on; "" for none
}

// Change is what Put writes; nil parts stay as they are.
type Change struct {
	State    *State
	Progress *Progress
	Pending  *Pending
}

// View is what is known of a session. Parts that are not kept are nil.
type View struct {
	State    *State
	Progress *Progress
	Pending  *Pending
	Clients  []string // sorted
}

// Limits, in bytes.
const (
	maxName = 128
	MaxData = 64 << 10 // of a question's or an event's data
)

// CheckName refuses what cannot be the id of a session, request or client (ErrInvalid): they become parts of keys.
func CheckName(what, name string) error {
	const allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_"
	if name == "" || len(name) > maxName || strings.Trim(name, allowed) != "" {
		return fmt.Errorf("%w: %s %.40q: 1 to %d letters, digits, '.', '-', '_'", ErrInvalid, what, name, maxName)
	}
	return nil
}

// Check refuses a change that cannot be kept (ErrInvalid).
func (c Change) Check() error {
	var errs []error
	if s := c.State; s != nil {
		errs = append(errs, CheckName("status", s.Status), word("layer", s.Layer), word("plan", s.Plan))
	}
	if p := c.Progress; p != nil {
		errs = append(errs, word("todo", p.Current))
		if p.Completed < 0 || p.Completed > p.Total {
			errs = append(errs, fmt.Errorf("%w: %d of %d todos completed", ErrInvalid, p.Completed, p.Total))
		}
	}
	if p := c.Pending; p != nil {
		errs = append(errs, CheckName("request", p.Request), word("type", p.Type), checkData(p.Data))
		if p.TimeoutAt.IsZero() {
			errs = append(errs, fmt.Errorf("%w: request %s never times out", ErrInvalid, p.Request))
		}
	}
	return errors.Join(errs...)
}

// word is CheckName for what may be empty.
func word(what, name string) error {
	if name == "" {
		return nil
	}
	return CheckName(what, name)
}

func checkData(data json.RawMessage) error {
	if len(data) > MaxData {
		return fmt.Errorf("%w: %d bytes of data, at most %d", ErrInvalid, len(data), MaxData)
	}
	if data != nil && !json.Valid(data) {
		return fmt.Errorf("%w: the data is no JSON", ErrInvalid)
	}
	return nil
}
