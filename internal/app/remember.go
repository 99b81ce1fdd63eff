package app

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"session/internal/cycle"
	"session/internal/memory"
	"session/internal/proc"
	"session/internal/redact"
	"session/internal/session"
	"session/internal/snapshot"
)

// Memory is what a search or a list says of one thing remembered: id, timestamp and summary.
type Memory = memory.Found

// Note is something to remember.
type Note struct {
	ID        string    `json:"id"`        // kept if it is a UUID of version 4, else a new one is made
	Timestamp time.Time `json:"timestamp"` // when it happened; zero: now
	Summary   string    `json:"summary"`
	Keywords  []string  `json:"keywords"` // what it is found by besides the words of its summary
}

// maxNotes bounds what one import reads, in bytes: what is remembered at once is one part of one snapshot.
const maxNotes = 24 << 20

// ReadNotes reads JSON lines, one note each; other fields are passed over. *UsageError names the line that is none.
func ReadNotes(r io.Reader) ([]Note, error) {
	s := bufio.NewScanner(io.LimitReader(r, maxNotes+1))
	s.Buffer(nil, maxNotes+1)
	var all []Note
	size := 0
	for line := 1; s.Scan(); line++ {
		if size += len(s.Bytes()) + 1; size > maxNotes {
			return nil, &UsageError{fmt.Errorf("more than %d MiB at once: remember it in parts", maxNotes>>20)}
		}
		if len(bytes.TrimSpace(s.Bytes())) == 0 {
			continue
		}
		var n Note
		if err := json.Unmarshal(s.Bytes(), &n); err != nil {
			return nil, &UsageError{fmt.Errorf("line %d: %w: each line is an object with summary, and perhaps timestamp, id, keywords", line, err)}
		}
		if strings.TrimSpace(n.Summary) == "" {
			return nil, &UsageError{fmt.Errorf("line %d: there is no summary in it", line)}
		}
		all = append(all, n)
	}
	if err := s.Err(); err != nil {
		return nil, fmt.Errorf("read what to remember: %w", err)
	}
	return all, nil
}

// RememberResult is what was remembered or forgotten.
type RememberResult struct {
	Items     []Memory
	Session   string   // what people call it
	Begun     bool     // there was no session of that name before
	Snapshots []string // that record it; session undo takes them back
	Behind    []error  // it is recorded, and a file that shows it could not be written
}

// AddMemory remembers notes in a session, as one snapshot. What looks like a secret is masked first. An id that the
// session has already is the same thing and is not remembered twice.
func AddMemory(ctx context.Context, p Place, name string, notes []Note) (RememberResult, error) {
	c, err := p.rememberer(ctx)
	if err != nil {
		return RememberResult{}, err
	}
	x, begun, err := c.sessionToAdd(ctx, name)
	if err != nil {
		return RememberResult{}, err
	}
	r := RememberResult{Session: x.called(), Begun: begun, Items: []Memory{}}
	items, err := c.itemsOf(notes, x.ref())
	if err != nil {
		return r, err
	}
	for _, it := range items {
		r.Items = append(r.Items, Memory{ID: it.ID, Timestamp: it.Timestamp.UTC(), Summary: it.Summary})
	}
	if items, err = c.unknown(ctx, x, items); err != nil || len(items) == 0 {
		return r, err
	}
	return r, c.remember(ctx, x, "memory-add", &r, func(b *session.Bundle) (err error) {
		b.Context.Memory, err = rawItems(items)
		return err
	})
}

// rememberer opens the store, and makes it where there is none.
func (p Place) rememberer(ctx context.Context) (*lineage, error) {
	s, err := p.open(ctx)
	if err != nil {
		return nil, err
	}
	if _, _, err := s.readState(); err != nil { // it will be written
		return nil, err
	}
	fs, chain, err := s.shelf(ctx, true)
	if err != nil {
		return nil, err
	}
	if s.repo != nil {
		if _, err := s.repo.Exclude(session.StateFile); err != nil {
			return nil, err
		}
	}
	return &lineage{site: s, files: fs, store: chain, here: s.stood(ctx, chain)}, nil
}

