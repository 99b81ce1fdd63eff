package assistant

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func parse(t *testing.T, from Name, event, body string, args ...string) Event {
	t.Helper()
	e, err := ParseEvent(Input{From: from, Event: event, Args: args, Body: strings.NewReader(body)})
	if err != nil {
		t.Fatalf("%s %s: %v", from, event, err)
	}
	return e
}

func TestKindsOfEvents(t *testing.T) {
	for _, c := range []struct {
		from  Name
		event string
		body  string
		want  Kind
	}{
		{Claude, "SessionStart", `{"source":"startup"}`, SessionStart},
		{"", "session-start", `{}`, SessionStart},
		{Gemini, "BeforeAgent", `{"prompt":"x"}`, Prompt},
		{Claude, "Stop", `{}`, TurnEnd},
		{Copilot, "agentStop", `{}`, TurnEnd},
		{Copilot, "agentStop", `{"agentId":"a"}`, Ignored},
		{Copilot, "agentStop", `{"parentAgentId":"a"}`, Ignored},
		{Claude, "SubagentStop", `{"agent_type":"tester"}`, AgentEnd},
		{Claude, "SubagentStop", `{"agent_type":""}`, Ignored},
		{Claude, "SubagentStop", `{}`, Ignored},
		{Gemini, "AfterTool", `{"tool_name":"ls"}`, Ignored},
		{Gemini, "PreCompress", `{"trigger":"auto"}`, Ignored},
		{Gemini, "PreCompress", `{"trigger":"manual"}`, BeforeCompact},
		{Claude, "PreCompact", `{"trigger":"auto"}`, BeforeCompact},
		{Claude, "PostToolUseFailure", `{"tool_input":{"command":"make"},"error":"Exit code 2\nx"}`, ToolFailed},
		{Claude, "PostToolUseFailure", `{"tool_input":{"command":"make"},"error":"x","is_interrupt":true}`, Ignored},
		{Claude, "PostToolUseFailure", `{"tool_input":{"file_path":"x"},"error":"x"}`, Ignored},
		{OpenCode, "tool-failed", `{"command":"make","exit_code":0,"output":"x"}`, Ignored},
		{Claude, "PreToolUse", `{"tool_input":{"command":"git push"}}`, BeforePush},
		{Claude, "PreToolUse", `{"tool_input":{"command":"git pull"}}`, Ignored},
	} {
		if e := parse(t, c.from, c.event, c.body); e.Kind != c.want {
			t.Errorf("%s %s %s is %q, want %q", c.from, c.event, c.body, e.Kind, c.want)
		}
	}
}

func TestFieldsOfEvents(t *testing.T) {
	e := parse(t, Claude, "PostToolUseFailure", `{"session_id":"s","transcript_path":"/t/x.jsonl","cwd":"/w/../w","hook_event_name":"PostToolUseFailure",
		"tool_input":{"command":"make all"},"error":"Exit code 2\nfirst\nlast"}`)
	if e.Session != "s" || e.Transcript != "/t/x.jsonl" || e.Dir != "/w" || e.Command != "make all" || e.ExitCode != 2 || e.Output != "first\nlast" {
		t.Errorf("%+v", e)
	}
	e = parse(t, Claude, "SubagentStop", `{"agent_type":"session:cpp-builder","agent_id":"a1","last_assistant_message":"Status: FAILED"}`)
	if e.Agent != "cpp-builder" || e.Message != "Status: FAILED" || e.ExitCode != -1 {
		t.Errorf("%+v", e)
	}
	e = parse(t, Gemini, "AfterTool", `{"tool_name":"invoke_agent","tool_input":{"agent_name":"tester"},"tool_response":{"llmContent":[{"text":"Agent said\nResult:\nStatus: FAILED"}]}}`)
	if e.Agent != "tester" || e.Message != "Status: FAILED" {
		t.Errorf("%+v", e)
	}
	e = parse(t, OpenCode, "agent-end", `{"agent":"tester","message":"x <task_result>\nStatus: FAILED\n</task_result> y"}`)
	if e.Agent != "tester" || e.Message != "Status: FAILED" {
		t.Errorf("%+v", e)
	}
	e = parse(t, Cursor, "subagentStop", `{"subagent_type":"tester","status":"completed","summary":"Status: FAILED","message":"x"}`)
	if e.Kind != AgentEnd || e.Agent != "tester" || e.Message != "Status: FAILED" {
		t.Errorf("%+v", e)
	}
	e = parse(t, OpenCode, "turn-end", `{"messages":[{"id":"1"}]}`)
	if string(e.Inline) != `[{"id":"1"}]` {
		t.Errorf("%q", e.Inline)
	}
	if e := parse(t, Copilot, "sessionStart", `{"source":"new"}`); e.Source != "startup" {
		t.Errorf("Copilot's new is %q", e.Source)
	}
}

