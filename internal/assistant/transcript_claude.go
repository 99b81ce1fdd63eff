package assistant

import (
	"strings"

	"github.com/tidwall/gjson"
)

// claudeLine reads a line of a Claude Code transcript (2.1.197 to 2.1.328). Copies of whole prompts (attachment,
// api-request-blob), which make up most of its bytes, are known by their type and not looked into. 2.1.197 has no
// cost-state, so nothing is known of its cost.
func claudeLine(b *builder, l []byte) {
	kind := gjson.GetBytes(l, "type").String()
	if kind != "user" && kind != "assistant" && kind != "cost-state" {
		return
	}
	in, ok := b.object(l)
	if !ok || in.Get("isSidechain").Bool() {
		return
	}
	switch kind {
	case "cost-state":
		b.total(micro(in.Get("totalCostUSD").Float()))
	case "assistant":
		claudeAnswer(b, in)
	case "user":
		claudeUser(b, in)
	}
	b.seen(word(in.Get("uuid").String()))
}

func micro(usd float64) int64 {
	if usd < 0 || usd > 1e9 {
		return 0
	}
	return int64(usd*1e6 + .5)
}

// claudeAnswer reads a line of an answer. An answer with text and a call is two lines with one message id and the same
// usage in both.
func claudeAnswer(b *builder, in gjson.Result) {
	m := in.Get("message")
	id := m.Get("id").String()
	segment := b.say(id, Assistant, when(in.Get("timestamp").String()), m.Get("model").String(), "")
	m.Get("content").ForEach(func(_, part gjson.Result) bool {
		switch part.Get("type").String() {
		case "text":
			b.say(id, Assistant, when(in.Get("timestamp").String()), "", part.Get("text").String())
		case "tool_use":
			b.called(segment, part.Get("id").String(), part.Get("name").String(), part.Get("input"))
		}
		return true
	})
	u := m.Get("usage")
	b.spent(id, Usage{Input: u.Get("input_tokens").Int(), Output: u.Get("output_tokens").Int(),
		CacheRead: u.Get("cache_read_input_tokens").Int(), CacheWrite: u.Get("cache_creation_input_tokens").Int()})
}

func claudeUser(b *builder, in gjson.Result) {
	at, content := when(in.Get("timestamp").String()), in.Get("message.content")
	role := User
	if in.Get("isCompactSummary").Bool() {
		role = Summary
	}
	if content.Type == gjson.String {
		claudeSaid(b, in, role, content.Str)
		return
	}
	content.ForEach(func(_, part gjson.Result) bool {
		switch part.Get("type").String() {
		case "text":
			claudeSaid(b, in, role, part.Get("text").String())
		case "tool_result":
			text := textOf(part.Get("content"))
			code, rest, ok := exitStatus(text)
			if !ok {
				code = -1
			}
			b.resulted(part.Get("tool_use_id").String(), outcome{output: rest, failed: part.Get("is_error").Bool(), code: code,
				agentID: word(in.Get("toolUseResult.agentId").String()), at: at,
				goesOn: in.Get("toolUseResult.backgroundTaskId").Exists() || in.Get("toolUseResult.interrupted").Bool()})
		}
		return true
	})
}

// claudeSaid takes what a person typed. What Claude Code adds by itself (isMeta, local commands) is no message.
func claudeSaid(b *builder, in gjson.Result, role Role, text string) {
	if in.Get("isMeta").Bool() || strings.HasPrefix(text, "<local-command-") {
		return
	}
	if name, ok := between(text, "<command-name>", "</command-name>"); ok {
		args, _ := between(text, "<command-args>", "</command-args>")
		text = strings.TrimSpace(name + " " + args)
	}
	b.say(word(in.Get("uuid").String()), role, when(in.Get("timestamp").String()), "", text)
}

func between(text, open, end string) (string, bool) {
	_, rest, ok := strings.Cut(text, open)
	if !ok {
		return "", false
	}
	inner, _, ok := strings.Cut(rest, end)
	return inner, ok
}

// textOf is the text of a content that is a text or a list of parts.
func textOf(content gjson.Result) string {
	if content.Type == gjson.String {
		return content.Str
	}
	var all []string
	content.ForEach(func(_, part gjson.Result) bool {
		if t := part.Get("text"); t.Type == gjson.String {
			all = append(all, t.Str)
		}
		return true
	})
	return strings.Join(all, "\n")
}
