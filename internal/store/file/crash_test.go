package file_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"session/internal/atomicfile/atomicfiletest"
	"session/internal/snapshot"
	"session/internal/snapshot/snapshottest"
	"session/internal/store/file"
)

// template is a store with a path of two snapshots, copied for each run that is killed.
func template(t *testing.T) (dir string, head snapshot.ID) {
	s := create(t)
	return s.Dir(), world(t, s).Chain(main, 2)[1]
}

func clone(t *testing.T, dir string) string {
	t.Helper()
	to := filepath.Join(atomicfiletest.Dir(t), "session")
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

func environment(do, dir string, arg snapshot.ID) []string {
	return []string{"STORE_DO=" + do, "STORE_DIR=" + dir, "STORE_ARG=" + string(arg), "GOMAXPROCS=1"}
}

func opened(t *testing.T, dir string) *snapshottest.World {
	t.Helper()
	s, err := file.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return world(t, s)
}

// Killed before any of its system calls, a commit has happened or it has not: the old or the new head stands and is
// whole, nothing is damaged, repair leaves nothing to say, and the same run's second attempt is the same snapshot.
func TestKilledBetweenAnyTwoCalls(t *testing.T) {
	from, base := template(t)
	for _, do := range []string{"continue", "continue+blob", "auto", "fork+blob"} {
		t.Run(do, func(t *testing.T) {
			var dir string
			n := atomicfiletest.KillEverywhere(t, 60, func() []string {
				dir = clone(t, from)
				return environment(do, dir, base)
			}, func(point string) { afterKill(t, do, point, dir, base) })
			t.Logf("killed at %d points", n)
			if n < 6 {
				t.Error("too few: the killing does not work")
			}
		})
	}
}

func afterKill(t *testing.T, do, point, dir string, base snapshot.ID) {
	t.Helper()
	w := opened(t, dir)
	r := w.WantSound(false)
	at, err := w.Head(t.Context(), main)
	if err != nil || at.Head.ID != base && at.Head.Parent != base {
		t.Fatalf("%s: %+v %v", point, at, err)
	}
	if _, err := w.Load(t.Context(), at.Head.ID); err != nil {
		t.Errorf("%s: %v", point, err)
	}
	w.Repairing(time.Now().Add(2 * time.Hour)) // leftovers are old by then
	for _, p := range w.WantSound(false).Problems {
		if p.Kind != snapshot.Orphan { // a blob without its manifest waits for a collection, or for the same run
			t.Errorf("%s: after repair: %+v (before: %+v)", point, p, r.Problems)
		}
	}
	s, err := openChain(dir)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := change(s, do, base); err != nil {
			t.Errorf("%s: the second attempt: %v", point, err)
		}
	}
	g, err := w.Graph(t.Context())
	if err != nil || len(g.Nodes) != 3 {
		t.Errorf("%s: %d snapshots after the second attempt: %v", point, len(g.Nodes), err)
	}
	w.WantSound(true)
}

func TestKilledWhileCreated(t *testing.T) {
	var dir string
	n := atomicfiletest.KillEverywhere(t, 80, func() []string {
		dir = filepath.Join(atomicfiletest.Dir(t), "a", "session")
		return environment("create", dir, "")
	}, func(point string) {
		if err := other("create", dir, ""); err != nil {
			t.Fatalf("%s: %v", point, err)
		}
		w := opened(t, dir)
		w.WantSound(false)
		w.Chain(main, 2)
		if b, err := os.ReadFile(filepath.Join(dir, ".gitignore")); err != nil || string(b) != "*\n" {
			t.Errorf("%s: .gitignore %q %v", point, b, err)
		}
	})
	t.Logf("killed at %d points", n)
}

// The order that a power cut needs: no name before its bytes are on the disk, no success before the name is. And what a
// save costs: one file and the pointer.
func TestOrderAndNumberOfSyncs(t *testing.T) {
	from, base := template(t)
	var got []string
	for _, line := range atomicfiletest.Trace(t, environment("continue", from, base)) {
		_, call, _ := strings.Cut(line, " ")
		call = strings.TrimSpace(call)
		name, _, _ := strings.Cut(call, "(")
		where := ""
		for _, sub := range []string{"snapshots", "blobs", "paths", "leases", "tombstones", "autosaves"} {
			if strings.Contains(call, from+"/"+sub) {
				where = sub
			}
		}
		if where == "" {
			continue
		}
		if name == "fsync" && !strings.Contains(call, ".tmp-") {
			name = "fsync-folder"
		}
		got = append(got, name+" "+where)
	}
	want := []string{
		"write snapshots", "fsync snapshots", "linkat snapshots", "unlinkat snapshots", "fsync-folder snapshots",
		"write paths", "renameat paths",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// What the system refuses is said by name, and leaves a store in which the next attempt succeeds.
func TestErrorsOfTheSystem(t *testing.T) {
	from, base := template(t)
	for inject, say := range map[string]string{
		"write:error=ENOSPC:when=1": snapshot.ErrFull.Error(),
		"write:error=EDQUOT:when=1": snapshot.ErrFull.Error(),
		"fsync:error=ENOSPC:when=1": snapshot.ErrFull.Error(),
		"fsync:error=EIO:when=1":    "input/output error",
		"fsync:error=EIO:when=2":    "input/output error",
		"linkat:error=EROFS":        snapshot.ErrReadOnly.Error(),
		"linkat:error=EIO":          "input/output error",
		"write:error=ENOSPC:when=2": snapshot.ErrFull.Error(),
		"renameat:error=EACCES":     snapshot.ErrDenied.Error(),
		"unlinkat:error=EIO:when=1": "input/output error",
		"unlinkat:error=EPERM":      snapshot.ErrDenied.Error(),
	} {
		dir := clone(t, from)
		out, err := atomicfiletest.Failing(t, inject, environment("continue+blob", dir, base))
		if err == nil || !strings.Contains(out, say) || !strings.Contains(out, dir) {
			t.Errorf("%s: %v %q", inject, err, out)
		}
		afterKill(t, "continue+blob", inject, dir, base)
	}
}

// What a writer that lives may still be writing is left alone.
func TestRepairLeavesYoungLeftovers(t *testing.T) {
	s := create(t)
	w := world(t, s)
	base := w.First(main).ID
	temp := filepath.Join(s.Dir(), "snapshots", string(base[:1]), ".tmp-0123456789abcdef")
	if err := os.WriteFile(temp, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := w.WantSound(false); len(r.Problems) != 1 || r.Problems[0].Kind != snapshot.Leftover {
		t.Errorf("%+v", r.Problems)
	}
	if done := w.Repairing(time.Now()); len(done) != 1 || done[0].Done || done[0].Why == "" {
		t.Errorf("%+v", done)
	}
	if done := w.Repairing(time.Now().Add(2 * time.Hour)); len(done) != 1 || !done[0].Done {
		t.Errorf("%+v", done)
	}
	w.WantSound(true)
}
