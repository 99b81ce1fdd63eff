package blocker

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// Type is what kind of thing stops the work (S1.9; seed 001, "Blocker Types").
type Type string

// The types of blockers.
const (
	BuildError       Type = "build_error"
	TestFailure      Type = "test_failure"
	Dependency       Type = "dependency"
	DesignIssue      Type = "design_issue"
	ReviewBlocked    Type = "review_blocked"
	CIFailure        Type = "ci_failure"
	MergeConflict    Type = "merge_conflict"
	Other            Type = "other"
	DecisionRequired Type = "decision_required"
)

// Types lists all types, in the order of the seed.
func Types() []Type {
	return []Type{BuildError, TestFailure, Dependency, DesignIssue, ReviewBlocked, CIFailure, MergeConflict, Other, DecisionRequired}
}

// Severity says how urgent a blocker is.
type Severity string

// The severities, the most urgent first.
const (
	Critical Severity = "critical"
	High     Severity = "high"
	Medium   Severity = "medium"
	Low      Severity = "low"
)

// Severities lists all severities, the most urgent first.
func Severities() []Severity { return []Severity{Critical, High, Medium, Low} }

// MaxAttempts is how often recovery is tried by itself when nothing else is said (S1.16).
const MaxAttempts = 3

// Limits of what a blocker keeps from a log, so that a record of one stays small.
const (
	MaxEvidence = 20  // lines
	maxText     = 600 // bytes of one text field taken from a log
	maxLine     = 300 // bytes of one line of evidence
)

// Blocker is what stops the work. The JSON keys up to Message are the seed's (001, "Blocker Schema").
type Blocker struct {
	Type                Type      `json:"type"`
	Severity            Severity  `json:"severity"`
	Description         string    `json:"description"`
	ErrorPattern        string    `json:"error_pattern"`
	Resolution          string    `json:"resolution"`
	AppearedAfter       string    `json:"appeared_after"`
	DetectedAt          time.Time `json:"detected_at"`
	AutoDetected        bool      `json:"auto_detected"`
	RecoveryAgent       string    `json:"recovery_agent"`
	RecoveryAttempted   int       `json:"recovery_attempted"`
	MaxRecoveryAttempts int       `json:"max_recovery_attempts"`
	Message             string    `json:"message"` // the first error line

	ID       string   `json:"id"`
	File     string   `json:"file,omitempty"`     // relative to the root of the repository where that can be told
	Line     int      `json:"line,omitempty"`     // 1-based
	LogLine  int      `json:"log_line,omitempty"` // 1-based line of the log or report in which Message stands
	Rule     string   `json:"rule,omitempty"`     // id of the rule, or the name of the reader, that found it
	Source   string   `json:"source,omitempty"`   // the log, report or check that it came from
	Stale    bool     `json:"stale,omitempty"`    // the source is older than what it speaks of
	Evidence []string `json:"evidence,omitempty"` // lines around Message, at most MaxEvidence
	Cause    *Blocker `json:"cause,omitempty"`    // of a ci_failure: what failed inside the CI run
}

// FieldError is one fault of a blocker: the field, its value, and the rule that it breaks (S1.15).
type FieldError struct{ Field, Value, Rule string }

// Error gives field, value and rule.
func (e FieldError) Error() string { return fmt.Sprintf("%s is %q: %s", e.Field, e.Value, e.Rule) }

// SourceName makes a name fit for Blocker.Source: one line, bounded. What is too long is told apart by a hash.
func SourceName(name string) string {
	if len(name) <= maxText {
		return cut(name, maxText)
	}
	sum := sha256.Sum256([]byte(name))
	return cut(name, maxText-16) + " " + hex.EncodeToString(sum[:6])
}

// Faults lists all faults of a blocker against the schema of the seed; nil when it is valid. now is not asked: a time
// in the future is the caller's to judge.
func (b *Blocker) Faults() []FieldError {
	var all []FieldError
	bad := func(is bool, field, value, rule string) {
		if is {
			all = append(all, FieldError{field, value, rule})
		}
	}
	bad(!slices.Contains(Types(), b.Type), "type", string(b.Type), "one of "+join(Types()))
	bad(!slices.Contains(Severities(), b.Severity), "severity", string(b.Severity), "one of "+join(Severities()))
	bad(strings.TrimSpace(b.Description) == "", "description", b.Description, "not empty")
	bad(b.DetectedAt.IsZero(), "detected_at", "", "an RFC 3339 time")
	bad(b.RecoveryAttempted < 0, "recovery_attempted", fmt.Sprint(b.RecoveryAttempted), "0 or more")
	bad(b.MaxRecoveryAttempts < 0, "max_recovery_attempts", fmt.Sprint(b.MaxRecoveryAttempts), "0 or more")
	bad(b.Line < 0, "line", fmt.Sprint(b.Line), "0 or more")
	bad(b.LogLine < 0, "log_line", fmt.Sprint(b.LogLine), "0 or more")
	bad(len(b.Evidence) > MaxEvidence, "evidence", fmt.Sprint(len(b.Evidence), " lines"), fmt.Sprintf("at most %d lines", MaxEvidence))
	if b.Cause != nil {
		for _, e := range b.Cause.Faults() {
			all = append(all, FieldError{"cause." + e.Field, e.Value, e.Rule})
		}
		bad(b.Cause.Cause != nil, "cause.cause", string(b.Cause.Type), "a cause has no cause")
	}
	return all
}

