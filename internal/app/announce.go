package app

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"session/internal/coordination"
	"session/internal/lifecycle"
	"session/internal/session"
)

// announced are Records whose changes others hear of: where a Session stands is kept hot (seed 004 §3.4), and what happened
// is published (§8). The database stays the truth: whatever goes wrong here changes no result, and events that could not be
// published stay in its outbox for whoever comes next.
type announced struct {
	lifecycle.Records
	hot  coordination.Hot
	bus  coordination.Bus
	now  func() time.Time
	warn func(session.Finding)

	quiet coordination.Quiet

	publishing sync.Mutex   // one empties the outbox at a time
	wanted     atomic.Int64 // how often that was asked for
	emptied    int64        // what was wanted when it was emptied last; under publishing
}

const (
	outbox    = 100 // events at a time
	staleness = coordination.Kept
)

// announce lets others hear of what changes, where a command names a place for that.
func (s *site) announce(ctx context.Context, r lifecycle.Records) (lifecycle.Records, Coordinator, error) {
	b, err := s.backends(ctx)
	if err != nil || b.Coordination == "" || b.Offline {
		return r, nil, err
	}
	open, err := s.coordination(b.Coordination)
	if err != nil {
		return nil, nil, err
	}
	c := open()
	return &announced{Records: r, hot: c, bus: c, now: s.Now, warn: s.warn}, c, nil
}

// later is what is told of a transaction once it is committed.
type later struct {
	ctx context.Context // of whoever began it
	all []func(context.Context)
}

type laterKey struct{}

// together does all that f does with these Sessions and the context it gets in one transaction, and tells others afterwards.
// Where others are in the way f runs again.
func (x *Sessions) together(ctx context.Context, f func(context.Context) error) error {
	l := later{ctx: context.WithoutCancel(ctx)}
	err := x.db.Atomically(context.WithValue(ctx, laterKey{}, &l), func(ctx context.Context) error {
		l.all = nil
		return f(ctx)
	})
	if err == nil {
		for _, tell := range l.all {
			tell(l.ctx)
		}
	}
	return err
}

// after does it now, or once the transaction that ctx is in is committed.
func after(ctx context.Context, do func(context.Context)) {
	if l, ok := ctx.Value(laterKey{}).(*later); ok {
		l.all = append(l.all, do)
		return
	}
	do(context.WithoutCancel(ctx)) // the change is made, also where whoever asked for it has gone
}

// reach does something with the coordination service, unless it is known to be away.
func (a *announced) reach(do func() error) {
	if a.quiet.Away(a.now()) {
		return
	}
	err := do()
	if err == nil || errors.Is(err, coordination.ErrInvalid) || errors.Is(err, context.Canceled) {
		return // names that cannot be keys are not kept hot
	}
	if a.quiet.Fell(a.now()) {
		a.complain(err)
	}
}

func (a *announced) complain(err error) {
	a.warn(session.NewFinding(session.SourceFailed, "coordination.away", "cause", err))
}

// tell keeps a change hot and publishes what is in the outbox.
func (a *announced) tell(ctx context.Context, id lifecycle.ID, c coordination.Change) {
	after(ctx, func(ctx context.Context) {
		a.reach(func() error { return a.hot.Put(ctx, string(id), c) })
		a.publish(ctx)
	})
}

// publish empties the outbox, and returns when what was in it is published. Of many that want that at once, one does it for
// all who came before it began: each emptying is a transaction. Of two processes, both may publish an event: it has the
// same number.
func (a *announced) publish(ctx context.Context) {
	mine := a.wanted.Add(1)
	a.publishing.Lock()
	defer a.publishing.Unlock()
	if a.emptied >= mine {
		return
	}
	all := a.wanted.Load()
	a.reach(func() error { return a.empty(ctx) })
	a.emptied = all
}

