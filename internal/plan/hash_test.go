package plan

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// all are the built-in files by sheet.
func all(t *testing.T) map[string]string {
	return map[string]string{"modes": source(t, "modes.yaml"), "triggers": source(t, "triggers.yaml"), "bundles": source(t, "bundles.yaml")}
}

// wholeHash is the hash of a policy whose three files stand alone.
func wholeHash(files map[string]string) (string, error) {
	p := Profile{Name: name, Base: "builtin/1", Modes: "m", Triggers: "t", Bundles: "b", Whole: sheets}
	pol, err := Assemble(p, map[string][]byte{"m": []byte(files["modes"]), "t": []byte(files["triggers"]), "b": []byte(files["bundles"])}, catalogue())
	if err != nil {
		return "", err
	}
	return pol.Hash()
}

// respelled writes a document again: style changes every node, swap turns the order of keys around.
func respelled(t *testing.T, src string, style yaml.Style, swap bool) string {
	t.Helper()
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(src), &doc); err != nil {
		t.Fatal(err)
	}
	restyle(&doc, style, swap)
	b, err := yaml.Marshal(&doc)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func restyle(n *yaml.Node, style yaml.Style, swap bool) {
	n.HeadComment, n.LineComment, n.FootComment = "", "", ""
	switch {
	case n.Kind == yaml.ScalarNode && n.Tag == "!!str":
		n.Style = style &^ yaml.FlowStyle
	case n.Kind != yaml.ScalarNode:
		n.Style = style & yaml.FlowStyle
	}
	if n.Kind == yaml.MappingNode && swap {
		for i, j := 0, len(n.Content)-2; i < j; i, j = i+2, j-2 {
			n.Content[i], n.Content[j] = n.Content[j], n.Content[i]
			n.Content[i+1], n.Content[j+1] = n.Content[j+1], n.Content[i+1]
		}
	}
	for _, c := range n.Content {
		restyle(c, style, swap)
	}
}

func TestSpellingDoesNotChangeTheHash(t *testing.T) {
	files := all(t)
	want, err := wholeHash(files)
	if err != nil {
		t.Fatal(err)
	}
	for how, change := range map[string]func(string) string{
		"CRLF":          func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
		"BOM":           func(s string) string { return "\ufeff" + s },
		"start marker":  func(s string) string { return "--- # policy\n" + s + "...\n" },
		"comments":      func(s string) string { return "# first\n" + strings.ReplaceAll(s, ":\n", ": # said\n") + "\n\n# last" },
		"no comments":   func(s string) string { return respelled(t, s, 0, false) },
		"key order":     func(s string) string { return respelled(t, s, 0, true) },
		"single quotes": func(s string) string { return respelled(t, s, yaml.SingleQuotedStyle, false) },
		"double quotes": func(s string) string { return respelled(t, s, yaml.DoubleQuotedStyle, true) },
		"flow":          func(s string) string { return respelled(t, s, yaml.FlowStyle|yaml.DoubleQuotedStyle, false) },
		"literal":       func(s string) string { return respelled(t, s, yaml.LiteralStyle, false) },
		"as JSON": func(s string) string {
			var v any
			if err := yaml.Unmarshal([]byte(s), &v); err != nil {
				t.Fatal(err)
			}
			b, _ := json.MarshalIndent(v, "", " ")
			return string(b)
		},
		"durations": func(s string) string {
			return strings.NewReplacer("15m", "900s", "30m", "1800000ms", "2m", "1m60s").Replace(s)
		},
		"command list": func(s string) string { return s },
	} {
		changed := map[string]string{}
		for n, s := range files {
			changed[n] = change(s)
			if changed[n] == s && how != "command list" && how != "durations" {
				t.Errorf("%s changes nothing in %s", how, n)
			}
		}
		if got, err := wholeHash(changed); err != nil || got != want {
			t.Errorf("%s: %s %v", how, got, err)
		}
	}
}

// TestEveryValueCounts changes every single scalar and every list of the built-in policy, one at a time. Each change
// must be refused or give another hash.
func TestEveryValueCounts(t *testing.T) {
	files := all(t)
	want, err := wholeHash(files)
	if err != nil {
		t.Fatal(err)
	}
	refused, changed := 0, 0
	for sheet, src := range files {
		for i := 0; ; i++ {
			var doc yaml.Node
			if err := yaml.Unmarshal([]byte(src), &doc); err != nil {
				t.Fatal(err)
			}
			what, done := alter(&doc, i)
			if done {
				break
			}
			b, _ := yaml.Marshal(&doc)
			edited := map[string]string{"modes": files["modes"], "triggers": files["triggers"], "bundles": files["bundles"]}
			edited[sheet] = string(b)
			got, err := wholeHash(edited)
			switch {
			case err != nil:
				refused++
			case got == want:
				t.Errorf("%s: %s does not change the hash", sheet, what)
			default:
				changed++
			}
		}
	}
	t.Logf("%d changes gave another hash, %d were refused", changed, refused)
	if changed < 80 || refused < 200 {
		t.Error("the test does not test what it says")
	}
}

