package openspec

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// short lists tasks as "id text" with what the source says of them.
func short(tasks []Task) (all []string) {
	for _, t := range tasks {
		s := t.ID + " " + t.Description
		if t.Done {
			s = "x " + s
		}
		if t.State != "" {
			s += " {" + t.State + "}"
		}
		if t.Optional {
			s += " optional"
		}
		if t.Uncounted {
			s += " of " + t.Parent
		}
		all = append(all, s)
	}
	return all
}

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n\t%s\nwant\n\t%s", what, strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

const specKitProject = `
-- .specify/memory/constitution.md --
-- specs/001-login/spec.md --
-- specs/001-login/tasks.md --
## Phase 1: Setup
- [X] T001 Create the project
- [x] T002 [P] Configure the linter
## Phase 2: Login
- [ ] T003 [P] [US1] Write the form in src/form.go
- [ ] Untitled
-- specs/001-login/checklists/requirements.md --
- [ ] CHK001 not a task
-- specs/002-logout/plan.md --
-- specs/notes/readme.txt --
-- src/x --
`

func TestSpecKit(t *testing.T) {
	dir := tree(t, specKitProject)
	w, err := Find(context.Background(), Place{Dir: dir + "/src", Top: dir}, Hints{})
	must(t, err)
	checkWork(t, w)
	if w.Source != SpecKit || w.Root != "." || w.Change != "001-login" || w.Why.Reason != ReasonOnlyOfStatus ||
		w.Completed != 2 || w.Total != 4 {
		t.Errorf("%+v", w)
	}
	same(t, "tasks", short(w.Tasks), []string{
		"x T001 T001 Create the project", "x T002 T002 [P] Configure the linter",
		"T003 T003 [P] [US1] Write the form in src/form.go", " Untitled",
	})
	if w.Next == nil || w.Next.ID != "T003" || w.Next.Heading != "Phase 2: Login" ||
		w.Next.File != "specs/001-login/tasks.md" || w.Next.Line != 5 {
		t.Errorf("next %+v", w.Next)
	}
	same(t, "candidates", ids(w.Candidates), []string{"001-login", "002-logout"})
	if w := look(t, dir, Hints{Branch: "002-logout"}); w.Change != "002-logout" || w.Why.Match != MatchSame ||
		w.Status != NoTasks {
		t.Errorf("%q %+v", w.Change, w.Why)
	}
	if w := look(t, dir, Hints{Change: "003"}); w.Status != NotFound || w.Source != SpecKit || len(w.Candidates) != 2 {
		t.Errorf("%+v", w)
	}
}

// TestSpecKitNotes: the notes that stay at the end of a list explain labels that look like boxes.
func TestSpecKitNotes(t *testing.T) {
	const done = "- [X] T001 a\n- [x] T002 [P] b\n"
	const notes = "## Notes\n- [P] tasks = different files, no dependencies\n- [Story] label maps a task to its story\n"
	for list, want := range map[string]Status{
		done + notes: Complete, done + "- [ ] T003 c\n" + notes: InProgress, done + "- [~] T003 c\n": InProgress, notes: NoTasks,
	} {
		w := look(t, tree(t, "-- .specify/x --\n-- specs/a/tasks.md --\n"+list), Hints{})
		if w.Status != want || w.Candidates[0].Status != want || w.Total != w.Candidates[0].Total || w.Total != len(w.Tasks) {
			t.Errorf("%q: %s, %d of %d", list, w.Status, w.Completed, w.Total)
		}
	}
}

