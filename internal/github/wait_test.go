package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

func minutes(n int) time.Time { return instant().Add(time.Duration(n) * time.Minute) }

// waited is what a waiting told its caller.
type waited struct {
	answer   Answer
	err      error
	progress []Progress
}

func (f *fake) wait(w Wait) (out waited) {
	f.t.Helper()
	w.Progress = func(p Progress) { out.progress = append(out.progress, p) }
	out.answer, out.err = f.client().Wait(context.Background(), question(), w)
	f.sound(out.answer)
	return out
}

func started(id int64, at time.Time, pairs ...any) map[string]any {
	return ciRun(id, append([]any{"run_started_at", at.Format(time.RFC3339), "created_at", at.Format(time.RFC3339)}, pairs...)...)
}

func running(id int64) map[string]any {
	return started(id, instant(), "status", "in_progress", "conclusion", nil)
}

func TestWaitForWhatIsOver(t *testing.T) {
	f := newFake(t)
	f.on(runsPath, runsOf(ciRun(1)))
	w := f.wait(Wait{})
	if w.err != nil || w.answer.CI() != Passed || len(f.slept) != 0 || len(f.seen()) != 2 {
		t.Errorf("%v %s, slept %v, %d calls", w.err, w.answer.CI(), f.slept, len(f.seen()))
	}
	if len(w.progress) != 1 || w.progress[0].Done != 1 || w.progress[0].Next != 0 {
		t.Errorf("%+v", w.progress)
	}
}

// TestWaitUntilCompleted: the pauses grow; the end is the whole answer, with the log of what failed.
func TestWaitUntilCompleted(t *testing.T) {
	f := newFake(t)
	f.failedRun(text(200, failing()))
	f.on(runsPath, inTurn(runsOf(), runsOf(running(11)), runsOf(running(11)), runsOf(running(11), running(12)), runsOf(started(11, instant(), "conclusion", "failure"))))
	w := f.wait(Wait{})
	if w.err != nil || w.answer.CI() != Failed || w.answer.Blockers()[0].Cause == nil {
		t.Errorf("%v %s %+v", w.err, w.answer.CI(), w.answer.Blockers())
	}
	want := []time.Duration{5 * time.Second, 7500 * time.Millisecond, 11250 * time.Millisecond, 16875 * time.Millisecond}
	if !slices.Equal(f.slept, want) {
		t.Errorf("slept %v, want %v", f.slept, want)
	}
	var seen []string
	for _, p := range w.progress {
		seen = append(seen, fmt.Sprintf("%s %d/%d %s", p.Waited, p.Done, len(p.Runs), p.Next))
	}
	if got := strings.Join(seen, "; "); got != "0s 0/0 5s; 5s 0/1 7.5s; 12.5s 0/1 11.25s; 23.75s 0/1 16.875s; 40.625s 1/1 0s" {
		t.Errorf("%s", got)
	}
	if n := len(f.to(graphQL)); n != 2 {
		t.Errorf("GraphQL was asked %d times: once before and once after", n)
	}
}

// TestWaitForSiblings: right after a push GitHub may not have made all runs yet.
func TestWaitForSiblings(t *testing.T) {
	f := newFake(t)
	quick := started(1, instant(), "name", "Label")
	slow := started(2, instant().Add(8*time.Second), "workflow_id", 8)
	f.on(runsPath, inTurn(runsOf(quick), runsOf(quick, slow), runsOf(quick, slow)))
	w := f.wait(Wait{})
	if w.err != nil || len(w.answer.Runs.Value) != 2 || len(f.slept) != 2 {
		t.Errorf("%v, %d runs, slept %v", w.err, len(w.answer.Runs.Value), f.slept)
	}
}

