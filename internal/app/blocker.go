package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"session/blocker"
	"session/blocker/rules"
	"session/gitstate"
	"session/internal/brief"
	"session/internal/capture"
	"session/internal/cycle"
	"session/internal/recovery"
	"session/internal/redact"
	"session/internal/session"
	"session/internal/snapshot"
)

// sourcesOf are the policy's places to look for blockers.
func (s *site) sourcesOf(p policy) (capture.Sources, error) {
	out := capture.Sources{Options: blocker.Options{Root: s.root}, Severity: map[blocker.Type]blocker.Severity{}}
	for _, src := range p.Triggers.Sources {
		switch src.Kind {
		case "exit-codes":
			out.Exits = true
		case "reports", "logs":
			out.Patterns = append(out.Patterns, src.Files...)
		case "git":
			out.Git = true
		case "agents":
			out.Agents = true
		case "ci":
			out.CI = true
		}
	}
	for t, b := range p.Triggers.Blockers {
		out.Severity[blocker.Type(t)] = blocker.Severity(b.Severity)
	}
	var err error
	out.Options.Rules, err = ownRules(p)
	return out, err
}

// ownRules is the rule table with a project's own rules ahead; nil for the built-in one.
func ownRules(p policy) (*rules.Table, error) {
	if len(p.Triggers.Rules) == 0 {
		return nil, nil
	}
	list, err := json.Marshal(p.Triggers.Rules)
	if err != nil {
		return nil, fmt.Errorf("recognition rules: %w", err)
	}
	own, err := rules.Parse("rules", list)
	if err != nil {
		return nil, fmt.Errorf("recognition rules: %w", err)
	}
	return rules.WithBuiltin(own)
}

// ScanResult is what a log says.
type ScanResult struct {
	Blocker *blocker.Blocker `json:"blocker"` // null: nothing stops the work
	Verdict string           `json:"verdict"`
	File    string           `json:"scanned"`
}

// ScanLog says what a log or report says. name "-" reads in.
func ScanLog(ctx context.Context, p Place, name string, in io.Reader) (ScanResult, error) {
	go blocker.Prepare() // while the repository is opened
	o := blocker.Options{Now: p.Now()}
	s, err := p.open(ctx)
	var bare *gitstate.BareError
	if err != nil && !errors.As(err, &bare) { // what this project's own rules would say is not known
		return ScanResult{}, err
	}
	if err == nil {
		o.Root = s.root
		pol, err := s.policy(ctx)
		if err != nil {
			return ScanResult{}, err
		}
		if o.Rules, err = ownRules(pol); err != nil {
			return ScanResult{}, err
		}
	}
	input := blocker.Input{Name: name, Stream: in}
	if name != "-" {
		full := name
		if !filepath.IsAbs(full) {
			full = filepath.Join(p.Dir, full)
		}
		info, err := os.Stat(full)
		if err != nil {
			return ScanResult{}, err
		}
		if err := blocker.Regular(name, info); err != nil {
			return ScanResult{}, err
		}
		f, err := os.Open(full)
		if err != nil {
			return ScanResult{}, err
		}
		defer f.Close()
		if input, err = blocker.FromFile(name, f, info); err != nil {
			return ScanResult{}, err
		}
	}
	r, err := blocker.Scan(ctx, input, o)
	return ScanResult{Blocker: r.First(), Verdict: string(r.Verdict), File: name}, err
}

// BlockerResult is the blockers that hold.
type BlockerResult struct {
	Blocker  *blocker.Blocker  `json:"blocker"` // the one to meet first; of a watched command, what it failed at
	Blockers []blocker.Blocker `json:"blockers"`
	Snapshot string            `json:"snapshot"`
	Cleared  []blocker.Blocker `json:"cleared"`
	ExitCode int               `json:"exit_code"` // of a watched command
	Log      string            `json:"log,omitempty"`
}

// Blockers lists what holds.
func Blockers(ctx context.Context, p Place) (BlockerResult, error) {
	s, err := p.open(ctx)
	if err != nil {
		return BlockerResult{}, err
	}
	from, err := s.saved(ctx, "")
	if isNothing(err) {
		return BlockerResult{Blockers: []blocker.Blocker{}, Cleared: []blocker.Blocker{}}, nil
	}
	return blockersOf(from.state), err
}

