package openspec

import (
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"
	"unicode/utf16"

	"session/internal/lazy"
)

// Patterns of workflow schemas, as fast-glob 3 understands them for a schema's generates: * ? [a-z] [!a] {a,b} {1..9..2}
// @(a|b) ?(a) and ** as a whole segment; names that start with a dot only where the pattern says so. Other extended
// patterns such as +(a|b) are beyond it and refused with errPattern, never read as something else.

var errPattern = errors.New("pattern is not understood here")

// Limits on a pattern: bytes as written, and patterns that its braces may stand for.
const (
	maxPattern    = 1024
	maxExpansions = 256
)

var (
	extendedGlob = lazy.Regexp(`[!*+?@]\([^(]*\)`)
	doubtful     = lazy.Regexp(`^\?/|/\.(?:/|$)|[()|"]|\[[!^]?\]|\[\[|\[:`)
	braceRange   = lazy.Regexp(`^(?:(-?[0-9]{1,9})\.\.(-?[0-9]{1,9})|([A-Za-z])\.\.([A-Za-z]))(?:\.\.([0-9]{1,3}))?$`)
	choice       = lazy.Regexp(`([@?])\(([\pL\pN._ -]+(?:\|[\pL\pN._ -]+)*)\)`)
	manyStars    = lazy.Regexp(`\*{2,}`)
	deepSuffix   = lazy.Regexp(`^\*\*\.[0-9A-Za-z_]+$`)
)

// isPattern is the program's isGlobPattern (dist/core/artifact-graph/outputs.js): what it denies is a literal path.
func isPattern(p string) bool {
	p = slashed(p)
	if len(p) > maxPattern { // no file has such a name; refused as a pattern
		return true
	}
	return strings.ContainsAny(p, "*?[") || extendedGlob().MatchString(p) || hasBraces(p)
}

