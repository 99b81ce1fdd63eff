package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"session/internal/lifecycle"
	"session/internal/memory"
	"session/internal/proc"
	"session/internal/snapshot"
	"session/internal/store/file"
	"session/internal/store/sql"
)

// Variables that say where Sessions are kept and whose they are.
const (
	DatabaseVariable = "SESSION_DATABASE" // sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME
	OwnerVariable    = "SESSION_OWNER"    // instead of the user's login name
	ExpiryVariable   = "SESSION_EXPIRY"   // active=24h,paused=1h,completed=168h,failed=24h,expired=1h; 0 is for ever
)

const sessionsFile = "sessions.db" // in the store's folder, where no other database is named

// Sessions is the database of Sessions, open, as one user sees it. All that a lifecycle.Records can do is to be had
// directly; the methods here also keep the snapshots in step.
type Sessions struct {
	lifecycle.Records
	Owner lifecycle.Owner
	Shown string // its address as it may be shown: without a password
	db    *sql.DB
	// client tells others what changes; nil where nothing is shared.
	client Coordinator
	site   *site

	opening sync.Mutex // of queue
	queue   *sql.Jobs  // once it was needed
}

// SessionsOptions say how Sessions are opened.
type SessionsOptions struct {
	Limit int  // live Sessions that a user may have started through the service; 0: lifecycle.DefaultLimit
	Read  bool // make nothing: where there is no local database yet, the error is *NoSessionsError
}

// NoSessionsError says that nothing has been recorded about Sessions here.
type NoSessionsError struct{ Where string }

func (e *NoSessionsError) Error() string { return "there are no sessions in " + e.Where + " yet" }

// OpenSessions opens the database of Sessions: the one that the Place or SESSION_DATABASE names, else a file beside the
// snapshots. Errors besides the database's: *NoSessionsError, *UsageError.
func OpenSessions(ctx context.Context, p Place, o SessionsOptions) (*Sessions, error) {
	s, err := p.open(ctx)
	if err != nil {
		return nil, err
	}
	return s.sessions(ctx, o)
}

func (s *site) sessions(ctx context.Context, o SessionsOptions) (*Sessions, error) {
	policy, err := expiry(proc.Getenv(s.Env, ExpiryVariable))
	if err != nil {
		return nil, err
	}
	if err := s.nameDatabase(ctx); err != nil {
		return nil, err
	}
	address, err := s.database(o.Read)
	if err != nil {
		return nil, err
	}
	db, err := sql.Open(address, sql.Patience{}, s.Adapters.Database)
	if err != nil {
		return nil, ofSessions(address, err)
	}
	records, err := db.Records(ctx, lifecycle.Options{Now: s.Now, Policy: policy, Limit: o.Limit})
	if err != nil {
		return nil, errors.Join(ofSessions(address, err), db.Close())
	}
	told, client, err := s.announce(ctx, masked{records})
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &Sessions{Records: told, Owner: s.owner(), Shown: sql.Shown(address), db: db, client: client, site: s}, nil
}

// DatabaseError says that the database of Sessions cannot be read as one.
type DatabaseError struct {
	At  string
	Err error
}

func (e *DatabaseError) Error() string {
	return e.At + " is no database of sessions: " + strings.ReplaceAll(e.Err.Error(), memory.ErrDamaged.Error()+": ", "")
}
func (e *DatabaseError) Unwrap() error { return e.Err }

// ofSessions tells a damaged database of Sessions from one of the memory, which is made anew.
func ofSessions(address string, err error) error {
	if errors.Is(err, memory.ErrDamaged) {
		return &DatabaseError{At: sql.Shown(address), Err: err}
	}
	return err
}

// Close closes the database.
func (x *Sessions) Close() error {
	var err error
	if x.client != nil {
		err = x.client.Close()
	}
	return errors.Join(err, x.db.Close())
}

// nameDatabase finds the database where the command line names none, as it is done for the other back ends.
func (s *site) nameDatabase(ctx context.Context) error {
	if s.Database != "" || proc.Getenv(s.Env, DatabaseVariable) != "" || s.repo == nil {
		return nil
	}
	set, err := s.repo.Settings(ctx, settingsSection)
	s.Database = set["database"]
	return err
}

// sharedDatabase is the address of the database that was named; "" if none was.
func (s *site) sharedDatabase() string {
	if address := cmp.Or(s.Database, proc.Getenv(s.Env, DatabaseVariable)); address != alone {
		return address
	}
	return ""
}

// database is the address of the database of Sessions.
func (s *site) database(read bool) (string, error) {
	if address := s.sharedDatabase(); address != "" {
		return address, nil
	}
	file := filepath.Join(s.storeDir(), sessionsFile)
	if _, err := os.Stat(file); isMissing(err) && read {
		return "", &NoSessionsError{Where: s.root}
	}
	if !read {
		if _, _, err := s.store(true); err != nil { // makes the folder as it must be
			return "", err
		}
	}
	return "sqlite:" + file, nil
}

