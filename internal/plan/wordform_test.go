package plan

import (
	"regexp"
	"strings"
	"testing"
)

// TestWordForms holds the forms of names against the patterns that they stand for.
func TestWordForms(t *testing.T) {
	for pattern, form := range map[string]wordForm{
		`^[a-z][a-z0-9_-]{0,62}$`:            nameForm,
		`^[A-Za-z0-9][A-Za-z0-9._:-]{0,62}$`: agentForm,
		`^[A-Z][A-Za-z0-9]{0,62}$`:           stepForm,
		`^[A-Za-z][A-Za-z0-9_]{0,62}$`:       keyForm,
	} {
		want := regexp.MustCompile(pattern)
		words := []string{"", strings.Repeat("a", 63), strings.Repeat("a", 64), strings.Repeat("A", 63), "a\n", "é", "Aé", "a\x00", "\x00"}
		for c := range 256 {
			words = append(words, string([]byte{byte(c)}), "a"+string([]byte{byte(c)}), "A"+string([]byte{byte(c)})+"b", "7"+string([]byte{byte(c)}))
		}
		for _, w := range words {
			if got := form.fits(w); got != want.MatchString(w) {
				t.Errorf("%s: %q fits: %v", pattern, w, got)
			}
		}
	}
}
