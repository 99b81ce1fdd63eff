package rules

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func tableOf(t testing.TB, list ...Rule) *Table {
	t.Helper()
	tab, err := NewTable(list)
	if err != nil {
		t.Fatal(err)
	}
	return tab
}

// TestShapes reads the hot forms without a pattern.
func TestShapes(t *testing.T) {
	for _, c := range []struct {
		shape, line string
		want        Match
		ok          bool
	}{
		{ShapeColon, "a.c:3:5: error: boom", Match{File: "a.c", Line: 3, Col: 5, Msg: "boom"}, true},
		{ShapeColon, "a.c:3: error: boom", Match{File: "a.c", Line: 3, Msg: "boom"}, true},
		{ShapeColon, "/w/a b/c.c:3:5: fatal error: boom", Match{File: "/w/a b/c.c", Line: 3, Col: 5, Msg: "boom"}, true},
		{ShapeColon, `C:\w\a.c:3:5: error: boom`, Match{File: `C:\w\a.c`, Line: 3, Col: 5, Msg: "boom"}, true},
		{ShapeColon, "a.c:3:5-9: error: boom", Match{File: "a.c", Line: 3, Col: 5, Msg: "boom"}, true},
		{ShapeColon, "a.c:3.5: error: boom", Match{File: "a.c", Line: 3, Col: 5, Msg: "boom"}, true},
		{ShapeColon, "a.rs:3:5: 3:9 error: boom", Match{File: "a.rs", Line: 3, Col: 5, Msg: "boom"}, true},
		{ShapeColon, "a.ts:3:5 - error TS2304: boom", Match{File: "a.ts", Line: 3, Col: 5, Msg: "TS2304: boom"}, true},
		{ShapeColon, "a.hs:3:5: error:", Match{File: "a.hs", Line: 3, Col: 5}, true},
		{ShapeColon, "a.hs:3:5: error: [GHC-88464]", Match{File: "a.hs", Line: 3, Col: 5, Msg: "[GHC-88464]"}, true},
		{ShapeColon, "a.c:3:5: Fehler: boom", Match{File: "a.c", Line: 3, Col: 5, Msg: "boom"}, true},
		{ShapeColon, "a.c:3:5: 错误：boom", Match{File: "a.c", Line: 3, Col: 5, Msg: "boom"}, true},
		{ShapeColon, "a.c:3:5: エラー: boom", Match{File: "a.c", Line: 3, Col: 5, Msg: "boom"}, true},
		{ShapeColon, "a.c:3:5: 오류: boom", Match{File: "a.c", Line: 3, Col: 5, Msg: "boom"}, true},
		{ShapeColon, "a.c:3:5: erreur : boom", Match{File: "a.c", Line: 3, Col: 5, Msg: "boom"}, true},
		{ShapeColon, "a.c:3:5: internal compiler error: boom", Match{File: "a.c", Line: 3, Col: 5, Msg: "boom"}, true},
		{ShapeColon, "##[error]a.c:3:5: error: boom", Match{File: "a.c", Line: 3, Col: 5, Msg: "boom"}, true},
		{ShapeColon, "[ERROR] a.c:3:5: error: boom", Match{File: "a.c", Line: 3, Col: 5, Msg: "boom"}, true},
		{ShapeColon, "[ERROR] Exit code: 1 - /w/A.java:79: error: boom", Match{File: "/w/A.java", Line: 79, Msg: "boom"}, true},
		{ShapeColon, "Makefile:3: error: boom", Match{File: "Makefile", Line: 3, Msg: "boom"}, true},
		{ShapeColon, "<stdin>:3:5: error: boom", Match{File: "<stdin>", Line: 3, Col: 5, Msg: "boom"}, true},
		{ShapeColon, "a.c:3:5: warning: error: boom", Match{}, false},
		{ShapeColon, "a.c:3:5: note: error: boom", Match{}, false},
		{ShapeColon, "    a_test.go:3: error: boom", Match{}, false},
		{ShapeColon, "12:30: error: boom", Match{}, false},
		{ShapeColon, "12:30:15: error: boom", Match{}, false},
		{ShapeColon, "the time is 12:30: error: boom", Match{}, false},
		{ShapeColon, "2026/01/04 10:00:00 main.go:12: error: boom", Match{}, false},
		{ShapeColon, "a.c: error: boom", Match{}, false},
		{ShapeColon, "a.c:x: error: boom", Match{}, false},
		{ShapeColon, ":3: error: boom", Match{}, false},
		{ShapeColon, "a.c:3: errors: boom", Match{}, false},
		{ShapeColon, "a.c:99999999999: error: boom", Match{}, false},
		{ShapeColon, "'a.c':3: error: boom", Match{}, false},
		{ShapeColon, "a.c:3:", Match{}, false},
		{ShapeColon, "", Match{}, false},
		{ShapeParen, "a.cpp(12): error C2065: boom", Match{File: "a.cpp", Line: 12, Msg: "C2065: boom"}, true},
		{ShapeParen, "a.cpp(12,5): error C2065: boom", Match{File: "a.cpp", Line: 12, Col: 5, Msg: "C2065: boom"}, true},
		{ShapeParen, "a.cpp(12) : fatal error C1083: boom", Match{File: "a.cpp", Line: 12, Msg: "C1083: boom"}, true},
		{ShapeParen, `C:\w x\a.cpp(12): error C2065: boom`, Match{File: `C:\w x\a.cpp`, Line: 12, Msg: "C2065: boom"}, true},
		{ShapeParen, "a.c(197): error:  #18: boom", Match{File: "a.c", Line: 197, Msg: "#18: boom"}, true},
		{ShapeParen, "a.c(3) : Error[Pe020]: boom", Match{File: "a.c", Line: 3, Msg: "Pe020: boom"}, true},
		{ShapeParen, "main.cpp(17): error : boom", Match{File: "main.cpp", Line: 17, Msg: "boom"}, true},
		{ShapeParen, "a.pas(5,3) Error: boom", Match{File: "a.pas", Line: 5, Col: 3, Msg: "boom"}, true},
		{ShapeParen, "a.nim(3, 5) Error: boom", Match{File: "a.nim", Line: 3, Col: 5, Msg: "boom"}, true},
		{ShapeParen, "pkg build: src/a.ts(3,1): error TS2304: boom", Match{File: "src/a.ts", Line: 3, Col: 1, Msg: "TS2304: boom"}, true},
		{ShapeParen, "a.cs(3,5,3,9): error CS1002: boom", Match{File: "a.cs", Line: 3, Col: 5, Msg: "CS1002: boom"}, true},
		{ShapeParen, "/w/a.as(12): col: 5 Error: boom", Match{File: "/w/a.as", Line: 12, Msg: "boom"}, true},
		{ShapeParen, "      a.cs(3,5): error CS1002: boom", Match{File: "a.cs", Line: 3, Col: 5, Msg: "CS1002: boom"}, true},
		{ShapeParen, "      a.cs(3,5): error: boom", Match{}, false},
		{ShapeParen, "a.cpp(12): warning C4101: boom", Match{}, false},
		{ShapeParen, "f(3): error", Match{}, false},
		{ShapeParen, "call(12, x): error: boom", Match{}, false},
		{ShapeParen, "a.cpp(12: error C1: boom", Match{}, false},
		{ShapeParen, "(12): error C1: boom", Match{}, false},
		{ShapeLevel, "[ERROR] boom", Match{Msg: "boom"}, true},
		{ShapeLevel, "ERROR: boom", Match{Msg: "boom"}, true},
		{ShapeLevel, "error[E0308]: boom", Match{Msg: "E0308: boom"}, true},
		{ShapeLevel, "##[error]boom", Match{Msg: "boom"}, true},
		{ShapeLevel, "Error: boom", Match{Msg: "boom"}, true},
		{ShapeLevel, "오류: boom", Match{Msg: "boom"}, true},
		{ShapeLevel, "errors: boom", Match{}, false},
		{ShapeLevel, "boom", Match{}, false},
	} {
		got, ok := parseShape(c.shape, []byte(c.line))
		if ok != c.ok {
			t.Errorf("%s %q: %v, want %v (%+v)", c.shape, c.line, ok, c.ok, got)
			continue
		}
		if ok && (got.File != c.want.File || got.Line != c.want.Line || got.Col != c.want.Col || got.Msg != c.want.Msg) {
			t.Errorf("%s %q: %+v, want %+v", c.shape, c.line, got, c.want)
		}
	}
}

