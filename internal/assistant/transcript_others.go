package assistant

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"session/internal/lazy"
)

// codexLine reads a line of a Codex rollout (0.169.0). The messages are response items; whether a command failed stands
// in an event of its own, which also has the whole output.
func codexLine(b *builder, l []byte) {
	kind := gjson.GetBytes(l, "type").String()
	if kind != "response_item" && kind != "event_msg" && kind != "token_usage_record" {
		return
	}
	in, ok := b.object(l)
	if !ok {
		return
	}
	p, at := in.Get("payload"), when(in.Get("timestamp").String())
	switch kind {
	case "response_item":
		codexItem(b, p, at)
	case "token_usage_record":
		b.spent(p.Get("response_id").String(), codexUsage(p.Get("usage")))
	case "event_msg":
		if item := p.Get("item"); p.Get("type").String() == "item_completed" && item.Get("type").String() == "CommandExecution" {
			code := int(item.Get("exit_code").Int())
			b.resulted(item.Get("id").String(), outcome{output: item.Get("aggregated_output").String(), failed: code != 0, code: code, at: at})
		}
	}
}

// codexUsage: Codex counts cached tokens as part of the input.
func codexUsage(u gjson.Result) Usage {
	cached := u.Get("cached_input_tokens").Int()
	return Usage{Input: u.Get("input_tokens").Int() - cached, Output: u.Get("output_tokens").Int(), CacheRead: cached}
}

func codexItem(b *builder, p gjson.Result, at time.Time) {
	id := word(p.Get("id").String())
	switch p.Get("type").String() {
	case "message":
		role := Role(p.Get("role").String())
		text := textOf(p.Get("content"))
		if role == User && !codexTyped(p, text) || role != User && role != Assistant {
			return
		}
		b.say(id, role, at, "", text)
		b.seen(id)
	case "function_call", "custom_tool_call", "local_shell_call":
		segment := b.say(id, Assistant, at, "", "")
		input := p.Get("arguments")
		if input.Type == gjson.String && json.Valid([]byte(input.Str)) {
			input = gjson.Parse(input.Str)
		}
		b.called(segment, p.Get("call_id").String(), p.Get("name").String(), input)
		b.seen(id)
	case "function_call_output", "custom_tool_call_output":
		codexOutput(b, p, at)
	}
}

// codexTyped tells what a person typed from what Codex puts into the conversation in the user's name.
func codexTyped(p gjson.Result, text string) bool {
	if kinds := p.Get("internal_chat_message_metadata_passthrough.content_item_kinds"); kinds.IsArray() {
		return slices.ContainsFunc(kinds.Array(), func(k gjson.Result) bool { return strings.HasPrefix(k.String(), "user.") })
	}
	for _, frame := range []string{"<environment_context>", "<user_instructions>", "<skill>", "# AGENTS.md instructions"} {
		if strings.HasPrefix(strings.TrimSpace(text), frame) {
			return false
		}
	}
	return true
}

var (
	codexExit  = lazy.Regexp(`(?m)^Process exited with code (-?\d{1,10})$`)
	geminiExit = lazy.Regexp(`(?m)^Exit Code: (-?\d{1,10})$`)
)

// codexOutput reads what the model was told, where no event has told it before.
func codexOutput(b *builder, p gjson.Result, at time.Time) {
	id := p.Get("call_id").String()
	if c, ok := b.calls[id]; ok && c.segment >= 0 && b.page.Segments[c.segment].Tools[c.tool].ExitCode != nil {
		return
	}
	text, code := textOf(p.Get("output")), -1
	if m := codexExit().FindStringSubmatch(text[:min(len(text), 1<<10)]); m != nil {
		code = number(m[1])
	}
	if _, after, ok := strings.Cut(text, "\nOutput:\n"); ok {
		text = after
	}
	b.resulted(id, outcome{output: text, failed: code > 0, code: code, at: at})
}

// geminiLine reads a line of a Gemini CLI chat (0.61.0). A message with calls comes twice, the second time with them.
func geminiLine(b *builder, l []byte) {
	kind := gjson.GetBytes(l, "type").String()
	if kind != "user" && kind != "gemini" {
		return // "$set" patches and the head of the file
	}
	in, ok := b.object(l)
	if !ok {
		return
	}
	id, at := word(in.Get("id").String()), when(in.Get("timestamp").String())
	if kind == "user" {
		text := textOf(in.Get("content"))
		if text != "" && !strings.HasPrefix(text, "<session_context>") && !strings.HasPrefix(text, "<hook_context>") {
			b.say(id, User, at, "", text)
			b.seen(id)
		}
		return
	}
	if i, again := b.byID[id]; again && !b.dry {
		b.page.Segments[i].Text, b.page.Segments[i].Tools = "", nil
	}
	segment := b.say(id, Assistant, at, in.Get("model").String(), in.Get("content").String())
	in.Get("toolCalls").ForEach(func(_, c gjson.Result) bool {
		geminiCall(b, segment, c)
		return true
	})
	t := in.Get("tokens")
	b.spent(id, Usage{Input: t.Get("input").Int() - t.Get("cached").Int(), Output: t.Get("output").Int() + t.Get("thoughts").Int(), CacheRead: t.Get("cached").Int()})
	b.seen(id)
}

