package validate

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"session/blocker"
	"session/internal/session"

	"github.com/google/jsonschema-go/jsonschema"
)

// full is a state that uses every field of the schema.
func full() session.State {
	at := time.Date(2026, 1, 4, 10, 30, 0, 0, time.UTC)
	b := blocker.New(blocker.Blocker{Type: blocker.CIFailure, Message: "boom", DetectedAt: at, AutoDetected: true, File: "a.c", Line: 3, LogLine: 9,
		Rule: "r", Source: "s", Stale: true, Evidence: []string{"x", "y"}, AppearedAfter: "c"})
	cause := b
	b.Cause = &cause
	return session.State{Mode: "sync", SavedAt: at, GitBranch: "main", GitCommit: c1, GitPushed: true, OpenSpec: "add-login", OpenSpecStatus: "IN_PROGRESS",
		WorkingOn: "login", NextSteps: []string{"one", "two"}, Blocker: &b, Blockers: []blocker.Blocker{b, b}, CompletedTasks: []string{"a", ""},
		PendingTasks: []string{"b"}, TaskProgress: session.NewProgress(2, 3), Origin: "save", Snapshot: "s1", Line: "l1", TaskSource: "openspec",
		Words: session.Words{SaidWorkingOn: true, SaidNextSteps: true, SaidChange: true, From: "task · x"}}
}

