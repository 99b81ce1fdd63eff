package lifecycle

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// Plan is one version of what a Session means to do. A Session has one plan, with versions from 1; a version never
// changes, but for the Todos of the newest one, which are being worked on.
type Plan struct {
	ID        PlanID          `json:"id"`
	Version   int             `json:"version"`
	Hash      string          `json:"plan_hash,omitempty"` // of the policy's plan that it was made under, opaque here
	Body      json.RawMessage `json:"body,omitempty"`      // JSON, opaque here
	Reason    string          `json:"reason,omitempty"`    // why this version was made
	CreatedAt time.Time       `json:"created_at,omitzero"`
	Todos     []Todo          `json:"todos"` // in order; of an older version, as they were when it was replaced
}

// TodoStatus is how far a Todo is.
type TodoStatus string

// The states of a Todo.
const (
	TodoPending    TodoStatus = "pending"
	TodoInProgress TodoStatus = "in_progress"
	TodoCompleted  TodoStatus = "completed"
	TodoFailed     TodoStatus = "failed"
	TodoSkipped    TodoStatus = "skipped"
)

// Todo is one entry of a plan.
type Todo struct {
	ID         TodoID          `json:"id"`
	Title      string          `json:"title"`
	Status     TodoStatus      `json:"status"`
	RetryCount int             `json:"retry_count"`
	DependsOn  []TodoID        `json:"depends_on,omitempty"`
	Data       json.RawMessage `json:"data,omitempty"`   // what it is to do: JSON, opaque here
	Result     json.RawMessage `json:"result,omitempty"` // what came of it: JSON, opaque here
	UpdatedAt  time.Time       `json:"updated_at,omitzero"`
}

const maxTodos = 10_000 // of a plan

// todoMoves is how a Todo's state may change. Going back to pending is a retry.
func todoMoves(from TodoStatus) []TodoStatus {
	switch from {
	case TodoPending:
		return []TodoStatus{TodoInProgress, TodoSkipped}
	case TodoInProgress:
		return []TodoStatus{TodoCompleted, TodoFailed, TodoSkipped, TodoPending}
	case TodoFailed:
		return []TodoStatus{TodoPending, TodoSkipped}
	case TodoCompleted, TodoSkipped:
		return []TodoStatus{TodoPending}
	}
	return nil
}

// move changes a Todo's state; errors.Is ErrInvalid if it cannot. Staying is no move.
func (t *Todo) move(to TodoStatus, now time.Time) error {
	if t.Status == to {
		return nil
	}
	if !slices.Contains(todoMoves(t.Status), to) {
		return fmt.Errorf("%w: todo %s is %s and cannot become %.40q", ErrInvalid, t.ID, t.Status, string(to))
	}
	if to == TodoPending {
		t.RetryCount++
		t.Result = nil
	}
	t.Status, t.UpdatedAt = to, now
	return nil
}

// Revision is a plan's next version.
type Revision struct {
	Version int64  // of the Session that it was decided on, or Newest
	As      RunID  // see Change.As
	Plan    PlanID // the same in every version
	Hash    string
	Body    json.RawMessage
	Reason  string
	// Todos are those of the new version, in order. One whose id the old version has goes on where it stood: its state,
	// retries and result are kept, whatever is said here. Others begin as they are here, or pending.
	Todos []Todo
}

// Next is the plan after a revision; old is the newest version, zero if there is none. Errors: ErrInvalid.
func (r Revision) Next(old Plan, now time.Time) (Plan, error) {
	if err := first(plain("plan", r.Plan), optional("run", r.As), text("the plan's hash", r.Hash), text("the reason", r.Reason), document("the plan", r.Body)); err != nil {
		return Plan{}, err
	}
	if old.Version > 0 && old.ID != r.Plan {
		return Plan{}, fmt.Errorf("%w: the session's plan is %s, not %s", ErrInvalid, old.ID, r.Plan)
	}
	now = moment(now)
	todos, err := carried(old.Todos, r.Todos, now)
	return Plan{ID: r.Plan, Version: old.Version + 1, Hash: r.Hash, Body: r.Body, Reason: r.Reason, CreatedAt: now, Todos: todos}, err
}

func carried(old, revised []Todo, now time.Time) ([]Todo, error) {
	if len(revised) > maxTodos {
		return nil, fmt.Errorf("%w: %d todos; at most %d", ErrInvalid, len(revised), maxTodos)
	}
	was := map[TodoID]Todo{}
	for _, t := range old {
		was[t.ID] = t
	}
	seen := map[TodoID]bool{}
	todos := make([]Todo, 0, len(revised))
	for _, t := range revised {
		if o, ok := was[t.ID]; ok {
			t.Status, t.RetryCount, t.Result, t.UpdatedAt = o.Status, o.RetryCount, o.Result, o.UpdatedAt
		} else {
			t.RetryCount, t.UpdatedAt = 0, now
			if t.Status == "" {
				t.Status = TodoPending
			}
		}
		if err := t.check(seen); err != nil {
			return nil, err
		}
		seen[t.ID] = true
		todos = append(todos, t)
	}
	return todos, nil
}

func (t Todo) check(seen map[TodoID]bool) error {
	if seen[t.ID] {
		return fmt.Errorf("%w: two todos are called %s", ErrInvalid, t.ID)
	}
	if todoMoves(t.Status) == nil {
		return fmt.Errorf("%w: %.40q is no state of a todo", ErrInvalid, string(t.Status))
	}
	for _, d := range t.DependsOn {
		if err := plain("todo", d); err != nil {
			return err
		}
	}
	return first(plain("todo", t.ID), text("a todo's title", t.Title), document("a todo's data", t.Data), document("a todo's result", t.Result))
}

// TodoChange is what a run does to one Todo.
type TodoChange struct {
	ID     TodoID
	To     TodoStatus      // "" leaves it
	Result json.RawMessage // nil leaves it
}

// ApplyTodos is a plan's Todos after changes, all or none. Errors: ErrInvalid.
func ApplyTodos(todos []Todo, changes []TodoChange, now time.Time) ([]Todo, error) {
	todos = slices.Clone(todos)
	now = moment(now)
	for _, c := range changes {
		t, err := find(todos, c.ID)
		if err != nil {
			return nil, err
		}
		if c.To != "" {
			err = t.move(c.To, now)
		}
		if err := first(err, document("a todo's result", c.Result)); err != nil {
			return nil, err
		}
		if c.Result != nil {
			t.Result, t.UpdatedAt = c.Result, now
		}
	}
	return todos, nil
}

func find(todos []Todo, id TodoID) (*Todo, error) {
	i := slices.IndexFunc(todos, func(t Todo) bool { return t.ID == id })
	if i < 0 {
		return nil, fmt.Errorf("%w: the plan has no todo %.80q", ErrInvalid, string(id))
	}
	return &todos[i], nil
}
