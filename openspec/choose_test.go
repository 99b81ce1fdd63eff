package openspec

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// world is a work tree with changes, and what git would say of it. It counts what it is asked.
type world struct {
	t       *testing.T
	dir     string
	head    map[string]string // files at HEAD
	before  map[string]string // files before their last commit
	changed []string
	touched map[string]time.Time
	asked   map[string]int
	fail    string // name of the function that fails
}

var errGit = errors.New("git is not well")

// newWorld makes one change a pair of id and list; nothing differs from HEAD.
func newWorld(t *testing.T, lists ...string) *world {
	w := &world{t: t, head: map[string]string{}, before: map[string]string{}, asked: map[string]int{}}
	var archive strings.Builder
	for i := 0; i < len(lists); i += 2 {
		file := "openspec/changes/" + lists[i] + "/tasks.md"
		fmt.Fprintf(&archive, "-- %s --\n%s", file, lists[i+1])
		w.head[file] = lists[i+1]
	}
	w.dir = tree(t, archive.String())
	for file := range w.head {
		must(t, os.Chtimes(filepath.Join(w.dir, file), time.Unix(1e9, 0), time.Unix(1e9, 0)))
	}
	return w
}

// edit changes a list in the work tree only.
func (w *world) edit(id, list string) *world {
	file := "openspec/changes/" + id + "/tasks.md"
	must(w.t, os.MkdirAll(filepath.Dir(filepath.Join(w.dir, file)), 0o755))
	must(w.t, os.WriteFile(filepath.Join(w.dir, file), []byte(list), 0o644))
	w.changed = append(w.changed, file)
	return w
}

func (w *world) ask(name string) error {
	w.asked[name]++
	if w.fail == name {
		return errGit
	}
	return nil
}

func (w *world) file(name string, from map[string]string) getter {
	return func(_ context.Context, file string) ([]byte, error) {
		if err := w.ask(name); err != nil {
			return nil, err
		}
		text, ok := from[file]
		if !ok {
			return nil, &fs.PathError{Op: "show", Path: file, Err: fs.ErrNotExist}
		}
		return []byte(text), nil
	}
}

func (w *world) hints() Hints {
	return Hints{
		Changed: func(context.Context) ([]string, error) { return w.changed, w.ask("Changed") },
		AtHead:  w.file("AtHead", w.head),
		Before:  w.file("Before", w.before),
		Touched: func(context.Context, []string) (map[string]time.Time, error) { return w.touched, w.ask("Touched") },
	}
}

func (w *world) look(change func(*Hints)) Work {
	w.t.Helper()
	h := w.hints()
	if change != nil {
		change(&h)
	}
	return look(w.t, w.dir, h)
}

const (
	openList = "- [x] one\n- [ ] two\n- [ ] three\n"
	moreList = "- [x] one\n- [x] two\n- [ ] three\n"
	doneList = "- [x] one\n- [x] two\n"
	noList   = "nothing yet\n"
)

