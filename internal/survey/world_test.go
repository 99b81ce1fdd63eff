package survey

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"session/gitstate"
	"session/openspec"
)

// world is a folder, with a repository in it where a script makes one.
type world struct {
	dir string
	env []string
}

// world runs a script in an empty folder.
func newWorld(t testing.TB, script string) *world {
	t.Helper()
	home := t.TempDir()
	w := &world{dir: t.TempDir(), env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_CONFIG_HOME=" + home, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.invalid", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.invalid",
		"GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=init.defaultBranch", "GIT_CONFIG_VALUE_0=main", "GIT_CONFIG_KEY_1=protocol.file.allow", "GIT_CONFIG_VALUE_1=always"}}
	w.run(t, script)
	return w
}

// run runs a script in the folder and gives what it printed.
func (w *world) run(t testing.TB, script string) string {
	t.Helper()
	cmd := exec.Command("sh", "-euc", script)
	cmd.Dir, cmd.Env = w.dir, w.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s\n%v\n%s", script, err, out)
	}
	return strings.TrimSpace(string(out))
}

// repo opens the repository of a folder below; nil outside of one.
func (w *world) repo(t testing.TB, below string) *gitstate.Repo {
	t.Helper()
	r, err := gitstate.Open(t.Context(), filepath.Join(w.dir, below), w.env)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func noon() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) }

// sources are what a look at a folder below goes by.
func (w *world) sources(t testing.TB, below string, git bool) Sources {
	t.Helper()
	top, err := filepath.EvalSymlinks(filepath.Join(w.dir, below))
	if err != nil {
		t.Fatal(err)
	}
	s := Sources{Tasks: openspec.Place{Dir: top, Top: top}, Now: noon}
	if git {
		s.Repo = w.repo(t, below)
	}
	return s
}

// look takes one look.
func (w *world) look(t testing.TB, below string, ask Ask) Scene {
	t.Helper()
	scene, err := w.sources(t, below, true).Look(t.Context(), ask)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range scene.Failures {
		t.Errorf("%s: %v", f.Source, f.Err)
	}
	return scene
}

const first = "git init -q .; echo a >a; echo b >b; git add -A; git commit -qm first\n"
