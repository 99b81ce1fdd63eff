package openspec

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// taskMaster is a project of Task Master (eyaltoledano/claude-task-master): one tasks.json with lists by tag.
type taskMaster struct {
	*finder
	file taskFile
	tags map[string][]tmTask
	tag  string // what .taskmaster/state.json calls current
	by   string // that file, as the answer writes it
}

// tmTask is a task or subtask as written. Ids are numbers or text.
type tmTask struct {
	ID           tmID     `json:"id"`
	Title        string   `json:"title"`
	Status       string   `json:"status"`
	Priority     string   `json:"priority"`
	Dependencies []tmID   `json:"dependencies"`
	Subtasks     []tmTask `json:"subtasks"`
}

type tmID string

// UnmarshalJSON accepts 3, "3" and "3.1".
func (id *tmID) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) != nil {
		var n json.Number
		if err := json.Unmarshal(b, &n); err != nil {
			return errors.New("id must be a number or text")
		}
		s = n.String()
	}
	*id = tmID(s)
	return nil
}

// The file, and where it was before there was a folder of its own.
var tasksJSON = [][]string{{".taskmaster", "tasks", "tasks.json"}, {"tasks", "tasks.json"}}

func (f *finder) openTaskMaster([]*opened) (*opened, error) {
	for legacy, name := range tasksJSON {
		top := f.upward(func(at string) bool { return isFile(filepath.Join(at, filepath.Join(name...))) })
		if top == "" {
			continue
		}
		file, ok := f.inside(top, name...)
		if !ok {
			continue
		}
		t := &taskMaster{finder: f, file: taskFile{file, f.rel(file)}}
		text, err := readText(file, MaxFile)
		if err == nil {
			t.tags, err = parseTaskMaster(text)
		}
		if err == nil {
			t.pick(top)
			return &opened{tracker: t, work: Work{Source: TaskMaster, Root: f.rel(top), Status: None}}, nil
		}
		if legacy == 0 { // tasks/tasks.json is a name that others use too
			f.warn(formatWarning(t.file.rel, err))
		}
	}
	return nil, nil
}

// pick finds the current tag: what .taskmaster/state.json says, else Task Master's own default.
func (t *taskMaster) pick(top string) {
	if state, ok := t.inside(top, ".taskmaster", "state.json"); ok {
		t.tag, t.by = t.jsonText(state, "currentTag"), t.rel(state)
	}
	if _, ok := t.tags[t.tag]; t.tag != "" && !ok {
		t.warn(Warning{Code: WarnPointer, Path: t.by, Name: t.tag})
		t.tag = ""
	}
	if _, ok := t.tags["master"]; t.tag == "" && ok {
		t.tag, t.by = "master", t.file.rel
	}
}

// parseTaskMaster reads tasks.json: {tag: {tasks: […]}}, or {tasks: […]} from before there were tags.
func parseTaskMaster(text string) (map[string][]tmTask, error) {
	type list struct {
		Tasks *[]tmTask `json:"tasks"`
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &object); err != nil {
		return nil, err
	}
	tags := map[string][]tmTask{}
	if raw, ok := object["tasks"]; ok && bytes.HasPrefix(bytes.TrimSpace(raw), []byte("[")) {
		object = map[string]json.RawMessage{"master": json.RawMessage(text)}
	}
	count := 0
	for tag, raw := range object {
		var l list
		if err := json.Unmarshal(raw, &l); err != nil || l.Tasks == nil {
			continue // metadata beside the tags
		}
		for _, t := range *l.Tasks {
			if t.ID == "" {
				return nil, fmt.Errorf("tag %q: a task without id", tag)
			}
			count += 1 + len(t.Subtasks)
		}
		tags[tag] = *l.Tasks
	}
	if len(tags) == 0 {
		return nil, errors.New("no list of tasks in it")
	}
	if count > MaxTasks {
		return nil, &sizeError{"tasks", int64(count), MaxTasks}
	}
	return tags, nil
}

func (t *taskMaster) changes(context.Context) ([]*change, error) {
	var all []*change
	for _, tag := range slices.Sorted(maps.Keys(t.tags)) {
		c := &change{Candidate: Candidate{ID: tag, Dir: t.rel(filepath.Dir(t.file.abs))}, files: []taskFile{t.file}}
		c.Completed, c.Total = tally(t.flat(tag))
		c.Status = statusOf(c.Completed, c.Total)
		all = append(all, c)
	}
	return all, nil
}

