package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// table is an Index in memory.
type table struct {
	keys          []string
	postings      map[string][]Posting
	items, length int64
	asked         int // ranges that were read
	fails         error
}

func (x *table) Postings(_ context.Context, from, to string, each func(Posting)) error {
	x.asked++
	if x.fails != nil {
		return x.fails
	}
	i, _ := slices.BinarySearch(x.keys, from)
	for ; i < len(x.keys) && x.keys[i] < to; i++ {
		for _, p := range x.postings[x.keys[i]] {
			each(p)
		}
	}
	return nil
}

func (x *table) Size(context.Context) (items, length int64, err error) {
	return x.items, x.length, x.fails
}

// tableOf numbers items from 0.
func tableOf(items ...Item) *table {
	x := &table{postings: map[string][]Posting{}}
	var a Analyser
	for n, it := range items {
		entries, length := a.Entries(it)
		for _, e := range entries {
			x.postings[e.Key] = append(x.postings[e.Key], Posting{int64(n), it.Timestamp.UnixMilli(), int64(length), e.Mark, e.Count})
		}
		x.items, x.length = x.items+1, x.length+int64(length)
	}
	for k := range x.postings {
		x.keys = append(x.keys, k)
	}
	slices.Sort(x.keys)
	return x
}

// said are items of one minute after the other.
func said(texts ...string) []Item {
	var items []Item
	for n, text := range texts {
		it := Item{Timestamp: day.Add(time.Duration(n) * time.Minute)}
		it.Words, _ = new(Analyser).Keywords(text)
		items = append(items, it)
	}
	return items
}

func rank(t *testing.T, x *table, query string, topK int, by Ranking) []int64 {
	t.Helper()
	got, err := Rank(t.Context(), x, query, topK, by)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestRank(t *testing.T) {
	for _, c := range []struct {
		name  string
		items []string
		query string
		want  []int64
	}{
		{"more keywords before newer", []string{"redis cache timeout on login", "redis upgrade"}, "redis timeout login", []int64{0, 1}},
		{"newest first among equals", []string{"redis a1", "redis b1", "redis c1"}, "redis", []int64{2, 1, 0}},
		{"a keyword counts once however often it is there", []string{"redis timeout", "redis redis redis"}, "redis redis timeout", []int64{0, 1}},
		{"whole words before words that begin alike", []string{"cat", "categories"}, "cat", []int64{0, 1}},
		{"whole words before any number of others", []string{"cat", "categories dogma"}, "cat dog", []int64{0, 1}},
		{"no match", []string{"redis"}, "zebra", []int64{}},
		{"nothing but grammar", []string{"redis"}, "what is the", []int64{}},
		{"a whole question", []string{"chose redis for the session cache", "fixed the login page"}, "What did we choose for caching sessions?", []int64{0}},
		{"Korean particles", []string{"세션의 상태를 저장했다", "빌드 오류"}, "세션을 저장하고", []int64{0}},
		{"inside a Korean word, after the word itself", []string{"저장소", "세션저장소"}, "저장소", []int64{0, 1}},
		{"Korean words apart or together", []string{"세션 저장소", "세션저장소", "세션", "저장소"}, "세션저장소", []int64{1, 0}},
		{"Korean question", []string{"컴파일러 오류를 고쳤다", "문서를 썼다"}, "어떤 오류를 고쳤나요?", []int64{0}},
		{"one syllable is no part of a word", []string{"책상", "책"}, "책을", []int64{1}},
		{"one syllable as a word", []string{"책상", "책 읽기"}, "책", []int64{1}},
		{"the date", []string{"redis"}, "what was on 14 August 2023", []int64{0}},
		{"the date in Korean", []string{"redis"}, "8월 14일에 무엇을", []int64{0}},
		{"a name by its words", []string{"wrote session-state.json", "session"}, "session state", []int64{0, 1}},
		{"a name as such first", []string{"sessionStore", "session store"}, "sessionStore", []int64{0, 1}},
		{"a name however it is spelled", []string{"on github", "GitHub"}, "github", []int64{1, 0}},
		{"a path by its file", []string{"internal/store/db.go", "internal/store/sql.go"}, "db.go", []int64{0, 1}},
		{"a path before its file elsewhere", []string{"a/db.go", "b/db.go"}, "a/db.go", []int64{0, 1}},
		{"an error code", []string{"LNK2019 unresolved", "LNK2001"}, "lnk2019", []int64{0}},
		{"query syntax is text", []string{"cmake near redis"}, `cmake" OR * -redis NEAR( AND {x}:`, []int64{0}},
	} {
		got := rank(t, tableOf(said(c.items...)...), c.query, 10, CountRecency)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q finds %v, want %v", c.name, c.query, got, c.want)
		}
		other := rank(t, tableOf(said(c.items...)...), c.query, 10, CountBM25Recency)
		if slices.Sort(got); !slices.Equal(slices.Sorted(slices.Values(other)), got) {
			t.Errorf("%s: %q finds %v with BM25, %v without: the ranking only orders", c.name, c.query, other, got)
		}
	}
}