func (a *announced) empty(ctx context.Context) error {
	for {
		events, err := a.Records.Unpublished(ctx, outbox)
		if err != nil || len(events) == 0 {
			return err
		}
		var fresh []coordination.Event
		for _, e := range events {
			if a.now().Sub(e.At) <= staleness { // else nobody waits for it any more; the history has it
				fresh = append(fresh, published(e))
			}
		}
		if err := a.bus.Publish(ctx, fresh...); err != nil && !errors.Is(err, coordination.ErrInvalid) {
			return err
		}
		if err := a.Records.Published(ctx, events); err != nil || len(events) < outbox {
			return err
		}
	}
}

// published is an event as it is published: the seed's keys, with number and owner in its data.
func published(e lifecycle.Event) coordination.Event {
	data := map[string]json.RawMessage{}
	if json.Unmarshal(e.Data, &data) != nil {
		data = map[string]json.RawMessage{}
	}
	data["seq"], _ = json.Marshal(e.Seq)
	data["user_id"], _ = json.Marshal(e.Owner)
	raw, err := json.Marshal(data)
	if err != nil || len(raw) > coordination.MaxData {
		raw = nil // the history has it
	}
	return coordination.Event{Type: string(e.Type), Session: string(e.Session), At: e.At, Data: raw}
}

// word makes a name of the lifecycle one that can be kept.
func word[T ~string](name T) string {
	return strings.NewReplacer(":", "-", "@", "-").Replace(string(name))
}

func standing(s lifecycle.Session) *coordination.State {
	st := &coordination.State{Status: string(s.Status), Plan: word(s.Plan), LastActivity: s.UpdatedAt}
	if s.Status == lifecycle.Running {
		st.Layer = "execution"
	}
	return st
}

func counted(todos []lifecycle.Todo) *coordination.Progress {
	p := &coordination.Progress{Total: len(todos)}
	for _, t := range todos {
		switch t.Status {
		case lifecycle.TodoCompleted, lifecycle.TodoSkipped:
			p.Completed++
		case lifecycle.TodoInProgress:
			p.Current = word(t.ID)
		}
	}
	return p
}

// changed tells where a Session stands after a change that did not return it.
func (a *announced) changed(ctx context.Context, k lifecycle.Key, more coordination.Change) {
	after(ctx, func(ctx context.Context) {
		s, err := a.Records.Get(ctx, k)
		if err != nil {
			a.publish(ctx)
			return // gone already: whoever took it away told so
		}
		more.State = standing(s)
		a.tell(ctx, k.ID, more)
	})
}

// Create implements lifecycle.Sessions.
func (a *announced) Create(ctx context.Context, d lifecycle.Draft) (lifecycle.Session, error) {
	s, err := a.Records.Create(ctx, d)
	if err == nil {
		a.tell(ctx, s.ID, coordination.Change{State: standing(s)})
	}
	return s, err
}

// Change implements lifecycle.Sessions.
func (a *announced) Change(ctx context.Context, k lifecycle.Key, c lifecycle.Change) (lifecycle.Session, error) {
	s, err := a.Records.Change(ctx, k, c)
	if err == nil {
		a.tell(ctx, s.ID, coordination.Change{State: standing(s)})
	}
	return s, err
}

// Delete implements lifecycle.Sessions.
func (a *announced) Delete(ctx context.Context, k lifecycle.Key, version int64) (lifecycle.Tombstone, error) {
	t, err := a.Records.Delete(ctx, k, version)
	if err == nil {
		a.forget(ctx, k.ID)
	}
	return t, err
}

// Archive implements lifecycle.Keeper.
func (a *announced) Archive(ctx context.Context, k lifecycle.Key, version int64) (lifecycle.Tombstone, error) {
	t, err := a.Records.Archive(ctx, k, version)
	if err == nil {
		a.forget(ctx, k.ID)
	}
	return t, err
}

func (a *announced) forget(ctx context.Context, id lifecycle.ID) {
	after(ctx, func(ctx context.Context) {
		a.publish(ctx)
		a.reach(func() error { return a.hot.Forget(ctx, string(id)) })
	})
}

