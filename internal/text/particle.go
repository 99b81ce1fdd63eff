package text

import (
	"strings"
	"unicode/utf8"
)

// ending is the sound on which a Korean word ends: it decides the form of the particle behind it.
type ending int

const (
	unheard   ending = iota // a word in Latin letters, for one: both forms are shown
	vowel                   // 커피
	consonant               // 저장
	rieul                   // 파일
)

// particles as the catalogue writes them, behind a place: with a consonant first, in brackets what follows a vowel.
var particles = []struct{ both, afterConsonant, afterVowel string }{
	{"은(는)", "은", "는"}, {"이(가)", "이", "가"}, {"을(를)", "을", "를"}, {"과(와)", "과", "와"}, {"(으)로", "으로", "로"},
}

// particle gives the particle at the head of after in the form that fits the word before it, and what follows.
func particle(word, after string) (form, rest string) {
	for _, p := range particles {
		rest, ok := strings.CutPrefix(after, p.both)
		if !ok {
			continue
		}
		switch end := endingOf(word); {
		case end == unheard:
			return p.both, rest
		case end == vowel, end == rieul && p.afterVowel == "로":
			return p.afterVowel, rest
		}
		return p.afterConsonant, rest
	}
	return "", after
}

// digits as they are read: 영 일 이 삼 사 오 육 칠 팔 구. A number that ends in 0 ends in 십, 백, 천 or 만.
var digits = [10]ending{consonant, rieul, vowel, consonant, vowel, vowel, consonant, rieul, rieul, vowel}

func endingOf(word string) ending {
	r, _ := utf8.DecodeLastRuneInString(strings.TrimRight(word, `”"')]»`))
	switch {
	case r >= '0' && r <= '9':
		return digits[r-'0']
	case r < '가' || r > '힣':
		return unheard
	}
	switch (r - '가') % 28 { // Unicode, "Hangul Syllable Composition": 28 endings, none first
	case 0:
		return vowel
	case 8:
		return rieul
	}
	return consonant
}
