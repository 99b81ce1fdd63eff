package capture

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"session/gitstate"
	"session/internal/session"
	"session/internal/survey"
	"session/internal/text"
	"session/openspec"
)

func english() World { return World{Say: text.New(text.English).Say} }

func list(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, ",")
}

// TestTasksByHand: what a person keeps with --todo and --done, on top of what the last save kept.
func TestTasksByHand(t *testing.T) {
	for name, tc := range map[string]struct {
		source, was, open string // of the last save
		todo, done        string
		wantDone, want    string
		wantSource        string
	}{
		"nothing":                          {},
		"the first ones":                   {todo: "a,b", want: "a,b", wantSource: ByHand},
		"carried forward":                  {source: ByHand, was: "a", open: "b", wantDone: "a", want: "b", wantSource: ByHand},
		"done":                             {source: ByHand, open: "a,b", done: "a", wantDone: "a", want: "b", wantSource: ByHand},
		"done and never planned":           {done: "x", wantDone: "x", wantSource: ByHand},
		"done twice":                       {source: ByHand, was: "a", done: "a", wantDone: "a", wantSource: ByHand},
		"to do again":                      {source: ByHand, was: "a", open: "b", todo: "a", want: "b,a", wantSource: ByHand},
		"planned twice":                    {source: ByHand, open: "a", todo: "a", want: "a", wantSource: ByHand},
		"planned and done at once":         {todo: "a", done: "a", wantDone: "a", wantSource: ByHand},
		"another source's are not carried": {source: "openspec", was: "a", open: "b"},
	} {
		d := &Draft{Ask: Ask{Todo: list(tc.todo), Done: list(tc.done)}}
		d.Base.Context.State = session.State{TaskSource: tc.source, CompletedTasks: list(tc.was), PendingTasks: list(tc.open)}
		got, err := tasks(d)
		if err != nil || strings.Join(got.Completed, ",") != tc.wantDone || strings.Join(got.Pending, ",") != tc.want || got.Source != tc.wantSource || got.Status != "NONE" {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		if base := d.Base.State(); strings.Join(base.CompletedTasks, ",") != tc.was || strings.Join(base.PendingTasks, ",") != tc.open {
			t.Errorf("%s: the last save was changed: %+v", name, base)
		}
	}
}

func work(status openspec.Status, tasks ...openspec.Task) openspec.Work {
	w := openspec.Work{Source: openspec.OpenSpec, Change: "login", Dir: "openspec/changes/login", Files: []string{"openspec/changes/login/tasks.md"}, Status: status, Tasks: tasks, Total: len(tasks)}
	for i, x := range tasks {
		if x.Done {
			w.Completed++
		} else if w.Next == nil {
			w.Next = &w.Tasks[i]
		}
	}
	return w
}

func TestTasksOfASource(t *testing.T) {
	a, b := openspec.Task{ID: "1", Heading: "Form", Description: "draw", Done: true}, openspec.Task{ID: "2", Heading: "Form", Description: "send"}
	d := &Draft{Scene: survey.Scene{Tasks: work(openspec.InProgress, a, b)}}
	got, err := tasks(d)
	if err != nil || got.Source != "openspec" || got.Change != "login" || got.Status != "IN_PROGRESS" || got.Said ||
		strings.Join(got.Completed, ",") != "draw" || strings.Join(got.Pending, ",") != "send" || strings.Join(got.Steps, ",") != "Form › send" {
		t.Errorf("%+v, %v", got, err)
	}
	d.Ask.Change = "login"
	if got, _ := tasks(d); !got.Said {
		t.Error("a person named the change")
	}
	d.Ask = Ask{Todo: []string{"x"}}
	var elsewhere *TasksElsewhereError
	if _, err := tasks(d); !errors.As(err, &elsewhere) || elsewhere.File != "openspec/changes/login/tasks.md" {
		t.Errorf("tasks of a file, by hand: %v", err)
	}
	for _, status := range []openspec.Status{openspec.NotFound, openspec.Archived, openspec.None} {
		d := &Draft{Ask: Ask{Change: "x"}, Scene: survey.Scene{Tasks: openspec.Work{Source: openspec.OpenSpec, Change: "x", Status: status, Candidates: []openspec.Candidate{{ID: "login"}}}}}
		var unknown *UnknownChangeError
		if _, err := tasks(d); !errors.As(err, &unknown) || len(unknown.Candidates) != 1 || unknown.Status != status {
			t.Errorf("%s: %v", status, err)
		}
	}
	d = &Draft{Ask: Ask{Change: "login"}, Scene: survey.Scene{Tasks: work(openspec.InProgress)}}
	d.Scene.Tasks.Source, d.Scene.Tasks.Candidates = openspec.SpecKit, []openspec.Candidate{{ID: "login"}}
	var unknown *UnknownChangeError
	if _, err := tasks(d); !errors.As(err, &unknown) || unknown.Candidates != nil {
		t.Errorf("a change of another source: %v", err)
	}
}

// TestWords: never empty, never invented; what a person said holds until the world that it was said about has moved.
func TestWords(t *testing.T) {
	open := func(d string) openspec.Work {
		return work(openspec.InProgress, openspec.Task{ID: "1", Description: "draw", Done: true}, openspec.Task{ID: "2", Description: d})
	}
	done := work(openspec.Complete, openspec.Task{ID: "1", Description: "draw", Done: true})
	kiro := done
	kiro.Source = openspec.Kiro
	blank := open("")
	blank.Next = nil // nothing that can be offered
	master := work(openspec.NoTasks)
	master.Source, master.Files = openspec.TaskMaster, []string{".taskmaster/tasks/tasks.json"}
	commit := &survey.Git{Real: &gitstate.Commit{ID: "c0ffee", Subject: "Fix it"}}
	commit.Head.Ref = "refs/heads/feat"
	unborn := &survey.Git{}
	unborn.Head.Ref = "refs/heads/feat"
	for name, tc := range map[string]struct {
		ask      Ask
		base     session.State // its Words.From "same" stands for what is derived now
		tasks    openspec.Work
		git      *survey.Git
		on, next string
		said     string // w: working_on was said, n: next_steps
	}{
		"the task to go on with": {tasks: open("send"), on: "send", next: "send"},
		"all tasks are done":     {tasks: done, on: "login: all 1 task done", next: "openspec archive login"},
		"all done, no OpenSpec":  {tasks: kiro, on: "login: all 1 task done", next: "choose what to do next"},
		"no tasks yet":           {tasks: work(openspec.NoTasks), on: "login: no tasks yet", next: "write openspec/changes/login/tasks.md"},
		"open, but without a text": {tasks: blank, on: "login: 1 open task, none that can be begun",
			next: "see what holds the open tasks up, or give them a text: session tasks"},
		"a list of another name":  {tasks: master, on: "login: no tasks yet", next: "write .taskmaster/tasks/tasks.json"},
		"by hand":                 {ask: Ask{Todo: []string{"a", "b", "c", "d"}}, on: "a", next: "a,b,c"},
		"all done by hand":        {ask: Ask{Done: []string{"a", "b"}}, on: "b", next: "choose what to do next"},
		"the last commit":         {git: commit, on: "Fix it (feat)", next: "go on: Fix it (feat)"},
		"before the first commit": {git: unborn, on: "first work on feat", next: "make the first commit"},
		"outside git":             {on: "nothing said yet", next: "say what you are working on: session save -m TEXT"},
		"said now":                {ask: Ask{Message: "words", Next: []string{"x", "y"}}, tasks: open("send"), on: "words", next: "x,y", said: "wn"},
		"said now, next derived":  {ask: Ask{Message: "words"}, tasks: open("send"), on: "words", next: "send", said: "w"},
		"said before, and nothing moved": {base: session.State{WorkingOn: "words", NextSteps: []string{"x"}, Words: session.Words{SaidWorkingOn: true, SaidNextSteps: true, From: "same"}},
			tasks: open("send"), on: "words", next: "x", said: "wn"},
		"said before, and the work moved on": {base: session.State{WorkingOn: "words", NextSteps: []string{"x"}, Words: session.Words{SaidWorkingOn: true, SaidNextSteps: true, From: "elsewhere"}},
			tasks: open("send"), on: "send", next: "send"},
		"derived before is derived again": {base: session.State{WorkingOn: "old", NextSteps: []string{"old"}, Words: session.Words{From: "same"}}, tasks: open("send"), on: "send", next: "send"},
		"said now beats said before": {ask: Ask{Next: []string{"y"}}, base: session.State{WorkingOn: "words", NextSteps: []string{"x"}, Words: session.Words{SaidWorkingOn: true, SaidNextSteps: true, From: "same"}},
			tasks: open("send"), on: "words", next: "y", said: "wn"},
	} {
		w := english()
		d := &Draft{Ask: tc.ask, Scene: survey.Scene{Tasks: tc.tasks, Git: tc.git}}
		if tc.base.Words.From == "same" {
			if err := w.describe(t.Context(), d); err != nil {
				t.Fatal(err)
			}
			tc.base.Words.From = d.Words.From
		}
		d.Base.Context.State = tc.base
		if err := w.describe(t.Context(), d); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		said := ""
		if d.Words.SaidWork {
			said += "w"
		}
		if d.Words.SaidNext {
			said += "n"
		}
		if d.Words.WorkingOn != tc.on || strings.Join(d.Words.NextSteps, ",") != tc.next || said != tc.said || d.Words.From == "" {
			t.Errorf("%s: %+v", name, d.Words)
		}
	}
}

func TestSubject(t *testing.T) {
	for in, want := range map[string]string{
		"words": "wip: words", "": "wip: ", "two\nlines\tand\x7fmore": "wip: two lines and more", "한글 작업": "wip: 한글 작업",
		strings.Repeat("x", 66): "wip: " + strings.Repeat("x", 66), strings.Repeat("가", 80): "wip: " + strings.Repeat("가", 66) + "…", strings.Repeat("x", 67): "wip: " + strings.Repeat("x", 67),
	} {
		if got := subject(in); got != want || len([]rune(got)) > 72 {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestRefusal(t *testing.T) {
	entry := func(path string, kind gitstate.Kind) gitstate.Entry {
		return gitstate.Entry{Path: path, Kind: kind, X: '.', Y: 'M'}
	}
	for name, tc := range map[string]struct {
		entries    []gitstate.Entry
		operations []gitstate.Operation
		index      string
		want, out  string // key, first way out
	}{
		"nothing in the way":             {entries: []gitstate.Entry{entry("a", gitstate.Tracked)}},
		"a conflict":                     {entries: []gitstate.Entry{entry("a", gitstate.Unmerged)}, want: "refused.unmerged", out: "git status"},
		"a conflict in a merge":          {entries: []gitstate.Entry{entry("a", gitstate.Unmerged)}, operations: []gitstate.Operation{gitstate.Merge}, want: "refused.unmerged", out: "git status"},
		"a merge with something changed": {entries: []gitstate.Entry{entry("a", gitstate.Tracked)}, operations: []gitstate.Operation{gitstate.Merge}, want: "refused.operation", out: "git merge --continue"},
		"a bisect":                       {entries: []gitstate.Entry{entry("a", gitstate.Tracked)}, operations: []gitstate.Operation{gitstate.Bisect}, want: "refused.operation", out: "git bisect reset"},
		"a bisect and nothing to commit": {operations: []gitstate.Operation{gitstate.Bisect}},
		"a hook of git commit":           {entries: []gitstate.Entry{entry("a", gitstate.Tracked)}, index: "/r/.git/index", want: "refused.inside-git"},
		"a hook, nothing to commit":      {index: "/r/.git/index"},
		"the state file alone":           {entries: []gitstate.Entry{entry(session.StateFile, gitstate.Tracked)}, operations: []gitstate.Operation{gitstate.Merge}},
	} {
		g := &survey.Git{Operations: tc.operations}
		g.Entries = tc.entries
		w := World{Repo: &gitstate.Repo{IndexFile: tc.index}}
		f, refused := w.refusal(&Draft{Scene: survey.Scene{Git: g}})
		out := ""
		if len(f.Actions) > 0 {
			out = strings.Join(f.Actions[0].Command, " ")
		}
		if refused != (tc.want != "") || f.Key != tc.want || out != tc.out {
			t.Errorf("%s: %v %s %q", name, refused, f.Key, out)
		}
	}
}

func TestExplain(t *testing.T) {
	broken := errors.New("broken")
	for _, tc := range []struct {
		err  error
		want string
	}{
		{gitstate.ErrNoIdentity, "refused.identity"}, {&gitstate.HookError{Hook: "pre-commit", Cause: broken}, "refused.hook"}, {&gitstate.SignError{Cause: broken}, "refused.sign"},
		{&gitstate.LockedError{File: "l", Dead: true}, "refused.lock.dead"}, {&gitstate.LockedError{File: "l"}, "refused.lock"}, {gitstate.ErrChanged, "refused.changing"},
		{gitstate.ErrIndexMoved, "refused.moved"}, {broken, "refused.git"},
	} {
		f := explain(fmt.Errorf("commit: %w", tc.err))
		if f.Key != tc.want || f.Status != session.CommitRefused {
			t.Errorf("%v: %s %s", tc.err, f.Status, f.Key)
		}
		if said := english().Say(f.Key, f.Args...); strings.Contains(said, "{") || said == f.Key {
			t.Errorf("%v: %s", tc.err, said)
		}
	}
}
