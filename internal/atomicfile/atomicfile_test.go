package atomicfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
)

const (
	oldText = "old text, the longer one of the two"
	newText = "new text"
)

// folder gives the names in dir; temporary files are never among them when all is well.
func folder(t *testing.T, dir string) (names []string) {
	t.Helper()
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		names = append(names, e.Name())
	}
	return names
}

func wantFile(t *testing.T, path, want string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil || string(b) != want {
		t.Errorf("%s holds %.40q (%v), want %.40q", filepath.Base(path), b, err, want)
	}
}

func wantOnly(t *testing.T, dir string, want ...string) {
	t.Helper()
	if got := folder(t, dir); strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("the folder holds %q, want %q", got, want)
	}
}

func TestReplace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	for _, text := range []string{oldText, newText, "", strings.Repeat("x", 1<<20)} {
		if err := Replace(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		wantFile(t, path, text)
	}
	st, err := os.Stat(path)
	if err != nil || st.Mode() != 0o600 {
		t.Error(st.Mode(), err)
	}
	wantOnly(t, filepath.Dir(path), "f")
}

func TestCreate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := Create(path, []byte(oldText), 0o400); err != nil {
		t.Fatal(err)
	}
	err := Create(path, []byte(newText), 0o600)
	if !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), path) {
		t.Error(err)
	}
	wantFile(t, path, oldText)
	if st, err := os.Stat(path); err != nil || st.Mode() != 0o400 {
		t.Error(st.Mode(), err)
	}
	wantOnly(t, filepath.Dir(path), "f")
}

func TestWhatStandsInTheWay(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	for _, err := range []error{
		os.WriteFile(in("victim"), []byte("precious"), 0o600), os.Symlink("victim", in("link")),
		os.Symlink("nowhere", in("dangling")), os.Mkdir(in("folder"), 0o700),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"link", "dangling", "folder", "victim"} {
		if err := Create(in(name), []byte("x"), 0o600); !errors.Is(err, fs.ErrExist) {
			t.Errorf("create over %s: %v", name, err)
		}
	}
	if err := Replace(in("folder"), []byte("x"), 0o600); err == nil {
		t.Error("a folder was replaced")
	}
	if err := Replace(in("link"), []byte("x"), 0o600); err != nil {
		t.Error(err)
	}
	wantFile(t, in("victim"), "precious")
	wantOnly(t, dir, "dangling", "folder", "link", "victim")
	for _, f := range []func(string, []byte, fs.FileMode) error{Create, Replace} {
		if err := f(in("none/f"), nil, 0o600); !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
	}
}

// broken is the real system with one step that fails; from is the call from which it does.
var errBroken = errors.New("broken")

func broken(step string) system {
	s := real()
	switch step {
	case "open":
		s.open = func(string, fs.FileMode) (*os.File, error) { return nil, errBroken }
	case "write":
		s.write = func(f *os.File, b []byte) (int, error) { n, _ := f.Write(b[:len(b)/2]); return n, errBroken }
	case "short write":
		s.write = func(f *os.File, b []byte) (int, error) { return f.Write(b[:len(b)/2]) }
	case "sync":
		s.sync = func(*os.File) error { return errBroken }
	case "close":
		s.close = func(f *os.File) error { return errors.Join(f.Close(), errBroken) }
	case "rename":
		s.rename = func(_, _ string) error { return errBroken }
	case "link":
		s.link = func(_, _ string) error { return errBroken }
	case "sync folder":
		s.syncDir = func(string) error { return errBroken }
	}
	return s
}

func TestAFailingStepKeepsTheOldFileAndLeavesNothing(t *testing.T) {
	for _, step := range []string{"open", "write", "short write", "sync", "close", "rename", "link"} {
		t.Run(step, func(t *testing.T) {
			dir := t.TempDir()
			path, fresh := filepath.Join(dir, "f"), filepath.Join(dir, "g")
			if err := os.WriteFile(path, []byte(oldText), 0o600); err != nil {
				t.Fatal(err)
			}
			want := errBroken
			if step == "short write" {
				want = io.ErrShortWrite
			}
			if err := broken(step).replace(filepath.Dir(path), path, []byte(newText), 0o600); step != "link" && (!errors.Is(err, want) || !strings.Contains(err.Error(), path)) {
				t.Error("replace:", err)
			}
			if err := broken(step).create(fresh, []byte(newText), 0o600); step != "rename" && (!errors.Is(err, want) || !strings.Contains(err.Error(), fresh)) {
				t.Error("create:", err)
			}
			switch step {
			case "link":
				wantFile(t, path, newText)
				wantOnly(t, dir, "f")
			case "rename":
				wantFile(t, path, oldText)
				wantOnly(t, dir, "f", "g")
			default:
				wantFile(t, path, oldText)
				wantOnly(t, dir, "f")
			}
		})
	}
}

