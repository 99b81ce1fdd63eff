package validate

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"session/internal/session"
)

//go:embed state.schema.json
var schema []byte

// Schema is the JSON Schema (draft 2020-12) of the state file.
func Schema() []byte { return bytes.Clone(schema) }

// MaxState bounds the state file, in bytes: a longer one was not written by this program.
const MaxState = 64 << 20

// Fault is one thing that is wrong with a state file.
type Fault struct {
	Field string // path of the field, "task_progress.percentage"; "" for the file as a whole
	Value string // what stands there, shortened
	Rule  string // what should stand there
}

func (f Fault) String() string {
	switch {
	case f.Field == "":
		return f.Rule
	case f.Value == "":
		return fmt.Sprintf("%s: %s", f.Field, f.Rule)
	}
	return fmt.Sprintf("%s is %s: %s", f.Field, f.Value, f.Rule)
}

// IntegrityError says that a state file cannot be trusted. Nothing of it was used.
type IntegrityError struct {
	Faults []Fault
	Future int // schema_version, when it is newer than this program; 0 otherwise
}

func (e *IntegrityError) Error() string {
	all := make([]string, len(e.Faults))
	for i, f := range e.Faults {
		all[i] = f.String()
	}
	return strings.Join(all, "; ")
}

// Integrity reads a state file's bytes. The error is an *IntegrityError that names every fault; the State is valid
// only without one.
func Integrity(b []byte) (session.State, error) {
	bad := func(rule string) (session.State, error) {
		return session.State{}, &IntegrityError{Faults: []Fault{{Rule: rule}}}
	}
	switch {
	case len(b) > MaxState:
		return bad(fmt.Sprintf("the file has %d bytes, at most %d are read", len(b), MaxState))
	case len(bytes.TrimSpace(b)) == 0:
		return bad("the file is empty")
	}
	var value any
	if err := json.Unmarshal(b, &value); err != nil {
		return bad(notJSON(b, err))
	}
	if v := futureVersion(value); v > 0 {
		return session.State{}, &IntegrityError{Future: v, Faults: []Fault{{"schema_version", fmt.Sprint(v),
			fmt.Sprintf("this program reads up to version %d: install a newer one", session.SchemaVersion)}}}
	}
	faults, err := schemaFaults(value)
	if err != nil {
		return session.State{}, err
	}
	var s session.State
	if len(faults) == 0 {
		faults = timestamps(value)
	}
	if len(faults) == 0 {
		if err := json.Unmarshal(b, &s); err != nil {
			return bad(err.Error())
		}
		faults = consistent(s)
	}
	if len(faults) > 0 {
		return session.State{}, &IntegrityError{Faults: faults}
	}
	return s, nil
}

// Sound reports whether a state, written to its file, would be read again. The error is Integrity's.
func Sound(s session.State) error {
	b, err := s.Bytes()
	if err != nil {
		return err
	}
	_, err = Integrity(b)
	return err
}

func notJSON(b []byte, err error) string {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		line := 1 + bytes.Count(b[:min(int(syntax.Offset), len(b))], []byte("\n"))
		return fmt.Sprintf("not JSON: line %d: %v", line, syntax)
	}
	return fmt.Sprintf("not JSON: %v", err)
}

func futureVersion(value any) int {
	m, _ := value.(map[string]any)
	v, _ := m["schema_version"].(float64)
	if v <= session.SchemaVersion || v != math.Trunc(v) || v > math.MaxInt32 {
		return 0
	}
	return int(v)
}

// show is a short picture of a value; of objects and lists only the kind.
func show(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case map[string]any:
		return ""
	case []any:
		return fmt.Sprintf("a list of %d", len(v))
	case string:
		return fmt.Sprintf("%.60q", v)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return fmt.Sprint(v)
}

// consistent checks what a schema cannot say: the counts agree with the lists, and times are times of this program's
// life.
func consistent(s session.State) []Fault {
	var faults []Fault
	expect := func(field string, got, want int, rule string) {
		if got != want {
			faults = append(faults, Fault{field, fmt.Sprint(got), fmt.Sprintf("%s (%d)", rule, want)})
		}
	}
	p := s.TaskProgress
	expect("task_progress.completed", p.Completed, len(s.CompletedTasks), "must be the number of completed_tasks")
	expect("task_progress.total", p.Total, len(s.CompletedTasks)+len(s.PendingTasks), "must be the number of completed_tasks and pending_tasks")
	expect("task_progress.percentage", p.Percentage, session.NewProgress(p.Completed, p.Total).Percentage, "must be completed of total, rounded")
	faults = append(faults, timely("saved_at", s.SavedAt)...)
	if s.Blocker != nil {
		faults = append(faults, timely("blocker.detected_at", s.Blocker.DetectedAt)...)
		if s.Blocker.RecoveryAttempted > s.Blocker.MaxRecoveryAttempts && s.Blocker.MaxRecoveryAttempts > 0 {
			expect("blocker.recovery_attempted", s.Blocker.RecoveryAttempted, s.Blocker.MaxRecoveryAttempts, "must not exceed max_recovery_attempts")
		}
	}
	return faults
}

// timestamps checks the times as they are written: RFC 3339, which the schema's "format" only announces.
func timestamps(value any) []Fault {
	top, _ := value.(map[string]any)
	var faults []Fault
	check := func(field string, v any) {
		s, _ := v.(string)
		if _, err := time.Parse(time.RFC3339, s); err != nil {
			faults = append(faults, Fault{field, show(v), "must be a time like 2026-01-04T10:30:00Z (RFC 3339)"})
		}
	}
	check("saved_at", top["saved_at"])
	if b, ok := top["blocker"].(map[string]any); ok {
		check("blocker.detected_at", b["detected_at"])
	}
	list, _ := top["blockers"].([]any)
	for i, x := range list {
		if b, ok := x.(map[string]any); ok {
			check(fmt.Sprintf("blockers.%d.detected_at", i), b["detected_at"])
		}
	}
	return faults
}

// timely refuses what no clock shows. A machine whose clock has no battery starts in 1970, and what it saves must be read.
func timely(field string, t time.Time) []Fault {
	if y := t.UTC().Year(); y < 1970 || y > 2200 {
		return []Fault{{field, t.Format(time.RFC3339), "must be a time between the years 1970 and 2200"}}
	}
	return nil
}
