package openspec

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"session/internal/lazy"
)

// maxArtifacts is the program's own limit on one schema.
const maxArtifacts = 1000

var drivePath = lazy.Regexp(`^[A-Za-z]:`)

// workflow is a schema as far as tasks are concerned.
type workflow struct {
	outputs []string // what each artifact generates: a path or pattern relative to the change
	tracked string   // the output that holds the tasks; "" if none does
}

// specDriven is the schema that comes with the program.
var specDriven = workflow{[]string{"proposal.md", "specs/**/*.md", "design.md", "tasks.md"}, "tasks.md"}

type artifact struct {
	id, generates string
	requires      []string
}

// parseWorkflow reads a schema.yaml. What the program refuses (dist/core/artifact-graph/{types,schema}.js) is an error.
func parseWorkflow(text string) (workflow, error) {
	doc, err := parseYAML(text)
	if err != nil {
		return workflow{}, err
	}
	if doc.kind() != kindMap {
		return workflow{}, errors.New("not a mapping")
	}
	if err := schemaHead(doc); err != nil {
		return workflow{}, err
	}
	list := doc.get("artifacts")
	if n := len(list.items()); n == 0 || n > maxArtifacts {
		return workflow{}, fmt.Errorf("artifacts: must be 1 to %d", maxArtifacts)
	}
	var all []artifact
	for i, v := range list.items() {
		a, err := parseArtifact(v)
		if err != nil {
			return workflow{}, fmt.Errorf("artifacts.%d: %w", i, err)
		}
		all = append(all, a)
	}
	if err := checkRequires(all); err != nil {
		return workflow{}, err
	}
	return tracking(doc.get("apply"), all)
}

func schemaHead(doc value) error {
	if name, ok := doc.get("name").text(); !ok || name == "" {
		return errors.New("name: must be text")
	}
	const maxSafe = 1<<53 - 1
	if n, ok := doc.get("version").number(); !ok || n != float64(int64(n)) || n < 1 || n > maxSafe {
		return errors.New("version: must be a positive integer")
	}
	return anyText(doc, "description", false)
}

// anyText checks a text that may be empty.
func anyText(v value, key string, required bool) error {
	k := v.get(key).kind()
	if k == kindString || k == kindMissing && !required {
		return nil
	}
	return fmt.Errorf("%s: must be text", key)
}

func parseArtifact(v value) (a artifact, err error) {
	if v.kind() != kindMap {
		return a, errors.New("not a mapping")
	}
	var ok bool
	if a.id, ok = v.get("id").text(); !ok || a.id == "" {
		return a, errors.New("id: must be text")
	}
	if a.generates, err = relativePath(v, "generates"); err != nil {
		return a, err
	}
	if _, err = relativePath(v, "template"); err != nil {
		return a, err
	}
	if err = errors.Join(anyText(v, "description", true), anyText(v, "instruction", false)); err != nil {
		return a, err
	}
	a.requires, err = names(v, "requires")
	return a, err
}

// relativePath reads a path that stays inside its folder, with either kind of slash.
func relativePath(v value, key string) (string, error) {
	p, ok := v.get(key).text()
	up := slices.Contains(strings.FieldsFunc(p, func(r rune) bool { return r == '/' || r == '\\' }), "..")
	if !ok || p == "" || up || p[0] == '/' || p[0] == '\\' || drivePath().MatchString(p) || strings.Contains(p, "\x00") {
		return "", fmt.Errorf("%s: must be a path inside its folder", key)
	}
	return p, nil
}

func names(v value, key string) ([]string, error) {
	list := v.get(key)
	if list.kind() == kindMissing {
		return nil, nil
	}
	if list.kind() != kindList {
		return nil, fmt.Errorf("%s: must be a list", key)
	}
	var all []string
	for _, item := range list.items() {
		s, ok := item.text()
		if !ok {
			return nil, fmt.Errorf("%s: every entry must be text", key)
		}
		all = append(all, s)
	}
	return all, nil
}

// checkRequires refuses duplicate ids, references to nothing, and cycles.
func checkRequires(all []artifact) error {
	byID := map[string]artifact{}
	for _, a := range all {
		if _, twice := byID[a.id]; twice {
			return fmt.Errorf("artifact %q is declared twice", a.id)
		}
		byID[a.id] = a
	}
	for _, a := range all {
		for _, r := range a.requires {
			if _, ok := byID[r]; !ok {
				return fmt.Errorf("artifact %q requires %q, which is not declared", a.id, r)
			}
		}
	}
	const active, finished = 1, 2
	state := map[string]int{}
	var visit func(id string) bool
	visit = func(id string) bool {
		state[id] = active
		for _, r := range byID[id].requires {
			if state[r] == active || state[r] == 0 && !visit(r) {
				return false
			}
		}
		state[id] = finished
		return true
	}
	for _, a := range all {
		if state[a.id] == 0 && !visit(a.id) {
			return fmt.Errorf("artifact %q requires itself", a.id)
		}
	}
	return nil
}

// tracking reads the apply block and picks the artifact that holds the tasks: the one that generates what apply.tracks
// says, or the one named tasks if nothing is said.
func tracking(apply value, all []artifact) (workflow, error) {
	var w workflow
	for _, a := range all {
		w.outputs = append(w.outputs, a.generates)
	}
	chosen := func(a artifact) bool { return a.id == "tasks" }
	if apply.kind() != kindMissing {
		if err := checkApply(apply, all); err != nil {
			return w, fmt.Errorf("apply: %w", err)
		}
		if tracks, ok := apply.get("tracks").text(); ok {
			chosen = func(a artifact) bool { return a.generates == tracks }
		}
	}
	if i := slices.IndexFunc(all, chosen); i >= 0 {
		w.tracked = all[i].generates
	}
	return w, nil
}

func checkApply(apply value, all []artifact) error {
	if apply.kind() != kindMap {
		return errors.New("not a mapping")
	}
	requires, err := names(apply, "requires")
	if err != nil || len(requires) == 0 {
		return errors.Join(errors.New("requires: at least one artifact"), err)
	}
	for _, r := range requires {
		if !slices.ContainsFunc(all, func(a artifact) bool { return a.id == r }) {
			return fmt.Errorf("requires %q, which is not declared", r)
		}
	}
	if k := apply.get("tracks").kind(); k != kindMissing && k != kindNull {
		if _, err := relativePath(apply, "tracks"); err != nil {
			return err
		}
	}
	return anyText(apply, "instruction", false)
}
