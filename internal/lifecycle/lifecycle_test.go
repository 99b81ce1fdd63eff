package lifecycle

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write docs/lifecycle.md")

// TestDocument keeps docs/lifecycle.md what the table says.
func TestDocument(t *testing.T) {
	const file = "../../docs/lifecycle.md"
	if *update {
		if err := os.WriteFile(file, []byte(Document()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(file)
	if err != nil || string(b) != Document() {
		t.Errorf("%s is not what the table says (%v); go test ./internal/lifecycle -update", file, err)
	}
}

// allowed is requirement S4.1, written down a second time, by hand.
var allowed = map[string]EventType{
	"created running": SessionStarted, "created expired": SessionExpired,
	"running paused": SessionPaused, "running hitl_waiting": SessionPaused, "running completed": SessionCompleted,
	"running failed": SessionFailed, "running expired": SessionExpired,
	"paused running": SessionResumed, "paused cancelled": SessionCancelled, "paused expired": SessionExpired,
	"hitl_waiting running": SessionResumed, "hitl_waiting cancelled": SessionCancelled, "hitl_waiting paused": SessionPaused,
	"hitl_waiting expired": SessionExpired,
	"failed running":       SessionResumed,
}

// TestEveryTransition tries every cause in every state: 80 of them, 16 of which lead on.
func TestEveryTransition(t *testing.T) {
	ways := map[string]int{}
	for _, from := range Statuses() {
		for _, cause := range Causes() {
			before := Session{ID: "s", Owner: "o", Status: from, Version: 7, Events: 3, Run: "r", RunningSince: at(0), UpdatedAt: at(0)}
			after, e, err := before.Apply(Change{Version: 7, Cause: cause}, at(5), DefaultPolicy())
			next, ok := Next(from, cause)
			var refused *TransitionError
			if !ok {
				if !errors.As(err, &refused) || refused.From != from || refused.Cause != cause || !reflect.DeepEqual(before, after) || e.Seq != 0 {
					t.Errorf("%s, %s: %v %+v", from, cause, err, e)
				}
				if !strings.Contains(err.Error(), string(from)) || !strings.Contains(err.Error(), string(cause)) {
					t.Errorf("%s does not name %s and %s", err, from, cause)
				}
				continue
			}
			pair := string(from) + " " + string(next.To)
			ways[pair]++
			if err != nil || after.Status != next.To || after.Version != 8 || after.Events != 4 || e.Seq != 4 || e.Type != allowed[pair] {
				t.Errorf("%s, %s: %v %+v %+v", from, cause, err, after, e)
			}
			var d EventData
			if err := json.Unmarshal(e.Data, &d); err != nil || d.From != from || d.To != next.To || d.Cause != cause || d.Run != "r" {
				t.Errorf("%s, %s: %v %s", from, cause, err, e.Data)
			}
		}
	}
	if len(ways) != len(allowed) {
		t.Errorf("%d ways lead on, want %d: %v", len(ways), len(allowed), ways)
	}
}

func at(minute int) time.Time {
	return time.Date(2026, 2, 6, 10, 0, 0, 0, time.UTC).Add(time.Duration(minute) * time.Minute)
}

func began(t *testing.T) Session {
	t.Helper()
	s, e, err := New(Draft{ID: "s1", Owner: "ann", Input: "look"}, at(0), DefaultPolicy())
	if err != nil || e.Seq != 1 || e.Type != SessionCreated || s.Language != "ko" || s.Version != 1 || s.Status != Created {
		t.Fatal(s, e, err)
	}
	return s
}

func apply(t *testing.T, s Session, minute int, c Change) Session {
	t.Helper()
	s, _, err := s.Apply(c, at(minute), DefaultPolicy())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestTimes follows the five times and the execution time through a life.
func TestTimes(t *testing.T) {
	s := began(t)
	s = apply(t, s, 1, Change{Cause: Start, Take: "r1"})
	if s.StartedAt != at(1) || s.RunningSince != at(1) || s.Run != "r1" {
		t.Errorf("started: %+v", s)
	}
	s = apply(t, s, 4, Change{As: "r1", Cause: Fail, Tokens: 7, CostMicro: 9, Note: json.RawMessage(`"why"`)})
	if s.CompletedAt != at(4) || s.ExecutionMS != 3*60_000 || s.Run != "" || !s.RunningSince.IsZero() {
		t.Errorf("failed: %+v", s)
	}
	s = apply(t, s, 10, Change{Cause: Resume, Take: "r2"})
	if !s.CompletedAt.IsZero() || s.StartedAt != at(1) || s.Run != "r2" {
		t.Errorf("again: %+v", s)
	}
	s = apply(t, s, 11, Change{Cause: Ask})
	if s.Run != "r2" || s.ExecutionMS != 4*60_000 {
		t.Errorf("waits: %+v", s)
	}
	s = apply(t, s, 20, Change{Cause: Answer})
	s = apply(t, s, 22, Change{As: "r2", Cause: Complete, Tokens: 1, Response: json.RawMessage(`{}`)})
	if s.ExecutionMS != 6*60_000 || s.TokensUsed != 8 || s.CostMicro != 9 || s.UpdatedAt != at(22) || s.Version != 7 || s.Events != 7 {
		t.Errorf("completed: %+v", s)
	}
}

// TestClockBehind: a machine whose clock is behind turns no time back.
func TestClockBehind(t *testing.T) {
	s := apply(t, began(t), 5, Change{Cause: Start})
	s = apply(t, s, 2, Change{Cause: Pause})
	if s.UpdatedAt != at(5) || s.ExecutionMS != 0 || s.ExpiresAt != at(65) {
		t.Errorf("%+v", s)
	}
}

func TestFences(t *testing.T) {
	s := apply(t, began(t), 1, Change{Cause: Start, Take: "r1"})
	s = apply(t, s, 2, Change{Take: "r2"})
	var fenced *FencedError
	for _, c := range []Change{{As: "r1"}, {As: "r1", Cause: Complete}, {As: "r1", Version: 1}, {As: "r1", Take: "r1"}} {
		if _, _, err := s.Apply(c, at(3), DefaultPolicy()); !errors.As(err, &fenced) || fenced.Holder != "r2" {
			t.Errorf("%+v: %v", c, err)
		}
	}
	s = apply(t, s, 3, Change{As: "r2", Cause: Pause})
	if _, _, err := s.Apply(Change{As: "r2", Tokens: 1}, at(3), DefaultPolicy()); !errors.As(err, &fenced) || fenced.Holder != "" {
		t.Errorf("paused: %v", err)
	}
	if _, _, err := s.Apply(Change{Take: "r3"}, at(3), DefaultPolicy()); !errors.Is(err, ErrInvalid) {
		t.Errorf("a run takes what is paused: %v", err)
	}
	var changed *ChangedError
	if _, _, err := s.Apply(Change{Version: 2, Cause: Resume}, at(3), DefaultPolicy()); !errors.As(err, &changed) || changed.Version != 4 {
		t.Errorf("stale: %v", err)
	}
}

func TestInvalid(t *testing.T) {
	long := strings.Repeat("x", maxText+1)
	for name, d := range map[string]Draft{
		"no id":       {Owner: "o"},
		"odd id":      {ID: "a/b", Owner: "o"},
		"long id":     {ID: ID(strings.Repeat("x", 129)), Owner: "o"},
		"no owner":    {ID: "s"},
		"long input":  {ID: "s", Owner: "o", Input: long},
		"zero":        {ID: "s", Owner: "o", Input: "a\x00b"},
		"no UTF-8":    {ID: "s", Owner: "o", Input: "\xff"},
		"language":    {ID: "s", Owner: "o", Language: strings.Repeat("x", 36)},
		"options":     {ID: "s", Owner: "o", Options: json.RawMessage(`{`)},
		"empty JSON":  {ID: "s", Owner: "o", Metadata: json.RawMessage{}},
		"JSON bytes":  {ID: "s", Owner: "o", Metadata: json.RawMessage("\"\xff\"")},
		"odd parent":  {ID: "s", Owner: "o", Parent: "?"},
		"newline":     {ID: "s\n", Owner: "o"},
		"odd owner":   {ID: "s", Owner: "o'; DROP"},
		"escape in o": {ID: "s", Owner: "o\x1b[2J"},
	} {
		if _, _, err := New(d, at(0), Policy{}); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s := began(t)
	s.TokensUsed = 1<<63 - 2
	for name, c := range map[string]Change{
		"version": {Version: -1}, "tokens": {Tokens: -1}, "cost": {CostMicro: -1}, "sum": {Tokens: 2}, "run": {Take: "a b"},
		"response": {Response: json.RawMessage(`x`)}, "note": {Cause: Start, Note: json.RawMessage(`x`)},
	} {
		if after, _, err := s.Apply(c, at(1), Policy{}); !errors.Is(err, ErrInvalid) || !reflect.DeepEqual(s, after) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestExpiry stands each state at its time, and one millisecond before.
func TestExpiry(t *testing.T) {
	p := DefaultPolicy()
	for _, tc := range []struct {
		status Status
		after  time.Duration
		deed   Deed
	}{
		{Created, 24 * time.Hour, Lapse}, {Running, 24 * time.Hour, Lapse}, {Waiting, 24 * time.Hour, Lapse}, {Paused, time.Hour, Lapse},
		{Completed, 7 * 24 * time.Hour, Archive}, {Cancelled, 7 * 24 * time.Hour, Archive}, {Failed, 24 * time.Hour, Remove}, {Expired, time.Hour, Remove},
	} {
		s := Session{Status: tc.status, UpdatedAt: at(10), CompletedAt: at(10)}
		s.ExpiresAt = p.ExpiresAt(s)
		if due := at(10).Add(tc.after); s.ExpiresAt != due || Due(s, due) != tc.deed || Due(s, due.Add(-time.Millisecond)) != Keep {
			t.Errorf("%s expires %v: %s, %s before", tc.status, s.ExpiresAt, Due(s, due), Due(s, due.Add(-time.Millisecond)))
		}
		if tc.deed != Lapse && tc.status.Live() {
			t.Errorf("%s is live and removed", tc.status)
		}
		s.WorkTree = true
		if s.ExpiresAt = p.ExpiresAt(s); !s.ExpiresAt.IsZero() || Due(s, at(1<<20)) != Keep {
			t.Errorf("a work tree's own %s session expires", tc.status)
		}
	}
	for _, s := range []Session{{Status: Completed}, {Status: Failed}, {Status: Expired}, {Status: Cancelled}} {
		if at := (Policy{Completed: 1, Failed: 1, Expired: 1, KeepCompleted: true, KeepExpired: true}).ExpiresAt(s); !at.IsZero() {
			t.Errorf("%s is kept, and taken at %v", s.Status, at)
		}
	}
	if at := (Policy{}).ExpiresAt(Session{Status: Running}); !at.IsZero() {
		t.Errorf("0 is for ever: %v", at)
	}
	if err := (Policy{Paused: -1}).Check(); !errors.Is(err, ErrInvalid) {
		t.Error(err)
	}
}

func TestTally(t *testing.T) {
	s := began(t)
	sum := s.Tally()
	for i, c := range []Change{{Cause: Start}, {Tokens: 5}, {Cause: Fail}, {Cause: Resume}, {Cause: Complete, CostMicro: 3}} {
		after := apply(t, s, i+1, c)
		d := after.Tally().Sub(s.Tally())
		if d.Day != sum.Day {
			t.Fatal(d)
		}
		sum.Sessions, sum.Completed, sum.Failed, sum.Ran = sum.Sessions+d.Sessions, sum.Completed+d.Completed, sum.Failed+d.Failed, sum.Ran+d.Ran
		sum.ExecutionMS, sum.TokensUsed, sum.CostMicro = sum.ExecutionMS+d.ExecutionMS, sum.TokensUsed+d.TokensUsed, sum.CostMicro+d.CostMicro
		s = after
	}
	want := Day{Date: "2026-02-06", Total: 1, Completed: 1, AvgExecutionMS: 3 * 60_000, Tokens: 5, CostMicro: 3}
	if sum != s.Tally() || sum.Row() != want {
		t.Errorf("%+v, %+v", sum, sum.Row())
	}
	for ms, day := range map[int64]int64{0: 0, -1: -1, dayMS: 1, dayMS - 1: 0, -dayMS: -1, -dayMS - 1: -2} {
		if got := DayOf(time.UnixMilli(ms)); got != day {
			t.Errorf("%d ms is day %d, want %d", ms, got, day)
		}
	}
}

func TestStatuses(t *testing.T) {
	for _, s := range Statuses() {
		live := slices.Contains([]Status{Created, Running, Paused, Waiting}, s)
		if s.Check() != nil || s.Live() != live || (Session{Limited: true, Status: s}).Counts() != live || (Session{Limited: true, WorkTree: true, Status: s}).Counts() {
			t.Errorf("%s", s)
		}
	}
	if err := Status("done").Check(); !errors.Is(err, ErrInvalid) {
		t.Error(err)
	}
}

func FuzzCursor(f *testing.F) {
	f.Add("1700000000000,s1")
	f.Add("")
	f.Add("9223372036854775808,x")
	f.Fuzz(func(t *testing.T, text string) {
		ms, id, err := Cursor(text).Place()
		if err != nil {
			if !errors.Is(err, ErrInvalid) {
				t.Error(err)
			}
			return
		}
		if id != "" && CursorAt(Session{ID: id, CreatedAt: time.UnixMilli(ms)}) == "" {
			t.Error(ms, id)
		}
	})
}

func FuzzReadArchive(f *testing.F) {
	b, err := Archived{Session: Session{ID: "s", Owner: "o"}}.Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte(`{"format":2}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if a, err := ReadArchive(b); err != nil && !errors.Is(err, ErrInvalid) {
			t.Error(err)
		} else if err == nil && a.Format != ArchiveFormat {
			t.Error(a.Format)
		}
	})
}
