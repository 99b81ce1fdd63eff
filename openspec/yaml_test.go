package openspec

import (
	"errors"
	"strings"
	"testing"
)

// TestScalarKinds has scalars on which YAML 1.1 and 1.2 disagree, as npm's yaml 2 reads them.
func TestScalarKinds(t *testing.T) {
	for in, want := range map[string]kind{
		"": kindNull, "~": kindNull, "null": kindNull, "Null": kindNull, "NULL": kindNull, "nUll": kindString,
		"true": kindBool, "False": kindBool, "TRUE": kindBool, "tRue": kindString,
		"yes": kindString, "no": kindString, "on": kindString, "off": kindString, "y": kindString,
		"1": kindNumber, "-1": kindNumber, "+1": kindNumber, "0o7": kindNumber, "0x1F": kindNumber, "1e3": kindNumber,
		".5": kindNumber, "1.": kindNumber, ".inf": kindNumber, "-.INF": kindNumber, ".nan": kindNumber,
		"1_000": kindString, "0b1": kindString, "12:30": kindString, "2026-01-02": kindString,
		"2026-01-02T10:00:00Z": kindString,
		"'1'":                  kindString, `"true"`: kindString, "|\n  1": kindString, ">-\n  ~": kindString,
		"!!str 1": kindString, "!!bool true": kindBool, "!!int 5": kindNumber, "!own x": kindString,
		"[]": kindList, "- a": kindList, "{}": kindMap, "a: b": kindMap, "<<: b": kindMap, "&x 1": kindNumber,
	} {
		doc, err := parseYAML(in)
		if err != nil {
			t.Errorf("%q: %v", in, err)
			continue
		}
		if got := doc.kind(); got != want {
			t.Errorf("%q is of kind %d, want %d", in, got, want)
		}
	}
}

func TestYAMLRefused(t *testing.T) {
	for _, in := range []string{
		"a: [b", "a: {b", `a: "b`, "a: b: c", "a: b\na: c", "x:\n  a: 1\n  a: 2", "- {a: 1, a: 2}", "a: 1\n---\nb: 2",
		"1: a\n0x1: b", "1: a\n1.0: b", "~: a\nnull: b", "True: a\ntrue: b", "a: b\rc: d", "a: b\u2028c: d",
		"%YAML 1.2\na: b",
		"a: *nowhere", "\xFF\xFEa\x00", "a: @b", "a: `b", "\ta: b",
	} {
		if doc, err := parseYAML(in); !errors.Is(err, errYAML) {
			t.Errorf("%q was read as kind %d, %v", in, doc.kind(), err)
		}
	}
}

// TestYAMLStrict has what npm's yaml 2 says of lines that are hardly indented and of comments hardly set off.
func TestYAMLStrict(t *testing.T) {
	for in, ok := range map[string]bool{
		"a: [b,\nc]": false, "a: [b,\n c]": true, "a: [\n  b\n]": true, "a: [\nb\n]": false, "a: {\n b: c\n}": true,
		"a: [ # c\n  b, # d\n# e\n  c ]": true, "a:\n- [b,\nc]": false, "a:\n- [b,\n c]": true,
		"a:\n  - b: [c,\n    d]": false, "a:\n  - b: [c,\n     d]": true, "[a,\nb]": true, "{a: [b,\nc]}": true,
		"a: \"b\nc\"": false, "a: \"b\n c\"": true, "a: 'b\n\n c'": true, "a: 'b\n\nc'": false, "a: \"b\\\n  c\"": true,
		"a: \"b\"#c": false, "a: \"b\" #c": true, "a: 'b''' # c": true, "a: 'b'#c": false, "a: [b]#c": false,
		"a: [b] #c": true, "a: [it's, 'b#c', \"]\", d#e] # f": true, "a: &x \"b\"#c": false, "a: !!str 'b' # c": true,
		"a: b#c": true, "&x [a, b]": true, "&x\na: [b,\n c]": true,
	} {
		if _, err := parseYAML(in); (err == nil) != ok {
			t.Errorf("%q: %v", in, err)
		}
	}
}

