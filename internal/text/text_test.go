package text

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func catalogue(l Lang, lines ...string) *Catalogue {
	return &Catalogue{lang: l, words: indexed(strings.Join(lines, "\n"))}
}

func TestReadTakesSentencesOfSeveralLines(t *testing.T) {
	c := catalogue(English, "# a comment", "", "a = one", "b = first", "", "  second", "    indented", "", "c = x = y")
	for key, want := range map[string]string{"a": "one", "b": "first\n\nsecond\n  indented", "c": "x = y"} {
		if got := c.Say(key); got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
	if c.Has("# a comment") || c.Has("") || !c.Has("a") {
		t.Error("a comment or an empty line became a sentence, or a sentence is lost")
	}
	if c.Say("no.such.key") != "no.such.key" {
		t.Error("an unknown key must be said as it is")
	}
}

func TestSayFillsPlaces(t *testing.T) {
	c := catalogue(English, "s = {a}-{b}", "open = {a} and {b", "n = {n} {n|file|files}, {k} {k|is|are} left", "twice = {a}{a}")
	for _, x := range []struct {
		key   string
		pairs []any
		want  string
	}{
		{"s", []any{"a", "x", "b", 7}, "x-7"},
		{"s", []any{"b", "x", "a", "y"}, "y-x"},
		{"s", []any{"a", []string{"x", "y"}, "b", errors.New("no")}, "x, y-no"},
		{"s", []any{"a", 1500 * time.Millisecond, "b", true}, "2s-true"},
		{"s", []any{"a", "{b}", "b", "{a}"}, "{b}-{a}"}, // a value is not read as a place
		{"s", []any{"a", "x"}, "x-{b}"},
		{"s", []any{"a"}, "{a}-{b}"},
		{"s", []any{"a", "\x1b[2J", "b", "x\u202ey"}, `\x1b[2J-x\u202ey`},
		{"s", []any{"a", []string{"a\nb", "c"}, "b", errors.New("\r")}, `a\nb, c-\r`},
		{"s", []any{"a", errors.New("one:\r\n\n\ttwo\nthree"), "b", 1}, "one: two three-1"},
		{"open", []any{"a", "x"}, "x and b"},
		{"twice", []any{"a", "x"}, "xx"},
		{"n", []any{"n", 1, "k", 0}, "1 file, 0 are left"},
		{"n", []any{"n", 0, "k", 1}, "0 files, 1 is left"},
		{"n", []any{"n", 11, "k", 21}, "11 files, 21 are left"},
		{"n", []any{"n", int64(1), "k", "1"}, "1 file, 1 is left"},
	} {
		if got := c.Say(x.key, x.pairs...); got != x.want {
			t.Errorf("%s %v: %q, want %q", x.key, x.pairs, got, x.want)
		}
	}
}

func TestKoreanParticlesFitTheWord(t *testing.T) {
	c := catalogue(Korean, "topic = {x}은(는)", "subject = {x}이(가) 없음", "object = {x}을(를)", "with = {x}과(와)", "to = {x}(으)로", "none = {x} 은(는)")
	for _, x := range []struct{ key, word, want string }{
		{"topic", "저장", "저장은"}, {"topic", "커피", "커피는"}, {"topic", "파일", "파일은"},
		{"subject", "저장", "저장이 없음"}, {"subject", "커피", "커피가 없음"},
		{"object", "스냅샷", "스냅샷을"}, {"object", "브랜치", "브랜치를"},
		{"with", "저장", "저장과"}, {"with", "커피", "커피와"},
		{"to", "저장", "저장으로"}, {"to", "커피", "커피로"}, {"to", "파일", "파일로"}, {"to", "각", "각으로"},
		{"topic", "main", "main은(는)"}, {"to", "HEAD", "HEAD(으)로"}, {"topic", "", "은(는)"}, {"topic", "か", "か은(는)"},
		// numbers as they are read: 영 일 이 삼 사 오 육 칠 팔 구, 십
		{"subject", "0", "0이 없음"}, {"subject", "1", "1이 없음"}, {"subject", "2", "2가 없음"}, {"subject", "3", "3이 없음"}, {"subject", "4", "4가 없음"},
		{"subject", "5", "5가 없음"}, {"subject", "6", "6이 없음"}, {"subject", "7", "7이 없음"}, {"subject", "8", "8이 없음"}, {"subject", "9", "9가 없음"},
		{"to", "1", "1로"}, {"to", "3", "3으로"}, {"to", "7", "7로"}, {"to", "8", "8로"}, {"to", "10", "10으로"}, {"to", "2", "2로"},
		{"topic", "“저장”", "“저장”은"}, {"topic", "(커피)", "(커피)는"}, // the sound is that of the word inside
		{"topic", "힣", "힣은"}, {"topic", "가", "가는"},
		{"none", "저장", "저장 은(는)"}, // only directly behind the word
	} {
		if got := c.Say(x.key, "x", x.word); got != x.want {
			t.Errorf("%s %q: %q, want %q", x.key, x.word, got, x.want)
		}
	}
}

func TestParse(t *testing.T) {
	for in, want := range map[string]struct {
		l  Lang
		ok bool
	}{
		"en": {English, true}, "en_US.UTF-8": {English, true}, "C": {English, true}, "C.UTF-8": {English, true}, "POSIX": {English, true},
		"ko": {Korean, true}, "ko_KR.UTF-8": {Korean, true}, "KO": {Korean, true}, "ko-KR": {Korean, true}, "ko.eucKR": {Korean, true},
		"de_DE.UTF-8": {English, false}, "": {English, false}, "kok_IN": {English, false}, "korean": {English, false},
	} {
		if l, ok := Parse(in); l != want.l || ok != want.ok {
			t.Errorf("%q: %s %v, want %s %v", in, l, ok, want.l, want.ok)
		}
	}
}

func TestChoose(t *testing.T) {
	for _, x := range []struct {
		flag string
		env  map[string]string
		want Lang
		bad  bool
	}{
		{"", nil, English, false},
		{"ko", map[string]string{"LC_ALL": "en_US"}, Korean, false},
		{"en", map[string]string{"LC_ALL": "ko_KR"}, English, false},
		{"", map[string]string{"LC_ALL": "ko_KR.UTF-8", "LANG": "en"}, Korean, false},
		{"", map[string]string{"LC_ALL": "C", "LANG": "ko"}, English, false},
		{"", map[string]string{"LC_MESSAGES": "ko", "LANG": "en"}, Korean, false},
		{"", map[string]string{"LANG": "ko_KR.UTF-8"}, Korean, false},
		{"", map[string]string{"LC_ALL": "de_DE.UTF-8", "LANG": "ko"}, English, false}, // set first, and none of ours
		{"klingon", nil, English, true},
	} {
		l, err := Choose(x.flag, func(k string) string { return x.env[k] })
		if l != x.want || (err != nil) != x.bad {
			t.Errorf("%q %v: %s, %v", x.flag, x.env, l, err)
		}
	}
}
