package assistant

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"
)

// read takes an answer out of a program's standard output. The error says that the program reports one itself, or that
// its output is not what the format promises; the answer then holds what it said all the same.
func read(format string, out []byte) (Answer, error) {
	text := Answer{Text: strings.TrimSpace(string(out))}
	switch format {
	case "", "text":
		return text, nil
	case "codex-json":
		return readCodex(out)
	}
	r, ok := document(out)
	if !ok {
		return text, fmt.Errorf("its answer is not the JSON that %q promises", format)
	}
	switch format {
	case "claude-json":
		return readClaude(r)
	case "gemini-json":
		return readGemini(r)
	}
	for _, key := range []string{"output", "result", "response", "text", "message"} {
		if v := r.Get(key); v.Type == gjson.String {
			return Answer{Text: v.Str}, nil
		}
	}
	return text, nil
}

// document finds the JSON in an output; some programs say something in plain lines before it.
func document(out []byte) (gjson.Result, bool) {
	tries := 20 // each looks at all that follows
	for rest := bytes.TrimSpace(out); len(rest) > 0 && tries > 0; {
		if rest[0] == '{' || rest[0] == '[' {
			if tries--; json.Valid(rest) {
				return gjson.ParseBytes(rest), true
			}
		}
		i := bytes.IndexByte(rest, '\n')
		if i < 0 {
			break
		}
		rest = bytes.TrimSpace(rest[i:])
	}
	return gjson.Result{}, false
}

// readClaude reads claude -p --output-format json, 2.1; with --verbose it is a list whose last entry is the result.
func readClaude(r gjson.Result) (Answer, error) {
	if r.IsArray() {
		for _, m := range r.Array() {
			if m.Get("type").String() == "result" {
				r = m
			}
		}
	}
	a := Answer{Text: r.Get("result").String(), TokensIn: r.Get("usage.input_tokens").Int(), TokensOut: r.Get("usage.output_tokens").Int(),
		CostMicro: micro(r.Get("total_cost_usd").Float())}
	for _, cached := range []string{"usage.cache_read_input_tokens", "usage.cache_creation_input_tokens"} {
		a.TokensIn += r.Get(cached).Int()
	}
	if r.Get("is_error").Bool() {
		return a, fmt.Errorf("it reports an error: %s", first(r, "result", "subtype"))
	}
	return a, nil
}

// readGemini reads gemini --output-format json, 0.61.
func readGemini(r gjson.Result) (Answer, error) {
	a := Answer{Text: r.Get("response").String()}
	r.Get("stats.models").ForEach(func(_, m gjson.Result) bool {
		a.TokensIn += m.Get("tokens.prompt").Int()
		a.TokensOut += m.Get("tokens.candidates").Int()
		return true
	})
	if e := r.Get("error.message"); e.Exists() {
		return a, fmt.Errorf("it reports an error: %s", e.String())
	}
	return a, nil
}

// readCodex reads codex exec --json, 0.169: one event a line, the last message of the agent is the answer.
func readCodex(out []byte) (a Answer, err error) {
	events := 0
	for l := range bytes.Lines(out) {
		if !json.Valid(l) {
			continue
		}
		e := gjson.ParseBytes(l)
		switch e.Get("type").String() {
		case "item.completed":
			if item := e.Get("item"); item.Get("type").String() == "agent_message" {
				a.Text = item.Get("text").String()
			}
		case "turn.completed":
			a.TokensIn += e.Get("usage.input_tokens").Int()
			a.TokensOut += e.Get("usage.output_tokens").Int()
		case "turn.failed", "error":
			err = fmt.Errorf("it reports an error: %s", first(e, "error.message", "message"))
		case "":
			continue
		}
		events++
	}
	if events == 0 {
		return Answer{Text: strings.TrimSpace(string(out))}, fmt.Errorf("its answer is not the JSON lines that %q promises", "codex-json")
	}
	return a, err
}
