package memory

import "strings"

// A query is a list of keywords; an item is better the more of them it holds. Each is looked up as ranges of keys:
//
//	redis           one key
//	저장소            every key that begins with it, because Korean words are indexed with all their ends
//	세션저장소         the same; or both parts of it as words of their own, since people put spaces where they like
//	sessionStore    the whole, or all of its parts
//	store/sql/db.go two keywords, the file and its place; each the whole or all of its parts
//
// Where too few items hold keywords, those come behind that hold words which begin with one (auth: authentication), or
// only some parts of a name.

// asked is one keyword of a query.
type asked struct {
	ranges []keyRange
	need   int32 // an item holds the keyword if the weights of the ranges in which it has a key reach this
	// otherwise are asked for if no item holds the keyword by the ranges.
	otherwise []keyRange
	loose     []keyRange // an item that has a key in one of these is still better than none
}

// keyRange is a range of keys of the index: from ≤ key < to.
type keyRange struct {
	from, to string
	marks    Mark  // keys with one of these marks count
	weight   int32 // 0: the range only scores
	one      bool  // it is one key
	whole    bool  // that one key is the keyword itself
	score    bool  // BM25 counts it
}

func exactly(key string, marks Mark) keyRange {
	return keyRange{from: key, to: key + "\x00", marks: marks, one: true}
}

// beginning is the range of all keys that begin with prefix, which is UTF-8, so its last byte is never 0xff.
func beginning(prefix string, marks Mark) keyRange {
	last := len(prefix) - 1
	return keyRange{from: prefix, to: prefix[:last] + string([]byte{prefix[last] + 1}), marks: marks}
}

func (r keyRange) weighs(w int32) keyRange { r.weight = w; return r }
func (r keyRange) isWhole() keyRange       { r.whole = true; return r }
func (r keyRange) scores() keyRange        { r.score = true; return r }

// ask reads a query. Whatever it holds is text; there is no syntax.
func ask(query string) []asked {
	var list []asked
	seen := map[string]int{}
	add := func(id string, a asked) {
		if i, ok := seen[id]; ok {
			list[i].among(a.ranges[0].marks)
		} else if id != "" && len(list) < maxAsked {
			seen[id] = len(list)
			list = append(list, a)
		}
	}
	for _, p := range scan(clip(query, maxQuery)) {
		if p.name != "" {
			askName(p, add)
			continue
		}
		for _, w := range p.words {
			t := term(w)
			add(t, askWord(w, t))
		}
	}
	return list
}

// askWord asks for a word by its term.
func askWord(w, t string) asked {
	switch {
	case t == "":
		return asked{}
	case isHangul(t):
		a := askKorean(t)
		a.askOtherForms(w, t)
		return a
	}
	a := asked{need: 1, ranges: []keyRange{exactly(t, Whole).weighs(1).isWhole().scores()}}
	if len(t) > 2 {
		a.loose = []keyRange{beginning(t, Whole|Literal).weighs(1)}
	}
	if name, number := numbered(t); name != "" {
		a.need, a.ranges[0].weight = 2, 2
		a.otherwise = []keyRange{exactly(englishTerm(name), Whole).weighs(1), exactly(number, Whole).weighs(1)}
	}
	return a
}

// numbered takes python3 apart, which others write as python 3. Other mixes of letters and digits come back empty.
func numbered(t string) (name, number string) {
	name = strings.TrimRight(t, "0123456789")
	if len(name) < 2 || len(name) == len(t) || strings.IndexFunc(name, func(r rune) bool { return r < 'a' || r > 'z' }) >= 0 {
		return "", ""
	}
	return name, t[len(name):]
}

const longCompound = 12 // syllables; what is longer is not taken for two words

// askKorean weighs in syllables: the two parts of 세션저장소 make up for the whole of it.
func askKorean(t string) asked {
	n := int32(len(t) / syllable)
	a := asked{need: n, ranges: []keyRange{exactly(t, Whole).weighs(n).isWhole()}}
	if n == 1 {
		a.ranges[0].score = true
		return a
	}
	a.ranges = append(a.ranges, beginning(t, Whole|Tail).weighs(n))
	for i := int32(2); i < n && n <= longCompound; i++ { // 커넥션풀 has a part of one syllable
		head, tail := t[:i*syllable], t[i*syllable:]
		a.ranges = append(a.ranges, exactly(head, Whole).weighs(i), exactly(tail, Whole|Bare).weighs(n-i))
	}
	for i := range n - 1 { // BM25 over pairs of syllables finds what no list of endings foresaw
		a.ranges = append(a.ranges, beginning(t[i*syllable:(i+2)*syllable], Whole|Tail).scores())
	}
	return a
}

// askName asks for the words of a name and for the name itself, of a path also for its last element. Only names are looked
// up among the literals, too: the paths of a change say little about what it is about.
func askName(p piece, add func(string, asked)) {
	for _, w := range p.words {
		t := term(w)
		add(t, askWord(w, t).among(Whole|Literal))
	}
	names := []string{p.name, lastElement(p.name)}
	if !p.joined {
		names = []string{term(p.name)}
	}
	for _, n := range names {
		add(n, asked{need: 1, ranges: []keyRange{exactly(n, Whole|Literal).weighs(1).isWhole().scores()}})
	}
}

func (a asked) among(m Mark) asked {
	for i := range a.ranges {
		a.ranges[i].marks |= m
	}
	for i := range a.otherwise {
		a.otherwise[i].marks |= m
	}
	return a
}