func TestChoice(t *testing.T) {
	on := func(branch string) func(*Hints) { return func(h *Hints) { h.Branch = branch } }
	saved := func(id string) func(*Hints) { return func(h *Hints) { h.Saved.Change = id } }
	for _, c := range []struct {
		name  string
		world func(t *testing.T) *world
		hints func(*Hints)
		want  string // change and reason
	}{
		{"the only one, whatever it is",
			func(t *testing.T) *world { return newWorld(t, "a", doneList) }, on("b"), "a only"},
		{"named beats everything", func(t *testing.T) *world {
			return newWorld(t, "a", openList, "b", openList).edit("a", moreList)
		}, func(h *Hints) { h.Change, h.Branch = "b", "a" }, "b named"},
		{"ticked beats the branch", func(t *testing.T) *world {
			return newWorld(t, "a", openList, "b", openList).edit("a", moreList)
		}, on("b"), "a ticked"},
		{"ticked beats the only one in progress: its last box was just ticked", func(t *testing.T) *world {
			return newWorld(t, "a", openList, "b", openList).edit("a", doneList)
		}, nil, "a ticked"},
		{"unticking is an edit, no tick", func(t *testing.T) *world {
			return newWorld(t, "a", moreList, "b", openList, "c", openList).edit("a", openList)
		}, nil, "a edited"},
		{"ticks in two changes tell nothing; both were edited, so time decides", func(t *testing.T) *world {
			w := newWorld(t, "a", openList, "b", openList).edit("a", moreList).edit("b", moreList)
			must(t, os.Chtimes(filepath.Join(w.dir, "openspec/changes/b/tasks.md"), time.Unix(2e9, 0), time.Unix(2e9, 0)))
			return w
		}, nil, "b recent"},
		{"a new change with ticked boxes", func(t *testing.T) *world {
			return newWorld(t, "a", openList, "b", openList).edit("c", moreList)
		}, nil, "c ticked"},
		{"an untracked folder stands for its files", func(t *testing.T) *world {
			w := newWorld(t, "a", openList, "b", openList).edit("c", moreList)
			w.changed = []string{"openspec/changes/c/", "src/"}
			return w
		}, nil, "c ticked"},
		{"a branch that is named after it",
			func(t *testing.T) *world { return newWorld(t, "a-b", openList, "c-d", openList) }, on("feat/c-d"),
			"c-d branch"},
		{"its own branch, although it is complete and another is not", func(t *testing.T) *world {
			return newWorld(t, "add-login", doneList, "other", openList)
		}, on("me/add-login"), "add-login branch"},
		{"its own branch, although it has no list yet", func(t *testing.T) *world {
			return newWorld(t, "add-login", noList, "other", openList)
		}, on("add-login"), "add-login branch"},
		{"a branch somewhat like a complete one does not beat the only one in progress", func(t *testing.T) *world {
			return newWorld(t, "add-login", doneList, "other", openList)
		}, on("add-login-later"), "other only_of_status"},
		{"the only one in progress", func(t *testing.T) *world {
			return newWorld(t, "a", doneList, "b", openList, "c", noList)
		}, on("main"), "b only_of_status"},
		{"nothing in progress: the only one without a list", func(t *testing.T) *world {
			return newWorld(t, "a", doneList, "b", noList, "c", doneList)
		}, nil, "b only_of_status"},
		{"edited beats a branch that is merely like it", func(t *testing.T) *world {
			return newWorld(t, "add-login", openList, "other", openList).edit("other", openList+"more text\n")
		}, on("add-login-page"), "other edited"},
		{"a branch like it beats the last save", func(t *testing.T) *world {
			return newWorld(t, "add-login", openList, "other", openList)
		}, func(h *Hints) { h.Branch, h.Saved.Change = "add-login-page", "other" }, "add-login branch"},
		{"the last save beats the latest edit", func(t *testing.T) *world {
			w := newWorld(t, "a", openList, "b", openList)
			w.touched = map[string]time.Time{"openspec/changes/b/tasks.md": time.Unix(2e9, 0)}
			return w
		}, saved("a"), "a saved"},
		{"the last save was about one that is complete now", func(t *testing.T) *world {
			w := newWorld(t, "a", doneList, "b", openList, "c", openList)
			w.touched = map[string]time.Time{"openspec/changes/c/tasks.md": time.Unix(2e9, 0)}
			return w
		}, saved("a"), "c recent"},
		{"the latest commit, whatever the time on disk", func(t *testing.T) *world {
			w := newWorld(t, "a", openList, "b", openList, "c", openList)
			w.touched = map[string]time.Time{
				"openspec/changes/a/tasks.md": time.Unix(3e8, 0), "openspec/changes/b/tasks.md": time.Unix(5e8, 0),
				"openspec/changes/c/tasks.md": time.Unix(4e8, 0),
			}
			must(t, os.Chtimes(filepath.Join(w.dir, "openspec/changes/a/tasks.md"), time.Unix(2e9, 0), time.Unix(2e9, 0)))
			return w
		}, on("main"), "b recent"},
		{"all the same: the first by name",
			func(t *testing.T) *world { return newWorld(t, "b", openList, "a", openList) }, nil, "a first"},
		{"changes without a list go by their folders", func(t *testing.T) *world {
			w := newWorld(t)
			for i, id := range []string{"a", "b", "c"} {
				dir := filepath.Join(w.dir, "openspec/changes", id)
				must(t, os.MkdirAll(dir, 0o755))
				must(t, os.WriteFile(filepath.Join(dir, "proposal.md"), nil, 0o644))
				must(t, os.Chtimes(dir, time.Unix(1e9, 0), time.Unix(1e9+int64(i%2), 0)))
			}
			return w
		}, nil, "b recent"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := c.world(t).look(c.hints)
			if got := w.Change + " " + string(w.Why.Reason); got != c.want {
				t.Errorf("chosen is %s (%+v), want %s", got, w.Why, c.want)
			}
			if len(w.Warnings) > 0 {
				t.Errorf("warnings: %v", w.Warnings)
			}
		})
	}
}

