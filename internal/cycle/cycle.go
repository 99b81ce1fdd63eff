package cycle

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"session/internal/engine"
	"session/internal/plan"
	"session/internal/session"
	"session/internal/snapshot"
)

// Runner is what a cycle needs of the world.
type Runner struct {
	Store    *snapshot.Store
	Leaser   snapshot.Leaser
	Journal  Journal
	Holder   snapshot.Holder
	RunID    string
	Accepted string // the plan hash that is accepted on this machine
	Hash     string // of the policy that the plan comes from
	Now      func() time.Time
	// Sound refuses a state that nobody could read again: such a one is never recorded.
	Sound func(session.State) error
	// Mend removes what a killed run left in the work tree. Called with the lease in hand.
	Mend    func(ctx context.Context) error
	Project []Projection
	// Beside are written after an autosave, too. They run without the path's lease, beside whoever holds it.
	Beside []Projection
	Watch  func(engine.Event)
}

// Work is one workflow: its steps over a draft of type D.
type Work[D any] struct {
	Plan  plan.Plan
	Steps func(Base) engine.Steps[D]
	// Draft makes the draft from the base.
	Draft func(Base) *D
	// Bundle says what the draft records; ok is false when there is nothing to record.
	Bundle func(*D, engine.Report) (b session.Bundle, ok bool, err error)
}

// Outcome is what a cycle did.
type Outcome struct {
	Base   Base
	Made   snapshot.Manifest // zero: nothing was recorded
	Bundle session.Bundle
	Report engine.Report
	Beside *snapshot.ErrBusy // recorded as an autosave beside this run
	Behind []error           // projections that could not be written
}

// Do runs one cycle. Errors: what Acquire, Head, the engine and Commit return; after any of them nothing was recorded.
func Do[D any](ctx context.Context, r Runner, at Where, w Work[D]) (d *D, out Outcome, err error) {
	lease, beside, err := r.hold(ctx, at)
	if err != nil {
		return nil, out, err
	}
	out.Beside = beside
	if lease != nil {
		defer out.after(func() error { return lease.Release(context.WithoutCancel(ctx)) })
		var stop func()
		ctx, stop = watch(ctx, lease)
		defer stop()
		if err := r.Mend(ctx); err != nil {
			return nil, out, fmt.Errorf("clean up after a killed run: %w", err)
		}
	}
	if out.Base, err = r.base(ctx, at, beside != nil); err != nil {
		return nil, out, err
	}
	if lease != nil {
		err := r.Journal.Begin(ctx, Entry{Path: at.Path, RunID: r.RunID, Snapshot: out.Base.Next, Holder: r.Holder})
		if err != nil {
			return nil, out, err
		}
		defer out.after(func() error { return r.Journal.End(context.WithoutCancel(ctx)) }) // whatever happened, we tidy up
	}
	d = w.Draft(out.Base)
	out.Report, err = engine.Run(ctx, w.Plan, w.Steps(out.Base), d, r.Watch)
	if err != nil {
		return d, out, err
	}
	var record bool
	if out.Bundle, record, err = w.Bundle(d, out.Report); err != nil || !record {
		return d, out, err
	}
	err = r.commit(context.WithoutCancel(ctx), at, &out, lease != nil) // what was done is kept, also after Ctrl-C
	return d, out, err
}

// after does what follows a cycle, and keeps its failure beside the projections': the record stands.
func (o *Outcome) after(f func() error) {
	if err := f(); err != nil {
		o.Behind = append(o.Behind, err)
	}
}

