package app

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"session/gitstate"
	"session/internal/cycle"
	"session/internal/engine"
	"session/internal/plan"
	"session/internal/session"
	"session/internal/snapshot"
	"session/internal/store/file"
)

// Row is one snapshot of a list.
type Row struct {
	ID        string    `json:"session_id"`
	Parent    string    `json:"parent_session_id"`
	Line      string    `json:"line"`
	Path      string    `json:"path"`
	Kind      string    `json:"kind"`
	Origin    string    `json:"origin"`
	Created   time.Time `json:"created"`
	Depth     int       `json:"depth"`
	Head      bool      `json:"head"` // the newest of its path
	Mode      string    `json:"mode"`
	Branch    string    `json:"git_branch"`
	Commit    string    `json:"git_commit"`
	WorkingOn string    `json:"working_on"`
	Completed int       `json:"completed"`
	Total     int       `json:"total"`
	Blocker   string    `json:"blocker,omitempty"` // its type
	Undone    string    `json:"undone,omitempty"`  // the snapshot that it takes back
	Removed   bool      `json:"removed,omitempty"` // collected; a tombstone stands in its place
	Here      bool      `json:"here"`              // this work tree stands at it
}

// LogOptions says which snapshots to list.
type LogOptions struct {
	All   bool // of every path, autosaves too
	Limit int  // at most so many; 0: no limit
}

// LogResult is a list of snapshots, newest first, children before parents.
type LogResult struct {
	Snapshots []Row `json:"snapshots"`
}

// Log lists the snapshots that this work tree's path goes back to, or all of them.
func Log(ctx context.Context, p Place, o LogOptions) (LogResult, error) {
	c, err := p.chain(ctx)
	if err != nil {
		return LogResult{}, err
	}
	if o.All {
		return c.everything(ctx, o)
	}
	at, err := c.newestID(ctx)
	if err != nil {
		return LogResult{}, err
	}
	r := LogResult{Snapshots: []Row{}}
	for a, err := range c.store.Walk(ctx, at) {
		if err != nil {
			return r, err
		}
		if o.Limit > 0 && len(r.Snapshots) == o.Limit {
			break
		}
		row, err := c.row(ctx, a)
		if err != nil {
			return r, err
		}
		row.Head = len(r.Snapshots) == 0
		r.Snapshots = append(r.Snapshots, row)
	}
	return r, nil
}

// lineage is the chain of snapshots seen from one work tree.
type lineage struct {
	*site
	files snapshot.Leaser
	store *snapshot.Store
	here  snapshot.ID // where the work tree stands; "" if nowhere
}

// chain opens the snapshots. *NothingSavedError: there are none.
func (p Place) chain(ctx context.Context) (*lineage, error) {
	s, err := p.open(ctx)
	if err != nil {
		return nil, err
	}
	fs, chain, err := s.shelf(ctx, false)
	if errors.Is(err, file.ErrNoStore) {
		return nil, &NothingSavedError{Where: s.root}
	}
	if err != nil {
		return nil, err
	}
	return &lineage{site: s, files: fs, store: chain, here: s.stood(ctx, chain)}, nil
}

// head is the newest snapshot of this work tree's path; where the path has none, the snapshot that the work tree stands
// at.
func (c *lineage) newestID(ctx context.Context) (snapshot.ID, error) {
	at, err := c.store.Head(ctx, c.path)
	if err != nil {
		return "", err
	}
	switch {
	case at.Head != nil:
		return at.Head.ID, nil
	case c.here != "":
		return c.here, nil
	}
	return "", &NothingSavedError{Where: c.root}
}

// resolve reads a snapshot as people write it.
func (c *lineage) resolve(ctx context.Context, ref string) (snapshot.ID, error) {
	at, err := c.newestID(ctx)
	var none *NothingSavedError
	if err != nil && !errors.As(err, &none) {
		return "", err
	}
	return c.store.Resolve(ctx, ref, at)
}

func (c *lineage) row(ctx context.Context, a snapshot.Ancestor) (Row, error) {
	if t := a.Removed; t != nil {
		return Row{ID: string(t.ID), Parent: string(t.Parent), Line: string(t.Line), Path: string(t.Path), Kind: string(t.Kind), Depth: t.Depth, Removed: true}, nil
	}
	snap, err := c.store.Load(ctx, a.ID)
	if err != nil {
		return Row{}, err
	}
	return c.describe(snap)
}

