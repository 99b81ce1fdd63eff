package gitstate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"session/internal/proc"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/storer"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/go-git/go-git/v5/storage/filesystem/dotgit"
)

// Repo is a git repository seen from one of its work trees. All paths are absolute and without symbolic links.
type Repo struct {
	Root      string // top of the work tree; "" in a bare repository
	GitDir    string // this work tree's git directory
	CommonDir string // the git directory shared by all linked work trees
	Prefix    string // where the caller stands below Root, slash-separated, "" at the top

	// IndexFile is set when the caller runs in a hook of git commit (GIT_INDEX_FILE): nothing may be staged or committed
	// then, also where it is the usual index, or that commit finds nothing left and loses its message.
	IndexFile string

	git   runner
	inner *inner // nil where go-git cannot open the repository
	early *early // what Begin started; nil: nothing
}

// ErrNoRepo says that a folder is not inside a git repository.
var ErrNoRepo = errors.New("not inside a git repository")

// BareError says that a repository has no work tree.
type BareError struct{ Dir string }

func (e *BareError) Error() string { return e.Dir + " is a bare repository: it has no work tree" }

// InsideGitDirError says that a folder belongs to git's own files.
type InsideGitDirError struct{ Dir, GitDir string }

func (e *InsideGitDirError) Error() string {
	return fmt.Sprintf("%s is inside the git directory %s, not in a work tree", e.Dir, e.GitDir)
}

// local are the variables by which git tells its children where they are (git rev-parse --local-env-vars). They are
// read once here; our own children are told by arguments.
var local = []string{
	"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_CONFIG", "GIT_OBJECT_DIRECTORY", "GIT_DIR", "GIT_WORK_TREE",
	"GIT_IMPLICIT_WORK_TREE", "GIT_GRAFT_FILE", "GIT_INDEX_FILE", "GIT_NO_REPLACE_OBJECTS", "GIT_REPLACE_REF_BASE",
	"GIT_PREFIX", "GIT_SHALLOW_FILE", "GIT_COMMON_DIR", "GIT_INTERNAL_SUPER_PREFIX",
}

// asking are variables that change what git finds, so that only git can answer.
var asking = append([]string{"GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_NAMESPACE"}, local...)

// Open finds the repository that dir belongs to. env is the caller's environment. ErrNoRepo: there is none;
// *proc.NotFoundError: git is not installed; an error of git's own (a foreign owner) is passed on with its words.
func Open(ctx context.Context, dir string, env []string) (*Repo, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, fmt.Errorf("open repository: %w", err)
	}
	if real, err = filepath.Abs(real); err != nil {
		return nil, fmt.Errorf("open repository: %w", err)
	}
	r := &Repo{git: runner{program: "git", env: env}}
	if !setAny(env, asking) && r.openInProcess(real) {
		return r, nil
	}
	if err := r.openByGit(ctx, real); err != nil {
		return nil, err
	}
	return r, nil
}

func setAny(env, keys []string) bool {
	for _, k := range keys {
		if proc.Getenv(env, k) != "" {
			return true
		}
	}
	return false
}

// openInProcess finds .git by walking up and opens it with go-git. False: git has to be asked.
func (r *Repo) openInProcess(dir string) bool {
	root := dir
	for !exists(filepath.Join(root, ".git")) {
		up := filepath.Dir(root)
		if up == root {
			return false
		}
		root = up
	}
	gitDir, ok := followGitFile(filepath.Join(root, ".git"))
	if !ok || !exists(filepath.Join(gitDir, "HEAD")) || !ours(root) || !ours(gitDir) || inside(dir, gitDir) {
		return false
	}
	common := commonDir(gitDir)
	inner, err := openInner(gitDir, common)
	if err != nil || inner.config.Core.IsBare || inner.config.Core.Worktree != "" || inner.config.Raw.HasSection("extensions") || !inner.known() {
		return false
	}
	r.Root, r.GitDir, r.CommonDir, r.inner = root, gitDir, common, inner
	r.Prefix = prefix(root, dir)
	r.git.place = []string{"-C", root}
	return true
}

