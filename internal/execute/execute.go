// Package execute runs an agent over a snapshot: execute(base_session_id, input) → output and a new session_id (seed
// 002). draft.go is the model, steps.go the list of steps.
package execute

import (
	"context"
	"time"

	"session/internal/assistant"
	"session/internal/memory"
	"session/internal/session"
)

// Draft is a run under way.
type Draft struct {
	Input   string // in
	Agent   string // in: "" where none was named
	Program string // in: the program to start; "" for the first one installed that the plan names
	// Candidates are the programs that can play the agent, in order; nil for those that the plan names.
	Candidates []string
	Base       session.Bundle
	Memory     memory.Work
	Answer     assistant.Answer // AgentCall
	Used       string           // AgentCall: the program that was started
}

// World is what the steps act on.
type World struct {
	Dir       string
	Env       []string
	Mark      string // of this run, for what agents start: see assistant.Call
	Programs  map[string]assistant.Program
	Installed func(program string) bool
	Search    func(context.Context, memory.Query) ([]memory.Found, error)
	Now       func() time.Time
	NewID     func() (memory.ID, error)
	AskAgent  func(ctx context.Context, agent, prompt string) (string, error) // an agent of bundles.yaml; secrets masked
	Say       func(ctx context.Context, line string)
	// Approved is who has answered a question of the policy in this turn of the Session, and whether they said yes; "" if
	// nobody has.
	Approved func(ctx context.Context, question string) (by string, yes bool, err error)
}
