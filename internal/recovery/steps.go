package recovery

import (
	"context"
	"path"
	"slices"
	"time"

	"session/blocker"
	"session/gitstate"
	"session/internal/brief"
	"session/internal/engine"
	"session/internal/memory"
	"session/internal/session"
	"session/internal/survey"
	"session/validate"
)

// Steps are the steps that a plan for load may name.
func Steps(w World) engine.Steps[Draft] {
	mem := func(d *Draft) *memory.Work { return &d.Memory }
	return engine.Steps[Draft]{
		"Look":           engine.Does(w.look),
		"Validate":       engine.Does(check),
		"RetrieveMemory": engine.On(mem, engine.With(memory.Retriever(w.Search))),
		"ContextSelect":  engine.On(mem, engine.With(memory.ContextSelect)),
		"PromptAssemble": engine.On(mem, engine.Does(memory.PromptAssemble)),
		"Route":          engine.Does(w.route),
		"Attempt":        engine.Acts(engine.Does(w.attempt)),
		"Prove":          engine.Does(w.prove),
		"Brief":          engine.Does(w.brief),
	}
}

// Untracked is how a load looks for new files.
const Untracked = gitstate.Folders

func (w World) look(ctx context.Context, d *Draft) (err error) {
	d.Scene, err = w.Sources.Look(ctx, survey.Ask{Untracked: Untracked, History: true, Files: true, Recorded: d.Recorded, Prefer: d.named()})
	return err
}

// named is the change that a person named at the save.
func (d *Draft) named() string {
	if d.State.Words.SaidChange {
		return d.State.OpenSpec
	}
	return ""
}

func check(_ context.Context, d *Draft) error {
	d.Report = validate.Check(d.State, d.Recorded, d.Scene)
	return nil
}

func (w World) brief(_ context.Context, d *Draft) error {
	all := append([]session.Finding{}, d.Report.Findings...)
	w.offerProofs(d, all)
	for _, f := range d.Scene.Failures {
		all = append(all, session.Unread(f.Source, f.Err))
	}
	d.Findings = w.Word(append(all, d.Notes...))
	if d.Inside {
		w.within(d.Findings)
	}
	d.Brief = brief.Make(brief.Input{State: d.State, Scene: d.Scene, Findings: d.Findings, Memories: d.memories(), CI: d.CI, Reach: w.reach(d)}, w.Words)
	if d.Step.Do != "" {
		d.Brief = d.Brief.Within(briefTokens, memory.Tokens)
	}
	return nil
}

// within lets an assistant do the steps of a recovery itself: without the flag a program would be started for them.
func (w World) within(all []session.Finding) {
	resume := []string{"session", "load", "--resume"}
	for i := range all {
		for j, a := range all[i].Actions {
			if len(a.Command) < len(resume) || !slices.Equal(a.Command[:len(resume)], resume) {
				continue
			}
			line := slices.Concat(resume, []string{"--assistant"}, a.Command[len(resume):])
			if all[i].Actions[j].Command = line; j == 0 && w.Quote != nil {
				all[i].Action = w.Quote(line)
			}
		}
	}
}

// offerProofs says how a blocker is proved that is stale, or that a person mends after all attempts: it may be mended
// already. Blockers are reported in their order, first
// of all.
func (w World) offerProofs(d *Draft, all []session.Finding) {
	for i, b := range d.State.Blockers {
		if i >= len(all) || all[i].Status != session.BlockerExists {
			return
		}
		spent := b.MaxRecoveryAttempts > 0 && b.RecoveryAttempted >= b.MaxRecoveryAttempts
		if !b.Stale && !spent || !b.AutoDetected || w.Checks == nil {
			continue
		}
		mend, _ := w.Mends(b.Type)
		var ways []session.Action
		for _, c := range (Prover{Checks: w.Checks, Evidence: d.Context.Evidence, Plain: w.Plain}).Of(&b, mend).Commands {
			ways = append(ways, session.Action{ID: "prove", Command: session.WatchLine(w.Here, c.Dir, c.Args)})
		}
		all[i].Actions = append(ways, all[i].Actions...)
	}
}

func (d *Draft) memories() []brief.Memory {
	var all []brief.Memory
	for _, f := range d.Memory.Found {
		all = append(all, brief.Memory{ID: string(f.ID), When: f.Timestamp, Summary: f.Summary})
	}
	return all
}

