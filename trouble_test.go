//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"session/commands"
	"session/internal/needtest"

	"github.com/tidwall/gjson"
)

// mounted runs a script in a file system of its own, in memory, mounted with the options at $MNT; nobody else sees it.
func mounted(t *testing.T, options string, env []string, script string) string {
	t.Helper()
	unshare := needtest.Program(t, "unshare", "apt install util-linux")
	dir := t.TempDir()
	mount := `mount -t tmpfs -o ` + options + ` tmpfs "$MNT"; `
	env = append(env[:len(env):len(env)], "MNT="+dir)
	if out, err := command(dir, env, unshare, "-rm", "sh", "-ec", mount).CombinedOutput(); err != nil {
		needtest.Missing(t, "unshare", fmt.Sprintf("it cannot mount here: %v %s", err, out))
	}
	out, err := command(dir, env, unshare, "-rm", "sh", "-ec", mount+script).CombinedOutput()
	if err != nil {
		t.Fatalf("%s\n%v\n%s", script, err, out)
	}
	return string(out)
}

func command(dir string, env []string, args ...string) *exec.Cmd {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Env = dir, env
	return cmd
}

// TestFullDisk saves with less and less room. Either the save is whole, or nothing changed and the way out is said; load
// works in any case, nothing is left in git's way, and with room again all goes on.
func TestFullDisk(t *testing.T) {
	const attempts = "0 4 8 12 16 24 32 40 60 100"
	said := filepath.Join(t.TempDir(), "said")
	out := mounted(t, "size=900k", environ(t, "OUT="+said), `cd "$MNT"; git init -q r; cd r; rm -rf .git/hooks; echo a >a; git add a; git commit -qm base; session save -m one >/dev/null
for left in `+attempts+`; do
  echo "$left" >>a; before=$(git rev-parse HEAD)
  dd if=/dev/zero of=../fill bs=4k >/dev/null 2>&1 || :; truncate -s -${left}k ../fill 2>/dev/null || :
  code=0; session save -m "with $left" >"$OUT" 2>&1 || code=$?
  load=0; session load >/dev/null 2>&1 || load=$?
  rm ../fill
  echo "ATTEMPT left $left code $code load $load moved $([ $before = $(git rev-parse HEAD) ] && echo no || echo yes) locks $(ls .git/*.lock .git/session/index.* 2>/dev/null | wc -l) fsck $(git fsck --no-dangling 2>&1 | wc -l) said $(grep -c 'no space left.*\|disk is full\|disk I/O error' "$OUT") hint $(grep -c 'make room\|check --repair\|COMMIT_REFUSED' "$OUT")"
  session check --repair >/dev/null; session check
done
session save -m last >/dev/null; git status --porcelain; git show HEAD:a | cmp - a; session load | head -1`)
	failed := 0
	for _, line := range strings.Split(out, "\n") {
		var left, code, load, locks, fsck, said, hint int
		var moved string
		if n, _ := fmt.Sscanf(line, "ATTEMPT left %d code %d load %d moved %s locks %d fsck %d said %d hint %d", &left, &code, &load, &moved, &locks, &fsck, &said, &hint); n != 8 {
			continue
		}
		if code != 0 {
			failed++
		}
		whole := code == 0 && moved == "yes"
		nothing := code == 1 && moved == "no" && said > 0 && hint > 0
		recorded := code == 3 && moved == "no" && said > 0 && hint > 0 // the state is saved, and the finding says why no commit was made
		if !whole && !nothing && !recorded || load != 0 && load != 3 || locks+fsck > 0 {
			t.Errorf("%s", line)
		}
	}
	if n := strings.Count(out, "ATTEMPT"); n != len(strings.Fields(attempts)) || failed == 0 || strings.Count(out, "all sound") != n || !strings.Contains(out, "Working on  last") {
		t.Errorf("%d attempts, %d failed\n%s", n, failed, out)
	}
}

// TestReadOnlyDisk reads all there is to read, and says what cannot be done.
func TestReadOnlyDisk(t *testing.T) {
	out := mounted(t, "size=20m", environ(t), `cd "$MNT"; git init -q r; cd r; echo a >a; git add a; git commit -qm base; session save -m one >/dev/null; echo b >>a
mount -o remount,ro "$MNT"
try() { code=0; session "$@" >/tmp/$$.out 2>&1 || code=$?; echo "$1: $code $(tr '\n' ' ' </tmp/$$.out)"; rm -f /tmp/$$.out; }
try load; try status; try log; try check; try save -m two; try undo
mount -o remount,rw "$MNT"; mount -t tmpfs -o ro tmpfs .git/session; try save -m two; umount .git/session
try save -m two`)
	for _, want := range []string{"load: 3 Working on  one", "UNCOMMITTED_CHANGES", "status: 0 Branch", "log: 0 ", "check: 11 ! memory: ", "read-only file system",
		"save: 1 session: ", "undo: 1 session: ", "hint: session writes into the git directory: check that you may write there", "save: 0 saved "} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if n := strings.Count(out, "hint: session writes into the git directory"); n != 3 {
		t.Errorf("%d hints, want one for save, undo, and save into a read-only store\n%s", n, out)
	}
}

