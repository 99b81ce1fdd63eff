package validate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"session/blocker"
	"session/gitstate"
	"session/internal/session"
	"session/internal/survey"
	"session/openspec"
)

// Commits of the situations: three on a line, and one that is on no branch.
const (
	c1   = "1111111111111111111111111111111111111111"
	c2   = "2222222222222222222222222222222222222222"
	gone = "dddddddddddddddddddddddddddddddddddddddd"
)

// situation is what was recorded and what is there. The zero one of at(): saved on main at c1, standing there, clean.
type situation struct {
	state session.State
	rec   survey.Recorded
	scene survey.Scene
}

func at() *situation {
	s := &situation{
		state: session.State{Mode: "quick", GitBranch: "main", GitCommit: c1, WorkingOn: "w", OpenSpecStatus: "NONE"},
		rec:   survey.Recorded{Ref: "refs/heads/main", Commit: c1},
	}
	s.scene.Git = &survey.Git{BranchTip: c1}
	s.scene.Git.Head = gitstate.Head{Ref: "refs/heads/main", Commit: c1}
	return s
}

// on puts HEAD elsewhere: a branch, or "" for a detached HEAD.
func (s *situation) on(branch, commit string) *situation {
	ref := ""
	if branch != "" {
		ref = "refs/heads/" + branch
	}
	s.scene.Git.Head = gitstate.Head{Ref: ref, Commit: commit}
	return s
}

// savedOn says on which branch the state was saved; "" on none.
func (s *situation) savedOn(branch, commit string) *situation {
	s.state.GitBranch, s.rec.Ref = branch, "refs/heads/"+branch
	if branch == "" {
		s.state.GitBranch, s.rec.Ref = "HEAD", ""
	}
	s.state.GitCommit, s.rec.Commit = commit, commit
	return s
}

// tip is where the recorded branch stands now, and how the recorded commit stands to it.
func (s *situation) tip(commit string, r gitstate.Relation) *situation {
	s.scene.Git.BranchTip, s.scene.Git.Relation = commit, r
	return s
}

func (s *situation) entries(e ...gitstate.Entry) *situation {
	s.scene.Git.Entries = append(s.scene.Git.Entries, e...)
	return s
}

func (s *situation) recorded(f ...gitstate.File) *situation {
	s.rec.Files = append(s.rec.Files, f...)
	return s
}

// now says how recorded files stand in the work tree.
func (s *situation) now(f ...gitstate.File) *situation {
	if s.scene.Git.Now == nil {
		s.scene.Git.Now = map[string]gitstate.File{}
	}
	for _, x := range f {
		s.scene.Git.Now[x.Path] = x
	}
	return s
}

func (s *situation) leftOut(path, reason string, then survey.Stamp, now *survey.Stamp) *situation {
	s.rec.LeftOut = append(s.rec.LeftOut, survey.LeftOut{Path: path, Reason: reason, Stamp: then})
	if now != nil {
		if s.scene.Git.LeftOutNow == nil {
			s.scene.Git.LeftOutNow = map[string]survey.Stamp{}
		}
		s.scene.Git.LeftOutNow[path] = *now
	}
	return s
}

func (s *situation) change(id, status string, total int) *situation {
	s.state.OpenSpec, s.state.OpenSpecStatus, s.state.TaskSource, s.rec.Change = id, status, "openspec", id
	s.state.TaskProgress = session.NewProgress(0, total)
	return s
}

func (s *situation) blockers(b ...blocker.Blocker) *situation {
	s.state.Blockers = append(s.state.Blockers, b...)
	s.state.Blocker = &s.state.Blockers[0]
	return s
}

func (s *situation) with(f func(*situation)) *situation { f(s); return s }