func (t *taskMaster) tasks(_ context.Context, c *change) ([]Task, error) { return t.flat(c.ID), nil }

// flat lists tasks and subtasks in order. Only tasks count, as in Task Master's own percentage; cancelled ones stay in
// its denominator.
func (t *taskMaster) flat(tag string) (all []Task) {
	for _, task := range t.tags[tag] {
		all = append(all, t.one(task, ""))
		for _, sub := range task.Subtasks {
			s := t.one(sub, string(task.ID))
			s.ID, s.Parent, s.Uncounted, s.Indent = string(task.ID)+"."+string(sub.ID), string(task.ID), true, 2
			all = append(all, s)
		}
	}
	return all
}

func (t *taskMaster) one(task tmTask, parent string) Task {
	state := task.state()
	return Task{
		ID: string(task.ID), Parent: parent, File: t.file.rel, Description: strings.TrimSpace(task.Title), State: state,
		Done: task.done(), held: state != "pending" && state != stateActive,
	}
}

func (task tmTask) state() string {
	if task.Status == "" {
		return "pending"
	}
	return strings.ToLower(task.Status)
}

func (task tmTask) done() bool { s := task.state(); return s == "done" || s == "completed" }

func (t *taskMaster) current(all []*change) (*change, string) {
	i := slices.IndexFunc(all, func(c *change) bool { return c.ID == t.tag })
	if t.tag == "" || i < 0 {
		return nil, ""
	}
	return all[i], t.by
}

func (t *taskMaster) archived(string) *Archive { return nil }

// ready is a task whose dependencies are done.
type ready struct {
	id             string
	priority, deps int
	parent, number int
}

// resume follows Task Master's `next`: a subtask of a task in progress, else a task; dependencies done; by priority,
// then fewer dependencies, then number.
func (t *taskMaster) resume(_ context.Context, c *change, tasks []Task) (int, Resume) {
	done := map[string]bool{}
	for _, task := range tasks {
		done[task.ID] = task.Done
	}
	var subs, tops []ready
	for _, task := range t.tags[c.ID] {
		id := string(task.ID)
		if r, ok := task.ready(id, "", task.Priority, done); ok {
			tops = append(tops, r)
		}
		if task.state() != stateActive {
			continue
		}
		for _, sub := range task.Subtasks {
			if r, ok := sub.ready(id+"."+string(sub.ID), id, cmp.Or(sub.Priority, task.Priority), done); ok {
				subs = append(subs, r)
			}
		}
	}
	list := subs
	if len(list) == 0 {
		list = tops
	}
	if len(list) == 0 {
		return -1, Resume{}
	}
	best := slices.MinFunc(list, func(a, b ready) int {
		return cmp.Or(cmp.Compare(b.priority, a.priority), cmp.Compare(a.deps, b.deps),
			cmp.Compare(a.parent, b.parent), cmp.Compare(a.number, b.number))
	})
	next := slices.IndexFunc(tasks, func(task Task) bool { // an id may stand twice
		return task.ID == best.id && !task.Done && strings.TrimSpace(task.Description) != ""
	})
	if next < 0 {
		return -1, Resume{}
	}
	return next, Resume{Reason: ResumeReady}
}

func (task tmTask) ready(id, parent, priority string, done map[string]bool) (ready, bool) {
	if s := task.state(); s != "pending" && s != stateActive || strings.TrimSpace(task.Title) == "" {
		return ready{}, false
	}
	for _, d := range task.Dependencies {
		need := string(d)
		if parent != "" && !strings.Contains(need, ".") {
			need = parent + "." + need
		}
		if !done[need] {
			return ready{}, false
		}
	}
	rank, ok := map[string]int{"high": 3, "medium": 2, "low": 1}[priority]
	if !ok {
		rank = 2
	}
	return ready{id, rank, len(task.Dependencies), ordinal(parent), ordinal(string(task.ID))}, true
}

// ordinal is an id as a number, the largest if it is none.
func ordinal(id string) int {
	if n, err := strconv.Atoi(id); err == nil {
		return n
	}
	return math.MaxInt
}
