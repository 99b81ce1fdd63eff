//go:build linux

package main

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"session/internal/needtest"

	"github.com/tidwall/gjson"
)

// terminal is an assistant in a terminal, as a person has it before them.
type terminal struct {
	t      *testing.T
	keys   io.Writer
	screen chan string
	seen   string // what was drawn and not yet waited for: without escapes and blanks
	record string // file of the model's requests, one a line
	over   *time.Timer
}

// escapes are what a terminal does not draw, and the blanks that a program may draw by moving the cursor.
var escapes = regexp.MustCompile(`\x1b\][^\x07\x1b]*(\x07|\x1b\\)|\x1b\[[0-9;?<>=]*[ -/]*[@-~]|\x1b[()][A-Z0-9]|\x1b.|\s+`)

// start starts the assistant in a terminal, against a stand-in of its model that says OK.
func (a *assistant) start(args ...string) *terminal {
	a.t.Helper()
	needtest.Program(a.t, "script", "apt install bsdutils")
	x := &terminal{t: a.t, record: filepath.Join(a.t.TempDir(), "requests.jsonl"), screen: make(chan string, 1000)}
	script := filepath.Join(a.t.TempDir(), "script.json")
	if err := os.WriteFile(script, []byte(`{"rules":[{"name":"all","text":"UNDERSTOOD","times":100,"input_tokens":900,"output_tokens":40}]}`), 0o600); err != nil {
		a.t.Fatal(err)
	}
	model := exec.Command(a.harness, "-serve", "127.0.0.1:0", "-script", script, "-record", x.record)
	at := underTest(a.t, model)
	url, err := bufio.NewReader(at).ReadString('\n')
	if err != nil {
		a.t.Fatal(err)
	}
	line := "stty cols 120 rows 50; exec '" + strings.Join(append([]string{a.bin}, args...), "' '") + "'"
	cmd := exec.Command("script", "-qfec", line, "/dev/null")
	cmd.Dir = a.dir
	cmd.Env = []string{"HOME=" + a.home, "PATH=" + a.path + ":" + os.Getenv("PATH"), "TERM=xterm-256color", "LANG=C.UTF-8", "SHELL=/bin/bash",
		"GIT_CONFIG_NOSYSTEM=1", "ANTHROPIC_BASE_URL=" + strings.TrimSpace(url), "ANTHROPIC_API_KEY=test", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1", "DISABLE_AUTOUPDATER=1", "IS_SANDBOX=1"}
	if x.keys, err = cmd.StdinPipe(); err != nil {
		a.t.Fatal(err)
	}
	drawn := underTest(a.t, cmd)
	x.over = time.AfterFunc(4*time.Minute, func() { _ = cmd.Process.Kill() }) // an assistant that waits for what nobody knows
	go func() {
		defer close(x.screen)
		for b := make([]byte, 1<<16); ; {
			n, err := drawn.Read(b)
			if n > 0 {
				x.screen <- string(b[:n])
			}
			if err != nil {
				return
			}
		}
	}()
	return x
}

// underTest starts a program that ends with the test, and gives what it prints.
func underTest(t *testing.T, cmd *exec.Cmd) io.Reader {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return out
}

// see waits until something was drawn, and forgets what was drawn up to there. Blanks do not count.
func (x *terminal) see(what string) {
	x.t.Helper()
	what = strings.ReplaceAll(what, " ", "")
	for raw := ""; ; {
		all := x.seen + escapes.ReplaceAllString(raw, "")
		if before, after, ok := strings.Cut(all, what); ok {
			_, x.seen = before, after
			return
		}
		more, ok := <-x.screen
		if !ok {
			x.t.Fatalf("the assistant ended, and never showed %q:\n%s", what, tailText(all))
		}
		raw += more
	}
}

// press types.
func (x *terminal) press(keys string) {
	x.t.Helper()
	if _, err := io.WriteString(x.keys, keys); err != nil {
		x.t.Fatal(err)
	}
}

// say types a line, waits until it stands there, and enters it.
func (x *terminal) say(line string) {
	x.t.Helper()
	x.press(line)
	x.see(line)
	x.press("\r")
}

// trusted lets Claude Code start without its question whether the folder is to be trusted, as if a person had said so.
func (a *assistant) trusted() {
	a.t.Helper()
	file := filepath.Join(a.home, ".claude.json")
	b, err := os.ReadFile(file)
	var known map[string]any
	if err == nil {
		err = json.Unmarshal(b, &known)
	}
	if err == nil {
		known["projects"] = map[string]any{a.dir: map[string]any{"hasTrustDialogAccepted": true}}
		b, err = json.Marshal(known)
	}
	if err == nil {
		err = os.WriteFile(file, b, 0o600)
	}
	if err != nil {
		a.t.Fatal(err)
	}
}

// left waits until the assistant has ended.
func (x *terminal) left() {
	for range x.screen {
	}
	x.over.Stop()
}

// TestClaudeTerminal: in a real terminal, the offer when a conversation begins and again after /clear, for the person and
// for the model; what was said before stands in an autosave, and so does the end.
func TestClaudeTerminal(t *testing.T) {
	a := newAssistant(t, "claude")
	a.install()
	a.session("save", "-m", "token refresh", "--next", "test expiry")
	a.run(".", nil, "-p", "hello") // leaves the state of a first start in HOME
	a.trusted()
	x := a.start()
	x.see("SessionStart:startup says: session: saved")
	x.see("token refresh")
	x.say("remember the walrus")
	x.see("UNDERSTOOD")
	x.say("/clear")
	x.see("SessionStart:clear says: session: saved")
	x.see("token refresh")
	x.see("/session:load goes on from there")
	x.say("what is next?")
	x.see("UNDERSTOOD")
	x.say("/exit")
	x.left()

	b, err := os.ReadFile(x.record)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	last := gjson.Get(lines[len(lines)-1], "messages").Raw
	if !strings.Contains(last, "saved the state of this work") || !strings.Contains(last, "test expiry") || !strings.Contains(last, "what is next?") {
		t.Errorf("after /clear the model was not told where the work stands: %s", tailText(last))
	}
	if said := gjson.Get(last, `#(role=="user")#.text`).Raw; strings.Contains(said, "walrus") { // the offer may remember it
		t.Errorf("nothing was cleared: %s", tailText(said))
	}
	doctor := a.session("doctor", "--json")
	for _, event := range []string{"SessionStart", "Stop", "SessionEnd"} {
		if gjson.Get(doctor, `assistants.#(name=="claude").hooks.#(event=="`+event+`").last`).String() == "" {
			t.Errorf("%s never fired: %s", event, doctor)
		}
	}
	if n := gjson.Get(doctor, "failures.#").Int(); n != 0 {
		t.Errorf("hooks failed: %s", gjson.Get(doctor, "failures").Raw)
	}
	a.session("save")
	if tokens := gjson.Get(a.session("stats", "--json"), "days.0.total_tokens").Int(); tokens < 2*940 {
		t.Errorf("the two turns cost 940 tokens each, and the statistics have %d", tokens)
	}
	if out := a.session("memory", "search", "--top-k", "5", "walrus"); !strings.Contains(out, "remember the walrus") {
		t.Errorf("what was said before /clear is lost: %s", out)
	}
}

// TestClaudeCMake: a cmake --build that fails in the assistant's shell is the next save's blocker, and its success clears it.
func TestClaudeCMake(t *testing.T) {
	for _, p := range []string{"cmake", "g++"} {
		needtest.Program(t, p, "apt install cmake g++")
	}
	a := newAssistant(t, "claude")
	a.install()
	sh(t, a.dir, a.env, `printf 'cmake_minimum_required(VERSION 3.16)\nproject(clock CXX)\nadd_library(clock clock.cpp)\n' >CMakeLists.txt
printf 'struct Clock {};\nint tick() { return Tick; }\n' >clock.cpp; echo /build >.gitignore; cmake -S . -B build >/dev/null`)
	a.session("save", "-m", "one")
	fails := []rule{{Name: "build", When: map[string]any{"last": "build it"}, Tools: bash("cmake --build build")}}
	a.run(".", fails, "-p", "build it", "--allowedTools", "Bash(cmake:*)").told(`clock.cpp:2`)
	st := a.session("save", "--json")
	b := gjson.Get(st, "state.blocker")
	if b.Get("type").String() != "build_error" || !strings.Contains(b.Raw, "clock.cpp") || !strings.Contains(b.Raw, "cmake --build build") {
		t.Errorf("the failing build is no blocker: %s", b.Raw)
	}
	sh(t, a.dir, a.env, `printf 'struct Clock {};\nint tick() { return 1; }\n' >clock.cpp`)
	a.run(".", fails, "-p", "build it", "--allowedTools", "Bash(cmake:*)")
	if b := gjson.Get(a.session("save", "--json"), "state.blocker"); b.Type != gjson.Null {
		t.Errorf("the build works again, and the blocker is %s", b.Raw)
	}
}
