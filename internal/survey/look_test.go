package survey

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"session/gitstate"
	"session/openspec"
)

// everything asks for all that a load asks for.
func everything(rec Recorded) Ask {
	return Ask{Untracked: gitstate.Folders, Config: true, History: true, Files: true, Recorded: rec}
}

func paths(g *Git) (all []string) {
	for _, e := range g.Entries {
		all = append(all, string(e.Kind)+e.Path)
	}
	slices.Sort(all)
	return all
}

func subjects(list []gitstate.Commit) (all []string) {
	for _, c := range list {
		all = append(all, c.Subject)
	}
	return all
}

// picture is what a scene says of git, on one line.
func picture(s Scene) string {
	g := s.Git
	if g == nil {
		return "no git"
	}
	out := []string{g.Head.Branch()}
	add := func(is bool, format string, args ...any) {
		if is {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	add(g.Head.Commit == "", "unborn")
	add(g.BranchTip == "", "no tip")
	add(g.Relation.Missing, "missing")
	add(g.Relation.Ahead > 0, "ahead %d", g.Relation.Ahead)
	add(g.Relation.Behind > 0, "behind %d", g.Relation.Behind)
	add(len(g.Since) > 0, "since %v", subjects(g.Since))
	add(len(g.Incoming) > 0, "incoming %v", subjects(g.Incoming))
	add(g.CutShort != "", "cut short %s", g.CutShort)
	add(len(g.Operations) > 0, "%v", g.Operations)
	add(len(g.Entries) > 0, "%v", paths(g))
	add(g.Real != nil, "real %s", func() string {
		if g.Real == nil {
			return ""
		}
		return g.Real.Subject
	}())
	return strings.Join(out, ", ")
}

// TestLook takes one look at each kind of repository. rec says what was recorded, given what the script printed.
func TestLook(t *testing.T) {
	main := func(commit string) Recorded { return Recorded{Ref: "refs/heads/main", Commit: commit} }
	for name, tc := range map[string]struct {
		script string
		below  string
		rec    func(printed string) Recorded
		want   string
	}{
		"clean":              {script: first + "git rev-parse HEAD", rec: main, want: "main, real first"},
		"unborn":             {script: "git init -q .; echo a >a", rec: func(string) Recorded { return main("") }, want: "main, unborn, no tip, [?a]"},
		"modified and new":   {script: first + "git rev-parse HEAD; echo x >a; mkdir d; echo n >d/n", rec: main, want: "main, [1a ?d/], real first"},
		"two commits later":  {script: first + "git rev-parse HEAD; for i in two three; do git commit -q --allow-empty -m $i; done", rec: main, want: "main, ahead 2, since [three two], real three"},
		"set back":           {script: first + "git commit -q --allow-empty -m two; git rev-parse HEAD; git reset -q --hard HEAD~1", rec: main, want: "main, behind 1, real first"},
		"rewritten":          {script: first + "git commit -q --allow-empty -m two; git rev-parse HEAD; git commit -q --amend --allow-empty -m other", rec: main, want: "main, ahead 1, behind 1, since [other], real other"},
		"lost commit":        {script: first, rec: func(string) Recorded { return main(strings.Repeat("d", 40)) }, want: "main, missing, real first"},
		"taken back whole":   {script: first + "git rev-parse HEAD; git update-ref -d HEAD", rec: main, want: "main, unborn, no tip, behind 1, [1a 1b]"},
		"first commit since": {script: first, rec: func(string) Recorded { return main("") }, want: "main, real first"},
		"on another branch":  {script: first + "git rev-parse HEAD; git switch -qc topic; git commit -q --allow-empty -m two", rec: main, want: "topic, real two"},
		"on another branch, the recorded one moved": {script: first + "git rev-parse HEAD; git commit -q --allow-empty -m two; git switch -qc topic HEAD~1", rec: main, want: "topic, ahead 1, since [two], real first"},
		"the branch is gone":                        {script: first + "git rev-parse HEAD; git switch -qc topic; git branch -qD main", rec: main, want: "topic, no tip, behind 1, real first"},
		"detached":                                  {script: first + "git rev-parse HEAD; git switch -q --detach", rec: func(c string) Recorded { return Recorded{Commit: c} }, want: "HEAD, real first"},
		"detached, moved": {script: first + "git rev-parse HEAD; git switch -q --detach; git commit -q --allow-empty -m two", rec: func(c string) Recorded { return Recorded{Commit: c} },
			want: "HEAD, ahead 1, since [two], real two"},
		"a WIP commit of ours": {script: first + "git rev-parse HEAD; git commit -q --allow-empty -m 'wip: x' -m 'Session-Snapshot: s1'",
			rec: func(c string) Recorded { r := main(c); r.Known = func(s string) bool { return s == "s1" }; return r }, want: "main, ahead 1, since [wip: x], real first"},
		"a WIP commit that nobody recorded": {script: first + "git rev-parse HEAD; git commit -q --allow-empty -m 'wip: x' -m 'Session-Snapshot: s1'",
			rec: func(c string) Recorded { r := main(c); r.Known = func(string) bool { return false }; return r }, want: "main, ahead 1, since [wip: x], cut short s1, real first"},
		"the first commit is one that nobody recorded": {script: "git init -q .; git commit -q --allow-empty -m 'wip: x' -m 'Session-Snapshot: s1'",
			rec: func(string) Recorded { r := main(""); r.Known = func(string) bool { return false }; return r }, want: "main, cut short s1"},
		"a merge in conflict": {script: first + "git rev-parse HEAD; git switch -qc o; echo o >a; git commit -qam o; git switch -q main; echo m >a; git commit -qam m; git merge -q o >/dev/null 2>&1 || true",
			rec: main, want: "main, ahead 1, since [m], [merge], [ua], real m"},
		"a rebase in conflict": {script: first + "git switch -qc o; echo o >a; git commit -qam o; git rev-parse HEAD; git switch -q main; echo m >a; git commit -qam m; git rebase -q main o >/dev/null 2>&1 || true",
			rec: func(c string) Recorded { return Recorded{Ref: "refs/heads/o", Commit: c} }, want: "HEAD, [rebase], [ua], real m"},
		"a linked work tree": {script: first + "git rev-parse HEAD; git worktree add -q -b other linked; echo x >linked/a", below: "linked",
			rec: func(c string) Recorded { return Recorded{Ref: "refs/heads/other", Commit: c} }, want: "other, [1a], real first"},
		"a shallow clone": {script: "mkdir o; cd o; " + first + "git rev-parse HEAD; git commit -q --allow-empty -m two; cd ..; git clone -q --depth 1 file://$PWD/o clone", below: "clone",
			rec: main, want: "main, missing, real two"},
		"behind its upstream": {script: "mkdir o; cd o; " + first + "git rev-parse HEAD; cd ..; git clone -q o clone; git -C o commit -q --allow-empty -m two; git -C clone fetch -q", below: "clone",
			rec: main, want: "main, incoming [two], real first"},
		"an upstream that is gone": {script: "mkdir o; cd o; " + first + "git rev-parse HEAD; cd ..; git clone -q o clone; git -C clone update-ref -d refs/remotes/origin/main", below: "clone",
			rec: main, want: "main, real first"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "true")
			printed := w.run(t, tc.script)
			scene := w.look(t, tc.below, everything(tc.rec(printed)))
			if got := picture(scene); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
			if !scene.At.Equal(noon()) || scene.Git.Config["user.name"] == "" && scene.Git.Config["init.defaultbranch"] != "main" {
				t.Errorf("at %v, config %v", scene.At, scene.Git.Config)
			}
		})
	}
}

