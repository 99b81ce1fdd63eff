package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"session/internal/atomicfile"
	"session/internal/session"
	"session/internal/snapshot"
	"session/validate"
)

// CorruptStateError says that the state file cannot be trusted. It was not changed.
type CorruptStateError struct {
	File string
	Err  error // *validate.IntegrityError, or why it cannot be read
}

func (e *CorruptStateError) Error() string { return fmt.Sprintf("%s: %v", e.File, e.Err) }
func (e *CorruptStateError) Unwrap() error { return e.Err }

// readState reads the state file. found is false when there is none. The error is a *CorruptStateError.
func (s *site) readState() (state session.State, found bool, err error) {
	f := s.stateFile()
	b, err := atomicfile.Read(f, validate.MaxState)
	if isMissing(err) {
		return session.State{}, false, nil
	}
	if err == nil {
		state, err = validate.Integrity(b)
	}
	if err != nil {
		return session.State{}, true, &CorruptStateError{File: f, Err: err}
	}
	return state, true, nil
}

// readable refuses what would write over a state file that cannot be read. The error is a *CorruptStateError.
func (s *site) readable() error {
	_, _, err := s.readState()
	return err
}

// writeState is the projection of a snapshot into the state file.
func (s *site) writeState(_ context.Context, made snapshot.Manifest, b session.Bundle) error {
	content, err := b.Projected(string(made.ID), string(made.Line)).Bytes()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(s.stateFile()), 0o777); err != nil { // .claude is the user's folder: the umask decides
		return err
	}
	return atomicfile.ReplaceFrom(s.runtimeDir(), s.stateFile(), content, 0o600) // a save beside this one would find what stands in the work tree
}

// UnsoundError says that a state would be recorded which nobody could read again. Nothing was changed.
type UnsoundError struct{ Err error }

func (e *UnsoundError) Error() string {
	return fmt.Sprintf("what would be recorded could not be read again: %v", e.Err)
}
func (e *UnsoundError) Unwrap() error { return e.Err }

// sound asks the reader of the state file before anything is moved or recorded. The error is an *UnsoundError.
func sound(st session.State) error {
	if err := validate.Sound(st); err != nil {
		return &UnsoundError{err}
	}
	return nil
}

// setAside moves a state file that cannot be read out of the way and says where it went.
func (s *site) setAside() (string, error) {
	to, err := s.moveAside(s.stateFile())
	if err != nil {
		return "", fmt.Errorf("keep the damaged state file: %w", err)
	}
	return to, nil
}

// moveAside keeps a damaged file under a name of its own in the runtime folder: what cannot be read is never overwritten.
func (s *site) moveAside(file string) (string, error) {
	dir := filepath.Join(s.runtimeDir(), "corrupt")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	ext := filepath.Ext(file)
	stem := filepath.Join(dir, strings.TrimSuffix(filepath.Base(file), ext)+"."+s.Now().UTC().Format("20060102T150405"))
	to := stem + ext
	for n := 2; ; n++ {
		if _, err := os.Lstat(to); errors.Is(err, os.ErrNotExist) {
			break
		}
		to = fmt.Sprintf("%s-%d%s", stem, n, ext)
	}
	return to, os.Rename(file, to)
}
