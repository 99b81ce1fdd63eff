package plan

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// The built-in policy is the widest valid one there is, so it is what these tests break: at every node, in every way.

// each calls f with every node of a document in turn, on a fresh copy each time, together with its parent (nil for the
// root) and its place among the parent's children. f changes the document or says that it does not apply.
func each(t *testing.T, src string, f func(n, parent *yaml.Node, i int) bool, then func(changed string, n *yaml.Node)) int {
	t.Helper()
	count := 0
	for at := 0; ; at++ {
		var doc yaml.Node
		if err := yaml.Unmarshal([]byte(src), &doc); err != nil {
			t.Fatal(err)
		}
		seen := 0
		var found, parent *yaml.Node
		index := 0
		var walk func(n, up *yaml.Node, i int)
		walk = func(n, up *yaml.Node, i int) {
			if seen == at {
				found, parent, index = n, up, i
			}
			seen++
			for k, c := range n.Content {
				walk(c, n, k)
			}
		}
		walk(doc.Content[0], nil, 0)
		if found == nil {
			return count
		}
		was := *found
		if !f(found, parent, index) {
			continue
		}
		b, err := yaml.Marshal(&doc)
		if err != nil {
			continue
		}
		count++
		then(string(b), &was)
	}
}

// whole puts one changed file with the other two built-in ones.
func whole(t *testing.T, sheet, changed string) (string, error) {
	files := all(t)
	files[sheet] = changed
	return wholeHash(files)
}

// refusedAt: the error names a place in the file.
func refusedAt(err error) bool {
	var i *Invalid
	if !errors.As(err, &i) {
		return false
	}
	for _, p := range i.Problems {
		if p.At.Line < 1 || p.At.Col < 1 || p.At.File == "" || p.What == "" {
			return false
		}
	}
	return len(i.Problems) > 0
}

func TestAnUnknownKeyAnywhereIsRefused(t *testing.T) {
	for sheet, src := range all(t) {
		n := each(t, src, func(n, _ *yaml.Node, _ int) bool {
			if n.Kind != yaml.MappingNode {
				return false
			}
			n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: "surprise"}, &yaml.Node{Kind: yaml.ScalarNode, Value: "x"})
			return true
		}, func(changed string, n *yaml.Node) {
			if _, err := whole(t, sheet, changed); !refusedAt(err) {
				t.Errorf("%s, line %d: a surprise was taken: %v", sheet, n.Line, err)
			}
		})
		if n < 15 {
			t.Errorf("%s has only %d mappings", sheet, n)
		}
	}
}

func TestAKeyThatGoesAwayIsMissedOrCounts(t *testing.T) {
	want, err := wholeHash(all(t))
	if err != nil {
		t.Fatal(err)
	}
	for sheet, src := range all(t) {
		each(t, src, func(n, parent *yaml.Node, i int) bool {
			if parent == nil || parent.Kind != yaml.MappingNode || i%2 != 0 {
				return false
			}
			parent.Content = append(parent.Content[:i:i], parent.Content[i+2:]...)
			return true
		}, func(changed string, n *yaml.Node) {
			got, err := whole(t, sheet, changed)
			if err != nil && !refusedAt(err) {
				t.Errorf("%s without %s (line %d): %v", sheet, n.Value, n.Line, err)
			}
			if err == nil && got == want && n.Value != "rules" {
				t.Errorf("%s without %s (line %d) has the same hash", sheet, n.Value, n.Line)
			}
		})
	}
}

func TestAnElementThatGoesAwayCounts(t *testing.T) {
	want, err := wholeHash(all(t))
	if err != nil {
		t.Fatal(err)
	}
	for sheet, src := range all(t) {
		each(t, src, func(n, parent *yaml.Node, i int) bool {
			if parent == nil || parent.Kind != yaml.SequenceNode {
				return false
			}
			parent.Content = append(parent.Content[:i:i], parent.Content[i+1:]...)
			return true
		}, func(changed string, n *yaml.Node) {
			if got, err := whole(t, sheet, changed); err == nil && got == want {
				t.Errorf("%s without the element in line %d has the same hash", sheet, n.Line)
			}
		})
	}
}

