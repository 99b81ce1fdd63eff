package app

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"session/gitstate"
	"session/internal/cycle"
	"session/internal/memory"
	"session/internal/session"
	"session/internal/snapshot"
)

// UndoResult is what was taken back.
type UndoResult struct {
	Snapshot string        `json:"snapshot"` // the new snapshot, which records it
	Undone   string        `json:"undone"`   // the snapshot that was taken back
	From     string        `json:"from"`     // where the branch stood
	To       string        `json:"to"`       // where it stands now
	State    session.State `json:"state"`
}

// UndoError says why something cannot be taken back. Nothing was changed.
type UndoError struct {
	Key  string // of the catalogue
	Args []any
}

func (e *UndoError) Error() string { return fmt.Sprintf("cannot undo: %s %v", e.Key, e.Args) }

// Undo takes back the newest save still in effect, or a named one: its commit and its place as the newest, never the
// work. It is recorded as a new snapshot that names what it took back, so it can be undone itself.
func Undo(ctx context.Context, p Place, ref string) (UndoResult, error) {
	c, err := p.chain(ctx)
	if err != nil {
		return UndoResult{}, err
	}
	u, err := c.undoing(ctx, ref)
	if err != nil {
		return UndoResult{}, err
	}
	if err := u.allowed(ctx); err != nil {
		return UndoResult{}, err
	}
	if err := u.readable(); err != nil {
		return UndoResult{}, err
	}
	at := cycle.Where{Path: u.target.Path, Wait: leaseWait, Origin: snapshot.Origin{By: "undo", Names: []snapshot.ID{u.target.ID}}}
	project := c.projections(c.store)
	if at.Path != c.path {
		project = c.elsewhere()
	}
	out, err := c.record(ctx, at, project, func(b *session.Bundle) error { return u.apply(ctx, b) })
	if err != nil {
		return UndoResult{}, err
	}
	if out.Beside != nil {
		return UndoResult{}, out.Beside
	}
	return UndoResult{Snapshot: string(out.Made.ID), Undone: string(u.target.ID), From: u.from, To: u.to, State: out.Bundle.Projected(string(out.Made.ID), string(out.Made.Line))}, nil
}

// undoing is one undo: of a save, of a finish, or of an undo.
type undoing struct {
	*lineage
	target snapshot.Snapshot
	bundle session.Bundle // of the target
	shown  session.Bundle // whose state holds afterwards
	from   string         // where the branch must stand
	to     string
	tree   string // what the index shall hold
	staged string // what it holds if nothing was staged since
	moves  bool   // the branch moves
	folds  bool   // between WIP commits and the commit that they were folded into: one tree, so the index stays
	files  bool   // a restore is taken back: files go back to what the branch has
	memory bool   // nothing but memory was changed
}

func (c *lineage) undoing(ctx context.Context, ref string) (*undoing, error) {
	id, err := c.undoTarget(ctx, ref)
	if err != nil {
		return nil, err
	}
	u := &undoing{lineage: c}
	if u.target, u.bundle, err = c.read(ctx, id); err != nil {
		return nil, err
	}
	u.memory = remembering(u.target.Origin.By)
	if u.bundle.Context.Undone != "" {
		if err := u.again(ctx); err != nil {
			return nil, err
		}
	}
	if u.target.Path != c.path && !u.memory {
		return nil, &UndoError{"undo.other-path", []any{"path", string(u.target.Path), "here", string(c.path)}}
	}
	if u.bundle.Context.Undone != "" {
		return u, nil
	}
	g := u.bundle.Environment.Git
	u.files = u.target.Origin.By == "restore"
	if parent := u.target.Parent; parent != "" {
		before, shown, err := c.read(ctx, parent)
		if err != nil {
			return nil, err
		}
		if before.Path == u.target.Path { // what was said on another branch says nothing about this one
			u.shown = shown
		}
	}
	if g != nil && g.Folded != "" {
		return u, u.unfold(ctx, g.Head, g.Folded)
	}
	if g == nil || !g.Created {
		return u, nil
	}
	u.moves, u.from, u.to, u.tree = true, g.Head, g.Before, g.IndexTree
	if u.staged, err = c.repo.TreeOf(ctx, u.from); err != nil {
		return nil, &UndoError{"undo.commit-gone", []any{"commit", short(u.from)}}
	}
	if u.tree == "" && u.to != "" {
		u.tree, err = c.repo.TreeOf(ctx, u.to)
	}
	return u, err
}

