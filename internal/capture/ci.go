package capture

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"session/blocker"
	"session/gitstate"
	"session/internal/engine"
	"session/internal/session"
)

// CISettings are the settings of the step ReadCI.
type CISettings struct {
	Within int `json:"within_seconds"` // the longest that CI is asked
	Wait   int `json:"wait_seconds"`   // the longest that --wait-ci waits for runs to complete
}

// Check wants both times.
func (s CISettings) Check() error {
	const need = "a number of seconds above 0 is needed"
	switch {
	case s.Within <= 0:
		return errors.New("within_seconds: " + need)
	case s.Wait <= 0:
		return errors.New("wait_seconds: " + need)
	}
	return nil
}

// CIQuestion is what a save asks of the host of the remote.
type CIQuestion struct {
	Remote string // name of the remote
	Branch string // as the remote calls it
	Commit string // the pushed commit, else where the upstream stands
	Wait   time.Duration
	Say    func(line string) // progress of a wait
}

// CI is what runs, checks and reviews say of a branch, and what could not be had.
type CI struct {
	Asked    time.Time
	Verdict  string            // failed, running, stopped, none, passed, unknown
	Runs     bool              // Verdict and the blockers from runs are what was said just now
	Reviews  bool              // so are the blockers from reviews
	Blockers []blocker.Blocker // Source begins with FromRuns or FromReviews
	Unknown  []string          // why something could not be had
	Public   bool              // everybody can read the repository
}

// What a blocker's Source begins with that GitHub told.
const (
	FromRuns    = "github:ci"
	FromReviews = "github:review"
)

// readCI asks what CI and reviewers say of what is on the remote. What cannot be had is said, and is neither a failure
// nor a success.
func (w World) readCI(ctx context.Context, d *Draft, o CISettings) error {
	q, ok := w.ciQuestion(ctx, d)
	if !ok {
		return engine.Skip("there is no remote to ask")
	}
	limit := time.Duration(o.Within) * time.Second
	if d.Ask.WaitCI {
		q.Wait = time.Duration(o.Wait) * time.Second
		limit += q.Wait
	}
	q.Say = func(line string) { engine.Say(ctx, "%s", line) }
	asking, stop := context.WithTimeout(ctx, limit)
	defer stop()
	ci, asked, err := w.AskCI(asking, q)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		ci.Unknown, err = append(ci.Unknown, err.Error()), nil
	}
	if err != nil {
		return err
	}
	if !asked {
		return engine.Skip("the remote is not on GitHub")
	}
	d.CI = &ci
	d.Checks = append(d.Checks, session.Check{Name: "CI", Status: ci.Verdict, Note: strings.Join(ci.Unknown, "; ")})
	for _, u := range ci.Unknown {
		d.find(session.NewFinding(session.SourceFailed, "source.unknown", "source", "CI", "cause", u))
	}
	return nil
}

func (w World) ciQuestion(ctx context.Context, d *Draft) (q CIQuestion, ok bool) {
	g := d.Scene.Git
	if g == nil || w.AskCI == nil || g.Head.Ref == "" {
		return q, false
	}
	q, err := AboutBranch(ctx, w.Repo, g.Config, g.Head)
	if d.Push.OK {
		q.Commit = d.Stage.Commit
	}
	return q, err == nil && q.Commit != ""
}

// AboutBranch is the question about a branch: what is on the remote counts, so where the upstream stands, else HEAD. The
// error is gitstate.ErrNoRemote, or git's.
func AboutBranch(ctx context.Context, repo *gitstate.Repo, cfg gitstate.Config, head gitstate.Head) (CIQuestion, error) {
	target, err := cfg.Target(head.Ref)
	if err != nil {
		return CIQuestion{}, err
	}
	q := CIQuestion{Remote: target.Remote, Branch: strings.TrimPrefix(cmp.Or(target.Branch, head.Ref), "refs/heads/"), Commit: head.Commit}
	tip, err := repo.RefTip(ctx, "refs/remotes/"+target.Remote+"/"+q.Branch)
	if tip != "" {
		q.Commit = tip
	}
	return q, err
}

// ci takes in what CI said.
func (l *looking) ci() {
	c := l.d.CI
	if c == nil {
		return
	}
	for _, b := range c.Blockers {
		l.find(b, l.options.Now)
	}
	if c.Runs && c.Verdict == "passed" {
		l.well(FromRuns, "CI", l.options.Now)
	}
	if c.Reviews {
		l.well(FromReviews, "GitHub", l.options.Now)
	}
}
