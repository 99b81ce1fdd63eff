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

// TestDoctorKnowsTheService: where it is missing, or of another version, doctor says so, as advice.
func TestDoctorKnowsTheService(t *testing.T) {
	session, err := exec.LookPath("session")
	if err != nil {
		t.Fatal(err)
	}
	real, err := filepath.EvalSymlinks(session)
	if err != nil {
		t.Fatal(err)
	}
	alone, home := t.TempDir(), t.TempDir()
	if err := os.Link(real, filepath.Join(alone, "session")); err != nil {
		t.Skip(err) // the test binary is on another file system
	}
	doctor := func() string {
		t.Helper()
		cmd := exec.Command(filepath.Join(alone, "session"), "doctor", "--json")
		cmd.Dir, cmd.Env = home, []string{"PATH=/usr/bin:/bin", "HOME=" + home}
		out, err := cmd.Output()
		if cmd.ProcessState == nil {
			t.Fatal(err)
		}
		return string(out)
	}
	if out := doctor(); !strings.Contains(out, `"no-service"`) {
		t.Error(out)
	}
	service := filepath.Join(alone, app.ServiceProgram)
	if err := os.WriteFile(service, []byte("#!/bin/sh\necho '{\"version\":\"v0.0.1\",\"commit\":\"x\",\"go\":\"\"}'\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if out := doctor(); !strings.Contains(out, `"other-service"`) {
		t.Error(out)
	}
	if err := os.WriteFile(service, []byte("#!/bin/sh\nexit 7\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if out := doctor(); !strings.Contains(out, `"broken-service"`) {
		t.Error(out)
	}
}