// unfold prepares the way between a commit and the WIP commits that it was folded of.
func (u *undoing) unfold(ctx context.Context, from, to string) error {
	u.moves, u.folds, u.from, u.to = true, true, from, to
	if _, err := u.repo.TreeOf(ctx, to); err != nil {
		return &UndoError{"undo.commit-gone", []any{"commit", short(to)}}
	}
	return nil
}

// again prepares the undo of an undo: the commit that was taken back comes again.
func (u *undoing) again(ctx context.Context) error {
	id, err := snapshot.ParseID(u.bundle.Context.Undone)
	if err != nil {
		return err
	}
	was, shown, err := u.read(ctx, id)
	if err != nil {
		return err
	}
	u.shown, u.memory = shown, remembering(was.Origin.By)
	g := u.shown.Environment.Git
	if g != nil && g.Folded != "" {
		return u.unfold(ctx, g.Folded, g.Head)
	}
	if g == nil || !g.Created {
		return nil
	}
	u.moves, u.from, u.to = true, g.Before, g.Head
	if u.tree, err = u.repo.TreeOf(ctx, u.to); err != nil {
		return &UndoError{"undo.commit-gone", []any{"commit", short(u.to)}}
	}
	if u.staged = g.IndexTree; u.staged == "" && u.from != "" {
		u.staged, err = u.repo.TreeOf(ctx, u.from)
	}
	return err
}

func (c *lineage) read(ctx context.Context, id snapshot.ID) (snapshot.Snapshot, session.Bundle, error) {
	s, err := c.store.Load(ctx, id)
	if err != nil {
		return s, session.Bundle{}, err
	}
	b, err := session.ReadBundle(s.Bundle.Environment, s.Bundle.Context, s.Bundle.Messages)
	if err != nil {
		err = &snapshot.ErrCorrupt{ID: id, What: "parts", Why: err}
	}
	return s, b, err
}

// undoTarget is the named snapshot, or the newest save that no undo has taken back.
func (c *lineage) undoTarget(ctx context.Context, ref string) (snapshot.ID, error) {
	if ref != "" {
		return c.resolve(ctx, ref)
	}
	at, err := c.store.Head(ctx, c.path)
	if err != nil {
		return "", err
	}
	if at.Head == nil {
		return "", &NothingSavedError{Where: c.root}
	}
	undone := map[string]bool{}
	for a, err := range c.store.Walk(ctx, at.Head.ID) {
		if err != nil {
			return "", err
		}
		if a.Removed != nil || a.Line != at.Line {
			break
		}
		_, b, err := c.read(ctx, a.ID)
		if err != nil {
			return "", err
		}
		switch {
		case undone[string(a.ID)], a.Origin.By == "gc":
		case b.Context.Undone != "":
			undone[b.Context.Undone] = true
		default:
			return a.ID, nil
		}
	}
	return "", &UndoError{"undo.nothing", nil}
}

// allowed refuses what would lose somebody's work, before anything is touched.
func (u *undoing) allowed(ctx context.Context) error {
	if !u.moves {
		return nil
	}
	if u.head.Commit != u.from {
		rel, err := u.repo.Relate(ctx, u.from, u.head.Commit)
		if err != nil {
			return err
		}
		if rel.Missing || rel.Behind > 0 { // reset, rebased or amended: there is no such commit on the branch to take back
			return &UndoError{"undo.rewritten", []any{"now", short(u.head.Commit), "saved", short(u.from)}}
		}
		return &UndoError{"undo.moved", []any{"now", short(u.head.Commit), "saved", short(u.from), "commit", short(u.bundle.Environment.Git.Head)}}
	}
	if u.bundle.Context.Undone != "" {
		return nil
	}
	remote, err := u.repo.OnRemote(ctx, u.from)
	if err == nil && remote != "" {
		err = &UndoError{"undo.pushed", []any{"remote", remote, "commit", short(u.from)}}
	}
	return err
}

