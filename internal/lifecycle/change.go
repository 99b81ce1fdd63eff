package lifecycle

import (
	"encoding/json"
	"fmt"
	"math"
	"time"
)

// Newest is the version of a change that holds whatever happened meanwhile.
const Newest int64 = 0

// Change is something that is to happen to a Session.
type Change struct {
	Version int64 // the version that it was decided on, or Newest
	Cause   Cause // of a transition; "" for none
	// As is the run that speaks. If it is given, it must be the one that holds the Session.
	As RunID
	// Take is the run that holds the Session from now on: with Start and Resume, and alone when a run takes over from one
	// that was given up for dead. "" leaves it. What stops running is held by nobody, but for one that waits for a person.
	Take RunID

	Tokens    int64           // used since the last change, 0 or more
	CostMicro int64           // spent since the last change, 0 or more
	Response  json.RawMessage // nil leaves what is there
	Metadata  json.RawMessage // nil leaves what is there
	Note      json.RawMessage // goes into the event, if there is a transition
}

// Check refuses what no Session can become; errors.Is ErrInvalid.
func (c Change) Check() error {
	if c.Version < 0 || c.Tokens < 0 || c.CostMicro < 0 {
		return fmt.Errorf("%w: version %d, %d tokens, %d µ$: none is ever less than 0", ErrInvalid, c.Version, c.Tokens, c.CostMicro)
	}
	return first(optional("run", c.As), optional("run", c.Take),
		document("the response", c.Response), document("the metadata", c.Metadata), document("the note", c.Note))
}

// Apply is the Session after a change, and the event of its transition; none has a Seq of 0. Errors: ErrInvalid,
// *ChangedError, *FencedError, *TransitionError.
func (s Session) Apply(c Change, now time.Time, p Policy) (Session, Event, error) {
	if err := first(c.Check(), s.admits(c.Version, c.As)); err != nil {
		return s, Event{}, err
	}
	t, err := s.transition(c)
	if err != nil {
		return s, Event{}, err
	}
	if c.Tokens > math.MaxInt64-s.TokensUsed || c.CostMicro > math.MaxInt64-s.CostMicro {
		return s, Event{}, fmt.Errorf("%w: more tokens or money than can be counted", ErrInvalid)
	}
	now = s.after(now)
	s.TokensUsed, s.CostMicro = s.TokensUsed+c.Tokens, s.CostMicro+c.CostMicro
	if c.Response != nil {
		s.Response = c.Response
	}
	if c.Metadata != nil {
		s.Metadata = c.Metadata
	}
	if c.Take != "" {
		s.Run = c.Take
	}
	var e Event
	if c.Cause != "" {
		d := EventData{From: t.From, Cause: t.Cause, Run: s.Run, Note: c.Note}
		s.enter(t.To, now)
		e, err = s.event(t.Event, d, now)
	}
	s.touch(now, p)
	return s, e, err
}

// transition is the one that a change wants. One that wants none stays where it is.
func (s Session) transition(c Change) (Transition, error) {
	t := Transition{From: s.Status, To: s.Status}
	if c.Cause != "" {
		var ok bool
		if t, ok = Next(s.Status, c.Cause); !ok {
			return t, &TransitionError{s.ID, s.Status, c.Cause}
		}
	}
	if c.Take != "" && t.To != Running && t.To != Waiting {
		return t, fmt.Errorf("%w: run %s cannot hold session %s, which is %s", ErrInvalid, c.Take, s.ID, t.To)
	}
	return t, nil
}

// admits refuses a change that was decided on another version, or by a run that does not hold the Session.
func (s Session) admits(version int64, as RunID) error {
	switch {
	case as != "" && as != s.Run:
		return &FencedError{s.ID, as, s.Run}
	case version != Newest && version != s.Version:
		return &ChangedError{s.ID, s.Version, s.Status}
	}
	return nil
}

// after is now, or the last change's time if the clock stands behind it: no Session is changed before it was.
func (s Session) after(now time.Time) time.Time {
	if now = moment(now); now.Before(s.UpdatedAt) {
		return s.UpdatedAt
	}
	return now
}

// touch is what every change does.
func (s *Session) touch(now time.Time, p Policy) {
	s.Version++
	s.UpdatedAt = now
	s.ExpiresAt = p.ExpiresAt(*s)
}

// enter moves s into a state.
func (s *Session) enter(to Status, now time.Time) {
	if s.Status == Running {
		s.ExecutionMS += now.Sub(s.RunningSince).Milliseconds()
	}
	s.Status, s.RunningSince, s.CompletedAt = to, time.Time{}, time.Time{}
	switch {
	case to == Running:
		s.RunningSince = now
		if s.StartedAt.IsZero() {
			s.StartedAt = now
		}
	case to.Ended():
		s.CompletedAt = now
	}
	if to != Running && to != Waiting {
		s.Run = ""
	}
}
