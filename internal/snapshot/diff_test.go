package snapshot_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"session/internal/snapshot"
)

func with(context string) snapshot.Snapshot {
	return snapshot.Snapshot{Bundle: snapshot.Bundle{Environment: json.RawMessage(`{}`), Context: json.RawMessage(context), Messages: json.RawMessage(`[]`)}}
}

func TestCompare(t *testing.T) {
	for _, c := range []struct{ name, before, after, want string }{
		{"same", `{"a":1}`, `{"a":1}`, ``},
		{"value", `{"a":1,"b":2}`, `{"a":1,"b":3}`, `/b: 2 -> 3`},
		{"added", `{"a":1}`, `{"a":1,"b":null}`, `/b: - -> null`},
		{"removed", `{"a":1,"b":null}`, `{"a":1}`, `/b: null -> -`},
		{"null is no absence", `{"a":null}`, `{"a":0}`, `/a: null -> 0`},
		{"another type", `{"a":[1]}`, `{"a":{"0":1}}`, `/a: [1] -> {"0":1}`},
		{"scalar to object", `{"a":"x"}`, `{"a":{"b":1}}`, `/a: "x" -> {"b":1}`},
		{"string to number", `{"a":"1"}`, `{"a":1}`, `/a: "1" -> 1`},
		{"true to false", `{"a":true}`, `{"a":false}`, `/a: true -> false`},
		{"deep", `{"a":{"b":[{"c":1}]}}`, `{"a":{"b":[{"c":2}]}}`, `/a/b/0/c: 1 -> 2`},
		{"names are escaped", `{"a/b":{"~":1}}`, `{"a/b":{"~":2}}`, `/a~1b/~0: 1 -> 2`},
		{"the whole", `1`, `"x"`, `: 1 -> "x"`},
		{"inserted in front", `["a","b"]`, `["new","a","b"]`, `/0: - -> "new"`},
		{"inserted in the middle", `["a","b"]`, `["a","new","b"]`, `/1: - -> "new"`},
		{"appended", `["a","b"]`, `["a","b","new"]`, `/2: - -> "new"`},
		{"taken away", `["a","b","c"]`, `["a","c"]`, `/1: "b" -> -`},
		{"one of many", `["a","b","c"]`, `["a","x","c"]`, `/1: "b" -> "x"`},
		{"all gone", `["a","a"]`, `[]`, `/0: "a" -> -; /1: "a" -> -`},
		{"repeated", `["a","a"]`, `["a","a","a"]`, `/2: - -> "a"`},
		{"item changed and added", `[{"t":1}]`, `[{"t":2},{"t":3}]`, `/0/t: 1 -> 2; /1: - -> {"t":3}`},
		{"sorted by name", `{}`, `{"b":1,"a":2}`, `/a: - -> 2; /b: - -> 1`},
	} {
		got, err := snapshot.Compare(with(c.before), with(c.after))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if s := spell(got); s != c.want {
			t.Errorf("%s: %s, want %s", c.name, s, c.want)
		}
	}
}

func spell(changes []snapshot.Change) string {
	var all []string
	side := func(raw json.RawMessage) string {
		if raw == nil {
			return "-"
		}
		return string(raw)
	}
	for _, c := range changes {
		all = append(all, fmt.Sprintf("%s: %s -> %s", c.Path, side(c.Before), side(c.After)))
	}
	return strings.Join(all, "; ")
}

func TestCompareOtherParts(t *testing.T) {
	a, b := with(`{}`), with(`{}`)
	b.Path, b.PlanHash, b.Origin = "refs/heads/x", "p2", snapshot.Origin{By: "undo", TookIn: 2}
	b.ID, b.Depth, b.RunID, b.ParentDigest = "x", 7, "r", "d" // differ in any two snapshots
	b.Bundle.Environment, b.Bundle.Messages = json.RawMessage(`{"branch":"x"}`), json.RawMessage(`["hello"]`)
	got, err := snapshot.Compare(a, b)
	if err != nil {
		t.Fatal(err)
	}
	var parts []string
	for _, c := range got {
		parts = append(parts, c.Part+c.Path)
	}
	if s := strings.Join(parts, " "); s != "manifest/origin/by manifest/origin/took_in manifest/path manifest/plan_hash environment_state/branch message_history_state/0" {
		t.Error(s)
	}
	if _, err := snapshot.Compare(with(`{"a":`), with(`{}`)); err == nil {
		t.Error("compared half a value")
	}
}

// Deep nesting is compared as a whole from some level on, so hostile values cost what their length costs.
func TestCompareDeep(t *testing.T) {
	deep := func(n int, leaf string) string { return strings.Repeat(`[`, n) + leaf + strings.Repeat(`]`, n) }
	got, err := snapshot.Compare(with(deep(500, "1")), with(deep(500, "2")))
	if err != nil || len(got) != 1 || strings.Count(got[0].Path, "/") != 32 {
		t.Errorf("%d changes at %q: %v", len(got), got[0].Path, err)
	}
	if got, err := snapshot.Compare(with(deep(500, "1")), with(deep(500, `1`))); err != nil || len(got) != 0 {
		t.Error(got, err)
	}
}
