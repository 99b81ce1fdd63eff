package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"session/internal/coordination"
	"session/internal/proc"
	"session/internal/snapshot"
	"session/internal/store/sql"
)

// Adapters reach what is no file of this machine. Their libraries take longer to start than most commands do to end, so the
// program session has none of them, and hands what needs one to session-service, which has them all (docs/adr/0022).
// Where one is nil, the error is *MissingError, before anything is done.
type Adapters struct {
	// Objects opens the snapshots of one project in object storage.
	Objects func(ctx context.Context, url string, o ObjectsOptions) (*snapshot.Store, error)
	// Coordinate reads the address of a Redis. open makes a client of it, which is asked nothing yet.
	Coordinate func(url string, random io.Reader, now func() time.Time) (open func() Coordinator, err error)
	// Database has what Sessions need besides a file of SQLite.
	Database sql.Drivers
}

// ObjectsOptions say how a store in object storage is opened.
type ObjectsOptions struct {
	Project string // whose snapshots these are
	Make    bool   // make the store where there is none; else the error is snapshot.ErrNoRemote
	Getenv  func(string) string
	Random  io.Reader
}

// Coordinator is where processes and machines tell each other what they do.
type Coordinator interface {
	coordination.Hot
	coordination.Bus
	coordination.Limiter
	Leases(snapshot.StoreID) snapshot.Leaser
	Ping(context.Context) error
	Close() error
}

// MissingError says that this program does not have what a command needs.
type MissingError struct{ What string }

func (e *MissingError) Error() string { return e.What + " is not built into this program" }

// IsMissing reports whether a command ended for want of what only session-service has. It did nothing then.
func IsMissing(err error) bool {
	var missing *MissingError
	return errors.As(err, &missing) || errors.Is(err, sql.ErrNotBuiltIn)
}

// equipped refuses a work tree whose back ends this program cannot reach, before anything is done there.
func (s *site) equipped(ctx context.Context) error {
	if s.Adapters.Objects != nil || s.Backends.Offline {
		return nil
	}
	b, err := s.backends(ctx)
	if err == nil {
		err = s.nameDatabase(ctx)
	}
	switch {
	case err != nil:
		return nil // whoever needs them reads them again, and says so
	case strings.HasPrefix(b.Store, objectScheme+":"):
		return &MissingError{"the client of object storage"}
	case b.Coordination != "":
		return &MissingError{"the client of Redis"}
	case strings.HasPrefix(s.sharedDatabase(), "postgres"): // a save counts there what a conversation has cost
		return &MissingError{"the client of PostgreSQL"}
	}
	return nil
}

// coordination reads which coordination service a URL names; what it gives makes a client of that.
func (s *site) coordination(url string) (open func() Coordinator, err error) {
	if s.Adapters.Coordinate == nil {
		return nil, &MissingError{"the client of Redis"}
	}
	if open, err = s.Adapters.Coordinate(url, s.Random, s.Now); err != nil {
		return nil, &UsageError{err}
	}
	return open, nil
}

// worker refuses what lets others' runs be done here, where there is no queue. Whoever only puts one into it is refused by
// the queue itself.
func (a Adapters) worker() error {
	if a.Database.Queue == nil {
		return &MissingError{"the queue of runs"}
	}
	return nil
}

// ServiceProgram is the program that has every adapter.
const ServiceProgram = "session-service"

// HandOver goes on as ServiceProgram with the same command line (without its first word). It returns only where that
// program could not be started, or where it has ended.
func HandOver(env, args []string) (code int, err error) {
	if me := filepath.Base(os.Args[0]); strings.TrimSuffix(me, filepath.Ext(me)) == ServiceProgram { // else it would call itself for ever
		return 0, fmt.Errorf("%s is session itself under that name", os.Args[0])
	}
	path, err := proc.Beside(ServiceProgram, env)
	if err != nil {
		return 0, err
	}
	return proc.Become(path, args, env)
}

// NoServiceError says that ServiceProgram is needed, and is not there.
type NoServiceError struct{ Err error }

func (e *NoServiceError) Error() string { return e.Err.Error() }
func (e *NoServiceError) Unwrap() error { return e.Err }
