package lifecycle

import (
	"encoding/json"
	"fmt"
	"time"
)

// Session is the record of one piece of work (seed 004 §3.3, §4.2). Times are UTC, whole milliseconds; one that has not
// come yet is zero. Money is in millionths of a US dollar.
type Session struct {
	ID       ID     `json:"id"`
	Owner    Owner  `json:"user_id"`
	Parent   ID     `json:"parent_id,omitempty"` // the Session that this one came from, if any
	Status   Status `json:"status"`
	Version  int64  `json:"version"`             // from 1, one more with every change
	WorkTree bool   `json:"work_tree,omitempty"` // a work tree's own: neither expires nor counts against the limit
	Limited  bool   `json:"limited,omitempty"`   // started through the service: counts against the limit while it is live
	Run      RunID  `json:"run,omitempty"`       // the run that holds it; "" if none does

	Input       string          `json:"user_input"`
	Language    string          `json:"language"`
	Plan        PlanID          `json:"plan_id,omitempty"`
	PlanVersion int             `json:"plan_version,omitempty"`
	Head        Snapshot        `json:"head_snapshot,omitempty"` // the newest checkpoint
	Response    json.RawMessage `json:"response,omitempty"`

	CreatedAt   time.Time `json:"created_at,omitzero"`
	UpdatedAt   time.Time `json:"updated_at,omitzero"`
	StartedAt   time.Time `json:"started_at,omitzero"`
	CompletedAt time.Time `json:"completed_at,omitzero"` // or failed, or cancelled
	ExpiresAt   time.Time `json:"expires_at,omitzero"`   // when the clean-up takes it; zero: never

	TokensUsed   int64     `json:"tokens_used"`
	CostMicro    int64     `json:"cost_micro_usd"`
	ExecutionMS  int64     `json:"execution_time_ms"`      // spent running, until it last stopped running
	RunningSince time.Time `json:"running_since,omitzero"` // zero unless it is running

	Options  json.RawMessage `json:"options,omitempty"`
	Metadata json.RawMessage `json:"metadata,omitempty"`

	Events      int64 `json:"events"`                // number of its newest event
	Checkpoints int64 `json:"checkpoints,omitempty"` // how many it ever had
}

// DefaultLanguage is the language of a Session that names none (seed 004 §3.3).
const DefaultLanguage = "ko"

// Key names the Session.
func (s Session) Key() Key { return Key{s.Owner, s.ID} }

// Counts says whether the Session takes one of its Owner's places now.
func (s Session) Counts() bool { return s.Limited && !s.WorkTree && s.Status.Live() }

// Draft is a Session that is to be.
type Draft struct {
	ID       ID
	Owner    Owner
	Parent   ID
	Input    string // what the user asked for; at most 1 MiB
	Language string // a language tag; "" is DefaultLanguage
	WorkTree bool
	Limited  bool
	Options  json.RawMessage // JSON, at most 1 MiB; nil is none
	Metadata json.RawMessage
}

// Check refuses what a Session cannot be; errors.Is ErrInvalid.
func (d Draft) Check() error {
	if len(d.Language) > 35 {
		return fmt.Errorf("%w: %.40q is no language tag", ErrInvalid, d.Language)
	}
	return first(plain("session", d.ID), plain("owner", d.Owner), optional("session", d.Parent), text("the input", d.Input),
		text("the language", d.Language), document("the options", d.Options), document("the metadata", d.Metadata))
}

// New is the Session of a draft, and its first event. Errors: ErrInvalid.
func New(d Draft, now time.Time, p Policy) (Session, Event, error) {
	if err := d.Check(); err != nil {
		return Session{}, Event{}, err
	}
	now = moment(now)
	s := Session{
		ID: d.ID, Owner: d.Owner, Parent: d.Parent, Status: Created, Version: 1, WorkTree: d.WorkTree, Limited: d.Limited && !d.WorkTree,
		Input: d.Input, Language: d.Language, CreatedAt: now, UpdatedAt: now, Options: d.Options, Metadata: d.Metadata,
	}
	if s.Language == "" {
		s.Language = DefaultLanguage
	}
	s.ExpiresAt = p.ExpiresAt(s)
	e, err := s.event(SessionCreated, EventData{}, now)
	return s, e, err
}
