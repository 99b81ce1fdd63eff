package rules

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

const good = `
- id: our-rule
  type: build_error
  literals: ['BOOM ', "TAB\t x"]
  pattern: 'BOOM (?P<file>\S+):(?P<line>\d+) (?P<msg>.*)'
  not: ['fine']
  strength: summary
  stage: compile
  severity: high
  agent: cpp-builder
  resolution: 'Correct {file}'
  verdict: failure
  level: run
  then:
    - {pattern: '^ +(?P<detail>.*)', within: 3, skip: '^ +at '}
  until: '^$'
  match: ['BOOM a:1 x']
  miss: ['boom']
- id: other
  strength: ignore
  literals: [noise]
`

// TestParse fills every field.
func TestParse(t *testing.T) {
	list, err := Parse("triggers.yaml", []byte(good))
	if err != nil || len(list) != 2 {
		t.Fatal(err, list)
	}
	want := Rule{ID: "our-rule", Type: "build_error", Literals: []string{"BOOM ", "TAB\t x"}, Pattern: `BOOM (?P<file>\S+):(?P<line>\d+) (?P<msg>.*)`,
		Not: []string{"fine"}, Strength: Summary, Stage: "compile", Severity: "high", Agent: "cpp-builder", Resolution: "Correct {file}", Verdict: Failure,
		Level: LevelRun, Then: []Then{{Pattern: "^ +(?P<detail>.*)", Within: 3, Skip: "^ +at "}}, Until: "^$", Match: []string{"BOOM a:1 x"}, Miss: []string{"boom"}}
	if !reflect.DeepEqual(list[0], want) {
		t.Errorf("%+v\nwant %+v", list[0], want)
	}
	if list[1].Strength != Ignore {
		t.Errorf("%+v", list[1])
	}
	for _, empty := range []string{"", "\n", "# nothing\n", "[]"} {
		if list, err := Parse("x", []byte(empty)); err != nil || len(list) != 0 {
			t.Errorf("%q: %v %v", empty, list, err)
		}
	}
}

// TestParseErrors: each fault is refused with line and column, and says what is wanted.
func TestParseErrors(t *testing.T) {
	base := "- id: a-rule\n  type: build_error\n  literals: [BOOM]\n"
	for name, c := range map[string]struct {
		source       string
		line, column int
		words        string
	}{
		"unknown key":        {base + "  patern: x\n", 4, 3, `unknown key "patern"`},
		"unknown then key":   {base + "  then:\n    - {pattern: x, whithin: 3}\n", 5, 20, `unknown key "whithin"`},
		"key twice":          {base + "  type: other\n", 4, 3, "stands twice"},
		"no list":            {"id: a\n", 1, 1, "want a list of rules"},
		"rule is text":       {"- x\n", 1, 3, "want keys and values"},
		"literals is text":   {"- id: a\n  type: other\n  literals: BOOM\n", 3, 13, "want a list"},
		"id is a list":       {"- id: [a]\n", 1, 7, "want one value"},
		"id is a number":     {"- id: 12\n", 1, 7, "put it in quotes"},
		"literal is a bool":  {"- id: a\n  literals: [true]\n", 2, 14, "put it in quotes"},
		"bad id":             {"- id: A_b\n  type: other\n  literals: [BOOM]\n", 1, 7, "lower case"},
		"bad type":           {"- id: a\n  type: bulid\n  literals: [BOOM]\n", 2, 9, "one of build_error"},
		"bad pattern":        {base + "  pattern: '(x'\n", 4, 12, "RE2"},
		"lookahead":          {base + "  pattern: '(?=x)'\n", 4, 12, "RE2"},
		"bad then":           {base + "  then: [{pattern: '(x'}]\n", 4, 9, "RE2"},
		"then without":       {base + "  then: [{within: 3}]\n", 4, 9, "a pattern"},
		"then too far":       {base + "  then: [{pattern: x, within: 100000}]\n", 4, 9, "0 to 400"},
		"bad shape":          {base + "  shape: round\n", 4, 10, "one of colon"},
		"bad strength":       {base + "  strength: strong\n", 4, 13, "one of definite"},
		"bad severity":       {base + "  severity: urgent\n", 4, 13, "one of critical"},
		"bad stage":          {base + "  stage: lunch\n", 4, 10, "one of configure"},
		"no literal":         {"- id: a\n  type: other\n", 1, 3, "at least one"},
		"short literal":      {"- id: a\n  type: other\n  literals: [ab]\n", 3, 13, "at least 3 bytes"},
		"two-line literal":   {"- id: a\n  type: other\n  literals: [\"ab\\ncd\"]\n", 3, 13, "one line"},
		"no purpose":         {"- id: a\n  literals: [BOOM]\n", 1, 3, "a type, a verdict"},
		"verdict, no level":  {base + "  verdict: failure\n", 1, 3, "a level with every verdict"},
		"level, no verdict":  {base + "  level: ci\n", 4, 10, "a level with every verdict"},
		"same id":            {base + base, 4, 7, "no other rule has"},
		"anchor":             {"- id: &x a\n  type: other\n  literals: [BOOM]\n", 1, 7, "anchors"},
		"alias":              {"- id: a\n  type: &t other\n  literals: [BOOM]\n", 2, 9, "anchors"},
		"merge key":          {"- <<: {id: a}\n", 1, 3, `unknown key "<<"`},
		"two documents":      {base + "---\n" + base, 1, 1, "more than one document"},
		"not yaml":           {"- id: [\n", 1, 0, "yaml"},
		"within is no count": {base + "  then: [{pattern: x, within: many}]\n", 4, 31, "many"},
	} {
		_, err := Parse("triggers.yaml", []byte(c.source))
		var s *SyntaxError
		if !errors.As(err, &s) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if s.Line != c.line || s.Column != c.column || !strings.Contains(err.Error(), c.words) || !strings.HasPrefix(err.Error(), "triggers.yaml:") {
			t.Errorf("%s: %v at %d:%d, want %q at %d:%d", name, err, s.Line, s.Column, c.words, c.line, c.column)
		}
	}
}