// A folder that cannot be synced: what has the name is whole, but nobody is told that it is safe, not even who came second.
func TestAFolderThatCannotBeSyncedIsNoSuccess(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	for range 2 {
		err := broken("sync folder").create(path, []byte(newText), 0o600)
		if !errors.Is(err, errBroken) || errors.Is(err, fs.ErrExist) {
			t.Error(err)
		}
		wantFile(t, path, newText)
		wantOnly(t, dir, "f")
	}
	if err := broken("sync folder").replace(filepath.Dir(path), path, []byte(oldText), 0o600); !errors.Is(err, errBroken) {
		t.Error(err)
	}
	wantFile(t, path, oldText)
}

func TestATemporaryFileThatStaysIsSaid(t *testing.T) {
	s := real()
	s.remove = func(string) error { return errBroken }
	path := filepath.Join(t.TempDir(), "f")
	if err := s.create(path, nil, 0o600); !errors.Is(err, errBroken) {
		t.Error(err)
	}
	if err := s.create(path, nil, 0o600); !errors.Is(err, errBroken) || !errors.Is(err, fs.ErrExist) {
		t.Error(err)
	}
	for _, name := range folder(t, filepath.Dir(path)) {
		if name != "f" && !IsTemp(name) {
			t.Error("unknown leftover", name)
		}
	}
}

// File systems without hard links fall to the exclusive rename; without both, Create refuses instead of guessing.
func TestWithoutHardLinks(t *testing.T) {
	for _, refusal := range []error{syscall.EPERM, syscall.ENOSYS, syscall.EOPNOTSUPP} {
		s := real()
		s.link = func(from, to string) error { return &os.LinkError{Op: "link", Old: from, New: to, Err: refusal} }
		path := filepath.Join(t.TempDir(), "f")
		if err := s.create(path, []byte(oldText), 0o600); errors.Is(err, ErrNoExclusive) {
			t.Skipf("no exclusive rename under %s: %v", filepath.Dir(path), err)
		} else if err != nil {
			t.Fatal(err)
		}
		if err := s.create(path, []byte(newText), 0o600); !errors.Is(err, fs.ErrExist) {
			t.Error(err)
		}
		wantFile(t, path, oldText)
		wantOnly(t, filepath.Dir(path), "f")

		s.exclusive = func(_, _ string) error { return syscall.EINVAL }
		other := filepath.Join(filepath.Dir(path), "g")
		if err := s.create(other, nil, 0o600); !errors.Is(err, ErrNoExclusive) || !errors.Is(err, refusal) {
			t.Error(err)
		}
		s.exclusive = func(_, _ string) error { return syscall.EIO }
		if err := s.create(other, nil, 0o600); errors.Is(err, ErrNoExclusive) || !errors.Is(err, syscall.EIO) {
			t.Error(err)
		}
		wantOnly(t, filepath.Dir(path), "f")
	}
}

// NFS asks again when an answer is lost, and is told that the link it made is in its own way.
func TestALinkWhoseAnswerGotLostIsOurs(t *testing.T) {
	s := real()
	s.link = func(from, to string) error { return errors.Join(os.Link(from, to), syscall.EEXIST) }
	path := filepath.Join(t.TempDir(), "f")
	if err := s.create(path, []byte(newText), 0o600); err != nil {
		t.Error(err)
	}
	if err := s.create(path, []byte(oldText), 0o600); !errors.Is(err, fs.ErrExist) {
		t.Error(err)
	}
	wantFile(t, path, newText)
}

