//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"session/internal/needtest"

	"github.com/coder/websocket"
	"github.com/tidwall/gjson"
)

// teamTree is a work tree whose policy has programs that a test can wait for, accepted; two saves are in it.
func teamTree(t *testing.T) (dir string, env []string) {
	t.Helper()
	home := t.TempDir()
	dir, env = filepath.Join(home, "r"), environ(t, "XDG_RUNTIME_DIR="+home)
	agent := filepath.Join(home, "agent")
	program := `#!/bin/sh
asked=$(cat)
case $1 in
echo) echo "ASKED: $asked" ;;
ask) case "$asked" in *Decision:*) echo "decided: $asked" ;; *) printf 'I looked at both.\nSTATUS: DECISION_NEEDED\nQuestion: Redis streams or PostgreSQL?\n' ;; esac ;;
wait) while [ ! -e ` + home + `/go ]; do read x <` + home + `/fifo; done; echo waited ;;
fail) exit 3 ;;
esac
`
	policy := "programs:\n"
	for _, p := range []string{"echo", "ask", "wait", "fail"} {
		policy += "  " + p + ": {run: [" + agent + ", " + p + "], input: stdin, output: text, limit: 60s}\n"
	}
	if err := os.WriteFile(agent, []byte(program), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(home, "fifo"), 0o600); err != nil {
		t.Skipf("no FIFO here: %v", err)
	}
	sh(t, home, env, "git init -q r; cd r; mkdir -p .claude/session/policy; cat >.claude/session/policy/bundles.yaml <<'E'\n"+policy+"E\ngit add -A; git commit -qm base; echo 1 >a")
	accept(t, dir, env)
	for _, words := range []string{"queue for jobs", "retries with a bound"} {
		if out, errs, code := session(t, dir, env, "save", "-m", words, "--next", "write the worker"); code != 0 {
			t.Fatal(out, errs)
		}
		sh(t, dir, env, "echo 2 >>a; echo new >b")
	}
	return dir, env
}

