package memory

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
)

const anID = ID("0b4a9ef2-6a43-4b0c-9a53-8d9f3f0a7c11")

func validItem() Item {
	return Item{ID: anID, Timestamp: day, Summary: "did: cache\nnext: tests", Words: Words{Keywords: []string{"cache", "tests"}}, SessionRef: "s1"}
}

func TestItemCheck(t *testing.T) {
	if err := validItem().Check(); err != nil {
		t.Fatal(err)
	}
	for name, breakIt := range map[string]func(*Item){
		"no id":               func(it *Item) { it.ID = "" },
		"id in upper case":    func(it *Item) { it.ID = ID(strings.ToUpper(string(anID))) },
		"id of version 1":     func(it *Item) { it.ID = "0b4a9ef2-6a43-1b0c-9a53-8d9f3f0a7c11" },
		"id in braces":        func(it *Item) { it.ID = "{" + anID + "}" },
		"no time":             func(it *Item) { it.Timestamp = time.Time{} },
		"year 10000":          func(it *Item) { it.Timestamp = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) },
		"no summary":          func(it *Item) { it.Summary = " \n" },
		"endless summary":     func(it *Item) { it.Summary = strings.Repeat("x", MaxSummary+1) },
		"NUL":                 func(it *Item) { it.Summary = "a\x00b" },
		"no UTF-8":            func(it *Item) { it.Summary = "a\xff" },
		"too many keywords":   func(it *Item) { it.Keywords = make([]string, maxKeywords+1) },
		"too many literals":   func(it *Item) { it.Literals = make([]string, maxKeywords+1) },
		"counts of something": func(it *Item) { it.Counts = []int{1} },
		"no session":          func(it *Item) { it.SessionRef = "" },
		"session of lines":    func(it *Item) { it.SessionRef = "a\nb" },
		"endless session":     func(it *Item) { it.SessionRef = SessionRef(strings.Repeat("x", maxRef+1)) },
	} {
		it := validItem()
		breakIt(&it)
		if err := it.Check(); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestParseID(t *testing.T) {
	if id, err := ParseID(string(anID)); err != nil || id != anID {
		t.Error(id, err)
	}
	for _, s := range []string{"", "x", "urn:uuid:" + string(anID), string(anID) + "0"} {
		if _, err := ParseID(s); !errors.Is(err, ErrInvalid) {
			t.Errorf("%q: %v", s, err)
		}
	}
}

// TestItemJSON holds the keys of seed 003's MemoryItem, which snapshots carry.
func TestItemJSON(t *testing.T) {
	b, err := json.Marshal(validItem())
	want := `{"id":"0b4a9ef2-6a43-4b0c-9a53-8d9f3f0a7c11","timestamp":"2023-08-14T22:30:00+09:00","summary":"did: cache\nnext: tests","keywords":["cache","tests"],"sessionRef":"s1"}`
	if err != nil || string(b) != want {
		t.Errorf("%s, %v", b, err)
	}
	var it Item
	if err := json.Unmarshal(b, &it); err != nil || it.Check() != nil || strings.Join(it.Keywords, " ") != "cache tests" {
		t.Errorf("%+v, %v", it, err)
	}
	b, err = json.Marshal(Found{anID, day.UTC(), "x"})
	if want := `{"id":"0b4a9ef2-6a43-4b0c-9a53-8d9f3f0a7c11","timestamp":"2023-08-14T13:30:00Z","summary":"x"}`; err != nil || string(b) != want {
		t.Errorf("%s, %v", b, err)
	}
}

func TestNewItem(t *testing.T) {
	it, err := new(Analyser).NewItem(anID, day, "s1", "Fixed the cache", "redis", "LRU cache")
	if err != nil || strings.Join(it.Keywords, " ") != "fixed cache redis lru" {
		t.Errorf("%v, %v", it.Keywords, err)
	}
	if _, err := new(Analyser).NewItem("x", day, "s1", "y"); !errors.Is(err, ErrInvalid) {
		t.Error(err)
	}
}

func TestBatchCheck(t *testing.T) {
	other := validItem()
	other.SessionRef = "s2"
	broken := validItem()
	broken.Summary = ""
	for name, b := range map[string]Batch{
		"no session":        {},
		"odd snapshot":      {SessionRef: "s1", Snapshot: "a\x00"},
		"twice":             {SessionRef: "s1", Add: []Item{validItem(), validItem()}},
		"of another":        {SessionRef: "s1", Add: []Item{other}},
		"an item is broken": {SessionRef: "s1", Add: []Item{broken}},
	} {
		if err := b.Check(); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := (Batch{SessionRef: "s1", Add: []Item{validItem()}, Forget: []ID{anID, "nonsense"}}).Check(); err != nil {
		t.Error(err)
	}
}

func TestQueryCheck(t *testing.T) {
	good := Query{TopK: 1, Ranking: CountRecency, In: InSession("s1")}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	for name, breakIt := range map[string]func(*Query){
		"no topK":         func(q *Query) { q.TopK = 0 },
		"negative topK":   func(q *Query) { q.TopK = -1 },
		"no ranking":      func(q *Query) { q.Ranking = "" },
		"unknown ranking": func(q *Query) { q.Ranking = "bm25" },
		"no scope":        func(q *Query) { q.In = Scope{} },
		"empty session":   func(q *Query) { q.In = InSession("") },
	} {
		q := good
		breakIt(&q)
		if err := q.Check(); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if s, every := InEverySession().Session(); s != "" || !every || InEverySession().Check() != nil {
		t.Error(s, every)
	}
}
