package snapshottest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"session/internal/snapshot"
)

// Memory is a back end in memory: the contracts in their shortest form, and fast enough to try every interleaving.
type Memory struct {
	mu       sync.Mutex
	objects  map[string][]byte
	times    map[string]time.Time
	pointers map[snapshot.Path]snapshot.Pointer
	leases   map[snapshot.ID]*memoryLease
	// Now is when objects are made, for Info.ModTime.
	Now time.Time
}

// NewMemory makes an empty one.
func NewMemory() *Memory {
	return &Memory{
		objects: map[string][]byte{}, times: map[string]time.Time{}, pointers: map[snapshot.Path]snapshot.Pointer{},
		leases: map[snapshot.ID]*memoryLease{}, Now: Noon(),
	}
}

// PutNew implements snapshot.Objects.
func (m *Memory) PutNew(ctx context.Context, key string, data []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if len(data) > snapshot.MaxObject {
		return snapshot.ErrTooLarge
	}
	if _, ok := m.objects[key]; ok {
		return fmt.Errorf("%s: %w", key, snapshot.ErrExists)
	}
	m.objects[key], m.times[key] = bytes.Clone(data), m.Now
	return nil
}

// Get implements snapshot.Objects.
func (m *Memory) Get(ctx context.Context, key string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	data, ok := m.objects[key]
	if !ok {
		return nil, fmt.Errorf("%s: %w", key, snapshot.ErrNotFound)
	}
	return bytes.Clone(data), nil
}

// List implements snapshot.Objects.
func (m *Memory) List(ctx context.Context, prefix string, fn func(snapshot.Info) error) error {
	m.mu.Lock()
	var all []snapshot.Info
	for _, key := range slices.Sorted(maps.Keys(m.objects)) {
		if strings.HasPrefix(key, prefix) {
			all = append(all, snapshot.Info{Key: key, Size: int64(len(m.objects[key])), ModTime: m.times[key]})
		}
	}
	m.mu.Unlock()
	for _, i := range all {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := fn(i); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Delete implements snapshot.Objects.
func (m *Memory) Delete(ctx context.Context, key string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.objects, key)
	return ctx.Err()
}

// Put overwrites an object: what a person with an editor does.
func (m *Memory) Put(key string, data []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.objects[key] = bytes.Clone(data)
}

// Point implements snapshot.Pointers.
func (m *Memory) Point(_ context.Context, p snapshot.Pointer) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.pointers[p.Path] = p
	return nil
}

// Pointer implements snapshot.Pointers.
func (m *Memory) Pointer(_ context.Context, path snapshot.Path) (snapshot.Pointer, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, ok := m.pointers[path]
	if !ok {
		return p, snapshot.ErrNotFound
	}
	return p, nil
}

// Each implements snapshot.Pointers.
func (m *Memory) Each(_ context.Context, fn func(string, snapshot.Pointer, error) error) error {
	m.mu.Lock()
	all := maps.Clone(m.pointers)
	m.mu.Unlock()
	for path, p := range all {
		if err := fn(string(path), p, nil); err != nil {
			return err
		}
	}
	return nil
}

// Unpoint implements snapshot.Pointers.
func (m *Memory) Unpoint(_ context.Context, path snapshot.Path) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.pointers, path)
	return nil
}

type memoryLease struct {
	m   *Memory
	key snapshot.ID
	who snapshot.Holder
	end chan struct{} // closed when it is released
}

// Acquire implements snapshot.Leaser.
func (m *Memory) Acquire(ctx context.Context, key snapshot.ID, who snapshot.Holder, wait time.Duration) (snapshot.Lease, error) {
	over := time.NewTimer(wait)
	defer over.Stop()
	for {
		m.mu.Lock()
		by := m.leases[key]
		if by == nil {
			l := &memoryLease{m, key, who, make(chan struct{})}
			m.leases[key] = l
			m.mu.Unlock()
			return l, nil
		}
		m.mu.Unlock()
		select {
		case <-by.end:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-over.C:
			return nil, &snapshot.ErrBusy{Key: key, Who: by.who}
		}
	}
}

// Live implements snapshot.Leaser.
func (m *Memory) Live(context.Context) ([]snapshot.Held, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []snapshot.Held
	for key, l := range m.leases {
		all = append(all, snapshot.Held{Key: key, Who: l.who})
	}
	return all, nil
}

func (l *memoryLease) Renew(context.Context) error {
	l.m.mu.Lock()
	defer l.m.mu.Unlock()
	if l.m.leases[l.key] != l {
		return snapshot.ErrLost
	}
	return nil
}

func (l *memoryLease) Release(context.Context) error {
	l.m.mu.Lock()
	defer l.m.mu.Unlock()
	if l.m.leases[l.key] == l {
		delete(l.m.leases, l.key)
		close(l.end)
	}
	return nil
}

// ErrBroken is what Faults fails with.
var ErrBroken = errors.New("made to fail")

// Faults makes chosen calls of a back end fail. Calls that change something are counted from 1, pointers included.
type Faults struct {
	snapshot.Objects
	snapshot.Pointers
	// FailAt is the call that is not made, LoseAt the call that is made and whose answer is lost; 0: none. From then on
	// every call fails: the process is as good as dead.
	FailAt, LoseAt int

	mu    sync.Mutex
	calls int
	dead  bool
}

// Calls is how many calls were counted.
func (f *Faults) Calls() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls
}

func (f *Faults) change(do func() error) error {
	f.mu.Lock()
	f.calls++
	n := f.calls
	dead := f.dead
	f.dead = dead || n == f.FailAt || n == f.LoseAt
	f.mu.Unlock()
	if dead || n == f.FailAt {
		return ErrBroken
	}
	err := do()
	if n == f.LoseAt {
		return ErrBroken
	}
	return err
}

// PutNew counts.
func (f *Faults) PutNew(ctx context.Context, key string, data []byte) error {
	return f.change(func() error { return f.Objects.PutNew(ctx, key, data) })
}

// Delete counts.
func (f *Faults) Delete(ctx context.Context, key string) error {
	return f.change(func() error { return f.Objects.Delete(ctx, key) })
}

// Point counts.
func (f *Faults) Point(ctx context.Context, p snapshot.Pointer) error {
	return f.change(func() error { return f.Pointers.Point(ctx, p) })
}

// Unpoint counts.
func (f *Faults) Unpoint(ctx context.Context, path snapshot.Path) error {
	return f.change(func() error { return f.Pointers.Unpoint(ctx, path) })
}

// Get fails once the process is dead.
func (f *Faults) Get(ctx context.Context, key string) ([]byte, error) {
	f.mu.Lock()
	dead := f.dead
	f.mu.Unlock()
	if dead {
		return nil, ErrBroken
	}
	return f.Objects.Get(ctx, key)
}