// inner is a repository as go-git's storage reads it: without go-git's own Repository, whose transports and signatures cost
// every start of the program half a millisecond.
type inner struct {
	store  *filesystem.Storage
	config *config.Config // as it was when the repository was opened
}

func openInner(gitDir, common string) (*inner, error) {
	fs := osfs.New(gitDir)
	if common != gitDir {
		fs = dotgit.NewRepositoryFilesystem(fs, osfs.New(common))
	}
	s := filesystem.NewStorage(fs, cache.NewObjectLRUDefault())
	cfg, err := s.Config()
	return &inner{s, cfg}, err
}

// known reports whether the repository's format is one that is read here (gitrepository-layout, core.repositoryFormatVersion).
func (i *inner) known() bool {
	v := i.config.Raw.Section("core").Option("repositoryformatversion")
	return v == "" || v == "0" || v == "1"
}

// followGitFile resolves .git: a directory, or a file that names one ("gitdir: PATH", gitrepository-layout).
func followGitFile(p string) (string, bool) {
	s, err := os.Lstat(p)
	if err != nil {
		return "", false
	}
	if s.Mode()&os.ModeSymlink != 0 {
		if p, err = filepath.EvalSymlinks(p); err != nil {
			return "", false
		}
		if s, err = os.Stat(p); err != nil {
			return "", false
		}
	}
	if s.IsDir() {
		return p, true
	}
	b, err := os.ReadFile(p)
	if err != nil || len(b) > 64<<10 {
		return "", false
	}
	to, ok := strings.CutPrefix(strings.TrimRight(string(b), "\r\n"), "gitdir: ")
	if !ok {
		return "", false
	}
	if !filepath.IsAbs(to) {
		to = filepath.Join(filepath.Dir(p), to)
	}
	to, err = filepath.EvalSymlinks(to)
	return to, err == nil
}

func commonDir(gitDir string) string {
	b, err := os.ReadFile(filepath.Join(gitDir, "commondir"))
	if err != nil {
		return gitDir
	}
	d := strings.TrimRight(string(b), "\r\n")
	if !filepath.IsAbs(d) {
		d = filepath.Join(gitDir, d)
	}
	if real, err := filepath.EvalSymlinks(d); err == nil {
		return real
	}
	return d
}

// openByGit asks git, which knows every kind of repository and every variable.
func (r *Repo) openByGit(ctx context.Context, dir string) error {
	ask := runner{program: "git", env: r.git.env, place: []string{"-C", dir}, inherit: true}
	out, err := ask.run(ctx, nil, "rev-parse", "--is-bare-repository", "--absolute-git-dir", "--git-common-dir", "--is-inside-work-tree")
	if err != nil {
		return r.explainOpen(dir, err)
	}
	f := lines(out)
	if len(f) != 4 {
		return fmt.Errorf("open repository %s: git rev-parse answered %q", dir, out)
	}
	r.GitDir, r.CommonDir = absolute(dir, f[1]), absolute(dir, f[2])
	r.IndexFile = proc.Getenv(r.git.env, "GIT_INDEX_FILE")
	top, err := ask.run(ctx, nil, "rev-parse", "--show-toplevel")
	switch {
	case f[0] == "true":
		return &BareError{Dir: r.GitDir}
	case err != nil && f[3] != "true":
		return &InsideGitDirError{Dir: dir, GitDir: r.GitDir}
	case err != nil:
		return r.explainOpen(dir, err)
	}
	r.Root = absolute(dir, strings.TrimSuffix(string(top), "\n"))
	r.Prefix = prefix(r.Root, dir)
	r.git.place = []string{"-C", r.Root, "--git-dir=" + r.GitDir, "--work-tree=" + r.Root}
	return nil
}

