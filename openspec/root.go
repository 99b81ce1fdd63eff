package openspec

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// finder carries one look: where it starts, what paths are relative to, and what was noticed on the way.
type finder struct {
	place    Place
	dir, top string // real paths; top is dir outside git
	inTree   bool   // Place.Top was given, so Hints know the files below it
	hints    Hints
	warnings []Warning
	warned   map[warningKey]bool
}

type warningKey struct {
	code       WarningCode
	path, name string
}

func newFinder(p Place, h Hints) (*finder, error) {
	if p.Dir == "" {
		p.Dir = p.Top
	}
	if !filepath.IsAbs(p.Dir) || p.Top != "" && !filepath.IsAbs(p.Top) {
		return nil, fmt.Errorf("find tasks: a place must be absolute, not %q in %q", p.Dir, p.Top)
	}
	dir, err := filepath.EvalSymlinks(p.Dir)
	if err != nil {
		return nil, fmt.Errorf("find tasks: %w", err)
	}
	if !isDir(dir) {
		dir = filepath.Dir(dir)
	}
	f := &finder{place: p, dir: dir, top: dir, hints: h, warned: map[warningKey]bool{}}
	if p.Top != "" {
		if f.top, err = filepath.EvalSymlinks(p.Top); err != nil {
			return nil, fmt.Errorf("find tasks: %w", err)
		}
		f.inTree = true
	}
	return f, nil
}

// warn notes a warning once, however often a file is looked at.
func (f *finder) warn(w Warning) {
	key := warningKey{w.Code, w.Path, w.Name}
	if !f.warned[key] {
		f.warned[key] = true
		f.warnings = append(f.warnings, w)
	}
}

// rel gives a path as the answer writes it.
func (f *finder) rel(abs string) string { return relSlash(f.top, abs) }

// root is an OpenSpec project.
type root struct {
	dir  string // real path of the folder that holds openspec/
	kind RootKind
}

// declared is what an openspec folder says about itself.
type declared struct {
	planning bool   // it has specs/ or changes/ of its own
	config   string // path of its config file, "" without one
	store    string // store that the config names
	err      error  // the config names one in a way that cannot be read
}

// declaration classifies dir/openspec (dist/core/project-config.js, classifyOpenSpecDir).
func declaration(dir string) declared {
	home := filepath.Join(dir, "openspec")
	d := declared{config: configFile(home)}
	d.planning = planningFolder(filepath.Join(home, "specs")) || planningFolder(filepath.Join(home, "changes"))
	if d.config == "" {
		return d
	}
	text, err := readText(d.config, MaxSettings)
	if err != nil {
		d.err = bare(err)
		return d
	}
	doc, err := parseYAML(text)
	if err != nil {
		d.err = err
		return d
	}
	store := doc.get("store")
	if store.kind() == kindMissing {
		return d
	}
	var ok bool
	if d.store, ok = store.text(); !ok || d.store == "" {
		d.err = errors.New("store must be one name")
	}
	return d
}

func configFile(home string) string {
	for _, name := range []string{"config.yaml", "config.yml"} {
		if p := filepath.Join(home, name); exists(p) {
			return p
		}
	}
	return ""
}

// planningFolder: a folder with a store's own metadata is a store that happens to be called specs or changes.
func planningFolder(dir string) bool {
	return isDir(dir) && !exists(filepath.Join(dir, ".openspec-store", "store.yaml"))
}

