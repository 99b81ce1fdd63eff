package blocker

import (
	"session/blocker/rules"
)

// Evidence is a few lines before a hit and more after it.
const (
	linesBefore = 3
	linesAfter  = 14
	linesTold   = 12 // before a line that only says that something failed: the reason stands above it
)

// hit is a line that a rule of some type matched, with what the lines after it added.
type hit struct {
	m        rules.Match
	no       int // line of the log
	seq      int // place in the order of all lines looked at
	text     string
	above    int    // lines of evidence before text
	place    string // m.File as it was resolved in the directory that make was in then
	evidence []string
	follow   *rules.Follower
	left     int // lines that the evidence still wants
}

// placed tells whether the hit names file and line.
func (h *hit) placed() bool { return h != nil && h.m.File != "" && h.m.Line > 0 }

// definite: by its rule, or because the lines after it named a place, which noise does not.
func (h *hit) definite() bool {
	return h.m.Rule.Strength == rules.Definite || h.m.Rule.Strength == rules.Summary && h.placed() && h.m.Rule.Verdict == ""
}

// general: a closing line, or an agent's own status line, says less than a line about one failure.
func (h *hit) general(o *hit) bool {
	closing := h.m.Rule.Stage == "agent" || h.m.Rule.Verdict != "" && o.m.Rule.Verdict == ""
	return closing && h.m.Rule.Strength == rules.Summary
}

// counts tells whether a hit is more than weak.
func (h *hit) counts() bool {
	return h.m.Rule.Strength != rules.Weak && (!h.m.Rule.Placed || h.placed())
}

// feed hands the hit the next line; it reports whether it wants more.
func (h *hit) feed(line []byte, no int, p *places) bool {
	if h.left = min(h.left, MaxEvidence-len(h.evidence)); h.left > 0 {
		h.left--
		h.evidence = append(h.evidence, cut(string(line), maxLine))
	}
	if h.follow != nil {
		had := h.m.Msg != ""
		got, more := h.follow.Feed(line)
		if got && !had && h.m.Msg != "" {
			h.no = no
		}
		if !more {
			h.follow = nil
		}
	}
	return h.left > 0 || h.follow != nil
}

// step is one step of a CI job, or the whole log where there are none: the first hit of each type and strength.
type step struct {
	definite, summary, weak map[string]*hit
	told                    map[string]*hit // by type: the first closing line that says that it failed
	stage                   *hit            // the last of those
	failed                  bool
}

func newStep() *step {
	return &step{definite: map[string]*hit{}, summary: map[string]*hit{}, weak: map[string]*hit{}, told: map[string]*hit{}}
}

// empty tells that nothing was found in the step.
func (s *step) empty() bool { return len(s.definite)+len(s.summary)+len(s.weak) == 0 }

// slot is where hits of a strength are kept.
func (s *step) slot(st rules.Strength) map[string]*hit {
	switch st {
	case rules.Definite:
		return s.definite
	case rules.Summary:
		return s.summary
	}
	return s.weak
}

// keep takes a hit in if it is the first of its kind. A summary is also what tells the stage.
func (s *step) keep(h *hit) bool {
	r := h.m.Rule
	if r.Strength == rules.Summary && r.Verdict != "" && r.Type != string(CIFailure) {
		s.stage = h
		if s.told[r.Type] == nil {
			s.told[r.Type] = h
		}
	}
	slot := s.slot(r.Strength)
	if old := slot[r.Type]; old != nil && (old.placed() || !h.placed()) && !old.general(h) {
		return false
	}
	slot[r.Type] = h
	return true
}

// merge takes over the hits of a step that s does not have.
func (s *step) merge(o *step) {
	for _, st := range []rules.Strength{rules.Definite, rules.Summary, rules.Weak} {
		for t, h := range o.slot(st) {
			if s.slot(st)[t] == nil {
				s.slot(st)[t] = h
			}
		}
	}
	for t, h := range o.told {
		s.told[t] = h
	}
	if o.stage != nil {
		s.stage = o.stage
	}
}

// origin is the place that a line named for one of the next lines.
type origin struct {
	m  rules.Match
	no int
}

// contextReach is how many lines a context line counts for.
const contextReach = 12

// note takes in a context line. A frame of the user's stands against later ones of a runtime.
func (c *origin) note(m rules.Match, no int) {
	if m.Msg != "" && c.m.Msg != "" && m.File == c.m.File && no-c.no <= contextReach {
		return // what a test logged: the first line is the reason
	}
	if c.m.File != "" && no-c.no <= contextReach && m.File != "" && isForeign(m.File) && !isForeign(c.m.File) {
		return
	}
	*c = origin{m, no}
}

// lend gives a hit without a place the one of the context.
func (c *origin) lend(h *hit) {
	if c.m.File == "" || isForeign(c.m.File) || h.no-c.no > contextReach || h.m.File != "" || h.m.Rule.Verdict != "" {
		return
	}
	h.m.File, h.m.Line, h.m.Col = c.m.File, c.m.Line, c.m.Col
	if h.m.Msg == "" {
		h.m.Msg = c.m.Msg
		if h.m.Msg != "" {
			h.no = c.no
		}
	}
	*c = origin{}
}

// linesAbove is how far a rule's Above is looked for.
const linesAbove = 40

// above goes back through the lines before at, the nearest first, up to n of them or until fn says no. Only what is still
// in the chunk can be seen.
func above(text []byte, at, n int, fn func(line []byte) bool) {
	for ; n > 0 && at > 0; n-- {
		end := at - 1
		start := end
		for start > max(0, end-lineCap) && text[start-1] != '\n' && text[start-1] != '\r' {
			start--
		}
		if end-start > 0 && end-start < lineCap && !fn(plainLine(text[start:end])) {
			return
		}
		at = start
	}
}

// remember keeps the lines before a hit, which text ends with, and the hit's own as evidence.
func (h *hit) remember(text []byte) {
	n := linesBefore
	if generic(h) {
		n = linesTold
	}
	h.evidence = before(text, len(text), n)
	h.above = len(h.evidence)
	h.evidence = append(h.evidence, cut(h.text, maxLine))
}

// before collects up to n lines that stand before at in text.
func before(text []byte, at, n int) (lines []string) {
	above(text, at, n, func(l []byte) bool {
		lines = append([]string{cut(string(l), maxLine)}, lines...)
		return true
	})
	return lines
}
