package recovery

import (
	"slices"
	"time"

	"session/blocker"
	"session/internal/session"
)

// Mend is how a blocker of one type is mended (bundles.yaml, mend).
type Mend struct {
	Name     string
	Agents   []string // asked in this order; the last one stays
	Proof    string   // same-check, person, or a bundle of checks
	Attempts int      // after so many a person has it
	Limit    time.Duration
}

// Do is what comes next.
type Do string

// What can come next.
const (
	GoOn      Do = "go-on"   // nothing stops the work
	Prove     Do = "prove"   // an attempt has no outcome yet: it is proved before anything else
	Try       Do = "attempt" // an agent mends
	Ask       Do = "decide"  // a person takes a decision
	Propose   Do = "propose" // a person recorded the blocker: a way out is proposed, nothing is run
	ByHand    Do = "by-hand" // a person mends
	GiveUp    Do = "give-up" // the limit is reached, or the same error stands after all that was tried
	Elsewhere Do = "switch"  // the work tree is not where the blocker is
)

// Step is the next step of a recovery, and why. Pure data.
type Step struct {
	Do      Do               `json:"do"`
	Blocker *blocker.Blocker `json:"-"`
	Chain   string           `json:"-"` // id of the blocker that the first attempt was about
	Mend    Mend             `json:"-"`
	Agent   string           `json:"agent,omitempty"`
	N       int              `json:"n,omitempty"`   // this attempt, 1 and up
	Of      int              `json:"of,omitempty"`  // at most so many
	Why     string           `json:"why,omitempty"` // key of a sentence
}

// unchanged is after how many proofs that show the very same error a recovery stops.
const unchanged = 3

// Situation is all that a decision is made from.
type Situation struct {
	Blocker   *blocker.Blocker // the one to meet first; nil: none
	Ledger    []session.Attempt
	Seen      time.Time // when the source of the blocker last said so, where that is known
	Elsewhere bool      // the work tree is on another branch than the state
	Mends     func(blocker.Type) (Mend, bool)
}

// Decide says what comes next. Blockers come before everything else (S1.16); an attempt without an outcome comes before
// another one, so nothing runs twice by itself; the limit holds for all attempts of a chain, also when the error
// changed on the way.
func Decide(in Situation) Step {
	b := in.Blocker
	if a := Open(in.Ledger); a != nil && !in.Elsewhere {
		m, _ := in.Mends(a.Type)
		return Step{Do: Prove, Blocker: b, Chain: a.Chain, Mend: m, Agent: a.Agent, N: a.N, Of: m.Attempts, Why: "resume.prove-first"}
	}
	if b == nil {
		return Step{Do: GoOn}
	}
	chain, made := Chain(b, in.Ledger)
	s := Step{Blocker: b, Chain: chain}
	switch {
	case in.Elsewhere:
		s.Do, s.Why = Elsewhere, "resume.elsewhere"
		return s
	case !b.AutoDetected:
		s.Do, s.Why = Propose, "resume.by-person"
		return s
	case b.Type == blocker.DecisionRequired:
		s.Do, s.Why = Ask, "resume.decision"
		return s
	}
	m, ok := in.Mends(b.Type)
	if !ok || len(m.Agents) == 0 {
		s.Do, s.Why = ByHand, "resume.by-hand"
		return s
	}
	s.Mend, s.Of = m, m.Attempts
	switch {
	case len(made) >= m.Attempts:
		s.Do, s.Why = GiveUp, "resume.limit"
	case standing(made) >= unchanged:
		s.Do, s.Why = GiveUp, "resume.unchanged"
	case waits(made, in.Seen):
		s.Do, s.Why = ByHand, "resume.unprovable"
		if made[len(made)-1].Result == session.Failed {
			s.Why = "resume.unmended"
		}
	default:
		s.Do, s.N, s.Why = Try, len(made)+1, "resume.attempt"
		s.Agent = m.Agents[min(asked(made, m.Name), len(m.Agents)-1)]
	}
	return s
}

// Open is the attempt that has no outcome yet; nil if there is none.
func Open(ledger []session.Attempt) *session.Attempt {
	if n := len(ledger); n > 0 && ledger[n-1].Result == session.Started {
		return &ledger[n-1]
	}
	return nil
}

// Chain finds the attempts that led to a blocker: those about it, and those about what stood before it.
func Chain(b *blocker.Blocker, ledger []session.Attempt) (id string, made []session.Attempt) {
	id = session.ChainOf(b, ledger)
	for _, a := range ledger {
		switch {
		case a.Chain != id || a.N == 0:
		case a.Result == session.Fixed || a.Result == session.Overdue:
			made = nil // it was gone: what stands now is counted anew
		default:
			made = append(made, a)
		}
	}
	return id, made
}

// standing counts the newest attempts whose proofs show one and the same error.
func standing(made []session.Attempt) (n int) {
	for _, a := range slices.Backward(made) {
		if !a.Same {
			break
		}
		n++
	}
	return n
}

// waits reports whether the last attempt cannot be proved here: another one would be proved no better. One that left the
// branch was not proved at all, and what was seen to fail again since can be proved after all.
func waits(made []session.Attempt, seen time.Time) bool {
	n := len(made)
	return n > 0 && made[n-1].Proved == "unknown" && made[n-1].Result != session.Strayed && !seen.After(made[n-1].Ended)
}

func asked(made []session.Attempt, mend string) (n int) {
	for _, a := range made {
		if a.Mend == mend {
			n++
		}
	}
	return n
}
