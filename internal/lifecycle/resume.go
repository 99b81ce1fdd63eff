package lifecycle

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// Resumption is how a Session goes on (seed 004 §5).
type Resumption struct {
	Version int64 // of the Session that it was decided on, or Newest
	Take    RunID // the run that goes on with it
	Modifications
	Note json.RawMessage // goes into the event
}

// Modifications are made to the Todos before a Session goes on (seed 004 §5.1, 4).
type Modifications struct {
	Skip   []TodoID     `json:"skip_todos,omitempty"`
	Retry  []TodoID     `json:"retry_todos,omitempty"`
	Update []TodoUpdate `json:"update_todos,omitempty"`
}

// TodoUpdate rewords a Todo. What is nil stays.
type TodoUpdate struct {
	ID        TodoID          `json:"id"`
	Title     *string         `json:"title,omitempty"`
	DependsOn []TodoID        `json:"depends_on,omitempty"`
	Data      json.RawMessage `json:"data,omitempty"`
}

// Resume decides how a Session goes on: it and its Todos afterwards, and the event. The order is the seed's: may it be
// resumed at all; the modifications; then what was in progress when the last run ended is pending again, with one retry
// more. Errors: *NotResumableError, *ChangedError, ErrInvalid; nothing is changed then.
func (s Session) Resume(r Resumption, todos []Todo, now time.Time, p Policy) (Session, []Todo, Event, error) {
	if !s.Status.Resumable() {
		return s, nil, Event{}, &NotResumableError{s.ID, s.Status}
	}
	todos, err := r.Apply(todos, now)
	if err != nil {
		return s, nil, Event{}, err
	}
	after, e, err := s.Apply(Change{Version: r.Version, Cause: Resume, Take: r.Take, Note: r.Note}, now, p)
	if err != nil {
		return s, nil, Event{}, err
	}
	for i := range todos {
		if todos[i].Status == TodoInProgress {
			if err := todos[i].move(TodoPending, after.UpdatedAt); err != nil {
				return s, nil, Event{}, err
			}
		}
	}
	return after, todos, e, nil
}

// Apply makes the modifications, all or none. Errors: ErrInvalid, also for a Todo that is to be skipped and retried.
func (m Modifications) Apply(todos []Todo, now time.Time) ([]Todo, error) {
	todos, now = slices.Clone(todos), moment(now)
	for _, id := range m.Skip {
		if slices.Contains(m.Retry, id) {
			return nil, fmt.Errorf("%w: todo %s is to be skipped and to be retried", ErrInvalid, id)
		}
	}
	for to, ids := range map[TodoStatus][]TodoID{TodoSkipped: m.Skip, TodoPending: m.Retry} {
		for _, id := range ids {
			t, err := find(todos, id)
			if err == nil {
				err = t.move(to, now)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	for _, u := range m.Update {
		if err := u.apply(todos, now); err != nil {
			return nil, err
		}
	}
	return todos, nil
}

func (u TodoUpdate) apply(todos []Todo, now time.Time) error {
	t, err := find(todos, u.ID)
	if err != nil {
		return err
	}
	if u.Title != nil {
		if err := said("a todo's title", *u.Title); err != nil {
			return err
		}
		t.Title = *u.Title
	}
	if u.DependsOn != nil {
		t.DependsOn = u.DependsOn
	}
	if u.Data != nil {
		t.Data = u.Data
	}
	t.UpdatedAt = now
	return t.check(nil)
}
