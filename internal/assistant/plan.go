package assistant

import (
	"bytes"
	"fmt"
	"io/fs"
	"slices"

	"github.com/rogpeppe/go-internal/diff"
)

// Options say what session init, or session init --uninstall, is to be planned for.
type Options struct {
	Root       string // the root of the work tree
	Record     string // the file that remembers what was added; outside of what git sees, like <git dir>/session/init.json
	Backups    string // the folder that keeps a settings file as it was before it was first added to
	Assistants []Name // uninstalling: none means all that the record names
	Windows    bool   // file names without colons
}

// Act is what happens to one file.
type Act string

// The acts. A file that nothing happens to is not listed, or it is Kept.
const (
	Create Act = "create" // it is new
	Update Act = "update" // an earlier version of ours
	Merge  Act = "merge"  // somebody's settings, added to
	Revert Act = "revert" // what was added is taken out, or the old content put back
	Delete Act = "delete" // it was ours
	Move   Act = "move"   // From becomes Path
)

// Change is one file as it is and as it shall be.
type Change struct {
	Act           Act
	Path          string // relative to the plan's root, with slashes
	From          string // of a Move
	Before, After []byte // nil: nothing is there
	Mode          fs.FileMode
}

// Why is the reason for which a file is left as it is.
type Why string

// The reasons.
const (
	Yours    Why = "yours"    // a file of the user's has this name: it is used instead of ours
	Edited   Why = "edited"   // ours, but changed since; a person decides
	Shared   Why = "shared"   // another assistant needs it too
	Current  Why = "current"  // already as it shall be
	Recorded Why = "recorded" // not in the record, so not ours to remove
)

// Kept is a file that stays as it is.
type Kept struct {
	Path string
	Why  Why
}

// Plan is what will be changed. It is made by looking only; Apply does it, all of it or nothing.
type Plan struct {
	Root    string
	Changes []Change
	Kept    []Kept

	folders    []string // to remove once they are empty, innermost first
	record     record   // how it shall be afterwards
	recordPath string   // "": none is kept
	backups    string
	seal       string // for files that have none yet
}

// Empty reports whether there is nothing to do.
func (p Plan) Empty() bool { return len(p.Changes) == 0 && len(p.folders) == 0 }

// Diff is the plan as a unified diff, paths relative to the root. It holds the user's own text: escape before printing.
func (p Plan) Diff() string {
	var b bytes.Buffer
	for _, c := range p.Changes {
		from, to := "a/"+c.Path, "b/"+c.Path
		switch {
		case c.Act == Move:
			fmt.Fprintf(&b, "rename from %s\nrename to %s\n", c.From, c.Path)
			continue
		case c.Before == nil:
			from = "/dev/null"
		case c.After == nil:
			to = "/dev/null"
		}
		b.Write(diff.Diff(from, c.Before, to, c.After))
	}
	return b.String()
}

// planner gathers a plan.
type planner struct {
	o    Options
	tree *tree
	old  record
	plan Plan
}

// PlanInit plans session init: what is added for the assistants, each in its own format. Files of the user's that have
// a name of ours are kept and used; settings are added to and keep order, comments and unknown keys. Errors: *SettingsError
// where a settings file cannot be read (then nothing is planned at all), *RecordError, *UnknownError, the file system's.
func PlanInit(o Options) (Plan, error) {
	p, done, err := newPlanner(o)
	if err != nil {
		return Plan{}, err
	}
	defer done()
	for _, n := range o.Assistants {
		all, err := shipped(n, o.Windows)
		if err != nil {
			return Plan{}, err
		}
		for _, f := range all {
			if err := p.file(n, f); err != nil {
				return Plan{}, err
			}
		}
		for _, m := range merges(n) {
			if err := p.merge(n, m); err != nil {
				return Plan{}, err
			}
		}
	}
	return p.plan, nil
}

func newPlanner(o Options) (*planner, func(), error) {
	old, err := readRecord(o.Record)
	if err != nil {
		return nil, nil, err
	}
	t, err := openTree(o.Root)
	if err != nil {
		return nil, nil, err
	}
	kept := old
	kept.Files = slices.Clone(old.Files)
	return &planner{o: o, tree: t, old: old, plan: Plan{Root: o.Root, record: kept, recordPath: o.Record, backups: o.Backups, seal: sealOf(o.Record)}}, t.close, nil
}

