package openspec

import (
	"strings"
	"unicode/utf8"
)

// The OpenSpec program is JavaScript: its idea of white space, of characters and of broken UTF-8 is ECMAScript's and
// the WHATWG decoder's. Go's differ in each, so they are spelled out here.

// isSpace is ECMAScript's \s: WhiteSpace and LineTerminator of ECMA-262. Unlike unicode.IsSpace it has U+FEFF and lacks
// U+0085.
func isSpace(r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return asciiSpace(byte(r))
	case r >= 0x2000 && r <= 0x200A:
		return true
	}
	switch r {
	case 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF:
		return true
	}
	return false
}

func asciiSpace(c byte) bool { return c == ' ' || c >= 0x09 && c <= 0x0D }

// decode reads the first character of s as the WHATWG UTF-8 decoder does: an ill-formed sequence yields one U+FFFD for
// its maximal subpart, where utf8.DecodeRuneInString would yield one for every byte.
func decode(s string) (r rune, size int) {
	r, size = utf8.DecodeRuneInString(s)
	if r != utf8.RuneError || size != 1 {
		return r, size
	}
	follow, lo, hi := lead(s[0])
	for size <= follow && size < len(s) && s[size] >= lo && s[size] <= hi {
		size++
		lo, hi = 0x80, 0xBF
	}
	return utf8.RuneError, size
}

// lead says how many continuation bytes a first byte announces and the range of the first of them (Unicode 16,
// table 3-7).
func lead(c byte) (follow int, lo, hi byte) {
	switch {
	case c >= 0xC2 && c <= 0xDF:
		return 1, 0x80, 0xBF
	case c == 0xE0:
		return 2, 0xA0, 0xBF
	case c == 0xED:
		return 2, 0x80, 0x9F
	case c >= 0xE1 && c <= 0xEF:
		return 2, 0x80, 0xBF
	case c == 0xF0:
		return 3, 0x90, 0xBF
	case c >= 0xF1 && c <= 0xF3:
		return 3, 0x80, 0xBF
	case c == 0xF4:
		return 3, 0x80, 0x8F
	}
	return 0, 0, 0
}

// skipSpace gives the offset of the first character of s at or after i that is not \s.
func skipSpace(s string, i int) int {
	for i < len(s) {
		if c := s[i]; c < utf8.RuneSelf {
			if !asciiSpace(c) {
				return i
			}
			i++
			continue
		}
		r, n := decode(s[i:])
		if !isSpace(r) {
			return i
		}
		i += n
	}
	return i
}

// wellFormed gives s as the program holds it in memory: every maximal ill-formed subpart replaced by one U+FFFD.
func wellFormed(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + utf8.UTFMax)
	for len(s) > 0 {
		r, n := decode(s)
		b.WriteRune(r)
		s = s[n:]
	}
	return b.String()
}