func TestParseTooLarge(t *testing.T) {
	if _, err := Parse("x", make([]byte, MaxSource+1)); err == nil {
		t.Error("a megabyte of rules was read")
	}
}

// TestFieldErrors: a fault of a value names rule, field, value and what is wanted.
func TestFieldErrors(t *testing.T) {
	r := Rule{ID: "a", Type: "nothing", Literals: []string{"BOOM"}}
	var f *Field
	if err := r.Check(); !errors.As(err, &f) || f.Rule != "a" || f.Field != "type" || f.Value != "nothing" || !strings.Contains(f.Want, "build_error") {
		t.Errorf("%+v", f)
	}
	for _, text := range []string{`"a"`, "type", `"nothing"`, "build_error"} {
		if !strings.Contains(f.Error(), text) {
			t.Errorf("%q does not say %s", f.Error(), text)
		}
	}
}

// TestNewTableChecks: rules that did not come through Parse are held to the same.
func TestNewTableChecks(t *testing.T) {
	ok := Rule{ID: "a", Type: "other", Literals: []string{"BOOM"}}
	if _, err := NewTable([]Rule{ok}, []Rule{{ID: "b", Type: "other", Literals: []string{"BOOM"}}}); err != nil {
		t.Error(err)
	}
	var f *Field
	if _, err := NewTable([]Rule{ok}, []Rule{ok}); !errors.As(err, &f) || f.Field != "id" {
		t.Errorf("one id in two lists: %v", err)
	}
	if _, err := NewTable([]Rule{{ID: "a", Type: "other"}}); err == nil {
		t.Error("no literal")
	}
}

// FuzzParse: hostile rule files give rules that make a table, or an error with a place.
func FuzzParse(f *testing.F) {
	f.Add(good)
	f.Add("- id: a\n  type: other\n  literals: [BOOM]\n")
	f.Add("- {id: a, literals: ['\\d'], strength: ignore}\n")
	f.Add("[[[[[[")
	f.Add("- *x")
	f.Fuzz(func(t *testing.T, source string) {
		list, err := Parse("x", []byte(source))
		var s *SyntaxError
		if err != nil && !errors.As(err, &s) {
			t.Fatalf("%T %v", err, err)
		}
		if err != nil {
			return
		}
		tab, err := NewTable(list)
		if err != nil {
			t.Fatalf("parsed, but no table: %v", err)
		}
		for _, r := range list {
			for _, l := range r.Literals {
				tab.MatchText(fmt.Sprint("x ", l, " y"), nil)
			}
		}
	})
}
