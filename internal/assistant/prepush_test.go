package assistant

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// hooked is a repository in which the pre-push hook is installed.
type hooked struct {
	*testTree
	o HookOptions
}

func newHooked(t *testing.T, files map[string]string) *hooked {
	t.Helper()
	h := &hooked{testTree: newTestTree(t, files)}
	home := t.TempDir()
	h.o = HookOptions{Root: h.root, Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_CONFIG_NOSYSTEM=1"}}
	h.git("init", "-q")
	return h
}

func (h *hooked) git(args ...string) {
	h.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = h.root, h.o.Env
	if out, err := cmd.CombinedOutput(); err != nil {
		h.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
}

func (h *hooked) install() HookPlan {
	h.t.Helper()
	p, err := PlanHook(context.Background(), h.o)
	if err != nil {
		h.t.Fatal(err)
	}
	if _, err := p.Apply(); err != nil {
		h.t.Fatal(err)
	}
	return p
}

func (h *hooked) remove() {
	h.t.Helper()
	all, err := PlanUnhook(context.Background(), h.o)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, p := range all {
		if len(p.Changes) == 0 {
			continue
		}
		if _, err := p.Apply(); err != nil {
			h.t.Fatal(err)
		}
	}
}

func (h *hooked) armed(want bool) Armed {
	h.t.Helper()
	a, err := HookArmed(context.Background(), h.o)
	if err != nil || a.OK() != want {
		h.t.Fatalf("armed is %v, want %v: %+v, %v", a.OK(), want, a, err)
	}
	return a
}

func TestHookKeeper(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		path  string
		track bool
		want  Keeper
	}{
		{name: "plain", want: PlainHooks},
		{name: "husky", path: ".husky/_", want: Husky},
		{name: "lefthook", files: map[string]string{"lefthook.yml": "pre-push: {}\n"}, want: Lefthook},
		{name: "lefthook in a folder", files: map[string]string{".config/lefthook.toml": ""}, want: Lefthook},
		{name: "own folder", path: ".hooks", want: PlainHooks},
		{name: "tracked folder", files: map[string]string{"hooks/pre-push": "#!/bin/sh\n"}, path: "hooks", track: true, want: Others},
		{name: "outside", path: "/nowhere/hooks", want: Others},
	} {
		h := newHooked(t, c.files)
		if c.path != "" {
			h.git("config", "core.hooksPath", c.path)
		}
		if c.track {
			h.git("add", "-A")
		}
		s, err := Site(context.Background(), h.o)
		if err != nil || s.Keeper != c.want || (s.Reason != "") != (c.want == Others) {
			t.Errorf("%s: %+v, %v", c.name, s, err)
		}
	}
}

func TestHookIsInstalledOnceAndTakenAway(t *testing.T) {
	for _, foreign := range []string{"", "#!/bin/sh\nexit 7\n"} {
		h := newHooked(t, nil)
		if foreign != "" {
			h.write(".git/hooks/pre-push", foreign)
			if err := os.Chmod(h.path(".git/hooks/pre-push"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		before := h.snapshot()
		h.armed(false)
		if p := h.install(); p.Manual != nil || len(p.Then) != 0 {
			t.Errorf("%+v", p)
		}
		if a := h.armed(true); a.Through != a.Site.File {
			t.Errorf("%+v", a)
		}
		if again := h.install(); len(again.Changes) != 0 {
			t.Errorf("again: %+v", again.Changes)
		}
		h.remove()
		h.same("after its removal", before)
	}
}

func TestHookThatCannotRun(t *testing.T) {
	h := newHooked(t, nil)
	h.install()
	if err := os.Chmod(h.path(".git/hooks/pre-push"), 0o644); err != nil {
		t.Fatal(err)
	}
	if a := h.armed(false); !a.Exists || a.Runs || !a.Calls {
		t.Errorf("%+v", a)
	}
	h.write(".git/hooks/pre-push", "#!/bin/sh\n# session hook pre-push was here\nexit 0\n")
	if a := h.armed(false); a.Calls {
		t.Errorf("a comment is a call: %+v", a)
	}
}

// Another program has put its hook over ours while ours stood in front of a third one: no guess which one counts.
func TestHooksInEachOthersWay(t *testing.T) {
	h := newHooked(t, nil)
	h.write(".git/hooks/pre-push", "#!/bin/sh\nexit 0\n")
	h.install()
	h.write(".git/hooks/pre-push", "#!/bin/sh\n# another\n")
	before := h.snapshot()
	var conflict *HookConflictError
	if _, err := PlanHook(context.Background(), h.o); !errors.As(err, &conflict) || !strings.HasSuffix(conflict.Before, hookBefore) {
		t.Errorf("%v", err)
	}
	h.same("after a refusal", before)
}

func TestHuskyKeepsItsLines(t *testing.T) {
	for _, text := range []string{"", "npm test", "npm test\r\n", "npm test\n"} {
		h := newHooked(t, nil)
		h.git("config", "core.hooksPath", ".husky/_")
		h.write(".husky/_/pre-push", "#!/bin/sh\n. .husky/pre-push\n")
		if text != "" {
			h.write(".husky/pre-push", text)
		}
		h.install()
		got := h.read(".husky/pre-push")
		if !strings.HasPrefix(got, text) || !strings.Contains(got, "session hook pre-push") {
			t.Errorf("%q became %q", text, got)
		}
		if strings.Contains(text, "\r\n") && strings.Contains(strings.ReplaceAll(got, "\r\n", ""), "\n") {
			t.Errorf("mixed line ends: %q", got)
		}
		h.remove()
		if text == "" {
			if _, err := os.Stat(h.path(".husky/pre-push")); err == nil {
				t.Error("an empty hook is left")
			}
		} else if got := h.read(".husky/pre-push"); got != text {
			t.Errorf("%q came back as %q", text, got)
		}
	}
}

// TestHuskyThatEndsEarly has a hook of husky's that leaves before its last line: ours is called all the same, both get what
// git says, and a call behind the end is noticed and moved.
func TestHuskyThatEndsEarly(t *testing.T) {
	const says = "refs/heads/main 1 refs/heads/main 2\nrefs/heads/other 3 refs/heads/other 4\n"
	for _, theirs := range []string{"cat >theirs\nexit 0", "#!/bin/sh\ncat >theirs\nexit 0\n", "#!/bin/sh\nexec cat >theirs", "if cat >theirs; then exit 0; fi\nexit 1\n"} {
		for _, said := range []string{says, ""} {
			h := newHooked(t, nil)
			h.git("config", "core.hooksPath", ".husky/_")
			h.write(".husky/_/pre-push", "#!/bin/sh\nsh -e .husky/pre-push \"$@\"\n")
			h.write("bin/session", "#!/bin/sh\necho \"$@\" >args\ncat >ours\n")
			if err := os.Chmod(h.path("bin/session"), 0o755); err != nil {
				t.Fatal(err)
			}
			h.write(".husky/pre-push", theirs)
			h.install()
			for range 2 {
				cmd := exec.Command("sh", ".husky/_/pre-push", "origin", "url")
				cmd.Dir, cmd.Stdin, cmd.Env = h.path("."), strings.NewReader(said), append(os.Environ(), "PATH="+h.path("bin")+":"+os.Getenv("PATH"), "SESSION_HOOK=")
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%q: %v %s", theirs, err, out)
				}
				if ours, its, args := h.read("ours"), h.read("theirs"), h.read("args"); ours != said || its != said || args != "hook pre-push origin url\n" {
					t.Errorf("%q: ours got %q with %q, theirs %q, git says %q", theirs, ours, args, its, said)
				}
				if !reached(h.read(".husky/pre-push")) {
					t.Errorf("not reached: %s", h.read(".husky/pre-push"))
				}
				h.remove()
				if got := h.read(".husky/pre-push"); got != theirs {
					t.Errorf("%q came back as %q", theirs, got)
				}
				h.write(".husky/pre-push", string(appended([]byte(theirs), block()))) // as an earlier version did
				if reached(h.read(".husky/pre-push")) && !strings.HasPrefix(theirs, "if") {
					t.Errorf("reached behind the end: %s", h.read(".husky/pre-push"))
				}
				if strings.HasPrefix(theirs, "if") {
					h.write(".husky/pre-push", theirs)
				}
				h.install()
			}
		}
	}
}

func TestReached(t *testing.T) {
	for script, want := range map[string]bool{
		"": true, "npm test\n": true, "[ -n \"$CI\" ] && exit 0\n": true, "test x ||\nexit 1\n": true, "if x; then\nexit 0\nfi\n": true,
		"f() {\nexit 1\n}\n": true, "exec >log 2>&1\n": true, "exec 2>log\n": true, "# exit\n": true, "for x in a; do\nexit 1\ndone\n": true,
		"exit\n": false, "npm test\nexit $?\n": false, "exec npm test\n": false, "if x; then y; fi\nexit 0\n": false, "  exit 0 # done\n": false, "exit;\n": false,
	} {
		if got := reached(script + block()); got != want {
			t.Errorf("%q before our call: %v", script, got)
		}
	}
}

func TestBlocksAreFoundWhole(t *testing.T) {
	for text, want := range map[string]string{
		"a\n" + block() + "b\n": "a\nb\n", block(): "", "a\n" + blockOpen + "\nb\n": "", "a\n": "",
	} {
		rest, ok := withoutBlock([]byte(text))
		if whole := strings.Contains(text, blockEnd); ok != whole || whole && string(rest) != want || !whole && string(rest) != text {
			t.Errorf("%q: %q, %v", text, rest, ok)
		}
	}
}

func TestLefthookEntry(t *testing.T) {
	for name, text := range map[string]string{
		"none":      "",
		"other":     "# ours\npre-commit:\n  commands:\n    a: {run: x}\n",
		"commands":  "pre-push:\n  commands:\n    a:\n      run: x # keep\n",
		"deep":      "pre-push:\n    parallel: true\n    commands:\n        a:\n            run: x\n",
		"crlf":      "pre-push:\r\n  commands:\r\n    a:\r\n      run: x\r\n",
		"commented": "# nothing but this\n",
	} {
		h := newHooked(t, map[string]string{"lefthook.yml": "pre-push: {}\n"})
		if name != "none" {
			h.write("lefthook-local.yml", text)
		}
		p := h.install()
		if p.Manual != nil || len(p.Then) == 0 {
			t.Errorf("%s: %+v", name, p)
			continue
		}
		got := h.read("lefthook-local.yml")
		if !strings.Contains(got, lefthookRun) || !sameBut([]byte(text), []byte(got)) {
			t.Errorf("%s became\n%s", name, got)
		}
		h.remove()
		if name == "none" {
			if _, err := os.Stat(filepath.Join(h.root, "lefthook-local.yml")); err == nil {
				t.Error("an empty configuration is left")
			}
		} else if got := h.read("lefthook-local.yml"); got != text {
			t.Errorf("%s came back as\n%q", name, got)
		}
	}
	for name, text := range map[string]string{"flow": "pre-push: {commands: {a: {run: x}}}\n", "list": "- a\n", "scripts": "pre-push:\n  scripts:\n    a: {runner: b}\n", "broken": "a: [\n"} {
		h := newHooked(t, map[string]string{"lefthook.yml": "pre-push: {}\n", "lefthook-local.yml": text})
		if p := h.install(); p.Manual == nil || !strings.Contains(p.Manual.Lines, lefthookRun) || h.read("lefthook-local.yml") != text {
			t.Errorf("%s: %+v", name, p)
		}
	}
}
