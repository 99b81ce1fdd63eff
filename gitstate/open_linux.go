package gitstate

import (
	"os"
	"path/filepath"
)

// openedBySomeone looks through /proc for a process that has the file open. known is false when /proc does not say
// (another user's processes hide their files).
func openedBySomeone(file string) (open, known bool) {
	target, err := filepath.EvalSymlinks(file)
	if err != nil {
		return false, false
	}
	fds, err := filepath.Glob("/proc/[0-9]*/fd/*")
	if err != nil || len(fds) == 0 {
		return false, false
	}
	for _, fd := range fds {
		if at, err := os.Readlink(fd); err == nil && at == target {
			return true, true
		}
	}
	return false, true
}