// TestMatchOrder: the first rule wins, exceptions and the gate let the next one have it.
func TestMatchOrder(t *testing.T) {
	tab := tableOf(t,
		Rule{ID: "special", Type: "other", Literals: []string{"BOOM"}, Pattern: "BOOM special", Not: []string{"not so"}},
		Rule{ID: "general", Type: "other", Literals: []string{"BOOM"}},
		Rule{ID: "never", Type: "other", Literals: []string{"BOOM"}},
	)
	for line, want := range map[string]string{"BOOM special": "special", "BOOM special, not so": "general", "BOOM": "general", "boom": ""} {
		m, ok := tab.MatchText(line, nil)
		if ok != (want != "") || ok && m.Rule.ID != want {
			t.Errorf("%q: %+v, want %q", line, m.Rule, want)
		}
	}
	m, ok := tab.MatchText("BOOM special", func(r *Rule) bool { return r.ID == "never" })
	if !ok || m.Rule.ID != "never" {
		t.Errorf("gate: %+v", m.Rule)
	}
}

// TestNoPatternWithoutLiteral: a pattern that matches everything is asked only where its literal stands.
func TestNoPatternWithoutLiteral(t *testing.T) {
	tab := tableOf(t, Rule{ID: "greedy", Type: "other", Literals: []string{"NEEDLE"}, Pattern: "."})
	if _, ok := tab.MatchText("hay hay hay", nil); ok {
		t.Error("a pattern saw a line that no literal selected")
	}
	if _, ok := tab.MatchText("hay NEEDLE hay", nil); !ok {
		t.Error("the literal was not found")
	}
}

