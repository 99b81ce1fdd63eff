package app

import (
	"context"
	"errors"

	"session/internal/memory"
	"session/internal/recovery"
	"session/internal/session"
)

// orSay is a search for a load in a place that lets nobody ask, a full disk say: the brief says so and goes on. Damage is
// an error, and never no answer (S3.6).
func orSay(d *recovery.Draft, search func(context.Context, memory.Query) ([]memory.Found, error)) func(context.Context, memory.Query) ([]memory.Found, error) {
	return func(ctx context.Context, q memory.Query) ([]memory.Found, error) {
		found, err := search(ctx, q)
		if err == nil || ctx.Err() != nil || errors.Is(err, memory.ErrDamaged) {
			return found, err
		}
		f := session.Unread("memory", err)
		d.Notes = append(d.Notes, f.Offer("repair", "session", "check", "--repair"))
		return nil, nil
	}
}
