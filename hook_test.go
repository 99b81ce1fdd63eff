//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/tidwall/gjson"
)

// hookIn runs session hook with an input.
func hookIn(t testing.TB, dir string, env []string, in string, args ...string) string {
	t.Helper()
	cmd := exec.Command("session", append([]string{"hook"}, args...)...)
	cmd.Dir, cmd.Env, cmd.Stdin = dir, env, strings.NewReader(in)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("hook %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// TestHookWhoseInputNeverEnds: a caller that leaves the hook's input open waits for the hook's limit, not for ever.
func TestHookWhoseInputNeverEnds(t *testing.T) {
	dir, env := filepath.Join(t.TempDir(), "r"), environ(t)
	sh(t, filepath.Dir(dir), env, "git init -q r; cd r; git commit -q --allow-empty -m base")
	session(t, dir, env, "save", "-m", "one")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	cmd := exec.Command("session", "hook", "turn-end", "--from", "claude")
	cmd.Dir, cmd.Env, cmd.Stdin = dir, env, r
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "longer than 2s") {
		t.Errorf("%v: %s", err, out)
	}
	if out, _, _ := session(t, dir, env, "doctor", "--json"); !strings.Contains(gjson.Get(out, "failures.0.error").String(), "longer than 2s") {
		t.Errorf("doctor does not know: %s", gjson.Get(out, "failures").Raw)
	}
}

// TestHooksAtOnce: hooks of one conversation that overlap take every message in once.
func TestHooksAtOnce(t *testing.T) {
	dir, env := filepath.Join(t.TempDir(), "r"), environ(t)
	sh(t, filepath.Dir(dir), env, "git init -q r; cd r; git commit -q --allow-empty -m base")
	session(t, dir, env, "save", "-m", "one")
	talk := filepath.Join(filepath.Dir(dir), "talk.jsonl")
	var lines strings.Builder
	for _, s := range []string{"first thing", "second thing", "third thing"} {
		lines.WriteString(`{"type":"user","uuid":"` + s + `","sessionId":"s","message":{"role":"user","content":"` + s + `"}}` + "\n")
	}
	if err := os.WriteFile(talk, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for _, event := range []string{"turn-end", "session-end", "before-compact", "turn-end"} {
		all.Go(func() {
			hookIn(t, dir, env, `{"session_id":"s","cwd":"`+dir+`","transcript_path":"`+talk+`"}`, event, "--from", "claude")
		})
	}
	all.Wait()
	session(t, dir, env, "save")
	snap := sh(t, dir, env, `cat .git/session/snapshots/*/* .git/session/snapshots/* .git/session/blobs/* .git/session/blobs/*/* 2>/dev/null || :`)
	head, _, _ := session(t, dir, env, "log", "--json")
	id := gjson.Get(head, "snapshots.0.session_id").String()
	own := sh(t, dir, env, `f=$(find .git/session/snapshots -name "*`+id+`*" -type f); cat "$f"`)
	for _, s := range []string{"first thing", "second thing", "third thing"} {
		if n := strings.Count(own, `"text":"`+s+`"`) + strings.Count(own, `"text": "`+s+`"`); n != 1 {
			t.Errorf("%q stands %d times in the save:\n%s\n%d bytes in all", s, n, own, len(snap))
		}
	}
	if out, errs, code := session(t, dir, env, "check"); code != 0 {
		t.Errorf("check: %s%s", out, errs)
	}
}

// TestHookWithoutRoom: a store that cannot be written to stops neither the assistant nor a push, and hides nothing.
func TestHookWithoutRoom(t *testing.T) {
	if os.Getuid() == 0 {
		t.Log("root may write anywhere: folders stand in the way instead")
	}
	dir, env := filepath.Join(t.TempDir(), "r"), environ(t)
	sh(t, filepath.Dir(dir), env, "git init -q --bare up.git; git init -q r; cd r; git commit -q --allow-empty -m base; git remote add origin ../up.git")
	session(t, dir, env, "init", "--git-hook")
	session(t, dir, env, "save", "-m", "one")
	sh(t, dir, env, "rm -rf .git/session/snapshots; touch .git/session/snapshots; mkdir .git/session/hook-notes.json")
	if out := hookIn(t, dir, env, `{"session_id":"s"}`, "turn-end", "--from", "claude"); out == "" {
		t.Error("a failing hook says nothing")
	}
	hookIn(t, dir, env, `{"session_id":"s","source":"startup"}`, "session-start", "--from", "claude")
	sh(t, dir, env, "git push -q origin HEAD:refs/heads/main && git -C ../up.git rev-parse -q --verify main")
	out, _, code := session(t, dir, env, "doctor", "--json")
	if code != 3 || gjson.Get(out, "failures.#").Int() == 0 || gjson.Get(out, "store.ok").Bool() {
		t.Errorf("doctor: %d %s", code, out)
	}
}
