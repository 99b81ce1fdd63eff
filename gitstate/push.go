package gitstate

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"session/internal/proc"
)

// PushTarget is where a branch goes, as the user's configuration says.
type PushTarget struct {
	Remote      string
	Branch      string // full name on the remote; "" leaves it to the user's refspecs
	SetUpstream bool   // the branch has no upstream yet
}

// ErrNoRemote says that there is nowhere to push to.
var ErrNoRemote = errors.New("there is no remote")

// Target finds where git would push a branch: pushRemote, pushDefault, the branch's remote, origin, or the only one
// (git-push(1), "DEFAULT BEHAVIOUR").
func (c Config) Target(branch string) (PushTarget, error) {
	short := strings.TrimPrefix(branch, "refs/heads/")
	t := PushTarget{Remote: c.pushRemote(short), SetUpstream: c["branch."+short+".merge"] == ""}
	if t.Remote == "" {
		return t, ErrNoRemote
	}
	if c["remote."+t.Remote+".push"] != "" {
		return t, nil
	}
	t.Branch = branch
	merge, ours := c["branch."+short+".merge"], c["branch."+short+".remote"] == t.Remote
	if merge != "" && ours && (c["push.default"] == "upstream" || c["push.default"] == "tracking") {
		t.Branch = merge
	}
	return t, nil
}

func (c Config) pushRemote(branch string) string {
	for _, key := range []string{"branch." + branch + ".pushremote", "remote.pushdefault", "branch." + branch + ".remote"} {
		if r := c[key]; r != "" {
			return r
		}
	}
	var remotes []string
	for key := range c {
		if name, ok := strings.CutSuffix(strings.TrimPrefix(key, "remote."), ".url"); ok && strings.HasPrefix(key, "remote.") {
			if name == "origin" {
				return name
			}
			remotes = append(remotes, name)
		}
	}
	if len(remotes) == 1 {
		return remotes[0]
	}
	return ""
}

// PushCause says why a push failed.
type PushCause string

// The causes that are told apart.
const (
	NonFastForward PushCause = "non-fast-forward" // the remote has commits that are not here
	RemoteRefused  PushCause = "remote-refused"   // a hook or a rule of the remote
	HookRefused    PushCause = "hook"             // the pre-push hook here
	NoAccess       PushCause = "auth"
	Unreachable    PushCause = "network"
	NotThere       PushCause = "not-proven" // git said yes, and the remote does not have the commit
	PushFailed     PushCause = "failed"
)

// PushError says why a push failed, with git's own words.
type PushError struct {
	Cause  PushCause
	Remote string
	Detail string
	Err    error
}

func (e *PushError) Error() string {
	return fmt.Sprintf("push to %s: %s: %s", e.Remote, e.Cause, e.Detail)
}
func (e *PushError) Unwrap() error { return e.Err }

// PushOptions is one push.
type PushOptions struct {
	PushTarget
	Ref    string   // the local branch
	Commit string   // that the remote must hold afterwards
	Prompt bool     // a person can answer git's questions
	SSH    string   // the user's core.sshCommand, "" if there is none
	Env    []string // more environment: marks our own push for our own hook
	Say    func(line string)
}

// Pushed is a push that was seen to have arrived.
type Pushed struct {
	Remote string
	Ref    string // on the remote
	URL    string
}

// Push pushes one branch with the user's own hooks, refspecs and credentials, never by force, and then asks the remote
// whether it holds the commit. Nothing else is believed. The error is a *PushError, or ctx's.
func (r *Repo) Push(ctx context.Context, o PushOptions) (Pushed, error) {
	g := r.pusher(o)
	args := []string{"push", "--porcelain"}
	if o.SetUpstream {
		args = append(args, "--set-upstream")
	}
	args = append(args, o.Remote)
	if o.Branch != "" {
		args = append(args, o.Ref+":"+o.Branch)
	} else if o.SetUpstream {
		args = append(args, o.Ref)
	}
	cmd := g.command(nil, args)
	var said bytes.Buffer
	cmd.Errors = &said
	res, err := proc.Run(ctx, cmd)
	refs := parsePush(res.Stdout)
	if err != nil {
		if ctx.Err() != nil {
			return Pushed{}, fmt.Errorf("push: %w", err)
		}
		return Pushed{}, r.explainPush(o, refs, said.String(), err)
	}
	p := Pushed{Remote: o.Remote, Ref: o.Branch, URL: refs.url}
	for _, x := range refs.lines {
		if p.Ref == "" || x.from == o.Ref {
			p.Ref = x.to
		}
	}
	return p, r.provePush(ctx, g, o, p)
}

