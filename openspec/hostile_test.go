package openspec

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// What a repository may hold to make us hang, eat memory, leave the project or fall over.

// sparse makes a file of n bytes that takes no space.
func sparse(t *testing.T, path string, n int64) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	f, err := os.Create(path)
	must(t, err)
	must(t, f.Truncate(n))
	must(t, f.Close())
}

// TestFIFOs: nothing that is opened may block, whichever file it stands for.
func TestFIFOs(t *testing.T) {
	for _, name := range []string{
		"openspec/changes/x/tasks.md", "openspec/changes/x/.openspec.yaml", "openspec/changes/x/TODO.md",
		"openspec/config.yaml",
		"openspec/schemas/my/schema.yaml", "conf/openspec/config.json", "data/openspec/schemas/my/schema.yaml",
	} {
		dir := tree(t,
			"-- openspec/changes/y/tasks.md --\n- [ ] a\n-- openspec/schemas/other/schema.yaml --\n"+strings.ReplaceAll(schemaText, "tasks/*.md", "TODO.md"))
		if !strings.HasSuffix(name, "config.yaml") {
			must(t, os.WriteFile(filepath.Join(dir, "openspec/config.yaml"), []byte("schema: other\n"), 0o644))
		}
		fifo(t, filepath.Join(dir, name))
		w, err := Find(context.Background(), Place{Dir: dir, Top: dir, DataHome: dir + "/data", ConfigHome: dir +
			"/conf"}, Hints{Change: "y"})
		must(t, err)
		if w.Total != 1 {
			t.Errorf("%s: %+v", name, w)
		}
		if name == "openspec/changes/x/tasks.md" && !slices.Contains(codes(w), WarnNotRegular) {
			t.Errorf("%s: warnings %v", name, w.Warnings)
		}
	}
	for _, name := range []string{".specify/feature.json", "specs/1/tasks.md", ".kiro/specs/x/tasks.md",
		".taskmaster/tasks/tasks.json", ".taskmaster/state.json", ".beads/issues.jsonl"} {
		dir := tree(t,
			"-- .specify/ --\n-- .kiro/specs/y/tasks.md --\n-- .taskmaster/tasks/other --\n-- .beads/other --\n")
		fifo(t, filepath.Join(dir, name))
		look(t, dir, Hints{})
	}
}

// TestHugeFiles: a file of 100 MB is not read, and that is said.
func TestHugeFiles(t *testing.T) {
	dir := tree(t, "-- openspec/changes/y/tasks.md --\n- [ ] a\n")
	sparse(t, filepath.Join(dir, "openspec/changes/x/tasks.md"), 100<<20)
	sparse(t, filepath.Join(dir, "openspec/config.yaml"), 100<<20)
	before := allocated()
	w := look(t, dir, Hints{})
	if grown := allocated() - before; grown > 1<<20 {
		t.Errorf("%d bytes were allocated", grown)
	}
	i := slices.IndexFunc(w.Warnings, func(w Warning) bool { return w.Code == WarnTooLarge })
	if i < 0 || w.Warnings[i].Size != 100<<20 || w.Warnings[i].Limit != MaxFile ||
		w.Warnings[i].Path != "openspec/changes/x/tasks.md" {
		t.Errorf("warnings %v", w.Warnings)
	}
	if w.Change != "y" {
		t.Errorf("chosen %q %v", w.Change, w.Why)
	}
}

func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// TestManyTasks: more boxes than are kept count as none, so that counts and lists agree.
func TestManyTasks(t *testing.T) {
	dir := tree(t, "-- openspec/changes/x/tasks.md --\n"+strings.Repeat("-[]\n", MaxTasks+1))
	w := look(t, dir, Hints{})
	if w.Total != 0 || w.Status != NoTasks || !slices.Equal(codes(w), []WarningCode{WarnTooManyTasks}) {
		t.Errorf("%d, %s, %v", w.Total, w.Status, w.Warnings)
	}
	if got := w.Warnings[0]; got.Size != MaxTasks+1 || got.Limit != MaxTasks {
		t.Errorf("%+v", got)
	}
	dir = tree(t, "-- openspec/changes/x/tasks.md --\n"+strings.Repeat("-[]a\n", MaxTasks))
	if w := look(t, dir, Hints{}); w.Total != MaxTasks || len(w.Warnings) != 0 {
		t.Errorf("%d, %v", w.Total, w.Warnings)
	}
}