// letGo lets the program wait end.
func letGo(t *testing.T, dir string) {
	t.Helper()
	home := filepath.Dir(dir)
	if err := os.WriteFile(filepath.Join(home, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(filepath.Join(home, "fifo"), os.O_RDWR|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("\n"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
}

// offered is a running session serve.
type offered struct {
	t   *testing.T
	cmd *exec.Cmd
	url string
	key string
	log *bytes.Buffer
}

func serve(t *testing.T, dir string, env []string, args ...string) *offered {
	t.Helper()
	program, err := exec.LookPath("session")
	if err != nil {
		t.Fatal(err)
	}
	s := &offered{t: t, cmd: exec.Command(program, append([]string{"serve", "--listen", "127.0.0.1:0", "--json"}, args...)...), log: &bytes.Buffer{}}
	s.cmd.Dir, s.cmd.Env, s.cmd.Stderr = dir, env, s.log
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.cmd.Process.Kill(); _ = s.cmd.Wait() })
	var doc strings.Builder
	b := make([]byte, 512)
	for !gjson.Valid(doc.String()) || doc.Len() == 0 {
		n, err := out.Read(b)
		doc.Write(b[:n])
		if err != nil {
			_ = s.cmd.Wait()
			t.Fatalf("serve: %v\n%s", err, s.log)
		}
	}
	s.url = strings.TrimSuffix(gjson.Get(doc.String(), "url").String(), "/")
	file := gjson.Get(doc.String(), "key_file").String()
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("key file: %v %v", info, err)
	}
	key, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s.key = strings.TrimSpace(string(key))
	return s
}

// does makes a request as curl would.
func (s *offered) does(method, path, token, body string) (int, gjson.Result) {
	s.t.Helper()
	r, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatalf("%s %s: %v\n%s", method, path, err, s.log)
	}
	defer a.Body.Close()
	b, err := io.ReadAll(a.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return a.StatusCode, gjson.ParseBytes(b)
}

// hear listens to a session until it has heard an event of a type, and returns all that it heard.
func (s *offered) hear(id, token string, after int, until string) []string {
	s.t.Helper()
	conn, _, err := websocket.Dial(s.t.Context(), "ws"+strings.TrimPrefix(s.url, "http")+"/ws/"+id+"?after="+strconv.Itoa(after),
		&websocket.DialOptions{Subprotocols: []string{"session.v1", "session.key." + token}})
	if err != nil {
		s.t.Fatal(err)
	}
	defer conn.CloseNow()
	ctx, stop := context.WithTimeout(s.t.Context(), time.Minute)
	defer stop()
	var heard []string
	for {
		_, b, err := conn.Read(ctx)
		if err != nil {
			s.t.Fatalf("waiting for %s after %v: %v\n%s", until, heard, err, s.log)
		}
		if e := gjson.GetBytes(b, "event"); e.Exists() {
			heard = append(heard, e.Get("event_type").String())
			if e.Get("event_type").String()+" "+e.Get("data.to").String() == until {
				return heard
			}
		}
	}
}

func (s *offered) begin(token, body string) string {
	s.t.Helper()
	code, made := s.does("POST", "/api/sessions", token, body)
	if code != 201 {
		s.t.Fatalf("create: %d %s", code, made)
	}
	return made.Get("data.session_id").String()
}

// TestServeFromRunToAnswer goes the whole way as a stranger would: run, hitl_waiting, answer, completed, with every event
// on a WebSocket; a user with a token sees nothing of it.
func TestServeFromRunToAnswer(t *testing.T) {
	t.Parallel()
	dir, env := teamTree(t)
	out, errs, code := session(t, dir, env, "token", "create", "ada", "--label", "test", "--json")
	if code != 0 {
		t.Fatal(out, errs)
	}
	ada := gjson.Get(out, "token").String()
	s := serve(t, dir, env)
	id := s.begin(s.key, `{"user_input":"which queue?","agent":"ask","todos":["look","decide"]}`)
	if got := strings.Join(s.hear(id, s.key, 0, "session.paused hitl_waiting"), " "); got != "session.created session.started session.paused" {
		t.Errorf("until it waits: %s", got)
	}
	_, one := s.does("GET", "/api/sessions/"+id, s.key, "")
	request := one.Get("data.pending.request_id").String()
	if one.Get("data.pending.data.question").String() != "Redis streams or PostgreSQL?" || one.Get("data.todos.#").Int() != 2 {
		t.Fatalf("it waits: %s", one)
	}
	if code, body := s.does("GET", "/api/sessions/"+id, ada, ""); code != 404 {
		t.Errorf("another user: %d %s", code, body)
	}
	if code, body := s.does("POST", "/api/sessions/"+id+"/requests/"+request+"/answer", s.key, `{"choice":"Redis"}`); code != 200 {
		t.Fatalf("answer: %d %s", code, body)
	}
	if code, _ := s.does("POST", "/api/sessions/"+id+"/requests/"+request+"/answer", s.key, `{"choice":"no, PostgreSQL"}`); code != 409 {
		t.Errorf("a second answer: %d", code)
	}
	if got := strings.Join(s.hear(id, s.key, 3, "session.completed completed"), " "); got != "session.resumed session.completed" {
		t.Errorf("after the answer: %s", got)
	}
	_, one = s.does("GET", "/api/sessions/"+id, s.key, "")
	if !strings.Contains(one.Get("data.response.output").String(), "Decision: Redis") || one.Get("data.session_checkpoints.#").Int() != 2 {
		t.Errorf("completed: %s", one)
	}
	from, to := one.Get("data.session_checkpoints.0.snapshot").String(), one.Get("data.session_checkpoints.1.snapshot").String()
	if code, d := s.does("GET", "/api/sessions/"+id+"/diff?from="+from+"&to="+to, s.key, ""); code != 200 || d.Get("data.to").String() != to {
		t.Errorf("diff: %d %s", code, d)
	}
	if out, errs, code := session(t, dir, env, "list", "--json"); code != 0 || gjson.Get(out, "sessions.0.status").String() != "completed" {
		t.Errorf("the command line sees it: %s%s", out, errs)
	}
	mine := s.begin(ada, `{"user_input":"hello","agent":"echo"}`)
	s.hear(mine, ada, 0, "session.completed completed")
	if _, list := s.does("GET", "/api/sessions", ada, ""); list.Get("data.sessions.#").Int() != 1 {
		t.Errorf("ada's: %s", list)
	}
	if code, found := s.does("GET", "/api/sessions/"+mine+"/memory?query=hello&top_k=3", ada, ""); code != 200 || !strings.Contains(found.Get("data.items.0.summary").String(), "hello") {
		t.Errorf("what ada's session remembers: %d %s", code, found)
	}
	if code, found := s.does("GET", "/api/sessions/"+mine+"/memory?query=queue&top_k=99", ada, ""); code != 200 || strings.Contains(found.String(), "retries with a bound") {
		t.Errorf("ada finds what the work tree remembers: %d %s", code, found)
	}
	if code, found := s.does("GET", "/api/sessions/"+mine+"/memory?query=hello&top_k=3", s.key, ""); code != 404 {
		t.Errorf("the operator looks into ada's memory: %d %s", code, found)
	}
	s.ends(t)
}

// TestServeOthersWords lets a user run something in the operator's work tree: neither the user's snapshots nor the prompt
// have the operator's words, blocker, next steps, tasks or memory in them. The operator's own have.
func TestServeOthersWords(t *testing.T) {
	t.Parallel()
	dir, env := teamTree(t)
	for _, args := range [][]string{{"save", "-m", "private words", "--next", "private step", "--todo", "private task"}, {"memory", "add", "the queue of customer Zulu is private"},
		{"blocker", "set", "other", "-m", "private blocker"}} {
		if out, errs, code := session(t, dir, env, args...); code > 3 || code == 1 || code == 2 {
			t.Fatal(args, code, out, errs)
		}
	}
	out, _, _ := session(t, dir, env, "token", "create", "ada", "--json")
	ada := gjson.Get(out, "token").String()
	s := serve(t, dir, env)
	run := func(token string) string {
		id := s.begin(token, `{"user_input":"the queue of customer?","agent":"ask"}`)
		s.hear(id, token, 0, "session.paused hitl_waiting")
		_, one := s.does("GET", "/api/sessions/"+id, token, "")
		if code, body := s.does("POST", "/api/sessions/"+id+"/requests/"+one.Get("data.pending.request_id").String()+"/answer", token, `{"choice":"Redis, customer"}`); code != 200 {
			t.Fatalf("answer: %d %s", code, body)
		}
		s.hear(id, token, 0, "session.completed completed")
		_, one = s.does("GET", "/api/sessions/"+id, token, "")
		prompt := s.begin(token, `{"user_input":"the queue of customer?","agent":"echo"}`)
		s.hear(prompt, token, 0, "session.completed completed")
		_, echoed := s.does("GET", "/api/sessions/"+prompt, token, "")
		all := one.String() + echoed.String()
		for _, p := range one.Get("data.session_checkpoints").Array() {
			code, body := s.does("GET", "/api/sessions/"+id+"/snapshots/"+p.Get("snapshot").String(), token, "")
			if code != 200 || body.Get("data.git_commit").String() == "" || body.Get("data.environment_state.git.head").String() == "" {
				t.Errorf("snapshot: %d %s", code, body)
			}
			all += body.String()
		}
		if code, found := s.does("GET", "/api/sessions/"+id+"/memory?query=queue+customer&top_k=50", token, ""); code == 200 {
			all += found.String()
		}
		return all
	}
	if code, body := s.does("POST", "/api/sessions", ada, `{"user_input":"who?","agent":"nope"}`); code != 422 || body.Get("error.code").String() != "INVALID" {
		t.Errorf("an agent that there is not: %d %s", code, body)
	}
	if all := run(ada); strings.Contains(all, "rivate") || !strings.Contains(all, "decided: ") || !strings.Contains(all, "ASKED: ") {
		t.Errorf("ada reads: %s", all)
	}
	all := run(s.key) // what was asked is what the run works on; the rest is the work tree's
	for _, private := range []string{"private step", "private blocker", "Zulu is private"} {
		if !strings.Contains(all, private) {
			t.Errorf("the operator does not read %q: %s", private, all)
		}
	}
	s.ends(t)
}

// ends ends a service as a system does, and wants it to end well.
func (s *offered) ends(t *testing.T) {
	t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Wait(); err != nil && s.cmd.ProcessState.ExitCode() != 0 {
		t.Errorf("it ends with %v\n%s", err, s.log)
	}
}

// TestServeTokens makes, uses and revokes tokens.
func TestServeTokens(t *testing.T) {
	t.Parallel()
	dir, env := workTree(t)
	env = append(env, "XDG_RUNTIME_DIR="+t.TempDir())
	if _, errs, code := session(t, dir, env, "token", "create"); code != 2 {
		t.Errorf("no user: %d %s", code, errs)
	}
	if _, errs, code := session(t, dir, env, "token", "create", "../eve"); code != 2 {
		t.Errorf("a user that is no name: %d %s", code, errs)
	}
	for _, never := range []string{"0s", "-1h"} {
		if _, errs, code := session(t, dir, env, "token", "create", "ada", "--for", never); code != 2 {
			t.Errorf("for %s: %d %s", never, code, errs)
		}
	}
	out, _, _ := session(t, dir, env, "token", "create", "ada", "--json")
	ada, id := gjson.Get(out, "token").String(), gjson.Get(out, "id").String()
	out, _, _ = session(t, dir, env, "token", "create", "--metrics", "--label", "prometheus")
	meter := strings.TrimSpace(out)
	out, _, _ = session(t, dir, env, "token", "create", "short", "--for", "1ns", "--json")
	short := gjson.Get(out, "token").String()
	s := serve(t, dir, env)
	for _, c := range []struct {
		path, token string
		want        int
	}{{"/api/me", ada, 200}, {"/metrics", ada, 404}, {"/metrics", meter, 200}, {"/api/me", meter, 404}, {"/api/me", short, 401}, {"/api/snapshots", ada, 404}, {"/api/me", s.key, 200}, {"/readyz", "", 200}} {
		if code, body := s.does("GET", c.path, c.token, ""); code != c.want {
			t.Errorf("%s: %d, want %d: %s", c.path, code, c.want, body)
		}
	}
	list, _, _ := session(t, dir, env, "token", "list")
	if !strings.Contains(list, id) || strings.Contains(list, ada) || strings.Contains(list, meter) {
		t.Errorf("list: %s", list)
	}
	if out, errs, code := session(t, dir, env, "token", "revoke", id); code != 0 {
		t.Errorf("revoke: %s%s", out, errs)
	}
	if _, errs, code := session(t, dir, env, "token", "revoke", "nothing"); code != 1 || !strings.Contains(errs, "hint") {
		t.Errorf("revoke nothing: %d %s", code, errs)
	}
	if code, _ := s.does("GET", "/api/me", ada, ""); code != 401 {
		t.Errorf("a revoked token: %d", code)
	}
	if strings.Contains(s.log.String(), ada) || strings.Contains(s.log.String(), s.key) {
		t.Error("a secret is in the log")
	}
	s.ends(t)
}

// TestServeKilled kills the service with kill -9 while it runs sessions. What it acknowledged is there when it starts
// again, and comes to its end.
func TestServeKilled(t *testing.T) {
	t.Parallel()
	dir, env := teamTree(t)
	s := serve(t, dir, env, "--workers", "1")
	waits := s.begin(s.key, `{"user_input":"wait","agent":"wait"}`)
	s.hear(waits, s.key, 0, "session.started running")
	var all []string
	for range 3 {
		all = append(all, s.begin(s.key, `{"user_input":"echo","agent":"echo"}`))
	}
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = s.cmd.Wait()
	letGo(t, dir)
	again := serve(t, dir, env, "--workers", "2")
	if code, _ := again.does("GET", "/api/me", s.key, ""); code != 401 {
		t.Errorf("the key of an earlier start: %d", code)
	}
	for _, id := range append(all, waits) {
		heard := again.hear(id, again.key, 0, "session.completed completed")
		if heard[0] != "session.created" {
			t.Errorf("%s: %v", id, heard)
		}
		if _, one := again.does("GET", "/api/sessions/"+id, again.key, ""); one.Get("data.session_checkpoints.#").Int() != 1 {
			t.Errorf("%s ran more than once, or never: %s", id, one)
		}
	}
	if out, errs, code := session(t, dir, env, "check"); code != 0 {
		t.Errorf("check: %s%s", out, errs)
	}
	again.ends(t)
}

// TestServePage drives the page in Chromium, with axe-core. SESSION_TEST_PLAYWRIGHT is a folder whose node_modules has
// playwright-core and axe-core; screenshots go to SESSION_TEST_SCREENSHOTS, if that is set.
func TestServePage(t *testing.T) {
	t.Parallel()
	modules := os.Getenv("SESSION_TEST_PLAYWRIGHT")
	if modules == "" {
		needtest.Missing(t, "chromium", "apt install chromium, npm install playwright-core axe-core in a folder, and set SESSION_TEST_PLAYWRIGHT to it")
	}
	chromium, node := needtest.Program(t, "chromium", "apt install chromium"), needtest.Program(t, "node", "apt install nodejs")
	shots := os.Getenv("SESSION_TEST_SCREENSHOTS")
	if shots == "" {
		shots = t.TempDir()
	}
	dir, env := teamTree(t)
	s := serve(t, dir, env, "--limit", "100", "--workers", "3")
	var many []string
	for n := range 48 {
		many = append(many, s.begin(s.key, fmt.Sprintf(`{"user_input":"Look at part %d of the queue","agent":"echo"}`, n+1)))
	}
	for _, id := range many {
		s.hear(id, s.key, 0, "session.completed completed")
	}
	asks := s.begin(s.key, `{"user_input":"Which queue do we take?","agent":"ask","todos":["Compare both","Decide"]}`)
	runs := s.begin(s.key, `{"user_input":"Wait for the release","agent":"wait"}`)
	s.hear(asks, s.key, 0, "session.paused hitl_waiting")
	cmd := exec.Command(node, filepath.Join("testdata", "page", "page.mjs"), modules, chromium, s.url+"/", s.key, asks, runs, shots)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.hear(asks, s.key, 0, "session.completed completed") // answered by the page
	letGo(t, dir)
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s\n%s", err, out.String(), s.log)
	}
	t.Log(out.String())
	for _, name := range []string{"list", "question", "answered", "lineage", "diff", "statistics", "phone-list", "lineage-360"} {
		if info, err := os.Stat(filepath.Join(shots, name+".png")); err != nil || info.Size() < 1000 {
			t.Errorf("screenshot %s: %v", name, err)
		}
	}
}
