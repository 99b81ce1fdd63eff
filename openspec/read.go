package openspec

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Limits on what one look reads. The largest list of 2,300 real ones measured had 10,000 boxes in 0.3 MB.
const (
	MaxFile     = 8 << 20 // bytes of a task file, tasks.json or issues.jsonl
	MaxSettings = 1 << 20 // bytes of a YAML or JSON settings file
	MaxTasks    = 100_000 // tasks of one change
	MaxEntries  = 10_000  // directory entries looked at in one folder, and in one walk
)

// errNotRegular is what reading a directory, FIFO, socket or device as a file ends in.
var errNotRegular = errors.New("not a regular file")

// errOutside is what following a path out of the folder that confines it ends in, and a link that leads nowhere, which
// cannot be shown to stay inside.
var errOutside = errors.New("links out of its change")

// errCycle is what a pattern through a linked folder that holds the link ends in.
var errCycle = errors.New("links in a circle")

// sizeError says that a file or list is larger than this package reads.
type sizeError struct {
	what        string
	size, limit int64
}

func (e *sizeError) Error() string {
	return fmt.Sprintf("%d %s, at most %d are read", e.size, e.what, e.limit)
}

// readText reads a regular file of at most limit bytes. A FIFO does not block it.
func readText(path string, limit int64) (string, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", err
	}
	defer f.Close() // read only: nothing can be lost
	info, err := f.Stat()
	switch {
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return "", &fs.PathError{Op: "read", Path: path, Err: errNotRegular}
	case info.Size() > limit:
		return "", &fs.PathError{Op: "read", Path: path, Err: &sizeError{"bytes", info.Size(), limit}}
	}
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(b)) > limit { // it grew while we read
		err = &fs.PathError{Op: "read", Path: path, Err: &sizeError{"bytes", int64(len(b)), limit}}
	}
	return string(b), err
}

// confined gives the real path of dir/name if that exists and stays below dir, which is real already. fs.ErrNotExist:
// there is no such entry. errOutside: it is a link that leaves dir or leads nowhere.
func confined(dir, name string) (path string, info fs.FileInfo, err error) {
	path = filepath.Join(dir, name)
	info, err = os.Lstat(path)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 && !strings.ContainsAny(name, `/\`) {
		return path, info, err
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", nil, &fs.PathError{Op: "read", Path: path, Err: errOutside}
	}
	if !below(dir, real) {
		return "", nil, &fs.PathError{Op: "read", Path: path, Err: errOutside}
	}
	info, err = os.Lstat(real)
	return real, info, err
}

// below reports whether path is dir or inside it. Both are clean and absolute.
func below(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// entries lists a folder in no particular order. What lies beyond MaxEntries is not read; whole is false then.
func entries(dir string) (list []fs.DirEntry, whole bool, err error) {
	return entriesUpTo(dir, MaxEntries)
}

func entriesUpTo(dir string, most int) (list []fs.DirEntry, whole bool, err error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, true, err
	}
	defer f.Close() // read only: nothing can be lost
	list, err = f.ReadDir(most + 1)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	if len(list) > most {
		return list[:most], false, err
	}
	return list, true, err
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