func TestWhySays(t *testing.T) {
	w := newWorld(t, "a", openList, "b", openList).edit("a", "- [x] one\n- [x] two\n- [x] three\n- [ ] four\n").look(nil)
	if want := (Why{Reason: ReasonTicked, Task: "three", Count: 2}); w.Why != want {
		t.Errorf("%+v, want %+v", w.Why, want)
	}
	w = newWorld(t, "a", openList, "b", openList).edit("a", openList+"\n").look(nil)
	if want := (Why{Reason: ReasonEdited, File: "openspec/changes/a/tasks.md"}); w.Why != want {
		t.Errorf("%+v, want %+v", w.Why, want)
	}
	w = newWorld(t, "a", openList, "b", doneList).look(nil)
	if want := (Why{Reason: ReasonOnlyOfStatus, Status: InProgress}); w.Why != want {
		t.Errorf("%+v, want %+v", w.Why, want)
	}
	w = newWorld(t, "add-a", openList, "add-b", openList).look(func(h *Hints) { h.Branch = "x/add-b" })
	if want := (Why{Reason: ReasonBranch, Branch: "x/add-b", Match: MatchSame}); w.Why != want {
		t.Errorf("%+v, want %+v", w.Why, want)
	}
	five := newWorld(t, "a", openList, "b", openList)
	five.touched = map[string]time.Time{"openspec/changes/b/tasks.md": time.Unix(5e9, 0),
		"openspec/changes/a/tasks.md": time.Unix(4e9, 0)}
	w = five.look(nil)
	if want := (Why{Reason: ReasonRecent, When: time.Unix(5e9, 0)}); w.Why != want {
		t.Errorf("%+v, want %+v", w.Why, want)
	}
	for reason, guess := range map[Reason]bool{
		ReasonNamed: false, ReasonPointer: false, ReasonOnly: false, ReasonTicked: false, ReasonBranch: false,
		ReasonOnlyOfStatus: false,
		ReasonEdited:       false, ReasonSaved: true, ReasonRecent: true, ReasonFirst: true,
	} {
		if got := (Why{Reason: reason}).Guess(); got != guess {
			t.Errorf("%s: guess is %v", reason, got)
		}
	}
}

