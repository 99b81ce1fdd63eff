package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"session/blocker"
	"session/internal/assistant"
	"session/internal/brief"
	"session/internal/capture"
	"session/internal/engine"
	"session/internal/memory"
	"session/internal/plan"
	"session/internal/proc"
	"session/internal/recovery"
	"session/internal/redact"
	"session/internal/session"
	"session/internal/snapshot"

	"github.com/tidwall/gjson"
)

// RecoverOptions is what session load --resume was asked.
type RecoverOptions struct {
	Assistant bool   // a coding assistant does the step, and asks again
	Answer    string // a person's answer to the question that stops the work
}

// Recover recovers and goes on (S1.7): what stops the work is mended by the agents of its route, each attempt is proved,
// until nothing stops it, a person is needed, or it gives up. It asks nothing. Errors besides Load's: *snapshot.ErrBusy
// while another resume, run or save is at it.
func Recover(ctx context.Context, p Place, o RecoverOptions) (res LoadResult, err error) {
	s, err := p.open(ctx)
	if err != nil {
		return LoadResult{}, err
	}
	from, err := s.saved(ctx, "")
	if err != nil {
		return LoadResult{}, err
	}
	if from.chain == nil { // taken at its word: there is nothing to record attempts on
		return Load(ctx, p, LoadOptions{})
	}
	if _, err := s.resume(ctx, &from); err != nil {
		return LoadResult{}, err
	}
	fs, chain, err := s.shelf(ctx, true)
	if err != nil {
		return LoadResult{}, err
	}
	run, err := s.runID()
	if err != nil {
		return LoadResult{}, err
	}
	lease, err := fs.Acquire(ctx, chain.LeaseKey(s.path), s.holder(run), 0)
	if err != nil {
		return LoadResult{}, err
	}
	defer func() { err = errors.Join(err, lease.Release(context.WithoutCancel(ctx))) }()
	r := &resuming{p: p, o: o, home: s, leaser: lent{fs}, chain: chain, run: run, began: p.Now()}
	res, err = s.belonging(ctx, chain, run, o, &r.spent, func(ctx context.Context) (LoadResult, error) {
		if o.Answer != "" {
			if err := r.answer(ctx); err != nil {
				return LoadResult{}, err
			}
		}
		return r.loop(ctx)
	})
	return res, r.interrupted(ctx, err)
}

// interrupted says of a recovery that was interrupted what is on record.
func (r *resuming) interrupted(ctx context.Context, err error) error {
	switch {
	case err == nil || ctx.Err() == nil || !r.recorded:
		return err
	case r.open != nil:
		return &InterruptedError{"error.interrupted-attempt", []any{"n", r.open.N, "agent", r.open.Agent}, err}
	}
	return &InterruptedError{"error.interrupted-recovery", nil, err}
}

// lent hands out the lease that a resume holds to the records that it makes.
type lent struct{ snapshot.Leaser }

func (lent) Acquire(context.Context, snapshot.ID, snapshot.Holder, time.Duration) (snapshot.Lease, error) {
	return held{}, nil
}

type held struct{}

func (held) Renew(context.Context) error { return nil }

func (held) Release(context.Context) error { return nil }

// resuming is one resume: as many passes of the plan as there are steps to do.
type resuming struct {
	p      Place
	o      RecoverOptions
	home   *site // where it began: its path's lease is held
	leaser snapshot.Leaser
	chain  *snapshot.Store
	run    string
	began  time.Time
	spent  finishedRun // by the agents that were started

	recorded bool             // some of it is on record
	open     *session.Attempt // on record, and without an outcome
}

// maxPasses bounds a resume: more attempts than any policy allows.
const maxPasses = 64

func (r *resuming) loop(ctx context.Context) (LoadResult, error) {
	var route []string // of what stopped the work when it began
	for range maxPasses {
		d, res, err := r.pass(ctx)
		if err != nil {
			return LoadResult{}, err
		}
		if route == nil {
			route = d.Route
		}
		if len(res.Recovery.Route) == 0 && len(route) > 0 {
			res.Recovery.Route = route
		}
		if d.Stopped != nil {
			return LoadResult{}, d.Stopped
		}
		if !d.Settled {
			res.Recovery.Attempts = r.shown(res.Recovery.Attempts, res.Blocker)
			return res, ctx.Err()
		}
	}
	return LoadResult{}, &EndlessError{Passes: maxPasses}
}

// EndlessError says that a recovery was stopped because each of its steps led to another one. What was done is on record.
type EndlessError struct{ Passes int }

func (e *EndlessError) Error() string {
	return fmt.Sprintf("recovery was stopped after %d steps: each of them led to another one", e.Passes)
}

