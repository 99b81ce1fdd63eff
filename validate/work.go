package validate

import (
	"session/blocker"
	"session/internal/session"
	"session/internal/survey"
	"session/openspec"
)

// blocked reports what stops the work: what was recorded, and conflicts that are there now.
func blocked(state session.State, scene survey.Scene) []session.Finding {
	var all []session.Finding
	list := holding(state)
	for _, b := range list {
		f := session.NewFinding(session.BlockerExists, "valid.blocker", "type", string(b.Type)).Quoting(b.Description)
		switch {
		case b.Type == blocker.DecisionRequired:
			f = f.Offer("answer", "session", "load", "--resume", "--answer", "ANSWER")
		case b.AutoDetected && (b.MaxRecoveryAttempts == 0 || b.RecoveryAttempted < b.MaxRecoveryAttempts): // else it gives up at once
			f = f.Offer("resume", "session", "load", "--resume")
		}
		clear := []string{"session", "blocker", "clear"}
		if len(list) > 1 && b.ID != "" { // without a name it takes all of them away
			clear = append(clear, b.ID)
		}
		all = append(all, f.Offer("clear", clear...))
	}
	if scene.Git != nil && len(scene.Git.Unmerged()) > 0 && !conflictRecorded(state) {
		f := session.NewFinding(session.BlockerExists, "valid.conflict", "files", clip(scene.Git.Unmerged(), 5))
		all = append(all, f.Offer("inspect", "git", "status"))
	}
	return all
}

// change reports that the recorded change is no longer where it was.
func change(state session.State, scene survey.Scene) []session.Finding {
	if state.OpenSpecStatus == string(openspec.Archived) || state.OpenSpecStatus == string(openspec.NotFound) {
		return nil // known when it was saved
	}
	if state.OpenSpec == "" || (state.TaskSource != "" && state.TaskSource != string(openspec.OpenSpec)) {
		return nil
	}
	var f session.Finding
	w := scene.Tasks
	switch gone := scene.Gone; {
	case gone != nil && gone.Status == openspec.Archived && gone.Archive != nil:
		f = session.NewFinding(session.OpenSpecNotFound, "valid.change.archived", "change", state.OpenSpec, "dir", gone.Archive.Dir)
	case gone != nil:
		f = session.NewFinding(session.OpenSpecNotFound, "valid.change.gone", "change", state.OpenSpec)
	case w.Change == state.OpenSpec && w.Status == openspec.NoTasks && w.Unread() == nil && state.TaskProgress.Total > 0:
		f = session.NewFinding(session.OpenSpecNotFound, "valid.tasks.gone", "change", state.OpenSpec)
	default:
		return nil
	}
	for _, c := range w.Candidates {
		if c.ID != state.OpenSpec {
			f = f.Offer("continue", "session", "save", "--openspec", c.ID)
		}
	}
	return []session.Finding{f.Offer("new", "openspec", "new", "change", "NAME")}
}

// holding lists the blockers that a state records.
func holding(state session.State) []blocker.Blocker {
	if len(state.Blockers) > 0 {
		return state.Blockers
	}
	if state.Blocker != nil {
		return []blocker.Blocker{*state.Blocker}
	}
	return nil
}

func conflictRecorded(state session.State) bool {
	for _, b := range holding(state) {
		if b.Type == blocker.MergeConflict {
			return true
		}
	}
	return false
}