// watch ends a cycle whose lease is lost: from then on somebody else may act on the path.
func watch(ctx context.Context, lease snapshot.Lease) (context.Context, func()) {
	w, ok := lease.(snapshot.Watched)
	if !ok || w.Lost() == nil {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	over := make(chan struct{})
	go func() {
		select {
		case <-w.Lost():
			cancel(snapshot.ErrLost)
		case <-over:
		}
	}()
	return ctx, func() { close(over); cancel(nil) }
}

// hold takes the path's lease. Without one in time, a cycle that named its base is refused and any other one goes on
// beside the holder.
func (r Runner) hold(ctx context.Context, at Where) (snapshot.Lease, *snapshot.ErrBusy, error) {
	if at.Auto {
		return nil, nil, nil
	}
	key := r.Store.LeaseKey(at.Path)
	lease, err := r.Leaser.Acquire(ctx, key, r.Holder, at.Wait)
	var busy *snapshot.ErrBusy
	if errors.As(err, &busy) && at.Base == "" {
		return nil, busy, nil
	}
	return lease, nil, err
}

// base reads what the cycle starts from. With the lease in hand "the newest" cannot move any more.
func (r Runner) base(ctx context.Context, at Where, beside bool) (Base, error) {
	b := Base{Beside: beside}
	head, err := r.Store.Head(ctx, at.Path)
	if err != nil {
		return b, err
	}
	from := at.Base
	if from == "" && head.Head != nil {
		from = head.Head.ID
	}
	b.Line = head.Line
	switch {
	case at.Auto || at.Leaf || beside:
		b.Next = snapshot.AutoID(r.Store.ID(), orLine(from, head.Line), r.RunID)
	case at.Fork:
		b.Next = snapshot.ForkID(r.Store.ID(), from, r.RunID)
	case at.Base == "" || head.Head != nil && at.Base == head.Head.ID:
		b.Next = head.Next
	default:
		b.Next = snapshot.NextID(r.Store.ID(), from) // taken already, most likely: the commit decides
	}
	switch {
	case at.Auto || at.Leaf || beside || at.Fork:
	case at.Leave && head.Head != nil:
		b.tookIn = head.Head.Origin.TookIn
	case !at.Leave:
		if err := r.autosaves(ctx, head, &b); err != nil {
			return b, err
		}
	}
	if from == "" {
		return b, nil
	}
	s, err := r.Store.Load(ctx, from)
	if err != nil {
		return b, err
	}
	if s.Path != at.Path && !at.Fork {
		return b, &OtherPathError{Base: from, Path: s.Path, Want: at.Path}
	}
	b.Manifest = s.Manifest
	b.Bundle, err = session.ReadBundle(s.Bundle.Environment, s.Bundle.Context, s.Bundle.Messages)
	if err != nil {
		return b, &snapshot.ErrCorrupt{ID: from, What: "parts", Why: err}
	}
	return b, nil
}

// autosaves reads what hooks recorded since the newest snapshot. A damaged one keeps nobody from saving.
func (r Runner) autosaves(ctx context.Context, head snapshot.Position, b *Base) error {
	pending, err := r.Store.Pending(ctx, head)
	if err != nil {
		return err
	}
	b.Damaged, b.tookIn = pending.Damaged, pending.TookIn
	for _, m := range pending.Autosaves {
		s, err := r.Store.Load(ctx, m.ID)
		var one session.Bundle
		if err == nil {
			one, err = session.ReadBundle(s.Bundle.Environment, s.Bundle.Context, s.Bundle.Messages)
		}
		if err != nil {
			b.Damaged = append(b.Damaged, fmt.Errorf("autosave %s: %w", m.ID, err))
			continue
		}
		b.Autosaves = append(b.Autosaves, one)
	}
	return nil
}

// OtherPathError says that a named base belongs to another branch.
type OtherPathError struct {
	Base       snapshot.ID
	Path, Want snapshot.Path
}

func (e *OtherPathError) Error() string {
	return fmt.Sprintf("snapshot %s belongs to %s, and the work tree is on %s", e.Base, e.Path, e.Want)
}

func orLine(id, line snapshot.ID) snapshot.ID {
	if id == "" {
		return line
	}
	return id
}

// commit makes the one record and then the projections.
func (r Runner) commit(ctx context.Context, at Where, out *Outcome, held bool) error {
	if err := r.Sound(out.Bundle.Context.State); err != nil {
		return err
	}
	env, con, msg, err := out.Bundle.Parts()
	if err != nil {
		return fmt.Errorf("write the snapshot: %w", err)
	}
	req := snapshot.Request{Kind: snapshot.Continue, Base: out.Base.Manifest.ID, RunID: r.RunID, Origin: at.Origin,
		PlanHash: r.Hash, AcceptedPlanHash: r.Accepted, Created: r.Now(),
		Bundle: snapshot.Bundle{Environment: env, Context: con, Messages: msg}}
	switch {
	case at.Auto || at.Leaf || out.Beside != nil:
		req.Kind, req.Path = snapshot.Auto, at.Path
	case at.Fork:
		req.Kind = snapshot.Fork
	case !out.Base.Has():
		req.Kind, req.Path, req.Base = snapshot.First, at.Path, at.Stood
	}
	if req.Kind == snapshot.First || req.Kind == snapshot.Continue {
		req.Origin.TookIn = out.Base.tookIn
	}
	made, err := r.Store.Commit(ctx, req)
	if err != nil {
		return err
	}
	out.Made = made.Manifest
	if made.Behind != nil {
		out.Behind = append(out.Behind, made.Behind)
	}
	project := r.Project
	if !held {
		project = r.Beside
	}
	out.Behind = append(out.Behind, show(ctx, project, made.Manifest, out.Bundle)...)
	return nil
}

// show writes projections, all at once: each mostly waits for the disk, and none knows of another. It gives what went
// wrong, in their order.
func show(ctx context.Context, all []Projection, m snapshot.Manifest, b session.Bundle) []error {
	errs := make([]error, len(all))
	var wait sync.WaitGroup
	for i, p := range all {
		wait.Go(func() {
			if err := p.Do(ctx, m, b); err != nil {
				errs[i] = fmt.Errorf("%s: %w", p.Name, err)
			}
		})
	}
	wait.Wait()
	return slices.DeleteFunc(errs, func(err error) bool { return err == nil })
}
