package atomicfile

import "golang.org/x/sys/unix"

func exclusive(from, to string) error { return unix.RenamexNp(from, to, unix.RENAME_EXCL) }