func TestSpecKitPointer(t *testing.T) {
	for _, c := range []struct {
		name, json, variable string
		want, by             string
		warn                 []WarningCode
	}{
		{"relative", `{"feature_directory": "specs/002-logout"}`, "", "002-logout", ".specify/feature.json", nil},
		{"absolute", `{"feature_directory": "DIR/specs/002-logout"}`, "", "002-logout", ".specify/feature.json", nil},
		{"elsewhere in the project", `{"feature_directory": "features/three"}`, "", "three", ".specify/feature.json",
			nil},
		{"the variable comes first",
			`{"feature_directory": "specs/002-logout"}`, "specs/001-login", "001-login", "SPECIFY_FEATURE_DIRECTORY",
			nil},
		{"gone", `{"feature_directory": "specs/004-gone"}`, "", "001-login", "", []WarningCode{WarnPointer}},
		{"outside", `{"feature_directory": "../other"}`, "", "001-login", "", []WarningCode{WarnPointer}},
		{"a file", `{"feature_directory": "specs/001-login/tasks.md"}`, "", "001-login", "", []WarningCode{WarnPointer}},
		{"of another type", `{"feature_directory": 5}`, "", "001-login", "", nil},
		{"without the key", `{}`, "", "001-login", "", nil},
		{"not JSON", `{`, "", "001-login", "", []WarningCode{WarnFormat}},
	} {
		dir := tree(t, specKitProject+"-- features/three/tasks.md --\n- [ ] T001 a\n-- ../other/x --\n")
		plantText(t, dir, ".specify/feature.json", strings.ReplaceAll(c.json, "DIR", dir))
		w, err := Find(context.Background(), Place{Top: dir, FeatureDir: c.variable}, Hints{})
		must(t, err)
		if w.Change != c.want || w.Why.File != c.by || !slices.Equal(codes(w), c.warn) {
			t.Errorf("%s: %q because of %+v, warnings %v", c.name, w.Change, w.Why, w.Warnings)
		}
	}
}

func TestKiro(t *testing.T) {
	dir := tree(t, `
-- .kiro/specs/login/requirements.md --
-- .kiro/specs/login/tasks.md --
# Implementation Plan
- [x] 1. Set up
- [-] 2. Build the form
  - [x] 2.1 Fields
    - _Requirements: 1.2_
  - [ ]* 2.2 Tests of the fields
  - [ ] 2.3 Button
- [ ] 3. Documents
-- .kiro/specs/empty/ --
-- .kiro/specs/planned/design.md --
-- .kiro/steering/product.md --
`)
	w := look(t, dir, Hints{})
	if w.Source != Kiro || w.Change != "login" || w.Completed != 2 || w.Total != 6 {
		t.Errorf("%+v", w)
	}
	same(t, "tasks", short(w.Tasks), []string{
		"x 1 1. Set up", "2 2. Build the form {in-progress}", "x 2.1 2.1 Fields",
		"2.2 2.2 Tests of the fields optional", "2.3 2.3 Button", "3 3. Documents",
	})
	if nextText(w) != "2.3 Button" || w.Resume.Reason != ResumeActive {
		t.Errorf("next %q %+v", nextText(w), w.Resume)
	}
	same(t, "candidates", ids(w.Candidates), []string{"login", "planned"})
	if w := look(t, dir, Hints{Change: "planned"}); w.Status != NoTasks || w.Why.Reason != ReasonNamed {
		t.Errorf("%+v", w)
	}
}

// TestKiroFlat: Kiro writes the parts of a task below it without indenting them as often as not.
func TestKiroFlat(t *testing.T) {
	const list = "- [x] 1. a\n- [-] 2. b\n- [x] 2.1 c\n- [ ] 2.2 d\n- [ ] 2.2.1 e\n- [ ]* 2.3 f\n- [ ] 20. g\n- [ ] 3. h\n- [ ] 3.1 i\n"
	w := look(t, tree(t, "-- .kiro/specs/x/tasks.md --\n"+list), Hints{})
	if nextText(w) != "2.2.1 e" {
		t.Errorf("next is %q", nextText(w))
	}
	for _, p := range w.Pending() {
		if p.Skipped {
			t.Errorf("%q was passed over", p.Description)
		}
	}
	if steps := w.Steps(9); len(steps) != 5 || steps[1].ID != "2.3" {
		t.Errorf("steps %v", short(steps))
	}
}

