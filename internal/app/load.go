package app

import (
	"context"
	"errors"

	"session/blocker"
	"session/internal/brief"
	"session/internal/engine"
	"session/internal/memory"
	"session/internal/plan"
	"session/internal/recovery"
	"session/internal/session"
	"session/internal/snapshot"
	"session/internal/store/file"
	"session/internal/survey"
	"session/validate"
)

// LoadOptions is what session load was asked.
type LoadOptions struct {
	ID        string // a snapshot to load, as people write it; "" for where the work tree stood
	Assistant bool   // a coding assistant reads it: see recovery.Draft.Inside
}

// LoadResult is what a load found.
type LoadResult struct {
	State      session.State    `json:"state"`
	Snapshot   string           `json:"snapshot"`
	Validation Validation       `json:"validation"`
	Blocker    *blocker.Blocker `json:"blocker"`
	Recovery   Recovery         `json:"recovery"`
	Next       *Next            `json:"next"`
	Since      Since            `json:"since"`
	Brief      brief.Brief      `json:"-"`
}

// BriefLine is one line of LoadResult.Brief.
type BriefLine = brief.Line

// Validation is the outcome of seed 001's validate_session_state.
type Validation struct {
	Status   []session.Status  `json:"status"`
	Checks   map[string]bool   `json:"checks"`
	Findings []session.Finding `json:"findings"`
}

// Recovery is what was done about the blocker, and what comes next.
type Recovery struct {
	Route    []string          `json:"route"` // who is asked, in this order
	Attempts []session.Attempt `json:"attempts"`
	Resolved bool              `json:"resolved"`
	Step     *RecoveryStep     `json:"step,omitempty"`
}

// Next is the task to go on with.
type Next struct {
	Change string `json:"change"`
	Task   string `json:"task"`
	File   string `json:"file"`
	Line   int    `json:"line"`
}

// Mends reports whether an agent may try to mend what stops the work.
func (r LoadResult) Mends() bool {
	b := r.Blocker
	return len(r.Recovery.Route) > 0 && b != nil && (b.MaxRecoveryAttempts == 0 || b.RecoveryAttempted < b.MaxRecoveryAttempts)
}

// Since is what happened after the save.
type Since struct {
	Commits  []Commit  `json:"commits"`
	Upstream int       `json:"upstream"` // commits of the upstream that HEAD lacks
	Tasks    []string  `json:"tasks"`    // tasks ticked
	CI       *CIStatus `json:"ci"`       // what it last said; null where it was never asked
}

// Commit is one commit.
type Commit struct {
	ID      string `json:"id"`
	Subject string `json:"subject"`
	Author  string `json:"author"`
}

// NothingSavedError says that there is nothing to load.
type NothingSavedError struct{ Where string }

func (e *NothingSavedError) Error() string { return "nothing was saved in " + e.Where + " yet" }

// Load reads what was saved, holds it against the world and words what is needed to go on. It changes nothing. Errors
// besides git's and the store's: *NothingSavedError, *CorruptStateError, *gitstate.BareError.
func Load(ctx context.Context, p Place, o LoadOptions) (LoadResult, error) {
	s, err := p.open(ctx)
	if err != nil {
		return LoadResult{}, err
	}
	defer s.beginLoad(ctx)()
	from, err := s.saved(ctx, o.ID)
	if err != nil {
		return LoadResult{}, err
	}
	pol, err := s.resume(ctx, &from)
	if err != nil {
		return LoadResult{}, err
	}
	mode, err := pol.mode("load", plan.Load)
	if err != nil {
		return LoadResult{}, err
	}
	d := &recovery.Draft{State: from.state, Recorded: from.recorded(ctx), Notes: from.notes, Inside: o.Assistant}
	if err := s.newer(ctx, &from, &d.Recorded); err != nil {
		return LoadResult{}, err
	}
	d.Notes, d.Context = append(from.notes, s.deadHooks(ctx)...), from.context
	d.Route = pol.route(from.state.Blocker)
	ci := s.ci()
	d.CI = ci.brief()
	w := recovery.World{Sources: s.sources(), Words: p.Words, Word: p.word, Now: p.Now, Search: orSay(d, s.search(from, said(from.state)...)), Checks: s.proofs(pol), Plain: plainCommand, Quote: brief.Shell, Mends: pol.mends, Here: s.where()}
	d.Memory.Session, d.Memory.At, d.Memory.Query = memory.SessionRef(from.state.Line), memory.Snapshot(from.state.Snapshot), query(from.state)
	if _, err := engine.Run(ctx, mode, recovery.Steps(w), d, p.Watch); err != nil {
		return LoadResult{}, err
	}
	r := loadResult(d)
	r.Since.CI = ci
	return r, nil
}

// beginLoad lets git look at the work tree, and the memory be opened, while what was saved is read.
func (s *site) beginLoad(ctx context.Context) (stop func()) {
	look := func() {}
	if s.repo != nil {
		look = s.repo.BeginStatus(ctx, recovery.Untracked)
	}
	remember := s.beginMemory(ctx)
	return func() { look(); remember() }
}