func tracked(path string) gitstate.Entry {
	return gitstate.Entry{Path: path, Kind: gitstate.Tracked, X: '.', Y: 'M', Sub: "N..."}
}
func untracked(path string) gitstate.Entry {
	return gitstate.Entry{Path: path, Kind: gitstate.Untracked, X: '?', Y: '?'}
}
func unmerged(path string) gitstate.Entry {
	return gitstate.Entry{Path: path, Kind: gitstate.Unmerged, X: 'U', Y: 'U', Sub: "N..."}
}
func file(path, blob string) gitstate.File {
	return gitstate.File{Path: path, Mode: "100644", Blob: blob}
}

// picture is a finding on one line: status, key, what goes into its places, ways out.
func picture(f session.Finding) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", f.Status, f.Key)
	for i := 0; i+1 < len(f.Args); i += 2 {
		fmt.Fprintf(&b, " %v=%v", f.Args[i], f.Args[i+1])
	}
	if f.Quote != "" {
		b.WriteString(" | | " + f.Quote)
	}
	for _, a := range f.Actions {
		fmt.Fprintf(&b, " | %s: %s", a.ID, strings.Join(a.Command, " "))
	}
	return b.String()
}

func pictures(r Report) (all []string) {
	for _, f := range r.Findings {
		all = append(all, picture(f))
	}
	return all
}

const save = " | save: session save"

