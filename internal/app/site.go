package app

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"unicode/utf8"

	"session/gitstate"
	"session/internal/proc"
	"session/internal/session"
	"session/internal/snapshot"
	"session/internal/store/file"
	"session/internal/survey"
	"session/openspec"
)

// site is a Place with what stands there: the work tree, its path, its folders.
type site struct {
	Place
	repo *gitstate.Repo // nil outside git
	root string         // top of the work tree; outside git the folder that has, or will have, the state file
	head gitstate.Head
	path snapshot.Path

	memoryAhead *openingMemory // nil: nobody began to open it
}

// Folder of the store outside git, below the root.
const folderStore = ".claude/session-store"

// open finds the work tree. A bare repository is an error; no repository is not.
func (p Place) open(ctx context.Context) (*site, error) {
	s := &site{Place: p}
	repo, err := gitstate.Open(ctx, p.Dir, p.Env)
	var missing *proc.NotFoundError
	switch {
	case errors.Is(err, gitstate.ErrNoRepo), errors.As(err, &missing) && !insideGit(p.Dir):
		if s.root, err = folderRoot(p.Dir); err != nil {
			return nil, err
		}
		s.path = "folder"
		return s, s.equipped(ctx)
	case err != nil:
		return nil, err
	}
	s.repo, s.root = repo, repo.Root
	if s.head, err = repo.Head(ctx); err != nil {
		return nil, err
	}
	s.path = s.pathName()
	return s, s.equipped(ctx)
}

func insideGit(dir string) bool {
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return true
		}
		up := filepath.Dir(dir)
		if up == dir {
			return false
		}
		dir = up
	}
}

// folderRoot is the nearest folder at or above dir that has a state file, else dir.
func folderRoot(dir string) (string, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", fmt.Errorf("open folder: %w", err)
	}
	for d := real; ; d = filepath.Dir(d) {
		if _, err := os.Lstat(filepath.Join(d, filepath.FromSlash(session.StateFile))); err == nil {
			return d, nil
		}
		if d == filepath.Dir(d) {
			return real, nil
		}
	}
}

// pathName names the path of snapshots: the branch, or this work tree where HEAD is detached.
func (s *site) pathName() snapshot.Path {
	if s.head.Ref == "" {
		return snapshot.Path("detached:" + s.workTree())
	}
	return branchPath(s.head.Ref)
}

// branchPath writes a ref as a path: bytes that are no UTF-8 as %XX, and % itself with them.
func branchPath(ref string) snapshot.Path {
	if utf8.ValidString(ref) {
		return snapshot.Path(ref)
	}
	var b strings.Builder
	for _, c := range []byte(ref) {
		if c >= 0x80 || c == '%' {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return snapshot.Path(b.String())
}

// workTree names this work tree: "main", or the name that git gave a linked one.
func (s *site) workTree() string {
	if s.repo == nil || !s.repo.Linked() {
		return "main"
	}
	return "linked/" + filepath.Base(s.repo.GitDir)
}

// storeDir is the folder of the snapshots, shared by linked work trees.
func (s *site) storeDir() string {
	if s.repo == nil {
		return filepath.Join(s.root, filepath.FromSlash(folderStore))
	}
	return filepath.Join(s.repo.CommonDir, "session")
}

// runtimeDir is the folder of what belongs to this work tree alone: journal, Ref, logs.
func (s *site) runtimeDir() string {
	if s.repo == nil {
		return s.storeDir()
	}
	return filepath.Join(s.repo.GitDir, "session")
}

func (s *site) stateFile() string {
	return filepath.Join(s.root, filepath.FromSlash(session.StateFile))
}

// sources are the places that a survey of this site looks at.
func (s *site) sources() survey.Sources {
	at := openspec.Place{Dir: s.Dir, Top: s.root, DataHome: s.home("XDG_DATA_HOME", ".local/share"),
		ConfigHome: s.home("XDG_CONFIG_HOME", ".config"), FeatureDir: proc.Getenv(s.Env, "SPECIFY_FEATURE_DIRECTORY")}
	if real, err := filepath.EvalSymlinks(s.Dir); err == nil {
		at.Dir = real
	}
	return survey.Sources{Repo: s.repo, Tasks: at, Now: s.Now, Path: gitstate.PathChoice(s.GitPath)}
}

func (s *site) home(variable, below string) string {
	if v := proc.Getenv(s.Env, variable); filepath.IsAbs(v) {
		return v
	}
	if h := proc.Getenv(s.Env, "HOME"); filepath.IsAbs(h) {
		return filepath.Join(h, filepath.FromSlash(below))
	}
	return ""
}

// store opens the store; make says whether to make it where it is not. Without one the error is file.ErrNoStore.
func (s *site) store(make bool) (*file.Store, *snapshot.Store, error) {
	var fs *file.Store
	var err error
	if make {
		fs, err = file.Create(s.storeDir(), file.Options{Random: s.Random, Ignored: s.repo == nil})
	} else {
		fs, err = file.Open(s.storeDir())
	}
	if err != nil {
		return nil, nil, err
	}
	chain, err := fs.Snapshots()
	return fs, chain, err
}

// runID makes a name for one run.
func (s *site) runID() (string, error) {
	var b [12]byte
	if _, err := io.ReadFull(s.Random, b[:]); err != nil {
		return "", fmt.Errorf("make a run id: %w", err)
	}
	return hex.EncodeToString(b[:]), nil
}

func (s *site) holder(run string) snapshot.Holder {
	return snapshot.Holder{PID: s.PID, Start: s.Now(), Command: s.Command, RunID: run}
}

func host() session.Host { return session.Host{OS: runtime.GOOS, Arch: runtime.GOARCH} }

func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
