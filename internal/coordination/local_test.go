package coordination_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"session/internal/coordination"
	"session/internal/coordination/coordinationtest"
)

// clock is a time that tests move.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func keeper(*testing.T) coordinationtest.Keeper {
	c := &clock{now: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)}
	return coordinationtest.Keeper{Hot: coordination.NewLocal(c.Now), Now: c.Now, Pass: c.Pass}
}

func TestHot(t *testing.T) { coordinationtest.Hot(t, keeper) }

func TestBus(t *testing.T) {
	coordinationtest.Bus(t, func(*testing.T) (a, b coordination.Bus) {
		l := coordination.NewLocal(time.Now)
		return l, l
	})
}

// To the millisecond: kept one before, gone at the time.
func TestExactTimes(t *testing.T) {
	k := keeper(t)
	ask := coordination.Pending{Request: "r", TimeoutAt: k.Now().Add(5 * time.Minute)}
	c := coordination.Change{State: &coordination.State{Status: "running"}, Progress: &coordination.Progress{Total: 1}, Pending: &ask}
	if err := k.Put(t.Context(), "s", c); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		pass                     time.Duration
		state, progress, pending bool
	}{
		{5*time.Minute - time.Millisecond, true, true, true}, {time.Millisecond, true, true, false},
		{coordination.Kept - 5*time.Minute - time.Millisecond, true, true, false}, {time.Millisecond, false, false, false},
	} {
		k.Pass(step.pass)
		v, err := k.Look(t.Context(), "s")
		if errors.Is(err, coordination.ErrNotFound) {
			err = nil
		}
		if err != nil || (v.State != nil) != step.state || (v.Progress != nil) != step.progress || (v.Pending != nil) != step.pending {
			t.Errorf("after %v more: %+v %v", step.pass, v, err)
		}
	}
}

func TestParseEvent(t *testing.T) {
	for _, bad := range []string{"", "null", "[]", `{"event_type":"x"}`, `{"event_type":"x","session_id":"a b"}`, `{"event_type":"x","session_id":"a","timestamp":"yesterday"}`} {
		if e, err := coordination.ParseEvent([]byte(bad)); !errors.Is(err, coordination.ErrDamaged) {
			t.Errorf("%s: %+v %v", bad, e, err)
		}
	}
}

func FuzzParseEvent(f *testing.F) {
	f.Add([]byte(`{"event_type":"session.started","session_id":"a","timestamp":"2026-11-20T12:00:00Z","data":{"n":1}}`))
	f.Add([]byte(`{"event_type":"\u0000","session_id":{}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		e, err := coordination.ParseEvent(raw)
		if err == nil && e.Check() != nil || err != nil && !errors.Is(err, coordination.ErrDamaged) {
			t.Errorf("%+v %v", e, err)
		}
	})
}
