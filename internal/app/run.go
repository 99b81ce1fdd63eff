package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"session/internal/assistant"
	"session/internal/cycle"
	"session/internal/engine"
	"session/internal/execute"
	"session/internal/lifecycle"
	"session/internal/memory"
	"session/internal/plan"
	"session/internal/proc"
	"session/internal/redact"
	"session/internal/session"
	"session/internal/snapshot"
	"session/internal/text"

	"github.com/tidwall/gjson"
)

// RunVariable names the run that a program was started by; commands below a run record autosaves only.
const RunVariable = "SESSION_RUN"

// endLeft ends what still runs of a run whose session was killed, and says so: two agents are not let loose on one work
// tree. Nobody of a run that ended by itself is left.
func (s *site) endLeft(dead string) {
	run, _, _ := strings.Cut(dead, ".")
	if run == "" {
		return
	}
	if n := proc.EndMarked(runMark(run), leftGrace); n > 0 {
		s.warn(session.NewFinding(session.StepFailed, "run.left", "n", n))
	}
}

// leftGrace is how long those who are left may take to end after they were asked to.
const leftGrace = 2 * time.Second

// runMark is what the programs of a run, and all that they start, have in their environment.
func runMark(run string) string { return RunVariable + "=" + run }

// RunOptions is what session run was asked.
type RunOptions struct {
	Base    string // a snapshot as people write it; "" for the newest
	Fork    bool   // open a path of its own below the base
	Agent   string // an agent or a program of bundles.yaml
	Input   string
	Session string        // a Session to go on with, by its id or the beginning of it; Base and Fork are its own then
	Todos   []string      // what the input consists of; none: it is one thing to do
	Within  time.Duration // for how long a question of the agent waits for an answer; 0: 12 hours
}

// RunResult is the outcome of execute(base_session_id, input).
type RunResult struct {
	Output  string             `json:"output"`
	ID      string             `json:"session_id"` // of the new snapshot; "" where the run stopped before it recorded one
	Parent  string             `json:"parent_session_id"`
	Program string             `json:"program"`
	Tokens  int64              `json:"tokens"`
	Cost    float64            `json:"cost_usd"`
	Steps   []engine.Result    `json:"steps"`
	Session lifecycle.ID       `json:"session"` // that the run belongs to
	Status  lifecycle.Status   `json:"status"`  // of that Session, afterwards
	Request *lifecycle.Request `json:"request,omitempty"`
}

// Run runs an agent over a snapshot: execute(base_session_id, input) → output and a new session_id (seed 002). A run
// that fails leaves no new snapshot. It belongs to a Session: the path's own, or one that begins with the fork.
func Run(ctx context.Context, p Place, o RunOptions) (RunResult, error) {
	return withSessions(ctx, p, SessionsOptions{}, func(x *Sessions) (RunResult, error) {
		x.cleanHourly(ctx)
		if o.Session == "" {
			r, err := x.newRun(ctx, o)
			if err == nil {
				err = r.pol.mayRun(o.Agent)
			}
			if err != nil {
				return RunResult{}, err
			}
			return r.do(ctx)
		}
		s, err := x.Find(ctx, o.Session)
		if err != nil {
			return RunResult{}, err
		}
		r, err := x.runOf(ctx, s, o)
		if err == nil {
			err = r.pol.mayRun(o.Agent)
		}
		if err != nil {
			return RunResult{}, err
		}
		return r.do(ctx)
	})
}

// NoAgentError says that the policy has no agent and no program of a name.
type NoAgentError struct{ Agent string }

func (e *NoAgentError) Error() string {
	return fmt.Sprintf("there is no program %.60q in bundles.yaml, and no agent", e.Agent)
}

// mayRun refuses an agent that the policy does not have, before anything is changed for it.
func (p policy) mayRun(agent string) error {
	_, an := p.Bundles.Agents[agent]
	_, program := p.Bundles.Programs[agent]
	if agent != "" && !an && !program {
		return &NoAgentError{agent}
	}
	return nil
}

