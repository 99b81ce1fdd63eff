package app

import (
	"context"
	"path/filepath"

	"session/internal/cycle"
	"session/internal/session"
	"session/internal/snapshot"
	"session/internal/store/file"
	"session/internal/survey"
)

// projections are what shows a snapshot besides the snapshot itself, in the order in which they are written.
func (s *site) projections(chain *snapshot.Store) []cycle.Projection {
	return []cycle.Projection{
		{Name: session.StateFile, Do: s.writeState},
		{Name: "session reference", Do: s.writeRef},
		{Name: "memory", Do: s.writeMemory(chain)},
	}
}

func (s *site) refs() session.SessionStore {
	return file.NewFileSessionStore(filepath.Join(s.runtimeDir(), "ops", "runtime", "session_state.json"), s.Now)
}

func (s *site) writeRef(ctx context.Context, made snapshot.Manifest, _ session.Bundle) error {
	return s.refs().Save(ctx, session.Ref{SessionID: string(made.ID), MemoryRef: string(made.Line), RepoScanVersion: survey.Version,
		LastExecutionPlanHash: made.AcceptedPlanHash})
}
