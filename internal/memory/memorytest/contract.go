package memorytest

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"session/internal/memory"
)

func empty(t *testing.T, s Subject) {
	if at := standing(t, s.Store, "s1"); at != "" {
		t.Errorf("an unknown session stands at %q", at)
	}
	for _, in := range []memory.Scope{memory.InSession("s1"), memory.InEverySession()} {
		q := query("s1", "redis")
		q.In = in
		if found := search(t, s.Store, q); found == nil || len(found) != 0 {
			t.Errorf("search finds %v, want an empty list that is none in JSON, too", found)
		}
		if found := list(t, s.Store, in); found == nil || len(found) != 0 {
			t.Errorf("list has %v", found)
		}
	}
	if err := s.Store.Drop(t.Context(), "s1"); err != nil {
		t.Errorf("drop of what is not there: %v", err)
	}
}

func fieldsComeBack(t *testing.T, s Subject) {
	for n, summary := range []string{"plain", "did: two\nlines: of it", "tab\t'quotes\" \\ %s $1 ?", "세션 저장소 ✅", strings.Repeat("long ", 5000), "  spaces  "} {
		session := memory.SessionRef(fmt.Sprint("s", n))
		it := Item(t, session, n, summary)
		it.Timestamp = time.Date(1969+30*n, 12, 31, 23, 59, 59, 987654321, time.FixedZone("", -3*3600))
		apply(t, s.Store, memory.Batch{SessionRef: session, Add: []memory.Item{it}})
		want := memory.Found{ID: it.ID, Timestamp: it.Timestamp.Truncate(time.Millisecond).UTC(), Summary: summary}
		if got := list(t, s.Store, memory.InSession(session)); len(got) != 1 || got[0] != want {
			t.Errorf("list has %+v, want %+v", got, want)
		}
		if got := search(t, s.Store, query(session, strings.Fields(strings.TrimPrefix(summary, "did:"))[0])); len(got) != 1 || got[0] != want {
			t.Errorf("search finds %+v, want %+v", got, want)
		}
	}
}

func order(t *testing.T, s Subject) {
	for n, c := range []struct{ name, query, want string }{
		{"more keywords first, even when older", "redis timeout login", "redis cache timeout on login | redis upgrade"},
		{"newest first among equals", "upgrade login", "redis upgrade | redis cache timeout on login"},
		{"whole words before parts of words", "cat", "cat food | categories rebuilt"},
		{"Korean words before parts of words", "저장소", "저장소 정리 | 세션저장소를 만들었다"},
		{"Korean particles", "상태의", "세션을 상태에 저장"},
		{"without case", "QT6 LNK2019", "Fixed lnk2019 in qT6"},
		{"names by their words", "session state", "wrote .claude/session-state.json"},
		{"names as a whole", "session-state.json", "wrote .claude/session-state.json"},
		{"days", "2024년 2월 29일", "added after midnight | categories rebuilt | cat food | redis upgrade | redis cache timeout on login | wrote .claude/session-state.json | Fixed lnk2019 in qT6 | 세션저장소를 만들었다 | 저장소 정리 | 세션을 상태에 저장"},
		{"nothing", "zebra", ""},
	} {
		session := memory.SessionRef(fmt.Sprint("s", n))
		fill(t, s.Store, session, "세션을 상태에 저장", "저장소 정리", "세션저장소를 만들었다", "Fixed lnk2019 in qT6", "wrote .claude/session-state.json",
			"redis cache timeout on login", "redis upgrade", "cat food", "categories rebuilt")
		late := Item(t, session, 99, "added after midnight")
		apply(t, s.Store, memory.Batch{SessionRef: session, Add: []memory.Item{late}})
		wantSaid(t, c.name, search(t, s.Store, query(session, c.query)), c.want)
	}
	// Not the order of adding counts, but the time that an item is about.
	late, early := Item(t, "x", 9, "redis late"), Item(t, "x", 1, "redis early")
	apply(t, s.Store, memory.Batch{SessionRef: "x", Add: []memory.Item{late}})
	apply(t, s.Store, memory.Batch{SessionRef: "x", Add: []memory.Item{early}})
	wantSaid(t, "newest by time", search(t, s.Store, query("x", "redis")), "redis late | redis early")
	wantSaid(t, "list, newest by time", list(t, s.Store, memory.InSession("x")), "redis late | redis early")
}

func wholeQuestions(t *testing.T, s Subject) {
	fill(t, s.Store, "s1", "세션저장소의 잠금을 flock으로 바꿨다", "Chose flock for the lease because pid files go stale", "빌드 오류를 고쳤다: undefined reference", "Documented the release process")
	for question, want := range map[string]string{
		"Why did we choose flock instead of pid files?": "Chose flock",
		"flock lease": "Chose flock",
		"세션 저장소의 잠금은 왜 바꿨나요?": "세션저장소의",
		"잠금 저장소":                              "세션저장소의",
		"빌드 오류는 어떻게 고쳤지?":                     "빌드 오류",
		"What was documented about releases?": "Documented",
	} {
		if found := search(t, s.Store, query("s1", question)); len(found) == 0 || !strings.HasPrefix(found[0].Summary, want) {
			t.Errorf("%q finds %s", question, said(found))
		}
	}
}

