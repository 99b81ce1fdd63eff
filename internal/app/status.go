package app

import (
	"context"
	"fmt"

	"session/blocker"
	"session/gitstate"
	"session/internal/capture"
	"session/internal/session"
	"session/internal/survey"
	"session/openspec"
)

// StatusResult is what a save would record now.
type StatusResult struct {
	Git      *GitStatus        `json:"git"` // null outside git
	Tasks    TasksResult       `json:"tasks"`
	Blocker  *blocker.Blocker  `json:"blocker"`
	CI       *CIStatus         `json:"ci"`    // what it last said; null where it was never asked
	Saved    *SavedStatus      `json:"saved"` // null: nothing was saved yet
	Findings []session.Finding `json:"findings"`
	Hooks    []HookStatus      `json:"hooks"`
}

// GitStatus is the work tree in short.
type GitStatus struct {
	Branch     string   `json:"branch"`
	Commit     string   `json:"commit"`
	Upstream   string   `json:"upstream"`
	Ahead      int      `json:"ahead"`
	Behind     int      `json:"behind"`
	Modified   int      `json:"modified"`
	New        int      `json:"new"`
	Deleted    int      `json:"deleted"`
	Unmerged   []string `json:"unmerged"`
	Operations []string `json:"operations"`
}

// SavedStatus is the last save in short.
type SavedStatus struct {
	Snapshot  string   `json:"snapshot"`
	SavedAt   string   `json:"saved_at"`
	Mode      string   `json:"mode"`
	WorkingOn string   `json:"working_on"`
	NextSteps []string `json:"next_steps"`
}

// StatusOptions is what session status was asked.
type StatusOptions struct {
	CI bool // ask GitHub now
}

// Status says what a save would record now. A damaged state file is a finding here, not an error.
func Status(ctx context.Context, p Place, o StatusOptions) (StatusResult, error) {
	s, err := p.open(ctx)
	if err != nil {
		return StatusResult{}, err
	}
	var notes []session.Finding
	if o.CI {
		if notes, err = s.asked(ctx); err != nil {
			return StatusResult{}, err
		}
	}
	from, err := s.saved(ctx, "")
	switch {
	case isNothing(err):
		from = saved{}
	case err != nil:
		from = saved{}
		notes = append(notes, session.Unread(session.StateFile, err))
	}
	scene, err := s.sources().Look(ctx, survey.Ask{Untracked: gitstate.Folders, Recorded: survey.Recorded{Change: from.state.OpenSpec, Done: from.state.CompletedTasks}})
	if err != nil {
		return StatusResult{}, err
	}
	for _, f := range scene.Failures {
		notes = append(notes, session.Unread(f.Source, f.Err))
	}
	r := StatusResult{Git: gitStatus(scene.Git), Tasks: tasksResult(scene.Tasks), Blocker: from.state.Blocker, Findings: p.word(notes), CI: s.ci()}
	if from.state.Mode != "" {
		r.Saved = &SavedStatus{Snapshot: from.state.Snapshot, SavedAt: from.state.SavedAt.Format("2006-01-02T15:04:05Z07:00"), Mode: from.state.Mode,
			WorkingOn: from.state.WorkingOn, NextSteps: from.state.NextSteps}
	}
	r.Hooks, err = s.hooks(ctx, true)
	return r, err
}

func gitStatus(g *survey.Git) *GitStatus {
	if g == nil {
		return nil
	}
	r := &GitStatus{Branch: g.Head.Branch(), Commit: g.Head.Commit, Upstream: g.Upstream, Ahead: g.Ahead, Behind: g.Behind,
		Unmerged: append([]string{}, g.Unmerged()...), Operations: []string{}}
	for _, op := range g.Operations {
		r.Operations = append(r.Operations, string(op))
	}
	for _, e := range g.Entries {
		switch {
		case e.Path == session.StateFile:
		case e.Kind == gitstate.Untracked || e.X == 'A':
			r.New++
		case e.X == 'D' || e.Y == 'D':
			r.Deleted++
		default:
			r.Modified++
		}
	}
	return r
}