// shown are the attempts that matter now: those of this resume, those about what still stands, and what was decided.
func (r *resuming) shown(all []session.Attempt, b *blocker.Blocker) []session.Attempt {
	var made []session.Attempt
	if b != nil {
		_, made = recovery.Chain(b, all)
	}
	return slices.DeleteFunc(all, func(a session.Attempt) bool {
		counts := slices.ContainsFunc(made, func(m session.Attempt) bool { return m.Started.Equal(a.Started) })
		return !counts && a.Started.Before(r.began) && a.Ended.Before(r.began) && a.Result != session.Decided
	})
}

// pass runs the plan once, over the world as it is now.
func (r *resuming) pass(ctx context.Context) (*recovery.Draft, LoadResult, error) {
	s, err := r.p.open(ctx)
	if err != nil {
		return nil, LoadResult{}, err
	}
	from, err := s.saved(ctx, "")
	if err != nil {
		return nil, LoadResult{}, err
	}
	pol, err := s.resume(ctx, &from)
	if err != nil {
		return nil, LoadResult{}, err
	}
	mode, err := pol.mode("resume", plan.Load)
	if err != nil {
		return nil, LoadResult{}, err
	}
	d := &recovery.Draft{State: from.state, Recorded: from.recorded(ctx), Context: from.context, Inside: r.o.Assistant, Route: pol.route(from.state.Blocker)}
	if err := s.newer(ctx, &from, &d.Recorded); err != nil {
		return nil, LoadResult{}, err
	}
	d.Notes = append(from.notes, s.deadHooks(ctx)...)
	ci := s.ci()
	d.CI = ci.brief()
	d.Memory.Session, d.Memory.At, d.Memory.Query = memory.SessionRef(from.state.Line), memory.Snapshot(from.state.Snapshot), query(from.state)
	step := &acting{site: s, r: r, pol: pol, from: from}
	if _, err := engine.Run(ctx, mode, recovery.Steps(step.world()), d, s.Watch); err != nil {
		return d, LoadResult{}, err
	}
	res := loadResult(d)
	res.Since.CI = ci
	if d.Attempt != nil && d.Attempt.Result == session.Started && r.o.Assistant {
		res.Recovery.Attempts = append(res.Recovery.Attempts, *d.Attempt)
	}
	res.Recovery.Step = step.told(d)
	return d, res, nil
}

// acting is one pass: the hands of a recovery.
type acting struct {
	*site
	r    *resuming
	pol  policy
	from saved
}

// proofs finds the commands of a bundle of checks; "" is the one that a full save runs.
func (s *site) proofs(pol policy) func(bundle string) []recovery.Command {
	w := capture.World{Repo: s.repo, Root: s.root, Checks: pol.checks()}
	return func(bundle string) (all []recovery.Command) {
		if bundle == "" {
			bundle = pol.verifies()
		}
		for _, c := range w.Commands(bundle) {
			all = append(all, recovery.Command{Name: c.Name, Args: c.Args})
		}
		return all
	}
}

func (a *acting) world() recovery.World {
	return recovery.World{Sources: a.sources(), Words: a.Words, Word: a.word, Now: a.Now, Search: a.search(a.from, said(a.from.state)...), Mends: a.pol.mends, Here: a.where(), Plain: plainCommand, Quote: brief.Shell,
		Checks: a.proofs(a.pol),
		Exists: func(name string) bool {
			info, err := os.Stat(filepath.Join(a.root, filepath.FromSlash(name)))
			return err == nil && info.Mode().IsRegular()
		},
		Log:   a.logOf,
		Kept:  func(log string) string { return filepath.Join(a.runtimeDir(), filepath.FromSlash(log)) },
		Hands: recovery.Hands{Program: a.program, Begin: a.begin, Call: a.call, Settle: a.settle}}
}

// route lists who mends a blocker, in order.
func (p policy) route(b *blocker.Blocker) []string {
	if b == nil || !b.AutoDetected {
		return nil
	}
	return p.Bundles.Mend[p.Triggers.Blockers[string(b.Type)].Mend].Agents
}

// mends is the route of a type of blocker, as triggers.yaml and bundles.yaml have it.
func (p policy) mends(t blocker.Type) (recovery.Mend, bool) {
	name := p.Triggers.Blockers[string(t)].Mend
	m, ok := p.Bundles.Mend[name]
	if !ok {
		return recovery.Mend{}, false
	}
	return recovery.Mend{Name: name, Agents: m.Agents, Proof: m.Proof, Attempts: m.Attempts, Limit: time.Duration(m.Limit)}, true
}

