package app

import (
	"context"
	"errors"
	"strings"

	"session/internal/capture"
	"session/internal/proc"
	"session/internal/session"
)

// Acted is what doing an action led to.
type Acted struct {
	Saved  *SaveResult // a save was made, by itself or before something else
	Output string      // what a program said
}

// Act does one of the ways out that a finding offers. Work is never lost on the way: before the branch is switched, what
// is in the work tree is saved on the branch where it is.
func Act(ctx context.Context, p Place, a session.Action) (Acted, error) {
	if len(a.Command) == 0 {
		return Acted{}, &UsageError{errors.New("this takes a person")}
	}
	if a.Command[0] == "session" {
		return actSession(ctx, p, a)
	}
	var done Acted
	if a.ID == "switch" || a.ID == "recreate" {
		st, err := Status(ctx, p)
		if err != nil {
			return done, err
		}
		if g := st.Git; g != nil && g.Modified+g.New+g.Deleted > 0 {
			saved, err := Save(ctx, p, SaveOptions{})
			if err != nil {
				return done, err
			}
			done.Saved = &saved
			if saved.refused() {
				return done, nil // it could not be committed: the work tree stays as it is, and so does the branch
			}
		}
	}
	s, err := p.open(ctx)
	if err != nil {
		return done, err
	}
	r, err := proc.Run(ctx, proc.Command{Args: a.Command, Dir: s.root, Env: p.Env})
	done.Output = strings.TrimSpace(string(r.Stdout) + string(r.Stderr))
	return done, err
}

func (r SaveResult) refused() bool {
	for _, f := range r.Findings {
		if f.Status == session.CommitRefused {
			return true
		}
	}
	return false
}

// actSession does the actions that are commands of our own.
func actSession(ctx context.Context, p Place, a session.Action) (Acted, error) {
	o := SaveOptions{}
	switch a.ID {
	case "save", "commit", "again":
	case "continue":
		o.Ask = capture.Ask{Change: a.Command[len(a.Command)-1]}
	default:
		return Acted{Output: Shell(a.Command)}, nil
	}
	saved, err := Save(ctx, p, o)
	return Acted{Saved: &saved}, err
}
