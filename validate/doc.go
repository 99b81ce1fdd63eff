// Package validate decides, without looking anywhere, whether a saved State still holds: Integrity asks whether the
// state file is sound in itself (seed 001, verify_session_integrity), Check whether it agrees with the world (seed
// 001, validate_session_state). Both name everything that is wrong, not only the first thing.
package validate

import (
	"session/internal/session"
	"session/internal/survey"
)

// Report is the outcome of Check.
type Report struct {
	GitSync         bool // git_sync: branch and commit are where they were
	OpenSpecExists  bool // openspec_exists: the active change is still there
	FilesIntact     bool // files_intact: the work tree is as it was recorded
	BlockerResolved bool // blocker_resolved: nothing stops the work
	// Findings are ordered: blocker, git, work. AllValid alone when there is nothing to report.
	Findings []session.Finding
}

// Statuses lists the statuses of the findings, each once, in order.
func (r Report) Statuses() []session.Status {
	var all []session.Status
	for _, f := range r.Findings {
		if len(all) == 0 || all[len(all)-1] != f.Status {
			all = append(all, f.Status)
		}
	}
	return all
}

// Check compares a state with the scene. rec is what the snapshot of the state recorded of the work tree.
func Check(state session.State, rec survey.Recorded, scene survey.Scene) Report {
	var r Report
	blockers := blocked(state, scene)
	var git, files []session.Finding
	if scene.Git != nil {
		git = append(branch(state, rec, scene.Git), commit(state, rec, scene.Git)...)
		files = uncommitted(rec, scene.Git)
	} else {
		git = noGit(state)
	}
	work := change(state, scene)
	r.BlockerResolved, r.GitSync = len(blockers) == 0, len(git) == 0
	r.FilesIntact, r.OpenSpecExists = len(files) == 0 && (scene.Git != nil || r.GitSync), len(work) == 0
	for _, part := range [][]session.Finding{blockers, git, files, work} {
		r.Findings = append(r.Findings, part...)
	}
	if len(r.Findings) == 0 {
		r.Findings = []session.Finding{session.NewFinding(session.AllValid, "valid.all")}
	}
	return r
}