func geminiCall(b *builder, segment int, c gjson.Result) {
	id := c.Get("id").String()
	b.called(segment, id, c.Get("name").String(), c.Get("args"))
	r := c.Get("result.0.functionResponse.response")
	text, code := r.Get("output").String(), -1
	if e := r.Get("error").String(); e != "" {
		text = e
	}
	text = strings.TrimSuffix(strings.TrimPrefix(text, "<untrusted_context>\n"), "\n</untrusted_context>")
	if m := geminiExit().FindStringSubmatch(text[max(0, len(text)-1<<10):]); m != nil {
		code = number(m[1])
	}
	b.resulted(id, outcome{output: text, failed: code > 0 || c.Get("status").String() == "error", code: code, at: when(c.Get("timestamp").String())})
}

// copilotLine reads a line of a Copilot CLI event log (1.0.102). What carries an agent's id is an agent's.
func copilotLine(b *builder, l []byte) {
	kind := gjson.GetBytes(l, "type").String()
	switch kind {
	case "user.message", "assistant.message", "tool.execution_complete", "session.usage_record", "subagent.completed":
	default:
		return
	}
	in, ok := b.object(l)
	if !ok {
		return
	}
	d, at := in.Get("data"), when(in.Get("timestamp").String())
	if in.Get("agentId").Exists() || d.Get("parentToolCallId").Exists() {
		return
	}
	switch kind {
	case "user.message":
		id := word(d.Get("messageId").String())
		b.say(id, User, at, "", d.Get("content").String())
		b.seen(id)
	case "assistant.message":
		id := word(d.Get("messageId").String())
		segment := b.say(id, Assistant, at, d.Get("model").String(), d.Get("content").String())
		d.Get("toolRequests").ForEach(func(_, c gjson.Result) bool {
			b.called(segment, c.Get("toolCallId").String(), c.Get("name").String(), c.Get("arguments"))
			return true
		})
		b.seen(id)
	case "tool.execution_complete":
		code := -1
		if c := d.Get("shellExecution.exitCode"); c.Exists() {
			code = int(c.Int())
		}
		b.resulted(d.Get("toolCallId").String(), outcome{output: d.Get("result.content").String(),
			failed: code > 0 || d.Get("success").Type == gjson.False, code: code, at: at,
			agentID: word(d.Get("toolTelemetry.restrictedProperties.agent_id").String())})
	case "session.usage_record":
		u := d.Get("usage")
		b.spent(u.Get("apiCallId").String(), Usage{Input: u.Get("inputTokens").Int(), Output: u.Get("outputTokens").Int(),
			CacheRead: u.Get("cacheReadTokens").Int(), CacheWrite: u.Get("cacheWriteTokens").Int()})
	}
}

// ReadInline reads the messages that an assistant handed over itself (Event.Inline; OpenCode 1.18.33 through the plugin
// of session init). What was read up to after.Last is left out.
func ReadInline(inline []byte, after Position, redact func(string) string) Page {
	b := newBuilder(TranscriptOptions{After: after, Redact: redact})
	b.anew = true
	if !json.Valid(inline) {
		b.unread()
		return b.finish(after)
	}
	gjson.ParseBytes(inline).ForEach(func(_, m gjson.Result) bool {
		openCodeMessage(b, m)
		return true
	})
	return b.finish(Position{})
}

func openCodeMessage(b *builder, m gjson.Result) {
	id, at := word(m.Get("id").String()), millis(m.Get("time.created").Int())
	role := Role(m.Get("role").String())
	if role != User && role != Assistant {
		return
	}
	segment := b.say(id, role, at, m.Get("modelID").String(), "")
	m.Get("parts").ForEach(func(_, p gjson.Result) bool {
		switch p.Get("type").String() {
		case "text":
			b.say(id, role, at, "", p.Get("text").String())
		case "tool":
			st := p.Get("state")
			b.called(segment, p.Get("callID").String(), p.Get("tool").String(), st.Get("input"))
			code := -1
			if c := st.Get("exit"); c.Type == gjson.Number {
				code = int(c.Int())
			}
			b.resulted(p.Get("callID").String(), outcome{output: st.Get("output").String(), failed: code > 0 || st.Get("status").String() == "error", code: code, at: at})
		}
		return true
	})
	if t := m.Get("tokens"); t.Exists() {
		b.spent(id, Usage{Input: t.Get("input").Int(), Output: t.Get("output").Int() + t.Get("reasoning").Int(),
			CacheRead: t.Get("cache.read").Int(), CacheWrite: t.Get("cache.write").Int()})
	}
	b.page.CostMicro += micro(m.Get("cost").Float())
	b.seen(id)
}
