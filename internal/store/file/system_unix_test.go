//go:build unix

package file_test

import (
	"os"
	"syscall"
)

func mkfifo(path string) error { return syscall.Mkfifo(path, 0o600) }

// onDisk counts blocks of 512 bytes, as du does.
func onDisk(st os.FileInfo) int64 { return st.Sys().(*syscall.Stat_t).Blocks * 512 }
