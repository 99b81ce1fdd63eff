package blocker

import (
	"regexp"
	"sync"
)

// lazily compiles a pattern when it is first needed: most commands of the program scan nothing, and the patterns of this
// package together cost a tenth of its start.
func lazily(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