// Revise implements lifecycle.Plans.
func (a *announced) Revise(ctx context.Context, k lifecycle.Key, r lifecycle.Revision) (lifecycle.Plan, error) {
	p, err := a.Records.Revise(ctx, k, r)
	if err == nil {
		a.changed(ctx, k, coordination.Change{Progress: counted(p.Todos)})
	}
	return p, err
}

// Work implements lifecycle.Plans.
func (a *announced) Work(ctx context.Context, k lifecycle.Key, as lifecycle.RunID, changes []lifecycle.TodoChange) ([]lifecycle.Todo, error) {
	todos, err := a.Records.Work(ctx, k, as, changes)
	if err == nil {
		a.tell(ctx, k.ID, coordination.Change{Progress: counted(todos)})
	}
	return todos, err
}

// Resume implements lifecycle.Plans.
func (a *announced) Resume(ctx context.Context, k lifecycle.Key, r lifecycle.Resumption) (lifecycle.Session, []lifecycle.Todo, error) {
	s, todos, err := a.Records.Resume(ctx, k, r)
	if err == nil {
		a.tell(ctx, s.ID, coordination.Change{State: standing(s), Progress: counted(todos)})
	}
	return s, todos, err
}

// Ask implements lifecycle.Requests.
func (a *announced) Ask(ctx context.Context, k lifecycle.Key, q lifecycle.Question) (lifecycle.Request, error) {
	r, err := a.Records.Ask(ctx, k, q)
	if err == nil {
		p := &coordination.Pending{Request: word(r.ID), Type: word(r.Type), Data: r.Data, TimeoutAt: r.TimeoutAt}
		if len(p.Data) > coordination.MaxData {
			p.Data = nil // the record has it
		}
		a.changed(ctx, k, coordination.Change{Pending: p})
	}
	return r, err
}

// Answer implements lifecycle.Requests.
func (a *announced) Answer(ctx context.Context, k lifecycle.Key, id lifecycle.RequestID, d lifecycle.Decision) (lifecycle.Request, error) {
	r, err := a.Records.Answer(ctx, k, id, d)
	if err == nil {
		a.settle(ctx, k.ID, id)
		a.changed(ctx, k, coordination.Change{})
	}
	return r, err
}

func (a *announced) settle(ctx context.Context, session lifecycle.ID, id lifecycle.RequestID) {
	after(ctx, func(ctx context.Context) {
		a.reach(func() error { return a.hot.Settle(ctx, string(session), word(id)) })
	})
}

// TimeOut implements lifecycle.Requests.
func (a *announced) TimeOut(ctx context.Context, limit int) ([]lifecycle.Request, error) {
	all, err := a.Records.TimeOut(ctx, limit)
	for _, r := range all {
		a.settle(ctx, r.Session, r.ID)
	}
	a.publish(context.WithoutCancel(ctx))
	return all, err
}

// still reports, from what is kept hot, that a Session stands as it was last read (S4.4: the cache first). False says
// nothing: the database is asked then.
func (x *Sessions) still(ctx context.Context, s lifecycle.Session) (same bool) {
	a, ok := x.Records.(*announced)
	if !ok {
		return false
	}
	if a.quiet.Away(a.now()) {
		return false
	}
	v, err := a.hot.Look(ctx, string(s.ID)) // whoever keeps nothing, or damaged things, says nothing
	return err == nil && v.State != nil && v.State.Status == string(s.Status) && v.State.LastActivity.Equal(s.UpdatedAt)
}

// Listen hears what happens to one Session, or to all with "", on any machine, as it happens; Heard.Missed: look into the
// history. Where nothing is shared it hears nothing until ctx ends.
func (x *Sessions) Listen(ctx context.Context, id lifecycle.ID) (<-chan coordination.Heard, error) {
	if a, ok := x.Records.(*announced); ok {
		return a.bus.Subscribe(ctx, string(id))
	}
	return coordination.NewInbox(ctx).Heard(), nil
}
