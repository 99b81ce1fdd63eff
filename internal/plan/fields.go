package plan

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"session/internal/canon"
)

// field reads the value of one key.
type field func(n *yaml.Node, path string)

// fields reads a mapping with known keys. Keys in need must be there.
func (r *reader) fields(n *yaml.Node, path string, known map[string]field, need ...string) {
	if !r.is(n, path, yaml.MappingNode, "a mapping") {
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		read, ok := known[k.Value]
		if k.Kind != yaml.ScalarNode || !ok {
			r.problem(k, path, "unknown key %s; there are: %s", quoted(k.Value), listed(maps.Keys(known)))
			continue
		}
		if !seen[k.Value] {
			read(v, under(path, k.Value))
		}
		seen[k.Value] = true
	}
	for _, key := range need {
		if !seen[key] {
			r.problem(n, path, "the key %q is missing", key)
		}
	}
}

func under(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func listed(names func(func(string) bool)) string { return strings.Join(slices.Sorted(names), ", ") }

func (r *reader) is(n *yaml.Node, path string, want yaml.Kind, what string) bool {
	if n.Kind != want {
		r.problem(n, path, "%s is expected, there is %s", what, kind(n))
	}
	return n.Kind == want
}

func (r *reader) scalar(n *yaml.Node, path, what string, want meaning) bool {
	if n.Kind == yaml.ScalarNode && scalar(n) == want {
		return true
	}
	hint := ""
	if want == isText && n.Kind == yaml.ScalarNode && n.Value != "" {
		hint = "; if text is meant, put it in quotes"
	}
	r.problem(n, path, "%s is expected, there is %s%s", what, kind(n), hint)
	return false
}

// text reads text that is not empty.
func (r *reader) text(n *yaml.Node, path string) string {
	if !r.scalar(n, path, "text", isText) {
		return ""
	}
	if n.Value == "" {
		r.problem(n, path, "the text is empty")
	}
	return n.Value
}

// word reads one of some words.
func (r *reader) word(n *yaml.Node, path string, words ...string) string {
	s := r.text(n, path)
	if s != "" && !slices.Contains(words, s) {
		r.problem(n, path, "%s is none of: %s", quoted(s), strings.Join(words, ", "))
	}
	return s
}

func (r *reader) boolean(n *yaml.Node, path string) bool {
	return r.scalar(n, path, "true or false", isBool) && n.Value == "true"
}

func (r *reader) integer(n *yaml.Node, path string, least, most int) int {
	if !r.scalar(n, path, "a whole number", isInt) {
		return 0
	}
	i, err := strconv.Atoi(n.Value)
	if err != nil || i < least || i > most {
		r.problem(n, path, "%s is not between %d and %d", short(n.Value), least, most)
	}
	return i
}

func (r *reader) duration(n *yaml.Node, path string) Duration {
	if n.Kind != yaml.ScalarNode || scalar(n) != isText {
		r.problem(n, path, "a duration like 90s or 15m is expected, there is %s", kind(n))
		return 0
	}
	d, err := ParseDuration(n.Value)
	if err != nil {
		r.problem(n, path, "%v", err)
	}
	return d
}

// list reads a list with at least one element.
func (r *reader) list(n *yaml.Node, path string, each field) {
	if !r.is(n, path, yaml.SequenceNode, "a list") {
		return
	}
	if len(n.Content) == 0 {
		r.problem(n, path, "the list is empty")
	}
	for i, c := range n.Content {
		each(c, path+"["+strconv.Itoa(i+1)+"]")
	}
}

// Forms of names: what a person types after --mode, and what stands as {agent} in an argument list, where a leading
// dash would be an option.
const (
	nameForm  = wordForm("abcdefghijklmnopqrstuvwxyz\x000123456789_-")
	agentForm = wordForm("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789\x00._:-")
	stepForm  = wordForm("ABCDEFGHIJKLMNOPQRSTUVWXYZ\x00abcdefghijklmnopqrstuvwxyz0123456789")
	keyForm   = wordForm("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz\x000123456789_")
)

// wordForm names the bytes that a word may begin with, and after a NUL those that may follow besides. A pattern with a
// bounded repetition says the same, but compiling the five of them took every command half a millisecond.
type wordForm string

const maxName = 63 // bytes

func (f wordForm) fits(s string) bool {
	first, _, _ := strings.Cut(string(f), "\x00")
	if s == "" || len(s) > maxName || strings.IndexByte(first, s[0]) < 0 {
		return false
	}
	for i := range len(s) {
		if s[i] == 0 || strings.IndexByte(string(f), s[i]) < 0 {
			return false
		}
	}
	return true
}

// refer reads a name of something that is defined elsewhere in the policy.
func (r *reader) refer(n *yaml.Node, path string, to kindOf) string {
	s := r.text(n, path)
	if s != "" {
		r.refs = append(r.refs, ref{to, s, Problem{r.place(n), path}})
	}
	return s
}

func (r *reader) referAll(n *yaml.Node, path string, to kindOf) []string {
	all := []string{}
	r.list(n, path, func(n *yaml.Node, path string) {
		s := r.refer(n, path, to)
		if slices.Contains(all, s) {
			r.problem(n, path, "%s stands in the list already", quoted(s))
		}
		all = append(all, s)
	})
	return all
}

// raw reads a value whose meaning this package does not know, as JSON would have it.
func (r *reader) raw(n *yaml.Node, path string) any {
	switch n.Kind {
	case yaml.MappingNode:
		all := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			k := n.Content[i]
			if k.Kind != yaml.ScalarNode || scalar(k) != isText {
				r.problem(k, path, "text is expected as a key, there is %s", kind(k))
			}
			all[k.Value] = r.raw(n.Content[i+1], under(path, k.Value))
		}
		return all
	case yaml.SequenceNode:
		all := []any{}
		for i, c := range n.Content {
			all = append(all, r.raw(c, path+"["+strconv.Itoa(i+1)+"]"))
		}
		return all
	}
	return r.rawScalar(n, path)
}

func (r *reader) rawScalar(n *yaml.Node, path string) any {
	if n.Kind == yaml.ScalarNode {
		switch scalar(n) {
		case isText:
			return n.Value
		case isBool:
			return n.Value == "true"
		case isInt, isDecimal:
			if _, err := canon.Transform([]byte(n.Value)); err != nil {
				r.problem(n, path, "%s: only numbers within ±9007199254740991 mean the same everywhere", short(n.Value))
				return nil
			}
			return json.Number(n.Value)
		}
	}
	r.problem(n, path, "there is %s: leave the key out, or put text in quotes, or write the number in plain decimal", kind(n))
	return nil
}

// object turns settings into canonical JSON; nil where there are none.
func (r *reader) object(n *yaml.Node, path string, all map[string]any) json.RawMessage {
	if len(all) == 0 {
		return nil
	}
	b, err := canon.Marshal(all)
	if err != nil { // everything in it was checked; what is left is a fault of this package
		r.problem(n, path, "%v", err)
	}
	return b
}
