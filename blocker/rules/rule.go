package rules

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Strength says how much one matching line proves.
type Strength string

// The strengths. Definite: this line is a failure by itself (a compiler's error with its place). Summary: a tool's
// closing line about failures told elsewhere. Weak: counts only when something else says that the run failed.
// Context: no failure, but a place or a name for the hit that follows. Ignore: ends the search, the line says nothing.
const (
	Definite Strength = "definite"
	Summary  Strength = "summary"
	Weak     Strength = "weak"
	Context  Strength = "context"
	Ignore   Strength = "ignore"
)

// The verdicts a line can give about a run, and how far out the one who says it stands: a CI system (or a wrapper that
// prints an exit code) over a tool's own closing line over a line about one part (a package, a module, a test binary).
const (
	Failure = "failure"
	Success = "success"

	LevelCI   = "ci"
	LevelRun  = "run"
	LevelPart = "part"
)

// What a line says about the steps of a CI job: a new one begins, the current one passed, it failed.
const (
	StepStart = "start"
	StepOK    = "ok"
	StepFail  = "fail"
)

// EchoBegin and EchoEnd enclose lines in which a CI system repeats the commands that it is about to run.
const (
	EchoBegin = "begin"
	EchoEnd   = "end"
)

// The shapes: parsers written by hand for the forms that are hot in real logs.
const (
	ShapeColon = "colon" // path:line[:col]: error [code]: msg (gcc, clang, javac, rustc --error-format=short, mypy, …)
	ShapeParen = "paren" // path(line[,col]): error [code]: msg (MSVC, csc, tsc, fpc, nim, …)
	ShapeLevel = "level" // [ERROR] msg, ERROR: msg, error[code]: msg, ##[error]msg, Error: msg
)

// MinLiteral is the shortest literal, in bytes, that a rule may have. One shorter than five makes the filter of the whole
// table look at more positions, and so slower; the built-in rules have none.
const MinLiteral = 3

// Then adds to a match what one of the following lines says. Captures that are already filled stay, unless Last.
type Then struct {
	Pattern string `yaml:"pattern"`
	Skip    string `yaml:"skip"`   // lines that match this are passed over (frames of the runtime, of the test library)
	Over    string `yaml:"over"`   // replaces the place only if the file named so far matches this
	Last    bool   `yaml:"last"`   // later matches replace earlier ones (the innermost frame comes last)
	Within  int    `yaml:"within"` // lines after the match; 0 is DefaultWithin
}

// DefaultWithin is the number of lines after a match in which a Then is tried when it does not say.
const DefaultWithin = 12

// MaxWithin bounds Then.Within, so that one match costs a bounded number of lines.
const MaxWithin = 400

// Rule recognises one form of one line. The zero value of every optional field means "not said".
type Rule struct {
	ID         string   `yaml:"id"`         // unique, lower case with dashes
	Type       string   `yaml:"type"`       // a blocker type (S1.9), empty for a rule that only gives a verdict or context
	Literals   []string `yaml:"literals"`   // one of them must stand in the line; \d at the end stands for a digit 1 to 9
	Shape      string   `yaml:"shape"`      // one of the Shape constants
	Pattern    string   `yaml:"pattern"`    // RE2; groups file, line, col, msg, key, pattern (what groups equal failures), more, why and and (appended to msg); others fill Resolution
	Not        []string `yaml:"not"`        // literal exceptions
	Strength   Strength `yaml:"strength"`   // default definite
	Stage      string   `yaml:"stage"`      // configure, resolve, compile, link, lint, test, package, deploy, git, ci, agent
	Severity   string   `yaml:"severity"`   // critical, high, medium, low; default by type
	Agent      string   `yaml:"agent"`      // who mends it; default by type
	Resolution string   `yaml:"resolution"` // for people; {file}, {line}, {msg}, {key} and other groups are filled in
	Verdict    string   `yaml:"verdict"`    // failure or success
	Level      string   `yaml:"level"`      // ci, run or part; of a verdict
	Step       string   `yaml:"step"`       // start, ok or fail
	Echo       string   `yaml:"echo"`       // begin or end of a part of the log that only repeats commands
	Then       []Then   `yaml:"then"`
	Until      string   `yaml:"until"`  // a line that matches this ends the following lines early
	Placed     bool     `yaml:"placed"` // counts for more than weak only when a place is found
	Above      string   `yaml:"above"`  // captures from the nearest line above that matches (a linter's file heading)
	Match      []string `yaml:"match"`  // fixtures that must match (several lines: the first is the rule's)
	Miss       []string `yaml:"miss"`   // fixtures that must not match
}

