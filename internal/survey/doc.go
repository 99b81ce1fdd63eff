// Package survey is the one look at the world that a command takes: git, tasks and what the last snapshot recorded are
// read at the same time and put into one Scene. Everything after it decides on the Scene and reads nothing again.
package survey

import (
	"time"

	"session/gitstate"
	"session/openspec"
)

// Version names what the survey fills in. It is the Ref's repoScanVersion and changes when Scene or Environment do.
const Version = "1"

// Scene is what was really there.
type Scene struct {
	At       time.Time
	Git      *Git // nil outside a repository
	Tasks    openspec.Work
	Gone     *openspec.Work // the recorded change when it is no longer active: archived, or not to be found
	Failures []Failure      // sources that could not be read: named, never taken for "nothing there"
}

// Close lets go of what a scan holds open. What the scene says stays.
func (s Scene) Close() {
	if s.Git != nil && s.Git.Scan != nil {
		s.Git.Scan.Close()
	}
}

// Failure is a source that could not be read.
type Failure struct {
	Source string // tasks, history
	Err    error
}

// Git is the work tree as it was found.
type Git struct {
	gitstate.Status
	Scan       *gitstate.Scan  // only if asked for, and where the work tree could be scanned in process: what can be staged
	Unfit      *gitstate.Unfit // why there is no Scan
	Config     gitstate.Config // only if asked for
	Operations []gitstate.Operation
	Lock       *gitstate.LockedError // git's own index.lock, if there is one
	Real       *gitstate.Commit      // the newest commit that is no WIP commit; only where there is no task source

	// How the recorded commit stands to where the branch is now; zero if nothing was recorded or nothing moved.
	Relation  gitstate.Relation
	Since     []gitstate.Commit // commits on the branch that the recorded one lacks, newest first, at most SinceLimit
	Incoming  []gitstate.Commit // commits of the upstream that HEAD lacks, newest first, at most SinceLimit
	BranchTip string            // where the recorded branch stands; "" if it is gone
	CutShort  string            // snapshot that the newest commit names and that was never recorded

	// Files that the last snapshot recorded and that are dirty, or that it recorded and no commit held, as they are now.
	Now map[string]gitstate.File
	// Sizes and times of the files that the last save left out, as they are now; absent ones are gone.
	LeftOutNow map[string]Stamp
}

// SinceLimit bounds the lists of commits.
const SinceLimit = 20

// Stamp is a file's size and time of change.
type Stamp struct {
	Size    int64 `json:"size"`  // bytes
	ModTime int64 `json:"mtime"` // Unix nanoseconds
}

// LeftOut is a file that a save did not stage.
type LeftOut struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
	Stamp
}

// Recorded is what the last snapshot says of the world; the zero value if there is none.
type Recorded struct {
	Ref     string // full branch name; "" when HEAD was detached
	Commit  string
	Files   []gitstate.File // files of that save, as they were
	Dirty   bool            // no commit held Files: the work tree was recorded, the branch was left
	LeftOut []LeftOut
	Change  string
	Done    []string
	Here    string                     // newest snapshot of the branch that is checked out, where that is another one
	Known   func(snapshot string) bool // whether a snapshot is recorded; nil: every one
}