func (p *planner) keep(path string, why Why) { p.plan.Kept = append(p.plan.Kept, Kept{path, why}) }

// file plans a file that is ours as a whole.
func (p *planner) file(n Name, f file) error {
	mine, known := p.plan.record.find(f.path)
	is, err := p.tree.read(f.path)
	if err != nil {
		return err
	}
	f = f.sealed(is, p.plan.seal)
	claim := entry{Path: f.path, By: with(mine.By, n), After: sum(f.data)}
	switch {
	case p.planned(f.path): // two assistants share it
		p.plan.record.put(claim)
	case is == nil:
		p.change(Change{Act: Create, Path: f.path, After: f.data, Mode: 0o644})
		p.plan.record.put(claim)
	case bytes.Equal(is.data, f.data):
		p.keep(f.path, Current)
		if known {
			p.plan.record.put(claim)
		}
	case known && sum(is.data) == mine.After, released(f.path, is.data):
		p.change(Change{Act: Update, Path: f.path, Before: is.data, After: f.data, Mode: is.mode})
		p.plan.record.put(claim)
	case known:
		p.keep(f.path, Edited)
		mine.Left = false
		p.plan.record.put(mine)
	default:
		p.keep(f.path, Yours)
	}
	return nil
}

func (p *planner) planned(path string) bool {
	return slices.ContainsFunc(p.plan.Changes, func(c Change) bool { return c.Path == path })
}

func (p *planner) change(c Change) { p.plan.Changes = append(p.plan.Changes, c) }

// merge plans what is added to a settings file that others use too.
func (p *planner) merge(n Name, m merged) error {
	is, err := p.tree.read(m.path)
	if err != nil {
		return err
	}
	mine, known := p.old.find(m.path)
	base, err := p.base(is, mine, known, m)
	if err != nil {
		return &SettingsError{m.path, err.Error()}
	}
	next, e, err := mergeInto(base, m)
	if err != nil {
		return &SettingsError{m.path, err.Error()}
	}
	e.By, e.Was, e.Before = with(mine.By, n), base != nil, base
	switch {
	case is == nil:
		p.change(Change{Act: Create, Path: m.path, After: next, Mode: 0o644})
	case bytes.Equal(next, is.data):
		p.keep(m.path, Current)
		return nil
	default:
		p.change(Change{Act: Merge, Path: m.path, Before: is.data, After: next, Mode: is.mode})
	}
	p.plan.record.put(e)
	return nil
}

// base is a settings file as if init had never run, so that what it adds never piles up; nil where there was none.
func (p *planner) base(is *content, mine entry, known bool, m merged) ([]byte, error) {
	switch {
	case is == nil:
		return nil, nil
	case known && sum(is.data) == mine.After && mine.Was:
		return nonNil(mine.Before), nil
	case known && sum(is.data) == mine.After:
		return nil, nil
	}
	if next, _, err := mergeInto(is.data, m); !known || err != nil || bytes.Equal(next, is.data) {
		return nonNil(is.data), err // all that is wanted is there, wherever a person has put it
	}
	s, err := stripped(is.data, mine)
	if err != nil || !mine.Was && empty(s.doc) {
		return nil, err
	}
	return s.bytes(), nil
}

// stripped is a settings file without what an earlier init added.
func stripped(data []byte, mine entry) (*settings, error) {
	s, err := parseSettings(data)
	if err != nil {
		return nil, err
	}
	for _, piece := range mine.Pieces {
		s.remove(piece)
	}
	for i := len(mine.Made) - 1; i >= 0; i-- {
		s.prune(mine.Made[i])
	}
	return s, nil
}