// verifies is the bundle of checks that a full save runs.
func (p policy) verifies() string {
	full, _ := p.Plan("full")
	for _, s := range full.Steps {
		if s.Name == "Verify" {
			return gjson.GetBytes(s.With, "bundle").String()
		}
	}
	return "project-checks"
}

// plainCommand splits a command line that an assistant ran, where it is nothing but words: what only a shell could run is
// not run again.
func plainCommand(line string) ([]string, bool) {
	if strings.ContainsAny(line, "|&;<>()$`*?~{}[]!#\\\n\r") {
		return nil, false
	}
	args, err := assistant.SplitArguments(line)
	if err != nil || len(args) == 0 || strings.Contains(args[0], "=") || !assistant.BuildsOrTests(line) {
		return nil, false
	}
	return args, true
}

// logOf is the file that holds the whole output of what a blocker was read from.
func (a *acting) logOf(b blocker.Blocker) string {
	for _, c := range a.from.context.Checks {
		if "check:"+c.Name == b.Source && c.Log != "" {
			return filepath.Join(a.runtimeDir(), filepath.FromSlash(c.Log))
		}
	}
	for _, e := range slices.Backward(a.from.context.Evidence) {
		if e.Source() == b.Source && e.Log != "" {
			return filepath.Join(a.runtimeDir(), filepath.FromSlash(e.Log))
		}
	}
	if b.Source != "" && !strings.Contains(b.Source, ":") && filepath.IsLocal(filepath.FromSlash(b.Source)) {
		return b.Source
	}
	return ""
}

// program is the first one installed of those that can play an agent.
func (a *acting) program(agent string) string {
	for _, name := range a.pol.Bundles.Agents[agent].Programs {
		if p, ok := a.pol.Bundles.Programs[name]; ok {
			if _, err := proc.LookPath(p.Run[0], a.Env, a.root); err == nil {
				return name
			}
		}
	}
	return ""
}

func (a *acting) agentName(agent string) string {
	config := proc.Getenv(a.Env, "CLAUDE_CONFIG_DIR")
	if home := proc.Getenv(a.Env, "HOME"); config == "" && home != "" {
		config = filepath.Join(home, ".claude")
	}
	return assistant.AgentName(a.root, config, agent)
}

// call starts the agent's program. Whatever it comes to, the proof decides.
func (a *acting) call(ctx context.Context, s recovery.Step, prompt string, at *session.Attempt) error {
	program := programs(a.pol)[at.Program]
	if s.Mend.Limit > 0 && (program.Limit == 0 || s.Mend.Limit < program.Limit) {
		program.Limit = s.Mend.Limit
	}
	engine.Say(ctx, "%s (%s) %d/%d", at.Agent, at.Program, s.N, s.Of)
	c := assistant.Call{Agent: at.Agent, Prompt: prompt, Instructions: assistant.Instructions(at.Agent), Dir: a.root, Env: a.Env, Mark: runMark(a.r.run),
		Say: func(line string) { engine.Say(ctx, "%s", redact.Text(line)) }}
	if slices.Contains(program.Run, "{agent}") && program.Output == "claude-json" {
		c.Agent = a.agentName(at.Agent)
	}
	answer, err := assistant.Start(ctx, program, c)
	at.Tokens, at.Cost = answer.TokensIn+answer.TokensOut, answer.CostMicro
	a.r.spent.Tokens, a.r.spent.Cost = a.r.spent.Tokens+at.Tokens, a.r.spent.Cost+at.Cost
	said := answer.Text
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, context.DeadlineExceeded):
		at.Result = session.TimedOut
	case err != nil:
		at.Result = session.Crashed
	}
	if err != nil { // why often stands on standard error only; neither crowds out the other
		said = ""
		for _, part := range []string{answer.Text, answer.Errors, err.Error()} {
			if part = ending(part, maxSaid/3); part != "" {
				said += part + "\n"
			}
		}
	}
	at.Said = ending(said, maxSaid)
	return nil
}

// ending keeps at most so many bytes of the end of what an agent said, which is where its report stands. Masked before it
// is cut: a part of a secret would not be known for one.
func ending(s string, most int) string {
	s = strings.TrimSpace(s)
	s = redact.Text(strings.ToValidUTF8(s[max(0, len(s)-maxMasked):], "\uFFFD"))
	if len(s) <= most {
		return s
	}
	s = s[len(s)-most:]
	if _, whole, ok := strings.Cut(s, "\n"); ok && whole != "" {
		return whole
	}
	return strings.ToValidUTF8(s, "")
}

// maxSaid bounds what is kept of what an agent said, in bytes.
const maxSaid = 4 << 10

// maxMasked is how much of the end of a long answer is looked at for secrets.
const maxMasked = 16 * maxSaid