func slashed(p string) string { return strings.ReplaceAll(p, `\`, "/") }

func hasBraces(p string) bool {
	for from, to := range groups(p) {
		if in := p[from:to]; strings.Contains(in, ",") || strings.Contains(in, "..") {
			return true
		}
	}
	return false
}

// compilePattern expands braces and splits each result into segments.
func compilePattern(p string) ([][]string, error) {
	p = choices(slashed(p))
	if len(p) > maxPattern || doubtful().MatchString(p) {
		return nil, errPattern
	}
	if strings.HasPrefix(p, "!") { // nothing but an exclusion: matches nothing
		return nil, nil
	}
	expanded, err := expandBraces(p)
	if err != nil {
		return nil, err
	}
	var all [][]string
	for _, e := range expanded {
		segments, err := splitPattern(e)
		if err != nil {
			return nil, err
		}
		all = append(all, segments)
	}
	return all, nil
}

// choices writes one of several names, and one of them or none, as braces.
func choices(p string) string {
	return choice().ReplaceAllStringFunc(p, func(s string) string {
		m := choice().FindStringSubmatch(s)
		names := strings.ReplaceAll(m[2], "|", ",")
		switch {
		case m[1] == "?":
			return "{" + names + ",}"
		case strings.Contains(names, ","):
			return "{" + names + "}"
		}
		return names
	})
}

func splitPattern(p string) ([]string, error) {
	if deepSuffix().MatchString(p) { // alone it goes into folders; behind a slash it does not
		p = "**/*" + p[2:]
	}
	switch {
	case strings.HasPrefix(p, "/"):
		return nil, errOutside
	case strings.HasSuffix(p, "/"):
		return nil, nil // folders only
	}
	var segments []string
	for s := range strings.SplitSeq(p, "/") {
		switch {
		case s == "" || s == ".":
			continue
		case s == "..":
			return nil, errOutside
		case s == "**" && len(segments) > 0 && segments[len(segments)-1] == "**":
			continue
		case s != "**":
			s = manyStars().ReplaceAllString(s, "*")
		}
		if _, err := path.Match(goClass(s), ""); err != nil {
			return nil, errPattern
		}
		segments = append(segments, s)
	}
	if n := len(segments); n > 0 && segments[n-1] == "**" {
		segments = append(segments, "*")
	}
	return segments, nil
}

// goClass writes a negated class as path.Match wants it.
func goClass(segment string) string { return strings.ReplaceAll(segment, "[!", "[^") }

// matchSegment matches one name; a segment also matches the name that is written exactly like it.
func matchSegment(segment, name string) bool {
	if segment == name {
		return true
	}
	if name[0] == '.' && segment[0] != '.' {
		return false
	}
	ok, err := path.Match(goClass(units(segment)), units(name))
	return ok && err == nil
}

// units writes every character beyond U+FFFF as two others: to the program it is two.
func units(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r > 0xFFFF }) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if high, low := utf16.EncodeRune(r); r > 0xFFFF {
			b.WriteRune(privatePlane + high - 0xD800)
			b.WriteRune(privatePlane + low - 0xD800)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func literal(segment string) bool { return !strings.ContainsAny(segment, "*?[") }

// expandBraces expands {a,b} and {1..3}; other braces stand for themselves.
func expandBraces(p string) ([]string, error) {
	done, todo := []string{}, []string{p}
	for len(todo) > 0 {
		p, todo = todo[0], todo[1:]
		before, options, after, ok := firstBraces(p)
		if !ok {
			done = append(done, p)
		}
		for _, o := range options {
			todo = append(todo, before+o+after)
		}
		if len(done)+len(todo) > maxExpansions {
			return nil, errPattern
		}
	}
	return done, nil
}

// firstBraces finds the first outermost group that has alternatives.
func firstBraces(p string) (before string, options []string, after string, ok bool) {
	ends := groups(p)
	for i := range len(p) {
		if end, is := ends[i]; is {
			if options = alternatives(p[i+1 : end]); options != nil {
				return p[:i], options, p[end+1:], true
			}
		}
	}
	return "", nil, "", false
}

// groups gives, for each brace that is closed, where.
func groups(p string) map[int]int {
	ends, open := map[int]int{}, []int(nil)
	for i := range len(p) {
		switch {
		case p[i] == '{':
			open = append(open, i)
		case p[i] == '}' && len(open) > 0:
			ends[open[len(open)-1]] = i
			open = open[:len(open)-1]
		}
	}
	return ends
}

func alternatives(in string) []string {
	var parts []string
	depth, from := 0, 0
	for i := range len(in) {
		switch in[i] {
		case '{':
			depth++
		case '}':
			depth--
		case ',':
			if depth == 0 {
				parts, from = append(parts, in[from:i]), i+1
			}
		}
	}
	if parts != nil {
		return append(parts, in[from:])
	}
	return rangeOf(in)
}

func rangeOf(in string) []string {
	m := braceRange().FindStringSubmatch(in)
	if m == nil {
		return nil
	}
	width := 0
	if zeros(m[1]) || zeros(m[2]) {
		width = max(len(m[1]), len(m[2]))
	}
	text := func(n int) string { return fmt.Sprintf("%0*d", width, n) }
	from, _ := strconv.Atoi(m[1]) // the pattern has checked the digits
	to, _ := strconv.Atoi(m[2])
	if m[3] != "" {
		from, to = int(m[3][0]), int(m[4][0])
		text = func(n int) string { return string(rune(n)) }
	}
	step, _ := strconv.Atoi(m[5])
	step = max(step, 1)
	if to < from {
		step = -step
	}
	var all []string
	for n := from; len(all) <= maxExpansions && (step > 0 && n <= to || step < 0 && n >= to); n += step {
		all = append(all, text(n))
	}
	return all
}

// zeros reports whether a number is written with zeros before it, which all numbers of its range then are.
func zeros(number string) bool {
	digits := strings.TrimPrefix(number, "-")
	return len(digits) > 1 && digits[0] == '0'
}
