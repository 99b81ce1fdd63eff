package memory

import (
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
)

// marked is text with what a query marks in it in brackets.
func marked(query, text string) string {
	var b strings.Builder
	at := 0
	for _, s := range Highlight(query, text) {
		b.WriteString(text[at:s.From] + "[" + text[s.From:s.To] + "]")
		at = s.To
	}
	return b.String() + text[at:]
}

func TestHighlight(t *testing.T) {
	for _, c := range []struct{ query, want string }{
		{"redis timeout", "the [Redis] cache: [timeouts] on login"},
		{"what did we do about redis?", "the [Redis] cache is what we did"},
		{"auth", "the [authentication] of users"},
		{"session state", "wrote .claude/[session]-[state].json atomically"},
		{"session-state.json", "wrote .claude/[session]-[state].[json] atomically"},
		{"store", "class session[Store] opens"},
		{"internal/store/sql/db.go", "fixed [internal/store/sql/db.go]: a lock"},
		{"LNK2019", "error [LNK2019]: unresolved"},
		{"세션을 저장", "[세션의] 상태를 [저장했다]"},
		{"저장소", "[세션저장소를] 만들었다"},
		{"redis", "[Redis]를 켰다"},
		{norm.NFD.String("블로커"), "[블로커] 해제"},
		{"블로커", "[" + norm.NFD.String("블로커") + "] 해제"},
		{"🚀", "shipped [🚀] today"},
		{"redis", "\x1b31mredis stays, \x1b\x1b(1;31m[redis]\x1b(0m goes"},
		{"zebra", "nothing of it"},
		{"the of and", "the state of things"},
		{"", "nothing was asked"},
	} {
		text := strings.NewReplacer("[", "", "]", "", "(", "[").Replace(c.want) // an open bracket of the text stands as (
		if got := marked(c.query, text); got != strings.ReplaceAll(c.want, "(", "[") {
			t.Errorf("%q marks %q, want %q", c.query, got, c.want)
		}
	}
}

// FuzzHighlight wants spans that stand in the text, in order, on whole runes.
func FuzzHighlight(f *testing.F) {
	f.Add("redis", "the Redis cache")
	f.Add("세션", norm.NFD.String("세션저장소를")+"\x1b[31m\xff")
	f.Add("a/b.go c++", "a/b.go::c++ don't HTTPServer")
	f.Fuzz(func(t *testing.T, query, text string) {
		at := 0
		for _, s := range Highlight(query, text) {
			if s.From < at || s.To <= s.From || s.To > len(text) {
				t.Fatalf("span %v after %d in %q", s, at, text)
			}
			if strings.ToValidUTF8(text, "") == text && strings.ToValidUTF8(text[s.From:s.To], "") != text[s.From:s.To] {
				t.Fatalf("span %v cuts a rune of %q", s, text)
			}
			at = s.To
		}
	})
}
