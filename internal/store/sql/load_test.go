package sql

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"session/internal/lifecycle"
)

// loaded is one run of TestLoad: what was begun, in which order.
type loaded struct {
	mu      sync.Mutex
	begun   []int // rank of each run's priority, from 1
	runs    map[lifecycle.ID]int
	busy    int
	busiest int
	ended   int
}

func (l *loaded) begin(id lifecycle.ID, rank int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.begun = append(l.begun, rank)
	l.runs[id]++
	l.busy++
	l.busiest = max(l.busiest, l.busy)
}

func (l *loaded) end() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.busy--
	l.ended++
	return l.ended
}

// TestLoad lets four workers, with 25 slots each, do 200 Sessions, or as many as SESSION_TEST_LOAD says (scripts/bench/sessions):
// all end, none runs twice, a hundred at once, and who comes first is who matters more.
func TestLoad(t *testing.T) {
	n := 200
	if v := os.Getenv("SESSION_TEST_LOAD"); v != "" {
		n, _ = strconv.Atoi(v)
	}
	onBoth(t, func(t *testing.T, address string) {
		const workers, slots = 4, 25
		o := lifecycle.Options{Now: time.Now, Policy: lifecycle.DefaultPolicy(), Limit: n}
		records, q := openRecords(t, address, o), openJobs(t, address)
		began := time.Now()
		fill(t, records, q, n)
		filled := time.Since(began)
		l := &loaded{runs: map[lifecycle.ID]int{}}
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		began = time.Now()
		var all sync.WaitGroup
		for w := range workers {
			r, jobs := openRecords(t, address, o), openJobs(t, address)
			all.Go(func() {
				nothing := func(context.Context) error { return nil }
				if err := jobs.Work(ctx, WorkOptions{Slots: slots, Name: fmt.Sprint("w", w), Clean: nothing, Tick: nothing, Log: quiet(), Grace: time.Minute, Run: func(ctx context.Context, j Job) error {
					return l.run(ctx, r, j, n, stop)
				}}); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		took := time.Since(began)
		counts := must(records.Counts(t.Context(), lifecycle.OfAll()))
		if counts[lifecycle.Completed] != int64(n) || len(counts) != 1 {
			t.Errorf("%d sessions are %v", n, counts)
		}
		for id, times := range l.runs {
			if times != 1 {
				t.Errorf("%s ran %d times", id, times)
			}
		}
		late := inversions(l.begun)
		t.Logf("%d sessions: queued in %v (%.0f/s), done in %v (%.0f/s), at most %d at once; %.2f %% began before somebody of higher priority that had to wait",
			n, filled.Round(time.Millisecond), float64(n)/filled.Seconds(), took.Round(time.Millisecond), float64(n)/took.Seconds(), l.busiest, late)
		if l.busiest > workers*slots || n >= 1000 && late > 10 {
			t.Errorf("%d at once, %.1f %% out of order", l.busiest, late)
		}
	})
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// fill makes n Sessions of mixed priority and queues them, from eight sides.
func fill(t *testing.T, r Records, q *Jobs, n int) {
	var all sync.WaitGroup
	for part := range 8 {
		all.Go(func() {
			for i := part; i < n; i += 8 {
				s, err := r.Create(t.Context(), lifecycle.Draft{ID: lifecycle.ID(fmt.Sprint("s", i)), Owner: "ann", Input: "work", Limited: n <= 1000})
				if err == nil {
					_, err = q.Add(t.Context(), Job{Path: string(s.ID), Turn: s.Events, Owner: s.Owner, Session: s.ID}, lifecycle.Priorities()[rand.IntN(3)])
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
}

func (l *loaded) run(ctx context.Context, r Records, j Job, n int, stop func()) error {
	k := lifecycle.Key{Owner: j.Owner, ID: j.Session}
	run := lifecycle.RunID("r" + string(j.Session))
	l.begin(j.Session, j.Rank)
	_, err := r.Change(ctx, k, lifecycle.Change{Cause: lifecycle.Start, Take: run})
	if err == nil {
		_, err = r.Checkpoint(ctx, k, run, "snap", "")
	}
	if err == nil {
		_, err = r.Change(ctx, k, lifecycle.Change{As: run, Cause: lifecycle.Complete, Tokens: 10})
	}
	if l.end() >= n {
		stop()
	}
	return err
}

// inversions is how many of a hundred began more than two workers' slots before somebody of higher priority.
func inversions(begun []int) float64 {
	const near = 200 // what is fetched at a time
	late := 0
	for i := range begun {
		if i+near < len(begun) && slices.Min(begun[i+near:]) < begun[i] {
			late++
		}
	}
	return 100 * float64(late) / float64(max(1, len(begun)))
}
