package server

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

// TestJoined: those who come while somebody asks are answered together by the next asking, which begins after they came;
// who has gone waits no more; another key does not wait; a panic is an error; nothing is kept.
func TestJoined(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var j joined[string, int]
		asked := 0
		on := make(chan struct{})
		f := func() (int, error) { asked++; n := asked; <-on; return n, nil }
		got := make(chan int, 100)
		ask := func() {
			n, err := j.ask(t.Context(), "a", f)
			if err != nil {
				t.Error(err)
			}
			got <- n
		}
		go ask()
		synctest.Wait()
		for range 40 {
			go ask()
		}
		gone, stop := context.WithCancel(t.Context())
		left := make(chan error, 1)
		go func() { _, err := j.ask(gone, "a", f); left <- err }()
		synctest.Wait()
		if asked != 1 {
			t.Errorf("asked %d times while the first is under way", asked)
		}
		stop()
		if err := <-left; !errors.Is(err, context.Canceled) {
			t.Errorf("who has gone: %v", err)
		}
		if n, err := j.ask(t.Context(), "b", func() (int, error) { return 7, nil }); n != 7 || err != nil {
			t.Errorf("another key: %d %v", n, err)
		}
		on <- struct{}{}
		if n := <-got; n != 1 {
			t.Errorf("the first is answered %d", n)
		}
		on <- struct{}{}
		for range 40 {
			if n := <-got; n != 2 {
				t.Errorf("one that came later is answered %d", n)
			}
		}
		if _, err := j.ask(t.Context(), "a", func() (int, error) { panic("a bug") }); err == nil {
			t.Error("a panic is no error")
		}
		synctest.Wait()
		if asked != 2 || len(j.next)+len(j.busy) != 0 {
			t.Errorf("asked %d times; %d and %d are kept", asked, len(j.next), len(j.busy))
		}
	})
}
