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
	standAlone(t, "session", alone)
	repo := t.TempDir()
	run := func(env string, args ...string) (string, int) {
		t.Helper()
		cmd := exec.Command(filepath.Join(alone, "session"), args...)
		cmd.Dir = repo
		cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + repo, env} // not the folder in which both stand
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState == nil {
			t.Fatal(err)
		}
		return string(out), cmd.ProcessState.ExitCode()
	}
	for _, c := range []struct {
		env  string
		args []string
	}{
		{args: []string{"mcp"}}, {args: []string{"serve", "--listen", "127.0.0.1:0"}},
		{args: []string{"save", "--store", "s3://k:s@127.0.0.1:1/b?project=p"}},
		{args: []string{"load", "--coordination", "redis://127.0.0.1:1"}}, {args: []string{"worker", "--drain"}},
		{args: []string{"list", "--database", "postgres://127.0.0.1:1/x"}},
		{"SESSION_STORE=s3://k:s@127.0.0.1:1/b?project=p", []string{"load"}},
		{"SESSION_COORDINATION=redis://127.0.0.1:1", []string{"save"}},
		{"SESSION_DATABASE=postgres://127.0.0.1:1/x", []string{"save"}},
		{"SESSION_DATABASE=postgres://127.0.0.1:1/x", []string{"memory", "search", "--top-k", "3", "a"}},
	} {
		out, code := run(c.env, c.args...)
		if code == 0 || !strings.Contains(out, app.ServiceProgram) || strings.Contains(out, "panic") {
			t.Errorf("%v: exit %d, %s", c, code, out)
		}
	}
	if left, err := filepath.Glob(filepath.Join(repo, ".*", "session*")); err != nil || len(left) > 0 {
		t.Errorf("%v was made, %v", left, err)
	}
	standAlone(t, app.ServiceProgram, alone)
	if out, code := run("", "load", "--coordination", "redis://127.0.0.1:1"); code != app.Nothing {
		t.Errorf("with the service beside it: exit %d, %s", code, out)
	}
}

// TestDoctorKnowsTheService: where it is missing, or of another version, doctor says so, as advice.
func TestDoctorKnowsTheService(t *testing.T) {
	alone, home := t.TempDir(), t.TempDir()
	standAlone(t, "session", alone)
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

// standAlone puts one of the programs into a folder, without what stands beside it in its own.
func standAlone(t *testing.T, program, dir string) {
	t.Helper()
	found, err := exec.LookPath(program)
	if err != nil {
		t.Fatal(err)
	}
	real, err := filepath.EvalSymlinks(found)
	if err != nil {
		t.Fatal(err)
	}
	if os.Link(real, filepath.Join(dir, program)) == nil {
		return
	}
	all, err := os.ReadFile(real) // on another file system
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, program), all, 0o755); err != nil {
		t.Fatal(err)
	}
}
