package memorytest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"session/internal/memory"
)

// againstOracle compares with the seed's rule, told in words and counted by hand.
func againstOracle(t *testing.T, s Subject) {
	words := strings.Fields("alpha bravo charlie delta echo 세션 저장 빌드 오류")
	r := rand.New(rand.NewPCG(3, 4))
	var b memory.Batch
	b.SessionRef = "s1"
	for n := range 150 {
		var said []string
		for range 1 + r.IntN(5) {
			said = append(said, words[r.IntN(len(words))])
		}
		it := Item(t, "s1", n, strings.Join(said, " "))
		it.Timestamp = At(r.IntN(40)) // many of one time, none in order
		b.Add = append(b.Add, it)
	}
	for part := range slices.Chunk(b.Add, 40) {
		apply(t, s.Store, memory.Batch{SessionRef: "s1", Add: part})
	}
	for _, gone := range []int{3, 50, 149} {
		apply(t, s.Store, memory.Batch{SessionRef: "s1", Forget: []memory.ID{b.Add[gone].ID}})
		b.Add[gone].Summary = ""
	}
	for range 60 {
		asked := []string{words[r.IntN(len(words))], words[r.IntN(len(words))], words[r.IntN(len(words))]}
		q := query("s1", strings.Join(asked, " "))
		q.TopK = 1 + r.IntN(200)
		want := best(b.Add, asked, q.TopK)
		if got := search(t, s.Store, q); !slices.EqualFunc(got, want, func(f memory.Found, it memory.Item) bool { return f.ID == it.ID }) {
			t.Fatalf("%q, top %d:\n got %s\nwant %v", q.Text, q.TopK, said(got), want)
		}
		q.Ranking = memory.CountBM25Recency
		got := search(t, s.Store, q)
		if !slices.EqualFunc(got, want, func(f memory.Found, it memory.Item) bool { return held(f.Summary, asked) == held(it.Summary, asked) }) {
			t.Fatalf("%q, top %d with BM25: other counts than %v\n%s", q.Text, q.TopK, want, said(got))
		}
	}
}

func held(summary string, asked []string) (n int) {
	words := strings.Fields(summary)
	for i, a := range asked {
		if slices.Contains(words, a) && !slices.Contains(asked[:i], a) {
			n++
		}
	}
	return n
}

func best(items []memory.Item, asked []string, topK int) (best []memory.Item) {
	for _, it := range items {
		if held(it.Summary, asked) > 0 {
			best = append(best, it)
		}
	}
	slices.Reverse(best) // of one time, the one that came last is the newer one
	slices.SortStableFunc(best, func(a, b memory.Item) int {
		if n := held(b.Summary, asked) - held(a.Summary, asked); n != 0 {
			return n
		}
		return b.Timestamp.Compare(a.Timestamp)
	})
	return best[:min(topK, len(best))]
}

