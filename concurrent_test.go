//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"session/internal/needtest"

	"github.com/tidwall/gjson"
)

// TestSavesAtOnce starts many plain saves in one work tree: all succeed, one after the other, on one path.
func TestSavesAtOnce(t *testing.T) {
	dir, env := filepath.Join(t.TempDir(), "r"), environ(t)
	sh(t, filepath.Dir(dir), env, "git init -q r; cd r; echo 1 >a; git add a; git commit -qm base")
	const n = 8
	codes := make([]string, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			out, errs, code := session(t, dir, env, "save", "-m", fmt.Sprint("words ", i), "--json")
			codes[i] = fmt.Sprintf("%d %s %s", code, gjson.Get(out, "snapshot"), errs)
			if code != 0 {
				t.Errorf("%s", codes[i])
			}
		})
	}
	all.Wait()
	out, _, _ := session(t, dir, env, "log", "--json")
	autos, _, _ := session(t, dir, env, "log", "--json", "--all")
	if got := gjson.Get(autos, "snapshots.#").Int(); got != n {
		t.Errorf("%d snapshots for %d saves, %d of them in the chain", got, n, gjson.Get(out, "snapshots.#").Int())
	}
	if out, errs, code := session(t, dir, env, "check"); code != 0 {
		t.Errorf("check: %s%s", out, errs)
	}
}

