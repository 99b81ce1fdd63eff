package assistant

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Bounds of a settings file that is edited: what is larger or deeper was written by no person.
const (
	maxSettings = 1 << 20
	maxDepth    = 200
)

// Piece is one thing that is added to a settings file in JSON, and later taken out of it again.
type Piece struct {
	At    []string        `json:"at"`    // keys from the root to the array that gets an element, or to the member that is set
	Value json.RawMessage `json:"value"` // the element, or the member's value
	Set   bool            `json:"set,omitempty"`
}

// SettingsError says why a settings file is not edited. Such a file stays untouched.
type SettingsError struct {
	Path string // relative to the root
	Why  string // with line and column where there are any
}

func (e *SettingsError) Error() string {
	return fmt.Sprintf("%s is not changed: %s", e.Path, e.Why)
}

// settings is a settings file under edit: JSON, also with comments and trailing commas, whose order, white space,
// comments, line ends and byte order mark stay as they are wherever nothing is added.
type settings struct {
	bom     bool
	newline string
	unit    string // one step of indentation; "" for a file on one line
	doc     hujson.Value
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// parseSettings reads a settings file; an empty one counts as {}.
func parseSettings(data []byte) (*settings, error) {
	s := &settings{newline: "\n", unit: "  "}
	text, bom := bytes.CutPrefix(data, byteOrderMark)
	s.bom = bom
	switch {
	case len(text) > maxSettings:
		return nil, fmt.Errorf("it is larger than %d bytes", maxSettings)
	case tooDeep(text):
		return nil, fmt.Errorf("it is nested deeper than %d levels", maxDepth)
	case len(bytes.TrimSpace(text)) == 0:
		text = []byte("{}\n")
	}
	doc, err := hujson.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("it is not valid JSON (%s)", strings.TrimPrefix(err.Error(), "hujson: "))
	}
	if bytes.Contains(text, []byte("\r\n")) {
		s.newline = "\r\n"
	}
	root, ok := doc.Value.(*hujson.Object)
	if !ok {
		return nil, fmt.Errorf("it holds no JSON object")
	}
	if len(root.Members) > 0 {
		s.unit, _ = indentation(root.Members[0].Name.BeforeExtra)
	}
	s.doc = doc
	return s, nil
}

// tooDeep looks at brackets outside of strings, before a recursive parser does.
func tooDeep(text []byte) bool {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}

func (s *settings) bytes() []byte {
	out := s.doc.Pack()
	if s.bom {
		out = append(slices.Clone(byteOrderMark), out...)
	}
	return out
}

// add puts a piece in, unless it is there; it reports whether it did, and the containers that it had to make.
func (s *settings) add(p Piece) (added bool, made [][]string, err error) {
	at, indent := &s.doc, ""
	for i, key := range p.At {
		obj, ok := at.Value.(*hujson.Object)
		if !ok {
			return false, nil, fmt.Errorf("%s is no object", where(p.At[:i]))
		}
		m, err := member(obj, key)
		if err != nil {
			return false, nil, fmt.Errorf("%s: %w", where(p.At[:i+1]), err)
		}
		last := i == len(p.At)-1
		if m != nil && last && p.Set {
			return false, made, nil
		}
		if m == nil {
			m = s.newMember(obj, indent, key, emptyFor(p, last))
			if !last || !p.Set {
				made = append(made, p.At[:i+1])
			}
		}
		indent = s.childIndent(obj, indent)
		at = m
	}
	if p.Set {
		return true, made, nil
	}
	arr, ok := at.Value.(*hujson.Array)
	if !ok {
		return false, made, fmt.Errorf("%s is no list", where(p.At))
	}
	if slices.ContainsFunc(arr.Elements, func(e hujson.Value) bool { return holds(e, p.Value) }) {
		return false, made, nil
	}
	s.append(arr, indent, p.Value)
	return true, made, nil
}

// emptyFor is the value of a new member on the way to a piece.
func emptyFor(p Piece, last bool) json.RawMessage {
	switch {
	case last && p.Set:
		return p.Value
	case last:
		return json.RawMessage("[]")
	}
	return json.RawMessage("{}")
}

func where(at []string) string {
	if len(at) == 0 {
		return "the file"
	}
	return strings.Join(at, ".")
}

