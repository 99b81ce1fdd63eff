package openspec

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// strict refuses what the library reads and the program does not: lines of a quoted text or of a list or mapping in
// brackets that are not indented deeper than what they belong to, and a comment right behind its end. lines is the text
// that was read; indent the column of the innermost block that n is in, -1 for none.
func strict(n *yaml.Node, lines []string, indent int) error {
	quoted := n.Kind == yaml.ScalarNode && n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0
	if quoted || n.Style&yaml.FlowStyle != 0 && (n.Kind == yaml.SequenceNode || n.Kind == yaml.MappingNode) {
		if line := endsBadly(lines, n, indent); line > 0 {
			return fmt.Errorf("%w: line %d: not indented enough, or a comment without a blank before it", errYAML, line)
		}
		return nil
	}
	if n.Kind == yaml.SequenceNode || n.Kind == yaml.MappingNode {
		indent = n.Column - 1
		if n.Anchor != "" || n.Style&yaml.TaggedStyle != 0 {
			indent = n.Content[0].Column - 1
		}
	}
	for _, c := range n.Content {
		if err := strict(c, lines, indent); err != nil {
			return err
		}
	}
	return nil
}

// endsBadly gives the line on which a quoted text or a bracket goes wrong, 0 if it does not.
func endsBadly(lines []string, n *yaml.Node, indent int) int {
	var quote rune
	depth, start, escaped := 0, false, false
	for i := n.Line - 1; i < len(lines); i++ {
		line := []rune(lines[i])
		at := 0
		if i == n.Line-1 {
			at = min(n.Column-1, len(line))
		} else if text := strings.TrimLeft(lines[i], " "); strings.TrimSpace(text) != "" && (quote != 0 || text[0] != '#') {
			in := len(lines[i]) - len(text)
			closes := depth == 1 && quote == 0 && in == indent && (text[0] == ']' || text[0] == '}')
			if in <= indent && !closes {
				return i + 1
			}
		}
		for ; at < len(line); at++ {
			c := line[at]
			switch {
			case escaped:
				escaped = false
			case quote == '"' && c == '\\':
				escaped = true
			case quote == '\'' && c == '\'' && at+1 < len(line) && line[at+1] == '\'':
				at++
			case quote != 0:
				if c == quote {
					quote = 0
				}
			case (start || depth == 0) && (c == '"' || c == '\''):
				quote, start = c, false
			case c == '[' || c == '{':
				depth++
				start = true
				continue
			case c == ']' || c == '}':
				depth--
			case c == '#' && depth > 0 && (at == 0 || line[at-1] == ' ' || line[at-1] == '\t'):
				at = len(line)
				continue
			case depth == 0: // a tag or an anchor before it
				continue
			case c == ',' || c == ':' || c == '?':
				start = true
				continue
			case c != ' ' && c != '\t':
				start = false
			}
			if quote == 0 && depth == 0 {
				if at+1 < len(line) && line[at+1] == '#' {
					return i + 1
				}
				return 0
			}
		}
		escaped = false
	}
	return 0
}
