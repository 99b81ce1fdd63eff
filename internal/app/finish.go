package app

import (
	"context"
	"fmt"
	"strings"

	"session/gitstate"
	"session/internal/cycle"
	"session/internal/redact"
	"session/internal/session"
	"session/internal/snapshot"
)

// FinishOptions is what session finish was asked.
type FinishOptions struct {
	Message    string
	EvenPushed bool // fold commits that a remote has
	NoVerify   bool // do not run the commit hooks
}

// FinishResult is what became of the WIP commits.
type FinishResult struct {
	Commit   string   `json:"commit"`
	Folded   []string `json:"folded"` // ids of the WIP commits, newest first
	Snapshot string   `json:"snapshot"`
	Push     []string `json:"push,omitempty"` // the command that a person has to run, where a remote had them
}

// FinishError says why there is nothing to fold, or why it must not be. Nothing was changed.
type FinishError struct {
	Key  string
	Args []any
}

func (e *FinishError) Error() string { return fmt.Sprintf("cannot finish: %s %v", e.Key, e.Args) }

// Finish folds the WIP commits since the last real commit into one. Index and work tree are not touched.
func Finish(ctx context.Context, p Place, o FinishOptions) (FinishResult, error) {
	o.Message = redact.Text(o.Message)
	c, err := p.chain(ctx)
	if err != nil {
		return FinishResult{}, err
	}
	if c.repo == nil {
		return FinishResult{}, &FinishError{"finish.no-git", nil}
	}
	if err := c.readable(); err != nil {
		return FinishResult{}, err
	}
	wip, base, err := c.repo.WIP(ctx)
	if err != nil {
		return FinishResult{}, err
	}
	if len(wip) == 0 {
		return FinishResult{}, &FinishError{"finish.nothing", nil}
	}
	r := FinishResult{}
	for _, w := range wip {
		r.Folded = append(r.Folded, w.ID)
	}
	oldest := wip[len(wip)-1].ID
	remote, err := c.repo.OnRemote(ctx, oldest)
	if err != nil {
		return r, err
	}
	if remote != "" && !o.EvenPushed {
		return r, &FinishError{"finish.pushed", []any{"remote", remote, "commit", short(oldest)}}
	}
	if remote != "" {
		r.Push = []string{"git", "push", "--force-with-lease"}
	}
	return r, c.fold(ctx, &r, o, wip, base)
}

func (c *lineage) fold(ctx context.Context, r *FinishResult, o FinishOptions, wip []gitstate.Commit, base string) error {
	message, err := c.foldMessage(ctx, o.Message, wip)
	if err != nil {
		return err
	}
	cfg, err := c.repo.Config(ctx)
	if err != nil {
		return err
	}
	at := cycle.Where{Path: c.path, Stood: c.here, Wait: leaseWait, Origin: snapshot.Origin{By: "finish"}}
	out, err := c.record(ctx, at, c.projections(c.store), func(b *session.Bundle) error {
		b.Context.State.GitPushed, b.Context.State.Origin = false, "finish"
		if err := sound(b.Context.State); err != nil {
			return err
		}
		run, err := c.runID()
		if err != nil {
			return err
		}
		r.Commit, err = c.repo.Fold(ctx, gitstate.FoldOptions{Run: run, Base: base, Tip: c.head, Message: message, Oldest: wip[len(wip)-1].ID,
			Sign: cfg.Bool("commit.gpgsign", false), Hooks: !o.NoVerify}, c.Now)
		if err != nil {
			return err
		}
		g := session.GitFacts{Ref: session.PathText(c.head.Ref)}
		if b.Environment.Git != nil {
			g = *b.Environment.Git
		}
		g.Head, g.Before, g.Created, g.IndexTree, g.Folded = r.Commit, "", false, "", c.head.Commit
		b.Environment.Git = &g
		b.Context.State.GitCommit = r.Commit
		return nil
	})
	r.Snapshot = string(out.Made.ID)
	return err
}

// foldMessage is what the person said, with those who wrote a part of it besides the first.
func (c *lineage) foldMessage(ctx context.Context, message string, wip []gitstate.Commit) (string, error) {
	oldestFirst := make([]gitstate.Commit, len(wip))
	for i, w := range wip {
		oldestFirst[len(wip)-1-i] = w
	}
	authors, err := c.repo.Authors(ctx, oldestFirst)
	if err != nil {
		return "", err
	}
	message = strings.TrimRight(message, "\n") + "\n"
	for i, a := range authors[min(1, len(authors)):] {
		if i == 0 {
			message += "\n"
		}
		message += "Co-authored-by: " + a + "\n"
	}
	return message, nil
}
