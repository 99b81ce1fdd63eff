package brief

import (
	"strings"
	"testing"
)

// TestWithin: S1.7, a resume's brief has a hard cap: memories go first, then what is further down; the first line stays.
func TestWithin(t *testing.T) {
	words := func(s string) int { return len(strings.Fields(s)) }
	b := Brief{{Label: "on", Text: "one two three"}, {Label: "next", Text: "four five"}, {Label: "mem", Text: "six seven", memory: true}, {Text: "eight", memory: true}, {Mark: "!", Text: "nine"}}
	for _, c := range []struct {
		tokens int
		want   string
	}{
		{100, "on next mem  !"}, {12, "on next mem !"}, {11, "on next !"}, {9, "on next !"}, {8, "on next"}, {5, "on"}, {2, "on"}, {0, "on"},
	} {
		got := b.Within(c.tokens, words)
		var s []string
		for _, l := range got {
			s = append(s, l.Label+l.Mark)
		}
		if strings.Join(s, " ") != c.want {
			t.Errorf("%d: %q, want %q", c.tokens, strings.Join(s, " "), c.want)
		}
		if c.tokens > 1 && words(got.Text(maxBriefLine)) > c.tokens {
			t.Errorf("%d: costs %d", c.tokens, words(got.Text(maxBriefLine)))
		}
	}
	if len(b) != 5 {
		t.Error("changed what it was made from")
	}
}