// openSpecRoot finds the project at or above the place, then an implicit one. nil without an error: there is none.
func (f *finder) openSpecRoot() (*root, error) {
	for dir := f.dir; ; dir = filepath.Dir(dir) {
		if isDir(filepath.Join(dir, "openspec")) {
			d := declaration(dir)
			if d.planning || d.config != "" {
				return f.accept(dir, d)
			}
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	if name, file := defaultStore(f.place.ConfigHome); name != "" {
		f.warn(Warning{Code: WarnDefaultStore, Path: f.rel(file), Name: name})
		return nil, nil
	}
	if exists(filepath.Join(f.dir, "openspec", "project.md")) {
		return &root{f.dir, RootImplicit}, nil
	}
	return nil, nil
}

// accept turns the nearest declaration into a root, or into the error that it sends elsewhere.
func (f *finder) accept(dir string, d declared) (*root, error) {
	if d.planning {
		if d.store != "" {
			f.warn(Warning{Code: WarnStoreIgnored, Path: f.rel(d.config), Name: d.store})
		}
		return &root{dir, RootNearest}, nil
	}
	switch {
	case d.err != nil:
		return nil, &RootError{Problem: RootPointer, File: f.rel(d.config), Err: d.err}
	case d.store != "":
		return nil, &RootError{Problem: RootStore, Store: d.store, File: f.rel(d.config)}
	}
	return &root{dir, RootNearest}, nil
}

// defaultStore reads the machine-wide store that the program falls back to, and the file that names it.
func defaultStore(configHome string) (name, file string) {
	if configHome == "" {
		return "", ""
	}
	file = filepath.Join(configHome, "openspec", "config.json")
	text, err := readText(file, MaxSettings)
	if err != nil {
		return "", "" // the program reads a missing or broken file as its defaults
	}
	var config struct {
		DefaultStore any `json:"defaultStore"`
	}
	if json.Unmarshal([]byte(text), &config) != nil {
		return "", ""
	}
	name, _ = config.DefaultStore.(string)
	return name, file
}

// Limits of the look below the top. They keep it under a few milliseconds in a repository that uses no OpenSpec at all.
const (
	nestedDepth   = 2 // apps/web/openspec
	nestedFolders = 1000
)

// nestedRoot looks below the top for exactly one project.
func (f *finder) nestedRoot() *root {
	found := f.nestedRoots(nestedFolders)
	if len(found) > 1 {
		w := Warning{Code: WarnNestedMany}
		for _, dir := range found {
			w.Names = append(w.Names, f.rel(dir))
		}
		slices.Sort(w.Names)
		f.warn(w)
	}
	if len(found) != 1 {
		return nil
	}
	f.warn(Warning{Code: WarnNested, Path: f.rel(found[0])})
	return &root{found[0], RootNested}
}

// unsearched are folders of what others wrote, and the one that makes a project.
var unsearched = []string{"node_modules", "vendor", "openspec"}

func (f *finder) nestedRoots(left int) (found []string) {
	level, leaf := []string{f.top}, leavesOn(f.top)
	for depth := 0; ; depth++ {
		var next []string
		for _, dir := range level {
			maybe := true
			if depth < nestedDepth && len(next) < left && !leaf.is(dir) {
				var all []string
				all, maybe = searchable(dir)
				next = append(next, all...)
			}
			if maybe && depth > 0 && isDir(filepath.Join(dir, "openspec")) && declaration(dir).planning {
				found = append(found, dir)
			}
		}
		if depth == nestedDepth {
			return found
		}
		level = next[:min(len(next), left)]
		left -= len(level)
	}
}

// searchable lists the folders in which a nested project may be: no hidden, linked or vendored ones. maybe says that
// dir itself may have an openspec folder: not, if no name in it is like that in any case.
func searchable(dir string) (all []string, maybe bool) {
	list, whole, err := entries(dir)
	if err != nil {
		return nil, true // what cannot be listed has no project below, for us
	}
	maybe = !whole
	for _, e := range list {
		name := e.Name()
		maybe = maybe || strings.EqualFold(name, "openspec")
		if e.IsDir() && !hidden(name) && !slices.Contains(unsearched, name) {
			all = append(all, filepath.Join(dir, name))
		}
	}
	return all, maybe
}

// inside gives the real path of a file of a project; ok is false if it is not there. A link out of the project is
// named and not followed.
func (f *finder) inside(top string, name ...string) (path string, ok bool) {
	path, _, err := confined(top, filepath.Join(name...))
	if errors.Is(err, errOutside) {
		f.warn(Warning{Code: WarnOutside, Path: f.rel(filepath.Join(top, filepath.Join(name...))), Err: errOutside})
	}
	return path, err == nil
}

// upward gives the nearest folder at or above the place that passes, not going above the work tree.
func (f *finder) upward(has func(dir string) bool) string {
	for dir := f.dir; ; dir = filepath.Dir(dir) {
		if has(dir) {
			return dir
		}
		if dir == f.top && f.inTree || dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// ownFile reports whether a path of the answer is inside the work tree, so that git can know it.
func (f *finder) ownFile(rel string) bool {
	return f.inTree && rel != ".." && !strings.HasPrefix(rel, "../") && !path.IsAbs(rel) && !filepath.IsAbs(rel)
}