// alter changes the i-th node: a scalar's value; a list's order, or its last element.
func alter(n *yaml.Node, i int) (what string, done bool) {
	seen := 0
	var walk func(*yaml.Node) bool
	walk = func(n *yaml.Node) bool {
		if n.Kind == yaml.ScalarNode || n.Kind == yaml.SequenceNode {
			if seen == i {
				what = fmt.Sprintf("line %d %.30s", n.Line, n.Value)
				change(n)
				return true
			}
			seen++
		}
		for _, c := range n.Content {
			if walk(c) {
				return true
			}
		}
		return false
	}
	return what, !walk(n)
}

func change(n *yaml.Node) {
	switch {
	case n.Kind == yaml.SequenceNode && len(n.Content) > 1:
		n.Content[0], n.Content[1] = n.Content[1], n.Content[0]
	case n.Kind == yaml.SequenceNode:
		n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: "Describe"})
	case n.Tag == "!!bool":
		n.Value = strconv.FormatBool(n.Value != "true")
	case n.Tag == "!!int":
		v, _ := strconv.Atoi(n.Value)
		n.Value = strconv.Itoa(v + 1)
	default:
		if d, err := ParseDuration(n.Value); err == nil {
			n.Value = (d + d).String()
		} else {
			n.Value += "x"
		}
	}
}

func TestRestore(t *testing.T) {
	rule := "rules: [{id: r, literals: [a], within: 12, pattern: 'x\\s+\"q\"'}]\n"
	p, err := project(t, "", "eod: {for: save, as: sync, steps: [Look: {keep: true, limit: 5s}]}\n", rule,
		"checks: {mine: {build: [[cmake, -B, b], [cmake, --build, b]], test: [ctest], limit: 1h}}\n")
	if err != nil {
		t.Fatal(err)
	}
	b, err := p.Canonical()
	if err != nil {
		t.Fatal(err)
	}
	back, err := Restore(b)
	if err != nil {
		t.Fatal(err)
	}
	if mustHash(t, back, nil) != mustHash(t, p, nil) {
		t.Error("another hash after a round trip")
	}
	if got := back.Bundles.Checks["mine"].Build.Run; len(got) != 2 || got[1][0] != "cmake" || back.Profile != name {
		t.Errorf("%+v", back)
	}
	if !strings.Contains(string(b), `"test":[["ctest"]]`) {
		t.Error("one argument list and a list of one are the same command")
	}
	for how, bad := range map[string]string{
		"cut":           string(b[:len(b)-1]),
		"empty":         "",
		"null":          "null",
		"other":         `{"profile":"x"}`,
		"unknown key":   strings.Replace(string(b), `"profile"`, `"extra":1,"profile"`, 1),
		"white space":   string(b) + "\n",
		"a step less":   strings.Replace(string(b), `{"name":"Look"},`, "", 1),
		"zero duration": strings.ReplaceAll(string(b), `"1h"`, `"0s"`),
		"long duration": strings.ReplaceAll(string(b), `"1h"`, `"60m"`),
		"no arguments":  strings.Replace(string(b), `[["ctest"]]`, `[[]]`, 1),
		"another plan":  strings.Replace(string(b), `"plans":{"autosave":{"for":"save"`, `"plans":{"autosave":{"for":"load"`, 1),
		"too long":      strings.Repeat(" ", 8*MaxFile) + string(b),
	} {
		if got, err := Restore([]byte(bad)); !errors.Is(err, ErrStored) || got != nil {
			t.Errorf("%s: %v", how, err)
		}
	}
}

