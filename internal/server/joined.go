package server

import (
	"context"
	"fmt"
	"sync"
)

// joined lets those who ask the same at a time share an answer: one asks for all who came before it began, so nobody gets
// an answer that is older than the question. For what reads many rows and is asked often, as pages that stand open do.
type joined[K comparable, V any] struct {
	mu   sync.Mutex
	next map[K]*flight[V] // not begun yet
	busy map[K]chan struct{}
}

// flight is one asking.
type flight[V any] struct {
	done chan struct{}
	v    V
	err  error
}

// ask gives what f gives, asked once for all of key. f must not end with the context of who asks.
func (j *joined[K, V]) ask(ctx context.Context, key K, f func() (V, error)) (V, error) {
	a, first, line := j.board(key)
	if first {
		go j.fly(key, a, line, f)
	}
	select {
	case <-a.done:
		return a.v, a.err
	case <-ctx.Done():
		var none V
		return none, ctx.Err()
	}
}

// board is the flight that has not begun, and whether it is a new one.
func (j *joined[K, V]) board(key K) (a *flight[V], first bool, line chan struct{}) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if a = j.next[key]; a != nil {
		return a, false, nil
	}
	if j.next == nil {
		j.next, j.busy = map[K]*flight[V]{}, map[K]chan struct{}{}
	}
	if line = j.busy[key]; line == nil {
		line = make(chan struct{}, 1)
		j.busy[key] = line
	}
	a = &flight[V]{done: make(chan struct{})}
	j.next[key] = a
	return a, true, line
}

func (j *joined[K, V]) fly(key K, a *flight[V], line chan struct{}, f func() (V, error)) {
	line <- struct{}{} // the one before it is over
	j.mu.Lock()
	delete(j.next, key)
	j.mu.Unlock()
	defer func() {
		if p := recover(); p != nil { // as a route that panics, it is an answer of 500
			a.err = fmt.Errorf("panic: %v", p)
		}
		j.mu.Lock()
		if <-line; j.next[key] == nil {
			delete(j.busy, key)
		}
		j.mu.Unlock()
		close(a.done)
	}()
	a.v, a.err = f()
}
