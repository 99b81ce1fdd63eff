package rules

// Follower takes in the lines after a match until the rule has what it wants.
type Follower struct {
	M    *Match
	rule *compiled
	done []bool
	seen int

	replaces bool // a later place has replaced the first one
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
	place := f.M.File != "" && p.SubexpIndex("file") >= 0
	switch over := t.over(); {
	case !place:
		return f.M.fill(p, line, t.Last)
	case !t.Last:
		return p.Match(line)
	case over != nil && !f.replaces && !over.MatchString(f.M.File):
		return false
	}
	was := *f.M
	f.M.Line, f.M.Col = 0, 0
	if !f.M.fill(p, line, true) {
		f.M.Line, f.M.Col = was.Line, was.Col
		return false
	}
	f.replaces = true
	return true
}
