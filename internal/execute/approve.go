package execute

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ApproveSettings are the settings of the step AskApproval: a run stops there until a person has said yes.
type ApproveSettings struct {
	Question string `json:"question"` // what a person is to approve
	Within   string `json:"within"`   // for how long it may wait, as 30m or 12h
}

// Check refuses a question of nothing, and one that cannot be answered.
func (s ApproveSettings) Check() error {
	if s.Question == "" {
		return errors.New("question: say what is to be approved")
	}
	if d, err := time.ParseDuration(s.Within); err != nil || d < time.Second {
		return fmt.Errorf("within: %.40q is no time of a second or more, like 30m or 12h", s.Within)
	}
	return nil
}

// ApprovalNeeded ends a run that has to wait for a person.
type ApprovalNeeded struct {
	Question string
	Within   time.Duration
}

func (e *ApprovalNeeded) Error() string { return "a person has to approve: " + e.Question }

// DeniedError ends a run that a person did not approve.
type DeniedError struct{ Question, By string }

func (e *DeniedError) Error() string { return fmt.Sprintf("%s did not approve: %s", e.By, e.Question) }

// approve goes on if a person has said yes in this turn of the Session. Errors: *ApprovalNeeded if nobody has said anything
// yet, *DeniedError if somebody said no.
func (w World) approve(ctx context.Context, _ *Draft, s ApproveSettings) error {
	within, err := time.ParseDuration(s.Within)
	if err != nil {
		return err
	}
	by, yes, err := w.Approved(ctx, s.Question)
	switch {
	case err != nil:
		return err
	case by == "":
		return &ApprovalNeeded{Question: s.Question, Within: within}
	case !yes:
		return &DeniedError{Question: s.Question, By: by}
	}
	return nil
}
