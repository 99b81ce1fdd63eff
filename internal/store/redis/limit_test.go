package redis_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"session/internal/coordination"
)

// TestAllow: a burst, then no more until the wait that is told is over; one does not count for another; nothing is left
// behind for ever.
func TestAllow(t *testing.T) {
	at := fresh(t)
	c, peek := client(t, at, 0), raw(t, at)
	r := coordination.Rate{PerSecond: 1e-3, Burst: 5} // so slow that no time passes in this test
	allowed := func(who string) bool {
		t.Helper()
		ok, wait, err := c.Allow(t.Context(), who, r)
		if err != nil || ok != (wait == 0) || wait > 1000*time.Second {
			t.Fatal(ok, wait, err)
		}
		return ok
	}
	for i := range 8 {
		if allowed("ada") != (i < 5) {
			t.Errorf("ada, time %d", i+1)
		}
	}
	if !allowed("ben") {
		t.Error("ben pays for ada")
	}
	keys, err := peek.Keys(t.Context(), "session:rate:*").Result()
	if err != nil || len(keys) != 2 {
		t.Fatal(keys, err)
	}
	for _, k := range keys {
		if left, err := peek.PTTL(t.Context(), k).Result(); err != nil || left <= 0 || left > 5001*time.Second {
			t.Errorf("%s lives for %v: %v", k, left, err)
		}
	}
	for _, odd := range []string{"nan", "-inf", "1e300", "not a number", ""} {
		for _, k := range keys {
			if err := peek.Set(t.Context(), k, odd, 0).Err(); err != nil {
				t.Fatal(err)
			}
		}
		if !allowed("ada") || !allowed("ben") {
			t.Errorf("locked out by %q", odd)
		}
	}
	for _, k := range keys {
		if err := errors.Join(peek.Del(t.Context(), k).Err(), peek.LPush(t.Context(), k, "x").Err()); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := c.Allow(t.Context(), "ada", r); !errors.Is(err, coordination.ErrDamaged) {
		t.Errorf("something else stands there: %v", err)
	}
	if _, _, err := c.Allow(t.Context(), "ada", coordination.Rate{PerSecond: 1}); !errors.Is(err, coordination.ErrInvalid) {
		t.Errorf("no burst: %v", err)
	}
}

// TestAllowTogether: of many that ask through two clients at once, exactly the burst is allowed.
func TestAllowTogether(t *testing.T) {
	at := fresh(t)
	one, two := client(t, at, 0), client(t, at, 0)
	var allowed atomic.Int64
	var all sync.WaitGroup
	for i := range 100 {
		all.Go(func() {
			c := one
			if i%2 == 1 {
				c = two
			}
			ok, _, err := c.Allow(t.Context(), "ada", coordination.Rate{PerSecond: 1e-3, Burst: 30})
			if err != nil {
				t.Error(err)
			}
			if ok {
				allowed.Add(1)
			}
		})
	}
	all.Wait()
	if n := allowed.Load(); n != 30 {
		t.Errorf("%d were allowed, want 30", n)
	}
}

// TestAllowAgain: what has been paid for may be done again, as soon as the wait says.
func TestAllowAgain(t *testing.T) {
	c := client(t, fresh(t), 0)
	r := coordination.Rate{PerSecond: 1000, Burst: 1}
	times := 0
	for times < 20 { // each takes a millisecond of Redis' clock, however long that is here
		ok, wait, err := c.Allow(t.Context(), "ada", r)
		if err != nil || !ok && (wait <= 0 || wait > time.Millisecond) {
			t.Fatal(ok, wait, err)
		}
		if ok {
			times++
		}
	}
}
