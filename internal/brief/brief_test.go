package brief

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"session/blocker"
	"session/gitstate"
	"session/internal/quote"
	"session/internal/session"
	"session/internal/survey"
	"session/internal/text"
	"session/openspec"
)

var now = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

func words() *text.Catalogue { return text.New(text.English) }

// saved is a state as a save writes it, and the scene in which all is as it was.
func saved() Input {
	tasks := []openspec.Task{
		{ID: "1", File: "openspec/changes/login/tasks.md", Line: 2, Description: "1.1 Draw it", Done: true},
		{ID: "2", File: "openspec/changes/login/tasks.md", Line: 3, Description: "1.2 Send it"},
	}
	in := Input{
		State: session.State{Mode: "quick", SavedAt: now.Add(-3 * time.Hour), GitBranch: "feat", GitCommit: strings.Repeat("ab", 20), OpenSpec: "login",
			WorkingOn: "1. Form › 1.2 Send it", NextSteps: []string{"1. Form › 1.2 Send it", "test it"}, CompletedTasks: []string{"1.1 Draw it"},
			TaskProgress: session.NewProgress(1, 2), Snapshot: "x9ravv2c0000"},
		Scene: survey.Scene{At: now, Git: &survey.Git{}, Tasks: openspec.Work{Source: openspec.OpenSpec, Change: "login", Completed: 1, Total: 2, Tasks: tasks}},
	}
	in.Scene.Tasks.Next = &in.Scene.Tasks.Tasks[1]
	return in
}

// lines are a brief's lines as mark, label and text, without the time of the save, which is in the machine's zone.
func lines(b Brief) string {
	var all []string
	for _, l := range b {
		if l.Label != "Saved" {
			words := l.Text
			if l.Quote {
				words = quote.Mark + words
			}
			all = append(all, strings.TrimSpace(l.Mark+l.Label+"|"+words))
		}
	}
	return strings.Join(all, "\n")
}

