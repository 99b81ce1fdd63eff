package capture

import (
	"fmt"
	"slices"

	"session/internal/session"
	"session/openspec"
)

// Tasks is the task progress as the state shows it.
type Tasks struct {
	Source    string // openspec, spec-kit, …, by-hand; "" if there are none
	Change    string // OpenSpec only
	Status    string // of seed 001's openspec_status
	Said      bool   // the change was named by a person, now or at an earlier save
	Completed []string
	Pending   []string // the one to go on with first
	Steps     []string // the first pending ones with their headings, at most three
	Kept      bool     // they are the last save's: now they could not be read
}

// ByHand is the task source of tasks that a person keeps with --done and --todo.
const ByHand = "by-hand"

// UnknownChangeError says that a change was named that is not active.
type UnknownChangeError struct {
	Change     string
	Status     openspec.Status
	Candidates []string
}

func (e *UnknownChangeError) Error() string {
	if e.Status == openspec.Archived {
		return fmt.Sprintf("the change %q is archived", e.Change)
	}
	return fmt.Sprintf("there is no change %q", e.Change)
}

// TasksElsewhereError says that tasks cannot be kept by hand because a file keeps them.
type TasksElsewhereError struct{ File string }

func (e *TasksElsewhereError) Error() string {
	return "the tasks of this work tree stand in " + e.File + ": tick them there"
}

// tasks reads the task facts off the scene. Without a task source, tasks are what the last save kept, changed by --done
// and --todo.
func tasks(d *Draft) (Tasks, error) {
	w := d.Scene.Tasks
	if d.Ask.Change != "" && (w.Source != openspec.OpenSpec || w.Status == openspec.NotFound || w.Status == openspec.Archived || w.Status == openspec.None) {
		e := &UnknownChangeError{Change: d.Ask.Change, Status: w.Status}
		if w.Source == openspec.OpenSpec { // changes of another source cannot be named here
			for _, c := range w.Candidates {
				e.Candidates = append(e.Candidates, c.ID)
			}
		}
		return Tasks{}, e
	}
	t, kept := lastKnown(d)
	if !kept && (w.Source == "" || w.Change == "") {
		return byHand(d)
	}
	if len(d.Ask.Done)+len(d.Ask.Todo) > 0 {
		file := w.Dir
		if len(w.Files) > 0 {
			file = w.Files[0]
		}
		return Tasks{}, &TasksElsewhereError{File: file}
	}
	if kept {
		return t, nil
	}
	t = Tasks{Source: string(w.Source), Status: string(openspec.None)}
	if w.Source == openspec.OpenSpec {
		t.Change, t.Status = w.Change, string(w.Status)
		t.Said = d.Ask.Change != "" || d.Base.State().Words.SaidChange && d.Base.State().OpenSpec == w.Change
	}
	for _, task := range w.Done() {
		t.Completed = append(t.Completed, task.Description)
	}
	for _, p := range w.Pending() {
		t.Pending = append(t.Pending, p.Description)
	}
	for _, s := range w.Steps(3) {
		t.Steps = append(t.Steps, headed(s))
	}
	return t, nil
}

// lastKnown are the tasks of the last save, where they are there and could not be read now: they are not gone.
func lastKnown(d *Draft) (Tasks, bool) {
	w, base := d.Scene.Tasks, d.Base.State()
	if w.Unread() == nil || base.TaskSource == "" || base.TaskSource == ByHand || base.OpenSpec != "" && w.Change != base.OpenSpec ||
		w.Source != "" && string(w.Source) != base.TaskSource {
		return Tasks{}, false
	}
	t := Tasks{Source: base.TaskSource, Change: base.OpenSpec, Status: base.OpenSpecStatus, Said: d.Ask.Change != "" || base.Words.SaidChange,
		Completed: base.CompletedTasks, Pending: base.PendingTasks, Kept: true}
	t.Steps = t.Pending[:min(3, len(t.Pending))]
	return t, true
}

// headed is a task with the heading that it stands under.
func headed(t openspec.Task) string {
	if t.Heading == "" {
		return t.Description
	}
	return t.Heading + " › " + t.Description
}

func byHand(d *Draft) (Tasks, error) {
	base := d.Base.State()
	t := Tasks{Status: string(openspec.None)}
	if gone := d.Scene.Gone; gone != nil && base.OpenSpec != "" { // the last change ended and no other is active
		t.Change, t.Status = base.OpenSpec, string(gone.Status)
	}
	if base.TaskSource == ByHand {
		t.Completed, t.Pending = slices.Clone(base.CompletedTasks), slices.Clone(base.PendingTasks)
	}
	for _, todo := range d.Ask.Todo {
		t.Completed = remove(t.Completed, todo) // to do again
		if !slices.Contains(t.Pending, todo) {
			t.Pending = append(t.Pending, todo)
		}
	}
	for _, done := range d.Ask.Done {
		t.Pending = remove(t.Pending, done)
		if !slices.Contains(t.Completed, done) {
			t.Completed = append(t.Completed, done)
		}
	}
	if len(t.Completed)+len(t.Pending) > 0 {
		t.Source = ByHand
	}
	t.Steps = t.Pending[:min(3, len(t.Pending))]
	return t, nil
}

func remove(list []string, s string) []string {
	return slices.DeleteFunc(list, func(x string) bool { return x == s })
}

func (t Tasks) progress() session.Progress {
	return session.NewProgress(len(t.Completed), len(t.Completed)+len(t.Pending))
}
