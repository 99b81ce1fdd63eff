package gitstate

import (
	"context"
	"errors"
	"io/fs"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"

	"golang.org/x/sync/errgroup"
)

// fileInfo is a file as the system shows it.
type fileInfo struct {
	stat   fileStat
	mode   uint32 // as the index would keep it; modeFolder; 0 for FIFOs, sockets and devices
	length int64  // bytes
}

func (i fileInfo) regular() bool { return i.mode == modeFile || i.mode == modeProgram }

// fileError gives a system call's error the look of package os; ENOTDIR counts as "not there".
func fileError(op, path string, err error) error {
	if errors.Is(err, syscall.ENOTDIR) {
		err = fs.ErrNotExist
	}
	return &fs.PathError{Op: op, Path: path, Err: err}
}

// suspect is an index entry whose file is gone, differs by what the system shows, or is too young to be trusted.
type suspect struct {
	slot int
	gone bool
	same bool // the entry remembers just this file, but it may have been changed in the second in which the index was written
	info fileInfo
}

// scanChunk is how many entries one goroutine looks at in one go.
const scanChunk = 512

// suspects looks at the files of all entries, on all cores.
func (w *workTree) suspects(ctx context.Context, x *index) ([]suspect, error) {
	chunks := (x.len() + scanChunk - 1) / scanChunk
	found := make([][]suspect, chunks)
	err := inParallel(ctx, chunks, func(c int) (err error) {
		found[c], err = w.chunk(x, c*scanChunk, min((c+1)*scanChunk, x.len()))
		return err
	})
	return slices.Concat(found...), err
}

// inParallel calls f for 0 to n-1 on all cores, until one fails or ctx is done.
func inParallel(ctx context.Context, n int, f func(i int) error) error {
	g, inner := errgroup.WithContext(ctx)
	var next atomic.Int64
	for range min(n, max(runtime.GOMAXPROCS(0), 4)) { // more than one a core: where the disk is asked they wait
		g.Go(func() error {
			for inner.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return nil
				}
				if err := f(i); err != nil {
					return err
				}
			}
			return context.Cause(inner)
		})
	}
	return g.Wait()
}

func (w *workTree) chunk(x *index, from, to int) (out []suspect, err error) {
	way := folderWay{tree: w}
	for i := from; i < to; i++ {
		path := string(x.name(i))
		real, err := way.real(path)
		if err != nil {
			return nil, err
		}
		var info fileInfo
		if real {
			info, err = w.lstat(path)
		}
		switch {
		case !real, errors.Is(err, fs.ErrNotExist):
			out = append(out, suspect{slot: i, gone: true})
		case err != nil:
			return nil, err
		case !info.matches(x, i):
			out = append(out, suspect{slot: i, info: info})
		case x.racy(i):
			out = append(out, suspect{slot: i, same: true, info: info})
		}
	}
	return out, nil
}

// folderWay remembers which folders on the way to the last path are real ones, not links.
type folderWay struct {
	tree *workTree
	good string // this folder, and so all above it, are real; "" at the top
	bad  string // this one is a link, a file or gone; "" for none
}

// real reports whether all folders on the way to a path are real. Paths come in the order of the index.
func (y *folderWay) real(path string) (bool, error) {
	dir, ok := parent(path)
	if !ok || dir == y.good {
		return true, nil
	}
	if y.bad != "" && below(dir, y.bad) {
		return false, nil
	}
	for !below(dir, y.good) {
		y.good, _ = parent(y.good)
	}
	for y.good != dir {
		n := 0
		if y.good != "" {
			n = len(y.good) + 1
		}
		part := dir
		if i := strings.IndexByte(dir[n:], '/'); i >= 0 {
			part = dir[:n+i]
		}
		info, err := y.tree.lstat(part)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
		if err != nil || info.mode != modeFolder {
			y.bad = part
			return false, nil
		}
		y.good = part
	}
	return true, nil
}

// below reports whether a path is a folder or below it; everything is below "".
func below(path, folder string) bool {
	return folder == "" || strings.HasPrefix(path, folder) && (len(path) == len(folder) || path[len(folder)] == '/')
}

// matches compares a file with what an entry remembers, as git does (read-cache.c, match_stat_data), and beyond it by the
// fractions of seconds where both sides have them.
func (i fileInfo) matches(x *index, slot int) bool {
	was := x.stat(slot)
	now := i.stat
	if x.mode(slot) != i.mode || was.size == 0 && x.id(slot) != emptyBlob {
		return false
	}
	if was.ctime != now.ctime || was.mtime != now.mtime || was.uid != now.uid || was.gid != now.gid || was.ino != now.ino || was.size != now.size {
		return false
	}
	differ := func(a, b uint32) bool { return a != b && a != 0 && b != 0 }
	return !differ(was.mtimeNano, now.mtimeNano) && !differ(was.ctimeNano, now.ctimeNano)
}

// emptyBlob is the id of an empty file. A remembered size of 0 under another id asks for a look at the content.
var emptyBlob = objectID{0xe6, 0x9d, 0xe2, 0x9b, 0xb2, 0xd1, 0xd6, 0x43, 0x4b, 0x8b, 0x29, 0xae, 0x77, 0x5a, 0xd8, 0xc2, 0xe4, 0x8c, 0x53, 0x91}

// racy reports whether the file of an entry may have changed after the index was written without showing it: it was
// changed in the same second or later (gitformat-index(5), Documentation/technical/racy-git.txt).
func (x *index) racy(slot int) bool {
	return x.info.ModTime().Unix() <= int64(x.stat(slot).mtime)
}