func TestLookOutsideGit(t *testing.T) {
	w := newWorld(t, "mkdir -p openspec/changes/add-x/; echo '- [ ] 1.1 one' >openspec/changes/add-x/tasks.md")
	scene, err := w.sources(t, "", false).Look(t.Context(), everything(Recorded{Ref: "refs/heads/main"}))
	if err != nil || scene.Git != nil || scene.Tasks.Change != "add-x" || len(scene.Failures) != 0 {
		t.Errorf("%+v %v", scene, err)
	}
}

// TestGlance sees HEAD and tasks and scans nothing.
func TestGlance(t *testing.T) {
	w := newWorld(t, first+"echo x >a; mkdir -p openspec/changes/add-x; echo '- [ ] 1.1 one' >openspec/changes/add-x/tasks.md; mkdir -p below/openspec/changes/add-y; echo '- [ ] 1' >below/openspec/changes/add-y/tasks.md")
	scene := w.look(t, "", Ask{Glance: true})
	if picture(scene) != "main, no tip" || scene.Git.Head.Commit == "" || scene.Tasks.Next == nil || scene.Tasks.Next.Description != "1.1 one" {
		t.Errorf("%s %+v", picture(scene), scene.Tasks)
	}
}

// TestFilesAgain looks again at what was recorded: what is dirty, and what no commit held.
func TestFilesAgain(t *testing.T) {
	w := newWorld(t, first+"echo x >a; rm b; mkdir new; echo n >new/n; echo o >new/other; echo s >big")
	real, err := filepath.EvalSymlinks(w.dir)
	if err != nil {
		t.Fatal(err)
	}
	stood, _ := StampOf(real, "big")
	rec := Recorded{Ref: "refs/heads/main", Files: []gitstate.File{{Path: "a"}, {Path: "b"}, {Path: "new/n"}, {Path: "clean"}},
		LeftOut: []LeftOut{{Path: "big", Stamp: stood}, {Path: "gone", Stamp: Stamp{Size: 3}}}}
	scene := w.look(t, "", everything(rec))
	if got := strings.Join(paths(scene.Git), " "); got != "1a 1b ?big ?new/n ?new/other" {
		t.Errorf("entries %s: a folder in which something was recorded is listed file by file", got)
	}
	if now := scene.Git.Now; len(now) != 3 || now["a"].Blob == "" || now["b"].Mode != "" || now["new/n"].Mode != "100644" {
		t.Errorf("now %+v", now)
	}
	if left := scene.Git.LeftOutNow; len(left) != 1 || left["big"] != stood {
		t.Errorf("left out %+v", left)
	}
	rec.Dirty = true
	if now := w.look(t, "", everything(rec)).Git.Now; len(now) != 4 || now["clean"].Mode != "" {
		t.Errorf("what no commit held is looked at, dirty or not: %+v", now)
	}
	rec.Files, rec.LeftOut = nil, nil
	if got := strings.Join(paths(w.look(t, "", everything(rec)).Git), " "); got != "1a 1b ?big ?new/" {
		t.Errorf("entries %s: a folder that nobody recorded stays one entry", got)
	}
}

