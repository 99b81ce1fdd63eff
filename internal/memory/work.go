package memory

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Work is memory's part of a draft. Each field is written by one step, or by whoever fills the draft, and read by later
// steps.
type Work struct {
	Session SessionRef // in: whose memory it is
	At      Snapshot   // in: the snapshot that the session's memory must stand at to be searched; "": as it stands
	About   Facts      // in: what there is to remember
	Query   string     // in: what to look for
	Ask     string     // in: what the assistant is asked to do

	Summarized bool    // SummarizeMemory
	Made       *Item   // SummarizeMemory: nil if there was nothing to say
	Cut        bool    // SummarizeMemory: the texts had more words than an item can hold; their oldest are left out
	Keep       bool    // PersistMemory: the cycle's commit carries Made
	Retrieved  bool    // RetrieveMemory
	Found      []Found // RetrieveMemory
	Selected   []Found // ContextSelect
	LeftOut    int     // ContextSelect: so many of Found did not fit
	Prompt     string  // PromptAssemble
}

// Kept is what the cycle's snapshot must carry, and a Store must add after its commit: nothing unless the plan has both
// SummarizeMemory and PersistMemory, and both did what they do.
func (w *Work) Kept() []Item {
	if !w.Keep || w.Made == nil {
		return nil
	}
	return []Item{*w.Made}
}

// Summarizer is the step SummarizeMemory: it makes an item of w.About, without a model and without looking anywhere, so
// that the same facts give the same words. now is the time of what is remembered, newID a random UUID of version 4.
func Summarizer(now func() time.Time, newID func() (ID, error)) func(context.Context, *Work) error {
	return func(_ context.Context, w *Work) error {
		w.Summarized, w.Made = true, nil
		summary := w.About.Summary()
		if summary == "" {
			return nil
		}
		id, err := newID()
		if err != nil {
			return fmt.Errorf("an id for the item: %w", err)
		}
		it := Item{ID: id, Timestamp: now(), Summary: summary, SessionRef: w.Session}
		it.Words, w.Cut = w.About.words()
		if err := it.Check(); err != nil {
			return err
		}
		w.Made = &it
		return nil
	}
}

// ErrOrder says that a plan runs a step before the one whose output it takes.
var ErrOrder = errors.New("a step that it needs has not run; put it in front of it in the plan")

// Persist is the step PersistMemory: what SummarizeMemory made is to be kept. It stores nothing: that happens after the
// commit of the cycle, which takes Kept, so that nothing is kept of a cycle that fails (seed 003, PersistMemory timing).
func Persist(_ context.Context, w *Work) error {
	if !w.Summarized {
		return fmt.Errorf("SummarizeMemory: %w", ErrOrder)
	}
	w.Keep = true
	return nil
}

// Retrieve is the settings of the step RetrieveMemory. They are part of the plan, and so of its hash.
type Retrieve struct {
	TopK    int     `json:"topK"`    // at most so many items, 1 or more; no default (seed 003, Policy Dependency)
	Ranking Ranking `json:"ranking"` // the name of a Ranking; no default
}

// Check refuses a missing TopK or Ranking; errors.Is ErrInvalid.
func (r Retrieve) Check() error {
	if err := checkTopK(r.TopK); err != nil {
		return err
	}
	return r.Ranking.Check()
}

// Retriever is the step RetrieveMemory: it looks for w.Query in the memory of w.Session, never in another's. An error is
// the step's error, and nothing is found then: no fallback, no part of a result (seed 003, Failure Handling).
func Retriever(search func(context.Context, Query) ([]Found, error)) func(context.Context, *Work, Retrieve) error {
	return func(ctx context.Context, w *Work, p Retrieve) error {
		w.Retrieved, w.Found = false, nil
		found, err := search(ctx, Query{Text: w.Query, TopK: p.TopK, Ranking: p.Ranking, In: InSession(w.Session), At: w.At})
		if err != nil {
			return err
		}
		w.Retrieved, w.Found = true, found
		return nil
	}
}

// Select is the settings of the step ContextSelect.
type Select struct {
	Tokens int `json:"tokens"` // at most so many of what memory gives to a prompt, as Tokens estimates; 1 or more
}

// Check refuses a budget of nothing; errors.Is ErrInvalid.
func (s Select) Check() error {
	if s.Tokens < 1 {
		return fmt.Errorf("%w: tokens is %d; it must be 1 or more, and has no default", ErrInvalid, s.Tokens)
	}
	return nil
}

// ContextSelect is the step of this name: of what RetrieveMemory found it takes, best first, whatever fits the budget.
// An item is taken whole or not at all.
func ContextSelect(_ context.Context, w *Work, p Select) error {
	if !w.Retrieved {
		return fmt.Errorf("RetrieveMemory: %w", ErrOrder)
	}
	w.Selected, w.LeftOut = nil, 0
	left := p.Tokens
	for _, f := range w.Found {
		if n := Tokens(fenced(f)); n <= left {
			w.Selected = append(w.Selected, f)
			left -= n
		} else {
			w.LeftOut++
		}
	}
	return nil
}

// PromptAssemble is the step of this name. It only puts together what is there: the selected memory, fenced, and w.Ask.
func PromptAssemble(_ context.Context, w *Work) error {
	w.Prompt = Fence(w.Selected) + w.Ask
	return nil
}
