package text

import (
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// JSON makes a JSON document harmless on a terminal without changing what it says: characters that Safe would show as an
// escape become \u escapes. encoding/json leaves those from U+007F on as they are.
func JSON(doc string) string {
	if !strings.ContainsFunc(doc, hidden) {
		return doc
	}
	var b strings.Builder
	for len(doc) > 0 {
		r, n := utf8.DecodeRuneInString(doc)
		switch {
		case !hidden(r):
			b.WriteString(doc[:n])
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		doc = doc[n:]
	}
	return b.String()
}

// hidden are the unsafe characters that can stand in a JSON string as they are: line breaks between values stay.
func hidden(r rune) bool { return r >= 0x7f && unsafe(r) }
