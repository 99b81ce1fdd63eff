package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"session/internal/capture"
	"session/internal/cycle"
	"session/internal/engine"
	"session/internal/memory"
	"session/internal/session"
	"session/internal/snapshot"
)

// What is saved while the shared store is out of reach, and what hooks record, stays in this machine's store as autosaves
// until the next save that gets through takes it in.

// bring copies what this machine's store has of the path into the shared one, where the path has nothing yet: the first
// shared save then stands on the work that was there before.
func (s *site) bring(ctx context.Context, to *snapshot.Store) (err error) {
	there, err := to.Head(ctx, s.path)
	if err != nil || there.Head != nil {
		return err
	}
	_, from, err := s.store(true)
	if err != nil {
		return err
	}
	here, err := from.Head(ctx, s.path)
	if err != nil || here.Head == nil {
		return err
	}
	f, err := os.CreateTemp("", "session-bring-")
	if err != nil {
		return fmt.Errorf("share what was saved here: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	if err := from.Export(ctx, f, here.Head.ID); err != nil {
		return fmt.Errorf("share what was saved here: %w", err)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("share what was saved here: %w", err)
	}
	if _, err := to.Import(ctx, f, snapshot.ImportLimits{}); err != nil {
		return fmt.Errorf("share what was saved here: %w", err)
	}
	return nil
}

// isShared reports whether a chain is not this machine's own.
func (s *site) isShared(chain *snapshot.Store) bool {
	_, mine, err := s.store(false)
	return err != nil || mine.ID() != chain.ID()
}

// carried is what waits on this machine for the next shared save.
type carried struct {
	chain   *snapshot.Store
	ids     []snapshot.ID
	bundles []session.Bundle
	stood   *session.Bundle // what the path's first shared snapshot stands on
	saves   []session.State // of saves, not of hooks, oldest first
	on      string          // the shared snapshot that the first of them stood on; "" for none
	before  session.State   // of that one
}

// unsharedEvent begins the event of an autosave that a whole save left here; then follows what it stood on.
const unsharedEvent = "unshared "

// carry reads what waits. On a machine alone nothing does: its autosaves are the chain's own.
func (v *saving) carry(ctx context.Context, chain *snapshot.Store) (c carried, err error) {
	_, mine, err := v.store(true)
	if err != nil || mine.ID() == chain.ID() {
		return c, err
	}
	c.chain = mine
	at, err := mine.Head(ctx, v.path)
	if err != nil {
		return c, err
	}
	waiting, err := mine.Pending(ctx, at)
	if err != nil {
		return c, err
	}
	for _, m := range waiting.Autosaves {
		b, err := readBundle(ctx, mine, m.ID)
		if err != nil {
			return c, err
		}
		c.ids, c.bundles = append(c.ids, m.ID), append(c.bundles, b)
		if on, ok := strings.CutPrefix(m.Origin.Event, unsharedEvent); ok {
			if len(c.saves) == 0 {
				c.on = on
			}
			c.saves = append(c.saves, b.Context.State)
		}
	}
	if id, err := snapshot.ParseID(c.on); err == nil {
		b, err := readBundle(ctx, chain, id)
		if err != nil && !errors.Is(err, snapshot.ErrNotFound) {
			return c, err
		}
		c.before = b.Context.State
	}
	there, err := chain.Head(ctx, v.path)
	if err != nil || there.Head != nil || at.Head == nil {
		return c, err
	}
	b, err := readBundle(ctx, mine, at.Head.ID)
	c.stood = inherited(b)
	return c, err
}

func readBundle(ctx context.Context, chain *snapshot.Store, id snapshot.ID) (session.Bundle, error) {
	s, err := chain.Load(ctx, id)
	if err != nil {
		return session.Bundle{}, err
	}
	b, err := session.ReadBundle(s.Bundle.Environment, s.Bundle.Context, s.Bundle.Messages)
	if err != nil {
		err = &snapshot.ErrCorrupt{ID: id, What: "parts", Why: err}
	}
	return b, err
}

// into puts what waited into the base of a save. Words that a person said meanwhile are newer than the base's.
func (c carried) into(b *cycle.Base) error {
	if c.stood != nil && !b.Has() {
		b.Bundle.Context = c.stood.Context
	}
	var taken []session.Bundle
	for _, w := range c.bundles {
		if err := rehome(&w, b.Line); err != nil {
			return err
		}
		taken = append(taken, w)
	}
	for i, said := range c.saves {
		if c.on == string(b.Manifest.ID) { // nobody went on meanwhile
			b.Bundle.Context.State = c.saves[len(c.saves)-1]
			break
		}
		before := c.before
		if i > 0 {
			before = c.saves[i-1]
		}
		merge(&b.Bundle.Context.State, said, before)
	}
	b.Autosaves = append(taken, b.Autosaves...)
	return nil
}

// merge adds what a person said on this machine while others went on: words are newer than theirs, tasks that were kept by
// hand are added to theirs.
func merge(st *session.State, said, before session.State) {
	if w := said.Words; w.SaidWorkingOn || w.SaidNextSteps {
		if st.Words.From != w.From { // what the others' words came from has moved on here
			st.Words.SaidWorkingOn, st.Words.SaidNextSteps, st.Words.From = false, false, w.From
		}
		if w.SaidWorkingOn && said.WorkingOn != before.WorkingOn {
			st.WorkingOn, st.Words.SaidWorkingOn = said.WorkingOn, true
		}
		if w.SaidNextSteps && !equal(said.NextSteps, before.NextSteps) {
			st.NextSteps, st.Words.SaidNextSteps = said.NextSteps, true
		}
	}
	if said.TaskSource != capture.ByHand || st.TaskSource != "" && st.TaskSource != capture.ByHand {
		return
	}
	st.TaskSource = capture.ByHand
	for _, t := range said.CompletedTasks {
		st.PendingTasks = slices.DeleteFunc(slices.Clone(st.PendingTasks), func(p string) bool { return p == t })
		if !slices.Contains(st.CompletedTasks, t) {
			st.CompletedTasks = append(slices.Clone(st.CompletedTasks), t)
		}
	}
	for _, t := range said.PendingTasks {
		if !slices.Contains(st.PendingTasks, t) && !slices.Contains(st.CompletedTasks, t) {
			st.PendingTasks = append(slices.Clone(st.PendingTasks), t)
		}
	}
}

// rehome gives what was remembered on this machine to the shared line.
func rehome(b *session.Bundle, line snapshot.ID) error {
	items := make([]memory.Item, len(b.Context.Memory))
	for i, raw := range b.Context.Memory {
		if err := json.Unmarshal(raw, &items[i]); err != nil {
			return fmt.Errorf("read what was remembered on this machine: %w", err)
		}
		items[i].SessionRef = memory.SessionRef(line)
	}
	var err error
	b.Context.Memory, err = rawItems(items)
	return err
}

// done removes what was taken in.
func (c carried) done(ctx context.Context, v *saving, out *cycle.Outcome) {
	if out.Made.ID == "" || out.Made.Kind == snapshot.Auto {
		return
	}
	for _, id := range c.ids {
		if _, err := c.chain.Delete(ctx, id, v.Now(), "taken into "+string(out.Made.ID)); err != nil {
			out.Behind = append(out.Behind, err)
		}
	}
}

// shareOrKeep saves where others see it, else on this machine. Of two saves that both believed to continue the newest
// snapshot, because nobody could tell them of each other, the second goes on behind the first.
func (v *saving) shareOrKeep(ctx context.Context) (*capture.Draft, cycle.Outcome, error) {
	const most = 5
	notes := v.notes
	for n := 1; ; n++ {
		v.notes = notes
		d, out, err := v.run(ctx)
		var away *UnreachableError
		var first *snapshot.ErrContinued
		switch {
		case err == nil:
			return d, out, nil
		case v.o.Base == "" && n < most && errors.As(err, &first):
			continue
		case v.o.Base == "" && (errors.As(err, &away) || errors.Is(err, snapshot.ErrUnavailable)):
			return v.unshared(ctx, err)
		}
		return d, out, err
	}
}

// waiting names autosaves that wait on this machine for the next shared save.
func (s *site) waiting(ctx context.Context, from *saved) {
	_, mine, err := s.store(false)
	if err != nil || mine.ID() == from.chain.ID() {
		return
	}
	at, err := mine.Head(ctx, s.path)
	if err != nil {
		return // the next save says what is wrong with them
	}
	pending, err := mine.Pending(ctx, at)
	if n := len(pending.Autosaves); err == nil && n > 0 {
		from.notes = append(from.notes, session.NewFinding(session.NewerAutosave, "load.waiting", "n", n).Offer("again", "session", "save"))
	}
}

// keep leaves a run's record here that the shared store did not take: the agent's work is not lost with it.
func (r *running) keep(ctx context.Context, out cycle.Outcome, away error) error {
	if r.aside || !errors.Is(away, snapshot.ErrUnavailable) || len(out.Bundle.Messages.Segments) == 0 {
		return away
	}
	_, mine, err := r.site.store(true)
	if err != nil || mine.ID() == r.lineage.store.ID() {
		return away
	}
	env, con, msg, err := out.Bundle.Parts()
	if err == nil {
		_, err = mine.Commit(context.WithoutCancel(ctx), snapshot.Request{Kind: snapshot.Auto, Path: r.path, RunID: r.run,
			Origin: snapshot.Origin{By: "run", Event: "not shared"}, PlanHash: r.pol.hash, AcceptedPlanHash: r.pol.accepted, Created: r.Now(),
			Bundle: snapshot.Bundle{Environment: env, Context: con, Messages: msg}})
	}
	if err != nil {
		return errors.Join(away, err)
	}
	r.warn(session.NewFinding(session.Unshared, "run.kept"))
	return away
}

// waits reports whether a snapshot is one of this machine's that the next shared save takes in.
func (s *site) waits(ctx context.Context, id snapshot.ID) bool {
	_, mine, err := s.store(false)
	if err != nil || id == "" {
		return false
	}
	m, err := mine.Manifest(ctx, id)
	return err == nil && m.Kind == snapshot.Auto
}

// unshared saves on this machine: the whole cycle, with an autosave as its record.
func (v *saving) unshared(ctx context.Context, away error) (*capture.Draft, cycle.Outcome, error) {
	fs, chain, err := v.store(true)
	if err != nil {
		return nil, cycle.Outcome{}, err
	}
	v.notes = append(v.notes, session.NewFinding(session.Unshared, "save.unshared", "cause", away).Offer("again", "session", "save"))
	note := v.journal()
	r := cycle.Runner{Store: chain, Leaser: fs, Journal: note, Holder: v.holder(v.run_), RunID: v.run_, Hash: v.pol.hash, Accepted: v.pol.accepted,
		Now: v.Now, Sound: sound, Mend: v.mend(fs, chain), Watch: v.Watch, Project: []cycle.Projection{{Name: session.StateFile, Do: v.writeUnshared}}}
	at := cycle.Where{Path: v.path, Wait: leaseWait, Auto: v.below, Leaf: true, Origin: snapshot.Origin{By: "save", Event: unsharedEvent + v.stands()}}
	return cycle.Do(ctx, r, at, cycle.Work[capture.Draft]{
		Plan:  v.plan,
		Steps: func(b cycle.Base) engine.Steps[capture.Draft] { return capture.Steps(v.world(b, note)) },
		Draft: func(b cycle.Base) *capture.Draft {
			v.stand(&b)
			return v.draft(b)
		},
		Bundle: func(d *capture.Draft, r engine.Report) (session.Bundle, bool, error) {
			b, err := v.bundle(d, r)
			return b, true, err
		},
	})
}

// stand puts what the state file shows in the place of the shared snapshot, which cannot be read now.
func (v *saving) stand(b *cycle.Base) {
	if v.edit == nil {
		return
	}
	b.Manifest.ID, b.Bundle.Context.State = snapshot.ID(v.edit.Snapshot), *v.edit
	if v.edit.Line != "" {
		b.Line = snapshot.ID(v.edit.Line)
	}
}

// stands is the shared snapshot that the state file shows; "" for none.
func (v *saving) stands() string {
	if v.edit == nil {
		return ""
	}
	id, err := snapshot.ParseID(v.edit.Snapshot)
	if err != nil {
		return ""
	}
	return string(id)
}

// writeUnshared shows what was saved in the state file, which stays on the line of the shared snapshot before.
func (v *saving) writeUnshared(ctx context.Context, made snapshot.Manifest, b session.Bundle) error {
	if v.edit != nil && v.edit.Line != "" {
		made.Line = snapshot.ID(v.edit.Line)
	}
	return v.writeState(ctx, made, b)
}