// gitRows are the situations of git_sync.
var gitRows = []row{
	{"nothing changed", at(), "ALL_VALID valid.all"},
	{"saved and standing outside git", at().with(func(s *situation) { s.state.GitBranch, s.rec, s.scene.Git = "", survey.Recorded{}, nil }), "ALL_VALID valid.all"},
	{"saved outside git, a repository now", at().with(func(s *situation) { s.state.GitBranch, s.rec = "", survey.Recorded{}; s.tip(c1, gitstate.Relation{}) }), "ALL_VALID valid.all"},
	{"saved in git, no repository now", at().with(func(s *situation) { s.scene.Git = nil }),
		"COMMIT_MISMATCH valid.git.gone saved=main commit=11111111" + save},

	{"another branch", at().on("topic", c2), "BRANCH_MISMATCH valid.branch.switched saved=main now=topic | switch: git switch main"},
	{"another branch, something saved there", at().on("topic", c2).with(func(s *situation) { s.rec.Here = "kr7z31t9abcdefgh" }),
		"BRANCH_MISMATCH valid.branch.switched saved=main now=topic | switch: git switch main | load: session load kr7z31t9"},
	{"another branch, unborn", at().on("fresh", ""), "BRANCH_MISMATCH valid.branch.switched saved=main now=fresh | switch: git switch main"},
	{"a detached head instead of the branch", at().on("", c2), "BRANCH_MISMATCH valid.branch.switched-left saved=main now=22222222 | switch: git switch main"},
	{"the branch's own commit, detached", at().on("", c1), "BRANCH_MISMATCH valid.branch.switched-left saved=main now=11111111 | switch: git switch main"},
	{"a branch that would be read as an option", at().savedOn("--discard-changes", c1).on("main", c1),
		"BRANCH_MISMATCH valid.branch.switched saved=--discard-changes now=main"},
	{"a branch name that is no UTF-8", at().with(func(s *situation) {
		s.state.GitBranch, s.rec.Ref = session.PathText("caf\xe9"), "refs/heads/caf\xe9"
	}).on("main", c1), "BRANCH_MISMATCH valid.branch.switched saved=caf\xe9 now=main | switch: git switch caf\xe9"},
	{"the branch is deleted", at().on("topic", c2).tip("", gitstate.Relation{Behind: 1}),
		"BRANCH_MISMATCH valid.branch.deleted saved=main now=topic | recreate: git switch -c main " + c1 + save},
	{"the branch is deleted and its commit collected", at().on("topic", c2).tip("", gitstate.Relation{Missing: true}),
		"BRANCH_MISMATCH valid.branch.deleted saved=main now=topic" + save +
			"\nCOMMIT_MISMATCH valid.commit.missing saved=11111111 now=22222222 | reflog: git reflog" + save},
	{"the branch never had a commit and is left", at().savedOn("main", "").on("topic", c2).tip("", gitstate.Relation{}),
		"BRANCH_MISMATCH valid.branch.deleted saved=main now=topic" + save},

	{"detached, and still there", at().savedOn("", c1).on("", c1), "ALL_VALID valid.all"},
	{"detached, moved on", at().savedOn("", c1).on("", c2).tip(c2, gitstate.Relation{Ahead: 2}),
		"COMMIT_MISMATCH valid.commit.ahead saved=11111111 now=22222222 ahead=2 behind=0 | inspect: git log --oneline " + c1 + ".." + c2 + save},
	{"detached, on a branch now", at().savedOn("", c1).on("main", c1),
		"BRANCH_MISMATCH valid.branch.detached commit=11111111 now=main | switch: git switch --detach " + c1},
	{"detached, on a branch now, its commit gone", at().savedOn("", gone).on("main", c1).tip(c1, gitstate.Relation{Missing: true}),
		"BRANCH_MISMATCH valid.branch.detached commit=dddddddd now=main\n" +
			"COMMIT_MISMATCH valid.commit.missing saved=dddddddd now=11111111 | reflog: git reflog" + save},

	{"commits were added", at().on("main", c2).tip(c2, gitstate.Relation{Ahead: 3}),
		"COMMIT_MISMATCH valid.commit.ahead saved=11111111 now=22222222 ahead=3 behind=0 | inspect: git log --oneline " + c1 + ".." + c2 + save},
	{"the branch was set back", at().savedOn("main", c2).on("main", c1).tip(c1, gitstate.Relation{Behind: 2}),
		"COMMIT_MISMATCH valid.commit.behind saved=22222222 now=11111111 ahead=0 behind=2 | inspect: git log --oneline " + c1 + ".." + c2 + save},
	{"the history was rewritten", at().on("main", c2).tip(c2, gitstate.Relation{Ahead: 1, Behind: 1}),
		"COMMIT_MISMATCH valid.commit.diverged saved=11111111 now=22222222 ahead=1 behind=1 | inspect: git log --oneline --left-right " + c1 + "..." + c2 + save},
	{"the commit is lost (power, shallow clone, another store)", at().savedOn("main", gone).tip(c1, gitstate.Relation{Missing: true}),
		"COMMIT_MISMATCH valid.commit.missing saved=dddddddd now=11111111 | reflog: git reflog" + save},
	{"a save was cut short", at().on("main", c2).tip(c2, gitstate.Relation{Ahead: 1}).with(func(s *situation) { s.scene.Git.CutShort = "996s9w5gabcdefgh" }),
		"COMMIT_MISMATCH valid.commit.cut-short commit=22222222 snapshot=996s9w5g" + save},
	{"a save was cut short on a rewritten branch", at().on("main", c2).tip(c2, gitstate.Relation{Ahead: 1, Behind: 1}).with(func(s *situation) { s.scene.Git.CutShort = "996s9w5g" }),
		"COMMIT_MISMATCH valid.commit.diverged saved=11111111 now=22222222 ahead=1 behind=1 | inspect: git log --oneline --left-right " + c1 + "..." + c2 + save},
	{"the first commit after an unborn save", at().savedOn("main", "").tip(c1, gitstate.Relation{}),
		"COMMIT_MISMATCH valid.commit.first saved= now=11111111 ahead=0 behind=0" + save},
	{"the first commit is that of a save cut short", at().savedOn("main", "").tip(c1, gitstate.Relation{}).with(func(s *situation) { s.scene.Git.CutShort = "996s9w5gabcdefgh" }),
		"COMMIT_MISMATCH valid.commit.cut-short commit=11111111 snapshot=996s9w5g" + save},
	{"still unborn", at().savedOn("main", "").on("main", "").tip("", gitstate.Relation{}), "ALL_VALID valid.all"},
	{"the only commit was taken back", at().on("main", "").tip("", gitstate.Relation{Behind: 1}),
		"COMMIT_MISMATCH valid.commit.unborn saved=11111111 branch=main" + save},
	{"the only commit was taken back and collected", at().on("main", "").tip("", gitstate.Relation{Missing: true}),
		"COMMIT_MISMATCH valid.commit.unborn saved=11111111 branch=main" + save},
	{"another branch, and the recorded one moved", at().on("topic", c1).tip(c2, gitstate.Relation{Ahead: 1}),
		"BRANCH_MISMATCH valid.branch.switched saved=main now=topic | switch: git switch main\n" +
			"COMMIT_MISMATCH valid.commit.ahead saved=11111111 now=22222222 ahead=1 behind=0 | inspect: git log --oneline " + c1 + ".." + c2 + save},
}

