package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
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
	"session/internal/quote"
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
	return s.belonging(ctx, chain, run, o, &r.spent, func(ctx context.Context) (LoadResult, error) {
		if o.Answer != "" {
			if err := r.answer(ctx); err != nil {
				return LoadResult{}, err
			}
		}
		return r.loop(ctx)
	})
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

// RecoveryStep is what comes next, for whoever does it.
type RecoveryStep struct {
	recovery.Step
	Name    string   `json:"name,omitempty"` // of the agent, as the assistant knows it
	Prompt  string   `json:"prompt,omitempty"`
	Proof   string   `json:"proof,omitempty"`
	Command []string `json:"command,omitempty"` // what would be started
	Message string   `json:"message"`
	Quotes  []string `json:"quotes,omitempty"`  // what a log, a report or an agent says about it: data, never part of Message
	Actions []string `json:"actions,omitempty"` // command lines for a person
	Blocker string   `json:"blocker,omitempty"`
}

// Clear reports whether nothing stops the work.
func (s *RecoveryStep) Clear() bool { return s.Do == recovery.GoOn }

// GaveUp reports whether all was tried that may be tried.
func (s *RecoveryStep) GaveUp() bool { return s.Do == recovery.GiveUp }

// HandsOver reports whether whoever reads this is to start the agent.
func (s *RecoveryStep) HandsOver() bool { return s.Do == recovery.Try }

// told words the step.
func (a *acting) told(d *recovery.Draft) *RecoveryStep {
	s := d.Step
	if s.Do == "" {
		return nil
	}
	r := &RecoveryStep{Step: s, Prompt: d.Prompt}
	if s.Do == recovery.GoOn {
		r.Message = a.Words.Say("resume.go-on")
		return r
	}
	if d.Proof.Kind != "" {
		r.Proof = d.Proof.Line(brief.Shell)
	}
	b := s.Blocker
	args := []any{"agent", s.Agent, "n", s.N, "of", s.Of}
	if b != nil {
		r.Blocker = b.ID
		args = append(args, "type", string(b.Type))
		r.Quotes = quoted(s, b)
	}
	r.Message = a.Words.Say(s.Why, args...)
	if s.Agent != "" {
		if r.Name = a.agentName(s.Agent); r.Name == "" {
			r.Name = s.Agent
		}
	}
	r.Actions = a.ways(s, d)
	if s.Why == noProgram {
		if name, command := a.installed(r.Name); name != "" {
			r.Command, r.Message = command, a.Words.Say("resume.would-run", "agent", s.Agent, "program", name)
			r.Actions = append([]string{brief.Shell(command)}, r.Actions...)
		}
	}
	return r
}

// noProgram is why an attempt was not made: see recovery.Steps.
const noProgram = "resume.no-program"

// installed is another program of the policy that is on this machine, and how it would be started to play an agent: the
// one to name in bundles.yaml. It is not started, because the policy names others.
func (a *acting) installed(agent string) (name string, command []string) {
	for _, name := range slices.Sorted(maps.Keys(a.pol.Bundles.Programs)) {
		run := a.pol.Bundles.Programs[name].Run
		if _, err := proc.LookPath(run[0], a.Env, a.root); err != nil {
			continue
		}
		command = slices.Clone(run)
		for i := range command {
			command[i] = strings.ReplaceAll(command[i], "{agent}", agent)
		}
		return name, command
	}
	return "", nil
}

// quoted is what stands below a step's message: an attempt's prompt quotes it all.
func quoted(s recovery.Step, b *blocker.Blocker) []string {
	var words []string
	switch {
	case s.Do == recovery.Try, s.Do == recovery.Prove, s.Do == recovery.Elsewhere, s.Why == noProgram:
		return nil
	case s.Do == recovery.Ask:
		words = append([]string{b.Message}, b.Choices()...)
	case s.Do == recovery.GiveUp:
		words = []string{b.Description}
	default:
		words = []string{b.Description, b.Resolution}
	}
	words = slices.DeleteFunc(words, func(s string) bool { return s == "" })
	for i := range words {
		words[i] = quote.Words(words[i], quote.MaxLine)
	}
	return words
}

