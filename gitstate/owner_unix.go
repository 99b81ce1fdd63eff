//go:build unix

package gitstate

import (
	"os"
	"syscall"
)

// ours reports whether a file belongs to the user who runs us. Git refuses repositories of others (safe.directory);
// go-git does not know the rule, so such a repository is left to git's judgement.
func ours(p string) bool {
	s, err := os.Stat(p)
	if err != nil {
		return false
	}
	st, ok := s.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}
