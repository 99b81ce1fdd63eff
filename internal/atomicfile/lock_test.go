package atomicfile

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

const ample = time.Minute // a wait that only a hanging test uses up

func lock(t *testing.T, path, note string, wait time.Duration) *Held {
	t.Helper()
	h, err := Lock(t.Context(), path, []byte(note), wait)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l")
	if note, held, err := Probe(path); held || note != nil || err != nil {
		t.Error(note, held, err)
	}
	wantOnly(t, filepath.Dir(path))
	h := lock(t, path, "pid 1, since noon", 0)
	_, err := Lock(t.Context(), path, nil, 0)
	var busy *Busy
	if !errors.As(err, &busy) || string(busy.Note) != "pid 1, since noon" || busy.Path != path {
		t.Fatalf("%v %+v", err, busy)
	}
	if note, held, err := Probe(path); !held || string(note) != "pid 1, since noon" || err != nil {
		t.Error(note, held, err)
	}
	if err := h.Check(); err != nil {
		t.Error(err)
	}
	for range 2 {
		if err := h.Unlock(); err != nil {
			t.Error(err)
		}
	}
	if err := h.Check(); !errors.Is(err, ErrLost) {
		t.Error(err)
	}
	if _, held, err := Probe(path); held || err != nil {
		t.Error(held, err)
	}
	h = lock(t, path, "shorter", 0)
	if note, _, _ := Probe(path); string(note) != "shorter" {
		t.Errorf("note %q", note)
	}
	if err := h.Unlock(); err != nil {
		t.Error(err)
	}
}

// TestALockLeavesNoFile holds on Unix; Windows removes no open file.
func TestALockLeavesNoFile(t *testing.T) {
	if os.PathSeparator == '\\' {
		t.Skip("Windows removes no open file")
	}
	path := filepath.Join(t.TempDir(), "l")
	if err := lock(t, path, "", 0).Unlock(); err != nil {
		t.Fatal(err)
	}
	wantOnly(t, filepath.Dir(path))
}

func TestWaitingForALock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l")
	h := lock(t, path, "", 0)
	got := make(chan error)
	go func() {
		second, err := Lock(t.Context(), path, nil, ample)
		if err == nil {
			err = second.Unlock()
		}
		got <- err
	}()
	if err := h.Unlock(); err != nil {
		t.Fatal(err)
	}
	if err := <-got; err != nil {
		t.Error(err)
	}
}

func TestAWaiterCanBeCalledOff(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l")
	h := lock(t, path, "", 0)
	ctx, cancel := context.WithCancelCause(t.Context())
	got := make(chan error)
	go func() {
		_, err := Lock(ctx, path, nil, ample)
		got <- err
	}()
	why := errors.New("the person gave up")
	cancel(why)
	if err := <-got; !errors.Is(err, why) {
		t.Error(err)
	}
	if err := h.Check(); err != nil {
		t.Error("the holder lost it:", err)
	}
}

func TestWhatIsNoLockFile(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(os.WriteFile(in("victim"), []byte("precious"), 0o600), os.Symlink("victim", in("link")), os.Mkdir(in("folder"), 0o700)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"link", "folder", "none/l"} {
		if _, err := Lock(t.Context(), in(name), []byte("x"), 0); err == nil {
			t.Error("locked", name)
		}
	}
	wantFile(t, in("victim"), "precious")
	if _, _, err := Probe(in("link")); !errors.Is(err, ErrNotRegular) {
		t.Error(err)
	}
	if _, err := Lock(t.Context(), in("l"), make([]byte, MaxNote+1), 0); err == nil {
		t.Error("a note without end was taken")
	}
}

func TestALockWhoseFileWasTakenAwayIsLost(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l")
	h := lock(t, path, "first", 0)
	if err := os.Remove(path); err != nil {
		t.Skip("this system does not let go of an open file:", err)
	}
	if err := h.Check(); !errors.Is(err, ErrLost) {
		t.Error(err)
	}
	second := lock(t, path, "second", 0)
	if err := h.Unlock(); err != nil {
		t.Error(err)
	}
	if err := second.Check(); err != nil {
		t.Error("the first holder took the second one's file away:", err)
	}
}

// Unlock removes the file while others wait on it: two of them must never hold the lock at once.
func TestNeverTwoHolders(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l")
	var inside, most atomic.Int32
	var all sync.WaitGroup
	for range 30 {
		all.Go(func() {
			for range 10 {
				h, err := Lock(t.Context(), path, []byte("x"), ample)
				if err != nil {
					t.Error(err)
					return
				}
				most.Store(max(most.Load(), inside.Add(1)))
				if err := h.Check(); err != nil { // a lock on a file that has no name any more keeps nobody out
					t.Error(err)
				}
				inside.Add(-1)
				if err := h.Unlock(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if most.Load() != 1 {
		t.Errorf("%d holders at once", most.Load())
	}
}

// start runs this binary again; it has said "locked" when start returns.
func start(t *testing.T, do, path string) (kill, end func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), "ATOMICFILE_DO="+do, "ATOMICFILE_PATH="+path)
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
	end = func() { in.Close() }
	t.Cleanup(end)
	if line, err := bufio.NewReader(out).ReadString('\n'); strings.TrimSpace(line) != "locked" {
		t.Fatalf("the helper said %q (%v)", line, err)
	}
	return func() { _ = cmd.Process.Kill(); _, _ = cmd.Process.Wait() }, end
}

func TestAKilledHolderLetsGoAtOnce(t *testing.T) {
	for _, do := range []string{"lock", "lock+child"} {
		t.Run(do, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "l")
			kill, end := start(t, do, path)
			var busy *Busy
			if _, err := Lock(t.Context(), path, nil, 0); !errors.As(err, &busy) || len(busy.Note) == 0 {
				t.Fatal(err)
			}
			kill() // in the second case its child lives on, with every descriptor that it inherited
			h, err := Lock(t.Context(), path, []byte("next"), 0)
			if err != nil {
				t.Fatal("a dead process holds the lock:", err)
			}
			if err := errors.Join(h.Check(), h.Unlock()); err != nil {
				t.Error(err)
			}
			end()
		})
	}
}