// mergeInto adds the pieces to a settings file and says what it added.
func mergeInto(base []byte, m merged) ([]byte, entry, error) {
	e := entry{Path: m.path}
	s, err := parseSettings(base)
	if err != nil {
		return nil, e, err
	}
	s.dropStale(m.pieces)
	for _, piece := range m.pieces {
		added, made, err := s.add(piece)
		if err != nil {
			return nil, e, err
		}
		e.Made = append(e.Made, made...)
		if added {
			e.Pieces = append(e.Pieces, piece)
		}
	}
	out := s.bytes()
	e.After = sum(out)
	return out, e, nil
}

// PlanUninstall plans to take away exactly what the record says that init added. Files that somebody edited since stay,
// and are named; settings lose what was added and nothing else. Errors: as PlanInit's.
func PlanUninstall(o Options) (Plan, error) {
	p, done, err := newPlanner(o)
	if err != nil {
		return Plan{}, err
	}
	defer done()
	gone := o.Assistants
	if len(gone) == 0 {
		gone = Names()
	}
	for _, e := range p.old.Files {
		rest := without(e.By, gone)
		switch {
		case len(rest) == len(e.By):
			continue
		case len(rest) > 0:
			e.By = rest
			p.plan.record.put(e)
			p.keep(e.Path, Shared)
		default:
			if err := p.takeBack(e); err != nil {
				return Plan{}, err
			}
		}
	}
	if err := p.notRecorded(gone); err != nil {
		return Plan{}, err
	}
	p.emptyFolders()
	return p.plan, nil
}

// takeBack plans the end of one recorded file.
func (p *planner) takeBack(e entry) error {
	is, err := p.tree.read(e.Path)
	if err != nil {
		return err
	}
	p.plan.record.drop(e.Path)
	switch {
	case is == nil: // somebody else has removed it
	case sum(is.data) == e.After && e.Was:
		p.change(Change{Act: Revert, Path: e.Path, Before: is.data, After: nonNil(e.Before), Mode: is.mode})
	case sum(is.data) == e.After:
		p.change(Change{Act: Delete, Path: e.Path, Before: is.data, Mode: is.mode})
	case e.Pieces == nil:
		p.keep(e.Path, Edited)
		e.Left = true
		p.plan.record.put(e)
	default:
		return p.takeOut(e, is)
	}
	return nil
}

// takeOut plans to remove what was added from a settings file that was edited since.
func (p *planner) takeOut(e entry, is *content) error {
	s, err := stripped(is.data, e)
	if err != nil {
		return &SettingsError{e.Path, err.Error()}
	}
	next := s.bytes()
	switch {
	case !e.Was && empty(s.doc):
		p.change(Change{Act: Delete, Path: e.Path, Before: is.data, Mode: is.mode})
	case !bytes.Equal(next, is.data):
		p.change(Change{Act: Revert, Path: e.Path, Before: is.data, After: next, Mode: is.mode})
	}
	return nil
}

// notRecorded names files that look like ours but were not written by this work tree's init: they came with the
// repository, and are its own.
func (p *planner) notRecorded(gone []Name) error {
	for _, n := range gone {
		all, err := shipped(n, p.o.Windows)
		if err != nil {
			return err
		}
		for _, f := range all {
			_, known := p.old.find(f.path)
			is, err := p.tree.read(f.path)
			if err != nil || known || is == nil || !bytes.Equal(is.data, f.sealed(is, "").data) {
				continue
			}
			if !slices.Contains(p.plan.Kept, Kept{f.path, Recorded}) {
				p.keep(f.path, Recorded)
			}
		}
	}
	return nil
}

// emptyFolders plans to remove the folders that init made, as far as nothing is in them.
func (p *planner) emptyFolders() {
	var rest []string
	for i := len(p.old.Folders) - 1; i >= 0; i-- {
		dir := p.old.Folders[i]
		if slices.ContainsFunc(p.plan.record.Files, func(e entry) bool { return within(e.Path, dir) }) {
			rest = append(rest, dir)
			continue
		}
		p.plan.folders = append(p.plan.folders, dir)
	}
	slices.Reverse(rest)
	p.plan.record.Folders = rest
}

func within(path, dir string) bool { return len(path) > len(dir) && path[:len(dir)+1] == dir+"/" }

// nonNil tells an empty file from none.
func nonNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}
