package assistant

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/tidwall/gjson"

	"session/internal/lazy"
)

// Kind says what happened, in the program's own words; session hook takes it as its argument.
type Kind string

// The kinds of events. Ignored is what an assistant reports and nothing follows from.
const (
	SessionStart  Kind = "session-start"  // Source, Agent where the whole session is an agent's
	Prompt        Kind = "prompt"         // a person has typed something: Text
	TurnEnd       Kind = "turn-end"       // Message, Inline
	AgentEnd      Kind = "agent-end"      // Agent, AgentID, Message, AgentTranscript
	BeforeCompact Kind = "before-compact" // Reason: manual or auto
	SessionEnd    Kind = "session-end"    // Reason
	ToolFailed    Kind = "tool-failed"    // Command, ExitCode, Output
	BeforePush    Kind = "before-push"    // Command, an assistant is about to push
	PrePush       Kind = "pre-push"       // Remote, URL, Refs: git is about to push
	Ignored       Kind = "ignored"
)

// Event is one thing that an assistant, or git, told a hook. Fields that its kind does not have are empty.
type Event struct {
	From Name // "" for git
	Kind Kind
	As   string // the assistant's own name of the event, as it stands in the input

	Session    string // the assistant's id of the conversation
	Transcript string // absolute path; "" where the assistant names none
	Dir        string // where the assistant works; absolute, or ""

	Source          string // startup, resume, clear, compact or fork
	Reason          string
	Text            string
	Agent           string // cpp-builder; a plugin's prefix is cut off
	AgentID         string
	AgentTranscript string
	Message         string // the last message of the assistant or the agent
	Again           bool   // the turn goes on because a hook stopped its end
	Command         string
	ExitCode        int // -1: not known
	Output          string
	Inline          []byte // messages as a JSON list, where the assistant hands them over itself (OpenCode)

	Remote, URL string
	Refs        []PushedRef
}

// PushedRef is a line that git gives to a pre-push hook (githooks(5)).
type PushedRef struct{ Local, LocalCommit, Remote, RemoteCommit string }

// Input is what a hook is started with.
type Input struct {
	From  Name     // whose hook it is; "" is Claude Code
	Event string   // the argument of session hook: a Kind, or an assistant's own name of an event
	Args  []string // what follows; git's remote and URL
	Body  io.Reader
}

// Bounds of an event.
const (
	maxEvent   = 4 << 20   // bytes of the whole input
	maxMessage = 256 << 10 // bytes of a message or an output; its end is kept
	maxName    = 200
	maxRefs    = 10000
)

// EventError says that a hook was given something that is no event. The event that comes with it has its kind all the
// same, so that a hook can go on with what it knows.
type EventError struct {
	Event string
	Why   string
}

func (e *EventError) Error() string { return fmt.Sprintf("hook %s: %s", e.Event, e.Why) }

// ParseEvent reads what an assistant or git told a hook. Unknown fields are passed over, what is too long is cut, what
// cannot be a path or an id is dropped. Error: *EventError, the reader's.
func ParseEvent(in Input) (Event, error) {
	e := Event{From: in.From, Kind: kindOf(in.Event), ExitCode: -1}
	if e.Kind == "" {
		return Event{Kind: Ignored}, &EventError{in.Event, "there is no such event"}
	}
	if in.Body == nil {
		in.Body = strings.NewReader("")
	}
	if e.Kind == PrePush {
		return parsePush(in)
	}
	if e.From == "" {
		e.From = Claude
	}
	body, err := io.ReadAll(io.LimitReader(in.Body, maxEvent+1))
	switch {
	case err != nil:
		return e, fmt.Errorf("hook %s: read its input: %w", in.Event, err)
	case len(body) > maxEvent:
		return e, &EventError{in.Event, fmt.Sprintf("its input is longer than %d bytes", maxEvent)}
	case !json.Valid(body) || !gjson.ParseBytes(body).IsObject():
		return e, &EventError{in.Event, "its input is no JSON object"}
	}
	fill(&e, gjson.ParseBytes(body))
	return e, nil
}