// TestIgnoreEndsTheSearch: a line that is ignored says nothing, one that only ignore rules ask for is not even matched.
func TestIgnoreEndsTheSearch(t *testing.T) {
	tab := tableOf(t, Rule{ID: "noise", Strength: Ignore, Literals: []string{"NOISE"}}, Rule{ID: "boom", Type: "other", Literals: []string{"BOOM"}})
	if m, ok := tab.MatchText("NOISE BOOM", nil); !ok || m.Rule.ID != "noise" {
		t.Errorf("%+v", m.Rule)
	}
	if _, ok := tab.MatchText("NOISE", nil); ok {
		t.Error("a line of noise matched")
	}
}

// TestCaptures: file2, msg3 are the same capture in other branches; further groups are kept by name.
func TestCaptures(t *testing.T) {
	tab := tableOf(t, Rule{ID: "a", Type: "other", Literals: []string{"at "}, Pattern: `^(?:at (?P<file>\S+):(?P<line>\d+):(?P<col>\d+) (?P<msg>.*)|in (?P<file2>\S+) at (?P<line2>\d+) (?P<msg2>.*?)(?: by (?P<who>\w+))?)$`})
	m, _ := tab.MatchText("at a.c:3:5 boom", nil)
	if m.File != "a.c" || m.Line != 3 || m.Col != 5 || m.Msg != "boom" || m.Vars != nil {
		t.Errorf("%+v", m)
	}
	m, _ = tab.MatchText("in b.c at 7 boom by ann", nil)
	if m.File != "b.c" || m.Line != 7 || m.Msg != "boom" || m.Vars["who"] != "ann" {
		t.Errorf("%+v", m)
	}
	if got := m.Fill("{who} broke {file}:{line}:{col} {key} {nothing}"); got != "ann broke b.c:7:? ? {nothing}" {
		t.Errorf("%q", got)
	}
	if got := m.Fill("plain"); got != "plain" {
		t.Errorf("%q", got)
	}
}

// TestDigitLiteral: \d at the end stands for the digits 1 to 9.
func TestDigitLiteral(t *testing.T) {
	tab := tableOf(t, Rule{ID: "a", Type: "other", Literals: []string{`.go:\d`}})
	for line, want := range map[string]bool{"a.go:1": true, "a.go:9:": true, "a.go:0": false, "a.go:x": false, `a.go:\d`: false} {
		if _, ok := tab.MatchText(line, nil); ok != want {
			t.Errorf("%q: %v", line, ok)
		}
	}
}

