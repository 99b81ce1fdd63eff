// Package quote is the one rule by which words out of logs, reports, reviews, commits and memories reach a language
// model, and a person beside it. They are data that anybody may have written, so each line of them
//
//   - stands behind Mark, one line for one line, so that no text can look like the end of the quotation;
//   - shows control characters, terminal escapes and characters that hide or reorder text as \x1b and the like;
//   - is cut: a line to its columns, a block of lines to its bytes.
//
// A sentence of our own (a headline, a finding, a step) never holds such words: it names a type and a place, and what is
// quoted follows on lines of its own. A place is named only if it lies within the repository.
package quote

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"unicode"

	"session/blocker"
	"session/internal/text"
)

// Mark begins every line that is quoted.
const Mark = "| "

// MaxLine is the most that is quoted of one line, in columns.
const MaxLine = 300

// Line quotes s as one line of at most cols columns, without paths that lead out of the repository.
func Line(s string, cols int) string { return Mark + Words(s, cols) }

// Words are the words of Line, without the mark.
func Words(s string, cols int) string {
	return text.Line(Within(clip(s)), cols)
}

// clip bounds what is looked at: a line of a log may be as long as the log.
func clip(s string) string {
	const most = 16 << 10
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "")
}

// Lines quotes evidence: each line once, at most limit bytes of them, the cut marked. Paths stay as they are: they are
// what a compiler said.
func Lines(all []string, limit int) []string {
	var out []string
	seen := map[string]bool{}
	for _, s := range all {
		for line := range strings.SplitSeq(s, "\n") {
			line = text.Line(clip(line), MaxLine)
			if line == "" || seen[line] {
				continue
			}
			seen[line] = true
			if limit -= len(line); limit < 0 {
				return append(out, Mark+"…")
			}
			out = append(out, Mark+line)
		}
	}
	return out
}

// Place is where a blocker points, as file:line or file; "" where that is outside the repository or not known.
func Place(b *blocker.Blocker) string {
	switch {
	case !Inside(b.File):
		return ""
	case b.Line <= 0:
		return text.Line(b.File, MaxLine)
	}
	return fmt.Sprintf("%s:%d", text.Line(b.File, MaxLine), b.Line)
}

// Inside reports whether a path of the repository's root leads to something within it.
func Inside(file string) bool {
	file = strings.ReplaceAll(file, `\`, "/")
	return file != "" && filepath.IsLocal(filepath.FromSlash(file)) && !drive(file) && !strings.HasPrefix(file, "~")
}

func drive(s string) bool {
	return len(s) > 2 && s[1] == ':' && (s[2] == '/' || s[2] == '\\') && unicode.IsLetter(rune(s[0]))
}

// Within is s with paths that lead out of the repository cut to their last name: …/stdio.h. A URL stays.
func Within(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		i := strings.IndexFunc(s, part)
		if i < 0 {
			break
		}
		b.WriteString(s[:i])
		s = s[i:]
		n := ends(s)
		if drive(s) {
			n = 2 + ends(s[2:])
		}
		url := strings.HasSuffix(b.String(), ":") && strings.HasPrefix(s, "//") && !strings.HasPrefix(s, "///")
		if url {
			b.WriteString(s[:n])
		} else {
			b.WriteString(inner(s[:n]))
		}
		s = s[n:]
	}
	return b.String() + s
}

// ends is how far a path goes.
func ends(s string) int {
	if i := strings.IndexFunc(s, func(r rune) bool { return !part(r) }); i >= 0 {
		return i
	}
	return len(s)
}

// part reports whether a character can stand in a path as logs write them.
func part(r rune) bool {
	return !unicode.IsSpace(r) && !unicode.IsControl(r) && !strings.ContainsRune("\"'`‘’“”()<>[]{},;:=|", r)
}

// inner is one path, cut to its last name if it leads out of the repository. An option like /W4 is none.
func inner(s string) string {
	option := ""
	if len(s) > 3 && s[0] == '-' && strings.ContainsRune("ILFB", rune(s[1])) { // -I/usr/include
		option, s = s[:2], s[2:]
	}
	p := path.Clean(strings.ReplaceAll(s, `\`, "/"))
	out := drive(s) || p == ".." || strings.HasPrefix(p, "../") || strings.HasPrefix(p, "~") && strings.Contains(p, "/") ||
		strings.HasPrefix(p, "/") && strings.Count(p, "/") > 1 || strings.HasPrefix(s, `\\`)
	if !out {
		return option + s
	}
	if p = path.Base(p); p == ".." {
		return option + "…"
	}
	return option + "…/" + p
}

// Blocker is a copy of b as it may be handed to a model in JSON: each text one safe line of a bounded length, no place
// and no description outside the repository.
func Blocker(b *blocker.Blocker) *blocker.Blocker {
	if b == nil {
		return nil
	}
	c := *b
	if !Inside(c.File) {
		c.File, c.Line = "", 0
	}
	for _, s := range []*string{&c.Description, &c.Resolution, &c.Message, &c.ErrorPattern, &c.AppearedAfter} {
		*s = Words(*s, MaxLine)
	}
	c.Evidence = nil
	for _, line := range Lines(b.Evidence, 6<<10) {
		c.Evidence = append(c.Evidence, strings.TrimPrefix(line, Mark))
	}
	c.Cause = Blocker(b.Cause)
	return &c
}

// Blockers are copies of all of them.
func Blockers(all []blocker.Blocker) []blocker.Blocker {
	out := make([]blocker.Blocker, 0, len(all))
	for i := range all {
		out = append(out, *Blocker(&all[i]))
	}
	return out
}
