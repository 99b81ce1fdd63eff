package sql

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"session/internal/memory"
	"session/internal/memory/memorytest"
)

func logSize(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path + "-wal")
	if errors.Is(err, fs.ErrNotExist) {
		return 0
	}
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// addOnce is a save: open, add, close.
func addOnce(t *testing.T, path string, from, n int) memory.Snapshot {
	t.Helper()
	at := memory.Snapshot(fmt.Sprint("at", from))
	b := memory.Batch{SessionRef: "s1", Snapshot: at}
	for i := range n {
		b.Add = append(b.Add, memorytest.Item(t, "s1", from+i, fmt.Sprintf("redis number%d of many", from+i)))
	}
	d, err := OpenSQLite(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(d.Memory().Apply(t.Context(), b), d.Close()); err != nil {
		t.Fatal(err)
	}
	return at
}

// TestLogStays: closing moves nothing, and nothing is lost by it.
func TestLogStays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "session.db")
	addOnce(t, path, 0, 3)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := addOnce(t, path, 3, 3)
	after, err := os.ReadFile(path)
	if err != nil || string(after) != string(before) || logSize(t, path) == 0 {
		t.Errorf("the log was moved when the database closed: %d bytes are left of it, %v", logSize(t, path), err)
	}
	d := open(t, path)
	if got, err := d.Memory().Standing(t.Context(), "s1"); err != nil || got != at {
		t.Errorf("stands at %q, %v; want %q", got, err, at)
	}
	if found, err := searchIn(t, d, at); err != nil || len(found) != 6 {
		t.Errorf("%d of 6 items, %v", len(found), err)
	}
}

func searchIn(t *testing.T, d *DB, at memory.Snapshot) ([]memory.Found, error) {
	return d.Memory().Search(t.Context(), memory.Query{Text: "redis", TopK: 1 << 20, Ranking: memory.CountRecency, In: memory.InSession("s1"), At: at})
}

// TestLogIsBounded: what every process reads through when it opens the file does not grow with the years.
func TestLogIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "session.db")
	var most int64
	const saves = 60
	for n := range saves {
		addOnce(t, path, n, 1)
		most = max(most, logSize(t, path))
	}
	if most == 0 || most >= logMax+256<<10 {
		t.Errorf("the log grew to %d bytes in %d saves", most, saves)
	}
	at := addOnce(t, path, saves, 5000)
	if size := logSize(t, path); size >= logMax {
		t.Errorf("an import leaves %d bytes of log", size)
	}
	d := open(t, path)
	if err := d.Check(t.Context()); err != nil {
		t.Error(err)
	}
	if found, err := searchIn(t, d, at); err != nil || len(found) != saves+5000 {
		t.Errorf("%d items, %v", len(found), err)
	}
}

// TestLogOfLostFile: a log without its file is nobody's.
func TestLogOfLostFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "session.db")
	addOnce(t, path, 0, 3)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if at, err := open(t, path).Memory().Standing(t.Context(), "s1"); err != nil || at != "" {
		t.Errorf("stands at %q, %v", at, err)
	}
}

// TestLogHidesNoDamage: the log can hold the very pages that the file has lost.
func TestLogHidesNoDamage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "session.db")
	addOnce(t, path, 0, 3)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, begin := range map[string]string{"garbage": "\x00garbage\x00garbage\x00", "a text": "memories: none\n\n"} {
		if err := os.WriteFile(path, append([]byte(begin), b[len(begin):]...), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenSQLite(t.Context(), path); !errors.Is(err, memory.ErrDamaged) {
			t.Errorf("%s at the beginning: %v", name, err)
		}
	}
}

// TestReadersLeaveTheLog: who only looks does not wait for the disk.
func TestReadersLeaveTheLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "session.db")
	at := addOnce(t, path, 0, 3)
	was := logSize(t, path)
	d := open(t, path)
	if _, err := searchIn(t, d, at); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil || logSize(t, path) != was {
		t.Errorf("%v; the log had %d bytes, and has %d", err, was, logSize(t, path))
	}
}

// strange is a driver of which we know nothing.
type strange struct{ driver.Conn }

func TestKeepLogKnowsItsDriver(t *testing.T) {
	if err := keepLog(&strange{}); err == nil {
		t.Error("a log is kept by a driver that nobody knows")
	}
}
