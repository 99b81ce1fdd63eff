package app

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"session/internal/assistant"
	"session/internal/cycle"
	"session/internal/engine"
	"session/internal/execute"
	"session/internal/memory"
	"session/internal/plan"
	"session/internal/proc"
	"session/internal/session"
	"session/internal/snapshot"
)

// RunVariable names the run that a program was started by; commands below a run record autosaves only.
const RunVariable = "SESSION_RUN"

// RunOptions is what session run was asked.
type RunOptions struct {
	Base  string // a snapshot as people write it; "" for the newest
	Fork  bool   // open a path of its own below the base
	Agent string // an agent or a program of bundles.yaml
	Input string
}

// RunResult is the outcome of execute(base_session_id, input).
type RunResult struct {
	Output  string          `json:"output"`
	ID      string          `json:"session_id"`
	Parent  string          `json:"parent_session_id"`
	Program string          `json:"program"`
	Tokens  int64           `json:"tokens"`
	Cost    float64         `json:"cost_usd"`
	Steps   []engine.Result `json:"steps"`
}

// Run runs an agent over a snapshot: execute(base_session_id, input) → output and a new session_id (seed 002). A run
// that fails leaves no new snapshot.
func Run(ctx context.Context, p Place, o RunOptions) (RunResult, error) {
	s, err := p.open(ctx)
	if err != nil {
		return RunResult{}, err
	}
	fs, chain, err := s.store(true)
	if err != nil {
		return RunResult{}, err
	}
	c := &lineage{site: s, files: fs, store: chain, here: s.stood(ctx, chain)}
	pol, err := s.policy(ctx)
	if err == nil {
		err = pol.mustBeAccepted()
	}
	if err != nil {
		return RunResult{}, err
	}
	mode, err := pol.mode("run", plan.Run)
	if err != nil {
		return RunResult{}, err
	}
	at, err := c.whereToRun(ctx, o)
	if err != nil {
		return RunResult{}, err
	}
	run, err := s.runID()
	if err != nil {
		return RunResult{}, err
	}
	r := cycle.Runner{Store: chain, Leaser: fs, Journal: s.journal(), Holder: s.holder(run), RunID: run, Hash: pol.hash, Accepted: pol.accepted,
		Now: s.Now, Mend: s.mend(fs, chain), Watch: s.Watch, Project: s.projections(chain)}
	if at.Fork {
		r.Project = []cycle.Projection{{Name: "memory", Do: s.writeMemory(chain)}} // the work tree stays where it stands
	}
	var line memory.SessionRef
	d, out, err := cycle.Do(ctx, r, at, cycle.Work[execute.Draft]{
		Plan:  mode,
		Steps: func(b cycle.Base) engine.Steps[execute.Draft] { return execute.Steps(c.runWorld(pol, b, run)) },
		Draft: func(b cycle.Base) *execute.Draft { line = runLine(at, b); return c.runDraft(pol, b, o) },
		Bundle: func(d *execute.Draft, r engine.Report) (session.Bundle, bool, error) {
			return c.runBundle(d, pol, run, line)
		},
	})
	if err != nil {
		return RunResult{}, err
	}
	if out.Beside != nil {
		return RunResult{}, out.Beside // a run does not work beside another: its base would not be the newest
	}
	return RunResult{Output: d.Answer.Text, ID: string(out.Made.ID), Parent: string(out.Made.Parent), Program: d.Used,
		Tokens: d.Answer.TokensIn + d.Answer.TokensOut, Cost: float64(d.Answer.CostMicro) / 1e6, Steps: out.Report.Results}, nil
}

// whereToRun finds the path of the base. Only a caller that names its base is refused when somebody was first.
func (c *lineage) whereToRun(ctx context.Context, o RunOptions) (cycle.Where, error) {
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
	return at, nil
}

func (c *lineage) runWorld(pol policy, b cycle.Base, run string) execute.World {
	return execute.World{Dir: c.root, Env: proc.With(c.Env, nil, RunVariable+"="+run), Programs: programs(pol),
		Installed: func(p string) bool { _, err := proc.LookPath(p, c.Env, c.root); return err == nil },
		Search:    c.search(saved{chain: c.store, state: b.Bundle.Projected(string(b.Manifest.ID), string(b.Manifest.Line))}),
		Now:       c.Now, NewID: newMemoryID}
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
	d.Memory.Session, d.Memory.At = memory.SessionRef(b.Line), memory.Snapshot(b.Manifest.ID)
	d.Memory.Query, d.Memory.Ask = o.Input, o.Input
	return d
}

// runBundle is what a run records: what its base says, and the exchange.
func (c *lineage) runBundle(d *execute.Draft, pol policy, run string, line memory.SessionRef) (session.Bundle, bool, error) {
	b := *inherited(d.Base)
	if b.Context.State.Mode == "" {
		b.Context.State = session.State{Mode: "quick", WorkingOn: d.Input, NextSteps: []string{c.Words.Say("words.say-next")}, OpenSpecStatus: "NONE"}
		if c.repo != nil {
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
	segment, err := json.Marshal(map[string]any{"run": run, "program": d.Used, "agent": d.Agent, "input": d.Input, "output": d.Answer.Text,
		"tokens_in": d.Answer.TokensIn, "tokens_out": d.Answer.TokensOut, "cost_micro_usd": d.Answer.CostMicro})
	b.Messages.Segments = append(b.Messages.Segments, segment)
	return b, err == nil, errors.Join(err)
}
