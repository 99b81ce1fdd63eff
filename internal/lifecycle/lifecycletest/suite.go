// Package lifecycletest is the conformance suite of lifecycle.Records. An implementation hands in how to open one:
//
//	func TestSQLite(t *testing.T) { lifecycletest.Run(t, func(t *testing.T) lifecycletest.Subject { … }) }
//
// It attacks: it opens the store many times, as many processes do, lets a hundred want the same thing at once, reads while
// others write, asks for what belongs to others, and stands at every deadline and one millisecond before it.
package lifecycletest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"
	"time"

	"session/internal/lifecycle"
)

// Subject is an empty store.
type Subject struct {
	// Open opens the store; called again it opens the same one once more, as another process would. It is closed with the
	// test.
	Open func(t *testing.T, o lifecycle.Options) lifecycle.Records
}

// Run runs the suite. open is called once a test.
func Run(t *testing.T, open func(t *testing.T) Subject) {
	for _, c := range []struct {
		name string
		test func(*testing.T, *bench)
	}{
		{"FieldsComeBack", fieldsComeBack},
		{"EveryTransition", everyTransition},
		{"IdsAreGivenOnce", idsAreGivenOnce},
		{"OthersSeeNothing", othersSeeNothing},
		{"OneOfAHundredTakesIt", oneOfAHundredTakesIt},
		{"Fence", fence},
		{"Limit", limit},
		{"LimitAtOnce", limitAtOnce},
		{"Pages", pages},
		{"Plans", plans},
		{"Resume", resume},
		{"AnsweredOnce", answeredOnce},
		{"RequestsEnd", requestsEnd},
		{"EventsWithoutGaps", eventsWithoutGaps},
		{"Outbox", outbox},
		{"Checkpoints", checkpoints},
		{"Deleted", deleted},
		{"Expiry", expiry},
		{"SweepsAtOnce", sweepsAtOnce},
		{"Daily", daily},
		{"AllOrNothing", allOrNothing},
		{"BadOptions", badOptions},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := &bench{t: t, subject: open(t), clock: &Clock{now: time.Date(2026, 2, 6, 10, 0, 0, 0, time.UTC)}}
			b.options = lifecycle.Options{Now: b.clock.Now, Policy: lifecycle.DefaultPolicy()}
			b.Records = b.open()
			c.test(t, b)
		})
	}
}

// Clock is a clock that a test moves. It may be used by many goroutines.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock is a clock that stands at a time.
func NewClock(at time.Time) *Clock { return &Clock{now: at} }

// Now is where it stands.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Set moves it to a time.
func (c *Clock) Set(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = at
}

// Add moves it on.
func (c *Clock) Add(d time.Duration) { c.Set(c.Now().Add(d)) }

// bench is an open store with its clock.
type bench struct {
	lifecycle.Records
	t       *testing.T
	subject Subject
	clock   *Clock
	options lifecycle.Options
}

func (b *bench) open() lifecycle.Records { return b.subject.Open(b.t, b.options) }

const ann, bob = lifecycle.Owner("ann"), lifecycle.Owner("bob@example.org")

func key(id string) lifecycle.Key { return lifecycle.Key{Owner: ann, ID: lifecycle.ID(id)} }

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func (b *bench) create(id string) lifecycle.Session {
	b.t.Helper()
	return must[lifecycle.Session](b.t)(b.Create(b.t.Context(), lifecycle.Draft{ID: lifecycle.ID(id), Owner: ann, Input: "do " + id}))
}

func (b *bench) change(id string, causes ...lifecycle.Cause) lifecycle.Session {
	b.t.Helper()
	s := must[lifecycle.Session](b.t)(b.Get(b.t.Context(), key(id)))
	for _, c := range causes {
		s = must[lifecycle.Session](b.t)(b.Change(b.t.Context(), key(id), lifecycle.Change{Cause: c}))
	}
	return s
}

// ways lead from created to each state.
func ways() map[lifecycle.Status][]lifecycle.Cause {
	return map[lifecycle.Status][]lifecycle.Cause{
		lifecycle.Created: {}, lifecycle.Running: {lifecycle.Start}, lifecycle.Paused: {lifecycle.Start, lifecycle.Pause},
		lifecycle.Waiting: {lifecycle.Start, lifecycle.Ask}, lifecycle.Completed: {lifecycle.Start, lifecycle.Complete},
		lifecycle.Failed: {lifecycle.Start, lifecycle.Fail}, lifecycle.Cancelled: {lifecycle.Start, lifecycle.Pause, lifecycle.Cancel},
		lifecycle.Expired: {lifecycle.Expire},
	}
}

func (b *bench) events(id string) []lifecycle.Event {
	b.t.Helper()
	all := must[[]lifecycle.Event](b.t)(b.Events(b.t.Context(), key(id), 0, 1000))
	for i, e := range all {
		if e.Seq != int64(i)+1 || e.Session != lifecycle.ID(id) || e.Owner != ann || !json.Valid(e.Data) {
			b.t.Errorf("event %d of %s is %+v", i+1, id, e)
		}
	}
	return all
}

func (b *bench) want(id string, want lifecycle.Session) {
	b.t.Helper()
	got := must[lifecycle.Session](b.t)(b.Get(b.t.Context(), key(id)))
	if !reflect.DeepEqual(got, want) {
		b.t.Errorf("%s is\n%+v, want\n%+v", id, got, want)
	}
}

// together runs f n times at once, each behind the same barrier.
func together(n int, f func(i int)) {
	var ready, done sync.WaitGroup
	ready.Add(n)
	for i := range n {
		done.Go(func() {
			ready.Done()
			ready.Wait()
			f(i)
		})
	}
	done.Wait()
}

func is[T error](err error) bool {
	var want T
	return errors.As(err, &want)
}

func name(format string, args ...any) string { return fmt.Sprintf(format, args...) }

func stopped() context.Context {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	return ctx
}
