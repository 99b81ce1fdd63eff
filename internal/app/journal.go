package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"session/gitstate"
	"session/internal/atomicfile"
	"session/internal/cycle"
	"session/internal/snapshot"
)

// journal is the note of a running cycle, one a work tree: a file that is replaced as a whole.
type journal struct {
	file  string
	entry cycle.Entry
}

const journalFile = "journal.json"

func (s *site) journal() *journal {
	return &journal{file: filepath.Join(s.runtimeDir(), journalFile)}
}

// Begin writes the note.
func (j *journal) Begin(_ context.Context, e cycle.Entry) error {
	j.entry = e
	return j.write()
}

// Note adds what is about to move.
func (j *journal) Note(_ context.Context, ref, commit string) error {
	j.entry.Ref, j.entry.Commit = ref, commit
	return j.write()
}

// End removes the note.
func (j *journal) End(context.Context) error {
	err := os.Remove(j.file)
	if isMissing(err) {
		return nil
	}
	return err
}

func (j *journal) write() error {
	b, err := json.Marshal(j.entry)
	if err != nil {
		return fmt.Errorf("write the journal: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(j.file), 0o700); err != nil {
		return fmt.Errorf("write the journal: %w", err)
	}
	if err := atomicfile.Swap(j.file, b, 0o600); err != nil { // it serves who comes after a kill, not after a power cut
		return fmt.Errorf("write the journal: %w", err)
	}
	return nil
}

// mend takes away what a killed run left in this work tree. The lease of the current path is held; a journal of
// another path is touched only if that path's lease is free, which says that its owner is dead.
func (s *site) mend(leases snapshot.Leaser, store *snapshot.Store) func(context.Context) error {
	return func(ctx context.Context) (err error) {
		defer func() {
			if err != nil {
				err = fmt.Errorf("clean up after a killed run: %w", err)
			}
		}()
		file := filepath.Join(s.runtimeDir(), journalFile)
		info, err := os.Stat(file)
		if isMissing(err) || s.repo == nil {
			return nil
		}
		if err != nil {
			return err
		}
		var e cycle.Entry
		b, err := atomicfile.Read(file, 64<<10)
		if err == nil && len(b) == 0 { // the power went before the note reached the disk: it names no lock
			return os.Remove(file)
		}
		if err == nil {
			err = json.Unmarshal(b, &e)
		}
		if err != nil { // a note that cannot be read says nothing about whose locks stand there
			return fmt.Errorf("%s: %w", file, err)
		}
		if e.Path != s.path {
			lease, err := leases.Acquire(ctx, store.LeaseKey(e.Path), snapshot.Holder{PID: s.PID}, 0)
			var busy *snapshot.ErrBusy
			if errors.As(err, &busy) {
				return nil
			}
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, lease.Release(ctx)) }()
		}
		if _, err := s.repo.Mend(gitstate.Unfinished{Ref: e.Ref, New: e.Commit, Journal: info}); err != nil {
			return err
		}
		return os.Remove(file)
	}
}
