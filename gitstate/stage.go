package gitstate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Staging is a private index on its way to become a commit. Nothing outside it changes before Publish; Drop takes it
// away. It is made by Stage and used by one goroutine.
type Staging struct {
	Tree string // the tree of all that was staged

	repo  *Repo
	file  string      // the private index
	start os.FileInfo // the real index as it was; nil: there was none
	scan  *Scan       // what it was staged from; nil: git staged it
	hand  *byHand     // makes the commit; nil: git does
	diff  []File      // only with scan: how the tree differs from HEAD
}

// Diff lists the files in which the staged tree differs from the commit that HEAD named when it was looked at; "" stands
// for none.
func (s *Staging) Diff(ctx context.Context, head string) ([]File, error) {
	if s.scan != nil && head == s.scan.Head.Commit {
		return s.diff, nil
	}
	return s.repo.TreeDiff(ctx, head, s.Tree)
}

// Skipped is a path that git would not, or must not, take.
type Skipped struct {
	Path   string
	Reason string // one of the Skip constants
}

// Why a path was skipped by Stage itself.
const (
	SkipNotAFile   = "not-a-file"          // a FIFO, a socket, a device
	SkipUnreadable = "unreadable"          // no permission
	SkipEmptyRepo  = "embedded-repository" // a repository without a commit inside the work tree
	SkipSparse     = "outside-sparse"      // outside the sparse checkout
	SkipSubmodule  = "submodule"           // changes inside a submodule, which only it can commit
)

// StageOptions says what to stage.
type StageOptions struct {
	Run    string   // names the private index; letters and digits
	Paths  []string // from Entry.Path; only these are staged
	Sparse bool     // the repository is a sparse checkout: git add decides what lies inside
	Except []string // with Sparse: paths that must not be staged

	// Config and Now let the commit be made in process, where that is git's commit: nil leaves it to git.
	Config Config
	Now    func() time.Time
}

// Stage copies the index (a hard link: git replaces index files by rename), stages the given paths into the copy and
// writes the tree. It returns the paths it had to skip.
func (r *Repo) Stage(ctx context.Context, o StageOptions) (*Staging, []Skipped, error) {
	s := &Staging{repo: r, file: filepath.Join(r.runtimeDir(), "index."+o.Run), hand: r.byHand(o.Config, o.Now)}
	if err := s.link(); err != nil {
		return nil, nil, fmt.Errorf("stage: %w", err)
	}
	add := s.updateIndex
	if o.Sparse {
		add = s.addAll
	}
	skipped, err := add(ctx, o)
	if err == nil {
		s.Tree, err = s.writeTree(ctx)
	}
	if torn(err) {
		err = fmt.Errorf("%w: %w", ErrChanged, err)
	}
	if err != nil {
		s.Drop()
		return nil, nil, fmt.Errorf("stage: %w", err)
	}
	return s, skipped, nil
}

// runtimeDir is where this work tree's private files live while a save runs.
func (r *Repo) runtimeDir() string { return filepath.Join(r.GitDir, "session") }

func (r *Repo) indexFile() string { return filepath.Join(r.GitDir, "index") }

func (s *Staging) link() error {
	if err := os.MkdirAll(filepath.Dir(s.file), 0o700); err != nil {
		return err
	}
	real := s.repo.indexFile()
	info, err := os.Stat(real)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // before the first git add: git makes the private index
	}
	if err != nil {
		return err
	}
	s.start = info
	if err := os.Link(real, s.file); err == nil {
		return nil
	}
	return copyFile(real, s.file) // a file system without hard links
}

func copyFile(from, to string) error {
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, b, 0o600)
}

// updateIndex hands git the exact list of paths, so nothing that was not looked at before can slip in.
func (s *Staging) updateIndex(ctx context.Context, o StageOptions) ([]Skipped, error) {
	present, gone, skipped := s.sort(ctx, o.Paths)
	g := s.repo.git.withIndex(s.file)
	if len(gone) > 0 {
		if _, err := g.run(ctx, zeroed(gone), "update-index", "-z", "--force-remove", "--stdin"); err != nil {
			return nil, err
		}
	}
	if len(present) > 0 {
		if _, err := g.run(ctx, zeroed(present), "update-index", "-z", "--add", "--remove", "--replace", "--stdin"); err != nil {
			return nil, err
		}
	}
	return skipped, nil
}

