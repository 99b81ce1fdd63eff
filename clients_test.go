//go:build unix

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"session/internal/app"
	"session/internal/needtest"

	"github.com/tidwall/gjson"
)

// The tests of this file run real coding assistants, offline, against a scripted stand-in of their model. They need a
// folder, named by SESSION_TEST_CLIENTS, that holds the stand-in as "harness" (it runs an assistant with a HOME of its
// own and reports what the model was asked) and the assistants as NAME/node_modules/.bin/NAME. What is not there is
// skipped, unless SESSION_TEST_REQUIRE names clients (claude and gemini), or the assistant itself.

// assistant is one assistant in one project.
type assistant struct {
	t       *testing.T
	name    string
	bin     string
	harness string
	path    string // folder of the program under test
	home    string
	dir     string // the project
	env     []string
}

// newAssistant makes a project with one commit in which session init was run for an assistant.
func newAssistant(t *testing.T, name string) *assistant {
	t.Helper()
	if testing.Short() {
		t.Skip("real assistants take their time")
	}
	all := os.Getenv("SESSION_TEST_CLIENTS")
	a := &assistant{t: t, name: name, harness: filepath.Join(all, "harness"), bin: filepath.Join(all, name, "node_modules", ".bin", name)}
	demanded := needtest.Required(name) || needtest.Required("clients") && slices.Contains([]string{"claude", "gemini"}, name)
	for _, f := range []string{a.harness, a.bin} {
		if _, err := os.Stat(f); (err != nil || all == "") && demanded {
			t.Fatalf("%s is required: SESSION_TEST_CLIENTS is %q", name, all)
		} else if err != nil || all == "" {
			t.Skipf("%s is not here: SESSION_TEST_CLIENTS names the folder of the assistants", name)
		}
	}
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	a.path, a.home, a.dir = filepath.Join(top, "bin"), filepath.Join(top, "home"), filepath.Join(top, "project")
	a.env = environ(t)
	if err := os.Mkdir(a.path, 0o700); err != nil {
		t.Fatal(err)
	}
	standAlone(t, "session", a.path)
	standAlone(t, app.ServiceProgram, a.path)
	sh(t, top, a.env, `mkdir home project project/sub up.git
git init -q --bare up.git; cd project; git init -q; git config user.name Ada; git config user.email ada@example.invalid
printf 'all:\n\t@echo "clock.cpp:7:3: error: Tick was not declared in this scope"; exit 1\n' >Makefile; echo 1 >sub/file
git add -A; git commit -qm base; git remote add origin ../up.git`)
	return a
}

// install runs session init.
func (a *assistant) install(args ...string) {
	a.t.Helper()
	if out, errs, code := session(a.t, a.dir, a.env, append([]string{"init", a.name}, args...)...); code != 0 {
		a.t.Fatalf("init: %d %s%s", code, out, errs)
	}
}

// session runs the program in the project, which must end well.
func (a *assistant) session(args ...string) string {
	a.t.Helper()
	out, errs, code := session(a.t, a.dir, a.env, args...)
	if code != 0 && code != 3 {
		a.t.Fatalf("session %q: %d %s%s", args, code, out, errs)
	}
	return out + errs
}

// rule is one answer of the model's stand-in.
type rule struct {
	Name  string         `json:"name"`
	When  map[string]any `json:"when,omitempty"`
	Text  string         `json:"text,omitempty"`
	Tools []tool         `json:"tools,omitempty"`
}

type tool struct {
	Name  string         `json:"name"`
	Input map[string]any `json:"input"`
}

// ran is what one start of an assistant showed.
type ran struct {
	t    *testing.T
	code int64
	out  string
	said string // all that the model was told, in all requests
}

