package app

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"session/internal/coordination"
	"session/internal/lifecycle"
	"session/internal/session"
)

// gated is a keeper whose first Publish waits until it may.
type gated struct {
	keeper
	first   sync.Once
	entered chan struct{}
	open    chan struct{}
	told    atomic.Int64
}

func (g *gated) Publish(ctx context.Context, all ...coordination.Event) error {
	g.first.Do(func() { close(g.entered); <-g.open })
	g.told.Add(int64(len(all)))
	return g.keeper.Publish(ctx, all...)
}

// emptied counts how often the outbox is emptied.
type emptied struct {
	lifecycle.Records
	times atomic.Int64
}

func (e *emptied) Published(ctx context.Context, all []lifecycle.Event) error {
	e.times.Add(1)
	return e.Records.Published(ctx, all)
}

// TestManyAnnounceAtOnce: those who come while the outbox is being emptied are served by one more emptying, and each
// returns only when what it did is published.
func TestManyAnnounceAtOnce(t *testing.T) {
	t.Parallel()
	const n = 40
	bus := &gated{keeper: coordination.NewLocal(time.Now), entered: make(chan struct{}), open: make(chan struct{})}
	r := &emptied{Records: records(t)}
	a := &announced{Records: r, hot: bus, bus: bus, now: time.Now, warn: func(f session.Finding) { t.Error(f) }}
	create := func(i int) {
		if _, err := a.Create(t.Context(), lifecycle.Draft{ID: lifecycle.ID(fmt.Sprint("s", i)), Owner: "ada", Input: "x"}); err != nil {
			t.Error(err)
		}
		left, err := r.Unpublished(t.Context(), 1000)
		for _, e := range left {
			if e.Session == lifecycle.ID(fmt.Sprint("s", i)) {
				t.Errorf("%s returned before it was published", e.Session)
			}
		}
		if err != nil {
			t.Error(err)
		}
	}
	var all sync.WaitGroup
	all.Go(func() { create(0) })
	<-bus.entered
	for i := range n {
		all.Go(func() { create(i + 1) })
	}
	for a.wanted.Load() < n+1 {
		runtime.Gosched()
	}
	close(bus.open)
	all.Wait()
	if passes, told := r.times.Load(), bus.told.Load(); passes != 2 || told != n+1 {
		t.Errorf("%d emptyings of the outbox, %d events told; want 2 and %d", passes, told, n+1)
	}
}