// TasksResult is task progress as the OpenSpec program counts it.
type TasksResult struct {
	Source     string     `json:"source"`
	Change     string     `json:"change"`
	Completed  int        `json:"completed"`
	Total      int        `json:"total"`
	Percentage int        `json:"percentage"`
	Status     string     `json:"status"` // no-tasks, in-progress, complete; "" when there is no change
	Tasks      []TaskItem `json:"tasks"`
	Next       *TaskItem  `json:"next"`
	Why        string     `json:"why"`
	Candidates []string   `json:"candidates"`
	Warnings   []string   `json:"warnings"`
	Archive    string     `json:"archive,omitempty"` // where the change lies that was asked for, if it was archived

	Work openspec.Work `json:"-"`
}

// TaskItem is one task.
type TaskItem struct {
	ID          string `json:"id"`
	Description string `json:"description"`
	Done        bool   `json:"done"`
	File        string `json:"file"`
	Line        int    `json:"line"`
	Heading     string `json:"heading,omitempty"`
}

// TasksOptions is what session tasks was asked.
type TasksOptions struct {
	Change string
}

// Tasks reads the task progress.
func Tasks(ctx context.Context, p Place, o TasksOptions) (TasksResult, error) {
	s, err := p.open(ctx)
	if err != nil {
		return TasksResult{}, err
	}
	var rec survey.Recorded
	from, unread := s.saved(ctx, "")
	if unread == nil {
		rec.Change, rec.Done = from.state.OpenSpec, from.state.CompletedTasks
	}
	work, err := s.sources().FindTasks(ctx, survey.Ask{Change: o.Change, Recorded: rec})
	if err != nil {
		return TasksResult{}, err
	}
	if o.Change != "" && (work.Source == "" || work.Status == openspec.NotFound || work.Status == openspec.None) {
		e := &NoChangeError{Change: o.Change}
		for _, c := range work.Candidates {
			e.Candidates = append(e.Candidates, c.ID)
		}
		return TasksResult{}, e
	}
	r := tasksResult(work)
	if unread == nil && work.Source == "" && from.state.TaskSource == capture.ByHand {
		r.byHand(from.state)
	}
	if unread != nil && !isNothing(unread) { // the list holds without it; which change is current may not
		r.Warnings = append(r.Warnings, unread.Error())
	}
	return r, nil
}

func tasksResult(w openspec.Work) TasksResult {
	r := TasksResult{Source: string(w.Source), Change: w.Change, Completed: w.Completed, Total: w.Total, Percentage: w.Percentage(),
		Status: w.Status.Word(), Tasks: []TaskItem{}, Candidates: []string{}, Warnings: []string{}, Work: w, Why: string(w.Why.Reason)}
	for _, t := range w.Tasks {
		if !t.Uncounted {
			r.Tasks = append(r.Tasks, taskItem(t))
		}
	}
	if w.Next != nil {
		n := taskItem(*w.Next)
		r.Next = &n
	}
	for _, c := range w.Candidates {
		r.Candidates = append(r.Candidates, c.ID)
	}
	for _, x := range w.Warnings {
		r.Warnings = append(r.Warnings, x.String())
	}
	if w.Archive != nil {
		r.Archive = w.Archive.Dir
	}
	return r
}

// byHand fills in the tasks that a person keeps with --todo and --done.
func (r *TasksResult) byHand(st session.State) {
	p := st.TaskProgress
	r.Source, r.Completed, r.Total, r.Percentage, r.Status = capture.ByHand, p.Completed, p.Total, p.Percentage, "in-progress"
	if p.Completed == p.Total {
		r.Status = "complete"
	}
	for _, t := range st.CompletedTasks {
		r.Tasks = append(r.Tasks, TaskItem{Description: t, Done: true})
	}
	for _, t := range st.PendingTasks {
		r.Tasks = append(r.Tasks, TaskItem{Description: t})
	}
	if len(st.PendingTasks) > 0 {
		r.Next = &TaskItem{Description: st.PendingTasks[0]}
	}
}

// NoChangeError says that tasks of a change were asked for that is not there.
type NoChangeError struct {
	Change     string
	Candidates []string
}

func (e *NoChangeError) Error() string { return fmt.Sprintf("there is no change %q", e.Change) }

func taskItem(t openspec.Task) TaskItem {
	return TaskItem{ID: t.ID, Description: t.Description, Done: t.Done, File: t.File, Line: t.Line, Heading: t.Heading}
}
