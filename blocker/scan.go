package blocker

import (
	"bytes"
	"strings"

	"session/blocker/rules"
)

// scan is one pass over a log: it takes prepared chunks in order and keeps what decides.
type scan struct {
	table   *rules.Table
	places  *places
	base    int // newlines before the current chunk
	seq     int
	cur     *step
	failed  []*step // steps that failed, the first ones
	quiet   *step   // what was found in steps that did not fail
	echo    bool    // inside a CI system's repetition of the commands to come
	origin  origin
	open    []*hit // hits that want the next lines
	verdict verdicts
	proof   int // the last definite hit
	spent   int // lines that hits were followed for
	end     []byte
	lastNo  int // line of the last words in end
	gated   func(*rules.Rule) bool
}

// maxFailedSteps bounds what is kept of a log with many failing steps.
const maxFailedSteps = 4

// maxFollowed bounds how many lines hits are followed for in one log: those that decide come long before, and a log made
// of nothing but beginnings of failures must not cost more than any other.
const maxFollowed = 20_000

func newScan(t *rules.Table, p *places) *scan {
	s := &scan{table: t, places: p, cur: newStep(), quiet: newStep(), verdict: newVerdicts()}
	s.gated = s.gate
	return s
}

// gate leaves out rules whose kind of hit is already there, so that a log with a million errors costs little more than
// one with ten.
func (s *scan) gate(r *rules.Rule) bool {
	switch {
	case r.Verdict != "" || r.Step != "" || r.Echo != "" || r.Strength == rules.Ignore || r.Strength == rules.Context:
		return true
	case r.Strength == rules.Definite:
		return s.cur.definite[r.Type] == nil
	case r.Strength == rules.Summary:
		old := s.cur.summary[r.Type]
		return s.cur.definite[r.Type] == nil && (old == nil || !old.definite())
	}
	return s.cur.weak[r.Type] == nil
}

// chunk consumes one chunk: the selected lines, and all lines while a hit wants them.
func (s *scan) chunk(c *chunk) {
	text := c.text[:c.n]
	pos, no, k := 0, s.base+1, 0
	for {
		for k < len(c.sel.Lines) && c.sel.Lines[k].Start < pos {
			k++
		}
		start := pos
		switch {
		case len(s.open) > 0 && pos < len(text):
		case k < len(c.sel.Lines):
			start = c.sel.Lines[k].Start
		default:
			s.finish(c, text)
			return
		}
		no += bytes.Count(text[pos:start], []byte{'\n'})
		var sel *rules.Line
		end := start
		if k < len(c.sel.Lines) && c.sel.Lines[k].Start == start {
			sel, end = &c.sel.Lines[k], c.sel.Lines[k].End
			k++
		} else {
			end = segmentEnd(text, start)
		}
		s.line(text, start, end, no, c, sel)
		var lf int
		pos, lf = lineBreak(text, end)
		no += lf
	}
}

// finish closes a chunk: counts its lines and remembers its last ones.
func (s *scan) finish(c *chunk, text []byte) {
	s.base += c.newlines
	tail := text[max(0, len(text)-lineCap):]
	if t := bytes.TrimSpace(tail); len(t) > 0 {
		s.end = append(s.end[:0], tail...)
		s.lastNo = s.base + 1 - bytes.Count(tail[bytes.LastIndex(tail, t)+len(t):], []byte{'\n'})
	}
}

func segmentEnd(text []byte, at int) int {
	for i, b := range text[at:] {
		if b == '\n' || b == '\r' {
			return at + i
		}
	}
	return len(text)
}

// lineBreak passes over \n, \r or \r\n.
func lineBreak(text []byte, at int) (next, newlines int) {
	for ; at < len(text); at++ {
		if text[at] == '\n' {
			return at + 1, 1
		}
		if at+1 == len(text) || text[at+1] != '\n' {
			return at + 1, 0
		}
	}
	return at, 0
}