// owner is the user that Sessions of the command line belong to. A file beside the snapshots has one, whoever works in the
// repository: a job of cron has no login name.
func (s *site) owner() lifecycle.Owner {
	names := []string{OwnerVariable}
	if s.sharedDatabase() != "" {
		names = append(names, "USER", "LOGNAME", "USERNAME")
	}
	for _, v := range names {
		if name := proc.Getenv(s.Env, v); name != "" {
			return lifecycle.Owner(plainName(name))
		}
	}
	return "local"
}

// plainName makes a plain name of any: what is none of its letters becomes '-'.
func plainName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(".-_:@", r) {
			return r
		}
		return '-'
	}, name)
	return name[:min(len(name), 128)]
}

// expiry reads for how long Sessions are kept. Errors: *UsageError.
func expiry(text string) (lifecycle.Policy, error) {
	p := lifecycle.DefaultPolicy()
	if text == "" {
		return p, nil
	}
	for _, part := range strings.Split(text, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		to, ok := map[string]*time.Duration{"active": &p.Active, "paused": &p.Paused, "completed": &p.Completed, "failed": &p.Failed, "expired": &p.Expired}[name]
		d, err := time.ParseDuration(value)
		if value == "0" {
			d, err = 0, nil
		}
		if !ok || err != nil || d < 0 {
			return p, &UsageError{fmt.Errorf("%s: %.60q is not like active=24h,paused=1h,completed=168h,failed=24h,expired=1h", ExpiryVariable, part)}
		}
		*to = d
	}
	return p, nil
}

// Find is a Session of the owner's by its id or the beginning of it. Errors: lifecycle.ErrNotFound, also
// *lifecycle.GoneError; *AmbiguousSessionError.
func (x *Sessions) Find(ctx context.Context, id string) (lifecycle.Session, error) {
	s, err := x.Get(ctx, lifecycle.Key{Owner: x.Owner, ID: lifecycle.ID(id)})
	var gone *lifecycle.GoneError
	if err == nil || errors.As(err, &gone) || !errors.Is(err, lifecycle.ErrNotFound) || len(id) < minPrefix {
		return s, err
	}
	var found []lifecycle.Session
	q := lifecycle.Query{Owner: x.Owner, Limit: 1000}
	for more := true; more; more = q.After != "" {
		page, err := x.List(ctx, q)
		if err != nil {
			return s, err
		}
		for _, c := range page.Sessions {
			if strings.HasPrefix(string(c.ID), id) {
				found = append(found, c)
			}
		}
		q.After = page.Next
	}
	switch len(found) {
	case 0:
		return s, err
	case 1:
		return found[0], nil
	}
	return s, &AmbiguousSessionError{Prefix: id, N: len(found)}
}

const minPrefix = 4 // shorter beginnings are taken as whole ids

// AmbiguousSessionError says that several Sessions begin so.
type AmbiguousSessionError struct {
	Prefix string
	N      int
}

func (e *AmbiguousSessionError) Error() string {
	return fmt.Sprintf("%d sessions begin with %s; give more of the id", e.N, e.Prefix)
}

// withSessions opens the Sessions for one call. Questions that nobody answered in time are closed first, wherever no
// worker does it.
func withSessions[T any](ctx context.Context, p Place, o SessionsOptions, f func(*Sessions) (T, error)) (r T, err error) {
	x, err := OpenSessions(ctx, p, o)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	if _, err := x.TimeOut(ctx, 100); err != nil {
		return r, err
	}
	return f(x)
}

// purge removes the snapshots of a Session that is gone, where they are on a path of its own and nobody has gone on from
// them there: what a work tree's path holds is a developer's saved work.
func (x *Sessions) purge(ctx context.Context, t lifecycle.Tombstone) error {
	fs, chain, err := x.site.shelf(ctx, false)
	if errors.Is(err, file.ErrNoStore) {
		return nil // no snapshots here
	}
	for i := len(t.Purge) - 1; i >= 0 && err == nil; i-- {
		id, odd := snapshot.ParseID(string(t.Purge[i]))
		if odd == nil { // else never one of ours
			err = x.purgeOne(ctx, fs, chain, id, t)
		}
	}
	return err
}

func (x *Sessions) purgeOne(ctx context.Context, fs snapshot.Leaser, chain *snapshot.Store, id snapshot.ID, t lifecycle.Tombstone) (err error) {
	m, err := chain.Manifest(ctx, id)
	var removed *snapshot.ErrRemoved
	switch {
	case errors.Is(err, snapshot.ErrNotFound), errors.As(err, &removed):
		return nil
	case err != nil:
		return err
	case m.Path != snapshot.ForkPath(m.Line):
		return nil
	}
	lease, err := fs.Acquire(ctx, chain.LeaseKey(m.Path), x.site.holder(""), leaseWait)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lease.Release(context.WithoutCancel(ctx))) }()
	head, err := chain.Head(ctx, m.Path)
	if err != nil || head.Head == nil || !slices.Contains(t.Purge, lifecycle.Snapshot(head.Head.ID)) {
		return err
	}
	_, err = chain.Delete(ctx, id, x.site.Now(), "its session was "+string(t.Kind))
	return err
}
