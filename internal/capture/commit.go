package capture

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"session/gitstate"
	"session/internal/atomicfile"
	"session/internal/session"
	"session/internal/survey"
)

// CommitSettings are the settings of the step Commit.
type CommitSettings struct {
	Hooks bool `json:"hooks"` // run pre-commit, prepare-commit-msg and commit-msg
}

// commit makes the WIP commit, in the order of design: private index, objects, publish the index, move the branch.
// Where git or a rule says no, the reason is a finding and the save goes on: the state is recorded in any case.
func (w World) commit(ctx context.Context, d *Draft, o CommitSettings) error {
	if d.Scene.Git == nil {
		return nil
	}
	if f, refused := w.refusal(d); refused {
		return w.refuse(ctx, d, f)
	}
	if err := w.Sound(d.state()); err != nil { // before anything moves
		return err
	}
	defer w.inside(d)
	defer func() { d.Scene.Close() }()
	for again := 0; ; again++ {
		err := w.tryCommit(ctx, d, o)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return err
		case again >= 3 || !passing(err):
			return w.refuse(ctx, d, explain(err))
		}
		var unfit *gitstate.Unfit
		if errors.As(err, &unfit) || again > 0 && errors.Is(err, gitstate.ErrChanged) {
			w.Sources.Path = gitstate.SafePath // in process it cannot be done: git does it
		}
		if e := w.lookAgain(ctx, d); e != nil {
			return e
		}
		if unfit != nil {
			d.Stage.Unfit = unfit
		}
		if f, refused := w.refusal(d); refused {
			return w.refuse(ctx, d, f)
		}
	}
}

// passing tells errors that another look can mend: somebody else staged or committed, or wrote a file meanwhile, or what
// was begun in process needs git.
func passing(err error) bool {
	var moved *gitstate.RefMovedError
	var unfit *gitstate.Unfit
	return errors.Is(err, gitstate.ErrIndexMoved) || errors.Is(err, gitstate.ErrChanged) || errors.As(err, &moved) || errors.As(err, &unfit)
}

// lookAgain sees what is there now, and lets the guard judge it.
func (w World) lookAgain(ctx context.Context, d *Draft) error {
	if err := w.look(ctx, d); err != nil {
		return err
	}
	if d.Stage.LeftOut = nil; d.Stage.Rules == nil {
		return nil
	}
	return w.guard(ctx, d, *d.Stage.Rules)
}

// refusal finds what forbids a commit before anything is staged.
func (w World) refusal(d *Draft) (session.Finding, bool) {
	g := d.Scene.Git
	switch {
	case len(g.Unmerged()) > 0:
		f := session.NewFinding(session.CommitRefused, "refused.unmerged", "n", len(g.Unmerged()), "files", clip(g.Unmerged(), 5))
		return f.Offer("inspect", "git", "status"), true
	case len(g.Operations) > 0 && w.changes(d):
		op := string(g.Operations[0])
		f := session.NewFinding(session.CommitRefused, "refused.operation", "operation", op)
		if op == string(gitstate.Bisect) {
			return f.Offer("finish", "git", "bisect", "reset"), true
		}
		return f.Offer("finish", "git", op, "--continue").Offer("abort", "git", op, "--abort"), true
	case len(d.Stage.Secret) > 0:
		f := session.NewFinding(session.CommitRefused, "refused.staged", "n", len(d.Stage.Secret), "files", texts(clip(d.Stage.Secret, 5)))
		unstage := []string{"git", "restore", "--staged", "--"}
		if g.Head.Commit == "" { // there is nothing to restore from
			unstage = []string{"git", "rm", "--cached", "--"}
		}
		f = f.Offer("unstage", append(unstage, d.Stage.Secret...)...)
		allow := []string{"session", "save"}
		for _, p := range d.Stage.Secret {
			allow = append(allow, "--allow", p)
		}
		return f.Offer("allow", allow...), true
	case w.Repo.IndexFile != "" && w.changes(d):
		return session.NewFinding(session.CommitRefused, "refused.inside-git"), true
	}
	return session.Finding{}, false
}

func (w World) changes(d *Draft) bool {
	return len(w.wanted(d)) > 0 || d.Scene.Git.Staged()
}

// wanted lists the paths to stage.
func (w World) wanted(d *Draft) []string {
	var paths []string
	for _, e := range d.Scene.Git.Entries {
		if e.Stageable() && !ownFile(e.Path) && !d.Stage.leftOut(e.Path) && (e.Kind == gitstate.Tracked || !d.Ask.TrackedOnly) {
			paths = append(paths, e.Path)
		}
	}
	return paths
}