// Somebody who guesses the temporary name plants a link there: it is not followed, another name is taken.
func TestAPlantedTemporaryLinkIsNotFollowed(t *testing.T) {
	dir, victim := t.TempDir(), filepath.Join(t.TempDir(), "victim")
	if err := os.WriteFile(victim, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, planted := real(), 0
	s.open = func(path string, perm fs.FileMode) (*os.File, error) {
		if planted < 3 {
			planted++
			if err := os.Symlink(victim, path); err != nil {
				t.Fatal(err)
			}
		}
		return real().open(path, perm)
	}
	if err := s.replace(dir, filepath.Join(dir, "f"), []byte(newText), 0o600); err != nil || planted != 3 {
		t.Error(err, planted)
	}
	wantFile(t, filepath.Join(dir, "f"), newText)
	wantFile(t, victim, "precious")
	s.open = func(path string, perm fs.FileMode) (*os.File, error) { return nil, fs.ErrExist }
	if err := s.replace(dir, filepath.Join(dir, "f"), nil, 0o600); !errors.Is(err, fs.ErrExist) {
		t.Error(err)
	}
}

func TestAHundredCreatorsOneWinner(t *testing.T) {
	for range 20 {
		path := filepath.Join(t.TempDir(), "f")
		var wins, winner atomic.Int64
		var ready, done sync.WaitGroup
		start := make(chan struct{})
		ready.Add(100)
		for i := range 100 {
			done.Go(func() {
				ready.Done()
				<-start
				switch err := Create(path, bytes.Repeat([]byte{byte(i)}, 3000), 0o600); {
				case err == nil:
					wins.Add(1)
					winner.Store(int64(i))
				case !errors.Is(err, fs.ErrExist):
					t.Error(err)
				}
			})
		}
		ready.Wait()
		close(start)
		done.Wait()
		if wins.Load() != 1 {
			t.Fatalf("%d winners", wins.Load())
		}
		wantFile(t, path, strings.Repeat(string([]byte{byte(winner.Load())}), 3000))
		wantOnly(t, filepath.Dir(path), "f")
	}
}

func TestReadersFindTheOldFileOrTheNewOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	texts := [][]byte{bytes.Repeat([]byte("a"), 1<<20), bytes.Repeat([]byte("b"), 1<<19)}
	if err := Replace(path, texts[0], 0o600); err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					if n > 0 {
						return
					}
				default:
				}
				b, err := Read(path, 1<<21)
				if err != nil || !bytes.Equal(b, texts[0]) && !bytes.Equal(b, texts[1]) {
					t.Errorf("a reader found %d bytes: %v", len(b), err)
					return
				}
			}
		})
	}
	for i := range 30 {
		if err := Replace(path, texts[i%2], 0o600); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	readers.Wait()
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	for _, err := range []error{
		os.WriteFile(in("f"), []byte("12345678"), 0o600), os.Symlink("f", in("link")), os.Symlink("none", in("dangling")),
		os.Mkdir(in("folder"), 0o700), mkfifo(in("pipe")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name string
		most int64
		want error
	}{
		{"f", 8, nil}, {"f", 9, nil}, {"f", 7, ErrTooLarge}, {"none", 8, fs.ErrNotExist}, {"link", 8, ErrNotRegular},
		{"dangling", 8, ErrNotRegular}, {"folder", 8, ErrNotRegular}, {"pipe", 8, ErrNotRegular},
	} {
		b, err := Read(in(c.name), c.most)
		if !errors.Is(err, c.want) || err == nil && string(b) != "12345678" {
			t.Errorf("%s, at most %d: %q %v", c.name, c.most, b, err)
		}
		if err != nil && strings.Count(err.Error(), in(c.name)) != 1 {
			t.Error("the message must name the file once:", err)
		}
	}
	wantFile(t, in("f"), "12345678")
	if b, err := Read("/dev/zero", 8); !errors.Is(err, ErrNotRegular) {
		t.Error(b, err)
	}
}

// TestReplaceFrom: the temporary file never stands beside the one that is replaced, unless it has to.
func TestReplaceFrom(t *testing.T) {
	there, aside := t.TempDir(), t.TempDir()
	path := filepath.Join(there, "f")
	for i, c := range []struct {
		dir     string
		refused error // to make one in dir
		want    []string
	}{
		{dir: aside, want: []string{aside}},
		{dir: filepath.Join(aside, "missing"), want: []string{filepath.Join(aside, "missing"), there}},
		{dir: aside, refused: fs.ErrPermission, want: []string{aside, there}},
		{dir: aside, refused: syscall.ENOSPC, want: []string{aside}}, // as full as the other: no reason to stand there
	} {
		var made []string
		s := real()
		s.open = func(p string, perm fs.FileMode) (*os.File, error) {
			made = append(made, filepath.Dir(p))
			if c.refused != nil && filepath.Dir(p) == c.dir {
				return nil, &fs.PathError{Op: "open", Path: p, Err: c.refused}
			}
			return real().open(p, perm)
		}
		want := fmt.Sprint("text ", i)
		err := s.replaceFrom(c.dir, path, []byte(want), 0o600)
		if !slices.Equal(made, c.want) {
			t.Errorf("%d: made in %v", i, made)
		}
		if refused := c.refused != nil && len(c.want) == 1; refused {
			if !errors.Is(err, c.refused) {
				t.Errorf("%d: %v", i, err)
			}
		} else if b, e := os.ReadFile(path); err != nil || e != nil || string(b) != want {
			t.Errorf("%d: %v: %q, %v", i, err, b, e)
		}
		if left := folder(t, aside); len(left) > 0 {
			t.Errorf("%d: %v is left", i, left)
		}
		if left := folder(t, there); len(left) != 1 {
			t.Errorf("%d: %v is left", i, left)
		}
	}
}

// TestIsTemp: what Replace makes, and nothing that another program could have made.
func TestIsTemp(t *testing.T) {
	for name, want := range map[string]bool{
		".tmp-0123456789abcdef": true, ".tmp-0123456789ABCDEF": false, ".tmp-0123456789abcde": false, ".tmp-0123456789abcdef0": false,
		".tmp-": false, "tmp-0123456789abcdef": false, ".tmp-0123456789abcdeg": false,
	} {
		if IsTemp(name) != want {
			t.Error(name)
		}
	}
}
