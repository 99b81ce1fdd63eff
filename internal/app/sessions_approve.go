package app

import (
	"context"

	"session/internal/execute"
	"session/internal/lifecycle"

	"github.com/tidwall/gjson"
)

// approvalRequest is the type of a question that a step of the policy asks: yes or no.
const approvalRequest = "approval"

// askApproval lets the Session wait for a yes or a no.
func (h *holding) askApproval(ctx context.Context, a execute.ApprovalNeeded) error {
	turn, err := h.turn(ctx)
	if err != nil {
		return err
	}
	_, err = h.x.Ask(ctx, h.now.Key(), lifecycle.Question{ID: lifecycle.RequestID("q" + string(h.run)), As: h.run, Type: approvalRequest, TimeOut: a.Within,
		Data:    raw(map[string]any{"question": clip(a.Question, 1<<16), "turn": turn}),
		Options: []lifecycle.Option{{ID: "yes"}, {ID: "no"}}})
	return err
}

// turn is the version of the Session's plan: an approval is good for one input.
func (h *holding) turn(ctx context.Context) (int, error) {
	s, err := h.x.Get(ctx, h.now.Key())
	return s.PlanVersion, err
}

// approved is who has answered a question in this turn, and how.
func (h *holding) approved(ctx context.Context, question string) (by string, yes bool, err error) {
	turn, err := h.turn(ctx)
	if err != nil {
		return "", false, err
	}
	all, err := h.x.Asked(ctx, h.now.Key())
	for _, q := range all {
		if q.Type == approvalRequest && q.Status == lifecycle.RequestAnswered && QuestionOf(q) == clip(question, 1<<16) && gjson.GetBytes(q.Data, "turn").Int() == int64(turn) {
			by, yes = string(q.Decision.By), q.Decision.Choice == "yes"
		}
	}
	return by, yes, err
}