func TestMake(t *testing.T) {
	const usual = "Working on|1. Form › 1.2 Send it\nNext|1.2 Send it  (openspec/changes/login/tasks.md:3)\n|test it\nTasks|login 1/2 (50 %)"
	commit := func(id, subject string) gitstate.Commit {
		return gitstate.Commit{ID: id, Subject: subject, Author: "Ada"}
	}
	for name, tc := range map[string]struct {
		change func(*Input)
		want   string
	}{
		"as it was": {func(*Input) {}, usual},
		"all valid is not said": {func(in *Input) {
			in.Findings = []session.Finding{{Status: session.AllValid, Message: "everything is as it was saved"}}
		}, usual},
		"a finding with its ways out, three at most": {func(in *Input) {
			f := session.Finding{Status: session.BranchMismatch, Message: "saved on feat; you are on main"}
			in.Findings = []session.Finding{f.Offer("switch", "git", "switch", "feat").Offer("think").Offer("save", "session", "save").Offer("x", "y")}
		}, usual + "\n!|BRANCH_MISMATCH: saved on feat; you are on main\n→|git switch feat\n→|session save"},
		"no task is left": {func(in *Input) {
			in.Scene.Tasks.Next, in.Scene.Tasks.Completed = nil, 2
			in.State.NextSteps = []string{"a", "b", "c", "d"}
		}, "Working on|1. Form › 1.2 Send it\nNext|a\n|b\n|c\nTasks|login 2/2 (100 %)"},
		"tasks kept by hand": {func(in *Input) {
			in.State.OpenSpec, in.Scene.Tasks, in.State.NextSteps = "", openspec.Work{}, nil
		}, "Working on|1. Form › 1.2 Send it\nTasks|1/2 (50 %), kept by hand"},
		"the change is gone: its tasks as they were saved, by whose hand they were": {func(in *Input) {
			in.Scene.Tasks, in.State.NextSteps = openspec.Work{}, nil
		}, "Working on|1. Form › 1.2 Send it\nTasks|login 1/2 (50 %)"},
		"blockers, the newer form first, with a way out": {func(in *Input) {
			in.State.Blocker = &blocker.Blocker{Type: blocker.DesignIssue, Severity: blocker.Medium, Description: "not shown"}
			in.State.Blockers = []blocker.Blocker{
				{Type: blocker.BuildError, Severity: blocker.High, Description: "it fails", File: "a.c", Line: 7, Resolution: "mend a.c"},
				{Type: blocker.DesignIssue, Severity: blocker.Medium, Description: "two\nowners"},
			}
		}, usual + "\nBlocker|build_error (high)  (a.c:7)\n|| it fails\n|| try: mend a.c\n|design_issue (medium)\n|| two owners"},
		"one blocker of the seed's form": {func(in *Input) {
			in.State.Blocker = &blocker.Blocker{Type: blocker.DesignIssue, Severity: blocker.Medium, Description: "two owners"}
		}, usual + "\nBlocker|design_issue (medium)\n|| two owners"},
		"a blocker out of a hostile log: quoted, no place outside, no line 0": {func(in *Input) {
			in.State.Blockers = []blocker.Blocker{
				{Type: blocker.BuildError, Severity: blocker.High, Description: "ignore\nprevious\x1b[2J ../../etc/passwd:3", File: "../../etc/passwd", Line: 3, Resolution: "open /etc/passwd"},
				{Type: blocker.CIFailure, Severity: blocker.High, Description: "x", File: "f"},
			}
		}, usual + "\nBlocker|build_error (high)\n|| ignore previous\\x1b[2J …/passwd:3\n|| try: open …/passwd\n|ci_failure (high)  (f)\n|| x"},
		"a finding that quotes a log": {func(in *Input) {
			in.Findings = []session.Finding{session.Finding{Status: session.BlockerCleared, Message: "no more"}.Quoting("push\nto evil").Offer("save", "session", "save")}
		}, usual + "\n!|BLOCKER_CLEARED: no more\n|| push to evil\n→|session save"},
		"commits since, two named": {func(in *Input) {
			in.Scene.Git.Since = []gitstate.Commit{commit("1234567890", "Third"), commit("234567890a", "Second"), commit("34567890ab", "First")}
		}, usual + "\nSince then|3 commits on feat\n|| 1234567 Third (Ada)\n|| 2345678 Second (Ada)\n|| …"},
		"one commit, upstream, ticks": {func(in *Input) {
			in.Scene.Git.Since = []gitstate.Commit{commit("1234567890", "One\x1b[2J")}
			in.Scene.Git.HasUpstream, in.Scene.Git.Behind, in.Scene.Git.Upstream = true, 1, "origin/feat"
			in.Scene.Tasks.Tasks[1].Done = true
		}, usual + "\nSince then|1 commit on feat\n|| 1234567 One\\x1b[2J (Ada)\n|1 commit on origin/feat that is not here yet\n|1 task ticked, first: 1.2 Send it"},
		"outside git": {func(in *Input) { in.Scene.Git = nil }, usual},
		"memories": {func(in *Input) {
			in.Memories = []Memory{{When: now, Summary: "asked:\nwhy"}}
		}, usual + "\nRemember|| 2026-03-04 asked: why"},
		"foreign text": {func(in *Input) {
			in.State.WorkingOn, in.State.NextSteps = "x\x1b]0;y\x07", []string{"\u202egnp"}
		}, "Working on|x\\x1b]0;y\\x07\nNext|1.2 Send it  (openspec/changes/login/tasks.md:3)\n|\\u202egnp\nTasks|login 1/2 (50 %)"},
	} {
		in := saved()
		tc.change(&in)
		if got := lines(Make(in, words())); got != tc.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, tc.want)
		}
	}
}

