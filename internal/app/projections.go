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

// projections are what shows a snapshot besides the snapshot itself. They are written at once.
func (s *site) projections(chain *snapshot.Store) []cycle.Projection {
	return []cycle.Projection{
		{Name: session.StateFile, Do: s.writeState},
		{Name: "session reference", Do: s.writeRef},
		{Name: "memory", Do: s.writeMemory(chain)},
	}
}

// elsewhere is what shows a snapshot on a path on which this work tree does not stand.
func (c *lineage) elsewhere() []cycle.Projection {
	return []cycle.Projection{{Name: "memory", Do: c.writeMemory(c.store)}}
}

// besideProjections are what an autosave shows at once, without the path's lease.
func (s *site) besideProjections() []cycle.Projection {
	return []cycle.Projection{{Name: "memory", Do: s.writeMemoryBeside}}
}

func (s *site) refs() session.SessionStore { return file.NewFileSessionStore(s.refFile(), s.Now) }

func (s *site) refFile() string {
	return filepath.Join(s.runtimeDir(), "ops", "runtime", "session_state.json")
}

func (s *site) writeRef(ctx context.Context, made snapshot.Manifest, _ session.Bundle) error {
	return s.refs().Save(ctx, session.Ref{SessionID: string(made.ID), MemoryRef: string(made.Line), RepoScanVersion: survey.Version,
		LastExecutionPlanHash: made.AcceptedPlanHash})
}
