package capture

import (
	"encoding/json"
	"strconv"

	"session/blocker"
	"session/internal/session"
	"session/internal/survey"
)

// Bundle is what the draft says, as its snapshot carries it. Pure.
func (d *Draft) Bundle(host session.Host, profile string) session.Bundle {
	b := session.Bundle{
		Environment: session.Environment{Survey: survey.Version, Git: d.gitFacts(), Host: host, Profile: profile, Diagnosed: d.Diagnosed},
		Context:     session.Context{State: d.state(), Checks: d.Checks, Findings: d.recorded(), Evidence: d.Evidence, Taken: d.Base.Context.Taken},
	}
	if len(d.Blockers) > 0 { // the ledger stays while something stops the work
		b.Context.Attempts = session.WithoutChains(d.Base.Context.Attempts, d.Cleared)
	}
	for _, a := range d.Base.Autosaves {
		b.Context.Memory = append(b.Context.Memory, a.Context.Memory...)
		b.Context.Forgot = append(b.Context.Forgot, a.Context.Forgot...)
		b.Messages.Add(a.Messages)
	}
	return b
}

func (d *Draft) state() session.State {
	s := session.State{
		Mode: d.Mode, SavedAt: d.Scene.At, Origin: d.Origin,
		OpenSpec: d.Tasks.Change, OpenSpecStatus: d.Tasks.Status, TaskSource: d.Tasks.Source,
		WorkingOn: d.Words.WorkingOn, NextSteps: d.Words.NextSteps,
		CompletedTasks: d.Tasks.Completed, PendingTasks: d.Tasks.Pending, TaskProgress: d.Tasks.progress(),
		Blocker: blocker.First(d.Blockers), Blockers: d.Blockers,
		Words: session.Words{SaidWorkingOn: d.Words.SaidWork, SaidNextSteps: d.Words.SaidNext, SaidChange: d.Tasks.Said, From: d.Words.From},
	}
	if g := d.Scene.Git; g != nil {
		s.GitBranch, s.GitCommit = session.PathText(g.Head.Branch()), d.Stage.Commit
		base := d.Base.State()
		s.GitPushed = d.Push.OK || !d.Push.Tried && base.GitPushed && base.GitCommit == s.GitCommit && base.GitBranch == s.GitBranch
	}
	return s
}

func (d *Draft) gitFacts() *session.GitFacts {
	g := d.Scene.Git
	if g == nil {
		return nil
	}
	if base := d.Base.Environment.Git; d.Stage.Inherited && base != nil {
		f := *base
		f.Ref, f.Head, f.Created = session.PathText(g.Head.Ref), d.Stage.Commit, false
		return &f
	}
	f := &session.GitFacts{Ref: session.PathText(g.Head.Ref), Head: d.Stage.Commit, Before: d.Stage.Before, Tree: d.Stage.Tree, IndexTree: d.Stage.IndexTree,
		Upstream: g.Upstream, Ahead: g.Ahead, Behind: g.Behind, Created: d.Stage.Created, Kept: d.Stage.Kept, Dirty: d.Stage.Dirty}
	for _, x := range d.Stage.Files {
		f.Files = append(f.Files, session.File{Path: session.PathText(x.Path), Mode: x.Mode, Blob: x.Blob})
	}
	for _, l := range d.Stage.LeftOut {
		f.LeftOut = append(f.LeftOut, session.LeftOut{Path: session.PathText(l.Path), Reason: l.Reason, Size: l.Size, ModTime: strconv.FormatInt(l.ModTime, 10)})
	}
	return f
}

// recorded are the findings worth keeping, without the words that a language gives them.
func (d *Draft) recorded() []session.Finding {
	var all []session.Finding
	for _, f := range d.Findings {
		f.Message = ""
		for i := 1; i < len(f.Args); i += 2 {
			if err, ok := f.Args[i].(error); ok {
				f.Args[i] = err.Error()
			}
		}
		all = append(all, f)
	}
	return all
}

// Results are the engine's step results in stored form.
func Results[T any](steps []T) ([]json.RawMessage, error) {
	out := make([]json.RawMessage, len(steps))
	for i, s := range steps {
		b, err := json.Marshal(s)
		if err != nil {
			return nil, err
		}
		out[i] = b
	}
	return out, nil
}
