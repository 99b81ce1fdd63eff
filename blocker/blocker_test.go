package blocker

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"session/blocker/rules"
)

// TestSchemaKeys holds the JSON keys to the seed (001, "Blocker Schema"): none missing, none renamed.
func TestSchemaKeys(t *testing.T) {
	b := New(Blocker{Type: BuildError, Message: "Could NOT find Qt6", DetectedAt: now})
	raw, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatal(err)
	}
	for _, k := range []string{"type", "severity", "description", "error_pattern", "resolution", "appeared_after", "detected_at",
		"auto_detected", "recovery_agent", "recovery_attempted", "max_recovery_attempts", "message", "id"} {
		if _, ok := m[k]; !ok {
			t.Errorf("key %q is missing in %s", k, raw)
		}
	}
	if m["detected_at"] != "2026-01-04T10:30:00Z" {
		t.Errorf("detected_at is %v, want RFC 3339", m["detected_at"])
	}
	var back Blocker
	if err := json.Unmarshal(raw, &back); err != nil || !reflect.DeepEqual(back, b) {
		t.Errorf("round trip: %v\n%+v\n%+v", err, back, b)
	}
}

// TestTypesAgree: the rules package has its own copy of the type names, since it imports nothing.
func TestTypesAgree(t *testing.T) {
	var names []string
	for _, ty := range Types() {
		names = append(names, string(ty))
	}
	if !slices.Equal(names, rules.Types()) {
		t.Errorf("blocker has %v, rules has %v", names, rules.Types())
	}
	for _, ty := range Types() {
		if rank[ty] == 0 || routes[ty].severity == "" || headlines[ty] == "" {
			t.Errorf("%s: no rank, route or headline", ty)
		}
	}
}

// TestRoutes is the table of S1.16.
func TestRoutes(t *testing.T) {
	for ty, want := range map[Type][]string{
		BuildError: {"cpp-builder"}, TestFailure: {"tester", "code-editor"}, Dependency: {"cpp-builder"}, DesignIssue: {"architect"},
		ReviewBlocked: {"code-editor"}, CIFailure: {"devops"}, MergeConflict: nil, Other: nil, DecisionRequired: nil,
	} {
		if got := Agents(ty); !slices.Equal(got, want) {
			t.Errorf("%s: agents %v, want %v", ty, got, want)
		}
		b := New(Blocker{Type: ty, Message: "x", DetectedAt: now})
		if first := append(want, "")[0]; b.RecoveryAgent != first || b.MaxRecoveryAttempts != 3 || b.RecoveryAttempted != 0 {
			t.Errorf("%s: agent %q, attempts %d of %d", ty, b.RecoveryAgent, b.RecoveryAttempted, b.MaxRecoveryAttempts)
		}
		if !b.Valid() {
			t.Errorf("%s: %v", ty, b.Faults())
		}
	}
}

func TestAgentsCannotBeChanged(t *testing.T) {
	Agents(TestFailure)[0] = "somebody else"
	if Agents(TestFailure)[0] != "tester" {
		t.Error("a caller changed the route of everybody")
	}
}

// TestNewKeepsWhatIsSaid: defaults fill only what is empty.
func TestNewKeepsWhatIsSaid(t *testing.T) {
	b := New(Blocker{Type: TestFailure, Severity: Low, Description: "d", ErrorPattern: "p", Resolution: "r", RecoveryAgent: "me", MaxRecoveryAttempts: 1})
	if b.Severity != Low || b.Description != "d" || b.ErrorPattern != "p" || b.Resolution != "r" || b.RecoveryAgent != "me" || b.MaxRecoveryAttempts != 1 {
		t.Errorf("%+v", b)
	}
	if b.ID != IDOf(TestFailure, "p") {
		t.Errorf("id %s", b.ID)
	}
}

// TestFaults names field, value and rule of each fault (S1.15).
// TestLineNumbers: a log that claims line 9007199254740993 once made every save fail, because no snapshot can hold it.
func TestLineNumbers(t *testing.T) {
	for in, want := range map[int]int{0: 0, 7: 7, -1: 0, math.MaxInt32: math.MaxInt32, math.MaxInt32 + 1: 0, 1<<53 + 1: 0} {
		if b := New(Blocker{Type: BuildError, Line: in, LogLine: in}); b.Line != want || b.LogLine != want {
			t.Errorf("%d: %d %d", in, b.Line, b.LogLine)
		}
	}
	in := Input{Name: "build.log", Data: strings.NewReader("ERROR: \"foo.c\", line 9007199254740993: bad thing\n"), Size: 51}
	r, err := Scan(t.Context(), in, Options{})
	if b := r.First(); err != nil || b == nil || b.Line != 0 || b.File != "foo.c" {
		t.Errorf("%+v %v", b, err)
	}
}

