package gitstate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"session/internal/proc"
)

// WIP lists the WIP commits at the tip of HEAD, newest first: those that carry our trailer, along the first parents, down
// to the first commit that does not. base is that commit, "" if there is none.
func (r *Repo) WIP(ctx context.Context) (wip []Commit, base string, err error) {
	h, err := r.Head(ctx)
	if err != nil || h.Commit == "" {
		return nil, "", err
	}
	at := h.Commit
	for at != "" {
		batch, err := r.log(ctx, at, 64, "--first-parent")
		if err != nil {
			return nil, "", err
		}
		at = ""
		for _, c := range batch {
			if c.Trailer == "" || len(c.Parents) > 1 {
				return wip, c.ID, nil
			}
			wip = append(wip, c)
			at = ""
			if len(c.Parents) == 1 {
				at = c.Parents[0]
			}
		}
	}
	return wip, "", nil
}

// FoldOptions says what the WIP commits become.
type FoldOptions struct {
	Run     string
	Base    string // the commit below them; "" for none
	Tip     Head   // where the branch stands
	Message string
	Oldest  string // the WIP commit whose author and date are kept
	Sign    bool
	Hooks   bool
}

// Fold makes one commit of the tip's tree on top of the base and moves the branch to it. Index and work tree stay as
// they are: what was staged by hand is still staged. The commit hooks see an index that holds the commit's tree.
func (r *Repo) Fold(ctx context.Context, o FoldOptions, now func() time.Time) (string, error) {
	tree, err := r.TreeOf(ctx, o.Tip.Commit)
	if err != nil {
		return "", err
	}
	message := o.Message
	if o.Hooks {
		if message, err = r.foldHooks(ctx, o, tree); err != nil {
			return "", err
		}
	}
	author, err := r.authorOf(ctx, o.Oldest)
	if err != nil {
		return "", err
	}
	as := *r
	as.git.env = proc.With(r.git.env, nil, author...)
	id, err := as.CommitTree(ctx, CommitOptions{Tree: tree, Parent: o.Base, Sign: o.Sign}, message)
	if err != nil {
		return "", err
	}
	ref := o.Tip.Ref
	if ref == "" {
		ref = "HEAD"
	}
	if err := r.moveRef(ctx, Target{Ref: ref, Old: o.Tip.Commit, Log: "session finish"}, id); err != nil {
		return "", &RefMovedError{Ref: ref, Cause: err}
	}
	return id, nil
}

func (r *Repo) foldHooks(ctx context.Context, o FoldOptions, tree string) (string, error) {
	s := &Staging{repo: r, file: filepath.Join(r.runtimeDir(), "index."+o.Run)}
	if err := os.MkdirAll(filepath.Dir(s.file), 0o700); err != nil {
		return "", fmt.Errorf("commit hooks: %w", err)
	}
	defer s.Drop()
	if _, err := r.git.withIndex(s.file).run(ctx, nil, "read-tree", tree); err != nil {
		return "", fmt.Errorf("commit hooks: %w", err)
	}
	message, err := s.hooks(ctx, o.Message)
	if err != nil {
		return "", err
	}
	after, err := s.writeTree(ctx)
	if err == nil && after != tree {
		err = &HookError{Hook: "pre-commit", Cause: errors.New("it changes what is committed; run it by hand and save again")}
	}
	return message, err
}

// authorOf is a commit's author as environment for the next commit.
func (r *Repo) authorOf(ctx context.Context, commit string) ([]string, error) {
	out, err := r.git.run(ctx, nil, "-c", "log.showSignature=false", "-c", "i18n.logOutputEncoding=UTF-8", "show", "-s", "--no-mailmap", "--format=%an%x00%ae%x00%aI", commit)
	f := strings.Split(strings.TrimSuffix(string(out), "\n"), "\x00")
	if err != nil || len(f) != 3 {
		return nil, fmt.Errorf("author of %.12s: %w", commit, err)
	}
	return []string{"GIT_AUTHOR_NAME=" + f[0], "GIT_AUTHOR_EMAIL=" + f[1], "GIT_AUTHOR_DATE=" + f[2]}, nil
}

// Authors lists who wrote the given commits, "Name <address>", each once, in order.
func (r *Repo) Authors(ctx context.Context, commits []Commit) ([]string, error) {
	var all []string
	seen := map[string]bool{}
	for _, c := range commits {
		a, err := r.authorOf(ctx, c.ID)
		if err != nil {
			return nil, err
		}
		who := strings.TrimPrefix(a[0], "GIT_AUTHOR_NAME=") + " <" + strings.TrimPrefix(a[1], "GIT_AUTHOR_EMAIL=") + ">"
		if !seen[who] {
			seen[who] = true
			all = append(all, who)
		}
	}
	return all, nil
}

// RestoreFiles writes files of a commit into the work tree, through the user's filters. The index stays as it is.
func (r *Repo) RestoreFiles(ctx context.Context, commit string, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	g := r.git
	g.locale = true
	_, err := g.run(ctx, zeroed(paths), "--literal-pathspecs", "restore", "--source="+commit, "--worktree", "--no-progress",
		"--pathspec-from-file=-", "--pathspec-file-nul")
	if err != nil {
		return fmt.Errorf("restore files: %w", err)
	}
	return nil
}

// FilesAt says what a commit holds under the given paths; absent ones have no mode and no blob.
func (r *Repo) FilesAt(ctx context.Context, commit string, paths []string) ([]File, error) {
	out := make([]File, len(paths))
	if commit == "" {
		for i, p := range paths {
			out[i].Path = p
		}
		return out, nil
	}
	args := append([]string{"--literal-pathspecs", "ls-tree", "-z", "--full-tree", commit, "--"}, paths...)
	raw, err := r.git.run(ctx, nil, args...)
	if err != nil {
		return nil, fmt.Errorf("files of %.12s: %w", commit, err)
	}
	have := map[string]File{}
	for _, rec := range strings.Split(strings.TrimSuffix(string(raw), "\x00"), "\x00") {
		meta, path, ok := strings.Cut(rec, "\t")
		f := strings.Fields(meta)
		if ok && len(f) == 3 {
			have[path] = File{Path: path, Mode: f[0], Blob: f[2]}
		}
	}
	for i, p := range paths {
		out[i] = File{Path: p, Mode: have[p].Mode, Blob: have[p].Blob}
	}
	return out, nil
}
