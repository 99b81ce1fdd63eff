package app

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"session/gitstate"
	"session/internal/cycle"
	"session/internal/session"
	"session/internal/snapshot"
)

// RestoreResult is what a restore did, or would do.
type RestoreResult struct {
	From    string        `json:"from"` // the snapshot whose files come back
	Files   []RestoreFile `json:"files"`
	Saved   string        `json:"saved"`    // the snapshot that was made before
	Applied string        `json:"snapshot"` // the snapshot that records the restore: session undo takes it back
	Done    bool          `json:"done"`
}

// RestoreFile is one recorded file and what becomes of it.
type RestoreFile struct {
	Path   string `json:"path"`
	Action string `json:"action"` // write, create, delete, same, kept

	want gitstate.File
}

// Kept reports whether the file stays although it differs.
func (f RestoreFile) Kept() bool { return f.Action == restoreKept }

// What becomes of a file.
const (
	restoreWrite  = "write"
	restoreCreate = "create"
	restoreDelete = "delete"
	restoreSame   = "same" // it stands as it was recorded
	restoreKept   = "kept" // its content is neither the committed nor the recorded one: it is never overwritten
)

// RestoreError says why nothing can be restored.
type RestoreError struct {
	Key  string
	Args []any
}

func (e *RestoreError) Error() string { return fmt.Sprintf("cannot restore: %s %v", e.Key, e.Args) }

// Restore brings files of a snapshot back. Without apply it only says what would be done. With it, a save is made
// first, then only recorded paths are touched, and none whose content nobody else had before that save: what the preview
// keeps is kept.
func Restore(ctx context.Context, p Place, ref string, paths []string, apply bool) (RestoreResult, error) {
	c, err := p.chain(ctx)
	if err != nil {
		return RestoreResult{}, err
	}
	v, err := c.restoring(ctx, ref, paths)
	if err != nil || !apply || len(v.result.Files) == 0 {
		return v.result, err
	}
	saved, err := Save(ctx, p, SaveOptions{})
	if err != nil {
		return v.result, err
	}
	before := v.result
	if c, err = p.chain(ctx); err != nil { // the save moved the branch: look again
		return v.result, err
	}
	if v, err = c.restoring(ctx, before.From, paths); err != nil {
		return v.result, err
	}
	for i, f := range before.Files { // of one snapshot, so the same files in the same order
		if f.Action == restoreKept {
			v.result.Files[i].Action = restoreKept
		}
	}
	v.result.Saved = saved.Snapshot
	return v.result, v.apply(ctx)
}

type restoring struct {
	*lineage
	source string // the commit that holds the recorded files
	result RestoreResult
}

// restoring compares what was recorded with what is there.
func (c *lineage) restoring(ctx context.Context, ref string, paths []string) (*restoring, error) {
	v := &restoring{lineage: c, result: RestoreResult{Files: []RestoreFile{}}}
	id, err := c.resolve(ctx, ref)
	if err != nil {
		return v, err
	}
	v.result.From = string(id)
	_, b, err := c.read(ctx, id)
	if err != nil {
		return v, err
	}
	g := b.Environment.Git
	if c.repo == nil || g == nil {
		return v, &RestoreError{"restore.no-git", nil}
	}
	v.source = cmp.Or(g.Kept, g.Head)
	recorded, err := chosen(g.Files, c.below(paths))
	if err != nil { // or as session show lists them
		recorded, err = chosen(g.Files, paths)
	}
	if err != nil {
		return v, err
	}
	if g.Dirty && g.Kept == "" {
		return v, &RestoreError{"restore.not-kept", []any{"id", short(string(id))}}
	}
	return v, v.compare(ctx, recorded)
}

// below are paths as a person writes them where they stand, as paths from the top of the work tree: what git does.
func (c *lineage) below(paths []string) []string {
	var out []string
	for _, p := range paths {
		at := p
		if !filepath.IsAbs(at) {
			at = filepath.Join(resolved(c.Dir), at)
		} else {
			at = filepath.Join(resolved(filepath.Dir(at)), filepath.Base(at))
		}
		if rel, err := filepath.Rel(resolved(c.root), at); err == nil && filepath.IsLocal(rel) {
			p = filepath.ToSlash(rel)
		}
		out = append(out, p)
	}
	return out
}