// TestAnotherKindOfValueIsRefused puts something else where each value stands.
func TestAnotherKindOfValueIsRefused(t *testing.T) {
	want, err := wholeHash(all(t))
	if err != nil {
		t.Fatal(err)
	}
	others := map[string]func() *yaml.Node{
		"number":  func() *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: "77"} },
		"nothing": func() *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: "null"} },
		"doubt":   func() *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: "1e3"} },
		"list":    func() *yaml.Node { return &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle} },
		"mapping": func() *yaml.Node { return &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle} },
	}
	for what, other := range others {
		refused, changed := 0, 0
		for sheet, src := range all(t) {
			each(t, src, func(n, parent *yaml.Node, i int) bool {
				if parent == nil || parent.Kind == yaml.MappingNode && i%2 == 0 || n.Kind == other().Kind && len(n.Content) == 0 && n.Value == other().Value {
					return false
				}
				*n = *other()
				return true
			}, func(text string, n *yaml.Node) {
				got, err := whole(t, sheet, text)
				switch {
				case err != nil && !refusedAt(err):
					t.Errorf("%s, line %d: %v", sheet, n.Line, err)
				case err != nil:
					refused++
				case got == want && (n.Kind != yaml.SequenceNode || len(n.Content) > 0): // rules: null is rules: []
					t.Errorf("%s, line %d: a %s instead of %.30q makes no difference", sheet, n.Line, what, n.Value)
				default:
					changed++
				}
			})
		}
		t.Logf("a %s: refused at %d places, another policy at %d", what, refused, changed)
		if refused < 200 || changed > refused/4 {
			t.Errorf("a %s is taken at %d places and refused at %d", what, changed, refused)
		}
	}
}

// TestAKeyThatIsNoTextIsRefused: every key becomes a number, a list, null.
func TestAKeyThatIsNoTextIsRefused(t *testing.T) {
	for sheet, src := range all(t) {
		for _, kind := range []yaml.Node{{Kind: yaml.ScalarNode, Value: "77"}, {Kind: yaml.SequenceNode, Style: yaml.FlowStyle}, {Kind: yaml.ScalarNode, Value: "null"}} {
			each(t, src, func(n, parent *yaml.Node, i int) bool {
				if parent == nil || parent.Kind != yaml.MappingNode || i%2 != 0 {
					return false
				}
				*n = kind
				return true
			}, func(changed string, n *yaml.Node) {
				if _, err := whole(t, sheet, changed); !refusedAt(err) {
					t.Errorf("%s, line %d: %q became %v and was taken: %v", sheet, n.Line, n.Value, kind.Value, err)
				}
			})
		}
	}
}

// TestCutFiles: an editor that died in the middle of writing leaves something that is refused or is a smaller policy,
// never something that looks like the whole.
func TestCutFiles(t *testing.T) {
	want, err := wholeHash(all(t))
	if err != nil {
		t.Fatal(err)
	}
	for sheet, src := range all(t) {
		trimmed := len(strings.TrimRight(src, "\n"))
		comment := strings.LastIndex(src, " # ")
		for cut := 0; cut < trimmed && cut < comment; cut += 31 {
			if got, err := whole(t, sheet, src[:cut]); err == nil && got == want && strings.TrimSpace(src[cut:]) != "" {
				if !onlyComments(src[cut:]) {
					t.Errorf("%s cut at %d has the same hash", sheet, cut)
				}
			}
		}
	}
}

// onlyComments: what was cut off the rest of a line in a comment says nothing.
func onlyComments(s string) bool {
	for i, line := range strings.Split(s, "\n") {
		if line = strings.TrimSpace(line); i > 0 && line != "" && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "rules: []") {
			return false
		}
	}
	return true
}

// TestOrderOfFilesDoesNotMatter: problems come sorted, whatever map order Go chooses.
func TestOrderOfProblems(t *testing.T) {
	bad := map[string]string{"modes": "z: 1\na: 2\n", "triggers": "events: {b: 1, a: 2}\n", "bundles": "mend: {y: 1, x: 2}\n"}
	_, first := projectRaw(bad)
	for range 20 {
		if _, err := projectRaw(bad); fmt.Sprint(err) != fmt.Sprint(first) {
			t.Fatalf("%v\n%v", first, err)
		}
	}
}
