package session

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"session/blocker"
)

// StateFile is where the State stands, relative to the root of the work tree (seed 001, State File).
const StateFile = ".claude/session-state.json"

// SchemaVersion is the version of the state file that this program writes. Readers refuse a greater one.
const SchemaVersion = 1

// State is what the developer left off with. The first thirteen fields are the seed's, in its order; what follows was
// added. Times are UTC, whole seconds, RFC 3339.
type State struct {
	Mode           string           `json:"mode"` // quick, sync or full
	SavedAt        time.Time        `json:"saved_at"`
	GitBranch      string           `json:"git_branch"` // short name; "HEAD" when detached; "" outside git
	GitCommit      string           `json:"git_commit"` // full object id; "" before the first commit
	GitPushed      bool             `json:"git_pushed"`
	OpenSpec       string           `json:"openspec"`        // id of the active change; "" when there is none
	OpenSpecStatus string           `json:"openspec_status"` // NO_TASKS IN_PROGRESS COMPLETE NONE ARCHIVED NOT_FOUND
	WorkingOn      string           `json:"working_on"`
	NextSteps      []string         `json:"next_steps"`
	Blocker        *blocker.Blocker `json:"blocker"`
	CompletedTasks []string         `json:"completed_tasks"` // with entries of empty text, as OpenSpec counts them
	PendingTasks   []string         `json:"pending_tasks"`   // the next one first
	TaskProgress   Progress         `json:"task_progress"`

	SchemaVersion int               `json:"schema_version"`
	Origin        string            `json:"origin"`                // what wrote it: save, hook, resume, run, …
	Snapshot      string            `json:"snapshot"`              // id of the snapshot that it stands at
	Line          string            `json:"line,omitempty"`        // id of the path's first snapshot
	TaskSource    string            `json:"task_source,omitempty"` // openspec, spec-kit, kiro, task-master, by-hand
	Blockers      []blocker.Blocker `json:"blockers,omitempty"`    // all that hold, the first one is Blocker
	Words         Words             `json:"words"`
}

// Progress counts tasks. Percentage is rounded to the nearest whole (seed 001: 5 of 12 is 42), 0 when there are none.
type Progress struct {
	Completed  int `json:"completed"`
	Total      int `json:"total"`
	Percentage int `json:"percentage"`
}

// NewProgress counts.
func NewProgress(completed, total int) Progress {
	p := Progress{Completed: completed, Total: total}
	if total > 0 {
		p.Percentage = int(math.Round(100 * float64(completed) / float64(total)))
	}
	return p
}

// Words says where working_on and next_steps came from, so that the next save knows whether they still hold. From is
// the mark of what they would be derived from (the current task, or the last commit and branch): while it is the same,
// a person's words are carried forward.
type Words struct {
	SaidWorkingOn bool   `json:"said_working_on,omitempty"`
	SaidNextSteps bool   `json:"said_next_steps,omitempty"`
	SaidChange    bool   `json:"said_change,omitempty"`
	From          string `json:"from,omitempty"`
}

// FromCommit begins Words.From where words are derived from the last commit's subject: whoever made the commit chose them.
const FromCommit = "commit"

// Others reports which words are somebody's who made a commit, neither a person's at a save nor a task's.
func (w Words) Others() (workingOn, nextSteps bool) {
	commit := strings.HasPrefix(w.From, FromCommit+" ")
	return commit && !w.SaidWorkingOn, commit && !w.SaidNextSteps
}

// Bytes is the state file's content: indented JSON with a line break at the end.
func (s State) Bytes() ([]byte, error) {
	s.fill()
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write the state: %w", err)
	}
	return append(b, '\n'), nil
}

// fill makes absent lists empty ones: readers of the file may count on arrays.
func (s *State) fill() {
	for _, l := range []*[]string{&s.NextSteps, &s.CompletedTasks, &s.PendingTasks} {
		if *l == nil {
			*l = []string{}
		}
	}
	s.SavedAt = s.SavedAt.UTC().Truncate(time.Second)
	s.SchemaVersion = SchemaVersion
}