// explainOpen tells "no repository here" (nothing to be found on the way up) from git's other refusals.
func (r *Repo) explainOpen(dir string, err error) error {
	var exit *proc.ExitError
	if !errors.As(err, &exit) || setAny(r.git.env, []string{"GIT_DIR"}) {
		return fmt.Errorf("open repository %s: %w", dir, err)
	}
	for d := dir; ; d = filepath.Dir(d) {
		if exists(filepath.Join(d, ".git")) || exists(filepath.Join(d, "HEAD")) && exists(filepath.Join(d, "objects")) {
			return fmt.Errorf("open repository %s: %w", d, err)
		}
		if d == filepath.Dir(d) {
			return fmt.Errorf("%s: %w", dir, ErrNoRepo)
		}
	}
}

// Linked reports whether this is a linked work tree (git worktree add).
func (r *Repo) Linked() bool { return r.GitDir != r.CommonDir }

// Head is what HEAD names, read without starting a program where that is possible.
type Head struct {
	Ref    string // full name of the branch, refs/heads/…; "" when HEAD is detached
	Commit string // full object id; "" before the first commit
}

// Branch is the short name of the branch, "HEAD" when HEAD is detached (as git rev-parse --abbrev-ref prints it).
func (h Head) Branch() string {
	if h.Ref == "" {
		return "HEAD"
	}
	return strings.TrimPrefix(h.Ref, "refs/heads/")
}

// Head reads HEAD.
func (r *Repo) Head(ctx context.Context) (Head, error) {
	if h, ok := r.headInProcess(); ok {
		return h, nil
	}
	var h Head
	out, err := r.git.run(ctx, nil, "symbolic-ref", "-q", "HEAD")
	if err != nil && exitCode(err) != 1 {
		return h, fmt.Errorf("read HEAD: %w", err)
	}
	h.Ref = strings.TrimSpace(string(out))
	out, err = r.git.run(ctx, nil, "rev-parse", "-q", "--verify", "HEAD^{commit}")
	if err != nil && exitCode(err) != 1 {
		return h, fmt.Errorf("read HEAD: %w", err)
	}
	h.Commit = strings.TrimSpace(string(out))
	return h, nil
}

func (r *Repo) headInProcess() (Head, bool) {
	if r.inner == nil {
		return Head{}, false
	}
	ref, err := r.inner.store.Reference(plumbing.HEAD)
	if err != nil {
		return Head{}, false
	}
	if ref.Type() == plumbing.HashReference {
		return Head{Commit: ref.Hash().String()}, true
	}
	h := Head{Ref: ref.Target().String()}
	if !strings.HasPrefix(h.Ref, "refs/heads/") || h.Ref == "refs/heads/.invalid" { // reftable's placeholder
		return Head{}, false
	}
	at, err := storer.ResolveReference(r.inner.store, ref.Target())
	switch {
	case errors.Is(err, plumbing.ErrReferenceNotFound):
		return h, true
	case err != nil:
		return Head{}, false
	}
	h.Commit = at.Hash().String()
	return h, true
}

func exists(p string) bool {
	_, err := os.Lstat(p)
	return err == nil
}

func sameFile(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

func absolute(dir, p string) string {
	if !filepath.IsAbs(p) {
		p = filepath.Join(dir, p)
	}
	if real, err := filepath.EvalSymlinks(p); err == nil {
		return real
	}
	return filepath.Clean(p)
}

func inside(dir, of string) bool {
	rel, err := filepath.Rel(of, dir)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

func prefix(root, dir string) string {
	rel, err := filepath.Rel(root, dir)
	if err != nil || rel == "." {
		return ""
	}
	return filepath.ToSlash(rel)
}

func lines(b []byte) []string {
	s := strings.TrimSuffix(string(b), "\n")
	if s == "" {
		return nil
	}
	return strings.Split(s, "\n")
}