// TestLiterals: the paths of a change are only found by who asks for a name.
func TestLiterals(t *testing.T) {
	items := said("made it faster", "rewrote the store")
	items[0].Literals = []string{"internal/store/Cache.go", "E0308"}
	x := tableOf(items...)
	for query, want := range map[string][]int64{
		"store":                   {1},
		"cache":                   {}, // near words fill up, see below
		"internal/store/cache.go": {0},
		"Cache.go":                {0},
		"store/cache":             {0, 1},
		"E0308":                   {0},
		"e0308":                   {0},
	} {
		got := rank(t, x, query, 1+len(want), CountRecency)
		if query == "cache" {
			if want = []int64{0}; !slices.Equal(got, want) {
				t.Errorf("%q finds %v: a literal is near, if nothing holds the word", query, got)
			}
			continue
		}
		if len(got) < len(want) || !slices.Equal(got[:len(want)], want) {
			t.Errorf("%q finds %v, want %v first", query, got, want)
		}
	}
}

// TestWordAndName: a word that is asked for as such and within a name is one keyword, looked for as the name is.
func TestWordAndName(t *testing.T) {
	items := said("made it faster", "cache in go")
	items[0].Literals = []string{"internal/cache.go"}
	for _, query := range []string{"cache cache.go", "cache.go cache"} {
		if got := rank(t, tableOf(items...), query, 2, CountRecency); !slices.Equal(got, []int64{0, 1}) {
			t.Errorf("%q finds %v: three keywords before two", query, got)
		}
	}
}

func TestBM25OnlyAmongEquals(t *testing.T) {
	x := tableOf(said("rare common", "common common and many many other long words here", "common", "rare words in a long text about much more than that", "common", "common")...)
	if got := rank(t, x, "rare common", 3, CountBM25Recency); got[0] != 0 || got[1] != 3 {
		t.Errorf("finds %v, want the one with both, then the rare one", got)
	}
	if got := rank(t, x, "rare common", 2, CountRecency); !slices.Equal(got, []int64{0, 5}) {
		t.Errorf("finds %v, want the one with both, then the newest", got)
	}
}

func TestRankTellsErrors(t *testing.T) {
	x := tableOf(said("redis")...)
	x.fails = errors.New("disk on fire")
	for _, by := range []Ranking{CountRecency, CountBM25Recency} {
		if got, err := Rank(t.Context(), x, "redis", 1, by); !errors.Is(err, x.fails) || got != nil {
			t.Errorf("%v, %v", got, err)
		}
	}
}

// TestHugeQueries are bounded in what they ask for.
func TestHugeQueries(t *testing.T) {
	x := tableOf(said("redis")...)
	var b strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&b, "word%d ", i)
	}
	b.WriteString("redis")
	rank(t, x, b.String(), 5, CountBM25Recency)
	if x.asked > 5*maxAsked {
		t.Errorf("%d ranges read", x.asked)
	}
	if got := rank(t, x, "redis"+strings.Repeat(" redis", 1<<20), math.MaxInt, CountRecency); len(got) != 1 {
		t.Errorf("finds %v", got)
	}
}

// The oracle below knows the rule as it is told, and nothing of how it is done: it compares words with words. Its words
// are their own stems, and hold each other in every way.
var oracleWords = strings.Fields("alpha bravo cat catalog log login echo 세션 저장소 세션저장소 로그 접속로그 빌드 책 책상")

type oracle struct {
	items [][]string
	mean  float64
}

func newOracle(items [][]string) oracle {
	o := oracle{items: items}
	for _, words := range items {
		o.mean += lengthOf(words) / float64(len(items))
	}
	return o
}

func lengthOf(words []string) (n float64) {
	for _, w := range words {
		n += float64(len(unitsOf(w)))
	}
	return n
}

