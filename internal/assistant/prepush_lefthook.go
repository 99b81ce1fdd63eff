package assistant

import (
	"bytes"
	"path/filepath"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"
)

// lefthookRun is the command of our entry; {1} and {2} are git's arguments.
const lefthookRun = "command -v session >/dev/null 2>&1 || exit 0; SESSION_HOOK=1 session hook pre-push {1} {2} || exit 0"

func lefthookEntry(indent string) string {
	return indent + blockOpen + "\n" + indent + "session:\n" + indent + "  run: '" + lefthookRun + "'\n" + indent + "  use_stdin: true\n" + indent + blockEnd + "\n"
}

func lefthookWhole() string {
	body := strings.TrimPrefix(strings.TrimSuffix(lefthookEntry("    "), "    "+blockEnd+"\n"), "    "+blockOpen+"\n")
	return blockOpen + "\npre-push:\n  commands:\n" + body + blockEnd + "\n"
}

// lefthook plans an entry in the local configuration, which lefthook lays over the project's.
func (p *HookPlan) lefthook() error {
	if is, err := readHook(p.Site.File); err == nil && (is == nil || !strings.Contains(string(is.data), "lefthook")) {
		p.Then = []string{"lefthook", "install"}
	}
	name := firstFile(p.Site.Root, lefthookNames("lefthook-local"))
	if name == "" {
		name = strings.TrimSuffix(strings.Replace(p.Site.lefthook, "lefthook", "lefthook-local", 1), filepath.Ext(p.Site.lefthook)) + ".yml"
	}
	t, rel, err := p.at(filepath.Join(p.Site.Root, filepath.FromSlash(name)))
	if err != nil {
		return err
	}
	defer t.close()
	is, err := t.read(rel)
	if err != nil {
		return err
	}
	switch {
	case is == nil:
		p.Changes = []Change{{Act: Create, Path: rel, After: []byte(lefthookWhole()), Mode: 0o644}}
	case calls(string(is.data)):
		p.Kept = append(p.Kept, Kept{rel, Current})
	default:
		next, ok := withLefthook(is.data, rel)
		if !ok {
			p.Manual = &Manual{File: rel, Lines: lefthookWhole(), Why: "this file is not in the form that can be added to"}
			return nil
		}
		p.Changes = []Change{{Act: Merge, Path: rel, Before: is.data, After: next, Mode: is.mode}}
	}
	return nil
}

// withLefthook adds our entry to a configuration in YAML, as lines, so that all else stays as it is. The result is read
// again: it must say what it said before, and our entry.
func withLefthook(text []byte, name string) ([]byte, bool) {
	if ext := filepath.Ext(name); ext != ".yml" && ext != ".yaml" {
		return nil, false
	}
	var doc yaml.Node
	if yaml.Unmarshal(text, &doc) != nil {
		return nil, false
	}
	next, ok := lefthookLines(text, &doc)
	if !ok || !sameBut(text, next) {
		return nil, false
	}
	return next, true
}

// lefthookLines puts the entry in front of the first command of pre-push, or pre-push at the end.
func lefthookLines(text []byte, doc *yaml.Node) ([]byte, bool) {
	if len(doc.Content) == 0 {
		return appended(text, lefthookWhole()), true
	}
	hook := yamlMember(doc.Content[0], hookName)
	switch {
	case doc.Content[0].Kind != yaml.MappingNode || doc.Content[0].Style&yaml.FlowStyle != 0:
		return nil, false
	case hook == nil:
		return appended(text, lefthookWhole()), true
	}
	all := yamlMember(hook, "commands")
	if all == nil || all.Kind != yaml.MappingNode || all.Style&yaml.FlowStyle != 0 || len(all.Content) == 0 {
		return nil, false
	}
	at := all.Content[0]
	lines := bytes.SplitAfter(text, []byte("\n"))
	if at.Line < 1 || at.Line > len(lines) {
		return nil, false
	}
	entry := appended(nil, lefthookEntry(strings.Repeat(" ", at.Column-1)))
	if bytes.Contains(text, []byte("\r\n")) {
		entry = bytes.ReplaceAll(entry, []byte("\n"), []byte("\r\n"))
	}
	out := bytes.Join(lines[:at.Line-1], nil)
	out = append(out, entry...)
	return append(out, bytes.Join(lines[at.Line-1:], nil)...), true
}

func yamlMember(m *yaml.Node, key string) *yaml.Node {
	if m == nil || m.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == key {
			return m.Content[i+1]
		}
	}
	return nil
}

// sameBut reports whether two configurations differ by our entry only.
func sameBut(before, after []byte) bool {
	var a, b map[string]any
	if yaml.Unmarshal(before, &a) != nil || yaml.Unmarshal(after, &b) != nil {
		return false
	}
	hook, _ := b[hookName].(map[string]any)
	all, _ := hook["commands"].(map[string]any)
	ours, _ := all["session"].(map[string]any)
	if ours["run"] != lefthookRun {
		return false
	}
	delete(all, "session")
	if len(all) == 0 {
		delete(hook, "commands")
	}
	if len(hook) == 0 {
		delete(b, hookName)
	}
	if len(a) == 0 && len(b) == 0 {
		return true
	}
	return reflect.DeepEqual(a, b)
}
