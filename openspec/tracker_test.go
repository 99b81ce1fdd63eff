package openspec

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The contract of tracker, held against every source. A project is opened, then attacked between counting and reading.

type trackerCase struct {
	source Source
	files  string // three changes (one where a source has but one list), the first with open tasks
	file   string // where the tasks of the first are
	first  string // its ID
	open   func(*finder) (*opened, error)
}

func trackerCases() []trackerCase {
	return []trackerCase{
		{OpenSpec,
			"-- openspec/changes/a/tasks.md --\n- [x] 1\n- [ ] 2\n-- openspec/changes/b/tasks.md --\n- [x] 1\n-- openspec/changes/c/proposal.md --\n",
			"openspec/changes/a/tasks.md", "a", func(f *finder) (*opened, error) { return f.openNearest(nil) }},
		{SpecKit,
			"-- .specify/x --\n-- specs/a/tasks.md --\n- [x] T001 1\n- [ ] T002 2\n-- specs/b/tasks.md --\n- [x] T001 1\n-- specs/c/spec.md --\n",
			"specs/a/tasks.md", "a", func(f *finder) (*opened, error) { return f.openSpecKit(nil) }},
		{Kiro,
			"-- .kiro/specs/a/tasks.md --\n- [x] 1. x\n- [-] 2. y\n-- .kiro/specs/b/tasks.md --\n- [x] 1. x\n-- .kiro/specs/c/design.md --\n",
			".kiro/specs/a/tasks.md", "a", func(f *finder) (*opened, error) { return f.openKiro(nil) }},
		{TaskMaster, `-- .taskmaster/tasks/tasks.json --
{"a":{"tasks":[{"id":1,"title":"x","status":"done"},{"id":2,"title":"y","subtasks":[{"id":1,"title":"z"}]}]},"b":{"tasks":[{"id":1,"title":"x","status":"done"}]},"c":{"tasks":[]}}
`, ".taskmaster/tasks/tasks.json", "a", func(f *finder) (*opened, error) { return f.openTaskMaster(nil) }},
		{Beads,
			"-- .beads/issues.jsonl --\n{\"id\":\"1\",\"title\":\"x\",\"status\":\"closed\"}\n{\"id\":\"2\",\"title\":\"y\",\"status\":\"open\"}\n",
			".beads/issues.jsonl", beadsList, func(f *finder) (*opened, error) { return f.openBeads(nil) }},
	}
}

func openCase(t *testing.T, c trackerCase) (string, *finder, *opened) {
	t.Helper()
	dir := tree(t, c.files)
	f, err := newFinder(Place{Dir: dir, Top: dir}, Hints{})
	must(t, err)
	o, err := c.open(f)
	must(t, err)
	if o == nil {
		t.Fatal("the project was not found")
	}
	return dir, f, o
}

func TestTrackerContract(t *testing.T) {
	for _, c := range trackerCases() {
		t.Run(string(c.source), func(t *testing.T) {
			_, f, o := openCase(t, c)
			if o.work.Source != c.source || o.work.Status != None || o.work.Root != "." {
				t.Errorf("the answer starts as %+v", o.work)
			}
			all, err := o.changes(t.Context())
			must(t, err)
			again, err := o.changes(t.Context())
			must(t, err)
			if len(all) != len(again) || !slices.IsSortedFunc(all, func(a, b *change) int {
				return strings.Compare(a.ID,
					b.ID)
			}) {
				t.Errorf("%d changes, then %d, sorted", len(all), len(again))
			}
			for i, ch := range all {
				tasks, err := o.tasks(t.Context(), ch)
				must(t, err)
				done, total := tally(tasks)
				if ch.Completed != done || ch.Total != total || ch.Status != statusOf(done, total) ||
					again[i].Candidate != ch.Candidate {
					t.Errorf("%s: counted %d/%d %s, read %d/%d, counted again %+v", ch.ID, ch.Completed, ch.Total,
						ch.Status, done, total, again[i].Candidate)
				}
				next, why := o.resume(t.Context(), ch, tasks)
				if (next >= 0) != (why != Resume{}) || next >= 0 && !tasks[next].offered() || next >= len(tasks) {
					t.Errorf("%s: next is %d %+v of %d", ch.ID, next, why, len(tasks))
				}
				if open := slices.ContainsFunc(tasks, Task.offered); open != (next >= 0) {
					t.Errorf("%s: open tasks %v, but next is %d", ch.ID, open, next)
				}
				for _, file := range ch.files {
					if !strings.HasSuffix(filepath.ToSlash(file.abs), file.rel) {
						t.Errorf("%s is called %s", file.abs, file.rel)
					}
				}
			}
			if c, file := o.current(all); c != nil && (!slices.Contains(all, c) || file == "") {
				t.Errorf("current is %+v because of %q", c, file)
			}
			if c, _ := o.current(nil); c != nil {
				t.Errorf("current is %q of none", c.ID)
			}
			for _, id := range []string{"", "..", "nowhere", c.first, "*"} {
				if a := o.archived(id); a != nil {
					t.Errorf("%q is archived in %+v", id, a)
				}
			}
			for _, w := range f.warnings {
				if w.Code != WarnExport {
					t.Errorf("warning %v", w)
				}
			}
		})
	}
}

