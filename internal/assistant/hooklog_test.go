package assistant

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestHookLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "below", "hooks.jsonl")
	if all, err := ReadFired(path); err != nil || all != nil {
		t.Errorf("a log that is not there: %v %v", all, err)
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for i := range 3 {
		f := Fired{At: at.Add(time.Duration(i) * time.Second), From: Claude, Kind: TurnEnd, Session: "s\x1b", Millis: 7, Error: strings.Repeat("x", 1000)}
		if err := LogFired(path, f); err != nil {
			t.Fatal(err)
		}
	}
	all, err := ReadFired(path)
	if err != nil || len(all) != 3 || all[2].At != at.Add(2*time.Second) || all[0].Session != "" || len(all[0].Error) != 300 {
		t.Errorf("%+v %v", all, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info, err)
	}
}

// The log stays short, its newest lines stay, and damage in it hides nothing but itself.
func TestHookLogStaysShort(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hooks.jsonl")
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for i := range 1500 {
		if err := LogFired(path, Fired{At: at.Add(time.Duration(i) * time.Second), Kind: PrePush, Error: strings.Repeat("e", 200)}); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() > hookLogLimit+hookLogLine {
		t.Errorf("%d bytes, %v", info.Size(), err)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(f, "damage\n{\"at\":7}\n"+strings.Repeat("y", 2*hookLogLine)+"\n")
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	last := at.Add(2000 * time.Second)
	if err := LogFired(path, Fired{At: last, Kind: PrePush}); err != nil {
		t.Fatal(err)
	}
	for _, read := range []func(string) ([]Fired, error){ReadFired, LastFired} {
		all, err := read(path)
		if n := len(all); err != nil || n < 2 || all[n-1].At != last || all[n-2].At != at.Add(1499*time.Second) {
			t.Errorf("%d lines, %v", n, err)
		}
	}
	few, _ := LastFired(path)
	many, _ := ReadFired(path)
	if len(few) >= len(many) {
		t.Errorf("the newest are %d of %d", len(few), len(many))
	}
}

func TestHookLogOfManyHooks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hooks.jsonl")
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			if err := LogFired(path, Fired{At: time.Unix(int64(i+1), 0), Kind: TurnEnd}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got, err := ReadFired(path); err != nil || len(got) != 20 {
		t.Errorf("%d lines, %v", len(got), err)
	}
}

func TestHookLogThatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	if err := LogFired(dir, Fired{At: time.Unix(1, 0), Kind: TurnEnd}); err == nil {
		t.Error("a folder is written to")
	}
	if _, err := ReadFired(dir); err == nil {
		t.Error("a folder is read")
	}
}
