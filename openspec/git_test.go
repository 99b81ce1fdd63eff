package openspec

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"session/internal/needtest"
)

// repository answers the hints with git itself.
type repository struct {
	t   *testing.T
	dir string
	now int64 // time of the next commit
}

func newRepository(t *testing.T) *repository {
	t.Helper()
	needtest.Program(t, "git", "install git")
	r := &repository{t: t, dir: tree(t, ""), now: 1_800_000_000}
	r.git("init", "-q", "-b", "main")
	return r
}

func (r *repository) git(args ...string) string {
	r.t.Helper()
	out, err := r.try(args...)
	if err != nil {
		r.t.Fatalf("git %q: %v: %s", args, err, out)
	}
	return out
}

func (r *repository) try(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = r.dir
	at := strconv.FormatInt(r.now, 10) + " +0000"
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "LC_ALL=C",
		"GIT_AUTHOR_DATE="+at, "GIT_COMMITTER_DATE="+at,
		"GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.org", "GIT_COMMITTER_NAME=t",
		"GIT_COMMITTER_EMAIL=t@example.org")
	var out, problem bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problem
	err := cmd.Run()
	if err != nil {
		return problem.String(), err
	}
	return out.String(), nil
}

func (r *repository) commit(message string) {
	r.t.Helper()
	r.now += 3600
	r.git("add", "-A")
	r.git("commit", "-q", "-m", message)
}

// tick ticks the box with that text.
func (r *repository) tick(id, text string) {
	r.t.Helper()
	path := filepath.Join(r.dir, "openspec/changes", id, "tasks.md")
	old, err := os.ReadFile(path)
	must(r.t, err)
	ticked := strings.Replace(string(old), "[ ] "+text, "[x] "+text, 1)
	if ticked == string(old) {
		r.t.Fatalf("%q is no open box of %s", text, id)
	}
	must(r.t, os.WriteFile(path, []byte(ticked), 0o644))
}

func (r *repository) show(rev, file string) ([]byte, error) {
	out, err := r.try("show", rev+":"+file)
	if err != nil {
		return nil, fs.ErrNotExist
	}
	return []byte(out), nil
}

func (r *repository) hints() Hints {
	branch, _ := r.try("symbolic-ref", "--short", "-q", "HEAD")
	return Hints{
		Branch: strings.TrimSpace(branch),
		Changed: func(context.Context) (files []string, err error) {
			for entry := range strings.SplitSeq(r.git("-c", "core.quotePath=false", "status", "--porcelain", "-z",
				"-unormal", "--no-renames"), "\x00") {
				if len(entry) > 3 {
					files = append(files, entry[3:])
				}
			}
			return files, nil
		},
		AtHead: func(_ context.Context, file string) ([]byte, error) { return r.show("HEAD", file) },
		Before: func(_ context.Context, file string) ([]byte, error) {
			last := strings.TrimSpace(r.git("log", "-1", "--format=%H", "--", file))
			return r.show(last+"^", file)
		},
		Touched: func(_ context.Context, files []string) (map[string]time.Time, error) {
			times := map[string]time.Time{}
			for _, file := range files {
				if at, err := strconv.ParseInt(strings.TrimSpace(r.git("log", "-1", "--format=%ct", "--", file)), 10,
					64); err == nil {
					times[file] = time.Unix(at, 0)
				}
			}
			return times, nil
		},
	}
}

// expect looks and compares: chosen change, reason, next task, reason.
func (r *repository) expect(want string, change func(*Hints)) Work {
	r.t.Helper()
	h := r.hints()
	if change != nil {
		change(&h)
	}
	w := look(r.t, r.dir, h)
	if got := strings.Join([]string{w.Change, string(w.Why.Reason), nextText(w), string(w.Resume.Reason)},
		" | "); got != want {
		r.t.Errorf("%s\nwant %s", got, want)
	}
	return w
}