// ownFile is a file of the program's own in the work tree: the state file, and what it is made from where that cannot stand
// in the git directory.
func ownFile(p string) bool {
	dir, name := path.Split(p)
	return p == session.StateFile || dir == path.Dir(session.StateFile)+"/" && atomicfile.IsTemp(name)
}

func (s Stage) leftOut(path string) bool {
	return slices.ContainsFunc(s.LeftOut, func(l survey.LeftOut) bool { return l.Path == path })
}

func (w World) tryCommit(ctx context.Context, d *Draft, o CommitSettings) error {
	g := d.Scene.Git
	paths := w.wanted(d)
	if len(paths) == 0 && !g.Staged() {
		return nil
	}
	var err error
	if g.Staged() && len(paths) > 0 {
		if d.Stage.IndexTree, err = w.indexTree(ctx, g); err != nil {
			return err
		}
	}
	s, skipped, err := w.stage(ctx, d, paths)
	if err != nil {
		return err
	}
	defer s.Drop()
	w.leaveOut(d, skipped)
	if d.Stage.Files, err = s.Diff(ctx, g.Head.Commit); err != nil {
		return err
	}
	d.Stage.Tree = s.Tree
	w.outside(d)
	if len(d.Stage.Files) == 0 && !(o.Hooks && len(paths) > 0) {
		return w.settle(ctx, d, s)
	}
	id, err := s.Commit(ctx, gitstate.CommitOptions{Tree: s.Tree, Parent: g.Head.Commit, Subject: subject(d.Words.WorkingOn),
		Body: gitstate.SnapshotTrailer + ": " + w.Snapshot, Sign: g.Config.Bool("commit.gpgsign", false), Hooks: o.Hooks && !d.Ask.NoCommit})
	if err != nil {
		return err
	}
	if d.Ask.NoCommit {
		return w.keep(ctx, d, id)
	}
	return w.publish(ctx, d, s, id)
}

// stage stages in process where the work tree was scanned there.
func (w World) stage(ctx context.Context, d *Draft, paths []string) (*gitstate.Staging, []gitstate.Skipped, error) {
	o := gitstate.StageOptions{Run: w.RunID, Paths: paths}
	if g := d.Scene.Git; g.Scan != nil {
		s, err := g.Scan.Stage(ctx, o)
		return s, nil, err
	}
	o.Sparse, o.Except, o.Config, o.Now = d.Scene.Git.Config.Bool("core.sparsecheckout", false), w.except(d), d.Scene.Git.Config, w.Now
	return w.Repo.Stage(ctx, o)
}

func (w World) indexTree(ctx context.Context, g *survey.Git) (string, error) {
	if g.Scan != nil {
		return g.Scan.IndexTree(ctx)
	}
	return w.Repo.IndexTree(ctx)
}

// settle publishes an index whose tree is HEAD's: what had been staged was taken back in the work tree.
func (w World) settle(ctx context.Context, d *Draft, s *gitstate.Staging) error {
	if d.Ask.NoCommit {
		return nil
	}
	return s.PublishIndex(ctx, w.Now)
}

// keep holds the work tree under a ref of ours, so that git does not collect it; index and branch stay.
func (w World) keep(ctx context.Context, d *Draft, id string) error {
	if err := w.Repo.SetRef(ctx, "refs/session/"+w.Snapshot, id, "session save --no-commit"); err != nil {
		return err
	}
	d.Stage.Kept, d.Stage.Dirty = id, true
	return nil
}

func (w World) publish(ctx context.Context, d *Draft, s *gitstate.Staging, id string) error {
	head := d.Scene.Git.Head
	ref := head.Ref
	if ref == "" {
		ref = "HEAD"
	}
	if err := w.Note(ctx, ref, id); err != nil {
		return err
	}
	target := gitstate.Target{Ref: ref, Old: head.Commit, Log: "session save: " + subject(d.Words.WorkingOn)}
	if err := s.Publish(context.WithoutCancel(ctx), target, id, w.Now); err != nil {
		return err
	}
	d.Stage.Created, d.Stage.Commit, d.Stage.Before = true, id, head.Commit
	if s.Tree != d.Stage.Tree { // a hook staged more
		d.Stage.Tree = s.Tree
		var err error
		d.Stage.Files, err = w.Repo.TreeDiff(ctx, head.Commit, s.Tree)
		return err
	}
	return nil
}

func (w World) except(d *Draft) []string {
	paths := []string{session.StateFile}
	for _, l := range d.Stage.LeftOut {
		paths = append(paths, l.Path)
	}
	if d.Ask.TrackedOnly {
		for _, e := range d.Scene.Git.Entries {
			if e.Kind == gitstate.Untracked {
				paths = append(paths, e.Path)
			}
		}
	}
	return paths
}