// Whatever a field holds, it is a path, a short word or a bounded text, or nothing.
func TestHostileFields(t *testing.T) {
	long, _ := json.Marshal(strings.Repeat("é", maxMessage))
	e := parse(t, Claude, "Stop", `{"session_id":"a\u001b[2J","transcript_path":"relative/x","cwd":"/w\u0000x","last_assistant_message":`+string(long)+`,"agent_type":7}`)
	if e.Session != "" || e.Transcript != "" || e.Dir != "" || len(e.Message) > maxMessage || !strings.HasPrefix(e.Message, "é") {
		t.Errorf("%q %q %q %d", e.Session, e.Transcript, e.Dir, len(e.Message))
	}
	for _, c := range []struct{ event, body string }{
		{"no-such", "{}"}, {"Stop", ""}, {"Stop", "[]"}, {"Stop", "{"}, {"Stop", "{} {}"}, {"Stop", strings.Repeat(" ", maxEvent+1)},
	} {
		e, err := ParseEvent(Input{From: Claude, Event: c.event, Body: strings.NewReader(c.body)})
		var wrong *EventError
		if !errors.As(err, &wrong) {
			t.Errorf("%s %.20q: %v, %v", c.event, c.body, e, err)
		}
	}
}

func TestPushes(t *testing.T) {
	for line, want := range map[string]bool{
		"git push": true, "git push origin main": true, "cd x && git push": true, "git -C dir push -f": true, "git -c a=b push": true,
		"GIT_SSH=x git push": true, "(git push)": true, "git --no-pager push": true, "if true; then git push; fi": true, "command git push": true,
		"git pull": false, "git stash push": false, "echo git push": false, "git commit -m 'git push'": false, "git-push": false, "git pushx": false, "": false,
	} {
		if got := pushes(line); got != want {
			t.Errorf("pushes(%q) = %v", line, got)
		}
	}
}

func TestWants(t *testing.T) {
	for _, c := range []struct {
		from   Name
		source string
		want   Want
	}{
		{Claude, "startup", WantBrief}, {Claude, "clear", WantBrief}, {Claude, "compact", WantBrief}, {Claude, "fork", WantBrief}, {Claude, "resume", WantPointer},
		{Gemini, "startup", WantPointer}, {Codex, "startup", WantBrief}, {Codex, "resume", WantPointer},
	} {
		if got := (Event{From: c.from, Kind: SessionStart, Source: c.source}).Wants(false); got != c.want {
			t.Errorf("%s %s: %v, want %v", c.from, c.source, got, c.want)
		}
	}
	prompt := Event{From: Gemini, Kind: Prompt}
	if !prompt.Opens([]byte(`{"type":"user"}`)) || prompt.Opens([]byte(`{"type":"gemini"}`)) || (Event{From: Claude, Kind: Prompt}).Opens(nil) {
		t.Error("which prompt is the first is not told")
	}
	if prompt.Wants(true) != WantBrief || prompt.Wants(false) != WantNothing || (Event{Kind: TurnEnd}).Wants(true) != WantNothing {
		t.Error("an event that asks for nothing gets something, or the other way round")
	}
}

