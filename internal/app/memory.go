package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"session/internal/memory"
	"session/internal/session"
	"session/internal/snapshot"
	"session/internal/store/sql"
)

func (s *site) memoryFile() string { return filepath.Join(s.storeDir(), "memory.db") }

// writeMemory is the projection of a snapshot into the memory's tables. Tables that do not stand at the snapshot's
// parent missed something (of another machine, say): they get what came since, or are made anew from the chain.
func (s *site) writeMemory(chain *snapshot.Store) func(context.Context, snapshot.Manifest, session.Bundle) error {
	return func(ctx context.Context, made snapshot.Manifest, b session.Bundle) (err error) {
		batch, err := batchOf(made, b)
		if err != nil {
			return err
		}
		db, err := s.openMemory(ctx)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, db.Close()) }()
		m := db.Memory()
		at, err := m.Standing(ctx, batch.SessionRef)
		if err != nil {
			return err
		}
		if string(at) == string(made.Parent) || made.ID == made.Line {
			return m.Apply(ctx, batch)
		}
		batch, reached, err := batchSince(ctx, chain, made.ID, snapshot.ID(at))
		if err != nil {
			return err
		}
		if reached {
			return m.Apply(ctx, batch)
		}
		return m.Rebuild(ctx, batch)
	}
}

func batchOf(made snapshot.Manifest, b session.Bundle) (memory.Batch, error) {
	batch := memory.Batch{SessionRef: memory.SessionRef(made.Line), Snapshot: memory.Snapshot(made.ID)}
	for _, raw := range b.Context.Memory {
		var it memory.Item
		if err := json.Unmarshal(raw, &it); err != nil {
			return batch, fmt.Errorf("read memory of snapshot %s: %w", made.ID, err)
		}
		batch.Add = append(batch.Add, it)
	}
	for _, id := range b.Context.Forgot {
		batch.Forget = append(batch.Forget, memory.ID(id))
	}
	return batch, nil
}

// chainBatch gathers what the snapshots of a line, up to one of them, remember.
func chainBatch(ctx context.Context, chain *snapshot.Store, upTo snapshot.ID) (memory.Batch, error) {
	batch, _, err := batchSince(ctx, chain, upTo, "")
	return batch, err
}

// batchSince gathers what the snapshots of a line remember and forget that are newer than one of them; reached says that
// the line goes back to it, else it is all of the line.
func batchSince(ctx context.Context, chain *snapshot.Store, upTo, since snapshot.ID) (all memory.Batch, reached bool, err error) {
	newest, err := chain.Manifest(ctx, upTo)
	if err != nil {
		return all, false, err
	}
	all = memory.Batch{SessionRef: memory.SessionRef(newest.Line), Snapshot: memory.Snapshot(upTo)}
	settled := map[memory.ID]bool{} // by a snapshot newer than the one at hand
	for m, err := range chain.Walk(ctx, upTo) {
		switch {
		case err != nil:
			return all, false, err
		case m.Removed == nil && m.Line != newest.Line:
			return all, false, nil
		case m.Removed == nil && m.ID == since:
			return all, true, nil
		case m.Removed != nil:
			continue
		}
		one, err := readBatch(ctx, chain, m.ID)
		if err != nil {
			return all, false, err
		}
		for _, id := range one.Forget {
			if !settled[id] {
				settled[id], all.Forget = true, append(all.Forget, id)
			}
		}
		kept := slices.DeleteFunc(one.Add, func(it memory.Item) bool { return settled[it.ID] })
		for _, it := range kept {
			settled[it.ID] = true // brought back later than it was first made: once is enough
		}
		all.Add = append(kept, all.Add...)
	}
	return all, false, nil
}

func readBatch(ctx context.Context, chain *snapshot.Store, id snapshot.ID) (memory.Batch, error) {
	s, err := chain.Load(ctx, id)
	if err != nil {
		return memory.Batch{}, err
	}
	b, err := session.ReadBundle(s.Bundle.Environment, s.Bundle.Context, s.Bundle.Messages)
	if err != nil {
		return memory.Batch{}, &snapshot.ErrCorrupt{ID: id, What: "parts", Why: err}
	}
	return batchOf(s.Manifest, b)
}

