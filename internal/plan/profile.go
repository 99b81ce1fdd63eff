package plan

import (
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Profile says which files a policy is made of. It is a small YAML file itself:
//
//	base: builtin/1            # what every entry that is not named comes from; needed
//	modes: modes.yaml          # beside this file; each of the three may be left out
//	triggers: triggers.yaml
//	bundles: bundles.yaml
//	whole: [modes]             # files that stand alone: nothing of the built-in file of that name is taken
//	runtime_root: .            # where the Ref is kept, under the work tree; not part of the hash
type Profile struct {
	Name        string // path of the profile, under the work tree, with / between parts; or the built-in policy's name
	Base        string // the built-in policy
	Modes       string // files, relative to the profile's folder; empty: the built-in one
	Triggers    string
	Bundles     string
	Whole       []string // which of modes, triggers, bundles stand alone
	RuntimeRoot string   // folder under the work tree; empty: not said
}

var sheets = []string{"modes", "triggers", "bundles"}

// BuiltinProfile is the profile of a built-in policy by itself.
func BuiltinProfile(name string) Profile { return Profile{Name: name, Base: name} }

// Files lists the files that a caller has to read, relative to the profile's folder.
func (p Profile) Files() []string {
	return slices.DeleteFunc([]string{p.Modes, p.Triggers, p.Bundles}, func(f string) bool { return f == "" })
}

// ParseProfile reads a profile. name is its path under the work tree, with / between parts: it is hashed, so it must
// not differ from machine to machine. Errors are *Invalid.
func ParseProfile(name string, b []byte) (Profile, error) {
	p := Profile{Name: name}
	r := &reader{file: name}
	if why := inside(name); why != "" {
		r.problem(&yaml.Node{}, "", "the path of a profile %s", why)
	}
	if slices.Contains(Builtins(), name) {
		r.problem(&yaml.Node{}, "", "a built-in policy has this name")
	}
	if root := r.document(b); root != nil {
		r.profile(root, &p)
	}
	return p, invalid(r.problems)
}

func (r *reader) profile(root *yaml.Node, p *Profile) {
	file := func(into *string) field {
		return func(n *yaml.Node, path string) { *into = r.sheetFile(n, path) }
	}
	r.fields(root, "", map[string]field{
		"base":     func(n *yaml.Node, path string) { p.Base = r.word(n, path, Builtins()...) },
		"modes":    file(&p.Modes),
		"triggers": file(&p.Triggers),
		"bundles":  file(&p.Bundles),
		"whole": func(n *yaml.Node, path string) {
			r.list(n, path, func(n *yaml.Node, path string) { p.Whole = append(p.Whole, r.whole(n, path, root)) })
		},
		"runtime_root": func(n *yaml.Node, path string) { p.RuntimeRoot = r.folder(n, path) },
	}, "base")
	files := p.Files()
	for i, f := range files {
		if slices.Contains(files[:i], f) || path.Join(path.Dir(p.Name), f) == p.Name {
			r.problem(root, "", "%s is named twice", quoted(f))
		}
	}
}

func (r *reader) sheetFile(n *yaml.Node, path string) string {
	s := r.text(n, path)
	if why := inside(s); s != "" && why != "" {
		r.problem(n, path, "%s %s", quoted(s), why)
	}
	return s
}

func (r *reader) whole(n *yaml.Node, path string, root *yaml.Node) string {
	s := r.word(n, path, sheets...)
	if slices.Contains(sheets, s) && value(root, s) == nil {
		r.problem(n, path, "%s is to stand alone, but the profile names no file for it", s)
	}
	return s
}

// folder reads a folder under the work tree; . is the work tree itself.
func (r *reader) folder(n *yaml.Node, path string) string {
	s := r.text(n, path)
	if s == "." || s == "" {
		return s
	}
	if why := inside(s); why != "" {
		r.problem(n, path, "%s %s", quoted(s), why)
	}
	if first, _, _ := strings.Cut(strings.ToLower(s), "/"); first == ".git" {
		r.problem(n, path, "%s is git's", quoted(s))
	}
	return s
}
