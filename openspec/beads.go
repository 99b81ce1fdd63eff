package openspec

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
)

// beadsList is the id of the one change that a beads project is for us.
const beadsList = "beads"

// beads is the export of a beads project (steveyegge/beads): one issue a line in .beads/issues.jsonl. Its truth is a
// database that only its own program reads.
type beads struct {
	*finder
	dir    string
	file   taskFile
	issues []issue
}

type issue struct {
	ID           string `json:"id"`
	Title        string `json:"title"`
	Status       string `json:"status"`
	Priority     int    `json:"priority"` // 0 is the highest
	Dependencies []struct {
		On   string `json:"depends_on_id"`
		Type string `json:"type"`
	} `json:"dependencies"`
	line int
}

func (f *finder) openBeads([]*opened) (*opened, error) {
	const dir, name = ".beads", "issues.jsonl"
	top := f.upward(func(at string) bool { return isFile(filepath.Join(at, dir, name)) })
	if top == "" {
		return nil, nil
	}
	file, ok := f.inside(top, dir, name)
	if !ok {
		return nil, nil
	}
	b := &beads{finder: f, dir: filepath.Join(top, dir), file: taskFile{file, f.rel(file)}}
	text, err := readText(b.file.abs, MaxFile)
	if err == nil {
		b.issues, err = parseIssues(text)
	}
	if err != nil {
		f.warn(formatWarning(b.file.rel, err))
	}
	if len(b.issues) > MaxTasks {
		f.warn(Warning{Code: WarnTooManyTasks, Path: b.file.rel, Size: int64(len(b.issues)), Limit: MaxTasks})
		b.issues = nil
	}
	return &opened{tracker: b, work: Work{Source: Beads, Root: f.rel(top), Status: None}}, nil
}

// parseIssues reads every line that is an issue. The error is about the first one that is not. Deleted issues, and
// pinned ones, which are notes, are left out.
func parseIssues(text string) (all []issue, err error) {
	for n := 1; text != ""; n++ {
		var line string
		line, text, _ = strings.Cut(text, "\n")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		i := issue{line: n}
		if bad := json.Unmarshal([]byte(line), &i); bad != nil || i.ID == "" {
			if err == nil {
				err = fmt.Errorf("line %d is not an issue", n)
			}
			continue
		}
		if i.Status != "tombstone" && i.Status != "pinned" {
			all = append(all, i)
		}
	}
	return all, err
}

func (b *beads) changes(context.Context) ([]*change, error) {
	if len(b.issues) == 0 {
		return nil, nil
	}
	c := &change{Candidate: Candidate{ID: beadsList, Dir: b.rel(b.dir)}, files: []taskFile{b.file}}
	c.Completed, c.Total = tally(b.list())
	c.Status = statusOf(c.Completed, c.Total)
	return []*change{c}, nil
}

func (b *beads) tasks(context.Context, *change) ([]Task, error) {
	b.warn(Warning{Code: WarnExport, Path: b.file.rel})
	return b.list(), nil
}

func (b *beads) list() []Task {
	tasks := make([]Task, len(b.issues))
	for n, i := range b.issues {
		tasks[n] = Task{
			ID: i.ID, Parent: i.parent(), File: b.file.rel, Line: i.line, Description: strings.TrimSpace(i.Title),
			State: i.Status, Done: i.Status == "closed", held: i.Status != "open" && i.Status != "in_progress",
		}
	}
	return tasks
}

func (i issue) parent() string {
	for _, d := range i.Dependencies {
		if d.Type == "parent-child" {
			return d.On
		}
	}
	return ""
}

// resume follows `bd ready`: what is in progress, else what no open issue blocks, the most urgent first. An issue with
// open children is not worked on itself.
func (b *beads) resume(_ context.Context, _ *change, tasks []Task) (int, Resume) {
	open, parents := map[string]bool{}, map[string]bool{}
	for _, t := range tasks {
		open[t.ID] = !t.Done
		if !t.Done {
			parents[t.Parent] = true
		}
	}
	best := -1
	better := func(n int) bool {
		if best < 0 {
			return true
		}
		x, y := b.issues[n], b.issues[best]
		return cmp.Or(cmp.Compare(x.rank(), y.rank()), cmp.Compare(x.Priority, y.Priority)) < 0
	}
	for n, i := range b.issues {
		if tasks[n].offered() && !parents[i.ID] && !i.blocked(open) && better(n) {
			best = n
		}
	}
	switch {
	case best < 0:
		return -1, Resume{}
	case b.issues[best].rank() == 0:
		return best, Resume{Reason: ResumeActive}
	}
	return best, Resume{Reason: ResumeReady}
}

// rank puts what is being worked on first.
func (i issue) rank() int {
	if i.Status == "in_progress" {
		return 0
	}
	return 1
}

func (i issue) blocked(open map[string]bool) bool {
	for _, d := range i.Dependencies {
		if d.Type == "blocks" && open[d.On] && d.On != i.ID {
			return true
		}
	}
	return false
}

func (b *beads) current([]*change) (*change, string) { return nil, "" }

func (b *beads) archived(string) *Archive { return nil }
