package sql

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"session/internal/lifecycle"
)

func onBoth(t *testing.T, test func(t *testing.T, address string)) {
	t.Run("SQLite", func(t *testing.T) { test(t, sqliteAddress(t)) })
	t.Run("Postgres", func(t *testing.T) { test(t, postgresAddress(t)) })
}

func openJobs(t *testing.T, address string) *Jobs {
	t.Helper()
	d, err := Open(address, Patience{}, drivers())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	q, err := d.Jobs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func jobNumber(n int) Job {
	return Job{Path: fmt.Sprint("p", n), Turn: 1, Owner: "ann", Session: lifecycle.ID(fmt.Sprint("s", n))}
}

// TestTwentyProcessesMakeTheQueue, all at once, in an empty database, with the tables of Sessions beside it.
func TestTwentyProcessesMakeTheQueue(t *testing.T) {
	onBoth(t, func(t *testing.T, address string) {
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				d, err := Open(address, Patience{}, drivers())
				if err != nil {
					t.Error(err)
					return
				}
				_, err = d.Jobs(t.Context())
				_, err2 := d.Records(t.Context(), lifecycle.Options{Now: lifecycleNow})
				_, err3 := d.OpenMemory(t.Context())
				if err := errors.Join(err, err2, err3, d.Close()); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	})
}

// TestStoppedBeforeItBegan: a worker whose context has ended works nothing, and that is no failure of its own.
func TestStoppedBeforeItBegan(t *testing.T) {
	onBoth(t, func(t *testing.T, address string) {
		q := openJobs(t, address)
		if _, err := q.Add(t.Context(), jobNumber(1), lifecycle.High); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		stop()
		nothing := func(context.Context) error { return nil }
		err := q.Work(ctx, WorkOptions{Slots: 1, Name: "w", Clean: nothing, Tick: nothing, Log: quiet(), Run: func(context.Context, Job) error {
			t.Error("it worked")
			return nil
		}})
		if err != nil {
			t.Error(err)
		}
		if n, _, err := q.Waiting(t.Context()); n != 1 || err != nil {
			t.Errorf("%d jobs wait, %v", n, err)
		}
	})
}

// TestJobs: two workers do what is in the queue, each job once, the highest priority first; one turn of a path is there once;
// what fails is tried again, and what is hopeless is not.
func TestJobs(t *testing.T) {
	onBoth(t, func(t *testing.T, address string) {
		q := openJobs(t, address)
		const each = 15
		for i := range 3 * each {
			p := lifecycle.Priorities()[2-i/each]
			for n, want := range []bool{true, false} {
				if fresh, err := q.Add(t.Context(), jobNumber(i), p); err != nil || fresh != want {
					t.Fatalf("job %d, time %d: %v %v", i, n+1, fresh, err)
				}
			}
		}
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		var mu sync.Mutex
		var order []lifecycle.ID
		tries := map[lifecycle.ID]int{}
		run := func(_ context.Context, j Job) error {
			mu.Lock()
			defer mu.Unlock()
			order = append(order, j.Session)
			tries[j.Session]++
			if len(order) == 3*each {
				stop()
			}
			if j.Session == "s3" {
				return fmt.Errorf("hopeless: %w", lifecycle.ErrNoRetry)
			}
			return nil
		}
		nothing := func(context.Context) error { return nil }
		var workers sync.WaitGroup
		for n := range 2 {
			workers.Go(func() {
				err := openJobs(t, address).Work(ctx, WorkOptions{Slots: 1, Name: fmt.Sprint("w", n), Run: run, Clean: nothing, Tick: nothing, Log: quiet()})
				if err != nil {
					t.Error(err)
				}
			})
		}
		workers.Wait()
		for id, n := range tries {
			if n != 1 {
				t.Errorf("%s was done %d times", id, n)
			}
		}
		if len(tries) != 3*each {
			t.Fatalf("%d of %d were done", len(tries), 3*each)
		}
		// Two workers fetch beside each other, so neighbours may change places.
		for i, id := range order {
			at := slices.IndexFunc(order, func(o lifecycle.ID) bool { return o == id })
			n := 0
			if _, err := fmt.Sscanf(string(id), "s%d", &n); err != nil || (2-n/each)*each > at+4 || (3-n/each)*each <= at-4 {
				t.Errorf("%s was number %d", id, i)
			}
		}
		waiting, running, err := q.Waiting(t.Context())
		if err != nil || waiting+running != 0 {
			t.Errorf("%d waiting, %d running, %v", waiting, running, err)
		}
	})
}

// TestTakenOver: a job whose worker does not say any more that it lives is done by another, once.
func TestTakenOver(t *testing.T) {
	onBoth(t, func(t *testing.T, address string) {
		q := openJobs(t, address)
		if _, err := q.Add(t.Context(), jobNumber(1), lifecycle.Normal); err != nil {
			t.Fatal(err)
		}
		// What a worker leaves that was killed.
		dead := `UPDATE river_job SET state = 'running', attempt = 1, attempted_at = ` + map[bool]string{
			true: `now() - interval '5 minutes'`, false: `datetime('now', '-5 minutes', 'subsec')`}[q.db.server != nil]
		if err := q.db.write(t.Context(), func(t tx) error { _, err := t.exec(dead); return err }); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		done := 0
		nothing := func(context.Context) error { return nil }
		err := q.Work(ctx, WorkOptions{Slots: 2, Name: "w", Clean: nothing, Tick: nothing, Log: quiet(), Run: func(_ context.Context, j Job) error {
			done++
			if j.Attempt != 2 || j.Last() {
				t.Errorf("%+v", j)
			}
			stop()
			return nil
		}})
		if err != nil || done != 1 {
			t.Errorf("done %d times, %v", done, err)
		}
	})
}

// TestBeat keeps a job where it is, and moves nobody else's.
func TestBeat(t *testing.T) {
	onBoth(t, func(t *testing.T, address string) {
		q := openJobs(t, address)
		if _, err := q.Add(t.Context(), jobNumber(1), lifecycle.Normal); err != nil {
			t.Fatal(err)
		}
		at := func() (s string) {
			if err := q.db.read(t.Context(), func(t tx) error {
				_, err := t.one(`SELECT CAST(attempted_at AS TEXT) FROM river_job`, nil, &s)
				return err
			}); err != nil {
				t.Fatal(err)
			}
			return s
		}
		set := `UPDATE river_job SET state = 'running', attempt = 2, attempted_at = '2026-01-01 00:00:00'`
		if err := q.db.write(t.Context(), func(t tx) error { _, err := t.exec(set); return err }); err != nil {
			t.Fatal(err)
		}
		before := at()
		if err := q.db.beat(t.Context(), map[int64]int{1: 1, 2: 2}); err != nil || at() != before {
			t.Errorf("another attempt's beat moved it: %v", err)
		}
		if err := q.db.beat(t.Context(), map[int64]int{1: 2}); err != nil || at() == before {
			t.Errorf("its own did not: %v", err)
		}
	})
}

// TestWorkerOutlivesItsDatabase: PostgreSQL is killed and started again under a worker; what is queued afterwards is done.
func TestWorkerOutlivesItsDatabase(t *testing.T) {
	s := ownServer(t)
	q := openJobs(t, s.address)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	done := make(chan lifecycle.ID, 2)
	nothing := func(context.Context) error { return nil }
	var working sync.WaitGroup
	working.Go(func() {
		err := openJobs(t, s.address).Work(ctx, WorkOptions{Slots: 2, Name: "w", Clean: nothing, Tick: nothing, Log: quiet(), Grace: time.Minute,
			Run: func(_ context.Context, j Job) error { done <- j.Session; return nil }})
		if err != nil {
			t.Error(err)
		}
	})
	for n := range 2 {
		for { // it may be starting still
			if _, err := q.Add(t.Context(), jobNumber(n), lifecycle.Normal); err == nil {
				break
			} else if !errors.Is(err, ErrUnavailable) {
				t.Fatal(err)
			}
		}
		if id := <-done; id != jobNumber(n).Session {
			t.Errorf("%s was done", id)
		}
		if n == 0 {
			s.services("stop", s.dir, "postgres")
			s.services("start", s.dir, "postgres")
		}
	}
	stop()
	working.Wait()
}

// TestStranded finds what was to be queued and was not, and nothing else.
func TestStranded(t *testing.T) {
	onBoth(t, func(t *testing.T, address string) {
		r := openRecords(t, address, lifecycle.Options{Now: lifecycleNow})
		for _, id := range []lifecycle.ID{"new", "held", "paused", "free"} {
			if _, err := r.Create(t.Context(), lifecycle.Draft{ID: id, Owner: "ann"}); err != nil {
				t.Fatal(err)
			}
		}
		for _, c := range []struct {
			id lifecycle.ID
			c  lifecycle.Change
		}{{"held", lifecycle.Change{Cause: lifecycle.Start, Take: "r"}}, {"paused", lifecycle.Change{Cause: lifecycle.Start}}, {"paused", lifecycle.Change{Cause: lifecycle.Pause}},
			{"free", lifecycle.Change{Cause: lifecycle.Start}}} {
			if _, err := r.Change(t.Context(), lifecycle.Key{Owner: "ann", ID: c.id}, c.c); err != nil {
				t.Fatal(err)
			}
		}
		all, err := r.db.Stranded(t.Context(), lifecycleNow(), 10)
		if err != nil || len(all) != 2 || all[0].ID != "free" || all[1].ID != "new" {
			t.Errorf("%+v %v", all, err)
		}
		if all, err := r.db.Stranded(t.Context(), lifecycleNow().Add(-time.Millisecond), 10); err != nil || len(all) != 0 {
			t.Errorf("too early: %+v %v", all, err)
		}
	})
}

func TestReserved(t *testing.T) {
	for slots, want := range map[int]int{1: 0, 4: 0, 10: 0, 11: 1, 20: 1, 40: 3, 100: 9} {
		if got := reserved(slots); got != want {
			t.Errorf("%d of %d slots are for high alone, want %d", got, slots, want)
		}
		// Above nine tenths busy, exactly those are left.
		if busy := slots - reserved(slots); reserved(slots) > 0 && (busy*10 <= 9*slots || (busy-1)*10 > 9*slots) {
			t.Errorf("%d of %d slots: the rest begins at %d", reserved(slots), slots, busy)
		}
	}
}

func TestSlots(t *testing.T) {
	s := newSlots(1)
	if err := s.take(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	ended, stop := context.WithCancel(t.Context())
	stop()
	if err := s.take(ended, true); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	order := make(chan string, 2)
	var both sync.WaitGroup
	line := func(name string, urgent bool, n *[]chan struct{}) {
		both.Go(func() {
			if err := s.take(t.Context(), urgent); err != nil {
				t.Error(err)
			}
			order <- name
			s.give()
		})
		for waiting := 0; waiting == 0; {
			s.mu.Lock()
			waiting = len(*n)
			s.mu.Unlock()
		}
	}
	line("usual", false, &s.usual)
	line("urgent", true, &s.urgent)
	s.give()
	both.Wait()
	if first := <-order; first != "urgent" || s.free != 1 {
		t.Errorf("%s came first, %d free", first, s.free)
	}
}
