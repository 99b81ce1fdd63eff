package memory

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

var day = time.Date(2023, 8, 14, 22, 30, 0, 0, time.FixedZone("KST", 9*3600))

func TestKeywords(t *testing.T) {
	for _, c := range []struct {
		text     string
		keywords string
		counts   []int
		literals string
	}{
		{"", "", nil, ""},
		{"the of what", "", nil, ""},
		{"Fixed the cache; fixes caches. CACHE!", "fixed cache", []int{2, 3}, ""},
		{"wrote .claude/session-state.json atomically", "wrote claude session state json atomically", nil, "claude/session-state.json"},
		{"sessionStore.Save in sessionStore", "session store save sessionstore", []int{2, 2, 1, 2}, "sessionstore.save"},
		{"세션의 상태를 저장했다. 세션을 저장!", "세션의 상태를 저장했다", []int{2, 1, 2}, ""},
		{"LNK2019 in a.cpp:12", "lnk2019 cpp 12", nil, "a.cpp"},
	} {
		w, cut := new(Analyser).Keywords(c.text)
		if got := strings.Join(w.Keywords, " "); got != c.keywords || !slices.Equal(w.Counts, c.counts) || cut {
			t.Errorf("%q: keywords %s %v, want %s %v; cut %v", c.text, got, w.Counts, c.keywords, c.counts, cut)
		}
		if got := strings.Join(w.Literals, " "); got != c.literals {
			t.Errorf("%q: literals %s, want %s", c.text, got, c.literals)
		}
	}
}

func TestKeywordsOfLongTexts(t *testing.T) {
	w, cut := new(Analyser).Keywords("oldest " + strings.Repeat("x ", maxText) + "newest")
	if !cut || slices.Contains(w.Keywords, "oldest") || !slices.Contains(w.Keywords, "newest") {
		t.Errorf("cut %v: %v", cut, w.Keywords)
	}
	var b strings.Builder
	for i := range 3 * maxKeywords {
		fmt.Fprintf(&b, "w%d ", i)
	}
	if w, cut = new(Analyser).Keywords(b.String()); !cut || len(w.Keywords) != maxKeywords {
		t.Errorf("cut %v: %d keywords", cut, len(w.Keywords))
	}
	if w, cut = new(Analyser).Keywords(strings.Repeat("가나 ", maxText/7)); cut || len(w.Keywords) != 1 {
		t.Errorf("cut %v: %d keywords", cut, len(w.Keywords))
	}
}

// TestAnalyserForgets checks that what it remembers changes nothing, even after it began anew.
func TestAnalyserForgets(t *testing.T) {
	var old Analyser
	for i := range maxTerms + 100 {
		old.term(fmt.Sprint("w", i))
	}
	if len(old.terms) > maxTerms {
		t.Errorf("%d terms remembered", len(old.terms))
	}
	text := "connections were rebuilt 세션에서는 w7"
	a, _ := old.Keywords(text)
	b, _ := new(Analyser).Keywords(text)
	if !slices.Equal(a.Keywords, b.Keywords) {
		t.Errorf("%v, fresh %v", a.Keywords, b.Keywords)
	}
}

func keys(it Item) string {
	entries, length := new(Analyser).Entries(it)
	s := fmt.Sprint(length, ":")
	for _, e := range entries {
		s += fmt.Sprintf(" %s/%d*%d", e.Key, e.Mark, e.Count)
	}
	return s
}

