package capture

import (
	"strings"

	"session/blocker"
	"session/internal/memory"
	"session/internal/redact"
)

// facts are what a summary of this save is made of. Secrets are masked before a word of it becomes a keyword.
func (d *Draft) facts() memory.Facts {
	f := memory.Facts{Doing: redact.Text(d.Words.WorkingOn), Next: redact.Texts(d.Words.NextSteps), Task: d.taskFacts()}
	if b := blocker.First(d.Blockers); b != nil {
		f.Blocker = memory.Blocker{Type: string(b.Type), Message: redact.Text(b.Message), Place: b.File}
	}
	f.Text = redact.Text(strings.Join(append([]string{d.Words.WorkingOn}, d.Words.NextSteps...), "\n"))
	g := d.Scene.Git
	if g == nil {
		return f
	}
	for _, c := range g.Since {
		if c.Trailer == "" {
			f.Commits = append(f.Commits, memory.Commit{Subject: redact.Text(c.Subject), Body: redact.Text(c.Body)})
		}
	}
	f.Git = memory.Git{Branch: g.Head.Branch(), Head: d.Stage.Commit, Files: len(d.Stage.Files)}
	for _, x := range d.Stage.Files {
		f.Git.Paths = append(f.Git.Paths, x.Path)
	}
	return f
}

func (d *Draft) taskFacts() memory.Task {
	t := memory.Task{Change: d.Tasks.Change, Done: len(d.Tasks.Completed), Total: len(d.Tasks.Completed) + len(d.Tasks.Pending)}
	if n := len(d.Tasks.Completed); n > 0 {
		t.Last = redact.Text(d.Tasks.Completed[n-1])
	}
	if len(d.Tasks.Pending) > 0 {
		t.Next = redact.Text(d.Tasks.Pending[0])
	}
	return t
}