func blockersOf(st session.State) BlockerResult {
	r := BlockerResult{Blocker: st.Blocker, Blockers: st.Blockers, Snapshot: st.Snapshot, Cleared: []blocker.Blocker{}}
	if len(r.Blockers) == 0 {
		r.Blockers = []blocker.Blocker{}
		if st.Blocker != nil {
			r.Blockers = append(r.Blockers, *st.Blocker)
		}
	}
	return r
}

// SetOptions is a blocker that a person records.
type SetOptions struct {
	Type, Message, Severity, Resolution string
}

// SetBlocker records a blocker by hand, or changes the one of the same type that was recorded by hand.
func SetBlocker(ctx context.Context, p Place, o SetOptions) (BlockerResult, error) {
	b := blocker.New(blocker.Blocker{Type: blocker.Type(o.Type), Severity: blocker.Severity(o.Severity), Description: redact.Text(o.Message),
		Resolution: redact.Text(o.Resolution), DetectedAt: p.Now().UTC(), Source: "by-hand"})
	if faults := b.Faults(); len(faults) > 0 {
		return BlockerResult{}, &UsageError{faults[0]}
	}
	return p.editBlockers(ctx, "blocker-set", func(list []blocker.Blocker) ([]blocker.Blocker, []blocker.Blocker, error) {
		list = slices.DeleteFunc(list, func(x blocker.Blocker) bool { return !x.AutoDetected && x.Type == b.Type })
		return append(list, b), nil, nil
	})
}

// NoBlockerError says that there is no such blocker.
type NoBlockerError struct{ ID string }

func (e *NoBlockerError) Error() string {
	if e.ID == "" {
		return "there is no blocker"
	}
	return fmt.Sprintf("there is no blocker %q", e.ID)
}

// ClearBlocker takes a blocker away by hand: the named one (id, any prefix of it, or type), or all of them ("", "all").
func ClearBlocker(ctx context.Context, p Place, id string) (BlockerResult, error) {
	if id == "all" {
		id = ""
	}
	return p.editBlockers(ctx, "blocker-clear", func(list []blocker.Blocker) (kept, cleared []blocker.Blocker, err error) {
		is := func(b blocker.Blocker) bool { return id == "" || b.ID == id || string(b.Type) == id }
		if !slices.ContainsFunc(list, is) {
			is = func(b blocker.Blocker) bool { return strings.HasPrefix(b.ID, id) }
		}
		var ids []string
		for _, b := range list {
			if is(b) {
				cleared, ids = append(cleared, b), append(ids, b.ID)
			} else {
				kept = append(kept, b)
			}
		}
		switch {
		case len(cleared) == 0:
			return nil, nil, &NoBlockerError{id}
		case len(cleared) > 1 && strings.HasPrefix(ids[0], id) && id != "":
			return nil, nil, &SeveralBlockersError{id, ids}
		}
		return kept, cleared, nil
	})
}

// SeveralBlockersError says that the beginning of an id is that of several blockers.
type SeveralBlockersError struct {
	ID  string
	IDs []string
}

func (e *SeveralBlockersError) Error() string {
	return fmt.Sprintf("several blockers begin with %q: %s", e.ID, strings.Join(e.IDs, ", "))
}

// editBlockers records a change of the blockers as a snapshot.
func (p Place) editBlockers(ctx context.Context, by string, edit func([]blocker.Blocker) (kept, cleared []blocker.Blocker, err error)) (BlockerResult, error) {
	var cleared []blocker.Blocker
	r, err := p.note(ctx, by, func(b *session.Bundle) error {
		kept, gone, err := edit(slices.Clone(blockersOf(b.Context.State).Blockers))
		cleared = gone
		b.Context.State.Blockers = blocker.Order(kept)
		b.Context.State.Blocker = blocker.First(kept)
		for _, x := range gone {
			b.Context.TakeAway(&x, p.Now())
			chain := session.ChainOf(&x, b.Context.Attempts) // what a person took away is counted anew if it comes back
			b.Context.Attempts = slices.DeleteFunc(slices.Clone(b.Context.Attempts), func(a session.Attempt) bool { return a.Chain == chain })
		}
		return err
	})
	if cleared != nil {
		r.Cleared = cleared
	}
	return r, err
}

