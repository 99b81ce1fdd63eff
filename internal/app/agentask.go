package app

import (
	"context"
	"errors"

	"session/internal/assistant"
	"session/internal/engine"
	"session/internal/execute"
	"session/internal/proc"
	"session/internal/redact"
)

// agentAsker asks an agent of bundles.yaml: by the first program installed that can play it, which is told that it runs
// below a run of ours. *execute.NoProgramError: none is installed.
func (s *site) agentAsker(pol policy, run string) func(ctx context.Context, agent, prompt string) (string, error) {
	return func(ctx context.Context, agent, prompt string) (string, error) {
		names := pol.Bundles.Agents[agent].Programs
		for _, name := range names {
			p, ok := programs(pol)[name]
			if !ok {
				continue
			}
			if _, err := proc.LookPath(p.Run[0], s.Env, s.root); err != nil {
				continue
			}
			engine.Say(ctx, "%s (%s)", agent, name)
			answer, err := assistant.Start(ctx, p, assistant.Call{Agent: agent, Prompt: prompt, Dir: s.root, Env: s.Env, Mark: runMark(run),
				Say: func(line string) { engine.Say(ctx, "%s", redact.Text(line)) }})
			if err == nil && answer.Cut {
				err = errors.New("its answer has no end")
			}
			return redact.Text(answer.Text), err
		}
		return "", &execute.NoProgramError{Programs: names}
	}
}