// resume decides whether a load may go on (S0.5): no Ref is a Cold Start, a Ref under the accepted policy a Resume, and
// everything else Fail-Fast. A work tree on another branch is told that first: its policy is another branch's.
func (s *site) resume(ctx context.Context, from *saved) (policy, error) {
	pol, err := s.policy(ctx)
	if err != nil {
		return pol, err
	}
	if err := s.sameSession(ctx, from); err != nil {
		return pol, err
	}
	err = pol.mustBeAccepted()
	if err != nil && from.git != nil && s.repo != nil && session.PathBytes(from.git.Ref) != s.head.Ref {
		from.notes = append(from.notes, session.NewFinding(session.PolicyInert, "policy.inert"))
		return pol, nil
	}
	return pol, err
}

// newer looks for what else could be loaded: what was saved on the branch that is checked out, where the state is of
// another one, and an autosave that is newer than the state.
func (s *site) newer(ctx context.Context, from *saved, rec *survey.Recorded) error {
	if from.chain == nil || from.named {
		return nil
	}
	s.waiting(ctx, from)
	at, err := from.chain.Head(ctx, s.path)
	if err != nil {
		return err
	}
	if at.Head != nil && string(at.Line) != from.state.Line {
		rec.Here = string(at.Head.ID)
	}
	if string(at.Line) != from.state.Line {
		return nil
	}
	pending, err := from.chain.Pending(ctx, at)
	if n := len(pending.Autosaves); err == nil && n > 0 {
		newest := pending.Autosaves[n-1]
		f := session.NewFinding(session.NewerAutosave, "load.autosave", "id", short(string(newest.ID)), "ago", brief.Ago(s.Words, s.Now().Sub(newest.Created)), "origin", newest.Origin.Event)
		from.notes = append(from.notes, f.Offer("load", "session", "load", short(string(newest.ID))))
	}
	return err
}

// sameSession holds the Ref against the state. The two are written one after the other, so a Ref may stand one snapshot
// behind; one that belongs to another session is not followed.
func (s *site) sameSession(ctx context.Context, from *saved) error {
	ref, err := s.refs().Load(ctx)
	if errors.Is(err, session.ErrNoRef) || from.chain == nil || from.state.Line == "" || from.named {
		return nil
	}
	if err != nil {
		return err
	}
	if ref.MemoryRef == from.state.Line {
		return nil
	}
	if id, err := snapshot.ParseID(from.state.Snapshot); err == nil {
		m, err := from.chain.Manifest(ctx, id)
		if err != nil && !errors.Is(err, snapshot.ErrNotFound) {
			return err
		}
		if err == nil && string(m.Parent) == ref.SessionID {
			return nil
		}
	}
	return &session.ErrOtherSession{Was: ref.MemoryRef, Is: from.state.Line}
}

// saved is what a load starts from.
type saved struct {
	state session.State
	git   *session.GitFacts
	chain *snapshot.Store // nil: there is no store
	named bool            // a person named the snapshot

	context session.Context
	notes   []session.Finding
}

func (v saved) recorded(ctx context.Context) survey.Recorded {
	known := func(id string) bool { return true }
	if v.chain != nil {
		known = func(id string) bool {
			parsed, err := snapshot.ParseID(id)
			if err != nil {
				return false
			}
			_, err = v.chain.Manifest(ctx, parsed)
			return !errors.Is(err, snapshot.ErrNotFound) // one that was removed or cannot be read was recorded
		}
	}
	return validate.Recorded(v.state, v.git, known)
}

// saved finds where this work tree stood: the state file, followed to the newest snapshot of its path; the store, where
// the file is gone. A file that no snapshot of this store stands behind is taken at its word.
func (s *site) saved(ctx context.Context, id string) (saved, error) {
	state, found, err := s.readState()
	if err != nil {
		return saved{}, err
	}
	_, chain, err := s.shelf(ctx, false)
	var away *UnreachableError
	switch {
	case errors.As(err, &away) && found && id == "":
		var notes []session.Finding
		if !errors.Is(err, errOffline) {
			key := "load.unreachable"
			if errors.Is(err, snapshot.ErrForbidden) {
				key = "load.forbidden"
			}
			notes = append(notes, session.NewFinding(session.SourceFailed, key, "cause", err))
		}
		return saved{state: state, notes: notes}, nil
	case errors.Is(err, file.ErrNoStore):
		chain, err = nil, nil
	}
	if err != nil {
		return saved{}, err
	}
	v := saved{state: state, chain: chain}
	switch {
	case id != "" && chain == nil, !found && chain == nil:
		return v, &NothingSavedError{Where: s.root}
	case id != "":
		return s.named(ctx, v, id)
	case chain == nil:
		v.notes = append(v.notes, session.NewFinding(session.StateFileGone, "load.no-store"))
		return v, nil
	case !found:
		return s.fromStore(ctx, v)
	}
	return s.follow(ctx, v)
}

