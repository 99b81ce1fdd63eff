package openspec

import (
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"session/internal/lazy"
)

var specKitID = lazy.Regexp(`^T[0-9]{3,}[a-z]?$`)

// dressSpecKit reads "T012 [P] [US1] text": the id is T012; the labels stay in the text. A label that stands alone is no
// box: the notes at the end of its template have "- [P] tasks = different files, no dependencies".
func dressSpecKit(tasks []Task) []Task {
	tasks = slices.DeleteFunc(tasks, func(t Task) bool {
		return !t.Done && strings.ContainsFunc(t.Mark, unicode.IsLetter)
	})
	for i := range tasks {
		tasks[i].ID = leadingID(tasks[i], specKitID())
	}
	return tasks
}

// openSpecKit: specs/NNN-NAME/tasks.md of the nearest folder with .specify/. The current feature is what
// SPECIFY_FEATURE_DIRECTORY or .specify/feature.json say (scripts/bash/common.sh of github/spec-kit); without either
// the choice is made as everywhere.
func (f *finder) openSpecKit([]*opened) (*opened, error) {
	top := f.upward(func(dir string) bool { return isDir(filepath.Join(dir, ".specify")) })
	if top == "" {
		return nil, nil
	}
	d := &folders{finder: f, dress: dressSpecKit, marks: []string{"tasks.md", "plan.md", "spec.md"}}
	if specs, ok := f.inside(top, "specs"); ok {
		d.homes = f.subfolders(specs)
	}
	d.points, d.pointF = f.feature(top)
	if d.points != "" && !slices.Contains(d.homes, d.points) {
		d.homes = append(d.homes, d.points)
	}
	return &opened{tracker: d, work: Work{Source: SpecKit, Root: f.rel(top), Status: None}}, nil
}

// feature gives the folder that Spec Kit calls current, and what says so. It must lie inside the project.
func (f *finder) feature(top string) (dir, by string) {
	name, by := f.place.FeatureDir, "SPECIFY_FEATURE_DIRECTORY"
	if name == "" {
		file, ok := f.inside(top, ".specify", "feature.json")
		if by = f.rel(file); !ok {
			return "", ""
		}
		if name = f.jsonText(file, "feature_directory"); name == "" {
			return "", ""
		}
	}
	abs := filepath.FromSlash(name)
	if !filepath.IsAbs(abs) {
		abs = filepath.Join(top, abs)
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil || !below(top, real) || !isDir(real) {
		f.warn(Warning{Code: WarnPointer, Path: by, Name: name})
		return "", ""
	}
	return real, by
}