// decisionTime is for how long a question waits for an answer where nobody said otherwise.
const decisionTime = 12 * time.Hour

// running is a run that is prepared.
type running struct {
	*lineage
	o     RunOptions
	pol   policy
	mode  plan.Plan
	at    cycle.Where
	run   string // that its snapshot is made by
	lease snapshot.Leaser
	hold  *holding
	aside bool // on a path of the Session's own, not of the work tree
	blank bool // it begins from the base's files alone: what is said there is not its owner's
}

// prepareRun reads everything that can refuse a run.
func (x *Sessions) prepareRun(ctx context.Context, o RunOptions) (*running, error) {
	s := x.site
	fs, chain, err := s.shelf(ctx, true)
	if err != nil {
		return nil, err
	}
	r := &running{lineage: &lineage{site: s, files: fs, store: chain, here: s.stood(ctx, chain)}, o: o, lease: fs}
	if r.pol, err = s.policy(ctx); err == nil {
		err = r.pol.mustBeAccepted()
	}
	if err == nil {
		r.mode, err = r.pol.mode("run", plan.Run)
	}
	if err == nil {
		r.run, err = s.runID()
	}
	if err != nil {
		return nil, err
	}
	attempt, err := s.runID()
	r.hold = &holding{x: x, chain: chain, run: lifecycle.RunID(r.run + "." + attempt[:8]), within: cmp.Or(o.Within, decisionTime)}
	r.hold.before = func(dead lifecycle.RunID) *finishedRun { return r.finished(ctx, dead) }
	return r, err
}

// newRun is a run of something new.
func (x *Sessions) newRun(ctx context.Context, o RunOptions) (*running, error) {
	r, err := x.prepareRun(ctx, o)
	if err != nil {
		return nil, err
	}
	if r.at, err = r.whereToRun(ctx, o, r.run); err != nil {
		return nil, err
	}
	head, err := r.store.Head(ctx, r.at.Path)
	if err != nil {
		return nil, err
	}
	r.hold.draft = lifecycle.Draft{ID: lifecycle.ID(head.Line), Owner: x.Owner, Input: clip(o.Input, 1<<20), Language: string(r.Words.Lang()),
		WorkTree: !r.at.Fork, Options: raw(job{Base: string(r.at.Base), Run: r.run, Agent: o.Agent, Profile: r.Profile})}
	if r.at.Fork {
		if m, err := r.store.Manifest(ctx, r.at.Base); err == nil {
			r.hold.draft.Parent = lifecycle.ID(m.Line)
		}
	}
	r.hold.todos, r.aside = todosOf(o), r.at.Fork
	return r, nil
}

func todosOf(o RunOptions) []lifecycle.Todo {
	titles := o.Todos
	if len(titles) == 0 {
		titles = []string{todoOf(o.Input)}
	}
	var all []lifecycle.Todo
	for i, t := range titles {
		all = append(all, lifecycle.Todo{ID: lifecycle.TodoID(fmt.Sprintf("t%d", i+1)), Title: t})
	}
	return all
}

// todoOf is the one thing to do that an input is.
func todoOf(input string) string { return text.Line(input, 200) }

