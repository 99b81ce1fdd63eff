package app

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"session/gitstate"
	"session/internal/atomicfile"
	"session/internal/proc"
	"session/internal/session"
	"session/internal/snapshot"
	"session/internal/store/file"
	"session/internal/store/sql"
)

// Backends name what a team shares, one URL each. "" or "local" is this machine alone.
//
//	Store         snapshots: s3://[KEY:SECRET@]HOST/BUCKET[/PREFIX], or file:///FOLDER that all can write to
//	Coordination  leases, hot state, events: redis://…
//
// A URL may hold secrets; Safe is how it is shown. ?project=NAME of a store says which project's snapshots these are;
// without it that is the repository's first commit.
type Backends struct {
	Store, Coordination string

	// Offline: nobody is asked over the network, as in hooks; what is recorded waits on this machine.
	Offline bool
}

var errOffline = errors.New("the network is not touched here")

// Environment variables of the Backends, and below which section of the repository's git configuration they are looked
// for after that (git config session.store URL).
const (
	StoreVariable        = "SESSION_STORE"
	CoordinationVariable = "SESSION_COORDINATION"
	settingsSection      = "session"
)

const (
	alone        = "local"
	objectScheme = "s3"
)

// SafeURL is a URL of a back end as it may be printed.
func SafeURL(raw string) string {
	u, err := url.Parse(raw)
	switch {
	case raw == "" || raw == alone:
		return alone
	case err != nil:
		return "(a URL that cannot be read)"
	case u.Scheme == "postgres", u.Scheme == "postgresql", u.Scheme == "sqlite":
		return sql.Shown(raw)
	case strings.Contains(u.Path, "@"): // a secret with a '/' in it
		return u.Scheme + "://(a URL that cannot be read)"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// backends are those of a command: a flag counts more than the environment, and that more than git's configuration of
// this repository. A file of the work tree has no say: it would send a person's work where its author likes.
func (s *site) backends(ctx context.Context) (Backends, error) {
	b := s.Backends
	var set map[string]string
	for _, f := range []struct {
		to             *string
		variable, name string
	}{{&b.Store, StoreVariable, "store"}, {&b.Coordination, CoordinationVariable, "coordination"}} {
		if *f.to == "" {
			*f.to = proc.Getenv(s.Env, f.variable)
		}
		if *f.to == "" && s.repo != nil {
			if set == nil {
				var err error
				if set, err = s.repo.Settings(ctx, settingsSection); err != nil {
					return b, err
				}
			}
			*f.to = set[f.name]
		}
		if *f.to == alone {
			*f.to = ""
		}
	}
	return b, nil
}

// UnreachableError says that the shared store cannot be used now. What is saved meanwhile stays on this machine.
type UnreachableError struct{ Err error }

func (e *UnreachableError) Error() string { return e.Err.Error() }
func (e *UnreachableError) Unwrap() error { return e.Err }

// outOfReach reports whether a shared store cannot be used now: it does not answer, or does not let us in.
func outOfReach(err error) bool {
	return errors.Is(err, snapshot.ErrUnavailable) || errors.Is(err, snapshot.ErrForbidden)
}

// shelf opens the snapshots that commands work on: the shared ones where there are such, else those of this machine. make
// says whether to make a store where there is none; without one the error is file.ErrNoStore. *UnreachableError.
func (s *site) shelf(ctx context.Context, make bool) (snapshot.Leaser, *snapshot.Store, error) {
	b, err := s.backends(ctx)
	if err != nil {
		return nil, nil, err
	}
	var open func() Coordinator
	if b.Coordination != "" && !b.Offline {
		if open, err = s.coordination(b.Coordination); err != nil {
			return nil, nil, err
		}
	}
	if b.Offline && b.Store != "" {
		return nil, nil, &UnreachableError{errOffline}
	}
	var near snapshot.Leaser
	var chain *snapshot.Store
	if b.Store == "" {
		near, chain, err = s.alone(make)
	} else {
		near = here{s}
		chain, err = s.shared(ctx, b.Store, make)
	}
	if err == nil && b.Store != "" && make {
		err = s.bring(ctx, chain)
	}
	if err != nil || open == nil {
		return near, chain, err
	}
	return &leases{near: near, store: chain.ID(), warn: s.warn, open: open}, chain, nil
}

func (s *site) alone(make bool) (snapshot.Leaser, *snapshot.Store, error) {
	fs, chain, err := s.store(make)
	if err != nil {
		return nil, nil, err
	}
	return fs, chain, nil
}

// warn tells whoever watches what was gone on without.
func (s *site) warn(f session.Finding) {
	if s.Warn != nil {
		s.Warn(s.word([]session.Finding{f})[0])
	}
}

// shared opens the shared store of this project.
func (s *site) shared(ctx context.Context, raw string, make bool) (*snapshot.Store, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != objectScheme && u.Scheme != "file" {
		return nil, usagef("the store's URL cannot be used: write s3://[KEY:SECRET@]HOST[:PORT]/BUCKET[/PREFIX], file:///FOLDER, or %s", alone)
	}
	if u.Scheme == objectScheme && s.Adapters.Objects == nil {
		return nil, &MissingError{"the client of object storage"}
	}
	bare, project, err := splitProject(u)
	if err != nil {
		return nil, err
	}
	if project == "" {
		if project, err = s.project(ctx); err != nil {
			return nil, err
		}
	}
	if u.Scheme == "file" {
		return s.sharedFolder(bare, project, make)
	}
	store, err := s.Adapters.Objects(ctx, bare.String(), ObjectsOptions{Project: project, Make: make, Random: s.Random,
		Getenv: func(name string) string { return proc.Getenv(s.Env, name) }})
	switch {
	case errors.Is(err, snapshot.ErrNoRemote):
		return nil, fmt.Errorf("%w: %w", file.ErrNoStore, err)
	case outOfReach(err):
		return nil, &UnreachableError{err}
	}
	return store, err
}

func (s *site) sharedFolder(u *url.URL, project string, make bool) (*snapshot.Store, error) {
	dir := filepath.FromSlash(u.Path)
	if u.Host != "" || !filepath.IsAbs(dir) || u.RawQuery != "" {
		return nil, usagef("the store's URL cannot be used: write file:///FOLDER, with the whole path of a folder")
	}
	if _, err := os.Stat(dir); err != nil { // a share that is not mounted must not be made as a folder beside it
		return nil, &UnreachableError{fmt.Errorf("open store: %w", err)}
	}
	dir = filepath.Join(dir, filepath.FromSlash(project))
	var fs *file.Store
	var err error
	if make {
		fs, err = file.Create(dir, file.Options{Random: s.Random})
	} else {
		fs, err = file.Open(dir)
	}
	if err != nil {
		return nil, err
	}
	return fs.Snapshots()
}

func usagef(format string, a ...any) error { return &UsageError{fmt.Errorf(format, a...)} }

const projectCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."

// splitProject takes our own option out of a store's URL.
func splitProject(u *url.URL) (*url.URL, string, error) {
	q, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return nil, "", usagef("the options of the store's URL cannot be read")
	}
	name := q.Get("project")
	if q.Has("project") && (name == "" || len(name) > 100 || strings.Trim(name, projectCharacters) != "" || strings.HasPrefix(name, ".")) {
		return nil, "", usagef("project=NAME in the store's URL: letters, digits, '.', '-' and '_'")
	}
	q.Del("project")
	bare := *u
	bare.RawQuery = q.Encode()
	return &bare, name, nil
}

// project names what this work tree is a clone of: by its first commit, which all clones have.
func (s *site) project(ctx context.Context) (string, error) {
	if s.repo == nil {
		return "", usagef("outside git nothing says which project this is: write project=NAME into the store's URL")
	}
	const most = 1 << 10
	kept := filepath.Join(s.storeDir(), "project")
	if b, err := atomicfile.Read(kept, most); err == nil {
		if name := strings.TrimSpace(string(b)); name != "" && strings.Trim(name, projectCharacters) == "" {
			return name, nil
		}
	}
	first, err := s.repo.FirstCommit(ctx)
	switch {
	case errors.Is(err, gitstate.ErrShallow):
		return "", &UsageError{fmt.Errorf("%w: write project=NAME into the store's URL", err)}
	case errors.Is(err, gitstate.ErrNoCommit):
		return "", &UnreachableError{fmt.Errorf("find the project's shared store: %w", err)}
	case err != nil:
		return "", err
	}
	if _, err := os.Stat(s.storeDir()); isMissing(err) {
		return first, nil // a reader makes no folder
	}
	if err := atomicfile.Replace(kept, []byte(first+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("keep the project's name: %w", err)
	}
	return first, nil
}
