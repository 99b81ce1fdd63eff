package memory

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// show writes pieces as words, a name behind its words, and a camel-case whole in front.
func show(pieces []piece) string {
	var all []string
	for _, p := range pieces {
		s := strings.Join(p.words, " ")
		if len(p.wholes) > 0 {
			s = strings.Join(p.wholes, " ") + "=" + s
		}
		if p.name != "" {
			s += "(" + p.name + ")"
		}
		if p.joined {
			s += "!"
		}
		all = append(all, s)
	}
	return strings.Join(all, ", ")
}

func TestScan(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{" \t\n…—(){}[]<>\"", ""},
		{"Fix the cache.", "fix, the, cache"},
		{"done.Next", "done next(done.next)!"},
		{"it's Anna’s, don't rock'n'roll", "it, anna, rock n roll"},
		{"e.g. i.e. U.S.", "e.g, i.e, u.s"},
		{"well-known --dry-run -n", "well, known, dry, run, n"},
		{"sessionStore", "sessionstore=session store(sessionstore)"},
		{"HTTPServer getURL IDs IPv6 macOS", "httpserver=http server(httpserver), geturl=get url(geturl), ids, ipv6(ipv6), macos=mac os(macos)"},
		{"session_state.json", "session state json(session_state.json)!"},
		{"internal/store/DB.go:42", "internal store db go(internal/store/db.go)!, 42"},
		{`C:\src\Main.cpp(12)`, "c, src main cpp(src/main.cpp)!, 12"},
		{"./a/b/ ../c", "a b(a/b)!, c"},
		{"std::vector<int> key:value a::", "std vector(std::vector)!, int, key, value, a"},
		{"C++ g++, C# F#. c/c++ issue #12", "c++, g++, c#, f#, c c(c/c)!, issue, 12"},
		{"LNK2019 E0308 ENOENT a1", "lnk2019(lnk2019), e0308(e0308), enoent(enoent), a1(a1)"},
		{"0.9.1 v2.13 3.5 10:30", "0.9.1, 2.13, 3.5, 10, 30"},
		{"2023-08-14 2023/08/14 2023-08-14T10:00:00Z 2023-13-14", "2023 august 14, 2023 august 14, 2023 august 14, 00, 00z(00z), 2023, 13, 14"},
		{"ÜBER Straße Ἀθήνα", "über(über), strasse, ἀθήνα"},
		{"ＲＥＤＩＳ ﬁx", "redis(redis), fix"},
		{"세션을 저장", "세션을, 저장"},
		{"\u1109\u1166\u1109\u1167\u11ab", "세션"},
		{"Redis를 CMake에서 (API는) `load`의", "redis, cmake=c make(cmake), api(api), load"},
		{"API키를 Go언어", "api(api), 키를, go, 언어"},
		{"3개를 10만 5학년 8월 14일 2023년에 13월", "3, 10, 5, 학년, august, 14, 2023, 13"},
		{"会话存储 セッション ไทย 会", "会话, 话存, 存储, セッ, ッシ, ショ, ョン, ไท, ทย, 会"},
		{"done ✅🚀 ok → x", "done, ✅, 🚀, ok, x"},
		{"a\x00b\xffc", "a, b, c"},
		{"\x1b[31mred\x1b[0m \x1b[1;32mgreen\x1b[ x\x1b[", "red, green"},
	} {
		if got := show(scan(c.text)); got != c.want {
			t.Errorf("scan(%q)\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

func TestLongWordsAreCutAlike(t *testing.T) {
	long := strings.Repeat("가나다", 200) + strings.Repeat("x", 5000)
	for _, p := range scan(long + " " + strings.Repeat("é", 500)) {
		for _, w := range p.words {
			if !utf8.ValidString(w) || w[0] < 0xea && len(w) > maxWord {
				t.Errorf("word of %d bytes", len(w))
			}
		}
	}
	a, b := scan(strings.Repeat("x", 100)), scan(strings.Repeat("x", 5000))
	if a[0].words[0] != b[0].words[0] {
		t.Error("two long words that begin alike are different")
	}
}

func TestTerms(t *testing.T) {
	for _, c := range []struct{ words, want string }{
		{"the of what didn't", ""},
		{"connection connected connecting connects", "connect"},
		{"go goes went gone going", "go"},
		{"write wrote written writing", "write"},
		{"built builds building", "build"},
		{"indices index indexes", "index"},
		{"behaviour behaviors", "behavior"},
		{"initialise initialized", "initi"},
		{"Aug August", "august"},
		{"Sept September", "septemb"},
		{"children child", "child"},
		{"may", "may"},
		{"lnk2019", "lnk2019"},
		{"c++", "c++"},
	} {
		for w := range strings.FieldsSeq(c.words) {
			for _, p := range scan(w) {
				for _, w := range p.words {
					if got := term(w); got != c.want {
						t.Errorf("term(%q) = %q, want %q", w, got, c.want)
					}
				}
			}
		}
	}
}

// TestTermsOfThisVersion fails when the same words no longer give the same keys, be it by a change here or in the
// stemmer: then every store must be made anew, which is what a new AnalyserVersion says.
func TestTermsOfThisVersion(t *testing.T) {
	const version, want = 2, "agre american autom backup buildabl cach caus checkpoint citi columbus configur die earli fix general gentl happi hope indic initialis ital keyword lie magnet " +
		"negat one-off organ plot possibl proceed rebuild recoveri relat retri revok run serial session ski sky snapshot succeed tie trivial ugli 고치 막히면 병합 세션 읽 저장 저장소 컴파일러 테스트 정책 번역 관리자역할 버리 재현"
	words := "agreed American automation backups buildable caches causing checkpointing cities Columbus configuration died early fixed generalization gently happiness hopefulness indicators " +
		"initialisation italics keywords lying magnetic negatively one-off organization plotted possibly proceed rebuilt recovery relational retries revoked running serializer sessions skis sky " +
		"snapshots succeeded ties trivially ugly 고쳤다 막히면 병합된다 세션에서는 읽었다 저장했습니다 저장소의 컴파일러가 테스트를 정책에 번역할 관리자역할 버린다면 재현되나"
	var got []string
	for w := range strings.FieldsSeq(words) {
		for _, t := range []string{term(strings.ToLower(w))} {
			if !slices.Contains(got, t) {
				got = append(got, t)
			}
		}
	}
	if s := strings.Join(got, " "); s != want || AnalyserVersion != version {
		t.Errorf("terms of version %d:\n got %s\nwant %s\nif that is meant, raise AnalyserVersion", AnalyserVersion, s, want)
	}
}

func TestDates(t *testing.T) {
	for m, name := range months {
		text := fmt.Sprintf("2024-%02d-03 2024.%02d.03 %d월", m+1, m+1, m+1)
		for i, p := range scan(text) {
			if want := []string{"2024", name, "3"}; i < 2 && !slices.Equal(p.words, want) || i == 2 && p.words[0] != name {
				t.Errorf("%s: piece %d is %v", text, i, p.words)
			}
		}
	}
}

func FuzzScan(f *testing.F) {
	for _, s := range []string{"", "a", "a.b/c::d", "세션의 3개 8월", "don't C++ 2023-08-14T1", "\xff\u200d👩‍💻", "é́́", strings.Repeat("́", 99), "''’", "..", "::", "A'B'C"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, p := range scan(text) {
			if len(p.words) == 0 {
				t.Errorf("%q: a piece without words", text)
			}
			for _, w := range append(append([]string{p.name}, p.words...), p.wholes...) {
				if !utf8.ValidString(w) || strings.ContainsAny(w, " \x00\n") {
					t.Errorf("%q: word %q", text, w)
				}
			}
			for _, w := range p.words {
				if w == "" {
					t.Errorf("%q: an empty word", text)
				}
				if k := term(w); len(k) > 2*maxWord && !isHangul(k) {
					t.Errorf("%q: a term of %d bytes", text, len(k))
				}
			}
		}
	})
}