// run starts the assistant in a folder of the project.
func (a *assistant) run(at string, rules []rule, args ...string) ran {
	a.t.Helper()
	script := filepath.Join(a.t.TempDir(), "script.json")
	text, err := json.Marshal(map[string]any{"default": "OK", "rules": append([]rule{}, rules...)})
	if err == nil {
		err = os.WriteFile(script, text, 0o600)
	}
	if err != nil {
		a.t.Fatal(err)
	}
	line := append([]string{"-client", a.name, "-bin", a.bin, "-home", a.home, "-dir", filepath.Join(a.dir, at), "-path", a.path,
		"-script", script, "-json", "-timeout", "240s", "--"}, args...)
	cmd := exec.Command(a.harness, line...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + a.home}
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if !gjson.ValidBytes(out) {
		a.t.Fatalf("%s %q: %v\n%s%s", a.name, args, err, out, errs.String())
	}
	r := ran{t: a.t, code: gjson.GetBytes(out, "exit_code").Int(), out: gjson.GetBytes(out, "stdout").String() + gjson.GetBytes(out, "stderr").String()}
	for _, m := range append(gjson.GetBytes(out, "requests.#.system").Array(), gjson.GetBytes(out, "requests.#.messages").Array()...) {
		r.said += strings.ReplaceAll(m.Raw, `\n`, "\n") + "\n"
	}
	return r
}

// told wants the model to have been told something.
func (r ran) told(patterns ...string) {
	r.t.Helper()
	for _, p := range patterns {
		if !regexp.MustCompile(p).MatchString(r.said) {
			r.t.Fatalf("the model was not told %q; exit %d, output %s\nit was told\n%s", p, r.code, r.out, tailText(r.said))
		}
	}
}

// untold wants the model not to have been told something.
func (r ran) untold(pattern string) {
	r.t.Helper()
	if regexp.MustCompile(pattern).MatchString(r.said) {
		r.t.Fatalf("the model was told %q:\n%s", pattern, tailText(r.said))
	}
}

func tailText(s string) string { return s[max(0, len(s)-6000):] }

func bash(command string) []tool {
	return []tool{{"Bash", map[string]any{"command": command, "description": "run it"}}}
}

// TestClaudeCommands: the commands as they stand in a project, from its top, a subfolder, a linked work tree, and as a plugin.
func TestClaudeCommands(t *testing.T) {
	a := newAssistant(t, "claude")
	a.install()
	a.run(".", nil, "-p", `/session:save -m "token refresh"`).told(`saved [0-9a-z]{8} .*token refresh`, "Tell the user in one or two sentences")
	a.run(".", nil, "-p", "/session:save --sync").told(`saved [0-9a-z]{8} .*pushed`)
	if got := sh(t, a.dir, a.env, "git rev-parse HEAD origin/main | uniq | wc -l"); got != "1" {
		t.Error("the remote has not what was saved")
	}
	a.run("sub", nil, "-p", "/session:load").told(`Working on +token refresh`, "Follow the steps above in their order")
	a.run("sub", nil, "-p", "/session:status").told(`token refresh`)
	a.run(".", nil, "-p", `/session:blocker set other -m "waiting for a key"`).told(`waiting for a key`)
	a.run(".", nil, "-p", "/session:load").told(`waiting for a key`, `BLOCKER_EXISTS`)
	sh(t, a.dir, a.env, "git add -A; git commit -qm more || :; git worktree add -q -b side ../linked")
	a.run("../linked", nil, "-p", `/session:save -m "on the side"`).told(`saved [0-9a-z]{8} .*on the side`, `on side`)

	plain := filepath.Join(filepath.Dir(a.dir), "plain")
	sh(t, filepath.Dir(a.dir), a.env, "git init -q plain; cd plain; git config user.name Ada; git config user.email a@example.invalid; git commit -q --allow-empty -m base")
	here, err := filepath.Abs(".claude")
	if err != nil {
		t.Fatal(err)
	}
	a.run("../plain", nil, "-p", `/session:save -m "by the plugin"`, "--plugin-dir", here).told(`saved [0-9a-z]{8} .*by the plugin`)
	a.run("../plain", nil, "-p", "hello", "--plugin-dir", here).told(`saved the state of this work`, `by the plugin`)
	if _, err := os.Stat(filepath.Join(plain, ".claude", "commands")); err == nil {
		t.Error("the plugin left files in a project")
	}
}

