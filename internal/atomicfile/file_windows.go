package atomicfile

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// rename waits for readers: Windows refuses to replace a file for the instant in which another process has it open.
func rename(from, to string) error {
	err := os.Rename(from, to)
	for wait := time.Millisecond; wait < time.Second && held(err); wait *= 2 {
		time.Sleep(wait)
		err = os.Rename(from, to)
	}
	return err
}

func held(err error) bool {
	return errors.Is(err, windows.ERROR_ACCESS_DENIED) || errors.Is(err, windows.ERROR_SHARING_VIOLATION)
}

// exclusive is MoveFileEx without MOVEFILE_REPLACE_EXISTING.
func exclusive(from, to string) error {
	f, err := windows.UTF16PtrFromString(from)
	if err != nil {
		return err
	}
	t, err := windows.UTF16PtrFromString(to)
	if err != nil {
		return err
	}
	return windows.MoveFileEx(f, t, windows.MOVEFILE_WRITE_THROUGH)
}

// openNoFollow looks before it opens: os.Open follows links on Windows, and making one there takes a privilege.
func openNoFollow(path string) (*os.File, error) {
	st, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, ErrNotRegular
	}
	return os.Open(path)
}

func syncDir(string) error { return nil }

// noLinks: FAT and some network file systems answer CreateHardLink with one of these.
func noLinks(err error) bool {
	return errors.Is(err, windows.ERROR_INVALID_FUNCTION) || errors.Is(err, windows.ERROR_NOT_SUPPORTED) ||
		errors.Is(err, windows.ERROR_ACCESS_DENIED) || unsupported(err)
}

func unsupported(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, windows.ERROR_INVALID_FUNCTION)
}

// crosses: MoveFileEx answers so between two volumes.
func crosses(err error) bool {
	return errors.Is(err, windows.ERROR_NOT_SAME_DEVICE) || errors.Is(err, windows.ERROR_WRITE_PROTECT)
}
