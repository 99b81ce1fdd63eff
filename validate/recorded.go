package validate

import (
	"strconv"

	"session/gitstate"
	"session/internal/session"
	"session/internal/survey"
)

// Recorded is what a snapshot says of the world, in the survey's terms. known tells whether a snapshot id is recorded.
func Recorded(state session.State, git *session.GitFacts, known func(string) bool) survey.Recorded {
	rec := survey.Recorded{Commit: state.GitCommit, Change: state.OpenSpec, Done: state.CompletedTasks, Known: known}
	if state.TaskSource != "" && state.TaskSource != "openspec" {
		rec.Change = ""
	}
	if state.GitBranch != "" && state.GitBranch != "HEAD" {
		rec.Ref = "refs/heads/" + session.PathBytes(state.GitBranch)
	}
	if git == nil {
		return rec
	}
	rec.Ref, rec.Commit, rec.Dirty = session.PathBytes(git.Ref), git.Head, git.Dirty
	for _, f := range git.Files {
		rec.Files = append(rec.Files, gitstate.File{Path: session.PathBytes(f.Path), Mode: f.Mode, Blob: f.Blob})
	}
	for _, l := range git.LeftOut {
		at, err := strconv.ParseInt(l.ModTime, 10, 64)
		if err != nil {
			continue // a stamp that cannot be read matches no file
		}
		rec.LeftOut = append(rec.LeftOut, survey.LeftOut{Path: session.PathBytes(l.Path), Reason: l.Reason, Stamp: survey.Stamp{Size: l.Size, ModTime: at}})
	}
	return rec
}
