package file

import (
	"errors"
	"syscall"
)

// From winerror.h.
const (
	errWriteProtect   = syscall.Errno(19)
	errHandleDiskFull = syscall.Errno(39)
	errDiskFull       = syscall.Errno(112)
)

func isFull(err error) bool { return errors.Is(err, errHandleDiskFull) || errors.Is(err, errDiskFull) }

func isReadOnly(err error) bool { return errors.Is(err, errWriteProtect) }