// Field is an error in one field of a rule: which field, what stands there, and the rule that it breaks.
type Field struct{ Rule, Field, Value, Want string }

// Error names rule, field, value and what is wanted.
func (f *Field) Error() string {
	return fmt.Sprintf("rule %q: %s is %q: want %s", f.Rule, f.Field, f.Value, f.Want)
}

// Types lists the blocker types that a rule may have (S1.9). The package blocker holds the same list; a test compares.
func Types() []string {
	return []string{"build_error", "test_failure", "dependency", "design_issue", "review_blocked", "ci_failure",
		"merge_conflict", "other", "decision_required"}
}

func oneOf(words ...string) func(string) (string, bool) {
	return func(v string) (string, bool) {
		return "one of " + strings.Join(words, ", "), v == "" || slices.Contains(words, v)
	}
}

func isPattern(v string) (string, bool) {
	_, err := regexp.Compile(v)
	return fmt.Sprintf("an RE2 pattern (%v)", err), err == nil
}

func isID(v string) (string, bool) {
	ok := v != "" && strings.Trim(v, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
	return "lower case letters, digits and dashes", ok
}

// checks pairs every field that has a vocabulary with its test.
func (r *Rule) checks() []struct {
	field, value string
	ok           func(string) (string, bool)
} {
	type check = struct {
		field, value string
		ok           func(string) (string, bool)
	}
	return []check{
		{"id", r.ID, isID},
		{"type", r.Type, oneOf(Types()...)},
		{"shape", r.Shape, oneOf(ShapeColon, ShapeParen, ShapeLevel)},
		{"pattern", r.Pattern, isPattern},
		{"until", r.Until, isPattern},
		{"above", r.Above, isPattern},
		{"strength", string(r.Strength), oneOf(string(Definite), string(Summary), string(Weak), string(Context), string(Ignore))},
		{"severity", r.Severity, oneOf("critical", "high", "medium", "low")},
		{"stage", r.Stage, oneOf("configure", "resolve", "compile", "link", "lint", "test", "package", "deploy", "git", "ci", "agent")},
		{"verdict", r.Verdict, oneOf(Failure, Success)},
		{"level", r.Level, oneOf(LevelCI, LevelRun, LevelPart)},
		{"step", r.Step, oneOf(StepStart, StepOK, StepFail)},
		{"echo", r.Echo, oneOf(EchoBegin, EchoEnd)},
	}
}

// Check reports the first fault of a rule as a *Field, or nil.
func (r *Rule) Check() error {
	for _, c := range r.checks() {
		if want, ok := c.ok(c.value); !ok {
			return &Field{r.ID, c.field, c.value, want}
		}
	}
	if err := r.checkLiterals(); err != nil {
		return err
	}
	if r.Type == "" && r.Verdict == "" && r.Step == "" && r.Echo == "" && r.Strength != Context && r.Strength != Ignore {
		return &Field{r.ID, "type", "", "a type, a verdict, a step, or strength context or ignore"}
	}
	if (r.Verdict == "") != (r.Level == "") {
		return &Field{r.ID, "level", r.Level, "a level with every verdict, and none without"}
	}
	return r.checkThen()
}

func (r *Rule) checkLiterals() error {
	if len(r.Literals) == 0 {
		return &Field{r.ID, "literals", "", "at least one: no pattern may see a line that no literal selected"}
	}
	for _, l := range r.Literals {
		if len(l) < MinLiteral || strings.ContainsAny(l, "\n\r\x1b") {
			return &Field{r.ID, "literals", l, fmt.Sprintf("at least %d bytes of one line, without escapes", MinLiteral)}
		}
	}
	return nil
}

func (r *Rule) checkThen() error {
	for _, t := range r.Then {
		for field, p := range map[string]string{"then.pattern": t.Pattern, "then.skip": t.Skip, "then.over": t.Over} {
			if want, ok := isPattern(p); !ok {
				return &Field{r.ID, field, p, want}
			}
		}
		if t.Pattern == "" || t.Within < 0 || t.Within > MaxWithin {
			return &Field{r.ID, "then.within", fmt.Sprint(t.Within), fmt.Sprintf("a pattern, and 0 to %d lines", MaxWithin)}
		}
	}
	return nil
}

// Window is the number of lines after a match that the rule wants to see.
func (r *Rule) Window() int {
	n := 0
	for _, t := range r.Then {
		n = max(n, t.span())
	}
	return n
}

func (t Then) span() int {
	if t.Within == 0 {
		return DefaultWithin
	}
	return t.Within
}