// note records a snapshot that changes something of the newest one without a look at the work tree.
func (p Place) note(ctx context.Context, by string, edit func(*session.Bundle) error) (BlockerResult, error) {
	s, err := p.open(ctx)
	if err != nil {
		return BlockerResult{}, err
	}
	if err := s.readable(); err != nil {
		return BlockerResult{}, err
	}
	fs, chain, err := s.shelf(ctx, true)
	if err != nil {
		return BlockerResult{}, err
	}
	if s.repo != nil {
		if _, err := s.repo.Exclude(session.StateFile); err != nil {
			return BlockerResult{}, err
		}
	}
	c := &lineage{site: s, files: fs, store: chain, here: s.stood(ctx, chain)}
	at := cycle.Where{Path: s.path, Stood: c.here, Wait: leaseWait, Origin: snapshot.Origin{By: by}}
	out, err := c.record(ctx, at, c.projections(chain), edit)
	if err != nil {
		return BlockerResult{}, err
	}
	if out.Beside != nil {
		return BlockerResult{}, out.Beside
	}
	return blockersOf(out.Bundle.Projected(string(out.Made.ID), string(out.Made.Line))), nil
}

// firstState fills in a state where nothing was saved on this path yet.
func (c *lineage) firstState(b *session.Bundle, by string) {
	if b.Context.State.Mode != "" {
		return
	}
	st := session.State{Mode: "quick", OpenSpecStatus: "NONE", WorkingOn: c.Words.Say("words.nothing"), NextSteps: []string{c.Words.Say("words.say-next")}}
	if c.repo != nil {
		st.GitBranch, st.GitCommit = session.PathText(c.head.Branch()), c.head.Commit
		b.Environment.Git = &session.GitFacts{Ref: session.PathText(c.head.Ref), Head: c.head.Commit}
	}
	st.SavedAt, st.Origin = c.Now(), by
	b.Context.State = st
}

// WatchBlocker runs a command with its output going to out, keeps its exit code and log, and records what they say. One
// that is interrupted is not judged, and nothing is recorded.
func WatchBlocker(ctx context.Context, p Place, args []string, out io.Writer) (BlockerResult, error) {
	s, err := p.open(ctx)
	if err != nil {
		return BlockerResult{}, err
	}
	if _, _, err := s.shelf(ctx, true); err != nil {
		return BlockerResult{}, err
	}
	run, err := s.runID()
	if err != nil {
		return BlockerResult{}, err
	}
	ran := s.watched(ctx, run, args, out)
	if ctx.Err() != nil { // however it ended then: it was not let end, and proves nothing
		return BlockerResult{}, context.Cause(ctx)
	}
	if ran.Err != nil && ran.ExitCode == capture.NotStarted {
		return BlockerResult{}, ran.Err
	}
	e := session.Evidence{Kind: session.ExitEvidence, At: p.Now().UTC(), Command: redact.Texts(args), Dir: s.where(), ExitCode: ran.ExitCode, Log: ran.Log}
	r, said, err := p.evidence(context.WithoutCancel(ctx), "blocker-watch", e)
	r.Blocker, r.ExitCode, r.Log = said, ran.ExitCode, ran.Log
	return r, err
}

// ReportBlocker takes an agent's last report: FAILED or DECISION_NEEDED is a blocker, anything else clears what the agent
// had reported.
func ReportBlocker(ctx context.Context, p Place, agent, report string) (BlockerResult, error) {
	e := session.Evidence{Kind: session.AgentEvidence, At: p.Now().UTC(), Agent: agent, Report: redact.Text(report[max(0, len(report)-maxReport):])}
	r, _, err := p.evidence(ctx, "blocker-report", e)
	return r, err
}

