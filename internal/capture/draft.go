// Package capture saves: it turns a work tree into what one snapshot carries. draft.go is the model, steps.go the list
// of steps; each step stands in a file of its own name and writes one part of the Draft, which later steps read.
package capture

import (
	"context"
	"time"

	"session/blocker"
	"session/gitstate"
	"session/internal/memory"
	"session/internal/session"
	"session/internal/survey"
)

// Ask is what the person said on the command line.
type Ask struct {
	Message     string   // working_on; "" if nothing was said
	Next        []string // next_steps; nil if nothing was said
	Done, Todo  []string // tasks kept by hand
	Change      string   // the OpenSpec change; "" to choose
	NoCommit    bool     // record the work tree in a ref of ours, leave index and branch
	TrackedOnly bool     // leave new files alone
	Evidence    []session.Evidence
	Carry       bool                // a hook asks: evidence is kept for the next save to judge
	Turn        func(*memory.Facts) // adds what was said in this turn to what is remembered; nil: nothing
	WaitCI      bool                // wait until the CI runs of the pushed commit have completed
	Allow       []string            // patterns of paths that are staged in spite of the guard
}

// Base is what the path's newest snapshot says; the zero value if the path has none.
type Base struct {
	ID          string
	Line        string
	Environment session.Environment
	Context     session.Context
	Autosaves   []session.Bundle // what hooks recorded since, oldest first
}

// State is the state that was saved last.
func (b Base) State() session.State { return b.Context.State }

// Draft is a save under way.
type Draft struct {
	Ask       Ask  // in
	Base      Base // in
	Mode      string
	Origin    string
	Proven    map[string]string  // in: sources of blockers that were just seen to be well, and what showed it
	Held      string             // in: id of a blocker that the policy's own proof has just shown to stand
	Scene     survey.Scene       // Look
	Tasks     Tasks              // Describe
	Words     Words              // Describe
	Stage     Stage              // Guard, Commit
	Push      Push               // Push
	Checks    []session.Check    // Verify, CheckDocs, ReadCI
	CI        *CI                // ReadCI; nil where nobody was asked
	Evidence  []session.Evidence // Diagnose: what it went by
	Cleared   []blocker.Blocker  // Diagnose: proven gone
	Blockers  []blocker.Blocker  // Diagnose
	Said      *blocker.Blocker   // Diagnose: what the newest of Ask.Evidence says; nil: nothing stops the work there
	Diagnosed time.Time          // Diagnose: when it looked at logs
	Memory    memory.Work        // Diagnose says what there is to remember; SummarizeMemory, PersistMemory
	Findings  []session.Finding  // every step
}

// Stage is what became of the work tree.
type Stage struct {
	Unfit     *gitstate.Unfit // why git did the scanning and staging; nil: it was done in process
	Rules     *GuardSettings  // by which Guard left files out
	LeftOut   []survey.LeftOut
	Secret    []string // Guard: what looks like a secret was staged by hand, and would be committed as it was staged
	Refused   bool     // files were to be committed and were not; a finding says why
	Created   bool     // Commit is a WIP commit of this save
	Commit    string   // where the branch stands now
	Before    string   // where it stood, if Created
	Kept      string   // commit under refs/session/ that holds the work tree
	Tree      string
	IndexTree string // what had been staged by hand
	Files     []gitstate.File
	Dirty     bool // Files are in no commit of the branch
	Inherited bool // nothing was looked at: what the base recorded of files still stands
}

// Way says who scanned and staged, and where that was git, why.
func (s Stage) Way() (gitstate.PathChoice, string) {
	switch {
	case s.Inherited:
		return "", ""
	case s.Unfit != nil:
		return gitstate.SafePath, s.Unfit.Error()
	}
	return gitstate.FastPath, ""
}

// Push is what became of the push.
type Push struct {
	Tried       bool
	OK          bool
	Remote, Ref string
}

// World is what the steps act on. Repo is nil outside a repository.
type World struct {
	Repo     *gitstate.Repo
	Sources  survey.Sources
	Ref      string // the branch whose lease is held; "" when HEAD is detached
	RunID    string
	Snapshot string // the id that this save will have
	Now      func() time.Time
	NewID    func() (memory.ID, error)
	Say      func(key string, pairs ...any) string
	Root     string // top of the work tree
	Here     string // where the person stands: a slash path below it
	Prompt   bool   // a person can answer git's questions
	Runtime  string // folder below which logs are kept
	Blockers Sources
	Checks   map[string]Checks
	Verifies string // the bundle of Checks that proves that a blocker is gone
	// Run runs one command of a check with its output kept as a log.
	Run func(ctx context.Context, args []string, name string, say func(line string)) Ran
	// AskCI asks the host of a remote; false where it is none that we know.
	AskCI func(context.Context, CIQuestion) (CI, bool, error)
	// AskAgent asks an agent of bundles.yaml something, and gives its answer, with secrets masked.
	AskAgent func(ctx context.Context, agent, prompt string) (string, error)
	// Sound refuses a state that nobody could read again.
	Sound func(session.State) error
	// Note tells the journal which commit the branch is about to move to.
	Note func(ctx context.Context, ref, commit string) error
}

func (d *Draft) find(f session.Finding) { d.Findings = append(d.Findings, f) }
