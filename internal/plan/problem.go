package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Place is where something stands: file, line and column, both counted from 1.
type Place struct {
	File      string
	Line, Col int
}

// String is file:line:col, as editors and compilers write it.
func (p Place) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col) }

func (p Place) compare(q Place) int {
	return cmp.Or(cmp.Compare(p.File, q.File), cmp.Compare(p.Line, q.Line), cmp.Compare(p.Col, q.Col))
}

// Problem is one thing that is wrong with a policy.
type Problem struct {
	At   Place
	What string // which entry and what is wrong with it, one line
}

// String is the place and what is wrong there.
func (p Problem) String() string { return p.At.String() + ": " + p.What }

// Invalid is the error of a policy that cannot be used: all its problems, sorted by place.
type Invalid struct{ Problems []Problem }

const mostShown = 50

// Error gives a line a problem, at most fifty of them; Problems has them all.
func (e *Invalid) Error() string {
	var b strings.Builder
	b.WriteString("policy refused, nothing was run:")
	for i, p := range e.Problems {
		if i == mostShown {
			fmt.Fprintf(&b, "\n  and %d more", len(e.Problems)-i)
			break
		}
		b.WriteString("\n  " + p.String())
	}
	return b.String()
}

// invalid sorts problems and keeps one a place: what stands first is what the others follow from.
func invalid(all []Problem) error {
	if len(all) == 0 {
		return nil
	}
	slices.SortStableFunc(all, func(a, b Problem) int { return a.At.compare(b.At) })
	return &Invalid{slices.CompactFunc(all, func(a, b Problem) bool { return a.At == b.At })}
}
