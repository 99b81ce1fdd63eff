package memory

import (
	"fmt"
	"strings"
	"unicode"
)

// Facts are what a save or a turn knows, and all that a summary is made of. Every field may be empty.
type Facts struct {
	Asked    string   // what the person asked for in this turn
	Answered string   // what the assistant said last in it
	Text     string   // all of the turn, or all that was written for the save; only for keywords
	Doing    string   // what the person says is being worked on
	Commits  []Commit // since the last save, newest first
	Task     Task
	Blocker  Blocker
	Next     []string // next steps, first one first
	Git      Git
	Symbols  []string // names of functions and types that were touched; only for keywords
}

// Commit is one commit's message.
type Commit struct{ Subject, Body string }

// Task is where a change's tasks are.
type Task struct {
	Change      string // its id
	Done, Total int
	Last, Next  string // the task done last, and the first open one
}

// Blocker is what stops the work.
type Blocker struct {
	Type    string // build_error, …
	Message string // what was reported; the first line is shown
	Place   string // path, or path:line
	Code    string // LNK2019, E0308, …
}

// Git is what the work tree looks like.
type Git struct {
	Branch, Head          string   // short name; commit id
	Added, Deleted, Files int      // lines, lines, files that changed
	Paths                 []string // of them, most changed first
}

// A summary is for reading: one line for each of its parts, in this order, empty ones left out.
const (
	maxSummary = 600 // characters, names and line ends included
	minPart    = 24  // characters of a part that are still worth their line
)

// part is one line of a summary.
type part struct {
	name, text string
	most       int // characters of the text
	rank       int // who gets room first, where there is not enough: 1 first
}

func (f Facts) parts() []part {
	return []part{
		{"asked", sentence(f.Asked), 120, 6},
		{"doing", clean(f.Doing), 160, 4},
		{"did", f.did(), 240, 1},
		{"why", f.why(), 120, 7},
		{"answer", sentence(f.Answered), 160, 8},
		{"task", f.Task.line(), 120, 5},
		{"block", f.Blocker.line(), 160, 2},
		{"next", first(f.Next), 100, 3},
		{"git", f.Git.line(), 120, 9},
	}
}

// Summary says in at most 600 characters what the facts are, "" if there are none. Paths and error messages stand in it as
// they are; what is too long is cut at a word and ends in "…".
func (f Facts) Summary() string { return render(f.parts()) }

// render gives room to parts by their rank, and says them in their order.
func render(parts []part) string {
	left := maxSummary
	for rank := 1; rank <= len(parts); rank++ {
		for i := range parts {
			if p := &parts[i]; p.rank == rank && p.text != "" {
				p.text = shorten(p.text, min(p.most, left-len(p.name)-len(": \n")))
				if p.text != "" {
					left -= len(p.name) + len(": \n") + len([]rune(p.text))
				}
			}
		}
	}
	var lines []string
	for _, p := range parts {
		if p.text != "" {
			lines = append(lines, p.name+": "+p.text)
		}
	}
	return strings.Join(lines, "\n")
}

// words are what the item is found by: everything that was said, and beside it the names of what was touched. Those are
// kept apart because they tell little of what a change is about, and would make many items look alike.
func (f Facts) words() (Words, bool) {
	texts := []string{f.Asked, f.Answered, f.Doing, f.Task.Change, f.Task.Last, f.Task.Next, f.Blocker.Type, f.Blocker.Message}
	texts = append(texts, f.Next...)
	for _, c := range f.Commits {
		if !c.isNoise() {
			texts = append(texts, c.Subject, c.Body)
		}
	}
	c := newCollector(new(Analyser))
	for _, t := range append(texts, f.Text) {
		c.text(t)
	}
	names := append([]string{f.Blocker.Place, f.Blocker.Code, f.Git.Branch}, f.Git.Paths...)
	for _, n := range append(names, f.Symbols...) {
		c.literal(clean(n))
	}
	return c.words(), c.cut
}

