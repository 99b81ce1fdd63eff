package plan

import (
	"encoding/json"
	"errors"
	"maps"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Triggers is triggers.yaml: what follows when something is seen.
type Triggers struct {
	Events   map[string]string  `json:"events"`   // event → mode; an event that is not there calls nothing
	Sources  []Source           `json:"sources"`  // where blockers are looked for, in this order
	Blockers map[string]Blocker `json:"blockers"` // blocker type (S1.9) → what follows
	Rules    []Rule             `json:"rules"`    // a project's own recognition rules, tried before the built-in ones
}

// Source is one place where blockers are looked for. The first that gives a verdict is believed.
type Source struct {
	Kind  string   `json:"kind"`            // exit-codes, reports, logs, git, agents or ci
	Files []string `json:"files,omitempty"` // reports, logs: patterns under the work tree, / between parts, ** for any depth
}

// Blocker is what follows from a blocker of one type.
type Blocker struct {
	Severity string `json:"severity"`       // critical, high, medium or low (S1.10)
	Mend     string `json:"mend,omitempty"` // the mend bundle; empty: a person mends it
}

// Rule is a recognition rule of the project as one canonical JSON object. Its id, type, severity and agent are checked
// here because they name things of the policy; the rest is the business of those who recognise (Catalogue.Rule).
type Rule = json.RawMessage

// eventCommands says which command a mode must belong to that an event calls: who is told something at the start of a
// session wants to read, everybody else has something to keep.
var eventCommands = map[string]Command{
	"session-start": Load, "turn-end": Save, "agent-end": Save, "before-compact": Save, "session-end": Save, "before-push": Save,
}

var (
	blockerTypes = []string{"build_error", "test_failure", "dependency", "design_issue", "review_blocked", "ci_failure",
		"merge_conflict", "decision_required", "other"}
	severities  = []string{"critical", "high", "medium", "low"}
	sourceKinds = []string{"exit-codes", "reports", "logs", "git", "agents", "ci"}
)

func (r *reader) triggers(root *yaml.Node, s *sheet) {
	events := slices.Sorted(maps.Keys(eventCommands))
	r.fields(root, "", map[string]field{
		"events": func(n *yaml.Node, path string) {
			s.events = entries(r, n, path, among("event", events), func(n *yaml.Node, path string) string { return r.refer(n, path, aMode) })
		},
		"sources": func(n *yaml.Node, path string) { s.sources = one(r, n, path, r.sources) },
		"blockers": func(n *yaml.Node, path string) {
			s.blockers = entries(r, n, path, among("blocker type", blockerTypes), r.blocker)
		},
		"rules": func(n *yaml.Node, path string) { s.rules = one(r, n, path, r.rules) },
	})
}

func (r *reader) sources(n *yaml.Node, path string) []Source {
	all := []Source{}
	r.list(n, path, func(n *yaml.Node, path string) {
		s := r.source(n, path)
		if slices.ContainsFunc(all, func(o Source) bool { return o.Kind == s.Kind }) {
			r.problem(n, path, "%s stands in the list already; one entry may have several patterns", quoted(s.Kind))
		}
		all = append(all, s)
	})
	return all
}

func (r *reader) source(n *yaml.Node, path string) (s Source) {
	r.fields(n, path, map[string]field{
		"kind": func(n *yaml.Node, path string) { s.Kind = r.word(n, path, sourceKinds...) },
		"files": func(n *yaml.Node, path string) {
			s.Files = []string{}
			r.list(n, path, func(n *yaml.Node, path string) { s.Files = append(s.Files, r.filePattern(n, path)) })
		},
	}, "kind")
	files := s.Kind == "reports" || s.Kind == "logs"
	switch {
	case files && s.Files == nil:
		r.problem(n, path, "%s needs files: a list of patterns", s.Kind)
	case !files && s.Files != nil:
		r.problem(n, path, "%s reads no files", s.Kind)
	}
	return s
}

// filePattern reads a pattern of files under the work tree; it cannot lead out of it.
func (r *reader) filePattern(n *yaml.Node, at string) string {
	s := r.text(n, at)
	if s == "" {
		return s
	}
	if why := inside(s); why != "" {
		r.problem(n, at, "%s %s", quoted(s), why)
	}
	for part := range strings.SplitSeq(s, "/") {
		if _, err := path.Match(part, ""); err != nil {
			r.problem(n, at, "%s is no pattern: %s does not close", quoted(s), quoted(part))
		}
	}
	return s
}

// inside says why a path is not one under a folder, written the same on every system; "" when it is.
func inside(s string) string {
	switch {
	case strings.Contains(s, `\`):
		return `has a \: write / between parts`
	case strings.HasPrefix(s, "/") || strings.HasPrefix(s, "~") || len(s) > 1 && s[1] == ':':
		return "is not relative"
	case s == "." || path.Clean(s) != s:
		return "has empty, . or .. parts"
	case s == ".." || strings.HasPrefix(s, "../"):
		return "leads out of its folder"
	}
	return ""
}

func (r *reader) blocker(n *yaml.Node, path string) (b Blocker) {
	r.fields(n, path, map[string]field{
		"severity": func(n *yaml.Node, path string) { b.Severity = r.word(n, path, severities...) },
		"mend":     func(n *yaml.Node, path string) { b.Mend = r.refer(n, path, aMend) },
	}, "severity")
	return b
}

func (r *reader) rules(n *yaml.Node, path string) []Rule {
	all, ids := []Rule{}, []string{}
	if !r.is(n, path, yaml.SequenceNode, "a list") {
		return all
	}
	for _, c := range n.Content {
		if !r.is(c, path, yaml.MappingNode, "a rule") {
			continue
		}
		id, rule := r.rule(c, path)
		if id != "" && slices.Contains(ids, id) {
			r.problem(c, path, "a rule %s stands in the list already", quoted(id))
		}
		all, ids = append(all, rule), append(ids, id)
	}
	return all
}

func (r *reader) rule(n *yaml.Node, path string) (string, Rule) {
	id := ""
	if v := value(n, "id"); v == nil {
		r.problem(n, path, "the rule has no id")
	} else if id = r.text(v, path+".id"); id != "" && !nameForm.fits(id) {
		r.problem(v, path, "%s", aName(id))
	}
	path += "." + id
	if v := value(n, "type"); v != nil {
		r.word(v, path+".type", blockerTypes...)
	}
	if v := value(n, "severity"); v != nil {
		r.word(v, path+".severity", severities...)
	}
	if v := value(n, "agent"); v != nil {
		r.refer(v, path+".agent", anAgent)
	}
	before := len(r.problems)
	all, _ := r.raw(n, path).(map[string]any)
	rule := r.object(n, path, all)
	if len(r.problems) == before {
		r.checkRule(n, path, rule)
	}
	return id, rule
}

func (r *reader) checkRule(n *yaml.Node, path string, rule Rule) {
	if r.cat.Rule == nil {
		r.problem(n, path, "this program takes no rules of a project")
		return
	}
	if err := guarded(r.cat.Rule, rule); err != nil {
		at := n
		if v := settingNode(n, err); v != nil {
			at = v
		}
		r.problem(at, path, "%v", err)
	}
}

// value finds the value of a key; nil where the key is not there.
func value(n *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

// settingNode finds the value of the setting that an error is about.
func settingNode(n *yaml.Node, err error) *yaml.Node {
	var s *SettingError
	if n == nil || !errors.As(err, &s) {
		return nil
	}
	return value(n, s.Setting)
}