func (w World) leaveOut(d *Draft, skipped []gitstate.Skipped) {
	for _, s := range skipped {
		if !d.Stage.leftOut(s.Path) {
			stamp, _ := survey.StampOf(w.Repo.Root, s.Path)
			d.Stage.LeftOut = append(d.Stage.LeftOut, survey.LeftOut{Path: s.Path, Reason: s.Reason, Stamp: stamp})
		}
	}
}

// outside names what git add left out of a sparse checkout, and changes inside submodules.
func (w World) outside(d *Draft) {
	staged := map[string]bool{}
	for _, f := range d.Stage.Files {
		staged[f.Path] = true
	}
	sparse := d.Scene.Git.Config.Bool("core.sparsecheckout", false)
	var left []gitstate.Skipped
	for _, e := range d.Scene.Git.Entries {
		name := strings.TrimSuffix(e.Path, "/")
		if sparse && e.Stageable() && !e.Staged() && !staged[name] && (e.Kind == gitstate.Tracked || !d.Ask.TrackedOnly) {
			left = append(left, gitstate.Skipped{Path: e.Path, Reason: gitstate.SkipSparse})
		}
	}
	w.leaveOut(d, left)
}

// inside names submodules whose own files changed: only they can commit those.
func (w World) inside(d *Draft) {
	var left []gitstate.Skipped
	for _, e := range d.Scene.Git.Entries {
		if e.Kind == gitstate.Tracked && e.Submodule() && strings.ContainsAny(e.Sub, "MU") {
			left = append(left, gitstate.Skipped{Path: e.Path, Reason: gitstate.SkipSubmodule})
		}
	}
	w.leaveOut(d, left)
}

// refuse notes why nothing was committed, and records the dirty files as they stand.
func (w World) refuse(ctx context.Context, d *Draft, f session.Finding) error {
	d.find(f)
	d.Stage.Refused, d.Stage.Dirty = true, true
	d.Stage.Files, d.Stage.Tree = nil, ""
	var paths []string
	for _, e := range d.Scene.Git.Entries {
		if e.Kind != gitstate.Unmerged && e.Path != session.StateFile && !d.Stage.leftOut(e.Path) && !strings.HasSuffix(e.Path, "/") {
			paths = append(paths, e.Path)
		}
	}
	var err error
	d.Stage.Files, err = w.Repo.FilesNow(ctx, paths)
	return err
}

// explain words git's refusals.
func explain(err error) session.Finding {
	var hook *gitstate.HookError
	var sign *gitstate.SignError
	var lock *gitstate.LockedError
	switch {
	case errors.Is(err, gitstate.ErrNoIdentity):
		f := session.NewFinding(session.CommitRefused, "refused.identity")
		return f.Offer("name", "git", "config", "user.name", "Your Name").Offer("email", "git", "config", "user.email", "you@example.com")
	case errors.As(err, &hook):
		return session.NewFinding(session.CommitRefused, "refused.hook", "hook", hook.Hook, "cause", hook.Cause)
	case errors.As(err, &sign):
		return session.NewFinding(session.CommitRefused, "refused.sign", "cause", sign.Cause)
	case errors.As(err, &lock) && lock.Dead:
		f := session.NewFinding(session.CommitRefused, "refused.lock.dead", "file", lock.File, "age", lock.Age)
		return f.Offer("remove", "rm", lock.File)
	case errors.As(err, &lock):
		return session.NewFinding(session.CommitRefused, "refused.lock", "file", lock.File, "age", lock.Age)
	case errors.Is(err, gitstate.ErrChanged):
		return session.NewFinding(session.CommitRefused, "refused.changing", "cause", err).Offer("again", "session", "save")
	case errors.Is(err, gitstate.ErrIndexMoved):
		return session.NewFinding(session.CommitRefused, "refused.moved").Offer("again", "session", "save")
	}
	return session.NewFinding(session.CommitRefused, "refused.git", "cause", err)
}

// subject is the first line of a WIP commit: at most 72 characters, one line, no control characters.
func subject(work string) string {
	line := strings.Join(strings.FieldsFunc(work, func(r rune) bool { return r <= ' ' || r == 0x7f }), " ")
	runes := []rune("wip: " + line)
	if len(runes) > 72 {
		runes = append(runes[:71], '…')
	}
	return string(runes)
}

func clip(list []string, n int) []string {
	if len(list) <= n {
		return list
	}
	return append(slices.Clone(list[:n]), "…")
}