func (c *lineage) describe(snap snapshot.Snapshot) (Row, error) {
	b, err := session.ReadBundle(snap.Bundle.Environment, snap.Bundle.Context, snap.Bundle.Messages)
	if err != nil {
		return Row{}, &snapshot.ErrCorrupt{ID: snap.ID, What: "parts", Why: err}
	}
	st := b.Context.State
	r := Row{ID: string(snap.ID), Parent: string(snap.Parent), Line: string(snap.Line), Path: string(snap.Path), Kind: string(snap.Kind),
		Origin: snap.Origin.By, Created: snap.Created, Depth: snap.Depth, Mode: st.Mode, Branch: st.GitBranch, Commit: st.GitCommit, WorkingOn: st.WorkingOn,
		Completed: st.TaskProgress.Completed, Total: st.TaskProgress.Total, Undone: b.Context.Undone, Here: snap.ID == c.here}
	if st.Blocker != nil {
		r.Blocker = string(st.Blocker.Type)
	}
	return r, nil
}

func (c *lineage) everything(ctx context.Context, o LogOptions) (LogResult, error) {
	g, err := c.store.Graph(ctx)
	if err != nil {
		return LogResult{}, err
	}
	r := LogResult{Snapshots: []Row{}}
	for _, n := range g.Nodes {
		if o.Limit > 0 && len(r.Snapshots) == o.Limit {
			break
		}
		row, err := c.row(ctx, snapshot.Ancestor{Manifest: n.Manifest})
		if err != nil {
			return r, err
		}
		row.Head = n.Head
		r.Snapshots = append(r.Snapshots, row)
	}
	return r, nil
}

// ShowResult is one whole snapshot.
type ShowResult struct {
	Row
	ParentDigest string              `json:"parent_digest"`
	Digest       string              `json:"digest"`
	RunID        string              `json:"run_id"`
	PlanHash     string              `json:"plan_hash"`
	Accepted     string              `json:"accepted_plan_hash"`
	Environment  session.Environment `json:"environment_state"`
	Context      session.Context     `json:"context_state"`
	Messages     session.Messages    `json:"message_history_state"`
}

// Show reads one snapshot.
func Show(ctx context.Context, p Place, ref string) (ShowResult, error) {
	c, err := p.chain(ctx)
	if err != nil {
		return ShowResult{}, err
	}
	id, err := c.resolve(ctx, cmp.Or(ref, "HEAD"))
	if err != nil {
		return ShowResult{}, err
	}
	snap, err := c.store.Load(ctx, id)
	if err != nil {
		return ShowResult{}, err
	}
	row, err := c.describe(snap)
	if err != nil {
		return ShowResult{}, err
	}
	b, err := session.ReadBundle(snap.Bundle.Environment, snap.Bundle.Context, snap.Bundle.Messages)
	return ShowResult{Row: row, ParentDigest: snap.ParentDigest, Digest: snap.Digest, RunID: snap.RunID, PlanHash: snap.PlanHash,
		Accepted: snap.AcceptedPlanHash, Environment: b.Environment, Context: b.Context, Messages: b.Messages}, err
}

// DiffResult is how two snapshots differ.
type DiffResult struct {
	From    string            `json:"from"`
	To      string            `json:"to"`
	Changes []snapshot.Change `json:"changes"`
	Files   []FileChange      `json:"files"` // of the recorded commits; empty where git has one of them no more
	NoFiles string            `json:"no_files,omitempty"`
}

// FileChange is one file that differs between two recorded commits.
type FileChange struct {
	Path   string `json:"path"`
	Change string `json:"change"` // changed, deleted
}

// Diff compares two snapshots, field by field, and the files of their commits. An empty second one is the newest.
func Diff(ctx context.Context, p Place, from, to string) (DiffResult, error) {
	c, err := p.chain(ctx)
	if err != nil {
		return DiffResult{}, err
	}
	a, err := c.resolve(ctx, from)
	if err != nil {
		return DiffResult{}, err
	}
	b, err := c.resolve(ctx, cmp.Or(to, "HEAD"))
	if err != nil {
		return DiffResult{}, err
	}
	r := DiffResult{From: string(a), To: string(b), Files: []FileChange{}}
	if r.Changes, err = c.store.Diff(ctx, a, b); err != nil {
		return r, err
	}
	if r.Changes == nil {
		r.Changes = []snapshot.Change{}
	}
	return r, c.diffFiles(ctx, &r, a, b)
}

