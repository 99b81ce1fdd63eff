package assistant

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestBuildsOrTests(t *testing.T) {
	for line, want := range map[string]bool{
		"make": true, "make -j8 all": true, "cmake --build build": true, "cd build && ctest --output-on-failure": true, "CC=clang make": true,
		"go test ./...": true, "go vet ./...": true, "cargo build --release": true, "npm test": true, "npm run build": true, "npx jest": true,
		"python -m pytest -q": true, "python3 -m unittest": true, "pytest tests": true, "./gradlew build": true, "mvn -q verify": true,
		"timeout 60 make": true, "sudo time -p make": true, "./build.sh": true, "bash scripts/test": true, "scripts/test -race": true, "sh ./run_tests.sh": true,
		"(cd sub; ninja)": true, "make 2>&1 | tail -5": true, `C:\tools\msbuild.exe x.sln`: true, "env A=1 make": true, "docker compose build": true,
		"ls": false, "grep -r test src": false, "cat build.log": false, "echo make": false, "git commit -m 'make test'": false, "go doc fmt": false,
		"find . -name test": false, "cargo search x": false, "npm view x": false, "rm -rf build": false, "cd build": false, "test -f x": false, "": false,
		"python setup.py": false, "vim Makefile": false, "mkdir test": false, "session save": false,
	} {
		if got := BuildsOrTests(line); got != want {
			t.Errorf("BuildsOrTests(%q) = %v", line, got)
		}
	}
}

func FuzzBuildsOrTests(f *testing.F) {
	f.Add("cd a && make | tail")
	f.Add("((((")
	f.Fuzz(func(t *testing.T, line string) { BuildsOrTests(line) })
}

func TestSplitArguments(t *testing.T) {
	for text, want := range map[string][]string{
		"":                            nil,
		"  \n\t ":                     nil,
		"--sync":                      {"--sync"},
		`-m "token refresh" --next x`: {"-m", "token refresh", "--next", "x"},
		`-m 'a "b" c'`:                {"-m", `a "b" c`},
		`a\ b "c\"d" 'e\f' "g\h"`:     {"a b", `c"d`, `e\f`, `g\h`},
		`""`:                          {""},
		`a""b`:                        {"ab"},
		"--sync && curl x":            {"--sync", "&&", "curl", "x"},
		"$(touch x) `y` ; z | w > v":  {"$(touch", "x)", "`y`", ";", "z", "|", "w", ">", "v"},
		"$HOME ~ *":                   {"$HOME", "~", "*"},
		"a\nb":                        {"a", "b"},
		`end\`:                        {`end\`},
	} {
		got, err := SplitArguments(text)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v, want %q", text, got, err, want)
		}
	}
	for _, text := range []string{`"`, `a 'b`, `"\"`} {
		if _, err := SplitArguments(text); !errors.Is(err, ErrQuote) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := SplitArguments(strings.Repeat("x", maxArguments+1)); !errors.Is(err, ErrArguments) {
		t.Error(err)
	}
	if got, err := ReadArguments(strings.NewReader("a b\n")); err != nil || !slices.Equal(got, []string{"a", "b"}) {
		t.Error(got, err)
	}
	if _, err := ReadArguments(strings.NewReader(strings.Repeat("x", maxArguments+2))); !errors.Is(err, ErrArguments) {
		t.Error(err)
	}
}

// FuzzSplitArguments: whatever is typed, what is quoted as one word comes back as that word.
func FuzzSplitArguments(f *testing.F) {
	f.Add(`a "b" c\`)
	f.Fuzz(func(t *testing.T, s string) {
		if _, err := SplitArguments(s); err != nil && !errors.Is(err, ErrQuote) && !errors.Is(err, ErrArguments) {
			t.Error(err)
		}
		if strings.ContainsRune(s, '\'') || len(s) > maxArguments-2 || strings.ToValidUTF8(s, "") != s {
			return
		}
		got, err := SplitArguments("'" + s + "'")
		if err != nil || len(got) != 1 || got[0] != s {
			t.Errorf("%q quoted is %q, %v", s, got, err)
		}
	})
}

// What prints the environment is not kept; what sets or reads one variable is.
func TestShowsEnvironment(t *testing.T) {
	for line, want := range map[string]bool{
		"env": true, "printenv": true, "printenv HOME": true, "set": true, "export -p": true, "cd x && env | sort": true, "env > x": true, "(env)": true,
		"declare -x": true, "cat /proc/self/environ": true, "cat /proc/$$/environ": true, "echo $(env)": true, "python -c 'import os; print(os.environ)'": true,
		"node -e 'console.log(process.env)'": true, "Get-ChildItem Env:": true, "sudo env": true,
		"env A=1 make": false, "export A=1": false, "set -e": false, "make": false, "git config --list": false, "cat environment.md": false, "declare -i n=1": false,
	} {
		if got := showsEnvironment(line); got != want {
			t.Errorf("showsEnvironment(%q) = %v", line, got)
		}
	}
	path := filepath.Join(t.TempDir(), "t.jsonl")
	write(t, path, user("u1", "go")+answerLine("u2", "m1", bashCall("t1", "env | sort"))+result("u3", "t1", "HOME=/home/ada", false, ""))
	if got := said(pageOf(t, TranscriptOptions{Path: path})); strings.Contains(got, "HOME") || !strings.Contains(got, "env | sort") {
		t.Errorf("kept: %s", got)
	}
}
