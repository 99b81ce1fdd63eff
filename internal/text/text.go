// Package text holds every sentence that a person reads, in English and Korean, and makes foreign text harmless to
// print. A sentence has a key and named places: "saved {id}". What is put into a place is made safe on the way, so a
// branch name with a terminal escape in it can do nothing. JSON keys, statuses and exit codes are not sentences and
// never change with the language.
package text

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"
	"time"
)

//go:embed en.txt
var english string

//go:embed ko.txt
var korean string

// Lang is a language of the catalogue.
type Lang string

// The languages.
const (
	English Lang = "en"
	Korean  Lang = "ko"
)

// Parse reads a language name or a locale: "ko", "ko_KR.UTF-8". ok is false for any other language.
func Parse(s string) (l Lang, ok bool) {
	name, _, _ := strings.Cut(strings.ToLower(s), ".")
	name, _, _ = strings.Cut(name, "_")
	name, _, _ = strings.Cut(name, "-")
	switch name {
	case "en", "c", "posix":
		return English, true
	case "ko":
		return Korean, true
	}
	return English, false
}

// Choose picks the language: the flag, then LC_ALL, LC_MESSAGES and LANG; the first that is set decides, English if
// it is none of ours.
func Choose(flag string, getenv func(string) string) (Lang, error) {
	if flag != "" {
		l, ok := Parse(flag)
		if !ok {
			return English, fmt.Errorf("language %q is not known: en or ko", flag)
		}
		return l, nil
	}
	for _, k := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if v := getenv(k); v != "" {
			l, _ := Parse(v)
			return l, nil
		}
	}
	return English, nil
}

// Catalogue says sentences in one language.
type Catalogue struct {
	lang  Lang
	words index
}

// New reads the catalogue of a language.
func New(l Lang) *Catalogue {
	b := english
	if l == Korean {
		b = korean
	}
	return &Catalogue{lang: l, words: indexed(b)}
}

// Lang is the catalogue's language.
func (c *Catalogue) Lang() Lang { return c.lang }

// Has reports whether there is a sentence with this key.
func (c *Catalogue) Has(key string) bool { _, ok := c.words.find(key); return ok }

// Say returns the sentence with its places filled: pairs of a place's name and a value. Strings are made safe; a list
// of strings is joined by commas. A Korean particle behind a place takes the form that fits what is in it. An unknown
// key is said as it is, which a test forbids.
func (c *Catalogue) Say(key string, pairs ...any) string {
	s, ok := c.words.find(key)
	if !ok {
		s = key
	}
	if !strings.Contains(s, "{") {
		return s
	}
	var b strings.Builder
	for {
		before, rest, open := strings.Cut(s, "{")
		name, after, closed := strings.Cut(rest, "}")
		b.WriteString(before)
		if !open || !closed {
			b.WriteString(rest)
			return b.String()
		}
		v := value(name, pairs)
		form, after := particle(v, after)
		b.WriteString(v + form)
		s = after
	}
}

// newlines are what git and servers lay out the sentences of an error with.
var newlines = regexp.MustCompile(`[ \t\r]*\n\s*`)

// value is what goes into a place: the value of that name, or {name|one|many} chosen by it.
func value(place string, pairs []any) string {
	name, words, counted := strings.Cut(place, "|")
	if counted {
		one, many, _ := strings.Cut(words, "|")
		if value(name, pairs) == "1" {
			return one
		}
		return many
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i] == name {
			switch v := pairs[i+1].(type) {
			case string:
				return Safe(v)
			case []string:
				return Safe(strings.Join(v, ", "))
			case error:
				return Safe(newlines.ReplaceAllString(v.Error(), " "))
			case time.Duration:
				return v.Round(time.Second).String()
			default:
				return Safe(fmt.Sprint(v))
			}
		}
	}
	return "{" + name + "}"
}
