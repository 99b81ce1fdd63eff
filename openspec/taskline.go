package openspec

import (
	"strings"
	"unicode/utf8"
)

// Task is one check box of a task file, or one entry of another source's list.
type Task struct {
	// ID is the source's own, empty where it has none. OpenSpec: "1", "2", … over the boxes with text, as
	// `openspec instructions apply` numbers them. Spec Kit "T001", Kiro "2.1", Task Master "3.2", beads "bd-a1b2".
	ID          string
	Parent      string // ID of the task it belongs to, where the source says so (Task Master, beads)
	File        string // slash path relative to [Place].Top
	Line        int    // 1-based; 0 where the source is not made of lines
	Heading     string // text of the nearest "## " heading above, for display
	Indent      int    // columns of leading blanks, a tab to the next multiple of four
	Description string // text after the box, trimmed; may be empty
	Mark        string // character in the box as written, "" for a blank one
	State       string // the source's own word where it knows more than open and done, such as "in-progress"
	Done        bool
	Optional    bool // the source marks it as one that may be left out (Kiro)
	Uncounted   bool // listed, but not in Completed and Total (Task Master counts top-level tasks only)
	held        bool // the source says that nothing can be done about it now
}

// checkbox reports whether line, which holds no line feed, is a task line of OpenSpec 1.13.1 or later, the character in
// its box (0 for a blank box) and where the text after the box starts. It is the pattern of dist/utils/task-progress.js
// written out:
//
//	/^\s*(?:[-*+]|\d{1,9}[.)])\s*\[(?:\s*([^\]\s]?)\s*\](?![([])|\s+\])\s*(.*)/
//
// The class in the box matches one UTF-16 unit, so a character beyond U+FFFF is no mark.
func checkbox(line string) (mark rune, text int, ok bool) {
	i := listMarker(line)
	if i < 0 {
		return 0, 0, false
	}
	if i = skipSpace(line, i); i == len(line) || line[i] != '[' {
		return 0, 0, false
	}
	open := i + 1
	if i = skipSpace(line, open); i == len(line) {
		return 0, 0, false
	}
	if line[i] == ']' { // a box of white space may stand before a link, an empty one may not
		return 0, i + 1, i > open || !linked(line, i+1)
	}
	mark, n := decode(line[i:])
	if mark > 0xFFFF {
		return 0, 0, false
	}
	if i = skipSpace(line, i+n); i == len(line) || line[i] != ']' || linked(line, i+1) {
		return 0, 0, false
	}
	return mark, i + 1, true
}

// listMarker gives the offset behind a bullet or an ordered marker of up to nine digits, or -1.
func listMarker(line string) int {
	i := skipSpace(line, 0)
	if i == len(line) {
		return -1
	}
	if c := line[i]; c == '-' || c == '*' || c == '+' {
		return i + 1
	}
	first := i
	for i < len(line) && i-first < 10 && line[i] >= '0' && line[i] <= '9' {
		i++
	}
	if i == first || i-first > 9 || i == len(line) || line[i] != '.' && line[i] != ')' {
		return -1
	}
	return i + 1
}

// linked reports whether the bracket that ends before i goes on as a Markdown link.
func linked(line string, i int) bool { return i < len(line) && (line[i] == '(' || line[i] == '[') }

// description is the pattern's \s*(.*) followed by trim(): "." stops at a carriage return, U+2028 and U+2029.
func description(s string) string {
	s = s[skipSpace(s, 0):]
	last, broken := 0, false
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if c == '\r' {
				break
			}
			if i++; !asciiSpace(c) {
				last = i
			}
			continue
		}
		r, n := decode(s[i:])
		if r == 0x2028 || r == 0x2029 {
			break
		}
		if i += n; !isSpace(r) {
			last, broken = i, broken || r == utf8.RuneError
		}
	}
	if broken {
		return wellFormed(s[:last])
	}
	return s[:last]
}

// Count gives the boxes of a task file and how many of them are ticked, as `openspec list` counts them: one for every
// task line wherever it stands, in code fences and comments too. Text need not be valid UTF-8. It allocates nothing.
func Count(text string) (completed, total int) {
	for len(text) > 0 {
		var line string
		line, text, _ = strings.Cut(text, "\n")
		if mark, _, ok := checkbox(line); ok {
			total++
			if mark == 'x' || mark == 'X' {
				completed++
			}
		}
	}
	return completed, total
}

// Parse gives the tasks of a task file in document order, each with file as its File. It finds exactly the lines that
// [Count] counts.
func Parse(text, file string) []Task {
	_, total := Count(text)
	if total == 0 {
		return nil
	}
	tasks, heading := make([]Task, 0, total), ""
	for n := 1; len(text) > 0; n++ {
		var line string
		line, text, _ = strings.Cut(text, "\n")
		mark, at, ok := checkbox(line)
		if !ok {
			if h, is := sectionHeading(line); is {
				heading = h
			}
			continue
		}
		tasks = append(tasks, Task{
			File: file, Line: n, Heading: heading, Indent: indent(line),
			Description: description(line[at:]), Mark: markText(mark), Done: mark == 'x' || mark == 'X',
		})
	}
	return tasks
}

// markText avoids an allocation for every ticked box.
func markText(mark rune) string {
	switch mark {
	case 0:
		return ""
	case 'x':
		return "x"
	}
	return string(mark)
}

// sectionHeading reads an ATX heading of level two. Up to three leading blanks and closing number signs are as in
// CommonMark.
func sectionHeading(line string) (string, bool) {
	s := strings.TrimLeft(line, " ")
	if len(line)-len(s) > 3 {
		return "", false
	}
	s, ok := strings.CutPrefix(s, "##")
	if !ok || s == "" || s[0] != ' ' && s[0] != '\t' {
		return "", false
	}
	s = description(s)
	if bare := strings.TrimRight(s, "#"); bare == "" || strings.HasSuffix(bare, " ") {
		s = strings.TrimRight(bare, " \t")
	}
	return s, true
}

func indent(line string) (columns int) {
	for _, c := range line {
		switch {
		case c == '\t':
			columns += 4 - columns%4
		case isSpace(c):
			columns++
		default:
			return columns
		}
	}
	return columns
}
