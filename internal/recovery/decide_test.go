package recovery

import (
	"testing"
	"time"

	"session/blocker"
	"session/internal/session"
)

func mends(t blocker.Type) (Mend, bool) {
	m, ok := map[blocker.Type]Mend{
		blocker.BuildError:    {Name: "build", Agents: []string{"cpp-builder"}, Attempts: 3},
		blocker.Dependency:    {Name: "build", Agents: []string{"cpp-builder"}, Attempts: 3},
		blocker.TestFailure:   {Name: "tests", Agents: []string{"tester", "code-editor"}, Attempts: 3},
		blocker.DesignIssue:   {Name: "design", Agents: []string{"architect"}, Proof: "person", Attempts: 3},
		blocker.ReviewBlocked: {Name: "review", Agents: []string{"code-editor"}, Attempts: 3},
		blocker.CIFailure:     {Name: "ci", Agents: []string{"devops"}, Attempts: 5},
	}[t]
	return m, ok
}

func found(typ blocker.Type) *blocker.Blocker {
	return &blocker.Blocker{ID: "b1", Type: typ, AutoDetected: true, ErrorPattern: "e1", Description: "d"}
}

// made is an attempt with an outcome.
func made(n int, mend, result string, change ...func(*session.Attempt)) session.Attempt {
	a := session.Attempt{N: n, Chain: "b1", Blocker: "b1", Mend: mend, Agent: "a", Result: result, Proved: "failed", Same: true, Left: "b1", Type: blocker.BuildError,
		Started: time.Unix(int64(n), 0)}
	for _, c := range change {
		c(&a)
	}
	return a
}

func leaves(id string) func(*session.Attempt) {
	return func(a *session.Attempt) { a.Left, a.Leaves, a.Same = id, "other", false }
}

func about(id string) func(*session.Attempt) { return func(a *session.Attempt) { a.Blocker = id } }

func unknown(a *session.Attempt) { a.Proved, a.Same = "unknown", false }

// TestRoutes: S1.16, each type of blocker takes its route.
func TestRoutes(t *testing.T) {
	for typ, want := range map[blocker.Type]Step{
		blocker.BuildError: {Do: Try, Agent: "cpp-builder"}, blocker.Dependency: {Do: Try, Agent: "cpp-builder"},
		blocker.TestFailure: {Do: Try, Agent: "tester"}, blocker.DesignIssue: {Do: Try, Agent: "architect"},
		blocker.ReviewBlocked: {Do: Try, Agent: "code-editor"}, blocker.CIFailure: {Do: Try, Agent: "devops"},
		blocker.MergeConflict: {Do: ByHand}, blocker.Other: {Do: ByHand}, blocker.DecisionRequired: {Do: Ask},
	} {
		got := Decide(Situation{Blocker: found(typ), Mends: mends})
		if got.Do != want.Do || got.Agent != want.Agent || got.Do == Try && got.N != 1 {
			t.Errorf("%s: %+v", typ, got)
		}
	}
}

