package capture

import (
	"context"
	"fmt"

	"session/gitstate"
	"session/internal/survey"
	"session/openspec"
)

// look reads the world once.
func (w World) look(ctx context.Context, d *Draft) error {
	base := d.Base.State()
	ask := survey.Ask{Untracked: gitstate.Files, Config: true, History: true, Change: d.Ask.Change,
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
	var err error
	if d.Scene, err = w.Sources.Look(ctx, ask); err != nil {
		return err
	}
	for _, f := range d.Scene.Failures {
		d.find(failure(f))
	}
	if g := d.Scene.Git; g != nil {
		d.Stage.Commit = g.Head.Commit
		if err := w.sameBranch(ctx, g); err != nil {
			return err
		}
	}
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
