package github

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

// ghHome is an empty home of gh, without programs to start.
func ghHome(t *testing.T, hosts string) string {
	t.Helper()
	dir := t.TempDir()
	for _, k := range []string{"GH_TOKEN", "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN", "GH_HOST", "GH_PATH"} {
		t.Setenv(k, "")
	}
	t.Setenv("GH_CONFIG_DIR", dir)
	t.Setenv("PATH", dir)
	if err := os.WriteFile(filepath.Join(dir, "hosts.yml"), []byte(hosts), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func program(t *testing.T, dir, name, script string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("a program of one line needs a shell")
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
}

// TestWhatGhKnows: the look-ups that the wiring passes in are go-gh's. gh's files are read once a process, so all of it
// is one test.
func TestWhatGhKnows(t *testing.T) {
	dir := ghHome(t, "ghe.corp.example:\n    oauth_token: from-file\n    api_host: api.internal.example\n")
	ctx := context.Background()
	if s, err := Token(ctx, "ghe.corp.example"); err != nil || s != "from-file" {
		t.Errorf("token: %q %v", s, err)
	}
	if s, err := Token(ctx, "github.com"); err != nil || s != "" {
		t.Errorf("token: %q %v", s, err)
	}
	if h := Hosts(); !slices.Equal(h, []string{"ghe.corp.example"}) {
		t.Errorf("hosts: %v", h)
	}
	if h := APIHost("ghe.corp.example"); h != "api.internal.example" {
		t.Errorf("API host: %q", h)
	}
	if h := APIHost("github.com"); h != "" {
		t.Errorf("API host: %q", h)
	}
	t.Setenv("GITHUB_TOKEN", "from-environment")
	if s, err := Token(ctx, "github.com"); err != nil || s != "from-environment" {
		t.Errorf("token: %q %v", s, err)
	}
	t.Setenv("GITHUB_TOKEN", "")
	program(t, dir, "gh", `echo from-key-ring`)
	if s, err := Token(ctx, "github.com"); err != nil || s != "from-key-ring" {
		t.Errorf("token: %q %v", s, err)
	}
	over, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := within(over, func() string { select {} }); !errors.Is(err, context.Canceled) {
		t.Errorf("a look-up that hangs: %v", err)
	}
}

func TestAliasOfSSH(t *testing.T) {
	dir := ghHome(t, "")
	ctx := context.Background()
	if h := Alias(ctx, "work"); h != "work" {
		t.Errorf("without ssh: %q", h)
	}
	program(t, dir, "ssh", `[ "$1" = -G ] && case $2 in
work) echo user git; echo hostname github.com;;
443) echo hostname ssh.github.com;;
broken) exit 255;;
*) echo hostname "$2";;
esac`)
	for in, want := range map[string]string{"work": "github.com", "443": "github.com", "broken": "broken", "other.example": "other.example",
		"-oProxyCommand=touch x": "-oProxyCommand=touch x", "": ""} {
		if got := Alias(ctx, in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	over, cancel := context.WithCancel(ctx)
	cancel()
	if h := Alias(over, "never"); h != "never" {
		t.Errorf("%q", h)
	}
}
