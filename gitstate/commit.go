package gitstate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// CommitOptions says what a commit is made of.
type CommitOptions struct {
	Tree    string
	Parent  string // "" for the first commit
	Subject string // one line, UTF-8
	Body    string // paragraphs; trailers stand last
	Sign    bool   // as commit.gpgSign asks
	Hooks   bool   // run pre-commit, prepare-commit-msg and commit-msg; a failing one refuses the commit
}

// ErrNoIdentity says that git does not know who commits.
var ErrNoIdentity = errors.New("git does not know your name and e-mail address")

// HookError says that a commit hook refused.
type HookError struct {
	Hook  string
	Cause error
}

func (e *HookError) Error() string { return e.Hook + " hook: " + e.Cause.Error() }
func (e *HookError) Unwrap() error { return e.Cause }

// SignError says that git could not sign the commit.
type SignError struct{ Cause error }

func (e *SignError) Error() string { return "sign the commit: " + e.Cause.Error() }
func (e *SignError) Unwrap() error { return e.Cause }

// Commit writes a commit object for the staged tree and returns its id; no branch moves. Errors: ErrNoIdentity,
// *SignError, *HookError, or git's own.
func (s *Staging) Commit(ctx context.Context, o CommitOptions) (string, error) {
	message := o.Subject + "\n"
	if o.Body != "" {
		message += "\n" + strings.TrimRight(o.Body, "\n") + "\n"
	}
	if o.Hooks {
		var err error
		if message, err = s.hooks(ctx, message); err != nil {
			return "", err
		}
		if o.Tree, err = s.writeTree(ctx); err != nil { // pre-commit may have staged more
			return "", fmt.Errorf("commit: %w", err)
		}
		if s.Tree != o.Tree {
			s.Tree, s.scan = o.Tree, nil
		}
	}
	if s.hand != nil {
		if id, ok, err := s.hand.commit(ctx, o, message); ok || err != nil {
			return id, err
		}
	}
	return s.repo.CommitTree(ctx, o, message)
}

// CommitTree writes a commit object with the message as given. See Staging.Commit for its errors.
func (r *Repo) CommitTree(ctx context.Context, o CommitOptions, message string) (string, error) {
	args := []string{"-c", "i18n.commitEncoding=UTF-8", "commit-tree"}
	if o.Sign {
		args = append(args, "-S")
	}
	if o.Parent != "" {
		args = append(args, "-p", o.Parent)
	}
	g := r.git
	g.locale = true
	out, err := g.run(ctx, strings.NewReader(message), append(args, o.Tree)...)
	if err == nil {
		return strings.TrimSpace(string(out)), nil
	}
	if ctx.Err() != nil {
		return "", fmt.Errorf("commit: %w", err)
	}
	if !r.hasIdentity(ctx) {
		return "", ErrNoIdentity
	}
	if o.Sign {
		return "", &SignError{Cause: err}
	}
	return "", fmt.Errorf("commit: %w", err)
}

func (r *Repo) hasIdentity(ctx context.Context) bool {
	for _, v := range []string{"GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"} {
		if _, err := r.git.run(ctx, nil, "var", v); err != nil {
			return false
		}
	}
	return true
}

// hooks runs the user's commit hooks on the private index, as git commit would on its own, and returns the message
// that they left.
func (s *Staging) hooks(ctx context.Context, message string) (string, error) {
	g := s.repo.git.withIndex(s.file)
	file := filepath.Join(s.repo.runtimeDir(), "COMMIT_EDITMSG"+strings.TrimPrefix(filepath.Base(s.file), "index"))
	if err := os.WriteFile(file, []byte(message), 0o600); err != nil {
		return "", fmt.Errorf("commit hooks: %w", err)
	}
	defer os.Remove(file)
	for _, h := range [][]string{{"pre-commit"}, {"prepare-commit-msg", "--", file, "message"}, {"commit-msg", "--", file}} {
		args := append([]string{"hook", "run", "--ignore-missing"}, h...)
		if _, err := g.run(ctx, nil, args...); err != nil {
			return "", &HookError{Hook: h[0], Cause: err}
		}
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("commit hooks: %w", err)
	}
	return string(b), nil
}

// TreeOf is the tree of a commit; "" stands for the state before the first commit and has no tree.
func (r *Repo) TreeOf(ctx context.Context, commit string) (string, error) {
	if commit == "" {
		return "", nil
	}
	out, err := r.git.run(ctx, nil, "rev-parse", "-q", "--verify", commit+"^{tree}")
	if err != nil {
		return "", fmt.Errorf("tree of %s: %w", commit, err)
	}
	return strings.TrimSpace(string(out)), nil
}

// SetRef makes a ref of ours (refs/session/…) point at a commit, so that git keeps it.
func (r *Repo) SetRef(ctx context.Context, ref, commit, log string) error {
	if _, err := r.git.run(ctx, nil, "update-ref", "-m", log, ref, commit); err != nil {
		return fmt.Errorf("keep %s: %w", ref, err)
	}
	return nil
}
