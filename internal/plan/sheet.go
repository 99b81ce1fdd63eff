package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// kindOf is what a name in a policy can stand for.
type kindOf string

const (
	aMode    kindOf = "mode"
	aMend    kindOf = "mend bundle"
	aCheck   kindOf = "check bundle"
	anAgent  kindOf = "agent"
	aProgram kindOf = "program"
)

// ref is the use of a name: what it should stand for, and where it is used.
type ref struct {
	to   kindOf
	name string
	at   Problem // place, and in What the path
}

// entry is one named value of a policy file.
type entry[V any] struct {
	value V
	at    Place
	refs  []ref
	gone  bool // written as null: the built-in entry is taken out
}

// section is the entries of one part of one file.
type section[V any] map[string]*entry[V]

// sheet is what three files say before they are put together.
type sheet struct {
	modes    section[Mode]
	events   section[string]
	sources  *entry[[]Source]
	blockers section[Blocker]
	rules    *entry[[]Rule]
	mend     section[Mend]
	checks   section[CheckBundle]
	agents   section[Agent]
	programs section[Program]
}

// one reads one entry and what it refers to.
func one[V any](r *reader, n *yaml.Node, path string, read func(*yaml.Node, string) V) *entry[V] {
	r.refs = nil
	e := &entry[V]{at: r.place(n)}
	if plain(n) && n.Value == "null" {
		e.gone = true
		return e
	}
	e.value = read(n, path)
	e.refs = r.refs
	return e
}

// entries reads a mapping of names to values. named says what is wrong with a name, "" for nothing.
func entries[V any](r *reader, n *yaml.Node, path string, named func(string) string, read func(*yaml.Node, string) V) section[V] {
	all := section[V]{}
	if !r.is(n, path, yaml.MappingNode, "a mapping") {
		return all
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		if k.Kind != yaml.ScalarNode {
			r.problem(k, path, "a name is expected, there is %s", kind(k))
			continue
		}
		if why := named(k.Value); why != "" {
			r.problem(k, path, "%s", why)
		}
		if all[k.Value] == nil {
			e := one(r, v, under(path, k.Value), read)
			e.at = r.place(k)
			all[k.Value] = e
		}
	}
	return all
}

// aName is the form of names that a person gives.
func aName(s string) string {
	if nameForm.fits(s) {
		return ""
	}
	return quoted(s) + " is no name: small letters, digits, - and _, a letter first, at most 63 characters"
}

func anAgentName(s string) string {
	if agentForm.fits(s) {
		return ""
	}
	return quoted(s) + " is no agent's name: letters, digits and . _ : -, a letter or digit first, at most 63 characters"
}

// among is the form of names of which there is a fixed set.
func among(what string, known []string) func(string) string {
	return func(s string) string {
		if slices.Contains(known, s) {
			return ""
		}
		return fmt.Sprintf("there is no %s %s; there are: %s", what, quoted(s), strings.Join(known, ", "))
	}
}

// over lays the entries of a project over those of the built-in policy.
func (s section[V]) over(base section[V]) section[V] {
	all := maps.Clone(base)
	if all == nil {
		all = section[V]{}
	}
	maps.Copy(all, s)
	return all
}

func (e *entry[V]) over(base *entry[V]) *entry[V] {
	if e == nil {
		return base
	}
	return e
}

func (s sheet) over(base sheet) sheet {
	return sheet{
		modes:    s.modes.over(base.modes),
		events:   s.events.over(base.events),
		sources:  s.sources.over(base.sources),
		blockers: s.blockers.over(base.blockers),
		rules:    s.rules.over(base.rules),
		mend:     s.mend.over(base.mend),
		checks:   s.checks.over(base.checks),
		agents:   s.agents.over(base.agents),
		programs: s.programs.over(base.programs),
	}
}

// values gives what is left when what was taken out is out.
func (s section[V]) values() map[string]V {
	all := make(map[string]V, len(s))
	for name, e := range s {
		if !e.gone {
			all[name] = e.value
		}
	}
	return all
}

func (s section[V]) note(prefix string, origin map[string]Place) {
	for name, e := range s {
		if !e.gone {
			origin[prefix+name] = e.at
		}
	}
}

func (s section[V]) uses() (all []ref) {
	for _, e := range s {
		all = append(all, e.refs...)
	}
	return all
}