func document(t testing.TB, s session.State) map[string]any {
	t.Helper()
	b, err := s.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func encode(t testing.TB, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// faults are the faults of a file, nil for a sound one.
func faults(t testing.TB, b []byte) []Fault {
	t.Helper()
	s, err := Integrity(b)
	if err == nil {
		return nil
	}
	var bad *IntegrityError
	if !errors.As(err, &bad) || len(bad.Faults) == 0 {
		t.Fatalf("%v", err)
	}
	if !reflect.DeepEqual(s, session.State{}) {
		t.Errorf("a state beside an error: %+v", s)
	}
	return bad.Faults
}

func TestIntegrityTakesWhatWeWrite(t *testing.T) {
	for name, s := range map[string]session.State{
		"full":     full(),
		"least":    {Mode: "quick", SavedAt: full().SavedAt, OpenSpecStatus: "NONE", WorkingOn: "x"},
		"by hand":  {Mode: "quick", SavedAt: full().SavedAt, OpenSpecStatus: "NONE", WorkingOn: "x", PendingTasks: []string{""}, TaskProgress: session.NewProgress(0, 1), TaskSource: "by-hand"},
		"detached": {Mode: "full", SavedAt: full().SavedAt, GitBranch: "HEAD", GitCommit: strings.Repeat("a", 64), OpenSpecStatus: "NOT_FOUND", WorkingOn: "x"},
	} {
		b, err := s.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		got, err := Integrity(b)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if again, _ := got.Bytes(); string(again) != string(b) {
			t.Errorf("%s: read\n%s\nwrote\n%s", name, again, b)
		}
	}
}

// TestIntegrityTakesTheSeed: the seed's own example, with what stands for values filled in, and nothing of ours.
func TestIntegrityTakesTheSeed(t *testing.T) {
	s, err := Integrity([]byte(`{"mode": "quick", "saved_at": "2026-01-04T10:30:00+09:00", "git_branch": "feature/user-auth", "git_commit": "abc1234",
		"git_pushed": true, "openspec": null, "openspec_status": "IN_PROGRESS", "working_on": "현재 작업", "next_steps": ["다음 작업 1"],
		"blocker": {"type": "build_error", "severity": "critical", "description": "CMake", "error_pattern": "Could NOT find Qt6", "resolution": "vcpkg.json",
			"appeared_after": "Qt6", "detected_at": "2026-01-04T10:30:00Z", "auto_detected": true, "recovery_agent": "cpp-builder", "recovery_attempted": 0, "max_recovery_attempts": 3},
		"completed_tasks": ["1","2","3","4","5"], "pending_tasks": ["6","7","8","9","10","11","12"], "task_progress": {"completed": 5, "total": 12, "percentage": 42}, "team": "own field"}`))
	if err != nil || s.Blocker == nil || s.TaskProgress.Percentage != 42 {
		t.Errorf("%v %+v", err, s)
	}
}

// TestSchemaAgreesWithALibrary puts every kind of value into every place of a state and asks a whole JSON Schema library
// what our reader of the published schema must answer, and wants the fault at that place.
func TestSchemaAgreesWithALibrary(t *testing.T) {
	var root jsonschema.Schema
	if err := json.Unmarshal(Schema(), &root); err != nil {
		t.Fatal(err)
	}
	oracle, err := root.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	values := []any{nil, true, false, 0.0, 1.0, -1.0, 0.5, 101.0, "", "x", "quick", "high", "IN_PROGRESS", []any{}, []any{nil}, []any{"x"}, []any{1.0}, map[string]any{}}
	tried, refused := 0, 0
	everyPlace(document(t, full()), "", func(at string, put func(any), restore func()) {
		for _, v := range values {
			put(v)
			doc := encode(t, rootOf)
			var value any
			if err := json.Unmarshal(doc, &value); err != nil {
				t.Fatal(err)
			}
			ours, err := schemaFaults(value)
			if err != nil {
				t.Fatal(err)
			}
			theirs := oracle.Validate(value)
			if (theirs == nil) != (len(ours) == 0) {
				t.Errorf("%s = %v: library says %v, we say %v", at, v, theirs, ours)
			}
			if len(ours) > 0 && !slices.ContainsFunc(ours, func(f Fault) bool { return strings.HasPrefix(f.Field, at) }) {
				t.Errorf("%s = %v: no fault there: %v", at, v, ours)
			}
			tried++
			refused += min(1, len(ours))
		}
		restore()
	})
	if tried < 500 || refused < 100 || refused > tried-100 {
		t.Errorf("%d tried, %d refused: the table proves little", tried, refused)
	}
}

// rootOf is the document that everyPlace is walking.
var rootOf map[string]any

// everyPlace calls f for every place of a document, and for every key also with the key taken away.
func everyPlace(m map[string]any, at string, f func(at string, put func(any), restore func())) {
	if at == "" {
		rootOf = m
	}
	for _, k := range slices.Sorted(maps.Keys(m)) {
		was := m[k]
		f(join(at, k), func(v any) { m[k] = v }, func() { m[k] = was })
		switch v := was.(type) {
		case map[string]any:
			everyPlace(v, join(at, k), f)
		case []any:
			for i := range v {
				old := v[i]
				f(join(join(at, k), strconv.Itoa(i)), func(x any) { v[i] = x }, func() { v[i] = old })
				if inner, ok := old.(map[string]any); ok {
					everyPlace(inner, join(join(at, k), strconv.Itoa(i)), f)
				}
			}
		}
	}
}

// TestMissing takes every field away in turn: the required ones are named, the others are not missed.
func TestMissing(t *testing.T) {
	required := []string{"mode", "saved_at", "git_branch", "git_commit", "git_pushed", "openspec", "openspec_status", "working_on", "next_steps", "blocker",
		"completed_tasks", "pending_tasks", "task_progress", "task_progress.completed", "task_progress.total", "task_progress.percentage"}
	for _, b := range []string{"blocker.", "blockers.0.", "blockers.1."} {
		for _, k := range []string{"type", "severity", "description", "detected_at", "auto_detected", "recovery_attempted", "max_recovery_attempts"} {
			required = append(required, b+k)
		}
	}
	for _, at := range required {
		doc := document(t, full())
		remove(doc, at)
		if got := faults(t, encode(t, doc)); len(got) != 1 || got[0].String() != at+": is missing" {
			t.Errorf("%s: %v", at, got)
		}
	}
	for _, at := range []string{"snapshot", "line", "origin", "schema_version", "task_source", "blockers", "words", "words.from", "blocker.message", "blocker.cause", "blocker.recovery_agent"} {
		doc := document(t, full())
		remove(doc, at)
		if got := faults(t, encode(t, doc)); got != nil {
			t.Errorf("%s: %v", at, got)
		}
	}
}

func remove(doc map[string]any, at string) {
	v := any(doc)
	parts := strings.Split(at, ".")
	for _, p := range parts[:len(parts)-1] {
		switch x := v.(type) {
		case map[string]any:
			v = x[p]
		case []any:
			i, _ := strconv.Atoi(p)
			v = x[i]
		}
	}
	delete(v.(map[string]any), parts[len(parts)-1])
}

// edit is a full state with one thing changed in its text.
func edit(t *testing.T, old, new string) []byte {
	t.Helper()
	s := string(encode(t, document(t, full())))
	if !strings.Contains(s, old) {
		t.Fatalf("no %s in %s", old, s)
	}
	return []byte(strings.Replace(s, old, new, 1))
}

// TestFaults is what a person reads of a damaged file.
func TestFaults(t *testing.T) {
	for _, tc := range []struct{ old, new, want string }{
		{`"mode":"sync"`, `"mode":"slow"`, `mode is "slow": must be one of quick, sync, full`},
		{`"mode":"sync"`, `"mode":"` + strings.Repeat("x", 5000) + `"`, `mode is "` + strings.Repeat("x", 60) + `": must be one of quick, sync, full`},
		{`"mode":"sync"`, `"mode":7`, `mode is 7: must be one of quick, sync, full`},
		{`"mode":"sync"`, `"mode":{"a":1}`, `mode: must be one of quick, sync, full`},
		{`"openspec_status":"IN_PROGRESS"`, `"openspec_status":"in-progress"`, `openspec_status is "in-progress": must be one of NO_TASKS, IN_PROGRESS, COMPLETE, NONE, ARCHIVED, NOT_FOUND`},
		{`"openspec":"add-login"`, `"openspec":3`, `openspec is 3: must be text or null`},
		{`"git_pushed":true`, `"git_pushed":"yes"`, `git_pushed is "yes": must be true or false`},
		{`"git_commit":"` + c1 + `"`, `"git_commit":"HEAD"`, `git_commit is "HEAD": must match ^([0-9a-f]{7,64})?$`},
		{`"working_on":"login"`, `"working_on":""`, `working_on is "": must not be empty`},
		{`"next_steps":["one","two"]`, `"next_steps":"one"`, `next_steps is "one": must be a list`},
		{`"next_steps":["one","two"]`, `"next_steps":["one",2]`, `next_steps.1 is 2: must be text`},
		{`"next_steps":["one","two"]`, `"next_steps":null`, `next_steps is null: must be a list`},
		{`"completed":2`, `"completed":0.1`, `task_progress.completed is 0.1: must be a whole number`},
		{`"completed":2`, `"completed":-1`, `task_progress.completed is -1: must be 0 or more`},
		{`"completed":2`, `"completed":1e300`, `task_progress.completed is 1e+300: must be a whole number`},
		{`"percentage":67`, `"percentage":101`, `task_progress.percentage is 101: must be 100 or less`},
		{`"percentage":67`, `"percentage":66`, `task_progress.percentage is 66: must be completed of total, rounded (67)`},
		{`"total":3`, `"total":4`, `task_progress.total is 4: must be the number of completed_tasks and pending_tasks (3); task_progress.percentage is 67: must be completed of total, rounded (50)`},
		{`"completed_tasks":["a",""]`, `"completed_tasks":["a"]`, `task_progress.completed is 2: must be the number of completed_tasks (1); task_progress.total is 3: must be the number of completed_tasks and pending_tasks (2)`},
		{`"saved_at":"2026-01-04T10:30:00Z"`, `"saved_at":"2026-01-04 10:30"`, `saved_at is "2026-01-04 10:30": must be a time like 2026-01-04T10:30:00Z (RFC 3339)`},
		{`"saved_at":"2026-01-04T10:30:00Z"`, `"saved_at":"2026-02-30T10:30:00Z"`, `saved_at is "2026-02-30T10:30:00Z": must be a time like 2026-01-04T10:30:00Z (RFC 3339)`},
		{`"saved_at":"2026-01-04T10:30:00Z"`, `"saved_at":"1969-12-31T23:59:59Z"`, `saved_at is 1969-12-31T23:59:59Z: must be a time between the years 1970 and 2200`},
		{`"saved_at":"2026-01-04T10:30:00Z"`, `"saved_at":1767522600`, `saved_at is 1.7675226e+09: must be text`},
		{`"mode":"sync"`, `"mode":"sync","MODE":"evil"`, `MODE: is spelled mode`},
		{`"mode":"sync"`, `"mode":"sync","Working_On":""`, `Working_On: is spelled working_on`},
		{`"completed":2`, `"completed":2,"Total":9`, `task_progress.Total: is spelled total`},
		{`"schema_version":1`, `"schema_version":2`, `schema_version is 2: this program reads up to version 1: install a newer one`},
		{`"schema_version":1`, `"schema_version":0`, `schema_version is 0: must be 1 or more`},
		{`"schema_version":1`, `"schema_version":"2"`, `schema_version is "2": must be a whole number`},
		{`"said_change":true`, `"said_change":1`, `words.said_change is 1: must be true or false`},
		{`"from":"task · x"`, `"from":[]`, `words.from is a list of 0: must be text`},
	} {
		var said []string
		for _, f := range faults(t, edit(t, tc.old, tc.new)) {
			said = append(said, f.String())
		}
		if got := strings.Join(said, "; "); got != tc.want {
			t.Errorf("%.60s\ngot  %s\nwant %s", tc.new, got, tc.want)
		}
	}
}

// TestBlockerFaults changes the one blocker of a state and its list alike.
func TestBlockerFaults(t *testing.T) {
	for key, tc := range map[string]struct {
		value any
		rule  string
	}{
		"type":                  {"sadness", `is "sadness": must be one of build_error, test_failure, dependency, design_issue, review_blocked, ci_failure, merge_conflict, decision_required, other`},
		"severity":              {"deadly", `is "deadly": must be one of critical, high, medium, low`},
		"description":           {7, `is 7: must be text`},
		"detected_at":           {"today", `is "today": must be a time like 2026-01-04T10:30:00Z (RFC 3339)`},
		"auto_detected":         {"yes", `is "yes": must be true or false`},
		"recovery_attempted":    {-1, `is -1: must be 0 or more`},
		"max_recovery_attempts": {1.5, `is 1.5: must be a whole number`},
		"evidence":              {"x", `is "x": must be a list`},
	} {
		for _, where := range []string{"blocker", "blockers"} {
			doc := document(t, full())
			at := where
			b, one := doc[where].(map[string]any)
			if !one {
				b, at = doc[where].([]any)[1].(map[string]any), where+".1"
			}
			b[key] = tc.value
			got := faults(t, encode(t, doc))
			if len(got) != 1 || got[0].String() != at+"."+key+" "+tc.rule {
				t.Errorf("%s.%s: %v", at, key, got)
			}
		}
	}
	doc := document(t, full())
	doc["blocker"].(map[string]any)["recovery_attempted"] = 4
	if got := faults(t, encode(t, doc)); len(got) != 1 || got[0].Field != "blocker.recovery_attempted" {
		t.Errorf("more attempts than there may be: %v", got)
	}
	doc["blocker"].(map[string]any)["max_recovery_attempts"] = 0
	if got := faults(t, encode(t, doc)); got != nil {
		t.Errorf("no limit: %v", got)
	}
	doc["blocker"] = map[string]any{"type": "other"}
	if got := faults(t, encode(t, doc)); len(got) != 6 {
		t.Errorf("six fields are missing: %v", got)
	}
}

// TestNoState: bytes that are no state at all.
func TestNoState(t *testing.T) {
	for _, tc := range []struct{ in, want string }{
		{"", "the file is empty"}, {" \n\t", "the file is empty"}, {"\x00\x00", "not JSON: line 1"}, {"\ufeff{}", "not JSON: line 1"},
		{"{\n\"mode\":\n", "not JSON: line 3"}, {"{} {}", "not JSON: line 1"}, {"<<<<<<< ours\n{}", "not JSON: line 1"},
		{"[]", "must be an object"}, {"null", "must be an object"}, {`"x"`, "must be an object"}, {"7", "must be an object"},
		{strings.Repeat("[", 20000), "not JSON"}, {strings.Repeat(" ", MaxState+1), "the file has 67108865 bytes, at most 67108864 are read"},
	} {
		got := faults(t, []byte(tc.in))
		if len(got) != 1 || !strings.HasPrefix(got[0].String(), tc.want) {
			t.Errorf("%.40q: %v, want %s", tc.in, got, tc.want)
		}
	}
	if got := faults(t, []byte("{}")); len(got) != 13 {
		t.Errorf("thirteen fields are missing: %v", got)
	}
}

func TestFuture(t *testing.T) {
	for in, want := range map[string]int{`{"schema_version":2}`: 2, `{"schema_version":1}`: 0, `{"schema_version":1.5}`: 0, `{"schema_version":1e300}`: 0, `{}`: 0, `[]`: 0} {
		_, err := Integrity([]byte(in))
		var bad *IntegrityError
		if !errors.As(err, &bad) || bad.Future != want {
			t.Errorf("%s: %v", in, err)
		}
	}
}

// TestManyFaults: a file from somebody else's hands costs no more than reading it, and its faults fit a screen.
func TestManyFaults(t *testing.T) {
	doc := edit(t, `"next_steps":["one","two"]`, `"next_steps":[`+strings.Repeat("1,", 1<<17)+`1]`)
	got := faults(t, doc)
	if len(got) != maxFaults+1 || got[maxFaults].Rule != "and more" {
		t.Errorf("%d faults", len(got))
	}
	deep := edit(t, `"words":{`, `"words":{"x":`+strings.Repeat(`{"x":`, 5000)+"1"+strings.Repeat("}", 5000)+",")
	if got := faults(t, deep); got != nil {
		t.Errorf("what nobody reads is nobody's fault: %v", got)
	}
	long := (&IntegrityError{Faults: faults(t, edit(t, `"mode":"sync"`, `"mode":"`+strings.Repeat("\x7f", 1<<20)+`"`))}).Error()
	if len(long) > 1000 {
		t.Errorf("%d bytes of message", len(long))
	}
}

// TestSchemaIsKnown wants every keyword of the published schema to be one that our reader understands, and every field of
// State to stand in it.
func TestSchemaIsKnown(t *testing.T) {
	root, err := readSchema(Schema())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := readSchema([]byte(`{"maxLength": 3}`)); err == nil {
		t.Error("a keyword that nobody checks was taken")
	}
	if _, err := readSchema([]byte(`{"properties": {"a": {"type": 3}}}`)); err == nil {
		t.Error("a type that is none was taken")
	}
	for at, m := range map[string]map[string]any{"": document(t, full()), "blocker": document(t, full())["blocker"].(map[string]any)} {
		n := root
		if at != "" {
			n = root.Defs[at]
		}
		for k := range m {
			if n.Properties[k] == nil {
				t.Errorf("%s: %s is not in the schema", at, k)
			}
		}
	}
	Schema()[0] = 'x'
	if Schema()[0] != '{' {
		t.Error("the schema was handed out for writing")
	}
}

// FuzzIntegrity: no panic, and what is taken is sound: it can be written, is taken again and says the same.
func FuzzIntegrity(f *testing.F) {
	f.Add([]byte(`{}`))
	f.Add(encode(f, document(f, full())))
	f.Add([]byte(`{"mode":"quick","saved_at":"2026-01-04T10:30:00Z","git_branch":"","git_commit":"","git_pushed":false,"openspec":null,"openspec_status":"NONE","working_on":"x","next_steps":[],"blocker":null,"completed_tasks":[],"pending_tasks":[],"task_progress":{"completed":0,"total":0,"percentage":0}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := Integrity(b)
		if err != nil {
			if len(err.Error()) > 8000 {
				t.Errorf("a message of %d bytes", len(err.Error()))
			}
			return
		}
		out, err := s.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		again, err := Integrity(out)
		if err != nil {
			t.Fatalf("we refuse what we wrote: %v\n%s", err, out)
		}
		if x, y := fmt.Sprintf("%+v", s.TaskProgress), fmt.Sprintf("%+v", again.TaskProgress); x != y || again.WorkingOn != s.WorkingOn && strings.ToValidUTF8(s.WorkingOn, "�") != again.WorkingOn {
			t.Errorf("%s\n%s", x, y)
		}
	})
}

func BenchmarkIntegrity(b *testing.B) {
	doc := encode(b, document(b, full()))
	for b.Loop() {
		if _, err := Integrity(doc); err != nil {
			b.Fatal(err)
		}
	}
}
