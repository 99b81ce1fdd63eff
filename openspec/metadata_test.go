package openspec

import (
	"errors"
	"strings"
	"testing"
)

func TestSchemaOf(t *testing.T) {
	for in, want := range map[string]string{
		"schema: spec-driven\n":                                    "spec-driven",
		"schema: spec-driven":                                      "spec-driven",
		"schema: spec-driven\ncreated: 2026-01-01\n":               "spec-driven",
		"schema: spec-driven\r\ncreated: 2026-01-01\r\n":           "spec-driven",
		"created: 2026-01-01\nschema: my\n":                        "my",
		"schema: my\ncreated: \"2026-01-01\"\n":                    "my",
		"schema: my\ngoal: g\nother: [1, 2]\n":                     "my",
		"schema: my\naffected_areas: [a, b]\n":                     "my",
		"schema: my\naffected_areas: []\n":                         "my",
		"schema: my\ninitiative: {store: a-b, id: c1}\n":           "my",
		"schema: my\nskip_specs: true\n":                           "my",
		"schema: my\nskip_specs: FALSE\nretire_capabilities: true": "my",
		"schema: my # why\n":                                       "my",
		"schema: 'a b'\n":                                          "a b",
		"schema: yes\n":                                            "yes",
		"schema: 2026-01-01\n":                                     "2026-01-01",
		"schema: &s my\ngoal: *s\n":                                "my",
		"schema: 스키마\n":                                            "스키마",
	} {
		if got, err := schemaOf(in); err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", in, got, err, want)
		}
	}
}

// TestMetadataRefused: every violation abandons the lookup, so that plain tasks.md is counted.
func TestMetadataRefused(t *testing.T) {
	for _, in := range []string{
		"", "# nothing\n", "~", "[]", "- schema: my", "text", "schema: [unclosed", "created: 2026-01-01\n",
		"schema:\n", "schema: ~\n", "schema: ''\n", "schema: 5\n", "schema: true\n", "schema: [my]\n", "schema: {a: b}\n",
		"schema: my\ncreated: yesterday\n", "schema: my\ncreated: 2026-1-1\n",
		"schema: my\ncreated: 2026-01-01T00:00:00Z\n",
		"schema: my\ncreated: 20260101\n", "schema: my\ncreated: ~\n", "schema: my\ncreated: \"2026-01-01\\n\"\n",
		"schema: my\ngoal: ''\n", "schema: my\ngoal: 5\n", "schema: my\ngoal:\n",
		"schema: my\naffected_areas: a\n", "schema: my\naffected_areas: ['']\n", "schema: my\naffected_areas: [a, 5]\n",
		"schema: my\naffected_areas: ~\n", "schema: my\naffected_areas: {}\n",
		"schema: my\ninitiative: a\n", "schema: my\ninitiative: {store: a}\n",
		"schema: my\ninitiative: {store: A, id: b}\n",
		"schema: my\ninitiative: {store: a, id: b, more: c}\n", "schema: my\ninitiative: {store: a, id: b-}\n",
		"schema: my\ninitiative: ~\n",
		"schema: my\nskip_specs: yes\n", "schema: my\nskip_specs: 'true'\n", "schema: my\nskip_specs: ~\n",
		"schema: my\nretire_capabilities: 1\n",
		"schema: my\nschema: my\n", "schema: my\n---\nschema: my\n",
	} {
		if got, err := schemaOf(in); err == nil {
			t.Errorf("%q was accepted as %q", in, got)
		}
	}
}

// TestUsualMetadata: what is recognised without a parser is what the parser would have said.
func TestUsualMetadata(t *testing.T) {
	for _, in := range []string{"schema: spec-driven\n", "schema: a_b\ncreated: 2026-01-01",
		"schema: x-1\ncreated: 2026-12-31\n"} {
		quick, ok := usualMetadata(in)
		doc, err := parseYAML(in)
		must(t, err)
		if slow, _ := doc.get("schema").text(); !ok || quick != slow {
			t.Errorf("%q: %q, %v; the parser says %q", in, quick, ok, slow)
		}
	}
	for _, in := range []string{
		"", "schema: my\n", "schema: true\n", "schema: null-\n", "schema: spec-driven \n", "schema:  spec-driven\n",
		"schema: spec-driven # c\n",
		"schema: spec-driven\n\n", "schema: spec-driven\ncreated: 2026-1-1\n",
		"schema: spec-driven\ncreated: 2026-01-01\nmore: x\n",
		"schema: spec-driven\n#\n", "schema: spec-driven\r\n", "Schema: spec-driven\n", "schema: spec--driven\n",
		"schema: 1-2\n",
	} {
		if _, ok := usualMetadata(in); ok {
			t.Errorf("%q was taken without a parser", in)
		}
	}
}