// chosen are the recorded files that the given paths, or folders above them, name; all if none is given.
func chosen(files []session.File, paths []string) ([]gitstate.File, error) {
	var out []gitstate.File
	used := make([]bool, len(paths))
	for _, f := range files {
		name := session.PathBytes(f.Path)
		take := len(paths) == 0
		for i, p := range paths {
			p = strings.TrimSuffix(filepath.ToSlash(p), "/")
			if name == p || strings.HasPrefix(name, p+"/") || p == "." {
				take, used[i] = true, true
			}
		}
		if take {
			out = append(out, gitstate.File{Path: name, Mode: f.Mode, Blob: f.Blob})
		}
	}
	if i := slices.Index(used, false); i >= 0 {
		return nil, &RestoreError{"restore.not-recorded", []any{"path", paths[i]}}
	}
	return out, nil
}

func (v *restoring) compare(ctx context.Context, recorded []gitstate.File) error {
	var paths []string
	for _, f := range recorded {
		paths = append(paths, f.Path)
	}
	if len(paths) == 0 {
		return nil
	}
	now, err := v.repo.FilesNow(ctx, paths)
	if err != nil {
		return err
	}
	committed, err := v.repo.FilesAt(ctx, v.head.Commit, paths)
	if err != nil {
		return err
	}
	for i, want := range recorded {
		f := RestoreFile{Path: session.PathText(want.Path), want: want, Action: restoreWrite}
		switch {
		case now[i] == want:
			f.Action = restoreSame
		case now[i] != committed[i]:
			f.Action = restoreKept
		case want.Mode == "":
			f.Action = restoreDelete
		case now[i].Mode == "":
			f.Action = restoreCreate
		}
		v.result.Files = append(v.result.Files, f)
	}
	return nil
}

// apply writes the files and records it, so that session undo can take it back.
func (v *restoring) apply(ctx context.Context) error {
	var write, remove []string
	var files []session.File
	for _, f := range v.result.Files {
		switch f.Action {
		case restoreWrite, restoreCreate:
			write = append(write, f.want.Path)
		case restoreDelete:
			remove = append(remove, f.want.Path)
		default:
			continue
		}
		files = append(files, session.File{Path: f.Path, Mode: f.want.Mode, Blob: f.want.Blob})
	}
	id, err := snapshot.ParseID(v.result.From)
	if err != nil {
		return err
	}
	at := cycle.Where{Path: v.path, Stood: v.here, Wait: leaseWait, Origin: snapshot.Origin{By: "restore", Names: []snapshot.ID{id}}}
	out, err := v.record(ctx, at, v.projections(v.store), func(b *session.Bundle) error {
		if err := sound(b.Context.State); err != nil {
			return err
		}
		if err := v.writeFiles(ctx, v.source, write, remove); err != nil {
			return err
		}
		g := session.GitFacts{Ref: session.PathText(v.head.Ref), Head: v.head.Commit}
		if b.Environment.Git != nil {
			g.Upstream = b.Environment.Git.Upstream
		}
		g.Dirty, g.Files, g.Kept = true, files, v.source
		b.Environment.Git, b.Context.State.Origin = &g, "restore"
		return nil
	})
	v.result.Applied, v.result.Done = string(out.Made.ID), err == nil
	return err
}

func (v *restoring) writeFiles(ctx context.Context, source string, write, remove []string) error {
	if err := v.repo.RestoreFiles(ctx, source, write); err != nil {
		return err
	}
	for _, p := range remove {
		if err := os.Remove(filepath.Join(v.root, filepath.FromSlash(p))); err != nil && !isMissing(err) {
			return fmt.Errorf("restore: %w", err)
		}
	}
	return nil
}
