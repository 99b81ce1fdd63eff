// Package lazy makes what most commands never need when it is first asked for: the program is started by hooks, and the
// patterns of its packages together cost a tenth of its start.
package lazy

import (
	"regexp"
	"sync"
)

// Regexp compiles a pattern of package regexp when it is first asked for, once, and panics then where it is none. No
// pattern, "", is nil.
func Regexp(pattern string) func() *regexp.Regexp {
	if pattern == "" {
		return func() *regexp.Regexp { return nil }
	}
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
