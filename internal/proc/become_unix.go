//go:build unix

package proc

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// Become goes on as another program, in this process: it has its streams, its folder and its signals. It only returns if
// that cannot be done.
func Become(path string, args, env []string) (code int, err error) {
	if err := unix.Exec(path, append([]string{path}, args...), env); err != nil {
		return 0, fmt.Errorf("start %s: %w", path, err)
	}
	return 0, nil
}
