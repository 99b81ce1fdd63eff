package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// fixedModes are the modes that the commands call by name, so every policy has them: which command each belongs to,
// and what a save under it is called in the state file (S1.1; an autosave keeps what the last save was called).
var fixedModes = map[string]struct {
	command Command
	as      string
}{
	"quick": {Save, "quick"}, "sync": {Save, "sync"}, "full": {Save, "full"}, "autosave": {Save, ""},
	"load": {Load, ""}, "resume": {Load, ""}, "run": {Run, ""},
}

const maxSteps = 100 // of one mode

var commands = []Command{Save, Load, Run}

func (r *reader) modes(root *yaml.Node) section[Mode] {
	all := entries(r, root, "", aName, r.mode)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		r.fixed(name, all[name])
	}
	return all
}

func (r *reader) mode(n *yaml.Node, path string) Mode {
	var m Mode
	var steps *yaml.Node
	r.fields(n, path, map[string]field{
		"for": func(n *yaml.Node, path string) {
			m.For = Command(r.word(n, path, string(Save), string(Load), string(Run)))
		},
		"as":    func(n *yaml.Node, path string) { m.As = r.word(n, path, "quick", "sync", "full") },
		"steps": func(n *yaml.Node, _ string) { steps = n },
	}, "for", "steps")
	if steps == nil {
		return m
	}
	r.list(steps, path+".steps", func(n *yaml.Node, path string) { m.Steps = append(m.Steps, r.step(n, path, m.For)) })
	r.needs(steps, path, m)
	if len(m.Steps) > maxSteps {
		r.problem(steps, path, "%d steps, at most %d", len(m.Steps), maxSteps)
	}
	return m
}

// needs checks that each step finds done before it what it goes on from.
func (r *reader) needs(steps *yaml.Node, path string, m Mode) {
	needs := r.cat.Needs[m.For]
	there, told := map[string]bool{}, false
	first := func(of string) (string, bool) {
		ok := len(needs[of]) == 0 || slices.ContainsFunc(needs[of], func(s string) bool { return there[s] })
		return strings.Join(needs[of], " or "), ok
	}
	for i, s := range m.Steps {
		if what, ok := first(s.Name); !ok {
			told = true
			r.problem(&yaml.Node{Line: s.At.Line, Column: s.At.Col}, fmt.Sprintf("%s.steps[%d]", path, i+1), "%s needs the step %s before it", s.Name, what)
		}
		there[s.Name] = true
	}
	if what, ok := first(""); !ok && !told {
		r.problem(steps, path, "a mode for %s needs the step %s", m.For, what)
	}
}

// fixed checks what the name of a mode already says.
func (r *reader) fixed(name string, e *entry[Mode]) {
	f, fixed := fixedModes[name]
	n := &yaml.Node{Line: e.at.Line, Column: e.at.Col}
	switch m := e.value; {
	case e.gone || m.For == "":
	case fixed && m.For != f.command:
		r.problem(n, name, "the command calls this mode for %s, so it cannot be for %s", f.command, m.For)
	case fixed && m.As != "":
		r.problem(n, name, "the name says how this save is called; leave \"as\" out")
	case !fixed && m.For == Save && m.As == "":
		r.problem(n, name, "say with \"as: quick\", \"as: sync\" or \"as: full\" what the state file calls this save")
	case !fixed && m.For != Save && m.As != "":
		r.problem(n, name, "\"as\" is for modes of save")
	}
}

// step reads "Name" or "Name: {settings}".
func (r *reader) step(n *yaml.Node, path string, command Command) Step {
	s := Step{At: r.place(n)}
	if n.Kind == yaml.MappingNode && len(n.Content) == 2 && n.Content[0].Kind == yaml.ScalarNode {
		s.Name = n.Content[0].Value
	} else if r.scalar(n, path, "a step, Name or Name: {settings},", isText) {
		s.Name = n.Value
	} else {
		return s
	}
	known := r.cat.Steps[command]
	check := known[s.Name]
	switch {
	case !stepForm.fits(s.Name):
		r.problem(n, path, "%s is no name of a step", quoted(s.Name))
	case check == nil && slices.Contains(commands, command):
		r.problem(n, path, "there is no step %s for %s; there are: %s", quoted(s.Name), command, listed(maps.Keys(known)))
	}
	var settings *yaml.Node
	if n.Kind == yaml.MappingNode {
		settings = n.Content[1]
		r.settings(settings, path+"."+s.Name, &s)
	}
	if check != nil {
		r.check(check, s, n, settings, path+"."+s.Name)
	}
	return s
}

func (r *reader) settings(n *yaml.Node, path string, s *Step) {
	if !r.is(n, path, yaml.MappingNode, "settings, {key: value, …},") {
		return
	}
	rest := map[string]any{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		at := under(path, k.Value)
		switch k.Value {
		case "keep":
			s.Keep = r.boolean(v, at)
		case "limit":
			s.Limit = r.duration(v, at)
		case "bundle":
			rest[k.Value] = r.refer(v, at, aCheck)
		case "programs":
			rest[k.Value] = r.referAll(v, at, aProgram)
		case "agent":
			rest[k.Value] = r.refer(v, at, anAgent)
		default:
			if !keyForm.fits(k.Value) {
				r.problem(k, path, "%s is no name of a setting", quoted(k.Value))
			}
			rest[k.Value] = r.raw(v, at)
		}
	}
	s.With = r.object(n, path, rest)
}

// check asks those who wrote the step about its settings. What they say of one setting is reported at its place.
func (r *reader) check(check Check, s Step, n, settings *yaml.Node, path string) {
	err := guarded(check, s.With)
	if err == nil {
		return
	}
	if at := settingNode(settings, err); at != nil {
		n = at
	}
	r.problem(n, path, "%v", err)
}

// guarded keeps a panic in a check of somebody else's from ending the program.
func guarded(check Check, with []byte) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the check of the settings panicked: %v", p)
		}
	}()
	return check(with)
}
