package assistant

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"session/internal/proc"
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
	Agent string // "" where none was named
	// Instructions are the agent's own prompt (see the function of this name). They go before the prompt of a program
	// that cannot be told an agent by its name; one that can reads them from its files.
	Instructions string
	Prompt       string
	Dir          string
	Env          []string
	Mark         string            // goes into Env, KEY=value: by it all that the program starts is found again; "": none
	Say          func(line string) // what the program writes to stderr, a line at a time; nil: nobody listens
}

// Answer is what a program said.
type Answer struct {
	Text      string
	TokensIn  int64
	TokensOut int64
	CostMicro int64  // millionths of a US dollar; 0: not reported
	Cut       bool   // it said more than MaxAnswer bytes
	Errors    string // the end of what it wrote to standard error: of one that ended badly often all that it said
}

// MaxAnswer bounds what is read of an answer, in bytes.
const MaxAnswer = 4 << 20

// AgentError says that the program ended badly. What it had said until then is in its answer.
type AgentError struct {
	Program string
	Cause   error
}

func (e *AgentError) Error() string { return fmt.Sprintf("agent program %s: %v", e.Program, e.Cause) }
func (e *AgentError) Unwrap() error { return e.Cause }

// Start runs a program on a prompt and waits for its answer; after its limit, or when ctx ends, the whole tree of its
// processes is ended. The prompt goes through standard input or as one argument, never through a shell. Errors:
// *proc.NotFoundError, *AgentError, ctx's.
func Start(ctx context.Context, p Program, c Call) (Answer, error) {
	prompt, err := promptOf(p, c)
	if err != nil {
		return Answer{}, &AgentError{Program: p.Name, Cause: err}
	}
	c.Prompt = prompt
	if p.Limit > 0 {
		var stop func()
		ctx, stop = context.WithTimeoutCause(ctx, p.Limit, fmt.Errorf("not done after %s: %w", p.Limit, context.DeadlineExceeded))
		defer stop()
	}
	cmd := proc.Command{Args: arguments(p, c), Dir: c.Dir, Env: c.Env, Tree: true, Mark: c.Mark, MaxOutput: MaxAnswer, Grace: 2 * time.Second}
	if c.Mark != "" {
		cmd.Env = proc.With(c.Env, nil, c.Mark)
	}
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
	a.Cut, a.Errors = r.Cut, strings.TrimSpace(heard.String())
	if err = cmp.Or(err, readErr); err != nil {
		return a, &AgentError{Program: p.Name, Cause: err}
	}
	return a, nil
}

// maxArgument is what Linux takes as one argument (MAX_ARG_STRLEN), less its end.
const maxArgument = 128<<10 - 1

// ErrPrompt says that a prompt cannot be handed to a program: it is empty, or longer than an argument may be.
var ErrPrompt = errors.New("the prompt cannot be handed over")

// promptOf is the whole prompt: with the agent's instructions where the program does not know the agent.
func promptOf(p Program, c Call) (string, error) {
	prompt := strings.ReplaceAll(c.Prompt, "\x00", "\uFFFD")
	if c.Instructions != "" && (c.Agent == "" || !slices.ContainsFunc(p.Run, func(a string) bool { return strings.Contains(a, "{agent}") })) {
		prompt = strings.TrimSpace(c.Instructions) + "\n\n## Task\n\n" + prompt
	}
	if p.Input == "argument" && strings.HasPrefix(prompt, "-") {
		prompt = " " + prompt // or the program takes it for an option
	}
	switch {
	case strings.TrimSpace(prompt) == "":
		return "", fmt.Errorf("%w: it is empty", ErrPrompt)
	case p.Input == "argument" && len(prompt) > maxArgument:
		return "", fmt.Errorf("%w: %d bytes are more than an argument may have; let the program read it from stdin (input: stdin)", ErrPrompt, len(prompt))
	}
	return prompt, nil
}

// AgentName is the name under which Claude Code knows an agent in a project: its own where a file of the project or of
// the person defines it, session:NAME where the plugin does, "" where nothing does. Claude Code ends in an error when it
// is given a name that does not exist. config is the person's .claude folder.
func AgentName(root, config, agent string) string {
	for _, dir := range []string{filepath.Join(root, ".claude"), config} {
		if info, err := os.Stat(filepath.Join(dir, "agents", agent+".md")); err == nil && info.Mode().IsRegular() {
			return agent
		}
	}
	for _, settings := range []string{filepath.Join(root, ".claude", "settings.json"), filepath.Join(root, ".claude", "settings.local.json"), filepath.Join(config, "settings.json")} {
		if pluginEnabled(settings) && Instructions(agent) != "" {
			return "session:" + agent
		}
	}
	return ""
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
