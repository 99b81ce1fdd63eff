package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
// parent missed something and are made anew from the chain.
func (s *site) writeMemory(chain *snapshot.Store) func(context.Context, snapshot.Manifest, session.Bundle) error {
	return func(ctx context.Context, made snapshot.Manifest, b session.Bundle) (err error) {
		batch, err := batchOf(made, b)
		if err != nil {
			return err
		}
		db, err := sql.OpenSQLite(ctx, s.memoryFile())
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
		if batch, err = chainBatch(ctx, chain, made.ID); err != nil {
			return err
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
	newest, err := chain.Manifest(ctx, upTo)
	if err != nil {
		return memory.Batch{}, err
	}
	all := memory.Batch{SessionRef: memory.SessionRef(newest.Line), Snapshot: memory.Snapshot(upTo)}
	gone := map[memory.ID]bool{} // by a snapshot newer than the one at hand
	for m, err := range chain.Walk(ctx, upTo) {
		if err != nil {
			return all, err
		}
		if m.Removed == nil && m.Line != newest.Line {
			break
		}
		if m.Removed != nil {
			continue
		}
		one, err := readBatch(ctx, chain, m.ID)
		if err != nil {
			return all, err
		}
		for _, id := range one.Forget {
			gone[id] = true
		}
		kept := slices.DeleteFunc(one.Add, func(it memory.Item) bool { return gone[it.ID] })
		for _, it := range kept {
			gone[it.ID] = true // brought back later than it was first made: once is enough
		}
		all.Add = append(kept, all.Add...)
	}
	return all, nil
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

// search looks into the memory's tables. Where they do not stand at the snapshot that is being loaded, the question is
// put to tables made from the chain and thrown away: a reader writes nothing.
func (s *site) search(v saved) func(context.Context, memory.Query) ([]memory.Found, error) {
	return func(ctx context.Context, q memory.Query) (found []memory.Found, err error) {
		if v.chain == nil || v.state.Line == "" {
			return nil, nil // nothing was ever remembered
		}
		if _, err := os.Stat(s.memoryFile()); err == nil {
			found, err := searchFile(ctx, s.memoryFile(), q)
			if !errors.Is(err, memory.ErrBehind) {
				return found, err
			}
		}
		batch, err := chainBatch(ctx, v.chain, snapshot.ID(v.state.Snapshot))
		if err != nil {
			return nil, err
		}
		dir, err := os.MkdirTemp("", "session-memory-")
		if err != nil {
			return nil, fmt.Errorf("search memory: %w", err)
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
		db, err := sql.OpenSQLite(ctx, filepath.Join(dir, "memory.db"))
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, db.Close()) }()
		if err := db.Memory().Rebuild(ctx, batch); err != nil {
			return nil, err
		}
		return db.Memory().Search(ctx, q)
	}
}

func searchFile(ctx context.Context, file string, q memory.Query) (found []memory.Found, err error) {
	db, err := sql.OpenSQLite(ctx, file)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return db.Memory().Search(ctx, q)
}

// query is what a load looks for in memory: what is worked on, what comes next, what blocks.
func query(s session.State) string {
	parts := append([]string{s.WorkingOn}, s.NextSteps...)
	if s.Blocker != nil {
		parts = append(parts, s.Blocker.Description, s.Blocker.Message)
	}
	return strings.Join(parts, "\n")
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
