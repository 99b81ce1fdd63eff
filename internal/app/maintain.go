package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"session/internal/memory"
	"session/internal/session"
	"session/internal/snapshot"
	"session/internal/store/sql"
)

// CheckResult is what a check of the store found, and what a repair did.
type CheckResult struct {
	snapshot.Report
	Projections []ProjectionProblem `json:"projections"` // files that do not show what the snapshots say
	Repaired    []snapshot.Repaired `json:"repaired"`
	Clean       bool                `json:"clean"`
}

// ProjectionProblem is a projection that does not show what the snapshots say.
type ProjectionProblem struct {
	Name     string `json:"name"`
	Detail   string `json:"detail"`
	Repaired bool   `json:"repaired"`
}

// Check reads everything that the store holds, and the projections; with repair it mends what can be mended.
func Check(ctx context.Context, p Place, repair bool) (CheckResult, error) {
	c, err := p.chain(ctx)
	if err != nil {
		return CheckResult{}, err
	}
	r := CheckResult{Projections: []ProjectionProblem{}, Repaired: []snapshot.Repaired{}}
	if r.Report, err = c.store.Check(ctx); err != nil {
		return r, err
	}
	if repair {
		run := snapshot.RepairRun{Leases: c.files, Who: c.holder(""), Now: c.Now()}
		if r.Repaired, err = c.store.Repair(ctx, r.Report, run); err != nil {
			return r, err
		}
		if r.Report, err = c.store.Check(ctx); err != nil {
			return r, err
		}
	}
	if err := c.checkProjections(ctx, &r, repair); err != nil {
		return r, err
	}
	r.Clean = !r.Damage()
	for _, x := range r.Projections {
		r.Clean = r.Clean && x.Repaired
	}
	return r, nil
}

// checkProjections holds state file, Ref and memory against the snapshots.
func (c *lineage) checkProjections(ctx context.Context, r *CheckResult, repair bool) error {
	mend := func(name, detail string, do func() error) error {
		x := ProjectionProblem{Name: name, Detail: detail}
		if repair {
			if err := do(); err != nil {
				return fmt.Errorf("repair %s: %w", name, err)
			}
			x.Repaired = true
		}
		r.Projections = append(r.Projections, x)
		return nil
	}
	at, err := c.standing(ctx)
	var corrupt *snapshot.ErrCorrupt
	if errors.As(err, &corrupt) { // said already: what is damaged cannot be held against anything
		r.Projections = append(r.Projections, ProjectionProblem{Name: session.StateFile, Detail: err.Error()})
		return nil
	}
	if err != nil {
		return err
	}
	if at == nil { // nothing was saved here, but perhaps elsewhere in this store
		return c.checkMemory(ctx, mend)
	}
	if problem, err := c.stateProblem(at); err != nil {
		return err
	} else if problem != "" {
		if err := mend(session.StateFile, problem, func() error { return c.rewriteState(ctx, at) }); err != nil {
			return err
		}
	}
	ref, err := c.refs().Load(ctx)
	if err != nil || ref.SessionID != at.state.Snapshot {
		detail := "it names " + short(ref.SessionID)
		if err != nil {
			detail = err.Error()
		}
		if err := mend("session reference", detail, func() error { return c.rewriteRef(ctx, at) }); err != nil {
			return err
		}
	}
	return c.checkMemory(ctx, mend)
}

// standing is the snapshot that the projections of this work tree should show: the newest of the path that the state
// file names, else of the one that the Ref names, else of this branch's.
func (c *lineage) standing(ctx context.Context) (*saved, error) {
	v := saved{chain: c.store}
	follow, shared := v.newest, c.isShared(c.store)
	if shared { // others go on without this work tree's files
		follow = v.take
	}
	state, found, err := c.readState()
	if _, bad := c.refs().Load(ctx); shared && err == nil && !found && errors.Is(bad, session.ErrNoRef) {
		return nil, nil // nothing was ever saved from here
	}
	if err == nil && found {
		if id, err := snapshot.ParseID(state.Snapshot); err == nil {
			if shared && c.waits(ctx, id) {
				return nil, nil
			}
			if at, err := follow(ctx, id); err == nil {
				return &at, nil
			}
		}
	}
	id := c.here
	if id == "" {
		var err error
		var none *NothingSavedError
		if id, err = c.newestID(ctx); errors.As(err, &none) {
			return nil, nil
		} else if err != nil {
			return nil, err
		}
	}
	at, err := v.newest(ctx, id)
	return &at, err
}

