package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"session/internal/canon"
	"session/internal/snapshot"
)

// The store's goals: a save's recording, log -n 20 in the large store, and what a save without news may take of the disk.
const (
	recordingGoal = 5  // ms
	logGoal       = 10 // ms
	bytesGoal     = 4 << 10
)

// stores times recording in a store of ten snapshots and in a large one. The work tree is small and unchanged, so that
// status does all that a save does but record.
func stores(ctx context.Context, b *bench) error {
	small, err := b.store(ctx, 10)
	if err != nil {
		return err
	}
	large, err := b.store(ctx, max(b.chain, 11))
	if err != nil {
		return err
	}
	name := func(what string, n int) string { return fmt.Sprintf("%s, %d snapshots", what, n) }
	one := func(what, dir string, n int, g goal, args ...string) command {
		return command{name: name(what, n), args: append([]string{b.program}, args...), dir: dir, goal: g}
	}
	_, err = b.compare(ctx, "recording, nothing changed in the work tree",
		one("status", small, 10, goal{}, "status"),
		one("save", small, 10, goal{above: recordingGoal}, "save"),
		one("save", large, b.chain, goal{above: recordingGoal}, "save"))
	if err != nil {
		return err
	}
	_, err = b.compare(ctx, "a large store beside a small one",
		one("save", small, 10, goal{}, "save"),
		one("save", large, b.chain, goal{ratio: 1.1}, "save"))
	if err != nil {
		return err
	}
	_, err = b.compare(ctx, "log -n 20",
		one("version", small, 10, goal{}, "version"),
		one("log", small, 10, goal{}, "log", "-n", "20"),
		one("log", large, b.chain, goal{ms: logGoal}, "log", "-n", "20"))
	if err != nil {
		return err
	}
	return b.growth(ctx, small)
}

// store makes a repository whose store holds a chain of n snapshots: two real saves, then copies of the second that differ
// in what has to differ, then a real save on top.
func (b *bench) store(ctx context.Context, n int) (string, error) {
	dir := filepath.Join(b.dir, "store-"+strconv.Itoa(n))
	if exists(filepath.Join(dir, ".git", "bench-done")) {
		return dir, nil
	}
	fmt.Fprintf(os.Stderr, "making a store of %d snapshots\n", n)
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	if _, err := b.do(ctx, dir, nil, "sh", "-ec", `git init -q -b main; git config user.name Bench; git config user.email bench@example.invalid
i=0; while [ $i -lt 20 ]; do echo $i >file$i; i=$((i+1)); done; git add -A; git commit -qm base`); err != nil {
		return "", err
	}
	for range 2 {
		if _, err := b.do(ctx, dir, nil, b.program, "save", "-m", "the work that goes on and on"); err != nil {
			return "", err
		}
	}
	if err := lengthen(filepath.Join(dir, ".git", "session"), n-3); err != nil {
		return "", err
	}
	if _, err := b.do(ctx, dir, nil, b.program, "save"); err != nil {
		return "", err
	}
	return dir, os.WriteFile(filepath.Join(dir, ".git", "bench-done"), nil, 0o644)
}

// lengthen continues a chain of two by n snapshots, without waiting for the disk.
func lengthen(store string, n int) error {
	var id struct {
		ID snapshot.StoreID `json:"store_id"`
	}
	if err := readJSON(filepath.Join(store, "store.json"), &id); err != nil {
		return err
	}
	pointers, err := filepath.Glob(filepath.Join(store, "paths", "*.json"))
	if err != nil || len(pointers) != 1 {
		return fmt.Errorf("%d paths in %s: %w", len(pointers), store, err)
	}
	var at struct {
		Path   string      `json:"path"`
		Head   snapshot.ID `json:"head"`
		Digest string      `json:"digest"`
	}
	if err := readJSON(pointers[0], &at); err != nil {
		return err
	}
	file := func(id snapshot.ID) string {
		return filepath.Join(store, "snapshots", string(id[:1]), string(id)+".json")
	}
	var m map[string]any
	if err := readJSON(file(at.Head), &m); err != nil {
		return err
	}
	depth, ok := m["depth"].(float64)
	if !ok {
		return fmt.Errorf("%s: no depth", file(at.Head))
	}
	for i := range n {
		m["parent_session_id"], m["parent_digest"] = at.Head, at.Digest
		at.Head = snapshot.NextID(id.ID, at.Head)
		m["session_id"], m["depth"], m["run_id"] = at.Head, depth+float64(i+1), "bench"+strconv.Itoa(i)
		m["created"] = settled.Add(time.Duration(i) * time.Minute).Format(time.RFC3339)
		body, err := canon.Marshal(m)
		if err != nil {
			return err
		}
		at.Digest = canon.Digest(body)
		if err := os.WriteFile(file(at.Head), body, 0o600); err != nil {
			return err
		}
	}
	body, err := json.Marshal(at)
	if err != nil {
		return err
	}
	return os.WriteFile(pointers[0], body, 0o600)
}

func readJSON(file string, into any) error {
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, into); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// growth prints what twenty saves without news add to the store.
func (b *bench) growth(ctx context.Context, dir string) error {
	const saves = 20
	parts := []string{"snapshots", "blobs", "."}
	before, err := sizes(dir, parts)
	if err != nil {
		return err
	}
	for range saves {
		if _, err := b.do(ctx, dir, nil, b.program, "save"); err != nil {
			return err
		}
	}
	after, err := sizes(dir, parts)
	if err != nil {
		return err
	}
	fmt.Fprintf(b.out, "\nbytes a save adds, nothing changed (mean of %d)\n", saves)
	snapshots := (after[0] + after[1] - before[0] - before[1]) / saves
	met := "met"
	if snapshots > bytesGoal {
		met = "MISSED"
	}
	fmt.Fprintf(b.out, "  snapshots and blobs  %d  (goal ≤ %d: %s)\n  all of the store     %d\n", snapshots, bytesGoal, met, (after[2]-before[2])/saves)
	return nil
}

func sizes(dir string, parts []string) ([]int64, error) {
	all := make([]int64, len(parts))
	for i, p := range parts {
		p = filepath.Join(dir, ".git", "session", p)
		if !exists(p) {
			continue
		}
		var err error
		if all[i], err = size(p); err != nil {
			return nil, err
		}
	}
	return all, nil
}
