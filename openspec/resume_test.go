package openspec

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

const planList = `## 1. First
- [x] a
- [ ] b
- [x] c
- [ ] d
- [ ] e
`

// TestResume goes through the rules by which the next task follows the box that was ticked last.
func TestResume(t *testing.T) {
	file := "openspec/changes/x/tasks.md"
	for _, c := range []struct {
		name         string
		now          string
		saved        *Saved
		head, before string // "-": there is no such version
		next         string
		why          Resume
	}{
		{"the last commit made the file: after the lowest ticked box",
			planList, nil, planList, "-", "d", Resume{Reason: ResumeAfterCommit, After: "c"}},
		{"the last commit ticked a",
			planList, nil, planList, strings.Replace(planList, "[x] a", "[ ] a", 1), "b",
			Resume{Reason: ResumeAfterCommit, After: "a"}},
		{"the last commit touched only text",
			planList, nil, planList, planList + "text\n", "d", Resume{Reason: ResumeAfterDone, After: "c"}},
		{"a was ticked and not committed",
			planList, nil, strings.Replace(planList, "[x] a", "[ ] a", 1), planList, "b",
			Resume{Reason: ResumeAfterHead, After: "a"}},
		{"both were ticked and not committed: the lower counts",
			planList, nil, "- [ ] a\n- [ ] b\n- [ ] c\n", "-", "d", Resume{Reason: ResumeAfterHead, After: "c"}},
		{"a was ticked since the save, c was committed since",
			planList, &Saved{Change: "x", Done: []string{"c"}}, "- [ ] c\n- [x] a\n", "-", "b",
			Resume{Reason: ResumeAfterSave, After: "a"}},
		{"nothing since the save, a since HEAD",
			planList, &Saved{Change: "x", Done: []string{"c", "a"}}, "- [ ] a\n- [x] c\n", "-", "b",
			Resume{Reason: ResumeAfterHead, After: "a"}},
		{"the save was about another change",
			planList, &Saved{Change: "y", Done: []string{"c"}}, planList, planList, "d", Resume{Reason: ResumeAfterDone,
				After: "c"}},
		{"the save recorded no tasks",
			planList, &Saved{Change: "x"}, planList, planList, "d", Resume{Reason: ResumeAfterDone, After: "c"}},
		{"the save had nothing done",
			planList, &Saved{Change: "x", Done: []string{}}, planList, planList, "d", Resume{Reason: ResumeAfterSave,
				After: "c"}},
		{"the file is new to git", planList, nil, "-", "-", "d", Resume{Reason: ResumeAfterHead, After: "c"}},
		{"nothing below: from the top",
			"- [ ] a\n- [ ] b\n- [x] c\n", nil, "- [ ] c\n", "-", "a", Resume{Reason: ResumeAfterHead, After: "c",
				Wrapped: true}},
		{"nothing done", "- [ ]\n- [ ] a\n- [ ] b\n", nil, "-", "-", "a", Resume{Reason: ResumeFirst}},
		{"all done", "- [x] a\n", nil, "-", "-", "", Resume{}},
		{"only boxes without text are open", "- [x] a\n- [ ]\n", nil, "-", "-", "", Resume{}},
		{"a box without text was ticked",
			"- [x]\n- [ ] a\n- [ ] b\n", nil, "- [ ]\n- [ ] a\n", "-", "a", Resume{Reason: ResumeAfterHead}},
		{"the second of two boxes with one text",
			"- [x] test\n- [ ] b\n- [x] test\n- [ ] c\n", nil, "- [x] test\n- [ ] test\n", "-", "c",
			Resume{Reason: ResumeAfterHead, After: "test"}},
		{"the first of two boxes with one text",
			"- [x] test\n- [ ] b\n- [x] test\n- [ ] c\n", nil, "- [ ] test\n- [x] test\n", "-", "b",
			Resume{Reason: ResumeAfterHead, After: "test"}},
		{"two boxes with one text, one of them done at the save",
			"- [x] test\n- [ ] b\n- [x] test\n- [ ] c\n", &Saved{Change: "x", Done: []string{"test"}}, "-", "-", "c",
			Resume{Reason: ResumeAfterSave, After: "test"}},
		{"below an open parent, its first open child",
			"- [x] a\n- [ ] p\n  - [x] q\n  - [ ] r\n    - [ ] s\n- [ ] t\n", nil, "-", "-", "s",
			Resume{Reason: ResumeAfterHead, After: "q"}},
		{"from the top, down to the leaf",
			"- [ ] p\n  - [ ] q\n\t- [ ] r\n- [ ] s\n", nil, "-", "-", "r", Resume{Reason: ResumeFirst}},
		{"children of a ticked parent are open",
			"- [x] p\n  - [ ] q\n- [ ] r\n", nil, "-", "-", "q", Resume{Reason: ResumeAfterHead, After: "p"}},
		{"a child without text is no leaf to go to",
			"- [ ] p\n  - [ ]\n- [ ] q\n", nil, "-", "-", "p", Resume{Reason: ResumeFirst}},
		{"the last child was ticked: on to the next parent",
			"- [ ] p\n  - [x] q\n- [ ] r\n", nil, "-", "-", "r", Resume{Reason: ResumeAfterHead, After: "q"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, "x", c.now)
			delete(w.head, file)
			if c.head != "-" {
				w.head[file] = c.head
			}
			if c.before != "-" {
				w.before[file] = c.before
			}
			got := w.look(func(h *Hints) {
				if c.saved != nil {
					h.Saved = *c.saved
				}
			})
			if nextText(got) != c.next || got.Resume != c.why {
				t.Errorf("next is %q %+v\nwant %q %+v", nextText(got), got.Resume, c.next, c.why)
			}
		})
	}
}

