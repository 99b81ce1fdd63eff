package session

// Status names a difference between what was recorded and what is there. The first six are the seed's validation
// results (seed 001, Validation Results), the others this program's.
type Status string

// Statuses.
const (
	AllValid           Status = "ALL_VALID"
	BranchMismatch     Status = "BRANCH_MISMATCH"
	CommitMismatch     Status = "COMMIT_MISMATCH"
	UncommittedChanges Status = "UNCOMMITTED_CHANGES"
	OpenSpecNotFound   Status = "OPENSPEC_NOT_FOUND"
	BlockerExists      Status = "BLOCKER_EXISTS"

	CommitRefused    Status = "COMMIT_REFUSED"     // a save could not commit; the state was recorded
	PushRejected     Status = "PUSH_REJECTED"      // a save could not push; the state was recorded
	StepFailed       Status = "STEP_FAILED"        // a step that may fail did
	FilesLeftOut     Status = "LEFT_OUT"           // files were not staged
	StateFileTracked Status = "STATE_FILE_TRACKED" // the user tracks the state file
	SourceFailed     Status = "SOURCE_FAILED"      // something could not be looked at
	ProjectionBehind Status = "PROJECTION_BEHIND"  // recorded, but a file that shows it could not be written
	StateFileGone    Status = "STATE_FILE_GONE"    // the state was read from the snapshots
	PolicyInert      Status = "POLICY_INERT"       // the project's policy is not accepted on this machine
	BlockerCleared   Status = "BLOCKER_CLEARED"    // a blocker is proven gone, or gave way to another
	Unshared         Status = "UNSHARED"           // kept on this machine, because the shared store is out of reach
	NewerAutosave    Status = "NEWER_AUTOSAVE"     // an autosave is newer than the last save
	HookDead         Status = "HOOK_DEAD"          // a hook that was installed is not called, or comes to nothing
)

// Finding is one difference, with what can be done about it. Message and Action are filled in a person's language by
// whoever shows it; Key and Args are what they are made from.
type Finding struct {
	Status  Status   `json:"status"`
	Message string   `json:"message"`
	Quote   string   `json:"quote,omitempty"`  // what a log or a report says about it: data, never part of Message
	Action  string   `json:"action,omitempty"` // the first way out as a command line
	Actions []Action `json:"actions,omitempty"`

	Key  string `json:"key,omitempty"`
	Args []any  `json:"args,omitempty"` // pairs of a place's name and a value
}

// Action is one way out.
type Action struct {
	ID      string   `json:"id"` // stable name: switch, commit, stash, load, resume, …
	Label   string   `json:"label"`
	Command []string `json:"command,omitempty"` // argument list; empty when a person has to think
}

// Serious reports whether a finding needs a person: the command then ends with exit code 3.
func (f Finding) Serious() bool {
	switch f.Status {
	case AllValid, FilesLeftOut, StateFileTracked, BlockerCleared, StateFileGone, NewerAutosave, PolicyInert, SourceFailed, ProjectionBehind, HookDead:
		return false
	}
	return true
}

// NewFinding makes a finding to be worded later.
func NewFinding(s Status, key string, args ...any) Finding {
	return Finding{Status: s, Key: key, Args: args}
}

// Quoting returns f with somebody else's words about it.
func (f Finding) Quoting(words string) Finding {
	f.Quote = words
	return f
}

// Unread says that a source could not be read. Why is what a file system, a program or a service answered.
func Unread(source string, cause error) Finding {
	return NewFinding(SourceFailed, "source.failed", "source", source).Quoting(cause.Error())
}

// Offer returns f with one more way out.
func (f Finding) Offer(id string, command ...string) Finding {
	f.Actions = append(f.Actions[:len(f.Actions):len(f.Actions)], Action{ID: id, Command: command})
	return f
}
