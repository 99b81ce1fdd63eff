package github

import (
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Limits of what an Answer keeps of GitHub's texts, in bytes, and of its lists, in entries.
const (
	maxName    = 200
	maxText    = 300
	maxLink    = 500
	maxRuns    = 100
	maxChecks  = 100
	maxJobs    = 20 // failing ones of a run
	maxSteps   = 10 // failing ones of a job
	maxPulls   = 5
	maxReviews = 100
	maxThreads = 100 // of a pull request: as many as are asked for
	maxUnknown = 30
)

// clip makes a text of the API fit to be kept and shown: valid UTF-8 in one line, without control characters or marks
// that turn the direction of writing, of at most n bytes.
func clip(s string, n int) string {
	s = strings.TrimSpace(strings.Map(plain, strings.ToValidUTF8(s[:min(len(s), 4*n)], "\uFFFD")))
	if len(s) <= n {
		return s
	}
	const mark = "…"
	n -= len(mark)
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + mark
}

func plain(r rune) rune {
	switch {
	case unicode.IsControl(r), r == '\u2028', r == '\u2029':
		return ' '
	case r >= '\u202A' && r <= '\u202E', r >= '\u2066' && r <= '\u2069', r == '\u200E', r == '\u200F', r == '\u061C':
		return -1
	}
	return r
}

// firstLine is what a conversation begins with.
func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s[:min(len(s), 4*maxText)]), "\n")
	return clip(s, maxText)
}

// link keeps a web address that a person may open, and nothing else.
func link(s string) string {
	u, err := url.Parse(s)
	if err != nil || len(s) > maxLink || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil || clip(s, maxLink) != s {
		return ""
	}
	return s
}

// stamp reads a time of the API, zero when it is none that can be written again.
func stamp(s string) time.Time {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return time.Time{}
	}
	return writable(t)
}

// writable drops times that JSON cannot carry.
func writable(t time.Time) time.Time {
	t = t.UTC()
	if t.Year() < 1 || t.Year() > 9999 {
		return time.Time{}
	}
	return t
}

// word keeps a value of an enumeration that GitHub may extend: short, letters and underscores.
func word(s string) string {
	if len(s) > 40 || !only(s, "_-") {
		return ""
	}
	return s
}

func head[T any](list []T, n int) []T { return list[:min(len(list), n)] }
