package app

import (
	"context"
	"errors"
	"strings"

	"session/internal/capture"
	"session/internal/proc"
	"session/internal/session"
	"session/internal/snapshot"
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
	if a.ID == "switch" || a.ID == "recreate" {
		return actSwitch(ctx, p, a)
	}
	s, err := p.open(ctx)
	if err != nil {
		return Acted{}, err
	}
	out, err := s.program(ctx, a.Command)
	return Acted{Output: out}, err
}

func (s *site) program(ctx context.Context, args []string) (string, error) {
	r, err := proc.Run(ctx, proc.Command{Args: args, Dir: s.root, Env: s.Env})
	return strings.TrimSpace(string(r.Stdout) + string(r.Stderr)), err
}

// actSwitch goes back to the branch of the state. What is in the work tree is saved first, on the branch where it is;
// afterwards the work tree stands again where it stood.
func actSwitch(ctx context.Context, p Place, a session.Action) (Acted, error) {
	s, err := p.open(ctx)
	if err != nil {
		return Acted{}, err
	}
	stood, err := s.saved(ctx, "")
	if err != nil {
		return Acted{}, err
	}
	var done Acted
	st, err := Status(ctx, p, StatusOptions{})
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
	if done.Output, err = s.program(ctx, a.Command); err != nil || stood.chain == nil {
		return done, err
	}
	return done, s.stand(ctx, stood)
}

// stand writes the projections of a snapshot, so that the work tree stands at it.
func (s *site) stand(ctx context.Context, at saved) (err error) {
	fs, chain, err := s.shelf(ctx, false)
	if err != nil {
		return err
	}
	id, err := snapshot.ParseID(at.state.Snapshot)
	if err != nil {
		return nil // taken at its word: there is no snapshot to stand at
	}
	snap, err := chain.Load(ctx, id)
	if err != nil {
		return err
	}
	lease, err := fs.Acquire(ctx, chain.LeaseKey(snap.Path), s.holder(""), leaseWait)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lease.Release(ctx)) }()
	b, err := session.ReadBundle(snap.Bundle.Environment, snap.Bundle.Context, snap.Bundle.Messages)
	if err != nil {
		return err
	}
	if err := s.writeState(ctx, snap.Manifest, b); err != nil {
		return err
	}
	return s.writeRef(ctx, snap.Manifest, b)
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
