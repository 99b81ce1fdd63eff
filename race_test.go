//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/tidwall/gjson"
)

// bothPaths are the two ways of a save, as SESSION_GIT_PATH names them.
var bothPaths = []string{"fast", "safe"}

// TestSaveBesideGit saves while git stages and commits in the same work tree. Whoever is refused says so; what anybody
// committed stays in the history; nothing is left behind; and the next save finds all that is in the work tree.
func TestSaveBesideGit(t *testing.T) {
	for _, path := range bothPaths {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			dir, env := filepath.Join(t.TempDir(), "r"), environ(t, "SESSION_GIT_PATH="+path)
			sh(t, filepath.Dir(dir), env, "git init -q r; cd r; for i in 1 2 3 4 5 6; do echo $i >f$i; done; git add -A; git commit -qm base")
			rounds := 6
			if testing.Short() {
				rounds = 2
			}
			var commits []string
			for k := range rounds {
				sh(t, dir, env, fmt.Sprintf("for i in 1 2 3 4 5 6; do echo %d.$i >>f$i; done; echo n >n%d", k, k))
				commits = append(commits, atOnce(t, dir, env, k)...)
			}
			if out, errs, code := session(t, dir, env, "save", "-m", "last"); code != 0 {
				t.Errorf("exit code %d %s%s", code, out, errs)
			}
			sh(t, dir, env, "for c in "+strings.Join(commits, " ")+"; do git merge-base --is-ancestor $c HEAD; done")
			got := sh(t, dir, env, "git status --porcelain; git fsck --no-dangling 2>&1 | grep -v '^notice' || :; find .git -name '*.lock' ! -path '*/leases/*'; ls .git/session | grep '^index' || :")
			if got != "" {
				t.Errorf("after all: %s", got)
			}
			if out, errs, code := session(t, dir, env, "check"); code != 0 {
				t.Errorf("check: exit code %d %s%s", code, out, errs)
			}
		})
	}
}

// atOnce runs a save, a git commit and a git add together and returns the commits that they say they made.
func atOnce(t *testing.T, dir string, env []string, k int) (commits []string) {
	var mu sync.Mutex
	var all sync.WaitGroup
	note := func(id string) {
		mu.Lock()
		defer mu.Unlock()
		commits = append(commits, id)
	}
	all.Go(func() {
		out, errs, code := session(t, dir, env, "save", "--json", "-m", fmt.Sprint("round ", k))
		switch {
		case code != 0 && code != 3 || code == 3 && !strings.Contains(out, "COMMIT_REFUSED"):
			t.Errorf("save: exit code %d %s%s", code, out, errs)
		case gjson.Get(out, "commit.created").Bool():
			note(gjson.Get(out, "commit.id").String())
		}
	})
	for _, script := range []string{"git commit -qm mine f1 f2 && git rev-parse HEAD", "git add f3 f4"} {
		all.Go(func() {
			cmd := exec.Command("sh", "-c", script)
			cmd.Dir, cmd.Env = dir, env
			out, err := cmd.CombinedOutput() // it may well be refused: that is git's business
			if text := strings.TrimSpace(string(out)); err == nil && len(text) == 40 && sh(t, dir, env, "git log -1 --format=%s "+text) == "mine" {
				note(text)
			}
		})
	}
	all.Wait()
	return commits
}

// TestFilesThatChangeMeanwhile saves while files are written, replaced, made and removed without pause. Every save says
// what became of it; a file that is only ever replaced whole is committed whole; and once it is quiet a save takes in
// everything.
func TestFilesThatChangeMeanwhile(t *testing.T) {
	for _, path := range bothPaths {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			dir, env := filepath.Join(t.TempDir(), "r"), environ(t, "SESSION_GIT_PATH="+path)
			sh(t, filepath.Dir(dir), env, "git init -q r; cd r; echo 0 >whole; echo 0 >grows; head -c 5000000 /dev/zero >large; mkdir d; echo 1 >d/1; git add -A; git commit -qm base")
			stop := make(chan struct{})
			var all sync.WaitGroup
			all.Go(func() { disturb(t, dir, stop) })
			rounds := 5
			if testing.Short() {
				rounds = 2
			}
			for k := range rounds {
				out, errs, code := session(t, dir, env, "save", "--json", "-m", fmt.Sprint("round ", k))
				said := code == 3 && strings.Contains(out, "COMMIT_REFUSED") || code == 1 && strings.Contains(errs, "changed while it was being saved")
				if code != 0 && !said {
					t.Errorf("exit code %d %s%s", code, out, errs)
				}
			}
			close(stop)
			all.Wait()
			for _, id := range strings.Fields(sh(t, dir, env, "git log --format=%h -- whole")) {
				if b := sh(t, dir, env, "git show "+id+":whole"); b != "0" && (len(b) != 7 || strings.Trim(b, b[:1]) != "") {
					t.Errorf("%s holds a torn file: %q", id, b)
				}
			}
			want := lastLine(sh(t, dir, env, `cp -p .git/index ../oracle; export GIT_INDEX_FILE="$PWD/../oracle"; git add -A; git write-tree`))
			if out, errs, code := session(t, dir, env, "save"); code != 0 {
				t.Errorf("exit code %d %s%s", code, out, errs)
			}
			if got := sh(t, dir, env, "git rev-parse 'HEAD^{tree}'; git status --porcelain; git fsck --no-dangling 2>&1 | grep -v '^notice' || :"); got != want {
				t.Errorf("%s\nwant the tree %s", got, want)
			}
		})
	}
}

func disturb(t *testing.T, dir string, stop <-chan struct{}) {
	write := func(name string, b []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			t.Error(err)
		}
	}
	large := make([]byte, 5_000_000)
	for k := 1; ; k++ {
		select {
		case <-stop:
			return
		default:
		}
		write(".new", bytes.Repeat([]byte{'a' + byte(k%26)}, 7))
		if err := os.Rename(filepath.Join(dir, ".new"), filepath.Join(dir, "whole")); err != nil {
			t.Error(err)
		}
		write("grows", bytes.Repeat([]byte("line\n"), k%1000))
		large[k] = byte(k)
		write("large", large)
		write("new", []byte{byte(k)})
		_ = os.Remove(filepath.Join(dir, "d", "1"))
		write("d/1", []byte(fmt.Sprint(k)))
		_ = os.Remove(filepath.Join(dir, "new"))
	}
}
