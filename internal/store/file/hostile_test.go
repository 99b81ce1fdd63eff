package file_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"session/internal/snapshot"
	"session/internal/snapshot/snapshottest"
	"session/internal/store/file"
)

func TestOpenAndCreate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b", "session")
	if _, err := file.Open(dir); !errors.Is(err, file.ErrNoStore) || !strings.Contains(err.Error(), dir) {
		t.Error(err)
	}
	o := file.Options{Random: rand.Reader, Ignored: true}
	s, err := file.Create(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, again := range []func() (*file.Store, error){
		func() (*file.Store, error) { return file.Create(dir, o) }, func() (*file.Store, error) { return file.Open(dir) },
	} {
		if other, err := again(); err != nil || other.ID() != s.ID() || other.Dir() != dir {
			t.Error(other, err)
		}
	}
	if b, err := os.ReadFile(filepath.Join(dir, ".gitignore")); err != nil || string(b) != "*\n" {
		t.Errorf("%q %v", b, err)
	}
	w := world(t, s)
	w.Auto(w.Make(snapshottest.Large(w.Ask(snapshot.Continue, w.First(main).ID))).ID)
	modes(t, dir)
	if _, err := file.Create(filepath.Join(t.TempDir(), "x"), file.Options{Random: strings.NewReader("short")}); err == nil {
		t.Error("a store without an id")
	}
}

// modes: what people said is theirs alone.
func modes(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		st, err := d.Info()
		if err == nil && st.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, st.Mode())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// What stands in store.json is a store of ours, or nothing is touched.