// TestFollow: later lines fill what is empty, a place only as a whole; Last replaces, Skip passes over, Until ends.
func TestFollow(t *testing.T) {
	place := `^at (?P<file>\S+):(?P<line>\d+)`
	for name, c := range map[string]struct {
		rule  Rule
		lines string
		want  string
	}{
		"first":          {Rule{Then: []Then{{Pattern: place}}}, "x\nat a.c:1\nat b.c:2", "a.c:1"},
		"last":           {Rule{Then: []Then{{Pattern: place, Last: true}}}, "at a.c:1\nx\nat b.c:2", "b.c:2"},
		"skip":           {Rule{Then: []Then{{Pattern: place, Skip: "lib/"}}}, "at lib/a.c:1\nat b.c:2", "b.c:2"},
		"skip and last":  {Rule{Then: []Then{{Pattern: place, Skip: "lib/", Last: true}}}, "at a.c:1\nat b.c:2\nat lib/c.c:3", "b.c:2"},
		"until":          {Rule{Then: []Then{{Pattern: place}}, Until: "^$"}, "x\n\nat a.c:1", ":0"},
		"within":         {Rule{Then: []Then{{Pattern: place, Within: 2}}}, "x\nx\nat a.c:1", ":0"},
		"just within":    {Rule{Then: []Then{{Pattern: place, Within: 3}}}, "x\nx\nat a.c:1", "a.c:1"},
		"two wants":      {Rule{Then: []Then{{Pattern: `^msg (?P<msg>.*)`}, {Pattern: place}}}, "at a.c:1\nmsg m", "a.c:1"},
		"over, foreign":  {Rule{Pattern: `BOOM (?P<file>\S+):(?P<line>\d+)`, Then: []Then{{Pattern: place, Over: "^/usr/", Last: true}}}, "at a.c:1\nat b.c:2", "b.c:2"},
		"default within": {Rule{Then: []Then{{Pattern: place}}}, strings.Repeat("x\n", DefaultWithin) + "at a.c:1", ":0"},
	} {
		c.rule.ID, c.rule.Type, c.rule.Literals = "r", "other", []string{"BOOM"}
		tab := tableOf(t, c.rule)
		m, ok := tab.MatchText("BOOM /usr/x.c:9", nil)
		if !ok {
			t.Fatal(name)
		}
		f := tab.Follow(&m)
		for l := range strings.SplitSeq(c.lines, "\n") {
			if _, more := f.Feed([]byte(l)); !more {
				break
			}
		}
		if got := fmt.Sprintf("%s:%d", m.File, m.Line); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	tab := tableOf(t, Rule{ID: "r", Type: "other", Literals: []string{"BOOM"}, Pattern: `(?P<file>\S+):(?P<line>\d+)`, Then: []Then{{Pattern: place, Over: "^/usr/", Last: true}}})
	m, _ := tab.MatchText("BOOM own.c:9", nil)
	tab.Follow(&m).Feed([]byte("at a.c:1"))
	if m.File != "own.c" || m.Line != 9 {
		t.Errorf("a place of the user's own was replaced: %s:%d", m.File, m.Line)
	}
	plain := tableOf(t, Rule{ID: "r", Type: "other", Literals: []string{"BOOM"}})
	m, _ = plain.MatchText("BOOM", nil)
	if plain.Follow(&m) != nil {
		t.Error("a rule without wants follows")
	}
}

// TestSelectAgainstSearch compares the filter with a plain search on random text over few letters, so that literals
// begin, overlap and break off everywhere, for literals of every length and so for every stride.
func TestSelectAgainstSearch(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	word := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = "abc"[r.IntN(3)]
		}
		return string(b)
	}
	for shortest := 3; shortest <= 9; shortest++ {
		var list []Rule
		for i := range 12 {
			list = append(list, Rule{ID: fmt.Sprintf("r%d", i), Type: "other", Literals: []string{word(shortest + r.IntN(6))}})
		}
		tab := tableOf(t, list...)
		for range 200 {
			var text []byte
			for range r.IntN(30) {
				text = append(text, word(r.IntN(20))...)
				text = append(text, "\n\r\n "[r.IntN(4)])
			}
			compareSelect(t, tab, list, text)
		}
	}
}

func compareSelect(t *testing.T, tab *Table, list []Rule, text []byte) {
	t.Helper()
	var sel Selection
	tab.Select(append(slices.Clone(text), make([]byte, Padding)...), len(text), &sel)
	got := map[int][]uint16{}
	for _, l := range sel.Lines {
		lits := slices.Clone(sel.literals(l))
		slices.Sort(lits)
		got[l.Start] = slices.Compact(lits)
	}
	start := 0
	for _, line := range strings.FieldsFunc(strings.NewReplacer("\n", "\n\x00", "\r", "\r\x00").Replace(string(text)), func(r rune) bool { return r == 0 }) {
		body := strings.TrimRight(line, "\n\r")
		var want []uint16
		for i, l := range tab.filter.literals {
			if strings.Contains(body, l) {
				want = append(want, uint16(i))
			}
		}
		if !slices.Equal(got[start], want) {
			t.Fatalf("stride %d: line %q at %d holds %v, selected with %v", tab.filter.stride, body, start, want, got[start])
		}
		start += len(line)
	}
	_ = list
}

// TestBuiltinStride: a short literal among the built-in ones would slow every scan down.
func TestBuiltinStride(t *testing.T) {
	if s := BuiltinTable().filter.stride; s != maxStride {
		t.Errorf("stride %d: some built-in literal is shorter than five bytes", s)
	}
	for _, l := range BuiltinTable().filter.literals {
		if len(l) < 5 {
			t.Errorf("literal %q is short", l)
		}
	}
}

// TestBuiltinCannotBeChanged: callers get their own list.
func TestBuiltinCannotBeChanged(t *testing.T) {
	Builtin()[0].ID = "mine"
	if Builtin()[0].ID == "mine" {
		t.Error("a caller changed the rules of everybody")
	}
	if n := len(BuiltinTable().Rules()); n != len(Builtin()) {
		t.Errorf("%d rules in the table, %d in the list", n, len(Builtin()))
	}
}