// Valid tells whether a blocker has no faults.
func (b *Blocker) Valid() bool { return len(b.Faults()) == 0 }

func join[S ~string](list []S) string {
	var out []string
	for _, s := range list {
		out = append(out, string(s))
	}
	return strings.Join(out, ", ")
}

// IDOf derives the id of a failure from its type and error pattern: 12 hexadecimal digits.
func IDOf(t Type, pattern string) string {
	sum := sha256.Sum256([]byte(string(t) + "\x00" + pattern))
	return hex.EncodeToString(sum[:6])
}

// Same tells whether two blockers are the same failure: equal type and error pattern. Texts, places, times and attempts
// do not count, so a failure seen again later, or in another checkout, is the same.
func (b *Blocker) Same(o *Blocker) bool {
	return b != nil && o != nil && b.Type == o.Type && b.ErrorPattern == o.ErrorPattern
}

// route is how a type of blocker is met when policy says nothing (S1.16).
type route struct {
	severity   Severity
	agents     []string
	resolution string
}

var routes = map[Type]route{
	BuildError:       {High, []string{"cpp-builder"}, "Correct the first error and build again"},
	TestFailure:      {High, []string{"tester", "code-editor"}, "Run the failing test alone and mend what it shows"},
	Dependency:       {High, []string{"cpp-builder"}, "Install or correct the dependency and resolve again"},
	DesignIssue:      {Medium, []string{"architect"}, "Settle the design question first"},
	ReviewBlocked:    {Medium, []string{"code-editor"}, "Work through the comments of the review"},
	CIFailure:        {High, []string{"devops"}, "Read the log of the failing job and mend its cause"},
	MergeConflict:    {Critical, nil, "Settle the conflict by hand"},
	Other:            {Medium, nil, "Settle it by hand"},
	DecisionRequired: {High, nil, "Decide, and record the decision"},
}

// Agents lists who tries to mend a type of blocker, in order; empty: a person does (S1.16; policy may say otherwise).
func Agents(t Type) []string { return slices.Clone(routes[t].agents) }

// New makes a blocker with the defaults of its type: severity, agent, resolution, attempts, id. Fields that are set stay.
func New(b Blocker) Blocker {
	r := routes[b.Type]
	b.Severity = or(b.Severity, or(r.severity, Medium))
	b.Resolution = or(b.Resolution, r.resolution)
	if b.RecoveryAgent == "" && len(r.agents) > 0 {
		b.RecoveryAgent = r.agents[0]
	}
	if b.MaxRecoveryAttempts == 0 {
		b.MaxRecoveryAttempts = MaxAttempts
	}
	b.Message, b.Resolution, b.Source = strings.TrimSpace(cut(b.Message, maxText)), cut(b.Resolution, maxText), cut(b.Source, maxText)
	b.Line, b.LogLine = lineNumber(b.Line), lineNumber(b.LogLine)
	b.ErrorPattern = or(b.ErrorPattern, or(Pattern(b.Message), or(Pattern(b.Description), string(b.Type))))
	b.Description = cut(or(b.Description, b.Message), maxText)
	b.ID = IDOf(b.Type, b.ErrorPattern)
	return b
}

// lineNumber passes over what no file has: a log may claim any number, and a snapshot holds none beyond 2^53.
func lineNumber(n int) int {
	if n < 0 || n > math.MaxInt32 {
		return 0
	}
	return n
}

func or[T comparable](a, b T) T {
	var zero T
	if a != zero {
		return a
	}
	return b
}

func printable(r rune) rune {
	if r < ' ' && r != '\t' || r >= 0x7f && r < 0xa0 {
		return ' '
	}
	return r
}

// cut shortens a text to n bytes at a character, marked with an ellipsis. Control characters become blanks: what comes
// from a log or an agent is shown on terminals.
func cut(s string, n int) string {
	s = strings.Map(printable, strings.ToValidUTF8(s[:min(len(s), 4*n)], "\uFFFD"))
	if len(s) <= n {
		return s
	}
	for n -= len("…"); n > 0 && s[n]&0xC0 == 0x80; n-- {
	}
	return s[:n] + "…"
}