func TestDecide(t *testing.T) {
	byPerson := found(blocker.BuildError)
	byPerson.AutoDetected = false
	five := func(n int) (all []session.Attempt) {
		for i := range n {
			all = append(all, made(i+1, "ci", session.Failed))
		}
		return all
	}
	for name, c := range map[string]struct {
		b         *blocker.Blocker
		ledger    []session.Attempt
		elsewhere bool
		want      Step
	}{
		"nothing stops":                {nil, nil, false, Step{Do: GoOn}},
		"nothing stops after a mend":   {nil, []session.Attempt{made(1, "build", session.Fixed)}, false, Step{Do: GoOn}},
		"a person's is proposed":       {byPerson, nil, false, Step{Do: Propose}},
		"another branch":               {found(blocker.BuildError), nil, true, Step{Do: Elsewhere}},
		"another branch, one open":     {found(blocker.BuildError), []session.Attempt{made(1, "build", session.Started)}, true, Step{Do: Elsewhere}},
		"open: proved first":           {found(blocker.BuildError), []session.Attempt{made(1, "build", session.Started)}, false, Step{Do: Prove, N: 1}},
		"open, and gone":               {nil, []session.Attempt{made(1, "build", session.Started)}, false, Step{Do: Prove, N: 1}},
		"a question comes first":       {found(blocker.DecisionRequired), []session.Attempt{made(1, "build", session.Asking)}, false, Step{Do: Ask}},
		"second":                       {found(blocker.BuildError), five(0), false, Step{Do: Try, Agent: "cpp-builder", N: 1}},
		"the second agent":             {found(blocker.TestFailure), []session.Attempt{made(1, "tests", session.Failed)}, false, Step{Do: Try, Agent: "code-editor", N: 2}},
		"the last agent stays":         {found(blocker.TestFailure), []session.Attempt{made(1, "tests", session.Failed), made(2, "tests", session.Unproven)}, false, Step{Do: Try, Agent: "code-editor", N: 3}},
		"another mend, its first":      {found(blocker.TestFailure), []session.Attempt{made(1, "build", session.Failed)}, false, Step{Do: Try, Agent: "tester", N: 2}},
		"the limit":                    {found(blocker.BuildError), []session.Attempt{made(1, "build", session.Failed), made(2, "build", session.TimedOut), made(3, "build", session.Crashed)}, false, Step{Do: GiveUp}},
		"the limit over changed error": {found(blocker.BuildError), []session.Attempt{made(1, "build", session.Failed, about("b0"), leaves("b2")), made(2, "build", session.Failed, about("b2"), leaves("b1")), made(3, "build", session.Failed, leaves("b1"))}, false, Step{Do: GiveUp}},
		"progress goes on":             {found(blocker.BuildError), []session.Attempt{made(1, "build", session.Failed, about("b0"), leaves("b1"))}, false, Step{Do: Try, Agent: "cpp-builder", N: 2}},
		"unchanged before the limit":   {found(blocker.CIFailure), five(3), false, Step{Do: GiveUp}},
		"two unchanged go on":          {found(blocker.CIFailure), five(2), false, Step{Do: Try, Agent: "devops", N: 3}},
		"a changed one between":        {found(blocker.CIFailure), append(five(2), made(3, "ci", session.Failed, leaves("b1"))), false, Step{Do: Try, Agent: "devops", N: 4}},
		"unprovable waits":             {found(blocker.CIFailure), []session.Attempt{made(1, "ci", session.Unproven, unknown)}, false, Step{Do: ByHand}},
		"strayed, and back":            {found(blocker.BuildError), []session.Attempt{made(1, "build", session.Strayed, unknown)}, false, Step{Do: Try, Agent: "cpp-builder", N: 2}},
		"mended once, back again":      {found(blocker.BuildError), []session.Attempt{made(1, "build", session.Failed), made(2, "build", session.Failed), made(3, "build", session.Fixed)}, false, Step{Do: Try, Agent: "cpp-builder", N: 1}},
		"another blocker's attempts":   {found(blocker.BuildError), []session.Attempt{made(1, "build", session.Failed, about("x"), leaves("y"), func(a *session.Attempt) { a.Chain = "x" })}, false, Step{Do: Try, Agent: "cpp-builder", N: 1}},
		"a decision is no attempt":     {found(blocker.BuildError), []session.Attempt{{Chain: "b1", Blocker: "b1", Result: session.Decided}}, false, Step{Do: Try, Agent: "cpp-builder", N: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			got := Decide(Situation{Blocker: c.b, Ledger: c.ledger, Elsewhere: c.elsewhere, Mends: mends})
			if got.Do != c.want.Do || c.want.Agent != "" && got.Agent != c.want.Agent || c.want.N != 0 && got.N != c.want.N {
				t.Errorf("%+v, want %+v", got, c.want)
			}
			if got.Do != GoOn && got.Why == "" {
				t.Error("no reason")
			}
		})
	}
}
