package plan

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// MaxFile is the largest policy file, in bytes.
const MaxFile = 1 << 20

// maxDepth is how deep a policy file may be nested; what a policy needs is six.
const maxDepth = 32

// mostProblems is how many problems of one file are kept: a file of a megabyte can have half a million.
const mostProblems = 1000

// reader reads one file. It goes on after a problem, so that a person sees all of them at once.
type reader struct {
	file     string
	problems []Problem
	refs     []ref // names that the entry under way uses
	cat      Catalogue
}

func (r *reader) problem(n *yaml.Node, path, format string, args ...any) {
	if len(r.problems) == mostProblems {
		return
	}
	what := fmt.Sprintf(format, args...)
	if path != "" {
		what = path + ": " + what
	}
	r.problems = append(r.problems, Problem{r.place(n), what})
}

func (r *reader) place(n *yaml.Node) Place { return Place{r.file, max(1, n.Line), max(1, n.Column)} }

// document reads bytes into the root mapping of one YAML document; nil where there is none to go on with.
func (r *reader) document(b []byte) *yaml.Node {
	start := &yaml.Node{Line: 1, Column: 1}
	if len(b) > MaxFile {
		r.problem(start, "", "the file has %d bytes, at most %d are read", len(b), MaxFile)
		return nil
	}
	b = bytes.ReplaceAll(bytes.TrimPrefix(b, []byte("\ufeff")), []byte("\r\n"), []byte("\n"))
	if !r.characters(b) {
		return nil
	}
	var doc, next yaml.Node
	d := yaml.NewDecoder(bytes.NewReader(b))
	if err := decode(d, &doc); err != nil {
		r.syntax(err)
		return nil
	}
	if err := decode(d, &next); err == nil {
		r.problem(&next, "", "a second document begins here: a policy file is one document")
	} else if !errors.Is(err, io.EOF) {
		r.syntax(err)
	}
	root := doc.Content[0]
	r.structure(root, 1)
	if root.Kind != yaml.MappingNode {
		r.problem(root, "", "a mapping is expected here, there is %s", kind(root))
		return nil
	}
	return root
}

// decode reads the next document. The library panics on purpose and catches that; whatever slips through is an error.
func decode(d *yaml.Decoder, n *yaml.Node) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the YAML reader gave up: %v", p)
		}
	}()
	if err := d.Decode(n); err != nil {
		return err
	}
	if len(n.Content) != 1 {
		return io.EOF
	}
	return nil
}

// characters refuses bytes that YAML readers or screens disagree about, and directives.
func (r *reader) characters(b []byte) bool {
	ok := true
	line, col := 1, 1
	for i := 0; i < len(b); {
		c, size := utf8.DecodeRune(b[i:])
		if why := unwanted(c, size, col); why != "" && len(r.problems) < mostShown {
			r.problem(&yaml.Node{Line: line, Column: col}, "", "%s", why)
			ok = false
		}
		i, col = i+size, col+1
		if c == '\n' {
			line, col = line+1, 1
		}
	}
	return ok
}

func unwanted(c rune, size, col int) string {
	switch {
	case c == utf8.RuneError && size == 1:
		return "not UTF-8"
	case c == '\n':
		return ""
	case c == '\t':
		return `a tab: use spaces, or "\t" inside double quotes`
	case c == '%' && col == 1:
		return "a directive: policy files have none"
	case c < ' ' || c >= 0x7f && c < 0xa0 || c == 0x2028 || c == 0x2029 || c == 0xfeff:
		return fmt.Sprintf("control character U+%04X: write it as an escape inside double quotes", c)
	case c >= 0x202a && c <= 0x202e || c >= 0x2066 && c <= 0x2069:
		return fmt.Sprintf("U+%04X changes the direction of the text that you read: write it as an escape inside double quotes", c)
	}
	return ""
}

// syntax reports what the YAML library says. It tells the line in its text only: none for the first line, and one too
// few where the parser, not the scanner, stopped.
func (r *reader) syntax(err error) {
	if errors.Is(err, io.EOF) {
		r.problem(&yaml.Node{}, "", "the file is empty: leave it out of the profile, or write {} for no entries")
		return
	}
	n, what := &yaml.Node{}, strings.TrimPrefix(err.Error(), "yaml: ")
	if number, after, ok := strings.Cut(strings.TrimPrefix(what, "line "), ": "); ok && after != "" {
		if line, err := strconv.Atoi(number); err == nil {
			n.Line, what = line, after
		}
	}
	if n.Line > 0 && strings.HasPrefix(what, "did not find expected") {
		n.Line++
	}
	r.problem(n, "", "YAML: %s", what)
}

// structure refuses what YAML has and a policy does not: anchors, aliases, tags, merge keys, repeated keys, keys that
// are not text, deep nesting.
func (r *reader) structure(n *yaml.Node, depth int) {
	switch {
	case depth > maxDepth:
		r.problem(n, "", "nested more than %d deep", maxDepth)
		return
	case n.Kind == yaml.AliasNode:
		r.problem(n, "", "an alias (*%s): write the value out", n.Value)
		return
	case n.Anchor != "":
		r.problem(n, "", "an anchor (&%s): policy files have none", n.Anchor)
	case n.Style&yaml.TaggedStyle != 0:
		r.problem(n, "", "a tag (%s): policy files have none", quoted(n.Tag))
	}
	if n.Kind == yaml.MappingNode {
		r.keys(n)
	}
	for _, c := range n.Content {
		r.structure(c, depth+1)
	}
}

func (r *reader) keys(n *yaml.Node) {
	first := map[string]int{}
	for i := 0; i < len(n.Content); i += 2 {
		k := n.Content[i]
		if k.Kind != yaml.ScalarNode {
			continue // reported as what it is, or by name
		}
		if plain(k) && k.Value == "<<" {
			r.problem(k, "", "a merge key (<<): write the values out")
			continue
		}
		if line := first[k.Value]; line > 0 {
			r.problem(k, "", "key %s stands in line %d already", quoted(k.Value), line)
		}
		first[k.Value] = k.Line
	}
}

func plain(n *yaml.Node) bool {
	const marked = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	return n.Kind == yaml.ScalarNode && n.Style&marked == 0
}

// kind names what a node is, for messages.
func kind(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	}
	switch scalar(n) {
	case isNull:
		return "nothing (null)"
	case isBool:
		return "the boolean " + n.Value
	case isInt, isDecimal:
		return "the number " + short(n.Value)
	case isText:
		return "the text " + quoted(n.Value)
	}
	return short(n.Value) + ", which YAML readers take for different things"
}

func quoted(s string) string { return strconv.Quote(short(s)) }

// short cuts what is shown of a value.
func short(s string) string {
	const most = 60
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}