// TestNoHardLinks takes link(2) away, as FAT and some network file systems do, each in its own words.
func TestNoHardLinks(t *testing.T) {
	strace := needtest.Program(t, "strace", "apt install strace")
	for _, answer := range []string{"EPERM", "EOPNOTSUPP", "EMLINK"} {
		t.Run(answer, func(t *testing.T) {
			t.Parallel()
			env := environ(t)
			dir := filepath.Join(t.TempDir(), "r")
			sh(t, filepath.Dir(dir), env, "git init -q r; cd r; echo a >a; git add a; git commit -qm base")
			for k := range 3 {
				sh(t, dir, env, fmt.Sprint("echo ", k, " >>a; echo ", k, " >n", k))
				out, err := command(dir, env, strace, "-f", "-qq", "-o", "/dev/null", "-e", "trace=link,linkat", "-e", "inject=link,linkat:error="+answer, "session", "save", "-m", fmt.Sprint("save ", k)).CombinedOutput()
				if err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
			}
			if got := sh(t, dir, env, "git status --porcelain; git fsck --no-dangling; find .git -name '*.lock' ! -path '*/leases/*'; ls .git/session | grep '^index' || :"); got != "" {
				t.Errorf("%s", got)
			}
			out, errs, code := session(t, dir, env, "log", "--json")
			if code != 0 || gjson.Get(out, "snapshots.#").Int() != 3 {
				t.Errorf("log: exit code %d %s%s", code, out, errs)
			}
			if out, errs, code := session(t, dir, env, "check"); code != 0 {
				t.Errorf("check: exit code %d %s%s", code, out, errs)
			}
		})
	}
}

// TestBlobLost alters and takes away the part of a snapshot that stands beside its manifest.
func TestBlobLost(t *testing.T) {
	env := environ(t)
	dir := filepath.Join(t.TempDir(), "r")
	sh(t, filepath.Dir(dir), env, "git init -q r; cd r; git commit -q --allow-empty -m base")
	args := []string{"save", "-m", "large"}
	for i := range 400 {
		args = append(args, "--todo", fmt.Sprintf("task %d, %s", i, strings.Repeat("worded at length ", 4)))
	}
	if out, errs, code := session(t, dir, env, args...); code != 0 {
		t.Fatal(out, errs)
	}
	blobs, err := filepath.Glob(filepath.Join(dir, ".git", "session", "blobs", "*", "*"))
	if err != nil || len(blobs) == 0 {
		t.Fatalf("no part stands beside its manifest: %v", err)
	}
	sound, err := os.ReadFile(blobs[0])
	if err != nil {
		t.Fatal(err)
	}
	replace := func(b []byte) {
		t.Helper()
		if err := os.Remove(blobs[0]); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if b == nil {
			return
		}
		if err := os.WriteFile(blobs[0], b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for what, b := range map[string][]byte{"altered": append(bytes.Clone(sound), ' '), "emptied": {}, "gone": nil} {
		replace(b)
		for _, verb := range []string{"load", "save", "check"} {
			out, errs, code := session(t, dir, env, verb)
			if code != 11 || !strings.Contains(out+errs, filepath.Base(blobs[0])) || verb != "check" && !strings.Contains(errs, "session check --repair") {
				t.Errorf("%s, %s: exit code %d\n%s%s", what, verb, code, out, errs)
			}
			if strings.Contains(out, "task 1,") {
				t.Errorf("%s, %s: half-read: %s", what, verb, out)
			}
		}
	}
	replace(sound)
	for _, verb := range []string{"check", "load", "save"} {
		if out, errs, code := session(t, dir, env, verb); code != 0 {
			t.Errorf("put back, %s: exit code %d %s%s", verb, code, out, errs)
		}
	}
	replace(nil)
	for _, verb := range [][]string{{"check", "--repair"}, {"check"}, {"save", "-m", "anew"}, {"load"}} {
		if out, errs, code := session(t, dir, env, verb...); code != 0 && (verb[0] != "check" || code != 11) {
			t.Errorf("after a repair, %v: exit code %d %s%s", verb, code, out, errs)
		}
	}
}

// TestClockSetBack saves while the clock runs backwards: what follows what is lineage, not time.
func TestClockSetBack(t *testing.T) {
	env := environ(t)
	dir := filepath.Join(t.TempDir(), "r")
	sh(t, filepath.Dir(dir), env, "git init -q r; cd r; git commit -q --allow-empty -m base")
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	run := func(now time.Time, args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		code := commands.Main(t.Context(), append([]string{"session"}, args...), commands.System{In: strings.NewReader(""), Out: &out, Err: &errs, Env: env, Dir: dir,
			Now: func() time.Time { return now }})
		if code != 0 && (args[0] != "load" || code != 3) {
			t.Fatalf("%v: exit code %d %s%s", args, code, out.String(), errs.String())
		}
		return out.String()
	}
	for i, words := range []string{"first", "second", "third"} {
		sh(t, dir, env, fmt.Sprint("echo ", i, " >f", i))
		run(at.AddDate(-3*i, 0, 0), "save", "-m", words)
	}
	for _, now := range []time.Time{at.AddDate(-20, 0, 0), at, at.AddDate(20, 0, 0)} {
		if got := gjson.Get(run(now, "log", "--json"), "snapshots.#.working_on").Raw; got != `["third","second","first"]` {
			t.Errorf("at %s the log is %s", now, got)
		}
		if got := gjson.Get(run(now, "load", "--json"), "state.working_on").String(); got != "third" {
			t.Errorf("at %s load shows %q", now, got)
		}
		run(now, "check")
	}
	run(time.Unix(0, 0), "undo") // a clock without a battery
	if got := gjson.Get(run(at, "load", "--json"), "state.working_on").String(); got != "second" {
		t.Errorf("after the undo load shows %q", got)
	}
	run(at.AddDate(-40, 0, 0), "gc")
	run(at, "check")
}
