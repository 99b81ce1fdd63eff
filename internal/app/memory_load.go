package app

import (
	"context"

	"session/internal/memory"
	"session/internal/recovery"
	"session/internal/session"
)

// orSay is a search for a load: memory is an aid, and where it cannot be asked the brief says so and goes on.
func orSay(d *recovery.Draft, search func(context.Context, memory.Query) ([]memory.Found, error)) func(context.Context, memory.Query) ([]memory.Found, error) {
	return func(ctx context.Context, q memory.Query) ([]memory.Found, error) {
		found, err := search(ctx, q)
		if err == nil || ctx.Err() != nil {
			return found, err
		}
		f := session.NewFinding(session.SourceFailed, "source.failed", "source", "memory", "cause", err)
		d.Notes = append(d.Notes, f.Offer("repair", "session", "check", "--repair"))
		return nil, nil
	}
}
