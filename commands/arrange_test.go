package commands

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"session/internal/text"
)

func program(t *testing.T) (*root, *bytes.Buffer) {
	t.Helper()
	var out bytes.Buffer
	return &root{System: System{Out: &out, Err: &out, Dir: t.TempDir(), Now: time.Now}, words: text.New(text.English)}, &out
}

// TestArrange: flags may stand anywhere; what follows "--" is the user's own, and so is what a flag was given.
func TestArrange(t *testing.T) {
	r, _ := program(t)
	a := r.app()
	typed := func(s string) ([]string, error) { return strings.Split(s, "_"), nil }
	for line, want := range map[string]string{
		"":                                      "",
		"save":                                  "save",
		"save -m words --sync":                  "save -m words --sync",
		"save --sync -m words":                  "save --sync -m words",
		"-C dir save":                           "save -C dir",
		"save -C dir":                           "save -C dir",
		"--json load HEAD~1":                    "load --json -- HEAD~1",
		"load HEAD~1 --json":                    "load --json -- HEAD~1",
		"load -- --json":                        "load -- --json",
		"save junk --sync":                      "save --sync -- junk",
		"blocker watch -- make -j8 --quiet":     "blocker watch -- make -j8 --quiet",
		"blocker --json watch -- make":          "blocker watch --json -- make",
		"save -m save":                          "save -m save",
		"save --next load --next status":        "save --next load --next status",
		"save --mode=handoff":                   "save --mode=handoff",
		"save -m -x":                            "save -m -x",
		"save --assistant --arguments=-m_words": "save --assistant -m words",
		"diff a b":                              "diff -- a b",
		"diff a - b":                            "diff -- a - b",
		"restore HEAD save --apply":             "restore --apply -- HEAD save", // a file called save
		"nosuch --json":                         "--json -- nosuch",
		"show HEAD --help":                      "show --help", // the library would look for a command HEAD
		"blocker set build_error -h -m x":       "blocker set --help",
		"blocker watch -- make --help":          "blocker watch -- make --help",
	} {
		got, err := r.arrange(a, strings.Fields(line), typed)
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: %q, %v; want %q", line, strings.Join(got, " "), err, want)
		}
	}
	if _, err := r.arrange(a, []string{"load", "--arguments=a_--arguments=b"}, typed); err == nil || err.Error() != "there is no flag --arguments" {
		t.Errorf("more than once: %v", err)
	}
	if _, err := r.arrange(a, []string{"save", "-m"}, nil); err == nil || err.Error() != "-m needs a value" {
		t.Errorf("%v", err)
	}
}

func TestFlagLang(t *testing.T) {
	for line, want := range map[string]string{
		"session save": "", "session --lang ko save": "ko", "session save --lang=ko --help": "ko", "session save -lang ko": "ko", "session save --lang": "",
		"session blocker watch -- prog --lang ko": "", "session --language ko": "",
	} {
		if got := flagLang(strings.Fields(line)); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

// TestMainEnds: what a command line that makes no sense says, and in which language.
func TestMainEnds(t *testing.T) {
	for _, tc := range []struct {
		line, env, want string
		code            int
	}{
		{"session nosuch", "", "there is no command “nosuch”", 2},
		{"session sav", "", "did you mean save", 2},
		{"session sav", "LC_ALL=ko_KR.UTF-8", "“sav” 명령은 없습니다", 2},
		{"session --lang ko sav", "", "“sav” 명령은 없습니다", 2},
		{"session --lang xx version", "", "xx", 2},
		{"session save --nosuch", "", "nosuch", 2},
		{"session save --quick --sync", "", "name one mode", 2},
		{"session save --mode full --sync", "", "name one mode", 2},
		{"session save --next=", "", "--next must not be empty", 2},
		{"session save -m=", "", "session: -m must not be empty", 2},
		{"session version extra", "", `unexpected argument "extra"`, 2},
		{"session version", "", "session ", 0},
		{"session --help", "LANG=ko_KR.UTF-8", "날마다", 0},
		{"session save --help --lang ko", "", "종료 코드:", 0},
		{"session blocker watch --help", "", "session blocker watch -- ", 0},
	} {
		r, out := program(t)
		r.Env = []string{tc.env}
		if code := Main(context.Background(), strings.Fields(tc.line), r.System); code != tc.code || !strings.Contains(out.String(), tc.want) {
			t.Errorf("%s: code %d, want %d and %q in\n%s", tc.line, code, tc.code, tc.want, out)
		}
	}
}

func TestInward(t *testing.T) {
	for field, want := range map[string]bool{
		"context_state/memory/0/id": true, "context_state/memory/0/counts/3": true, "context_state/memory/1/summary": false,
		"context_state/state/working_on": false, "environment_state/git/head": false, "environment_state/diagnosed": true,
	} {
		if got := inward(field); got != want {
			t.Errorf("%s: %v", field, got)
		}
	}
}

// TestChaptersHoldEachCommandOnce: the first help page names every command that a person calls.
func TestChaptersHoldEachCommandOnce(t *testing.T) {
	r, _ := program(t)
	page := r.frontPage(r.commands())
	for _, c := range r.commands() {
		if n := strings.Count(page, "\n  "+c.Name+" "); n != 1 && !c.Hidden {
			t.Errorf("%s stands on the first page %d times", c.Name, n)
		}
	}
	var all []string
	for _, ch := range chapters {
		all = append(all, ch.commands...)
	}
	slices.Sort(all)
	if len(slices.Compact(slices.Clone(all))) != len(all) {
		t.Errorf("a command stands in two chapters: %q", all)
	}
}
