package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// hooks times every hook of a coding assistant and of git, beside one git status. An autosave finds one more turn in a
// transcript that is mostly what is passed over, as real ones are.
func hooks(ctx context.Context, b *bench) error {
	for _, n := range b.sizes {
		r, err := b.repository(ctx, n, fewCommits)
		if err != nil {
			return err
		}
		if _, err := b.do(ctx, r.root, nil, b.program, "save", "-m", "bench"); err != nil {
			return err
		}
		t := &transcript{file: filepath.Join(b.dir, fmt.Sprintf("talk-%d.jsonl", n))}
		if err := os.WriteFile(t.file, nil, 0o600); err != nil {
			return err
		}
		for range 100 {
			if err := t.turn(ctx); err != nil {
				return err
			}
		}
		if _, err := b.compare(ctx, fmt.Sprintf("hooks, %d files", n), t.commands(b, r.root)...); err != nil {
			return err
		}
	}
	return nil
}

// transcript is a conversation that grows.
type transcript struct {
	file  string
	turns int
}

// turn adds what a turn adds: a large copy of a prompt, a question, an answer.
func (t *transcript) turn(context.Context) error {
	t.turns++
	f, err := os.OpenFile(t.file, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, `{"type":"api-request-blob","blob":"%s"}
{"type":"user","uuid":"u%d","sessionId":"bench","timestamp":"2026-01-02T03:04:05Z","message":{"role":"user","content":"thing %d"}}
{"type":"assistant","uuid":"a%d","sessionId":"bench","message":{"id":"m%d","role":"assistant","content":[{"type":"text","text":"%s"}],"usage":{"input_tokens":10,"output_tokens":5}}}
`, strings.Repeat("x", 50_000), t.turns, t.turns, t.turns, t.turns, strings.Repeat("done ", 50))
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}

// commands are git status and every hook, with what the assistant hands it.
func (t *transcript) commands(b *bench, root string) []command {
	hook := func(name string, g goal, prep func(context.Context) error, event string, more map[string]any) command {
		in := map[string]any{"session_id": "bench", "cwd": root, "transcript_path": t.file}
		for k, v := range more {
			in[k] = v
		}
		text, err := json.Marshal(in)
		if err != nil {
			panic(err) // strings and maps of them always marshal
		}
		return command{name: name, args: []string{b.program, "hook", event, "--from", "claude"}, dir: root, prep: prep, goal: g, stdin: text}
	}
	autosave := goal{p99: 50}
	disabled := hook("disabled", goal{p99: 10}, nil, "turn-end", nil)
	disabled.env = append(b.env[:len(b.env):len(b.env)], "SESSION_HOOKS=off")
	return []command{
		{name: "git status", args: []string{"git", "--no-optional-locks", "status"}, dir: root},
		hook("session start", goal{above: 50}, nil, "session-start", map[string]any{"source": "startup"}),
		hook("session start, resumed", autosave, nil, "session-start", map[string]any{"source": "resume"}),
		hook("turn end", autosave, t.turn, "turn-end", nil),
		hook("before compact", autosave, t.turn, "before-compact", nil),
		hook("session end", autosave, t.turn, "session-end", nil),
		hook("agent end", autosave, nil, "agent-end", map[string]any{"agent_type": "cpp-builder", "last_assistant_message": "Status: FAILED\nError: a.c:1: error: no"}),
		hook("tool failed", autosave, nil, "tool-failed", map[string]any{"tool_input": map[string]any{"command": "make all"}, "error": "Exit code 2\na.c:1:1: error: no"}),
		hook("before git push", autosave, nil, "before-push", map[string]any{"tool_input": map[string]any{"command": "git push"}}),
		{name: "git pre-push", args: []string{b.program, "hook", "pre-push", "origin", "url"}, dir: root, goal: autosave, stdin: []byte("refs/heads/a 1 refs/heads/a 2\n")},
		disabled,
	}
}
