package sql

import (
	"context"
	"sync"
)

// slots are the places of a worker. Who is urgent takes the next one that is given back, before everybody else.
type slots struct {
	mu            sync.Mutex
	free          int
	urgent, usual []chan struct{}
}

func newSlots(n int) *slots { return &slots{free: n} }

// take waits for a place, or returns the context's error.
func (s *slots) take(ctx context.Context, urgent bool) error {
	s.mu.Lock()
	if s.free > 0 {
		s.free--
		s.mu.Unlock()
		return nil
	}
	line := &s.usual
	if urgent {
		line = &s.urgent
	}
	turn := make(chan struct{}, 1)
	*line = append(*line, turn)
	s.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
		s.leave(line, turn)
		return ctx.Err()
	}
}

// leave takes one out of a line; if its turn came in that moment, the place goes on to the next.
func (s *slots) leave(line *[]chan struct{}, turn chan struct{}) {
	s.mu.Lock()
	for i, c := range *line {
		if c == turn {
			*line = append((*line)[:i], (*line)[i+1:]...)
			s.mu.Unlock()
			return
		}
	}
	s.mu.Unlock()
	s.give()
}

// give gives a place back.
func (s *slots) give() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, line := range []*[]chan struct{}{&s.urgent, &s.usual} {
		if len(*line) > 0 {
			(*line)[0] <- struct{}{}
			*line = (*line)[1:]
			return
		}
	}
	s.free++
}
