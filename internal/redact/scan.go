package redact

import "sync"

// What a rule may look at, in bytes, around the literal that called it. Streams keep that much in memory.
const (
	maxBehind = 512
	maxAhead  = 64 << 10 // the longest private keys (RSA 16384 with all its factors) have about 13 KiB
)

// literal is a string that calls a rule.
type literal struct {
	text string
	rule *rule
	fold bool // upper and lower case alike
}

// rule decides whether a secret stands at a literal.
type rule struct {
	name  string
	match func(w *window) (start, end int, ok bool)
}

// window is what a rule may look at: b, and where in it the literal stands.
type window struct {
	b        []byte
	at, n    int   // the literal is b[at:at+n]
	rule     *rule // who was called; a rule that finds a better one sets it
	shallow  bool  // called by a rule that judges values: only token rules and shapes count
	searcher *prefilter
}

// after gives what follows the literal.
func (w *window) after() []byte { return w.b[w.at+w.n:] }

// before gives the byte ahead of i, 0 at the beginning.
func (w *window) before(i int) byte {
	if i == 0 {
		return 0
	}
	return w.b[i-1]
}

// prefilter finds literals. shift tells for two bytes how far the search may go on: 0 where they can be the second and
// third letter of a literal, 1 where they can be the first two, else 2 (Wu and Manber, TR 94-17). Then the three letters
// lead to the literals that begin with them.
type prefilter struct {
	shift   [1 << 16]uint8
	buckets [bucketCount][]literal
}

const bucketCount = 1 << 10

func bucket(a, b, c byte) int {
	h := uint32(lower[a]) | uint32(lower[b])<<8 | uint32(lower[c])<<16
	return int(h * 0x9e3779b1 >> 22)
}

// table is built once, at the first search: about 20 µs.
var table = sync.OnceValue(newPrefilter)

func newPrefilter() *prefilter {
	p := &prefilter{}
	for i := range p.shift {
		p.shift[i] = 2
	}
	for _, l := range literals() {
		p.add(l)
	}
	return p
}

func (p *prefilter) add(l literal) {
	spell := func(c byte) []byte {
		if l.fold && c != upper(c) {
			return []byte{c, upper(c)}
		}
		return []byte{c}
	}
	for _, a := range spell(l.text[0]) {
		for _, b := range spell(l.text[1]) {
			first := int(a)<<8 | int(b)
			p.shift[first] = min(p.shift[first], 1)
			for _, c := range spell(l.text[2]) {
				p.shift[int(b)<<8|int(c)] = 0
			}
		}
	}
	i := bucket(l.text[0], l.text[1], l.text[2])
	p.buckets[i] = append(p.buckets[i], l)
}

func upper(c byte) byte {
	if c >= 'a' && c <= 'z' {
		return c - 32
	}
	return c
}

// lower folds ASCII.
var lower = func() (t [256]byte) {
	for i := range t {
		t[i] = byte(i)
		if i >= 'A' && i <= 'Z' {
			t[i] = byte(i + 32)
		}
	}
	return t
}()

// is tells whether l stands at b[i:].
func (l *literal) is(b []byte, i int) bool {
	if len(b)-i < len(l.text) {
		return false
	}
	if !l.fold {
		return string(b[i:i+len(l.text)]) == l.text
	}
	for k := range len(l.text) {
		if lower[b[i+k]] != l.text[k] {
			return false
		}
	}
	return true
}

// scanner goes over b once.
type scanner struct {
	b     []byte
	table *prefilter
	at    int // next place to look for a literal
	done  int // end of the last hit: nothing before it is looked at again
	hit   Hit
}

// next finds the next hit whose literal begins before limit.
func (s *scanner) next(limit int) bool {
	b, shift := s.b, &s.table.shift
	i := max(s.at, s.done)
	for i+2 < len(b) && i < limit {
		if n := shift[int(b[i+1])<<8|int(b[i+2])]; n != 0 {
			i += int(n)
			continue
		}
		if s.try(i) {
			s.at = s.done
			return true
		}
		i++
	}
	s.at = i
	return false
}

// try asks the rules whose literal stands at i.
func (s *scanner) try(i int) bool {
	bucket := s.table.buckets[bucket(s.b[i], s.b[i+1], s.b[i+2])]
	for k := range bucket {
		if l := &bucket[k]; l.is(s.b, i) && s.ask(l, i) {
			return true
		}
	}
	return false
}

func (s *scanner) ask(l *literal, i int) bool {
	lo, hi := max(s.done, i-maxBehind), min(len(s.b), i+maxAhead)
	w := window{b: s.b[lo:hi:hi], at: i - lo, n: len(l.text), rule: l.rule, searcher: s.table}
	start, end, ok := l.rule.match(&w)
	if !ok || end <= start {
		return false
	}
	s.hit = Hit{Rule: w.rule.name, Start: lo + start, End: lo + end}
	s.done = lo + end
	return true
}

// inner looks for a token or shape inside b[start:end] of a window: its own name says more than the name beside it.
func (w *window) inner(start, end int) (int, int, bool) {
	if w.shallow {
		return 0, 0, false
	}
	for i := start; i+2 < end; i++ {
		bucket := w.searcher.buckets[bucket(w.b[i], w.b[i+1], w.b[i+2])]
		for k := range bucket {
			l := &bucket[k]
			if l.rule.name == assigned || !l.is(w.b, i) {
				continue
			}
			in := window{b: w.b, at: i, n: len(l.text), rule: l.rule, shallow: true, searcher: w.searcher}
			if s, e, ok := l.rule.match(&in); ok {
				w.rule = in.rule
				return s, e, true
			}
		}
	}
	return 0, 0, false
}
