package sql

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"time"

	"session/internal/memory"
)

//go:embed memory.sql
var memoryFile string

var memoryQueries = named(memoryFile)

// Memory is a memory.Store in the tables memories and memory_keywords.
type Memory struct{ db *DB }

// Memory is the database's memory.
func (d *DB) Memory() Memory { return Memory{d} }

// standing is a row of memory_sessions.
type standing struct {
	session, analyser, items, length, last int64
	snapshot                               string
}

func (t tx) standing(query string, ref memory.SessionRef) (s standing, ok bool, err error) {
	ok, err = t.one(memoryQueries[query], []any{string(ref)}, &s.session, &s.snapshot, &s.analyser, &s.items, &s.length, &s.last)
	return s, ok, err
}

// stale says that keywords were made under other rules than a query will be.
func (s standing) stale() bool { return s.items > 0 && s.analyser != memory.AnalyserVersion }

// Apply implements memory.Store.
func (m Memory) Apply(ctx context.Context, b memory.Batch) error {
	return m.change(ctx, "apply", b, func(t tx, s *standing) error {
		if s.stale() {
			return fmt.Errorf("%w: analyser %d made its keywords, this is %d; rebuild it", memory.ErrBehind, s.analyser, memory.AnalyserVersion)
		}
		return nil
	})
}

// Rebuild implements memory.Store.
func (m Memory) Rebuild(ctx context.Context, b memory.Batch) error {
	return m.change(ctx, "rebuild", b, func(t tx, s *standing) error {
		*s = standing{session: s.session}
		return t.all(s.session, "drop-keywords", "drop-items")
	})
}

// Drop implements memory.Store.
func (m Memory) Drop(ctx context.Context, ref memory.SessionRef) error {
	err := m.db.write(ctx, func(t tx) error {
		s, ok, err := t.standing("lock-session", ref)
		if err != nil || !ok {
			return err
		}
		return t.all(s.session, "drop-keywords", "drop-items", "drop-session")
	})
	return about("drop", ref, err)
}

// Standing implements memory.Store.
func (m Memory) Standing(ctx context.Context, ref memory.SessionRef) (at memory.Snapshot, err error) {
	err = m.db.read(ctx, func(t tx) error {
		s, ok, err := t.standing("session", ref)
		if ok && !s.stale() {
			at = memory.Snapshot(s.snapshot)
		}
		return err
	})
	return at, about("look up", ref, err)
}

func about(what string, ref memory.SessionRef, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s the memory of session %.80q: %w", what, ref, err)
}

// all runs statements about one session.
func (t tx) all(session int64, queries ...string) error {
	for _, q := range queries {
		if _, err := t.exec(memoryQueries[q], session); err != nil {
			return err
		}
	}
	return nil
}

// change brings a session to a batch after prepare, in one transaction.
func (m Memory) change(ctx context.Context, what string, b memory.Batch, prepare func(tx, *standing) error) error {
	err := b.Check()
	if err == nil {
		err = m.db.write(ctx, func(t tx) error {
			s, err := t.enter(b.SessionRef)
			if err != nil {
				return err
			}
			if err := prepare(t, &s); err != nil {
				return err
			}
			return t.apply(&s, b)
		})
	}
	return about(what, b.SessionRef, err)
}

// enter locks a session's row, and makes it if there is none. Two makers of different sessions can want the same number;
// then one of them makes nothing and tries again.
func (t tx) enter(ref memory.SessionRef) (standing, error) {
	for {
		s, ok, err := t.standing("lock-session", ref)
		if ok || err != nil {
			return s, err
		}
		if _, err := t.exec(memoryQueries["new-session"], string(ref), memory.AnalyserVersion); err != nil {
			return s, err
		}
	}
}

func (t tx) apply(s *standing, b memory.Batch) error {
	forget := make(map[memory.ID]bool, len(b.Forget))
	for _, id := range b.Forget {
		forget[id] = true
	}
	if err := t.addItems(s, b.Add, forget); err != nil {
		return err
	}
	for id := range forget {
		if err := t.forget(s, id); err != nil {
			return err
		}
	}
	if b.Snapshot != "" {
		s.snapshot = string(b.Snapshot)
	}
	_, err := t.exec(memoryQueries["set-session"], s.snapshot, memory.AnalyserVersion, s.items, s.length, s.last, s.session)
	return err
}