// fill reads the fields of an event. The assistants name them alike, in snake case or in camel case.
func fill(e *Event, in gjson.Result) {
	get := func(keys ...string) string { return first(in, keys...) }
	e.As = word(get("hook_event_name", "hookEventName"))
	e.Session = word(get("session_id", "sessionId", "conversation_id"))
	e.Transcript = place(get("transcript_path", "transcriptPath"))
	e.Dir = place(get("cwd", "workspace_roots.0"))
	e.Source, e.Reason = word(get("source")), word(get("reason", "trigger", "status"))
	e.Agent, e.AgentID = agentName(get("agent_type", "agentType", "agentName", "subagent_type", "agent")), word(get("agent_id", "agentId"))
	e.AgentTranscript = place(get("agent_transcript_path"))
	e.Message = tailOf(get("last_assistant_message", "response", "prompt_response", "message"), maxMessage)
	e.Text = tailOf(get("prompt"), maxMessage)
	e.Again = in.Get("stop_hook_active").Bool()
	e.Command = get("tool_input.command", "toolArgs.command", "command")
	e.Output = tailOf(get("error", "output"), maxMessage)
	if c := in.Get("exit_code"); c.Type == gjson.Number {
		e.ExitCode = int(c.Int())
	}
	judge(e, in)
}

// judge brings an event into the program's terms, and passes over what nothing follows from.
func judge(e *Event, in gjson.Result) {
	switch e.Kind {
	case SessionStart:
		if e.Source == "new" || e.Source == "" { // Copilot CLI's word for startup; Cursor has none
			e.Source = "startup"
		}
	case TurnEnd:
		if in.Get("agentId").Exists() || in.Get("parentAgentId").Exists() { // Copilot CLI ends its agents' turns too
			e.Kind = Ignored
		}
		if m := in.Get("messages"); m.IsArray() {
			e.Inline = []byte(m.Raw)
		}
	case AgentEnd:
		judgeAgent(e, in)
	case BeforeCompact:
		if e.From == Gemini && e.Reason != "manual" { // it says "auto" before every request
			e.Kind = Ignored
		}
	case ToolFailed:
		judgeFailure(e, in)
	case BeforePush:
		if !pushes(e.Command) {
			e.Kind = Ignored
		}
	}
}

func judgeAgent(e *Event, in gjson.Result) {
	if e.From == Gemini {
		e.Agent, e.Message = geminiAgentEnd(in)
	}
	if e.From == Cursor { // the agent's last words are its summary, as others' settings for subagentStop have it; never run by Cursor here
		e.Message = tailOf(in.Get("summary").String(), maxMessage)
	}
	if e.From == OpenCode {
		e.Message = openCodeResult(e.Message)
	}
	if e.Agent == "" { // Claude Code's /compact is an agent without a name
		e.Kind = Ignored
	}
}

func judgeFailure(e *Event, in gjson.Result) {
	if code, rest, ok := exitStatus(e.Output); ok && e.ExitCode < 0 {
		e.ExitCode, e.Output = code, rest
	}
	if e.Command == "" || in.Get("is_interrupt").Bool() || e.ExitCode == 0 {
		e.Kind = Ignored
	}
}

// kindOf reads the argument of session hook: a kind, or what the assistants call it.
func kindOf(name string) Kind {
	flat := strings.ToLower(strings.NewReplacer("-", "", "_", "", " ", "").Replace(name))
	switch flat {
	case "sessionstart":
		return SessionStart
	case "prompt", "userpromptsubmit", "userpromptsubmitted", "beforeagent", "beforesubmitprompt":
		return Prompt
	case "turnend", "stop", "afteragent", "agentstop":
		return TurnEnd
	case "agentend", "subagentstop", "aftertool":
		return AgentEnd
	case "beforecompact", "precompact", "precompress":
		return BeforeCompact
	case "sessionend":
		return SessionEnd
	case "toolfailed", "posttoolusefailure":
		return ToolFailed
	case "beforepush", "pretooluse":
		return BeforePush
	case "prepush":
		return PrePush
	}
	return ""
}

// Want is what an event asks of the program beyond recording it.
type Want int

// WantBrief asks for the saved state as context of the conversation; WantPointer for one line that names it.
const (
	WantNothing Want = iota
	WantPointer
	WantBrief
)

// Wants says how much of the saved state an event is answered with. A conversation that is resumed knows it already: a
// second copy costs tokens and age (claude-mem, issue 4061). One that is forked begins a way of its own. Opens must have said whether a prompt is the first one.
func (e Event) Wants(opens bool) Want {
	switch {
	case e.Kind == Prompt && opens:
		return WantBrief
	case e.Kind != SessionStart:
		return WantNothing
	case e.From == Gemini, e.Source == "resume":
		return WantPointer
	}
	return WantBrief
}

