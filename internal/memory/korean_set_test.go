package memory

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestKoreanSet asks whole sentences about what a Korean team noted down: with particles and endings, compounds with and
// without spaces, NFD, and English names in between. The set was written for this test, before the rules were held
// against it, its last forty questions afterwards.
func TestKoreanSet(t *testing.T) {
	s := readSet(t, filepath.Join("testdata", "korean"))
	for by, floor := range map[Ranking][3]float64{CountRecency: {.93, .985, .985}, CountBM25Recency: {.97, .985, .985}} {
		r5, r10 := s.measure(t, by)
		first, missed := s.firsts(t, by)
		t.Logf("%s: first %.4f, R@5 %.4f, R@10 %.4f of %d questions; not first:\n%s", by, first, r5, r10, len(s.questions), strings.Join(missed, "\n"))
		if first < floor[0] || r5 < floor[1] || r10 < floor[2] {
			t.Errorf("%s: first %.4f, R@5 %.4f, R@10 %.4f; at least %v", by, first, r5, r10, floor)
		}
	}
}

// firsts is the share of questions whose first answer is relevant, and the others, with what came instead.
func (s testSet) firsts(t *testing.T, by Ranking) (share float64, missed []string) {
	t.Helper()
	for _, q := range s.questions {
		var got []string
		for _, n := range rank(t, s.tables[q.Session], q.Query, 5, by) {
			got = append(got, s.ids[q.Session][n])
		}
		if len(got) > 0 && slices.Contains(q.Relevant, got[0]) {
			share += 1 / float64(len(s.questions))
		} else {
			missed = append(missed, fmt.Sprintf("%q wants %v, finds %v", q.Query, q.Relevant, got))
		}
	}
	return share, missed
}
