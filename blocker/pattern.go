package blocker

import (
	"regexp"
	"strings"

	"session/internal/lazy"
)

// volatile is what changes from run to run in a line about the same failure, and what stands for it in a pattern.
var volatile = []struct {
	find func() *regexp.Regexp
	put  string
}{
	{lazy.Regexp(`\s+`), " "},
	{lazy.Regexp(`\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b`), "<uuid>"},
	{lazy.Regexp(`\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?`), "<time>"},
	{lazy.Regexp(`\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b`), "<time>"},
	{lazy.Regexp(`\b(?:https?|file)://[^\s'"<>)]+`), "<url>"},
	{lazy.Regexp(`(?:\b[A-Za-z]:\\|\\\\)[^\s:'"<>|()]+|(?:^|[\s'"=(\[:,‘“])(?:~|/)[\w.+@~-]+(?:/[^\s:'",<>()\]’”]+)+`), "<path>"},
	{lazy.Regexp(`\b0x[0-9a-fA-F]+\b`), "<addr>"},
	{lazy.Regexp(`@[0-9a-f]{5,16}\b`), "@<addr>"},
	{lazy.Regexp(`\b(?:[0-9]+[a-f]|[a-f]+[0-9])[0-9a-f]*\b`), "<hex>"},
	{lazy.Regexp(`[([]?\b\d+(?:\.\d+)?(?: ?(?:ms|s|sec|secs|seconds|min|minutes|m\d+(?:\.\d+)?s|h)\b)[)\]]?`), "<duration>"},
	{lazy.Regexp(`\b(?:pid|PID|process|thread|goroutine|port)[ =:#]+\d+`), "<number>"},
	{lazy.Regexp(`\b\d{5,}\b`), "<number>"},
}

// Pattern reduces an error line to what is the same each time the failure is seen: times, durations, addresses, long
// numbers, URLs and absolute paths are replaced by their kind. Paths relative to the repository stay.
func Pattern(line string) string {
	s := cut(strings.TrimSpace(line), maxText)
	for range 4 { // what one replacement leaves may read like another's; this comes to rest at once or after one more
		was := s
		for _, v := range volatile {
			s = v.find().ReplaceAllStringFunc(s, func(m string) string { return stable(m, v.put) })
		}
		s = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(s), "<path>: ")) // the tool that speaks
		if s = cut(s, 240); s == was {
			break
		}
	}
	return s
}

// stable replaces one volatile part; what an expression had to take along before it stays.
func stable(part, put string) string {
	switch put {
	case "<hex>":
		if len(part) < 8 {
			return part
		}
	case "<path>":
		if rest := strings.TrimLeft(part, " \t'\"=([:,‘“"); rest != part {
			return part[:len(part)-len(rest)] + put
		}
	}
	return put
}
