package assistant

import (
	"encoding/json"
)

// hookGuard is how every hook's command line begins: a machine without the program has a hook that does nothing.
const hookGuard = "command -v session >/dev/null 2>&1 || exit 0; "

// hookLine is the command line of a hook. Whatever happens, it ends in 0: other codes block what the assistant was
// about to do (2 stops a compaction in Claude Code, and 2 is what a Go program ends with that panics).
func hookLine(n Name, k Kind) string {
	return hookGuard + "session hook " + string(k) + " --from " + string(n) + " || exit 0"
}

// hook is one hook that session init installs.
type hook struct {
	event   string // the assistant's name of the event
	kind    Kind
	matcher string // "" for all
	only    string // Claude Code's "if": the permission rule that a call must match
	limit   int    // in the assistant's unit
}

// hooksOf are the hooks of an assistant, and what each is for.
//
//   - Claude Code reads a limit in seconds. PostToolUseFailure fires for failures only, so no process is started for
//     commands that succeed; "if" keeps PreToolUse to pushes (2.1.328; where it is unknown, Parse ignores the rest).
//   - Gemini CLI reads milliseconds. Its PreCompress fires before every request with trigger "auto", whether it
//     compresses or not (0.61.0), so only the manual one is asked for. A context that SessionStart returns is put before
//     the first prompt of gemini -p, which hides a slash command from it; BeforeAgent's is put behind the prompt.
//   - Codex CLI clamps the limit of SessionEnd to 3 s and says so at every start.
//   - Codex, Gemini and Copilot report no exit status of a tool in a hook of its own; their transcripts do, at turn end.
func hooksOf(n Name) []hook {
	switch n {
	case Claude:
		return []hook{{event: "SessionStart", kind: SessionStart, limit: 10}, {event: "Stop", kind: TurnEnd, limit: 10},
			{event: "SubagentStop", kind: AgentEnd, limit: 10}, {event: "PreCompact", kind: BeforeCompact, limit: 10},
			{event: "SessionEnd", kind: SessionEnd, limit: 10}, {event: "PostToolUseFailure", kind: ToolFailed, matcher: "Bash", limit: 10},
			{event: "PreToolUse", kind: BeforePush, matcher: "Bash", only: "Bash(git push:*)", limit: 10}}
	case Gemini:
		return []hook{{event: "SessionStart", kind: SessionStart, limit: 10000}, {event: "BeforeAgent", kind: Prompt, limit: 10000},
			{event: "AfterAgent", kind: TurnEnd, limit: 10000}, {event: "AfterTool", kind: AgentEnd, matcher: "invoke_agent", limit: 10000},
			{event: "PreCompress", kind: BeforeCompact, matcher: "manual", limit: 10000}, {event: "SessionEnd", kind: SessionEnd, limit: 10000}}
	case Codex:
		return []hook{{event: "SessionStart", kind: SessionStart, limit: 10}, {event: "Stop", kind: TurnEnd, limit: 10},
			{event: "SubagentStop", kind: AgentEnd, limit: 10}, {event: "PreCompact", kind: BeforeCompact, limit: 10},
			{event: "SessionEnd", kind: SessionEnd, limit: 3}}
	case Copilot:
		return []hook{{event: "sessionStart", kind: SessionStart, limit: 10}, {event: "agentStop", kind: TurnEnd, limit: 10},
			{event: "subagentStop", kind: AgentEnd, limit: 10}, {event: "preCompact", kind: BeforeCompact, limit: 10},
			{event: "sessionEnd", kind: SessionEnd, limit: 10}}
	case Cursor:
		return []hook{{event: "sessionStart", kind: SessionStart, limit: 10}, {event: "stop", kind: TurnEnd, limit: 10},
			{event: "subagentStop", kind: AgentEnd, limit: 10}, {event: "preCompact", kind: BeforeCompact, limit: 10},
			{event: "sessionEnd", kind: SessionEnd, limit: 10}}
	}
	return nil
}

// handler is one command of a hook; fields that an assistant does not know are left out.
type handler struct {
	Name       string `json:"name,omitempty"`
	Type       string `json:"type,omitempty"`
	Command    string `json:"command,omitempty"`
	Bash       string `json:"bash,omitempty"`
	If         string `json:"if,omitempty"`
	Timeout    int    `json:"timeout,omitempty"`
	TimeoutSec int    `json:"timeoutSec,omitempty"`
}

// group is an entry of Claude Code's form, which Gemini CLI and Codex CLI share.
type group struct {
	Matcher string    `json:"matcher,omitempty"`
	Hooks   []handler `json:"hooks"`
}

func (h hook) entry(n Name) any {
	line := hookLine(n, h.kind)
	switch n {
	case Copilot:
		return handler{Type: "command", Bash: line, TimeoutSec: h.limit}
	case Cursor:
		return handler{Command: line, Timeout: h.limit}
	}
	one := handler{Type: "command", Command: line, If: h.only, Timeout: h.limit}
	if n == Gemini {
		one.Name = "session-" + string(h.kind)
	}
	return group{Matcher: h.matcher, Hooks: []handler{one}}
}

// hookPieces are an assistant's hooks as pieces of its settings file.
func hookPieces(n Name) []Piece {
	var all []Piece
	for _, h := range hooksOf(n) {
		all = append(all, Piece{At: []string{"hooks", h.event}, Value: rawJSON(h.entry(n))})
	}
	return all
}

// hookFile is a file that holds an assistant's hooks and nothing else.
func hookFile(n Name, version int) []byte {
	events := json.RawMessage("{")
	for i, h := range hooksOf(n) {
		if i > 0 {
			events = append(events, ',')
		}
		events = append(append(append(events, rawJSON(h.event)...), ':'), rawJSON([]any{h.entry(n)})...)
	}
	type file struct {
		Version     int             `json:"version,omitempty"`
		Description string          `json:"description,omitempty"`
		Hooks       json.RawMessage `json:"hooks"`
	}
	return pretty(file{Version: version, Hooks: append(events, '}')})
}
