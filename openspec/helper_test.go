package openspec

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
)

// tree writes a txtar archive into a folder of the test and gives its real path. An entry whose name ends with a slash
// is an empty folder; one whose text is "-> TARGET" is a link.
func tree(t testing.TB, archive string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	plant(t, dir, txtar.Parse([]byte(archive)))
	return dir
}

func plant(t testing.TB, dir string, a *txtar.Archive) {
	t.Helper()
	began := time.Now().Add(-time.Hour)
	for i, f := range a.Files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if strings.HasSuffix(f.Name, "/") {
			must(t, os.MkdirAll(path, 0o755))
			continue
		}
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		if target, ok := strings.CutPrefix(string(f.Data), "-> "); ok {
			must(t, os.Symlink(strings.TrimSpace(target), path))
			continue
		}
		must(t, os.WriteFile(path, f.Data, 0o644))
		written := began.Add(time.Duration(i) * time.Second) // what stands later in the archive is newer: clocks of files tick slowly
		must(t, os.Chtimes(path, written, written))
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// look finds what is at dir, the top of its work tree, and fails on errors.
func look(t testing.TB, dir string, h Hints) Work {
	t.Helper()
	w, err := Find(context.Background(), Place{Dir: dir, Top: dir}, h)
	if err != nil {
		t.Fatal(err)
	}
	checkWork(t, w)
	return w
}

// checkWork holds what is true of every answer.
func checkWork(t testing.TB, w Work) {
	t.Helper()
	if len(w.Done()) != w.Completed || len(w.Pending()) != w.Total-w.Completed {
		t.Errorf("%d of %d, but %d done and %d pending", w.Completed, w.Total, len(w.Done()), len(w.Pending()))
	}
	if w.Next != nil && (w.Next.Done || w.Next.Description == "" || !slices.Contains(w.Tasks, *w.Next)) {
		t.Errorf("next is %+v", *w.Next)
	}
	if (w.Next == nil) != (w.Resume == Resume{}) {
		t.Errorf("next %v, but resume %+v", w.Next, w.Resume)
	}
	if word := w.Status.Word(); word != "" && statusOf(w.Completed, w.Total) != w.Status {
		t.Errorf("%d of %d is %s", w.Completed, w.Total, w.Status)
	}
	for _, f := range w.Files {
		if filepath.IsAbs(f) || strings.Contains(f, `\`) {
			t.Errorf("file %q is not a relative slash path", f)
		}
	}
	for i, c := range w.Candidates {
		if c.ID == w.Change && i != 0 {
			t.Errorf("the chosen change is candidate %d", i)
		}
	}
}

func nextText(w Work) string {
	if w.Next == nil {
		return ""
	}
	return w.Next.Description
}

func codes(w Work) (all []WarningCode) {
	for _, warning := range w.Warnings {
		all = append(all, warning.Code)
	}
	return all
}

func ids(list []Candidate) (all []string) {
	for _, c := range list {
		all = append(all, c.ID)
	}
	return all
}

// plantText writes one more file into a tree.
func plantText(t testing.TB, dir, name, text string) {
	t.Helper()
	plant(t, dir, &txtar.Archive{Files: []txtar.File{{Name: name, Data: []byte(text)}}})
}
