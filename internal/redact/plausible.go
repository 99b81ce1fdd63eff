package redact

import (
	"bytes"
	"math"
	"slices"
)

// secretValue judges a value by how much the name beside it says.
func secretValue(b []byte, how degree, v value) bool {
	if len(b) > 512 || variable(b, v.quoted) || !solidValue(b) {
		return false
	}
	switch how {
	case password:
		if !strongPassword(b) || placeholder(b) {
			return false
		}
		return v.quoted && !v.call || random(b, false) || !v.call && bytes.ContainsAny(b, "!@#$%^&*?~+")
	case telling:
		return len(b) >= 12 && !obviousPlaceholder(b) && random(b, false)
	case hinting:
		return len(b) >= 20 && v.quoted && !v.call && !hash(b) && !obviousPlaceholder(b) && random(b, false)
	}
	return false
}

// variable tells whether a value is not the thing itself but where it comes from: $TOKEN, ${TOKEN}, {{ token }}, %TOKEN%,
// <token>, os.environ[…], /run/secrets/token, https://…, a type, a call.
func variable(b []byte, quoted bool) bool {
	switch b[0] {
	case '$', '<', '{', '%', '(', '[', '*', '&', '!', '#', '~':
		if !quoted || b[0] != '!' && b[0] != '#' && b[0] != '~' && b[0] != '&' && b[0] != '*' {
			return true
		}
	case '/', '.':
		return !base64.has(b[len(b)-1]) || bytes.Count(b, []byte("/")) > 1 && !random(b, true) || bytes.HasPrefix(b, []byte("./")) || bytes.HasPrefix(b, []byte(".."))
	}
	for _, s := range [][]byte{[]byte("${"), []byte("{{"), []byte("$("), []byte("#{"), []byte("%("), []byte("<%"), []byte("://"), []byte("%s"), []byte("%v"),
		[]byte(" "), []byte("::"), []byte("->"), []byte("()"), []byte("\\u"), []byte("\\x"), []byte("ENC["), []byte("..."), []byte("[redacted:")} {
		if bytes.Contains(b, s) {
			return true
		}
	}
	return !quoted && (bytes.ContainsAny(b, "[{*\\") || member(b))
}

// member tells whether b is written like a member of something: config.Token2, ed25519.PrivateKey.
func member(b []byte) bool {
	dots, start := 0, true
	for _, c := range b {
		switch {
		case c == '.' && !start:
			dots++
			start = true
		case start && !letters.has(c) && c != '_', !word.has(c):
			return false
		default:
			start = false
		}
	}
	return dots > 0 && !start && !slices.ContainsFunc(bytes.Split(b, []byte(".")), func(p []byte) bool { return len(p) >= 16 && oddPart(p) })
}

// solidValue refuses one letter over and over, and long rows of the alphabet.
func solidValue(b []byte) bool {
	same, row := runs(b)
	seen := bytesOf(b)
	return (same < 5 || same*4 < len(b)) && row < 8 && seen.size() >= 5
}

// obviousPlaceholder finds the words that people write in the place of a token.
func obviousPlaceholder(b []byte) bool { return containsAny(b, obvious...) }

var obvious = []string{"example", "changeme", "change-me", "change_me", "placeholder", "redacted", "dummy", "sample", "your", "xxxx", "todo",
	"insert", "replace", "fake", "mock", "none", "null", "undefined", "urn:", "123456789", "987654321", "0102030405", "00010203", "00112233",
	"deadbeef", "cafebabe", "gx1fbat3bv", "2yotnfzfejr1zcsicmwpaa", "tgzv3jokf0xg5qx2tlkwia", "mf_9.b5f-4.1jqm"} // the last ones: RFC 6749, 6750

// placeholder finds the passwords of every manual, test and default installation.
func placeholder(b []byte) bool {
	if obviousPlaceholder(b) || len(b) > 0 && (b[0] == '<' || b[0] == '$' || b[0] == '{' || b[0] == '[' || b[0] == '%') {
		return true
	}
	same, row := runs(b)
	return same >= 5 || row >= 5 || string(bytes.ToLower(b)) == "pass" || containsAny(b, known...)
}

var known = []string{"password", "passwd", "passw0rd", "p@ssw0rd", "p@ssword", "pa$$word", "passwort", "secret", "token", "test", "foo", "bar",
	"hello", "admin", "root", "1234", "qwerty", "abcd", "abc1", "letmein", "demo", "user", "guest", "default", "hunter2", "swordfish", "s3cr3t", "s3cret",
	"welcome", "login", "username", "opensesame", "open sesame", "anoncvs", "xyzzy", "****", "....", "____", "----"}

// strongPassword: what a person or a generator would choose to keep others out.
func strongPassword(b []byte) bool {
	return len(b) >= 8 && len(b) <= 128 && entropy(b) >= 2.7 && (classes(b) >= 3 || classes(b) == 2 && len(b) >= 10 && random(b, false))
}

