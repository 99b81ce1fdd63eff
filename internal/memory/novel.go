package memory

import (
	"slices"
	"strings"
)

// Novel leaves out of found what tells a reader nothing: an item whose lines were all said already, by said or by an item
// in front of it. Where tasks and git stood is no news either, as it was so only then. The order stays.
//
// said are texts, or summaries as Facts make them. Saves in a row remember the same words again and again, and those are the very words that a load asks for; without this
// they would keep what matters out of the best few.
func Novel(found []Found, said ...string) []Found {
	n := news{}
	for _, s := range said {
		n.in(s)
	}
	kept := []Found{}
	for _, f := range found {
		if n.in(f.Summary) {
			kept = append(kept, f)
		}
	}
	return kept
}

// news is what was said so far, in lower case.
type news []string

func (n *news) add(s string) { *n = append(*n, strings.ToLower(s)) }

// in adds what a summary says, and reports whether any of it is new.
func (n *news) in(summary string) (is bool) {
	for line := range strings.SplitSeq(summary, "\n") {
		name, text := framed(clean(line))
		if text == "" || name == "task" || name == "git" || n.has(text) {
			continue
		}
		n.add(text)
		is = true
	}
	return is
}

// has knows what was said as it is, and what was cut short of it.
func (n *news) has(text string) bool {
	text = strings.ToLower(text)
	begin, cut := strings.CutSuffix(text, "…")
	return slices.ContainsFunc(*n, func(s string) bool { return s == text || cut && strings.HasPrefix(s, begin) })
}

// framed takes a line of a summary apart; what is in no frame has no name.
func framed(line string) (name, text string) {
	name, text, ok := strings.Cut(line, ": ")
	if !ok || !slices.ContainsFunc(append(Facts{}.parts(), told{}.parts("")...), func(p part) bool { return p.name == name }) {
		return "", line
	}
	return name, text
}
