package memory

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"session/internal/needtest"
)

const corpusHint = "a folder of sets; a set is a folder with items.jsonl {id, sessionRef, timestamp, text} and queries.jsonl {sessionRef, query, relevant[]}"

// floors are the shares of the relevant items that must be among the first 5 and 10, by set, for both rankings. Sets
// without a line are only measured.
var floors = map[string]map[Ranking][2]float64{
	"locomo-exchange": {CountRecency: {.65, .71}, CountBM25Recency: {.69, .76}},
	"locomo-sessraw":  {CountRecency: {.84, .92}, CountBM25Recency: {.87, .93}},
	"restic-pr-body":  {CountRecency: {.56, .66}, CountBM25Recency: {.67, .74}},
	"korquad-para":    {CountRecency: {.95, .97}, CountBM25Recency: {.97, .985}},
	"korquad-sent":    {CountRecency: {.84, .875}, CountBM25Recency: {.88, .91}},
}

// TestQuality measures retrieval on texts of others, which are not part of this project.
func TestQuality(t *testing.T) {
	dir := needtest.Named(t, "corpus", "SESSION_TEST_MEMORY_CORPUS", corpusHint)
	sets, err := filepath.Glob(filepath.Join(dir, "*", "queries.jsonl"))
	if err != nil || len(sets) == 0 {
		t.Fatalf("no sets in %s: %v; %s", dir, err, corpusHint)
	}
	for _, path := range sets {
		name := filepath.Base(filepath.Dir(path))
		t.Run(name, func(t *testing.T) {
			s := readSet(t, filepath.Dir(path))
			for _, by := range []Ranking{CountRecency, CountBM25Recency} {
				r5, r10 := s.measure(t, by)
				t.Logf("%s: R@5 %.4f, R@10 %.4f of %d questions", by, r5, r10, len(s.questions))
				if floor, ok := floors[name][by]; ok && (r5 < floor[0] || r10 < floor[1]) {
					t.Errorf("%s: R@5 %.4f, R@10 %.4f; at least %.3f and %.3f", by, r5, r10, floor[0], floor[1])
				}
			}
		})
	}
}

type question struct {
	Session  string `json:"sessionRef"`
	Query    string
	Relevant []string
}

type testSet struct {
	tables    map[string]*table
	ids       map[string][]string
	questions []question
}

func readSet(t *testing.T, dir string) testSet {
	t.Helper()
	s := testSet{tables: map[string]*table{}, ids: map[string][]string{}}
	items := map[string][]Item{}
	var a Analyser
	readLines(t, filepath.Join(dir, "items.jsonl"), func(line []byte) error {
		var it struct {
			ID, Text  string
			Session   string `json:"sessionRef"`
			Timestamp time.Time
		}
		if err := json.Unmarshal(line, &it); err != nil {
			return err
		}
		words, _ := a.Keywords(it.Text)
		items[it.Session] = append(items[it.Session], Item{Timestamp: it.Timestamp, Words: words})
		s.ids[it.Session] = append(s.ids[it.Session], it.ID)
		return nil
	})
	readLines(t, filepath.Join(dir, "queries.jsonl"), func(line []byte) error {
		s.questions = append(s.questions, question{})
		return json.Unmarshal(line, &s.questions[len(s.questions)-1])
	})
	for session, all := range items {
		s.tables[session] = tableOf(all...)
	}
	return s
}

func readLines(t *testing.T, path string, each func([]byte) error) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		if err := each(lines.Bytes()); err != nil {
			t.Fatal(fmt.Errorf("%s: %w", path, err))
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

// measure is the mean share of a question's relevant items among the first 5 and 10.
func (s testSet) measure(t *testing.T, by Ranking) (r5, r10 float64) {
	t.Helper()
	for _, q := range s.questions {
		for place, n := range rank(t, s.tables[q.Session], q.Query, 10, by) {
			if slices.Contains(q.Relevant, s.ids[q.Session][n]) {
				share := 1 / float64(len(q.Relevant)*len(s.questions))
				r10 += share
				if place < 5 {
					r5 += share
				}
			}
		}
	}
	return r5, r10
}
