package snapshot

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Errors that callers tell apart, always with errors.Is. The ones with fields are types, for errors.As.
var (
	// ErrNotFound: no such object, snapshot or pointer.
	ErrNotFound = errors.New("not found")
	// ErrExists: the key is taken.
	ErrExists = errors.New("exists already")
	// ErrNoObject: something stands under the key that PutNew cannot have put there: a link, a folder, more bytes than
	// MaxObject.
	ErrNoObject = errors.New("what stands there is no object")
	// ErrInvalid: the caller asked for what no snapshot can be.
	ErrInvalid = errors.New("invalid")
	// ErrTooLarge: beyond MaxPart, MaxObject, or a limit that the caller gave.
	ErrTooLarge = errors.New("too large")
	// ErrLeaf: the base is an autosave, and nothing follows one; its parent can be continued.
	ErrLeaf = errors.New("an autosave has no successors: name the snapshot that it belongs to")
	// ErrForeign: the base was made by another store and imported; it can be forked, or be where a path's first snapshot
	// stands, but its own store continues it.
	ErrForeign = errors.New("made by another store: fork it instead")
	// ErrNothing: the path has no snapshot yet.
	ErrNothing = errors.New("nothing saved yet")
	// ErrLost: a lease is not ours any more.
	ErrLost = errors.New("the lease is not ours any more")

	// ErrReadOnly: the back end takes no writes.
	ErrReadOnly = errors.New("the store is read-only")
	// ErrDenied: the back end does not let us in.
	ErrDenied = errors.New("the store denies access")
	// ErrFull: the back end has no room.
	ErrFull = errors.New("no room left for the store")
	// ErrVanished: the store was there when it was opened and is not any more.
	ErrVanished = errors.New("the store has vanished")
)

// ErrContinued says that somebody was first: the base already has its continuation, or the path its first snapshot.
type ErrContinued struct {
	Base ID     // "" when a path was to begin
	Path Path   // the path of both
	By   ID     // who was first
	Run  string // and its run
}

func (e *ErrContinued) Error() string {
	if e.Base == "" {
		return fmt.Sprintf("path %q already began with snapshot %s (run %s): continue its newest, or fork", cut(string(e.Path)), e.By, e.Run)
	}
	return fmt.Sprintf("snapshot %s is already continued by %s (run %s): continue that one, or fork", e.Base, e.By, e.Run)
}

// ErrCorrupt says that something stored is not what was stored. Nothing was read from it and nothing written over it. It
// does not unwrap: a snapshot that lost a blob must not look like one that is not there.
type ErrCorrupt struct {
	ID   ID     // the snapshot; "" for what belongs to none
	What string // manifest, a part's name, pointer, …
	Why  error
}

func (e *ErrCorrupt) Error() string {
	if e.ID == "" {
		return fmt.Sprintf("%s is damaged: %v: run session check", e.What, e.Why)
	}
	return fmt.Sprintf("snapshot %s is damaged: %s: %v: run session check", e.ID, e.What, e.Why)
}

// ErrRemoved says that a snapshot was deleted; its id stays taken.
type ErrRemoved struct {
	ID      ID
	Removed time.Time
	Why     string
}

func (e *ErrRemoved) Error() string {
	return fmt.Sprintf("snapshot %s was removed on %s: %s", e.ID, e.Removed.Format(time.DateOnly), cut(e.Why))
}

// ErrAmbiguous says that a prefix fits several snapshots; IDs are some of them.
type ErrAmbiguous struct {
	Prefix string
	IDs    []ID
}

func (e *ErrAmbiguous) Error() string {
	var s []string
	for _, id := range e.IDs {
		s = append(s, string(id))
	}
	return fmt.Sprintf("%q fits several snapshots, write more of it: %s", cut(e.Prefix), strings.Join(s, ", "))
}

// ErrTooFar says that a lineage is shorter than what was named.
var ErrTooFar = fmt.Errorf("its history does not go back that far: %w", ErrNotFound)

// ErrRef says that what a person wrote for a snapshot names none, and why.
type ErrRef struct {
	Ref string
	Err error
}

func (e *ErrRef) Error() string { return fmt.Sprintf("snapshot %q: %v", e.Ref, e.Err) }
func (e *ErrRef) Unwrap() error { return e.Err }

// ErrBusy says that somebody else holds the lease.
type ErrBusy struct {
	Key ID
	Who Holder
}

func (e *ErrBusy) Error() string {
	s := fmt.Sprintf("another run works on %s", e.Key)
	if e.Who.PID != 0 {
		s += fmt.Sprintf(": process %d", e.Who.PID)
	}
	if e.Who.Command != "" {
		s += fmt.Sprintf(", %q", cut(e.Who.Command))
	}
	if !e.Who.Start.IsZero() {
		s += ", since " + e.Who.Start.Format(time.RFC3339)
	}
	return s + ": wait for it, or fork"
}

// ErrConflict says that an import does not fit the store. Nothing was written.
type ErrConflict struct {
	ID  ID
	Why string
}

func (e *ErrConflict) Error() string {
	return fmt.Sprintf("import: snapshot %s: %s: nothing was imported", e.ID, e.Why)
}