// A hook says something where its assistant listens, in the form that it reads, and never a decision.
func TestAnswers(t *testing.T) {
	r := Reply{Context: "ctx", Message: "msg"}
	for _, c := range []struct {
		e    Event
		want string
	}{
		{Event{From: Claude, Kind: SessionStart}, `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"ctx"},"systemMessage":"msg"}`},
		{Event{From: Codex, Kind: SessionStart}, `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"ctx"},"systemMessage":"msg"}`},
		{Event{From: Claude, Kind: BeforePush}, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"ctx"},"systemMessage":"msg"}`},
		{Event{From: Gemini, Kind: SessionStart}, `{"systemMessage":"msg"}`},
		{Event{From: Gemini, Kind: Prompt}, `{"hookSpecificOutput":{"hookEventName":"BeforeAgent","additionalContext":"ctx"},"systemMessage":"msg"}`},
		{Event{From: Copilot, Kind: SessionStart}, `{"additionalContext":"ctx"}`},
		{Event{From: Cursor, Kind: SessionStart}, `{"additional_context":"ctx"}`},
		{Event{From: OpenCode, Kind: SessionStart}, `{"context":"ctx","message":"msg"}`},
		{Event{From: Claude, Kind: TurnEnd}, ``}, {Event{From: Claude, Kind: BeforeCompact}, ``}, {Event{From: Copilot, Kind: BeforePush}, ``},
	} {
		got := string(c.e.Answer(r))
		if strings.TrimSpace(got) != c.want {
			t.Errorf("%s %s: %s, want %s", c.e.From, c.e.Kind, got, c.want)
		}
		if strings.Contains(got, "decision") || strings.Contains(got, "permission") {
			t.Errorf("%s %s decides: %s", c.e.From, c.e.Kind, got)
		}
	}
	for _, n := range Names() {
		if got := (Event{From: n, Kind: SessionStart}).Answer(Reply{}); got != nil {
			t.Errorf("%s: %q for nothing", n, got)
		}
	}
}

func TestPushLines(t *testing.T) {
	e := parse(t, "", "pre-push", "refs/heads/a 1 refs/heads/b 2\n\n(delete) 0 refs/heads/c 3\n", "origin", "https://example.invalid/x.git")
	if e.Kind != PrePush || e.From != "" || e.Remote != "origin" || e.URL != "https://example.invalid/x.git" || len(e.Refs) != 2 || e.Refs[1] != (PushedRef{"(delete)", "0", "refs/heads/c", "3"}) {
		t.Errorf("%+v", e)
	}
	for _, body := range []string{"one\n", "a b c d e\n", strings.Repeat("a 1 b 2\n", maxRefs+1)} {
		if _, err := ParseEvent(Input{Event: "pre-push", Body: strings.NewReader(body)}); err == nil {
			t.Errorf("%.20q is taken for a push", body)
		}
	}
}

func FuzzEvent(f *testing.F) {
	f.Add("claude", "Stop", []byte(`{"session_id":"s","cwd":"/x"}`))
	f.Add("gemini", "AfterTool", []byte(`{"tool_name":"invoke_agent","tool_response":{"llmContent":"Result:\nx"}}`))
	f.Add("opencode", "agent-end", []byte(`{"message":"<task_result>\n"}`))
	f.Add("", "pre-push", []byte("a 1 b 2\n"))
	f.Fuzz(func(t *testing.T, from, event string, body []byte) {
		e, err := ParseEvent(Input{From: Name(from), Event: event, Body: strings.NewReader(string(body))})
		if err == nil && e.Kind == "" {
			t.Error("an event without a kind")
		}
		for _, p := range []string{e.Dir, e.Transcript, e.AgentTranscript} {
			if p != "" && (p[0] != '/' || strings.ContainsRune(p, 0)) {
				t.Errorf("%q is taken for a path", p)
			}
		}
		for _, w := range []string{e.Session, e.Agent, e.AgentID, e.Source, e.Reason} {
			if w != word(w) {
				t.Errorf("%q is taken for a word", w)
			}
		}
		_ = e.Wants(e.Opens(body))
		if a := e.Answer(Reply{Context: string(body), Message: event}); a != nil && !json.Valid(a) {
			t.Errorf("no JSON: %s", a)
		}
	})
}
