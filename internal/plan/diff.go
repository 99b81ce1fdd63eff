package plan

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"session/internal/canon"
)

// Change is one difference between two policies.
type Change struct {
	File  string          // modes.yaml, triggers.yaml, bundles.yaml, "profile", or "plans"
	Entry string          // path of what differs: "quick", "events.turn-end", "mend.build.limit"; empty for the profile
	Old   json.RawMessage // nil: not there before
	New   json.RawMessage // nil: not there any more
}

// String is "file: entry: old → new". Its values are JSON, but may hold any letters: escape before printing.
func (c Change) String() string {
	side := func(v json.RawMessage) string {
		if v == nil {
			return "–"
		}
		return string(v)
	}
	if c.Entry == "" {
		return fmt.Sprintf("%s: %s → %s", c.File, side(c.Old), side(c.New))
	}
	return fmt.Sprintf("%s: %s: %s → %s", c.File, c.Entry, side(c.Old), side(c.New))
}

// Diff compares two stored forms, entry by entry, in the order of the files and sorted by entry. It needs no Restore,
// so it also explains stored forms of other versions. Plans are only named where the same modes.yaml is read into
// another plan: then the program changed, not the policy. No changes means the same hash.
func Diff(before, after []byte) ([]Change, error) {
	a, err := parts(before)
	if err != nil {
		return nil, fmt.Errorf("policy before: %w", err)
	}
	b, err := parts(after)
	if err != nil {
		return nil, fmt.Errorf("policy after: %w", err)
	}
	var all []Change
	for _, part := range slices.SortedFunc(maps.Keys(union(a, b)), byFile) {
		file := part
		if slices.Contains(sheets, part) {
			file += ".yaml"
		}
		if part != "plans" || bytes.Equal(a["modes"], b["modes"]) {
			all = compare(all, file, "", a[part], b[part])
		}
	}
	return all, nil
}

// parts takes a stored form apart. Canonical bytes make values comparable as bytes.
func parts(b []byte) (map[string]json.RawMessage, error) {
	c, err := canon.Transform(b)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrStored, err)
	}
	m := object(c)
	if m == nil {
		return nil, fmt.Errorf("%w: not an object", ErrStored)
	}
	return m, nil
}

// object gives the members of a JSON object, nil where it is something else.
func object(b json.RawMessage) map[string]json.RawMessage {
	if len(b) == 0 || b[0] != '{' {
		return nil
	}
	var m map[string]json.RawMessage
	if json.Unmarshal(b, &m) != nil {
		return nil
	}
	return m
}

func union(a, b map[string]json.RawMessage) map[string]json.RawMessage {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// byFile puts the parts in the order in which a person reads a policy.
func byFile(a, b string) int {
	order := []string{"profile", "modes", "triggers", "bundles", "plans"}
	if d := slices.Index(order, a) - slices.Index(order, b); d != 0 {
		return d
	}
	return bytes.Compare([]byte(a), []byte(b))
}

// compare goes down as long as both sides are objects.
func compare(all []Change, file, entry string, before, after json.RawMessage) []Change {
	if bytes.Equal(before, after) {
		return all
	}
	a, b := object(before), object(after)
	if a == nil || b == nil {
		return append(all, Change{file, entry, before, after})
	}
	for _, key := range slices.Sorted(maps.Keys(union(a, b))) {
		all = compare(all, file, under(entry, key), a[key], b[key])
	}
	return all
}
