package openspec

import (
	"context"
	"strings"
)

// afterTicks picks the task to go on with: the first open one after the box that was ticked last, else the first open
// one of the list; below an open parent its first open child. What was ticked last is looked for in this order: since
// the last save, since HEAD, by the last commit of the file; without any of them it is the lowest ticked box.
func (f *finder) afterTicks(ctx context.Context, c *change, tasks []Task) (int, Resume) {
	if _, ok := first(tasks, -1); !ok {
		return -1, Resume{}
	}
	last, reason := f.lastTicked(ctx, c, tasks)
	if last < 0 {
		next, _ := first(tasks, -1)
		return leaf(tasks, next), Resume{Reason: ResumeFirst}
	}
	r := Resume{Reason: reason, After: tasks[last].Description}
	next, ok := first(tasks, last)
	if !ok {
		next, _ = first(tasks, -1)
		r.Wrapped = true
	}
	return leaf(tasks, next), r
}

// lastTicked gives the box that was ticked last and how that is known; -1 if none is ticked.
func (f *finder) lastTicked(ctx context.Context, c *change, tasks []Task) (int, ResumeReason) {
	done := -1
	for i, t := range tasks {
		if t.Done {
			done = i
		}
	}
	if done < 0 {
		return -1, ""
	}
	if saved := f.hints.Saved; saved.Done != nil && sameName(saved.Change, c.ID) {
		if last, _ := newTicks(tasks, beforeList(saved.Done)); last >= 0 {
			return last, ResumeAfterSave
		}
	}
	if was, ok := f.version(ctx, c, "AtHead", f.hints.AtHead); ok {
		if last, _ := newTicks(tasks, was); last >= 0 {
			return last, ResumeAfterHead
		}
	}
	if was, ok := f.version(ctx, c, "Before", f.hints.Before); ok {
		if last, _ := newTicks(tasks, was); last >= 0 {
			return last, ResumeAfterCommit
		}
	}
	return done, ResumeAfterDone
}

// offered reports whether a task can be handed to somebody: open, with text to go by, and not held up by its source.
func (t Task) offered() bool { return !t.Done && t.Description != "" && !t.held }

// first gives the first task behind index after that can be offered; an optional one only if there is no other in the
// whole list.
func first(tasks []Task, after int) (int, bool) {
	optional := -1
	needed := false
	for i, t := range tasks {
		switch {
		case !t.offered():
		case !t.Optional && i > after:
			return i, true
		case !t.Optional:
			needed = true
		case i > after && optional < 0:
			optional = i
		}
	}
	if needed || optional < 0 {
		return -1, false
	}
	return optional, true
}

// within reports whether a task that follows another belongs to it: it is indented deeper, or its number goes on from
// the other's, as where Kiro writes 2.1 flat below 2.
func (t Task) within(parent Task) bool {
	numbered := parent.ID != "" && strings.HasPrefix(t.ID, parent.ID+".")
	return t.File == parent.File && (t.Indent > parent.Indent || numbered)
}

// leaf goes down from an open parent to its first open child.
func leaf(tasks []Task, i int) int {
	for {
		child := -1
		for k := i + 1; k < len(tasks) && tasks[k].within(tasks[i]); k++ {
			if tasks[k].offered() && tasks[k].Optional == tasks[i].Optional {
				child = k
				break
			}
		}
		if child < 0 {
			return i
		}
		i = child
	}
}
