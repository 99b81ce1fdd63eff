package sql

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"session/internal/memory"
	"session/internal/memory/memorytest"
)

func TestPostings(t *testing.T) {
	var b []byte
	all := []memory.Posting{
		{Item: 256, At: 0, Length: 0, Mark: memory.Whole, Count: 1},
		{Item: 257, At: -62135596800000, Length: 1 << 40, Mark: memory.Whole | memory.Tail | memory.Literal, Count: 4096},
		{Item: 511, At: 253402300799999, Length: 1, Mark: memory.Literal, Count: 1},
	}
	for _, p := range all {
		b = appendPosting(b, p)
	}
	var got []memory.Posting
	if err := eachPosting(b, 256, func(p memory.Posting) { got = append(got, p) }); err != nil || !slices.Equal(got, all) {
		t.Errorf("%+v, %v", got, err)
	}
	rest, found, err := withoutItem(b, 257)
	got = nil
	if err := errors.Join(err, eachPosting(rest, 256, func(p memory.Posting) { got = append(got, p) })); err != nil || !found || !slices.Equal(got, []memory.Posting{all[0], all[2]}) {
		t.Errorf("without one: %+v, %v, %v", got, found, err)
	}
	if same, found, err := withoutItem(b, 258); err != nil || found || !slices.Equal(same, b) {
		t.Errorf("without one that is not there: %v, %v", found, err)
	}
	for cut := 1; cut < len(b); cut++ {
		err := eachPosting(b[:cut], 256, func(memory.Posting) {})
		if whole := len(appendPosting(nil, all[0])); cut != whole && cut != whole+len(appendPosting(nil, all[1])) && !errors.Is(err, memory.ErrDamaged) {
			t.Errorf("cut at %d: %v", cut, err)
		}
	}
}

