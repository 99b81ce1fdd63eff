package session

import (
	"path/filepath"
	"slices"
	"time"

	"session/blocker"
)

// Attempt is one try at mending a blocker, or a decision that a person took on the way. It is on record before it
// starts (S1.7, S2.7): what ends without an outcome stands as started, and is proved before anything else is tried.
type Attempt struct {
	N       int          `json:"n"`       // 1 and up within its chain; 0 for a decision
	Chain   string       `json:"chain"`   // id of the blocker that the first attempt was about
	Blocker string       `json:"blocker"` // id of the blocker that this one is about
	Type    blocker.Type `json:"type"`
	Error   string       `json:"error"` // its error_pattern
	Mend    string       `json:"mend,omitempty"`
	Agent   string       `json:"agent"`             // "person" for a decision
	Program string       `json:"program,omitempty"` // what was started; "" inside an assistant
	Run     string       `json:"run,omitempty"`     // that started it
	Started time.Time    `json:"started"`
	Ended   time.Time    `json:"ended,omitzero"`
	Before  string       `json:"before,omitempty"` // commit
	After   string       `json:"after,omitempty"`
	Result  string       `json:"result"`
	Proof   string       `json:"proof"`                // command line, or what else shows that it is well
	Proved  string       `json:"proved,omitempty"`     // passed, failed, unknown
	Same    bool         `json:"same_error,omitempty"` // the error that it was about still stands
	Left    string       `json:"left,omitempty"`       // id of the blocker that stands afterwards
	Leaves  string       `json:"leaves,omitempty"`     // its error_pattern
	Log     string       `json:"log,omitempty"`        // output of the policy's proof that failed, below the runtime folder
	Files   []string     `json:"files,omitempty"`      // that the attempt changed; at most MaxAttemptFiles
	Said    string       `json:"said,omitempty"`       // the end of what the agent said, masked
	Asked   string       `json:"question,omitempty"`   // of a decision
	Answer  string       `json:"answer,omitempty"`
	Tokens  int64        `json:"tokens,omitempty"`
	Cost    int64        `json:"cost_micro_usd,omitempty"`
}

// MaxAttemptFiles bounds Attempt.Files.
const MaxAttemptFiles = 50

// What became of an attempt.
const (
	Started  = "started"  // nothing is known yet
	Fixed    = "fixed"    // proven
	Failed   = "failed"   // the agent says so, or says nothing, and the proof fails
	Unproven = "unproven" // the agent says that it mended it; the proof fails, or cannot be had here
	TimedOut = "timeout"
	Crashed  = "crashed"
	Asking   = "decision" // the agent asks for a decision
	Strayed  = "strayed"  // the agent left the branch
	Decided  = "decided"  // a person answered
	Overdue  = "cleared"  // the blocker had gone before it could be proved
)

// Person is the agent of a decision.
const Person = "person"

// ChainOf is the chain of attempts that led to a blocker: of those about it, and of those about what stood before it.
func ChainOf(b *blocker.Blocker, ledger []Attempt) string {
	for _, a := range slices.Backward(ledger) {
		if a.N > 0 && (a.Blocker == b.ID || a.Left == b.ID) {
			return a.Chain
		}
	}
	return b.ID
}

// WithoutChains is a ledger without the attempts at blockers that are gone: what comes back is counted anew. An attempt
// that has no outcome yet stays, with its chain, until it has one.
func WithoutChains(ledger []Attempt, gone []blocker.Blocker) []Attempt {
	open := ""
	if n := len(ledger); n > 0 && ledger[n-1].Result == Started {
		open = ledger[n-1].Chain
	}
	kept := slices.Clone(ledger)
	for _, b := range gone {
		if chain := ChainOf(&b, ledger); chain != open {
			kept = slices.DeleteFunc(kept, func(a Attempt) bool { return a.Chain == chain })
		}
	}
	return kept
}

// WatchLine is how a person who stands in the folder here runs a command in the folder dir, so that its outcome counts.
// Both are slash paths below the top of the work tree; "" is the top.
func WatchLine(here, dir string, args []string) []string {
	line := []string{"session", "blocker", "watch", "--"}
	if way, err := filepath.Rel(filepath.FromSlash("/"+here), filepath.FromSlash("/"+dir)); err == nil && way != "." {
		line = []string{"session", "-C", filepath.ToSlash(way), "blocker", "watch", "--"}
	}
	return append(line, args...)
}
