package app

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"session/blocker"
	"session/internal/brief"
	"session/internal/capture"
	"session/internal/cycle"
	"session/internal/engine"
	"session/internal/plan"
	"session/internal/recovery"
	"session/internal/redact"
	"session/internal/session"
	"session/internal/snapshot"
)

// By which a snapshot of a recovery was made.
const (
	byAttempt = "attempt" // it is about to start
	byOutcome = "resume"  // it has an outcome
	byAnswer  = "answer"  // a person decided
)

// begin puts an attempt on record before it starts, so that it counts even if nothing comes back.
func (a *acting) begin(ctx context.Context, at *session.Attempt) error {
	if at.Program != "" {
		at.Run = a.r.run
	}
	err := a.r.edit(ctx, byAttempt, func(b *session.Bundle) {
		b.Context.Attempts = append(slices.Clone(b.Context.Attempts), *at)
		count(&b.Context.State, at.Blocker, at.N, a.limit(at))
	})
	if err == nil {
		a.r.open = at
	}
	return err
}

func (a *acting) limit(at *session.Attempt) int {
	m, _ := a.pol.mends(at.Type)
	return m.Attempts
}

// count writes into the state how often the blocker was tried to be mended.
func count(s *session.State, id string, n, of int) {
	s.Blockers = slices.Clone(s.Blockers)
	for i := range s.Blockers {
		if b := &s.Blockers[i]; b.ID == id {
			b.RecoveryAttempted, b.MaxRecoveryAttempts = n, cmp.Or(of, b.MaxRecoveryAttempts)
		}
	}
	s.Blocker = blocker.First(s.Blockers)
}

// edit records a change of the newest snapshot without a look at the work tree.
func (r *resuming) edit(ctx context.Context, by string, change func(*session.Bundle)) error {
	s := r.home
	c := &lineage{site: s, files: r.leaser, store: r.chain, here: s.stood(ctx, r.chain)}
	at := cycle.Where{Path: s.path, Stood: c.here, Origin: snapshot.Origin{By: by}}
	_, err := c.record(context.WithoutCancel(ctx), at, c.projections(r.chain), func(b *session.Bundle) error {
		change(b)
		return nil
	})
	r.recorded = r.recorded || err == nil
	return err
}

// answer takes a person's decision: it is kept for the agents, and the question no longer stops the work.
func (r *resuming) answer(ctx context.Context) error {
	var asked bool
	err := r.edit(ctx, byAnswer, func(b *session.Bundle) {
		var kept []blocker.Blocker
		for _, x := range blockersOf(b.Context.State).Blockers {
			if asked || x.Type != blocker.DecisionRequired {
				kept = append(kept, x)
				continue
			}
			asked = true
			b.Context.TakeAway(&x, r.p.Now())
			b.Context.Attempts = append(slices.Clone(b.Context.Attempts), session.Attempt{Chain: x.ID, Blocker: x.ID, Type: x.Type, Error: x.ErrorPattern, Agent: session.Person,
				Started: r.p.Now().UTC(), Ended: r.p.Now().UTC(), Result: session.Decided, Proof: session.Person, Proved: "passed", Asked: x.Message, Answer: redact.Text(r.o.Answer)})
		}
		b.Context.State.Blockers, b.Context.State.Blocker = kept, blocker.First(kept)
	})
	if err == nil && !asked {
		return &NoBlockerError{ID: string(blocker.DecisionRequired)}
	}
	return err
}

// settle runs the proof of an attempt and records the outcome: the next snapshot, with the work tree as it is, on no
// branch.
func (a *acting) settle(ctx context.Context, b *blocker.Blocker, p recovery.Proof, at *session.Attempt) error {
	if at.Run != a.r.run {
		a.endLeft(at.Run)
	}
	a.r.open, a.r.recorded = at, true // it is on record from before, if not from now
	err := a.outcome(ctx, b, p, at)
	if err == nil {
		a.r.open = nil
	}
	return err
}