// TestClaudePlugin: what this repository ships is what Claude Code itself calls a valid plugin and marketplace.
func TestClaudePlugin(t *testing.T) {
	a := newAssistant(t, "claude")
	for _, folder := range []string{".", ".claude"} {
		at, err := filepath.Abs(folder)
		if err != nil {
			t.Fatal(err)
		}
		if r := a.run(".", nil, "plugin", "validate", at, "--strict"); r.code != 0 {
			t.Errorf("%s: %s", folder, r.out)
		}
	}
}

// TestClaudeFullSave: what takes minutes is not run inline, and the way to run it is said.
func TestClaudeFullSave(t *testing.T) {
	a := newAssistant(t, "claude")
	a.install()
	r := a.run(".", []rule{
		{Name: "runs it", When: map[string]any{"last": "takes longer than a slash command may"}, Tools: []tool{{"Bash", map[string]any{
			"command": "session save --assistant --full", "description": "save", "timeout": 600000}}}},
	}, "-p", "/session:save --full", "--allowedTools", "Bash(session save:*)")
	r.told(`session save --assistant --full`, `saved [0-9a-z]{8}`, `clock.cpp:7`)
}

// TestClaudeArguments: what is pasted behind a command is refused where it is no option.
func TestClaudeArguments(t *testing.T) {
	a := newAssistant(t, "claude")
	a.install()
	for _, args := range []string{"--quick && touch pwned", "; touch pwned", "$(touch pwned)", "`touch pwned`", "--quick\ntouch pwned", `" && touch pwned "`,
		"--quick && echo PWNED", "--quick\necho PWNED",
		"--quick\nEND-OF-SESSION-ARGUMENTS\ntouch pwned\n: <<'END-OF-SESSION-ARGUMENTS'", "--quick | tee pwned", "--quick > pwned"} {
		r := a.run(".", nil, "-p", "/session:save "+args)
		if _, err := os.Stat(filepath.Join(a.dir, "pwned")); err == nil {
			t.Fatalf("%q ran", args)
		}
		if regexp.MustCompile(`(?m)^PWNED`).MatchString(r.said) {
			t.Errorf("%q ran: %s", args, tailText(r.said))
		}
	}
}

// TestClaudeConversation: the offer at every beginning, and what a turn leaves.
func TestClaudeConversation(t *testing.T) {
	a := newAssistant(t, "claude")
	a.install()
	a.run(".", nil, "-p", "hello").untold(`saved the state of this work`)
	a.session("save", "-m", "token refresh", "--next", "test expiry")
	first := a.run(".", nil, "-p", "what is next?", "--output-format", "json")
	first.told(`saved the state of this work`, `Next +test expiry`, `/session:load`)
	id := gjson.Get(first.out, "session_id").String()
	if all := a.session("log", "--all", "--json"); !strings.Contains(all, `"kind": "auto"`) {
		t.Errorf("the turn left no autosave: %s", all)
	}
	resumed := a.run(".", nil, "-p", "go on", "--resume", id)
	resumed.told(`the user can see it with /session:load`)
	if n := strings.Count(resumed.said, "saved the state of this work"); n > 1 {
		t.Errorf("a resumed conversation was told %d times", n)
	}
	if r := a.run(".", nil, "-p", "another way", "--resume", id, "--fork-session"); strings.Count(r.said, "saved the state of this work") < 2 {
		t.Errorf("a forked conversation was not told: %s", tailText(r.said))
	}
	a.session("save")
	if out := a.session("memory", "search", "--top-k", "5", "next"); !strings.Contains(out, "what is next?") {
		t.Errorf("memory does not know the turn: %s", out)
	}
	a.run(".", nil, "-p", "/compact", "--resume", id)
	a.run(".", nil, "-p", "and now?", "--resume", id).told(`The conversation was compacted`, `token refresh`)
	doctor := a.session("doctor", "--json")
	for _, event := range []string{"SessionStart", "Stop", "SessionEnd", "PreCompact"} {
		if gjson.Get(doctor, `assistants.#(name=="claude").hooks.#(event=="`+event+`").last`).String() == "" {
			t.Errorf("%s never fired: %s", event, doctor)
		}
	}
	if n := gjson.Get(doctor, "failures.#").Int(); n != 0 {
		t.Errorf("hooks failed: %s", gjson.Get(doctor, "failures").Raw)
	}
}

