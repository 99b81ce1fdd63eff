package openspec

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf16"

	"go.yaml.in/yaml/v3"

	"session/internal/lazy"
)

// The program reads YAML with the npm package yaml 2: YAML 1.2, core schema. go.yaml.in/yaml reads 1.1 with parts of
// 1.2, so only its syntax tree is used here; what a scalar means is decided by the core schema's patterns.

// errYAML is the sentinel below every refusal of a YAML text.
var errYAML = errors.New("not valid YAML")

// kind is the type of a YAML value as JavaScript would hold it.
type kind int

const (
	kindMissing kind = iota // the key is not there
	kindNull
	kindString
	kindBool
	kindNumber
	kindList
	kindMap
)

var (
	coreNull  = lazy.Regexp(`^(?:~|[Nn]ull|NULL)?$`)
	coreBool  = lazy.Regexp(`^(?:[Tt]rue|TRUE|[Ff]alse|FALSE)$`)
	coreInt   = lazy.Regexp(`^(?:0o[0-7]+|[-+]?[0-9]+|0x[0-9a-fA-F]+)$`)
	coreFloat = lazy.Regexp(`^(?:[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?)$`)
	coreNaN   = lazy.Regexp(`^(?:[-+]?\.(?:inf|Inf|INF)|\.nan|\.NaN|\.NAN)$`)
)

// value is a node of a YAML document, aliases followed. Its zero value is a missing key.
type value struct{ node *yaml.Node }

// parseYAML reads one YAML document; several are refused, as are duplicate keys. An empty text is null.
func parseYAML(text string) (value, error) {
	if strings.HasPrefix(text, "\xFF\xFE") || strings.HasPrefix(text, "\xFE\xFF") {
		return value{}, fmt.Errorf("%w: not UTF-8", errYAML) // the library would decode UTF-16, the program does not
	}
	text = forLibrary(wellFormed(text))
	d := yaml.NewDecoder(strings.NewReader(text))
	var doc, more yaml.Node
	if err := d.Decode(&doc); errors.Is(err, io.EOF) {
		return value{&yaml.Node{Kind: yaml.ScalarNode}}, nil
	} else if err != nil {
		return value{}, fmt.Errorf("%w: %w", errYAML, err)
	}
	if err := d.Decode(&more); !errors.Is(err, io.EOF) {
		return value{}, fmt.Errorf("%w: more than one document", errYAML)
	}
	if err := uniqueKeys(&doc); err != nil {
		return value{}, err
	}
	if len(doc.Content) == 0 {
		return value{&yaml.Node{Kind: yaml.ScalarNode}}, nil
	}
	if err := strict(&doc, strings.Split(text, "\n"), -1); err != nil {
		return value{}, err
	}
	return value{doc.Content[0]}, nil
}

// forLibrary rewrites what npm's yaml allows and the library does not, or takes for something else: directives, tabs
// that lead an empty line or a comment, a block scalar that ends with the text, escapes of JSON, and odd characters.
func forLibrary(text string) string {
	text = strings.TrimPrefix(text, "\uFEFF")
	if strings.HasPrefix(text, "%") {
		text = knownDirectives(text)
	}
	if strings.Contains(text, "\t") {
		text = tabLines().ReplaceAllStringFunc(text, func(s string) string { return strings.ReplaceAll(s, "\t", " ") })
	}
	if strings.Contains(text, `\`) {
		text = jsonEscapes().ReplaceAllStringFunc(text, libraryEscape)
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return hide(text)
}

// knownDirectives drops all directives but those for tags: the program warns of them at most. One has to stay, since it
// must be followed by a marker of the document's start.
func knownDirectives(text string) string {
	known := "%YAML 1.1\n"
	for strings.HasPrefix(text, "%") {
		line, rest, _ := strings.Cut(text, "\n")
		if strings.HasPrefix(line, "%TAG") {
			known += line + "\n"
		}
		text = rest
	}
	return known + text
}

var (
	tabLines    = lazy.Regexp(`(?m)^ *\t[ \t]*(?:\r?$|#)`)
	jsonEscapes = lazy.Regexp(`\\+(?:/|u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})`)
)

// libraryEscape writes an escaped slash or surrogate pair of JSON as the library can read it.
func libraryEscape(s string) string {
	last := strings.IndexAny(s, "/u") - 1
	if last%2 == 1 { // the backslash before it is escaped itself
		return s
	}
	if s[last+1] == '/' {
		return s[:last] + string(rune(escapedSlash))
	}
	high, _ := strconv.ParseUint(s[last+2:last+6], 16, 32) // the pattern has checked the digits
	low, _ := strconv.ParseUint(s[last+8:], 16, 32)
	return s[:last] + fmt.Sprintf(`\U%08X`, utf16.DecodeRune(rune(high), rune(low)))
}

// Characters that the library refuses or breaks lines at, while they are nothing special to the program, are moved to a
// plane for private use until the text has been read.
const (
	privatePlane = 0xF0000
	escapedSlash = 0x100000
)

func hide(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' || r >= 0x7F && r < 0xA0 || r == 0x2028 || r == 0x2029 || r == 0xFFFE || r == 0xFFFF {
			return privatePlane + r
		}
		return r
	}, text)
}

