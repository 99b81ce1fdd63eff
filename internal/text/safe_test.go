package text

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSafeShowsWhatCouldDoHarm(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                "plain",
		"한글 \U0001f600 é":      "한글 \U0001f600 é",
		"a\x1b[31mred":         `a\x1b[31mred`,
		"a\x07\x08\x7f":        `a\x07\x08\x7f`,
		"two\nlines\tand\rone": `two\nlines\tand\rone`,
		"\u009b31m":            `\u009b31m`,      // CSI as one character
		"x\u202egnp.exe":       `x\u202egnp.exe`, // right-to-left override
		"a\u200bb\ufeff":       `a\u200bb\ufeff`, // zero width
		"a\u2028b\u2029c":      `a\u2028b\u2029c`,
		"\u3164\u115f":         `\u3164\u115f`, // fillers: a name that looks empty
		"a\ufe0f\u034f":        "a\ufe0f\\u034f",
		"\U000e0041":           `\U000e0041`, // tags: text that no person sees
		"\ue000\U000f0000":     `\ue000\U000f0000`,
		"\u200c\u200d":         "\u200c\u200d", // joiners: scripts need them
		"bad\xff\xc3":          `bad\xff\xc3`,
		"":                     "",
	} {
		if got := Safe(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestSafeLinesKeepsLinesOnly(t *testing.T) {
	for in, want := range map[string]string{
		"a\nb":       "a\nb",
		"a\r\nb":     "a\nb",
		"a\rb":       `a\rb`, // would write over the line
		"a\tb":       "a    b",
		"a\x1b[Kb\n": "a\\x1b[Kb\n",
	} {
		if got := SafeLines(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestColumns(t *testing.T) {
	for _, x := range []struct {
		s    string
		cols int
		fit  string
		pad  string
	}{
		{"abc", 5, "abc", "abc  "},
		{"abcdef", 5, "abcd…", "abcdef"},
		{"한글이다", 8, "한글이다", "한글이다"},
		{"한글이다", 7, "한글이…", "한글이다"},
		{"한글이다", 6, "한글…", "한글이다"}, // half a wide character does not fit
		{"한", 4, "한", "한  "},
		{"e\u0301", 3, "e\u0301", "e\u0301  "},
		{"abc", 0, "", "abc"},
		{"abc", -1, "", "abc"},
	} {
		if got := Fit(x.s, x.cols); got != x.fit {
			t.Errorf("Fit(%q, %d): %q, want %q", x.s, x.cols, got, x.fit)
		}
		if got := Pad(x.s, x.cols); got != x.pad {
			t.Errorf("Pad(%q, %d): %q, want %q", x.s, x.cols, got, x.pad)
		}
	}
	for in, want := range map[string][]string{
		"short":                 {"short"},
		"one two three":         {"one two", "three"},
		"a-word-longer-than-it": nil,
		"한글로 쓴 문장이다":            {"한글로 쓴", "문장이다"},
		"":                      {""},
	} {
		got := Wrap(in, 10)
		if want != nil && !slices.Equal(got, want) || strings.Join(got, "") == "" && in != "" {
			t.Errorf("Wrap(%q): %q, want %q", in, got, want)
		}
		for _, l := range got {
			if Width(l) > 10 {
				t.Errorf("Wrap(%q): %q is wider than 10", in, l)
			}
		}
	}
	if got := Line(" a \n\t b\x1b ", 20); got != `a b\x1b` {
		t.Errorf("Line: %q", got)
	}
	if got := Line("a rather long line", 8); got != "a rathe…" {
		t.Errorf("Line: %q", got)
	}
}

func FuzzSafe(f *testing.F) {
	for _, s := range []string{"", "a\x1b]0;x\x07", "\u202e", "\xff", "\u3164", "한글\r\n", "\u200d"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, out := range []string{Safe(s), SafeLines(s)} {
			if !utf8.ValidString(out) || strings.ContainsFunc(out, func(r rune) bool { return r != '\n' && unsafe(r) }) {
				t.Fatalf("%q became %q", s, out)
			}
		}
		if out := Safe(s); strings.Contains(out, "\n") || Safe(out) != out {
			t.Fatalf("%q became %q: not one line, or not the same the second time", s, out)
		}
		if w := Width(Line(s, 17)); w > 17 {
			t.Fatalf("%q: a line of %d columns, at most 17", s, w)
		}
	})
}
