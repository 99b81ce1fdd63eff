package snapshottest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"session/internal/snapshot"
)

// ample is a wait that only a hanging test uses up.
const ample = time.Minute

// Leaser attacks leases. open gives one without any lease held; two that it gives in one test are of the same store only
// if they are the same.
func Leaser(t *testing.T, open func(t *testing.T) snapshot.Leaser) {
	for _, c := range []struct {
		name string
		run  func(*testing.T, snapshot.Leaser)
	}{
		{"OneAtATime", oneAtATime}, {"WaitingIsRewarded", waiting}, {"WaitingCanBeCalledOff", waitCalledOff},
		{"ReleasedTwice", releasedTwice}, {"Live", live}, {"AHundredTakeTurns", takeTurns},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, open(t)) })
	}
}

func key(n int) snapshot.ID {
	return snapshot.FirstID(storeID, snapshot.Path(fmt.Sprint("refs/heads/", n)))
}

func who(n int) snapshot.Holder {
	return snapshot.Holder{PID: n, Host: "here", Start: time.Date(2026, 11, 20, 9, 0, n, 0, time.UTC), Command: "session save", RunID: fmt.Sprint("run-", n)}
}

func acquire(t *testing.T, l snapshot.Leaser, k snapshot.ID, n int, wait time.Duration) snapshot.Lease {
	t.Helper()
	got, err := l.Acquire(t.Context(), k, who(n), wait)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func release(t *testing.T, l snapshot.Lease) {
	t.Helper()
	if err := l.Release(t.Context()); err != nil {
		t.Error(err)
	}
}

func oneAtATime(t *testing.T, l snapshot.Leaser) {
	first := acquire(t, l, key(1), 7, 0)
	_, err := l.Acquire(t.Context(), key(1), who(8), 0)
	var busy *snapshot.ErrBusy
	if !errors.As(err, &busy) || busy.Key != key(1) || busy.Who != who(7) {
		t.Fatalf("second: %v %+v", err, busy)
	}
	other := acquire(t, l, key(2), 8, 0)
	for _, lease := range []snapshot.Lease{first, other} {
		if err := lease.Renew(t.Context()); err != nil {
			t.Error(err)
		}
	}
	release(t, first)
	if err := first.Renew(t.Context()); !errors.Is(err, snapshot.ErrLost) {
		t.Error("renewed after release:", err)
	}
	release(t, acquire(t, l, key(1), 9, 0))
	release(t, other)
}

func waiting(t *testing.T, l snapshot.Leaser) {
	first := acquire(t, l, key(1), 1, 0)
	got := make(chan error)
	go func() {
		second, err := l.Acquire(t.Context(), key(1), who(2), ample)
		if err == nil {
			err = second.Release(t.Context())
		}
		got <- err
	}()
	release(t, first)
	if err := <-got; err != nil {
		t.Error(err)
	}
}

func waitCalledOff(t *testing.T, l snapshot.Leaser) {
	first := acquire(t, l, key(1), 1, 0)
	ctx, cancel := context.WithCancel(t.Context())
	got := make(chan error)
	go func() {
		_, err := l.Acquire(ctx, key(1), who(2), ample)
		got <- err
	}()
	cancel()
	var busy *snapshot.ErrBusy
	if err := <-got; !errors.Is(err, context.Canceled) || errors.As(err, &busy) {
		t.Error(err)
	}
	if err := first.Renew(t.Context()); err != nil {
		t.Error("the holder lost it:", err)
	}
	release(t, first)
}

func releasedTwice(t *testing.T, l snapshot.Leaser) {
	first := acquire(t, l, key(1), 1, 0)
	release(t, first)
	second := acquire(t, l, key(1), 2, 0)
	release(t, first)
	if err := second.Renew(t.Context()); err != nil {
		t.Error("the first one's second release took the second one's lease:", err)
	}
	release(t, second)
}

func live(t *testing.T, l snapshot.Leaser) {
	list := func() map[snapshot.ID]snapshot.Holder {
		t.Helper()
		all, err := l.Live(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		m := map[snapshot.ID]snapshot.Holder{}
		for _, h := range all {
			m[h.Key] = h.Who
		}
		return m
	}
	if got := list(); len(got) != 0 {
		t.Errorf("live before anything: %v", got)
	}
	a, b := acquire(t, l, key(1), 1, 0), acquire(t, l, key(2), 2, 0)
	if got := list(); len(got) != 2 || got[key(1)] != who(1) || got[key(2)] != who(2) {
		t.Errorf("live: %v", got)
	}
	release(t, a)
	if got := list(); len(got) != 1 || got[key(2)] != who(2) {
		t.Errorf("live after one release: %v", got)
	}
	if err := b.Renew(t.Context()); err != nil {
		t.Error("looking took the lease away:", err)
	}
	release(t, b)
	if got := list(); len(got) != 0 {
		t.Errorf("live at the end: %v", got)
	}
}

func takeTurns(t *testing.T, l snapshot.Leaser) {
	var inside, most, turns atomic.Int64
	var all sync.WaitGroup
	for i := range racers {
		all.Go(func() {
			lease, err := l.Acquire(t.Context(), key(1), who(i), ample)
			if err != nil {
				t.Error(err)
				return
			}
			most.Store(max(most.Load(), inside.Add(1)))
			turns.Add(1)
			inside.Add(-1)
			if err := lease.Release(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if most.Load() != 1 || turns.Load() != racers {
		t.Errorf("%d at once, %d turns", most.Load(), turns.Load())
	}
}