func unhide(text string, escapes bool) string {
	slash := `\/`
	if escapes {
		slash = "/"
	}
	text = strings.ReplaceAll(text, string(rune(escapedSlash)), slash)
	return strings.Map(func(r rune) rune {
		if r >= privatePlane && r < escapedSlash {
			return r - privatePlane
		}
		return r
	}, text)
}

func uniqueKeys(n *yaml.Node) error {
	if n.Kind == yaml.MappingNode {
		seen := make(map[string]bool, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			if k := n.Content[i]; k.Kind == yaml.ScalarNode {
				name := (value{k}).key()
				if seen[name] {
					return fmt.Errorf("%w: line %d: a key is written twice", errYAML, k.Line)
				}
				seen[name] = true
			}
		}
	}
	for _, c := range n.Content {
		if err := uniqueKeys(c); err != nil {
			return err
		}
	}
	return nil
}

// key tells scalar keys apart as JavaScript does: 1 and 0x1 are the same, 1 and "1" are not.
func (v value) key() string {
	k := v.kind()
	switch k {
	case kindNull:
		return fmt.Sprint(k)
	case kindBool:
		return fmt.Sprint(k, strings.ToLower(v.node.Value))
	case kindNumber:
		if n, ok := v.number(); ok {
			return fmt.Sprint(k, n)
		}
	}
	return fmt.Sprint(k, v.node.Value)
}

func (v value) resolved() *yaml.Node {
	if v.node != nil && v.node.Kind == yaml.AliasNode {
		return v.node.Alias
	}
	return v.node
}

func (v value) kind() kind {
	n := v.resolved()
	switch {
	case n == nil:
		return kindMissing
	case n.Kind == yaml.MappingNode:
		return kindMap
	case n.Kind == yaml.SequenceNode:
		return kindList
	case n.Style&yaml.TaggedStyle != 0:
		return taggedKind(n)
	case n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return kindString
	}
	return plainKind(n.Value)
}

func taggedKind(n *yaml.Node) kind {
	switch n.Tag {
	case "!!null", "!!bool", "!!int", "!!float":
		return plainKind(n.Value)
	}
	return kindString
}

func plainKind(s string) kind {
	switch {
	case coreNull().MatchString(s):
		return kindNull
	case coreBool().MatchString(s):
		return kindBool
	case coreInt().MatchString(s), coreFloat().MatchString(s), coreNaN().MatchString(s):
		return kindNumber
	}
	return kindString
}

// parts gives what a mapping (keys and values in turn) or list holds; nil if v is not of that kind.
func (v value) parts(kind yaml.Kind) []*yaml.Node {
	if n := v.resolved(); n != nil && n.Kind == kind {
		return n.Content
	}
	return nil
}

// get gives the value of a key; missing if v is no mapping or has no such key.
func (v value) get(key string) value {
	all := v.parts(yaml.MappingNode)
	for i := 0; i+1 < len(all); i += 2 {
		if k := (value{all[i]}).resolved(); k.Kind == yaml.ScalarNode && k.Value == key {
			return value{all[i+1]}
		}
	}
	return value{}
}

// text gives a string value; ok is false for every other kind.
func (v value) text() (s string, ok bool) {
	if v.kind() != kindString {
		return "", false
	}
	n := v.resolved()
	return unhide(n.Value, n.Style&yaml.DoubleQuotedStyle != 0), true
}

// items gives the entries of a list.
func (v value) items() (list []value) {
	for _, n := range v.parts(yaml.SequenceNode) {
		list = append(list, value{n})
	}
	return list
}

// keys gives the keys of a mapping as written.
func (v value) keys() (keys []string) {
	all := v.parts(yaml.MappingNode)
	for i := 0; i+1 < len(all); i += 2 {
		keys = append(keys, all[i].Value)
	}
	return keys
}

// number gives a numeric value.
func (v value) number() (float64, bool) {
	if v.kind() != kindNumber {
		return 0, false
	}
	s := v.resolved().Value
	if coreInt().MatchString(s) && len(s) > 1 && s[0] == '0' && (s[1] == 'o' || s[1] == 'x') {
		n, err := strconv.ParseUint(s, 0, 64)
		return float64(n), err == nil
	}
	f, err := strconv.ParseFloat(strings.Replace(s, "+.", ".", 1), 64)
	return f, err == nil
}
