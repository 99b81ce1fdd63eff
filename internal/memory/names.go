package memory

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// letters takes a run of letters, digits and joiners: one word, several with hyphens, or a name out of code.
func (s *scanner) letters(run string) {
	if isPlain(run) {
		s.word(s.folded(run))
		return
	}
	for _, part := range splitColons(run) {
		part = trimJoiners(part)
		switch day, ok := isoDate(part); {
		case part == "":
		case ok:
			s.pieces = append(s.pieces, piece{words: day})
		case version(part) != "":
			s.word(version(part))
		case isLanguage(part):
			s.word(s.folded(part))
		default:
			s.name(part)
		}
	}
}

// isPlain knows ASCII words that are nothing but words, which most are.
func isPlain(run string) bool {
	for i := range len(run) {
		if c := run[i]; (c < 'a' || c > 'z') && (i > 0 || c < 'A' || c > 'Z') {
			return false
		}
	}
	return true
}

// splitColons cuts at single colons (file.go:42, key:value) and at the drive of C:\x, never inside std::vector.
func splitColons(run string) (parts []string) {
	begin := 0
	for i := 0; i < len(run); i++ {
		if run[i] != ':' {
			continue
		}
		if i+1 < len(run) && run[i+1] == ':' {
			i++
			continue
		}
		parts = append(parts, run[begin:i])
		begin = i + 1
	}
	return append(parts, run[begin:])
}

func trimJoiners(s string) string {
	s = strings.TrimLeft(s, joiners)
	t := strings.TrimRight(s, joiners)
	if rest := s[len(t):]; strings.HasPrefix(rest, "++") || strings.HasPrefix(rest, "#") { // c++ c#
		if l := t + rest[:strings.LastIndexAny(rest[:min(2, len(rest))], "+#")+1]; isLanguage(l) {
			return l
		}
	}
	return t
}

// isLanguage knows the words that are nothing without their last sign: C++, g++, C#, F#.
func isLanguage(s string) bool {
	t := strings.TrimSuffix(strings.TrimSuffix(s, "++"), "#")
	return len(t) == 1 && len(s) > 1 && t[0]|0x20 >= 'a' && t[0]|0x20 <= 'z'
}

// version is 0.9.1 of 0.9.1, v2.13 and V3.5: numbers that mean something only as a whole. "" for everything else.
func version(s string) string {
	if s != "" && s[0]|0x20 == 'v' {
		s = s[1:]
	}
	dots := 0
	for i := range len(s) {
		switch {
		case s[i] == '.' && i > 0:
			dots++
		case s[i] < '0' || s[i] > '9':
			return ""
		}
	}
	if dots == 0 {
		return ""
	}
	return clip(s, maxWord)
}

// name takes what may be a name: a.b, a_b, a/b and aB are, a-b is two words.
func (s *scanner) name(part string) {
	if !strings.ContainsAny(part, `_./\:`) && strings.ContainsAny(part, "-#+") {
		for _, w := range strings.FieldsFunc(part, func(r rune) bool { return strings.ContainsRune("-#+", r) }) {
			s.name(w)
		}
		return
	}
	if isInitials(part) {
		s.word(s.folded(part))
		return
	}
	var p piece
	elements := strings.FieldsFunc(part, func(r rune) bool { return strings.ContainsRune(`_./\-:#+`, r) })
	for _, e := range elements {
		s.element(&p, e)
	}
	p.joined = len(elements) > 1
	if p.joined || len(p.wholes) > 0 || len(p.words) == 1 && isCode(part) {
		p.name = s.literal(part)
	}
	if len(p.words) > 0 {
		s.pieces = append(s.pieces, p)
	}
}

// isInitials knows e.g and U.S, whose letters are no words.
func isInitials(part string) bool {
	for i := range len(part) {
		if (part[i] == '.') != (i%2 == 1) {
			return false
		}
	}
	return len(part) > 2
}

// literal is how a name is compared: folded, with forward slashes, without ./ in front.
func (s *scanner) literal(name string) string {
	return strings.Trim(strings.ReplaceAll(s.lower(clip(name, maxLiteral)), `\`, "/"), "/.")
}

// element takes what stands between two separators: one word, or several in camel case.
func (s *scanner) element(p *piece, e string) {
	e, rest := contraction(e)
	humps := camel(e)
	for _, h := range humps {
		p.words = append(p.words, s.folded(h))
	}
	if len(humps) > 1 {
		p.wholes = append(p.wholes, s.folded(e))
	}
	if rest != "" {
		s.element(p, rest)
	}
}

// contraction takes off what an apostrophe joins: it's → it, don't → nothing (all of them are stop words). Other words
// with an apostrophe come back in two.
func contraction(e string) (word, rest string) {
	i := strings.IndexAny(e, "'’")
	if i < 0 {
		return e, ""
	}
	_, size := utf8.DecodeRuneInString(e[i:])
	word, rest = e[:i], strings.TrimLeft(e[i+size:], "'’")
	switch strings.ToLower(rest) {
	case "t":
		return "", ""
	case "s", "ll", "ve", "re", "d", "m":
		return word, ""
	}
	return word, rest
}

// camel cuts sessionStore and HTTPServer into their words. LNK2019 and IDs stay whole.
func camel(e string) (words []string) {
	begin := 0
	var last, before rune // the one before this rune, and the one before that
	for i, r := range e {
		cut := i
		switch {
		case unicode.IsUpper(r) && unicode.IsLower(last):
		case unicode.IsUpper(last) && unicode.IsUpper(before) && lowerTwice(e[i:]):
			cut = i - utf8.RuneLen(last)
		default:
			cut = begin
		}
		if cut > begin {
			words = append(words, e[begin:cut])
			begin = cut
		}
		last, before = r, last
	}
	if begin < len(e) {
		words = append(words, e[begin:])
	}
	return words
}

// lowerTwice keeps IDs and IPv6 from being cut like HTTPServer.
func lowerTwice(s string) bool {
	a, size := utf8.DecodeRuneInString(s)
	b, _ := utf8.DecodeRuneInString(s[size:])
	return unicode.IsLower(a) && unicode.IsLower(b)
}

// isCode knows single words that name something in code: a mix of letters and digits (LNK2019, sha256), or capitals
// only (ENOENT).
func isCode(w string) bool {
	letters, digits, lower := 0, 0, false
	for _, r := range w {
		switch {
		case unicode.IsDigit(r):
			digits++
		case unicode.IsLetter(r):
			letters++
			lower = lower || !unicode.IsUpper(r)
		}
	}
	return letters > 0 && digits > 0 || letters > 2 && !lower
}