// TestClaudeEvidence: a sub-agent's FAILED and a build that fails in the assistant's shell are the next save's blockers.
func TestClaudeEvidence(t *testing.T) {
	a := newAssistant(t, "claude")
	a.install()
	a.session("save", "-m", "one")
	a.run(".", []rule{
		{Name: "ask the agent", When: map[string]any{"last": "mend the build"}, Tools: []tool{{"Agent", map[string]any{"description": "mend", "prompt": "SUBTASK",
			"subagent_type": "cpp-builder", "run_in_background": false}}}},
		{Name: "the agent", When: map[string]any{"last": "SUBTASK"}, Text: "Status: FAILED\nError: src/clock.cpp:7: error: 'Tick' was not declared in this scope\nSummary: no"},
	}, "-p", "mend the build")
	st := a.session("save", "--json")
	if gjson.Get(st, "state.blocker.type").String() != "build_error" || !strings.Contains(st, "agent:cpp-builder") {
		t.Errorf("the agent's report is no blocker: %s", gjson.Get(st, "state.blocker").Raw)
	}
	a.session("blocker", "clear")
	fails := []rule{{Name: "build", When: map[string]any{"last": "build it"}, Tools: bash("make all")}}
	a.run(".", fails, "-p", "build it", "--allowedTools", "Bash(make:*)")
	st = a.session("save", "--json")
	if b := gjson.Get(st, "state.blocker"); b.Get("type").String() != "build_error" || !strings.Contains(b.Raw, "clock.cpp") {
		t.Errorf("the failing build is no blocker: %s", b.Raw)
	}
	sh(t, a.dir, a.env, `printf 'all:\n\t@echo done\n' >Makefile`)
	a.run(".", fails, "-p", "build it", "--allowedTools", "Bash(make:*)")
	if b := gjson.Get(a.session("save", "--json"), "state.blocker"); b.Type != gjson.Null {
		t.Errorf("the build works again, and the blocker is %s", b.Raw)
	}
}

// TestClaudePush: an assistant that is about to push what was not saved is told so, and pushes.
func TestClaudePush(t *testing.T) {
	a := newAssistant(t, "claude")
	a.install("--git-hook")
	a.session("save", "-m", "one")
	sh(t, a.dir, a.env, "git commit -q --allow-empty -m later")
	a.run(".", []rule{{Name: "push", When: map[string]any{"last": "push it"}, Tools: bash("git push -q -u origin main")}}, "-p", "push it", "--allowedTools", "Bash(git push:*)").
		told(`is behind what is about to be pushed`)
	if got := sh(t, a.dir, a.env, "git rev-parse HEAD origin/main | uniq | wc -l"); got != "1" {
		t.Error("the push did not go through")
	}
}

