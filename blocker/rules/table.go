package rules

import (
	"bytes"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"session/internal/lazy"
)

// Table is a compiled list of rules. It is immutable and safe for use by several goroutines.
type Table struct {
	rules  []compiled
	filter *filter
	uses   [][]uint16 // literal → rules, ascending
}

// compiled is a rule with its patterns, which are compiled when a line first needs them: most runs need few.
type compiled struct {
	Rule
	pattern func() *regexp.Regexp
	until   func() *regexp.Regexp
	above   func() *regexp.Regexp
	then    []compiledThen
}

type compiledThen struct {
	Then
	pattern, skip, over func() *regexp.Regexp
}

// NewTable compiles lists of rules, the first list asked first. Every rule is checked; the first fault is returned as a
// *Field, also for an id that two lists share, since a blocker names its rule by id.
func NewTable(lists ...[]Rule) (*Table, error) {
	all := slices.Concat(lists...)
	if err := checkAll(all, map[string]bool{}); err != nil {
		return nil, err
	}
	return newTable(all), nil
}

// checkAll checks rules and that no id stands twice; taken are ids that exist already.
func checkAll(list []Rule, taken map[string]bool) error {
	for i := range list {
		r := &list[i]
		if err := r.Check(); err != nil {
			return err
		}
		if taken[r.ID] {
			return &Field{r.ID, "id", r.ID, "an id that no other rule has"}
		}
		taken[r.ID] = true
	}
	return nil
}

// newTable compiles rules that are known to be right.
func newTable(list []Rule) *Table {
	t := &Table{rules: make([]compiled, 0, len(list)), uses: make([][]uint16, 0, 8*len(list))}
	number := make(map[string]uint16, 8*len(list))
	literals := make([]string, 0, 8*len(list))
	for _, r := range list {
		for l := range expanded(r.Literals) {
			if _, ok := number[l]; !ok {
				number[l] = uint16(len(literals))
				literals = append(literals, l)
				t.uses = append(t.uses, nil)
			}
			i := number[l]
			t.uses[i] = append(t.uses[i], uint16(len(t.rules)))
		}
		t.rules = append(t.rules, compile(r))
	}
	t.filter = newFilter(literals)
	return t
}

// expanded gives the literals; one that ends in \d stands for nine, with the digits 1 to 9 (no line number begins with 0).
func expanded(literals []string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, l := range literals {
			stem, digit := strings.CutSuffix(l, `\d`)
			if !digit && !yield(l) {
				return
			}
			for c := '1'; digit && c <= '9'; c++ {
				if !yield(stem + string(c)) {
					return
				}
			}
		}
	}
}

func compile(r Rule) compiled {
	if r.Strength == "" {
		r.Strength = Definite
	}
	c := compiled{Rule: r, pattern: lazy.Regexp(r.Pattern), until: lazy.Regexp(r.Until), above: lazy.Regexp(r.Above)}
	for _, t := range r.Then {
		c.then = append(c.then, compiledThen{t, lazy.Regexp(t.Pattern), lazy.Regexp(t.Skip), lazy.Regexp(t.Over)})
	}
	return c
}

// Rules gives the rules of the table in the order in which they are asked.
func (t *Table) Rules() []Rule {
	out := make([]Rule, len(t.rules))
	for i := range t.rules {
		out[i] = t.rules[i].Rule
	}
	return out
}

// Line is one selected line of a block: text[Start:End] without its end mark, and the literals that stand in it.
type Line struct {
	Start, End int
	First, Num int // literals in Selection.Literals
}

// Selection is what Select found; it is reused from block to block.
type Selection struct {
	Lines    []Line
	Literals []uint16
}

// Literals of one line.
func (s *Selection) literals(l Line) []uint16 { return s.Literals[l.First : l.First+l.Num] }

// Select finds the lines of text[:n] that hold a literal of the table, in order. A line ends at \n or \r. text must have
// Padding readable bytes behind n. The cost is linear in n.
func (t *Table) Select(text []byte, n int, into *Selection) {
	into.Lines, into.Literals = into.Lines[:0], into.Literals[:0]
	floor, pos := 0, 0
	for {
		lit, s, i := t.filter.next(text, n, pos)
		if lit < 0 {
			return
		}
		l := Line{Start: lineStart(text, floor, s), End: lineEnd(text, s, n), First: len(into.Literals)}
		for ; i < l.End; i += t.filter.stride {
			t.filter.at(text, l.End, i, func(literal, _ int) { into.Literals = append(into.Literals, uint16(literal)) })
		}
		l.Num = len(into.Literals) - l.First
		into.Lines = append(into.Lines, l)
		floor = l.End
		pos = (l.End + t.filter.stride - 1) / t.filter.stride * t.filter.stride
	}
}

// lineStart goes back byte by byte: lines are short, and the library's LastIndexByte is no faster.
func lineStart(text []byte, floor, at int) int {
	for at > floor && text[at-1] != '\n' && text[at-1] != '\r' {
		at--
	}
	return at
}