// TestKiroOptional: an optional task is offered when nothing else is left.
func TestKiroOptional(t *testing.T) {
	for list, want := range map[string]string{
		"- [x] 1. a\n- [ ]* 2. b\n- [ ] 3. c\n":              "3. c",
		"- [ ] 1. a\n- [x] 2. b\n- [ ]* 3. c\n":              "1. a",
		"- [x] 1. a\n- [ ]* 2. b\n":                          "2. b",
		"- [ ]* 1. a\n- [x] 2. b\n":                          "1. a",
		"- [ ] 1. a\n  - [ ]* 1.1 b\n":                       "1. a",
		"- [ ]*1. tight star\n":                              "1. tight star",
		"- [-] 1. a\n- [-] 2. b\n":                           "1. a",
		"- [ ] 1. a\n- [-]* 2. optional but already begun\n": "2. optional but already begun",
	} {
		w := look(t, tree(t, "-- .kiro/specs/x/tasks.md --\n"+list), Hints{})
		if nextText(w) != want {
			t.Errorf("%q: next is %q, want %q", list, nextText(w), want)
		}
	}
}

// TestKiroTicks: ticks are compared in Kiro's own reading of a line.
func TestKiroTicks(t *testing.T) {
	const file = ".kiro/specs/x/tasks.md"
	w := &world{t: t, dir: tree(t, "-- "+file+" --\n- [x]* 1. a\n- [ ] 2. b\n- [x] 3. c\n- [ ] 4. d\n"),
		asked: map[string]int{}}
	w.head = map[string]string{file: "- [ ]* 1. a\n- [ ] 2. b\n- [x] 3. c\n"}
	if got := w.look(nil); nextText(got) != "2. b" || got.Resume.After != "1. a" {
		t.Errorf("next %q %+v", nextText(got), got.Resume)
	}
}

const tmTasks = `{"master": {"tasks": [
 {"id": 1, "title": "Set up", "status": "done", "dependencies": [], "subtasks": []},
 {"id": 2, "title": "Build", "status": "in-progress", "priority": "low", "dependencies": [1], "subtasks": [
  {"id": 1, "title": "Fields", "status": "done"},
  {"id": 2, "title": "Button", "status": "pending", "dependencies": [1]},
  {"id": 3, "title": "Colours", "status": "pending", "dependencies": ["2.2"]}]},
 {"id": "3", "title": "Document", "status": "pending", "priority": "high", "dependencies": [2]},
 {"id": 4, "title": "Ship", "status": "cancelled"}], "metadata": {"created": "x"}},
 "later": {"tasks": [{"id": 1, "title": "Dream"}]}, "notes": "x"}`

func TestTaskMaster(t *testing.T) {
	dir := tree(t, "-- .taskmaster/tasks/tasks.json --\n"+tmTasks)
	w := look(t, dir, Hints{})
	if w.Source != TaskMaster || w.Change != "master" || w.Why != (Why{Reason: ReasonPointer,
		File: ".taskmaster/tasks/tasks.json"}) {
		t.Errorf("%q %+v", w.Change, w.Why)
	}
	if w.Completed != 1 || w.Total != 4 || w.Percentage() != 25 || w.Status != InProgress {
		t.Errorf("%d/%d %s", w.Completed, w.Total, w.Status)
	}
	same(t, "tasks", short(w.Tasks), []string{
		"x 1 Set up {done}", "2 Build {in-progress}", "x 2.1 Fields {done} of 2", "2.2 Button {pending} of 2",
		"2.3 Colours {pending} of 2",
		"3 Document {pending}", "4 Ship {cancelled}",
	})
	if nextText(w) != "Button" || w.Next.ID != "2.2" || w.Next.Parent != "2" || w.Resume.Reason != ResumeReady {
		t.Errorf("next %+v %+v", w.Next, w.Resume)
	}
	var pending []string
	for _, p := range w.Pending() {
		pending = append(pending, fmt.Sprintf("%s %v", p.ID, p.Skipped))
	}
	same(t, "pending", pending, []string{"2 false", "3 false", "4 false"})
	same(t, "candidates", ids(w.Candidates), []string{"master", "later"})
	if w := look(t, dir, Hints{Change: "later"}); w.Total != 1 || nextText(w) != "Dream" {
		t.Errorf("%+v", w)
	}
}

