package session

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"session/blocker"
)

func FuzzPathText(f *testing.F) {
	for _, s := range []string{"", "a/b", "\"", "caf\xe9", "\xff\"\\\n\t한", "\x00\x1b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, path string) {
		text := PathText(path)
		if !utf8.ValidString(text) {
			t.Fatalf("%q: not UTF-8: %q", path, text)
		}
		if got := PathBytes(text); got != path && !strings.ContainsAny(path, "\t\x00\x1b") && printable(path) {
			t.Fatalf("%q → %q → %q", path, text, got)
		}
	})
}

func printable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' && r != '\n' || r == 0x7f })
}

func TestProgress(t *testing.T) {
	for _, tc := range []struct{ done, total, percent int }{{5, 12, 42}, {0, 0, 0}, {1, 3, 33}, {2, 3, 67}, {199, 200, 100}, {1, 8, 13}} {
		if got := NewProgress(tc.done, tc.total); got.Percentage != tc.percent {
			t.Errorf("%d/%d: %d %%, want %d", tc.done, tc.total, got.Percentage, tc.percent)
		}
	}
}

// TestStateKeys holds the state file's first keys to the seed's, in its order.
func TestStateKeys(t *testing.T) {
	b, err := State{SavedAt: time.Date(2026, 1, 4, 10, 30, 0, 5, time.FixedZone("KST", 9*3600))}.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"mode", "saved_at", "git_branch", "git_commit", "git_pushed", "openspec", "openspec_status", "working_on",
		"next_steps", "blocker", "completed_tasks", "pending_tasks", "task_progress", "schema_version"}
	rest := string(b)
	for _, k := range want {
		i := strings.Index(rest, "\""+k+"\":")
		if i < 0 {
			t.Fatalf("%s is missing or out of order in\n%s", k, b)
		}
		rest = rest[i:]
	}
	for _, s := range []string{`"saved_at": "2026-01-04T01:30:00Z"`, `"blocker": null`, `"next_steps": []`, `"completed_tasks": []`} {
		if !strings.Contains(string(b), s) {
			t.Errorf("no %s in\n%s", s, b)
		}
	}
}

func TestBundleRoundTrip(t *testing.T) {
	in := Bundle{
		Environment: Environment{Survey: "1", Git: &GitFacts{Ref: "refs/heads/x", Files: []File{{Path: "a", Mode: "100644", Blob: "b"}}}},
		Context:     Context{State: State{Mode: "quick", WorkingOn: "w", Snapshot: "not stored", Blocker: &blocker.Blocker{Type: blocker.Other}}},
		Messages:    Messages{Segments: []json.RawMessage{json.RawMessage(`{"a":1}`)}},
	}
	e, c, m, err := in.Parts()
	if err != nil {
		t.Fatal(err)
	}
	out, err := ReadBundle(e, c, m)
	if err != nil {
		t.Fatal(err)
	}
	if out.Context.State.Snapshot != "" {
		t.Error("a snapshot cannot hold its own id")
	}
	if p := out.Projected("id", "line"); p.Snapshot != "id" || p.Line != "line" || p.WorkingOn != "w" || p.Blocker == nil {
		t.Errorf("%+v", p)
	}
	if _, err := ReadBundle(json.RawMessage(`[]`), c, m); err == nil {
		t.Error("a list is no environment")
	}
}

func TestFindings(t *testing.T) {
	a := NewFinding(BranchMismatch, "k", "x", 1)
	b := a.Offer("switch", "git", "switch")
	c := a.Offer("save")
	if len(a.Actions) != 0 || len(b.Actions) != 1 || len(c.Actions) != 1 || c.Actions[0].ID != "save" {
		t.Errorf("%+v %+v %+v", a, b, c)
	}
	if !a.Serious() || NewFinding(AllValid, "").Serious() || NewFinding(FilesLeftOut, "").Serious() {
		t.Error("Serious")
	}
}

type refs struct {
	r   Ref
	err error
}

func (s refs) Load(context.Context) (Ref, error) { return s.r, s.err }
func (refs) Save(context.Context, Ref) error     { return errors.New("written at start") }

func TestBoot(t *testing.T) {
	saved := Ref{LastExecutionPlanHash: "h1", MemoryRef: "line"}
	var changed *ErrPlanChanged
	var other *ErrOtherSession
	for name, tc := range map[string]struct {
		store      refs
		hash, line string
		start      Start
		is         func(error) bool
	}{
		"no file":         {refs{err: ErrNoRef}, "h1", "", ColdStart, nil},
		"same plan":       {refs{r: saved}, "h1", "line", Resume, nil},
		"unknown line":    {refs{r: saved}, "h1", "", Resume, nil},
		"another plan":    {refs{r: saved}, "h2", "line", "", func(err error) bool { return errors.As(err, &changed) && changed.Was == "h1" }},
		"damaged":         {refs{err: ErrBadRef}, "h1", "", "", func(err error) bool { return errors.Is(err, ErrBadRef) }},
		"somebody else's": {refs{r: saved}, "h1", "else", "", func(err error) bool { return errors.As(err, &other) && other.Was == "line" }},
	} {
		start, _, err := Boot(t.Context(), tc.store, tc.hash, tc.line)
		if start != tc.start || (tc.is == nil) != (err == nil) || tc.is != nil && !tc.is(err) {
			t.Errorf("%s: %q %v", name, start, err)
		}
	}
}
