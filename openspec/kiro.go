package openspec

import (
	"path/filepath"
	"strings"

	"session/internal/lazy"
)

var kiroID = lazy.Regexp(`^[0-9]+(?:\.[0-9]+)*\.?$`)

// dressKiro reads "2.1 text", the star of an optional task ("- [ ]* 2.2 text") and the mark of one in progress ("[-]").
func dressKiro(tasks []Task) []Task {
	for i := range tasks {
		t := &tasks[i]
		if rest, ok := strings.CutPrefix(t.Description, "*"); ok {
			t.Description, t.Optional = strings.TrimLeft(rest, " \t"), true
		}
		if t.Mark == "-" {
			t.State = stateActive
		}
		t.ID = leadingID(*t, kiroID())
	}
	return tasks
}

// openKiro: .kiro/specs/NAME/tasks.md.
func (f *finder) openKiro([]*opened) (*opened, error) {
	top := f.upward(func(dir string) bool { return isDir(filepath.Join(dir, ".kiro", "specs")) })
	if top == "" {
		return nil, nil
	}
	specs, ok := f.inside(top, ".kiro", "specs")
	if !ok {
		return nil, nil
	}
	marks := []string{"tasks.md", "design.md", "requirements.md"}
	d := &folders{finder: f, homes: f.subfolders(specs), dress: dressKiro, marks: marks}
	return &opened{tracker: d, work: Work{Source: Kiro, Root: f.rel(top), Status: None}}, nil
}
