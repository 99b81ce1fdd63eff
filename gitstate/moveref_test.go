package gitstate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// moved sets up a repository with two commits that HEAD is not at, and gives a scan that may move to the second.
func movable(t *testing.T, dir string) (*Repo, []string, string, string, string) {
	t.Helper()
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.invalid",
		"GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.invalid", "TZ=UTC"}
	root := filepath.Join(dir, "r")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	dates := "export GIT_COMMITTER_DATE='1700000000 +0000' GIT_AUTHOR_DATE='1700000000 +0000'; "
	shell(t, root, env, dates+"git init -q -b main . && echo 1 >f && git add f && git commit -qm one && git branch feat/x")
	old := shell(t, root, env, "git rev-parse HEAD")
	next := shell(t, root, env, dates+"git commit-tree -p HEAD -m two HEAD^{tree}")
	r, err := Open(t.Context(), root, env)
	if err != nil {
		t.Fatal(err)
	}
	return r, env, root, strings.TrimSpace(old), strings.TrimSpace(next)
}

func handOf(t *testing.T, r *Repo) *byHand {
	t.Helper()
	c, err := r.Config(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r.byHand(c, func() time.Time { return time.Unix(1700000500, 0).UTC() })
}

// everything is each file of the refs and reflogs.
func everything(t *testing.T, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, below := range []string{"refs", "logs", "HEAD", "packed-refs"} {
		err := filepath.WalkDir(filepath.Join(root, ".git", below), func(p string, d os.DirEntry, err error) error {
			if os.IsNotExist(err) {
				return nil
			}
			if err != nil || d.IsDir() {
				return err
			}
			b, err := os.ReadFile(p)
			rel, _ := filepath.Rel(root, p)
			all[rel] = string(b)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// TestMoveRefIsGits: a branch that is moved in process leaves byte by byte what git update-ref leaves.
func TestMoveRefIsGits(t *testing.T) {
	for name, branch := range map[string]string{"main": "main", "deep": "feat/x"} {
		t.Run(name, func(t *testing.T) {
			var left [2]map[string]string
			for way := range 2 {
				r, env, root, old, next := movable(t, t.TempDir())
				shell(t, root, env, "git checkout -q "+branch)
				// the line of the checkout in HEAD's log has the time of day
				if err := os.WriteFile(filepath.Join(root, ".git", "logs", "HEAD"), nil, 0o644); err != nil {
					t.Fatal(err)
				}
				target := Target{Ref: "refs/heads/" + branch, Old: old, Log: "session save:  wip\n on\tit "}
				if way == 0 {
					shell(t, root, env, "export GIT_COMMITTER_DATE='1700000500 +0000'; git update-ref -m 'session save:  wip\n on\tit ' refs/heads/"+branch+" "+next+" "+old)
				} else if !handOf(t, r).moveRef(target, next) {
					t.Fatal("left to git")
				}
				left[way] = everything(t, root)
			}
			for file, want := range left[0] {
				if got := left[1][file]; got != want {
					t.Errorf("%s is %q, git leaves %q", file, got, want)
				}
			}
			if len(left[0]) != len(left[1]) {
				t.Errorf("%d files, git leaves %d", len(left[1]), len(left[0]))
			}
		})
	}
}

// TestMoveRefLeavesToGit what is not plain, and changes nothing then.
func TestMoveRefLeavesToGit(t *testing.T) {
	for name, before := range map[string]string{
		"a hook hears of it":    "printf '#!/bin/sh\nexit 0\n' >.git/hooks/reference-transaction && chmod +x .git/hooks/reference-transaction",
		"hooks elsewhere":       "git config core.hooksPath ../hooks",
		"a hook in the config":  "git config hook.x.event reference-transaction && git config hook.x.command true",
		"no reflogs":            "git config core.logAllRefUpdates false",
		"packed":                "git pack-refs --all",
		"locked":                "touch .git/refs/heads/main.lock",
		"HEAD locked":           "touch .git/HEAD.lock",
		"HEAD is elsewhere":     "git symbolic-ref HEAD refs/heads/feat/x",
		"detached":              "git update-ref --no-deref HEAD HEAD",
		"moved meanwhile":       "git update-ref refs/heads/main $(git commit-tree -m three HEAD^{tree})",
		"a ref that is a link":  "mv .git/refs/heads/main .git/refs/heads/y && ln -s y .git/refs/heads/main",
		"a log that is missing": "rm .git/logs/refs/heads/main",
		"no identity":           "git config user.name '<>'",
	} {
		t.Run(name, func(t *testing.T) {
			r, env, root, old, next := movable(t, t.TempDir())
			shell(t, root, env, before)
			if name == "no identity" {
				r.git.env = append(r.git.env[:len(r.git.env):len(r.git.env)], "GIT_COMMITTER_NAME=<>")
			}
			want := everything(t, root)
			if handOf(t, r).moveRef(Target{Ref: "refs/heads/main", Old: old, Log: "x"}, next) {
				t.Fatal("moved in process")
			}
			got := everything(t, root)
			for file, w := range want {
				if got[file] != w {
					t.Errorf("%s is %q, was %q", file, got[file], w)
				}
			}
			if len(got) != len(want) {
				t.Errorf("%v is left of %v", got, want)
			}
		})
	}
}
