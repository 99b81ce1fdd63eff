package assistant

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Fired is a line of the hook log: one hook that was called. The log answers one question, whether hooks are alive, so
// losing a line to a race between two hooks is no harm.
type Fired struct {
	At      time.Time `json:"at"`
	From    Name      `json:"from,omitempty"` // "": git
	Kind    Kind      `json:"kind"`
	Session string    `json:"session,omitempty"`
	Millis  int64     `json:"ms,omitempty"`
	Error   string    `json:"error,omitempty"` // why it did nothing
}

// Bounds of the hook log, in bytes: when it is longer than the first, its newer half stays.
const (
	hookLogLimit = 128 << 10
	hookLogLine  = 1 << 10
)

// LogFired appends a line to the hook log and keeps it short. Errors: the file system's; a hook goes on without.
func LogFired(path string, f Fired) error {
	f.Session, f.Error = word(f.Session), f.Error[:min(len(f.Error), 300)]
	line := append(rawJSON(f), '\n')
	if len(line) > hookLogLine {
		return fmt.Errorf("hook log: a line of %d bytes", len(line))
	}
	if err := trimLog(path); err != nil {
		return fmt.Errorf("hook log: %w", err)
	}
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("hook log: %w", err)
	}
	_, err = out.Write(line)
	return errors.Join(err, out.Close())
}

// trimLog drops the older half of a log that is too long.
func trimLog(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return os.MkdirAll(filepath.Dir(path), 0o700)
	}
	if err != nil || info.Size() <= hookLogLimit {
		return err
	}
	if !info.Mode().IsRegular() {
		return errNotAFile
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	data = data[max(0, len(data)-hookLogLimit/2):]
	_, data, _ = bytes.Cut(data, []byte("\n"))
	t, err := openTree(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer t.close()
	_, err = t.write(filepath.Base(path), data, 0o600)
	return err
}

// ReadFired reads the hook log, oldest first. Lines that are damaged are passed over; a log that is not there is empty.
func ReadFired(path string) ([]Fired, error) { return readFired(path, 2*hookLogLimit) }

// LastFired reads the newest lines of the hook log, oldest first: about sixty of them. Otherwise as ReadFired.
func LastFired(path string) ([]Fired, error) { return readFired(path, 8<<10) }

func readFired(path string, most int64) ([]Fired, error) {
	f, size, err := openRegular(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("hook log: %w", err)
	}
	defer f.Close()
	var all []Fired
	_, err = eachLine(f, max(0, size-most), size, func(l []byte) {
		var one Fired
		if len(l) <= hookLogLine && json.Unmarshal(l, &one) == nil && !one.At.IsZero() {
			all = append(all, one)
		}
	})
	return all, err
}
