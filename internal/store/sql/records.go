package sql

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"session/internal/lifecycle"
)

//go:embed lifecycle.sql
var lifecycleFile string

var lifecycleQueries = named(strings.ReplaceAll(lifecycleFile, "/*session*/", sessionColumns))

// Records is a lifecycle.Records in the tables sessions, session_….
type Records struct {
	db *DB
	o  lifecycle.Options
}

var _ lifecycle.Records = Records{}

// Records opens the database's Sessions, with their tables made if they are not there. Errors: lifecycle.ErrInvalid,
// *ForeignSchemaError, those of the package.
func (d *DB) Records(ctx context.Context, o lifecycle.Options) (Records, error) {
	err := o.Check()
	if err == nil {
		err = d.migrate(ctx, lifecyclePart())
	}
	if err != nil {
		return Records{}, fmt.Errorf("open the sessions in the database: %w", err)
	}
	return Records{d, o}, nil
}

func of(what string, k lifecycle.Key, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s session %.140s: %w", what, k.ID, err)
}

// Create implements lifecycle.Sessions.
func (r Records) Create(ctx context.Context, d lifecycle.Draft) (s lifecycle.Session, err error) {
	err = r.db.write(ctx, func(t tx) error {
		made, e, err := lifecycle.New(d, r.o.Now(), r.o.Policy)
		if err != nil {
			return err
		}
		n, err := t.exec(lifecycleQueries["take-id"], string(d.ID), string(d.Owner))
		if err == nil && n == 0 {
			err = lifecycle.ErrTaken
		}
		if err != nil {
			return err
		}
		row := record{Session: made}
		if err := r.place(t, &row); err != nil {
			return err
		}
		s = made
		if _, err := t.exec(lifecycleQueries["add-session"], row.all()...); err != nil {
			return err
		}
		return t.addEvent(e)
	})
	return s, of("create", lifecycle.Key{Owner: d.Owner, ID: d.ID}, err)
}

// Get implements lifecycle.Sessions.
func (r Records) Get(ctx context.Context, k lifecycle.Key) (s lifecycle.Session, err error) {
	err = r.look(ctx, k, func(_ tx, row record) error {
		s = row.Session
		return nil
	})
	return s, of("look up", k, err)
}

// look reads around one Session.
func (r Records) look(ctx context.Context, k lifecycle.Key, f func(tx, record) error) error {
	if err := k.Check(); err != nil {
		return err
	}
	return r.db.read(ctx, func(t tx) error {
		row, err := t.session("session", k)
		if err != nil {
			return err
		}
		return f(t, row)
	})
}

// session is the row of a Session. Errors: lifecycle.ErrNotFound, *lifecycle.GoneError.
func (t tx) session(query string, k lifecycle.Key) (record, error) {
	var s record
	found, err := t.one(lifecycleQueries[query], []any{string(k.ID), string(k.Owner)}, s.dest()...)
	if err != nil || found {
		return s, err
	}
	stone, found, err := t.tombstone(k)
	switch {
	case err != nil:
		return s, err
	case found:
		return s, &lifecycle.GoneError{Tombstone: stone}
	}
	return s, lifecycle.ErrNotFound
}

// List implements lifecycle.Sessions.
func (r Records) List(ctx context.Context, q lifecycle.Query) (p lifecycle.Page, err error) {
	if err := q.Check(); err != nil {
		return p, fmt.Errorf("list sessions: %w", err)
	}
	created, id, err := q.After.Place()
	if err != nil {
		return p, fmt.Errorf("list sessions: %w", err)
	}
	statuses := q.Statuses
	if len(statuses) == 0 {
		statuses = lifecycle.Statuses()
	}
	list := ","
	for _, s := range statuses {
		list += string(s) + ","
	}
	err = r.db.read(ctx, func(t tx) error {
		p = lifecycle.Page{Sessions: []lifecycle.Session{}}
		rows, err := t.sessions("list", string(q.Owner), created, created, string(id), list, q.Limit+1, q.Offset)
		if len(rows) > q.Limit {
			rows = rows[:q.Limit]
			p.Next = lifecycle.CursorAt(rows[q.Limit-1])
		}
		p.Sessions = append(p.Sessions, rows...)
		return err
	})
	if err != nil {
		return lifecycle.Page{}, fmt.Errorf("list sessions: %w", err)
	}
	return p, nil
}

func (t tx) sessions(query string, args ...any) (all []lifecycle.Session, err error) {
	err = t.each(lifecycleQueries[query], args, func(scan func(...any) error) error {
		var s record
		err := scan(s.dest()...)
		all = append(all, s.Session)
		return err
	})
	return all, err
}

// change reads a Session under a lock, lets f decide, and writes what it has become, with its event if there is one.
func (r Records) change(ctx context.Context, k lifecycle.Key, f func(tx, lifecycle.Session) (lifecycle.Session, lifecycle.Event, error)) (s lifecycle.Session, err error) {
	if err := k.Check(); err != nil {
		return s, err
	}
	err = r.db.write(ctx, func(t tx) error {
		row, err := t.session("lock-session", k)
		if err != nil {
			return err
		}
		before := row.Session
		after, e, err := f(t, before)
		if err != nil {
			return err
		}
		row.Session, s = after, after
		if err := r.place(t, &row); err != nil {
			return err
		}
		if n, err := t.exec(lifecycleQueries["set-session"], row.changed(before.Version)...); err != nil || n != 1 {
			return errorsOr(err, &lifecycle.ChangedError{Session: k.ID, Version: before.Version, Status: before.Status})
		}
		if before.Status == lifecycle.Waiting && after.Status != lifecycle.Waiting {
			if _, err := t.exec(lifecycleQueries["drop-pending"], millis(after.UpdatedAt), string(k.ID)); err != nil {
				return err
			}
		}
		if e.Seq == 0 {
			return nil
		}
		return t.addEvent(e)
	})
	return s, err
}

func errorsOr(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// Change implements lifecycle.Sessions.
func (r Records) Change(ctx context.Context, k lifecycle.Key, c lifecycle.Change) (lifecycle.Session, error) {
	s, err := r.change(ctx, k, func(_ tx, s lifecycle.Session) (lifecycle.Session, lifecycle.Event, error) {
		return s.Apply(c, r.o.Now(), r.o.Policy)
	})
	return s, of("change", k, err)
}

// Delete implements lifecycle.Sessions.
func (r Records) Delete(ctx context.Context, k lifecycle.Key, version int64) (lifecycle.Tombstone, error) {
	stone, err := r.remove(ctx, k, version, lifecycle.Deleted)
	return stone, of("delete", k, err)
}
