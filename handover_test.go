package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"session/internal/app"
)

// TestHandOver: what needs a server's client is done by session-service, wherever that stands; where it is missing, a
// command says so, and has done nothing.
func TestHandOver(t *testing.T) {
	alone := t.TempDir()
	session, err := exec.LookPath("session")
	if err != nil {
		t.Fatal(err)
	}
	link := func(name, dir string) {
		t.Helper()
		real, err := filepath.EvalSymlinks(session)
		if err == nil {
			err = os.Link(real, filepath.Join(dir, name))
		}
		if err != nil {
			t.Skip(err) // the test binary is on another file system
		}
	}
	link("session", alone)
	repo := t.TempDir()
	run := func(args ...string) (string, int) {
		t.Helper()
		cmd := exec.Command(filepath.Join(alone, "session"), args...)
		cmd.Dir = repo
		cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + repo} // not the folder in which both stand
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState == nil {
			t.Fatal(err)
		}
		return string(out), cmd.ProcessState.ExitCode()
	}
	for _, args := range [][]string{
		{"mcp"}, {"serve", "--listen", "127.0.0.1:0"}, {"save", "--store", "s3://k:s@127.0.0.1:1/b?project=p"},
		{"load", "--coordination", "redis://127.0.0.1:1"}, {"worker", "--drain"}, {"list", "--database", "postgres://127.0.0.1:1/x"},
	} {
		out, code := run(args...)
		if code == 0 || !strings.Contains(out, app.ServiceProgram) || strings.Contains(out, "panic") {
			t.Errorf("%v: exit %d, %s", args, code, out)
		}
	}
	if left, err := filepath.Glob(filepath.Join(repo, ".*", "session*")); err != nil || len(left) > 0 {
		t.Errorf("%v was made, %v", left, err)
	}
	link(app.ServiceProgram, alone)
	if out, code := run("load", "--coordination", "redis://127.0.0.1:1"); code != app.Nothing {
		t.Errorf("with the service beside it: exit %d, %s", code, out)
	}
}