func TestEntries(t *testing.T) {
	const date = " 14/1*1"
	for _, c := range []struct {
		words Words
		want  string
	}{
		{Words{}, "0:" + date + " 2023/1*1 august/1*1"},
		{Words{Keywords: []string{"fixed", "caches"}, Counts: []int{2, 3}}, "5:" + date + " 2023/1*1 august/1*1 cach/1*3 fix/1*2"},
		{Words{Keywords: []string{"August", "14"}}, "2:" + date[:len(date)-1] + "2 2023/1*1 august/1*2"},
		{Words{Keywords: []string{"세션저장소를"}}, "4:" + date + " 2023/1*1 august/1*1 저장소/2*1 션저장소/2*1 세션저장소/1*1 장소/2*1"},
		{Words{Keywords: []string{"세션", "책"}}, "2:" + date + " 2023/1*1 august/1*1 세션/1*1 책/1*1"},
		{Words{Literals: []string{"internal/DB.go"}}, "0:" + date + " 2023/1*1 august/1*1 db/4*1 db.go/4*1 go/4*1 intern/4*1 internal/db.go/4*1"},
		{Words{Keywords: []string{"db"}, Literals: []string{"db.go"}}, "1:" + date + " 2023/1*1 august/1*1 db/5*1 db.go/4*1 go/4*1"},
		{Words{Keywords: []string{"two words", "the", "GitHub", ""}}, "5:" + date + " 2023/1*1 august/1*1 git/1*1 github/1*1 hub/1*1 two/1*1 word/1*1"},
		{Words{Keywords: []string{"x", "y"}, Counts: []int{-7, 1 << 40}}, fmt.Sprint(1+maxCount, ":", date, " 2023/1*1 august/1*1 x/1*1 y/1*", maxCount)},
	} {
		want := strings.Fields(c.want)
		got := strings.Fields(keys(Item{Timestamp: day, Words: c.words}))
		slices.Sort(want[1:])
		slices.Sort(got[1:])
		if !slices.Equal(got, want) {
			t.Errorf("%v\n got %s\nwant %s", c.words, got, want)
		}
	}
}

// TestKeywordsAreStable: what was analysed once gives the same keys when an index is made anew from it.
func TestKeywordsAreStable(t *testing.T) {
	texts := []string{
		"Fixed LNK2019 in src/net/Socket.cpp: HTTPServer::listen isn't linked, see GitHub issue #12 (C++)",
		"세션저장소를 만들었다. Redis를 3개의 노드에서 켰고 8월 14일에 배포했다",
		"2023-08-14 v0.9.1 会话存储 ✅ Straße e.g. rock'n'roll",
	}
	for _, text := range texts {
		once, _ := new(Analyser).Keywords(text)
		again, _ := new(Analyser).Keywords(strings.Join(once.Keywords, " "))
		a, b := keys(Item{Timestamp: day, Words: once}), keys(Item{Timestamp: day, Words: again})
		without := once
		without.Literals = nil
		if b != keys(Item{Timestamp: day, Words: Words{Keywords: again.Keywords, Counts: once.Counts}}) && once.Counts == nil {
			t.Errorf("%q:\n%s\n%s", text, a, b)
		}
		if got, want := fmt.Sprint(again.Keywords), fmt.Sprint(without.Keywords); got != want {
			t.Errorf("%q:\n got %s\nwant %s", text, got, want)
		}
	}
}

func FuzzKeywordsAreStable(f *testing.F) {
	for _, s := range []string{"Fixed a.b/c 세션저장소를 3개", "can't C++ IPv6 HTTPServer", "8월", "é’s", "x.1", "1.x", "a'b.c"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		once, _ := new(Analyser).Keywords(text)
		entries, length := new(Analyser).Entries(Item{Timestamp: day, Words: once})
		if length < len(once.Keywords) {
			t.Errorf("%q: length %d of %d keywords", text, length, len(once.Keywords))
		}
		has := map[string]Mark{}
		for i, e := range entries {
			if e.Key == "" || strings.Contains(e.Key, "\x00") || e.Count < 1 || e.Mark == 0 || i > 0 && entries[i-1].Key >= e.Key {
				t.Errorf("%q: entry %d %+v", text, i, e)
			}
			has[e.Key] = e.Mark
		}
		for _, k := range once.Keywords {
			if k := term(k); has[k]&Whole == 0 {
				t.Errorf("%q: keyword %q is not in its index", text, k)
			}
		}
	})
}
