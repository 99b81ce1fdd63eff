// Package recovery loads: it holds a saved State against the world, words what a person or an assistant needs to go
// on, and (resume) mends what blocks the work, one proven attempt at a time. draft.go is the model, steps.go the list
// of steps, decide.go the decision what comes next, proof.go what shows that a blocker is gone, prompt.go what an agent
// is told.
package recovery

import (
	"context"
	"time"

	"session/blocker"
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
	Memory   memory.Work       // in: session and query; RetrieveMemory, ContextSelect; PromptAssemble: what Attempt says first
	Findings []session.Finding // Brief: the report's and the notes, worded
	Brief    brief.Brief       // Brief

	Context session.Context  // in: evidence and attempts of the snapshot
	Route   []string         // in: who mends the blocker, in order
	Inside  bool             // in, resume: a coding assistant does the step that it is told
	Step    Step             // Route
	Proof   Proof            // Route: what will judge the step
	Prompt  string           // Attempt
	Attempt *session.Attempt // Attempt, Prove
	Settled bool             // Prove: the attempt has an outcome, and it is on record
	Stopped error            // Attempt, Prove: why the recovery cannot go on
}

// World is what the steps act on.
type World struct {
	Sources survey.Sources
	Words   *text.Catalogue
	Word    func([]session.Finding) []session.Finding // fills in messages and labels
	Now     func() time.Time
	Search  func(context.Context, memory.Query) ([]memory.Found, error)
	Exists  func(path string) bool // slash path below the top of the work tree
	Here    string                 // where the person stands, likewise; "" is the top

	Mends  func(blocker.Type) (Mend, bool)
	Checks func(bundle string) []Command
	Plain  func(line string) ([]string, bool)
	Quote  func(args []string) string
	Log    func(blocker.Blocker) string // the file that holds the whole output; "" where there is none
	Kept   func(log string) string      // the file of a log that is on record
	Hands                               // what a resume acts with
}

// Hands act for a resume. Each records what it does as a snapshot of its own, before or after.
type Hands struct {
	// Program is what would be started for an agent; "" where none of its programs is installed.
	Program func(agent string) string
	Begin   func(context.Context, *session.Attempt) error
	// Call starts the agent and fills in what it said. Its error is the context's: anything else is in the attempt.
	Call func(ctx context.Context, s Step, prompt string, a *session.Attempt) error
	// Settle runs the proof, fills in the outcome and records it.
	Settle func(ctx context.Context, b *blocker.Blocker, p Proof, a *session.Attempt) error
}
