package file

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"session/internal/atomicfile"
	"session/internal/session"
)

// FileSessionStore keeps a Ref in one file (seed 000, SessionStore Interface): ops/runtime/session_state.json under the
// runtime root, unless the caller says otherwise. It stores and never computes what is in it, except UpdatedAt.
type FileSessionStore struct {
	path string
	now  func() time.Time
}

// NewFileSessionStore names the file and the clock; it makes nothing.
func NewFileSessionStore(path string, now func() time.Time) *FileSessionStore {
	return &FileSessionStore{path: path, now: now}
}

// refFile is the file: five members, all of them, and no other.
type refFile struct {
	SessionID             *string    `json:"sessionId"`
	MemoryRef             *string    `json:"memoryRef"`
	RepoScanVersion       *string    `json:"repoScanVersion"`
	LastExecutionPlanHash *string    `json:"lastExecutionPlanHash"`
	UpdatedAt             *time.Time `json:"updatedAt"`
}

// Load implements session.SessionStore.
func (s *FileSessionStore) Load(ctx context.Context) (session.Ref, error) {
	if err := context.Cause(ctx); err != nil {
		return session.Ref{}, err
	}
	raw, err := atomicfile.Read(s.path, smallFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return session.Ref{}, fmt.Errorf("load %s: %w", s.path, session.ErrNoRef)
	case errors.Is(err, atomicfile.ErrNotRegular), errors.Is(err, atomicfile.ErrTooLarge):
		return session.Ref{}, fmt.Errorf("load the session reference: %w: %w: move it away to start anew", session.ErrBadRef, err)
	case err != nil:
		return session.Ref{}, fmt.Errorf("load the session reference: %w", classify(err))
	}
	r, err := parseRef(raw)
	if err != nil {
		return session.Ref{}, fmt.Errorf("load %s: %w: %w: move it away to start anew", s.path, session.ErrBadRef, err)
	}
	return r, nil
}

func parseRef(raw []byte) (session.Ref, error) {
	var f refFile
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return session.Ref{}, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return session.Ref{}, errors.New("something follows the reference")
	}
	if f.SessionID == nil || f.MemoryRef == nil || f.RepoScanVersion == nil || f.LastExecutionPlanHash == nil || f.UpdatedAt == nil {
		return session.Ref{}, errors.New("one of sessionId, memoryRef, repoScanVersion, lastExecutionPlanHash, updatedAt is missing")
	}
	if *f.SessionID == "" || f.UpdatedAt.IsZero() {
		return session.Ref{}, errors.New("sessionId or updatedAt is empty")
	}
	return session.Ref{SessionID: *f.SessionID, MemoryRef: *f.MemoryRef, RepoScanVersion: *f.RepoScanVersion,
		LastExecutionPlanHash: *f.LastExecutionPlanHash, UpdatedAt: *f.UpdatedAt}, nil
}

// Save implements session.SessionStore. A file that is there and cannot be read is not overwritten: session.ErrBadRef.
func (s *FileSessionStore) Save(ctx context.Context, r session.Ref) error {
	if r.SessionID == "" {
		return errors.New("save the session reference: it names no session")
	}
	if _, err := s.Load(ctx); err != nil && !errors.Is(err, session.ErrNoRef) {
		return fmt.Errorf("save the session reference: %w", err)
	}
	r.UpdatedAt = s.now().UTC().Truncate(time.Millisecond)
	raw, err := json.MarshalIndent(r, "", "  ")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(s.path), 0o700)
	}
	if err == nil {
		err = atomicfile.Replace(s.path, append(raw, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("save the session reference: %w", classify(err))
	}
	return nil
}
