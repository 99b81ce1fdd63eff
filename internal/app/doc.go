// Package app has one function for each thing that session can do: Save, Load, Status, … A function takes a Place and
// options, wires the packages below it, and returns a result whose JSON keys are the command line contract's. It
// prints nothing and asks nobody; the command line, the service and MCP translate to and from it.
package app

import (
	"io"
	"time"

	"session/internal/engine"
	"session/internal/session"
	"session/internal/text"
)

// Exit codes of the command line contract.
const (
	OK          = 0   // done
	Failed      = 1   // failed
	Usage       = 2   // the command line makes no sense
	NeedsPerson = 3   // loaded or saved, and findings need a person
	Blocked     = 4   // recovery gave up
	Nothing     = 10  // nothing saved yet
	Corrupt     = 11  // corrupt or inconsistent: stopped, nothing changed
	NotAccepted = 12  // the policy is not accepted: stopped
	Busy        = 13  // busy, or already continued
	Interrupted = 130 // interrupted
)

// Place is where, and for whom, a command runs. All that the process's surroundings have to say was read once, above.
type Place struct {
	Dir      string   // working directory
	Env      []string // environment, KEY=value
	Now      func() time.Time
	Random   io.Reader
	Words    *text.Catalogue
	PID      int
	Command  string // the command line, for the message of who holds a lease
	Prompt   bool   // a person can answer git's questions (passwords)
	Verbose  bool
	GitPath  string                // "safe": everything that looks at files is left to git; else what can be is done in process
	Profile  string                // policy profile, below the root of the work tree; "" for the project's own, or the built-in one
	Database string                // of Sessions: sqlite:PATH or postgres://…; "": SESSION_DATABASE, else a file beside the snapshots
	Watch    func(engine.Event)    // progress; nil: nobody watches
	Warn     func(session.Finding) // told of what a command goes on without; nil: nobody listens

	Backends Backends // that the command line names
	Adapters Adapters // that this program has
}
