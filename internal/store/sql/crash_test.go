package sql

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"session/internal/memory"
	"session/internal/memory/memorytest"
)

// A process of this test binary becomes a writer when this names a database.
const writesTo = "SESSION_TEST_SQL_WRITES_TO"

const perBatch = 3

func TestMain(m *testing.M) {
	if path := os.Getenv(writesTo); path != "" {
		if err := writeOn(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if address := os.Getenv(livesIn); address != "" {
		if err := liveIn(address); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// writeOn waits for its input to end, then opens a database and applies batches until nobody reads what it says: after
// each batch, its number.
func writeOn(path string) error {
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	ctx := context.Background()
	d, err := OpenSQLite(ctx, path)
	if err != nil {
		return err
	}
	session := memory.SessionRef(os.Args[1])
	most, err := strconv.Atoi(os.Args[2])
	if err != nil {
		return err
	}
	for n := 1; n <= most; n++ {
		b := memory.Batch{SessionRef: session, Snapshot: memory.Snapshot(strconv.Itoa(n))}
		for i := range perBatch {
			it, err := new(memory.Analyser).NewItem(memorytest.ID(session, n*perBatch+i), memorytest.At(n), session, fmt.Sprintf("redis number%d part%d", n, i))
			if err != nil {
				return err
			}
			b.Add = append(b.Add, it)
		}
		if err := d.Memory().Apply(ctx, b); err != nil {
			return err
		}
		if _, err := fmt.Println(n); err != nil {
			return err
		}
	}
	return d.Close()
}

type writer struct {
	cmd   *exec.Cmd
	start io.Closer
	lines *bufio.Scanner
}

func startWriter(t *testing.T, path string, session memory.SessionRef, most int) writer {
	t.Helper()
	cmd := exec.Command(os.Args[0], string(session), strconv.Itoa(most))
	cmd.Env = append(os.Environ(), writesTo+"="+path)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return writer{cmd, in, bufio.NewScanner(out)}
}

// TestKilledWriter: what was acknowledged is there, whole, and the database is in order, wherever the writer died.
func TestKilledWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "session.db")
	for round := range 6 {
		session := memory.SessionRef(fmt.Sprint("s", round))
		w := startWriter(t, path, session, 1<<30)
		if err := w.start.Close(); err != nil {
			t.Fatal(err)
		}
		acknowledged := 0
		for acknowledged < 1+round*17 && w.lines.Scan() {
			acknowledged, _ = strconv.Atoi(w.lines.Text())
		}
		if err := w.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for w.lines.Scan() { // said before it died
			acknowledged, _ = strconv.Atoi(w.lines.Text())
		}
		_ = w.cmd.Wait()

		d := open(t, path)
		if err := d.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
		at, err := d.Memory().Standing(t.Context(), session)
		if err != nil {
			t.Fatal(err)
		}
		stands, _ := strconv.Atoi(string(at))
		found, err := d.Memory().Search(t.Context(), memory.Query{Text: "redis", TopK: 1 << 20, Ranking: memory.CountRecency, In: memory.InSession(session), At: at})
		if err != nil || len(found) != stands*perBatch || stands < acknowledged {
			t.Errorf("%d batches acknowledged, stands at %q with %d items, %v", acknowledged, at, len(found), err)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestManyProcesses open a database that is not there yet, at one time, and write to one session and to their own.
func TestManyProcesses(t *testing.T) {
	const processes, batches = 8, 5
	path := filepath.Join(t.TempDir(), "session.db")
	var all []writer
	for n := range processes {
		all = append(all, startWriter(t, path, memory.SessionRef(fmt.Sprint("s", n%3)), batches))
	}
	var failed error
	for _, w := range all {
		failed = errors.Join(failed, w.start.Close())
	}
	for _, w := range all {
		for w.lines.Scan() {
		}
		failed = errors.Join(failed, w.cmd.Wait())
	}
	if failed != nil {
		t.Fatal(failed)
	}
	d := open(t, path)
	if err := d.Check(t.Context()); err != nil {
		t.Error(err)
	}
	for n := range 3 {
		found, err := d.Memory().List(t.Context(), memory.InSession(memory.SessionRef(fmt.Sprint("s", n))))
		if err != nil || len(found) != batches*perBatch {
			t.Errorf("s%d: %d items, %v", n, len(found), err)
		}
	}
}
