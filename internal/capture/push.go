package capture

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"

	"session/gitstate"
	"session/internal/redact"
	"session/internal/session"
)

// PushSettings are the settings of the step Push.
type PushSettings struct {
	Protected []string `json:"protected"` // branches that are not pushed: patterns as of path.Match, main or release/*
}

// Check refuses patterns that match nothing by mistake.
func (s PushSettings) Check() error {
	for _, p := range s.Protected {
		if _, err := path.Match(p, ""); err != nil {
			return fmt.Errorf("protected: %q: %w", p, err)
		}
	}
	return nil
}

// push pushes the branch where the user's configuration says, and believes only what the remote then shows. A push that
// cannot be is a finding with the next command; the save goes on.
func (w World) push(ctx context.Context, d *Draft, o PushSettings) error {
	if d.Scene.Git == nil {
		d.find(rejected("push.no-git").Offer("init", "git", "init"))
		return nil
	}
	d.Push.Tried = true
	if f, no := w.noPush(d, o); no {
		d.find(f)
		return nil
	}
	cfg := d.Scene.Git.Config
	target, err := cfg.Target(d.Scene.Git.Head.Ref)
	if errors.Is(err, gitstate.ErrNoRemote) {
		d.find(rejected("push.no-remote").Offer("remote", "git", "remote", "add", "origin", "URL"))
		return nil
	}
	d.Push.Remote = target.Remote
	if clean, err := w.scanOutgoing(ctx, d, target.Remote); err != nil || !clean {
		return err
	}
	done, err := w.Repo.Push(ctx, gitstate.PushOptions{PushTarget: target, Ref: d.Scene.Git.Head.Ref, Commit: d.Stage.Commit,
		Prompt: w.Prompt, SSH: cfg["core.sshcommand"], Env: []string{OwnPush + "=" + w.Snapshot}})
	var failed *gitstate.PushError
	if errors.As(err, &failed) {
		d.find(explainPush(failed, d))
		return nil
	}
	if err != nil {
		return err
	}
	d.Push.OK, d.Push.Ref, d.Push.Remote = true, done.Ref, done.Remote
	return nil
}

// OwnPush is the variable by which the pre-push hook recognises a push of a save: the save records it itself.
const OwnPush = "SESSION_PUSH"

func rejected(key string, args ...any) session.Finding {
	return session.NewFinding(session.PushRejected, key, args...)
}

// noPush finds what forbids the push before anything is sent.
func (w World) noPush(d *Draft, o PushSettings) (session.Finding, bool) {
	head := d.Scene.Git.Head
	switch {
	case d.Stage.Commit == "":
		return rejected("push.nothing"), true
	case d.Stage.Refused:
		return rejected("push.refused"), true
	case head.Ref == "":
		return rejected("push.detached").Offer("branch", "git", "switch", "-c", "NAME"), true
	}
	for _, p := range o.Protected {
		if ok, _ := path.Match(p, head.Branch()); ok {
			return rejected("push.protected", "branch", head.Branch()).Offer("branch", "git", "switch", "-c", "NAME"), true
		}
	}
	return session.Finding{}, false
}

// scanOutgoing looks for secrets in what would be sent for the first time. A hit stops the push, not the save.
func (w World) scanOutgoing(ctx context.Context, d *Draft, remote string) (clean bool, err error) {
	clean = true
	err = w.Repo.Outgoing(ctx, d.Stage.Commit, remote, func(file, blob string, content io.Reader) error {
		var hit *redact.Hit
		err := redact.Scan(content, func(h redact.Hit) error {
			hit = &h
			return io.EOF // one is enough
		})
		if hit != nil {
			clean = false
			f := rejected("push.secret", "path", session.PathText(file), "rule", hit.Rule, "line", hit.Line, "blob", blob[:8])
			d.find(f.Offer("inspect", "git", "log", "--oneline", "--find-object="+blob))
			return nil
		}
		return err
	})
	return clean && err == nil, err
}

// explainPush words a failed push and names the exact next command.
func explainPush(e *gitstate.PushError, d *Draft) session.Finding {
	f := rejected("push."+string(e.Cause), "remote", e.Remote, "detail", redact.Text(e.Detail))
	switch e.Cause {
	case gitstate.NonFastForward:
		return f.Offer("pull", "git", "pull", "--rebase", e.Remote, d.Scene.Git.Head.Branch()).Offer("again", "session", "save", "--sync")
	case gitstate.NoAccess:
		return f.Offer("try", "git", "push", e.Remote, d.Scene.Git.Head.Branch())
	}
	return f.Offer("again", "session", "save", "--sync")
}