func (f Facts) did() string {
	var subjects []string
	for _, c := range f.Commits {
		if !c.isNoise() {
			subjects = append(subjects, clean(c.Subject))
		}
	}
	return strings.Join(subjects, "; ")
}

// isNoise knows commits whose subject says nothing about the work.
func (c Commit) isNoise() bool {
	s := strings.ToLower(strings.TrimSpace(c.Subject))
	for _, p := range []string{"wip", "merge ", "fixup!", "squash!", "amend!"} {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return s == ""
}

// why is the first sentence of the longest message.
func (f Facts) why() string {
	longest := ""
	for _, c := range f.Commits {
		if len(c.Body) > len(longest) && !c.isNoise() {
			longest = c.Body
		}
	}
	return sentence(longest)
}

func (t Task) line() string {
	if t.Change == "" && t.Total == 0 {
		return ""
	}
	s := strings.TrimSpace(fmt.Sprintf("%s %d/%d", clean(t.Change), t.Done, t.Total))
	if t.Last != "" {
		s += ", last: " + clean(t.Last)
	}
	if t.Next != "" {
		s += ", next: " + clean(t.Next)
	}
	return s
}

func (b Blocker) line() string {
	line, _, _ := strings.Cut(strings.TrimSpace(b.Message), "\n")
	line = clean(line)
	if b.Place != "" && !strings.Contains(line, b.Place) {
		line = strings.TrimSpace(clean(b.Place) + " " + line)
	}
	if b.Type == "" || line == "" {
		return clean(b.Type) + line
	}
	return clean(b.Type) + ": " + line
}

func (g Git) line() string {
	s := clean(g.Branch)
	if g.Head != "" {
		s += "@" + clip(clean(g.Head), 7)
	}
	switch {
	case g.Files > 0 && g.Added+g.Deleted > 0:
		s += fmt.Sprintf(" +%d/-%d in %d files", g.Added, g.Deleted, g.Files)
	case g.Files == 1:
		s += " 1 file"
	case g.Files > 0:
		s += fmt.Sprintf(" %d files", g.Files)
	}
	if len(g.Paths) > 0 {
		s += ": " + clean(strings.Join(g.Paths[:min(3, len(g.Paths))], ", "))
	}
	return strings.TrimSpace(s)
}

func first(list []string) string {
	for _, s := range list {
		if s = clean(s); s != "" {
			return s
		}
	}
	return ""
}

// clean makes one line of a text: white space and control characters become single spaces, signs that nobody can see go.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), unicode.IsControl(r):
			return ' '
		case unicode.Is(unicode.Cf, r), r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	return strings.Join(strings.Fields(s), " ")
}

// sentence is the first sentence of a text's first paragraph.
func sentence(s string) string {
	s = strings.TrimSpace(clip(strings.ReplaceAll(s, "\r\n", "\n"), maxText))
	s, _, _ = strings.Cut(s, "\n\n")
	s = clean(s)
	for i, r := range s {
		end := i + len(string(r))
		switch {
		case r == '。', strings.ContainsRune(".!?", r) && end < len(s) && s[end] == ' ' && !abbreviates(s[:i]):
			return s[:end]
		}
	}
	return s
}

// abbreviates knows that the full stop behind e.g or a single letter ends no sentence.
func abbreviates(before string) bool {
	word := before[strings.LastIndexAny(before, " (")+1:]
	return len(word) < 2 || strings.Contains(word, ".") && len(word) < 5 || word == "vs" || word == "etc"
}

// shorten cuts s to at most n characters, at a word if there is one to cut at, and says so with "…". What would be too
// short to say anything is left out.
func shorten(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	if n < minPart {
		return ""
	}
	cut := n - 1
	for i := cut; i > n/2; i-- {
		if r[i] == ' ' {
			cut = i
			break
		}
	}
	return strings.TrimRight(string(r[:cut]), " ,;:") + "…"
}
