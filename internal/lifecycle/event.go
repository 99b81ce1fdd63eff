package lifecycle

import (
	"encoding/json"
	"fmt"
	"time"
)

// EventType names what happened to a Session (seed 004 §8.1).
type EventType string

// The eight events.
const (
	SessionCreated   EventType = "session.created"
	SessionStarted   EventType = "session.started"
	SessionPaused    EventType = "session.paused"
	SessionResumed   EventType = "session.resumed"
	SessionCompleted EventType = "session.completed"
	SessionFailed    EventType = "session.failed"
	SessionCancelled EventType = "session.cancelled"
	SessionExpired   EventType = "session.expired"
)

// Event is one thing that happened to a Session. A Session's events are numbered from 1 without gaps, and nobody sees a
// number before all smaller ones: who has read up to Seq reads on from there.
type Event struct {
	Type    EventType       `json:"event_type"`
	Session ID              `json:"session_id"`
	Owner   Owner           `json:"user_id"`
	Seq     int64           `json:"seq"`
	At      time.Time       `json:"timestamp"`
	Data    json.RawMessage `json:"data"` // an object: see EventData
}

// EventData is what Event.Data holds.
type EventData struct {
	From        Status          `json:"from,omitempty"`
	To          Status          `json:"to"`
	Cause       Cause           `json:"cause,omitempty"` // none of a Session's first
	Run         RunID           `json:"run,omitempty"`
	ExecutionMS int64           `json:"execution_time_ms,omitempty"`
	Tokens      int64           `json:"tokens_used,omitempty"`
	CostMicro   int64           `json:"cost_micro_usd,omitempty"`
	Note        json.RawMessage `json:"note,omitempty"` // what the change said besides
}

// event makes the next event of s, which stands after the transition.
func (s *Session) event(t EventType, d EventData, now time.Time) (Event, error) {
	d.To = s.Status
	if s.Status.Ended() || s.Status == Expired {
		d.ExecutionMS, d.Tokens, d.CostMicro = s.ExecutionMS, s.TokensUsed, s.CostMicro
	}
	data, err := json.Marshal(d)
	if err != nil {
		return Event{}, fmt.Errorf("%w: the note of an event: %w", ErrInvalid, err)
	}
	s.Events++
	return Event{Type: t, Session: s.ID, Owner: s.Owner, Seq: s.Events, At: now, Data: data}, nil
}
