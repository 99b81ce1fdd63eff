package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	git "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing/object"
)

// asGoGit makes this program the contender that does a save's git part with go-git alone: BENCH_GO_GIT names a work tree.
const asGoGit = "BENCH_GO_GIT"

// goGit is what somebody would write who took go-git for all of it.
func goGit(dir string) error {
	r, err := git.PlainOpen(dir)
	if err != nil {
		return err
	}
	w, err := r.Worktree()
	if err != nil {
		return err
	}
	if err := w.AddWithOptions(&git.AddOptions{All: true}); err != nil {
		return err
	}
	_, err = w.Commit("wip", &git.CommitOptions{Author: &object.Signature{Name: "Bench", Email: "bench@example.invalid", When: time.Now()}})
	return err
}

// goGitSave is a row of the saves. It leaves out what the others do besides: no record, no guards, no memory.
func (b *bench) goGitSave(r *repository) (command, error) {
	self, err := os.Executable()
	return command{name: "go-git add and commit", args: []string{self}, dir: r.root, prep: r.dirty, env: append(b.env[:len(b.env):len(b.env)], asGoGit+"="+r.root)}, err
}

// taskLists times reading the tasks of one change and of many, against the OpenSpec program, where it is installed
// (SESSION_TEST_OPENSPEC, or openspec in the PATH).
func taskLists(ctx context.Context, b *bench) error {
	program := os.Getenv("SESSION_TEST_OPENSPEC")
	if program == "" {
		var err error
		if program, err = exec.LookPath("openspec"); errors.Is(err, exec.ErrNotFound) {
			fmt.Fprintln(os.Stderr, "tasks: left out: npm install -g @fission-ai/openspec, or name the program in SESSION_TEST_OPENSPEC")
			return nil
		} else if err != nil {
			return err
		}
	}
	for _, n := range []int{1, 200} {
		dir := filepath.Join(b.dir, fmt.Sprintf("changes-%d", n))
		if err := changes(dir, n); err != nil {
			return err
		}
		if _, err := (command{name: "git init", args: []string{"git", "init", "-q", "."}, dir: dir, env: b.env}).time(ctx); err != nil {
			return err
		}
		_, err := b.compare(ctx, fmt.Sprintf("tasks, %d changes of 60 tasks", n),
			command{name: "openspec list", args: []string{program, "list", "--json"}, dir: dir},
			command{name: "session tasks", args: []string{b.program, "tasks", "--json", "--change", "change-0"}, dir: dir, goal: goal{ratio: 0.05}},
			command{name: "session version", args: []string{b.program, "version"}, dir: dir})
		if err != nil {
			return err
		}
	}
	return nil
}

// changes makes an OpenSpec project.
func changes(dir string, n int) error {
	for i := range n {
		home := filepath.Join(dir, "openspec", "changes", fmt.Sprintf("change-%d", i))
		if err := os.MkdirAll(home, 0o755); err != nil {
			return err
		}
		var tasks strings.Builder
		for s := range 6 {
			fmt.Fprintf(&tasks, "\n## %d. Section %d\n\n", s+1, s+1)
			for k := range 10 {
				fmt.Fprintf(&tasks, "- [%c] %d.%d Do thing %d of change %d\n", " x"[(s+k+i)%2], s+1, k+1, k, i)
			}
		}
		for name, text := range map[string]string{"tasks.md": tasks.String(), "proposal.md": "## Why\n\nBecause.\n\n## What Changes\n\n- More.\n"} {
			if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}
