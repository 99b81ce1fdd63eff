//go:build !windows

package assistant

import "io/fs"

// runnable reports whether git runs a hook of this mode.
func runnable(mode fs.FileMode) bool { return mode&0o100 != 0 }