// briefTokens is the most that a resume's brief may cost a language model (S1.7).
const briefTokens = 600

// reach are the documents of the change that is gone on with.
func (w World) reach(d *Draft) []string {
	t := d.Scene.Tasks
	if w.Exists == nil || t.Dir == "" || t.Next == nil {
		return nil
	}
	var all []string
	for _, name := range []string{"proposal.md", "design.md", "spec.md", "plan.md"} {
		if f := path.Join(t.Dir, name); w.Exists(f) {
			all = append(all, f)
		}
	}
	return all
}

// route decides what comes next.
func (w World) route(_ context.Context, d *Draft) error {
	d.Step = Decide(Situation{Blocker: d.State.Blocker, Ledger: d.Context.Attempts, Mends: w.Mends, Seen: d.seen(),
		Elsewhere: slices.ContainsFunc(d.Report.Findings, func(f session.Finding) bool { return f.Status == session.BranchMismatch })})
	if d.Step.Do == GoOn {
		return engine.Skip("no blocker")
	}
	if b := d.about(); b != nil {
		d.Proof = Prover{Checks: w.Checks, Evidence: d.Context.Evidence, Plain: w.Plain}.Of(b, d.Step.Mend)
	}
	return nil
}

// seen is when the command or the agent that told of the blocker last said so.
func (d *Draft) seen() (at time.Time) {
	for _, e := range d.Context.Evidence {
		if b := d.State.Blocker; b != nil && e.Source() == b.Source && e.At.After(at) {
			at = e.At
		}
	}
	return at
}

// about is the blocker that the step is about: of an open attempt, the one that it was started for. nil: it is gone.
func (d *Draft) about() *blocker.Blocker {
	a := Open(d.Context.Attempts)
	if d.Step.Do != Prove || a == nil {
		return d.Step.Blocker
	}
	for _, b := range d.State.Blockers {
		if b.ID == a.Blocker {
			return &b
		}
	}
	return nil
}

// attempt puts an attempt on record, and lets the agent do it, unless this runs inside an assistant: then the assistant
// does, and the next resume proves it.
func (w World) attempt(ctx context.Context, d *Draft) error {
	if d.Step.Do != Try {
		return engine.Skip("nothing to mend")
	}
	b := d.Step.Blocker
	log := ""
	if w.Log != nil {
		log = w.Log(*b)
	}
	d.Prompt = d.Memory.Prompt + Prompt(d.Step, d.Proof, w.logged(d.Context.Attempts), log, w.Quote)
	a := &session.Attempt{N: d.Step.N, Chain: d.Step.Chain, Blocker: b.ID, Type: b.Type, Error: b.ErrorPattern, Mend: d.Step.Mend.Name, Agent: d.Step.Agent,
		Started: w.Now().UTC(), Result: session.Started, Proof: d.Proof.Line(w.Quote)}
	if d.Scene.Git != nil {
		a.Before = d.Scene.Git.Head.Commit
	}
	if !d.Inside {
		if a.Program = w.Program(d.Step.Agent); a.Program == "" {
			d.Step.Do, d.Step.Why = ByHand, "resume.no-program"
			return engine.Skip("none of the agent's programs is installed")
		}
	}
	if d.Stopped = w.Begin(ctx, a); d.Stopped != nil {
		return d.Stopped
	}
	d.Attempt = a
	if d.Inside {
		return nil
	}
	d.Stopped = w.Call(ctx, d.Step, d.Prompt, a)
	return d.Stopped
}

// logged is a ledger whose logs are named as an agent finds them.
func (w World) logged(ledger []session.Attempt) []session.Attempt {
	ledger = slices.Clone(ledger)
	for i := range ledger {
		if a := &ledger[i]; a.Log != "" && w.Kept != nil {
			a.Log = w.Kept(a.Log)
		}
	}
	return ledger
}

// prove runs the check that found the blocker. Nothing is called mended without it.
func (w World) prove(ctx context.Context, d *Draft) error {
	switch {
	case d.Stopped != nil:
		return engine.Skip("stopped")
	case d.Step.Do == Prove:
		open := *Open(d.Context.Attempts)
		d.Attempt = &open
	case d.Attempt == nil || d.Inside:
		return engine.Skip("nothing to prove")
	}
	if d.Stopped = w.Settle(ctx, d.about(), d.Proof, d.Attempt); d.Stopped != nil {
		return d.Stopped
	}
	d.Settled = true
	return nil
}
