package openspec

import (
	"context"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// folders is a source that keeps one folder a change with a tasks.md in it: Spec Kit and Kiro.
type folders struct {
	*finder
	homes  []string // real paths of the changes' folders
	marks  []string // a folder is a change only if it has one of these files
	dress  dress    // how the source writes its boxes
	points string   // real path of the folder that the source calls current
	pointF string   // what says so
}

func (d *folders) changes(ctx context.Context) ([]*change, error) {
	var all []*change
	for _, home := range d.homes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c := &change{abs: home, boxes: true, dress: d.dress}
		c.ID, c.Dir = filepath.Base(home), d.rel(home)
		if !slices.ContainsFunc(d.marks, func(name string) bool { return isFile(filepath.Join(home, name)) }) {
			continue
		}
		if err := c.only("tasks.md"); err != nil {
			d.leaveOut(c, err)
		} else {
			d.count(c)
		}
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b *change) int { return strings.Compare(a.ID, b.ID) })
	return all, nil
}

func (d *folders) tasks(_ context.Context, c *change) ([]Task, error) { return d.parse(c), nil }

// resume goes on with what the source marks as being worked on, else after the last tick.
func (d *folders) resume(ctx context.Context, c *change, tasks []Task) (int, Resume) {
	active := slices.IndexFunc(tasks, func(t Task) bool { return t.State == stateActive && t.offered() })
	if active >= 0 {
		return leaf(tasks, active), Resume{Reason: ResumeActive}
	}
	return d.afterTicks(ctx, c, tasks)
}

func (d *folders) current(all []*change) (*change, string) {
	i := slices.IndexFunc(all, func(c *change) bool { return c.abs == d.points })
	if d.points == "" || i < 0 {
		return nil, ""
	}
	return all[i], d.pointF
}

func (d *folders) archived(string) *Archive { return nil }

// subfolders lists the folders directly below a real path, links and hidden ones left out.
func (f *finder) subfolders(dir string) (all []string) {
	list, whole, err := entries(dir)
	if err != nil {
		return nil // not there
	}
	if !whole {
		f.warn(Warning{Code: WarnTooMany, Path: f.rel(dir), Limit: MaxEntries})
	}
	for _, e := range list {
		if e.IsDir() && !hidden(e.Name()) {
			all = append(all, filepath.Join(dir, e.Name()))
		}
	}
	return all
}

// stateActive is the one word that several sources have for being worked on.
const stateActive = "in-progress"

// leadingID gives the first word of a task's text if it is an id of that form.
func leadingID(t Task, form *regexp.Regexp) string {
	word, _, _ := strings.Cut(t.Description, " ")
	if !form.MatchString(word) {
		return ""
	}
	return strings.TrimSuffix(word, ".")
}