// classes counts small letters, capitals, digits and everything else.
func classes(b []byte) int {
	var has [4]bool
	for _, c := range b {
		switch {
		case isLower(c):
			has[0] = true
		case isUpper(c):
			has[1] = true
		case digits.has(c):
			has[2] = true
		default:
			has[3] = true
		}
	}
	n := 0
	for _, h := range has {
		if h {
			n++
		}
	}
	return n
}

// entropy is Shannon's, in bits a byte, of how often each byte stands in b.
func entropy(b []byte) float64 {
	var count [256]int
	for _, c := range b {
		count[c]++
	}
	e, n := 0.0, float64(len(b))
	for _, c := range b {
		if k := count[c]; k > 0 {
			p := float64(k) / n
			e -= p * math.Log2(p)
			count[c] = 0
		}
	}
	return e
}

// hash tells whether b is nothing but the hex of a usual hash, or a UUID.
func hash(b []byte) bool {
	if len(b) == 36 && b[8] == '-' && b[13] == '-' && b[18] == '-' && b[23] == '-' {
		return true
	}
	n := hexAny.run(b, 128)
	return n == len(b) && (n == 32 || n == 40 || n == 56 || n == 64 || n == 96 || n == 128)
}

// random tells whether b looks made by a generator rather than written by a person: enough of it is neither words nor
// numbers. Without digits it has to be long and mixed, unless letters alone are usual where it stands (loose).
func random(b []byte, loose bool) bool {
	d, l := 0, 0
	for _, c := range b {
		if digits.has(c) {
			d++
		} else if letters.has(c) {
			l++
		}
	}
	if l < 3 || d == 0 && !loose && (len(b) < 20 || classes(b) < 2) || entropy(b) < 2.9 {
		return false
	}
	odd, all := oddness(b)
	return odd >= 11 && odd*2 >= all
}

// oddness counts the letters and digits of b in parts that nobody would write, and all of them. Parts stand between
// separators: my-secret-name-2 has no odd ones, access-development-6076ee7d876d has one of two thirds.
func oddness(b []byte) (odd, all int) {
	for i := 0; i < len(b); {
		if !alnum.has(b[i]) {
			i++
			continue
		}
		n := alnum.run(b[i:], len(b))
		all += n
		if oddPart(b[i : i+n]) {
			odd += n
		}
		i += n
	}
	return odd, all
}

func oddPart(p []byte) bool {
	d := 0
	for _, c := range p {
		if digits.has(c) {
			d++
		}
	}
	switch {
	case d == len(p):
		return len(p) >= 8
	case len(p) < 4:
		return d > 0
	case d > 0 && hexAny.run(p, len(p)) == len(p):
		return true
	}
	readable := 0
	for i := 0; i < len(p); {
		j := i + 1
		for j < len(p) && !breaks(p, j) {
			j++
		}
		if isWord(p[i:j], d == 0) {
			readable += j - i
		}
		i = j
	}
	return readable*2 < len(p)
}

// isWord: letters that can be a word, or where there are only letters an abbreviation.
func isWord(w []byte, short bool) bool {
	if digits.has(w[0]) {
		return false
	}
	return len(w) >= 4 && common(w) >= 0.6 || short && len(w) == 3 && vowels(w) > 0 || len(w) >= 10 && common(w) > 0.5
}

func vowels(w []byte) (n int) {
	for _, c := range w {
		switch lower[c] {
		case 'a', 'e', 'i', 'o', 'u', 'y':
			n++
		}
	}
	return n
}

// common is the share of neighbouring letters in b that are usual neighbours in English and in identifiers; 0 where
// there are fewer than three pairs.
func common(b []byte) float64 {
	pairs, usual := 0, 0
	for i := 1; i < len(b); i++ {
		x, y := lower[b[i-1]], lower[b[i]]
		if !isLower(x) || !isLower(y) {
			continue
		}
		pairs++
		if neighbours[x-'a']>>(y-'a')&1 != 0 {
			usual++
		}
	}
	if pairs < 3 {
		return 0
	}
	return float64(usual) / float64(pairs)
}

// neighbours holds the 200 pairs that make up 88 % of all pairs in the words of Go sources and their documentation; of
// random pairs they make up 30 %.
var neighbours = func() (t [26]uint32) {
	for i, after := range [26]string{"bcdgilmnprstu", "aeilsu", "acehiklort", "adeiors", "acdefglmnprstvx", "aefilorsu", "ehinors", "aeiot",
		"abcdefglmnoprstvz", "", "ae", "adeilostuy", "aeiops", "acdefgiostu", "cdflmnoprstuvw", "aeiloprtu", "u", "acdegimnorstuy", "acehiopstuy",
		"acehiloprstuy", "ceilmnprst", "aei", "ai", "pt", "ps", "e"} {
		for _, c := range after {
			t[i] |= 1 << (c - 'a')
		}
	}
	return t
}()
