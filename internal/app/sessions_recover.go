package app

import (
	"context"
	"errors"
	"strings"

	"session/internal/lifecycle"
	"session/internal/recovery"
	"session/internal/snapshot"
)

// recoveryRequest is the type of a question that a recovery asks; the answer goes to the recovery.
const recoveryRequest = "recovery"

// belonging runs a recovery as a part of the Session of the work tree's path; what its agents used and cost, which spent
// holds when recover is back, is the Session's. The path's lease is in hand.
func (s *site) belonging(ctx context.Context, chain *snapshot.Store, run string, o RecoverOptions, spent *finishedRun, recover func(context.Context) (LoadResult, error)) (res LoadResult, err error) {
	x, err := s.sessions(ctx, SessionsOptions{})
	if err != nil {
		return res, err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	head, err := chain.Head(ctx, s.path)
	if err != nil {
		return res, err
	}
	h := &holding{x: x, chain: chain, run: lifecycle.RunID(run + ".recovery"), apart: true, answer: o.Answer,
		draft: lifecycle.Draft{ID: lifecycle.ID(head.Line), Owner: x.Owner, Input: "session load --resume", Language: string(s.Words.Lang()), WorkTree: true}}
	ctx = h.watch(ctx)
	if err = h.begin(ctx); err == nil {
		res, err = recover(ctx)
	}
	return res, h.end(ctx, *spent, err, func(ctx context.Context) error { return h.recovered(ctx, res, *spent) })
}

// recovered records how a recovery ended: where the work stands now, and what a person is asked.
func (h *holding) recovered(ctx context.Context, res LoadResult, spent finishedRun) error {
	k := h.now.Key()
	if id := lifecycle.Snapshot(res.Snapshot); id != "" && id != h.now.Head {
		if _, err := h.x.Checkpoint(ctx, k, h.run, id, ""); err != nil {
			return err
		}
	}
	if step := res.Recovery.Step; step != nil && step.Do == recovery.Ask && step.Blocker != "" {
		if spent.Tokens+spent.Cost > 0 {
			if _, err := h.x.Change(ctx, k, lifecycle.Change{As: h.run, Tokens: spent.Tokens, CostMicro: spent.Cost}); err != nil {
				return err
			}
		}
		_, err := h.x.Ask(ctx, k, lifecycle.Question{ID: lifecycle.RequestID("q" + string(h.run)), As: h.run, Type: recoveryRequest, TimeOut: decisionTime,
			Data: raw(map[string]string{"question": clip(strings.Join(append([]string{step.Message}, step.Quotes...), "\n"), 1<<16), "blocker": step.Blocker})})
		return err
	}
	note := raw(map[string]any{"attempts": len(res.Recovery.Attempts), "resolved": res.Recovery.Resolved})
	_, err := h.x.Change(ctx, k, lifecycle.Change{As: h.run, Cause: lifecycle.Pause, Tokens: spent.Tokens, CostMicro: spent.Cost, Note: note})
	return err
}