func TestDiff(t *testing.T) {
	canonical := func(p *Policy, err error) []byte {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		b, err := p.Canonical()
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	base := canonical(Builtin(Newest, catalogue()))
	show := func(after []byte) string {
		t.Helper()
		all, err := Diff(base, after)
		if err != nil {
			t.Fatal(err)
		}
		s := ""
		for _, c := range all {
			s += c.String() + "\n"
		}
		return s
	}
	if got := show(base); got != "" {
		t.Error(got)
	}
	own := canonical(project(t, "",
		"eod: {for: save, as: sync, steps: [Look]}\nquick: {for: save, steps: [Look]}\n",
		"events: {turn-end: null, session-end: eod}\nblockers: {other: {severity: high, mend: build}}\n",
		"mend: {build: {agents: [cpp-builder], proof: same-check, attempts: 3, limit: 20m}}\n"))
	want := `profile: "builtin/1" → ".claude/session/profile.yaml"
modes.yaml: eod: – → {"as":"sync","for":"save","steps":[{"name":"Look"}]}
modes.yaml: quick.steps: [{"name":"Look"},{"name":"Guard","with":{"allow":[],"max_file_size":10485760}},{"name":"Describe"},{"name":"Commit","with":{"hooks":false}},{"name":"Diagnose"},{"name":"SummarizeMemory"},{"name":"PersistMemory"}] → [{"name":"Look"}]
triggers.yaml: blockers.other.mend: – → "build"
triggers.yaml: blockers.other.severity: "medium" → "high"
triggers.yaml: events.session-end: "autosave" → "eod"
triggers.yaml: events.turn-end: "autosave" → –
bundles.yaml: mend.build.limit: "15m" → "20m"
`
	if got := show(own); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	program := []byte(strings.Replace(string(base), `"mode":"load","steps":[`, `"mode":"load","steps":[{"name":"Greet"},`, 1))
	if got := show(program); !strings.HasPrefix(got, "plans: load.steps: [") || strings.Count(got, "\n") != 1 {
		t.Error("a program that reads the same modes otherwise:", got)
	}
	foreign := []byte(strings.Replace(string(base), `"profile":`, `"answers":{"a":1},"profile":`, 1))
	if got := show(foreign); got != "answers: – → {\"a\":1}\n" {
		t.Error("a part that this version does not know:", got)
	}
	for _, bad := range []string{"", "[]", `"x"`, `{"a":1,"a":2}`, "{"} {
		if _, err := Diff(base, []byte(bad)); !errors.Is(err, ErrStored) {
			t.Errorf("%q: %v", bad, err)
		}
		if _, err := Diff([]byte(bad), base); !errors.Is(err, ErrStored) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// FuzzPolicy: whatever the bytes, there is an answer; problems have places inside the file; what is accepted has one
// stored form, which reads back, and which line ends and comments do not change.
func FuzzPolicy(f *testing.F) {
	for _, row := range problemRows {
		if len(row.src) < 1000 {
			f.Add(row.file[0] == 't', row.file[0] == 'b', []byte(row.src))
		}
	}
	for i, sheet := range sheets {
		b, _ := builtin.ReadFile("builtin/1/" + sheet + ".yaml")
		f.Add(i == 1, i == 2, b)
	}
	f.Fuzz(func(t *testing.T, triggers, bundles bool, src []byte) {
		sheet := "modes"
		if triggers {
			sheet = "triggers"
		} else if bundles {
			sheet = "bundles"
		}
		p, err := projectRaw(map[string]string{sheet: string(src)})
		var i *Invalid
		if errors.As(err, &i) {
			for _, pr := range i.Problems {
				if pr.At.Line < 1 || pr.At.Col < 1 || pr.At.Line > strings.Count(string(src), "\n")+300 {
					t.Fatal(pr)
				}
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		b, err := p.Canonical()
		if err != nil {
			t.Fatal(err)
		}
		back, err := Restore(b)
		if err != nil {
			t.Fatalf("%v\n%s", err, b)
		}
		h, _ := p.Hash()
		if again, _ := back.Hash(); again != h {
			t.Fatal("another hash")
		}
		crlf := strings.ReplaceAll(strings.ReplaceAll(string(src), "\r\n", "\n"), "\n", "\r\n") + "\r\n# end"
		if q, err := projectRaw(map[string]string{sheet: crlf}); err != nil {
			t.Fatalf("with CRLF: %v", err)
		} else if again, _ := q.Hash(); again != h {
			t.Fatalf("another hash with CRLF: %q", src)
		}
	})
}

// FuzzRestore and Diff read what stands in a store that others can write.
func FuzzRestore(f *testing.F) {
	p, err := Builtin(Newest, catalogue())
	if err != nil {
		f.Fatal(err)
	}
	b, _ := p.Canonical()
	f.Add(b)
	f.Add([]byte(`{"plans":null,"profile":"x"}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		if _, err := Diff(b, in); err != nil && !errors.Is(err, ErrStored) {
			t.Fatal(err)
		}
		q, err := Restore(in)
		if err != nil {
			return
		}
		if again, err := q.Canonical(); err != nil || string(again) != string(in) {
			t.Fatal(err)
		}
	})
}

func BenchmarkBuiltin(b *testing.B) {
	cat := catalogue()
	b.ReportAllocs()
	for b.Loop() {
		p, err := Builtin(Newest, cat)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := p.Hash(); err != nil {
			b.Fatal(err)
		}
	}
}