func FuzzUsualMetadata(f *testing.F) {
	f.Add("schema: spec-driven\ncreated: 2026-01-01\n")
	f.Add("schema: a-b\n")
	f.Fuzz(func(t *testing.T, text string) {
		quick, ok := usualMetadata(text)
		if !ok {
			return
		}
		doc, err := parseYAML(text)
		if err != nil {
			t.Fatalf("%q: the parser refuses it: %v", text, err)
		}
		if slow, is := doc.get("schema").text(); !is || slow != quick {
			t.Fatalf("%q: %q, the parser says %q", text, quick, slow)
		}
	})
}

const schemaText = `name: my
version: 1
artifacts:
  - id: proposal
    generates: proposal.md
    description: p
    template: p.md
  - id: work
    generates: "tasks/*.md"
    description: t
    template: t.md
    requires: [proposal]
apply:
  requires: [work]
  tracks: "tasks/*.md"
`

func TestParseWorkflow(t *testing.T) {
	edit := func(old, new string) string {
		if !strings.Contains(schemaText, old) {
			t.Fatalf("%q is not in the schema", old)
		}
		return strings.Replace(schemaText, old, new, 1)
	}
	noApply, _, _ := strings.Cut(schemaText, "apply:")
	for name, c := range map[string]struct{ text, tracked string }{
		"tracked by a pattern":           {schemaText, "tasks/*.md"},
		"tracks names nothing":           {edit("tracks: \"tasks/*.md\"", "tracks: TODO.md"), ""},
		"tracks null, no tasks artifact": {edit("tracks: \"tasks/*.md\"", "tracks: null"), ""},
		"tracks missing, tasks artifact": {strings.Replace(edit("  tracks: \"tasks/*.md\"\n", ""), "id: work",
			"id: tasks", 1), ""},
		"no apply, tasks artifact":    {strings.Replace(noApply, "id: work", "id: tasks", 1), "tasks/*.md"},
		"no apply, no tasks artifact": {noApply, ""},
		"version 1.0":                 {edit("version: 1", "version: 1.0"), "tasks/*.md"},
		"version 1e0":                 {edit("version: 1", "version: 1e0"), "tasks/*.md"},
		"version 0x1":                 {edit("version: 1", "version: 0x1"), "tasks/*.md"},
		"empty description":           {edit("description: p", "description: ''"), "tasks/*.md"},
		"dots in a name":              {edit("generates: proposal.md", "generates: a..b.md"), "tasks/*.md"},
		"unknown keys":                {schemaText + "more: 1\n", "tasks/*.md"},
	} {
		if name == "tracks missing, tasks artifact" { // apply.requires names work, which is gone
			if _, err := parseWorkflow(c.text); err == nil {
				t.Errorf("%s: a reference to nothing was accepted", name)
			}
			continue
		}
		got, err := parseWorkflow(c.text)
		if err != nil || got.tracked != c.tracked || len(got.outputs) != 2 {
			t.Errorf("%s: %+v, %v; want %q", name, got, err, c.tracked)
		}
	}
	for name, text := range map[string]string{
		"empty":                     "",
		"not a mapping":             "- a",
		"no name":                   edit("name: my", "other: my"),
		"name a number":             edit("name: my", "name: 5"),
		"no version":                edit("version: 1", "other: 1"),
		"version 0":                 edit("version: 1", "version: 0"),
		"version 1.5":               edit("version: 1", "version: 1.5"),
		"version text":              edit("version: 1", "version: '1'"),
		"version too large":         edit("version: 1", "version: 9007199254740993"),
		"description a number":      edit("version: 1", "version: 1\ndescription: 5"),
		"no artifacts":              "name: my\nversion: 1\nartifacts: []\n",
		"artifact text":             "name: my\nversion: 1\nartifacts: [a]\n",
		"no id":                     edit("id: proposal", "ID: proposal"),
		"empty id":                  edit("id: proposal", "id: ''"),
		"no generates":              edit("generates: proposal.md", "other: x"),
		"generates up":              edit("generates: proposal.md", "generates: ../x.md"),
		"generates up in between":   edit("generates: proposal.md", "generates: a/../x.md"),
		"generates up, backslash":   edit("generates: proposal.md", `generates: 'a\..\x.md'`),
		"generates absolute":        edit("generates: proposal.md", "generates: /x.md"),
		"generates a drive":         edit("generates: proposal.md", "generates: 'C:x.md'"),
		"generates with NUL":        edit("generates: proposal.md", `generates: "a\0b"`),
		"generates a list":          edit("generates: proposal.md", "generates: [a]"),
		"no template":               edit("template: p.md", "other: p.md"),
		"no description":            edit("    description: p\n", ""),
		"instruction a list":        edit("description: p", "description: p\n    instruction: []"),
		"requires text":             edit("requires: [proposal]", "requires: proposal"),
		"requires a number":         edit("requires: [proposal]", "requires: [5]"),
		"requires nothing known":    edit("requires: [proposal]", "requires: [nope]"),
		"requires itself":           edit("requires: [proposal]", "requires: [work]"),
		"requires in a circle":      edit("template: p.md", "template: p.md\n    requires: [work]"),
		"declared twice":            edit("id: work", "id: proposal"),
		"apply null":                edit("apply:\n  requires: [work]\n  tracks: \"tasks/*.md\"\n", "apply: ~\n"),
		"apply a list":              edit("apply:\n  requires: [work]\n  tracks: \"tasks/*.md\"\n", "apply: []\n"),
		"apply without requires":    edit("  requires: [work]\n", ""),
		"apply requires nothing":    edit("requires: [work]", "requires: []"),
		"apply requires text":       edit("requires: [work]", "requires: work"),
		"apply requires an unknown": edit("requires: [work]", "requires: [nope]"),
		"tracks up":                 edit("tracks: \"tasks/*.md\"", "tracks: ../x"),
		"tracks a number":           edit("tracks: \"tasks/*.md\"", "tracks: 5"),
		"tracks empty":              edit("tracks: \"tasks/*.md\"", "tracks: ''"),
		"apply instruction a list":  schemaText + "  instruction: []\n",
	} {
		if got, err := parseWorkflow(text); err == nil {
			t.Errorf("%s: accepted as %+v", name, got)
		}
	}
}

