package file

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"session/internal/atomicfile"
	"session/internal/snapshot"
)

const lockSuffix = ".lock"

func (s *Store) lockFile(key snapshot.ID) string {
	return filepath.Join(s.dir, "leases", string(key)+lockSuffix)
}

// Acquire implements snapshot.Leaser with flock: a killed holder's lease is free at once.
func (s *Store) Acquire(ctx context.Context, key snapshot.ID, who snapshot.Holder, wait time.Duration) (snapshot.Lease, error) {
	if _, err := snapshot.ParseID(string(key)); err != nil {
		return nil, fmt.Errorf("take the lease: %w: %w", snapshot.ErrInvalid, err)
	}
	note, err := json.Marshal(short(who))
	if err != nil {
		return nil, fmt.Errorf("take the lease of %s: %w", key, err)
	}
	file := s.lockFile(key)
	var held *atomicfile.Held
	if err = s.folder(filepath.Dir(file)); err == nil {
		held, err = atomicfile.Lock(ctx, file, note, wait)
	}
	var busy *atomicfile.Busy
	switch {
	case errors.As(err, &busy):
		return nil, &snapshot.ErrBusy{Key: key, Who: holder(busy.Note)}
	case err != nil:
		return nil, fmt.Errorf("take the lease of %s: %w", key, classify(err))
	}
	return lease{held}, nil
}

// short keeps a note within what a lock file may hold.
func short(who snapshot.Holder) snapshot.Holder {
	const most = 512
	for _, s := range []*string{&who.Command, &who.Host, &who.RunID} {
		*s = strings.ToValidUTF8((*s)[:min(len(*s), most)], "")
	}
	return who
}

// holder reads a note; one that cannot be read is nobody's.
func holder(note []byte) snapshot.Holder {
	var h snapshot.Holder
	if json.Unmarshal(note, &h) != nil {
		return snapshot.Holder{}
	}
	return short(h)
}

// Live implements snapshot.Leaser.
func (s *Store) Live(ctx context.Context) ([]snapshot.Held, error) {
	all, err := os.ReadDir(filepath.Join(s.dir, "leases"))
	if errors.Is(err, fs.ErrNotExist) {
		err = s.present()
	}
	if err != nil {
		return nil, fmt.Errorf("list leases: %w", classify(err))
	}
	var live []snapshot.Held
	for _, e := range all {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		key, err := snapshot.ParseID(strings.TrimSuffix(e.Name(), lockSuffix))
		if err != nil {
			continue
		}
		note, held, err := atomicfile.Probe(s.lockFile(key))
		if err != nil {
			return nil, fmt.Errorf("list leases: %w", classify(err))
		}
		if held {
			live = append(live, snapshot.Held{Key: key, Who: holder(note)})
		}
	}
	return live, nil
}

type lease struct{ held *atomicfile.Held }

func (l lease) Renew(context.Context) error {
	if err := l.held.Check(); err != nil {
		return fmt.Errorf("%w: %w", snapshot.ErrLost, err)
	}
	return nil
}

func (l lease) Release(context.Context) error { return l.held.Unlock() }
