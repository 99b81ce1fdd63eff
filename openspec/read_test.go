package openspec

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadText(t *testing.T) {
	dir := tree(t, "-- five --\n1234\n-- empty --\n-- link --\n-> five\n-- folder/ --\n-- dangling --\n-> nowhere\n")
	for _, c := range []struct {
		name  string
		limit int64
		want  string
		err   error
	}{
		{"five", 100, "1234\n", nil},
		{"five", 5, "1234\n", nil},
		{"empty", 0, "", nil},
		{"link", 100, "1234\n", nil},
		{"folder", 100, "", errNotRegular},
		{"missing", 100, "", fs.ErrNotExist},
		{"dangling", 100, "", fs.ErrNotExist},
	} {
		got, err := readText(filepath.Join(dir, c.name), c.limit)
		if got != c.want || !errors.Is(err, c.err) {
			t.Errorf("%s: %q, %v", c.name, got, err)
		}
	}
	var size *sizeError
	if _, err := readText(filepath.Join(dir, "five"), 4); !errors.As(err, &size) || size.size != 5 || size.limit != 4 {
		t.Errorf("five bytes, at most four: %v", err)
	}
}

// TestReadGrowing: a file that says it is empty and is not, as those of /proc, is read to its limit.
func TestReadGrowing(t *testing.T) {
	const path = "/proc/self/status"
	if !isFile(path) {
		t.Skip("no", path)
	}
	text, err := readText(path, 1<<20)
	if err != nil || text == "" {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	var size *sizeError
	if _, err := readText(path, 10); !errors.As(err, &size) || size.size != 11 {
		t.Errorf("more than ten bytes: %v", err)
	}
}

func TestConfined(t *testing.T) {
	dir := tree(t, `
-- outside/file --
-- in/file --
-- in/sub/file --
-- in/near --
-> sub/file
-- in/absolute --
-> ABSOLUTE
-- in/up --
-> ../outside
-- in/roundabout --
-> ../in/sub/file
-- in/dangling --
-> nowhere
-- in/loop --
-> loop
`)
	in := filepath.Join(dir, "in")
	must(t, os.Remove(filepath.Join(in, "absolute")))
	must(t, os.Symlink(filepath.Join(in, "sub/file"), filepath.Join(in, "absolute")))
	for name, want := range map[string]string{
		"file": "file", "sub/file": "sub/file", "near": "sub/file", "absolute": "sub/file", "roundabout": "sub/file",
		"sub": "sub",
	} {
		path, info, err := confined(in, filepath.FromSlash(name))
		if err != nil || path != filepath.Join(in, filepath.FromSlash(want)) || info.Mode()&fs.ModeSymlink != 0 {
			t.Errorf("%s: %q, %v", name, path, err)
		}
	}
	for name, want := range map[string]error{
		"up": errOutside, "up/file": errOutside, "../outside/file": errOutside, "dangling": errOutside,
		"loop":    errOutside,
		"missing": fs.ErrNotExist, "sub/missing": fs.ErrNotExist, "missing/file": fs.ErrNotExist,
	} {
		if path, _, err := confined(in, filepath.FromSlash(name)); !errors.Is(err, want) {
			t.Errorf("%s: %q, %v; want %v", name, path, err, want)
		}
	}
}

func TestBelow(t *testing.T) {
	for _, c := range []struct {
		dir, path string
		want      bool
	}{
		{"/a", "/a", true}, {"/a", "/a/b", true}, {"/a", "/a/..b", true}, {"/a", "/ab", false}, {"/a", "/", false},
		{"/a", "/b", false},
		{"/", "/a", true}, {"/a/b", "/a", false}, {"/a", "relative", false},
	} {
		if got := below(filepath.FromSlash(c.dir), filepath.FromSlash(c.path)); got != c.want {
			t.Errorf("below(%q, %q) = %v", c.dir, c.path, got)
		}
	}
}

func TestFileWarnings(t *testing.T) {
	path := func(err error) error { return &fs.PathError{Op: "open", Path: "/home/somebody/x", Err: err} }
	for _, c := range []struct {
		err  error
		code WarningCode
		text string
	}{
		{path(&sizeError{"bytes", 9, 8}), WarnTooLarge, `too_large "a/b" (9, limit 8)`},
		{&sizeError{"tasks", 9, 8}, WarnTooManyTasks, `too_many_tasks "a/b" (9, limit 8)`},
		{path(errNotRegular), WarnNotRegular, `not_regular "a/b"`},
		{path(fs.ErrPermission), WarnUnreadable, `unreadable "a/b": permission denied`},
	} {
		w := fileWarning("a/b", c.err)
		if w.Code != c.code || w.String() != c.text {
			t.Errorf("%v became %q, want %q", c.err, w, c.text)
		}
	}
	w := Warning{Code: WarnNestedMany, Path: "p", Name: "n\x1b", Names: []string{"a", "b"}, Size: 1, Limit: 2,
		Err: errOutside}
	if got, want := w.String(), `nested_roots "p" "n\x1b" ["a" "b"] (1, limit 2): links out of its change`; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got := (&sizeError{"bytes", 9, 8}).Error(); got != "9 bytes, at most 8 are read" {
		t.Error(got)
	}
}

// TestWarnedOnce: a file that is looked at twice is named once.
func TestWarnedOnce(t *testing.T) {
	f := &finder{warned: map[warningKey]bool{}}
	for _, w := range []Warning{
		{Code: WarnUnreadable, Path: "a"}, {Code: WarnUnreadable, Path: "a", Err: errOutside}, {Code: WarnUnreadable,
			Path: "b"},
		{Code: WarnNotRegular, Path: "a"}, {Code: WarnUnreadable, Path: "a", Name: "n"},
	} {
		f.warn(w)
	}
	if len(f.warnings) != 4 {
		t.Errorf("%v", f.warnings)
	}
}

func TestBefore(t *testing.T) {
	task := func(file, text string, done bool) Task { return Task{File: file, Description: text, Done: done} }
	was := beforeIn(map[string][]Task{
		"a": {task("a", "x", true), task("a", "x", false), task("a", "y", true)}, "b": {task("b", "x", false)}, "c": nil,
	})
	for i, c := range []struct {
		task Task
		want bool
	}{
		{task("a", "x", true), true}, {task("b", "x", true), false}, {task("a", "x", true), false}, {task("a", "x",
			true), false},
		{task("a", "y", false), true}, {task("a", "z", true), false}, {task("c", "x", true), false}, {task("d", "x",
			true), false},
	} {
		if got := was(c.task); got != c.want {
			t.Errorf("%d: %+v was done: %v", i, c.task, got)
		}
	}
	list := beforeList([]string{"x", "x", "y"})
	for i, c := range []struct {
		task Task
		want bool
	}{
		{task("a", "x", true), true}, {task("a", "x", false), false}, {task("b", "x", true), true}, {task("a", "x",
			true), false},
		{task("a", "y", true), true}, {task("a", "z", true), false},
	} {
		if got := list(c.task); got != c.want {
			t.Errorf("%d: %+v was on the list: %v", i, c.task, got)
		}
	}
}

// TestChangeFolders: every directory but the archive, sorted; links and files are none.
func TestChangeFolders(t *testing.T) {
	dir := tree(t,
		"-- b/ --\n-- a/ --\n-- .c/ --\n-- archive/x --\n-- Archive/x --\n-- file --\n-- link --\n-> a\n-- 한글/ --\n")
	names, whole, err := changeFolders(dir)
	if got := strings.Join(names, " "); err != nil || !whole || got != ".c Archive a b 한글" {
		t.Errorf("%q, %v, %v", got, whole, err)
	}
	if names, _, err := changeFolders(filepath.Join(dir, "nowhere")); err != nil || names != nil {
		t.Errorf("%q, %v", names, err)
	}
	if _, _, err := changeFolders(filepath.Join(dir, "file")); err == nil {
		t.Error("a file was listed")
	}
}
