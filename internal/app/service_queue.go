package app

import (
	"cmp"
	"context"
	"sync"

	"session/internal/lifecycle"
)

// queue is what waits for a worker of this process: by priority, then in order.
type queue struct {
	mu      sync.Mutex
	waiting map[string][]lifecycle.Key
	known   map[lifecycle.Key]bool // waits, or runs
	again   map[lifecycle.Key]string
	busy    int
	size    int
	more    chan struct{}
}

func newQueue(size int) *queue {
	return &queue{waiting: map[string][]lifecycle.Key{}, known: map[lifecycle.Key]bool{}, again: map[lifecycle.Key]string{}, size: size, more: make(chan struct{}, 1)}
}

// add lets a Session wait. One that waits already is not added; one that runs is run again afterwards.
func (q *queue) add(k lifecycle.Key, priority string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.known[k] {
		q.again[k] = cmp.Or(priority, "normal")
		return
	}
	q.known[k] = true
	priority = cmp.Or(priority, "normal")
	q.waiting[priority] = append(q.waiting[priority], k)
	q.wake()
}

func (q *queue) wake() {
	select {
	case q.more <- struct{}{}:
	default:
	}
}

// next waits for a Session; false: ctx ended.
func (q *queue) next(ctx context.Context) (lifecycle.Key, bool) {
	for {
		if k, ok := q.take(); ok {
			return k, true
		}
		select {
		case <-q.more:
		case <-ctx.Done():
			return lifecycle.Key{}, false
		}
	}
}

// take is the next Session that may start: above 90 % of busy workers only one of high priority (seed 004 §7.2).
func (q *queue) take() (lifecycle.Key, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, priority := range []string{"high", "normal", "low"} {
		if len(q.waiting[priority]) == 0 || priority != "high" && 10*q.busy > 9*q.size {
			continue
		}
		k := q.waiting[priority][0]
		q.waiting[priority] = q.waiting[priority][1:]
		delete(q.again, k)
		q.busy++
		q.wake() // there may be one for another worker
		return k, true
	}
	return lifecycle.Key{}, false
}

func (q *queue) done(k lifecycle.Key) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.busy--
	delete(q.known, k)
	if priority, ok := q.again[k]; ok {
		delete(q.again, k)
		q.known[k] = true
		q.waiting[priority] = append(q.waiting[priority], k)
	}
	q.wake()
}

func (q *queue) load() (busy, waiting int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, w := range q.waiting {
		waiting += len(w)
	}
	return q.busy, waiting
}