// pusher is a runner that cannot hang on a question that nobody can answer.
func (r *Repo) pusher(o PushOptions) runner {
	g := r.git
	g.prompt = o.Prompt
	g.env = proc.With(g.env, nil, o.Env...)
	if o.Prompt {
		return g
	}
	g.env = proc.With(g.env, nil, "GIT_ASKPASS=true", "SSH_ASKPASS_REQUIRE=never")
	ssh := cmp.Or(o.SSH, "ssh")
	if proc.Getenv(g.env, "GIT_SSH_COMMAND") == "" && proc.Getenv(g.env, "GIT_SSH") == "" && isOpenSSH(ssh) {
		g.place = append(slices.Clone(g.place), "-c", "core.sshCommand="+ssh+" -oBatchMode=yes")
	}
	return g
}

// isOpenSSH reports whether a command line starts OpenSSH, which knows BatchMode.
func isOpenSSH(command string) bool {
	program, _, _ := strings.Cut(command, " ")
	return program[strings.LastIndexAny(program, `/\`)+1:] == "ssh"
}

// provePush asks the remote itself, where it was pushed to: that may be another place than where it is fetched from.
func (r *Repo) provePush(ctx context.Context, g runner, o PushOptions, p Pushed) error {
	out, err := g.run(ctx, nil, "ls-remote", "--", r.pushURL(ctx, p.Remote), p.Ref)
	if err != nil {
		return &PushError{Cause: NotThere, Remote: p.Remote, Detail: "the remote could not be asked whether it has the commit", Err: err}
	}
	for _, l := range lines(out) {
		id, ref, _ := strings.Cut(l, "\t")
		if ref == p.Ref && id == o.Commit {
			return nil
		}
	}
	return &PushError{Cause: NotThere, Remote: p.Remote, Detail: fmt.Sprintf("%s does not stand at %.12s there", p.Ref, o.Commit)}
}

type pushLine struct {
	flag     byte
	from, to string
	summary  string
}

type pushOutput struct {
	url   string
	lines []pushLine
}

// parsePush reads git push --porcelain (git-push(1), OUTPUT).
func parsePush(out []byte) (p pushOutput) {
	for _, l := range lines(out) {
		if url, ok := strings.CutPrefix(l, "To "); ok {
			p.url = url
			continue
		}
		f := strings.SplitN(l, "\t", 3)
		if len(f) != 3 || len(f[0]) != 1 {
			continue
		}
		from, to, _ := strings.Cut(f[1], ":")
		p.lines = append(p.lines, pushLine{f[0][0], from, to, f[2]})
	}
	return p
}

// explainPush tells the causes apart: what git's porcelain output says of the refs, else whether a hook of ours could
// have refused, else git's own words (always in English: LC_ALL=C), which only choose the advice.
func (r *Repo) explainPush(o PushOptions, refs pushOutput, said string, err error) error {
	e := &PushError{Cause: PushFailed, Remote: o.Remote, Detail: lastWords(said), Err: err}
	for _, x := range refs.lines {
		if x.flag != '!' {
			continue
		}
		e.Detail = x.summary
		e.Cause = RemoteRefused
		if strings.HasPrefix(x.summary, "[rejected]") {
			e.Cause = NonFastForward
		}
		if strings.HasPrefix(x.summary, "[remote rejected]") && lastWords(said) != "" {
			e.Detail += ": " + lastWords(said)
		}
		return e
	}
	words := strings.ToLower(said)
	has := func(any ...string) bool {
		for _, s := range any {
			if strings.Contains(words, s) {
				return true
			}
		}
		return false
	}
	switch {
	case exitCode(err) == 1:
		e.Cause = HookRefused
	case has("authentication failed", "could not read username", "could not read password", "permission denied", "access denied", "403", "401", "repository not found"):
		e.Cause = NoAccess
	case has("could not resolve", "connection", "timed out", "unable to access", "network", "could not read from remote", "does not appear to be a git repository"):
		e.Cause = Unreachable
	}
	return e
}

// lastWords are the last lines of what git said, without its remarks about the remote's progress.
func lastWords(said string) string {
	var kept []string
	for _, l := range strings.Split(strings.TrimSpace(said), "\n") {
		if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "hint:") {
			kept = append(kept, l)
		}
	}
	return strings.Join(kept[max(0, len(kept)-4):], " · ")
}

// Maintain lets git tidy its objects in the background: commits that plumbing makes never start git's own collection.
func (r *Repo) Maintain() error {
	return proc.Detach(r.git.command(nil, []string{"maintenance", "run", "--auto", "--quiet"}))
}