// sort splits paths into those that stand in the work tree and those that are gone from it, also when a folder on the
// way has become a file or a symbolic link, and picks out what git add would choke on.
func (s *Staging) sort(ctx context.Context, paths []string) (present, gone []string, skipped []Skipped) {
	links := map[string]bool{}
	for _, p := range paths {
		name := strings.TrimSuffix(p, "/")
		full := filepath.Join(s.repo.Root, filepath.FromSlash(name))
		info, err := os.Lstat(full)
		switch {
		case err != nil || s.repo.belowLink(name, links):
			gone = append(gone, name)
		case info.IsDir() && exists(filepath.Join(full, ".git")): // a submodule, or an embedded repository
			if !s.repo.hasCommit(ctx, full) {
				skipped = append(skipped, Skipped{p, SkipEmptyRepo})
				break
			}
			if p == name {
				gone = append(gone, name) // a file may have stood here: update-index would only take it out
			}
			present = append(present, name)
		case info.IsDir():
			gone = append(gone, name) // a file that became a folder
		case info.Mode()&os.ModeSymlink != 0 || info.Mode().IsRegular():
			present = append(present, name)
		default:
			skipped = append(skipped, Skipped{p, SkipNotAFile})
		}
	}
	return present, gone, skipped
}

// belowLink reports whether a folder on the way to a path is a symbolic link. Answers are kept in seen.
func (r *Repo) belowLink(name string, seen map[string]bool) bool {
	i := strings.LastIndexByte(name, '/')
	if i < 0 {
		return false
	}
	dir := name[:i]
	if known, ok := seen[dir]; ok {
		return known
	}
	info, err := os.Lstat(filepath.Join(r.Root, filepath.FromSlash(dir)))
	is := err == nil && info.Mode()&os.ModeSymlink != 0 || r.belowLink(dir, seen)
	seen[dir] = is
	return is
}

// hasCommit asks whether the repository embedded in dir has a commit; git add refuses one that has none.
func (r *Repo) hasCommit(ctx context.Context, dir string) bool {
	g := r.git
	g.place = []string{"-C", dir}
	_, err := g.run(ctx, nil, "rev-parse", "-q", "--verify", "HEAD^{commit}")
	return err == nil
}

// addAll lets git add decide, for sparse checkouts: only git knows what lies outside the cone.
func (s *Staging) addAll(ctx context.Context, o StageOptions) ([]Skipped, error) {
	_, _, skipped := s.sort(ctx, o.Paths)
	spec := []string{":/"}
	for _, p := range slices.Concat(o.Except, names(skipped)) {
		spec = append(spec, ":(exclude,top,literal)"+strings.TrimSuffix(p, "/"))
	}
	g := s.repo.git.withIndex(s.file)
	_, err := g.run(ctx, zeroed(spec), "add", "-A", "--pathspec-from-file=-", "--pathspec-file-nul")
	if err != nil && exitCode(err) != 1 { // 1: paths outside the sparse checkout were left out, the rest is staged
		return nil, err
	}
	return skipped, nil
}

func names(skipped []Skipped) []string {
	out := make([]string, len(skipped))
	for i, s := range skipped {
		out[i] = s.Path
	}
	return out
}

func (s *Staging) writeTree(ctx context.Context) (string, error) {
	out, err := s.repo.git.withIndex(s.file).run(ctx, nil, "write-tree")
	return strings.TrimSpace(string(out)), err
}

// Drop removes the private index. Harmless after Publish.
func (s *Staging) Drop() {
	_ = os.Remove(s.file)
	_ = os.Remove(s.file + ".lock")
}

// IndexTree writes the tree of the real index as it stands: what the user had staged by hand. Unmerged entries are an
// error of git's.
func (r *Repo) IndexTree(ctx context.Context) (string, error) {
	out, err := r.git.run(ctx, nil, "write-tree")
	if err != nil {
		return "", fmt.Errorf("write the staged tree: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}
