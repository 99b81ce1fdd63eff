package openspec

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// outputs gives the files that a schema's generates names in a change, as slash paths relative to it, sorted and each
// real file once: the program's resolveArtifactOutputs. dir is the change's real path. errOutside: a link on the way
// leads out of the change. errCycle: links lead round in a circle. errPattern: see there.
func outputs(dir, generates string) ([]string, error) {
	if !isPattern(generates) {
		if err := leads(dir, strings.Split(generates, "/")); err != nil {
			return nil, err
		}
		path, info, err := confined(dir, filepath.FromSlash(strings.TrimRight(generates, "/")))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if err != nil || !info.Mode().IsRegular() || strings.HasSuffix(generates, "/") {
			return nil, nil // the program falls back to tasks.md, without a word
		}
		return []string{relSlash(dir, path)}, nil
	}
	return matches(dir, generates, MaxEntries)
}

// matches collects what a pattern names, looking at no more than most entries.
func matches(dir, pattern string, most int) (all []string, err error) {
	patterns, err := compilePattern(pattern)
	if err != nil {
		return nil, err
	}
	w := &walk{top: dir, files: map[string]bool{}, above: map[string]bool{}, most: most, left: most}
	for _, segments := range patterns {
		w.seen = map[string]bool{}
		if err := leads(dir, segments); err != nil {
			return nil, err
		}
		if err := w.descend(dir, segments); err != nil {
			return nil, err
		}
	}
	for f := range w.files {
		all = append(all, relSlash(dir, f))
	}
	slices.Sort(all)
	return all, nil
}

// leads checks the folders that a path or pattern starts with by name: they need not be there, but what is there must
// lead somewhere inside.
func leads(dir string, segments []string) error {
	path := ""
	for i := 0; i+1 < len(segments) && literal(segments[i]); i++ {
		path = filepath.Join(path, segments[i])
		_, _, err := confined(dir, path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func relSlash(dir, path string) string {
	rel, err := filepath.Rel(dir, path)
	if err != nil {
		return filepath.ToSlash(path) // another volume
	}
	return filepath.ToSlash(rel)
}

// walk collects the real files below top that a pattern names.
type walk struct {
	top   string
	files map[string]bool
	seen  map[string]bool // folder and number of segments left, of the pattern at hand
	above map[string]bool // those of seen that the walk is inside of
	most  int
	left  int // of most entries, how many may still be looked at
}

func (w *walk) descend(dir string, segments []string) error {
	key := dir + "\x00" + strconv.Itoa(len(segments))
	if w.above[key] {
		return &fs.PathError{Op: "read", Path: dir, Err: errCycle}
	}
	if len(segments) == 0 || w.seen[key] {
		return nil
	}
	w.seen[key], w.above[key] = true, true
	defer delete(w.above, key)
	head, rest := segments[0], segments[1:]
	if head == "**" {
		if err := w.descend(dir, rest); err != nil {
			return err
		}
		head, rest = "*", segments
	} else if literal(head) {
		return w.enter(dir, head, rest)
	}
	list, whole, err := entries(dir)
	if w.left -= len(list); w.left < 0 || !whole {
		return &sizeError{"entries", int64(w.most - w.left), int64(w.most)}
	}
	for _, e := range list {
		if err := w.match(dir, e, head, rest); err != nil {
			return err
		}
	}
	return ignoreMissing(err)
}

func (w *walk) match(dir string, e fs.DirEntry, head string, rest []string) error {
	if !matchSegment(head, e.Name()) || len(rest) > 0 && !e.IsDir() && e.Type()&fs.ModeSymlink == 0 {
		return nil
	}
	return w.enter(dir, e.Name(), rest)
}

// enter follows one name: to a file if it is the last, else into a folder. Links may lead anywhere below top.
func (w *walk) enter(dir, name string, rest []string) error {
	path := filepath.Join(dir, name)
	info, err := os.Stat(path)
	if err != nil || info.IsDir() == (len(rest) == 0) {
		return nil // a dangling link, or not of the kind that is looked for
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ignoreMissing(err)
	}
	if !below(w.top, real) {
		return &fs.PathError{Op: "read", Path: path, Err: errOutside}
	}
	if len(rest) > 0 {
		return w.descend(real, rest)
	}
	if info.Mode().IsRegular() {
		w.files[real] = true
	}
	return nil
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
