package sql

import (
	"context"
	"fmt"
	"reflect"

	"session/internal/lifecycle"
)

// Revise implements lifecycle.Plans.
func (r Records) Revise(ctx context.Context, k lifecycle.Key, rev lifecycle.Revision) (p lifecycle.Plan, err error) {
	_, err = r.change(ctx, k, func(t tx, s lifecycle.Session) (lifecycle.Session, lifecycle.Event, error) {
		old := lifecycle.Plan{}
		if s.PlanVersion > 0 {
			if old, err = t.plan(s, s.PlanVersion); err != nil {
				return s, lifecycle.Event{}, err
			}
		}
		after, e, err := s.Apply(lifecycle.Change{Version: rev.Version, As: rev.As}, r.o.Now(), r.o.Policy)
		if err != nil {
			return s, e, err
		}
		if p, err = rev.Next(old, after.UpdatedAt); err != nil {
			return s, e, err
		}
		after.Plan, after.PlanVersion = p.ID, p.Version
		return after, e, t.addPlan(s.ID, p)
	})
	return p, of("revise the plan of", k, err)
}

func (t tx) addPlan(id lifecycle.ID, p lifecycle.Plan) error {
	_, err := t.exec(lifecycleQueries["add-plan"], string(id), p.Version, string(p.ID), p.Hash, document{&p.Body}, p.Reason, millis(p.CreatedAt))
	if err != nil {
		return err
	}
	for i, d := range p.Todos {
		if _, err := t.exec(lifecycleQueries["add-todo"], string(id), p.Version, i, string(d.ID), d.Title, string(d.Status), d.RetryCount,
			list(&d.DependsOn), document{&d.Data}, document{&d.Result}, millis(d.UpdatedAt)); err != nil {
			return err
		}
	}
	return nil
}

// Plan implements lifecycle.Plans.
func (r Records) Plan(ctx context.Context, k lifecycle.Key, version int) (p lifecycle.Plan, err error) {
	err = r.look(ctx, k, func(t tx, s record) error {
		if version == 0 {
			version = s.PlanVersion
		}
		p, err = t.plan(s.Session, version)
		return err
	})
	return p, of("look up the plan of", k, err)
}

func (t tx) plan(s lifecycle.Session, version int) (p lifecycle.Plan, err error) {
	found, err := t.one(lifecycleQueries["plan"], []any{string(s.ID), version}, &p.ID, &p.Version, &p.Hash, document{&p.Body}, &p.Reason, instant{&p.CreatedAt})
	if err != nil {
		return p, err
	}
	if !found {
		return p, fmt.Errorf("%w: version %d of its plan", lifecycle.ErrNotFound, version)
	}
	p.Todos, err = t.todos(s.ID, version)
	return p, err
}

func (t tx) todos(id lifecycle.ID, version int) ([]lifecycle.Todo, error) {
	all := []lifecycle.Todo{}
	err := t.each(lifecycleQueries["todos"], []any{string(id), version}, func(scan func(...any) error) error {
		var d lifecycle.Todo
		err := scan(&d.ID, &d.Title, &d.Status, &d.RetryCount, list(&d.DependsOn), document{&d.Data}, document{&d.Result}, instant{&d.UpdatedAt})
		all = append(all, d)
		return err
	})
	return all, err
}

// setTodos writes those that differ.
func (t tx) setTodos(s lifecycle.Session, before, after []lifecycle.Todo) error {
	for i, d := range after {
		if reflect.DeepEqual(before[i], d) {
			continue
		}
		if _, err := t.exec(lifecycleQueries["set-todo"], d.Title, string(d.Status), d.RetryCount, list(&d.DependsOn), document{&d.Data},
			document{&d.Result}, millis(d.UpdatedAt), string(s.ID), s.PlanVersion, string(d.ID)); err != nil {
			return err
		}
	}
	return nil
}

// Work implements lifecycle.Plans.
func (r Records) Work(ctx context.Context, k lifecycle.Key, as lifecycle.RunID, changes []lifecycle.TodoChange) (todos []lifecycle.Todo, err error) {
	_, err = r.change(ctx, k, func(t tx, s lifecycle.Session) (lifecycle.Session, lifecycle.Event, error) {
		after, e, err := s.Apply(lifecycle.Change{As: as}, r.o.Now(), r.o.Policy)
		if err == nil && s.PlanVersion == 0 {
			err = fmt.Errorf("%w: it has no plan", lifecycle.ErrNotFound)
		}
		if err != nil {
			return s, e, err
		}
		before, err := t.todos(s.ID, s.PlanVersion)
		if err != nil {
			return s, e, err
		}
		if todos, err = lifecycle.ApplyTodos(before, changes, after.UpdatedAt); err != nil {
			return s, e, err
		}
		return after, e, t.setTodos(s, before, todos)
	})
	if err != nil {
		return nil, of("change todos of", k, err)
	}
	return todos, nil
}

// Resume implements lifecycle.Plans.
func (r Records) Resume(ctx context.Context, k lifecycle.Key, how lifecycle.Resumption) (s lifecycle.Session, todos []lifecycle.Todo, err error) {
	s, err = r.change(ctx, k, func(t tx, s lifecycle.Session) (lifecycle.Session, lifecycle.Event, error) {
		before, err := t.todos(s.ID, s.PlanVersion)
		if err != nil {
			return s, lifecycle.Event{}, err
		}
		var after lifecycle.Session
		var e lifecycle.Event
		if after, todos, e, err = s.Resume(how, before, r.o.Now(), r.o.Policy); err != nil {
			return s, e, err
		}
		return after, e, t.setTodos(s, before, todos)
	})
	if err != nil {
		return lifecycle.Session{}, nil, of("resume", k, err)
	}
	return s, todos, nil
}
