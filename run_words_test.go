//go:build unix

package main

import (
	"database/sql"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tidwall/gjson"
)

// TestReworded rewords the one todo of a session that failed: the agent that goes on with it hears the new words. A todo
// that there is not is named, and the session says why it failed.
func TestReworded(t *testing.T) {
	t.Parallel()
	dir, env := teamTree(t)
	if _, errs, code := session(t, dir, env, "run", "--fork", "--agent", "fail", "old words"); code != 1 {
		t.Fatal(code, errs)
	}
	out, _, _ := session(t, dir, env, "list", "--status", "failed", "--json")
	id := gjson.Get(out, "sessions.0.id").String()
	if out, errs, code := session(t, dir, env, "info", id); code != 0 || !strings.Contains(out, "exit status 3") {
		t.Errorf("info of a failed session: %d %s%s", code, out, errs)
	}
	if _, errs, code := session(t, dir, env, "resume", id, "--skip-todo", "nope"); code != 2 || !strings.Contains(errs, "nope") || strings.Contains(errs, "killed run") {
		t.Errorf("a todo that there is not: %d %s", code, errs)
	}
	out, errs, code := session(t, dir, env, "resume", id, "--agent", "echo", "--update-todo", "t1=new words")
	if code != 0 || !strings.Contains(out, "old words") || !strings.Contains(out, "- new words") {
		t.Errorf("reworded: %d %s%s", code, out, errs)
	}
	out, _, _ = session(t, dir, env, "run", "--agent", "echo", "one thing to do")
	if strings.Contains(out, "- one thing") {
		t.Errorf("an input of its own is said twice: %s", out)
	}
}

// TestDatabaseFailsAtTheEnd lets the database refuse what became of a run: the snapshot that was recorded is named, and the
// next run of the session shows its answer, without asking the agent again.
func TestDatabaseFailsAtTheEnd(t *testing.T) {
	t.Parallel()
	dir, env := teamTree(t)
	if out, errs, code := session(t, dir, env, "run", "--agent", "echo", "first"); code != 0 {
		t.Fatal(out, errs)
	}
	db, err := sql.Open("sqlite", filepath.Join(dir, ".git", "session", "sessions.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	do := func(what string) {
		t.Helper()
		if _, err := db.ExecContext(t.Context(), what); err != nil {
			t.Fatal(err)
		}
	}
	do("CREATE TRIGGER away BEFORE INSERT ON session_checkpoints BEGIN SELECT RAISE(ABORT, 'the disk is gone'); END")
	_, errs, code := session(t, dir, env, "run", "--agent", "echo", "second question")
	head, _, _ := session(t, dir, env, "show", "HEAD", "--json")
	id := gjson.Get(head, "session_id").String()
	if code != 1 || !strings.Contains(errs, "snapshot "+id+" was recorded") || !strings.Contains(errs, "session show "+id) {
		t.Fatalf("%d %s, the newest is %s", code, errs, id)
	}
	do("DROP TRIGGER away")
	list, _, _ := session(t, dir, env, "list", "--json")
	out, errs, code := session(t, dir, env, "run", "--session", gjson.Get(list, "sessions.0.id").String())
	if code != 0 || !strings.Contains(out, "second question") || !strings.Contains(errs, "recorded as "+id[:8]+" (echo)") {
		t.Errorf("the next run: %d %s%s", code, out, errs)
	}
	if head, _, _ := session(t, dir, env, "show", "HEAD", "--json"); gjson.Get(head, "session_id").String() != id {
		t.Error("the agent was asked again")
	}
}

// TestWorkerEnds ends a worker as a system does: what it did is recorded, and nothing else is said.
func TestWorkerEnds(t *testing.T) {
	t.Parallel()
	dir, env := teamTree(t)
	if out, errs, code := session(t, dir, env, "run", "--queue", "--agent", "echo", "work"); code != 0 {
		t.Fatal(out, errs)
	}
	program, err := exec.LookPath("session")
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	cmd := exec.CommandContext(t.Context(), program, "worker", "--slots", "1")
	cmd.Dir, cmd.Env, cmd.Stderr = dir, env, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for n := 0; ; n++ {
		if list, _, _ := session(t, dir, env, "list", "--status", "completed", "--json"); gjson.Get(list, "sessions.#").Int() == 1 {
			break
		}
		if n == 200 {
			t.Fatal("it does not work")
		}
		time.Sleep(50 * time.Millisecond)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 130 || strings.Contains(said.String(), "nothing was recorded") {
		t.Errorf("it ends with %v: %s", err, said.String())
	}
}
