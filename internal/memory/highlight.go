package memory

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Span is a stretch of a text, in bytes: From ≤ i < To.
type Span struct{ From, To int }

// Highlight says where a text holds words for which a query finds it, in order and without overlap. Words of grammar are
// in no query, so they are never marked; of a word that holds the query's word, all of it is.
func Highlight(query, text string) []Span {
	h := highlighter{asked: ask(query)}
	if len(h.asked) == 0 {
		return nil
	}
	begin, kind, after := 0, gap, 0
	for i, r := range text {
		c := scriptOf(r)
		if strings.HasPrefix(text[i:], "\x1b[") {
			after = i + 2 + colour(text[i+2:])
		}
		if i < after {
			c = gap
		}
		if c != kind {
			h.run(kind, text, begin, i)
			begin, kind = i, c
		}
	}
	h.run(kind, text, begin, len(text))
	return h.spans
}

type highlighter struct {
	asked []asked
	spans []Span
	by    Analyser
}

// run takes a stretch of one script: Korean as it stands, code and its like by words, where it is not asked for as a
// whole.
func (h *highlighter) run(kind script, text string, from, to int) {
	if kind == letter { // what stands around a name is not of it
		to -= len(text[from:to]) - len(strings.TrimRight(text[from:to], joiners))
		from += len(text[from:to]) - len(strings.TrimLeft(text[from:to], joiners))
	}
	if kind == gap || from >= to || h.mark(text, from, to) || kind != letter {
		return
	}
	for from < to {
		n := strings.IndexAny(text[from:to], joiners)
		switch {
		case n < 0:
			n = to - from
		case n == 0:
			_, size := utf8.DecodeRuneInString(text[from:])
			from += size
			continue
		}
		for _, w := range camel(text[from : from+n]) {
			h.mark(text, from, from+len(w))
			from += len(w)
		}
	}
}

func (h *highlighter) mark(text string, from, to int) bool {
	if !h.is(text[from:to]) {
		return false
	}
	h.spans = append(h.spans, Span{from, to})
	return true
}

// is reports whether one word, or a name as a whole, is asked for.
func (h *highlighter) is(s string) bool {
	pieces := scan(s)
	if len(pieces) != 1 {
		return false
	}
	p := pieces[0]
	if p.joined || len(p.words) > 1 {
		return p.name != "" && slices.ContainsFunc(h.asked, func(a asked) bool { return slices.ContainsFunc(a.ranges, named(p.name)) })
	}
	e := entering{&h.by, map[string]*Entry{}}
	e.keyword(p.words[0], 1)
	for _, x := range e.entries {
		if slices.ContainsFunc(h.asked, func(a asked) bool { return a.holds(*x) }) {
			return true
		}
	}
	return false
}

// holds reports whether a key is in one of the ranges for which an item is found.
func (a asked) holds(e Entry) bool {
	in := func(r keyRange) bool { return r.weight > 0 && r.marks&e.Mark != 0 && r.from <= e.Key && e.Key < r.to }
	return slices.ContainsFunc(a.ranges, in) || slices.ContainsFunc(a.otherwise, in) || slices.ContainsFunc(a.loose, in)
}

// named is the range that asks for exactly this name.
func named(name string) func(keyRange) bool {
	return func(r keyRange) bool { return r.one && r.weight > 0 && r.from == name }
}
