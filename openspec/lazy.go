package openspec

import (
	"regexp"
	"sync"
)

// lazy compiles a pattern when it is first asked for: most commands never need most of them.
func lazy(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
