package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// start times a command that does nothing.
func start(ctx context.Context, b *bench) error {
	_, err := b.compare(ctx, "start of the process",
		command{name: "git --version", args: []string{"git", "--version"}, dir: b.dir},
		command{name: "session version", args: []string{b.program, "version"}, dir: b.dir},
	)
	return err
}

// saveGoals are the ratios to reach, by number of tracked files.
func saveGoal(files int) float64 {
	switch {
	case files < 5_000:
		return 1.15
	case files <= 10_000:
		return 0.70
	}
	return 0.62
}

// saves times a complete quick save against what it stands for.
func saves(ctx context.Context, b *bench) error {
	for _, n := range b.sizes {
		if err := b.saves(ctx, n, fewCommits); err != nil {
			return err
		}
	}
	return nil
}

// histories times it after histories as long as those of well-known projects of that size (restic, the GitHub CLI).
func histories(ctx context.Context, b *bench) error {
	for _, h := range []struct{ files, commits int }{{1300, 9_000}, {1900, 11_000}} {
		if err := b.saves(ctx, h.files, h.commits); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) saves(ctx context.Context, n, commits int) error {
	r, err := b.repository(ctx, n, commits)
	if err != nil {
		return err
	}
	save := command{args: []string{b.program, "save", "-m", "bench"}, dir: r.root, prep: r.dirty}
	fast, safe := save, save
	fast.name, fast.goal = "session save", goal{ratio: saveGoal(n), mb: 60}
	safe.name, safe.env, safe.goal = "session save, all by git", append(b.env[:len(b.env):len(b.env)], "SESSION_GIT_PATH=safe"), goal{ratio: 1.3}
	library, err := b.goGitSave(r)
	if err != nil {
		return err
	}
	_, err = b.compare(ctx, fmt.Sprintf("%d files in %d commits, %d modified, %d new", n, commits, modifiedFiles, newFiles),
		command{name: "git add -A && git commit", args: []string{"sh", "-c", "git add -A && git commit -q --no-verify -m wip"}, dir: r.root, prep: r.dirty},
		fast, safe, library)
	return err
}

// loads times load in a work tree with changes against one git status.
func loads(ctx context.Context, b *bench) error {
	for _, n := range b.sizes {
		r, err := b.repository(ctx, n, fewCommits)
		if err != nil {
			return err
		}
		if err := r.dirty(ctx); err != nil {
			return err
		}
		g := goal{above: 10}
		if n > 10_000 {
			g = goal{ratio: 1.2}
		}
		_, err = b.compare(ctx, fmt.Sprintf("load, %d files", n),
			command{name: "git status", args: []string{"git", "--no-optional-locks", "status"}, dir: r.root},
			command{name: "session load", args: []string{b.program, "load"}, dir: r.root, goal: g, exits: 3}) // 3: it has findings to tell
		if err != nil {
			return err
		}
	}
	return nil
}

// size is what the files below a folder hold, in bytes.
func size(dir string) (n int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			n += info.Size()
		}
		return err
	})
	return n, err
}
