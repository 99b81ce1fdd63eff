package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"session/internal/lifecycle"
	"session/internal/session"
	"session/internal/snapshot"

	"github.com/tidwall/gjson"
)

// maxOfPath bounds how often a path's Session is deleted or ended and made again.
const maxOfPath = 1000

// ofPath is the Session that a path is to its owner, made of the draft if there is none. Its id is that of the path's line,
// as long as that Session is theirs and goes on; behind one that has ended, was deleted, or is somebody else's, who works on
// the same branch, comes one with the line's id and a suffix.
func (x *Sessions) ofPath(ctx context.Context, d lifecycle.Draft) (lifecycle.Session, error) {
	line := d.ID
	for n := range maxOfPath {
		if n > 0 {
			d.ID, d.WorkTree = line+lifecycle.ID(successor(n, d.Owner)), true
		}
		s, err := lifecycle.Ensure(ctx, x, d)
		switch {
		case err == nil && !s.Status.Final():
			return s, nil
		case err == nil:
			d.Parent = s.ID
		case !errors.Is(err, lifecycle.ErrTaken):
			return s, err
		}
	}
	return lifecycle.Session{}, fmt.Errorf("find the session of line %s: %w", line, lifecycle.ErrTaken)
}

// successor ends the id of a path's Session that is not the first one.
func successor(n int, o lifecycle.Owner) string {
	if n == 1 {
		return ".own"
	}
	sum := sha256.Sum256([]byte(o))
	return fmt.Sprintf(".%s.%d", hex.EncodeToString(sum[:4]), n)
}

// lineOf is the line whose Session this is.
func lineOf(id lifecycle.ID) string {
	line, _, _ := strings.Cut(string(id), ".")
	return line
}

// countedKey is where a Session's metadata say up to which snapshot its conversations are in its tokens and its cost.
const countedKey = "session.counted"

// Bounds of a count: so many snapshots back, so long, so many tries against others that count.
const (
	maxCounted  = 1000
	countFor    = 3 * time.Second
	countTrials = 5
)

// count adds what the conversations that a save took in have cost to the Session of its path. What could not be counted, or
// was not because the program died, is counted with the next save that brings a conversation.
func (v *saving) count(ctx context.Context, chain *snapshot.Store, made snapshot.Manifest, b session.Bundle) error {
	if b.Messages.Spent == nil || made.Kind == snapshot.Auto {
		return nil
	}
	ctx, stop := context.WithTimeoutCause(context.WithoutCancel(ctx), countFor, fmt.Errorf("it took longer than %s", countFor))
	defer stop()
	x, err := v.sessions(ctx, SessionsOptions{})
	if err != nil {
		return err
	}
	err = x.count(ctx, chain, made, lifecycle.Draft{ID: lifecycle.ID(made.Line), Owner: x.Owner, Language: string(v.Words.Lang()), WorkTree: true})
	return errors.Join(err, x.Close())
}

func (x *Sessions) count(ctx context.Context, chain *snapshot.Store, made snapshot.Manifest, d lifecycle.Draft) error {
	var changed *lifecycle.ChangedError
	for range countTrials {
		s, err := x.ofPath(ctx, d)
		if err != nil {
			return err
		}
		spent, err := spentSince(ctx, chain, made, gjson.GetBytes(s.Metadata, gjson.Escape(countedKey)).String())
		if err != nil || spent == (session.Spent{}) {
			return err
		}
		_, err = x.Change(ctx, s.Key(), lifecycle.Change{Version: s.Version, Tokens: tokensOf(spent), CostMicro: max(0, spent.CostMicroUSD),
			Metadata: noted(s.Metadata, countedKey, raw(made.ID))})
		if !errors.As(err, &changed) { // else somebody else was faster, and may have counted the same
			return err
		}
	}
	return changed
}

// tokensOf is how many tokens a conversation took, as the answers of agents are counted.
func tokensOf(s session.Spent) int64 {
	return max(0, s.Input) + max(0, s.Output) + max(0, s.CacheRead) + max(0, s.CacheWrite)
}

// noted is a Session's metadata with one thing more in them.
func noted(metadata json.RawMessage, key string, value json.RawMessage) json.RawMessage {
	all := map[string]json.RawMessage{}
	if metadata != nil && json.Unmarshal(metadata, &all) != nil {
		all = map[string]json.RawMessage{"metadata": metadata} // it was no object
	}
	all[key] = value
	return raw(all)
}

// spentSince sums what conversations cost from a snapshot back to the one that was counted last, on its own line. What lies
// behind a snapshot that was removed is not known any more.
func spentSince(ctx context.Context, chain *snapshot.Store, from snapshot.Manifest, counted string) (session.Spent, error) {
	var sum session.Messages
	n := 0
	for a, err := range chain.Walk(ctx, from.ID) {
		if err != nil {
			return session.Spent{}, err
		}
		if n++; a.Removed != nil || string(a.ID) == counted || a.Line != from.Line || n > maxCounted {
			break
		}
		b, err := readBundle(ctx, chain, a.ID)
		if err != nil {
			return session.Spent{}, err
		}
		sum.Add(session.Messages{Spent: b.Messages.Spent})
	}
	if sum.Spent == nil {
		return session.Spent{}, nil
	}
	return *sum.Spent, nil
}
