package survey

import (
	"cmp"
	"context"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	"session/gitstate"
	"session/internal/redact"
	"session/openspec"

	"golang.org/x/sync/errgroup"
)

// Sources are the places to look at.
type Sources struct {
	Repo  *gitstate.Repo // nil outside a repository
	Tasks openspec.Place
	Now   func() time.Time
	Path  gitstate.PathChoice // which way a scan for staging may go
}

// Ask says how much to look at.
type Ask struct {
	Untracked gitstate.UntrackedMode
	Config    bool   // git's configuration too
	Stage     bool   // the work tree is going to be staged: Scan is wanted
	Glance    bool   // no scan of the work tree: HEAD, branch and tasks only
	History   bool   // how the recorded commit stands to what is there now
	Files     bool   // and how the recorded files do
	Change    string // the change that somebody named
	Prefer    string // the change that somebody named at an earlier save: taken as long as it is active
	Recorded  Recorded
}

// Look reads everything at the same time. Only what makes the whole look impossible is an error (git itself failing,
// ctx ending); the rest is a Failure in the Scene.
func (s Sources) Look(ctx context.Context, ask Ask) (Scene, error) {
	s.Tasks.Shallow = s.Tasks.Shallow || ask.Glance
	l := &looker{Sources: s, ask: ask, scene: Scene{At: s.Now()}, looked: make(chan struct{})}
	g, ctx := errgroup.WithContext(ctx)
	l.config = sync.OnceValues(func() (gitstate.Config, error) { return s.Repo.Config(ctx) })
	if s.Repo != nil {
		l.scene.Git = &Git{}
		if ask.Config {
			g.Go(func() (err error) { l.scene.Git.Config, err = l.config(); return err })
		}
		g.Go(func() error { return l.git(ctx) })
	} else {
		close(l.looked)
	}
	g.Go(func() error { return l.tasks(ctx) })
	err := g.Wait()
	if l.scene.Git != nil {
		l.scene.Git.Real = l.real
	}
	for _, e := range []struct {
		source string
		err    error
	}{{"tasks", cmp.Or(l.tasksErr, l.scene.Tasks.Unread())}, {"history", l.historyErr}, {"history", l.compareErr}} {
		if e.err != nil {
			l.scene.Failures = append(l.scene.Failures, Failure{e.source, e.err})
		}
	}
	return l.scene, err
}

// FindTasks looks at the tasks alone.
func (s Sources) FindTasks(ctx context.Context, ask Ask) (openspec.Work, error) {
	l := &looker{Sources: s, ask: ask, scene: Scene{At: s.Now()}, looked: make(chan struct{})}
	if s.Repo == nil {
		close(l.looked)
	}
	return l.find(ctx, l.hints(ctx))
}

// looker fills one scene from several goroutines: git's part and the tasks' part touch different fields.
type looker struct {
	Sources
	ask        Ask
	scene      Scene
	config     func() (gitstate.Config, error) // asks git once
	looked     chan struct{}                   // closed when the status is there, or will never be
	tasksErr   error
	historyErr error // of the tasks' goroutine
	compareErr error // of git's goroutine
	real       *gitstate.Commit
}

func (l *looker) git(ctx context.Context) error {
	g := l.scene.Git
	var err error
	if l.ask.Glance {
		g.Head, err = l.Repo.Head(ctx)
	} else {
		err = l.status(ctx)
	}
	close(l.looked)
	if err != nil {
		return err
	}
	g.Operations = l.Repo.InProgress()
	g.Lock = l.Repo.IndexLock(l.Now())
	if !l.ask.History {
		return nil
	}
	l.compareErr = l.compare(ctx)
	return ctx.Err()
}

// status looks at the work tree: in process where it is to be staged and the gate allows it, else by git.
func (l *looker) status(ctx context.Context) (err error) {
	g := l.scene.Git
	if l.ask.Stage {
		g.Scan, g.Unfit, err = l.Repo.Scan(ctx, gitstate.ScanOptions{Choice: l.Path, Untracked: l.ask.Untracked, Now: l.Now,
			Config: func(context.Context) (gitstate.Config, error) { return l.config() }})
		if g.Scan != nil {
			g.Status = g.Scan.Status
		}
	}
	if err == nil && g.Scan == nil {
		g.Status, err = l.Repo.Status(ctx, l.ask.Untracked)
	}
	return err
}

func (l *looker) tasks(ctx context.Context) error {
	l.scene.Tasks, l.tasksErr = l.find(ctx, l.hints(ctx))
	if l.tasksErr == nil && l.scene.Tasks.Change == "" && l.Repo != nil && !l.ask.Glance {
		l.real, l.historyErr = l.Repo.RealCommit(ctx)
	}
	return ctx.Err()
}

func (l *looker) hints(ctx context.Context) openspec.Hints {
	hints := openspec.Hints{Change: l.ask.Change, Saved: openspec.Saved{Change: l.ask.Recorded.Change, Done: l.ask.Recorded.Done}}
	if l.Repo != nil {
		if h, err := l.Repo.Head(ctx); err == nil && h.Ref != "" {
			hints.Branch = h.Branch()
		}
		if !l.ask.Glance {
			hints.Changed, hints.AtHead, hints.Before, hints.Touched = l.changed, l.atHead, l.before, l.touched
		}
	}
	return hints
}

// find chooses the change to go on with, and looks for the recorded one where that is another.
// find finds the tasks. No secret that stands in one goes further.
func (l *looker) find(ctx context.Context, hints openspec.Hints) (openspec.Work, error) {
	work, err := l.choose(ctx, hints)
	for i := range work.Tasks {
		t := &work.Tasks[i]
		t.Description, t.Heading = redact.Text(t.Description), redact.Text(t.Heading)
	}
	return work, err
}

func (l *looker) choose(ctx context.Context, hints openspec.Hints) (openspec.Work, error) {
	if l.ask.Prefer != "" && hints.Change == "" {
		preferred := hints
		preferred.Change = l.ask.Prefer
		work, err := openspec.Find(ctx, l.Tasks, preferred)
		if err == nil && (work.Status == openspec.InProgress || work.Status == openspec.NoTasks) {
			return work, nil
		}
	}
	work, err := openspec.Find(ctx, l.Tasks, hints)
	saved := l.ask.Recorded.Change
	if err == nil && saved != "" && saved != work.Change && hints.Change == "" && unread(work, saved) {
		hints.Change = saved // its tasks could not be read: that is no reason to go on with another one
		return openspec.Find(ctx, l.Tasks, hints)
	}
	if err != nil || saved == "" || slices.ContainsFunc(work.Candidates, func(c openspec.Candidate) bool { return c.ID == saved }) {
		return work, err
	}
	gone, err := openspec.Find(ctx, l.Tasks, openspec.Hints{Change: saved})
	if err == nil && !active(gone) { // one that cannot be looked for is not gone
		l.scene.Gone = &gone
	}
	return work, err
}

// unread reports whether an active change has tasks that could not be read.
func unread(w openspec.Work, change string) bool {
	for _, c := range w.Candidates {
		if c.ID == change {
			w.Dir, w.Total = c.Dir, c.Total
			return w.Unread() != nil
		}
	}
	return false
}

// active reports whether a change that was asked for is there, also one that is not chosen by itself.
func active(w openspec.Work) bool {
	return w.Status == openspec.InProgress || w.Status == openspec.NoTasks || w.Status == openspec.Complete
}

func (l *looker) changed(ctx context.Context) ([]string, error) {
	if l.scene.Git == nil { // only the tasks are looked at
		st, err := l.Repo.Status(ctx, gitstate.Folders)
		l.scene.Git = &Git{Status: st}
		close(l.looked)
		if err != nil {
			return nil, err
		}
	}
	select {
	case <-l.looked:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	var paths []string
	for _, e := range l.scene.Git.Entries {
		paths = append(paths, e.Path)
	}
	return paths, nil
}

func (l *looker) atHead(ctx context.Context, file string) ([]byte, error) {
	return l.at(ctx, "HEAD", file)
}

func (l *looker) at(ctx context.Context, rev, file string) ([]byte, error) {
	b, ok, err := l.Repo.Show(ctx, rev, file)
	if err == nil && !ok {
		err = fs.ErrNotExist
	}
	return b, err
}

func (l *looker) before(ctx context.Context, file string) ([]byte, error) {
	c, err := l.Repo.LastTouching(ctx, file)
	if err != nil {
		return nil, err
	}
	if c == "" {
		return nil, fs.ErrNotExist
	}
	return l.at(ctx, c+"^", file)
}

func (l *looker) touched(ctx context.Context, files []string) (map[string]time.Time, error) {
	times := map[string]time.Time{}
	for _, f := range files {
		t, ok, err := l.Repo.TouchedAt(ctx, f)
		if err != nil {
			return nil, err
		}
		if ok {
			times[f] = t
		}
	}
	return times, nil
}

// compare holds what was recorded against what is there.
func (l *looker) compare(ctx context.Context) error {
	g, rec := l.scene.Git, l.ask.Recorded
	g.BranchTip = g.Head.Commit
	if rec.Ref != g.Head.Ref && rec.Ref != "" {
		tip, err := l.Repo.RefTip(ctx, rec.Ref)
		if err != nil {
			return err
		}
		g.BranchTip = tip
	}
	if err := l.commits(ctx); err != nil {
		return err
	}
	if rec.Ref == "" && g.Head.Ref != "" && rec.Commit != "" && !g.Relation.Missing {
		g.BranchTip, g.Relation, g.Since = rec.Commit, gitstate.Relation{}, nil // no branch, so nothing that could have moved on
	}
	if !l.ask.Files {
		return nil
	}
	return l.files(ctx)
}

func (l *looker) commits(ctx context.Context) (err error) {
	g, rec := l.scene.Git, l.ask.Recorded
	if rec.Commit != "" && g.BranchTip != rec.Commit {
		if g.Relation, err = l.Repo.Relate(ctx, rec.Commit, g.BranchTip); err != nil {
			return err
		}
	}
	if g.BranchTip != "" && g.BranchTip != rec.Commit {
		revs := g.BranchTip
		if rec.Commit != "" && !g.Relation.Missing {
			revs = rec.Commit + ".." + g.BranchTip
		}
		if g.Since, err = l.Repo.Log(ctx, revs, SinceLimit); err != nil {
			return err
		}
		if len(g.Since) > 0 && g.Since[0].Trailer != "" && rec.Known != nil && !rec.Known(g.Since[0].Trailer) {
			g.CutShort = g.Since[0].Trailer
		}
		if rec.Commit == "" || g.Relation.Missing {
			g.Since = nil // without a beginning this is the whole history
		}
	}
	if g.HasUpstream && g.Behind > 0 {
		g.Incoming, err = l.Repo.Log(ctx, "HEAD..@{upstream}", SinceLimit)
	}
	return err
}

// files looks again at what the last snapshot recorded, as far as it matters: what is dirty, and what no commit held.
func (l *looker) files(ctx context.Context) error {
	g, rec := l.scene.Git, l.ask.Recorded
	if err := l.expand(ctx); err != nil {
		return err
	}
	dirty := map[string]bool{}
	for _, e := range g.Entries {
		dirty[strings.TrimSuffix(e.Path, "/")] = true
	}
	var paths []string
	for _, f := range rec.Files {
		if rec.Dirty || dirty[f.Path] {
			paths = append(paths, f.Path)
		}
	}
	now, err := l.Repo.FilesNow(ctx, paths)
	if err != nil {
		return err
	}
	g.Now = make(map[string]gitstate.File, len(now))
	for _, f := range now {
		g.Now[f.Path] = f
	}
	g.LeftOutNow = stamps(l.Repo.Root, rec.LeftOut)
	return nil
}

// expand lists the files of untracked folders in which the last save recorded or left out something.
func (l *looker) expand(ctx context.Context) error {
	g := l.scene.Git
	known := map[string]bool{}
	for _, f := range l.ask.Recorded.Files {
		known[f.Path] = true
	}
	for _, f := range l.ask.Recorded.LeftOut {
		known[f.Path] = true
	}
	var folders []string
	var kept []gitstate.Entry
	for _, e := range g.Entries {
		if e.Kind == gitstate.Untracked && strings.HasSuffix(e.Path, "/") && anyBelow(known, e.Path) {
			folders = append(folders, e.Path)
		} else {
			kept = append(kept, e)
		}
	}
	if len(folders) == 0 {
		return nil
	}
	files, err := l.Repo.UntrackedBelow(ctx, folders)
	if err != nil {
		return err
	}
	for _, f := range files {
		kept = append(kept, gitstate.Entry{Path: f, Kind: gitstate.Untracked, X: '?', Y: '?'})
	}
	g.Entries = kept
	return nil
}

func anyBelow(paths map[string]bool, folder string) bool {
	for p := range paths {
		if strings.HasPrefix(p, folder) {
			return true
		}
	}
	return false
}
