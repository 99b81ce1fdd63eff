package coordinationtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"
	"time"

	"session/internal/coordination"
)

// ample is a wait that only a hanging test uses up.
const ample = time.Minute

// Bus attacks a Bus. open gives two ends of one that nobody uses, as two processes have them.
func Bus(t *testing.T, open func(t *testing.T) (a, b coordination.Bus)) {
	for _, c := range []struct {
		name string
		run  func(t *testing.T, a, b coordination.Bus)
	}{
		{"Heard", heard}, {"NobodyListens", nobodyListens}, {"InOrder", inOrder}, {"ItEndsWithItsContext", ends}, {"TheSlowMiss", slow},
		{"Refused", refusedEvents}, {"ManyListeners", many},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, b := open(t)
			c.run(t, a, b)
		})
	}
}

func event(session string, n int) coordination.Event {
	return coordination.Event{
		Type: "session.started", Session: session, At: time.Date(2026, 11, 20, 12, 0, 0, n, time.UTC),
		Data: json.RawMessage(fmt.Sprintf(`{"n":%d}`, n)),
	}
}

func publish(t *testing.T, b coordination.Bus, e coordination.Event) {
	t.Helper()
	if err := b.Publish(t.Context(), e); err != nil {
		t.Error(err)
	}
}

func subscribe(t *testing.T, b coordination.Bus, session string) <-chan coordination.Heard {
	t.Helper()
	c, err := b.Subscribe(t.Context(), session)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// next is what a listener hears next.
func next(t *testing.T, c <-chan coordination.Heard) coordination.Heard {
	t.Helper()
	select {
	case h, ok := <-c:
		if !ok {
			t.Fatal("the channel was closed")
		}
		return h
	case <-time.After(ample):
		t.Fatal("nothing is heard")
	}
	return coordination.Heard{}
}

func wantEvent(t *testing.T, c <-chan coordination.Heard, want coordination.Event) {
	t.Helper()
	if got := next(t, c); got.Missed || !reflect.DeepEqual(got.Event, want) {
		t.Errorf("heard %+v, want %+v", got, want)
	}
}

func heard(t *testing.T, a, b coordination.Bus) {
	one, all, own := subscribe(t, b, "one"), subscribe(t, b, ""), subscribe(t, a, "one")
	publish(t, a, event("two", 1))
	bare := coordination.Event{Type: "session.failed", Session: "one", At: event("", 2).At}
	publish(t, a, bare)
	publish(t, a, event("one", 3))
	for _, c := range []<-chan coordination.Heard{one, own} {
		wantEvent(t, c, bare)
		wantEvent(t, c, event("one", 3))
	}
	wantEvent(t, all, event("two", 1))
	wantEvent(t, all, bare)
	wantEvent(t, all, event("one", 3))
}

func nobodyListens(t *testing.T, a, b coordination.Bus) {
	publish(t, a, event("one", 1))
	c := subscribe(t, b, "one")
	publish(t, a, event("one", 2))
	wantEvent(t, c, event("one", 2))
}

func inOrder(t *testing.T, a, b coordination.Bus) {
	const senders, each = 8, 20
	c := subscribe(t, b, "")
	var all sync.WaitGroup
	for s := range senders {
		all.Go(func() {
			for n := range each {
				publish(t, a, event(fmt.Sprint("s", s), n))
			}
		})
	}
	last := map[string]int{}
	for range senders * each {
		h := next(t, c)
		n := h.Event.At.Nanosecond()
		if h.Missed || n != last[h.Event.Session] {
			t.Fatalf("%+v, want number %d", h, last[h.Event.Session])
		}
		last[h.Event.Session]++
	}
	all.Wait()
}

func ends(t *testing.T, a, b coordination.Bus) {
	ctx, cancel := context.WithCancel(t.Context())
	c, err := b.Subscribe(ctx, "one")
	if err != nil {
		t.Fatal(err)
	}
	publish(t, a, event("one", 1)) // nobody takes it: ending does not wait for that
	cancel()
	for range c {
	}
	if _, err := b.Subscribe(ctx, "one"); !errors.Is(err, context.Canceled) {
		t.Error("subscribed after the end:", err)
	}
	if err := a.Publish(ctx, event("one", 2)); !errors.Is(err, context.Canceled) {
		t.Error("published after the end:", err)
	}
	publish(t, a, event("one", 3))
}

// slow: a listener that takes nothing hears that it missed something, keeps nobody from sending, and hears what comes later.
func slow(t *testing.T, a, b coordination.Bus) {
	c, quick := subscribe(t, b, "one"), subscribe(t, b, "two")
	const n = 2000
	for i := range n {
		publish(t, a, event("one", i))
	}
	publish(t, a, event("two", 1))
	wantEvent(t, quick, event("two", 1))
	for i := 0; ; i++ {
		h := next(t, c)
		if h.Missed {
			break
		}
		if i == n-1 {
			t.Fatal("nothing was missed")
		}
	}
	publish(t, a, event("one", n))
	for h := next(t, c); h.Event.At.Nanosecond() != n; h = next(t, c) {
		if h.Missed {
			t.Log("missed more")
		}
	}
}

func refusedEvents(t *testing.T, a, b coordination.Bus) {
	c := subscribe(t, b, "")
	for _, bad := range []string{"", "a b", "*", "a\r\nb", "session_events:x"} {
		e := event(bad, 1)
		if err := a.Publish(t.Context(), e); !errors.Is(err, coordination.ErrInvalid) {
			t.Errorf("session %q: %v", bad, err)
		}
		e = event("one", 1)
		e.Type = bad
		if err := a.Publish(t.Context(), e); !errors.Is(err, coordination.ErrInvalid) {
			t.Errorf("type %q: %v", bad, err)
		}
		if _, err := b.Subscribe(t.Context(), bad); bad != "" && !errors.Is(err, coordination.ErrInvalid) {
			t.Errorf("subscribed to %q: %v", bad, err)
		}
	}
	for _, data := range []json.RawMessage{json.RawMessage(`{`), make([]byte, coordination.MaxData+1)} {
		e := event("one", 1)
		e.Data = data
		if err := a.Publish(t.Context(), e); !errors.Is(err, coordination.ErrInvalid) {
			t.Error(err)
		}
	}
	publish(t, a, event("one", 2))
	wantEvent(t, c, event("one", 2))
	if err := a.Publish(t.Context(), event("one", 3), event("a b", 4), event("two", 5), event("one", 6)); !errors.Is(err, coordination.ErrInvalid) {
		t.Errorf("one of several: %v", err)
	}
	for _, e := range []coordination.Event{event("one", 3), event("two", 5), event("one", 6)} {
		wantEvent(t, c, e)
	}
	if err := a.Publish(t.Context()); err != nil {
		t.Errorf("nothing: %v", err)
	}
}

func many(t *testing.T, a, b coordination.Bus) {
	var all []<-chan coordination.Heard
	for i := range 20 {
		all = append(all, subscribe(t, b, fmt.Sprint("s", i%2)))
	}
	publish(t, a, event("s0", 1))
	publish(t, b, event("s1", 1))
	for i, c := range all {
		wantEvent(t, c, event(fmt.Sprint("s", i%2), 1))
	}
}
