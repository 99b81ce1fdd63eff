package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"session/blocker"
	"session/internal/execute"
	"session/internal/lifecycle"
	"session/internal/snapshot"

	"github.com/tidwall/gjson"
)

// job is what a Session runs. It stands in the Session's options.
type job struct {
	Base     string `json:"base,omitempty"` // snapshot that it began from; "" on a work tree's own path
	Run      string `json:"run,omitempty"`  // the run that its first snapshot is made by, whoever makes it
	Agent    string `json:"agent,omitempty"`
	Profile  string `json:"profile,omitempty"`
	Queue    bool   `json:"queue,omitempty"` // workers run it
	Priority string `json:"priority,omitempty"`
}

// jobOf is what a Session runs: what the service has settled, else its options.
func jobOf(s lifecycle.Session) (j job, err error) {
	if settled := gjson.GetBytes(s.Metadata, gjson.Escape(jobKey)); settled.Exists() {
		err = json.Unmarshal([]byte(settled.Raw), &j)
	} else if s.Options != nil {
		err = json.Unmarshal(s.Options, &j)
		if s.Limited { // somebody else's words: what they may say is what to run, not as whom
			j.Run, j.Queue = "", false
		}
	}
	if err != nil {
		err = fmt.Errorf("%w: session %s: its options cannot be read: %w", lifecycle.ErrInvalid, s.ID, err)
	}
	return j, err
}

// holding is a run's hold on its Session, from the moment at which the run has the lease of its path.
type holding struct {
	x       *Sessions
	chain   *snapshot.Store
	draft   lifecycle.Draft                    // of the Session, where there is none yet
	run     lifecycle.RunID                    // unlike any other attempt's
	todos   []lifecycle.Todo                   // a new input's; nil: it goes on with those that there are
	how     lifecycle.Resumption               // modifications
	queued  bool                               // another worker goes on when this one has to stop
	apart   bool                               // a recovery: the todos are not its business
	answer  string                             // to what the Session asks, if it asks
	strict  bool                               // a Session that has ended is refused, not followed by a new one
	within  time.Duration                      // for how long a question waits
	now     lifecycle.Session                  // as it was begun
	begun   chan struct{}                      // closed when it has
	stop    context.CancelCauseFunc            // of the run
	watched chan struct{}                      // closed when nobody watches any more
	before  func(lifecycle.RunID) *finishedRun // what a run that died had committed already
}

// finishedRun is what a run has recorded.
type finishedRun struct {
	Snapshot, Output string
	Tokens, Cost     int64
}

// errDone ends a run that finds its work done: the one before it had committed, and died.
var errDone = errors.New("the run before this one had finished")

// StoppedError says that a Session was paused, cancelled or taken over while a run worked on it.
type StoppedError struct {
	Session lifecycle.ID
	Status  lifecycle.Status
}

func (e *StoppedError) Error() string {
	return fmt.Sprintf("session %s is %s: its run was stopped", e.Session, e.Status)
}

// begin makes the Session run. The path's lease is in hand: a run that still stands in the record is dead.
func (h *holding) begin(ctx context.Context) error {
	find := h.x.ofPath // a person goes on where a session ended: the path is theirs from now on
	if h.strict {
		find = func(ctx context.Context, d lifecycle.Draft) (lifecycle.Session, error) {
			return lifecycle.Ensure(ctx, h.x, d)
		}
	}
	s, err := find(ctx, h.draft)
	if err != nil {
		return err
	}
	if h.now, err = h.take(ctx, s); err != nil {
		return err
	}
	if h.todos != nil {
		if _, err := h.x.Revise(ctx, s.Key(), lifecycle.Revision{As: h.run, Plan: "work", Reason: "a new input", Todos: h.todos}); err != nil {
			return err
		}
	}
	close(h.begun)
	return h.move(ctx, lifecycle.TodoPending, lifecycle.TodoInProgress)
}

