package rules

import (
	"strings"
	"testing"
)

// follow runs one fixture: the first line is the rule's, the others follow.
func follow(t *Table, fixture string) (Match, bool) {
	lines := strings.Split(fixture, "\n")
	m, ok := t.MatchText(lines[0], nil)
	if !ok {
		return m, false
	}
	if f := t.Follow(&m); f != nil {
		for _, l := range lines[1:] {
			if _, more := f.Feed([]byte(l)); !more {
				break
			}
		}
	}
	return m, true
}

// TestBuiltinFixtures holds every built-in rule to its own fixtures, alone in a table: literal, pattern and exceptions
// must agree. A rule without a fixture of each kind, or without a literal that selects it, fails.
func TestBuiltinFixtures(t *testing.T) {
	list, err := Source()
	if err != nil {
		t.Fatal(err)
	}
	if len(list) < 100 {
		t.Errorf("%d rules: about a hundred are expected", len(list))
	}
	for _, r := range list {
		if len(r.Match) == 0 || len(r.Miss) == 0 || len(r.Literals) == 0 {
			t.Errorf("%s: a rule needs a literal, a fixture that matches and one that does not", r.ID)
		}
		one := r
		if one.Strength == Ignore { // a table answers no ignore-only line; ask the rule itself
			one.Strength, one.Type = Weak, "other"
		}
		tab, err := NewTable([]Rule{one})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range r.Match {
			if _, ok := follow(tab, f); !ok {
				t.Errorf("%s: does not match %q", r.ID, f)
			}
		}
		for _, f := range r.Miss {
			if m, ok := follow(tab, f); ok {
				t.Errorf("%s: matches %q (%+v)", r.ID, f, m)
			}
		}
	}
}