func TestStoreFileIsReadStrictly(t *testing.T) {
	const id = `"70rtrcv75smtb62n4n56a0fs94"`
	for text, found := range map[string]int{
		`{"format":2,"store_id":` + id + `}`:    2,
		`{"format":999999999,"later":{}}`:       999999999,
		`{"format":0,"store_id":` + id + `}`:    0,
		`{"format":-1,"store_id":` + id + `}`:   0,
		`{"store_id":` + id + `}`:               0,
		`{"format":1}`:                          0,
		`{"format":1,"store_id":"x"}`:           0,
		`{"format":1,"store_id":""}`:            0,
		`{"format":"1","store_id":` + id + `}`:  0,
		`{"format":1,"store_id":` + id + `} {}`: 0,
		``:                                      0,
		`null`:                                  0,
		strings.Repeat(" ", 70<<10) + `{}`:      0,
		strings.Repeat("[", 20<<10):             0,
		"\x00\xff":                              0,
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "store.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, open := range []func() (*file.Store, error){
			func() (*file.Store, error) { return file.Open(dir) },
			func() (*file.Store, error) { return file.Create(dir, file.Options{Random: rand.Reader}) },
		} {
			_, err := open()
			var f *file.ErrFormat
			if !errors.As(err, &f) || f.Found != found || f.Path != path || !strings.Contains(err.Error(), "nothing was changed") {
				t.Errorf("%.40q: %v", text, err)
			}
		}
		if all, err := os.ReadDir(dir); err != nil || len(all) != 1 {
			t.Errorf("%.40q: %v", text, all)
		}
	}
	for name, put := range map[string]func(path string) error{
		"link": func(path string) error { return os.Symlink("/dev/zero", path) }, "folder": func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		dir := t.TempDir()
		if err := put(filepath.Join(dir, "store.json")); err != nil {
			t.Fatal(err)
		}
		var f *file.ErrFormat
		if _, err := file.Create(dir, file.Options{Random: rand.Reader}); !errors.As(err, &f) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A store that lost its store.json is not silently another one: nobody would find its snapshots again.
func TestALostStoreFile(t *testing.T) {
	s := create(t)
	base := world(t, s).First(main).ID
	path := filepath.Join(s.Dir(), "store.json")
	text, err := os.ReadFile(path)
	if err == nil {
		err = os.Remove(path)
	}
	if err != nil {
		t.Fatal(err)
	}
	var f *file.ErrFormat
	if _, err := file.Create(s.Dir(), file.Options{Random: rand.Reader}); !errors.As(err, &f) || !strings.Contains(err.Error(), "restore it") {
		t.Error(err)
	}
	if _, err := os.Lstat(path); err == nil {
		t.Error("made anew")
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	again, err := file.Open(s.Dir())
	if err != nil {
		t.Fatal(err)
	}
	world(t, again).WantHead(main, base)
}

// A store that comes with somebody's repository can hold links. Nothing is written or read through them.
func TestLinksAreNotFollowed(t *testing.T) {
	victim := t.TempDir()
	if err := os.WriteFile(filepath.Join(victim, "secret"), []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	names := []string{"73", "b0"} // folders of the store that the victim has too
	for _, c := range "0123456789abcdefghjkmnpqrstvwxyz" {
		names = append(names, string(c))
	}
	for _, name := range names {
		if err := os.Mkdir(filepath.Join(victim, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, sub := range []string{"snapshots", "snapshots/*", "paths", "leases", "tombstones", "blobs"} {
		s := create(t)
		w := world(t, s)
		base := w.First(main).ID
		dirs := []string{filepath.Join(s.Dir(), sub)}
		if strings.HasSuffix(sub, "*") {
			dirs, _ = filepath.Glob(filepath.Join(s.Dir(), sub))
		}
		for _, d := range dirs {
			if err := errors.Join(os.RemoveAll(d), os.Symlink(victim, d)); err != nil {
				t.Fatal(err)
			}
		}
		_, err1 := w.Commit(t.Context(), snapshottest.Large(w.Ask(snapshot.Continue, base)))
		r := w.Ask(snapshot.First, "")
		r.Path = "refs/heads/other"
		c, err2 := w.Commit(t.Context(), snapshottest.Large(r))
		_, err3 := s.Acquire(t.Context(), base, snapshot.Holder{}, 0)
		_, err4 := w.Delete(t.Context(), base, snapshottest.Noon(), "x")
		if err1 == nil && err2 == nil && err3 == nil && err4 == nil && c.Behind == nil {
			t.Errorf("%s: nobody complained", sub)
		}
		err := filepath.WalkDir(victim, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && d.Name() != "secret" {
				t.Errorf("%s: written through a link: %s", sub, path)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// What stands in the place of an object and is none is damage, and does not hang or fill the memory.
func TestWhatIsNoObject(t *testing.T) {
	for name, put := range map[string]func(path string) error{
		"link":   func(path string) error { return os.Symlink("/dev/zero", path) },
		"folder": func(path string) error { return os.Mkdir(path, 0o700) },
		"huge": func(path string) error {
			return errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, 1<<40))
		},
		"pipe": mkfifo,
	} {
		s := create(t)
		w := world(t, s)
		ids := w.Chain(main, 2)
		for _, key := range []string{"snapshots/" + string(ids[0][:1]) + "/" + string(ids[0]) + ".json", pointerOf(t, s)} {
			path := filepath.Join(s.Dir(), key)
			if err := errors.Join(os.Remove(path), put(path)); err != nil {
				t.Fatal(name, err)
			}
		}
		_, err := w.Load(t.Context(), ids[0])
		if name != "folder" {
			w.WantCorrupt(err, ids[0])
		} else if err == nil {
			t.Error("a folder was read")
		}
		if at := w.WantHead(main, ids[1]); at.Pointer != snapshot.PointerWrong {
			t.Errorf("%s: the pointer is %s", name, at.Pointer)
		}
		if r, err := w.Check(t.Context()); err != nil || !r.Damage() {
			t.Errorf("%s: %+v %v", name, r, err)
		}
	}
}

func pointerOf(t *testing.T, s *file.Store) string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(s.Dir(), "paths", "*"))
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	rel, err := filepath.Rel(s.Dir(), all[0])
	if err != nil {
		t.Fatal(err)
	}
	return rel
}

// A store that is taken away while it is open is not made again, empty, by the next call.
func TestAVanishedStore(t *testing.T) {
	s := create(t)
	w := world(t, s)
	base := w.First(main).ID
	ask := w.Ask(snapshot.Continue, base)
	if err := os.RemoveAll(s.Dir()); err != nil {
		t.Fatal(err)
	}
	for name, call := range map[string]func() error{
		"commit":  func() error { _, err := w.Commit(t.Context(), ask); return err },
		"load":    func() error { _, err := w.Load(t.Context(), base); return err },
		"head":    func() error { _, err := w.Head(t.Context(), main); return err },
		"list":    func() error { _, err := w.Graph(t.Context()); return err },
		"put":     func() error { return s.PutNew(t.Context(), "blobs/aa/x", []byte("x")) },
		"delete":  func() error { return s.Delete(t.Context(), "blobs/aa/x") },
		"point":   func() error { return s.Point(t.Context(), snapshot.Pointer{Path: main, Head: base}) },
		"each":    func() error { return s.Each(t.Context(), func(string, snapshot.Pointer, error) error { return nil }) },
		"acquire": func() error { _, err := s.Acquire(t.Context(), base, snapshot.Holder{}, 0); return err },
		"live":    func() error { _, err := s.Live(t.Context()); return err },
		"litter":  func() error { return s.Litter(t.Context(), func(snapshot.Info) error { return nil }) },
	} {
		if err := call(); !errors.Is(err, snapshot.ErrVanished) || errors.Is(err, snapshot.ErrNotFound) || !strings.Contains(err.Error(), s.Dir()) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := os.Lstat(s.Dir()); err == nil {
		t.Error("the store is there again")
	}
}

// Folders that somebody tidied away because they were empty are made again.
func TestMissingFolders(t *testing.T) {
	s := create(t)
	for _, sub := range []string{"snapshots", "paths", "leases", "blobs", "tombstones", "autosaves"} {
		if err := os.RemoveAll(filepath.Join(s.Dir(), sub)); err != nil {
			t.Fatal(err)
		}
	}
	w := world(t, s)
	w.WantHead(main, "")
	ids := w.Chain(main, 2)
	w.Auto(w.Make(snapshottest.Large(w.Ask(snapshot.Continue, ids[1]))).ID)
	l, err := s.Acquire(t.Context(), ids[0], snapshot.Holder{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Release(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := w.Delete(t.Context(), ids[0], snapshottest.Noon(), "x"); err != nil {
		t.Error(err)
	}
	w.WantSound(true)
	modes(t, s.Dir())
}

func TestAReadOnlyStore(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere; TestErrorsOfTheSystem shows the error")
	}
	s := create(t)
	w := world(t, s)
	base := w.First(main).ID
	for _, d := range []string{"snapshots/" + string(base[:1]), "snapshots", "paths", "leases", "."} {
		if err := os.Chmod(filepath.Join(s.Dir(), d), 0o500); err != nil {
			t.Fatal(err)
		}
		defer os.Chmod(filepath.Join(s.Dir(), d), 0o700)
	}
	w.WantHead(main, base)
	if _, err := s.Acquire(t.Context(), base, snapshot.Holder{}, 0); !errors.Is(err, snapshot.ErrDenied) {
		t.Error(err)
	}
	if err := s.PutNew(t.Context(), "snapshots/"+string(base[:1])+"/x.json", nil); !errors.Is(err, snapshot.ErrDenied) {
		t.Error(err)
	}
}

func TestKeysStayInTheStore(t *testing.T) {
	s := create(t)
	for _, key := range []string{
		"", "x", "/etc/passwd", "../x/y", "blobs/../../x", "blobs//x", "blobs/./x", "blobs/x/", "store.json", "paths/x.json", "leases/x.lock",
		"blobs/.tmp-x", "blobs/A", "blobs/a b", "blobs/a\x00", "blobs\\x", "C:/x",
	} {
		if err := s.PutNew(t.Context(), key, []byte("x")); !errors.Is(err, snapshot.ErrInvalid) {
			t.Errorf("put %q: %v", key, err)
		}
		if _, err := s.Get(t.Context(), key); !errors.Is(err, snapshot.ErrInvalid) {
			t.Errorf("get %q: %v", key, err)
		}
		if err := s.Delete(t.Context(), key); !errors.Is(err, snapshot.ErrInvalid) {
			t.Errorf("delete %q: %v", key, err)
		}
		if err := s.Clear(t.Context(), key); !errors.Is(err, snapshot.ErrInvalid) {
			t.Errorf("clear %q: %v", key, err)
		}
	}
	if err := s.List(t.Context(), "../", func(snapshot.Info) error { return nil }); !errors.Is(err, snapshot.ErrInvalid) {
		t.Error(err)
	}
	if _, err := s.Acquire(t.Context(), "../../x", snapshot.Holder{}, 0); !errors.Is(err, snapshot.ErrInvalid) {
		t.Error(err)
	}
}

// Notes of lease holders are for messages: whatever stands there, the answer is busy.
func TestLeaseNotesAreNotTrusted(t *testing.T) {
	s := create(t)
	key := snapshot.FirstID(s.ID(), main)
	long := snapshot.Holder{PID: 1, Command: strings.Repeat("한", 4000), Host: strings.Repeat("h", 4000), RunID: "r"}
	l, err := s.Acquire(t.Context(), key, long, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, note := range []string{"", "{", `{"pid":"x"}`, strings.Repeat("x", 1<<20), "\x00"} {
		if err := os.WriteFile(filepath.Join(s.Dir(), "leases", string(key)+".lock"), []byte(note), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := s.Acquire(t.Context(), key, snapshot.Holder{}, 0)
		var busy *snapshot.ErrBusy
		if !errors.As(err, &busy) || busy.Who.PID != 0 {
			t.Errorf("%.20q: %v", note, err)
		}
	}
	if live, err := s.Live(t.Context()); err != nil || len(live) != 1 || live[0].Key != key {
		t.Error(live, err)
	}
	if err := l.Release(t.Context()); err != nil {
		t.Error(err)
	}
}

// FuzzPointer: a pointer is a hint, whatever bytes it has.
func FuzzPointer(f *testing.F) {
	f.Add([]byte(`{"path":"refs/heads/main","head":"70rtrcv75smtb62n4n56a0fs94","digest":""}`))
	f.Add([]byte(`{"path":"refs/heads/main"}`))
	f.Add([]byte(`{"head":1}`))
	f.Add([]byte("\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := createIn(t, memory(t))
		w := world(t, s)
		ids := w.Chain(main, 2)
		if err := os.WriteFile(filepath.Join(s.Dir(), pointerOf(t, s)), data, 0o600); err != nil {
			t.Fatal(err)
		}
		w.WantHead(main, ids[1])
		w.Next(ids[1])
		w.WantSound(true)
	})
}

// FuzzStoreFile: store.json is a store or an error with a name, and is never changed.
func FuzzStoreFile(f *testing.F) {
	f.Add([]byte(`{"format":1,"store_id":"70rtrcv75smtb62n4n56a0fs94"}`))
	f.Add([]byte(`{"format":2}`))
	f.Add([]byte(`{}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := memory(t)
		path := filepath.Join(dir, "store.json")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := file.Create(dir, file.Options{Random: rand.Reader})
		var format *file.ErrFormat
		if err != nil && !errors.As(err, &format) {
			t.Error(err)
		}
		if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, data) {
			t.Errorf("%q became %q", data, after)
		}
	})
}
