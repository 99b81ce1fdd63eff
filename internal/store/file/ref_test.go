package file_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"session/internal/atomicfile/atomicfiletest"
	"session/internal/session"
	"session/internal/snapshot"
	"session/internal/store/file"
)

var _ session.SessionStore = (*file.FileSessionStore)(nil)

func someRef(n string) session.Ref {
	return session.Ref{SessionID: "s" + n, MemoryRef: "m" + n, RepoScanVersion: "v1", LastExecutionPlanHash: strings.Repeat(n, 64)}
}

func clock() time.Time {
	return time.Date(2026, 11, 20, 21, 30, 0, 123456789, time.FixedZone("KST", 9*3600))
}

func TestFileSessionStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ops", "runtime", "session_state.json")
	s := file.NewFileSessionStore(path, clock)
	if _, err := s.Load(t.Context()); !errors.Is(err, session.ErrNoRef) {
		t.Error(err)
	}
	if _, err := os.Lstat(filepath.Dir(path)); err == nil {
		t.Error("looking made a folder")
	}
	want := someRef("1")
	for _, r := range []session.Ref{someRef("0"), {SessionID: "s", UpdatedAt: time.Unix(1, 0)}, want} {
		if err := s.Save(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	want.UpdatedAt = time.Date(2026, 11, 20, 12, 30, 0, 123000000, time.UTC)
	if got, err := s.Load(t.Context()); err != nil || got != want {
		t.Errorf("%+v %v", got, err)
	}
	raw, err := os.ReadFile(path)
	var members map[string]string
	if err != nil || json.Unmarshal(raw, &members) != nil {
		t.Fatalf("%s %v", raw, err)
	}
	if got := slices.Sorted(maps.Keys(members)); !slices.Equal(got, []string{"lastExecutionPlanHash", "memoryRef", "repoScanVersion", "sessionId", "updatedAt"}) ||
		members["updatedAt"] != "2026-11-20T12:30:00.123Z" {
		t.Errorf("%s", raw)
	}
	modes(t, filepath.Dir(path))
	if err := s.Save(t.Context(), session.Ref{}); err == nil {
		t.Error("saved a reference to nothing")
	}
	start, _, err := session.Boot(t.Context(), s, want.LastExecutionPlanHash, want.MemoryRef)
	if err != nil || start != session.Resume {
		t.Error(start, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Save(ctx, someRef("2")); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// What cannot be read stops the start, and is never overwritten.
func TestADamagedRefStays(t *testing.T) {
	good := `{"sessionId":"s","memoryRef":"m","repoScanVersion":"v","lastExecutionPlanHash":"h","updatedAt":"2026-11-20T12:30:00Z"}`
	for _, text := range []string{
		"", "{", "null", "[]", `"x"`, good[:50], good + "{}", strings.Replace(good, `"memoryRef":"m",`, "", 1), strings.Replace(good, `"s"`, `""`, 1),
		strings.Replace(good, `"s"`, `7`, 1), strings.Replace(good, `"s"`, `null`, 1), strings.Replace(good, "2026", "20x6", 1),
		strings.Replace(good, `{"`, `{"extra":1,"`, 1), strings.Repeat(" ", 70<<10) + good, "\x00",
	} {
		path := filepath.Join(t.TempDir(), "session_state.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s := file.NewFileSessionStore(path, clock)
		_, err := s.Load(t.Context())
		if !errors.Is(err, session.ErrBadRef) || errors.Is(err, session.ErrNoRef) || !strings.Contains(err.Error(), path) {
			t.Errorf("%.40q: %v", text, err)
		}
		if _, _, err := session.Boot(t.Context(), s, "h", ""); !errors.Is(err, session.ErrBadRef) {
			t.Errorf("%.40q: started: %v", text, err)
		}
		if err := s.Save(t.Context(), someRef("1")); !errors.Is(err, session.ErrBadRef) {
			t.Errorf("%.40q: overwritten: %v", text, err)
		}
		if b, err := os.ReadFile(path); err != nil || string(b) != text {
			t.Errorf("%.40q became %.40q", text, b)
		}
	}
	path := filepath.Join(t.TempDir(), "session_state.json")
	if err := os.Symlink("/dev/zero", path); err != nil {
		t.Fatal(err)
	}
	if _, err := file.NewFileSessionStore(path, clock).Load(t.Context()); !errors.Is(err, session.ErrBadRef) {
		t.Error(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "ops"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := file.NewFileSessionStore(filepath.Join(dir, "ops", "x.json"), clock).Save(t.Context(), someRef("1")); err == nil {
		t.Error("saved below a file")
	}
}

func TestRefReadersFindTheOldOneOrTheNewOne(t *testing.T) {
	s := file.NewFileSessionStore(filepath.Join(t.TempDir(), "session_state.json"), clock)
	if err := s.Save(t.Context(), someRef("0")); err != nil {
		t.Fatal(err)
	}
	end := make(chan struct{})
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			for last := false; !last; {
				select {
				case <-end:
					last = true
				default:
				}
				r, err := s.Load(t.Context())
				r.UpdatedAt = time.Time{}
				if err != nil || r != someRef("0") && r != someRef("1") {
					t.Errorf("%+v %v", r, err)
					return
				}
			}
		})
	}
	for i := range 50 {
		if err := s.Save(t.Context(), someRef([]string{"0", "1"}[i%2])); err != nil {
			t.Fatal(err)
		}
	}
	close(end)
	readers.Wait()
}

func TestRefKilledBetweenAnyTwoCalls(t *testing.T) {
	var path string
	n := atomicfiletest.KillEverywhere(t, 40, func() []string {
		path = filepath.Join(atomicfiletest.Dir(t), "session_state.json")
		if err := file.NewFileSessionStore(path, clock).Save(t.Context(), someRef("0")); err != nil {
			t.Fatal(err)
		}
		return environment("ref", path, snapshot.ID(""))
	}, func(point string) {
		r, err := file.NewFileSessionStore(path, clock).Load(t.Context())
		r.UpdatedAt = time.Time{}
		if err != nil || r != someRef("0") && r != someRef("1") {
			t.Errorf("%s: %+v %v", point, r, err)
		}
	})
	if n < 4 {
		t.Errorf("only %d points", n)
	}
}

// FuzzRef: the file is a Ref or ErrBadRef, and is not changed by being read.
func FuzzRef(f *testing.F) {
	f.Add([]byte(`{"sessionId":"s","memoryRef":"m","repoScanVersion":"v","lastExecutionPlanHash":"h","updatedAt":"2026-11-20T12:30:00Z"}`))
	f.Add([]byte(`{"sessionId":"s"}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(memory(t), "session_state.json")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		s := file.NewFileSessionStore(path, clock)
		r, err := s.Load(t.Context())
		if err == nil && r.SessionID == "" || err != nil && !errors.Is(err, session.ErrBadRef) {
			t.Errorf("%q: %+v %v", data, r, err)
		}
		if saved := s.Save(t.Context(), someRef("1")); (saved == nil) != (err == nil) {
			t.Errorf("%q: loaded %v, saved %v", data, err, saved)
		}
	})
}
