package rules

import (
	"bytes"
	"fmt"
	"go/format"
	"os"
	"reflect"
	"strings"
	"testing"
)

const generated = "builtin_gen.go"

// table writes the rules as a Go table, one rule a line, fixtures left out.
func table(list []Rule) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("// Code generated from data/*.yaml by TestGeneratedTable; DO NOT EDIT.\n\npackage rules\n\nvar builtin = []Rule{\n")
	for _, r := range list {
		r.Match, r.Miss = nil, nil
		fmt.Fprintf(&b, "\t%s,\n", literal(reflect.ValueOf(r), true))
	}
	b.WriteString("}\n")
	return format.Source(b.Bytes())
}

// literal writes a value as Go source, zero fields left out, on one line.
func literal(v reflect.Value, bare bool) string {
	switch v.Kind() {
	case reflect.String:
		return fmt.Sprintf("%q", v.String())
	case reflect.Slice:
		var parts []string
		for i := range v.Len() {
			parts = append(parts, literal(v.Index(i), true))
		}
		name := strings.TrimPrefix(v.Type().String(), "[]rules.")
		if name == v.Type().String() {
			return v.Type().String() + "{" + strings.Join(parts, ", ") + "}"
		}
		return "[]" + name + "{" + strings.Join(parts, ", ") + "}"
	case reflect.Struct:
		var parts []string
		for i := range v.NumField() {
			if f := v.Field(i); !f.IsZero() {
				parts = append(parts, v.Type().Field(i).Name+": "+literal(f, false))
			}
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return fmt.Sprint(v.Interface())
}

// TestGeneratedTable holds the table in the program to the rule files.
func TestGeneratedTable(t *testing.T) {
	list, err := Source()
	if err != nil {
		t.Fatal(err)
	}
	want, err := table(list)
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("SESSION_RULES_UPDATE") == "1" {
		if err := os.WriteFile(generated, want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(generated)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not what data/*.yaml says (%v): run SESSION_RULES_UPDATE=1 go test -run GeneratedTable", generated, err)
	}
}
