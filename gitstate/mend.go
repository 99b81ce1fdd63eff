package gitstate

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Unfinished is what the journal of a killed save says about its dealings with git.
type Unfinished struct {
	Ref     string      // the branch that it was moving
	New     string      // the commit that it was moving the branch to; "" if it had not got so far
	Journal os.FileInfo // the journal itself: locks of the run are not older
}

// Mend removes what a killed save left in this work tree, and only that: index.lock if it is the very file that the
// save had prepared, locks of HEAD and the branch if they hold a beginning of the id that the save was writing, and
// its private index files. The caller holds the lease, so the owner is dead. It returns what it removed.
func (r *Repo) Mend(u Unfinished) ([]string, error) {
	var removed []string
	var failed error
	drop := func(p string) {
		if err := os.Remove(p); err == nil {
			removed = append(removed, p)
		} else if !errors.Is(err, fs.ErrNotExist) {
			failed = errors.Join(failed, err)
		}
	}
	private := r.private()
	lock := r.indexFile() + ".lock"
	for _, p := range private {
		if exists(lock) && sameFile(p, lock) {
			drop(lock)
		}
	}
	for _, l := range []string{filepath.Join(r.GitDir, "HEAD.lock"), filepath.Join(r.CommonDir, filepath.FromSlash(u.Ref)+".lock")} {
		if u.New != "" && startedBy(u, l) {
			drop(l)
		}
	}
	for _, p := range append(private, r.messages()...) {
		drop(p)
	}
	return removed, failed
}

// startedBy reports whether a ref lock is younger than the journal and empty or a beginning of the id being written.
func startedBy(u Unfinished, lock string) bool {
	info, err := os.Stat(lock)
	if err != nil || u.Journal == nil || info.ModTime().Before(u.Journal.ModTime()) {
		return false
	}
	b, err := os.ReadFile(lock)
	return err == nil && strings.HasPrefix(u.New+"\n", string(b))
}

func (r *Repo) messages() []string {
	found, _ := filepath.Glob(filepath.Join(escapeGlob(r.runtimeDir()), "COMMIT_EDITMSG.*"))
	return found
}
