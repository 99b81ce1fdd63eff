package assistant

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// place is a work tree for a test, with the record and the backups outside of it.
type testTree struct {
	t    *testing.T
	root string
	o    Options
}

func newTestTree(t *testing.T, files map[string]string) *testTree {
	t.Helper()
	dir := t.TempDir()
	w := &testTree{t: t, root: filepath.Join(dir, "work")}
	w.o = Options{Root: w.root, Record: filepath.Join(dir, "state", "init.json"), Backups: filepath.Join(dir, "state", "backup")}
	if err := os.Mkdir(w.root, 0o755); err != nil {
		t.Fatal(err)
	}
	for p, text := range files {
		w.write(p, text)
	}
	return w
}

func (w *testTree) path(p string) string { return filepath.Join(w.root, filepath.FromSlash(p)) }

func (w *testTree) write(p, text string) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(w.path(p)), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(w.path(p), []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

func (w *testTree) read(p string) string {
	w.t.Helper()
	b, err := os.ReadFile(w.path(p))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(b)
}

// snapshot is every file and folder of the tree; a folder ends in a slash.
func (w *testTree) snapshot() map[string]string {
	w.t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(w.root, func(p string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(w.root, p)
		rel = filepath.ToSlash(rel)
		switch {
		case err != nil || rel == ".":
		case d.IsDir():
			all[rel+"/"] = ""
		case d.Type()&fs.ModeSymlink != 0:
			all[rel], err = os.Readlink(p)
		default:
			all[rel] = w.read(rel)
		}
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return all
}

func (w *testTree) init(names ...Name) Plan {
	w.t.Helper()
	w.o.Assistants = names
	return w.apply(PlanInit(w.o))
}

func (w *testTree) uninstall(names ...Name) Plan {
	w.t.Helper()
	w.o.Assistants = names
	return w.apply(PlanUninstall(w.o))
}

func (w *testTree) apply(p Plan, err error) Plan {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
	if _, err := p.Apply(); err != nil {
		w.t.Fatal(err)
	}
	return p
}

func (w *testTree) same(what string, was map[string]string) {
	w.t.Helper()
	is := w.snapshot()
	for p := range maps.Keys(was) {
		if text, ok := is[p]; !ok || text != was[p] {
			w.t.Errorf("%s: %s is\n%s\nnot\n%s", what, p, text, was[p])
		}
	}
	for p := range maps.Keys(is) {
		if _, ok := was[p]; !ok {
			w.t.Errorf("%s: %s is new", what, p)
		}
	}
}

func (w *testTree) kept(p Plan, path string, why Why) {
	w.t.Helper()
	if !slices.Contains(p.Kept, Kept{path, why}) {
		w.t.Errorf("%s is not kept as %s: %v", path, why, p.Kept)
	}
}

// TestGolden runs testdata/init/*.txtar: the comment names the assistants, "in/" is the tree before, "tree" lists it
// afterwards, "out/" holds settings and commands as they then are. SESSION_UPDATE=1 writes what is expected anew.
func TestGolden(t *testing.T) {
	all, err := filepath.Glob("testdata/init/*.txtar")
	if err != nil || len(all) == 0 {
		t.Fatal(err, "no golden trees")
	}
	for _, file := range all {
		t.Run(filepath.Base(file), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			in := map[string]string{}
			for _, f := range a.Files {
				if p, ok := strings.CutPrefix(f.Name, "in/"); ok {
					in[p] = string(f.Data)
				}
			}
			w := newTestTree(t, in)
			before := w.snapshot()
			first, _, _ := strings.Cut(string(a.Comment), "\n")
			var names []Name
			for _, n := range strings.Fields(first) {
				names = append(names, Name(n))
			}
			w.init(names...)
			got := golden(w, in)
			golden := &txtar.Archive{Comment: a.Comment}
			for _, f := range a.Files {
				if strings.HasPrefix(f.Name, "in/") {
					golden.Files = append(golden.Files, f)
				}
			}
			golden.Files = append(golden.Files, got...)
			if os.Getenv("SESSION_UPDATE") != "" {
				if err := os.WriteFile(file, txtar.Format(golden), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if want := string(txtar.Format(a)); want != string(txtar.Format(golden)) {
				t.Errorf("got\n%s", txtar.Format(golden))
			}
			laws(w, before, names)
		})
	}
}

// golden lists a tree, and holds what is more than a copy of an agent or a skill.
func golden(w *testTree, in map[string]string) (all []txtar.File) {
	is := w.snapshot()
	var list strings.Builder
	for _, p := range slices.Sorted(maps.Keys(is)) {
		if strings.HasSuffix(p, "/") {
			continue
		}
		list.WriteString(p + "\n")
		if was, ok := in[p]; ok && was == is[p] || strings.Contains(p, "agents/") || strings.HasSuffix(p, ".js") || strings.HasPrefix(p, ".claude/commands") {
			continue
		}
		all = append(all, txtar.File{Name: "out/" + p, Data: unsealed([]byte(is[p]))})
	}
	return append([]txtar.File{{Name: "tree", Data: []byte(list.String())}}, all...)
}

// laws hold for every tree after an init: twice is once, taking away leaves the tree of before, and then all can begin
// anew.
func laws(w *testTree, before map[string]string, names []Name) {
	w.t.Helper()
	once := w.snapshot()
	if p := w.init(names...); !p.Empty() {
		w.t.Errorf("a second init has something to do: %v", p.Changes)
	}
	w.same("after a second init", once)
	w.uninstall()
	w.same("after taking all away", before)
	if _, err := os.Stat(w.o.Record); !errors.Is(err, fs.ErrNotExist) {
		w.t.Errorf("the record is left: %v", err)
	}
	if p := w.uninstall(); !p.Empty() {
		w.t.Errorf("a second uninstall has something to do: %v", p.Changes)
	}
	w.init(names...)
	w.same("after init, uninstall, init", once)
	w.uninstall(names...)
	w.same("after taking all away by name", before)
}

// TestLawsHoldForHardSettings: settings that txtar cannot hold.
func TestLawsHoldForHardSettings(t *testing.T) {
	for name, text := range map[string]string{
		"CRLF":             "{\r\n    \"model\": \"x\",\r\n    \"hooks\": {\r\n        \"Stop\": []\r\n    }\r\n}\r\n",
		"BOM":              "\xef\xbb\xbf{\n\t\"model\": \"x\"\n}\n",
		"empty file":       "",
		"no newline":       `{"model":"x"}`,
		"comments, commas": "{\n  // model\n  \"model\": \"x\", /* why */\n  \"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"mine\"},]},],},\n}",
		"odd white space":  "\n\n { \"a\"  :1 ,\n\n\"b\":\t[ ]\n   }\n\n\n",
	} {
		t.Run(name, func(t *testing.T) {
			for _, n := range []Name{Claude, Gemini, Codex, Cursor} {
				w := newTestTree(t, map[string]string{merges(n)[0].path: text, "README.md": "x\n"})
				before := w.snapshot()
				w.init(n)
				for _, h := range hooksOf(n) {
					if !strings.Contains(w.read(merges(n)[0].path), string(rawJSON(hookLine(n, h.kind)))) {
						t.Errorf("%s: the hook for %s is not there", n, h.kind)
					}
				}
				laws(w, before, []Name{n})
				if n != Claude {
					continue
				}
				if got, err := os.ReadFile(filepath.Join(w.o.Backups, ".claude", "settings.json")); err != nil || string(got) != text {
					t.Errorf("the backup holds %q (%v)", got, err)
				}
			}
		})
	}
}

func TestBrokenSettingsStopEverything(t *testing.T) {
	w := newTestTree(t, map[string]string{".claude/settings.json": "{\n  \"model\" \"x\"\n}\n"})
	before := w.snapshot()
	w.o.Assistants = []Name{Gemini, Claude}
	_, err := PlanInit(w.o)
	var broken *SettingsError
	if !errors.As(err, &broken) || broken.Path != ".claude/settings.json" || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("%v", err)
	}
	w.same("after a refusal", before)
}

func TestFilesOfTheUsersStay(t *testing.T) {
	mine := "---\nname: tester\ndescription: my own\n---\nMine.\n"
	w := newTestTree(t, map[string]string{".claude/agents/tester.md": mine})
	before := w.snapshot()
	p := w.init(Claude)
	w.kept(p, ".claude/agents/tester.md", Yours)
	if w.read(".claude/agents/tester.md") != mine {
		t.Error("the user's agent was overwritten")
	}
	w.uninstall()
	w.same("after uninstall", before)
}

func TestFilesThatCameWithTheRepositoryStay(t *testing.T) {
	w := newTestTree(t, nil)
	w.init(Claude)
	if err := os.RemoveAll(filepath.Dir(w.o.Record)); err != nil { // as in a clone: the files are there, the record is not
		t.Fatal(err)
	}
	before := w.snapshot()
	if p := w.init(Claude); !p.Empty() {
		t.Errorf("init has something to do in a clone: %v", p.Changes)
	}
	p := w.uninstall()
	w.kept(p, ".claude/agents/tester.md", Recorded)
	w.same("after uninstall in a clone", before)
}

func TestOwnFilesAreUpdated(t *testing.T) {
	w := newTestTree(t, nil)
	w.init(Claude)
	save := ".claude/commands/session/save.md"
	current := w.read(save)
	r, err := readRecord(w.o.Record)
	if err != nil {
		t.Fatal(err)
	}
	w.write(save, "what an earlier version wrote\n")
	e, _ := r.find(save)
	e.After = sum([]byte("what an earlier version wrote\n"))
	r.put(e)
	if err := writeRecord(w.o.Record, r); err != nil {
		t.Fatal(err)
	}
	if p := w.init(Claude); len(p.Changes) != 1 || p.Changes[0].Act != Update {
		t.Errorf("%v", p.Changes)
	}
	if w.read(save) != current {
		t.Error("an earlier version stays")
	}
	w.write(save, "edited by a person\n")
	w.kept(w.init(Claude), save, Edited)
	p := w.uninstall()
	w.kept(p, save, Edited)
	if w.read(save) != "edited by a person\n" {
		t.Error("an edited file was taken away")
	}
	if is := w.snapshot(); len(is) != 4 { // .claude/, commands/, session/, save.md
		t.Errorf("left: %v", slices.Sorted(maps.Keys(is)))
	}
	if err := os.Remove(w.path(save)); err != nil {
		t.Fatal(err)
	}
	w.uninstall()
	w.same("after the edited file is gone", map[string]string{})
}

func TestEditedSettings(t *testing.T) {
	w := newTestTree(t, map[string]string{".claude/settings.json": "{\n  \"model\": \"x\"\n}\n"})
	w.init(Claude)
	edit := strings.Replace(w.read(".claude/settings.json"), "\"model\": \"x\"", "\"model\": \"y\",\n  \"env\": {}", 1)
	w.write(".claude/settings.json", edit)
	w.kept(w.init(Claude), ".claude/settings.json", Current)
	if w.read(".claude/settings.json") != edit {
		t.Error("an init after an edit changes settings that are complete")
	}
	w.uninstall()
	if got := w.read(".claude/settings.json"); got != "{\n  \"model\": \"y\",\n  \"env\": {}\n}\n" {
		t.Errorf("after uninstall\n%s", got)
	}
}

func TestSettingsEditedBetweenInits(t *testing.T) {
	w := newTestTree(t, nil)
	w.init(Claude)
	stop := string(rawJSON(hookLine(Claude, TurnEnd)))
	edit := strings.Replace(w.read(".claude/settings.json"), stop, `"my own"`, 1)
	edit = strings.TrimSuffix(edit, "\n}\n") + ",\n  \"model\": \"y\"\n}\n"
	w.write(".claude/settings.json", edit)
	w.init(Claude)
	got := w.read(".claude/settings.json")
	if !strings.Contains(got, stop) || !strings.Contains(got, `"my own"`) || strings.Count(got, "session-start") != 1 {
		t.Errorf("after a second init\n%s", got)
	}
	w.uninstall()
	got = w.read(".claude/settings.json")
	if strings.Contains(got, "session hook") || !strings.Contains(got, `"my own"`) || !strings.Contains(got, `"model": "y"`) {
		t.Errorf("after uninstall\n%s", got)
	}
}

func TestSharedSkills(t *testing.T) {
	w := newTestTree(t, nil)
	skill := ".agents/skills/session-save/SKILL.md"
	w.init(Codex, Copilot)
	p := w.uninstall(Codex)
	w.kept(p, skill, Shared)
	w.read(skill)
	if _, err := os.Stat(w.path(".codex")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("something of Codex is left")
	}
	w.uninstall(Copilot)
	w.same("after both are gone", map[string]string{})

	w.init(Codex)
	w.init(Copilot)
	w.uninstall(Codex)
	w.read(skill)
	w.uninstall()
	w.same("after both are gone again", map[string]string{})
}

func TestLinksThatLeaveTheProject(t *testing.T) {
	w := newTestTree(t, nil)
	outside := filepath.Join(filepath.Dir(w.root), "outside.json")
	if err := os.WriteFile(outside, []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(w.path(".claude"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{outside, "../../outside.json", "nowhere.json"} {
		if err := os.Symlink(target, w.path(".claude/settings.json")); err != nil {
			t.Skip("no links here:", err)
		}
		w.o.Assistants = []Name{Claude}
		if p, err := PlanInit(w.o); err == nil {
			t.Errorf("a link to %s is followed: %v", target, p.Changes)
		}
		if err := os.Remove(w.path(".claude/settings.json")); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(w.path(".claude")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Dir(outside), w.path(".claude")); err != nil {
		t.Fatal(err)
	}
	if p, err := PlanInit(w.o); err == nil {
		t.Errorf("a folder that is a link out of the project is followed: %v", p.Changes)
	}
	if got, _ := os.ReadFile(outside); string(got) != "{}" {
		t.Errorf("a file outside of the project was changed: %s", got)
	}
}

func TestLinksInsideStayLinks(t *testing.T) {
	w := newTestTree(t, map[string]string{"config/claude.json": "{\n  \"model\": \"x\"\n}\n"})
	if err := os.Mkdir(w.path(".claude"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../config/claude.json", w.path(".claude/settings.json")); err != nil {
		t.Skip("no links here:", err)
	}
	before := w.snapshot()
	w.init(Claude)
	if info, err := os.Lstat(w.path(".claude/settings.json")); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Error("the link became a file")
	}
	if !strings.Contains(w.read("config/claude.json"), "session hook") {
		t.Error("the file behind the link was not added to")
	}
	w.uninstall()
	w.same("after uninstall", before)
}

func TestNothingIsLeftOfAnInitThatFails(t *testing.T) {
	w := newTestTree(t, map[string]string{".claude/settings.json": "{}\n"})
	before := w.snapshot()
	w.o.Assistants = Names()
	p, err := PlanInit(w.o)
	if err != nil {
		t.Fatal(err)
	}
	// The record, the last thing that is written, cannot be: its folder is a file.
	if err := os.WriteFile(filepath.Dir(w.o.Record), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	p.backups = ""
	_, err = p.Apply()
	var undone *UndoneError
	if !errors.As(err, &undone) || undone.Left != nil {
		t.Fatalf("%v", err)
	}
	w.same("after a failed init", before)
}

func TestAFailingFileTakesEarlierOnesBack(t *testing.T) {
	w := newTestTree(t, map[string]string{"a": "old\n", "gone": "x\n"})
	before := w.snapshot()
	p := Plan{Root: w.root, Changes: []Change{
		{Act: Merge, Path: "a", Before: []byte("old\n"), After: []byte("new\n"), Mode: 0o644},
		{Act: Delete, Path: "gone", Before: []byte("x\n"), Mode: 0o644},
		{Act: Create, Path: "deep/er/b", After: []byte("b\n"), Mode: 0o644},
		{Act: Move, From: "a", Path: "deep/c"},
		{Act: Create, Path: "deep/c/no", After: []byte("its folder is a file by now\n"), Mode: 0o644},
	}}
	_, err := p.Apply()
	var undone *UndoneError
	if !errors.As(err, &undone) || undone.Left != nil {
		t.Fatalf("%v", err)
	}
	w.same("after a failure", before)
}

func TestChangedSinceThePlan(t *testing.T) {
	w := newTestTree(t, map[string]string{".claude/settings.json": "{}\n"})
	w.o.Assistants = []Name{Claude}
	p, err := PlanInit(w.o)
	if err != nil {
		t.Fatal(err)
	}
	w.write(".claude/settings.json", "{\"a\": 1}\n")
	before := w.snapshot()
	var changed *ChangedError
	if _, err := p.Apply(); !errors.As(err, &changed) {
		t.Errorf("%v", err)
	}
	w.same("after a race", before)
}

func TestUndo(t *testing.T) {
	w := newTestTree(t, map[string]string{".claude/settings.json": "{}\n"})
	before := w.snapshot()
	w.o.Assistants = []Name{Claude, OpenCode}
	p, err := PlanInit(w.o)
	if err != nil {
		t.Fatal(err)
	}
	done, err := p.Apply()
	if err != nil {
		t.Fatal(err)
	}
	if len(done.Backups) != 1 {
		t.Errorf("backups: %v", done.Backups)
	}
	if err := done.Undo(); err != nil {
		t.Fatal(err)
	}
	w.same("after undo", before)
	if p := w.uninstall(); !p.Empty() {
		t.Errorf("the record still names files: %v", p.Changes)
	}
}

func TestModesStay(t *testing.T) {
	w := newTestTree(t, map[string]string{".claude/settings.json": "{}\n"})
	if err := os.Chmod(w.path(".claude/settings.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.init(Claude)
	if info, err := os.Stat(w.path(".claude/settings.json")); err != nil || runnable(0) != runnable(0o100) && info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
}

func TestDiff(t *testing.T) {
	w := newTestTree(t, map[string]string{".claude/settings.json": "{\n  \"model\": \"x\"\n}\n"})
	before := w.snapshot()
	w.o.Assistants = []Name{Claude}
	p, err := PlanInit(w.o)
	if err != nil {
		t.Fatal(err)
	}
	d := p.Diff()
	for _, want := range []string{"--- a/.claude/settings.json\n+++ b/.claude/settings.json\n", "\n-  \"model\": \"x\"\n+  \"model\": \"x\",\n", "--- /dev/null\n+++ b/.claude/agents/tester.md\n"} {
		if !strings.Contains(d, want) {
			t.Errorf("the diff has no %q", want)
		}
	}
	w.same("after a plan", before)
	if p, err = PlanUninstall(w.o); err != nil || p.Diff() != "" {
		t.Errorf("%v %s", err, p.Diff())
	}
}

func TestDamagedRecord(t *testing.T) {
	for name, text := range map[string]string{"no JSON": "{", "newer": `{"version": 2}`, "leaves the project": `{"version": 1, "files": [{"path": "../../etc/passwd", "by": ["claude"], "after": ""}]}`} {
		w := newTestTree(t, nil)
		if err := os.MkdirAll(filepath.Dir(w.o.Record), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(w.o.Record, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		var bad *RecordError
		if _, err := PlanUninstall(w.o); !errors.As(err, &bad) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := PlanInit(w.o); !errors.As(err, &bad) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWindowsNames(t *testing.T) {
	w := newTestTree(t, nil)
	w.o.Windows = true
	w.init(OpenCode)
	w.read(".opencode/commands/session/save.md")
	w.uninstall()
	w.same("after uninstall", map[string]string{})
}

func TestReleasedFilesAreReplaced(t *testing.T) {
	if released(".claude/agents/tester.md", []byte("nobody released this")) {
		t.Error("anything counts as released")
	}
	list, err := files.ReadFile("files/released.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(list)) {
		if f := strings.Fields(line); !strings.HasPrefix(line, "#") && (len(f) != 2 || len(f[0]) != 64) {
			t.Errorf("released.txt: %q", line)
		}
	}
}

func TestNames(t *testing.T) {
	for _, n := range Names() {
		if got, err := ParseName(" " + strings.ToUpper(string(n))); got != n || err != nil {
			t.Errorf("%s: %v", got, err)
		}
		if n.Title() == string(n) || n.Program() == "" {
			t.Errorf("%s has no title or program", n)
		}
	}
	var unknown *UnknownError
	if _, err := ParseName("emacs"); !errors.As(err, &unknown) {
		t.Error(err)
	}
	w := newTestTree(t, nil)
	w.o.Assistants = []Name{"emacs"}
	if _, err := PlanInit(w.o); !errors.As(err, &unknown) {
		t.Error(err)
	}
}