// TestHintsAreLazy: git is asked only what the choice and the next task depend on.
func TestHintsAreLazy(t *testing.T) {
	for _, c := range []struct {
		name  string
		world *world
		hints func(*Hints)
		want  string
	}{
		{"one change, nothing done", newWorld(t, "a", "- [ ] one\n"), nil, "map[]"},
		{"one complete change", newWorld(t, "a", doneList), nil, "map[]"},
		{"named", newWorld(t, "a", "- [ ] one\n", "b", openList), func(h *Hints) { h.Change = "a" }, "map[]"},
		{"one change, something done", newWorld(t, "a", openList), nil, "map[AtHead:1 Before:1]"},
		{"the last save tells what was ticked", newWorld(t, "a", moreList), func(h *Hints) {
			h.Saved = Saved{Change: "a", Done: []string{"one"}}
		}, "map[]"},
		{"twenty changes, nothing edited, the branch tells",
			twenty(t), func(h *Hints) { h.Branch = "change-7" }, "map[AtHead:1 Before:1 Changed:1]"},
		{"twenty changes, one edited and ticked", twenty(t).edit("change-3", moreList), nil, "map[AtHead:2 Changed:1]"},
		{"twenty changes and no sign", twenty(t), nil, "map[AtHead:1 Before:1 Changed:1 Touched:1]"},
	} {
		c.world.look(c.hints)
		if got := fmt.Sprint(c.world.asked); got != c.want {
			t.Errorf("%s: asked %s, want %s", c.name, got, c.want)
		}
	}
}

func twenty(t *testing.T) *world {
	var lists []string
	for i := range 20 {
		lists = append(lists, fmt.Sprintf("change-%d", i), openList)
	}
	return newWorld(t, lists...)
}

// TestWithoutChanged: a caller that has not scanned the work tree still gets ticks compared, of those in progress.
func TestWithoutChanged(t *testing.T) {
	w := newWorld(t, "a", openList, "b", openList, "c", doneList).edit("b", moreList)
	got := w.look(func(h *Hints) { h.Changed = nil })
	if got.Change != "b" || got.Why.Reason != ReasonTicked {
		t.Errorf("%s %+v", got.Change, got.Why)
	}
	var lists []string
	for i := range maxCompared + 1 {
		lists = append(lists, fmt.Sprintf("c%03d", i), openList)
	}
	many := newWorld(t, lists...)
	got = many.look(func(h *Hints) { h.Changed = nil })
	if got.Why.Reason != ReasonFirst || many.asked["AtHead"] > 1 {
		t.Errorf("%s %+v after asking %v", got.Change, got.Why, many.asked)
	}
}

// TestFailingHints: a function that fails is named, and the choice goes on without it.
func TestFailingHints(t *testing.T) {
	for _, name := range []string{"Changed", "AtHead", "Before", "Touched"} {
		w := newWorld(t, "a", openList, "b", openList)
		w.edit("a", openList+"\n").edit("b", openList+"\n")
		w.fail = name
		got := w.look(nil)
		i := slices.IndexFunc(got.Warnings, func(w Warning) bool { return w.Code == WarnHint && w.Name == name })
		if i < 0 || !errors.Is(got.Warnings[i].Err, errGit) {
			t.Errorf("%s failed: warnings are %v", name, got.Warnings)
		}
		if got.Change == "" || got.Next == nil {
			t.Errorf("%s failed, and with it the answer: %+v", name, got)
		}
	}
	big := newWorld(t, "a", openList, "b", openList).edit("a", moreList)
	big.head["openspec/changes/a/tasks.md"] = strings.Repeat("\n", MaxFile+1)
	if got := big.look(nil); !slices.Contains(codes(got), WarnHint) {
		t.Errorf("a file too large at HEAD: %v", got.Warnings)
	}
}

// TestNoHintsOutsideGit: without a work tree nobody can know the files.
func TestNoHintsOutsideGit(t *testing.T) {
	w := newWorld(t, "a", openList, "b", openList).edit("a", moreList)
	got, err := Find(context.Background(), Place{Dir: w.dir}, w.hints())
	must(t, err)
	if len(w.asked) != 0 || got.Change == "" {
		t.Errorf("asked %v, chose %q", w.asked, got.Change)
	}
}

// TestOutsideTheTree: a project above the work tree is the program's, but git knows nothing of it.
func TestOutsideTheTree(t *testing.T) {
	w := newWorld(t, "a", openList, "b", openList)
	top := filepath.Join(w.dir, "repo")
	must(t, os.MkdirAll(top, 0o755))
	got, err := Find(context.Background(), Place{Dir: top, Top: top}, w.hints())
	must(t, err)
	if got.Root != ".." || got.Dir != "../openspec/changes/a" || !slices.Contains(codes(got), WarnOutsideTree) ||
		w.asked["AtHead"] > 0 {
		t.Errorf("%+v, asked %v", got, w.asked)
	}
}

