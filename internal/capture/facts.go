package capture

import (
	"strings"

	"session/blocker"
	"session/internal/memory"
	"session/internal/redact"
)

// facts are what a summary of this save is made of.
func (d *Draft) facts() memory.Facts {
	f := memory.Facts{Doing: d.Words.WorkingOn, Next: d.Words.NextSteps,
		Task: memory.Task{Change: d.Tasks.Change, Done: len(d.Tasks.Completed), Total: len(d.Tasks.Completed) + len(d.Tasks.Pending)}}
	if n := len(d.Tasks.Completed); n > 0 {
		f.Task.Last = d.Tasks.Completed[n-1]
	}
	if len(d.Tasks.Pending) > 0 {
		f.Task.Next = d.Tasks.Pending[0]
	}
	if b := blocker.First(d.Blockers); b != nil {
		f.Blocker = memory.Blocker{Type: string(b.Type), Message: b.Message, Place: b.File}
	}
	f.Text = redact.Text(strings.Join(append([]string{d.Words.WorkingOn}, d.Words.NextSteps...), "\n"))
	if d.Words.SaidWork {
		f.Asked = redact.Text(d.Words.WorkingOn)
	}
	if g := d.Scene.Git; g != nil {
		for _, c := range g.Since {
			if c.Trailer == "" {
				f.Commits = append(f.Commits, memory.Commit{Subject: redact.Text(c.Subject)})
			}
		}
		f.Git = memory.Git{Branch: g.Head.Branch(), Head: d.Stage.Commit, Files: len(d.Stage.Files)}
		for _, x := range d.Stage.Files {
			f.Git.Paths = append(f.Git.Paths, x.Path)
		}
	}
	return f
}