func TestFaults(t *testing.T) {
	good := New(Blocker{Type: BuildError, Message: "x", DetectedAt: now})
	for name, c := range map[string]struct {
		change func(*Blocker)
		field  string
	}{
		"type":        {func(b *Blocker) { b.Type = "bulid_error" }, "type"},
		"no type":     {func(b *Blocker) { b.Type = "" }, "type"},
		"severity":    {func(b *Blocker) { b.Severity = "urgent" }, "severity"},
		"description": {func(b *Blocker) { b.Description = "  " }, "description"},
		"time":        {func(b *Blocker) { b.DetectedAt = b.DetectedAt.AddDate(-4000, 0, 0); *b = zeroTime(*b) }, "detected_at"},
		"attempted":   {func(b *Blocker) { b.RecoveryAttempted = -1 }, "recovery_attempted"},
		"attempts":    {func(b *Blocker) { b.MaxRecoveryAttempts = -1 }, "max_recovery_attempts"},
		"line":        {func(b *Blocker) { b.Line = -3 }, "line"},
		"log line":    {func(b *Blocker) { b.LogLine = -3 }, "log_line"},
		"evidence":    {func(b *Blocker) { b.Evidence = make([]string, MaxEvidence+1) }, "evidence"},
		"cause":       {func(b *Blocker) { b.Cause = &Blocker{} }, "cause.type"},
	} {
		b := good
		c.change(&b)
		faults := b.Faults()
		if len(faults) == 0 || faults[0].Field != c.field {
			t.Errorf("%s: %v, want a fault of %s", name, faults, c.field)
			continue
		}
		if e := faults[0].Error(); !strings.Contains(e, c.field) || faults[0].Rule == "" {
			t.Errorf("%s: %q names no field or rule", name, e)
		}
	}
	if !good.Valid() {
		t.Error(good.Faults())
	}
}

func zeroTime(b Blocker) Blocker {
	b.DetectedAt = Blocker{}.DetectedAt
	return b
}

// TestCauseOfCause: the nesting has one level.
func TestCauseOfCause(t *testing.T) {
	inner := New(Blocker{Type: BuildError, Message: "x", DetectedAt: now})
	middle := New(Blocker{Type: CIFailure, Message: "y", DetectedAt: now, Cause: &inner})
	outer := New(Blocker{Type: CIFailure, Message: "z", DetectedAt: now, Cause: &middle})
	if !middle.Valid() || outer.Valid() {
		t.Errorf("middle %v, outer %v", middle.Faults(), outer.Faults())
	}
}

// TestID: the same failure has the same id, whatever the day; another failure another.
func TestID(t *testing.T) {
	a := New(Blocker{Type: BuildError, Message: "a.c: 'foo' undeclared", DetectedAt: now, LogLine: 3})
	b := New(Blocker{Type: BuildError, Message: "a.c: 'foo' undeclared", DetectedAt: now.AddDate(0, 1, 0), LogLine: 99, Severity: Low})
	c := New(Blocker{Type: TestFailure, Message: "a.c: 'foo' undeclared", DetectedAt: now})
	if a.ID != b.ID || !a.Same(&b) {
		t.Errorf("%s and %s are the same failure", a.ID, b.ID)
	}
	if a.ID == c.ID || a.Same(&c) {
		t.Error("another type is another failure")
	}
	if len(a.ID) != 12 {
		t.Errorf("id %q", a.ID)
	}
	if a.Same(nil) || (*Blocker)(nil).Same(&a) {
		t.Error("nothing is the same as nothing")
	}
}

// TestIDIsPinned: ids are kept in snapshots, so their derivation must never change.
func TestIDIsPinned(t *testing.T) {
	if got := IDOf(BuildError, "Could NOT find Qt6"); got != "bd15c9eeff3b" {
		t.Errorf("id of the seed's example is %s now: old records would not be found again", got)
	}
}