// writeMemoryBeside puts what an autosave remembers where it is found at once. It comes again with the save that takes the
// autosave in, and is the same item then; so it needs no lease, and where the session stands does not move.
func (s *site) writeMemoryBeside(ctx context.Context, made snapshot.Manifest, b session.Bundle) (err error) {
	batch, err := batchOf(made, b)
	if err != nil || len(batch.Add)+len(batch.Forget) == 0 {
		return err
	}
	batch.Snapshot = ""
	db, err := s.openMemory(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return db.Memory().Apply(ctx, batch)
}

// spare is how many more answers than a plan's topK are looked at for news.
const spare = 100

// search looks into the memory's tables for a load or a run. What it gives is news to a reader who knows what is said.
func (s *site) search(v saved, said ...string) func(context.Context, memory.Query) ([]memory.Found, error) {
	return func(ctx context.Context, q memory.Query) (found []memory.Found, err error) {
		if err := q.Check(); err != nil {
			return nil, err
		}
		id, err := snapshot.ParseID(v.state.Snapshot)
		if v.chain == nil || v.state.Line == "" || err != nil {
			return nil, nil // nothing was ever remembered
		}
		if _, err := v.chain.Manifest(ctx, id); errors.Is(err, snapshot.ErrNotFound) { // kept on this machine only: what its path remembers up to there
			at, err := v.chain.Head(ctx, s.path)
			if err != nil || at.Head == nil || string(at.Line) != v.state.Line {
				return nil, err
			}
			id, q.At = at.Head.ID, memory.Snapshot(at.Head.ID)
		}
		in := []memorySession{{line: snapshot.ID(v.state.Line), head: id}}
		topK := q.TopK
		q.TopK = min(topK, math.MaxInt-spare) + spare
		err = s.remembering(ctx, v.chain, in, func(m memory.Store) (err error) {
			found, err = m.Search(ctx, q)
			return err
		})
		found = memory.Novel(found, said...)
		return found[:min(topK, len(found))], err
	}
}

// remembering puts a question to the memory's tables. Where they do not stand at the heads of the sessions that are meant,
// or cannot be opened (a read-only disk), it is put to tables made from the chain and thrown away: a reader writes nothing.
func (s *site) remembering(ctx context.Context, chain *snapshot.Store, in []memorySession, ask func(memory.Store) error) error {
	if _, err := os.Stat(s.memoryFile()); err == nil {
		err := s.withMemory(ctx, func(m memory.Store) error {
			for _, x := range in {
				if at, err := m.Standing(ctx, x.ref()); err != nil || string(at) != string(x.head) {
					return errors.Join(err, memory.ErrBehind)
				}
			}
			return ask(m)
		})
		locked := errors.Is(err, sql.ErrReadOnly) || errors.Is(err, fs.ErrPermission) // SQLite wants to write to read
		if !locked && !errors.Is(err, memory.ErrBehind) || errors.Is(err, memory.ErrDamaged) {
			return err
		}
	} else if !isMissing(err) {
		return fmt.Errorf("read memory: %w", err)
	}
	return s.anew(ctx, chain, in, ask)
}

func (s *site) anew(ctx context.Context, chain *snapshot.Store, in []memorySession, ask func(memory.Store) error) (err error) {
	dir, err := os.MkdirTemp("", "session-memory-")
	if err != nil {
		return fmt.Errorf("read memory: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	return withMemory(ctx, filepath.Join(dir, "memory.db"), func(m memory.Store) error {
		for _, x := range in {
			if err := rebuild(ctx, chain, m, x); err != nil {
				return err
			}
		}
		return ask(m)
	})
}

// rebuild makes a session's memory anew: what its snapshots remember, and the autosaves that no save has taken in.
func rebuild(ctx context.Context, chain *snapshot.Store, m memory.Store, x memorySession) error {
	batch, err := chainBatch(ctx, chain, x.head)
	if err != nil {
		return err
	}
	if err := m.Rebuild(ctx, batch); err != nil || x.foreign || x.path == "" {
		return err
	}
	at, err := chain.Head(ctx, x.path)
	if err != nil || at.Line != x.line {
		return err
	}
	pending, err := chain.Pending(ctx, at)
	if err != nil {
		return err
	}
	for _, auto := range pending.Autosaves {
		one, err := readBatch(ctx, chain, auto.ID)
		if err != nil {
			continue // named by the save that could not take it in
		}
		one.Snapshot = ""
		if err := m.Apply(ctx, one); err != nil {
			return err
		}
	}
	return nil
}

func withMemory(ctx context.Context, file string, use func(memory.Store) error) (err error) {
	return asking(func() (*sql.DB, error) { return sql.OpenSQLite(ctx, file) }, use)
}

func (s *site) withMemory(ctx context.Context, use func(memory.Store) error) error {
	return asking(func() (*sql.DB, error) { return s.openMemory(ctx) }, use)
}

func asking(open func() (*sql.DB, error), use func(memory.Store) error) (err error) {
	db, err := open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return use(db.Memory())
}

// query is what a load looks for in memory: what is worked on, what comes next, what blocks.
func query(s session.State) string {
	parts := append([]string{s.WorkingOn}, s.NextSteps...)
	if s.Blocker != nil {
		parts = append(parts, s.Blocker.Description, s.Blocker.Message)
	}
	return strings.Join(parts, "\n")
}

// said are the words of a state that a load shows by itself.
func said(s session.State) []string {
	parts := append([]string{s.WorkingOn}, s.NextSteps...)
	if b := s.Blocker; b != nil {
		parts = append(parts, b.Description, b.Message, memory.Facts{Blocker: memory.Blocker{Type: string(b.Type), Message: b.Message, Place: b.File}}.Summary())
	}
	return parts
}

func rawItems(items []memory.Item) ([]json.RawMessage, error) {
	var out []json.RawMessage
	for _, it := range items {
		b, err := json.Marshal(it)
		if err != nil {
			return nil, fmt.Errorf("write memory: %w", err)
		}
		out = append(out, b)
	}
	return out, nil
}
