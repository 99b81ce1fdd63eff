package blocker

import (
	"strings"

	"session/internal/lazy"
)

// maxOptions bounds what a question offers.
const maxOptions = 9

var (
	optionsLabel = lazy.Regexp(`(?i)^[\s>#*_\-]*(?:options?|choices|alternatives|선택지|선택 ?사항|옵션|대안)[*_\s]*[:：][*_\s]*(.*)`)
	bullet       = lazy.Regexp(`^\s*(?:[-*•]|\(?[0-9A-Za-z][.)])\s+(\S.*)`)
	sentence     = lazy.Regexp(`[^,]{41}|[.:!?]\s`)
	numbered     = lazy.Regexp(`(?:^|[\s,;]+)\(?(?:[A-Ha-h]|[1-9])[.)]\s+`)
)

// Choices are the answers that a decision_required offers, as its report lists them: behind "Options:", as a list
// below it, or as one of two and more right below the question. nil: it lists none, and a person answers in words of their own.
func (b *Blocker) Choices() []string {
	for i, line := range b.Evidence {
		m := optionsLabel().FindStringSubmatch(line)
		if m == nil {
			continue
		}
		if rest := strings.TrimSpace(m[1]); rest != "" {
			return choices(rest)
		}
		return listed(b.Evidence[i+1:])
	}
	for i, line := range b.Evidence {
		if b.Message == "" || !strings.HasSuffix(strings.TrimSpace(line), b.Message) {
			continue
		}
		below := b.Evidence[i+1:]
		if len(below) > 0 && strings.TrimSpace(below[0]) == "" {
			below = below[1:]
		}
		if all := listed(below); len(all) > 1 {
			return all
		}
	}
	return nil
}

// listed is the list that lines begin with.
func listed(lines []string) (all []string) {
	for _, l := range lines {
		m := bullet().FindStringSubmatch(l)
		if m == nil {
			break
		}
		all = append(all, strings.TrimSpace(m[1]))
	}
	return all[:min(len(all), maxOptions)]
}

// choices splits one line: "a; b", "a | b", "A) a B) b", or words between commas. A sentence is one thing said, and no
// list.
func choices(s string) []string {
	var parts []string
	switch {
	case strings.Contains(s, ";"):
		parts = strings.Split(s, ";")
	case strings.Contains(s, " | "):
		parts = strings.Split(s, " | ")
	case len(numbered().FindAllString(s, 2)) == 2:
		parts = numbered().Split(s, -1)
	case !sentence().MatchString(s):
		parts = strings.Split(s, ",")
	}
	var all []string
	for _, p := range parts {
		if p = strings.Trim(p, " .,"); p != "" {
			all = append(all, p)
		}
	}
	if len(all) < 2 || len(all) > maxOptions {
		return nil
	}
	return all
}
