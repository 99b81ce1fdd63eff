package validate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// maxFaults bounds what is told of one file: a damaged one may have a fault in each of a million entries.
const maxFaults = 20

// node is one part of the published schema: the keywords of JSON Schema (draft 2020-12) that it uses, and no others. A
// test holds the answers of this reader against those of a whole JSON Schema library.
type node struct {
	Type       kinds            `json:"type"`
	Enum       []string         `json:"enum"`
	Pattern    string           `json:"pattern"`
	MinLength  int              `json:"minLength"` // characters
	Minimum    *float64         `json:"minimum"`
	Maximum    *float64         `json:"maximum"`
	Required   []string         `json:"required"`
	Properties map[string]*node `json:"properties"`
	Items      *node            `json:"items"`
	AnyOf      []*node          `json:"anyOf"` // null, or what the last one says
	Ref        string           `json:"$ref"`  // #/$defs/NAME
	Defs       map[string]*node `json:"$defs"`
	notes
}

// notes are keywords that refuse nothing.
type notes struct {
	Schema      string `json:"$schema"`
	ID          string `json:"$id"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Format      string `json:"format"` // an annotation, as the draft has it by default; timestamps checks the times
}

// kinds is one type, or a list of them.
type kinds []string

func (k *kinds) UnmarshalJSON(b []byte) error {
	var one string
	if err := json.Unmarshal(b, &one); err == nil {
		*k = kinds{one}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(k))
}

// readSchema reads the published schema. A keyword that is not understood is an error, never passed over.
func readSchema(b []byte) (*node, error) {
	var root node
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&root); err != nil {
		return nil, fmt.Errorf("read the state's schema: %w", err)
	}
	return &root, nil
}

// schemaFaults names the fields of a value that are not as the published schema has them, down to the single entry, in
// one order for one value.
func schemaFaults(value any) ([]Fault, error) {
	root, err := readSchema(schema)
	if err != nil {
		return nil, err
	}
	c := checker{defs: root.Defs}
	c.check(root, value, "")
	if len(c.faults) > maxFaults {
		c.faults = append(c.faults[:maxFaults], Fault{Rule: "and more"})
	}
	return c.faults, nil
}

type checker struct {
	defs   map[string]*node
	faults []Fault
}

// check looks at one value, and on at what it holds.
func (c *checker) check(n *node, value any, at string) {
	if len(c.faults) > maxFaults {
		return
	}
	n, ok := c.meant(n, value)
	if !ok {
		return
	}
	if rule := n.rule(value); rule != "" {
		c.faults = append(c.faults, Fault{Field: at, Value: show(value), Rule: rule})
		return
	}
	switch v := value.(type) {
	case map[string]any:
		c.object(n, v, at)
	case []any:
		for i := 0; i < len(v) && n.Items != nil && len(c.faults) <= maxFaults; i++ {
			c.check(n.Items, v[i], join(at, strconv.Itoa(i)))
		}
	}
}

// meant follows alternatives and references; false: null stands where null may stand.
func (c *checker) meant(n *node, value any) (*node, bool) {
	if len(n.AnyOf) > 0 {
		if value == nil {
			return nil, false
		}
		n = n.AnyOf[len(n.AnyOf)-1]
	}
	if name, ok := strings.CutPrefix(n.Ref, "#/$defs/"); ok {
		n = c.defs[name]
	}
	return n, true
}

func (c *checker) object(n *node, v map[string]any, at string) {
	for _, name := range n.Required {
		if _, ok := v[name]; !ok {
			c.faults = append(c.faults, Fault{Field: join(at, name), Rule: "is missing"})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		if field := n.Properties[name]; field != nil {
			c.check(field, v[name], join(at, name))
		} else if right := n.folded(name); right != "" {
			c.faults = append(c.faults, Fault{Field: join(at, name), Rule: "is spelled " + right})
		}
	}
}

// folded is the property that a name differs from by case alone. encoding/json would take the one for the other, past
// every check.
func (n *node) folded(name string) string {
	for _, p := range slices.Sorted(maps.Keys(n.Properties)) {
		if strings.EqualFold(p, name) {
			return p
		}
	}
	return ""
}

// rule says what a value should be; "" for one that is.
func (n *node) rule(value any) string {
	switch v := value.(type) {
	case string:
		return n.textRule(v)
	case float64:
		return n.numberRule(v)
	case nil:
		return n.typeRule("null")
	case bool:
		return n.typeRule("boolean")
	case []any:
		return n.typeRule("array")
	}
	return n.typeRule("object")
}

func (n *node) textRule(v string) string {
	switch {
	case slices.Contains(n.Enum, v):
		return ""
	case n.typeRule("string") != "":
		return n.typeRule("string")
	case v == "" && n.MinLength > 0:
		return "must not be empty"
	case n.MinLength > 1 && len([]rune(v)) < n.MinLength:
		return fmt.Sprintf("must have %d characters or more", n.MinLength)
	case n.Pattern != "" && !matches(n.Pattern, v):
		return "must match " + n.Pattern
	}
	return ""
}

func matches(pattern, v string) bool {
	ok, err := regexp.MatchString(pattern, v)
	return ok && err == nil // a test reads the schema's patterns: there is none that cannot be read
}

// whole bounds whole numbers: what lies beyond fits no int.
const whole = 1 << 63

func (n *node) numberRule(v float64) string {
	is := "number"
	if v == math.Trunc(v) && math.Abs(v) <= whole && n.typeRule(is) != "" {
		is = "integer"
	}
	if rule := n.typeRule(is); rule != "" {
		return rule
	}
	switch {
	case n.Minimum != nil && v < *n.Minimum:
		return "must be " + show(*n.Minimum) + " or more"
	case n.Maximum != nil && v > *n.Maximum:
		return "must be " + show(*n.Maximum) + " or less"
	}
	return ""
}

// names are the types in a person's words.
var names = map[string]string{"null": "null", "boolean": "true or false", "string": "text", "integer": "a whole number",
	"number": "a number", "array": "a list", "object": "an object"}

func (n *node) typeRule(is string) string {
	var want []string
	switch {
	case len(n.Type) == 0 && n.Enum == nil || slices.Contains(n.Type, is):
		return ""
	case len(n.Type) == 0:
		return "must be one of " + strings.Join(n.Enum, ", ")
	}
	for _, k := range n.Type {
		want = append(want, names[k])
	}
	return "must be " + strings.Join(want, " or ")
}

func join(at, name string) string {
	if at == "" {
		return name
	}
	return at + "." + name
}
