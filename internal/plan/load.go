package plan

import (
	"embed"
	"fmt"
	"maps"
	"path"
	"slices"

	"go.yaml.in/yaml/v3"
)

//go:embed builtin
var builtin embed.FS

// Newest is the built-in policy that a project without a policy of its own starts with.
const Newest = "builtin/1"

// Builtins lists the built-in policies, oldest first. After release none of them ever changes or goes away.
func Builtins() []string { return []string{"builtin/1"} }

// Builtin reads a built-in policy. Errors are *Invalid: there is no such policy, or this program's steps do not fit it.
func Builtin(name string, cat Catalogue) (*Policy, error) {
	return Assemble(BuiltinProfile(name), nil, cat)
}

// Assemble reads the files that a profile names, lays them over the built-in policy, and checks the whole. files maps
// the names in p.Files() to their bytes; one that is missing is a problem like any other. Errors are *Invalid.
func Assemble(p Profile, files map[string][]byte, cat Catalogue) (*Policy, error) {
	l := loader{profile: p, cat: cat}
	base := l.base()
	own := l.own(files)
	s := own.over(base)
	if !l.broken {
		l.whole(s)
		l.resolve(s)
	}
	if err := invalid(l.problems); err != nil {
		return nil, err
	}
	return s.policy(p.Name), nil
}

type loader struct {
	profile  Profile
	cat      Catalogue
	problems []Problem
	broken   bool // a file could not be read at all, so what it should have defined is not known
}

// base reads the built-in files that something is taken from.
func (l *loader) base() sheet {
	var s sheet
	if !slices.Contains(Builtins(), l.profile.Base) {
		l.problems = append(l.problems, Problem{Place{l.profile.Name, 1, 1}, fmt.Sprintf("there is no built-in policy %s", quoted(l.profile.Base))})
		l.broken = true
		return s
	}
	for _, name := range sheets {
		if slices.Contains(l.profile.Whole, name) {
			continue
		}
		file := l.profile.Base + "/" + name + ".yaml"
		b, err := builtin.ReadFile(file)
		if err != nil {
			l.problems = append(l.problems, Problem{Place{file, 1, 1}, err.Error()})
			l.broken = true
			continue
		}
		l.read(name, file, b, &s)
	}
	return s
}

// own reads the project's files.
func (l *loader) own(files map[string][]byte) sheet {
	var s sheet
	for i, file := range []string{l.profile.Modes, l.profile.Triggers, l.profile.Bundles} {
		if file == "" {
			continue
		}
		shown := path.Join(path.Dir(l.profile.Name), file)
		b, ok := files[file]
		if !ok {
			l.problems = append(l.problems, Problem{Place{shown, 1, 1}, "the profile names this file, and it is not there"})
			l.broken = true
			continue
		}
		l.read(sheets[i], shown, b, &s)
	}
	return s
}

func (l *loader) read(name, file string, b []byte, s *sheet) {
	r := &reader{file: file, cat: l.cat}
	root := r.document(b)
	if root == nil {
		l.broken = true
	} else {
		r.sheet(name, root, s)
	}
	l.problems = append(l.problems, r.problems...)
}

func (r *reader) sheet(name string, root *yaml.Node, s *sheet) {
	switch name {
	case "modes":
		s.modes = r.modes(root)
	case "triggers":
		r.triggers(root, s)
	case "bundles":
		r.bundles(root, s)
	}
}

// whole asks for what no policy can do without.
func (l *loader) whole(s sheet) {
	for _, m := range slices.Sorted(maps.Keys(fixedModes)) {
		missing(l, s.modes, l.profile.Modes, "mode", m)
	}
	for _, b := range blockerTypes {
		missing(l, s.blockers, l.profile.Triggers, "blocker type", b)
	}
	if s.sources == nil {
		l.problems = append(l.problems, Problem{l.start(l.profile.Triggers), "sources are missing"})
	}
}

func missing[V any](l *loader, s section[V], file, what, name string) {
	e := s[name]
	switch {
	case e == nil:
		l.problems = append(l.problems, Problem{l.start(file), fmt.Sprintf("the %s %s is missing", what, name)})
	case e.gone:
		l.problems = append(l.problems, Problem{e.at, fmt.Sprintf("the %s %s cannot be taken out", what, name)})
	}
}

func (l *loader) start(file string) Place {
	return Place{path.Join(path.Dir(l.profile.Name), file), 1, 1}
}

// resolve follows every name that is used, and checks that an event calls a mode that fits it.
func (l *loader) resolve(s sheet) {
	known := map[kindOf]func(string) bool{
		aMode: s.modes.has, aMend: s.mend.has, aCheck: s.checks.has, anAgent: s.agents.has, aProgram: s.programs.has,
	}
	for _, u := range s.uses() {
		if !known[u.to](u.name) {
			l.problems = append(l.problems, Problem{u.at.At, fmt.Sprintf("%s: there is no %s %s", u.at.What, u.to, quoted(u.name))})
		}
	}
	for event, e := range s.events {
		m := s.modes[e.value]
		if want := eventCommands[event]; !e.gone && m != nil && !m.gone && m.value.For != want {
			l.problems = append(l.problems, Problem{e.at, fmt.Sprintf("events.%s: mode %s is for %s, this event calls one for %s",
				event, e.value, m.value.For, want)})
		}
	}
}

func (s section[V]) has(name string) bool { return s[name] != nil && !s[name].gone }

func (s sheet) uses() []ref {
	all := slices.Concat(s.modes.uses(), s.events.uses(), s.blockers.uses(), s.mend.uses(), s.checks.uses(), s.agents.uses(), s.programs.uses())
	if s.sources != nil {
		all = append(all, s.sources.refs...)
	}
	if s.rules != nil {
		all = append(all, s.rules.refs...)
	}
	return all
}

func (s sheet) policy(profile string) *Policy {
	p := &Policy{Profile: profile, Modes: s.modes.values(), origin: map[string]Place{}}
	p.Triggers = Triggers{Events: s.events.values(), Sources: []Source{}, Blockers: s.blockers.values(), Rules: []Rule{}}
	p.Bundles = Bundles{Mend: s.mend.values(), Checks: s.checks.values(), Agents: s.agents.values(), Programs: s.programs.values()}
	s.modes.note("modes/", p.origin)
	s.events.note("triggers/events/", p.origin)
	s.blockers.note("triggers/blockers/", p.origin)
	s.mend.note("bundles/mend/", p.origin)
	s.checks.note("bundles/checks/", p.origin)
	s.agents.note("bundles/agents/", p.origin)
	s.programs.note("bundles/programs/", p.origin)
	if e := s.sources; e != nil && !e.gone {
		p.Triggers.Sources, p.origin["triggers/sources"] = e.value, e.at
	}
	if e := s.rules; e != nil && !e.gone {
		p.Triggers.Rules, p.origin["triggers/rules"] = e.value, e.at
	}
	return p
}