// TestManyEntries: folders without end are cut and named.
func TestManyEntries(t *testing.T) {
	dir := tree(t, "-- a/1.md --\n-- a/2.md --\n-- a/3.md --\n-- b/1.md --\n")
	for _, c := range []struct{ most, want int }{{2, 2}, {3, 3}, {4, 3}} {
		list, whole, err := entriesUpTo(dir+"/a", c.most)
		if err != nil || len(list) != c.want || whole != (c.most >= 3) {
			t.Errorf("up to %d: %d entries, whole %v, %v", c.most, len(list), whole, err)
		}
	}
	var size *sizeError
	if _, err := matches(dir, "*/*.md", 5); !errors.As(err, &size) || size.limit != 5 {
		t.Errorf("six entries, at most five: %v", err)
	}
	if files, err := matches(dir, "*/*.md", 6); err != nil || len(files) != 4 {
		t.Errorf("%q, %v", files, err)
	}
}

// TestTooManyFilesOfOneChange: a change whose files cannot all be looked at is left out, the others stay.
func TestTooManyFilesOfOneChange(t *testing.T) {
	f := &finder{warned: map[warningKey]bool{}}
	c := &change{Candidate: Candidate{ID: "x", Dir: "openspec/changes/x"}, files: []taskFile{{}}}
	f.leaveOut(c, &sizeError{"entries", 6, 5})
	if c.aside == nil || c.files != nil || c.Status != NoTasks || len(f.warnings) != 1 ||
		f.warnings[0].Code != WarnOutside {
		t.Errorf("%+v, %v", c, f.warnings)
	}
}

// TestLinkLoops: a change whose links lead round in a circle is left out, as the program fails on it; the others stay.
// Links that only meet are followed, each file once.
func TestLinkLoops(t *testing.T) {
	dir := tree(t, `
-- openspec/schemas/deep/schema.yaml --
`+strings.ReplaceAll(schemaText, "tasks/*.md", "**/tasks.md")+`
-- openspec/config.yaml --
schema: deep
-- openspec/changes/round/a/tasks.md --
- [ ] a
-- openspec/changes/round/a/up --
-> ..
-- openspec/changes/twice/a/tasks.md --
- [ ] a
-- openspec/changes/twice/b --
-> a
`)
	w := look(t, dir, Hints{})
	if w.Change != "twice" || w.Total != 1 || !slices.Equal(w.Files, []string{"openspec/changes/twice/a/tasks.md"}) {
		t.Errorf("%d tasks of %q in %q", w.Total, w.Change, w.Files)
	}
	if len(w.Candidates) != 1 || len(w.Warnings) != 1 || !errors.Is(w.Warnings[0].Err, errCycle) {
		t.Errorf("candidates %q, warnings %v", ids(w.Candidates), w.Warnings)
	}
}

// TestLinkedProject: a linked openspec folder is followed, as the program does; files are named where they really are.
func TestLinkedProject(t *testing.T) {
	dir := tree(t,
		"-- docs/plan/changes/x/tasks.md --\n- [ ] a\n-- repo/openspec --\n-> ../docs/plan\n-- openspec --\n-> docs/plan\n")
	w := look(t, dir, Hints{})
	if w.Total != 1 || w.Files[0] != "docs/plan/changes/x/tasks.md" || len(w.Warnings) != 0 {
		t.Errorf("%q %v", w.Files, w.Warnings)
	}
	w = look(t, dir+"/repo", Hints{})
	if w.Total != 1 || w.Files[0] != "../docs/plan/changes/x/tasks.md" || !slices.Equal(codes(w),
		[]WarningCode{WarnOutsideTree}) {
		t.Errorf("%q %v", w.Files, w.Warnings)
	}
}

