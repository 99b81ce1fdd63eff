package openspec

import (
	"context"
	"errors"
	"io/fs"
)

// Ticks are the strongest evidence of where work goes on: a box that is ticked now and was not before. Boxes have no
// identity but their text, so the n-th box with a text is compared with the n-th box that had it.

// before tells of each task, asked for all of them in document order, whether it was done at some earlier time.
type before func(Task) bool

// beforeIn compares with earlier versions of the files, by their path. A file without one had nothing done.
func beforeIn(versions map[string][]Task) before {
	type box struct{ file, text string }
	was, seen := map[box][]bool{}, map[box]int{}
	for file, tasks := range versions {
		for _, t := range tasks {
			k := box{file, t.Description}
			was[k] = append(was[k], t.Done)
		}
	}
	return func(t Task) bool {
		k := box{t.File, t.Description}
		n := seen[k]
		seen[k]++
		return n < len(was[k]) && was[k][n]
	}
}

// beforeList compares with a list of what was done.
func beforeList(done []string) before {
	left := map[string]int{}
	for _, text := range done {
		left[text]++
	}
	return func(t Task) bool {
		if !t.Done || left[t.Description] == 0 {
			return false
		}
		left[t.Description]--
		return true
	}
}

// newTicks gives the last task that is done and was not, -1 if there is none, and how many there are.
func newTicks(tasks []Task, was before) (last, count int) {
	last = -1
	for i, t := range tasks {
		if old := was(t); t.Done && !old {
			last = i
			count++
		}
	}
	return last, count
}

// getter is the form of [Hints].AtHead and Before.
type getter = func(ctx context.Context, file string) ([]byte, error)

// version asks git for an earlier version of every file of a change. ok is false if git was not asked or failed.
func (f *finder) version(ctx context.Context, c *change, hint string, get getter) (was before, ok bool) {
	if get == nil || !c.boxes {
		return nil, false
	}
	versions := map[string][]Task{}
	for _, file := range c.files {
		if !f.ownFile(file.rel) {
			continue
		}
		text, err := get(ctx, file.rel)
		if errors.Is(err, fs.ErrNotExist) {
			text, err = nil, nil
		}
		if err == nil && len(text) > MaxFile {
			err = &sizeError{"bytes", int64(len(text)), MaxFile}
		}
		if err != nil {
			f.warn(Warning{Code: WarnHint, Name: hint, Path: file.rel, Err: err})
			return nil, false
		}
		versions[file.rel] = c.read(string(text), file.rel)
	}
	return beforeIn(versions), len(versions) > 0
}