// maxReport bounds what is kept of an agent's report, in bytes.
const maxReport = 16 << 10

// evidence records what was seen, and what follows from it. said is what stops the work by this evidence itself.
func (p Place) evidence(ctx context.Context, by string, e session.Evidence) (r BlockerResult, said *blocker.Blocker, err error) {
	s, err := p.open(ctx)
	if err != nil {
		return r, nil, err
	}
	pol, err := s.policy(ctx)
	if err != nil {
		return r, nil, err
	}
	src, err := s.sourcesOf(pol)
	if err != nil {
		return r, nil, err
	}
	src.Patterns, src.Git = nil, false
	var cleared []blocker.Blocker
	r, err = p.note(ctx, by, func(b *session.Bundle) error {
		d := &capture.Draft{Ask: capture.Ask{Evidence: []session.Evidence{e}}, Base: capture.Base{Environment: b.Environment, Context: b.Context},
			Stage: capture.Stage{Inherited: true}} // only what is handed in: this is no look at the work tree
		w := capture.World{Now: p.Now, Root: s.root, Runtime: s.runtimeDir(), Blockers: src, Repo: s.repo, Say: p.Words.Say, Checks: pol.checks(), Verifies: pol.verifies(), Here: s.where()}
		if src.Exits {
			d.Proven = s.provenBy(pol, b.Context, e)
		}
		if err := w.Diagnose(ctx, d); err != nil {
			return err
		}
		b.Context.Evidence, b.Context.Findings = d.Evidence, nil
		b.Context.Attempts = session.WithoutChains(b.Context.Attempts, d.Cleared)
		b.Context.State.Blockers, b.Context.State.Blocker = d.Blockers, blocker.First(d.Blockers)
		cleared, said = d.Cleared, d.Said
		return nil
	})
	if cleared != nil {
		r.Cleared = cleared
	}
	return r, said, err
}

// provenBy says which blockers a command that went well proves gone, by the proof that a recovery of each would have: a
// person who mends by hand watches it, one command after the other. By the source of each, what proved it.
func (s *site) provenBy(pol policy, c session.Context, e session.Evidence) map[string]string {
	if e.Kind != session.ExitEvidence || e.ExitCode != 0 {
		return nil
	}
	proven, seen := map[string]string{}, append(slices.Clone(c.Evidence), e)
	prover := recovery.Prover{Checks: s.proofs(pol), Evidence: c.Evidence, Plain: plainCommand}
	for _, b := range blockersOf(c.State).Blockers {
		if !b.AutoDetected || b.Type == blocker.DecisionRequired {
			continue
		}
		since := b.DetectedAt
		for _, said := range c.Evidence {
			if said.Source() == b.Source && said.At.After(since) {
				since = said.At
			}
		}
		for _, a := range c.Attempts { // what passed before an attempt did not see what it changed
			if a.Ended.After(since) {
				since = a.Ended
			}
		}
		mend, _ := pol.mends(b.Type)
		if p := prover.Of(&b, mend); p.Passed(seen, since) {
			proven[b.Source] = p.Line(brief.Shell)
		}
	}
	return proven
}

// watched runs a command like a check, and shows its output as it comes.
func (s *site) watched(ctx context.Context, run string, args []string, out io.Writer) capture.Ran {
	dir := filepath.Join(s.runtimeDir(), logsDir, run)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return capture.Ran{ExitCode: capture.NotStarted, Err: err}
	}
	file := filepath.Join(dir, "watched.log")
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return capture.Ran{ExitCode: capture.NotStarted, Err: err}
	}
	r := s.logged(ctx, s.Dir, args, f, nil, out)
	r.Log = s.belowRuntime(file)
	return r
}

// where is the folder in which the person stands, as a slash path below the top of the work tree; "" for the top.
func (s *site) where() string {
	rel, err := filepath.Rel(resolved(s.root), resolved(s.Dir))
	if err != nil || rel == "." || !filepath.IsLocal(rel) {
		return ""
	}
	return filepath.ToSlash(rel)
}

// resolved is a folder without symbolic links on the way, so that it has one name.
func resolved(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return dir
}