// hostileQueries: the syntax of databases, shells and terminals is text, and what is left of it are words.
func hostileQueries(t *testing.T, s Subject) {
	const redis, drops = "cmake near redis", "drop table memories"
	fill(t, s.Store, "s1", drops, redis)
	big := strings.Repeat("redis ", 1<<18)
	for text, want := range map[string]string{
		"'; DROP TABLE memories; --":                    drops,
		"memories WHERE 1=1) UNION SELECT * FROM table": drops,
		`redis" NEAR(cmake) AND {x}: ^y* OR NOT -z`:     redis,
		"redis\x00cmake":                                redis,
		"\xff\xfe redis \xc0":                           redis,
		"\x1b[31mredis\x1b[0m":                          redis,
		"REDIS\u202e":                                   redis,
		"ｒｅｄｉｓ":                                         redis,
		"🚀 redis 👩‍💻":                                   redis,
		"redis\n\r\t\v":                                 redis,
		"$1 ?1 :a @b %s redis":                          redis,
		big:                                             redis,
		strings.Repeat("x", 1<<19) + " redis":           redis,
		"redis " + strings.Repeat("(", 1<<20):           redis,
		"":                                              "",
		" ":                                             "",
		"the of":                                        "",
		"\x00":                                          "",
		"' OR ''='":                                     "",
		"%":                                             "",
		"\xff":                                          "",
		strings.Repeat(" ", 1<<20):                      "",
	} {
		for _, by := range []memory.Ranking{memory.CountRecency, memory.CountBM25Recency} {
			q := query("s1", text)
			q.Ranking = by
			wantSaid(t, fmt.Sprintf("%s, %.40q", by, text), search(t, s.Store, q), want)
		}
	}
	if got := list(t, s.Store, memory.InSession("s1")); len(got) != 2 {
		t.Errorf("%d items are left", len(got))
	}
}

// hostileItems come from foreign snapshots: whatever Check lets through is kept and found.
func hostileItems(t *testing.T, s Subject) {
	it := Item(t, "s1", 1, "x")
	it.Words = memory.Words{
		Keywords: []string{"", "\x00", "\xff", "'; DROP TABLE memory_keywords; --", strings.Repeat("y", 1<<16), "redis", "redis", "two words", "\u1109\u1166"},
		Counts:   []int{0, -1, math.MaxInt, 1, 1, math.MinInt, 7, 1, 1},
		Literals: []string{"", "../../etc/passwd", "\x00", "a/b\xff", strings.Repeat("/", 1<<16)},
	}
	apply(t, s.Store, memory.Batch{SessionRef: "s1", Add: []memory.Item{it}})
	for _, q := range []string{"redis", "words", "passwd", "세"} {
		for _, by := range []memory.Ranking{memory.CountRecency, memory.CountBM25Recency} {
			ask := query("s1", q)
			ask.Ranking = by
			if found := search(t, s.Store, ask); len(found) != 1 {
				t.Errorf("%q finds %s", q, said(found))
			}
		}
	}
}

func queriesAreChecked(t *testing.T, s Subject) {
	for name, breakIt := range map[string]func(*memory.Query){
		"no topK":         func(q *memory.Query) { q.TopK = 0 },
		"negative topK":   func(q *memory.Query) { q.TopK = -1 },
		"no ranking":      func(q *memory.Query) { q.Ranking = "" },
		"unknown ranking": func(q *memory.Query) { q.Ranking = "random" },
		"no scope":        func(q *memory.Query) { q.In = memory.Scope{} },
	} {
		q := query("s1", "redis")
		breakIt(&q)
		if found, err := s.Store.Search(t.Context(), q); !errors.Is(err, memory.ErrInvalid) || found != nil {
			t.Errorf("%s: %v, %v", name, found, err)
		}
	}
	if found, err := s.Store.List(t.Context(), memory.Scope{}); !errors.Is(err, memory.ErrInvalid) || found != nil {
		t.Errorf("list without a scope: %v, %v", found, err)
	}
}

func topK(t *testing.T, s Subject) {
	var summaries []string
	for n := range 30 {
		summaries = append(summaries, fmt.Sprint("redis job", n))
	}
	fill(t, s.Store, "s1", summaries...)
	for k, want := range map[int]int{1: 1, 3: 3, 29: 29, 30: 30, 31: 30, math.MaxInt: 30} {
		q := query("s1", "redis")
		q.TopK = k
		found := search(t, s.Store, q)
		if len(found) != want || found[0].Summary != "redis job29" {
			t.Errorf("top %d: %d, %s", k, len(found), said(found))
		}
	}
}

func scope(t *testing.T, s Subject) {
	fill(t, s.Store, "s1", "redis one")
	fill(t, s.Store, "s2", "redis two", "redis three")
	fill(t, s.Store, "s1x", "redis four")
	wantSaid(t, "s1", search(t, s.Store, query("s1", "redis")), "redis one")
	wantSaid(t, "list s1", list(t, s.Store, memory.InSession("s1")), "redis one")
	wantSaid(t, "another case", search(t, s.Store, query("S1", "redis")), "")
	wantSaid(t, "a pattern", search(t, s.Store, query("s%", "redis")), "")
	q := query("", "redis three")
	q.In = memory.InEverySession()
	for _, q.Ranking = range []memory.Ranking{memory.CountRecency, memory.CountBM25Recency} {
		if found := search(t, s.Store, q); len(found) != 4 || found[0].Summary != "redis three" {
			t.Errorf("%s, every session: %s", q.Ranking, said(found))
		}
	}
	if found := list(t, s.Store, memory.InEverySession()); len(found) != 4 || found[0].Summary != "redis three" {
		t.Errorf("list of every session: %s", said(found))
	}
	// One id in two sessions (a fork takes items along) is two items.
	it := Item(t, "s1", 0, "redis one")
	it.SessionRef = "s9"
	apply(t, s.Store, memory.Batch{SessionRef: "s9", Add: []memory.Item{it}})
	wantSaid(t, "the fork", search(t, s.Store, query("s9", "redis")), "redis one")
	wantSaid(t, "where it came from", search(t, s.Store, query("s1", "redis")), "redis one")
}
