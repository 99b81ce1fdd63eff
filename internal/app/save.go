package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"session/gitstate"
	"session/internal/capture"
	"session/internal/cycle"
	"session/internal/engine"
	"session/internal/memory"
	"session/internal/plan"
	"session/internal/proc"
	"session/internal/redact"
	"session/internal/session"
	"session/internal/snapshot"

	"github.com/google/uuid"
)

// SaveOptions is what session save was asked.
type SaveOptions struct {
	Mode           string // of modes.yaml; "" is quick
	Ask            capture.Ask
	Base           string // a snapshot that this save must continue; "" for the newest
	ReplaceCorrupt bool   // set a damaged state file aside and write a new one
}

// SaveResult is what a save did.
type SaveResult struct {
	Snapshot     string            `json:"snapshot"`
	Parent       string            `json:"parent"`
	Mode         string            `json:"mode"`
	Autosave     bool              `json:"autosave,omitempty"` // recorded beside a running command
	State        session.State     `json:"state"`
	Commit       CommitResult      `json:"commit"`
	Push         PushResult        `json:"push"`
	Verification []session.Check   `json:"verification"`
	Findings     []session.Finding `json:"findings"`
	Steps        []engine.Result   `json:"steps,omitempty"`
	DurationMS   int64             `json:"duration_ms"`
	Interrupted  bool              `json:"interrupted,omitempty"`
}

// CommitResult is what became of the work tree.
type CommitResult struct {
	ID      string         `json:"id"` // where the branch stands; "" before the first commit and outside git
	Created bool           `json:"created"`
	Files   int            `json:"files"` // files that differ from the commit before
	Kept    string         `json:"kept,omitempty"`
	LeftOut []LeftOutEntry `json:"left_out"`

	Path   string `json:"path,omitempty"`        // who scanned and staged: fast (in process) or safe (git); "": nobody looked
	Reason string `json:"path_reason,omitempty"` // why it was git
}

// LeftOutEntry is a file that was not staged, and why.
type LeftOutEntry struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// PushResult is what became of the push.
type PushResult struct {
	Remote string `json:"remote"`
	Ref    string `json:"ref"`
	OK     bool   `json:"ok"`
	Public bool   `json:"public"` // everybody can read the repository, as far as its host has said
}

// leaseWait is how long a save waits for another command on the same path before it records beside it.
const leaseWait = 2 * time.Second

// Save runs one cycle of save. Errors besides those of git and the store: *CorruptStateError (nothing was changed),
// *capture.UnknownChangeError, *capture.TasksElsewhereError, *gitstate.BareError.
func Save(ctx context.Context, p Place, o SaveOptions) (SaveResult, error) {
	began := p.Now()
	o.Ask.Message, o.Ask.Next = redact.Text(o.Ask.Message), redact.Texts(o.Ask.Next)
	o.Ask.Done, o.Ask.Todo = redact.Texts(o.Ask.Done), redact.Texts(o.Ask.Todo)
	s, err := p.open(ctx)
	if err != nil {
		return SaveResult{}, err
	}
	v := &saving{site: s, o: o}
	if err := s.catchUp(ctx, ""); err != nil {
		v.notes = append(v.notes, session.NewFinding(session.SourceFailed, "save.transcript", "cause", err))
	}
	defer v.begin(ctx)()
	if err := v.prepare(ctx); err != nil {
		return SaveResult{}, err
	}
	d, out, err := v.shareOrKeep(ctx)
	if err != nil {
		return SaveResult{}, err
	}
	if err := v.dropOldLogs(); err != nil {
		out.Behind = append(out.Behind, err)
	}
	if v.repo != nil && d.Stage.Created && (v.plan.As == "sync" || v.plan.As == "full") {
		if err := v.repo.Maintain(); err != nil {
			out.Behind = append(out.Behind, err)
		}
	}
	v.late = append(v.late, v.deadHooks(ctx)...)
	r := v.result(d, out)
	r.DurationMS = p.Now().Sub(began).Milliseconds()
	return r, nil
}

// saving is one save.
type saving struct {
	*site
	o     SaveOptions
	run_  string
	notes []session.Finding // about the state file
	edit  *session.State    // the state file, where a person changed its words
	plan  plan.Plan
	pol   policy
	src   capture.Sources
	below bool              // this command was started by a run: it records an autosave
	late  []session.Finding // what is found once all is recorded
	auto  *autosave         // what a hook brought; nil for a save that somebody asked for

	attempt *settling // the attempt whose outcome this records; nil for a save
}

