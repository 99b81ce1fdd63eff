package github

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Wait says how to wait for CI. A zero field means the value of DefaultWait.
type Wait struct {
	Limit    time.Duration  // at most, in all
	Appear   time.Duration  // at most, until the commit's first run is there
	First    time.Duration  // the first pause between two calls; each further one is half as long again
	Most     time.Duration  // the longest pause
	Settle   time.Duration  // a run that is younger may have siblings that GitHub has not made yet: it is looked at twice
	Failures int            // calls in a row that may fail
	Progress func(Progress) // called after each call; may be nil
}

// DefaultWait waits for half an hour, and for a minute and a half until a run appears. Its calls are about 120 an hour:
// GitHub allows 5000.
func DefaultWait() Wait {
	return Wait{Limit: 30 * time.Minute, Appear: 90 * time.Second, First: 5 * time.Second, Most: 30 * time.Second,
		Settle: 30 * time.Second, Failures: 8}
}

func (w Wait) orDefault() Wait {
	d := DefaultWait()
	for _, p := range []struct {
		v  *time.Duration
		to time.Duration
	}{{&w.Limit, d.Limit}, {&w.Appear, d.Appear}, {&w.First, d.First}, {&w.Most, d.Most}, {&w.Settle, d.Settle}} {
		set(p.v, p.to)
	}
	set(&w.Failures, d.Failures)
	return w
}

// Progress is how far the CI runs of the commit are.
type Progress struct {
	Waited  time.Duration
	Runs    []Run         // as last seen
	Done    int           // of Runs
	Next    time.Duration // until the next call; 0 when there is none
	Trouble *Unknown      // why the last call brought nothing; nil when it did
}

// Why Wait ended before the runs had completed. The Answer that comes with it is whole.
var (
	ErrNoRun        = errors.New("no CI run has begun for the commit")
	ErrStillRunning = errors.New("the CI runs of the commit have not completed")
)

// WaitError says how long was waited, in vain.
type WaitError struct {
	Waited time.Duration
	Err    error // ErrNoRun or ErrStillRunning
}

// Error gives cause and time.
func (e *WaitError) Error() string {
	return fmt.Sprintf("wait for CI: %s after %s", e.Err, e.Waited.Round(time.Second))
}

// Unwrap gives ErrNoRun or ErrStillRunning.
func (e *WaitError) Unwrap() error { return e.Err }

// Wait asks, and asks again until the CI runs of the commit have completed; then it gives the whole answer. It ends with
// a *WaitError when the time is over, with ctx's error when it is cancelled (the Answer is the last one then), and with
// no error where CI cannot be asked: Answer.Unknown says why. The pauses that GitHub asks for are kept.
func (c *Client) Wait(ctx context.Context, q Question, w Wait) (Answer, error) {
	p := &patience{Wait: w.orDefault(), begun: c.Now()}
	a, err := c.Ask(ctx, q)
	for whole := true; err == nil; whole = false {
		now := c.Now()
		end, again := p.judge(a, now)
		p.report(a, now, again)
		if !again && !whole && asked(a) {
			q.Last = &a
			a, err = c.Ask(ctx, q)
		}
		if !again {
			return a, errors.Join(end, err)
		}
		if err := c.Sleep(ctx, p.next); err != nil {
			return a, err
		}
		last := a
		q.Last = &last
		a, err = c.ask(ctx, q, parts{runs: true}, (*dialog).poll)
	}
	return a, err
}

// poll asks for the runs alone, of the repository and of the one that its pull request goes to.
func (d *dialog) poll(ctx context.Context, q Question, a *Answer) {
	a.Runs = d.runsPart(ctx, q, a.Asked)
	if a.Runs == nil || q.Last == nil || q.Last.Pulls == nil {
		return
	}
	for _, p := range q.Last.Pulls.Value {
		base, ok := Remote("https://" + d.repo.Host + "/" + p.Repo)
		if ok && !base.Same(d.repo) {
			d.upstream(ctx, q, a.Runs, base)
			return
		}
	}
}

// asked tells whether the answer has runs of this very asking.
func asked(a Answer) bool { return a.Runs != nil && !a.Runs.Old && a.Runs.At.Equal(a.Asked) }

// patience decides, after each call, whether to ask again and when. It calls nothing and reads no clock.
type patience struct {
	Wait
	begun  time.Time
	next   time.Duration // the pause to come
	grown  time.Duration // the last pause that was ours
	failed int           // calls in a row
	seen   []int64       // ids of the runs when all of them had completed
}

// judge reads an answer. end is why the wait is over in vain.
func (p *patience) judge(a Answer, now time.Time) (end error, again bool) {
	waited := now.Sub(p.begun)
	p.grown = min(max(p.First, p.grown+p.grown/2), p.Most)
	p.next = max(min(p.grown, p.Limit-waited), time.Second)
	late := waited >= p.Limit
	if !asked(a) {
		return nil, p.bear(a, now) && !late
	}
	p.failed = 0
	runs := a.Runs.Value
	switch {
	case len(runs) == 0 && (late || waited >= p.Appear):
		return &WaitError{waited, ErrNoRun}, false
	case len(runs) == 0:
		return nil, true
	case slices.ContainsFunc(runs, func(r Run) bool { return !r.Completed() }):
		if late {
			return &WaitError{waited, ErrStillRunning}, false
		}
		return nil, true
	}
	return nil, !late && !p.settled(runs, now)
}

// settled tells that no further run is to be expected: none of them is young, or the last call saw the same ones.
func (p *patience) settled(runs []Run, now time.Time) bool {
	var ids []int64
	young := false
	for _, r := range runs {
		ids = append(ids, r.ID)
		young = young || now.Sub(r.Started) < p.Settle
	}
	same := slices.Equal(ids, p.seen)
	p.seen = ids
	return same || !young
}

// bear decides whether to ask again after a call that brought nothing.
func (p *patience) bear(a Answer, now time.Time) bool {
	u := trouble(a)
	if u == nil || !u.Reason.Passing() {
		return false
	}
	if u.RetryAt.After(now) {
		p.next = u.RetryAt.Sub(now)
		return !u.RetryAt.After(p.begun.Add(p.Limit))
	}
	p.failed++
	return p.failed <= p.Failures
}

// trouble is why there are no runs.
func trouble(a Answer) *Unknown {
	for i := range a.Unknown {
		if u := &a.Unknown[i]; u.What == AboutRuns || u.What == AboutAll {
			return u
		}
	}
	return nil
}

// report tells the caller how far CI is.
func (p *patience) report(a Answer, now time.Time, again bool) {
	if p.Progress == nil {
		return
	}
	r := Progress{Waited: now.Sub(p.begun)}
	if again {
		r.Next = p.next
	}
	if !asked(a) {
		r.Trouble = trouble(a)
	}
	if a.Runs != nil {
		r.Runs = a.Runs.Value
	}
	for _, run := range r.Runs {
		if run.Completed() {
			r.Done++
		}
	}
	p.Progress(r)
}
