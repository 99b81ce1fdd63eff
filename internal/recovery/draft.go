// Package recovery loads: it holds a saved State against the world, words what a person or an assistant needs to go
// on, and (resume) mends what blocks the work, one proven attempt at a time. draft.go is the model, steps.go the list
// of steps.
package recovery

import (
	"context"
	"time"

	"session/internal/brief"
	"session/internal/memory"
	"session/internal/session"
	"session/internal/survey"
	"session/internal/text"
	"session/validate"
)

// Draft is a load under way. Each part is written by one step and read by later ones.
type Draft struct {
	State    session.State     // in: what was saved
	Recorded survey.Recorded   // in: what its snapshot recorded of the world
	Notes    []session.Finding // in: how the state was come by
	CI       *brief.CI         // in: what CI last said
	Scene    survey.Scene      // Look
	Report   validate.Report   // Validate
	Memory   memory.Work       // in: session and query; RetrieveMemory, ContextSelect; Ask by Route; PromptAssemble: Attempt's prompt
	Findings []session.Finding // Brief: the report's and the notes, worded
	Brief    brief.Brief       // Brief
}

// World is what the steps act on.
type World struct {
	Sources survey.Sources
	Words   *text.Catalogue
	Word    func([]session.Finding) []session.Finding // fills in messages and labels
	Now     func() time.Time
	Search  func(context.Context, memory.Query) ([]memory.Found, error)
}
