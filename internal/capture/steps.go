package capture

import (
	"session/internal/engine"
	"session/internal/memory"
	"session/internal/session"
	"session/internal/survey"
)

// Steps are the steps that a plan for save may name.
func Steps(w World) engine.Steps[Draft] {
	mem := func(d *Draft) *memory.Work { return &d.Memory }
	return engine.Steps[Draft]{
		"Look":     engine.Does(w.look),
		"Guard":    engine.With(w.guard),
		"Describe": engine.Does(w.describe),
		"Commit":   engine.Acts(engine.With(w.commit)),
		"Diagnose": engine.Does(w.Diagnose),

		"Glance":    engine.Does(w.glance),
		"Push":      engine.Acts(engine.With(w.push)),
		"Verify":    engine.With(w.verify),
		"CheckDocs": engine.With(w.checkDocs),
		"ReadCI":    engine.With(w.readCI),

		"SummarizeMemory":  engine.On(mem, engine.Does(memory.Summarizer(w.Now, w.NewID))),
		"SummarizeByAgent": engine.On(mem, engine.With(memory.AgentSummarizer(w.Now, w.NewID, w.AskAgent))),
		"PersistMemory":    engine.On(mem, engine.Does(memory.Persist)),
	}
}

// Needs says which steps read what another one saw: one of those must stand before. "" is a mode as a whole: a save looks.
func Needs() map[string][]string {
	look := []string{"Look", "Glance"}
	return map[string][]string{"": look, "Guard": look, "Describe": look, "Commit": look, "Push": look, "CheckDocs": look, "ReadCI": look, "Diagnose": look}
}

func failure(f survey.Failure) session.Finding {
	return session.Unread(f.Source, f.Err)
}
