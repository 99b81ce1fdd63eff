package text

import (
	"strings"
	"testing"
)

// read parses "key = sentence" lines; a line that begins with a blank goes on with the sentence above on a line of its
// own, an empty line in between stays; "#" begins a comment.
func read(b string) map[string]string {
	words := make(map[string]string, 2048)
	key, gap := "", ""
	for len(b) > 0 {
		var line string
		line, b, _ = strings.Cut(b, "\n")
		switch {
		case line == "":
			gap = "\n"
		case line[0] == '#':
		case line[0] == ' ':
			words[key] += gap + "\n" + line[2:]
			gap = ""
		default:
			gap = ""
			var sentence string
			key, sentence, _ = strings.Cut(line, " = ")
			words[key] = sentence
		}
	}
	return words
}

// TestIndex holds the index against the whole text, read line by line.
func TestIndex(t *testing.T) {
	for name, b := range map[string]string{"en": english, "ko": korean, "none": "", "comment": "# x", "one": "a = b", "gap": "a = b\n\n  c\n\n# d\n  e\nf = g\n\n"} {
		x, all := indexed(b), read(b)
		for key, want := range all {
			if got, ok := x.find(key); !ok || got != want {
				t.Errorf("%s: %s is %q, want %q", name, key, got, want)
			}
			for _, other := range []string{key + ".", key[:len(key)-1], strings.ToUpper(key)} {
				if _, known := all[other]; known {
					continue
				}
				if got, ok := x.find(other); ok {
					t.Errorf("%s: %s is %q", name, other, got)
				}
			}
		}
	}
}
