package blocker

import "slices"

// rank orders types: what must be settled by a person before anything else can work comes first, then what stands
// earlier on the way from source to CI (facts: design D).
var rank = map[Type]int{MergeConflict: 1, DecisionRequired: 2, ReviewBlocked: 3, Dependency: 4, BuildError: 5, TestFailure: 6,
	CIFailure: 7, DesignIssue: 8, Other: 9}

// Order sorts blockers by what must be met first: merge conflict, decision, review, then the failing stage (dependency,
// build, test, CI), then the rest; fresh before stale, then by severity, then those that name a place. The order of equals
// stays. The same failure seen twice is kept once, the first of it.
func Order(list []Blocker) []Blocker {
	out := slices.Clone(list)
	slices.SortStableFunc(out, func(a, b Blocker) int {
		if a.Stale != b.Stale {
			return boolInt(a.Stale) - boolInt(b.Stale)
		}
		if r := rank[a.Type] - rank[b.Type]; r != 0 {
			return r
		}
		if s := slices.Index(Severities(), a.Severity) - slices.Index(Severities(), b.Severity); s != 0 {
			return s
		}
		return boolInt(a.File == "") - boolInt(b.File == "")
	})
	var kept []Blocker
	for i := range out {
		if !slices.ContainsFunc(kept, func(k Blocker) bool { return k.Same(&out[i]) }) {
			kept = append(kept, out[i])
		}
	}
	return kept
}

// First is the blocker to meet first, nil when there is none.
func First(list []Blocker) *Blocker {
	if o := Order(list); len(o) > 0 {
		return &o[0]
	}
	return nil
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