// TestResumeSeveralFiles: each file is compared with its own earlier version.
func TestResumeSeveralFiles(t *testing.T) {
	dir := tree(t, `
-- openspec/schemas/globbed/schema.yaml --
`+schemaText+`
-- openspec/config.yaml --
schema: globbed
-- openspec/changes/x/tasks/a.md --
- [x] one
- [ ] two
-- openspec/changes/x/tasks/b.md --
- [x] one
- [ ] two
`)
	w := &world{t: t, dir: dir, asked: map[string]int{}, head: map[string]string{
		"openspec/changes/x/tasks/a.md": "- [ ] one\n", "openspec/changes/x/tasks/b.md": "- [x] one\n",
	}}
	got := w.look(nil)
	if got.Next == nil || got.Next.File != "openspec/changes/x/tasks/a.md" || got.Next.Line != 2 ||
		got.Resume.Reason != ResumeAfterHead {
		t.Errorf("next %+v %+v", got.Next, got.Resume)
	}
	if p := got.Pending(); len(p) != 2 || p[0].Skipped || p[1].Skipped || p[1].File != "openspec/changes/x/tasks/b.md" {
		t.Errorf("pending %+v", p)
	}
	w.head["openspec/changes/x/tasks/a.md"], w.head["openspec/changes/x/tasks/b.md"] = "- [x] one\n", "- [ ] one\n"
	plantText(t, dir, "openspec/changes/x/tasks/b.md", "- [x] one\n- [ ] p\n  - [ ] q\n")
	if p := w.look(nil).Pending(); p[0].Description != "q" || p[1].Line != 2 || !p[1].Skipped || p[2].Skipped {
		t.Errorf("pending %+v", p)
	}
	if !slices.Equal(got.Files, []string{"openspec/changes/x/tasks/a.md", "openspec/changes/x/tasks/b.md"}) {
		t.Errorf("files %q", got.Files)
	}
}

func TestPending(t *testing.T) {
	const list = "- [ ] a\n- [x] b\n- [ ] p\n  - [x] q\n  - [ ] r\n  - [ ]\n- [ ] s\n"
	w := newWorld(t, "x", list)
	w.head["openspec/changes/x/tasks.md"] = strings.Replace(list, "[x] q", "[ ] q", 1)
	got := w.look(nil)
	var pending []string
	for _, p := range got.Pending() {
		pending = append(pending, fmt.Sprint(p.Line, p.Skipped))
	}
	if want := []string{"5 false", "1 true", "3 false", "6 false", "7 false"}; !slices.Equal(pending, want) {
		t.Errorf("pending %q, want %q", pending, want)
	}
	var steps []string
	for _, s := range got.Steps(10) {
		steps = append(steps, s.Description)
	}
	if want := []string{"r", "s", "a"}; !slices.Equal(steps, want) {
		t.Errorf("steps %q, want %q", steps, want)
	}
	if len(got.Steps(2)) != 2 || len(got.Steps(0)) != 0 || len(got.Steps(-1)) != 0 {
		t.Error("the number of steps is not kept to")
	}
	if done := got.Done(); len(done) != 2 || done[0].Description != "b" || done[1].Description != "q" {
		t.Errorf("done %+v", done)
	}
	if none := (Work{}); none.Steps(3) != nil || none.Pending() != nil || none.Done() != nil {
		t.Error("an empty answer has tasks")
	}
}