func (a *acting) outcome(ctx context.Context, b *blocker.Blocker, p recovery.Proof, at *session.Attempt) error {
	if b == nil { // a save proved it gone meanwhile
		at.Result, at.Proved, at.Ended = session.Overdue, "passed", a.Now().UTC()
		return a.r.edit(ctx, byOutcome, func(x *session.Bundle) { x.Context.Attempts = closed(x.Context.Attempts, *at) })
	}
	now, err := a.open(ctx)
	if err != nil {
		return err
	}
	if now.path != a.r.home.path {
		at.Result, at.Proved, at.Left, at.Ended = session.Strayed, "unknown", b.ID, a.Now().UTC() // what stands there was not looked at
		return a.r.edit(ctx, byOutcome, func(x *session.Bundle) { x.Context.Attempts = closed(x.Context.Attempts, *at) })
	}
	v := &saving{site: now, o: SaveOptions{Mode: "quick", ReplaceCorrupt: true, Ask: capture.Ask{NoCommit: true}}, attempt: &settling{acting: a, at: at, about: b, proof: p}}
	if err := v.attempt.prove(ctx, now); err != nil {
		return err
	}
	if err := v.prepare(ctx); err != nil {
		return err
	}
	v.plan = v.attempt.plan(v.pol, v.plan)
	_, out, err := v.run(context.WithoutCancel(ctx))
	if err != nil {
		return err
	}
	return errors.Join(out.Behind...)
}

// closed is the ledger with the outcome of its last attempt.
func closed(ledger []session.Attempt, at session.Attempt) []session.Attempt {
	ledger = slices.Clone(ledger)
	if n := len(ledger); n > 0 && ledger[n-1].Result == session.Started {
		ledger[n-1] = at
		return ledger
	}
	return append(ledger, at)
}

// settling is the record of one outcome: a save that commits nothing to the branch, with the proof's results.
type settling struct {
	*acting
	at     *session.Attempt
	about  *blocker.Blocker
	proof  recovery.Proof
	checks []session.Check
	seen   []session.Evidence
	passed bool
	shows  string // by the policy's own proof
}

// prove runs the proof's commands, one after the other until one fails.
func (s *settling) prove(ctx context.Context, now *site) error {
	s.at.Proved = "unknown"
	if s.proof.Kind != recovery.ByCommands {
		return nil
	}
	limit := s.pol.checks()[cmp.Or(s.proof.Bundle, s.pol.verifies())].Limit
	if limit <= 0 {
		limit = 10 * time.Minute
	}
	within, stop := context.WithTimeoutCause(ctx, limit, context.DeadlineExceeded)
	defer stop()
	w := capture.World{Root: now.root, Now: s.Now}
	s.passed = true
	for i, c := range s.proof.Commands {
		dir := filepath.Join(now.root, filepath.FromSlash(c.Dir))
		w.Run, w.Repo = now.runnerIn(s.r.run, dir), nil
		if c.Dir == "" {
			w.Repo = now.repo
		}
		engine.Say(ctx, "%s", brief.Shell(c.Args))
		check := w.Prove(within, capture.Command{Name: cmp.Or(c.Name, "proof"), Args: c.Args}, s.at.N*10+i)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if check.Status == "missing" { // that says something of this machine, and nothing of the work
			s.passed = false
			return nil
		}
		if s.proof.Bundle != "" { // it judges the blocker, and finds none of its own
			s.judge(ctx, now, check)
		} else if e := s.proof.Evidence; e != nil {
			seen := *e
			seen.At, seen.ExitCode, seen.Log, seen.Output = s.Now().UTC(), check.ExitCode, check.Log, ""
			s.seen = append(s.seen, seen)
		} else {
			s.checks = append(s.checks, check)
		}
		if check.Status != "passed" {
			s.passed, s.at.Proved = false, "failed"
			return nil
		}
	}
	s.at.Proved = "passed"
	return nil
}