func TestRankedCandidates(t *testing.T) {
	w := newWorld(t, "a", doneList, "b", noList, "c", openList, "d", openList, "e", moreList)
	if got := ids(w.look(func(h *Hints) { h.Branch = "d" }).Candidates); !slices.Equal(got, []string{"d", "c", "e", "b",
		"a"}) {
		t.Errorf("%q", got)
	}
	for _, c := range w.look(nil).Candidates {
		if c.ID == "e" && (c != Candidate{"e", "openspec/changes/e", InProgress, 2, 3}) {
			t.Errorf("%+v", c)
		}
	}
}

func TestBranchNames(t *testing.T) {
	ids := []string{"add-login", "add-login-page", "payment-retry-queue", "세션-복원", "ui", "master-detail-view"}
	for _, c := range []struct{ branch, want string }{
		{"add-login", "add-login same"},
		{"feat/add-login", "add-login same"},
		{"me/feat/add-login", "add-login same"},
		{"Add_Login", "add-login same"},
		{"add/login", "add-login same"},
		{"세션-복원", "세션-복원 same"},
		{"feat/\u1109\u1166\u1109\u1167\u11ab-\u1107\u1169\u11a8\u110b\u116f\u11ab", "세션-복원 same"},
		{"ui", "ui same"},
		{"feature/42-add-login", "add-login contains"},
		{"add-login-page-v2", "add-login-page contains"},
		{"fix-ui-spacing", "ui contains"},
		{"build-pipeline", ""},
		{"retry-queue", "payment-retry-queue contained"},
		{"payment", "payment-retry-queue contained"},
		{"queue", "payment-retry-queue words"},
		{"login", "add-login words"},
		{"queue-retry", "payment-retry-queue words"},
		{"fix/openspec-queue-for-retry", "payment-retry-queue words"},
		{"feat", ""},
		{"main", ""},
		{"master", ""},
		{"me/develop", ""},
		{"detail-view", "master-detail-view contained"},
		{"me/main", ""},
		{"", ""},
		{"---", ""},
		{"🔥", ""},
	} {
		var all []*change
		for _, id := range ids {
			all = append(all, &change{Candidate: Candidate{ID: id}})
		}
		got := ""
		if m := branchIsID(c.branch, all); m != nil {
			got = m.ID + " same"
		} else if m, match := branchLike(c.branch, all); m != nil {
			got = fmt.Sprint(m.ID, " ", match)
		}
		if got != c.want {
			t.Errorf("%q: %q, want %q", c.branch, got, c.want)
		}
	}
}

// TestAmbiguousBranch: a branch that fits two changes equally well tells nothing.
func TestAmbiguousBranch(t *testing.T) {
	pair := []*change{{Candidate: Candidate{ID: "a-b"}}, {Candidate: Candidate{ID: "A_B"}}}
	if c := branchIsID("a-b", pair); c != nil {
		t.Errorf("%q was chosen of two that read the same", c.ID)
	}
	if c, _ := branchLike("x-a-b-y", pair); c != nil {
		t.Errorf("%q was chosen of two that read the same", c.ID)
	}
}

func FuzzBranch(f *testing.F) {
	f.Add("feat/add-login", "add-login", "세션")
	f.Add("", "", "-")
	f.Add("\xff/\xfe", "\xff", "a/b")
	f.Fuzz(func(t *testing.T, branch, one, two string) {
		all := []*change{{Candidate: Candidate{ID: one}}, {Candidate: Candidate{ID: two}}}
		exact := branchIsID(branch, all)
		like, match := branchLike(branch, all)
		if (like == nil) != (match == "") {
			t.Fatalf("%v %q", like, match)
		}
		if exact != nil && plain(one) == plain(two) {
			t.Fatalf("%q chose between equals", branch)
		}
	})
}
