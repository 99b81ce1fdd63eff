package sql

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
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
	_, err = t.exec(memoryQueries["forget-keywords"], s.session, item)
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
		r, err := add.ExecContext(t.ctx, s.session, s.last+1, string(it.ID), at, length, it.Summary)
		if err != nil {
			return err
		}
		if n, err := r.RowsAffected(); err != nil {
			return err
		} else if n == 0 {
			continue
		}
		s.items, s.length, s.last = s.items+1, s.length+int64(length), s.last+1
		if err := in.add(s.last, at, length, entries); err != nil {
			return err
		}
	}
	return in.flush()
}

// keywordWriter inserts rows in the order of their key: in a big table, rows in the order of their items would each go to
// another page.
type keywordWriter struct {
	t       tx
	session int64
	rows    []keywordRow
}

type keywordRow struct {
	keyword        string
	item, at, mark int64
}

const keywordsHeld = 1 << 16 // rows, until they are written

func (w *keywordWriter) add(item, at int64, length int, entries []memory.Entry) error {
	for _, e := range entries {
		w.rows = append(w.rows, keywordRow{e.Key, item, at, pack(e.Mark, e.Count, length)})
	}
	if len(w.rows) < keywordsHeld {
		return nil
	}
	return w.flush()
}

func (w *keywordWriter) flush() (err error) {
	slices.SortFunc(w.rows, func(a, b keywordRow) int {
		return cmp.Or(strings.Compare(a.keyword, b.keyword), cmp.Compare(a.item, b.item))
	})
	full, err := w.t.prepare(insertKeywords(w.t.rows))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, full.Close()) }()
	args := make([]any, 0, keywordColumns*w.t.rows)
	for rows := range slices.Chunk(w.rows, w.t.rows) {
		args = args[:0]
		for _, r := range rows {
			args = append(args, w.session, []byte(r.keyword), r.item, r.at, r.mark)
		}
		if len(rows) == w.t.rows {
			_, err = full.ExecContext(w.t.ctx, args...)
		} else {
			_, err = w.t.exec(insertKeywords(len(rows)), args...)
		}
		if err != nil {
			return err
		}
	}
	w.rows = w.rows[:0]
	return nil
}

const keywordColumns = 5

func insertKeywords(rows int) string {
	b := []byte("INSERT INTO memory_keywords (session, keyword, item, at_ms, mark) VALUES ")
	for i := range rows {
		n := i * keywordColumns
		b = fmt.Appendf(b, "($%d, $%d, $%d, $%d, $%d),", n+1, n+2, n+3, n+4, n+5)
	}
	return string(b[:len(b)-1])
}

// Marks share a column with what BM25 needs, because a search reads many rows and pays by the column.
const (
	markBits  = 3
	countBits = 13
)

func pack(m memory.Mark, count, length int) int64 {
	return int64(m) | int64(count)<<markBits | int64(length)<<(markBits+countBits)
}

func unpack(v int64) (m memory.Mark, count int, length int64) {
	return memory.Mark(v & (1<<markBits - 1)), int(v >> markBits & (1<<countBits - 1)), v >> (markBits + countBits)
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
	return found, about("list", ref, err)
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
	return f, err
}
