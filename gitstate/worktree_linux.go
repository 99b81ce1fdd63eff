package gitstate

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// scannable says that this system's files can be compared with an index in process. Elsewhere git does it.
const scannable = true

// workTree looks at files below the root of a work tree, by paths relative to it. Several goroutines may use it.
type workTree struct {
	dir *os.File
	fd  int
}

func openWorkTree(root string) (*workTree, error) {
	f, err := os.OpenFile(root, unix.O_PATH|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, fmt.Errorf("look at the work tree: %w", err)
	}
	return &workTree{f, int(f.Fd())}, nil
}

func (w *workTree) close() { w.dir.Close() }

// lstat looks at a file without following a link in its place. fs.ErrNotExist also where a part of the way is a file.
func (w *workTree) lstat(path string) (fileInfo, error) {
	var st unix.Stat_t
	err := ignoringSignals(func() error { return unix.Fstatat(w.fd, path, &st, unix.AT_SYMLINK_NOFOLLOW) })
	if err != nil {
		return fileInfo{}, fileError("lstat", path, err)
	}
	return infoOf(&st), nil
}

func infoOf(st *unix.Stat_t) fileInfo {
	i := fileInfo{length: st.Size, stat: fileStat{
		ctime: uint32(st.Ctim.Sec), ctimeNano: uint32(st.Ctim.Nsec), mtime: uint32(st.Mtim.Sec), mtimeNano: uint32(st.Mtim.Nsec),
		dev: uint32(st.Dev), ino: uint32(st.Ino), uid: st.Uid, gid: st.Gid, size: uint32(st.Size)}}
	switch {
	case st.Mode&unix.S_IFMT == unix.S_IFREG && st.Mode&0o100 != 0:
		i.mode = modeProgram
	case st.Mode&unix.S_IFMT == unix.S_IFREG:
		i.mode = modeFile
	case st.Mode&unix.S_IFMT == unix.S_IFLNK:
		i.mode = modeLink
	case st.Mode&unix.S_IFMT == unix.S_IFDIR:
		i.mode = modeFolder
	}
	return i
}

func ignoringSignals(f func() error) error {
	for {
		if err := f(); err != unix.EINTR {
			return err
		}
	}
}

// open opens a regular file for reading. No link is followed on the way, so nothing outside the work tree is read
// whatever others do meanwhile (as far as the kernel can promise it: openat2 came with Linux 5.6).
func (w *workTree) open(path string) (*os.File, fileInfo, error) {
	const flags = unix.O_RDONLY | unix.O_CLOEXEC | unix.O_NOFOLLOW | unix.O_NONBLOCK // a FIFO must not hold us up
	how := unix.OpenHow{Flags: flags, Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS}
	var fd int
	open := func(f func() (int, error)) error {
		return ignoringSignals(func() (err error) { fd, err = f(); return err })
	}
	err := open(func() (int, error) { return unix.Openat2(w.fd, path, &how) })
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) { // an old kernel, or a sandbox that does not know the call
		err = open(func() (int, error) { return unix.Openat(w.fd, path, flags, 0) })
	}
	if errors.Is(err, unix.ELOOP) || errors.Is(err, unix.EXDEV) {
		return nil, fileInfo{}, fileError("open", path, ErrChanged)
	}
	if err != nil {
		return nil, fileInfo{}, fileError("open", path, err)
	}
	f := os.NewFile(uintptr(fd), path)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		f.Close()
		return nil, fileInfo{}, fileError("fstat", path, err)
	}
	info := infoOf(&st)
	if !info.regular() {
		f.Close()
		return nil, info, fileError("open", path, ErrChanged)
	}
	return f, info, nil
}

func (w *workTree) readlink(path string) ([]byte, error) {
	for size := 256; size <= 1<<16; size *= 4 {
		buf := make([]byte, size)
		var n int
		err := ignoringSignals(func() (err error) { n, err = unix.Readlinkat(w.fd, path, buf); return err })
		if errors.Is(err, unix.EINVAL) {
			err = ErrChanged
		}
		if err != nil {
			return nil, fileError("readlink", path, err)
		}
		if n < size {
			return buf[:n], nil
		}
	}
	return nil, fileError("readlink", path, unix.ENAMETOOLONG)
}
