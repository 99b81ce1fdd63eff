package openspec

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// Find says what is being worked on at a place: the project, its active changes, the one that was named or is most
// likely meant, its tasks, and the task to go on with.
//
// That nothing is found is an answer, not an error: Status is [None], or [NotFound] or [Archived] for a change that was
// named. Sources are asked in the order of their constants, and the first with an active change answers; a named change
// is looked for in all of them. A *[RootError] says that the project keeps its changes elsewhere; other errors say that
// a folder could not be read, or that ctx ended. Even then the Work holds the warnings so far.
//
// Nothing is written, no program is started. A look at 204 changes takes a few milliseconds.
func Find(ctx context.Context, p Place, h Hints) (Work, error) {
	f, err := newFinder(p, h)
	if err != nil {
		return Work{Status: None}, err
	}
	w, err := f.find(ctx)
	w.Warnings = f.warnings
	return w, err
}

// opened is a project together with what the answer says of it.
type opened struct {
	tracker
	work   Work
	active []*change
}

func (f *finder) find(ctx context.Context) (Work, error) {
	var present []*opened
	for _, open := range []func([]*opened) (*opened, error){
		f.openNearest, f.openSpecKit, f.openKiro, f.openTaskMaster, f.openBeads, f.openNested,
	} {
		o, err := open(present)
		if err != nil {
			return Work{Status: None}, err
		}
		if o == nil {
			continue
		}
		all, err := o.changes(ctx)
		if err != nil {
			return o.work, err
		}
		o.active = filter(all, func(c *change) bool { return c.aside == nil })
		present = append(present, o)
		if f.hints.Change == "" && len(o.active) > 0 {
			c, why := f.choose(ctx, o, o.active)
			return f.answer(ctx, o, c, why)
		}
		if c := f.named(all); c != nil {
			return f.answer(ctx, o, c, Why{Reason: ReasonNamed})
		}
	}
	return f.absent(present), nil
}

// named finds the change that somebody named. One that is not chosen by itself can be named all the same.
func (f *finder) named(all []*change) *change {
	id := f.hints.Change
	i := slices.IndexFunc(all, func(c *change) bool { return c.ID == id })
	for _, name := range []string{id, strings.TrimSpace(id)} {
		if i < 0 {
			i = slices.IndexFunc(all, func(c *change) bool { return sameName(c.ID, name) })
		}
	}
	if id == "" || i < 0 {
		return nil
	}
	if w := all[i].aside; w != nil {
		f.warn(*w)
	}
	return all[i]
}

// absent answers where no change can be shown: which project is there, and whether the named change was archived.
func (f *finder) absent(present []*opened) Work {
	if len(present) == 0 {
		return Work{Status: f.missing(), Change: f.hints.Change}
	}
	for _, o := range present {
		if a := f.archivedIn(o); a != nil {
			w := o.work
			w.Status, w.Change, w.Archive, w.Dir = Archived, f.hints.Change, a, a.Dir
			w.Candidates = ranked(o.active, nil)
			return w
		}
	}
	o := present[0]
	if i := slices.IndexFunc(present, func(o *opened) bool { return len(o.active) > 0 }); i >= 0 {
		o = present[i]
	}
	w := o.work
	w.Status, w.Change, w.Candidates = f.missing(), f.hints.Change, ranked(o.active, nil)
	return w
}

func (f *finder) missing() Status {
	if f.hints.Change != "" {
		return NotFound
	}
	return None
}

func (f *finder) archivedIn(o *opened) *Archive {
	if f.hints.Change == "" {
		return nil
	}
	return o.archived(f.hints.Change)
}

// answer reads the chosen change.
func (f *finder) answer(ctx context.Context, o *opened, c *change, why Why) (Work, error) {
	w := o.work
	tasks, err := o.tasks(ctx, c)
	if err != nil {
		return w, err
	}
	c.Completed, c.Total = tally(tasks)
	c.Status = statusOf(c.Completed, c.Total)
	w.Change, w.Dir, w.Why, w.Tasks = c.ID, c.Dir, why, tasks
	w.Completed, w.Total, w.Status = c.Completed, c.Total, c.Status
	for _, file := range c.files {
		w.Files = append(w.Files, file.rel)
	}
	w.Candidates = ranked(o.active, c)
	if next, resume := o.resume(ctx, c, tasks); next >= 0 {
		w.Next, w.Resume = &w.Tasks[next], resume
	}
	return w, nil
}

func tally(tasks []Task) (completed, total int) {
	for _, t := range tasks {
		if !t.Uncounted {
			total++
			if t.Done {
				completed++
			}
		}
	}
	return completed, total
}

// ranked lists candidates, the chosen one first, then by how much there is to do, then by name.
func ranked(all []*change, chosen *change) []Candidate {
	rank := map[Status]int{InProgress: 1, NoTasks: 2, Complete: 3}
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b *change) int {
		if a == chosen || b == chosen {
			return map[bool]int{true: -1, false: 1}[a == chosen]
		}
		return cmp.Or(cmp.Compare(rank[a.Status], rank[b.Status]), cmp.Compare(a.ID, b.ID))
	})
	list := make([]Candidate, len(all))
	for i, c := range all {
		list[i] = c.Candidate
	}
	return list
}

func (f *finder) openNearest([]*opened) (*opened, error) {
	r, err := f.openSpecRoot()
	if err != nil || r == nil {
		return nil, err
	}
	return f.openProject(*r), nil
}

// openNested looks below the top only if nothing at or above the place is an OpenSpec project.
func (f *finder) openNested(present []*opened) (*opened, error) {
	above := slices.ContainsFunc(present, func(o *opened) bool { return o.work.Source == OpenSpec })
	if above || f.place.Shallow || !f.inTree {
		return nil, nil
	}
	if r := f.nestedRoot(); r != nil {
		return f.openProject(*r), nil
	}
	return nil, nil
}

func (f *finder) openProject(r root) *opened {
	w := Work{Source: OpenSpec, Root: f.rel(r.dir), RootKind: r.kind, Status: None}
	return &opened{tracker: f.openSpec(r), work: w}
}