// begin lets git look at the work tree while everything else is prepared.
func (v *saving) begin(ctx context.Context) (stop func()) {
	if v.repo == nil || v.o.Mode == "autosave" || proc.Getenv(v.Env, RunVariable) != "" { // these do not look
		return func() {}
	}
	untracked := gitstate.Files
	if v.o.Ask.TrackedOnly {
		untracked = gitstate.NoFiles
	}
	look, remember := v.repo.Begin(ctx, gitstate.PathChoice(v.GitPath), untracked), v.beginMemory(ctx)
	return func() { look(); remember() }
}

// prepare reads and checks everything that can stop the save, before anything is touched.
func (v *saving) prepare(ctx context.Context) (err error) {
	if v.o.Mode == "" {
		v.o.Mode = "quick"
	}
	if v.auto != nil {
		v.below = true
	} else if proc.Getenv(v.Env, RunVariable) != "" {
		v.o.Mode, v.below = "autosave", true
		v.notes = append(v.notes, session.NewFinding(session.NewerAutosave, "save.below"))
	}
	if v.pol, err = v.policy(ctx); err != nil {
		return err
	}
	if v.auto != nil {
		if v.o.Mode = v.pol.Triggers.Events[eventName(v.auto.event.Kind)]; v.o.Mode == "" {
			return nil // the policy says that nothing follows from this event
		}
	}
	if v.plan, err = v.pol.mode(v.o.Mode, plan.Save); err != nil {
		return err
	}
	if !v.below && v.o.Ask.Words() && !slices.ContainsFunc(v.plan.Steps, func(s plan.Step) bool { return s.Name == "Describe" }) {
		return &UsageError{errors.New(v.Words.Say("save.no-describe", "mode", v.o.Mode))}
	}
	if v.pol.inert() && v.auto == nil {
		v.notes = append(v.notes, session.NewFinding(session.PolicyInert, "policy.inert").Offer("accept", "session", "plan", "accept"))
	}
	if v.src, err = v.sourcesOf(v.pol); err != nil {
		return err
	}
	if v.run_, err = v.runID(); err != nil {
		return err
	}
	state, found, err := v.readState()
	var corrupt *CorruptStateError
	switch {
	case errors.As(err, &corrupt) && v.o.ReplaceCorrupt:
		kept, err := v.setAside()
		if err != nil {
			return err
		}
		v.notes = append(v.notes, session.NewFinding(session.StateFileGone, "state.replaced", "kept", kept))
	case err != nil:
		return err
	case found:
		v.edit = &state
	}
	return v.exclude(ctx, found)
}

// exclude keeps the state file out of commits, and says so where a user tracks it.
func (v *saving) exclude(ctx context.Context, found bool) error {
	if v.repo == nil {
		return nil
	}
	added, err := v.repo.Exclude(session.StateFile)
	if err != nil {
		return err
	}
	if !found || !added {
		return nil
	}
	tracked, err := v.repo.Tracks(ctx, session.StateFile)
	if err == nil && tracked {
		v.notes = append(v.notes, capture.TrackedStateFile())
	}
	return err
}

