// Package assistant knows the protocols of coding assistants: how one is started with a prompt and how its answer is
// read.
package assistant

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"session/internal/proc"

	"github.com/tidwall/gjson"
)

// Program is how an assistant's program is started (bundles.yaml, programs).
type Program struct {
	Name   string
	Run    []string // argument list; {agent} is the agent's name, {input} the prompt
	Input  string   // stdin, or argument
	Output string   // text, json, claude-json, codex-json, gemini-json
	Limit  time.Duration
}

// Call is one start of a program.
type Call struct {
	Agent  string // "" where none was named
	Prompt string
	Dir    string
	Env    []string
	Say    func(line string) // what the program writes to stderr, a line at a time; nil: nobody listens
}

// Answer is what a program said.
type Answer struct {
	Text      string
	TokensIn  int64
	TokensOut int64
	CostMicro int64 // millionths of a US dollar; 0: not reported
	Cut       bool  // it said more than MaxAnswer bytes
}

// MaxAnswer bounds what is read of an answer, in bytes.
const MaxAnswer = 4 << 20

// AgentError says that the program ended badly. Output is what it had said.
type AgentError struct {
	Program string
	Cause   error
	Output  string
}

func (e *AgentError) Error() string { return fmt.Sprintf("agent program %s: %v", e.Program, e.Cause) }
func (e *AgentError) Unwrap() error { return e.Cause }

// Start runs a program on a prompt and waits for its answer; after its limit, or when ctx ends, the whole tree of its
// processes is ended. The prompt goes through standard input or as one argument, never through a shell. Errors:
// *proc.NotFoundError, *AgentError, ctx's.
func Start(ctx context.Context, p Program, c Call) (Answer, error) {
	if p.Limit > 0 {
		var stop func()
		ctx, stop = context.WithTimeoutCause(ctx, p.Limit, fmt.Errorf("not done after %s: %w", p.Limit, context.DeadlineExceeded))
		defer stop()
	}
	cmd := proc.Command{Args: arguments(p, c), Dir: c.Dir, Env: c.Env, Tree: true, MaxOutput: MaxAnswer, Grace: 2 * time.Second}
	if p.Input != "argument" {
		cmd.Stdin = strings.NewReader(c.Prompt)
	}
	var heard tail
	cmd.Errors = &heard
	if c.Say != nil {
		cmd.Errors = &talker{say: c.Say, keep: &heard}
	}
	r, err := proc.Run(ctx, cmd)
	var missing *proc.NotFoundError
	if errors.As(err, &missing) {
		return Answer{}, err
	}
	a, readErr := read(p.Output, r.Stdout)
	a.Cut = r.Cut
	if err != nil {
		return a, &AgentError{Program: p.Name, Cause: err, Output: last(a.Text, heard.String())}
	}
	if readErr != nil {
		return a, &AgentError{Program: p.Name, Cause: readErr, Output: last(a.Text, heard.String())}
	}
	return a, nil
}

func arguments(p Program, c Call) []string {
	args := make([]string, 0, len(p.Run))
	for i, a := range p.Run {
		if strings.Contains(a, "{agent}") && c.Agent == "" {
			if i > 0 && len(args) > 1 && strings.HasPrefix(args[len(args)-1], "--agent") {
				args = args[:len(args)-1] // --agent {agent} without an agent
			}
			continue
		}
		a = strings.ReplaceAll(a, "{agent}", c.Agent)
		if p.Input == "argument" {
			a = strings.ReplaceAll(a, "{input}", c.Prompt)
		}
		args = append(args, a)
	}
	return args
}

// read takes an answer out of a program's standard output.
func read(format string, out []byte) (Answer, error) {
	if format == "" || format == "text" {
		return Answer{Text: strings.TrimSpace(string(out))}, nil
	}
	if !gjson.ValidBytes(out) {
		return Answer{Text: strings.TrimSpace(string(out))}, fmt.Errorf("its answer is not the JSON that %q promises", format)
	}
	r := gjson.ParseBytes(out)
	switch format {
	case "claude-json": // claude -p --output-format json, 2.1
		a := Answer{Text: r.Get("result").String(), TokensIn: r.Get("usage.input_tokens").Int(), TokensOut: r.Get("usage.output_tokens").Int(),
			CostMicro: int64(r.Get("total_cost_usd").Float()*1e6 + .5)}
		if r.Get("is_error").Bool() {
			return a, fmt.Errorf("it reports an error: %s", a.Text)
		}
		return a, nil
	case "gemini-json": // gemini --output-format json, 0.61
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
	for _, key := range []string{"output", "result", "response", "text", "message"} {
		if v := r.Get(key); v.Type == gjson.String {
			return Answer{Text: v.String()}, nil
		}
	}
	return Answer{Text: strings.TrimSpace(string(out))}, nil
}

func last(texts ...string) string {
	for _, t := range texts {
		if t = strings.TrimSpace(t); t != "" {
			return t[max(0, len(t)-4<<10):]
		}
	}
	return ""
}

type tail struct{ b []byte }

func (t *tail) Write(p []byte) (int, error) {
	t.b = append(t.b, p...)
	t.b = t.b[max(0, len(t.b)-8<<10):]
	return len(p), nil
}

func (t *tail) String() string { return string(t.b) }

// talker passes lines on while it keeps the end.
type talker struct {
	say  func(string)
	keep *tail
	part []byte
}

func (t *talker) Write(p []byte) (int, error) {
	_, _ = t.keep.Write(p)
	t.part = append(t.part, p...)
	for {
		line, rest, ok := bytes.Cut(t.part, []byte("\n"))
		if !ok {
			t.part = t.part[max(0, len(t.part)-4<<10):]
			return len(p), nil
		}
		t.say(string(bytes.TrimRight(line, "\r")))
		t.part = rest
	}
}