// line looks at one line.
func (s *scan) line(text []byte, start, end, no int, c *chunk, sel *rules.Line) {
	s.seq++
	line := plainLine(text[start:min(end, start+lineCap)])
	s.feed(line, no)
	if sel == nil {
		return
	}
	m, ok := s.table.Match(line, &c.sel, *sel, s.gated)
	if !ok {
		if named := namePrefix(line); named > 0 {
			line = line[named:]
			m, ok = s.table.Match(line, &c.sel, *sel, s.gated)
		}
	}
	if !ok || m.Rule.Strength == rules.Ignore {
		return
	}
	h := &hit{m: m, no: no, seq: s.seq, text: string(line)}
	is := s.mark(h)
	if is && m.Rule.Strength == rules.Weak && (m.Rule.Step != "" || withoutMark(h.text) != h.text) {
		if inner, ok := s.behindMark(h, c, *sel); ok {
			h, is = inner, s.mark(inner)
		}
	}
	if is {
		s.hit(h, text[:start])
	}
}

// behindMark asks for a tool's own line behind the mark that a CI system puts before an error.
func (s *scan) behindMark(h *hit, c *chunk, sel rules.Line) (*hit, bool) {
	m, ok := rules.Match{}, false
	if h.m.Rule.Step != "" {
		m, ok = s.table.Match([]byte(h.text), &c.sel, sel, func(r *rules.Rule) bool { return r != h.m.Rule && s.gate(r) })
	}
	if text := withoutMark(h.text); text != h.text && (!ok || m.Rule.Strength == rules.Weak) {
		m, ok = s.table.MatchText(text, s.gated)
	}
	if !ok || m.Rule.Strength == rules.Weak || m.Rule.Strength == rules.Ignore {
		return nil, false
	}
	return &hit{m: m, no: h.no, seq: h.seq, text: h.text}, true
}

// withoutMark takes ##[error] off, or the Error: that stands for it where a log was copied from GitHub's page.
func withoutMark(line string) string {
	for _, mark := range []string{"##[error]", "Error: "} {
		if t, ok := strings.CutPrefix(line, mark); ok {
			return t
		}
	}
	return line
}

// feed gives the line to the hits that want it.
func (s *scan) feed(line []byte, no int) {
	s.spent += len(s.open)
	kept := s.open[:0]
	for _, h := range s.open {
		if h.feed(line, no, s.places) {
			kept = append(kept, h)
		}
	}
	s.open = kept
}

// mark takes in what a line says besides being a hit; it reports whether it is one.
func (s *scan) mark(h *hit) bool {
	r := h.m.Rule
	s.verdict.steps = s.verdict.steps || r.Step != "" || r.Echo != "" || r.Level == rules.LevelCI
	if r.Step == rules.StepStart || r.Step == rules.StepOK {
		s.endStep()
	}
	if r.Echo != "" {
		s.echo = r.Echo == rules.EchoBegin
	}
	if s.echo && r.Step != rules.StepFail {
		return false
	}
	s.cur.failed = s.cur.failed || r.Step == rules.StepFail
	if r.Verdict != "" {
		s.verdict.add(h)
	}
	if r.Strength == rules.Context {
		s.note(h)
	}
	return r.Type != "" && r.Strength != rules.Context
}

func (s *scan) note(h *hit) {
	switch {
	case h.m.Vars["enter"] != "":
		s.places.enter(h.m.Vars["enter"])
	case h.m.Vars["leave"] != "":
		s.places.leave(h.m.Vars["leave"])
	default:
		s.origin.note(h.m, h.no)
	}
}

// hit keeps a hit if it is the first of its kind in its step, and follows it.
func (s *scan) hit(h *hit, text []byte) {
	s.origin.lend(h)
	if h.m.Rule.Strength == rules.Definite {
		s.proof = h.seq
	}
	if h.m.Rule.Above != "" {
		above(text, len(text), linesAbove, func(l []byte) bool { return !s.table.Above(&h.m, l) })
	}
	if !s.cur.keep(h) {
		return
	}
	h.remember(text)
	h.m.File = s.resolve(h.m.File)
	h.place = h.m.File
	if s.spent < maxFollowed {
		h.left = linesAfter
		h.follow = s.table.Follow(&h.m)
		s.open = append(s.open, h)
	}
}

// resolve uses the directory that make is in now; later lines may leave it.
func (s *scan) resolve(file string) string {
	if file == "" {
		return ""
	}
	return s.places.resolve(file)
}

// endStep closes the current step. What was found in a step that did not fail counts only if no step failed.
func (s *scan) endStep() {
	s.echo = false
	switch {
	case s.cur.failed && len(s.failed) < maxFailedSteps:
		s.failed = append(s.failed, s.cur)
	case s.cur.empty():
		s.cur.failed = false
		return
	case !s.cur.failed:
		s.quiet.merge(s.cur)
	}
	s.cur = newStep()
}
