package validate

import (
	"cmp"
	"slices"
	"strings"

	"session/gitstate"
	"session/internal/session"
	"session/internal/survey"
)

// branch holds the recorded branch against the one that is checked out.
func branch(state session.State, rec survey.Recorded, g *survey.Git) []session.Finding {
	if state.GitBranch == "" || rec.Ref == g.Head.Ref {
		return nil
	}
	now, gone, switched := g.Head.Branch(), "valid.branch.deleted", "valid.branch.switched"
	if g.Head.Ref == "" { // on no branch, at a commit
		now, gone, switched = short(g.Head.Commit), "valid.branch.deleted-left", "valid.branch.switched-left"
	}
	switch {
	case rec.Ref == "": // saved on a detached HEAD
		f := session.NewFinding(session.BranchMismatch, "valid.branch.detached", "commit", short(rec.Commit), "now", now)
		if !g.Relation.Missing && rec.Commit != "" {
			f = f.Offer("switch", "git", "switch", "--detach", rec.Commit)
		}
		return []session.Finding{here(f, rec)}
	case g.BranchTip == "":
		f := session.NewFinding(session.BranchMismatch, gone, "saved", session.PathBytes(state.GitBranch), "now", now)
		if !g.Relation.Missing && rec.Commit != "" {
			f = f.Offer("recreate", "git", "switch", "-c", session.PathBytes(state.GitBranch), rec.Commit)
		}
		return orSave(here(f, rec))
	}
	saved := session.PathBytes(state.GitBranch)
	f := session.NewFinding(session.BranchMismatch, switched, "saved", saved, "now", now)
	if !strings.HasPrefix(saved, "-") { // git would read it as an option, and a state file may come from anywhere
		f = f.Offer("switch", "git", "switch", saved)
	}
	return []session.Finding{here(f, rec)}
}

// noGit reports that the state speaks of a branch and there is no repository.
func noGit(state session.State) []session.Finding {
	if state.GitBranch == "" {
		return nil
	}
	f := session.NewFinding(session.CommitMismatch, "valid.git.gone", "saved", session.PathBytes(state.GitBranch), "commit", short(state.GitCommit))
	return orSave(f)
}

// orSave is a finding whose last way out is a save of what is there now.
func orSave(f session.Finding) []session.Finding {
	return []session.Finding{f.Offer("save", "session", "save")}
}

// here offers what was saved on the branch that is checked out.
func here(f session.Finding, rec survey.Recorded) session.Finding {
	if rec.Here == "" {
		return f
	}
	return f.Offer("load", "session", "load", short(rec.Here))
}

// commit holds the recorded commit against the tip of the recorded branch.
func commit(state session.State, rec survey.Recorded, g *survey.Git) []session.Finding {
	switch {
	case g.BranchTip == rec.Commit:
		return nil
	case rec.Commit == "" && (g.BranchTip == "" || rec.Ref != g.Head.Ref || state.GitBranch == ""):
		return nil
	case rec.Commit == "" && g.CutShort == "":
		return moved(rec, g, "valid.commit.first")
	}
	rel := g.Relation
	switch {
	case g.BranchTip == "" && rec.Ref == g.Head.Ref: // its first commit was taken back (git update-ref -d HEAD)
		f := session.NewFinding(session.CommitMismatch, "valid.commit.unborn", "saved", short(rec.Commit), "branch", g.Head.Branch())
		return orSave(f)
	case rel.Missing:
		f := session.NewFinding(session.CommitMismatch, "valid.commit.missing", "saved", short(rec.Commit), "now", short(cmp.Or(g.BranchTip, g.Head.Commit)))
		if g.HasUpstream {
			f = f.Offer("fetch", "git", "fetch")
		}
		return orSave(f.Offer("reflog", "git", "reflog"))
	case g.BranchTip == "": // the branch is gone, which has been said; its commit is still there
		return nil
	case g.CutShort != "" && rel.Behind == 0:
		f := session.NewFinding(session.CommitMismatch, "valid.commit.cut-short", "commit", short(g.BranchTip), "snapshot", short(g.CutShort))
		return orSave(f)
	case rel.Behind == 0:
		return moved(rec, g, "valid.commit.ahead")
	case rel.Ahead == 0:
		f := pull(session.NewFinding(session.CommitMismatch, "valid.commit.behind", args(rec, g)...), rec, g)
		return orSave(f.Offer("inspect", "git", "log", "--oneline", g.BranchTip+".."+rec.Commit))
	}
	f := pull(session.NewFinding(session.CommitMismatch, "valid.commit.diverged", args(rec, g)...), rec, g)
	return orSave(f.Offer("inspect", "git", "log", "--oneline", "--left-right", rec.Commit+"..."+g.BranchTip))
}

