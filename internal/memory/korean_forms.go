package memory

import (
	"strings"
	"unicode/utf8"
)

// A Korean verb has many forms, and without a dictionary many of them cannot be told from a noun: 바꾼 (that was changed)
// is made like 시간 (time), 바꿔서 like 문서. So an index holds them as they are, and a query asks for the others of what
// may be a verb's form: for 바꾼 also for 바꾸 (which is what 바꿨다 is indexed as), 바꿀, 바꿈 and 바꿔. For what is a noun
// after all, these are words that nobody wrote.

// verbEndings follow stems of verbs that are not made of nouns with 하다 and 되다.
var verbEndings = suffixList(
	after, `는 는데 는데도 는지 는지도 는지를 는가 던 던데 던가 던지 지 지만 지는 지도 지를 고 고서 고도 며 면 면서 면은 니 니까 나 나요 네 네요 냐 자 자고 자는
		자마자 게 게끔 기 기를 기가 기에 기는 기도 기로 기만 기까지 기위해 도록 거나 려고 려면 려는 려다 려다가 려던 길래 느라 다 다가 다고 다는 다면 더니 더라 더라도 더라고 던지 라 라고 라는 라며 길 네요 니까요 러 서 서는 선 야 야만 도 요 세요 십시오
		아 어 아서 어서 아야 어야 아도 어도 아요 어요 아라 어라 아지는 어지는 아진 어진`,
	shut|rieul, `은 은데 은지 은지도 을 을지 을까 을까요 을때 을수 음 음을 음은 음이 으며 으면 으면서 으니 으니까 으려고 으려면 으려는 으려다 으려던 으러 으세요 으십시오`,
)

// shortNoun are particles behind which one syllable can be a noun: 키가, 깃에, 맥에서.
var shortNoun = suffixList(
	open, `가 와 나`,
	shut|rieul, `이 과 이나 이랑`,
	shut, `으로 으로부터 으로는 으로도`,
	open|rieul, `로 로부터 로는 로도`,
	after, `에 의 도 만 에서 에서는 에서도 에는 에도 까지 부터 부터는 마다 보다 처럼 한테 에게 들 들이 들은 들을 하고`,
)

// counted are what nouns are joined to that a note has alone: 세션별, 사용자당, 저장후, 배포중인. Many nouns end in them.
var counted = suffixList(after, `별 별로 당 용 용으로 중 중인 중에 시 시에 후 후에 전 전에 때 때문에 나 끼리 상 상의 쪽 측`)

// loneSyllable is the one syllable before a particle or an ending, "" if w is no such word. It may be a noun or a verb, or
// nothing: 회의 is no 회.
func loneSyllable(w string) string {
	if len(w) <= syllable {
		return ""
	}
	one, suffix := w[:syllable], w[syllable:]
	if (verbEndings()[suffix]|shortNoun()[suffix])&soundOf(one) == 0 || isKoreanStop(one) {
		return ""
	}
	return one
}

// verbStems are what w may be a form of; likely says that it is more likely one than a noun.
func verbStems(w string) (stems []string, likely bool) {
	if stem, ok := pastStem(w); ok {
		if stems = append(stems, stem); strings.HasPrefix(w[len(stem):], "였") {
			stems = append(stems, stem+"이") // 줄였다 is of 줄이다
		}
		return stems, true
	}
	if stem, ok := presentStem(w); ok {
		return []string{stem}, true
	}
	rest := trim(w, verbEndings(), 1)
	head, last, _ := cutAt(rest, len(rest))
	initial, vowel, final, ok := parts(last)
	switch {
	case !ok:
	case rest == w && (final == nieun || final == finalL || final == mieum || final == bieup): // 고친, 고칠, 고침, 고칩
		stems = append(stems, head+compose(initial, vowel, 0))
	case rest != w:
		stems = append(stems, rest)
		switch v := present(initial, vowel); { // 고쳐서, 보여서
		case final == 0 && v != "" && v != string(last):
			stems = append(stems, head+v)
		case last == '여':
			stems = append(stems, head+"이")
		}
	}
	return stems, rest != w
}

// otherForms are the keys, beside its term, that hold other forms of what w may be a form of.
func otherForms(w string) (keys, beginnings []string) {
	stems, likely := verbStems(w)
	for _, s := range stems {
		if n := noun(s); n != s { // 번역할: 번역하다
			keys, beginnings = append(keys, n), append(beginnings, n)
			continue
		}
		if len(s) < 2*syllable {
			continue
		}
		head, last, _ := cutAt(s, len(s))
		initial, vowel, final, ok := parts(last)
		if likely { // 바꾸지: 바꾸면
			beginnings = append(beginnings, s)
		}
		if keys = append(keys, s); !ok || final != 0 && final != finalL {
			continue
		}
		for _, f := range []rune{nieun, finalL, mieum} {
			keys = append(keys, head+compose(initial, vowel, f))
		}
		if final == finalL { // 만들다, 만드는
			keys = append(keys, head+compose(initial, vowel, 0))
		}
		if v, ok := contracted[vowel]; ok && final == 0 {
			beginnings = append(beginnings, head+compose(initial, v, 0))
		}
		if last == '이' {
			keys = append(keys, head) // as which 줄였다 is indexed
		}
	}
	return keys, beginnings
}

// contracted is what a stem's last vowel becomes before 어 and 아: 바꾸 → 바꿔, 고치 → 고쳐, 나오 → 나와.
var contracted = map[rune]rune{vowelU: vowelWO, vowelI: vowelYE, vowelO: vowelWA}

// askOtherForms adds to what is asked for. A single syllable is only asked for if no item holds the word otherwise.
func (a *asked) askOtherForms(w, term string) {
	keys, beginnings := otherForms(w)
	seen := map[string]bool{term: true, "": true}
	for _, k := range keys {
		if !seen[k] && !isKoreanStop(k) {
			a.ranges = append(a.ranges, exactly(k, Whole).weighs(a.need))
		}
		seen[k] = true
	}
	for _, k := range beginnings {
		if utf8.RuneCountInString(k) > 1 {
			a.ranges = append(a.ranges, beginning(k, Whole).weighs(a.need))
		}
	}
	if rest := trim(w, counted(), 2); rest != w && rest != term {
		a.otherwise = append(a.otherwise, beginning(rest, Whole|Tail).weighs(a.need))
	}
	one := loneSyllable(w)
	if len(term) == syllable {
		one = term
	}
	if one != "" {
		a.otherwise = append(a.otherwise, exactly(one, Whole|Bare).weighs(a.need))
	}
}