// judge keeps what a check of the policy's own proof shows when it fails.
func (s *settling) judge(ctx context.Context, now *site, c session.Check) {
	if c.Status == "passed" {
		return
	}
	s.at.Log = c.Log
	f, err := os.Open(filepath.Join(now.runtimeDir(), filepath.FromSlash(c.Log)))
	if err != nil {
		return // the log's name is on record all the same
	}
	defer f.Close()
	sources, err := now.sourcesOf(s.pol)
	if err != nil {
		return
	}
	sources.Options.Now = s.Now()
	in := blocker.Input{Name: "proof", Exit: &c.ExitCode, Command: strings.Join(c.Command, " "), ModTime: s.Now(), Data: f}
	if info, err := f.Stat(); err == nil {
		in.Size = info.Size()
	}
	if r, err := blocker.Scan(ctx, in, sources.Options); err == nil && r.First() != nil {
		s.shows = redact.Text(r.First().ErrorPattern)
	}
}

// unproven reports whether the policy's own proof was run, and did not pass.
func (s *settling) unproven() bool { return s.proof.Bundle != "" && s.at.Proved != "passed" }

// stands writes what the policy's own proof showed: the same as the proof before it, or something else.
func (s *settling) stands(ledger []session.Attempt) {
	s.at.Leaves, s.at.Same = s.shows, false
	if _, made := recovery.Chain(s.about, ledger); len(made) > 1 { // the last one is this attempt
		s.at.Same = s.shows != "" && made[len(made)-2].Leaves == s.shows
	}
}

// plan is that of a quick save; where CI or a reviewer is the proof, they are asked, too.
func (s *settling) plan(pol policy, quick plan.Plan) plan.Plan {
	if s.proof.Kind != recovery.ByCI && s.proof.Kind != recovery.ByReview {
		return quick
	}
	sync, ok := pol.Plan("sync")
	if !ok {
		return quick
	}
	sync.Steps = slices.DeleteFunc(slices.Clone(sync.Steps), func(x plan.Step) bool { return x.Name == "Push" })
	return sync
}

// draft hands the proof's results to the save.
func (s *settling) draft(d *capture.Draft) {
	d.Origin, d.Checks, d.Ask.Evidence = byOutcome, s.checks, s.seen
	d.Mode = cmp.Or(d.Base.State().Mode, d.Mode)
	d.Base.Context.Evidence = s.withoutFailures(d.Base.Context.Evidence)
	for i := range d.Base.Autosaves {
		d.Base.Autosaves[i].Context.Evidence = s.withoutFailures(d.Base.Autosaves[i].Context.Evidence)
	}
	s.report(d)
	if s.unproven() {
		d.Held = s.about.ID
	}
	if s.passed {
		d.Proven = map[string]string{s.about.Source: s.at.Proof}
	}
}

// withoutFailures takes away, once the proof says otherwise, the reports of failure that it speaks of: those of the agent
// that was asked to mend, and those of what it mended. Another agent's report of something else stands, and a question
// stays one.
func (s *settling) withoutFailures(all []session.Evidence) []session.Evidence {
	if !s.passed {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(e session.Evidence) bool {
		if e.Kind != session.AgentEvidence {
			return false
		}
		b := blocker.FromReport(e.Agent, e.Report, blocker.Options{Now: s.Now()})
		if b == nil || b.Type == blocker.DecisionRequired {
			return b == nil
		}
		return strings.TrimPrefix(e.Agent, "session:") == s.at.Agent || e.Source() == s.about.Source || b.Same(s.about)
	})
}

var saysFixed = regexp.MustCompile(`(?im)^\W*status\W+FIXED\b`)

