package text

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Safe makes foreign text harmless on a terminal: control characters, escapes, characters that reorder or hide text
// and invalid bytes are shown as \x1b, \u202e and the like; line breaks and tabs become visible too, so one value
// stays one line.
func Safe(s string) string { return escape(s, false) }

// SafeLines is Safe for text of several lines: line breaks stay, tabs become blanks.
func SafeLines(s string) string { return escape(s, true) }

func escape(s string, multiline bool) string {
	if clean(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\n' && multiline:
			b.WriteByte('\n')
		case r == '\t' && multiline:
			b.WriteString("    ")
		case r == '\r' && multiline && strings.HasPrefix(s[i+n:], "\n"):
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case unsafe(r) && r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		case unsafe(r) && r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		case unsafe(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
		i += n
	}
	return b.String()
}

// clean reports whether s is plain printable text, the usual case.
func clean(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < 0x20 || s[i] >= 0x7f {
			return !strings.ContainsFunc(s, unsafe) && utf8.ValidString(s)
		}
	}
	return true
}

// unsafe are characters that move the cursor, change the terminal, reorder text or show nothing at all. A zero-width
// joiner and non-joiner stay: scripts need them.
func unsafe(r rune) bool {
	switch {
	case r == 0x200c || r == 0x200d:
		return false
	case unicode.Is(unicode.Cc, r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Zl, r), unicode.Is(unicode.Zp, r):
		return true
	}
	return unicode.Is(unicode.Co, r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) || r >= 0xe0000 && r <= 0xe0fff
}

// Width is the number of terminal columns that s takes.
func Width(s string) int { return ansi.StringWidth(s) }

// Fit cuts s to at most cols columns, marking the cut with "…".
func Fit(s string, cols int) string {
	if cols <= 0 {
		return ""
	}
	return ansi.Truncate(s, cols, "…")
}

// Wrap breaks s into lines of at most cols columns, between words where it can.
func Wrap(s string, cols int) []string {
	if cols <= 0 || Width(s) <= cols {
		return []string{s}
	}
	lines := strings.Split(ansi.Wrap(s, cols, ""), "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return lines
}

// Pad fills s with blanks up to cols columns.
func Pad(s string, cols int) string {
	return s + strings.Repeat(" ", max(0, cols-Width(s)))
}

// Line is s as one short line: safe, runs of white space made one blank, cut to cols columns.
func Line(s string, cols int) string {
	return Fit(Safe(strings.Join(strings.Fields(s), " ")), cols)
}
