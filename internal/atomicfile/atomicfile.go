// Package atomicfile writes files that are whole or not there.
//
// A program can die between any two system calls, a disk can be full, and others read while we write. So nothing is
// written in place: the bytes go into a temporary file in the same folder, reach the disk, and get their name in one
// step. Two steps give a name, and they are not the same:
//
//	Replace  rename(2)  the new file stands where the old one stood; a reader finds the one or the other.
//	Create   link(2)    only if nothing has the name; of a hundred creators exactly one wins, the others are told.
//
// A rename cannot stand in for the link: it replaces what somebody else created a moment ago and reports success to
// both. Looking first and renaming then only makes that rarer.
//
// Temporary files are made with O_EXCL under a random name, so a planted link is never followed. A writer that is
// killed leaves one behind; IsTemp knows them by name. Every other failure takes its temporary file away.
//
// What has a name is durable when Replace or Create returns nil: the file was synced before it got the name, its folder
// after. (Windows has no way to sync a folder.) Lock holds one file for one process; the kernel lets go when it dies.
package atomicfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

var (
	// ErrNoExclusive says that the file system can neither link nor rename without replacing, so Create cannot keep its
	// word there.
	ErrNoExclusive = errors.New("this file system has no way to create a file only if it is absent (no hard links, no exclusive rename)")
	// ErrTooLarge says that a file is longer than its reader allows.
	ErrTooLarge = errors.New("file is too large")
	// ErrNotRegular says that a link, folder, pipe or device stands where a file should be.
	ErrNotRegular = errors.New("not a regular file")
)

const tempPrefix = ".tmp-"

// IsTemp reports whether a file name (without its folder) is one that Replace and Create give to temporary files.
func IsTemp(name string) bool {
	random, ok := strings.CutPrefix(name, tempPrefix)
	return ok && len(random) == 16 && strings.Trim(random, "0123456789abcdef") == ""
}

// Replace puts a file with data at path, in place of one that is there. A link at path is replaced, not followed. perm
// is subject to the umask. On error the old file stands, or, when only syncing the folder failed, the new one may.
func Replace(path string, data []byte, perm fs.FileMode) error {
	return real().replace(filepath.Dir(path), path, data, perm)
}

// ReplaceFrom is Replace with the temporary file in another folder, where nobody who looks at path's folder meets it. Where
// that folder is missing, not writable or on another file system, it is Replace.
func ReplaceFrom(dir, path string, data []byte, perm fs.FileMode) error {
	return real().replaceFrom(dir, path, data, perm)
}

func (s system) replaceFrom(dir, path string, data []byte, perm fs.FileMode) error {
	err := s.replace(dir, path, data, perm)
	if err == nil || !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) && !crosses(err) {
		return err
	}
	return s.replace(filepath.Dir(path), path, data, perm)
}

// Swap is Replace for what can be made again: every reader finds the old file or the new one, and nothing waits for the
// disk. After a power cut the file may be the old one, the new one, or empty.
func Swap(path string, data []byte, perm fs.FileMode) error {
	s := real()
	s.sync = func(*os.File) error { return nil }
	s.syncDir = func(string) error { return nil }
	return s.replace(filepath.Dir(path), path, data, perm)
}

// Create puts a file with data at path if nothing is there: errors.Is(err, fs.ErrExist) otherwise, and what is there is
// untouched and synced, so that it may be reported as being there. perm is subject to the umask. On an error other than
// fs.ErrExist nothing has the name, unless syncing the folder failed: then the next Create says fs.ErrExist.
func Create(path string, data []byte, perm fs.FileMode) error {
	return real().create(path, data, perm)
}

// Read returns a regular file of at most most bytes. It follows no link at path itself and does not hang on a pipe.
// Errors: fs.ErrNotExist, ErrNotRegular, ErrTooLarge, or what the file system says.
func Read(path string, most int64) ([]byte, error) {
	f, err := openNoFollow(path)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, cause(err))
	}
	defer f.Close()
	st, err := f.Stat()
	switch {
	case err != nil:
	case !st.Mode().IsRegular():
		err = ErrNotRegular
	case st.Size() > most:
		err = fmt.Errorf("%w: %d bytes, at most %d", ErrTooLarge, st.Size(), most)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, cause(err))
	}
	data, err := readAll(f, st.Size(), most)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, cause(err))
	}
	return data, nil
}

// readAll reads a file of about size bytes.
func readAll(f io.Reader, size, most int64) ([]byte, error) {
	b := bytes.NewBuffer(make([]byte, 0, size+bytes.MinRead))
	n, err := b.ReadFrom(io.LimitReader(f, most+1))
	if err == nil && n > most { // it grew while we read
		err = fmt.Errorf("%w: more than %d bytes", ErrTooLarge, most)
	}
	return b.Bytes(), err
}