// TestOrder: conflict, decision, review, then the failing stage; stale last; the same failure once.
func TestOrder(t *testing.T) {
	make1 := func(ty Type, msg string) Blocker { return New(Blocker{Type: ty, Message: msg, DetectedAt: now}) }
	stale := make1(MergeConflict, "old")
	stale.Stale = true
	list := []Blocker{make1(Other, "o"), make1(CIFailure, "c"), make1(TestFailure, "t"), stale, make1(BuildError, "b"), make1(Dependency, "d"),
		make1(ReviewBlocked, "r"), make1(DecisionRequired, "q"), make1(MergeConflict, "m"), make1(BuildError, "b"), make1(DesignIssue, "s")}
	want := []Type{MergeConflict, DecisionRequired, ReviewBlocked, Dependency, BuildError, TestFailure, CIFailure, DesignIssue, Other, MergeConflict}
	got := Order(list)
	for i, w := range want {
		if i >= len(got) || got[i].Type != w {
			t.Fatalf("order %v, want %v", types(got), want)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d blockers, want %d: one stood twice", len(got), len(want))
	}
	if list[0].Type != Other {
		t.Error("Order changed its argument")
	}
	if f := First(list); f == nil || f.Message != "m" {
		t.Errorf("first is %+v", f)
	}
	if First(nil) != nil {
		t.Error("first of nothing")
	}
}

func TestOrderBySeverity(t *testing.T) {
	low, high := New(Blocker{Type: BuildError, Message: "a", Severity: Low}), New(Blocker{Type: BuildError, Message: "b", Severity: Critical})
	if got := Order([]Blocker{low, high}); got[0].Message != "b" {
		t.Errorf("order %v", got)
	}
	placed := New(Blocker{Type: BuildError, Message: "c", File: "c.c"})
	stale := New(Blocker{Type: BuildError, Message: "d", File: "d.c", Severity: Critical, Stale: true})
	if got := Order([]Blocker{stale, New(Blocker{Type: BuildError, Message: "e"}), placed}); got[0].Message != "c" || got[1].Message != "e" {
		t.Errorf("fresh before stale, then by severity, then those with a place: %v", got)
	}
}

func types(list []Blocker) (out []Type) {
	for _, b := range list {
		out = append(out, b.Type)
	}
	return out
}

// TestCut: texts from logs are bounded at a character.
func TestCut(t *testing.T) {
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{
		{"short", 10, "short"},
		{"exactly", 7, "exactly"},
		{"abcdefghij", 6, "abc…"},
		{"한국어입니다", 10, "한국…"},
		{"bad\xff", 10, "bad\uFFFD"},
	} {
		if got := cut(c.in, c.n); got != c.want || len(got) > c.n+2 && len(c.in) > c.n {
			t.Errorf("cut(%q, %d) = %q, want %q", c.in, c.n, got, c.want)
		}
	}
}

// TestPattern: what changes from run to run goes, what names the failure stays.
func TestPattern(t *testing.T) {
	for _, c := range []struct{ a, b string }{
		{"test timed out after 1.23s", "test timed out after 2s"},
		{"panic at 0xc000123456", "panic at 0xc000999999"},
		{"java.lang.Object@1a2b3c4 is wrong", "java.lang.Object@ffeedd0 is wrong"},
		{"cannot open /home/alice/w/app/x.conf", "cannot open /var/lib/jenkins/workspace/app/x.conf"},
		{"cannot open 'C:\\Users\\a\\x.conf'", "cannot open 'D:\\a\\x\\y.conf'"},
		{"2026-01-04T10:30:00Z boom", "2027-02-05T11:31:01.5Z boom"},
		{"10:30:00 boom", "11:31:01.123 boom"},
		{"run 123e4567-e89b-12d3-a456-426614174000 failed", "run 00000000-e89b-12d3-a456-426614174999 failed"},
		{"GET https://a.example.org/x?y=1 failed", "GET https://b.example.org/z failed"},
		{"process 4711 died", "process 12 died"},
		{"object 1234567 missing", "object 7654321 missing"},
		{"math (12 ms)", "math (9 ms)"},
		{"commit deadbeef12345678 missing", "commit 0123456789abcdef missing"},
	} {
		if Pattern(c.a) != Pattern(c.b) {
			t.Errorf("%q → %q\n%q → %q: one failure, two patterns", c.a, Pattern(c.a), c.b, Pattern(c.b))
		}
	}
	for _, keep := range []string{"Could NOT find Qt6", "no member named 'expires_at' in 'auth::Token'", "error C2065: 'x': undeclared identifier",
		"undefined reference to `foo'", "src/auth/token.cpp is missing", "ModuleNotFoundError: No module named 'yaml'", "expected 3 but was 4", "TestAdd"} {
		if got := Pattern(keep); got != keep {
			t.Errorf("Pattern(%q) = %q: it was stable", keep, got)
		}
	}
	if a, b := Pattern("expected 3 but was 4"), Pattern("expected 5 but was 4"); a == b {
		t.Error("two failures, one pattern")
	}
}

// TestPatternIsIdempotent: a pattern that is made of a pattern is the same, else records would drift.
func TestPatternIsIdempotent(t *testing.T) {
	for _, s := range []string{"a /x/y/z 0x12 10:00:00 (3 ms) https://x.y/z", "'/a/b' \"/c/d\" =/e/f", strings.Repeat("/a/b ", 200), "“/a/b”"} {
		once := Pattern(s)
		if twice := Pattern(once); twice != once {
			t.Errorf("%q → %q → %q", s, once, twice)
		}
	}
}

// TestPlaces: paths of a log become paths of the repository where that can be told, and stay as they are elsewhere.
func TestPlaces(t *testing.T) {
	for _, c := range []struct{ root, dirs, in, want string }{
		{"", "", "src/a.c", "src/a.c"},
		{"", "", "./src/a.c", "src/a.c"},
		{"", "", "../src/a.c", "../src/a.c"},
		{"/w/app", "", "/w/app/src/a.c", "src/a.c"},
		{"/w/app/", "", "/w/app/src/../src/a.c", "src/a.c"},
		{"/w/app", "", "/w/application/a.c", "/w/application/a.c"},
		{"/w/app", "/w/app/lib", "a.c", "lib/a.c"},
		{"/w/app", "/w/app/b /w/app/b/sub", "../../src/a.c", "src/a.c"},
		{"/w/app", "/elsewhere", "a.c", "a.c"},
		{"", "/home/runner/work/app/app/lib", "a.c", "lib/a.c"},
		{"", "", "/home/runner/work/app/app/src/a.c", "src/a.c"},
		{"", "", "/__w/app/app/src/a.c", "src/a.c"},
		{"", "", "/home/travis/build/o/app/src/a.c", "src/a.c"},
		{"", "", "/builds/group/app/src/a.c", "src/a.c"},
		{"", "", "D:\\a\\app\\app\\src\\a.c", "src/a.c"},
		{"", "", "D:\\a\\1\\s\\src\\a.c", "src/a.c"},
		{"C:\\w\\app", "", "C:\\w\\app\\src\\a.c", "src/a.c"},
		{"", "", "/usr/include/stdio.h", "/usr/include/stdio.h"},
		{"", "", "file:///w/a.kt", "/w/a.kt"},
		{"", "", "<stdin>", "<stdin>"},
		{"", "", "", ""},
	} {
		p := newPlaces(c.root, "")
		for _, d := range strings.Fields(c.dirs) {
			p.enter(d)
		}
		if got := p.resolve(c.in); got != c.want {
			t.Errorf("root %q, in %q: %q → %q, want %q", c.root, c.dirs, c.in, got, c.want)
		}
	}
}

// TestPlacesLeave: make's directories are a stack; leaving another than the last is not believed.
func TestPlacesLeave(t *testing.T) {
	p := newPlaces("/w", "")
	p.enter("/w/a")
	p.enter("/w/a/b")
	p.leave("/w/x")
	if got := p.resolve("f.c"); got != "a/b/f.c" {
		t.Errorf("in b: %s", got)
	}
	p.leave("/w/a/b")
	if got := p.resolve("f.c"); got != "a/f.c" {
		t.Errorf("in a: %s", got)
	}
	p.leave("/w/a")
	p.leave("/w/a")
	if got := p.resolve("f.c"); got != "f.c" {
		t.Errorf("outside: %s", got)
	}
	for range 1000 {
		p.enter("/w/deep")
	}
	if len(p.dirs) > 64 {
		t.Errorf("the stack grows to %d", len(p.dirs))
	}
}

func TestForeign(t *testing.T) {
	for file, want := range map[string]bool{
		"/usr/lib/python3.11/json.py": true, "/w/venv/lib/python3.11/site-packages/x.py": true, "node_modules/x/y.js": true,
		"/rustc/0123456789ab/library/core.rs": true, "/home/a/go/pkg/mod/x@v1/y.go": true, "<frozen importlib>": true, "node:internal/x": true,
		"src/a.py": false, "/w/app/lib/a.py": false, "/home/runner/work/app/app/a.go": false,
	} {
		if isForeign(file) != want {
			t.Errorf("isForeign(%s) = %v", file, !want)
		}
	}
}
