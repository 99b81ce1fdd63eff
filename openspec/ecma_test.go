package openspec

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// ecmaSpaces are the code points of ECMA-262's WhiteSpace and LineTerminator, written down from the standard.
var ecmaSpaces = []rune{
	0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x20, 0xA0, 0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007,
	0x2008, 0x2009, 0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF,
}

func TestIsSpace(t *testing.T) {
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if got, want := isSpace(r), slices.Contains(ecmaSpaces, r); got != want {
			t.Errorf("isSpace(%U) = %v", r, got)
		}
	}
}

func TestSkipSpace(t *testing.T) {
	for _, r := range ecmaSpaces {
		s := string(r) + " " + string(r) + "x"
		if got := skipSpace(s, 0); got != len(s)-1 {
			t.Errorf("after %U: stopped at %d of %d", r, got, len(s))
		}
	}
	for _, s := range []string{"", "\u0085", "\u200B", "\u180E", "\x1C", "\x1F", "\x00", "\xFF", "\xE2\x80"} {
		if got := skipSpace(s, 0); got != 0 {
			t.Errorf("%q: skipped %d bytes", s, got)
		}
	}
	if got := skipSpace("   ", 1); got != 3 {
		t.Errorf("skipSpace ran to %d, not to the end", got)
	}
}

// TestMaximalSubpart has the examples of Unicode 16, tables 3-8 to 3-11, and of the WHATWG Encoding Standard.
func TestMaximalSubpart(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"plain", "plain"},
		{"한글", "한글"},
		{"\xFF", "\uFFFD"},
		{"\xFF\xFE", "\uFFFD\uFFFD"},
		{"\xE2\x9C", "\uFFFD"},
		{"\xE2\x9C\x93", "✓"},
		{"\xE2x", "\uFFFDx"},
		{"\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41", strings.Repeat("\uFFFD", 8) + "A"},
		{"\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41", strings.Repeat("\uFFFD", 8) + "A"},
		{"\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42", "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFDA\uFFFD\uFFFDB"},
		{"\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41", "\uFFFD\uFFFD\uFFFD\uFFFDA"},
		{"\xF0\x9F\x94", "\uFFFD"},
		{"\xF0\x9F\x94\xA5", "🔥"},
		{"\xF0\x9F\x94\xF0\x9F\x94\xA5", "\uFFFD🔥"},
		{"\xF5\x80\x80\x80", "\uFFFD\uFFFD\uFFFD\uFFFD"},
		{"\x80\x80", "\uFFFD\uFFFD"},
		{"a\xC2", "a\uFFFD"},
		{"\uFFFD", "\uFFFD"},
	} {
		if got := wellFormed(c.in); got != c.want {
			t.Errorf("wellFormed(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func FuzzWellFormed(f *testing.F) {
	for _, s := range []string{"", "a\xC2b", "\xE2\x9C\x93", "\xF0\x9F\x94", "\xED\xA0\x80", "한\xEC\x9E"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := wellFormed(s)
		if !utf8.ValidString(got) {
			t.Fatalf("%q is still broken: %q", s, got)
		}
		if utf8.ValidString(s) && got != s {
			t.Fatalf("%q was changed to %q", s, got)
		}
		for len(s) > 0 { // what is well formed survives in order
			r, n := decode(s)
			if n <= 0 || n > utf8.UTFMax || !strings.HasPrefix(got, string(r)) {
				t.Fatalf("decode gave %U, %d", r, n)
			}
			s, got = s[n:], got[len(string(r)):]
		}
	})
}
