package recovery

import (
	"context"

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

func (w World) look(ctx context.Context, d *Draft) (err error) {
	d.Scene, err = w.Sources.Look(ctx, survey.Ask{Untracked: gitstate.Folders, History: true, Files: true, Recorded: d.Recorded, Prefer: d.named()})
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
	for _, f := range d.Scene.Failures {
		all = append(all, session.NewFinding(session.SourceFailed, "source.failed", "source", f.Source, "cause", f.Err))
	}
	d.Findings = w.Word(append(all, d.Notes...))
	d.Brief = brief.Make(brief.Input{State: d.State, Scene: d.Scene, Findings: d.Findings, Memories: d.memories(), CI: d.CI}, w.Words)
	return nil
}

func (d *Draft) memories() []brief.Memory {
	var all []brief.Memory
	for _, f := range d.Memory.Found {
		all = append(all, brief.Memory{ID: string(f.ID), When: f.Timestamp, Summary: f.Summary})
	}
	return all
}

func (w World) route(context.Context, *Draft) error   { return engine.Skip("no blocker") }
func (w World) attempt(context.Context, *Draft) error { return engine.Skip("nothing to mend") }
func (w World) prove(context.Context, *Draft) error   { return engine.Skip("nothing to prove") }
