package capture

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"session/internal/session"
	"session/openspec"
)

// Words is what is worked on and what comes next, and where that came from.
type Words struct {
	WorkingOn string
	NextSteps []string
	SaidWork  bool
	SaidNext  bool
	From      string // mark of what they are derived from
}

// Begin puts into the draft what holds until a step says otherwise, so that a step which a plan does not name has no
// effect: the words, the tasks and the blockers of the last save. Where there was none, nothing was said yet.
func (d *Draft) Begin(say func(key string, pairs ...any) string) {
	s := d.Base.State()
	d.Tasks = Tasks{Source: s.TaskSource, Change: s.OpenSpec, Status: cmp.Or(s.OpenSpecStatus, string(openspec.None)), Said: s.Words.SaidChange,
		Completed: s.CompletedTasks, Pending: s.PendingTasks}
	d.Words = Words{WorkingOn: s.WorkingOn, NextSteps: s.NextSteps, SaidWork: s.Words.SaidWorkingOn, SaidNext: s.Words.SaidNextSteps, From: s.Words.From}
	if d.Words.WorkingOn == "" {
		d.Words = Words{WorkingOn: say("words.nothing"), NextSteps: []string{say("words.say-next")}}
	}
	d.keep()
}

// Words reports whether something was said that only Describe writes down.
func (a Ask) Words() bool {
	return a.Message != "" || a.Change != "" || len(a.Next)+len(a.Done)+len(a.Todo) > 0
}

// describe finds the words: what the person said now; else what held at the last save while the world that it was
// derived from has not moved; else what the tasks, or the last commit and branch, say. Never empty, never invented.
func (w World) describe(_ context.Context, d *Draft) (err error) {
	if d.Tasks, err = tasks(d); err != nil {
		return err
	}
	derived := w.derive(d)
	base := d.Base.State()
	same := base.Words.From == derived.From
	words := derived
	switch {
	case d.Ask.Message != "":
		words.WorkingOn, words.SaidWork = d.Ask.Message, true
	case same && base.Words.SaidWorkingOn:
		words.WorkingOn, words.SaidWork = base.WorkingOn, true
	}
	switch {
	case len(d.Ask.Next) > 0:
		words.NextSteps, words.SaidNext = slices.Clone(d.Ask.Next), true
	case same && base.Words.SaidNextSteps:
		words.NextSteps, words.SaidNext = slices.Clone(base.NextSteps), true
	}
	d.Words = words
	return nil
}

// derive makes the words from the world alone.
func (w World) derive(d *Draft) Words {
	t, work := d.Tasks, d.Scene.Tasks
	switch {
	case t.Kept && d.Base.State().WorkingOn != "":
		base := d.Base.State()
		return Words{WorkingOn: base.WorkingOn, NextSteps: base.NextSteps, From: base.Words.From}
	case len(t.Steps) > 0:
		return Words{WorkingOn: t.Steps[0], NextSteps: t.Steps, From: mark("task", t.Source, work.Change, t.Pending[0])}
	case work.Status == openspec.Complete && work.Source != "":
		next := w.Say("words.all-done")
		if work.Source == openspec.OpenSpec {
			next = w.Say("words.archive", "change", work.Change)
		}
		return Words{WorkingOn: w.Say("words.complete", "change", work.Change, "n", work.Total), NextSteps: []string{next}, From: mark("complete", t.Source, work.Change)}
	case work.Source != "" && work.Change != "" && work.Unread() != nil:
		return Words{WorkingOn: w.Say("words.unread", "change", work.Change), NextSteps: []string{w.Say("words.mend-tasks", "dir", work.Dir)},
			From: mark("unread", t.Source, work.Change)}
	case work.Status == openspec.InProgress: // what is open waits for something, or has no text
		return Words{WorkingOn: w.Say("words.held", "change", work.Change, "n", work.Total-work.Completed), NextSteps: []string{w.Say("words.see-held")},
			From: mark("held", t.Source, work.Change)}
	case work.Source != "" && work.Change != "":
		file := work.Dir + "/tasks.md"
		if len(work.Files) > 0 {
			file = work.Files[0]
		}
		return Words{WorkingOn: w.Say("words.no-tasks", "change", work.Change), NextSteps: []string{w.Say("words.write-tasks", "file", file)},
			From: mark("no-tasks", t.Source, work.Change)}
	case t.Source == ByHand:
		n := len(t.Completed)
		return Words{WorkingOn: t.Completed[n-1], NextSteps: []string{w.Say("words.all-done")}, From: mark("by-hand", t.Completed[n-1])}
	}
	return w.deriveFromGit(d)
}

func (w World) deriveFromGit(d *Draft) Words {
	g := d.Scene.Git
	if g == nil {
		return Words{WorkingOn: w.Say("words.nothing"), NextSteps: []string{w.Say("words.say-next")}, From: mark("nothing")}
	}
	branch := g.Head.Branch()
	if g.Real == nil {
		return Words{WorkingOn: w.Say("words.first", "branch", branch), NextSteps: []string{w.Say("words.first-commit")}, From: mark("unborn", branch)}
	}
	on := w.Say("words.commit", "subject", g.Real.Subject, "branch", branch)
	return Words{WorkingOn: on, NextSteps: []string{w.Say("words.go-on", "work", on)}, From: mark(session.FromCommit, g.Real.ID, branch)}
}

func mark(parts ...string) string { return strings.Join(parts, " · ") }
