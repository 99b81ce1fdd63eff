package rules

import "regexp"

// Follower takes in the lines after a match until the rule has what it wants.
type Follower struct {
	M    *Match
	rule *compiled
	done []bool
	seen int
}

// Follow begins to follow a match of this table; it is nil when the rule wants no more lines.
func (t *Table) Follow(m *Match) *Follower {
	c := &t.rules[m.index]
	if len(c.then) == 0 {
		return nil
	}
	return &Follower{M: m, rule: c, done: make([]bool, len(c.then))}
}

// Feed takes the next line (clean, as for Match). got tells that the line filled something in, more that further lines
// are wanted.
func (f *Follower) Feed(line []byte) (got, more bool) {
	f.seen++
	if p := f.rule.until(); p != nil && p.Match(line) {
		return false, false
	}
	for i := range f.rule.then {
		t := &f.rule.then[i]
		if f.done[i] || f.seen > t.span() {
			continue
		}
		if skip := t.skip(); skip != nil && skip.Match(line) {
			more = true
			continue
		}
		if f.take(t, line) {
			got, f.done[i] = true, !t.Last
		}
		more = more || !f.done[i] && f.seen < t.span()
	}
	return got, more
}

// take fills captures only as a whole: a line number without its file would name a wrong place.
func (f *Follower) take(t *compiledThen, line []byte) bool {
	p := t.pattern()
	if f.M.File != "" && !t.Last && hasGroup(p, "file") {
		return p.Match(line)
	}
	if t.Last && f.M.File != "" && hasGroup(p, "file") && p.Match(line) {
		f.M.Line, f.M.Col = 0, 0
	}
	return f.M.fill(p, line, t.Last)
}

func hasGroup(p *regexp.Regexp, name string) bool { return p.SubexpIndex(name) >= 0 }