// runOf is a run that goes on with a Session: from the newest snapshot of its path, or from where it was to begin.
func (x *Sessions) runOf(ctx context.Context, s lifecycle.Session, o RunOptions) (*running, error) {
	j, err := jobOf(s)
	if err != nil {
		return nil, err
	}
	place := *x.site
	o.Agent, place.Profile = cmp.Or(o.Agent, j.Agent), cmp.Or(x.site.Profile, j.Profile)
	x = &Sessions{Records: x.Records, Owner: x.Owner, Shown: x.Shown, db: x.db, site: &place}
	asked, err := x.Asked(ctx, s.Key())
	if err != nil {
		return nil, err
	}
	fresh := o.Input != ""
	answer, heard := unheard(s, asked)
	o.Input = cmp.Or(o.Input, answer, s.Input)
	r, err := x.prepareRun(ctx, o)
	if err != nil {
		return nil, err
	}
	if heard {
		r.hold.before = nil // the run before this one did not die: it asked
	}
	r.at = cycle.Where{Path: r.path, Stood: r.here, Leave: true, Origin: snapshot.Origin{By: "run"}}
	if r.aside = !s.WorkTree; r.aside {
		r.at.Path = snapshot.ForkPath(snapshot.ForkID(r.store.ID(), snapshot.ID(j.Base), j.Run))
	}
	head, err := r.store.Head(ctx, r.at.Path)
	if err != nil {
		return nil, err
	}
	switch {
	case s.WorkTree && string(head.Line) != lineOf(s.ID):
		return nil, &OtherPathError{Session: s.ID}
	case head.Head != nil:
		r.at.Base = head.Head.ID
	case j.Base != "":
		r.at.Fork, r.at.Base, r.run, r.blank = true, snapshot.ID(j.Base), j.Run, j.Blank
		_, attempt, _ := strings.Cut(string(r.hold.run), ".")
		r.hold.run = lifecycle.RunID(j.Run + "." + attempt)
	}
	r.hold.draft = lifecycle.Draft{ID: s.ID, Owner: s.Owner}
	r.hold.strict = true
	if fresh || s.PlanVersion == 0 {
		r.hold.todos = todosOf(o)
	}
	return r, nil
}

// OtherPathError says that a Session is another branch's.
type OtherPathError struct{ Session lifecycle.ID }

func (e *OtherPathError) Error() string {
	return "session " + string(e.Session) + " is another branch's own: switch to it, and go on there"
}

// do runs it.
func (r *running) do(ctx context.Context) (RunResult, error) {
	ctx = r.hold.watch(ctx)
	d, out, err := r.cycle(ctx)
	if err != nil {
		err = r.keep(ctx, out, err)
	}
	var done finishedRun
	if d != nil {
		done = finishedRun{Snapshot: string(out.Made.ID), Output: d.Answer.Text, Tokens: d.Answer.TokensIn + d.Answer.TokensOut, Cost: d.Answer.CostMicro}
	}
	if err == nil && out.Beside != nil {
		err = out.Beside // a run does not work beside another: its base would not be the newest
	}
	recorded := err == nil && out.Made.ID != ""
	err = r.hold.end(ctx, done, err, func(ctx context.Context) error { return r.hold.finish(ctx, done) })
	again := errors.Is(err, errDone)
	var stopped *StoppedError
	switch {
	case err != nil && recorded && !errors.As(err, &stopped):
		return RunResult{}, &RecordedError{out.Made.ID, r.hold.now.ID, err}
	case err != nil && !again:
		return RunResult{}, err
	}
	ctx = context.WithoutCancel(ctx)
	s, err := r.hold.x.Info(ctx, r.hold.now.Key())
	if err != nil {
		return RunResult{}, err
	}
	res := RunResult{Session: s.ID, Status: s.Status, Request: s.Pending, Steps: out.Report.Results}
	switch {
	case again && r.hold.was != nil:
		done = *r.hold.was
	case d != nil:
		done.Parent, done.Program = string(out.Made.Parent), d.Used
	}
	res.Output, res.ID, res.Parent, res.Program = done.Output, done.Snapshot, done.Parent, done.Program
	res.Tokens, res.Cost = done.Tokens, float64(done.Cost)/1e6
	return res, nil
}