// TestTrackerAttacked: between counting and reading, the file of tasks goes, changes, or becomes something else.
func TestTrackerAttacked(t *testing.T) {
	attacks := map[string]func(t *testing.T, path string){
		"removed": func(t *testing.T, path string) { must(t, os.Remove(path)) },
		"emptied": func(t *testing.T, path string) { must(t, os.WriteFile(path, nil, 0o644)) },
		"a folder": func(t *testing.T, path string) {
			must(t, os.Remove(path))
			must(t, os.Mkdir(path,
				0o755))
		},
		"a FIFO": func(t *testing.T, path string) { must(t, os.Remove(path)); fifo(t, path) },
		"enormous": func(t *testing.T, path string) {
			must(t, os.Remove(path))
			sparse(t, path,
				MaxFile+1)
		},
		"dangling": func(t *testing.T, path string) {
			must(t, os.Remove(path))
			must(t,
				os.Symlink("nowhere", path))
		},
		"the folder above is gone": func(t *testing.T, path string) { must(t, os.RemoveAll(filepath.Dir(path))) },
		"rewritten": func(t *testing.T, path string) {
			must(t, os.WriteFile(path, []byte("- [x] other\n- [ ] list\n- [ ] now\n"), 0o644))
		},
	}
	for _, c := range trackerCases() {
		for name, attack := range attacks {
			t.Run(string(c.source)+"/"+name, func(t *testing.T) {
				dir, f, o := openCase(t, c)
				all, err := o.changes(t.Context())
				must(t, err)
				i := slices.IndexFunc(all, func(ch *change) bool { return ch.ID == c.first })
				attack(t, filepath.Join(dir, c.file))
				w, err := f.answer(t.Context(), o, all[i], Why{Reason: ReasonNamed})
				must(t, err)
				w.Warnings = f.warnings
				checkWork(t, w)
				attackedAgain, err := Find(context.Background(), Place{Dir: dir, Top: dir}, Hints{})
				must(t, err)
				checkWork(t, attackedAgain)
			})
		}
	}
}

// FuzzTrackers: the file of tasks holds anything at all.
func FuzzTrackers(f *testing.F) {
	f.Add("- [x] a\n- [ ] b\n")
	f.Add(tmTasks)
	f.Add(beadsIssues)
	f.Add("\x00\xFF{[\"")
	f.Fuzz(func(t *testing.T, text string) {
		for _, c := range trackerCases() {
			dir := tree(t, c.files)
			must(t, os.WriteFile(filepath.Join(dir, c.file), []byte(text), 0o644))
			w, err := Find(context.Background(), Place{Dir: dir, Top: dir}, Hints{})
			must(t, err)
			checkWork(t, w)
		}
	})
}

// TestUnreadableFolder: a list of changes that cannot be read is an error, never an empty list.
func TestUnreadableFolder(t *testing.T) {
	dir := tree(t, "-- openspec/changes/x/tasks.md --\n- [ ] a\n")
	changes := filepath.Join(dir, "openspec/changes")
	must(t, os.Chmod(changes, 0))
	defer os.Chmod(changes, 0o755)
	if _, err := os.ReadDir(changes); err == nil {
		t.Skip("this user may read everything")
	}
	if w, err := Find(context.Background(), Place{Dir: dir, Top: dir}, Hints{}); !errors.Is(err, os.ErrPermission) {
		t.Errorf("%+v, %v", w, err)
	}
}

func TestUnreadableList(t *testing.T) {
	dir := tree(t, "-- openspec/changes/x/tasks.md --\n- [ ] a\n")
	list := filepath.Join(dir, "openspec/changes/x/tasks.md")
	must(t, os.Chmod(list, 0))
	if _, err := os.ReadFile(list); err == nil {
		t.Skip("this user may read everything")
	}
	w := look(t, dir, Hints{})
	if w.Status != NoTasks || !slices.Equal(codes(w), []WarningCode{WarnUnreadable}) || !errors.Is(w.Warnings[0].Err,
		os.ErrPermission) {
		t.Errorf("%s, %v", w.Status, w.Warnings)
	}
}

// TestFileInCapitals: on a system that tells capitals from small letters, TASKS.md is no list, as for the program.
func TestFileInCapitals(t *testing.T) {
	dir := tree(t, "-- openspec/changes/x/TASKS.md --\n- [ ] a\n")
	if isFile(filepath.Join(dir, "openspec/changes/x/tasks.md")) {
		t.Skip("capitals are small letters here")
	}
	if w := look(t, dir, Hints{}); w.Total != 0 || len(w.Warnings) != 0 {
		t.Errorf("%d, %v", w.Total, w.Warnings)
	}
}
