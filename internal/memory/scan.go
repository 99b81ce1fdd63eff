package memory

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// piece is one stretch of a text: a word, or a name that is made of words.
type piece struct {
	words  []string // in order, folded; stop words are still in it
	wholes []string // camel-case words as they are written: sessionstore beside session and store
	name   string   // the whole, folded, if it looks like the name of something in code; else ""
	joined bool     // the name holds separators (a path, a file, a member): as a whole it is no word
}

type script byte

const (
	gap    script = iota
	letter        // scripts that put spaces between words; digits; what joins the parts of a name
	hangul
	dense // scripts that put no spaces between words
	emoji
)

// joiners stand inside names: session-state.json, a/b, std::vector, c++, don't.
const joiners = `_./\-:'’#+`

var ascii = func() (scripts [0x80]script) {
	for r := range scripts {
		if r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z' || strings.ContainsRune(joiners, rune(r)) {
			scripts[r] = letter
		}
	}
	return scripts
}()

// scan cuts a text into pieces. It is linear in the text and knows no grammar: where scripts meet there is a cut (Redis를
// is Redis and 를), and everything that is neither a letter nor a digit nor between two of them is a gap.
func scan(text string) []piece {
	s := scanner{fold: cases.Fold()}
	text = norm.NFKC.String(strings.ToValidUTF8(withoutColours(text), " "))
	begin, kind := 0, gap
	for i, r := range text {
		if c := scriptOf(r); c != kind {
			s.run(kind, text[begin:i])
			begin, kind = i, c
		}
	}
	s.run(kind, text[begin:])
	return s.pieces
}

// withoutColours takes out the sequences by which programs colour what they print: ESC [ 31 m is no part of a word.
func withoutColours(text string) string {
	if !strings.Contains(text, "\x1b[") {
		return text
	}
	parts := strings.Split(text, "\x1b[")
	for i, p := range parts[1:] {
		parts[i+1] = p[colour(p):]
	}
	return strings.Join(parts, " ")
}

// colour is how long the sequence is of which p is what follows ESC [.
func colour(p string) (end int) {
	for end < len(p) && p[end] >= 0x20 && p[end] < 0x40 {
		end++
	}
	if end < len(p) && p[end] >= 0x40 && p[end] < 0x7f {
		end++
	}
	return end
}

func scriptOf(r rune) script {
	switch {
	case r < 0x80:
		return ascii[r]
	case unicode.Is(unicode.Hangul, r):
		return hangul
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) || r == 'ー':
		return dense
	case unicode.In(r, unicode.L, unicode.M, unicode.N) || r == '’':
		return letter
	case r >= 0x2600 && unicode.Is(unicode.So, r):
		return emoji
	}
	return gap
}

type scanner struct {
	pieces []piece
	fold   cases.Caser
	glued  bool // no white space before this run
	digits bool // but a digit
}

func (s *scanner) run(kind script, run string) {
	switch kind {
	case letter:
		s.letters(run)
	case hangul:
		s.hangul(run)
	case dense:
		s.dense([]rune(run))
	case emoji:
		for _, r := range run {
			s.word(string(r))
		}
	}
	last, _ := utf8.DecodeLastRuneInString(run)
	s.glued = run != "" && !unicode.IsSpace(last)
	s.digits = last >= '0' && last <= '9'
}

func (s *scanner) word(w string) {
	if w != "" {
		s.pieces = append(s.pieces, piece{words: []string{w}})
	}
}

// hangul takes a run of Korean. Behind a Latin word, a number or a quote it may be nothing but particles (the 를 in
// Redis를), behind a number it may be a counter (3개를) or make it a month (8월).
func (s *scanner) hangul(run string) {
	bare := run
	if s.glued {
		bare = trimParticles(run, 0)
	}
	if bare == "" || s.digits && (s.month(run) || len(bare) <= syllable) {
		return
	}
	s.word(run)
}

// month turns the 8 of 8월 into august, so that both languages find a date.
func (s *scanner) month(run string) bool {
	if !strings.HasPrefix(run, "월") || len(s.pieces) == 0 {
		return false
	}
	last := s.pieces[len(s.pieces)-1]
	m := monthNumber(last.words[len(last.words)-1])
	if m == 0 || len(last.words) > 1 {
		return false
	}
	s.pieces[len(s.pieces)-1] = piece{words: []string{months[m-1]}}
	return true
}

// dense has no spaces to cut at: neighbouring pairs stand for words.
func (s *scanner) dense(run []rune) {
	if len(run) == 1 {
		s.word(string(run))
	}
	for i := range len(run) - 1 {
		s.word(string(run[i : i+2]))
	}
}

// folded is how a word is compared: at most maxWord bytes of it, without case.
func (s *scanner) folded(w string) string { return s.lower(clip(w, maxWord)) }

func (s *scanner) lower(w string) string {
	for i := range len(w) {
		if w[i] >= 0x80 {
			return norm.NFKC.String(s.fold.String(w)) // folding can take a composed letter apart
		}
	}
	return strings.ToLower(w)
}

// clip cuts s to at most n bytes, at a rune.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xc0 == 0x80 {
		n--
	}
	return s[:n]
}
