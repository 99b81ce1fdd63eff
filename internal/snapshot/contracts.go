package snapshot

import (
	"context"
	"time"
)

// Objects keeps bytes under keys and never changes them. It is all that a back end must be right about; package
// snapshottest attacks it. Keys are made by this package: lower-case letters, digits, '.', '-', '_', in two or more
// segments parted by '/'. Safe for concurrent use by goroutines, processes and machines.
//
// Besides the errors named at the methods, all may return ErrReadOnly, ErrFull, ErrVanished, ErrDenied (wrapped), the
// context's error, and what the back end says.
type Objects interface {
	// PutNew creates key with exactly data, durably, if there is none: ErrExists otherwise, also if the holder of the key
	// appeared while we wrote, and that holder is durable too. No reader ever sees a part of data or an empty object in
	// its place. On any other error key is absent, or (an answer got lost) present with exactly data; the caller may try
	// again with the same data. ErrTooLarge: more than MaxObject bytes.
	PutNew(ctx context.Context, key string, data []byte) error
	// Get returns the whole object, ErrNotFound, or ErrNoObject.
	Get(ctx context.Context, key string) ([]byte, error)
	// List calls fn once for each object whose key begins with prefix, in any order, and stops at fn's error, which it
	// returns. Objects created or deleted meanwhile may be listed or not. What PutNew has not finished is never listed.
	List(ctx context.Context, prefix string, fn func(Info) error) error
	// Delete removes key. Nothing there: nil.
	Delete(ctx context.Context, key string) error
}

// MaxObject is the largest object, in bytes: the largest part.
const MaxObject = MaxPart

// Info describes one object.
type Info struct {
	Key     string
	Size    int64     // bytes
	ModTime time.Time // by the back end's clock; only for the age of leftovers and of what a sweep may take
}

// Litterer is what Objects may have besides, where a killed writer leaves something that List does not show.
type Litterer interface {
	// Litter calls fn for each leftover, under a key of its own that only Clear understands.
	Litter(ctx context.Context, fn func(Info) error) error
	// Clear removes a leftover. Nothing there: nil.
	Clear(ctx context.Context, key string) error
}

// Pointer is where a path stood when somebody last looked. It decides nothing: the head is found by following ids from
// here, and without it from the path's name.
type Pointer struct {
	Path   Path   `json:"path"`
	Head   ID     `json:"head"`
	Digest string `json:"digest"` // of the head's manifest, so that Check sees a newest snapshot that was altered
}

// Pointers keeps one replaceable Pointer a path. Safe for concurrent use; the last writer wins.
type Pointers interface {
	// Point replaces the pointer of p.Path as a whole: a reader finds the old one or the new one.
	Point(ctx context.Context, p Pointer) error
	// Pointer returns a path's pointer, ErrNotFound, or *ErrCorrupt when what is there cannot be read.
	Pointer(ctx context.Context, path Path) (Pointer, error)
	// Each calls fn for every pointer, in any order, with name saying where it is kept. One that cannot be read comes with
	// its error instead of a Pointer.
	Each(ctx context.Context, fn func(name string, p Pointer, err error) error) error
	// Unpoint removes a path's pointer. Nothing there: nil.
	Unpoint(ctx context.Context, path Path) error
}

// Holder says who holds a lease. It is for messages only: nobody is believed dead because of a pid.
type Holder struct {
	PID     int       `json:"pid,omitempty"`
	Host    string    `json:"host,omitempty"`
	Start   time.Time `json:"start"`
	Command string    `json:"command,omitempty"`
	RunID   string    `json:"run_id,omitempty"`
}

// Leaser lets one run at a time work on a path (or on one base, for a fork). It decides nothing: a Store is right
// without it, and what two runs that both believe to hold a lease commit, the conditional create sorts out.
type Leaser interface {
	// Acquire takes the lease of key, waiting at most wait for another holder: then *ErrBusy. A cancelled ctx ends the
	// waiting with the context's error. The lease ends with Release, or when the process dies: at once locally, after a
	// time to live elsewhere.
	Acquire(ctx context.Context, key ID, who Holder, wait time.Duration) (Lease, error)
	// Live returns every lease that is held now, without its holder noticing.
	Live(ctx context.Context) ([]Held, error)
}

// LeaseKey is the key of a path's lease. A run that forks a snapshot without working on its path holds the snapshot's own
// id.
func (s *Store) LeaseKey(path Path) ID { return FirstID(s.id, path) }

// Held is one live lease.
type Held struct {
	Key ID
	Who Holder // zero when it cannot be read
}

// Lease is a lease that we have. Safe for concurrent use.
type Lease interface {
	// Renew says that we are still there. ErrLost: it is not ours any more; stop acting on the world.
	Renew(ctx context.Context) error
	// Release gives it up; a second call does nothing. A lease that was lost is released without error, and never takes
	// away somebody else's.
	Release(ctx context.Context) error
}

// Watched is a Lease that can be lost while its holder lives, because it is kept elsewhere.
type Watched interface {
	Lease
	// Lost is closed when the lease is not ours any more, or may not be. Who hears that stops acting on the world.
	Lost() <-chan struct{}
}