// report reads what the agent said: through the program's answer, or inside an assistant from its hooks. A question is
// evidence that the save turns into a blocker; any other word is kept, and proves nothing.
func (s *settling) report(d *capture.Draft) {
	if s.at.Program == "" {
		for _, e := range s.heard(d) {
			s.at.Said = ending(e.Report, maxSaid)
		}
	}
	b := blocker.FromReport(s.at.Agent, s.at.Said, blocker.Options{Now: s.Now()})
	switch {
	case s.at.Result != session.Started:
	case b != nil && b.Type == blocker.DecisionRequired:
		s.at.Result = session.Asking
		d.Ask.Evidence = append(d.Ask.Evidence, session.Evidence{Kind: session.AgentEvidence, At: s.Now().UTC(), Agent: s.at.Agent, Report: s.at.Said})
	case saysFixed.MatchString(s.at.Said), s.at.Proved == "unknown" && b == nil:
		s.at.Result = session.Unproven
	default:
		s.at.Result = session.Failed
	}
}

// heard is what hooks heard of the agent since the attempt began.
func (s *settling) heard(d *capture.Draft) []session.Evidence {
	all := slices.Clone(d.Base.Context.Evidence)
	for _, a := range d.Base.Autosaves {
		all = append(all, a.Context.Evidence...)
	}
	return slices.DeleteFunc(all, func(e session.Evidence) bool {
		return e.Kind != session.AgentEvidence || strings.TrimPrefix(e.Agent, "session:") != s.at.Agent || e.At.Before(s.at.Started)
	})
}

// bundle writes the outcome.
func (s *settling) bundle(d *capture.Draft, base session.Bundle, b *session.Bundle) {
	at := s.at
	at.Ended = s.Now().UTC()
	if g := b.Environment.Git; g != nil {
		at.After, at.Files = g.Head, changed(base.Environment.Git, g)
	}
	left := s.left(b.Context.State.Blockers)
	switch {
	case left != nil:
		at.Left, at.Leaves, at.Same = left.ID, left.ErrorPattern, left.Same(s.about)
		if at.Proved == "passed" { // the check passes, and yet something of the kind is found
			at.Proved = "failed"
		}
		if s.unproven() && left.Same(s.about) {
			s.stands(base.Context.Attempts)
		}
	case s.unproven():
	case at.Result != session.Asking:
		at.Result, at.Proved = session.Fixed, "passed"
	}
	b.Context.Attempts = closed(session.WithoutChains(base.Context.Attempts, d.Cleared), *at)
	for _, x := range b.Context.State.Blockers {
		if chain, made := recovery.Chain(&x, b.Context.Attempts); chain == at.Chain && len(made) > 0 {
			count(&b.Context.State, x.ID, at.N, s.limit(at))
		}
	}
}

// left is what stands after the attempt: the same failure, or the one that took its place. Of a failure that only an
// agent told of, a check that fails now is the better witness: what it shows goes on with the same chain.
func (s *settling) left(all []blocker.Blocker) *blocker.Blocker {
	if s.at.Proved == "failed" && s.proof.Bundle == "" && strings.HasPrefix(s.about.Source, "agent:") {
		for _, b := range all {
			if strings.HasPrefix(b.Source, "check:") && b.AutoDetected {
				return &b
			}
		}
	}
	for _, b := range all {
		if b.Same(s.about) {
			return &b
		}
	}
	if s.at.Proved != "failed" {
		return nil
	}
	for _, b := range all {
		if b.AutoDetected && b.Type != blocker.DecisionRequired {
			return &b
		}
	}
	return nil
}

// changed lists files that are not as the base recorded them.
func changed(was, is *session.GitFacts) []string {
	before := map[string]session.File{}
	if was != nil {
		for _, f := range was.Files {
			before[f.Path] = f
		}
	}
	var all []string
	for _, f := range is.Files {
		if before[f.Path] != f && len(all) < session.MaxAttemptFiles {
			all = append(all, f.Path)
		}
	}
	return all
}
