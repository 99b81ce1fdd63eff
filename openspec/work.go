package openspec

import (
	"slices"
	"strings"
)

// Source names where tasks come from.
type Source string

// The sources, in the order in which they are asked.
const (
	OpenSpec   Source = "openspec"
	SpecKit    Source = "spec-kit"
	Kiro       Source = "kiro"
	TaskMaster Source = "task-master"
	Beads      Source = "beads"
)

// Status is how far a change is: the upper-case image of the OpenSpec program's words, and three of ours.
type Status string

// The values of seed 001's openspec_status.
const (
	NoTasks    Status = "NO_TASKS"    // no boxes
	InProgress Status = "IN_PROGRESS" // boxes, not all ticked; none ticked is in progress too
	Complete   Status = "COMPLETE"    // every box ticked
	None       Status = "NONE"        // no project, or no active change in it
	Archived   Status = "ARCHIVED"    // the change asked for lies in the archive
	NotFound   Status = "NOT_FOUND"   // the change asked for is neither active nor archived
)

// statusOf is `openspec list`'s rule. It never looks at the percentage: 199 of 200 rounds to 100.
func statusOf(completed, total int) Status {
	switch {
	case total == 0:
		return NoTasks
	case completed == total:
		return Complete
	}
	return InProgress
}

// Word is the OpenSpec program's own word: no-tasks, in-progress or complete; "" for a status that it does not know.
func (s Status) Word() string {
	switch s {
	case NoTasks:
		return "no-tasks"
	case InProgress:
		return "in-progress"
	case Complete:
		return "complete"
	}
	return ""
}

// Percentage is completed of total in percent, half rounded up as in seed 001 (5 of 12 is 42); 0 of 0 is 0.
func Percentage(completed, total int) int {
	if total <= 0 {
		return 0
	}
	return int((200*int64(completed) + int64(total)) / (2 * int64(total)))
}

// Candidate is one active change.
type Candidate struct {
	ID               string
	Dir              string // slash path relative to [Place].Top
	Status           Status // NoTasks, InProgress or Complete
	Completed, Total int
}

// RootKind says how a project was found.
type RootKind string

// How a project was found. Nearest and Implicit are the program's words.
const (
	RootNearest  RootKind = "nearest"  // the nearest folder at or above Place.Dir
	RootImplicit RootKind = "implicit" // a layout older than config.yaml: openspec/project.md and nothing else
	RootNested   RootKind = "nested"   // the only one below Place.Top; the program would not see it
)

// Archive is where an archived change lies.
type Archive struct {
	Dir  string // slash path relative to [Place].Top
	Date string // YYYY-MM-DD from its name; "" if that has none
}

// Work is the answer of [Find].
type Work struct {
	Source           Source   // "" if there is no task source
	Root             string   // folder of the project, slash path relative to [Place].Top; "." if they are the same
	RootKind         RootKind // OpenSpec only
	Change           string   // the chosen one, or the one asked for
	Dir              string   // its folder
	Status           Status
	Why              Why // why this change
	Files            []string
	Tasks            []Task
	Completed, Total int
	Next             *Task  // task to go on with, one of Tasks; nil if none can be offered
	Resume           Resume // why this task
	Candidates       []Candidate
	Archive          *Archive // Archived only
	Warnings         []Warning
}

// Percentage of the chosen change.
func (w Work) Percentage() int { return Percentage(w.Completed, w.Total) }

// Unread says why tasks of the chosen change, or of the only source, were not read: they are not gone. nil: all were.
func (w Work) Unread() error {
	for _, x := range w.Warnings {
		if err := x.Unread(); err != nil && w.concerns(x) {
			return err
		}
	}
	return nil
}

func (w Work) concerns(x Warning) bool {
	switch w.Source {
	case OpenSpec, SpecKit, Kiro: // a folder for each change
		return w.Dir != "" && strings.HasPrefix(x.Path, w.Dir+"/") && (x.Code != WarnFormat || w.Total == 0)
	}
	return x.Code != WarnFormat || w.Total == 0
}

// Done lists the counted tasks that are done, in document order. It has Completed entries.
func (w Work) Done() []Task {
	return slices.DeleteFunc(slices.Clone(w.Tasks), func(t Task) bool { return t.Uncounted || !t.Done })
}

// Pending is an open task.
type Pending struct {
	Task
	Skipped bool // it stands before the task to go on with and was passed over
}

// Pending lists the counted open tasks in document order, but the one to go on with first (or the counted task that it
// belongs to). It has Total minus Completed entries, those without text included: they are counted, never offered.
func (w Work) Pending() []Pending {
	lead := w.lead()
	var first, rest []Pending
	for i, t := range w.Tasks {
		switch {
		case t.Done || t.Uncounted:
		case i == lead:
			first = append(first, Pending{Task: t})
		default:
			rest = append(rest, Pending{t, i < lead && !w.encloses(i, lead)})
		}
	}
	return append(first, rest...)
}

// lead is the index of the counted task at or above Next, -1 without one.
func (w Work) lead() int {
	i := w.next()
	for i >= 0 && w.Tasks[i].Uncounted {
		parent := w.Tasks[i].Parent
		i = slices.IndexFunc(w.Tasks[:i], func(t Task) bool { return t.ID == parent })
	}
	return i
}

func (w Work) next() int {
	for i := range w.Tasks {
		if &w.Tasks[i] == w.Next {
			return i
		}
	}
	return -1
}

// encloses reports whether task i is a parent of task j: it was not skipped, work goes on inside it.
func (w Work) encloses(i, j int) bool {
	for k := i + 1; k <= j; k++ {
		if !w.Tasks[k].within(w.Tasks[i]) {
			return false
		}
	}
	return i < j
}

// Steps gives up to n tasks that can be offered as next steps: the one to go on with, then what follows it, then what
// was skipped. Tasks without text are left out.
func (w Work) Steps(n int) []Task {
	at := w.next()
	if at < 0 || n <= 0 {
		return nil
	}
	steps := []Task{w.Tasks[at]}
	for k := 1; k < len(w.Tasks) && len(steps) < n; k++ {
		i := (at + k) % len(w.Tasks)
		if t := w.Tasks[i]; t.offered() && !(i < at && w.encloses(i, at)) {
			steps = append(steps, t)
		}
	}
	return steps
}
