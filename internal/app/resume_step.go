package app

import (
	"maps"
	"slices"
	"strings"

	"session/blocker"
	"session/gitstate"
	"session/internal/brief"
	"session/internal/proc"
	"session/internal/quote"
	"session/internal/recovery"
	"session/internal/session"
	"session/internal/survey"
)

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

// conflicted are git's own commands out of a conflict: for the files that have one, and for what git is in the middle of.
func conflicted(g *survey.Git, here string) [][]string {
	all := [][]string{{"git", "status"}, {"git", "mergetool"}}
	add := []string{"git", "add", "…"}
	if g == nil {
		return append(all, add)
	}
	top := ""
	if here != "" {
		top = ":/" // of the work tree, wherever one stands
	}
	if files := g.Unmerged(); len(files) > 0 && len(files) <= 10 {
		add = []string{"git", "add", "--"}
		for _, f := range files {
			add = append(add, top+f)
		}
	}
	all = append(all, add)
	for _, op := range g.Operations {
		if op != gitstate.Bisect {
			all = append(all, []string{"git", string(op), "--continue"})
			break
		}
	}
	return all
}

// ways are the exact commands that help a person.
func (a *acting) ways(s recovery.Step, d *recovery.Draft) []string {
	var all [][]string
	again := []string{"session", "load", "--resume"}
	if a.r.o.Assistant {
		again = append(again, "--assistant")
	}
	switch {
	case s.Do == recovery.Try && a.r.o.Assistant:
		return []string{brief.Shell(again)}
	case s.Do == recovery.Ask:
		all = append(all, append(again, "--answer", "ANSWER"))
	case s.Do == recovery.Elsewhere:
		all = append(all, []string{"git", "switch", d.State.GitBranch}, again)
	case s.Blocker != nil && s.Blocker.Type == blocker.MergeConflict:
		all = append(conflicted(d.Scene.Git, a.where()), []string{"session", "save"})
	case d.Proof.Kind == recovery.ByCI:
		all = append(all, []string{"session", "save", "--sync", "--wait-ci"}, again)
	case d.Proof.Kind == recovery.ByReview:
		all = append(all, []string{"session", "save", "--sync"}, again)
	default:
		for _, c := range d.Proof.Commands {
			if s.Do != recovery.Propose { // no command takes away what a person recorded
				all = append(all, session.WatchLine(a.where(), c.Dir, c.Args))
			}
		}
		if len(all) > 0 {
			all = append(all, []string{"session", "save"})
		}
		clear := []string{"session", "blocker", "clear"}
		if len(d.State.Blockers) > 1 && s.Blocker != nil { // without a name it takes all of them away
			clear = append(clear, s.Blocker.ID)
		}
		all = append(all, clear)
	}
	lines := make([]string, len(all))
	for i, args := range all {
		lines[i] = strings.ReplaceAll(brief.Shell(args), "'…'", "…")
	}
	return lines
}
