package blocker

import (
	"strings"

	"session/blocker/rules"
	"session/internal/lazy"
)

// Verdict is how a run ended.
type Verdict string

// The verdicts. Unknown: nothing in the log says how the run ended.
const (
	Succeeded Verdict = "success"
	Failed    Verdict = "failure"
	Unknown   Verdict = "unknown"
)

// verdicts collects what the lines of a log say about its end: per level the last failure and the last success, as the
// sequence numbers of their lines (0: none).
type verdicts struct {
	bad, good map[string]int
	done      int  // a CI system's log is complete, but says nothing about success
	steps     bool // a CI system speaks in this log
	last      *hit // the last failing verdict line
}

func newVerdicts() verdicts { return verdicts{bad: map[string]int{}, good: map[string]int{}} }

func (v *verdicts) add(h *hit) {
	r := h.m.Rule
	switch {
	case r.Verdict == rules.Failure:
		v.bad[r.Level] = h.seq
		if v.last == nil || r.Level != rules.LevelPart {
			v.last = h
		}
	case r.Strength == rules.Weak:
		v.done = h.seq
	default:
		v.good[r.Level] = h.seq
	}
}

// judge decides: the outermost level that says anything, the last word of it. proof is the last line that is a failure
// by itself; it outweighs an inner success that came before it.
func (v *verdicts) judge(exit *int, proof int) Verdict {
	if exit != nil {
		return map[bool]Verdict{true: Succeeded, false: Failed}[*exit == 0]
	}
	const ci, run, part = rules.LevelCI, rules.LevelRun, rules.LevelPart
	switch {
	case v.bad[ci] > v.good[ci]:
		return Failed
	case v.good[ci] > 0:
		return Succeeded
	case v.done > 0 && v.bad[part] == 0 && v.bad[run] < v.good[run]:
		return Succeeded
	case v.bad[run] > v.good[run]:
		return Failed
	case v.good[run] > 0:
		if max(v.bad[part], proof) > v.good[run] {
			return Failed
		}
		return Succeeded
	case v.bad[part] > 0:
		return Failed
	case v.good[part] > proof, v.done > 0:
		return Succeeded
	}
	return Unknown
}

// sure tells whether the end of a log is enough to believe its success: the CI system said so, or a tool did and no CI
// system speaks that may have said otherwise before.
func (v *verdicts) sure() bool {
	return v.good[rules.LevelCI] > 0 || v.good[rules.LevelRun] > 0 && !v.steps
}

// part tells whether a success is that of a part of a run: a package, a configuration, a target.
func (v *verdicts) part() bool {
	return v.good[rules.LevelCI] == 0 && v.good[rules.LevelRun] == 0 && v.done == 0
}

// progress is how CMake's makefiles and Ninja count their steps; each line tells of one that is done or begins.
var (
	percent = lazy.Regexp(`^\[ {0,2}(\d{1,3})%\] (Built target )?`)
	counted = lazy.Regexp(`^\[(\d+)/(\d+)\] (?:Building \S+ object|Linking|Compiling|Archiving|Generating) `)
)

// unfinished tells whether the last step that a build counts in these lines is not its last one: the part that went well
// before was not all.
func unfinished(lines []string) bool {
	for i := len(lines) - 1; i >= 0; i-- {
		if m := percent().FindStringSubmatch(lines[i]); m != nil {
			return m[1] != "100" || m[2] == ""
		}
		if m := counted().FindStringSubmatch(lines[i]); m != nil {
			return m[1] != m[2]
		}
	}
	return false
}

// complete tells whether the last line is one that ends a run without a word about its success: the last step that Ninja
// counts, and the end of CTest's LastTest.log.
func complete(lines []string) bool {
	if len(lines) == 0 {
		return false
	}
	last := lines[len(lines)-1]
	m := counted().FindStringSubmatch(last)
	return m != nil && m[1] == m[2] || strings.HasPrefix(last, "End testing: ")
}
