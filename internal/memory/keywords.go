package memory

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// What is read of foreign text at most. Everything beyond is left out, never an error: a turn with a megabyte of tool
// output is still a turn.
const (
	maxText     = 256 << 10 // bytes of one text that give keywords; of a longer one its end, which is the newest
	maxQuery    = 1 << 20   // bytes of a query that are read
	maxAsked    = 1 << 10   // distinct keywords of a query that are looked up
	maxKeywords = 8 << 10   // distinct keywords of one item
	maxCount    = 1 << 12   // times that one keyword of an item counts
	maxWord     = 96        // bytes of a word that tell it from another
	maxLiteral  = 512       // bytes of a name, likewise
)

// Analyser makes keywords out of texts and keys out of keywords. It remembers what it made of each word, so that many
// texts are cheaper than each alone. The zero value is ready; it is for one goroutine.
type Analyser struct {
	terms map[string]string
}

const maxTerms = 1 << 16 // that an Analyser remembers; then it begins anew

// term is what a folded word is compared by, "" for a stop word.
func (a *Analyser) term(word string) string {
	t, known := a.terms[word]
	if known {
		return t
	}
	if a.terms == nil || len(a.terms) == maxTerms {
		a.terms = map[string]string{}
	}
	t = term(word)
	a.terms[strings.Clone(word)] = t // word is a part of its whole text
	return t
}

func term(word string) string {
	switch {
	case word == "":
		return ""
	case word[0] < 0x80:
		return englishTerm(word)
	case isHangul(word):
		return koreanTerm(word)
	}
	return word
}

func isHangul(w string) bool {
	r, _ := utf8.DecodeRuneInString(w)
	_, _, _, ok := parts(r)
	return ok
}

// collector gathers words that differ in what they are indexed as.
type collector struct {
	by    *Analyser
	found Words
	at    map[string]int // term → its place in Keywords
	names map[string]bool
	cut   bool // something was left out
}

func newCollector(a *Analyser) *collector {
	return &collector{by: a, at: map[string]int{}, names: map[string]bool{}}
}

func (c *collector) words() Words {
	if !slices.ContainsFunc(c.found.Counts, func(n int) bool { return n > 1 }) {
		c.found.Counts = nil
	}
	return c.found
}

func (c *collector) text(text string) {
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[len(text)-maxText:], "")
		c.cut = true
	}
	for _, p := range scan(text) {
		for _, w := range p.words {
			c.word(w)
		}
		for _, w := range p.wholes {
			c.word(w)
		}
		if p.joined {
			c.literal(p.name)
		}
	}
}

func (c *collector) word(w string) {
	t := c.by.term(w)
	if t == "" {
		return
	}
	i, known := c.at[t]
	switch {
	case known:
		c.found.Counts[i]++
	case len(c.found.Keywords) == maxKeywords:
		c.cut = true
	default:
		c.at[t] = len(c.found.Keywords)
		c.found.Keywords, c.found.Counts = append(c.found.Keywords, w), append(c.found.Counts, 1)
	}
}

func (c *collector) literal(name string) {
	switch {
	case name == "" || c.names[name]:
	case len(c.found.Literals) == maxKeywords:
		c.cut = true
	default:
		c.names[name] = true
		c.found.Literals = append(c.found.Literals, name)
	}
}

// Keywords are the words of some texts. cut says that a text was too long, or its words too many: of a long text the end
// counts, which is the newest.
func (a *Analyser) Keywords(texts ...string) (words Words, cut bool) {
	c := newCollector(a)
	for _, t := range texts {
		c.text(t)
	}
	return c.words(), c.cut
}

// Mark says how an item holds a key of the index.
type Mark int64

// The marks; an item can hold one key in several ways.
const (
	Whole   Mark = 1 << iota // the key is one of its keywords
	Tail                     // the key is the end of a longer Korean word, from its second or a later syllable on
	Literal                  // the key is, or is a part of, a path, file, symbol or error code
	Bare                     // the key is the one syllable before what may be a particle or an ending of a keyword: 키 of 키가
)

// Entry is one key of an item in the index.
type Entry struct {
	Key   string
	Mark  Mark
	Count int // how often the item has it as a keyword, but at least 1
}

// Entries are the keys under which an index must hold an item, sorted, each once, and the item's length: the number of
// its words, every one counted.
//
// A Latin keyword gives its stem. A Korean one gives all its ends of two and more syllables (세션저장소, 션저장소, 저장소,
// 장소), so that one range of keys holds every word that a query word is inside of, and the one syllable that may be all of
// it. A literal gives itself, its last
// element, and its words. The item's day gives its words, too.
func (a *Analyser) Entries(it Item) (entries []Entry, length int) {
	e := entering{a, make(map[string]*Entry, 2*len(it.Keywords))}
	for i, k := range it.Keywords {
		n := 1
		if i < len(it.Counts) {
			n = min(max(it.Counts[i], 1), maxCount)
		}
		if isPlain(k) { // as nearly all are that came from Keywords
			length += e.keyword(strings.ToLower(clip(k, maxWord)), n)
			continue
		}
		for _, p := range scan(k) {
			for _, w := range slices.Concat(p.words, p.wholes) {
				length += e.keyword(w, n)
			}
		}
	}
	for _, l := range it.Literals {
		e.literal(l)
	}
	for _, w := range dateWords(it.Timestamp) {
		e.keyword(w, 1)
	}
	for _, n := range e.entries {
		n.Count = max(1, n.Count)
		entries = append(entries, *n)
	}
	slices.SortFunc(entries, func(a, b Entry) int { return strings.Compare(a.Key, b.Key) })
	return entries, length
}

type entering struct {
	*Analyser
	entries map[string]*Entry
}

func (e entering) add(key string, m Mark, n int) {
	k := e.entries[key]
	if k == nil {
		k = &Entry{Key: key}
		e.entries[key] = k
	}
	k.Mark |= m
	k.Count += n
}

func (e entering) keyword(w string, n int) (length int) {
	t := e.term(w)
	if t == "" {
		return 0
	}
	e.add(t, Whole, n)
	length = n
	if isHangul(t) {
		for end := t[syllable:]; len(end) >= 2*syllable; end = end[syllable:] {
			e.add(end, Tail, n)
			length += n
		}
		if one := loneSyllable(w); one != "" && one != t {
			e.add(one, Bare, 0)
		}
	}
	return length
}

func (e entering) literal(l string) {
	for _, p := range scan(l) {
		if p.name != "" {
			e.add(p.name, Literal, 0)
		}
		if base := lastElement(p.name); base != p.name {
			e.add(base, Literal, 0)
		}
		for _, w := range slices.Concat(p.words, p.wholes) {
			if t := e.term(w); t != "" {
				e.add(t, Literal, 0)
			}
		}
	}
}

func lastElement(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }
