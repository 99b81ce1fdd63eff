package gitstate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"session/internal/proc"

	"golang.org/x/sync/errgroup"
)

// ScanOptions says how to scan.
type ScanOptions struct {
	Choice    PathChoice
	Untracked UntrackedMode                         // NoFiles or Files
	Config    func(context.Context) (Config, error) // called once, beside the scan
	Now       func() time.Time
}

// Scan is one look at the whole work tree, made in process, and all that Stage needs to stage from it: a save that scans
// looks at every file once. It says what Status would say. Close it when done.
type Scan struct {
	Status
	Config Config

	repo     *Repo
	writer   *objectWriter
	tree     *workTree
	objects  *objects
	refs     *refStore
	index    *index
	now      func() time.Time
	began    time.Time
	has      func(objectID) (bool, error)
	made     map[objectID]madeTree // trees that have to be written
	asItIs   objectID              // tree of the index as it stands
	staged   map[string]stagedFile // where the index differs from HEAD
	suspects []suspect
	changes  map[string]change // tracked files that differ from the index
	settled  []indexEdit       // files whose content is the index's, and whose entry has to be brought up to date
	contents contents
	convert  conversions
}

// change is a tracked file that differs from the index.
type change struct {
	slot    int
	letter  byte         // M, T or D, as status shows it
	content *fileContent // nil: the file is gone
	same    bool         // the entry remembers this very file by size and times, although its content differs
}

// Scan looks at the work tree: the index is read in process, its files are compared on all cores, and git lists new files
// at the same time (its ignore rules are its own). Where the gate says no, the answer is an *Unfit: ask Status then.
func (r *Repo) Scan(ctx context.Context, o ScanOptions) (*Scan, *Unfit, error) {
	s := &Scan{repo: r, now: o.Now, began: o.Now(), made: map[objectID]madeTree{}, changes: map[string]change{}}
	err := s.scan(ctx, o)
	if err == nil {
		return s, nil, nil
	}
	s.Close()
	if ctx.Err() != nil {
		return nil, nil, fmt.Errorf("look at the work tree: %w", context.Cause(ctx))
	}
	return nil, unfit(err), nil
}

// unfit makes an answer of an error: what fails in process is left to git, and said.
func unfit(err error) *Unfit {
	var u *Unfit
	var x *indexError
	var file *fs.PathError
	switch {
	case errors.As(err, &u):
		return u
	case errors.As(err, &x):
		return &Unfit{UnfitIndex, x.why}
	case errors.Is(err, errNoObject), errors.Is(err, errBadObject), errors.Is(err, errCollision):
		return &Unfit{UnfitObject, err.Error()}
	case errors.Is(err, ErrChanged) && errors.As(err, &file):
		return &Unfit{UnfitChanged, strconv.Quote(file.Path)}
	case errors.As(err, &file):
		return &Unfit{UnfitFile, strconv.Quote(file.Path) + ": " + file.Err.Error()}
	}
	return &Unfit{UnfitTrouble, err.Error()}
}

// Close lets go of what the scan holds open.
func (s *Scan) Close() {
	if s.tree != nil {
		s.tree.close()
	}
	if s.objects != nil {
		s.objects.Close()
	}
}

func (s *Scan) scan(ctx context.Context, o ScanOptions) (err error) {
	f := facts{choice: o.Choice, scannable: scannable, inProcess: s.repo.inner != nil, ownIndex: s.repo.IndexFile != "",
		attrTree: proc.Getenv(s.repo.git.env, "GIT_ATTR_SOURCE") != ""}
	if u := f.gate(); u != nil {
		return u
	}
	if err := s.open(ctx, &f); err != nil {
		return err
	}
	var untracked []string
	g, look := errgroup.WithContext(ctx)
	g.Go(func() (err error) {
		if s.Config, err = o.Config(look); err == nil {
			err = asError(s.Config.gate())
		}
		return err
	})
	if o.Untracked != NoFiles {
		g.Go(func() (err error) { untracked, err = s.repo.untracked(look); return err })
	}
	g.Go(func() error { return s.compare(look, f) })
	if err := g.Wait(); err != nil {
		return err
	}
	return s.conclude(ctx, untracked)
}

// asError keeps a nil *Unfit from becoming an error that is not nil.
func asError(u *Unfit) error {
	if u == nil {
		return nil
	}
	return u
}

// open reads the small things first: HEAD, refs, alternates.
func (s *Scan) open(ctx context.Context, f *facts) (err error) {
	if s.Head, err = s.repo.Head(ctx); err != nil {
		return err
	}
	if s.refs, err = s.repo.refs(); err != nil {
		return err
	}
	f.head, f.headRead = s.Head, true
	f.replaced = s.refs.replaced() || exists(s.repo.CommonDir+"/info/grafts")
	if u := f.gate(); u != nil {
		return u
	}
	if s.objects, err = openObjects(s.repo.CommonDir); err != nil {
		return &Unfit{UnfitReplaced, err.Error()}
	}
	s.writer = &objectWriter{store: s.objects, now: s.now}
	s.tree, err = openWorkTree(s.repo.Root)
	s.contents.tree = s.tree
	return err
}

func (r *Repo) askUntracked(ctx context.Context) ([]string, error) {
	out, err := r.git.run(ctx, nil, "ls-files", "-z", "--others", "--exclude-standard")
	if err != nil {
		return nil, fmt.Errorf("list new files: %w", err)
	}
	if len(out) == 0 {
		return nil, nil
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), nil
}

// compare reads the index and holds the work tree against it, and it against HEAD.
func (s *Scan) compare(ctx context.Context, f facts) (err error) {
	s.index, err = readIndex(s.repo.indexFile())
	if errors.Is(err, fs.ErrNotExist) {
		return &Unfit{Reason: UnfitNoIndex}
	}
	if err != nil {
		return err
	}
	if u := s.index.gate(); u != nil {
		return u
	}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() (err error) { s.suspects, err = s.tree.suspects(ctx, s.index); return err })
	g.Go(s.compareHead)
	return g.Wait()
}

// compareHead finds what is staged. Where nothing is, the tree in the index's own cache is HEAD's and no more is read.
func (s *Scan) compareHead() error {
	commit, ok := parseObjectID(s.Head.Commit)
	if !ok {
		return &Unfit{UnfitObject, s.Head.Commit}
	}
	head, err := s.objects.readCommit(commit)
	if err != nil {
		return err
	}
	if s.index.tree == nil {
		s.index.tree = &treeNode{count: -1}
	}
	s.has = s.objects.has
	e := s.index.edit(nil)
	if err := treesOf(e, s.index.tree, s.made, s.has); err != nil {
		return err
	}
	s.asItIs = s.index.tree.id
	if s.asItIs == head.tree { // every folder is one of HEAD's, so its tree is there
		clear(s.made)
		s.has = func(objectID) (bool, error) { return true, nil }
		return nil
	}
	found, err := s.objects.stagedFiles(e, s.index.tree, head.tree)
	s.staged = make(map[string]stagedFile, len(found))
	for _, x := range found {
		if x.headMode == modeSubmodule {
			return &Unfit{UnfitSubmodule, strconv.Quote(x.path)}
		}
		s.staged[x.path] = x
	}
	return err
}