// named loads the snapshot that a person named.
func (s *site) named(ctx context.Context, v saved, id string) (saved, error) {
	head, err := v.chain.Head(ctx, s.path)
	if err != nil {
		return v, err
	}
	var at snapshot.ID
	if head.Head != nil {
		at = head.Head.ID
	}
	full, err := v.chain.Resolve(ctx, id, at)
	if err != nil {
		return v, err
	}
	v.named = true
	return v.take(ctx, full)
}

// fromStore finds the state where its file is gone: where the Ref says, else the newest of this path.
func (s *site) fromStore(ctx context.Context, v saved) (saved, error) {
	id := s.stood(ctx, v.chain)
	if id == "" {
		head, err := v.chain.Head(ctx, s.path)
		if err != nil {
			return v, err
		}
		if head.Head == nil {
			return v, &NothingSavedError{Where: s.root}
		}
		id = head.Head.ID
	}
	v.notes = append(v.notes, session.NewFinding(session.StateFileGone, "load.no-file", "file", session.StateFile))
	return v.newest(ctx, id)
}

// follow goes from the state file's snapshot to the newest of its path.
func (s *site) follow(ctx context.Context, v saved) (saved, error) {
	id, err := snapshot.ParseID(v.state.Snapshot)
	if err == nil {
		_, err = v.chain.Manifest(ctx, id)
	}
	var removed *snapshot.ErrRemoved
	switch {
	case err == nil:
	case id == "", errors.Is(err, snapshot.ErrNotFound), errors.As(err, &removed):
		note := session.NewFinding(session.StateFileGone, "load.foreign")
		if s.waits(ctx, id) {
			note = session.NewFinding(session.Unshared, "load.unshared").Offer("again", "session", "save")
		}
		v.notes = append(v.notes, note)
		return v, nil
	default: // damaged or out of reach: it is ours, and must not be called another repository's
		return v, err
	}
	file := v.state
	v, err = v.newest(ctx, id)
	if err != nil {
		return v, err
	}
	if v.state.Snapshot == file.Snapshot {
		v.edited(file)
	} else {
		v.notes = append(v.notes, session.NewFinding(session.ProjectionBehind, "load.behind", "file", short(file.Snapshot), "newest", short(v.state.Snapshot)))
	}
	return v, nil
}

// edited shows words that a person wrote into the state file; of anything else the snapshot is the truth.
func (v *saved) edited(file session.State) {
	if file.WorkingOn != v.state.WorkingOn || !equal(file.NextSteps, v.state.NextSteps) {
		v.state.WorkingOn, v.state.NextSteps = file.WorkingOn, file.NextSteps
		v.state.Words.SaidWorkingOn, v.state.Words.SaidNextSteps = true, true
		v.notes = append(v.notes, session.NewFinding(session.StateFileGone, "load.edited"))
	}
}

// newest takes the newest snapshot of the path that id belongs to.
func (v saved) newest(ctx context.Context, id snapshot.ID) (saved, error) {
	m, err := v.chain.Manifest(ctx, id)
	if err != nil {
		return v, err
	}
	head, err := v.chain.Head(ctx, m.Path)
	if err != nil {
		return v, err
	}
	if head.Head != nil && head.Line == m.Line {
		id = head.Head.ID
	}
	return v.take(ctx, id)
}

func (v saved) take(ctx context.Context, id snapshot.ID) (saved, error) {
	s, err := v.chain.Load(ctx, id)
	if err != nil {
		return v, err
	}
	b, err := session.ReadBundle(s.Bundle.Environment, s.Bundle.Context, s.Bundle.Messages)
	if err != nil {
		return v, &snapshot.ErrCorrupt{ID: id, What: "parts", Why: err}
	}
	v.state, v.git, v.context = b.Projected(string(s.ID), string(s.Line)), b.Environment.Git, b.Context
	return v, nil
}

func loadResult(d *recovery.Draft) LoadResult {
	r := LoadResult{State: d.State, Snapshot: d.State.Snapshot, Blocker: d.State.Blocker, Brief: d.Brief,
		Validation: Validation{Status: d.Report.Statuses(), Findings: d.Findings, Checks: map[string]bool{"git_sync": d.Report.GitSync,
			"openspec_exists": d.Report.OpenSpecExists, "files_intact": d.Report.FilesIntact, "blocker_resolved": d.Report.BlockerResolved}},
		Recovery: Recovery{Route: append([]string{}, d.Route...), Attempts: append([]session.Attempt{}, d.Context.Attempts...), Resolved: d.Report.BlockerResolved},
		Since:    Since{Commits: []Commit{}, Tasks: append([]string{}, brief.Ticked(d.State, d.Scene)...)}}
	if t := d.Scene.Tasks.Next; t != nil {
		r.Next = &Next{Change: d.Scene.Tasks.Change, Task: t.Description, File: t.File, Line: t.Line}
	}
	if g := d.Scene.Git; g != nil {
		r.Since.Upstream = g.Behind
		for _, c := range g.Since {
			r.Since.Commits = append(r.Since.Commits, Commit{ID: c.ID, Subject: c.Subject, Author: c.Author})
		}
	}
	return r
}

func isNothing(err error) bool {
	var none *NothingSavedError
	return errors.As(err, &none)
}

func short(id string) string { return id[:min(8, len(id))] }
