//go:build unix

package atomicfile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

func rename(from, to string) error { return os.Rename(from, to) }

// openNoFollow fails on a link (ELOOP, EMLINK on the BSDs) and does not wait for the other end of a pipe.
func openNoFollow(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if errors.Is(err, unix.ELOOP) || errors.Is(err, unix.EMLINK) || errors.Is(err, unix.ENXIO) {
		err = ErrNotRegular
	}
	return f, err
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) { // fsync(2): some file systems sync no folders
		err = nil
	}
	return errors.Join(err, d.Close())
}

// noLinks: link(2) answers EPERM where the file system has no hard links (FAT), others say so in their own way.
func noLinks(err error) bool {
	return errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) || errors.Is(err, unix.EMLINK) || unsupported(err)
}

// unsupported: rename2(2) answers EINVAL where the file system does not know the flag, ENOSYS where the kernel does not.
func unsupported(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, unix.EINVAL) || errors.Is(err, unix.EOPNOTSUPP)
}

// crosses: rename(2) answers EXDEV between two file systems; and the other one may be read-only.
func crosses(err error) bool { return errors.Is(err, unix.EXDEV) || errors.Is(err, unix.EROFS) }