// apply says what holds now, and then moves the branch.
func (u *undoing) apply(ctx context.Context, b *session.Bundle) error {
	if u.memory {
		b.Context.State.Origin, b.Context.Undone = "undo", string(u.target.ID)
		return u.forget(ctx, b)
	}
	now, shown := u.Now(), inherited(u.shown)
	if shown.Context.State.WorkingOn == "" { // there was nothing on this path before the save that is taken back
		shown.Context.State = b.Context.State
		shown.Context.State.Blocker, shown.Context.State.Blockers = nil, nil
	}
	*b = *shown
	b.Context.State.SavedAt, b.Context.State.Origin, b.Context.Undone = now, "undo", string(u.target.ID)
	b.Environment = u.bundle.Environment
	if u.files {
		b.Environment = u.shown.Environment
	}
	if u.moves {
		g := *u.bundle.Environment.Git
		g.Head, g.Before, g.Created, g.IndexTree, g.Folded = u.to, "", false, "", ""
		if !u.folds {
			g.Dirty = u.bundle.Context.Undone == "" // the files are in no commit any more
		}
		b.Environment.Git = &g
		b.Context.State.GitCommit, b.Context.State.GitPushed = u.to, false
	} else if !u.files { // words were taken back; where the branch stood, it stands
		at := u.bundle.Context.State
		b.Context.State.GitCommit, b.Context.State.GitPushed = at.GitCommit, at.GitPushed
	}
	if err := u.forget(ctx, b); err != nil {
		return err
	}
	if err := sound(b.Context.State); err != nil {
		return err
	}
	return u.move(ctx)
}

// move moves the branch, or the files that a restore brought.
func (u *undoing) move(ctx context.Context) error {
	if u.moves {
		run, err := u.runID()
		if err != nil {
			return err
		}
		ref := u.head.Ref
		if ref == "" {
			ref = "HEAD"
		}
		w := gitstate.Unwinding{Run: run, Ref: ref, From: u.from, To: u.to, Tree: u.tree, Base: u.staged, SameTree: u.folds, Log: "session undo " + short(string(u.target.ID))}
		err = u.repo.Unwind(ctx, w, u.Now)
		var stands *gitstate.StagedError
		if errors.As(err, &stands) {
			return &UndoError{"undo.staged", []any{"path", session.PathText(stands.Path)}}
		}
		if err != nil {
			return err
		}
	}
	if u.files {
		return u.takeBackFiles(ctx)
	}
	return nil
}

// remembering knows what makes snapshots that change nothing but memory: they are taken back from anywhere, and leave the
// words alone, and when they were saved.
func remembering(by string) bool { return by == "memory-add" || by == "memory-forget" || by == "gc" }

// forget takes the memory of what is undone away, and brings back what it forgot; the undo of an undo does the contrary.
func (u *undoing) forget(ctx context.Context, b *session.Bundle) error {
	if u.bundle.Context.Undone != "" {
		b.Context.Memory, b.Context.Forgot = u.shown.Context.Memory, u.shown.Context.Forgot
		return nil
	}
	batch, err := batchOf(u.target.Manifest, u.bundle)
	if err != nil {
		return err
	}
	for _, it := range batch.Add {
		b.Context.Forgot = append(b.Context.Forgot, string(it.ID))
	}
	if len(batch.Forget) == 0 || u.target.Parent == "" {
		return nil
	}
	before, err := chainBatch(ctx, u.store, u.target.Parent)
	if err != nil {
		return err
	}
	b.Context.Memory, err = rawItems(slices.DeleteFunc(before.Add, func(it memory.Item) bool { return !slices.Contains(batch.Forget, it.ID) }))
	return err
}

// takeBackFiles undoes a restore: files that still stand as they were restored go back to what the branch has.
func (u *undoing) takeBackFiles(ctx context.Context) error {
	g := u.bundle.Environment.Git
	files, err := chosen(g.Files, nil)
	if err != nil {
		return err
	}
	var paths []string
	for _, f := range files {
		paths = append(paths, f.Path)
	}
	now, err := u.repo.FilesNow(ctx, paths)
	if err != nil || len(paths) == 0 {
		return err
	}
	committed, err := u.repo.FilesAt(ctx, u.head.Commit, paths)
	if err != nil {
		return err
	}
	var write, remove []string
	for i, f := range files {
		switch {
		case now[i] != f: // changed since: it is somebody's work now
		case committed[i].Mode == "":
			remove = append(remove, f.Path)
		default:
			write = append(write, f.Path)
		}
	}
	return (&restoring{lineage: u.lineage}).writeFiles(ctx, u.head.Commit, write, remove)
}
