package rules

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// MaxSource bounds a rule file, in bytes.
const MaxSource = 1 << 20

// SyntaxError is a fault in a rule file: where it stands and what is wrong.
type SyntaxError struct {
	Name         string // file name as handed to Parse
	Line, Column int    // 1-based; 0 when the YAML reader does not say
	Err          error
}

// Error gives name:line:column: fault.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%s:%d:%d: %v", e.Name, e.Line, e.Column, e.Err)
}

// Unwrap gives the fault, a *Field where a field's value is wrong.
func (e *SyntaxError) Unwrap() error { return e.Err }

// Parse reads a YAML list of rules. Unknown and repeated keys, anchors, aliases, merge keys, values of the wrong kind
// and faults of a rule are refused as a *SyntaxError with line and column. Nothing is filled in but the strength.
func Parse(name string, source []byte) ([]Rule, error) {
	if len(source) > MaxSource {
		return nil, &SyntaxError{name, 1, 1, fmt.Errorf("%d bytes, at most %d", len(source), MaxSource)}
	}
	var doc yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(source))
	if err := dec.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		return nil, &SyntaxError{Name: name, Line: yamlLine(err), Err: err}
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, &SyntaxError{name, 1, 1, errors.New("more than one document")}
	}
	return parseList(name, doc.Content[0])
}

// yamlLine reads the line out of "yaml: line 3: …", the only place where the library tells it.
func yamlLine(err error) int {
	n := 0
	_, scan := fmt.Sscanf(err.Error(), "yaml: line %d:", &n)
	if scan != nil {
		return 0
	}
	return n
}

func parseList(name string, list *yaml.Node) ([]Rule, error) {
	if list.Kind != yaml.SequenceNode {
		return nil, at(name, list, errors.New("want a list of rules"))
	}
	out := make([]Rule, len(list.Content))
	seen := map[string]bool{}
	for i, n := range list.Content {
		if err := parseMap(name, n, reflect.ValueOf(&out[i]).Elem()); err != nil {
			return nil, err
		}
		if err := finish(&out[i], seen); err != nil {
			return nil, at(name, fieldNode(n, err), err)
		}
	}
	return out, nil
}

func finish(r *Rule, seen map[string]bool) error {
	if r.Strength == "" {
		r.Strength = Definite
	}
	if err := r.Check(); err != nil {
		return err
	}
	if seen[r.ID] {
		return &Field{r.ID, "id", r.ID, "an id that no other rule has"}
	}
	seen[r.ID] = true
	return nil
}

// fieldNode finds the node that a *Field speaks of, so that the message points at it.
func fieldNode(n *yaml.Node, err error) *yaml.Node {
	var f *Field
	if !errors.As(err, &f) {
		return n
	}
	key, _, _ := strings.Cut(f.Field, ".")
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return n
}

func at(name string, n *yaml.Node, err error) error { return &SyntaxError{name, n.Line, n.Column, err} }

// keys maps the YAML keys of a struct type to its field numbers.
func keys(t reflect.Type) map[string]int {
	m := map[string]int{}
	for i := range t.NumField() {
		m[t.Field(i).Tag.Get("yaml")] = i
	}
	return m
}

func parseMap(name string, n *yaml.Node, into reflect.Value) error {
	if n.Kind != yaml.MappingNode {
		return at(name, n, errors.New("want keys and values"))
	}
	known, seen := keys(into.Type()), map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		field, ok := known[k.Value]
		switch {
		case !ok:
			return at(name, k, fmt.Errorf("unknown key %q: want one of %s", k.Value, strings.Join(sorted(known), ", ")))
		case seen[k.Value]:
			return at(name, k, fmt.Errorf("key %q stands twice", k.Value))
		}
		seen[k.Value] = true
		if err := parseValue(name, v, into.Field(field)); err != nil {
			return err
		}
	}
	return nil
}

func sorted(m map[string]int) []string {
	var s []string
	for k := range m {
		s = append(s, k)
	}
	slices.Sort(s)
	return s
}

func parseValue(name string, n *yaml.Node, into reflect.Value) error {
	if n.Anchor != "" || n.Kind == yaml.AliasNode {
		return at(name, n, errors.New("anchors and aliases are not allowed"))
	}
	if into.Kind() != reflect.Slice {
		return parseScalar(name, n, into)
	}
	if n.Kind != yaml.SequenceNode {
		return at(name, n, errors.New("want a list"))
	}
	list := reflect.MakeSlice(into.Type(), len(n.Content), len(n.Content))
	for i, c := range n.Content {
		parse := parseValue
		if into.Type().Elem().Kind() == reflect.Struct {
			parse = parseMap
		}
		if err := parse(name, c, list.Index(i)); err != nil {
			return err
		}
	}
	into.Set(list)
	return nil
}

func parseScalar(name string, n *yaml.Node, into reflect.Value) error {
	if n.Kind != yaml.ScalarNode {
		return at(name, n, errors.New("want one value"))
	}
	if into.Kind() == reflect.String && n.Tag != "!!str" {
		return at(name, n, fmt.Errorf("%q is not text: put it in quotes", n.Value))
	}
	if err := n.Decode(into.Addr().Interface()); err != nil {
		return at(name, n, err)
	}
	return nil
}
