package gitstate

import (
	"context"
	"fmt"
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
	args := []string{"read-tree", "--reset", u.Tree}
	if u.Tree == "" {
		args = []string{"read-tree", "--empty"}
	}
	g := r.git.withIndex(s.file)
	if _, err := g.run(ctx, nil, args...); err != nil {
		return fmt.Errorf("unwind: %w", err)
	}
	if _, err := g.run(ctx, nil, "update-index", "-q", "--refresh"); err != nil && exitCode(err) != 1 { // 1: files differ, as they should
		return fmt.Errorf("unwind: %w", err)
	}
	return s.Publish(ctx, Target{Ref: u.Ref, Old: u.From, Log: u.Log}, u.To, now)
}

// OnRemote names a remote-tracking branch that holds a commit, as far as this repository knows; "" when none does.
func (r *Repo) OnRemote(ctx context.Context, commit string) (string, error) {
	out, err := r.git.run(ctx, nil, "for-each-ref", "--contains", commit, "--count=1", "--format=%(refname:short)", "refs/remotes")
	if err != nil {
		return "", fmt.Errorf("ask whether %.12s was pushed: %w", commit, err)
	}
	return strings.TrimSpace(string(out)), nil
}
