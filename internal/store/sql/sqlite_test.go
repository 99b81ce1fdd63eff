package sql

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"session/internal/memory"
	"session/internal/memory/memorytest"
)

func open(t testing.TB, path string) *DB {
	t.Helper()
	d, err := OpenSQLite(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

func TestMemory(t *testing.T) {
	memorytest.Run(t, func(t *testing.T) memorytest.Subject {
		path := filepath.Join(t.TempDir(), "session.db")
		d := open(t, path)
		return memorytest.Subject{
			Store: d.Memory(),
			Again: func(t *testing.T) memory.Store { return open(t, path).Memory() },
			Close: func(t *testing.T) {
				if err := d.Close(); err != nil {
					t.Fatal(err)
				}
			},
			Reopen: func(t *testing.T) (memory.Store, error) {
				d, err := OpenSQLite(t.Context(), path)
				if err != nil {
					return nil, err
				}
				t.Cleanup(func() { _ = d.Close() })
				return d.Memory(), nil
			},
			Damage: damages(path),
		}
	})
}

// damages are ways to spoil a database file, or the log beside it; each begins with both as they were.
func damages(path string) map[string]func(*testing.T) {
	left := sync.OnceValues(func() (b [3][]byte, err error) { // the file and its log; the file once the log is moved into it
		var failed [3]error
		b[0], failed[0] = os.ReadFile(path)
		b[1], failed[1] = os.ReadFile(path + "-wal")
		if err := errors.Join(failed[0], failed[1], settleFile(path)); err != nil {
			return b, err
		}
		b[2], failed[2] = os.ReadFile(path)
		return b, failed[2]
	})
	put := func(t *testing.T, file, log []byte) {
		_ = os.Remove(path + "-shm")
		if err := errors.Join(os.WriteFile(path, file, 0o600), os.WriteFile(path+"-wal", log, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	spoil := func(how func([]byte) []byte) func(*testing.T) {
		return func(t *testing.T) {
			b, err := left()
			if err != nil {
				t.Fatal(err)
			}
			put(t, how(slices.Clone(b[2])), nil)
		}
	}
	spoilLog := func(how func([]byte) []byte) func(*testing.T) {
		return func(t *testing.T) {
			b, err := left()
			if err != nil {
				t.Fatal(err)
			}
			put(t, b[0], how(slices.Clone(b[1])))
		}
	}
	return map[string]func(*testing.T){
		"begins with garbage": spoil(func(b []byte) []byte { copy(b, "\x00garbage\x00garbage\x00"); return b }),
		"is no database":      spoil(func([]byte) []byte { return []byte("memories: none\n") }),
		"is empty":            spoil(func([]byte) []byte { return nil }),
		"has lost its end":    spoil(func(b []byte) []byte { return b[:len(b)/2] }),
		"has lost a page":     spoil(func(b []byte) []byte { return b[:len(b)-4096] }),
		"has a hole":          spoil(func(b []byte) []byte { clear(b[len(b)/3 : 2*len(b)/3]); return b }),
		"is shifted":          spoil(func(b []byte) []byte { return append(b[:5000], b[5001:]...) }),

		"log begins with garbage": spoilLog(func(b []byte) []byte { copy(b, "\x00garbage\x00garbage\x00"); return b }),
		"log is gone":             spoilLog(func([]byte) []byte { return nil }),
		"log has lost its end":    spoilLog(func(b []byte) []byte { return b[:len(b)/2] }),
		"log has a hole":          spoilLog(func(b []byte) []byte { clear(b[len(b)/3 : 2*len(b)/3]); return b }),
		"log has one wrong bit":   spoilLog(func(b []byte) []byte { b[len(b)/2] ^= 1; return b }),
	}
}

// settleFile moves the log that is left beside a file into it.
func settleFile(path string) error {
	d, err := OpenSQLite(context.Background(), path)
	if err != nil {
		return err
	}
	_, err = d.db.Exec(`PRAGMA wal_checkpoint(TRUNCATE)`)
	return errors.Join(err, d.Close())
}

// TestEveryPage: wherever one page is lost, a search finds everything or says that it cannot.
func TestEveryPage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "session.db")
	d := open(t, path)
	var add []memory.Item
	for n := range 300 {
		add = append(add, memorytest.Item(t, "s1", n, fmt.Sprintf("redis number%d of many", n)))
	}
	if err := d.Memory().Apply(t.Context(), memory.Batch{SessionRef: "s1", Snapshot: "a", Add: add}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(d.Check(t.Context()), d.Close(), settleFile(path)); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const page = 4096
	noticed, unnoticed := 0, 0
	for at := 0; at < len(whole); at += page {
		b := slices.Clone(whole)
		clear(b[at : at+page])
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		found, err := searchFile(t.Context(), path)
		switch {
		case errors.Is(err, memory.ErrDamaged):
			noticed++
		case err != nil:
			t.Errorf("page %d: %v", at/page+1, err)
		case len(found) != len(add):
			t.Errorf("page %d: %d of %d items, and no error", at/page+1, len(found), len(add))
		default:
			unnoticed++ // the search does not need this page; Check does
			d := open(t, path)
			if err := d.Check(t.Context()); !errors.Is(err, memory.ErrDamaged) {
				t.Errorf("page %d: Check says %v", at/page+1, err)
			}
			_ = d.Close()
		}
	}
	if noticed < 5 || unnoticed == 0 {
		t.Errorf("%d pages noticed, %d not: this test tests little", noticed, unnoticed)
	}
}

func searchFile(ctx context.Context, path string) ([]memory.Found, error) {
	d, err := OpenSQLite(ctx, path)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.Memory().Search(ctx, memory.Query{Text: "redis", TopK: 1000, Ranking: memory.CountRecency, In: memory.InSession("s1"), At: "a"})
}

func TestFileModes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "session.db")
	d := open(t, path)
	if err := d.Memory().Apply(t.Context(), memory.Batch{SessionRef: "s1", Snapshot: "a"}); err != nil {
		t.Fatal(err)
	}
	for _, end := range []string{"", "-wal", "-shm"} {
		info, err := os.Stat(path + end)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", end, info, err)
		}
	}
}

// TestModesAreMended: a copy from elsewhere may have been made for all to read.
func TestModesAreMended(t *testing.T) {
	path := filepath.Join(t.TempDir(), "session.db")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	open(t, path)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func TestOpenSaysWhat(t *testing.T) {
	dir := t.TempDir()
	for name, path := range map[string]string{"a folder": dir, "a device": os.DevNull, "no folder": filepath.Join(dir, "no", "x.db")} {
		if _, err := OpenSQLite(t.Context(), path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "no")); err == nil {
		t.Error("made a folder")
	}
}

// TestOddNames: a path is a path, not an address.
func TestOddNames(t *testing.T) {
	for _, name := range []string{"a b?mode=memory#x%41.db", "file:y.db", "세션.db", "a&b=c.db", "a\\b.db"} {
		path := filepath.Join(t.TempDir(), name)
		d := open(t, path)
		if err := d.Memory().Apply(t.Context(), memory.Batch{SessionRef: "s1", Snapshot: "a"}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		if info, err := os.Stat(path); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
		if at, err := open(t, path).Memory().Standing(t.Context(), "s1"); err != nil || at != "a" {
			t.Errorf("%s: %q, %v", name, at, err)
		}
	}
}