func TestTaskMasterTags(t *testing.T) {
	for _, c := range []struct {
		name, files string
		want, by    string
		warn        []WarningCode
	}{
		{"state says which",
			"-- .taskmaster/tasks/tasks.json --\n" + tmTasks +
				"\n-- .taskmaster/state.json --\n{\"currentTag\": \"later\"}\n", "later", ".taskmaster/state.json",
			nil},
		{"state names none that is there",
			"-- .taskmaster/tasks/tasks.json --\n" + tmTasks +
				"\n-- .taskmaster/state.json --\n{\"currentTag\": \"gone\"}\n", "master",
			".taskmaster/tasks/tasks.json", []WarningCode{WarnPointer}},
		{"state is broken",
			"-- .taskmaster/tasks/tasks.json --\n" + tmTasks + "\n-- .taskmaster/state.json --\n{\n", "master",
			".taskmaster/tasks/tasks.json", []WarningCode{WarnFormat}},
		{"from before there were tags",
			"-- tasks/tasks.json --\n{\"tasks\": [{\"id\": 1, \"title\": \"a\", \"status\": \"pending\"}]}\n", "master",
			"", nil},
		{"neither state nor master",
			"-- .taskmaster/tasks/tasks.json --\n{\"a\": {\"tasks\": [{\"id\": 1, \"title\": \"x\", \"status\": \"done\"}]}, \"b\": {\"tasks\": [{\"id\": 1, \"title\": \"x\"}]}}\n", "b", "", nil},
		{"somebody else's tasks.json",
			"-- tasks/tasks.json --\n{\"version\": \"2.0.0\", \"tasks\": [{\"label\": \"build\"}]}\n", "", "", nil},
		{"not JSON", "-- .taskmaster/tasks/tasks.json --\n{\n", "", "", []WarningCode{WarnFormat}},
		{"no list", "-- .taskmaster/tasks/tasks.json --\n{\"a\": {}}\n", "", "", []WarningCode{WarnFormat}},
	} {
		w := look(t, tree(t, c.files), Hints{})
		if w.Change != c.want || w.Why.File != c.by || !slices.Equal(codes(w), c.warn) {
			t.Errorf("%s: %q because of %+v, warnings %v", c.name, w.Change, w.Why, w.Warnings)
		}
	}
}

// TestTaskMasterLinkedOut: a list behind a link out of the project is named and passed over for the older place.
func TestTaskMasterLinkedOut(t *testing.T) {
	dir := tree(t, "-- outside.json --\n"+tmTasks+"\n-- repo/.taskmaster/tasks/tasks.json --\n-> ../../../outside.json\n"+
		"-- repo/tasks/tasks.json --\n{\"tasks\": [{\"id\": 1, \"title\": \"inside\"}]}\n")
	w := look(t, dir+"/repo", Hints{})
	if nextText(w) != "inside" || !slices.Equal(codes(w), []WarningCode{WarnOutside}) {
		t.Errorf("%q, %v", nextText(w), w.Warnings)
	}
}