func (c *lineage) diffFiles(ctx context.Context, r *DiffResult, a, b snapshot.ID) error {
	trees := make([]string, 2)
	for i, id := range []snapshot.ID{a, b} {
		s, err := c.store.Load(ctx, id)
		if err != nil {
			return err
		}
		bundle, err := session.ReadBundle(s.Bundle.Environment, s.Bundle.Context, s.Bundle.Messages)
		if err != nil {
			return &snapshot.ErrCorrupt{ID: id, What: "parts", Why: err}
		}
		if g := bundle.Environment.Git; g != nil {
			trees[i] = cmp.Or(g.Kept, g.Head)
		}
	}
	if c.repo == nil || trees[0] == "" || trees[1] == "" || trees[0] == trees[1] {
		return nil
	}
	files, err := c.repo.TreeDiff(ctx, trees[0], trees[1])
	if err != nil {
		r.NoFiles = err.Error() // a commit is gone: what the snapshots say of each other stands all the same
		return nil
	}
	for _, f := range files {
		r.Files = append(r.Files, FileChange{Path: session.PathText(f.Path), Change: changeOf(f)})
	}
	return nil
}

func changeOf(f gitstate.File) string {
	if f.Mode == "" {
		return "deleted"
	}
	return "changed"
}

// ForkResult is a new path.
type ForkResult struct {
	ID     string `json:"session_id"`
	Parent string `json:"parent_session_id"`
	Path   string `json:"path"`
}

// Fork opens a path of its own below a snapshot.
func Fork(ctx context.Context, p Place, ref string) (ForkResult, error) {
	c, err := p.chain(ctx)
	if err != nil {
		return ForkResult{}, err
	}
	id, err := c.resolve(ctx, ref)
	if err != nil {
		return ForkResult{}, err
	}
	out, err := c.record(ctx, cycle.Where{Path: c.path, Base: id, Fork: true, Origin: snapshot.Origin{By: "fork"}},
		c.elsewhere(), func(b *session.Bundle) error { return nil })
	return ForkResult{ID: string(out.Made.ID), Parent: string(out.Made.Parent), Path: string(out.Made.Path)}, err
}

// record commits what edit makes of the base, without a plan: nothing runs, so no step is named. On a path that has no
// snapshot yet, edit starts from a state that says so. An edit that moves something asks sound first.
func (c *lineage) record(ctx context.Context, at cycle.Where, project []cycle.Projection, edit func(*session.Bundle) error) (cycle.Outcome, error) {
	run, err := c.runID()
	if err != nil {
		return cycle.Outcome{}, err
	}
	pol, err := c.policy(ctx)
	if err != nil {
		return cycle.Outcome{}, err
	}
	r := cycle.Runner{Store: c.store, Leaser: c.files, Journal: c.journal(), Holder: c.holder(run), RunID: run, Hash: pol.hash, Accepted: pol.accepted,
		Now: c.Now, Sound: sound, Mend: c.mend(c.files, c.store), Project: project, Beside: c.besideProjections()}
	at.Leave = true // what is undone must be what was done here, and not what hooks saw meanwhile
	_, out, err := cycle.Do(ctx, r, at, cycle.Work[session.Bundle]{
		Plan:  plan.Plan{Mode: at.Origin.By, For: plan.Save},
		Steps: func(cycle.Base) engine.Steps[session.Bundle] { return nil },
		Draft: func(b cycle.Base) *session.Bundle { return inherited(b.Bundle) },
		Bundle: func(b *session.Bundle, _ engine.Report) (session.Bundle, bool, error) {
			if at.Path == c.path {
				c.firstState(b, at.Origin.By)
			}
			if !remembering(at.Origin.By) {
				b.Context.State.SavedAt = c.Now()
			}
			return *b, true, edit(b)
		},
	})
	return out, err
}

// inherited is what a snapshot that records no new look takes over from its base: all but what belongs to one cycle.
// The commit that the base made is not this one's, so undoing this one leaves it.
func inherited(b session.Bundle) *session.Bundle {
	if b.Environment.Git != nil {
		g := *b.Environment.Git
		g.Created, g.Before, g.IndexTree, g.Folded = false, "", "", ""
		b.Environment.Git = &g
	}
	b.Context.Memory, b.Context.Forgot, b.Context.Steps, b.Context.Findings, b.Context.Checks, b.Context.Undone = nil, nil, nil, nil, nil, ""
	b.Messages = session.Messages{}
	return &b
}

func sortStrings(s []string) { slices.Sort(s) }