func (h *holding) take(ctx context.Context, s lifecycle.Session) (lifecycle.Session, error) {
	switch {
	case s.Status == lifecycle.Created:
		return h.x.Change(ctx, s.Key(), lifecycle.Change{Version: s.Version, Cause: lifecycle.Start, Take: h.run})
	case s.Status == lifecycle.Waiting && h.answer != "":
		return h.reply(ctx, s)
	case s.Status != lifecycle.Running:
		h.how.Version, h.how.Take = s.Version, h.run
		s, _, err := h.x.Resume(ctx, s.Key(), h.how)
		return s, err
	}
	dead := s.Run
	h.x.site.endLeft(string(dead))
	s, err := h.x.Change(ctx, s.Key(), lifecycle.Change{Version: s.Version, Take: h.run})
	if err != nil || h.before == nil || dead == "" {
		return s, err
	}
	h.now = s
	if done := h.before(dead); done != nil {
		return s, errorOr(h.finish(ctx, *done), errDone)
	}
	return s, h.move(ctx, lifecycle.TodoInProgress, lifecycle.TodoPending) // as a resume does
}

// reply answers what the Session asks, and holds it.
func (h *holding) reply(ctx context.Context, s lifecycle.Session) (lifecycle.Session, error) {
	all, err := h.x.Asked(ctx, s.Key())
	if err != nil {
		return s, err
	}
	for _, q := range all {
		if q.Status == lifecycle.RequestPending {
			if _, err := h.x.Answer(ctx, s.Key(), q.ID, lifecycle.Decision{By: s.Owner, Via: "terminal", Choice: clip(h.answer, 1<<19), Take: h.run}); err != nil {
				return s, err
			}
		}
	}
	return h.x.Get(ctx, s.Key())
}