// row is one situation and the findings that follow, in order.
type row struct {
	name string
	s    *situation
	want string
}

func (r row) run(t *testing.T) {
	t.Run(r.name, func(t *testing.T) {
		got := Check(r.s.state, r.s.rec, r.s.scene)
		if s := strings.Join(pictures(got), "\n"); s != r.want {
			t.Errorf("got\n%s\nwant\n%s", s, r.want)
		}
		consistentReport(t, got)
	})
}

// consistentReport holds the four named checks of the seed against the findings.
func consistentReport(t *testing.T, r Report) {
	t.Helper()
	has := func(want ...session.Status) bool {
		return slices.ContainsFunc(r.Findings, func(f session.Finding) bool { return slices.Contains(want, f.Status) })
	}
	for name, is := range map[string][2]bool{
		"git_sync":         {r.GitSync, !has(session.BranchMismatch, session.CommitMismatch)},
		"openspec_exists":  {r.OpenSpecExists, !has(session.OpenSpecNotFound)},
		"blocker_resolved": {r.BlockerResolved, !has(session.BlockerExists)},
	} {
		if is[0] != is[1] {
			t.Errorf("%s is %v, the findings say %v", name, is[0], is[1])
		}
	}
	if has(session.UncommittedChanges) && r.FilesIntact {
		t.Error("files_intact in spite of files that differ")
	}
	valid := r.GitSync && r.OpenSpecExists && r.FilesIntact && r.BlockerResolved
	if valid != has(session.AllValid) || has(session.AllValid) && len(r.Findings) != 1 {
		t.Errorf("ALL_VALID beside %v", r.Statuses())
	}
	if needs := slices.ContainsFunc(r.Findings, session.Finding.Serious); needs == valid {
		t.Errorf("exit code 3 is %v, all valid is %v", needs, valid)
	}
}

func TestGit(t *testing.T) {
	for _, r := range gitRows {
		r.run(t)
	}
}

const commitStash = " | commit: session save | stash: git stash push --include-untracked"