func (r *running) cycle(ctx context.Context) (*execute.Draft, cycle.Outcome, error) {
	c := cycle.Runner{Store: r.store, Leaser: r.lease, Journal: r.journal(), Holder: r.holder(r.run), RunID: r.run, Hash: r.pol.hash,
		Accepted: r.pol.accepted, Now: r.Now, Sound: sound, Watch: r.Watch, Project: r.projections(r.store)}
	mend := r.mend(r.files, r.store)
	if r.aside { // the work tree stays where it stands, and other runs work beside
		c.Project = []cycle.Projection{{Name: "memory", Do: r.writeMemory(r.store)}}
		c.Journal, mend = noJournal{}, func(context.Context) error { return nil }
	}
	c.Mend = func(ctx context.Context) error {
		if err := mend(ctx); err != nil {
			return err
		}
		if err := r.hold.begin(ctx); err != nil {
			return err
		}
		asked, err := r.hold.asked(ctx, r.o.Input)
		r.o.Input = asked
		return err
	}
	var line memory.SessionRef
	return cycle.Do(ctx, c, r.at, cycle.Work[execute.Draft]{
		Plan: r.mode,
		Steps: func(b cycle.Base) engine.Steps[execute.Draft] {
			w := r.runWorld(r.pol, b, r.run)
			if r.blank {
				w.Search = func(context.Context, memory.Query) ([]memory.Found, error) { return nil, nil } // nothing of its own yet
			}
			w.Approved = r.hold.approved
			return execute.Steps(w)
		},
		Draft: func(b cycle.Base) *execute.Draft {
			line = runLine(r.at, b)
			if r.blank {
				b.Bundle = filesOf(b.Bundle)
			}
			return r.runDraft(r.pol, b, r.o)
		},
		Bundle: func(d *execute.Draft, _ engine.Report) (session.Bundle, bool, error) {
			b, ok, err := r.runBundle(d, r.pol, r.run, line)
			if r.aside { // the base's words are its session's; this one works on what it was asked
				b.Context.State.WorkingOn = redact.Text(text.Line(cmp.Or(r.hold.now.Input, r.o.Input), 200))
			}
			return b, ok, err
		},
	})
}

// noJournal is the journal of a run that moves nothing of git's.
type noJournal struct{}

func (noJournal) Begin(context.Context, cycle.Entry) error   { return nil }
func (noJournal) Note(context.Context, string, string) error { return nil }
func (noJournal) End(context.Context) error                  { return nil }

// finished is what a run had committed when it died; nil: nothing. Only the newest snapshot of the path can be its.
func (r *running) finished(ctx context.Context, dead lifecycle.RunID) *finishedRun {
	head, err := r.store.Head(ctx, r.at.Path)
	run, _, _ := strings.Cut(string(dead), ".")
	if err != nil || head.Head == nil || head.Head.RunID != run {
		return nil
	}
	snap, err := r.store.Load(ctx, head.Head.ID)
	if err != nil || len(snap.Bundle.Messages) == 0 {
		return nil
	}
	last := gjson.GetBytes(snap.Bundle.Messages, "segments.@reverse.0")
	return &finishedRun{Snapshot: string(head.Head.ID), Parent: string(head.Head.Parent), Program: last.Get("program").String(), Output: last.Get("output").String(),
		Tokens: last.Get("tokens_in").Int() + last.Get("tokens_out").Int(), Cost: last.Get("cost_micro_usd").Int()}
}

// whereToRun finds the path of the base. Only a caller that names its base is refused when somebody was first.
func (c *lineage) whereToRun(ctx context.Context, o RunOptions, run string) (cycle.Where, error) {
	at := cycle.Where{Path: c.path, Stood: c.here, Leave: true, Origin: snapshot.Origin{By: "run"}}
	head, err := c.store.Head(ctx, c.path)
	if err != nil {
		return at, err
	}
	if o.Base == "" && !o.Fork {
		if head.Head != nil {
			at.Base = head.Head.ID // a run never waits and never runs beside: it names the newest
		}
		return at, nil
	}
	if at.Base, err = c.resolve(ctx, o.Base+map[bool]string{true: "HEAD"}[o.Base == ""]); err != nil {
		return at, err
	}
	m, err := c.store.Manifest(ctx, at.Base)
	if err != nil {
		return at, err
	}
	at.Path, at.Fork = m.Path, o.Fork
	if o.Fork { // it works on its own path, beside what works on the base's
		at.Path = snapshot.ForkPath(snapshot.ForkID(c.store.ID(), at.Base, run))
	}
	return at, nil
}

