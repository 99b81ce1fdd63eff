package openspec

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// errUnknownSchema is what naming a workflow schema that is nowhere ends in.
var errUnknownSchema = errors.New("unknown workflow schema")

// schemas finds workflow schemas as the program does (dist/core/artifact-graph/resolver.js): those of the project, then
// the user's, then the one that comes with it.
type schemas struct {
	dirs  []string // openspec/schemas of the project and of the user
	known map[string]resolved
}

type resolved struct {
	workflow workflow
	err      error
}

func newSchemas(project, dataHome string) *schemas {
	s := &schemas{dirs: []string{filepath.Join(project, "openspec", "schemas")}, known: map[string]resolved{}}
	if dataHome != "" {
		s.dirs = append(s.dirs, filepath.Join(dataHome, "openspec", "schemas"))
	}
	return s
}

// custom reports whether there is any schema besides the program's own. If not, every change keeps its tasks in
// tasks.md, whatever its metadata says, and none of it needs to be read.
func (s *schemas) custom() bool {
	for _, dir := range s.dirs {
		if list, _, err := entries(dir); err == nil && len(list) > 0 {
			return true
		}
	}
	return false
}

// listed reports whether the program's list of schemas has this very name; metadata must use one that it has.
func (s *schemas) listed(name string) bool {
	if name == "spec-driven" {
		return true
	}
	if !plainName(name) || transient(name) {
		return false
	}
	for _, dir := range s.dirs {
		if isDir(filepath.Join(dir, name)) && exists(filepath.Join(dir, name, "schema.yaml")) {
			return true
		}
	}
	return false
}

// transient names folders that `openspec schema fork` and `init` use while they work.
func transient(name string) bool {
	return strings.HasPrefix(name, ".fork-staging-") || strings.Contains(name, ".fork-backup-") ||
		strings.HasPrefix(name, ".init-staging-") || strings.Contains(name, ".init-backup-")
}

// plainName reports whether a name is one folder below another, on every system.
func plainName(name string) bool {
	bad := name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\\\x00")
	return !bad && !drivePath().MatchString(name)
}

// workflow reads a schema by name, once.
func (s *schemas) workflow(name string) (workflow, error) {
	r, ok := s.known[name]
	if !ok {
		r.workflow, r.err = s.read(strings.TrimSuffix(strings.TrimSuffix(name, ".yaml"), ".yml"))
		s.known[name] = r
	}
	return r.workflow, r.err
}

func (s *schemas) read(name string) (workflow, error) {
	if !plainName(name) {
		return workflow{}, errUnknownSchema
	}
	for _, dir := range s.dirs {
		home, err := filepath.EvalSymlinks(filepath.Join(dir, name))
		if err != nil {
			continue
		}
		path, _, err := confined(home, "schema.yaml")
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, errOutside) {
			continue
		}
		text, err := readText(path, MaxSettings)
		if err != nil {
			return workflow{}, fmt.Errorf("read schema: %w", bare(err))
		}
		return parseWorkflow(text)
	}
	if name == "spec-driven" {
		return specDriven, nil
	}
	return workflow{}, errUnknownSchema
}
