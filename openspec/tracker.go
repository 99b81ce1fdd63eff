package openspec

import (
	"context"
	"errors"
	"io/fs"
	"path"
)

// tracker is one project of one source. Its changes are all counted, cheaply; only the chosen one is read.
type tracker interface {
	// changes lists the active changes with their counts, sorted by ID.
	changes(ctx context.Context) ([]*change, error)
	// tasks reads the tasks of one change, in document order.
	tasks(ctx context.Context, c *change) ([]Task, error)
	// resume picks the task to go on with, -1 if none can be offered.
	resume(ctx context.Context, c *change, tasks []Task) (int, Resume)
	// current is the change that the source itself calls current, and what says so; nil if nothing does.
	current(all []*change) (c *change, file string)
	// archived looks up a change that is no longer active; nil if there is none.
	archived(id string) *Archive
}

// change is a candidate while the choice is made.
type change struct {
	Candidate
	abs   string // its folder
	files []taskFile
	boxes bool     // its files are lists of check boxes, so that git's versions of them can be compared
	dress dress    // nil: its boxes are read as they stand
	aside *Warning // never chosen by itself, and what to say if somebody names it
}

// dress reads boxes as their source writes them, and leaves out what is none to it.
type dress func([]Task) []Task

// taskFile is a file with tasks: where it is, and how the answer writes that.
type taskFile struct{ abs, rel string }

// texts hands over each readable file of a change with its counts. What cannot be read counts as empty and is named.
func (f *finder) texts(c *change, use func(file taskFile, text string, completed, total int)) {
	left := MaxTasks
	for _, file := range c.files {
		text, err := readText(file.abs, MaxFile)
		completed, total := Count(text)
		if err == nil && total > left {
			err = &sizeError{"tasks", int64(total), MaxTasks}
		}
		switch {
		case errors.Is(err, fs.ErrNotExist): // gone since it was listed
		case err != nil:
			f.warn(fileWarning(file.rel, err))
		default:
			left -= total
			use(file, text, completed, total)
		}
	}
}

// count fills in a change's counts and status.
func (f *finder) count(c *change) {
	f.texts(c, func(file taskFile, text string, completed, total int) {
		if c.dress != nil {
			completed, total = tally(c.read(text, file.rel))
		}
		c.Completed += completed
		c.Total += total
	})
	c.Status = statusOf(c.Completed, c.Total)
}

// parse reads the check boxes of a change.
func (f *finder) parse(c *change) (tasks []Task) {
	f.texts(c, func(file taskFile, text string, _, _ int) {
		tasks = append(tasks, c.read(text, file.rel)...)
	})
	return tasks
}

// read parses one version of one of its files.
func (c *change) read(text, rel string) []Task {
	tasks := Parse(text, rel)
	if c.dress != nil {
		return c.dress(tasks)
	}
	return tasks
}

// only adds the one task file that a change has at its root, unless it is not there. errOutside: it is a link out of
// the change.
func (c *change) only(name string) error {
	abs, _, err := confined(c.abs, name)
	if errors.Is(err, errOutside) {
		return err
	}
	if !errors.Is(err, fs.ErrNotExist) {
		c.files = []taskFile{{abs, path.Join(c.Dir, relSlash(c.abs, abs))}}
	}
	return nil
}

// leaveOut puts a change aside because its files are not inside it, or are too many to tell.
func (f *finder) leaveOut(c *change, err error) {
	w := Warning{Code: WarnOutside, Path: c.Dir, Name: c.ID, Err: bare(err)}
	c.aside, c.files, c.Status = &w, nil, NoTasks
	f.warn(w)
}
