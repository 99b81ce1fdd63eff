package snapshot

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"session/internal/canon"
)

// Change is one difference between two snapshots. Before or After is nil where there is no such value.
type Change struct {
	Part   string          `json:"part"`             // environment_state, context_state, message_history_state, or manifest
	Path   string          `json:"path"`             // JSON Pointer (RFC 6901) into the part; "" is the whole
	Before json.RawMessage `json:"before,omitempty"` // canonical JSON
	After  json.RawMessage `json:"after,omitempty"`
}

// Diff compares two snapshots field by field: their parts, and of their manifests path, origin and plan hashes. Items of
// lists are compared in place once a common beginning and end are set aside, so an inserted item is one change. Message
// histories are compared as they are stored: what each snapshot added.
func (s *Store) Diff(ctx context.Context, a, b ID) ([]Change, error) {
	x, err := s.Load(ctx, a)
	if err != nil {
		return nil, fmt.Errorf("compare: %w", err)
	}
	y, err := s.Load(ctx, b)
	if err != nil {
		return nil, fmt.Errorf("compare: %w", err)
	}
	return Compare(x, y)
}

// Compare is Diff of two snapshots that were loaded.
func Compare(a, b Snapshot) ([]Change, error) {
	am, err := placeJSON(a.Manifest)
	if err != nil {
		return nil, err
	}
	bm, err := placeJSON(b.Manifest)
	if err != nil {
		return nil, err
	}
	var all []Change
	for _, p := range []struct {
		name          string
		before, after json.RawMessage
	}{
		{"manifest", am, bm},
		{"environment_state", a.Bundle.Environment, b.Bundle.Environment},
		{"context_state", a.Bundle.Context, b.Bundle.Context},
		{"message_history_state", a.Bundle.Messages, b.Bundle.Messages},
	} {
		if bytes.Equal(p.before, p.after) {
			continue
		}
		d := differ{part: p.name}
		if err := d.raw(p.before, p.after); err != nil {
			return nil, fmt.Errorf("compare %s of %s and %s: %w", p.name, a.ID, b.ID, err)
		}
		all = append(all, d.changes...)
	}
	return all, nil
}

// placeJSON is what of a manifest is worth comparing: what differs in any two snapshots is not.
func placeJSON(m Manifest) (json.RawMessage, error) {
	return canon.Marshal(struct {
		Path     Path   `json:"path"`
		Origin   Origin `json:"origin"`
		Plan     string `json:"plan_hash"`
		Accepted string `json:"accepted_plan_hash"`
	}{m.Path, m.Origin, m.PlanHash, m.AcceptedPlanHash})
}

type differ struct {
	part    string
	at      []string
	changes []Change
}

func (d *differ) raw(a, b json.RawMessage) error {
	x, err := value(a)
	if err != nil {
		return err
	}
	y, err := value(b)
	if err != nil {
		return err
	}
	return d.values(x, y)
}

// value keeps numbers as they are written; canonical ones are equal only if they are written alike.
func value(raw json.RawMessage) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}

// none stands for a value that is not there; nil is JSON's null.
type none struct{}

func (d *differ) values(a, b any) error {
	switch x := a.(type) {
	case map[string]any:
		if y, ok := b.(map[string]any); ok {
			return d.objects(x, y)
		}
	case []any:
		if y, ok := b.([]any); ok {
			return d.lists(x, y)
		}
	default:
		if _, ok := b.(map[string]any); ok {
			break
		}
		if _, ok := b.([]any); ok {
			break
		}
		if a == b {
			return nil
		}
	}
	return d.change(a, b)
}

func (d *differ) change(a, b any) error {
	c := Change{Part: d.part, Path: strings.Join(d.at, "")}
	for _, side := range []struct {
		v  any
		to *json.RawMessage
	}{{a, &c.Before}, {b, &c.After}} {
		if side.v == (none{}) {
			continue
		}
		raw, err := canon.Marshal(side.v)
		if err != nil {
			return err
		}
		*side.to = raw
	}
	d.changes = append(d.changes, c)
	return nil
}

// maxDiffDepth bounds the work: lists are spelled out once for each level. Deeper values are compared as a whole.
const maxDiffDepth = 32

func (d *differ) below(name string, a, b any) error {
	if len(d.at) == maxDiffDepth {
		if t := texts([]any{a, b}); t[0] == t[1] {
			return nil
		}
		return d.change(a, b)
	}
	d.at = append(d.at, "/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(name))
	err := d.values(a, b)
	d.at = d.at[:len(d.at)-1]
	return err
}

func (d *differ) objects(a, b map[string]any) error {
	names := maps.Clone(a)
	maps.Copy(names, b)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		x, ok := a[name]
		if !ok {
			x = none{}
		}
		y, ok := b[name]
		if !ok {
			y = none{}
		}
		if err := d.below(name, x, y); err != nil {
			return err
		}
	}
	return nil
}

// lists sets the common beginning and end aside and compares the rest pairwise. Items of a are named by their place in a,
// items that only b has by their place in b.
func (d *differ) lists(a, b []any) error {
	x, y := texts(a), texts(b)
	from := 0
	for from < len(x) && from < len(y) && x[from] == y[from] {
		from++
	}
	end := 0
	for end < len(x)-from && end < len(y)-from && x[len(x)-1-end] == y[len(y)-1-end] {
		end++
	}
	for i := from; i < max(len(a), len(b))-end; i++ {
		var before, after any = none{}, none{}
		if i < len(a)-end {
			before = a[i]
		}
		if i < len(b)-end {
			after = b[i]
		}
		if err := d.below(strconv.Itoa(i), before, after); err != nil {
			return err
		}
	}
	return nil
}

// texts spells items so that they can be compared at the cost of their length.
func texts(list []any) []string {
	s := make([]string, len(list))
	for i, v := range list {
		b, err := json.Marshal(v) // maps are written in the order of their names
		if err != nil {
			b = fmt.Appendf(nil, "%v", v)
		}
		s[i] = string(b)
	}
	return s
}
