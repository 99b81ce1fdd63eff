package capture

import (
	"context"
	"fmt"
	"slices"

	"session/gitstate"
	"session/internal/session"
	"session/internal/survey"
	"session/openspec"
)

// look reads the world once.
func (w World) look(ctx context.Context, d *Draft) error {
	base := d.Base.State()
	ask := survey.Ask{Untracked: gitstate.Files, Config: true, Stage: true, History: true, Change: d.Ask.Change,
		Recorded: survey.Recorded{Ref: w.Ref, Change: base.OpenSpec, Done: base.CompletedTasks}}
	if g := d.Base.Environment.Git; g != nil {
		ask.Recorded.Commit = g.Head
	}
	if d.Ask.TrackedOnly {
		ask.Untracked = gitstate.NoFiles
	}
	if base.Words.SaidChange && ask.Change == "" && base.OpenSpecStatus != string(openspec.Complete) {
		ask.Prefer = base.OpenSpec
	}
	d.Scene.Close() // of an earlier look
	var err error
	if d.Scene, err = w.Sources.Look(ctx, ask); err != nil {
		return err
	}
	for _, f := range d.Scene.Failures {
		d.find(failure(f))
	}
	if g := d.Scene.Git; g != nil {
		d.Stage.Commit, d.Stage.Unfit = g.Head.Commit, g.Unfit
		w.tracked(d)
		if err := w.sameBranch(ctx, g); err != nil {
			return err
		}
	}
	return nil
}

// glance sees what an autosave may see without a scan of the work tree: HEAD, branch, tasks. What a person said is kept.
func (w World) glance(ctx context.Context, d *Draft) error {
	base := d.Base.State()
	ask := survey.Ask{Glance: true, Recorded: survey.Recorded{Change: base.OpenSpec, Done: base.CompletedTasks}}
	if base.Words.SaidChange {
		ask.Prefer = base.OpenSpec
	}
	var err error
	if d.Scene, err = w.Sources.Look(ctx, ask); err != nil {
		return err
	}
	for _, f := range d.Scene.Failures {
		d.find(failure(f))
	}
	if g := d.Scene.Git; g != nil {
		d.Stage.Commit = g.Head.Commit
	}
	if d.Tasks, err = tasks(d); err != nil {
		return err
	}
	d.Words = Words{WorkingOn: base.WorkingOn, NextSteps: base.NextSteps, SaidWork: base.Words.SaidWorkingOn, SaidNext: base.Words.SaidNextSteps, From: base.Words.From}
	if d.Words.WorkingOn == "" {
		d.Words = w.derive(d)
	}
	d.Stage.Inherited = true
	return nil
}

// SwitchedError says that the branch was switched while a save was starting.
type SwitchedError struct{ From, To string }

func (e *SwitchedError) Error() string {
	return fmt.Sprintf("the branch was switched from %s to %s meanwhile", e.From, e.To)
}

// sameBranch makes sure that the path whose lease is held is the one that was looked at.
func (w World) sameBranch(ctx context.Context, g *survey.Git) error {
	now, err := w.Repo.Head(ctx)
	if err != nil {
		return err
	}
	if w.Ref != now.Ref || g.Head.Ref != now.Ref {
		return &SwitchedError{From: w.Ref, To: now.Ref}
	}
	return nil
}

// tracked says once that the user tracks the state file.
func (w World) tracked(d *Draft) {
	said := slices.ContainsFunc(d.Findings, func(f session.Finding) bool { return f.Status == session.StateFileTracked })
	tracked := slices.ContainsFunc(d.Scene.Git.Entries, func(e gitstate.Entry) bool {
		return e.Path == session.StateFile && e.Kind == gitstate.Tracked
	})
	if tracked && !said {
		d.find(TrackedStateFile())
	}
}

// TrackedStateFile is the finding that the user tracks the state file.
func TrackedStateFile() session.Finding {
	f := session.NewFinding(session.StateFileTracked, "state.tracked", "file", session.StateFile)
	return f.Offer("untrack", "git", "rm", "--cached", session.StateFile)
}
