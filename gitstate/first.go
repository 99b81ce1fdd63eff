package gitstate

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

var (
	// ErrNoCommit says that a repository has no commit yet.
	ErrNoCommit = errors.New("the repository has no commit yet")
	// ErrShallow says that a repository does not have its whole history (git-clone(1), --depth).
	ErrShallow = errors.New("the repository is shallow: it does not have its first commit")
)

// FirstCommit is the commit at the end of HEAD's first parents: the same in every clone, wherever it was cloned from and
// whatever was merged in. git walks the history for it, so callers keep what it says. ErrNoCommit, ErrShallow.
func (r *Repo) FirstCommit(ctx context.Context) (string, error) {
	if exists(filepath.Join(r.CommonDir, "shallow")) {
		return "", ErrShallow
	}
	head, err := r.Head(ctx)
	if err != nil {
		return "", err
	}
	if head.Commit == "" {
		return "", ErrNoCommit
	}
	out, err := r.git.run(ctx, nil, "rev-list", "--first-parent", "--max-parents=0", head.Commit)
	if err != nil {
		return "", fmt.Errorf("find the first commit: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// Settings are the values below one section of this repository's own configuration, by their names in lower case: what
// somebody set here, not what a file of the work tree says.
func (r *Repo) Settings(ctx context.Context, section string) (map[string]string, error) {
	all := map[string]string{}
	if r.inner != nil {
		for _, o := range r.inner.config.Raw.Section(section).Options {
			all[strings.ToLower(o.Key)] = o.Value
		}
		return all, nil
	}
	if !exists(filepath.Join(r.CommonDir, "config")) {
		return all, nil
	}
	out, err := r.git.run(ctx, nil, "config", "--local", "--null", "--list")
	if err != nil {
		return nil, fmt.Errorf("read git's configuration: %w", err)
	}
	for _, e := range strings.Split(string(out), "\x00") {
		key, value, _ := strings.Cut(e, "\n")
		if name, ok := strings.CutPrefix(key, strings.ToLower(section)+"."); ok {
			all[name] = value
		}
	}
	return all, nil
}