func lineEnd(text []byte, at, n int) int {
	b := text[at:n]
	if i := bytes.IndexByte(b, '\n'); i >= 0 {
		b = b[:i]
	}
	if i := bytes.IndexByte(b, '\r'); i >= 0 {
		b = b[:i]
	}
	return at + len(b)
}

// Match is what a rule read out of a line.
type Match struct {
	Rule           *Rule
	File, Msg, Key string
	Line, Col      int               // 1-based, 0 when not said
	Vars           map[string]string // further named groups
	index          int
}

// Match asks the rules that the line's literals select, in order, and returns what the first one that matches captures.
// gate leaves rules out (nil: none). line is clean: one line, without escapes and CI prefixes.
func (t *Table) Match(line []byte, sel *Selection, at Line, gate func(*Rule) bool) (Match, bool) {
	var room [32]uint16
	asked := room[:0]
	for _, l := range sel.literals(at) {
		asked = append(asked, t.uses[l]...)
	}
	slices.Sort(asked)
	if len(asked) == 0 || t.rules[asked[len(asked)-1]].Strength == Ignore {
		return Match{}, false // only rules that would ignore the line ask for it
	}
	for i, r := range asked {
		c := &t.rules[r]
		if i > 0 && asked[i-1] == r || gate != nil && !gate(&c.Rule) {
			continue
		}
		if m, ok := c.match(line); ok {
			m.Rule, m.index = &c.Rule, int(r)
			return m, true
		}
	}
	return Match{}, false
}

// MatchText is Match for a single line from elsewhere (a report, a hook's input).
func (t *Table) MatchText(line string, gate func(*Rule) bool) (Match, bool) {
	buf := make([]byte, len(line)+Padding)
	copy(buf, line)
	var sel Selection
	t.Select(buf, len(line), &sel)
	for _, l := range sel.Lines {
		if m, ok := t.Match(buf[l.Start:l.End], &sel, l, gate); ok {
			return m, true
		}
	}
	return Match{}, false
}

func (c *compiled) match(line []byte) (Match, bool) {
	for _, n := range c.Not {
		if bytes.Contains(line, []byte(n)) {
			return Match{}, false
		}
	}
	switch {
	case c.Shape != "":
		m, ok := parseShape(c.Shape, line)
		if !ok || c.Pattern == "" {
			return m, ok
		}
		if !c.pattern().Match(line) {
			return Match{}, false
		}
		return m, true
	case c.Pattern != "":
		var m Match
		return m, m.fill(c.pattern(), line, false)
	}
	for l := range expanded(c.Literals) {
		if bytes.Contains(line, []byte(l)) {
			return Match{Msg: string(bytes.TrimSpace(line))}, true
		}
	}
	return Match{}, false
}

// Above takes from a line above a match what the rule wants of it; callers offer the lines from the nearest on until one
// gave something.
func (t *Table) Above(m *Match, line []byte) (got bool) {
	p := t.rules[m.index].above()
	return p != nil && m.fill(p, line, false)
}

// fill takes the named groups of p into the fields that are still empty (or all, with over). file, file2, file3 are
// the same capture in the branches of one pattern.
func (m *Match) fill(p *regexp.Regexp, line []byte, over bool) bool {
	g := p.FindSubmatchIndex(line)
	if g == nil {
		return false
	}
	for i, name := range p.SubexpNames() {
		if name != "" && g[2*i] >= 0 && g[2*i] < g[2*i+1] {
			m.set(strings.TrimRight(name, "0123456789"), string(bytes.TrimSpace(line[g[2*i]:g[2*i+1]])), over)
		}
	}
	return true
}

func (m *Match) set(name, v string, over bool) {
	put := func(s *string) {
		if *s == "" || over {
			*s = v
		}
	}
	switch name {
	case "file":
		put(&m.File)
	case "msg":
		put(&m.Msg)
	case "key":
		put(&m.Key)
	case "line", "col":
		n, err := strconv.Atoi(v)
		if p := map[string]*int{"line": &m.Line, "col": &m.Col}[name]; err == nil && (*p == 0 || over) {
			*p = n
		}
	default:
		if m.Vars == nil {
			m.Vars = map[string]string{}
		}
		if m.Vars[name] == "" || over {
			m.Vars[name] = v
		}
	}
}

// Fill puts captures into a template: {file}, {line}, {col}, {msg}, {key} and other named groups; an empty capture
// becomes "?".
func (m *Match) Fill(template string) string {
	if !strings.Contains(template, "{") {
		return template
	}
	pairs := []string{"{file}", m.File, "{line}", number(m.Line), "{col}", number(m.Col), "{msg}", m.Msg, "{key}", m.Key}
	for k, v := range m.Vars {
		pairs = append(pairs, "{"+k+"}", v)
	}
	for i := 1; i < len(pairs); i += 2 {
		if pairs[i] == "" {
			pairs[i] = "?"
		}
	}
	return strings.NewReplacer(pairs...).Replace(template)
}

func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}
