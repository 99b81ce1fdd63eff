package gitstate

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
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
func (w *workTree) open(path string) (io.ReadCloser, fileInfo, error) {
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
	f := &rawFile{fd, path}
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

// rawFile is a regular file without what os.File does for pipes and sockets: four system calls fewer for each file, of
// which a save opens many.
type rawFile struct {
	fd   int
	name string
}

func (f *rawFile) Read(b []byte) (n int, err error) {
	err = ignoringSignals(func() (err error) { n, err = unix.Read(f.fd, b); return err })
	switch {
	case err != nil:
		return 0, fileError("read", f.name, err)
	case n == 0 && len(b) > 0:
		return 0, io.EOF
	}
	return n, nil
}

func (f *rawFile) Write(b []byte) (done int, err error) {
	for done < len(b) {
		var n int
		err := ignoringSignals(func() (err error) { n, err = unix.Write(f.fd, b[done:]); return err })
		if err != nil {
			return done, fileError("write", f.name, err)
		}
		done += n
	}
	return done, nil
}

func (f *rawFile) Close() error {
	if err := unix.Close(f.fd); err != nil && err != unix.EINTR { // it is closed all the same
		return fileError("close", f.name, err)
	}
	return nil
}

// createFile makes a file that must not exist yet, and that nobody may write to when it is closed.
func createFile(name string) (io.WriteCloser, error) {
	var fd int
	err := ignoringSignals(func() (err error) {
		fd, err = unix.Open(name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_CLOEXEC, 0o444)
		return err
	})
	if err != nil {
		return nil, &fs.PathError{Op: "create", Path: name, Err: err}
	}
	return &rawFile{fd, name}, nil
}

// renameFile gives a file its name; os.Rename would look first whether a folder has it.
func renameFile(from, to string) error {
	if err := ignoringSignals(func() error { return unix.Rename(from, to) }); err != nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	return nil
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
