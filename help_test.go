package main

import (
	"strings"
	"testing"
)

// listed are the names of the commands on a help page: indented lines between the first and the last chapter.
func listed(page string) []string {
	var names []string
	for line := range strings.Lines(page) {
		if f := strings.Fields(line); strings.HasPrefix(line, "  ") && len(f) > 1 && strings.ToLower(f[0]) == f[0] && f[0][0] != '-' && f[0] != "session" {
			names = append(names, f[0])
		}
	}
	return names
}

func TestEveryCommandExplainsItself(t *testing.T) {
	for _, lang := range []struct{ flag, codes string }{{"en", "Exit codes: 0"}, {"ko", "종료 코드: 0"}} {
		env := environ(t)
		front, _, code := session(t, t.TempDir(), env, "--lang", lang.flag, "--help")
		names := listed(front)
		if code != 0 || len(names) < 15 {
			t.Fatalf("session --help ended in %d and lists %q:\n%s", code, names, front)
		}
		for _, name := range names {
			page, _, code := session(t, t.TempDir(), env, name, "--help", "--lang="+lang.flag)
			shows := strings.Count(page, "session "+name) - 2 // title and usage line
			if code != 0 || shows < 1 || !strings.Contains(page, lang.codes) {
				t.Errorf("session %s --help ended in %d, shows %d examples, and must name its exit codes:\n%s", name, code, shows, page)
			}
		}
	}
}
