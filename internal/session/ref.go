package session

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Ref is the least that a runtime needs to go on after a restart: references only, never the core's inner state and
// never the plan itself (seed 000, Data Structures). Its file is ops/runtime/session_state.json under the runtime root.
type Ref struct {
	SessionID             string    `json:"sessionId"`             // newest snapshot of the path
	MemoryRef             string    `json:"memoryRef"`             // the path's line: id of its first snapshot
	RepoScanVersion       string    `json:"repoScanVersion"`       // version of the survey that filled environment_state
	LastExecutionPlanHash string    `json:"lastExecutionPlanHash"` // the accepted plan hash, SHA-256 hex
	UpdatedAt             time.Time `json:"updatedAt"`             // filled in by the store
}

// SessionStore keeps one Ref. It compares hashes that others computed and makes none of its own (seed 000, Hash
// Computation Boundary).
type SessionStore interface {
	// Load returns the Ref. ErrNoRef: there is none, a Cold Start; nothing is created. ErrBadRef: it cannot be read;
	// the file is left as it is.
	Load(ctx context.Context) (Ref, error)
	// Save replaces the Ref as a whole: a reader or a crash at any instant finds the old one or the new one. UpdatedAt
	// is set by the store. Called once, at the end of a successful cycle (S0.2).
	Save(ctx context.Context, r Ref) error
}

var (
	// ErrNoRef says that nothing was saved yet.
	ErrNoRef = errors.New("no session reference")
	// ErrBadRef says that a Ref exists and cannot be trusted.
	ErrBadRef = errors.New("damaged session reference")
)

// Start is how a runtime begins (S0.5).
type Start string

// The ways to begin. Fail-Fast is an error, not a Start.
const (
	ColdStart Start = "cold-start"
	Resume    Start = "resume"
)

// ErrPlanChanged is Fail-Fast: the Ref was written under another plan.
type ErrPlanChanged struct {
	Was, Is string // plan hashes
}

func (e *ErrPlanChanged) Error() string {
	return fmt.Sprintf("the policy is not the one this session ran under (plan %.12s, now %.12s)", e.Was, e.Is)
}

// ErrOtherSession is Fail-Fast: the Ref belongs to another line of snapshots.
type ErrOtherSession struct {
	Was, Is string // lines
}

func (e *ErrOtherSession) Error() string {
	return fmt.Sprintf("the session reference belongs to another session (%.12s, not %.12s)", e.Was, e.Is)
}

// Boot decides how to begin: no Ref is a Cold Start, a Ref with the same plan hash a Resume, anything else fails. An
// empty line skips the comparison of sessions: nothing of this path was saved yet.
func Boot(ctx context.Context, s SessionStore, planHash, line string) (Start, Ref, error) {
	r, err := s.Load(ctx)
	switch {
	case errors.Is(err, ErrNoRef):
		return ColdStart, Ref{}, nil
	case err != nil:
		return "", Ref{}, err
	case r.LastExecutionPlanHash != planHash:
		return "", r, &ErrPlanChanged{Was: r.LastExecutionPlanHash, Is: planHash}
	case line != "" && r.MemoryRef != line:
		return "", r, &ErrOtherSession{Was: r.MemoryRef, Is: line}
	}
	return Resume, r, nil
}