// TestDay follows two changes through a day of work, with git answering.
func TestDay(t *testing.T) {
	r := newRepository(t)
	plantText(t, r.dir, "openspec/changes/add-login/tasks.md",
		"## 1. Form\n- [ ] 1.1 fields\n- [ ] 1.2 button\n- [ ] 1.3 colours\n## 2. Text\n- [ ] 2.1 manual\n")
	r.expect("add-login | only | 1.1 fields | first", nil)
	r.commit("Plan the login")
	plantText(t, r.dir, "openspec/changes/add-logout/tasks.md", "- [ ] 1 link\n- [ ] 2 page\n")
	r.commit("Plan the logout")
	r.expect("add-logout | recent | 1 link | first", nil)

	r.git("switch", "-q", "-c", "feat/add-login")
	r.expect("add-login | branch | 1.1 fields | first", nil)
	r.tick("add-login", "1.2 button")
	r.expect("add-login | ticked | 1.3 colours | after_head", nil)
	r.commit("WIP")
	r.expect("add-login | branch | 1.3 colours | after_commit", nil)
	r.tick("add-login", "1.1 fields")
	r.expect("add-login | ticked | 1.3 colours | after_head", nil)
	saved := func(h *Hints) { h.Saved = Saved{Change: "add-login", Done: []string{"1.2 button", "1.1 fields"}} }
	r.commit("WIP")
	r.tick("add-login", "2.1 manual")
	w := r.expect("add-login | ticked | 1.3 colours | after_save", saved)
	if !w.Resume.Wrapped || w.Resume.After != "2.1 manual" || w.Percentage() != 75 {
		t.Errorf("%+v, %d%%", w.Resume, w.Percentage())
	}

	r.tick("add-login", "1.3 colours")
	w = r.expect("add-login | ticked |  | ", nil)
	if w.Status != Complete {
		t.Errorf("%s", w.Status)
	}
	r.commit("Finish the login")
	r.expect("add-login | branch |  | ", nil)
	r.git("switch", "-q", "--detach")
	r.expect("add-logout | only_of_status | 1 link | first", nil)

	must(t, os.MkdirAll(filepath.Join(r.dir, "openspec/changes/archive"), 0o755))
	r.git("mv", "openspec/changes/add-login", "openspec/changes/archive/2026-11-20-add-login")
	r.commit("Archive the login")
	w = look(t, r.dir, Hints{Change: "add-login"})
	if w.Status != Archived || w.Archive.Date != "2026-11-20" || !slices.Equal(ids(w.Candidates),
		[]string{"add-logout"}) {
		t.Errorf("%+v", w)
	}
	r.expect("add-logout | only | 1 link | first", nil)
}

// TestFreshClone: all files have one time on disk, so history decides.
func TestFreshClone(t *testing.T) {
	r := newRepository(t)
	for _, id := range []string{"a", "b", "c"} {
		plantText(t, r.dir, "openspec/changes/"+id+"/tasks.md", "- [ ] one\n- [ ] two\n- [ ] three\n")
	}
	r.commit("Plan")
	r.tick("b", "one")
	r.commit("Work on b")
	for _, id := range []string{"a", "b", "c"} {
		must(t, os.Chtimes(filepath.Join(r.dir, "openspec/changes", id, "tasks.md"), time.Unix(1e9, 0), time.Unix(1e9,
			0)))
	}
	r.expect("b | recent | two | after_commit", nil)
	r.tick("b", "three")
	r.commit("Work on b again")
	r.expect("b | recent | two | after_commit", nil)
}

// TestOddNamesInGit: paths with spaces and Hangul reach git as they are.
func TestOddNamesInGit(t *testing.T) {
	r := newRepository(t)
	plantText(t, r.dir, "openspec/changes/로그인 개선/tasks.md", "- [ ] 하나\n- [ ] 둘\n- [ ] 셋\n")
	plantText(t, r.dir, "openspec/changes/other/tasks.md", "- [ ] x\n")
	r.commit("Plan")
	r.tick("로그인 개선", "둘")
	r.expect("로그인 개선 | ticked | 셋 | after_head", nil)
	plantText(t, r.dir, "openspec/changes/new one/tasks.md", "- [ ] x\n")
	r.expect("로그인 개선 | ticked | 셋 | after_head", nil)
}