func (c *lineage) stateProblem(at *saved) (string, error) {
	want, err := at.state.Bytes()
	if err != nil {
		return "", err
	}
	b, err := os.ReadFile(c.stateFile())
	switch {
	case isMissing(err):
		return "it is missing", nil
	case err != nil:
		return err.Error(), nil
	case !bytes.Equal(b, want):
		return "it does not show snapshot " + short(at.state.Snapshot), nil
	}
	return "", nil
}

func (c *lineage) rewriteState(ctx context.Context, at *saved) error {
	// It is kept, whatever it is: damaged, edited, or all that is left of a snapshot that was lost.
	if _, err := os.Lstat(c.stateFile()); err == nil {
		if _, err := c.setAside(); err != nil {
			return err
		}
	} else if !isMissing(err) {
		return err
	}
	return c.reproject(ctx, at, c.writeState)
}

func (c *lineage) rewriteRef(ctx context.Context, at *saved) error {
	if _, err := c.refs().Load(ctx); errors.Is(err, session.ErrBadRef) {
		if _, err := c.moveAside(c.refFile()); err != nil {
			return err
		}
	}
	return c.reproject(ctx, at, c.writeRef)
}

func (c *lineage) reproject(ctx context.Context, at *saved, write func(context.Context, snapshot.Manifest, session.Bundle) error) error {
	id, err := snapshot.ParseID(at.state.Snapshot)
	if err != nil {
		return err
	}
	s, err := c.store.Load(ctx, id)
	if err != nil {
		return err
	}
	b, err := session.ReadBundle(s.Bundle.Environment, s.Bundle.Context, s.Bundle.Messages)
	if err != nil {
		return err
	}
	return write(ctx, s.Manifest, b)
}

// checkMemory asks each line's memory where it stands, and makes anew what stands elsewhere.
func (c *lineage) checkMemory(ctx context.Context, mend func(name, detail string, do func() error) error) error {
	if _, err := os.Stat(c.memoryFile()); isMissing(err) && c.isShared(c.store) {
		return nil // nothing was ever saved from here
	}
	paths, err := c.store.Paths(ctx)
	if err != nil {
		return err
	}
	db, err := sql.OpenSQLite(ctx, c.memoryFile())
	info, unseen := os.Lstat(c.memoryFile())
	if errors.Is(err, memory.ErrDamaged) || err != nil && unseen == nil && info.IsDir() {
		return mend("memory", err.Error(), func() error { return c.remakeMemory(ctx, paths) })
	}
	if err != nil && ctx.Err() == nil { // a disk that is full or read-only: the snapshots can be checked all the same
		return mend("memory", err.Error(), func() error { return err })
	}
	if err != nil {
		return err
	}
	damage := db.Check(ctx)
	var behind []string
	for _, at := range paths {
		ok, err := c.memoryStands(ctx, db, at)
		if err != nil {
			return errors.Join(err, db.Close())
		}
		if !ok {
			behind = append(behind, string(at.Path))
		}
	}
	if err := db.Close(); err != nil {
		return err
	}
	switch {
	case damage != nil:
		return mend("memory", damage.Error(), func() error { return c.remakeMemory(ctx, paths) })
	case len(behind) > 0:
		return mend("memory", fmt.Sprintf("it does not stand at the newest snapshot of %v", behind), func() error { return c.rebuildMemory(ctx, paths) })
	}
	return nil
}

// memoryStands reports whether a line's memory shows its newest snapshot. A line that remembers nothing needs no table.
func (c *lineage) memoryStands(ctx context.Context, db *sql.DB, at snapshot.PathInfo) (bool, error) {
	standing, err := db.Memory().Standing(ctx, memory.SessionRef(at.Line))
	if errors.Is(err, memory.ErrDamaged) {
		return false, nil
	}
	if err == nil && c.isShared(c.store) { // the next save here adds what others did
		return true, nil
	}
	if err != nil || string(standing) == string(at.Head.ID) {
		return err == nil, err
	}
	batch, err := chainBatch(ctx, c.store, at.Head.ID)
	return standing == "" && len(batch.Add) == 0, err
}

// remakeMemory sets a damaged database aside and makes a new one from the snapshots.
func (c *lineage) remakeMemory(ctx context.Context, paths []snapshot.PathInfo) error {
	aside := c.memoryFile() + ".damaged-" + c.Now().UTC().Format("20060102T150405")
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Rename(c.memoryFile()+suffix, aside+suffix); err != nil && !isMissing(err) {
			return err
		}
	}
	return c.rebuildMemory(ctx, paths)
}