// Opens reports whether a prompt opens its conversation: its transcript holds no answer yet. Only Gemini CLI's prompts
// are asked; its context goes there. head is the beginning of the transcript, empty where there is none.
func (e Event) Opens(head []byte) bool {
	return e.Kind == Prompt && e.From == Gemini && !strings.Contains(string(head), `"type":"gemini"`)
}

var (
	exitCode = lazy.Regexp(`^(?:Error: )?Exit code (-?\d{1,10})\n?`)
	gitPush  = lazy.Regexp(`(?:^|[;&|(\n]|\b(?:then|do|else)\b)\s*(?:\w+=\S*\s+)*(?:command\s+)?git(?:\.exe)?(?:\s+(?:-[cC]\s+\S+|--?[\w-]+(?:=\S+)?))*\s+push\b`)
)

// exitStatus reads the first line that Claude Code puts before a failed command's output.
func exitStatus(text string) (code int, rest string, ok bool) {
	m := exitCode().FindStringSubmatch(text)
	if m == nil {
		return 0, text, false
	}
	return number(m[1]), text[len(m[0]):], true
}

// pushes reports whether a shell line runs git push.
func pushes(line string) bool { return len(line) <= maxMessage && gitPush().MatchString(line) }

// geminiAgentEnd reads the result of the tool invoke_agent (Gemini CLI 0.61.0).
func geminiAgentEnd(in gjson.Result) (agent, message string) {
	if in.Get("tool_name").String() != "invoke_agent" {
		return "", ""
	}
	text := in.Get("tool_response.llmContent.0.text").String()
	if text == "" {
		text = in.Get("tool_response.llmContent").String()
	}
	if _, after, ok := strings.Cut(text, "\nResult:\n"); ok {
		text = after
	}
	return agentName(in.Get("tool_input.agent_name").String()), tailOf(text, maxMessage)
}

// openCodeResult takes an agent's message out of the frame of the tool task (OpenCode 1.18.33).
func openCodeResult(text string) string {
	if _, after, ok := strings.Cut(text, "<task_result>\n"); ok {
		text, _, _ = strings.Cut(after, "\n</task_result>")
	}
	return text
}

// agentName is an agent's name without the plugin that it comes from.
func agentName(s string) string { return word(s[strings.LastIndexByte(s, ':')+1:]) }

// first is the first of several fields that holds a text.
func first(in gjson.Result, keys ...string) string {
	for _, k := range keys {
		if v := in.Get(k); v.Type == gjson.String && v.Str != "" {
			return v.Str
		}
	}
	return ""
}

// word is a short text without control characters, or nothing.
func word(s string) string {
	if len(s) > maxName || strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) || r == unicode.ReplacementChar }) {
		return ""
	}
	return s
}

// place is an absolute path, or nothing.
func place(s string) string {
	if len(s) > 4096 || strings.ContainsRune(s, 0) || !filepath.IsAbs(s) {
		return ""
	}
	return filepath.Clean(s)
}

// tailOf keeps the end of a text, from a whole character on.
func tailOf(s string, most int) string {
	if len(s) > most {
		s = s[len(s)-most:]
		for len(s) > 0 && s[0]&0xC0 == 0x80 {
			s = s[1:]
		}
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

func number(s string) int {
	n, err := json.Number(s).Int64()
	if err != nil {
		return -1
	}
	return int(n)
}

var errRefs = errors.New("more lines than a push has refs")

// parsePush reads what git gives to a pre-push hook: REMOTE and URL as arguments, a line a ref on standard input.
func parsePush(in Input) (Event, error) {
	e := Event{Kind: PrePush, ExitCode: -1}
	if len(in.Args) > 0 {
		e.Remote = tailOf(in.Args[0], maxName)
	}
	if len(in.Args) > 1 {
		e.URL = tailOf(in.Args[1], 4096)
	}
	body, err := io.ReadAll(io.LimitReader(in.Body, maxEvent+1))
	if err != nil {
		return e, fmt.Errorf("hook pre-push: read its input: %w", err)
	}
	for line := range strings.Lines(string(body)) {
		f := strings.Fields(line)
		switch {
		case len(f) == 0:
		case len(f) != 4:
			return e, &EventError{"pre-push", fmt.Sprintf("a line has %d words, git gives four", len(f))}
		case len(e.Refs) == maxRefs:
			return e, &EventError{"pre-push", errRefs.Error()}
		default:
			e.Refs = append(e.Refs, PushedRef{f[0], f[1], f[2], f[3]})
		}
	}
	return e, nil
}
