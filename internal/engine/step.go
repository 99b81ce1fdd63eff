package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"

	"session/internal/plan"
)

// Step does one named thing to a draft of type D. Make one with Does or With.
type Step[D any] struct {
	bind func(settings json.RawMessage) (func(context.Context, *D) error, error)
	acts bool
}

// Steps are the steps that a plan may name.
type Steps[D any] map[string]Step[D]

// Does makes a step without settings.
func Does[D any](f func(context.Context, *D) error) Step[D] {
	return With(func(ctx context.Context, d *D, _ struct{}) error { return f(ctx, d) })
}

// With makes a step whose settings are a P, decoded from the plan's JSON before the first step runs. Settings that P
// does not have are refused, spelled exactly as in its tags; so is a P whose Check method returns an error. There are
// no defaults: what must be given, Check has to ask for.
func With[D, P any](f func(context.Context, *D, P) error) Step[D] {
	return Step[D]{bind: func(settings json.RawMessage) (func(context.Context, *D) error, error) {
		p, err := decode[P](settings)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context, d *D) error { return f(ctx, d, p) }, nil
	}}
}

// Acts marks a step that changes the world; the package comment says what follows.
func Acts[D any](s Step[D]) Step[D] {
	s.acts = true
	return s
}

// On makes a step that was written for a part of a draft run on the whole.
func On[D, Part any](part func(*D) *Part, s Step[Part]) Step[D] {
	return Step[D]{acts: s.acts, bind: func(settings json.RawMessage) (func(context.Context, *D) error, error) {
		f, err := s.bind(settings)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context, d *D) error { return f(ctx, part(d)) }, nil
	}}
}

// Checks gives the checks of these steps' settings, for the plan's Catalogue.
func (s Steps[D]) Checks() map[string]plan.Check {
	all := make(map[string]plan.Check, len(s))
	for name, step := range s {
		all[name] = func(settings json.RawMessage) error {
			_, err := step.bound(settings)
			return err
		}
	}
	return all
}

// Acting lists the steps that act, sorted.
func (s Steps[D]) Acting() []string {
	var all []string
	for name := range maps.Keys(s) {
		if s[name].acts {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

// bound binds a step; a Step that nobody made, and a Check that panics, are errors.
func (s Step[D]) bound(settings json.RawMessage) (f func(context.Context, *D) error, err error) {
	if s.bind == nil {
		return nil, errors.New("the step does nothing: it was not made with Does or With")
	}
	err = caught(func() (err error) { f, err = s.bind(settings); return err })
	return f, err
}

func decode[P any](settings json.RawMessage) (p P, err error) {
	if err := known(reflect.TypeFor[P](), settings); err != nil {
		return p, err
	}
	if settings != nil {
		d := json.NewDecoder(bytes.NewReader(settings))
		d.DisallowUnknownFields()
		if err := d.Decode(&p); err != nil {
			return p, setting(err)
		}
		if _, err := d.Token(); !errors.Is(err, io.EOF) {
			return p, errors.New("settings are one JSON object")
		}
	}
	if c, ok := any(&p).(interface{ Check() error }); ok {
		return p, c.Check()
	}
	return p, nil
}

// known refuses settings that P does not have. encoding/json would take "topk" for "topK": then two plans with two
// hashes would mean the same.
func known(p reflect.Type, settings json.RawMessage) error {
	if settings == nil {
		return nil
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(settings, &given); err != nil {
		return fmt.Errorf("settings are a JSON object: %w", err)
	}
	names := fieldNames(p)
	for _, name := range slices.Sorted(maps.Keys(given)) {
		switch {
		case len(names) == 0:
			return &plan.SettingError{Setting: name, Err: errors.New("this step takes no settings")}
		case !slices.Contains(names, name):
			return &plan.SettingError{Setting: name, Err: fmt.Errorf("unknown setting; there are: %s", strings.Join(names, ", "))}
		case string(given[name]) == "null":
			return &plan.SettingError{Setting: name, Err: errors.New("null is no value; leave the setting out")}
		}
	}
	return nil
}

// fieldNames lists the JSON names of a settings struct, embedded ones included.
func fieldNames(p reflect.Type) []string {
	var all []string
	for _, f := range reflect.VisibleFields(p) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" || f.Anonymous || !f.IsExported() {
			continue
		}
		if name == "" {
			name = f.Name
		}
		all = append(all, name)
	}
	return all
}

// setting names the setting that has a value of the wrong type.
func setting(err error) error {
	var t *json.UnmarshalTypeError
	if !errors.As(err, &t) || t.Field == "" {
		return err
	}
	top, _, _ := strings.Cut(t.Field, ".")
	return &plan.SettingError{Setting: top, Err: fmt.Errorf("a %s is expected, there is a %s", t.Type, t.Value)}
}