// TestTaskMasterNext goes through the order of Task Master's own next.
func TestTaskMasterNext(t *testing.T) {
	for _, c := range []struct{ name, tasks, want string }{
		{"priority",
			`{"id":1,"title":"a","priority":"low"},{"id":2,"title":"b","priority":"high"},{"id":3,"title":"c"}`, "2"},
		{"no priority is medium", `{"id":1,"title":"a","priority":"low"},{"id":2,"title":"b"}`, "2"},
		{"fewer dependencies",
			`{"id":1,"title":"a","status":"done"},{"id":2,"title":"b","dependencies":[1]},{"id":3,"title":"c"}`, "3"},
		{"lower number", `{"id":10,"title":"a"},{"id":9,"title":"b"}`, "9"},
		{"dependencies must be done",
			`{"id":1,"title":"a","dependencies":[2],"priority":"high"},{"id":2,"title":"b","priority":"low"}`, "2"},
		{"completed is done", `{"id":1,"title":"a","status":"completed"},{"id":2,"title":"b","dependencies":[1]}`, "2"},
		{"nothing is ready", `{"id":1,"title":"a","dependencies":[2]},{"id":2,"title":"b","dependencies":[1]}`, ""},
		{"what is deferred, blocked or in review is not offered",
			`{"id":1,"title":"a","status":"deferred"},{"id":2,"title":"b","status":"blocked"},{"id":3,"title":"c","status":"review"},{"id":4,"title":"d"}`, "4"},
		{"no title", `{"id":1,"title":" "},{"id":2,"title":"b"}`, "2"},
		{"a subtask of a task in progress comes first",
			`{"id":1,"title":"a","priority":"high"},{"id":2,"title":"b","status":"in-progress","priority":"low","subtasks":[{"id":1,"title":"s"}]}`, "2.1"},
		{"its subtasks are done: the task itself",
			`{"id":2,"title":"b","status":"in-progress","subtasks":[{"id":1,"title":"s","status":"done"}]}`, "2"},
	} {
		w := look(t, tree(t, "-- .taskmaster/tasks/tasks.json --\n{\"master\":{\"tasks\":["+c.tasks+"]}}"), Hints{})
		got := ""
		if w.Next != nil {
			got = w.Next.ID
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func FuzzTaskMaster(f *testing.F) {
	f.Add(tmTasks)
	f.Add(`{"tasks":[{"id":1,"title":"a","subtasks":[{"id":"x.y","title":"b","status":"In-Progress"}]}]}`)
	f.Add(`{"tasks":[{"id":1},{"id":1,"title":"a"}]}`)
	f.Add(`{"a":{"tasks":[{"id":1e3,"dependencies":[1.5,"1"]}]},"tasks":{}}`)
	f.Fuzz(func(t *testing.T, text string) {
		tags, err := parseTaskMaster(text)
		if (err == nil) != (len(tags) > 0) {
			t.Fatalf("%d tags, %v", len(tags), err)
		}
		tm := &taskMaster{finder: &finder{}, tags: tags}
		for tag := range tags {
			tasks := tm.flat(tag)
			next, why := tm.resume(t.Context(), &change{Candidate: Candidate{ID: tag}}, tasks)
			if next >= 0 && (tasks[next].Done || tasks[next].Description == "") || (next < 0) != (why == Resume{}) {
				t.Fatalf("next %d of %+v", next, tasks)
			}
		}
	})
}

const beadsIssues = `{"id":"bd-1","title":"Epic","status":"open","priority":0,"issue_type":"epic"}
{"id":"bd-2","title":"Child","status":"open","priority":2,"dependencies":[{"issue_id":"bd-2","depends_on_id":"bd-1","type":"parent-child"}]}
{"id":"bd-3","title":"Blocked","status":"open","priority":0,"dependencies":[{"issue_id":"bd-3","depends_on_id":"bd-2","type":"blocks"}]}

{"id":"bd-4","title":"Closed","status":"closed","priority":0}
{"id":"bd-5","title":"Note","status":"pinned","priority":0}
{"id":"bd-6","title":"Gone","status":"tombstone"}
{"id":"bd-7","title":"Later","status":"deferred","priority":0}
{"id":"bd-8","title":"After a closed one","status":"open","priority":3,"dependencies":[{"depends_on_id":"bd-4","type":"blocks"}]}
`

func TestBeads(t *testing.T) {
	w := look(t, tree(t, "-- .beads/issues.jsonl --\n"+beadsIssues), Hints{})
	if w.Source != Beads || w.Change != beadsList || w.Completed != 1 || w.Total != 6 || !slices.Equal(codes(w),
		[]WarningCode{WarnExport}) {
		t.Errorf("%+v", w)
	}
	same(t, "tasks", short(w.Tasks), []string{
		"bd-1 Epic {open}", "bd-2 Child {open}", "bd-3 Blocked {open}", "x bd-4 Closed {closed}",
		"bd-7 Later {deferred}", "bd-8 After a closed one {open}",
	})
	if w.Next == nil || w.Next.ID != "bd-2" || w.Next.Parent != "bd-1" || w.Next.Line != 2 ||
		w.Resume.Reason != ResumeReady {
		t.Errorf("next %+v %+v", w.Next, w.Resume)
	}
	w = look(t, tree(t,
		"-- .beads/issues.jsonl --\n"+beadsIssues+`{"id":"bd-9","title":"Begun","status":"in_progress","priority":4}`),
		Hints{})
	if nextText(w) != "Begun" || w.Resume.Reason != ResumeActive {
		t.Errorf("next %q %+v", nextText(w), w.Resume)
	}
}

func TestBeadsBroken(t *testing.T) {
	w := look(t, tree(t, "-- .beads/issues.jsonl --\n{\n"+beadsIssues+"no\n"), Hints{})
	if w.Total != 6 || codes(w)[0] != WarnFormat || !strings.Contains(w.Warnings[0].Err.Error(), "line 1 ") {
		t.Errorf("%d, %v", w.Total, w.Warnings)
	}
	for _, text := range []string{"", "\n\n", "{}\n", "[]\n"} {
		if w := look(t, tree(t, "-- .beads/issues.jsonl --\n"+text), Hints{}); w.Status != None || w.Source != Beads {
			t.Errorf("%q: %+v", text, w)
		}
	}
}

func FuzzBeads(f *testing.F) {
	f.Add(beadsIssues)
	f.Add(`{"id":"a","title":"t","status":"open","dependencies":[{"depends_on_id":"a","type":"blocks"},{"depends_on_id":"a","type":"parent-child"}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		issues, _ := parseIssues(text)
		b := &beads{finder: &finder{warned: map[warningKey]bool{}}, issues: issues}
		tasks := b.list()
		next, why := b.resume(t.Context(), nil, tasks)
		if next >= 0 && !tasks[next].offered() || (next < 0) != (why == Resume{}) {
			t.Fatalf("next %d of %+v", next, tasks)
		}
	})
}

// TestPrecedence: the first source with an active change answers, in the order of the constants.
func TestPrecedence(t *testing.T) {
	parts := []struct {
		source Source
		files  string
	}{
		{OpenSpec, "-- openspec/changes/o/tasks.md --\n- [ ] a\n"},
		{SpecKit, "-- .specify/x --\n-- specs/s/tasks.md --\n- [ ] a\n"},
		{Kiro, "-- .kiro/specs/k/tasks.md --\n- [ ] a\n"},
		{TaskMaster, "-- .taskmaster/tasks/tasks.json --\n{\"t\":{\"tasks\":[{\"id\":1,\"title\":\"a\"}]}}\n"},
		{Beads, "-- .beads/issues.jsonl --\n{\"id\":\"b\",\"title\":\"a\",\"status\":\"open\"}\n"},
	}
	for i, p := range parts {
		files := ""
		for _, q := range parts[i:] {
			files += q.files
		}
		w := look(t, tree(t, files), Hints{})
		if w.Source != p.source || w.Why.Reason != ReasonOnly || nextText(w) != "a" {
			t.Errorf("%s: %+v", p.source, w)
		}
		if i > 0 { // a project without active changes stands aside, and is named if there is nothing else
			w = look(t, tree(t, "-- openspec/specs/x/spec.md --\n"+files), Hints{})
			if w.Source != p.source {
				t.Errorf("%s beside an idle project: %+v", p.source, w)
			}
		}
	}
	w := look(t, tree(t, "-- openspec/specs/x/spec.md --\n-- .kiro/specs/ --\n"), Hints{})
	if w.Source != OpenSpec || w.Status != None {
		t.Errorf("two idle projects: %+v", w)
	}
	w = look(t, tree(t, parts[0].files+parts[2].files), Hints{Change: "k"})
	if w.Source != Kiro || w.Change != "k" {
		t.Errorf("named in another source: %+v", w)
	}
	w = look(t, tree(t, "-- openspec/specs/x/spec.md --\n"+parts[2].files), Hints{Change: "gone"})
	if w.Source != Kiro || w.Status != NotFound || len(w.Candidates) != 1 {
		t.Errorf("named and nowhere: %+v", w)
	}
}

// TestOtherSourcesStayInTheTree: what lies above the work tree belongs to somebody else.
func TestOtherSourcesStayInTheTree(t *testing.T) {
	dir := tree(t,
		"-- .kiro/specs/k/tasks.md --\n- [ ] a\n-- .beads/issues.jsonl --\n{\"id\":\"b\",\"title\":\"a\"}\n-- repo/sub/x --\n")
	w, err := Find(context.Background(), Place{Dir: dir + "/repo/sub", Top: dir + "/repo"}, Hints{})
	if err != nil || w.Source != "" || w.Status != None {
		t.Errorf("%+v, %v", w, err)
	}
}
