package survey

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"session/blocker"

	"github.com/bmatcuk/doublestar/v4"
)

// LogAsk says where blockers are looked for in files.
type LogAsk struct {
	Patterns []string  // slash patterns below the top, ** for any depth
	Since    time.Time // files that are not newer were judged before
	Always   []string  // files that are judged whatever their age: what blocks came from there
	Options  blocker.Options
}

// Seen is one log or report and what it says.
type Seen struct {
	Source  string // slash path below the top
	ModTime time.Time
	Report  blocker.Report
	Err     error // it could not be read
}

// Bounds of a look for logs: what a build system writes lies near the top, and a save must stay quick in a tree of any
// size.
const (
	maxLogs    = 12   // files that are judged, the newest first
	maxEntries = 4000 // folder entries that are looked at
	maxDepth   = 5    // folders below the top
)

// Logs looks for logs and reports below root and judges the ones that are new.
func Logs(ctx context.Context, root string, ask LogAsk) []Seen {
	var all []Seen
	for _, f := range findLogs(root, ask) {
		if ctx.Err() != nil {
			return all
		}
		all = append(all, judge(ctx, root, f, ask.Options))
	}
	return all
}

func judge(ctx context.Context, root string, f found, o blocker.Options) Seen {
	s := Seen{Source: f.path, ModTime: f.info.ModTime()}
	file, err := os.Open(filepath.Join(root, filepath.FromSlash(f.path)))
	if err != nil {
		s.Err = err
		return s
	}
	defer file.Close()
	in, err := blocker.FromFile(f.path, file, f.info)
	if err == nil {
		s.Report, err = blocker.Scan(ctx, in, o)
	}
	if !errors.Is(err, blocker.ErrBinary) { // a binary file is no log, whatever it is called
		s.Err = err
	}
	return s
}

type found struct {
	path string
	info fs.FileInfo
}

func findLogs(root string, ask LogAsk) []found {
	var all []found
	seen := map[string]bool{}
	take := func(p string, info fs.FileInfo, always bool) {
		if !seen[p] && info.Mode().IsRegular() && (always || info.ModTime().After(ask.Since)) {
			seen[p] = true
			all = append(all, found{p, info})
		}
	}
	for _, p := range ask.Always {
		if info, err := os.Lstat(filepath.Join(root, filepath.FromSlash(p))); err == nil && filepath.IsLocal(filepath.FromSlash(p)) {
			take(p, info, true)
		}
	}
	w := walker{root: root, patterns: ask.Patterns, take: take}
	w.walk()
	all = slices.DeleteFunc(all, func(f found) bool { return outdone(root, f.path) })
	slices.SortFunc(all, func(a, b found) int {
		return cmp.Or(b.info.ModTime().Compare(a.info.ModTime()), cmp.Compare(a.path, b.path))
	})
	return all[:min(len(all), maxLogs)]
}

// outdone reports whether a list of failed tests lies beside the report of the same run: CTest writes LastTest.log every
// time, LastTestsFailed.log only when a test failed, and then leaves it (CMake 3.25).
func outdone(root, p string) bool {
	if path.Base(p) != "LastTestsFailed.log" {
		return false
	}
	_, err := os.Lstat(filepath.Join(root, filepath.FromSlash(path.Dir(p)), "LastTest.log"))
	return err == nil
}

// walker visits folders that builds and tests write to, breadth first, within bounds.
type walker struct {
	root     string
	patterns []string
	take     func(string, fs.FileInfo, bool)
	left     int
}

func (w *walker) walk() {
	w.left = maxEntries
	queue := []string{""}
	for len(queue) > 0 && w.left > 0 {
		dir := queue[0]
		queue = append(queue[1:], w.visit(dir)...)
	}
}

// visit takes the matching files of a folder and says which folders below it are worth a look: anything below one that a
// build made, or a folder that a pattern names by its words.
func (w *walker) visit(dir string) (next []string) {
	for _, e := range w.entries(dir) {
		if w.left--; w.left < 0 {
			return next
		}
		p := path.Join(dir, e.Name())
		switch {
		case e.IsDir():
			if w.enter(dir, p, e.Name()) {
				next = append(next, p)
			}
		case w.matches(p):
			if info, err := e.Info(); err == nil {
				w.take(p, info, false)
			}
		}
	}
	return next
}

// entries lists a folder by name, no further than what is left to look at: a folder may hold a million files. One that
// cannot be read holds no log that could be either.
func (w *walker) entries(dir string) []fs.DirEntry {
	f, err := os.Open(filepath.Join(w.root, filepath.FromSlash(dir)))
	if err != nil {
		return nil
	}
	defer f.Close()
	list, err := f.ReadDir(w.left + 1)
	if err != nil {
		return nil
	}
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return list
}

func (w *walker) matches(p string) bool {
	for _, pattern := range w.patterns {
		if ok, err := doublestar.Match(pattern, p); err == nil && ok {
			return true
		}
	}
	return false
}

func (w *walker) enter(dir, p, name string) bool {
	switch {
	case strings.HasPrefix(name, ".") || name == "node_modules" || strings.Count(p, "/") >= maxDepth:
		return false
	case dir != "" && w.made(dir):
		return true
	}
	return w.made(p) || w.named(p)
}

// made reports whether a folder lies below one of the names that build systems and test runners use.
func (w *walker) made(p string) bool {
	for _, part := range strings.Split(p, "/") {
		low := strings.ToLower(part)
		for _, prefix := range []string{"build", "cmake-build", "out", "target", "test-results", "test_results", "reports", "report", "testing", "junit", "surefire", "coverage", "logs", "log"} {
			if low == prefix || strings.HasPrefix(low, prefix+"-") || strings.HasPrefix(low, prefix+"_") || strings.HasPrefix(low, prefix) && prefix == "build" {
				return true
			}
		}
	}
	return false
}

// named reports whether some pattern leads through this folder by its literal beginning.
func (w *walker) named(p string) bool {
	for _, pattern := range w.patterns {
		base, _ := doublestar.SplitPattern(pattern)
		if base != "." && (base == p || strings.HasPrefix(base, p+"/") || strings.HasPrefix(p, base+"/")) {
			return true
		}
	}
	return false
}
