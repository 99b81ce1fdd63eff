package openspec

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"session/internal/lazy"
)

// metadataFile is what `openspec new change` writes into each change.
const metadataFile = ".openspec.yaml"

var (
	dateForm = lazy.Regexp(`^[0-9]{4}-[0-9]{2}-[0-9]{2}$`)
	kebabID  = lazy.Regexp(`^[a-z0-9]+(?:-[a-z0-9]+)*$`)
	// A plain word that YAML's core schema cannot take for anything but a string: it starts with a letter and is none
	// of the words for null and the truth values.
	plainWord = lazy.Regexp(`^[a-z][a-z0-9]*(?:[-_][a-z0-9]+)+$`)
)

// schemaOf reads a change's .openspec.yaml and gives the name of its workflow schema. Every violation of the program's
// ChangeMetadataSchema (dist/core/change-metadata/schema.js) is an error: the program then abandons the whole lookup.
func schemaOf(text string) (string, error) {
	if name, ok := usualMetadata(text); ok {
		return name, nil
	}
	doc, err := parseYAML(text)
	if err != nil {
		return "", err
	}
	if doc.kind() != kindMap {
		return "", errors.New("not a mapping")
	}
	name, ok := doc.get("schema").text()
	if !ok || name == "" {
		return "", errors.New("schema: must be a name")
	}
	return name, errors.Join(
		optionalText(doc, "created", dateForm()),
		optionalText(doc, "goal", nil),
		textList(doc.get("affected_areas"), "affected_areas"),
		initiative(doc.get("initiative")),
		optionalBool(doc, "skip_specs"),
		optionalBool(doc, "retire_capabilities"),
	)
}

// usualMetadata recognises the file as the program writes it, a schema and a date, without a YAML parser.
func usualMetadata(text string) (schema string, ok bool) {
	first, rest, _ := strings.Cut(text, "\n")
	schema, ok = strings.CutPrefix(first, "schema: ")
	if !ok || !plainWord().MatchString(schema) {
		return "", false
	}
	if rest == "" {
		return schema, true
	}
	date, ok := strings.CutPrefix(strings.TrimSuffix(rest, "\n"), "created: ")
	return schema, ok && dateForm().MatchString(date)
}

func optionalText(doc value, key string, form *regexp.Regexp) error {
	v := doc.get(key)
	s, ok := v.text()
	if v.kind() == kindMissing || ok && s != "" && (form == nil || form.MatchString(s)) {
		return nil
	}
	return fmt.Errorf("%s: not of its form", key)
}

func optionalBool(doc value, key string) error {
	if k := doc.get(key).kind(); k != kindMissing && k != kindBool {
		return fmt.Errorf("%s: must be true or false", key)
	}
	return nil
}

func textList(v value, key string) error {
	if v.kind() == kindMissing {
		return nil
	}
	if v.kind() != kindList {
		return fmt.Errorf("%s: must be a list", key)
	}
	for _, item := range v.items() {
		if s, ok := item.text(); !ok || s == "" {
			return fmt.Errorf("%s: every entry must be text", key)
		}
	}
	return nil
}

func initiative(v value) error {
	store, _ := v.get("store").text()
	id, _ := v.get("id").text()
	if v.kind() == kindMissing || len(v.keys()) == 2 && kebabID().MatchString(store) && kebabID().MatchString(id) {
		return nil
	}
	return errors.New("initiative: must be a store and an id in kebab-case")
}