// TestPendingWithoutNext: what cannot be offered is still pending.
func TestPendingWithoutNext(t *testing.T) {
	got := newWorld(t, "x", "- [ ]\n- [x] a\n- [ ]\n").look(nil)
	if p := got.Pending(); len(p) != 2 || p[0].Skipped || p[1].Skipped {
		t.Errorf("pending %+v", p)
	}
}

func TestPercentage(t *testing.T) {
	for _, c := range []struct{ completed, total, want int }{
		{5, 12, 42}, {0, 0, 0}, {0, 5, 0}, {5, 5, 100}, {1, 3, 33}, {2, 3, 67}, {1, 8, 13}, {1, 200, 1}, {1, 201, 0},
		{199, 200, 100},
		{1, 40, 3}, {-1, -1, 0}, {1 << 40, 1 << 41, 50},
	} {
		if got := Percentage(c.completed, c.total); got != c.want {
			t.Errorf("%d of %d is %d%%, want %d%%", c.completed, c.total, got, c.want)
		}
	}
	if got := (Work{Completed: 5, Total: 12}).Percentage(); got != 42 {
		t.Errorf("%d", got)
	}
}

func TestStatusWords(t *testing.T) {
	for _, c := range []struct {
		completed, total int
		status           Status
		word             string
	}{
		{0, 0, NoTasks, "no-tasks"}, {0, 3, InProgress, "in-progress"}, {2, 3, InProgress, "in-progress"}, {3, 3,
			Complete, "complete"},
		{199, 200, InProgress, "in-progress"},
	} {
		if got := statusOf(c.completed, c.total); got != c.status || got.Word() != c.word {
			t.Errorf("%d of %d is %s, %q", c.completed, c.total, got, got.Word())
		}
	}
	for _, s := range []Status{None, Archived, NotFound, ""} {
		if s.Word() != "" {
			t.Errorf("%q has the program's word %q", s, s.Word())
		}
	}
}

// FuzzResume: whatever a list and its history are, the next task is one that can be offered, or there is none to offer.
func FuzzResume(f *testing.F) {
	f.Add(planList, planList, "c\na")
	f.Add("- [ ] p\n  - [ ] q\n- [x] r", "", "")
	f.Add("- [x]\n- []", "- []", "\n")
	f.Fuzz(func(t *testing.T, now, old, saved string) {
		tasks := Parse(now, "f")
		histories := []before{
			beforeIn(map[string][]Task{"f": Parse(old, "f")}), beforeList(strings.Split(saved, "\n")), beforeIn(nil),
		}
		for _, was := range histories {
			last, count := newTicks(tasks, was)
			if (last < 0) != (count == 0) || last >= 0 && !tasks[last].Done || count > len(tasks) {
				t.Fatalf("last %d, count %d", last, count)
			}
		}
		open := slices.ContainsFunc(tasks, func(t Task) bool { return t.offered() })
		fd := &finder{warned: map[warningKey]bool{}}
		next, why := fd.afterTicks(t.Context(), &change{Candidate: Candidate{ID: "x"}}, tasks)
		if open != (next >= 0) || open != (why != Resume{}) || open && !tasks[next].offered() {
			t.Fatalf("next %d, %+v", next, why)
		}
		if !open {
			return
		}
		w := Work{Tasks: tasks, Next: &tasks[next], Resume: why}
		w.Completed, w.Total = tally(tasks)
		checkWork(t, w)
		if p := w.Pending(); p[0].Line != tasks[next].Line {
			t.Fatalf("pending starts with %+v", p[0])
		}
	})
}
