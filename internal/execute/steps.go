package execute

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"session/internal/assistant"
	"session/internal/engine"
	"session/internal/memory"
	"session/internal/redact"
)

// Steps are the steps that a plan for run may name.
func Steps(w World) engine.Steps[Draft] {
	mem := func(d *Draft) *memory.Work { return &d.Memory }
	return engine.Steps[Draft]{
		"RetrieveMemory":   engine.On(mem, engine.With(memory.Retriever(w.Search))),
		"ContextSelect":    engine.On(mem, engine.With(memory.ContextSelect)),
		"PromptAssemble":   engine.On(mem, engine.Does(memory.PromptAssemble)),
		"AskApproval":      engine.With(w.approve),
		"AgentCall":        engine.Acts(engine.With(w.call)),
		"SummarizeMemory":  engine.On(mem, engine.Does(memory.Summarizer(w.Now, w.NewID))),
		"SummarizeByAgent": engine.On(mem, engine.With(memory.AgentSummarizer(w.Now, w.NewID, w.AskAgent))),
		"PersistMemory":    engine.On(mem, engine.Does(memory.Persist)),
	}
}

// CallSettings are the settings of the step AgentCall.
type CallSettings struct {
	Programs []string `json:"programs"` // names in bundles.yaml; the first one installed is started
}

// Check refuses a call of nothing.
func (s CallSettings) Check() error {
	if len(s.Programs) == 0 {
		return errors.New("programs: name at least one program of bundles.yaml")
	}
	return nil
}

// NoProgramError says that none of the programs is installed.
type NoProgramError struct{ Programs []string }

func (e *NoProgramError) Error() string {
	return "none of these programs is installed: " + strings.Join(e.Programs, ", ")
}

func (w World) call(ctx context.Context, d *Draft, s CallSettings) error {
	p, err := w.choose(d, s.Programs)
	if err != nil {
		return err
	}
	d.Used = p.Name
	d.Answer, err = assistant.Start(ctx, p, assistant.Call{Agent: d.Agent, Prompt: d.Memory.Prompt, Dir: w.Dir, Env: w.Env, Mark: w.Mark,
		Say: func(line string) { engine.Say(ctx, "%s", redact.Text(line)) }})
	if err != nil {
		return err
	}
	asked := redact.Text(d.Input) // the agent gets what was said; what is kept and shown has no secret
	d.Answer.Text = redact.Text(d.Answer.Text)
	d.Memory.About = memory.Facts{Asked: asked, Answered: d.Answer.Text, Text: asked + "\n" + d.Answer.Text}
	return nil
}

func (w World) choose(d *Draft, names []string) (assistant.Program, error) {
	switch {
	case d.Program != "":
		names = []string{d.Program}
	case len(d.Candidates) > 0:
		names = d.Candidates
	}
	for _, n := range names {
		p, ok := w.Programs[n]
		if !ok {
			return assistant.Program{}, fmt.Errorf("there is no program %q in bundles.yaml", n)
		}
		if w.Installed(p.Run[0]) {
			return p, nil
		}
	}
	return assistant.Program{}, &NoProgramError{Programs: names}
}