func TestYAMLAccepted(t *testing.T) {
	for _, in := range []string{
		"a: b", "\uFEFFa: b", "%YAML 1.2\n---\na: b", "---\na: b\n...\n", "# c\na: b # d", "a: b\n\t", "a: b\r\n",
		"'a': b",
		"\"a\": b", "? a\n: b", "k: &x b\na: *x", "{a: b}", "a:\n  b", "a: b\n# end",
	} {
		doc, err := parseYAML(in)
		if err != nil {
			t.Errorf("%q: %v", in, err)
			continue
		}
		if got, ok := doc.get("a").text(); !ok || got != "b" {
			t.Errorf("%q: a is %q, %v", in, got, ok)
		}
	}
	for in, want := range map[string]string{
		"|\n  b": "b\n", ">\n  b": "b\n", "|-\n  b": "b", "|+\n  b\n\n": "b\n\n",
		`"\/b\\/c\\\/"`: `/b\/c\/`, `'\/b'`: `\/b`, `\/b`: `\/b`, `"\ud83d\udd25 \\ud83d\\udd25"`: `🔥 \ud83d\udd25`,
		"b\u0085": "b\u0085", "b\rc": "b\rc", "b\u2028c": "b\u2028c", "b\x00": "b\x00", "b\x7F": "b\x7F",
	} {
		doc, err := parseYAML("a: " + in)
		if got, ok := doc.get("a").text(); err != nil || !ok || got != want {
			t.Errorf("%q is %q, %v; want %q", in, got, err, want)
		}
	}
	if doc, err := parseYAML("a: x\xFFy\xE2\x9Cz"); err != nil {
		t.Error(err)
	} else if got, _ := doc.get("a").text(); got != "x\uFFFDy\uFFFDz" {
		t.Errorf("broken UTF-8 became %q", got)
	}
}

func TestYAMLValues(t *testing.T) {
	doc, err := parseYAML("n: 0x10\no: 0o17\nf: 1.5\ni: 1e2\nlist: [a, 5]\nmap: {k: v}\nnull: x\n")
	must(t, err)
	for key, want := range map[string]float64{"n": 16, "o": 15, "f": 1.5, "i": 100} {
		if got, ok := doc.get(key).number(); !ok || got != want {
			t.Errorf("%s is %v, %v", key, got, ok)
		}
	}
	if _, ok := doc.get("list").number(); ok {
		t.Error("a list is a number")
	}
	if items := doc.get("list").items(); len(items) != 2 || items[0].kind() != kindString ||
		items[1].kind() != kindNumber {
		t.Errorf("items %v", items)
	}
	if got := doc.get("map").keys(); len(got) != 1 || got[0] != "k" {
		t.Errorf("keys %q", got)
	}
	if doc.get("missing").kind() != kindMissing || doc.get("n").get("x").kind() != kindMissing {
		t.Error("a missing key is there")
	}
	if doc.get("n").items() != nil || doc.get("n").keys() != nil {
		t.Error("a scalar has items or keys")
	}
}

// FuzzYAML: whatever a settings file holds, reading it ends, without a panic, in an answer or errYAML.
func FuzzYAML(f *testing.F) {
	for _, s := range []string{
		"schema: spec-driven\ncreated: 2026-01-01\n", "a: &a [*a]", "a: &x {b: *x}\n", "%YAML 1.2\n---\n", "? [a]\n: b",
		"<<: *x",
		"!!binary x", "a: !!float .", strings.Repeat("[", 50), "\xFE\xFF", "|\n\t", "- - - a",
		"artifacts: [{id: a, requires: [a]}]",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4096 {
			return
		}
		doc, err := parseYAML(text)
		if err != nil {
			if !errors.Is(err, errYAML) {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		doc.kind()
		if name, err := schemaOf(text); err == nil && name == "" {
			t.Fatalf("%q: metadata without a schema was accepted", text)
		}
		if flow, err := parseWorkflow(text); err == nil && len(flow.outputs) == 0 {
			t.Fatalf("%q: a schema without artifacts was accepted", text)
		}
	})
}