func errorOr(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// move moves all todos of one state to another.
func (h *holding) move(ctx context.Context, from, to lifecycle.TodoStatus) error {
	if h.apart {
		return nil
	}
	p, err := h.x.Plan(ctx, h.now.Key(), 0)
	if errors.Is(err, lifecycle.ErrNotFound) {
		return nil
	}
	var all []lifecycle.TodoChange
	for _, t := range p.Todos {
		if t.Status == from {
			all = append(all, lifecycle.TodoChange{ID: t.ID, To: to})
		}
	}
	if err != nil || len(all) == 0 {
		return err
	}
	_, err = h.x.Work(ctx, h.now.Key(), h.run, all)
	return err
}

// asked is what the run is to do: the input, and the todos where there are several.
func (h *holding) asked(ctx context.Context, input string) (string, error) {
	p, err := h.x.Plan(ctx, h.now.Key(), 0)
	if errors.Is(err, lifecycle.ErrNotFound) {
		return input, nil
	}
	open := slices.DeleteFunc(slices.Clone(p.Todos), func(t lifecycle.Todo) bool { return t.Status != lifecycle.TodoInProgress })
	if err != nil || len(p.Todos) < 2 || len(open) == 0 {
		return input, err
	}
	for _, t := range open {
		input += "\n- " + t.Title
	}
	return input, nil
}

// A run notices within watchEvery that its Session was paused or taken over; within trusted times as long where what is kept
// hot went wrong meanwhile.
const (
	watchEvery = time.Second
	trusted    = 5
)

// watch stops the run when its Session is not its own any more.
func (h *holding) watch(ctx context.Context) context.Context {
	ctx, stop := context.WithCancelCause(ctx)
	h.stop, h.begun, h.watched = stop, make(chan struct{}), make(chan struct{})
	go func() {
		defer close(h.watched)
		select {
		case <-h.begun:
		case <-ctx.Done():
			return
		}
		t := time.NewTicker(watchEvery)
		defer t.Stop()
		known := h.now
		for n := 1; ; n++ {
			select {
			case <-ctx.Done():
				return
			case <-t.C:
			}
			if n%trusted != 0 && h.x.still(ctx, known) {
				continue
			}
			s, err := h.x.Get(ctx, h.now.Key())
			if err == nil {
				known = s
			}
			if err == nil && s.Run != h.run || errors.Is(err, lifecycle.ErrNotFound) { // a database that is away stops nobody: the record decides
				stop(&StoppedError{h.now.ID, s.Status})
			}
		}
	}()
	return ctx
}

// end writes down what became of the run: of one that succeeded, what finish does. What was committed stands, whatever the
// record says.
func (h *holding) end(ctx context.Context, done finishedRun, failed error, finish func(context.Context) error) error {
	var stopped *StoppedError
	cancelled := ctx.Err() != nil
	if h.stop != nil {
		errors.As(context.Cause(ctx), &stopped)
		h.stop(nil)
		<-h.watched
	}
	if h.now.ID == "" || errors.Is(failed, errDone) {
		return failed
	}
	ctx = context.WithoutCancel(ctx)
	var approval *execute.ApprovalNeeded
	switch {
	case stopped != nil:
		return stopped
	case errors.As(failed, &approval):
		return h.askApproval(ctx, *approval)
	case failed == nil:
		return finish(ctx)
	case cancelled && h.queued:
		return failed // the record stays as it is: who comes next takes it over
	}
	c := lifecycle.Change{As: h.run, Cause: lifecycle.Fail, Tokens: done.Tokens, CostMicro: done.Cost, Note: raw(map[string]string{"error": clip(failed.Error(), 4000)})}
	if cancelled {
		c.Cause = lifecycle.Pause
	}
	_, err := h.x.Change(ctx, h.now.Key(), c)
	if cancelled && !h.apart && err == nil {
		return &InterruptedError{"error.interrupted-run", []any{"id", h.now.ID}, failed}
	}
	return errors.Join(failed, fenced(err))
}

// fenced passes over that somebody else ended the run's hold first: theirs is the word that counts.
func fenced(err error) error {
	var other *lifecycle.FencedError
	if errors.As(err, &other) {
		return nil
	}
	return err
}

// finish records a run that has committed: its checkpoint, and how its Session goes on. An answer that asks for a decision
// makes a request; a work tree's own Session rests until the next run, others are completed.
func (h *holding) finish(ctx context.Context, done finishedRun) error {
	k := h.now.Key()
	if _, err := h.x.Checkpoint(ctx, k, h.run, lifecycle.Snapshot(done.Snapshot), ""); err != nil {
		return err
	}
	c := lifecycle.Change{As: h.run, Tokens: done.Tokens, CostMicro: done.Cost, Response: raw(map[string]string{"output": clip(done.Output, 1<<19), "snapshot": done.Snapshot})}
	if q := h.question(done.Output); q != nil {
		if _, err := h.x.Change(ctx, k, c); err != nil {
			return err
		}
		_, err := h.x.Ask(ctx, k, *q)
		return err
	}
	if err := h.move(ctx, lifecycle.TodoInProgress, lifecycle.TodoCompleted); err != nil {
		return err
	}
	c.Cause = lifecycle.Complete
	if h.now.WorkTree {
		c.Cause = lifecycle.Pause
	}
	_, err := h.x.Change(ctx, k, c)
	return err
}

// question is what an answer asks a person for: DECISION_NEEDED (S1.12).
func (h *holding) question(output string) *lifecycle.Question {
	b := blocker.FromReport("", output, blocker.Options{Now: h.x.site.Now()})
	if b == nil || b.Type != blocker.DecisionRequired {
		return nil
	}
	return &lifecycle.Question{ID: lifecycle.RequestID("q" + string(h.run)), As: h.run, Type: "decision", TimeOut: h.within,
		Data: raw(map[string]string{"question": b.Message, "answer": clip(output, 1<<16)})}
}

// clip cuts a text that may be foreign to what a record holds.
func clip(s string, n int) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
	if len(s) > n {
		s = strings.ToValidUTF8(s[:n], "")
	}
	return s
}