// pull offers to take in the saved commit where the upstream has it.
func pull(f session.Finding, rec survey.Recorded, g *survey.Git) session.Finding {
	if rec.Ref == g.Head.Ref && slices.ContainsFunc(g.Incoming, func(c gitstate.Commit) bool { return c.ID == rec.Commit }) {
		return f.Offer("pull", "git", "pull", "--rebase")
	}
	return f
}

func moved(rec survey.Recorded, g *survey.Git, key string) []session.Finding {
	f := session.NewFinding(session.CommitMismatch, key, args(rec, g)...)
	if rec.Commit != "" {
		f = f.Offer("inspect", "git", "log", "--oneline", rec.Commit+".."+g.BranchTip)
	}
	return orSave(f)
}

func args(rec survey.Recorded, g *survey.Git) []any {
	return []any{"saved", short(rec.Commit), "now", short(g.BranchTip), "ahead", g.Relation.Ahead, "behind", g.Relation.Behind}
}

func short(id string) string { return id[:min(len(id), 8)] }

// uncommitted names every file that differs from what the snapshot recorded. What a save left out and what it recorded
// without committing is no difference as long as it stands as it stood.
func uncommitted(rec survey.Recorded, g *survey.Git) []session.Finding {
	paths := differing(rec, g)
	if len(paths) == 0 {
		return nil
	}
	f := session.NewFinding(session.UncommittedChanges, "valid.uncommitted", "n", len(paths), "files", clip(paths, 10))
	if len(g.Unmerged()) > 0 {
		return []session.Finding{f.Offer("inspect", "git", "status")}
	}
	return []session.Finding{f.Offer("commit", "session", "save").Offer("stash", "git", "stash", "push", "--include-untracked")}
}

func differing(rec survey.Recorded, g *survey.Git) []string {
	recorded := make(map[string]gitstate.File, len(rec.Files))
	for _, f := range rec.Files {
		recorded[f.Path] = f
	}
	left := make(map[string]survey.LeftOut, len(rec.LeftOut))
	for _, f := range rec.LeftOut {
		left[f.Path] = f
	}
	var paths []string
	dirty := map[string]bool{}
	for _, e := range g.Entries {
		p := strings.TrimSuffix(e.Path, "/")
		dirty[p] = true
		f, known := recorded[p]
		out, leftOut := left[e.Path]
		switch {
		case e.Path == session.StateFile:
		case known && g.Now[p] == f:
		case leftOut && (out.Reason == gitstate.SkipSubmodule || g.LeftOutNow[e.Path] == out.Stamp):
		default:
			paths = append(paths, e.Path)
		}
	}
	if rec.Dirty { // what no commit held must still stand, in the work tree or by now in a commit
		for _, f := range rec.Files {
			if !dirty[f.Path] && g.Now[f.Path] != f {
				paths = append(paths, f.Path)
			}
		}
	}
	return paths
}

// clip keeps a message on the screen: the first n names, and how many more there are.
func clip(paths []string, n int) []string {
	if len(paths) <= n {
		return paths
	}
	return append(append([]string{}, paths[:n]...), "…")
}