const twoChanges = "mkdir -p openspec/changes/add-x openspec/changes/fix-y openspec/changes/archive/2026-01-04-old; " +
	"echo '- [ ] 1.1 one' >openspec/changes/add-x/tasks.md; echo '- [x] 1.1 y' >openspec/changes/fix-y/tasks.md; echo '- [x] 1' >openspec/changes/archive/2026-01-04-old/tasks.md\n"

// TestChanges: which change is gone on with, and what became of the recorded one.
func TestChanges(t *testing.T) {
	w := newWorld(t, "git init -q .; "+twoChanges+"git add -A; git commit -qm first")
	for name, tc := range map[string]struct {
		ask    Ask
		change string
		status openspec.Status
		gone   openspec.Status // "" for not gone
	}{
		"chosen":                      {Ask{}, "add-x", openspec.InProgress, ""},
		"named now":                   {Ask{Change: "fix-y"}, "fix-y", openspec.Complete, ""},
		"named now, in spite of then": {Ask{Change: "fix-y", Prefer: "add-x"}, "fix-y", openspec.Complete, ""},
		"preferred and in progress":   {Ask{Prefer: "add-x"}, "add-x", openspec.InProgress, ""},
		"preferred and complete":      {Ask{Prefer: "fix-y"}, "add-x", openspec.InProgress, ""},
		"preferred and gone":          {Ask{Prefer: "nowhere", Recorded: Recorded{Change: "nowhere"}}, "add-x", openspec.InProgress, openspec.NotFound},
		"recorded and there":          {Ask{Recorded: Recorded{Change: "fix-y"}}, "add-x", openspec.InProgress, ""},
		"recorded and archived":       {Ask{Recorded: Recorded{Change: "old"}}, "add-x", openspec.InProgress, openspec.Archived},
		"recorded and gone":           {Ask{Recorded: Recorded{Change: "nowhere"}}, "add-x", openspec.InProgress, openspec.NotFound},
		"a name that is none":         {Ask{Change: "../../etc"}, "../../etc", openspec.NotFound, ""},
	} {
		tc.ask.Untracked = gitstate.Folders
		scene := w.look(t, "", tc.ask)
		gone := openspec.Status("")
		if scene.Gone != nil {
			gone = scene.Gone.Status
		}
		if scene.Tasks.Change != tc.change || scene.Tasks.Status != tc.status || gone != tc.gone {
			t.Errorf("%s: %s %s, gone %q", name, scene.Tasks.Change, scene.Tasks.Status, gone)
		}
		alone, err := w.sources(t, "", true).FindTasks(t.Context(), tc.ask)
		if err != nil || alone.Change != tc.change || alone.Status != tc.status {
			t.Errorf("%s: tasks alone: %s %s %v", name, alone.Change, alone.Status, err)
		}
	}
}