var fileRows = []row{
	{"a file was modified", at().entries(tracked("a.go")), "UNCOMMITTED_CHANGES valid.uncommitted n=1 files=[a.go]" + commitStash},
	{"a file is new", at().entries(untracked("new/")), "UNCOMMITTED_CHANGES valid.uncommitted n=1 files=[new/]" + commitStash},
	{"only the state file", at().entries(untracked(session.StateFile), tracked(session.StateFile)), "ALL_VALID valid.all"},
	{"a conflict", at().entries(unmerged("a.go")), "BLOCKER_EXISTS valid.conflict files=[a.go] | inspect: git status\n" +
		"UNCOMMITTED_CHANGES valid.uncommitted n=1 files=[a.go] | inspect: git status"},
	{"recorded uncommitted, and as it was", at().recorded(file("a", "1")).with(dirty).entries(tracked("a")).now(file("a", "1")), "ALL_VALID valid.all"},
	{"recorded uncommitted, changed since", at().recorded(file("a", "1")).with(dirty).entries(tracked("a")).now(file("a", "2")),
		"UNCOMMITTED_CHANGES valid.uncommitted n=1 files=[a]" + commitStash},
	{"recorded uncommitted, made executable since", at().recorded(file("a", "1")).with(dirty).entries(tracked("a")).now(gitstate.File{Path: "a", Mode: "100755", Blob: "1"}),
		"UNCOMMITTED_CHANGES valid.uncommitted n=1 files=[a]" + commitStash},
	{"recorded uncommitted, thrown away since", at().recorded(file("a", "1")).with(dirty).now(file("a", "0")),
		"UNCOMMITTED_CHANGES valid.uncommitted n=1 files=[a]" + commitStash},
	{"recorded uncommitted, committed since", at().recorded(file("a", "1")).with(dirty).now(file("a", "1")), "ALL_VALID valid.all"},
	{"recorded as deleted, and gone", at().recorded(gitstate.File{Path: "a"}).with(dirty).entries(gitstate.Entry{Path: "a", Kind: gitstate.Tracked, X: '.', Y: 'D', Sub: "N..."}).
		now(gitstate.File{Path: "a"}), "ALL_VALID valid.all"},
	{"recorded as deleted, and back", at().recorded(gitstate.File{Path: "a"}).with(dirty).now(file("a", "1")),
		"UNCOMMITTED_CHANGES valid.uncommitted n=1 files=[a]" + commitStash},
	{"committed by the save, dirty again", at().recorded(file("a", "1")).entries(tracked("a")).now(file("a", "2")),
		"UNCOMMITTED_CHANGES valid.uncommitted n=1 files=[a]" + commitStash},
	{"committed by the save, in the index only changed back", at().recorded(file("a", "1")).entries(tracked("a")).now(file("a", "1")), "ALL_VALID valid.all"},
	{"left out, and as it was", at().leftOut("big", "too-large", stamp(5, 7), ptr(stamp(5, 7))).entries(untracked("big")), "ALL_VALID valid.all"},
	{"left out, and another size", at().leftOut("big", "too-large", stamp(5, 7), ptr(stamp(6, 7))).entries(untracked("big")),
		"UNCOMMITTED_CHANGES valid.uncommitted n=1 files=[big]" + commitStash},
	{"left out, touched since", at().leftOut("big", "too-large", stamp(5, 7), ptr(stamp(5, 8))).entries(untracked("big")),
		"UNCOMMITTED_CHANGES valid.uncommitted n=1 files=[big]" + commitStash},
	{"left out, gone since", at().leftOut("big", "too-large", stamp(5, 7), nil), "ALL_VALID valid.all"},
	{"left out because it is a submodule, whatever its time", at().leftOut("sub", gitstate.SkipSubmodule, stamp(5, 7), ptr(stamp(5, 8))).entries(tracked("sub")), "ALL_VALID valid.all"},
	{"left out as a folder", at().leftOut("repo/", gitstate.SkipEmptyRepo, stamp(5, 7), ptr(stamp(5, 7))).entries(untracked("repo/")), "ALL_VALID valid.all"},
	{"twelve files", at().entries(many(12)...), "UNCOMMITTED_CHANGES valid.uncommitted n=12 files=[f0 f1 f2 f3 f4 f5 f6 f7 f8 f9 …]" + commitStash},
	{"ten files", at().entries(many(10)...), "UNCOMMITTED_CHANGES valid.uncommitted n=10 files=[f0 f1 f2 f3 f4 f5 f6 f7 f8 f9]" + commitStash},
}

func dirty(s *situation)                { s.rec.Dirty = true }
func stamp(size, at int64) survey.Stamp { return survey.Stamp{Size: size, ModTime: at} }
func ptr(s survey.Stamp) *survey.Stamp  { return &s }
func many(n int) (all []gitstate.Entry) {
	for i := range n {
		all = append(all, tracked(fmt.Sprint("f", i)))
	}
	return all
}

func TestFiles(t *testing.T) {
	for _, r := range fileRows {
		r.run(t)
	}
}

func broken(auto bool) blocker.Blocker {
	return blocker.Blocker{Type: blocker.BuildError, Description: "no ;", Resolution: "add it", AutoDetected: auto}
}

func candidates(ids ...string) func(*situation) {
	return func(s *situation) {
		for _, id := range ids {
			s.scene.Tasks.Candidates = append(s.scene.Tasks.Candidates, openspec.Candidate{ID: id})
		}
	}
}