// forget takes an item out. Its keywords are found by reading all of the session's: that is rare, and an index for it would
// double what every item costs.
func (t tx) forget(s *standing, id memory.ID) error {
	var item, length int64
	ok, err := t.one(memoryQueries["forget-item"], []any{s.session, string(id)}, &item, &length)
	if err != nil || !ok {
		return err
	}
	s.items, s.length = s.items-1, s.length-length
	type row struct{ keyword, postings []byte }
	var rows []row
	err = t.each(memoryQueries["block"], []any{s.session, item / blockItems}, func(scan func(...any) error) error {
		var r row
		err := scan(&r.keyword, &r.postings)
		rows = append(rows, r)
		return err
	})
	for _, r := range rows {
		if err == nil {
			err = t.without(s.session, item, r.keyword, r.postings)
		}
	}
	return err
}

// without takes an item out of one block.
func (t tx) without(session, item int64, keyword, postings []byte) error {
	rest, found, err := withoutItem(postings, item)
	switch {
	case err != nil || !found:
		return err
	case len(rest) == 0:
		_, err = t.exec(memoryQueries["drop-postings"], session, keyword, item/blockItems)
	default:
		_, err = t.exec(memoryQueries["set-postings"], rest, session, keyword, item/blockItems)
	}
	return err
}

// addItems adds what is not there yet.
func (t tx) addItems(s *standing, items []memory.Item, but map[memory.ID]bool) (err error) {
	if len(items) == 0 {
		return nil
	}
	add, err := t.prepare(memoryQueries["add-item"])
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, add.Close()) }()
	var analyser memory.Analyser
	in := keywordWriter{t: t, session: s.session}
	for _, it := range items {
		if but[it.ID] {
			continue
		}
		entries, length := analyser.Entries(it)
		at := it.Timestamp.UnixMilli()
		if err := t.ctx.Err(); err != nil {
			return err
		}
		r, err := add.ExecContext(context.WithoutCancel(t.ctx), s.session, s.last+1, string(it.ID), at, length, len(entries), it.Summary)
		if err != nil {
			return err
		}
		if n, err := r.RowsAffected(); err != nil {
			return err
		} else if n == 0 {
			continue
		}
		s.items, s.length, s.last = s.items+1, s.length+int64(length), s.last+1
		if err := in.add(s.last, at, int64(length), entries); err != nil {
			return err
		}
	}
	return in.flush()
}

// List implements memory.Store.
func (m Memory) List(ctx context.Context, in memory.Scope) (found []memory.Found, err error) {
	if err := in.Check(); err != nil {
		return nil, err
	}
	ref, every := in.Session()
	err = m.db.read(ctx, func(t tx) error {
		if every {
			found, err = t.found("list-everywhere")
			return err
		}
		s, _, err := t.standing("session", ref)
		if err == nil {
			found, err = t.found("list", s.session)
		}
		return err
	})
	if err != nil {
		return nil, about("list", ref, err)
	}
	return found, nil
}

func (t tx) found(query string, args ...any) (found []memory.Found, err error) {
	found = []memory.Found{}
	err = t.each(memoryQueries[query], args, func(scan func(...any) error) error {
		f, err := scanFound(scan)
		found = append(found, f)
		return err
	})
	return found, err
}

func scanFound(scan func(...any) error) (f memory.Found, err error) {
	var ms int64
	err = scan(&f.ID, &ms, &f.Summary)
	f.Timestamp = time.UnixMilli(ms).UTC()
	if err == nil && (strings.Contains(f.Summary, "\x00") || strings.TrimSpace(f.Summary) == "") { // of a page that was lost, zeros are left
		err = fmt.Errorf("%w: item %.80q has a summary that nobody wrote", memory.ErrDamaged, f.ID)
	}
	return f, err
}
