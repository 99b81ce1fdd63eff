package snapshottest

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"session/internal/snapshot"
)

// Pointers attacks a pointer store. open gives an empty one each time.
func Pointers(t *testing.T, open func(t *testing.T) snapshot.Pointers) {
	for _, c := range []struct {
		name string
		run  func(*testing.T, snapshot.Pointers)
	}{{"Replaced", replaced}, {"PathsAreKeptApart", keptApart}, {"Listed", listed}, {"NobodySeesHalf", wholePointers}} {
		t.Run(c.name, func(t *testing.T) { c.run(t, open(t)) })
	}
}

func pointer(path snapshot.Path, n int) snapshot.Pointer {
	return snapshot.Pointer{Path: path, Head: key(n), Digest: strings.Repeat(fmt.Sprint(n%10), 64)}
}

func wantPointer(t *testing.T, p snapshot.Pointers, want snapshot.Pointer) {
	t.Helper()
	if got, err := p.Pointer(t.Context(), want.Path); err != nil || got != want {
		t.Errorf("%.30q: %+v %v, want %+v", want.Path, got, err, want)
	}
}

func point(t *testing.T, p snapshot.Pointers, to snapshot.Pointer) {
	t.Helper()
	if err := p.Point(t.Context(), to); err != nil {
		t.Fatal(err)
	}
}

func replaced(t *testing.T, p snapshot.Pointers) {
	const path = "refs/heads/main"
	if _, err := p.Pointer(t.Context(), path); !errors.Is(err, snapshot.ErrNotFound) {
		t.Error(err)
	}
	for n := range 3 {
		point(t, p, pointer(path, n))
		wantPointer(t, p, pointer(path, n))
	}
	for range 2 {
		if err := p.Unpoint(t.Context(), path); err != nil {
			t.Error(err)
		}
	}
	if _, err := p.Pointer(t.Context(), path); !errors.Is(err, snapshot.ErrNotFound) {
		t.Error("removed, and still there:", err)
	}
}

// awkward are paths that file names, object keys and SQL collations like to confuse.
func awkward() []snapshot.Path {
	return []snapshot.Path{
		"refs/heads/main", "refs/heads/Main", "refs/heads/main/x", "refs/heads/main ", "refs/heads", "../../etc/passwd", "a%2Fb", "a/b",
		"refs/heads/\uD55C", "refs/heads/\u1112\u1161\u11ab", "detached:/work/tree", "con", "nul.json", "x.lock", snapshot.Path(strings.Repeat("very/long/", 400)),
		snapshot.ForkPath(key(1)),
	}
}

func keptApart(t *testing.T, p snapshot.Pointers) {
	for n, path := range awkward() {
		point(t, p, pointer(path, n))
	}
	for n, path := range awkward() {
		wantPointer(t, p, pointer(path, n))
	}
}

func listed(t *testing.T, p snapshot.Pointers) {
	for n, path := range awkward() {
		point(t, p, pointer(path, n))
	}
	got := map[snapshot.Path]snapshot.Pointer{}
	err := p.Each(t.Context(), func(name string, x snapshot.Pointer, err error) error {
		if err != nil || name == "" || got[x.Path].Path != "" {
			t.Errorf("%q %+v %v", name, x, err)
		}
		got[x.Path] = x
		return nil
	})
	if err != nil || len(got) != len(awkward()) {
		t.Errorf("%d listed of %d: %v", len(got), len(awkward()), err)
	}
	for n, path := range awkward() {
		if got[path] != pointer(path, n) {
			t.Errorf("%.30q: %+v", path, got[path])
		}
	}
	stop := errors.New("enough")
	if err := p.Each(t.Context(), func(string, snapshot.Pointer, error) error { return stop }); !errors.Is(err, stop) {
		t.Error(err)
	}
}

func wholePointers(t *testing.T, p snapshot.Pointers) {
	const path = "refs/heads/main"
	point(t, p, pointer(path, 0))
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			for last := false; !last; {
				select {
				case <-done:
					last = true
				default:
				}
				got, err := p.Pointer(t.Context(), path)
				if err != nil || got != pointer(path, 0) && got != pointer(path, 1) {
					t.Errorf("a reader saw %+v %v", got, err)
					return
				}
			}
		})
	}
	for n := range 50 {
		point(t, p, pointer(path, n%2))
	}
	close(done)
	readers.Wait()
}
