// Package atomicfiletest kills programs between their system calls, to see what they leave behind.
//
// strace stops a process as it enters a chosen call and delivers SIGKILL there, so the call is not made. Killing one run
// at its first write, the next at its second, and so on, visits every state that a crash can leave on disk (a crash of
// the process: what a power cut leaves is not shown, only that the syncs are where they must be).
package atomicfiletest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"session/internal/needtest"
)

// Calls are the system calls by which a Go program changes files. Opening a new one is left out: what it leaves is what
// is there before the write that follows.
var Calls = []string{"write", "pwrite64", "ftruncate", "fsync", "linkat", "renameat", "renameat2", "unlinkat", "mkdirat"}

// Strace returns the path of strace, or skips the test with a hint; it fails the test when SESSION_TEST_REQUIRE asks for
// strace.
func Strace(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("strace")
	if err == nil {
		err = exec.Command(path, "-qq", "-o", os.DevNull, "true").Run() // containers forbid ptrace
	}
	if err == nil {
		return path
	}
	needtest.Missing(t, "strace", fmt.Sprintf("it does not work here (%v): install it to kill writers between their system calls", err))
	return ""
}

// Dir is a fresh folder for what needs no real disk, in memory where the system has such a place: a killed process leaves
// the same there, and a hundred runs do not wait for a hundred syncs.
func Dir(t testing.TB) string {
	t.Helper()
	const memory = "/dev/shm"
	if st, err := os.Stat(memory); err != nil || !st.IsDir() {
		return t.TempDir()
	}
	dir, err := os.MkdirTemp(memory, "session-test-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// KillEverywhere runs the test binary again for each point: once for the first call of a kind, once for the second, and
// so on until a run survives, for every kind in Calls. before makes a fresh place for a run and returns the environment
// (KEY=value) that tells the helper in TestMain what to do; after looks at what the killed run left. The helper must do
// its work on one locked thread, because strace counts by thread.
func KillEverywhere(t *testing.T, most int, before func() []string, after func(point string)) (points int) {
	t.Helper()
	strace := Strace(t)
	for _, call := range Calls {
		for n := 1; ; n++ {
			if n > most {
				t.Fatalf("%s: more than %d calls: the helper does not end, or most is too small", call, most)
			}
			cmd := exec.Command(strace, "-f", "-qq", "-o", os.DevNull, "-e", "trace="+call,
				"-e", fmt.Sprintf("inject=%s:signal=KILL:when=%d", call, n), os.Args[0], "-test.run=^$")
			cmd.Env = environment(before())
			out, err := cmd.CombinedOutput()
			if err == nil {
				break
			}
			if len(out) > 0 {
				t.Fatalf("%s#%d: the helper failed instead of being killed: %v\n%s", call, n, err, out)
			}
			points++
			after(fmt.Sprintf("%s#%d", call, n))
		}
	}
	return points
}

// Failing runs the test binary as helper with one system call made to fail: inject is strace's own syntax, such as
// "fsync:error=EIO:when=2". It returns what the helper printed and its error.
func Failing(t *testing.T, inject string, env []string) (string, error) {
	t.Helper()
	call, _, _ := strings.Cut(inject, ":")
	cmd := exec.Command(Strace(t), "-f", "-qq", "-o", os.DevNull, "-e", "trace="+call, "-e", "inject="+inject, os.Args[0], "-test.run=^$")
	cmd.Env = environment(env)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// Trace runs the test binary as helper and returns the calls it made that change files, one a line, oldest first, in
// strace's notation with the paths behind descriptors.
func Trace(t *testing.T, env []string) []string {
	t.Helper()
	log := filepath.Join(t.TempDir(), "trace")
	cmd := exec.Command(Strace(t), "-f", "-qq", "-y", "-o", log, "-e", "trace="+strings.Join(Calls, ","), os.Args[0], "-test.run=^$")
	cmd.Env = environment(env)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("traced helper: %v\n%s", err, out)
	}
	b, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(b)), "\n")
}

// environment lets a helper built with -race end at once instead of waiting a second for late reports.
func environment(more []string) []string {
	return append(append(os.Environ(), "GORACE=atexit_sleep_ms=0"), more...)
}