// member finds a member of an object; nil: there is none. Two of the same name leave open which one counts.
func member(obj *hujson.Object, key string) (*hujson.Value, error) {
	var found *hujson.Value
	for i := range obj.Members {
		if name, ok := obj.Members[i].Name.Value.(hujson.Literal); ok && name.String() == key {
			if found != nil {
				return nil, fmt.Errorf("the key is there twice")
			}
			found = &obj.Members[i].Value
		}
	}
	return found, nil
}

// newMember adds a member at the end of an object that stands at indent.
func (s *settings) newMember(obj *hujson.Object, indent, key string, value json.RawMessage) *hujson.Value {
	inner := s.childIndent(obj, indent)
	before, after := s.room(obj.AfterExtra, indent, inner, len(obj.Members) == 0 || broken(obj.Members[0].Name.BeforeExtra))
	m := hujson.ObjectMember{
		Name:  hujson.Value{BeforeExtra: before, Value: hujson.String(key)},
		Value: hujson.Value{BeforeExtra: s.afterColon(obj), Value: s.value(value, inner)},
	}
	if n := len(obj.Members); n > 0 && obj.Members[n-1].Value.AfterExtra != nil {
		m.Value.AfterExtra = hujson.Extra{}
	}
	obj.Members = append(obj.Members, m)
	obj.AfterExtra = after
	return &obj.Members[len(obj.Members)-1].Value
}

// append adds an element at the end of an array that stands at indent.
func (s *settings) append(arr *hujson.Array, indent string, value json.RawMessage) {
	inner, spread := indent+s.unit, true
	if len(arr.Elements) > 0 {
		spread = broken(arr.Elements[0].BeforeExtra)
		if in, ok := indentation(arr.Elements[0].BeforeExtra); ok {
			inner = in
		}
	}
	before, after := s.room(arr.AfterExtra, indent, inner, spread)
	e := hujson.Value{BeforeExtra: before, Value: s.value(value, inner)}
	if n := len(arr.Elements); n > 0 && arr.Elements[n-1].AfterExtra != nil {
		e.AfterExtra = hujson.Extra{}
	}
	arr.Elements, arr.AfterExtra = append(arr.Elements, e), after
}

// room divides what stands before a closing bracket into what comes before a new last entry (comments stay where they
// were) and what comes after it.
func (s *settings) room(end hujson.Extra, outer, inner string, spread bool) (before, after hujson.Extra) {
	head, tail := end, hujson.Extra(nil)
	if i := bytes.LastIndexByte(end, '\n'); i >= 0 {
		head, tail = end[:i], end[i:]
		if bytes.HasSuffix(head, []byte("\r")) {
			head, tail = end[:i-1], end[i-1:]
		}
		head = bytes.TrimRight(head, " \t\r\n")
	}
	switch {
	case s.unit == "" && len(bytes.TrimSpace(end)) == 0: // a file on one line
		return nil, end
	case !spread && len(bytes.TrimSpace(end)) == 0:
		return hujson.Extra(" "), end
	case tail == nil:
		head, tail = bytes.TrimRight(end, " \t"), hujson.Extra(s.newline+outer)
	}
	return append(slices.Clone(head), s.newline+inner...), tail
}

func (s *settings) afterColon(obj *hujson.Object) hujson.Extra {
	if len(obj.Members) > 0 {
		if e := obj.Members[0].Value.BeforeExtra; len(e) == 0 {
			return nil
		}
	} else if s.unit == "" {
		return nil
	}
	return hujson.Extra(" ")
}

// childIndent is the indentation of the members of an object that stands at indent.
func (s *settings) childIndent(obj *hujson.Object, indent string) string {
	if len(obj.Members) > 0 {
		if in, ok := indentation(obj.Members[0].Name.BeforeExtra); ok {
			return in
		}
	}
	return indent + s.unit
}

// value lays a JSON value out at indent.
func (s *settings) value(raw json.RawMessage, indent string) hujson.ValueTrimmed {
	var b bytes.Buffer
	if s.unit == "" {
		_ = json.Compact(&b, raw)
	} else {
		_ = json.Indent(&b, raw, indent, s.unit)
	}
	v, err := hujson.Parse(bytes.ReplaceAll(b.Bytes(), []byte("\n"), []byte(s.newline)))
	if err != nil {
		return hujson.Literal("null") // our own values are JSON
	}
	return v.Value
}