const newChange = " | new: openspec new change NAME"

var workRows = []row{
	{"a blocker that was found", at().blockers(broken(true)),
		"BLOCKER_EXISTS valid.blocker type=build_error | | no ; | resume: session load --resume | clear: session blocker clear"},
	{"a blocker by hand", at().blockers(broken(false)),
		"BLOCKER_EXISTS valid.blocker type=build_error | | no ; | clear: session blocker clear"},
	{"a blocker alone, as the seed writes it", at().with(func(s *situation) { b := broken(false); s.state.Blocker = &b }),
		"BLOCKER_EXISTS valid.blocker type=build_error | | no ; | clear: session blocker clear"},
	{"two blockers", at().blockers(broken(false), blocker.Blocker{Type: blocker.Other, Description: "rain"}),
		"BLOCKER_EXISTS valid.blocker type=build_error | | no ; | clear: session blocker clear\n" +
			"BLOCKER_EXISTS valid.blocker type=other | | rain | clear: session blocker clear"},
	{"a conflict that is recorded is told once", at().blockers(blocker.Blocker{Type: blocker.MergeConflict, Description: "a"}).entries(unmerged("a")),
		"BLOCKER_EXISTS valid.blocker type=merge_conflict | | a | clear: session blocker clear\n" +
			"UNCOMMITTED_CHANGES valid.uncommitted n=1 files=[a] | inspect: git status"},

	{"the change is there", at().change("add-login", "IN_PROGRESS", 3).with(func(s *situation) {
		s.scene.Tasks = openspec.Work{Source: openspec.OpenSpec, Change: "add-login", Status: openspec.InProgress}
	}), "ALL_VALID valid.all"},
	{"the change was archived", at().change("add-login", "IN_PROGRESS", 3).with(func(s *situation) {
		s.scene.Gone = &openspec.Work{Status: openspec.Archived, Archive: &openspec.Archive{Dir: "openspec/changes/archive/2026-01-04-add-login"}}
	}), "OPENSPEC_NOT_FOUND valid.change.archived change=add-login dir=openspec/changes/archive/2026-01-04-add-login" + newChange},
	{"the change is gone", at().change("add-login", "IN_PROGRESS", 3).with(func(s *situation) { s.scene.Gone = &openspec.Work{Status: openspec.NotFound} }),
		"OPENSPEC_NOT_FOUND valid.change.gone change=add-login" + newChange},
	{"the change is gone, others are there", at().change("add-login", "IN_PROGRESS", 3).with(func(s *situation) { s.scene.Gone = &openspec.Work{Status: openspec.NotFound} }).
		with(candidates("fix-logout", "add-login", "x")),
		"OPENSPEC_NOT_FOUND valid.change.gone change=add-login | continue: session save --openspec fix-logout | continue: session save --openspec x" + newChange},
	{"its tasks are gone", at().change("add-login", "IN_PROGRESS", 3).with(func(s *situation) {
		s.scene.Tasks = openspec.Work{Source: openspec.OpenSpec, Change: "add-login", Status: openspec.NoTasks}
	}), "OPENSPEC_NOT_FOUND valid.tasks.gone change=add-login" + newChange},
	{"it never had tasks", at().change("add-login", "NO_TASKS", 0).with(func(s *situation) {
		s.scene.Tasks = openspec.Work{Source: openspec.OpenSpec, Change: "add-login", Status: openspec.NoTasks}
	}), "ALL_VALID valid.all"},
	{"archived when it was saved", at().change("add-login", "ARCHIVED", 0).with(func(s *situation) { s.scene.Gone = &openspec.Work{Status: openspec.Archived} }), "ALL_VALID valid.all"},
	{"gone when it was saved", at().change("add-login", "NOT_FOUND", 0).with(func(s *situation) { s.scene.Gone = &openspec.Work{Status: openspec.NotFound} }), "ALL_VALID valid.all"},
	{"another task source is no change", at().change("add-login", "NONE", 3).with(func(s *situation) {
		s.state.TaskSource, s.scene.Gone = "spec-kit", &openspec.Work{Status: openspec.NotFound}
	}), "ALL_VALID valid.all"},
	{"the tasks could not be read: nothing is made up", at().change("add-login", "IN_PROGRESS", 3).with(func(s *situation) {
		s.scene.Failures = []survey.Failure{{Source: "tasks", Err: fmt.Errorf("denied")}}
	}), "ALL_VALID valid.all"},
}

