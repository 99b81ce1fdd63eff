package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// block is one fenced block of README.
type block struct {
	kind  string // sh: commands; console: commands after "$ " and what they print
	lines []string
}

func readme(t *testing.T) (text string, blocks []block) {
	t.Helper()
	b, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(b), "\n```")
	for i := 1; i < len(parts); i += 2 {
		kind, body, _ := strings.Cut(parts[i], "\n")
		blocks = append(blocks, block{kind, strings.Split(body, "\n")})
	}
	return string(b), blocks
}

// service is the repository that README's examples stand in.
func service(t *testing.T) (dir string, env []string) {
	t.Helper()
	cache, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	c := strings.Fields(string(cache))
	// an agent's program that mends what README shows, and never a real one
	bin := t.TempDir()
	env = environ(t, "GOCACHE="+c[0], "GOMODCACHE="+c[1], "GOFLAGS=", "BIN="+bin)
	env = append(env, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	sh(t, bin, env, `printf '#!/bin/sh\ncat >/dev/null\nprintf "\\nvar token string\\n" >>token.go\necho "{\"type\": \"result\", \"result\": \"Status: FIXED\"}"\n' >claude; chmod 755 claude`)
	dir = filepath.Join(t.TempDir(), "service")
	sh(t, filepath.Dir(dir), env, `git init -q --bare remote; git init -q service; cd service; mkdir -p openspec/changes/token-refresh
printf '## 1. Token refresh\n- [x] 1.1 Keep the token in memory\n- [ ] 1.2 Refresh it before it expires\n- [ ] 1.3 Test the expiry\n' >openspec/changes/token-refresh/tasks.md
printf 'module example.invalid/service\n\ngo 1.24\n' >go.mod; printf 'package service\n' >service.go
git add -A; git commit -qm Begin; git remote add origin ../remote; git push -q -u origin main
printf 'package service\n\nfunc refresh() { token = "" }\n' >token.go`)
	return dir, env
}

// TestReadmeCommands runs every command line of README in one repository, from top to bottom; what README says that a
// command prints, it must print. The first two blocks, which install and test, have tests of their own.
func TestReadmeCommands(t *testing.T) {
	t.Parallel()
	dir, env := service(t)
	_, blocks := readme(t)
	for _, b := range blocks[2:] {
		switch b.kind {
		case "console":
			for line, want := range transcript(b.lines) {
				if out := shown(t, dir, env, line); !regexp.MustCompile(pattern(want)).MatchString(out) {
					t.Errorf("$ %s\nprints\n%s\nREADME says\n%s", line, out, strings.Join(want, "\n"))
				}
			}
		case "sh":
			for _, line := range b.lines {
				line, _, _ = strings.Cut(line, " #")
				sh(t, dir, env, "printf '\\n' >>token.go; "+strings.TrimSpace(line)+" || [ $? = 3 ]")
			}
		default:
			t.Errorf("a block of kind %q is tested by nobody", b.kind)
		}
	}
}

// transcript yields each command of a console block with the lines that it prints.
func transcript(lines []string) func(yield func(string, []string) bool) {
	return func(yield func(string, []string) bool) {
		for i := 0; i < len(lines); {
			next := i + 1
			for next < len(lines) && !strings.HasPrefix(lines[next], "$ ") {
				next++
			}
			if !yield(strings.TrimPrefix(lines[i], "$ "), lines[i+1:next]) {
				return
			}
			i = next
		}
	}
}

// shown is what a person sees on the terminal, whatever the exit code.
func shown(t *testing.T, dir string, env []string, line string) string {
	t.Helper()
	return sh(t, dir, env, "{ "+line+"; } 2>&1 || :")
}

// pattern takes ids, times and durations for what they are, and a line of "…" for any lines.
func pattern(want []string) string {
	p := regexp.QuoteMeta(strings.Join(want, "\n"))
	for _, r := range [][2]string{
		{`\b[0-9a-z]*[0-9][0-9a-z]*\b`, ""}, // ids, below
		{`\d{4}-\d\d-\d\d \d\d:\d\d`, `\d{4}-\d\d-\d\d \d\d:\d\d`},
		{`\b[0-9.]+ m?s\b`, `[0-9.]+ m?s`},
	} {
		p = regexp.MustCompile(r[0]).ReplaceAllStringFunc(p, func(s string) string {
			switch {
			case r[1] != "":
				return r[1]
			case len(s) == 8:
				return `[0-9a-z]{8}`
			}
			return s
		})
	}
	return "^" + strings.ReplaceAll(p, "\n…\n", "\n(?:.*\n)*") + "$"
}

// TestReadmeInstall does what README says first, in a fresh clone and for a person whom git does not know.
func TestReadmeInstall(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	t.Parallel()
	if out, err := exec.Command("git", "rev-parse", "--is-inside-work-tree").CombinedOutput(); err != nil {
		t.Skipf("this is no clone: %s", out)
	}
	_, env := service(t)
	env = slices.DeleteFunc(env, func(e string) bool { return strings.HasPrefix(e, "GIT_CONFIG_") })
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	dir, bin := filepath.Join(t.TempDir(), "clone"), filepath.Join(t.TempDir(), "bin")
	env = append(env, "GOBIN="+bin, "GOFLAGS="+os.Getenv("GOFLAGS"), "GOPROXY=off")
	sh(t, here, env, "git clone -q . '"+dir+"'")
	_, blocks := readme(t)
	out := shown(t, dir, env, blocks[0].lines[0])
	if !strings.HasPrefix(out, "installed "+bin+"/session\n") || !regexp.MustCompile(`(?m)^saved [0-9a-z]{8} “a first look” `).MatchString(out) {
		t.Errorf("%s\n%s", blocks[0].lines[0], out)
	}
	if out := sh(t, dir, env, "git status --porcelain; "+bin+"/session load | head -1"); out != "Working on  a first look" {
		t.Errorf("afterwards: %s", out)
	}
}

// TestReadmeTests: the second command is the suite itself, which is not run inside of the suite.
func TestReadmeTests(t *testing.T) {
	_, blocks := readme(t)
	if len(blocks[1].lines) != 1 || blocks[1].lines[0] != "./scripts/test" {
		t.Fatalf("README's second command is %q", blocks[1].lines)
	}
	if info, err := os.Stat("scripts/test"); err != nil || info.Mode()&0o111 == 0 {
		t.Errorf("scripts/test cannot be run: %v", err)
	}
	ci, err := os.ReadFile(".ci/run")
	if err != nil || !strings.Contains(string(ci), "\n./scripts/test\n") {
		t.Errorf(".ci/run does not call README's second command: %v", err)
	}
}

// TestReadmeNames holds what README says in passing against the program: commands with their flags, and files.
func TestReadmeNames(t *testing.T) {
	t.Parallel()
	text, _ := readme(t)
	prose := regexp.MustCompile("(?s)\n```.*?\n```").ReplaceAllString(text, "")
	dir, env := t.TempDir(), environ(t)
	for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(prose, -1) {
		args := strings.Fields(m[1])
		switch {
		case args[0] == "session":
			if _, errs, code := session(t, dir, env, append(args[1:], "--help")...); code != 0 {
				t.Errorf("`%s`: %s", m[1], errs)
			}
		case strings.HasPrefix(args[0], "--"):
			if page := flagged(t, dir, env, args[0]); !page {
				t.Errorf("`%s`: no command has this flag", m[1])
			}
		case strings.HasPrefix(args[0], "internal/"):
			if _, err := os.Stat(args[0]); err != nil {
				t.Errorf("`%s`: %v", m[1], err)
			}
		}
	}
	for _, m := range regexp.MustCompile(`\]\(([^):]+)\)`).FindAllStringSubmatch(prose, -1) {
		if _, err := os.Stat(filepath.FromSlash(m[1])); err != nil {
			t.Errorf("link: %v", err)
		}
	}
}

// flagged reports whether a command of the everyday sort has the flag.
func flagged(t *testing.T, dir string, env []string, flag string) bool {
	for _, name := range []string{"save", "load"} {
		if page, _, _ := session(t, dir, env, name, "--help"); flag == "--help" || strings.Contains(page, "  "+flag+" ") {
			return true
		}
	}
	return false
}
