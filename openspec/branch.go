package openspec

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// trunks are branches that are named after nobody's change.
var trunks = []string{"main", "master", "trunk", "dev", "develop", "development", "staging", "production", "release"}

// filler are words that say nothing about which change it is.
var filler = []string{"feat", "feature", "fix", "chore", "docs", "openspec", "change", "spec"}

// plain writes a name in lower case with single hyphens between its words. Letters of every script stay.
func plain(name string) string {
	words := strings.FieldsFunc(strings.ToLower(norm.NFC.String(name)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	return strings.Join(words, "-")
}

func lastSegment(branch string) string { return branch[strings.LastIndexByte(branch, '/')+1:] }

// branchIsID finds the one change that the branch is named exactly after: its last segment, or all of it.
func branchIsID(branch string, all []*change) *change {
	last, whole := plain(lastSegment(branch)), plain(branch)
	return single(all, func(c *change) bool {
		id := plain(c.ID)
		return id != "" && (id == last || id == whole)
	})
}

// branchLike finds the one change that the branch is named after in a looser way.
func branchLike(branch string, all []*change) (*change, BranchMatch) {
	last := plain(lastSegment(branch))
	if last == "" || slices.Contains(trunks, last) {
		return nil, ""
	}
	if c := longestWithin(plain(branch), all); c != nil {
		return c, MatchContains
	}
	if len(last) >= 6 {
		if c := single(all, func(c *change) bool { return strings.Contains(plain(c.ID), last) }); c != nil {
			return c, MatchContained
		}
	}
	words := wordsOf(last)
	for _, share := range []float64{0.5, 0.25} {
		if c := single(all, func(c *change) bool { return overlap(words, wordsOf(plain(c.ID))) >= share }); c != nil {
			return c, MatchWords
		}
	}
	return nil, ""
}

// longestWithin finds the change whose id stands in the branch as whole words. Of add-auth and add-auth-tokens the
// longer is meant.
func longestWithin(branch string, all []*change) (best *change) {
	length, twice := 0, false
	for _, c := range all {
		id := plain(c.ID)
		if id == "" || !strings.Contains("-"+branch+"-", "-"+id+"-") {
			continue
		}
		if twice = len(id) == length; len(id) >= length {
			best, length = c, len(id)
		}
	}
	if twice {
		return nil
	}
	return best
}

// single gives the only change that passes.
func single(all []*change, passes func(*change) bool) (only *change) {
	for _, c := range all {
		if passes(c) {
			if only != nil {
				return nil
			}
			only = c
		}
	}
	return only
}

func wordsOf(name string) []string {
	words := strings.Split(name, "-")
	slices.Sort(words)
	words = slices.Compact(words)
	return slices.DeleteFunc(words, func(w string) bool { return w == "" || slices.Contains(filler, w) })
}

// overlap is the Jaccard index of two sets of words.
func overlap(a, b []string) float64 {
	both := 0
	for _, w := range a {
		if slices.Contains(b, w) {
			both++
		}
	}
	if all := len(a) + len(b) - both; all > 0 {
		return float64(both) / float64(all)
	}
	return 0
}
