package proc

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

func env() []string { return []string{"PATH=" + os.Getenv("PATH")} }

func TestRun(t *testing.T) {
	r, err := Run(t.Context(), Command{Args: []string{"sh", "-c", "echo out; echo err >&2; exit 3"}, Env: env()})
	var exit *ExitError
	if !errors.As(err, &exit) || exit.Code != 3 || r.Code != 3 || string(r.Stdout) != "out\n" || string(r.Stderr) != "err\n" {
		t.Fatalf("%+v %v", r, err)
	}
	if got := err.Error(); got != "sh: exit status 3: err" && got != "sh echo out; echo err >&2; exit 3: exit status 3: err" {
		t.Errorf("message %q", got)
	}
	if r, err = Run(t.Context(), Command{Args: []string{"cat"}, Env: env(), Stdin: strings.NewReader("in")}); err != nil || string(r.Stdout) != "in" {
		t.Fatalf("%+v %v", r, err)
	}
	if r, _ = Run(t.Context(), Command{Args: []string{"sh", "-c", "echo $A-$B"}, Env: append(env(), "A=1")}); string(r.Stdout) != "1-\n" {
		t.Errorf("environment leaks: %q", r.Stdout)
	}
}

func TestRunRefuses(t *testing.T) {
	var missing *NotFoundError
	if _, err := Run(t.Context(), Command{Args: []string{"no-such-program"}, Env: env()}); !errors.As(err, &missing) {
		t.Errorf("%v", err)
	}
	if _, err := Run(t.Context(), Command{}); err == nil {
		t.Error("an empty command ran")
	}
	if _, err := Run(t.Context(), Command{Args: []string{"true"}, Env: env(), Dir: filepath.Join(t.TempDir(), "gone")}); err == nil {
		t.Error("ran in a folder that is not there")
	}
}

func TestOutputIsBounded(t *testing.T) {
	r, err := Run(t.Context(), Command{Args: []string{"sh", "-c", "head -c 100000 /dev/zero; head -c 200000 /dev/zero >&2"}, Env: env(), MaxOutput: 1000})
	if err != nil || len(r.Stdout) != 1000 || !r.Cut || len(r.Stderr) != 64<<10 {
		t.Errorf("%d %d %v %v", len(r.Stdout), len(r.Stderr), r.Cut, err)
	}
	var out, errs bytes.Buffer
	if _, err := Run(t.Context(), Command{Args: []string{"sh", "-c", "echo a; echo b >&2"}, Env: env(), Output: &out, Errors: &errs}); err != nil || out.String() != "a\n" || errs.String() != "b\n" {
		t.Errorf("%q %q %v", out.String(), errs.String(), err)
	}
}

// TestTreeIsEnded starts a program whose child ignores the first signal and outlives it; nothing may be left.
func TestTreeIsEnded(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the child is a shell script")
	}
	mark := filepath.Join(t.TempDir(), "pids")
	script := `trap '' TERM; (trap '' TERM; echo $$ >` + mark + `; while :; do read x </dev/zero; done) & echo started; wait`
	ctx, cancel := context.WithCancel(t.Context())
	started := writerFunc(func(p []byte) (int, error) { cancel(); return len(p), nil })
	_, err := Run(ctx, Command{Args: []string{"sh", "-c", script}, Env: env(), Tree: true, Grace: 100 * time.Millisecond, Output: started})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("%v", err)
	}
	if pid, err := os.ReadFile(mark); err == nil {
		if cmd, err := os.ReadFile("/proc/" + strings.TrimSpace(string(pid)) + "/cmdline"); err == nil && bytes.Contains(cmd, []byte(mark)) {
			t.Errorf("process %s is still there", pid)
		}
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestLookPathIgnoresTheWorkingDirectory(t *testing.T) {
	dir := t.TempDir()
	evil := filepath.Join(dir, "git")
	if err := os.WriteFile(evil, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for _, path := range []string{"", ":", ".", ".:"} {
		if p, err := LookPath("git", []string{"PATH=" + path}, dir); err == nil {
			t.Errorf("PATH=%q found %s", path, p)
		}
	}
	if p, err := LookPath("./git", nil, dir); err != nil || p != evil {
		t.Errorf("%s %v", p, err)
	}
	if p, err := LookPath("git", []string{"PATH=" + dir}, "/"); err != nil || p != evil {
		t.Errorf("%s %v", p, err)
	}
}

func TestWith(t *testing.T) {
	got := With([]string{"A=1", "B=2", "C=3", "AB=4"}, []string{"C"}, "A=9", "D=5")
	if strings.Join(got, " ") != "B=2 AB=4 A=9 D=5" {
		t.Errorf("%v", got)
	}
	if Getenv([]string{"A=1", "A=2"}, "A") != "2" || Getenv(nil, "A") != "" {
		t.Error("Getenv")
	}
}

func TestName(t *testing.T) {
	for want, args := range map[string][]string{
		"git status": {"/usr/bin/git", "-C", "/x", "-c", "a=b", "--no-optional-locks", "status", "-z"},
		"make":       {"make", "-j"},
		"program":    {},
	} {
		if got := Name(args); got != want {
			t.Errorf("%v: %q", args, got)
		}
	}
}

func TestDetach(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "fifo")
	if err := Detach(Command{Args: []string{"no-such-program"}, Env: env()}); err == nil {
		t.Error("started what is not there")
	}
	if _, err := Run(t.Context(), Command{Args: []string{"mkfifo", mark}, Env: env()}); err != nil {
		t.Skip("no FIFO here")
	}
	if err := Detach(Command{Args: []string{"sh", "-c", "echo $PPID-$$ >" + mark}, Env: env()}); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(mark) // waits until the program writes
	if err != nil || len(b) < 4 {
		t.Errorf("%q %v", b, err)
	}
}