// SyncDir makes the names in dir durable. It does nothing on Windows.
func SyncDir(dir string) error { return syncDir(dir) }

// system is what Replace and Create ask of the operating system, as values, so that each step can be made to fail.
type system struct {
	open      func(path string, perm fs.FileMode) (*os.File, error)
	write     func(*os.File, []byte) (int, error)
	sync      func(*os.File) error
	close     func(*os.File) error
	rename    func(from, to string) error
	link      func(from, to string) error
	exclusive func(from, to string) error // rename that replaces nothing
	remove    func(path string) error
	syncDir   func(dir string) error
}

func real() system {
	return system{
		open: func(path string, perm fs.FileMode) (*os.File, error) {
			return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
		},
		write:     (*os.File).Write,
		sync:      (*os.File).Sync,
		close:     (*os.File).Close,
		rename:    rename,
		link:      os.Link,
		exclusive: exclusive,
		remove:    os.Remove,
		syncDir:   syncDir,
	}
}

func (s system) replace(dir, path string, data []byte, perm fs.FileMode) error {
	temp, err := s.temp(dir, data, perm)
	if err != nil {
		return fmt.Errorf("replace %s: %w", path, err)
	}
	if err := s.rename(temp, path); err != nil {
		return fmt.Errorf("replace %s: %w", path, s.drop(temp, cause(err)))
	}
	if err := s.syncDir(filepath.Dir(path)); err != nil {
		return fmt.Errorf("replace %s: sync its folder: %w", path, cause(err))
	}
	return nil
}

func (s system) create(path string, data []byte, perm fs.FileMode) error {
	temp, err := s.temp(filepath.Dir(path), data, perm)
	if err != nil {
		return fmt.Errorf("create %s: %w", path, err)
	}
	err = s.name(temp, path)
	there := err == nil || errors.Is(err, fs.ErrExist)
	err = s.drop(temp, err)
	if there {
		// Also when the name was taken: perhaps by ourselves before a crash, and nobody may call it saved until it is.
		if e := s.syncDir(filepath.Dir(path)); e != nil {
			return fmt.Errorf("create %s: sync its folder: %w", path, cause(e))
		}
	}
	if err != nil {
		return fmt.Errorf("create %s: %w", path, err)
	}
	return nil
}

// name gives temp the name path if nothing has it.
func (s system) name(temp, path string) error {
	err := s.link(temp, path)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrExist):
		if sameFile(temp, path) { // NFS: the answer to a link that was made got lost, and it was asked again
			return nil
		}
		return fs.ErrExist
	case !noLinks(err):
		return cause(err)
	}
	second := s.exclusive(temp, path)
	switch {
	case second == nil:
		return nil
	case errors.Is(second, fs.ErrExist):
		return fs.ErrExist
	case unsupported(second):
		return fmt.Errorf("%w: link: %w, rename: %w", ErrNoExclusive, cause(err), cause(second))
	}
	return cause(second)
}

// temp writes a durable temporary file next to where it will be named.
func (s system) temp(dir string, data []byte, perm fs.FileMode) (string, error) {
	f, err := s.openTemp(dir, perm)
	if err != nil {
		return "", fmt.Errorf("temporary file: %w", cause(err))
	}
	n, err := s.write(f, data)
	if err == nil && n < len(data) {
		err = io.ErrShortWrite
	}
	if err == nil {
		err = s.sync(f)
	}
	if e := s.close(f); err == nil {
		err = e
	}
	if err != nil {
		return "", fmt.Errorf("temporary file: %w", s.drop(f.Name(), cause(err)))
	}
	return f.Name(), nil
}

func (s system) openTemp(dir string, perm fs.FileMode) (*os.File, error) {
	const tries = 100 // names are 64 random bits: a second try is already a sign of something else
	var f *os.File
	err := fs.ErrExist
	for i := 0; i < tries && errors.Is(err, fs.ErrExist); i++ {
		f, err = s.open(filepath.Join(dir, fmt.Sprintf("%s%016x", tempPrefix, rand.Uint64())), perm)
	}
	return f, err
}

// drop takes a temporary file away and keeps the error that made it useless. A rename may have moved it already.
func (s system) drop(temp string, why error) error {
	err := s.remove(temp)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return why
	}
	return errors.Join(why, fmt.Errorf("remove %s: %w", temp, cause(err)))
}

func sameFile(a, b string) bool {
	x, err := os.Lstat(a)
	if err != nil {
		return false
	}
	y, err := os.Lstat(b)
	return err == nil && os.SameFile(x, y)
}

// cause is what the operating system said, without the path that the message already has.
func cause(err error) error {
	var p *fs.PathError
	var l *os.LinkError
	switch {
	case errors.As(err, &p) && error(p) == err:
		return p.Err
	case errors.As(err, &l) && error(l) == err:
		return l.Err
	}
	return err
}