// TestInitsAtOnce runs session init several times at once: none takes another's files back, the record knows them all, and
// uninstalling takes away exactly what they wrote.
func TestInitsAtOnce(t *testing.T) {
	const all = "git status --porcelain --ignored -uall; find . -path ./.git -prune -o -print | LC_ALL=C sort; ls .git/hooks; ls .git"
	for _, c := range []struct {
		name string
		runs [][]string
	}{
		{"the same", [][]string{{"claude", "gemini", "--git-hook"}, {"claude", "gemini", "--git-hook"}, {"claude", "gemini", "--git-hook"},
			{"claude", "gemini", "--git-hook"}, {"claude", "gemini", "--git-hook"}, {"claude", "gemini", "--git-hook"}}},
		{"different ones", [][]string{{"claude"}, {"gemini"}, {"--git-hook"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir, env := filepath.Join(t.TempDir(), "r"), environ(t)
			sh(t, filepath.Dir(dir), env, "git init -q r; cd r; git commit -q --allow-empty -m base")
			before := sh(t, dir, env, all)
			for range 3 {
				var runs sync.WaitGroup
				for _, args := range c.runs {
					runs.Go(func() {
						if out, errs, code := session(t, dir, env, append([]string{"init"}, args...)...); code != 0 {
							t.Errorf("init %v: exit code %d %s%s", args, code, out, errs)
						}
					})
				}
				runs.Wait()
				sh(t, dir, env, "test -f .claude/commands/session/save.md; test -f .gemini/commands/session/save.toml; test -f .gemini/settings.json; test -x .git/hooks/pre-push")
				record, err := os.ReadFile(filepath.Join(dir, ".git/session/installed.json"))
				if by := gjson.GetBytes(record, "files.#.by|@flatten").String(); err != nil || !strings.Contains(by, "claude") || !strings.Contains(by, "gemini") {
					t.Errorf("the record knows %s: %v", by, err)
				}
				if out, errs, code := session(t, dir, env, "init", "--uninstall"); code != 0 {
					t.Errorf("uninstall: exit code %d %s%s", code, out, errs)
				}
				sh(t, dir, env, "rm -rf .git/session") // what was kept of the time before
				if after := sh(t, dir, env, all); after != before {
					t.Errorf("after uninstalling:\n%s\nbefore:\n%s", after, before)
				}
			}
		})
	}
}

// TestContinueOneBase lets many processes continue one named base: one wins, the others are refused with 13 and leave
// nothing, no lock either. A few by default; SESSION_TEST_CROWD=20x100 is twenty rounds of a hundred.
func TestContinueOneBase(t *testing.T) {
	dir, env := filepath.Join(t.TempDir(), "r"), environ(t)
	sh(t, filepath.Dir(dir), env, "git init -q r; cd r; git commit -q --allow-empty -m base")
	rounds, n := 2, 12
	if testing.Short() {
		rounds = 1
	}
	if v := os.Getenv("SESSION_TEST_CROWD"); v != "" { // ROUNDSxPROCESSES
		if _, err := fmt.Sscanf(v, "%dx%d", &rounds, &n); err != nil {
			t.Fatalf("SESSION_TEST_CROWD=%q: %v", v, err)
		}
	}
	for range rounds {
		out, _, _ := session(t, dir, env, "save", "--json")
		base := gjson.Get(out, "snapshot").String()
		var mu sync.Mutex
		codes := map[int]int{}
		var all sync.WaitGroup
		for i := range n {
			all.Go(func() {
				_, _, code := session(t, dir, env, "save", "--base", base, "-m", fmt.Sprint(i))
				mu.Lock()
				defer mu.Unlock()
				codes[code]++
			})
		}
		all.Wait()
		if codes[0] != 1 || codes[13] != n-1 {
			t.Errorf("exit codes %v, want one 0 and %d times 13", codes, n-1)
		}
		t.Logf("%d processes: exit codes %v", n, codes)
		if locks := sh(t, dir, env, "find .git -name '*.lock' ! -path '*/leases/*'"); locks != "" {
			t.Errorf("left behind: %s", locks)
		}
	}
	if out, errs, code := session(t, dir, env, "check"); code != 0 {
		t.Errorf("check: %s%s", out, errs)
	}
}

// accept accepts the policy of a work tree as a person does, at a terminal.
func accept(t *testing.T, dir string, env []string) {
	t.Helper()
	needtest.Program(t, "script", "apt install bsdutils")
	sh(t, dir, append(env, "ACCESSIBLE=1"), `printf 'y\n' | script -qec "session plan accept" /dev/null`)
}

// TestSaveBesideRun saves while a run holds the path: at once, as an autosave with its WIP commit; the run's own record
// comes later, the next save continues it, and nothing is lost.
func TestSaveBesideRun(t *testing.T) {
	dir, env := filepath.Join(t.TempDir(), "r"), environ(t)
	fifo := filepath.Join(t.TempDir(), "answer")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Skipf("no FIFO here: %v", err)
	}
	sh(t, filepath.Dir(dir), env, "git init -q r; cd r; mkdir -p .claude/session/policy; printf 'programs:\\n  slow: {run: [cat, "+fifo+"], input: stdin, output: text, limit: 5m}\\n' >.claude/session/policy/bundles.yaml; git add -A; git commit -qm base")
	accept(t, dir, env)
	if out, errs, code := session(t, dir, env, "save", "-m", "before"); code != 0 {
		t.Fatal(out, errs)
	}
	run := exec.Command("session", "run", "--agent", "slow", "--json", "take your time")
	run.Dir, run.Env = dir, env
	var answer strings.Builder
	run.Stdout = &answer
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	w, err := os.OpenFile(fifo, os.O_WRONLY, 0) // opens when the agent reads: the run holds the path now
	if err != nil {
		t.Fatal(err)
	}
	sh(t, dir, env, "echo new >new")
	out, errs, code := session(t, dir, env, "save", "-m", "beside", "--json")
	if code != 0 || !gjson.Get(out, "autosave").Bool() || !gjson.Get(out, "commit.created").Bool() || !strings.Contains(out, "session run") {
		t.Errorf("save beside a run: exit code %d\n%s%s", code, out, errs)
	}
	if _, errs, code := session(t, dir, env, "save", "--base", "HEAD"); code != 13 || !strings.Contains(errs, "another run works on") {
		t.Errorf("a named base beside a run: exit code %d %s", code, errs)
	}
	fmt.Fprintln(w, "done at last")
	w.Close()
	if err := run.Wait(); err != nil || !strings.Contains(answer.String(), "done at last") {
		t.Errorf("run: %v\n%s", err, answer.String())
	}
	out, errs, code = session(t, dir, env, "load", "--json")
	if !strings.Contains(out, "NEWER_AUTOSAVE") {
		t.Errorf("load does not offer the autosave: exit code %d\n%s%s", code, out, errs)
	}
	if out, errs, code := session(t, dir, env, "save", "-m", "after"); code != 0 {
		t.Errorf("%s%s", out, errs)
	}
	if out, errs, code := session(t, dir, env, "load", "--json"); code != 0 || strings.Contains(out, "NEWER_AUTOSAVE") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
	if out, errs, code := session(t, dir, env, "check"); code != 0 {
		t.Errorf("check: %s%s", out, errs)
	}
}

// TestKilledRun frees its lease at once.
func TestKilledRun(t *testing.T) {
	dir, env := filepath.Join(t.TempDir(), "r"), environ(t)
	fifo := filepath.Join(t.TempDir(), "answer")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Skipf("no FIFO here: %v", err)
	}
	sh(t, filepath.Dir(dir), env, "git init -q r; cd r; mkdir -p .claude/session/policy; printf 'programs:\\n  slow: {run: [cat, "+fifo+"], input: stdin, output: text, limit: 5m}\\n' >.claude/session/policy/bundles.yaml; git add -A; git commit -qm base")
	accept(t, dir, env)
	run := exec.Command("session", "run", "--agent", "slow", "never")
	run.Dir, run.Env = dir, env
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	w, err := os.OpenFile(fifo, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := run.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = run.Wait() // killed: that it failed is what was asked for
	began := time.Now()
	out, errs, code := session(t, dir, env, "save", "--json")
	if code != 0 || gjson.Get(out, "autosave").Bool() {
		t.Errorf("exit code %d after %v\n%s%s", code, time.Since(began), out, errs)
	}
	if out, errs, code := session(t, dir, env, "check"); code != 0 {
		t.Errorf("check: %s%s", out, errs)
	}
}