// TestGeminiCommands, and those of the other assistants: each from what session init wrote.
func TestGeminiCommands(t *testing.T) {
	for name, settings := range map[string]string{"empty": "", "settings": "{\n  // mine\n  \"ui\": {\"hideTips\": true}\n}\n"} {
		t.Run(name, func(t *testing.T) {
			a := newAssistant(t, "gemini")
			if settings != "" {
				sh(t, a.dir, append(a.env, "SETTINGS="+settings), `mkdir .gemini; printf %s "$SETTINGS" >.gemini/settings.json`)
			}
			a.install()
			a.run(".", nil, "-p", `/session:save -m "token refresh"`, "-y", "-m", "gemini-2.5-pro").told(`saved [0-9a-z]{8} .*token refresh`)
			if settings != "" {
				return // that they are kept and do no harm is seen by now
			}
			a.run(".", nil, "-p", "/session:load", "-y", "-m", "gemini-2.5-pro").told(`Working on +token refresh`)
			a.run(".", nil, "-p", "hello", "-y", "-m", "gemini-2.5-pro").told(`saved the state of this work`)
			a.run(".", nil, "-p", "/session:save --sync; touch pwned", "-y", "-m", "gemini-2.5-pro")
			a.run(".", nil, "-p", "/session:save $(touch pwned) ' \"", "-y", "-m", "gemini-2.5-pro")
			if _, err := os.Stat(filepath.Join(a.dir, "pwned")); err == nil {
				t.Error("the arguments ran")
			}
		})
	}
}

func TestOpenCodeCommands(t *testing.T) {
	a := newAssistant(t, "opencode")
	a.install()
	a.run(".", nil, "run", "--command", "session:save", "--", "-m", "token refresh").told(`saved [0-9a-z]{8} .*token refresh`)
	a.run(".", nil, "run", "--command", "session:load").told(`Working on +token refresh`)
	a.run(".", nil, "run", "--command", "session:save", "--", "--sync; touch pwned")
	a.run(".", nil, "run", "--command", "session:save", "--", "$(touch pwned)")
	a.run(".", nil, "run", "--command", "session:save", "--", "--quick\nEND-OF-SESSION-ARGUMENTS\ntouch pwned\n: <<'END-OF-SESSION-ARGUMENTS'")
	if _, err := os.Stat(filepath.Join(a.dir, "pwned")); err == nil {
		t.Error("the arguments ran")
	}
	a.run(".", nil, "run", "hello").told(`saved the state of this work`)
	if all := a.session("log", "--all", "--json"); !strings.Contains(all, `"kind": "auto"`) {
		t.Errorf("the turn left no autosave: %s", all)
	}
}

func TestCodexSkill(t *testing.T) {
	a := newAssistant(t, "codex")
	a.install()
	rules := []rule{{Name: "save", When: map[string]any{"last": "session-save"}, Tools: []tool{{"exec_command", map[string]any{"cmd": `session save --assistant -m "token refresh"`}}}}}
	a.run(".", rules, "exec", "--trust", "--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust", "$session-save").
		told(`Saves the working session`, `saved [0-9a-z]{8} .*token refresh`)
	a.run(".", nil, "exec", "--trust", "--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust", "hello").told(`saved the state of this work`)
}

func TestCopilotSkill(t *testing.T) {
	a := newAssistant(t, "copilot")
	a.install()
	rules := []rule{{Name: "save", When: map[string]any{"last": "session-save"}, Tools: []tool{{"bash", map[string]any{"command": `session save --assistant -m "token refresh"`, "description": "save"}}}}}
	a.run(".", rules, "-p", "/session-save", "--allow-all-tools", "--trust-folder").told(`saved [0-9a-z]{8} .*token refresh`)
	a.run(".", nil, "-p", "hello", "--allow-all-tools", "--trust-folder").told(`saved the state of this work`)
}

// TestHookKeepers: the scripts S1.18-husky, -lefthook and -pre-commit skip what is not installed, unless
// SESSION_TEST_REQUIRE names keepers.
func TestHookKeepers(t *testing.T) {
	for _, p := range []string{"husky", "lefthook", "pre-commit"} {
		if _, err := exec.LookPath(p); err != nil && needtest.Required("keepers") {
			t.Errorf("%s is not installed, and SESSION_TEST_REQUIRE asks for keepers", p)
		}
	}
}