// TestSecretsStay: no warning carries what a file holds that a link was laid to.
func TestSecretsStay(t *testing.T) {
	const secret = "hunter2-very-secret"
	for _, link := range []string{
		"openspec/changes/x/.openspec.yaml", "openspec/changes/x/tasks.md", "openspec/config.yaml",
		"openspec/schemas/my/schema.yaml",
		".specify/feature.json", ".taskmaster/tasks/tasks.json", ".taskmaster/state.json", ".beads/issues.jsonl",
		".kiro/specs/x/tasks.md",
	} {
		dir := tree(t, "-- outside/key --\n"+secret+": [\n-- repo/openspec/schemas/other/schema.yaml --\n"+schemaText+
			"-- repo/openspec/changes/y/tasks.md --\n- [ ] a\n-- repo/"+link+" --\n-> "+strings.Repeat("../",
			strings.Count(link, "/")+1)+"outside/key\n")
		for _, change := range []string{"", "x", "y"} {
			w, err := Find(context.Background(), Place{Dir: dir + "/repo", Top: dir + "/repo"}, Hints{Change: change})
			if text := fmt.Sprintf("%+v %v %v", w, w.Warnings, err); strings.Contains(text, "hunter2") {
				t.Errorf("%s, change %q: %s", link, change, text)
			}
		}
	}
}

// TestPathsStayRelative: no warning or error names the folders of this machine.
func TestPathsStayRelative(t *testing.T) {
	dir := tree(t, `
-- openspec/schemas/my/schema.yaml/x --
-- openspec/config.yaml --
schema: my
-- openspec/changes/x/tasks.md/x --
-- openspec/changes/y/tasks.md --
-> ../../../..
-- openspec/changes/z/.openspec.yaml/x --
`)
	for _, change := range []string{"", "x", "y", "z"} {
		w, err := Find(context.Background(), Place{Dir: dir, Top: dir}, Hints{Change: change})
		if text := fmt.Sprintf("%+v %v %v", w, w.Warnings, err); strings.Contains(text, dir) {
			t.Errorf("%q: %s", change, text)
		}
		for _, w := range w.Warnings {
			if w.String() == "" || !strings.HasPrefix(w.String(), string(w.Code)) {
				t.Errorf("%+v reads %q", w, w.String())
			}
		}
	}
}

func TestEndedContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, archive := range []string{"-- openspec/changes/x/tasks.md --\n", "-- .kiro/specs/x/tasks.md --\n"} {
		dir := tree(t, archive)
		if _, err := Find(ctx, Place{Dir: dir, Top: dir}, Hints{}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", archive, err)
		}
	}
}

func TestPlaces(t *testing.T) {
	dir := tree(t, "-- openspec/changes/x/tasks.md --\n- [ ] a\n-- sub/file --\n")
	for _, p := range []Place{{Dir: dir}, {Top: dir}, {Dir: dir + "/sub", Top: dir}, {Dir: dir + "/sub/file", Top: dir}} {
		w, err := Find(context.Background(), p, Hints{})
		if err != nil || w.Change != "x" || w.Root != "." {
			t.Errorf("%+v: %q in %q, %v", p, w.Change, w.Root, err)
		}
	}
	w, err := Find(context.Background(), Place{Dir: dir + "/sub"}, Hints{})
	if err != nil || w.Root != ".." || w.Files[0] != "../openspec/changes/x/tasks.md" {
		t.Errorf("outside git: %q %q, %v", w.Root, w.Files, err)
	}
	for _, p := range []Place{{}, {Dir: "sub"}, {Dir: dir, Top: "."}, {Dir: dir + "/nowhere"}, {Dir: dir, Top: dir +
		"/nowhere"}} {
		if w, err := Find(context.Background(), p, Hints{}); err == nil || w.Status != None {
			t.Errorf("%+v: %+v, %v", p, w, err)
		}
	}
	nested := tree(t, "-- apps/web/openspec/changes/x/tasks.md --\n- [ ] a\n")
	if w, err := Find(context.Background(), Place{Top: nested, Shallow: true}, Hints{}); err != nil ||
		w.Status != None || w.Source != "" {
		t.Errorf("shallow: %+v, %v", w, err)
	}
	if w, err := Find(context.Background(), Place{Dir: nested}, Hints{}); err != nil || w.Source != "" {
		t.Errorf("outside git nothing is looked for below: %+v, %v", w, err)
	}
}

// TestNestedLookIsBounded: a wide work tree without OpenSpec costs a bounded number of looks.
func TestNestedLookIsBounded(t *testing.T) {
	dir := tree(t, "-- a/x/ --\n-- b/ --\n-- c/deep/openspec/changes/x/ --\n-- c/deeper/still/openspec/changes/x/ --\n")
	f, err := newFinder(Place{Top: dir}, Hints{})
	must(t, err)
	for left, want := range map[int]int{0: 0, 3: 0, 6: 1, 100: 1} {
		if found := f.nestedRoots(left); len(found) != want {
			t.Errorf("%d looks found %q", left, found)
		}
	}
}