func (c *lineage) runWorld(pol policy, b cycle.Base, run string) execute.World {
	return execute.World{Dir: c.root, Env: c.Env, Mark: runMark(run), Programs: programs(pol),
		Installed: func(p string) bool { _, err := proc.LookPath(p, c.Env, c.root); return err == nil },
		Search:    c.search(saved{chain: c.store, state: b.Bundle.Projected(string(b.Manifest.ID), string(b.Manifest.Line))}),
		Now:       c.Now, NewID: newMemoryID, AskAgent: c.agentAsker(pol, run)}
}

func programs(pol policy) map[string]assistant.Program {
	all := map[string]assistant.Program{}
	for name, p := range pol.Bundles.Programs {
		all[name] = assistant.Program{Name: name, Run: p.Run, Input: p.Input, Output: p.Output, Limit: time.Duration(p.Limit)}
	}
	return all
}

// runLine is the line that the new snapshot will belong to. What a fork remembers is its own; what it looks up is its
// base's.
func runLine(at cycle.Where, b cycle.Base) memory.SessionRef {
	if at.Fork {
		return memory.SessionRef(b.Next)
	}
	return memory.SessionRef(b.Line)
}

func (c *lineage) runDraft(pol policy, b cycle.Base, o RunOptions) *execute.Draft {
	d := &execute.Draft{Input: o.Input, Base: b.Bundle}
	if agent, ok := pol.Bundles.Agents[o.Agent]; ok {
		d.Agent, d.Candidates = o.Agent, agent.Programs
	} else {
		d.Program = o.Agent
	}
	d.Memory.Session, d.Memory.At = memory.SessionRef(cmp.Or(b.Manifest.Line, b.Line)), memory.Snapshot(b.Manifest.ID)
	d.Memory.Query, d.Memory.Ask = o.Input, o.Input
	return d
}

// runBundle is what a run records: what its base says, and the exchange.
func (c *lineage) runBundle(d *execute.Draft, pol policy, run string, line memory.SessionRef) (session.Bundle, bool, error) {
	b := *inherited(d.Base)
	if b.Context.State.Mode == "" {
		at := b.Context.State
		b.Context.State = session.State{Mode: "quick", WorkingOn: redact.Text(d.Input), NextSteps: []string{c.Words.Say("words.say-next")}, OpenSpecStatus: "NONE",
			GitBranch: at.GitBranch, GitCommit: at.GitCommit}
		if c.repo != nil && b.Environment.Git == nil {
			b.Context.State.GitBranch, b.Context.State.GitCommit = session.PathText(c.head.Branch()), c.head.Commit
			b.Environment.Git = &session.GitFacts{Ref: session.PathText(c.head.Ref), Head: c.head.Commit}
		}
	}
	b.Environment.Host, b.Environment.Profile = host(), pol.Profile
	b.Context.State.SavedAt, b.Context.State.Origin = c.Now(), "run"
	kept := d.Memory.Kept()
	for i := range kept {
		kept[i].SessionRef = line
	}
	var err error
	if b.Context.Memory, err = rawItems(kept); err != nil {
		return b, false, err
	}
	segment, err := json.Marshal(map[string]any{"run": run, "program": d.Used, "agent": d.Agent, "input": redact.Text(d.Input), "output": d.Answer.Text,
		"tokens_in": d.Answer.TokensIn, "tokens_out": d.Answer.TokensOut, "cost_micro_usd": d.Answer.CostMicro})
	b.Messages.Segments = append(b.Messages.Segments, segment)
	return b, err == nil, errors.Join(err)
}

// filesOf is what a bundle says of files: nobody's words, tasks, blockers or memory.
func filesOf(b session.Bundle) session.Bundle {
	var only session.Bundle
	if g := b.Environment.Git; g != nil {
		only.Environment.Git = &session.GitFacts{Ref: g.Ref, Head: g.Head, Tree: g.Tree, Kept: g.Kept, Dirty: g.Dirty, Files: g.Files, WorkTree: g.WorkTree}
	}
	only.Context.State.GitBranch, only.Context.State.GitCommit = b.Context.State.GitBranch, b.Context.State.GitCommit
	return only
}
