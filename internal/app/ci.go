package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"session/blocker"
	"session/gitstate"
	"session/internal/atomicfile"
	"session/internal/brief"
	"session/internal/capture"
	"session/internal/github"
	"session/internal/session"
)

// CIStatus is what CI last said, and how long ago.
type CIStatus struct {
	Verdict string    `json:"verdict"` // failed, running, stopped, none, passed, unknown
	Asked   time.Time `json:"asked"`
	Repo    string    `json:"repo"`
	Branch  string    `json:"branch"`
	Commit  string    `json:"commit"`
	Public  bool      `json:"public"`
	Unknown []string  `json:"unknown"` // what could not be had, and why

	Blockers []blocker.Blocker `json:"blockers"`
}

// ciFile holds the last answer of GitHub about this work tree.
func (s *site) ciFile() string { return filepath.Join(s.runtimeDir(), "github.json") }

// lastCI reads the last answer. There may be none; one that cannot be read is none, since it can be asked for again.
func (s *site) lastCI() *github.Answer {
	if s.repo == nil {
		return nil
	}
	b, err := atomicfile.Read(s.ciFile(), github.MaxAnswer)
	if err != nil {
		return nil
	}
	a, err := github.Parse(b)
	if err != nil {
		return nil
	}
	return &a
}

// ci is the last answer as it is shown, nil where there is none about this branch.
func (s *site) ci() *CIStatus {
	a := s.lastCI()
	if a == nil || a.Commit == "" || a.Branch != s.head.Branch() {
		return nil
	}
	return ciStatus(*a)
}

func ciStatus(a github.Answer) *CIStatus {
	ci := capturedCI(a)
	r := &CIStatus{Verdict: ci.Verdict, Asked: a.Asked, Repo: a.Repo.String(), Branch: a.Branch, Commit: a.Commit, Public: ci.Public,
		Unknown: append([]string{}, ci.Unknown...), Blockers: append([]blocker.Blocker{}, ci.Blockers...)}
	if a.Runs != nil && !a.Runs.At.IsZero() {
		r.Asked = a.Runs.At
	}
	return r
}

// brief is the same for the brief.
func (c *CIStatus) brief() *brief.CI {
	if c == nil {
		return nil
	}
	return &brief.CI{Verdict: c.Verdict, Asked: c.Asked, Commit: c.Commit}
}

// askCI asks GitHub and keeps the answer. It reports false where the remote is on no GitHub.
func (s *site) askCI(ctx context.Context, q capture.CIQuestion) (capture.CI, bool, error) {
	url, err := s.repo.RemoteURL(ctx, q.Remote)
	if err != nil {
		return capture.CI{}, false, err
	}
	repo, ok := github.Remote(url)
	if !ok {
		return capture.CI{}, false, nil
	}
	client, err := github.New(github.Options{Token: github.Token, Hosts: github.Hosts, Alias: github.Alias, APIHost: github.APIHost, Now: s.Now, Sleep: sleep})
	if err != nil {
		return capture.CI{}, false, err
	}
	ask := github.Question{Repo: repo, Branch: q.Branch, Commit: q.Commit, Last: s.lastCI()}
	a, err := askGitHub(ctx, client, ask, q)
	ci := capturedCI(a)
	if slices.ContainsFunc(a.Unknown, func(u github.Unknown) bool { return u.Reason == github.NotGitHub }) {
		return ci, false, nil
	}
	if err != nil {
		ci.Unknown = append(ci.Unknown, err.Error())
	}
	return ci, true, s.keepCI(a)
}

func (s *site) keepCI(a github.Answer) error {
	b, err := json.Marshal(a)
	if err == nil {
		err = atomicfile.Replace(s.ciFile(), b, 0o600)
	}
	if err != nil {
		return fmt.Errorf("keep the answer of GitHub: %w", err)
	}
	return nil
}

// askGitHub asks once, or waits until the runs have completed. A wait that ended before they had says so in its error.
func askGitHub(ctx context.Context, c *github.Client, ask github.Question, q capture.CIQuestion) (github.Answer, error) {
	if q.Wait == 0 {
		return c.Ask(ctx, ask)
	}
	return c.Wait(ctx, ask, github.Wait{Limit: q.Wait, Progress: func(p github.Progress) {
		q.Say(fmt.Sprintf("CI: %d/%d, %s", p.Done, len(p.Runs), p.Waited.Round(time.Second)))
	}})
}

// capturedCI puts an answer into the words of capture.
func capturedCI(a github.Answer) capture.CI {
	ci := capture.CI{Asked: a.Asked, Verdict: string(a.CI()), Runs: github.Fresh(a, a.Runs) && github.Fresh(a, a.Checks), Reviews: github.Fresh(a, a.Pulls),
		Public: a.Public != nil && a.Public.Value}
	for _, b := range a.Blockers() {
		kind := capture.FromReviews
		if b.Type == blocker.CIFailure {
			kind = capture.FromRuns
		}
		b.Source = kind + ": " + b.Source
		ci.Blockers = append(ci.Blockers, b)
	}
	for _, u := range a.Unknown {
		ci.Unknown = append(ci.Unknown, strings.TrimSpace(u.What+": "+u.Why))
	}
	return ci
}

// sleep waits for d, or for ctx's end.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// statusLimit is how long session status --ci asks.
const statusLimit = 10 * time.Second

// asked asks GitHub now about the branch of the work tree. What could not be had is a note.
func (s *site) asked(ctx context.Context) ([]session.Finding, error) {
	unknown := func(why any) []session.Finding {
		return []session.Finding{session.NewFinding(session.SourceFailed, "source.unknown", "source", "CI", "cause", why)}
	}
	if s.repo == nil || s.head.Ref == "" {
		return unknown(s.Words.Say("ci.no-branch")), nil
	}
	cfg, err := s.repo.Config(ctx)
	if err != nil {
		return nil, err
	}
	q, err := capture.AboutBranch(ctx, s.repo, cfg, s.head)
	if errors.Is(err, gitstate.ErrNoRemote) {
		return unknown(err), nil
	}
	if err != nil {
		return nil, err
	}
	limited, stop := context.WithTimeout(ctx, statusLimit)
	defer stop()
	ci, asked, err := s.askCI(limited, q)
	if err != nil {
		return nil, err
	}
	if !asked {
		return unknown(s.Words.Say("ci.not-github", "remote", q.Remote)), nil
	}
	var notes []session.Finding
	for _, u := range ci.Unknown {
		notes = append(notes, unknown(u)...)
	}
	return notes, nil
}
