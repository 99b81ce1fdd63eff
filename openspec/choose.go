package openspec

import (
	"context"
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

// maxCompared bounds how many changes git is asked about in one choice.
const maxCompared = 64

// choose picks the change that is being worked on, and says why. all has at least one.
func (f *finder) choose(ctx context.Context, t tracker, all []*change) (*change, Why) {
	if len(all) == 1 {
		return all[0], Why{Reason: ReasonOnly}
	}
	if c, file := t.current(all); c != nil {
		return c, Why{Reason: ReasonPointer, File: file}
	}
	edits := f.edits(ctx, all)
	class := leading(all)
	if c, why := f.byTicks(ctx, all, class, edits); c != nil {
		return c, why
	}
	if c := branchIsID(f.hints.Branch, all); c != nil {
		return c, Why{Reason: ReasonBranch, Branch: f.hints.Branch, Match: MatchSame}
	}
	if len(class) == 1 {
		return class[0], Why{Reason: ReasonOnlyOfStatus, Status: class[0].Status}
	}
	if c := single(class, func(c *change) bool { return edits.in(c) != "" }); c != nil {
		return c, Why{Reason: ReasonEdited, File: edits.in(c)}
	}
	if c, match := branchLike(f.hints.Branch, class); c != nil {
		return c, Why{Reason: ReasonBranch, Branch: f.hints.Branch, Match: match}
	}
	if c := single(class, func(c *change) bool { return sameName(c.ID, f.hints.Saved.Change) }); c != nil {
		return c, Why{Reason: ReasonSaved}
	}
	return f.byTime(ctx, class, edits)
}

// leading gives the changes that a choice is made among: those in progress, without any those without tasks, without
// any the complete ones.
func leading(all []*change) []*change {
	for _, s := range []Status{InProgress, NoTasks, Complete} {
		if class := filter(all, func(c *change) bool { return c.Status == s }); len(class) > 0 {
			return class
		}
	}
	return all
}

func filter(all []*change, keep func(*change) bool) (kept []*change) {
	for _, c := range all {
		if keep(c) {
			kept = append(kept, c)
		}
	}
	return kept
}

// edits are the files of changes that differ from HEAD, as far as that is known.
type edits struct {
	files []string
	known bool
}

func (f *finder) edits(ctx context.Context, all []*change) edits {
	if f.hints.Changed == nil || !f.inTree {
		return edits{}
	}
	files, err := f.hints.Changed(ctx)
	if err != nil {
		f.warn(Warning{Code: WarnHint, Name: "Changed", Err: err})
		return edits{}
	}
	var homes []string // a work tree may have a hundred thousand edits that are no tasks
	for _, c := range all {
		if home := path.Dir(c.Dir) + "/"; !slices.Contains(homes, home) {
			homes = append(homes, home)
		}
	}
	e := edits{known: true}
	for _, file := range files {
		if slices.ContainsFunc(homes, func(home string) bool { return overlaps(file, home) }) {
			e.files = append(e.files, file)
		}
	}
	return e
}

// overlaps reports whether file lies in folder, or stands for a folder around it. Folders end with a slash.
func overlaps(file, folder string) bool {
	return strings.HasPrefix(file, folder) || strings.HasSuffix(file, "/") && strings.HasPrefix(folder, file)
}

// in gives the first file of a change that differs from HEAD, "" if none does.
func (e edits) in(c *change) string {
	for _, file := range e.files {
		if overlaps(file, c.Dir+"/") {
			return file
		}
	}
	return ""
}

// has reports whether a file itself differs from HEAD.
func (e edits) has(file string) bool {
	return slices.ContainsFunc(e.files, func(s string) bool {
		return s == file || strings.HasSuffix(s, "/") && strings.HasPrefix(file, s)
	})
}

// byTicks finds the only change with boxes ticked since HEAD. If it is known what differs from HEAD, only those changes
// are compared, complete ones too: its last box may just have been ticked.
func (f *finder) byTicks(ctx context.Context, all, class []*change, e edits) (*change, Why) {
	pool := class
	if e.known {
		pool = filter(all, func(c *change) bool { return e.in(c) != "" })
	} else if len(class) < 2 || class[0].Status != InProgress {
		return nil, Why{}
	}
	if len(pool) > maxCompared {
		return nil, Why{}
	}
	var found *change
	var why Why
	for _, c := range pool {
		was, ok := f.version(ctx, c, "AtHead", f.hints.AtHead)
		if !ok {
			continue
		}
		tasks := f.parse(c)
		last, count := newTicks(tasks, was)
		switch {
		case count == 0:
		case found != nil:
			return nil, Why{}
		default:
			found, why = c, Why{Reason: ReasonTicked, Task: tasks[last].Description, Count: count}
		}
	}
	return found, why
}

// byTime picks the change whose tasks were edited last, of equals the first by name.
func (f *finder) byTime(ctx context.Context, class []*change, e edits) (*change, Why) {
	committed := f.committed(ctx, class)
	times := make([]time.Time, len(class))
	best := 0
	for i, c := range class {
		times[i] = f.editTime(c, committed, e)
		if times[i].After(times[best]) {
			best = i
		}
	}
	if !slices.ContainsFunc(times, func(t time.Time) bool { return !t.Equal(times[best]) }) {
		return class[0], Why{Reason: ReasonFirst}
	}
	return class[best], Why{Reason: ReasonRecent, When: times[best]}
}

// committed asks once for the last commits of all changes.
func (f *finder) committed(ctx context.Context, class []*change) map[string]time.Time {
	if f.hints.Touched == nil || !f.inTree {
		return nil
	}
	var files []string
	for _, c := range class {
		for _, t := range c.dated() {
			if f.ownFile(t.rel) {
				files = append(files, t.rel)
			}
		}
	}
	times, err := f.hints.Touched(ctx, files)
	if err != nil {
		f.warn(Warning{Code: WarnHint, Name: "Touched", Err: err})
	}
	return times
}

// dated gives what a change's age is read from: its task files, or its folder as long as it has none.
func (c *change) dated() []taskFile {
	if len(c.files) > 0 {
		return c.files
	}
	return []taskFile{{c.abs, c.Dir}}
}

// editTime is the last commit of a file; its time on disk counts only if it is not committed as it stands, since a
// fresh clone gives all files the same.
func (f *finder) editTime(c *change, committed map[string]time.Time, e edits) (latest time.Time) {
	for _, file := range c.dated() {
		t, ok := committed[file.rel]
		if !ok || e.has(file.rel) {
			if info, err := os.Stat(file.abs); err == nil && info.ModTime().After(t) {
				t = info.ModTime()
			}
		}
		if t.After(latest) {
			latest = t
		}
	}
	return latest
}
