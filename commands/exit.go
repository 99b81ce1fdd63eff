package commands

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"session/gitstate"
	"session/internal/app"
	"session/internal/snapshot"
	"session/openspec"
)

// exitCode is the one switch that turns errors into exit codes, by type.
func exitCode(ctx context.Context, err error) int {
	var (
		use       *usage
		nothing   *app.NothingSavedError
		corrupt   *app.CorruptStateError
		damaged   *snapshot.ErrCorrupt
		conflict  *snapshot.ErrConflict
		busy      *snapshot.ErrBusy
		continued *snapshot.ErrContinued
		root      *openspec.RootError
	)
	switch {
	case ctx.Err() != nil || errors.Is(err, context.Canceled):
		return app.Interrupted
	case errors.As(err, &use), app.IsUsage(err):
		return app.Usage
	case errors.As(err, &nothing), errors.Is(err, snapshot.ErrNothing):
		return app.Nothing
	case errors.As(err, &corrupt), errors.As(err, &damaged), errors.As(err, &conflict):
		return app.Corrupt
	case errors.As(err, &busy), errors.As(err, &continued):
		return app.Busy
	case errors.As(err, &root):
		return app.Failed
	}
	return app.Failed
}

// explain words an error and its way out.
func (r *root) explain(err error) (message, hint string) {
	say := r.words.Say
	message = say("error.plain", "err", err)
	var (
		use     *usage
		nothing *app.NothingSavedError
		corrupt *app.CorruptStateError
		bare    *gitstate.BareError
		busy    *snapshot.ErrBusy
		lost    *snapshot.ErrCorrupt
	)
	switch {
	case errors.Is(err, context.Canceled):
		return say("error.interrupted"), say("hint.interrupted")
	case errors.As(err, &use):
		return message, say("hint.usage")
	case errors.As(err, &nothing):
		return say("error.nothing", "where", nothing.Where), say("hint.nothing")
	case errors.As(err, &corrupt):
		return say("error.corrupt", "file", corrupt.File, "why", corrupt.Err), say("hint.corrupt")
	case errors.As(err, &lost):
		return message, say("hint.check")
	case errors.As(err, &bare):
		return say("error.bare", "dir", bare.Dir), say("hint.bare")
	case errors.As(err, &busy):
		return message, say("hint.busy")
	case errors.Is(err, snapshot.ErrReadOnly), errors.Is(err, snapshot.ErrDenied), errors.Is(err, fs.ErrPermission):
		return message, say("hint.read-only")
	case errors.Is(err, snapshot.ErrFull):
		return message, say("hint.full")
	}
	return message, r.explainTasks(err)
}

func (r *root) explainTasks(err error) string {
	if candidates, ok := app.Candidates(err); ok {
		if len(candidates) == 0 {
			return r.words.Say("hint.no-change")
		}
		return r.words.Say("hint.changes", "list", candidates)
	}
	return ""
}

// unknown refuses a command that there is not, naming the nearest.
func (r *root) unknown(name string) error {
	var near []string
	for _, c := range r.commands() {
		if strings.HasPrefix(c.Name, name[:min(2, len(name))]) {
			near = append(near, c.Name)
		}
	}
	if len(near) > 0 {
		return &usage{fmt.Errorf("%s", r.words.Say("usage.unknown-near", "name", name, "near", near))}
	}
	return &usage{fmt.Errorf("%s", r.words.Say("usage.unknown", "name", name))}
}