// TestNestedLookMissesNothing: what the look below the top leaves out to be quick is nowhere a project.
func TestNestedLookMissesNothing(t *testing.T) {
	dir := tree(t, `
-- elsewhere/changes/x/tasks.md --
-- linked/openspec --
-> ../elsewhere
-- files/openspec --
-- other/OpenSpec/openspec/changes/x/ --
-- wide/a --
-- wide/b/openspec/changes/x/ --
-- config/openspec/config.yaml --
-- empty/ --
-- .hidden/openspec/changes/x/ --
-- vendor/openspec/changes/x/ --
-- one/openspec/specs/ --
-- one/two/openspec/changes/x/ --
-- one/two/three/openspec/changes/x/ --
`)
	f, err := newFinder(Place{Top: dir}, Hints{})
	must(t, err)
	found := f.nestedRoots(nestedFolders)
	slices.Sort(found)
	want := []string{"linked", "one", "one/two", "other/OpenSpec", "wide/b"}
	for i, name := range want {
		want[i] = filepath.Join(dir, name)
	}
	if !slices.Equal(found, want) {
		t.Errorf("found %q, want %q", found, want)
	}
	for _, name := range []string{"other", "wide", "one", "one/two"} {
		if leavesOn(dir).is(filepath.Join(dir, name)) {
			t.Errorf("%s has folders", name)
		}
	}
}

func TestRootErrors(t *testing.T) {
	dir := tree(t, "-- openspec/config.yaml --\nstore: \"team\\e[31m\"\n-- bad/openspec/config.yaml --\nstore: 5\n"+
		"-- empty/openspec/config.yaml --\nstore: ''\n")
	w, err := Find(context.Background(), Place{Top: dir}, Hints{})
	var root *RootError
	if !errors.As(err, &root) || root.Problem != RootStore || root.Store != "team\x1b[31m" ||
		root.File != "openspec/config.yaml" || w.Status != None {
		t.Fatalf("%+v, %v", w, err)
	}
	if strings.Contains(err.Error(), "\x1b") {
		t.Error("the error carries an escape of the file")
	}
	for _, name := range []string{"bad", "empty"} {
		_, err = Find(context.Background(), Place{Dir: dir + "/" + name, Top: dir}, Hints{Change: "x"})
		if !errors.As(err, &root) || root.Problem != RootPointer || errors.Unwrap(root) == nil ||
			root.File != name+"/openspec/config.yaml" {
			t.Errorf("%v", err)
		}
	}
}

// TestBlanksInNames: blanks around a name belong to it if there is such a folder; else they were typed by mistake.
func TestBlanksInNames(t *testing.T) {
	dir := tree(t, "-- openspec/changes/ login/tasks.md --\n- [x] a\n-- openspec/changes/login/tasks.md --\n- [ ] a\n")
	for name, want := range map[string]string{" login": " login", "login": "login", "login ": "login", "\tlogin": "login"} {
		if w := look(t, dir, Hints{Change: name}); w.Change != want {
			t.Errorf("%q is %q", name, w.Change)
		}
	}
}

// TestNormalForms: a name typed on one system finds the folder written by another.
func TestNormalForms(t *testing.T) {
	const composed, decomposed = "로그인", "\u1105\u1169\u1100\u1173\u110b\u1175\u11ab"
	dir := tree(t, "-- openspec/changes/"+decomposed+
		"/tasks.md --\n- [x] a\n- [ ] b\n-- openspec/changes/archive/2026-01-01-"+decomposed+"x/ --\n")
	if w := look(t, dir, Hints{Change: composed}); w.Change != decomposed || w.Total != 2 {
		t.Errorf("%q %s", w.Change, w.Status)
	}
	if w := look(t, dir, Hints{Change: composed + "x"}); w.Status != Archived {
		t.Errorf("%s", w.Status)
	}
	w := look(t, dir, Hints{Saved: Saved{Change: composed, Done: []string{}}})
	if w.Resume.Reason != ResumeAfterSave {
		t.Errorf("%+v", w.Resume)
	}
}