func (v *saving) run(ctx context.Context) (*capture.Draft, cycle.Outcome, error) {
	fs, chain, err := v.shelf(ctx, true)
	apart := errors.Is(err, errOffline)
	if apart {
		fs, chain, err = v.alone(true)
	}
	if err != nil {
		return nil, cycle.Outcome{}, err
	}
	waiting, err := v.carry(ctx, chain)
	if err != nil {
		return nil, cycle.Outcome{}, err
	}
	note := v.journal()
	r := cycle.Runner{Store: chain, Leaser: fs, Journal: note, Holder: v.holder(v.run_), RunID: v.run_, Hash: v.pol.hash, Accepted: v.pol.accepted,
		Now: v.Now, Sound: sound, Mend: v.mend(fs, chain), Watch: v.Watch, Project: v.projections(chain), Beside: v.besideProjections()}
	if v.attempt != nil {
		r.Leaser, r.Watch = v.attempt.r.leaser, nil
	}
	at := cycle.Where{Path: v.path, Stood: v.stood(ctx, chain), Wait: leaseWait, Auto: v.below, Origin: snapshot.Origin{By: "save"}}
	switch {
	case v.auto != nil:
		at.Origin = v.auto.origin()
	case v.attempt != nil:
		at.Origin = snapshot.Origin{By: byOutcome}
	}
	if err := v.base(ctx, chain, &at); err != nil {
		return nil, cycle.Outcome{}, err
	}
	var base session.Bundle
	var unread error // what waits on this machine: it goes on waiting
	d, out, err := cycle.Do(ctx, r, at, cycle.Work[capture.Draft]{
		Plan:  v.plan,
		Steps: func(b cycle.Base) engine.Steps[capture.Draft] { return capture.Steps(v.world(b, note)) },
		Draft: func(b cycle.Base) *capture.Draft {
			if apart {
				v.stand(&b)
			}
			base = b.Bundle
			if !b.Beside && !v.below {
				unread = waiting.into(&b)
			}
			return v.draft(b)
		},
		Bundle: func(d *capture.Draft, r engine.Report) (session.Bundle, bool, error) {
			b, err := v.bundle(d, r)
			if v.attempt != nil {
				v.attempt.bundle(d, base, &b)
			}
			return b, true, err
		},
	})
	if err == nil && out.Made.ID != "" {
		if err := v.count(ctx, chain, out.Made, out.Bundle); err != nil {
			v.late = append(v.late, session.NewFinding(session.SourceFailed, "sessions.uncounted", "cause", err))
		}
	}
	switch {
	case err == nil && unread != nil:
		out.Behind = append(out.Behind, unread)
	case err == nil:
		waiting.done(ctx, v, &out)
	}
	return d, out, err
}

// base reads the base that a person named: it is continued, or the command refused.
func (v *saving) base(ctx context.Context, chain *snapshot.Store, at *cycle.Where) error {
	if v.o.Base == "" {
		return nil
	}
	head, err := chain.Head(ctx, v.path)
	if err != nil {
		return err
	}
	var newest snapshot.ID
	if head.Head != nil {
		newest = head.Head.ID
	}
	if at.Base, err = chain.Resolve(ctx, v.o.Base, newest); err != nil {
		return err
	}
	m, err := chain.Manifest(ctx, at.Base)
	if err != nil {
		return err
	}
	if strings.HasPrefix(string(m.Path), "fork:") {
		at.Path = m.Path // a fork has no branch of its own: it is continued from wherever one stands
	}
	return nil
}

func (v *saving) world(b cycle.Base, note *journal) capture.World {
	w := capture.World{Repo: v.repo, Sources: v.sources(), Ref: v.head.Ref, RunID: v.run_, Snapshot: string(b.Next), Now: v.Now, NewID: newMemoryID,
		Say: v.Words.Say, Root: v.root, Prompt: v.Prompt, Checks: v.pol.checks(), Verifies: v.pol.verifies(), Here: v.where(), Run: v.runner(v.run_)}
	w.Runtime, w.Blockers, w.AskCI = v.runtimeDir(), v.src, v.askCI
	w.Sound, w.Note, w.AskAgent = sound, note.Note, v.agentAsker(v.pol, v.run_)
	if b.Beside {
		w.Note = func(context.Context, string, string) error { return nil } // the journal is the holder's
	}
	return w
}

// draft starts from what the path's newest snapshot says, and takes over words that a person wrote into the state file.
func (v *saving) draft(b cycle.Base) *capture.Draft {
	d := &capture.Draft{Ask: v.o.Ask, Mode: v.plan.As, Origin: "save", Findings: v.notes}
	d.Base = capture.Base{ID: string(b.Manifest.ID), Line: string(b.Line), Environment: b.Bundle.Environment, Context: b.Bundle.Context, Autosaves: b.Autosaves}
	for _, err := range b.Damaged {
		d.Findings = append(d.Findings, session.Unread("autosave", err))
	}
	if d.Mode == "" {
		d.Mode = cmp.Or(b.Bundle.Context.State.Mode, "quick") // an autosave keeps the last save's
	}
	if v.edit != nil && v.attempt == nil { // what an agent wrote into the file is not what a person said
		d.Base.Context.State = adopt(d.Base.Context.State, *v.edit, string(b.Manifest.ID))
	}
	if v.auto != nil {
		d.Origin, d.Ask.Evidence, d.Ask.Turn, d.Ask.Carry = "hook", v.auto.evidence, v.auto.about, true
	}
	d.Memory.Session = memory.SessionRef(b.Line)
	d.Begin(v.Words.Say)
	if v.attempt != nil {
		v.attempt.draft(d)
	}
	return d
}

