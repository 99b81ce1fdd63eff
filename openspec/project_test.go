package openspec

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestProjects runs testdata/projects: each file is a project and, above it, what is to be found there. Words:
//
//	at DIR                     stand in that folder
//	change ID DONE/TOTAL WORD  what `openspec list` says of the change; the change is named
//	task [x] FILE:LINE TEXT    tasks of the change above, all of them, in order; [ ] for open ones
//	next TEXT                  task to go on with in the change above
//	warn CODE...               all warnings for the change above
//	chosen ID REASON           what is chosen if nothing is named
//	candidates ID...           the active changes, ranked
//	archived ID DIR            what naming an archived change finds
//	absent ID                  a change that is nowhere
//	root DIR KIND              the project that is found
//	error TEXT                 part of the error that Find ends in
func TestProjects(t *testing.T) {
	files, err := filepath.Glob("testdata/projects/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no projects", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			must(t, err)
			a := txtar.Parse(data)
			s := &script{t: t, dir: tree(t, string(data))}
			for n, text := range strings.Split(string(a.Comment), "\n") {
				if text = strings.TrimSpace(text); text != "" && !strings.HasPrefix(text, "#") {
					word, rest, _ := strings.Cut(text, " ")
					s.where = fmt.Sprintf("%s:%d", file, n+1)
					s.run(word, strings.TrimSpace(rest))
				}
			}
			s.endOfChange()
			if s.checks == 0 {
				t.Error("nothing is checked")
			}
		})
	}
}

type script struct {
	t       *testing.T
	dir     string
	at      string
	where   string
	checks  int
	work    Work     // of the change at hand
	tasks   []string // expected of it so far
	checked bool     // its tasks are listed
}

func (s *script) find(change string) (Work, error) {
	p := Place{Dir: filepath.Join(s.dir, s.at), Top: s.dir, DataHome: filepath.Join(s.dir, "data"),
		ConfigHome: filepath.Join(s.dir, "conf")}
	w, err := Find(context.Background(), p, Hints{Change: change})
	if err == nil {
		checkWork(s.t, w)
	}
	return w, err
}

func (s *script) mustFind(change string) Work {
	w, err := s.find(change)
	if err != nil {
		s.t.Fatalf("%s: %v", s.where, err)
	}
	return w
}

func (s *script) equal(what, got, want string) {
	s.checks++
	if got != want {
		s.t.Errorf("%s: %s is\n\t%s\nwant\n\t%s", s.where, what, got, want)
	}
}

func (s *script) run(word, rest string) {
	first, second, _ := strings.Cut(rest, " ")
	switch word {
	case "at":
		s.at = rest
	case "change":
		s.endOfChange()
		fields := strings.Fields(rest)
		id := strings.Join(fields[:len(fields)-2], " ")
		s.work = s.mustFind(id)
		s.equal("progress", fmt.Sprintf("%s %d/%d %s", s.work.Change, s.work.Completed, s.work.Total,
			s.work.Status.Word()), rest)
	case "task":
		s.tasks, s.checked = append(s.tasks, rest), true
	case "next":
		s.equal("next", nextText(s.work), rest)
	case "warn":
		s.equal("warnings", strings.Trim(fmt.Sprint(codes(s.work)), "[]"), rest)
	case "chosen":
		w := s.mustFind("")
		s.equal("chosen", strings.TrimSpace(fmt.Sprintf("%s %s", w.Change, w.Why.Reason)), rest)
	case "candidates":
		s.equal("candidates", strings.Join(ids(s.mustFind("").Candidates), " "), rest)
	case "archived":
		w := s.mustFind(first)
		if w.Archive == nil {
			s.t.Fatalf("%s: status is %s", s.where, w.Status)
		}
		s.equal("archived", strings.TrimSpace(fmt.Sprintf("%s %s %s", w.Status, w.Archive.Dir, w.Archive.Date)),
			fmt.Sprintf("%s %s", Archived, second))
	case "absent":
		s.equal("status", string(s.mustFind(rest).Status), string(NotFound))
	case "root":
		w := s.mustFind("")
		s.equal("root", strings.TrimSpace(fmt.Sprintf("%s %s", w.Root, w.RootKind)), rest)
	case "error":
		_, err := s.find("")
		s.checks++
		if err == nil || !strings.Contains(err.Error(), rest) {
			s.t.Errorf("%s: the error is %v, want %q in it", s.where, err, rest)
		}
	default:
		s.t.Fatalf("%s: unknown word %q", s.where, word)
	}
}

// endOfChange compares the tasks that were listed for a change.
func (s *script) endOfChange() {
	if !s.checked {
		return
	}
	var got []string
	for _, t := range s.work.Tasks {
		file := strings.TrimPrefix(t.File, s.work.Dir+"/")
		got = append(got, strings.TrimSpace(fmt.Sprintf("[%s] %s:%d %s", map[bool]string{true: "x", false: " "}[t.Done],
			file, t.Line, t.Description)))
	}
	s.checks++
	if !slices.Equal(got, s.tasks) {
		s.t.Errorf("%s: tasks of %s are\n\t%s\nwant\n\t%s", s.where, s.work.Change, strings.Join(got, "\n\t"),
			strings.Join(s.tasks, "\n\t"))
	}
	s.tasks, s.checked = nil, false
}
