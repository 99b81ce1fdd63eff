package validate

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/google/jsonschema-go/jsonschema"
)

// schemaFaults validates against the published schema. The library stops at the first fault, so where it finds one the
// value is asked part by part, down to the fields that are wrong.
func schemaFaults(value any) ([]Fault, error) {
	var root jsonschema.Schema
	if err := json.Unmarshal(schema, &root); err != nil {
		return nil, fmt.Errorf("read the state's schema: %w", err)
	}
	p := prober{defs: root.Defs}
	if err := p.validate(&root, value); err == nil {
		return nil, nil
	}
	p.probe(&root, value, "")
	return p.faults, p.broken
}

type prober struct {
	defs   map[string]*jsonschema.Schema
	faults []Fault
	broken error // the schema itself
}

// validate checks one value against one part of the schema.
func (p *prober) validate(s *jsonschema.Schema, value any) error {
	part := s.CloneSchemas()
	part.Defs = p.defs
	r, err := part.Resolve(nil)
	if err != nil {
		p.broken = fmt.Errorf("resolve the state's schema: %w", err)
		return p.broken
	}
	return r.Validate(value)
}

// probe finds the fields below value that are wrong, and says of each what it should be.
func (p *prober) probe(s *jsonschema.Schema, value any, at string) {
	err := p.validate(s, value)
	if err == nil {
		return
	}
	before := len(p.faults)
	s = p.meant(s, value)
	switch v := value.(type) {
	case map[string]any:
		for _, name := range s.Required {
			if _, ok := v[name]; !ok {
				p.faults = append(p.faults, Fault{Field: join(at, name), Rule: "is missing"})
			}
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if field := s.Properties[name]; field != nil {
				p.probe(field, v[name], join(at, name))
			}
		}
	case []any:
		for i := range v {
			if s.Items != nil {
				p.probe(s.Items, v[i], join(at, strconv.Itoa(i)))
			}
		}
	}
	if len(p.faults) == before {
		p.faults = append(p.faults, Fault{Field: at, Value: show(value), Rule: innermost(err)})
	}
}

// meant follows a reference, and of several alternatives the one for objects: that a blocker is not null need not be
// told.
func (p *prober) meant(s *jsonschema.Schema, value any) *jsonschema.Schema {
	if _, object := value.(map[string]any); object && len(s.AnyOf) > 0 {
		s = s.AnyOf[len(s.AnyOf)-1]
	}
	const prefix = "#/$defs/"
	if len(s.Ref) > len(prefix) && p.defs[s.Ref[len(prefix):]] != nil {
		return p.defs[s.Ref[len(prefix):]]
	}
	return s
}

func join(at, name string) string {
	if at == "" {
		return name
	}
	return at + "." + name
}

// innermost is the library's own sentence, without the path that leads to it.
func innermost(err error) string {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err.Error()
		}
		err = next
	}
}
