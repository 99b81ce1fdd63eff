package gitstate

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// Unwinding moves a branch between a WIP commit and the commit before it, or the one that it was folded into, the work tree
// untouched.
type Unwinding struct {
	Run  string // names the private index
	Ref  string // full branch name, or "HEAD" when detached
	From string // where the branch must stand; "" before the first commit
	To   string // where it goes; "" takes the branch's first commit away
	Tree string // what the index shall hold; "" for nothing
	Base string // what it holds if nothing was staged since; "" for nothing. What differs from it stays
	// SameTree leaves the index as it is: both commits have one tree.
	SameTree bool
	Log      string
}

// Unwind publishes an index that holds the given tree and moves the branch. Work tree and untracked files stay. Errors
// as of Publish; after any of them index and branch stand as they stood.
func (r *Repo) Unwind(ctx context.Context, u Unwinding, now func() time.Time) error {
	if u.SameTree {
		if err := r.moveRef(ctx, Target{Ref: u.Ref, Old: u.From, Log: u.Log}, u.To); err != nil {
			return &RefMovedError{Ref: u.Ref, Cause: err}
		}
		return nil
	}
	s := &Staging{repo: r, file: filepath.Join(r.runtimeDir(), "index."+u.Run)}
	if err := s.link(); err != nil {
		return fmt.Errorf("unwind: %w", err)
	}
	defer s.Drop()
	g := r.git.withIndex(s.file)
	if err := r.restage(ctx, g, u); err != nil {
		return err
	}
	if _, err := g.run(ctx, nil, "update-index", "-q", "--refresh"); err != nil && exitCode(err) != 1 { // 1: files differ, as they should
		return fmt.Errorf("unwind: %w", err)
	}
	return s.Publish(ctx, Target{Ref: u.Ref, Old: u.From, Log: u.Log}, u.To, now)
}

// StagedError says that what was staged since stands in the way: a file where a folder must be, or the other way round.
type StagedError struct{ Path string }

func (e *StagedError) Error() string { return fmt.Sprintf("%s was staged since", e.Path) }

// restage brings an index from one tree to another, but for the paths that were staged since: they stay as they are.
func (r *Repo) restage(ctx context.Context, g runner, u Unwinding) error {
	none, err := r.git.run(ctx, nil, "hash-object", "-t", "tree", "--stdin")
	if err != nil {
		return fmt.Errorf("unwind: %w", err)
	}
	from, to := cmp.Or(u.Base, strings.TrimSpace(string(none))), cmp.Or(u.Tree, strings.TrimSpace(string(none)))
	raw, err := g.run(ctx, nil, "diff-index", "--cached", "-z", "--raw", "--no-renames", "--no-ext-diff", from)
	if err != nil {
		return fmt.Errorf("unwind: what was staged since: %w", err)
	}
	since, err := diffRecords(raw)
	if err != nil {
		return fmt.Errorf("unwind: %w", err)
	}
	staged, below := map[string]bool{}, map[string]string{} // below: what was staged in a folder
	for _, f := range since {
		staged[f.Path] = staged[f.Path] || f.Mode != ""
		for dir := path.Dir(f.Path); f.Mode != "" && dir != "." && below[dir] == ""; dir = path.Dir(dir) {
			below[dir] = f.Path
		}
	}
	back, err := r.TreeDiff(ctx, from, to)
	if err != nil {
		return err
	}
	var info bytes.Buffer
	for _, f := range back {
		if _, ok := staged[f.Path]; ok {
			continue
		}
		in := below[f.Path]
		for dir := path.Dir(f.Path); in == "" && dir != "."; dir = path.Dir(dir) {
			if staged[dir] {
				in = dir
			}
		}
		if in != "" && f.Mode != "" {
			return &StagedError{Path: in}
		}
		if f.Mode == "" {
			f.Mode, f.Blob = "0", strings.Repeat("0", len(strings.TrimSpace(string(none))))
		}
		fmt.Fprintf(&info, "%s %s\t%s\x00", f.Mode, f.Blob, f.Path)
	}
	if info.Len() == 0 {
		return nil
	}
	if _, err := g.run(ctx, &info, "update-index", "-z", "--index-info"); err != nil {
		return fmt.Errorf("unwind: %w", err)
	}
	return nil
}

// OnRemote names a remote-tracking branch that holds a commit, as far as this repository knows; "" when none does.
func (r *Repo) OnRemote(ctx context.Context, commit string) (string, error) {
	out, err := r.git.run(ctx, nil, "for-each-ref", "--contains", commit, "--count=1", "--format=%(refname:short)", "refs/remotes")
	if err != nil {
		return "", fmt.Errorf("ask whether %.12s was pushed: %w", commit, err)
	}
	return strings.TrimSpace(string(out)), nil
}