func TestParseWorkflowManyArtifacts(t *testing.T) {
	var b strings.Builder
	b.WriteString("name: big\nversion: 1\nartifacts:\n")
	for range maxArtifacts + 1 {
		b.WriteString("  - {id: a, generates: a, description: a, template: a}\n")
	}
	if _, err := parseWorkflow(b.String()); err == nil {
		t.Error("too many artifacts were accepted")
	}
}

func TestSchemaLookup(t *testing.T) {
	dir := tree(t, `
-- openspec/schemas/mine/schema.yaml --
`+schemaText+`
-- openspec/schemas/broken/schema.yaml --
name: broken
-- openspec/schemas/empty/ --
-- openspec/schemas/.fork-staging-x/schema.yaml --
`+schemaText+`
-- openspec/schemas/linked --
-> mine
-- openspec/schemas/escaping/schema.yaml --
-> ../../../data/openspec/schemas/user/schema.yaml
-- data/openspec/schemas/user/schema.yaml --
`+strings.Replace(schemaText, "tasks/*.md", "user.md", 2)+`
-- data/openspec/schemas/escaping/schema.yaml --
`+strings.Replace(schemaText, "tasks/*.md", "second.md", 2))
	s := newSchemas(dir, dir+"/data")
	for name, want := range map[string]string{
		"mine": "tasks/*.md", "mine.yaml": "tasks/*.md", "mine.yml": "tasks/*.md", "linked": "tasks/*.md",
		"user":        "user.md",
		"spec-driven": "tasks.md", "spec-driven.yaml": "tasks.md", "escaping": "second.md",
	} {
		if got, err := s.workflow(name); err != nil || got.tracked != want {
			t.Errorf("%s: %q, %v; want %q", name, got.tracked, err, want)
		}
	}
	for _, name := range []string{"", ".", "..", "nope", "empty", "a/b", `a\b`, "C:x", "../schemas/mine", ".yaml"} {
		if _, err := s.workflow(name); !errors.Is(err, errUnknownSchema) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := s.workflow("broken"); err == nil || errors.Is(err, errUnknownSchema) {
		t.Errorf("broken: %v", err)
	}
	for name, want := range map[string]bool{
		"spec-driven": true, "mine": true, "linked": true, "user": true, "broken": true, "mine.yaml": false,
		"empty": false,
		"nope":  false, "..": false, ".fork-staging-x": false, "x.init-backup-1": false, "": false,
	} {
		if got := s.listed(name); got != want {
			t.Errorf("listed(%q) = %v", name, got)
		}
	}
	if !s.custom() || newSchemas(t.TempDir(), "").custom() {
		t.Error("custom schemas are where there are none, or none where there are")
	}
}
