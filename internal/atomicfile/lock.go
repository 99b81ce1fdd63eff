package atomicfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"
)

// MaxNote is how long the note of a lock's holder may be, in bytes.
const MaxNote = 4 << 10

// ErrLost says that a lock's file was taken away or replaced by somebody who did not ask.
var ErrLost = errors.New("the lock file is not ours any more")

// Busy says that another process holds the lock.
type Busy struct {
	Path string
	Note []byte // what the holder wrote; empty in the instant after it locked; as hostile as any file
}

// Error names the file, not the note: the caller knows how to read that.
func (b *Busy) Error() string { return fmt.Sprintf("lock %s: held by another process", b.Path) }

// Held is a lock that this process has. The kernel gives it up when the process dies, whatever kills it; programs that
// it starts do not get it. Two Locks of one process exclude each other too. Keep the Held until Unlock: one that nothing
// refers to is collected, and its lock with it. Safe for concurrent use.
type Held struct {
	mu   sync.Mutex
	path string
	file *os.File // nil: given up
}

var errWouldBlock = errors.New("lock is held")

// Lock takes the lock of a file, which it makes (mode 0600) if absent, and writes note into it for others to read. A
// held lock is asked for again until wait has passed, then it is *Busy; wait 0 still looks three times within some
// milliseconds, because a Probe holds a lock for an instant. A cancelled context ends the waiting with its error.
//
// The lock is advisory: flock(2), on Windows LockFileEx over a byte far behind the note, so that the note stays readable.
func Lock(ctx context.Context, path string, note []byte, wait time.Duration) (*Held, error) {
	if len(note) > MaxNote {
		return nil, fmt.Errorf("lock %s: note of %d bytes, at most %d", path, len(note), MaxNote)
	}
	const looks, longest = 3, 50 * time.Millisecond
	pause, waited := time.Millisecond, time.Duration(0)
	for n := 1; ; n++ {
		h, busy, err := tryLock(path, note)
		if err != nil {
			return nil, fmt.Errorf("lock %s: %w", path, cause(err))
		}
		if h != nil {
			return h, nil
		}
		if n >= looks && waited >= wait {
			return nil, &Busy{Path: path, Note: busy}
		}
		if err := sleep(ctx, pause); err != nil {
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		waited += pause
		pause = min(2*pause, longest)
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}

// tryLock looks once. Neither lock nor error: somebody holds it, and busy is their note.
func tryLock(path string, note []byte) (h *Held, busy []byte, err error) {
	for {
		f, err := openLock(path)
		if err != nil {
			return nil, nil, err
		}
		switch err := lockFile(f, true); {
		case errors.Is(err, errWouldBlock):
			busy = readNote(f)
			return nil, busy, f.Close()
		case err != nil:
			return nil, nil, errors.Join(err, f.Close())
		}
		if !names(path, f) { // its last holder took the file away between our open and our lock
			if err := f.Close(); err != nil {
				return nil, nil, err
			}
			continue
		}
		if err := writeNote(f, note); err != nil {
			return nil, nil, errors.Join(err, f.Close())
		}
		return &Held{path: path, file: f}, nil, nil
	}
}

// names reports whether path is f's.
func names(path string, f *os.File) bool {
	have, err := f.Stat()
	if err != nil {
		return false
	}
	is, err := os.Lstat(path)
	return err == nil && os.SameFile(have, is)
}

func writeNote(f *os.File, note []byte) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err := f.WriteAt(note, 0)
	return err
}

// readNote gives what there is to read; a note that cannot be read is no reason to fail, the lock is held either way.
func readNote(f *os.File) []byte {
	b, err := io.ReadAll(io.NewSectionReader(f, 0, MaxNote))
	if err != nil {
		return nil
	}
	return b
}

// Probe reports whether somebody holds the lock of a file, and what they wrote. It makes no file, and holds the lock
// itself for an instant if nobody else does.
func Probe(path string) (note []byte, held bool, err error) {
	f, err := openNoFollow(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("probe lock %s: %w", path, cause(err))
	}
	defer f.Close()
	switch err := lockFile(f, false); {
	case errors.Is(err, errWouldBlock):
		return readNote(f), true, nil
	case err != nil:
		return nil, false, fmt.Errorf("probe lock %s: %w", path, cause(err))
	}
	return nil, false, nil
}

// Check returns ErrLost when the lock's file was removed or replaced behind our back, so that somebody else may hold a
// lock of the same name now, and after Unlock.
func (h *Held) Check() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.file == nil || !names(h.path, h.file) {
		return fmt.Errorf("lock %s: %w", h.path, ErrLost)
	}
	return nil
}

// Unlock gives the lock up and takes its file away where that is safe. The second call does nothing.
func (h *Held) Unlock() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.file == nil {
		return nil
	}
	f := h.file
	h.file = nil
	if err := errors.Join(removeHeld(h.path, f), f.Close()); err != nil {
		return fmt.Errorf("unlock %s: %w", h.path, cause(err))
	}
	return nil
}