// ways are the exact commands that help a person.
func (a *acting) ways(s recovery.Step, d *recovery.Draft) []string {
	var all [][]string
	again := []string{"session", "load", "--resume"}
	switch {
	case s.Do == recovery.Try && a.r.o.Assistant:
		return []string{brief.Shell(append(again, "--assistant"))}
	case s.Do == recovery.Ask:
		all = append(all, append(again, "--answer", "ANSWER"))
	case s.Do == recovery.Elsewhere:
		all = append(all, []string{"git", "switch", d.State.GitBranch}, again)
	case s.Blocker != nil && s.Blocker.Type == blocker.MergeConflict:
		all = append(all, []string{"git", "status"}, []string{"git", "mergetool"}, []string{"git", "add", "…"}, []string{"session", "save"})
	case d.Proof.Kind == recovery.ByCI:
		all = append(all, []string{"session", "save", "--sync", "--wait-ci"}, again)
	case d.Proof.Kind == recovery.ByReview:
		all = append(all, []string{"session", "save", "--sync"}, again)
	case s.Do == recovery.GiveUp || s.Do == recovery.ByHand && len(d.Proof.Commands) > 0:
		for _, c := range d.Proof.Commands {
			all = append(all, append([]string{"session", "blocker", "watch", "--"}, c.Args...))
		}
		all = append(all, []string{"session", "save"}, []string{"session", "blocker", "clear"})
	default:
		all = append(all, []string{"session", "blocker", "watch", "--", "…"}, []string{"session", "blocker", "clear"})
	}
	lines := make([]string, len(all))
	for i, args := range all {
		lines[i] = strings.ReplaceAll(brief.Shell(args), "'…'", "…")
	}
	return lines
}

// acting is one pass: the hands of a recovery.
type acting struct {
	*site
	r    *resuming
	pol  policy
	from saved
}

func (a *acting) world() recovery.World {
	w := capture.World{Root: a.root, Checks: a.pol.checks()}
	return recovery.World{Sources: a.sources(), Words: a.Words, Word: a.word, Now: a.Now, Search: a.search(a.from, said(a.from.state)...), Mends: a.mends, Plain: plainCommand, Quote: brief.Shell,
		Checks: func(bundle string) (all []recovery.Command) {
			if bundle == "" {
				bundle = a.pol.verifies()
			}
			for _, c := range w.Commands(bundle) {
				all = append(all, recovery.Command{Name: c.Name, Args: c.Args})
			}
			return all
		},
		Exists: func(name string) bool {
			info, err := os.Stat(filepath.Join(a.root, filepath.FromSlash(name)))
			return err == nil && info.Mode().IsRegular()
		},
		Log:   a.logOf,
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
func (a *acting) mends(t blocker.Type) (recovery.Mend, bool) {
	name := a.pol.Triggers.Blockers[string(t)].Mend
	m, ok := a.pol.Bundles.Mend[name]
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
	c := assistant.Call{Agent: at.Agent, Prompt: prompt, Instructions: assistant.Instructions(at.Agent), Dir: a.root, Env: proc.With(a.Env, nil, RunVariable+"="+a.r.run),
		Say: func(line string) { engine.Say(ctx, "%s", redact.Text(line)) }}
	if slices.Contains(program.Run, "{agent}") && program.Output == "claude-json" {
		c.Agent = a.agentName(at.Agent)
	}
	answer, err := assistant.Start(ctx, program, c)
	at.Tokens, at.Cost = answer.TokensIn+answer.TokensOut, answer.CostMicro
	a.r.spent.Tokens, a.r.spent.Cost = a.r.spent.Tokens+at.Tokens, a.r.spent.Cost+at.Cost
	said := answer.Text
	var failed *assistant.AgentError
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, context.DeadlineExceeded):
		at.Result = session.TimedOut
	case err != nil:
		at.Result = session.Crashed
		said += "\n" + err.Error()
	}
	if errors.As(err, &failed) {
		said = failed.Output + "\n" + err.Error()
	}
	at.Said = ending(said)
	return nil
}

// ending keeps the end of what an agent said, which is where its report stands.
func ending(s string) string {
	s = strings.TrimSpace(s)
	return redact.Text(strings.ToValidUTF8(s[max(0, len(s)-maxSaid):], "\uFFFD"))
}

// maxSaid bounds what is kept of what an agent said, in bytes.
const maxSaid = 4 << 10
