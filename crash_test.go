package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"session/internal/needtest"

	"github.com/tidwall/gjson"
)

// cuts are the system calls between which a save is killed: everything by which a file, a name or a lock comes to be,
// goes away or reaches the disk.
var cuts = []string{"fsync", "rename,renameat,renameat2", "link,linkat", "unlink,unlinkat", "openat", "write,pwrite64", "mkdir,mkdirat", "execve,vfork,clone3"}

// TestKilledSave kills a save at every one of these calls, its git children included. Whatever the instant: load works
// and shows the old state or the new one, no lock of ours is left in git's way, the next save succeeds, and git finds
// its repository sound.
func TestKilledSave(t *testing.T) {
	strace := needtest.Program(t, "strace", "apt install strace")
	env := environ(t)
	if out, err := exec.Command(strace, "-o", "/dev/null", "true").CombinedOutput(); err != nil {
		needtest.Missing(t, "strace", fmt.Sprintf("it cannot trace here: %v %s", err, out))
	}
	template := filepath.Join(t.TempDir(), "template")
	sh(t, filepath.Dir(template), env, `git init -q template; cd template; mkdir d; for i in 1 2 3; do echo $i >d/f$i; done; git add -A; git commit -qm base; echo x >>d/f1`)
	if out, errs, code := session(t, template, env, "save", "-m", "old"); code != 0 {
		t.Fatal(out, errs)
	}
	for _, calls := range cuts {
		t.Run(calls, func(t *testing.T) {
			t.Parallel()
			killEach(t, strace, template, calls, env)
		})
	}
}

func killEach(t *testing.T, strace, template, calls string, env []string) {
	limit := 400
	if testing.Short() {
		limit = 5
	}
	killed := 0
	for k := 1; k <= limit; k++ {
		dir := filepath.Join(t.TempDir(), "r")
		sh(t, filepath.Dir(dir), env, "cp -a '"+template+"' r; cd r; echo new >>d/f2; echo n >d/n")
		cmd := exec.Command(strace, "-f", "-qq", "-o", "/dev/null", "-e", "trace="+calls, "-e", fmt.Sprintf("inject=%s:signal=KILL:when=%d", calls, k), "session", "save", "-m", "new")
		// strace counts calls by thread: on one processor nearly all of them are made by one.
		cmd.Dir, cmd.Env = dir, append(env[:len(env):len(env)], "GOMAXPROCS=1")
		out, err := cmd.CombinedOutput()
		if err == nil && strings.Contains(string(out), "saved ") && !strings.Contains(string(out), "!") {
			break // it ended before the k-th call
		}
		killed++
		afterKill(t, dir, env, fmt.Sprintf("%s #%d", calls, k))
		os.RemoveAll(dir)
	}
	if killed == 0 {
		t.Error("nothing was killed")
	}
	t.Logf("%d kill points", killed)
}

func afterKill(t *testing.T, dir string, env []string, at string) {
	t.Helper()
	out, errs, code := session(t, dir, env, "load", "--json")
	words := gjson.Get(out, "state.working_on").String()
	if code != 0 && code != 3 || words != "old" && words != "new" {
		t.Errorf("%s: load: exit code %d, %q\n%s", at, code, words, errs)
	}
	if reversed := sh(t, dir, env, "git diff --cached --diff-filter=D --name-only"); reversed != "" {
		t.Errorf("%s: the index takes back what was committed: %s", at, reversed)
	}
	out, errs, code = session(t, dir, env, "save", "--json", "-m", "after")
	if code != 0 {
		t.Errorf("%s: next save: exit code %d\n%s%s", at, code, gjson.Get(out, "findings").Raw, errs)
		return
	}
	if out, errs, code = session(t, dir, env, "load", "--json"); code != 0 || gjson.Get(out, "state.working_on").String() != "after" {
		t.Errorf("%s: load after the next save: exit code %d %s %s", at, code, gjson.Get(out, "validation.findings.#.message").Raw, errs)
	}
	if out, errs, code := session(t, dir, env, "check"); code != 0 {
		t.Errorf("%s: check: %s%s", at, out, errs)
	}
	state := sh(t, dir, env, `git status --porcelain; git fsck --no-dangling 2>&1 | grep -E '^(error|fatal|missing|broken)' || :; find .git -name '*.lock' ! -path '*/leases/*'; ls .git/session | grep -E '^(index|journal)' || :; cat d/f2 d/n`)
	if state != "2\nnew\nn" {
		t.Errorf("%s: after the next save: %s", at, state)
	}
}