// readerDuringWrites: every batch is seen whole or not at all, by every call.
func readerDuringWrites(t *testing.T, s Subject) {
	const batches, of = 40, 7
	writer := s.Again(t)
	done := make(chan error, 1)
	go func() {
		for n := range batches {
			b := memory.Batch{SessionRef: "s1", Snapshot: memory.Snapshot(fmt.Sprint(n + 1))}
			for i := range of {
				it, err := new(memory.Analyser).NewItem(ID("s1", n*of+i), At(n*of+i), "s1", fmt.Sprintf("redis batch%d", n))
				if err != nil {
					done <- err
					return
				}
				b.Add = append(b.Add, it)
			}
			if err := writer.Apply(t.Context(), b); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	for last := 0; ; {
		var before, after int
		_, _ = fmt.Sscan(string(standing(t, s.Store, "s1")), &before)
		q := query("s1", "redis")
		q.TopK = batches * of
		seen := len(search(t, s.Store, q))
		_, _ = fmt.Sscan(string(standing(t, s.Store, "s1")), &after)
		if seen%of != 0 || seen < before*of || seen > after*of || before < last {
			t.Fatalf("%d items, between snapshots %d and %d", seen, before, after)
		}
		if n := len(list(t, s.Store, memory.InSession("s1"))); n%of != 0 || n < after*of {
			t.Fatalf("%d items in the list, after snapshot %d", n, after)
		}
		q.At = memory.Snapshot(fmt.Sprint(after))
		if found, err := s.Store.Search(t.Context(), q); err == nil && len(found) != after*of && after > 0 {
			t.Fatalf("%d items at snapshot %d", len(found), after)
		} else if err != nil && !errors.Is(err, memory.ErrBehind) {
			t.Fatal(err)
		}
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			if before == batches {
				return
			}
			done <- nil
		default:
		}
		last = after
	}
}

// at lets n functions begin at one time.
func atOnce(t *testing.T, n int, f func(i int) error) {
	t.Helper()
	var ready, done sync.WaitGroup
	errs := make([]error, n)
	begin := make(chan struct{})
	for i := range n {
		ready.Add(1)
		done.Go(func() {
			ready.Done()
			<-begin
			errs[i] = f(i)
		})
	}
	ready.Wait()
	close(begin)
	done.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// manyWriters make the same few sessions at one time, and write on.
func manyWriters(t *testing.T, s Subject) {
	const writers, each, sessions = 12, 8, 3
	stores := []memory.Store{s.Store, s.Again(t), s.Again(t), s.Again(t)}
	atOnce(t, writers, func(w int) error {
		session := memory.SessionRef(fmt.Sprint("s", w%sessions))
		for n := range each {
			it, err := new(memory.Analyser).NewItem(ID(session, w*100+n), At(n), session, fmt.Sprintf("redis zz%czz number%d", 'a'+w, n))
			if err == nil {
				err = stores[w%len(stores)].Apply(t.Context(), memory.Batch{SessionRef: session, Snapshot: memory.Snapshot(fmt.Sprint(w)), Add: []memory.Item{it}})
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	for i := range sessions {
		session := memory.SessionRef(fmt.Sprint("s", i))
		q := query(session, "redis")
		q.TopK = writers * each
		if got, want := len(search(t, s.Store, q)), writers/sessions*each; got != want || len(list(t, s.Store, memory.InSession(session))) != want {
			t.Errorf("%s holds %d of %d items", session, got, want)
		}
		for w := i; w < writers; w += sessions {
			if found := search(t, s.Store, query(session, fmt.Sprintf("zz%czz", 'a'+w))); len(found) != each {
				t.Errorf("%s holds %d of %d items of writer %d", session, len(found), each, w)
			}
		}
	}
}

// manyWritersOfOneItem: who brings a session to a snapshot may not be alone.
func manyWritersOfOneItem(t *testing.T, s Subject) {
	stores := []memory.Store{s.Store, s.Again(t), s.Again(t)}
	b := memory.Batch{SessionRef: "s1", Snapshot: "a", Add: items(t, "s1", "redis one", "redis two"), Forget: []memory.ID{ID("s1", 0)}}
	for round := range 5 {
		atOnce(t, 9, func(w int) error {
			if (w+round)%4 == 0 {
				return stores[w%3].Rebuild(t.Context(), b)
			}
			return stores[w%3].Apply(t.Context(), b)
		})
		wantSaid(t, fmt.Sprint("round ", round), search(t, s.Store, query("s1", "redis")), "redis two")
	}
}

// damaged: no way of spoiling a store may look like a store in which nothing is.
func damaged(t *testing.T, s Subject) {
	if s.Damage == nil {
		t.Skip("its storage is out of reach of this test")
	}
	var summaries []string
	for n := range 400 {
		summaries = append(summaries, fmt.Sprintf("redis number%d of many", n))
	}
	fill(t, s.Store, "s1", summaries...)
	s.Close(t)
	for name, spoil := range s.Damage {
		t.Run(name, func(t *testing.T) {
			spoil(t)
			store, err := s.Reopen(t)
			if err == nil {
				q := query("s1", "redis")
				q.TopK, q.At = 1000, "snap"
				var found []memory.Found
				if found, err = store.Search(t.Context(), q); found != nil && err != nil {
					t.Errorf("an answer of %d items beside the error", len(found))
				}
			}
			if !errors.Is(err, memory.ErrDamaged) && !errors.Is(err, memory.ErrBehind) {
				t.Errorf("error %v, want ErrDamaged (or, of one that looks new, ErrBehind)", err)
			}
		})
	}
}