func TestWaitInVain(t *testing.T) {
	for name, c := range map[string]struct {
		runs   http.HandlerFunc
		want   error
		within time.Duration
		words  string
		ci     Verdict
	}{
		"no run ever begins": {runsOf(), ErrNoRun, 90 * time.Second, "no CI run has begun", None},
		"it never ends":      {runsOf(running(1)), ErrStillRunning, 30 * time.Minute, "have not completed after 30m0s", Running},
		"it waits for a person": {runsOf(started(1, instant(), "status", "waiting", "conclusion", nil)), ErrStillRunning, 30 * time.Minute,
			"have not completed", Running},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			f.on(runsPath, c.runs)
			w := f.wait(Wait{})
			var e *WaitError
			if !errors.Is(w.err, c.want) || !errors.As(w.err, &e) || !strings.Contains(w.err.Error(), c.words) || w.answer.CI() != c.ci {
				t.Errorf("%v, %s", w.err, w.answer.CI())
			}
			if took := f.now().Sub(instant()); took < c.within || took > c.within+DefaultWait().Most {
				t.Errorf("waited %s", took)
			}
			if n := len(f.seen()); n > 80 {
				t.Errorf("%d calls in %s", n, c.within)
			}
		})
	}
}

// TestWaitThroughTrouble: what passes by itself is waited for, what does not ends the wait at once.
func TestWaitThroughTrouble(t *testing.T) {
	done := runsOf(ciRun(1))
	for name, c := range map[string]struct {
		turns   []http.HandlerFunc
		want    Verdict
		slept   []time.Duration
		unknown string
	}{
		"a server error":                    {[]http.HandlerFunc{text(502, ""), done}, Passed, []time.Duration{5 * time.Second}, ""},
		"told to wait":                      {[]http.HandlerFunc{text(403, `{"message":"x"}`, "Retry-After", "200"), done}, Passed, []time.Duration{200 * time.Second}, ""},
		"told so while at it":               {[]http.HandlerFunc{runsOf(running(1)), text(429, "", "Retry-After", "100"), done}, Passed, []time.Duration{5 * time.Second, 100 * time.Second}, ""},
		"told to wait longer than we would": {[]http.HandlerFunc{text(403, `{"message":"x"}`, "Retry-After", "7200")}, Unclear, nil, "runs=rate_limited"},
		"the token is refused":              {[]http.HandlerFunc{text(401, `{"message":"x"}`)}, Unclear, nil, "runs=unauthorized"},
		"and so while at it":                {[]http.HandlerFunc{runsOf(running(1)), text(404, "")}, Unclear, []time.Duration{5 * time.Second}, "runs=not_found"},
		"never again": {[]http.HandlerFunc{text(502, "")}, Unclear, []time.Duration{5000 * time.Millisecond, 7500 * time.Millisecond, 11250 * time.Millisecond,
			16875 * time.Millisecond, 25312500 * time.Microsecond, 30 * time.Second, 30 * time.Second, 30 * time.Second}, "runs=server_error"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			f.on(runsPath, inTurn(c.turns...))
			w := f.wait(Wait{})
			if w.err != nil || w.answer.CI() != c.want || !slices.Equal(f.slept, c.slept) {
				t.Errorf("%v %s, slept %v", w.err, w.answer.CI(), f.slept)
			}
			if c.unknown != "" && !slices.Contains(reasons(w.answer), c.unknown) {
				t.Errorf("%v", reasons(w.answer))
			}
			last := w.progress[len(w.progress)-1]
			if (last.Trouble != nil) != (c.unknown != "") || last.Next != 0 {
				t.Errorf("%+v", last)
			}
		})
	}
}

func TestWaitWithoutToken(t *testing.T) {
	f := newFake(t)
	c := f.client(func(o *Options) { o.Token = tokenOf("") })
	a, err := c.Wait(context.Background(), question(), Wait{})
	if err != nil || len(f.slept) != 0 {
		t.Errorf("%v, slept %v", err, f.slept)
	}
	wantUnknown(t, a, "github=no_token")
}

// TestWaitIsCancelled: at once, with the last answer, whether it was waiting or asking.
func TestWaitIsCancelled(t *testing.T) {
	for name, when := range map[string]func(*fake, context.CancelFunc) Options{
		"waiting": func(f *fake, cancel context.CancelFunc) Options {
			o := f.options()
			o.Sleep = func(ctx context.Context, _ time.Duration) error {
				cancel()
				return ctx.Err()
			}
			return o
		},
		"asking": func(f *fake, cancel context.CancelFunc) Options {
			f.on(runsPath, inTurn(runsOf(running(1)), func(_ http.ResponseWriter, r *http.Request) {
				cancel()
				<-r.Context().Done()
			}))
			return f.options()
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			f.on(runsPath, runsOf(running(1)))
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			c, err := New(when(f, cancel))
			if err != nil {
				t.Fatal(err)
			}
			a, err := c.Wait(ctx, question(), Wait{})
			if !errors.Is(err, context.Canceled) || a.Runs == nil || len(a.Runs.Value) != 1 {
				t.Errorf("%v %s", err, encode(a))
			}
		})
	}
}