func TestWork(t *testing.T) {
	for _, r := range workRows {
		r.run(t)
	}
}

// everything is wrong at once.
func everything() *situation {
	return at().on("topic", c2).tip(c2, gitstate.Relation{Ahead: 1, Behind: 1}).entries(tracked("a"), unmerged("b"), untracked("c/")).
		change("add-login", "IN_PROGRESS", 3).blockers(broken(true), broken(false)).with(candidates("x", "y")).
		with(func(s *situation) { s.scene.Gone = &openspec.Work{Status: openspec.NotFound} })
}

// TestOrder wants every finding, in the seed's order: the blocker, git, the files, the work.
func TestOrder(t *testing.T) {
	r := Check(everything().state, everything().rec, everything().scene)
	want := []session.Status{session.BlockerExists, session.BranchMismatch, session.CommitMismatch, session.UncommittedChanges, session.OpenSpecNotFound}
	if got := r.Statuses(); !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	if len(r.Findings) != 7 {
		t.Errorf("%d findings: %v", len(r.Findings), pictures(r))
	}
	if r.GitSync || r.OpenSpecExists || r.FilesIntact || r.BlockerResolved {
		t.Errorf("%+v", r)
	}
	consistentReport(t, r)
	if r := Check(session.State{}, survey.Recorded{}, survey.Scene{}); !slices.Equal(r.Statuses(), []session.Status{session.AllValid}) {
		t.Errorf("nothing recorded, nothing there: %v", r.Statuses())
	}
}

// TestCheckIsAFunction wants the same findings for the same input, whatever the order in which maps were filled, and
// wants the input left as it was.
func TestCheckIsAFunction(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		s := everything()
		var files []gitstate.File
		for i := range 30 {
			files = append(files, file(fmt.Sprint("f", i), "1"))
		}
		s.recorded(files...).with(dirty).with(func(s *situation) {
			r.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
			for _, f := range files[:20] {
				f.Blob = "2"
				s.now(f)
			}
		})
		before := fmt.Sprintf("%+v", *s.scene.Git)
		first := pictures(Check(s.state, s.rec, s.scene))
		if again := pictures(Check(s.state, s.rec, s.scene)); !slices.Equal(first, again) {
			t.Fatalf("first\n%s\nagain\n%s", strings.Join(first, "\n"), strings.Join(again, "\n"))
		}
		if after := fmt.Sprintf("%+v", *s.scene.Git); after != before {
			t.Fatal("the scene was changed")
		}
	}
}

// FuzzCheck throws states at every scene of the tables: no panic, and a report that agrees with itself.
func FuzzCheck(f *testing.F) {
	rows := slices.Concat(gitRows, fileRows, workRows)
	f.Add(uint8(0), uint8(1), "main", c1, "add-login")
	f.Add(uint8(7), uint8(30), "\xff--x", "short", "")
	f.Fuzz(func(t *testing.T, a, b uint8, branch, commit, change string) {
		s := *rows[int(a)%len(rows)].s
		s.state.GitBranch, s.state.GitCommit, s.state.OpenSpec = branch, commit, change
		s.rec.Commit = commit
		r := Check(s.state, s.rec, rows[int(b)%len(rows)].s.scene)
		consistentReport(t, r)
		for _, f := range r.Findings {
			for _, x := range f.Actions {
				if len(x.Command) == 3 && x.Command[1] == "switch" && strings.HasPrefix(x.Command[2], "-") {
					t.Errorf("a branch that is an option: %q", x.Command)
				}
			}
		}
	})
}