// indentation is the white space that a line begins with, where a line begins.
func indentation(before hujson.Extra) (string, bool) {
	i := bytes.LastIndexByte(before, '\n')
	if i < 0 {
		return "", false
	}
	return string(before[i+1:]), true
}

func broken(before hujson.Extra) bool { return bytes.IndexByte(before, '\n') >= 0 }

// remove takes a piece out; it reports whether it was there. What a person put beside it stays.
func (s *settings) remove(p Piece) bool {
	at := s.doc
	for i, key := range p.At {
		obj, ok := at.Value.(*hujson.Object)
		if !ok {
			return false
		}
		m, err := member(obj, key)
		if err != nil || m == nil {
			return false
		}
		if p.Set && i == len(p.At)-1 {
			return sameJSON(m.Value, p.Value) && dropMember(obj, key)
		}
		at = *m
	}
	arr, ok := at.Value.(*hujson.Array)
	return ok && takeOut(arr, p.Value)
}

// prune removes a container that the program made, if nothing is left in it.
func (s *settings) prune(at []string) {
	v := s.doc
	for i, key := range at {
		obj, ok := v.Value.(*hujson.Object)
		if !ok {
			return
		}
		m, err := member(obj, key)
		if err != nil || m == nil {
			return
		}
		if i == len(at)-1 {
			if empty(*m) {
				dropMember(obj, key)
			}
			return
		}
		v = *m
	}
}

func empty(v hujson.Value) bool {
	switch x := v.Value.(type) {
	case *hujson.Object:
		return len(x.Members) == 0 && len(bytes.TrimSpace(x.AfterExtra)) == 0
	case *hujson.Array:
		return len(x.Elements) == 0 && len(bytes.TrimSpace(x.AfterExtra)) == 0
	}
	return false
}

func dropMember(obj *hujson.Object, key string) bool {
	i := slices.IndexFunc(obj.Members, func(m hujson.ObjectMember) bool {
		name, ok := m.Name.Value.(hujson.Literal)
		return ok && name.String() == key
	})
	gone := obj.Members[i]
	obj.Members = slices.Delete(obj.Members, i, i+1)
	comment := comments(gone.Name.BeforeExtra)
	switch n := len(obj.Members); {
	case i < n:
		obj.Members[i].Name.BeforeExtra = joined(comment, obj.Members[i].Name.BeforeExtra)
	case n > 0:
		obj.Members[n-1].Value.AfterExtra = lastAfter(gone.Value.AfterExtra)
		obj.AfterExtra = joined(comment, obj.AfterExtra)
	default:
		obj.AfterExtra = joined(comment, nil)
	}
	return true
}

func dropElement(arr *hujson.Array, i int) {
	gone := arr.Elements[i]
	arr.Elements = slices.Delete(arr.Elements, i, i+1)
	comment := comments(gone.BeforeExtra)
	switch n := len(arr.Elements); {
	case i < n:
		arr.Elements[i].BeforeExtra = joined(comment, arr.Elements[i].BeforeExtra)
	case n > 0:
		arr.Elements[n-1].AfterExtra = lastAfter(gone.AfterExtra)
		arr.AfterExtra = joined(comment, arr.AfterExtra)
	default:
		arr.AfterExtra = joined(comment, nil)
	}
}

// lastAfter keeps the trailing comma, or its absence, when another entry becomes the last one.
func lastAfter(was hujson.Extra) hujson.Extra {
	if was == nil {
		return nil
	}
	return hujson.Extra{}
}

// comments is an extra without its white space at the end; nil where it holds no comment.
func comments(e hujson.Extra) hujson.Extra {
	if t := bytes.TrimRight(e, " \t\r\n"); len(t) > 0 {
		return t
	}
	return nil
}

func joined(comment, rest hujson.Extra) hujson.Extra {
	if comment == nil {
		return rest
	}
	if !broken(rest) { // a line comment needs its end
		rest = append(hujson.Extra("\n"), rest...)
	}
	return append(slices.Clone(comment), rest...)
}

func sameJSON(v hujson.ValueTrimmed, want json.RawMessage) bool {
	return reflect.DeepEqual(plain(v), decoded(want))
}

func plain(v hujson.ValueTrimmed) any {
	whole := hujson.Value{Value: v}.Clone()
	whole.Standardize()
	return decoded(whole.Pack())
}

func decoded(raw []byte) any {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil
	}
	return v
}