// sessionToAdd is the session to remember something in. Unlike one to look into, it need not be there yet.
func (c *lineage) sessionToAdd(ctx context.Context, name string) (x memorySession, begun bool, err error) {
	x.path = c.path
	if name != "" {
		x, err = c.memorySession(ctx, name)
		var none *NoSessionError
		switch {
		case errors.As(err, &none):
			x.path, begun = snapshot.Path(notebook+name), true
		case err != nil:
			return x, false, err
		case x.foreign:
			return x, false, &ForeignSessionError{x.called(), string(x.head)}
		}
	}
	at, err := c.store.Head(ctx, x.path)
	x.line = at.Line
	if at.Head != nil {
		x.head = at.Head.ID
	}
	return x, begun, err
}

// ForeignSessionError says that a session was imported, so nothing can be added to it or taken from it.
type ForeignSessionError struct{ Name, Newest string }

func (e *ForeignSessionError) Error() string {
	return fmt.Sprintf("session %s was imported: nothing continues it here", e.Name)
}

func (c *lineage) itemsOf(notes []Note, ref memory.SessionRef) ([]memory.Item, error) {
	var a memory.Analyser
	items := make([]memory.Item, 0, len(notes))
	for i, n := range notes {
		id, err := memory.ParseID(n.ID)
		if err != nil {
			if id, err = newMemoryID(); err != nil {
				return nil, err
			}
		}
		if n.Timestamp.IsZero() {
			n.Timestamp = c.Now()
		}
		for k := range n.Keywords {
			n.Keywords[k] = redact.Text(n.Keywords[k])
		}
		it, err := a.NewItem(id, n.Timestamp, ref, redact.Text(n.Summary), n.Keywords...)
		if err != nil {
			return nil, &UsageError{fmt.Errorf("note %d: %w", i+1, err)}
		}
		items = append(items, it)
	}
	return items, nil
}

// unknown leaves out what the session has already, and what comes twice.
func (c *lineage) unknown(ctx context.Context, x memorySession, items []memory.Item) ([]memory.Item, error) {
	known := map[memory.ID]bool{}
	if x.head != "" {
		batch, err := chainBatch(ctx, c.store, x.head)
		if err != nil {
			return nil, err
		}
		for _, it := range batch.Add {
			known[it.ID] = true
		}
	}
	return slices.DeleteFunc(items, func(it memory.Item) bool {
		was := known[it.ID]
		known[it.ID] = true
		return was
	}), nil
}

// remember records a change of a session's memory as a snapshot. Of another session than this work tree's nothing but the
// memory shows it.
func (c *lineage) remember(ctx context.Context, x memorySession, by string, r *RememberResult, edit func(*session.Bundle) error) error {
	at := cycle.Where{Path: x.path, Wait: leaseWait, Auto: proc.Getenv(c.Env, RunVariable) != "", Origin: snapshot.Origin{By: by}}
	project := c.elsewhere()
	if x.path == c.path && !at.Auto {
		if err := c.readable(); err != nil {
			return err
		}
	}
	if x.path == c.path {
		at.Stood, project = c.here, c.projections(c.store)
	}
	out, err := c.record(ctx, at, project, func(b *session.Bundle) error {
		if b.Context.State.Mode == "" && x.path != c.path {
			b.Context.State = session.State{Mode: "quick", OpenSpecStatus: "NONE", WorkingOn: x.called(), NextSteps: []string{c.Words.Say("words.say-next")},
				SavedAt: c.Now(), Origin: by}
		}
		return edit(b)
	})
	if err == nil {
		r.Session, r.Snapshots, r.Behind = x.called(), append(r.Snapshots, string(out.Made.ID)), append(r.Behind, out.Behind...)
	}
	return err
}

// MemoryQuery is a search. TopK has no default.
type MemoryQuery struct {
	MemoryScope
	Text    string
	TopK    int
	Ranking string // count-recency or count-bm25-recency
}

// SearchMemory finds what is remembered, best first. *UsageError: no TopK of 1 or more, or no such ranking.
func SearchMemory(ctx context.Context, p Place, o MemoryQuery) ([]Memory, error) {
	q := memory.Query{Text: o.Text, TopK: o.TopK, Ranking: memory.Ranking(o.Ranking), In: memory.InEverySession()}
	if err := q.Check(); err != nil {
		return nil, &UsageError{err}
	}
	return p.recall(ctx, o.MemoryScope, func(m memory.Store, x memorySession) ([]memory.Found, error) {
		q := q
		if !o.All {
			q.In, q.At = memory.InSession(x.ref()), memory.Snapshot(x.head)
		}
		return m.Search(ctx, q)
	})
}