func (c *lineage) rebuildMemory(ctx context.Context, paths []snapshot.PathInfo) (err error) {
	db, err := sql.OpenSQLite(ctx, c.memoryFile())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	for _, at := range paths {
		if err := rebuild(ctx, c.store, db.Memory(), sessionOf(at)); err != nil {
			return err
		}
	}
	return nil
}

// GCOptions says what may go.
type GCOptions struct {
	Keep   int           // newest snapshots of each path that stay
	Older  time.Duration // only what is older than this may go
	DryRun bool
}

// GCResult is what a collection removed, or would remove.
type GCResult struct {
	Remove []snapshot.Removal `json:"remove"`
	Kept   []snapshot.Kept    `json:"kept"`
	Blobs  int                `json:"blobs"`
	Bytes  int64              `json:"bytes"`
	// Memories is how many things that only removed snapshots remembered were said anew in the newest ones.
	Memories int  `json:"memories"`
	Done     bool `json:"done"`
}

// GC removes old snapshots, oldest first, and never silently.
func GC(ctx context.Context, p Place, o GCOptions) (GCResult, error) {
	c, err := p.chain(ctx)
	if err != nil {
		return GCResult{}, err
	}
	now := c.Now()
	rules := snapshot.GCPolicy{Before: now.Add(-o.Older), Keep: o.Keep, Autosaves: now.Add(-7 * 24 * time.Hour), Blobs: now.Add(-24 * time.Hour)}
	if c.here != "" {
		rules.Pinned = append(rules.Pinned, c.here)
	}
	if rules.Bases, err = c.bases(ctx); err != nil {
		return GCResult{}, err
	}
	work, err := c.store.PlanGC(ctx, rules, c.files)
	if err != nil {
		return GCResult{}, err
	}
	r := GCResult{Remove: append([]snapshot.Removal{}, work.Remove...), Kept: append([]snapshot.Kept{}, work.Kept...), Blobs: len(work.Blobs), Bytes: work.Bytes}
	if o.DryRun {
		return r, nil
	}
	if r.Memories, err = c.keepMemory(ctx, work.Remove); err != nil {
		return r, err
	}
	_, err = c.store.ApplyGC(ctx, work, snapshot.GCRun{Leases: c.files, Who: c.holder(""), Now: now})
	r.Done = err == nil
	return r, err
}

// Export writes a snapshot and all that it goes back to as one file.
func Export(ctx context.Context, p Place, ref string, w io.Writer) error {
	c, err := p.chain(ctx)
	if err != nil {
		return err
	}
	id, err := c.resolve(ctx, ref)
	if err != nil {
		return err
	}
	return c.store.Export(ctx, w, id)
}

// ImportResult is what an import added.
type ImportResult struct {
	Added   []string `json:"added"`
	Known   int      `json:"known"`
	Removed []string `json:"removed"`
	Tips    []string `json:"tips"` // what the file was made for: session load ID shows it
}

// Import adds the snapshots of an exported file. It moves no head.
func Import(ctx context.Context, p Place, r io.ReadSeeker) (ImportResult, error) {
	s, err := p.open(ctx)
	if err != nil {
		return ImportResult{}, err
	}
	_, chain, err := s.shelf(ctx, true)
	if err != nil {
		return ImportResult{}, err
	}
	im, err := chain.Import(ctx, r, snapshot.ImportLimits{})
	if errors.Is(err, snapshot.ErrInvalid) {
		err = &ImportError{err}
	}
	if err == nil && len(im.Added) > 0 {
		err = s.importMemory(ctx, chain, im.Tips)
	}
	return ImportResult{Added: texts(im.Added), Known: im.Known, Removed: texts(im.Removed), Tips: texts(im.Tips)}, err
}

// ImportError says that a file is not as it was exported. It is the file that is wrong, whatever Err says of a store.
type ImportError struct{ Err error }

func (e *ImportError) Error() string { return strings.TrimSuffix(e.Err.Error(), ": run session check") }
func (e *ImportError) Unwrap() error { return e.Err }

// importMemory fills the memory of imported lines.
func (s *site) importMemory(ctx context.Context, chain *snapshot.Store, tips []snapshot.ID) (err error) {
	db, err := sql.OpenSQLite(ctx, s.memoryFile())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	for _, id := range tips {
		batch, err := chainBatch(ctx, chain, id)
		if err != nil {
			return err
		}
		if err := db.Memory().Rebuild(ctx, batch); err != nil {
			return err
		}
	}
	return nil
}

func texts(ids []snapshot.ID) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = string(id)
	}
	return out
}