// TestWaitForAFork: the runs of a fork's pull request are waited for where it goes to.
func TestWaitForAFork(t *testing.T) {
	f := newFake(t)
	f.on(graphQL, text(200, graph(nil, pull(7))))
	f.on("api.github.com/repos/up/stream/actions/runs", inTurn(runsOf(running(21)), runsOf(running(21)), runsOf(ciRun(21))))
	w := f.wait(Wait{})
	if w.err != nil || w.answer.CI() != Passed || len(f.slept) != 2 || w.answer.Runs.Value[0].Repo != "up/stream" {
		t.Errorf("%v %s, slept %v", w.err, w.answer.CI(), f.slept)
	}
}

// TestPatience: the decisions, one by one.
func TestPatience(t *testing.T) {
	at := func(min int, runs ...Run) Answer {
		return Answer{Asked: minutes(min), Runs: &Part[[]Run]{At: minutes(min), Value: runs}}
	}
	over := func(id int64, began time.Time) Run { return Run{ID: id, Status: "completed", Started: began} }
	gap := func(u Unknown) Answer { return Answer{Asked: instant(), Unknown: []Unknown{u}} }
	for name, c := range map[string]struct {
		answer Answer
		min    int
		seen   []int64
		failed int
		again  bool
		end    error
	}{
		"none yet":                    {at(1), 1, nil, 0, true, nil},
		"none, and long enough":       {at(2), 2, nil, 0, false, ErrNoRun},
		"one is running":              {at(1, Run{Status: "queued"}, over(2, instant())), 1, nil, 0, true, nil},
		"one is running, too long":    {at(30, Run{Status: "queued"}), 30, nil, 0, false, ErrStillRunning},
		"over, old":                   {at(1, over(1, instant())), 1, nil, 0, false, nil},
		"over, young":                 {at(1, over(1, minutes(1))), 1, nil, 0, true, nil},
		"over, young, seen before":    {at(1, over(1, minutes(1))), 1, []int64{1}, 0, false, nil},
		"over, young, another before": {at(1, over(1, minutes(1)), over(2, minutes(1))), 1, []int64{1}, 0, true, nil},
		"over, young, at the end":     {at(30, over(1, minutes(30))), 30, nil, 0, false, nil},
		"offline":                     {gap(Unknown{What: AboutRuns, Reason: Offline}), 1, nil, 0, true, nil},
		"offline for the eighth time": {gap(Unknown{What: AboutRuns, Reason: Offline}), 1, nil, 7, true, nil},
		"offline once more":           {gap(Unknown{What: AboutRuns, Reason: Offline}), 1, nil, 8, false, nil},
		"offline, at the end":         {gap(Unknown{What: AboutRuns, Reason: Offline}), 30, nil, 0, false, nil},
		"forbidden":                   {gap(Unknown{What: AboutRuns, Reason: Forbidden}), 1, nil, 0, false, nil},
		"all is limited":              {gap(Unknown{What: AboutAll, Reason: RateLimited, RetryAt: minutes(20)}), 1, nil, 99, true, nil},
		"limited beyond our time":     {gap(Unknown{What: AboutAll, Reason: RateLimited, RetryAt: minutes(31)}), 1, nil, 0, false, nil},
		"only the checks are missing": {gap(Unknown{What: AboutChecks, Reason: Offline}), 1, nil, 0, false, nil},
	} {
		p := &patience{Wait: DefaultWait(), begun: instant(), seen: c.seen, failed: c.failed}
		end, again := p.judge(c.answer, minutes(c.min))
		if again != c.again || !errors.Is(end, c.end) || c.end == nil && end != nil {
			t.Errorf("%s: again %v, %v", name, again, end)
		}
		if again && (p.next <= 0 || p.next > 30*time.Minute) {
			t.Errorf("%s: next in %s", name, p.next)
		}
	}
}