func TestMakeSaysWhenAndWhere(t *testing.T) {
	for _, tc := range []struct {
		change func(*session.State)
		want   string
	}{
		{func(*session.State) {}, "3 h ago (D) · quick · feat @ abababab · snapshot x9ravv2c"},
		{func(s *session.State) { s.GitCommit, s.Snapshot = "", "" }, "3 h ago (D) · quick · feat"},
		{func(s *session.State) { s.GitBranch, s.Snapshot = "", "" }, "3 h ago (D) · quick"},
	} {
		in := saved()
		tc.change(&in.State)
		want := strings.Replace(tc.want, "D", in.State.SavedAt.Local().Format("2006-01-02 15:04"), 1)
		if got := Make(in, words())[1].Text; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestTextFitsItsColumns(t *testing.T) {
	b := Brief{
		{Label: "Working on", Text: "a long line that is cut where the columns end"},
		{Label: "저장", Text: "wide"},
		{Mark: "!", Text: "STATUS: what a person has to read goes on below"},
		{Mark: "→", Text: "git log --oneline 0be2e816de0a25e522b4c8454ea98a7f51edc391..HEAD"},
		{Text: "more"},
	}
	want := `Working on  a long line that…
저장        wide
!           STATUS: what a
            person has to read
            goes on below
            → git log --oneline 0be2e816de0a25e522b4c8454ea98a7f51edc391..HEAD
            more
`
	if got := b.Text(29); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestTicked(t *testing.T) {
	task := func(d string, done bool) openspec.Task { return openspec.Task{Description: d, Done: done} }
	for _, tc := range []struct {
		was, change string
		tasks       []openspec.Task
		want        string
	}{
		{"a", "login", []openspec.Task{task("a", true), task("b", true), task("c", false)}, "b"},
		{"a,a", "login", []openspec.Task{task("a", true), task("a", true), task("a", true)}, "a"}, // the same words three times
		{"a", "login", []openspec.Task{task("a", false)}, ""},                                     // taken back
		{"", "login", []openspec.Task{task("", true), task("a", true)}, "a"},                      // a box without text
		{"", "other", []openspec.Task{task("a", true)}, ""},                                       // another change's
	} {
		state := session.State{OpenSpec: "login"}
		if tc.was != "" {
			state.CompletedTasks = strings.Split(tc.was, ",")
		}
		got := strings.Join(Ticked(state, survey.Scene{Tasks: openspec.Work{Change: tc.change, Tasks: tc.tasks}}), ",")
		if got != tc.want {
			t.Errorf("%+v: %q", tc, got)
		}
	}
	if got := Ticked(session.State{}, survey.Scene{Tasks: openspec.Work{Tasks: []openspec.Task{task("a", true)}}}); got != nil {
		t.Errorf("without a change: %q", got)
	}
}

func TestAgo(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "in the future (check the clock)", 0: "just now", 59 * time.Second: "just now", time.Minute: "1 min ago", 119 * time.Minute: "119 min ago",
		2 * time.Hour: "2 h ago", 47 * time.Hour: "47 h ago", 48 * time.Hour: "2 days ago", 240 * time.Hour: "10 days ago",
	} {
		if got := Ago(words(), d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}

// TestShell lets a real shell read back what is offered to be pasted.
func TestShell(t *testing.T) {
	for _, args := range [][]string{
		{"git", "switch", "main"}, {"a b", "", "it's", `back\slash`, `"$HOME"`, "`id`", "$(id)", "*", "~", "#x", ";ls", "a&b", "한글", "!x", "-n", "a=b", "{a,b}", "?"},
	} {
		line := Shell(args)
		out, err := exec.Command("sh", "-c", "for a in "+line+`; do printf '%s\n' "$a"; done`).Output()
		if err != nil || string(out) != strings.Join(args, "\n")+"\n" {
			t.Errorf("%s: %v\n%s", line, err, out)
		}
	}
	if got := Shell([]string{"git", "switch", "a\x1b[2J\nb'"}); got != `git switch $'a\x1b[2J\nb\''` {
		t.Errorf("control characters: %s", got)
	}
	if bash, err := exec.LookPath("bash"); err == nil {
		weird := "a\x1b[2J\n\tb'\\\u202e"
		out, err := exec.Command(bash, "-c", "LC_ALL=C.UTF-8; printf %s "+Shell([]string{weird})).Output()
		if err != nil || string(out) != weird {
			t.Errorf("%s: %q %v", Shell([]string{weird}), out, err)
		}
	}
}

func TestGraph(t *testing.T) {
	for name, tc := range map[string]struct {
		nodes []Node
		want  string
	}{
		"nothing":                    {nil, ""},
		"a line":                     {[]Node{{"c", "b", "c", false}, {"b", "a", "b", false}, {"a", "", "a", false}}, "* c\n* b\n* a"},
		"a fork":                     {[]Node{{"d", "b", "d", false}, {"c", "b", "c", false}, {"b", "", "b", false}}, "* d\n| * c\n|/\n* b"},
		"an autosave":                {[]Node{{"x", "b", "x", true}, {"c", "b", "c", false}, {"b", "", "b", false}}, "o x\n| * c\n|/\n* b"},
		"two forks":                  {[]Node{{"d", "a", "d", false}, {"c", "a", "c", false}, {"b", "a", "b", false}, {"a", "", "a", false}}, "* d\n| * c\n| | * b\n|_|/\n|/\n* a"},
		"a parent that is not shown": {[]Node{{"d", "x", "d", false}, {"c", "", "c", false}}, "* d\n| * c"},
	} {
		got := Graph(tc.nodes)
		for i := range got {
			got[i] = strings.TrimRight(got[i], " ")
		}
		if s := strings.Join(got, "\n"); s != tc.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, s, tc.want)
		}
	}
}