// TestTicksDecide: git says where boxes were ticked.
func TestTicksDecide(t *testing.T) {
	w := newWorld(t, "git init -q .; mkdir -p openspec/changes/a openspec/changes/b; for c in a b; do printf '%s\\n' '- [ ] 1 one' '- [ ] 2 two' '- [ ] 3 three' >openspec/changes/$c/tasks.md; done; "+
		"git add -A; git commit -qm first; sed -i 's/\\[ \\] 2/[x] 2/' openspec/changes/b/tasks.md")
	for name, work := range map[string]openspec.Work{
		"look": w.look(t, "", Ask{Untracked: gitstate.Folders}).Tasks,
		"alone": func() openspec.Work {
			work, err := w.sources(t, "", true).FindTasks(t.Context(), Ask{})
			if err != nil {
				t.Error(err)
			}
			return work
		}(),
	} {
		if work.Change != "b" || work.Why.Reason != openspec.ReasonTicked || work.Next == nil || work.Next.Description != "3 three" {
			t.Errorf("%s: %s because %+v, next %+v", name, work.Change, work.Why, work.Next)
		}
	}
	w.run(t, "GIT_COMMITTER_DATE='2037-01-01T00:00:00Z' git commit -qam ticked")
	if work := w.look(t, "", Ask{Untracked: gitstate.Folders}).Tasks; work.Change != "b" || work.Next.Description != "3 three" {
		t.Errorf("after the commit: %s, next %+v", work.Change, work.Next)
	}
}

// TestFailuresAreNamed: a task source that cannot be read is a failure in the scene; git's part stands.
func TestFailuresAreNamed(t *testing.T) {
	w := newWorld(t, first+"mkdir -p openspec; echo 'store: elsewhere' >openspec/config.yaml")
	scene, err := w.sources(t, "", true).Look(t.Context(), everything(Recorded{Ref: "refs/heads/main", Change: "add-x"}))
	if err != nil || len(scene.Failures) != 1 || scene.Failures[0].Source != "tasks" || scene.Gone != nil || scene.Git.Head.Commit == "" {
		t.Errorf("%v %+v", err, scene.Failures)
	}
	var root *openspec.RootError
	if !errors.As(scene.Failures[0].Err, &root) {
		t.Errorf("%v", scene.Failures[0].Err)
	}
}

// TestLookIsCalledOff: a cancelled look is an error, never a scene with holes.
func TestLookIsCalledOff(t *testing.T) {
	w := newWorld(t, first+twoChanges)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if scene, err := w.sources(t, "", true).Look(ctx, everything(Recorded{Ref: "refs/heads/main"})); !errors.Is(err, context.Canceled) {
		t.Errorf("%v %+v", err, scene)
	}
	if _, err := w.sources(t, "", true).FindTasks(ctx, Ask{}); err == nil {
		t.Error("tasks were found by a look that was called off")
	}
}

// TestLookChangesNothing: no lock, no refreshed index, no file.
func TestLookChangesNothing(t *testing.T) {
	w := newWorld(t, first+"touch -d '2001-01-01' a; echo x >b; echo c >c")
	state := func() string {
		return w.run(t, "find . -type f | sort | xargs sha1sum; find . -newer .git/HEAD -type f | sort")
	}
	before := state()
	w.look(t, "", everything(Recorded{Ref: "refs/heads/main", Files: []gitstate.File{{Path: "a"}, {Path: "c"}}, Dirty: true}))
	if after := state(); after != before {
		t.Errorf("before\n%s\nafter\n%s", before, after)
	}
}

func TestStampOf(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "f"), []byte("12345"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("nowhere", filepath.Join(dir, "l")); err != nil {
		t.Fatal(err)
	}
	if s, ok := StampOf(dir, "f"); !ok || s.Size != 5 || s.ModTime == 0 {
		t.Errorf("%+v %v", s, ok)
	}
	if s, ok := StampOf(dir, "l"); !ok || s.Size != int64(len("nowhere")) {
		t.Errorf("a link is stamped, not followed: %+v %v", s, ok)
	}
	if _, ok := StampOf(dir, "gone"); ok {
		t.Error("a stamp of nothing")
	}
	if _, ok := StampOf(filepath.Dir(dir), filepath.Base(dir)+"/"); !ok {
		t.Error("a folder with its slash")
	}
	sparse := filepath.Join(dir, "sparse")
	if f, err := os.Create(sparse); err != nil || f.Truncate(1<<53+1) != nil {
		t.Skip("no file of 8 PiB here")
	}
	if s, _ := StampOf(dir, "sparse"); s.Size > 1<<53-1 {
		t.Errorf("%d bytes fit no snapshot", s.Size)
	}
}