// unitsOf are what BM25 counts: a word, or each pair of syllables of a Korean one.
func unitsOf(w string) (units []string) {
	r := []rune(w)
	if r[0] < '가' || len(r) < 2 {
		return []string{w}
	}
	for i := range len(r) - 1 {
		units = append(units, string(r[i:i+2]))
	}
	return units
}

func (o oracle) holds(words []string, q string) bool {
	korean := q[0] >= 0x80 && len([]rune(q)) > 1
	for _, w := range words {
		if w == q || korean && strings.Contains(w, q) {
			return true
		}
	}
	if r := []rune(q); korean && len(r) > 3 {
		for i := 2; i <= len(r)-2; i++ {
			if slices.Contains(words, string(r[:i])) && slices.Contains(words, string(r[i:])) {
				return true
			}
		}
	}
	return false
}

func (o oracle) score(words, query []string) (sum float64) {
	for _, q := range query {
		for _, u := range unitsOf(q) {
			tf, df := 0.0, 0.0
			for _, other := range o.items {
				if o.count(other, u) > 0 {
					df++
				}
			}
			if tf = o.count(words, u); tf > 0 {
				sum += math.Log(1+(float64(len(o.items))-df+.5)/(df+.5)) * tf * 1.9 / (tf + .9*(.6+.4*lengthOf(words)/o.mean))
			}
		}
	}
	return sum
}

func (o oracle) count(words []string, unit string) (n float64) {
	for _, w := range words {
		for _, u := range unitsOf(w) {
			if u == unit {
				n++
			}
		}
	}
	return n
}

func (o oracle) best(query []string, topK int, by Ranking) (best []int64) {
	query = slices.Compact(slices.Sorted(slices.Values(query)))
	type entry struct{ count, second, near float64 }
	of := make([]entry, len(o.items))
	for n, words := range o.items {
		for _, q := range query {
			if o.holds(words, q) {
				of[n].count++
			}
			if slices.Contains(words, q) {
				of[n].second++
			}
			if q[0] < 0x80 && slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, q) }) {
				of[n].near++
			}
		}
		if by == CountBM25Recency {
			of[n].second = math.Round(o.score(words, query) * 1e9)
		}
		if of[n].count > 0 || of[n].near > 0 {
			best = append(best, int64(n))
		}
	}
	slices.SortFunc(best, func(a, b int64) int {
		x, y := of[a], of[b]
		if x.count == 0 && y.count == 0 {
			x.second, y.second = 0, 0
		} else {
			x.near, y.near = 0, 0
		}
		return cmp.Or(cmp.Compare(y.count, x.count), cmp.Compare(y.second, x.second), cmp.Compare(y.near, x.near), cmp.Compare(b, a))
	})
	return best[:min(topK, len(best))]
}

func TestRankAgainstOracle(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pick := func(n int) (words []string) {
		for range 1 + r.IntN(n) {
			words = append(words, oracleWords[r.IntN(len(oracleWords))])
		}
		return words
	}
	for round := range 40 {
		var texts []string
		var items [][]string
		for range 1 + r.IntN(40) {
			items = append(items, pick(8))
			texts = append(texts, strings.Join(items[len(items)-1], " "))
		}
		x, o := tableOf(said(texts...)...), newOracle(items)
		for range 10 {
			query, topK := pick(4), 1+r.IntN(12)
			for _, by := range []Ranking{CountRecency, CountBM25Recency} {
				got, want := rank(t, x, strings.Join(query, " "), topK, by), o.best(query, topK, by)
				if !slices.Equal(got, want) && !(len(got) == 0 && len(want) == 0) {
					t.Fatalf("round %d, %s, %v of %d items: %v, want %v\n%s", round, by, query, len(items), got, want, strings.Join(texts, "\n"))
				}
			}
		}
	}
}

func FuzzRank(f *testing.F) {
	for _, q := range []string{"", "redis", "세션저장소", "a/b.c", "'; DROP TABLE memories; --", "\xff\x00", "a*b\"c"} {
		f.Add(q, 3)
	}
	x := tableOf(said("redis cache in internal/a.go", "세션저장소를 만들었다", "GitHub LNK2019")...)
	f.Fuzz(func(t *testing.T, query string, topK int) {
		topK = max(1, topK)
		for _, by := range []Ranking{CountRecency, CountBM25Recency} {
			got, err := Rank(t.Context(), x, query, topK, by)
			if err != nil || len(got) > topK || len(got) > 3 {
				t.Errorf("%q: %v %v", query, got, err)
			}
		}
	})
}