// ListMemory lists what is remembered, newest first; limit 0 is all of it.
func ListMemory(ctx context.Context, p Place, o MemoryScope, limit int) ([]Memory, error) {
	all, err := p.recall(ctx, o, func(m memory.Store, x memorySession) ([]memory.Found, error) {
		if o.All {
			return m.List(ctx, memory.InEverySession())
		}
		return m.List(ctx, memory.InSession(x.ref()))
	})
	if limit > 0 && len(all) > limit {
		all = all[:limit]
	}
	return all, err
}

// recall asks the memory of one session, or of all of them at once; x is the one session.
func (p Place) recall(ctx context.Context, o MemoryScope, ask func(m memory.Store, x memorySession) ([]memory.Found, error)) (found []Memory, err error) {
	c, err := p.chain(ctx)
	if err != nil {
		return nil, err
	}
	in, err := c.sessions(ctx, o)
	if err != nil {
		return nil, err
	}
	err = c.remembering(ctx, c.store, in, func(m memory.Store) (err error) {
		var x memorySession
		if !o.All {
			x = in[0]
		}
		found, err = ask(m, x)
		return err
	})
	return found, err
}

// Highlight says where a text holds words that a query asks for: from, to in bytes.
func Highlight(query, text string) [][2]int {
	var all [][2]int
	for _, s := range memory.Highlight(query, text) {
		all = append(all, [2]int{s.From, s.To})
	}
	return all
}

// NoMemoryError says that nothing of that id is remembered.
type NoMemoryError struct{ ID string }

func (e *NoMemoryError) Error() string {
	return fmt.Sprintf("nothing with the id %q is remembered", e.ID)
}

// AmbiguousMemoryError says that more than one thing has an id that begins so.
type AmbiguousMemoryError struct {
	Prefix string
	IDs    []string
}

func (e *AmbiguousMemoryError) Error() string {
	return fmt.Sprintf("%d things that are remembered have ids that begin with %q", len(e.IDs), e.Prefix)
}

// ForgetMemory takes things out of memory, by their ids or unambiguous beginnings of them: one snapshot for each session
// that they belong to. session undo brings them back.
func ForgetMemory(ctx context.Context, p Place, o MemoryScope, ids []string) (RememberResult, error) {
	r := RememberResult{Items: []Memory{}}
	if _, err := p.chain(ctx); err != nil {
		return r, err
	}
	c, err := p.rememberer(ctx)
	if err != nil {
		return r, err
	}
	in, err := c.sessions(ctx, o)
	if err != nil {
		return r, err
	}
	gone, err := c.toForget(ctx, in, ids, &r)
	if err != nil {
		return r, err
	}
	for _, x := range in {
		if len(gone[x.line]) == 0 {
			continue
		}
		err := c.remember(ctx, x, "memory-forget", &r, func(b *session.Bundle) error {
			b.Context.Forgot = gone[x.line]
			return nil
		})
		if err != nil {
			return r, err
		}
	}
	return r, nil
}

// toForget finds what ids mean, by line; nothing is forgotten unless all of them mean something.
func (c *lineage) toForget(ctx context.Context, in []memorySession, ids []string, r *RememberResult) (map[snapshot.ID][]string, error) {
	gone := map[snapshot.ID][]string{}
	all := map[snapshot.ID][]Memory{}
	err := c.remembering(ctx, c.store, in, func(m memory.Store) (err error) {
		for _, x := range in {
			if all[x.line], err = m.List(ctx, memory.InSession(x.ref())); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, prefix := range ids {
		x, f, err := meant(prefix, in, all)
		if err != nil {
			return nil, err
		}
		if slices.Contains(gone[x.line], string(f.ID)) {
			continue
		}
		gone[x.line] = append(gone[x.line], string(f.ID))
		r.Items = append(r.Items, f)
	}
	return gone, nil
}

// meant is the one thing whose id begins with prefix.
func meant(prefix string, in []memorySession, all map[snapshot.ID][]Memory) (x memorySession, f Memory, err error) {
	var ids []string
	for _, s := range in {
		for _, m := range all[s.line] {
			if prefix != "" && strings.HasPrefix(string(m.ID), strings.ToLower(prefix)) {
				ids, x, f = append(ids, string(m.ID)), s, m
			}
		}
	}
	switch {
	case len(ids) == 0:
		return x, f, &NoMemoryError{prefix}
	case len(ids) > 1:
		return x, f, &AmbiguousMemoryError{prefix, ids}
	case x.foreign:
		return x, f, &ForeignSessionError{x.called(), cmp.Or(string(x.head), string(x.line))}
	}
	return x, f, nil
}