// adopt takes words over that a person wrote into the state file by hand: they count as said. A file that stands at
// another snapshot says nothing about this path.
func adopt(saved, file session.State, id string) session.State {
	if file.Snapshot != id {
		return saved
	}
	if file.WorkingOn != saved.WorkingOn && id != "" {
		saved.WorkingOn, saved.Words.SaidWorkingOn = file.WorkingOn, true
	}
	if !equal(file.NextSteps, saved.NextSteps) && id != "" {
		saved.NextSteps, saved.Words.SaidNextSteps = file.NextSteps, true
	}
	if id == "" { // written by another program, or by hand: it is all that there is
		return file
	}
	return saved
}

func equal(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func (v *saving) bundle(d *capture.Draft, r engine.Report) (session.Bundle, error) {
	for _, res := range r.Results {
		if res.Status == engine.Failed {
			d.Findings = append(d.Findings, session.NewFinding(session.StepFailed, "step.failed", "step", res.Step, "cause", res.Why))
		}
	}
	b := d.Bundle(host(), v.pol.Profile)
	kept, err := rawItems(d.Memory.Kept())
	if err != nil {
		return b, err
	}
	b.Context.Memory = append(b.Context.Memory, kept...)
	if v.auto != nil {
		if err := v.auto.add(&b); err != nil {
			return b, err
		}
	}
	b.Context.Steps, err = capture.Results(r.Results)
	return b, err
}

func newMemoryID() (memory.ID, error) {
	u, err := uuid.NewRandom()
	if err != nil {
		return "", fmt.Errorf("make an id: %w", err)
	}
	return memory.ID(u.String()), nil
}

func (v *saving) result(d *capture.Draft, out cycle.Outcome) SaveResult {
	r := SaveResult{Snapshot: string(out.Made.ID), Parent: string(out.Made.Parent), Mode: v.o.Mode, State: out.Bundle.Projected(string(out.Made.ID), string(out.Made.Line)),
		Commit:       CommitResult{ID: d.Stage.Commit, Created: d.Stage.Created, Files: len(d.Stage.Files), Kept: d.Stage.Kept, LeftOut: []LeftOutEntry{}},
		Push:         PushResult{Remote: d.Push.Remote, Ref: d.Push.Ref, OK: d.Push.OK, Public: d.CI != nil && d.CI.Public},
		Verification: append([]session.Check{}, d.Checks...), Steps: out.Report.Results, Interrupted: out.Report.Interrupted}
	way, reason := d.Stage.Way()
	r.Commit.Path, r.Commit.Reason = string(way), reason
	for _, l := range d.Stage.LeftOut {
		r.Commit.LeftOut = append(r.Commit.LeftOut, LeftOutEntry{Path: session.PathText(l.Path), Reason: l.Reason})
	}
	findings := d.Findings
	if len(r.Commit.LeftOut) > 0 {
		findings = append(findings, leftOutFindings(r.Commit.LeftOut)...)
	}
	if out.Beside != nil {
		r.Autosave = true
		findings = append(findings, session.NewFinding(session.NewerAutosave, "save.beside", "command", out.Beside.Who.Command, "pid", out.Beside.Who.PID))
	}
	for _, err := range out.Behind {
		findings = append(findings, session.NewFinding(session.ProjectionBehind, "save.behind", "cause", err).Offer("repair", "session", "check", "--repair"))
	}
	findings = append(findings, v.late...)
	r.Findings = v.word(findings)
	return r
}

func leftOutFindings(left []LeftOutEntry) []session.Finding {
	var all []session.Finding
	for _, l := range left {
		all = append(all, session.NewFinding(session.FilesLeftOut, "left-out."+reasonKey(l.Reason), "path", l.Path, "reason", l.Reason))
	}
	return all
}

// stood is where the work tree stood: the snapshot that its Ref names, or the state file where the Ref cannot be read.
func (s *site) stood(ctx context.Context, chain *snapshot.Store) snapshot.ID {
	ref, err := s.refs().Load(ctx)
	named := ref.SessionID
	if err != nil && !errors.Is(err, session.ErrNoRef) { // named by the projection that cannot replace it
		state, _, _ := s.readState() // one that cannot be read names nothing; whoever needs its words says so
		named = state.Snapshot
	}
	id, err := snapshot.ParseID(named)
	if err != nil {
		return ""
	}
	if m, err := chain.Manifest(ctx, id); err != nil || m.Kind == snapshot.Auto {
		return ""
	}
	return id
}