func TestPostingsThatNobodyWrote(t *testing.T) {
	one := memory.Posting{Item: 5, Mark: memory.Whole, Count: 1}
	for name, b := range map[string][]byte{
		"zeros":        make([]byte, 50),
		"twice":        appendPosting(appendPosting(nil, one), one),
		"a zero count": appendPosting(nil, memory.Posting{Mark: memory.Whole}),
		"a zero mark":  appendPosting(nil, memory.Posting{Count: 1}),
		"zeros behind": append(appendPosting(nil, one), 0, 0, 0, 0, 0),
	} {
		if err := eachPosting(b, 0, func(memory.Posting) {}); !errors.Is(err, memory.ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSummaryOfZeros is what a lost page leaves of a long summary.
func TestSummaryOfZeros(t *testing.T) {
	d := filled(t, "redis one")
	run(t, d, "UPDATE memories SET summary = 'redis' || CAST(zeroblob(9) AS TEXT)")
	if found, err := d.Memory().List(t.Context(), memory.InSession("s1")); !errors.Is(err, memory.ErrDamaged) || found != nil {
		t.Errorf("%q, %v", found, err)
	}
}

func FuzzPostings(f *testing.F) {
	f.Add(appendPosting(nil, memory.Posting{Item: 7, Count: 300, Length: 4000, At: -1}))
	f.Add([]byte{64, 1, 1, 1, 1})
	f.Add([]byte{1, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, b []byte) {
		var again []byte
		n := 0
		err := eachPosting(b, 1024, func(p memory.Posting) {
			if n++; p.Item < 1024 || p.Item >= 1024+blockItems {
				t.Errorf("item %d", p.Item)
			}
			again = appendPosting(again, p)
		})
		if err == nil && len(again) > len(b) || n > len(b) {
			t.Errorf("%d postings, %d bytes of %d: %v", n, len(again), len(b), err)
		}
	})
}

func filled(t *testing.T, summaries ...string) *DB {
	t.Helper()
	d := open(t, filepath.Join(t.TempDir(), "x.db"))
	b := memory.Batch{SessionRef: "s1", Snapshot: "a"}
	for n, s := range summaries {
		b.Add = append(b.Add, memorytest.Item(t, "s1", n, s))
	}
	if err := d.Memory().Apply(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	return d
}

func run(t *testing.T, d *DB, statement string) {
	t.Helper()
	if _, err := d.db.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

// TestOtherAnalyser: keywords of other rules would be looked for in vain; so nothing is looked for, until they are new.
func TestOtherAnalyser(t *testing.T) {
	d := filled(t, "redis one")
	m := d.Memory()
	run(t, d, "UPDATE memory_sessions SET analyser = analyser + 1")
	if at, err := m.Standing(t.Context(), "s1"); err != nil || at != "" {
		t.Errorf("stands at %q, %v", at, err)
	}
	q := memory.Query{Text: "redis", TopK: 1, Ranking: memory.CountRecency, In: memory.InSession("s1")}
	for _, q.In = range []memory.Scope{memory.InSession("s1"), memory.InEverySession()} {
		if found, err := m.Search(t.Context(), q); !errors.Is(err, memory.ErrBehind) || found != nil {
			t.Errorf("%v: %v, %v", q.In, found, err)
		}
	}
	b := memory.Batch{SessionRef: "s1", Snapshot: "b", Add: []memory.Item{memorytest.Item(t, "s1", 7, "redis seven")}}
	if err := m.Apply(t.Context(), b); !errors.Is(err, memory.ErrBehind) {
		t.Errorf("apply: %v", err)
	}
	if err := m.Rebuild(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	q.At, q.In = "b", memory.InSession("s1")
	if found, err := m.Search(t.Context(), q); err != nil || len(found) != 1 {
		t.Errorf("rebuilt: %v, %v", found, err)
	}
}

// TestCheckFindsWhatSQLiteCannot: tables that contradict each other.
func TestCheckFindsWhatSQLiteCannot(t *testing.T) {
	for statement, want := range map[string]string{
		"DELETE FROM memories WHERE item = 2":                                                "s1",
		"UPDATE memory_sessions SET items = 7":                                               "s1",
		"UPDATE memory_sessions SET last = 1":                                                "s1",
		"UPDATE memories SET length = 99 WHERE item = 1":                                     "s1",
		"UPDATE memory_keywords SET block = 9 WHERE keyword = CAST('redi' AS BLOB)":          "3 keywords belong to no item, 3 items lack",
		"UPDATE memories SET at_ms = 0 WHERE item = 1":                                       "keywords belong to no item",
		"DELETE FROM memory_sessions":                                                        "items belong to no session",
		"DELETE FROM memory_keywords WHERE keyword = CAST('redi' AS BLOB)":                   "0 keywords belong to no item, 3 items lack",
		"UPDATE memory_keywords SET postings = x'0101' WHERE keyword = CAST('2024' AS BLOB)": "postings that nobody wrote",
	} {
		d := filled(t, "redis one", "redis two", "redis three")
		if err := d.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
		run(t, d, statement)
		if err := d.Check(t.Context()); !errors.Is(err, memory.ErrDamaged) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", statement, err)
		}
	}
}

// TestKeywordsWithoutItem is damage that a search meets: it must not answer with the rest.
func TestKeywordsWithoutItem(t *testing.T) {
	d := filled(t, "redis one", "redis two")
	run(t, d, "DELETE FROM memories WHERE item = 2")
	q := memory.Query{Text: "redis", TopK: 5, Ranking: memory.CountRecency, In: memory.InSession("s1")}
	if found, err := d.Memory().Search(t.Context(), q); !errors.Is(err, memory.ErrDamaged) || found != nil {
		t.Errorf("%v, %v", found, err)
	}
}

func TestLostTable(t *testing.T) {
	d := filled(t, "redis one")
	run(t, d, "DROP TABLE memory_keywords")
	q := memory.Query{Text: "redis", TopK: 5, Ranking: memory.CountRecency, In: memory.InSession("s1")}
	if found, err := d.Memory().Search(t.Context(), q); err == nil || found != nil {
		t.Errorf("%v, %v", found, err)
	}
}

// TestWaitIsCancelled: who waits for another process can be stopped.
func TestWaitIsCancelled(t *testing.T) {
	d := filled(t, "redis one")
	other := open(t, d.pathOf(t))
	holds, err := other.db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	waiting := make(chan error)
	go func() { waiting <- d.Memory().Apply(ctx, memory.Batch{SessionRef: "s1", Snapshot: "b"}) }()
	stop()
	if err := <-waiting; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	// A reader waits for nobody.
	if found, err := d.Memory().List(t.Context(), memory.InSession("s1")); err != nil || len(found) != 1 {
		t.Errorf("%v, %v", found, err)
	}
	if err := holds.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := d.Memory().Apply(t.Context(), memory.Batch{SessionRef: "s1", Snapshot: "b"}); err != nil {
		t.Error(err)
	}
}
