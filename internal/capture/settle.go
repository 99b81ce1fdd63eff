package capture

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"session/blocker"
	"session/internal/redact"
	"session/internal/session"
)

// settle joins what was found with what was known: the same failure keeps its history, what is proven gone is cleared
// and said, what was not looked at still holds.
func (l *looking) settle(ctx context.Context) []blocker.Blocker {
	all := l.distinct(ctx)
	for _, old := range known(l.d.Base.State()) {
		how, gone := l.provenGone(old)
		switch {
		case same(all, old):
		case old.ID == l.d.Held && !shows(all, sourceOf(old)): // whatever else passes
			all = append(all, old)
		case gone:
			l.d.Cleared = append(l.d.Cleared, old)
			l.d.find(session.NewFinding(session.BlockerCleared, "blocker.cleared", "type", string(old.Type), "how", how).Quoting(old.Description))
		case old.AutoDetected && shows(all, sourceOf(old)): // the same source shows another failure now: the work moved on
			l.d.find(session.NewFinding(session.BlockerCleared, "blocker.changed", "type", string(old.Type)).Quoting(old.Description))
		default:
			all = append(all, old)
		}
	}
	return all
}

// distinct are the blockers that were found, each once: what several sources say of the same failure comes from the
// surest of them, and one that names no place goes where another of its type does (a list of failed tests beside the
// report that has their assertions). Sources were asked surest first.
func (l *looking) distinct(ctx context.Context) []blocker.Blocker {
	var all []blocker.Blocker
	for i := range l.found {
		l.place(ctx, &l.found[i])
		b := blocker.New(l.found[i])
		if s := l.Blockers.Severity[b.Type]; s != "" && l.found[i].Severity == "" {
			b.Severity = s
		}
		switch {
		case l.overruled(b):
			l.d.Evidence = slices.DeleteFunc(l.d.Evidence, func(e session.Evidence) bool { return e.Source() == b.Source })
		case !same(all, b):
			l.inherit(ctx, &b)
			all = append(all, b)
		}
	}
	placed := map[blocker.Type]bool{}
	for _, b := range all {
		placed[b.Type] = placed[b.Type] || b.File != "" && fromOutput(b)
	}
	return slices.DeleteFunc(all, func(b blocker.Blocker) bool { return b.File == "" && fromOutput(b) && placed[b.Type] })
}

// fromOutput reports whether a blocker was read from what a program wrote, not from an agent, git or a person.
func fromOutput(b blocker.Blocker) bool {
	kind, _, found := strings.Cut(b.Source, ":")
	return !found && b.Source != "git" && b.AutoDetected || kind == "check" || kind == "command"
}

func known(s session.State) []blocker.Blocker {
	if len(s.Blockers) == 0 && s.Blocker != nil {
		return []blocker.Blocker{*s.Blocker}
	}
	return s.Blockers
}

func same(all []blocker.Blocker, b blocker.Blocker) bool {
	return slices.ContainsFunc(all, func(x blocker.Blocker) bool { return x.Same(&b) })
}

func shows(all []blocker.Blocker, source string) bool {
	return slices.ContainsFunc(all, func(x blocker.Blocker) bool { return sourceOf(x) == source })
}

// sourceOf names what has to be well for a blocker to be gone.
func sourceOf(b blocker.Blocker) string {
	switch {
	case b.Rule == "conflict-markers", strings.HasPrefix(b.Source, "markers"):
		return "markers"
	case strings.HasPrefix(b.Source, FromRuns):
		return FromRuns
	case strings.HasPrefix(b.Source, FromReviews):
		return FromReviews
	}
	return b.Source
}

// provenGone reports whether something that was looked at now shows that a blocker no longer holds. A check of the whole
// project proves more than the log that it was found in.
func (l *looking) provenGone(b blocker.Blocker) (how string, gone bool) {
	if !b.AutoDetected {
		return "", false
	}
	if how, ok := l.proven[sourceOf(b)]; ok {
		return how, true
	}
	how, ok := l.proven[checkOf(b.Type)]
	return how, ok
}

// overruled reports whether a check of the whole project has just passed that older output says failed, or the proof that
// the policy names for it.
func (l *looking) overruled(b blocker.Blocker) bool {
	if _, passed := l.d.Proven[b.Source]; passed && fromOutput(b) {
		return true
	}
	_, passed := l.proven[checkOf(b.Type)]
	return passed && fromOutput(b) && !strings.HasPrefix(b.Source, "check:")
}

// checkOf names the check that proves that no blocker of a type holds; no check is called "-".
func checkOf(t blocker.Type) string {
	switch t {
	case blocker.BuildError, blocker.Dependency:
		return "check:build"
	case blocker.TestFailure:
		return "check:test"
	}
	return "-"
}

// inherit takes over what is known of the same failure; a new one appeared after the newest real commit.
func (l *looking) inherit(ctx context.Context, b *blocker.Blocker) {
	for _, old := range known(l.d.Base.State()) {
		if old.Same(b) {
			b.AppearedAfter, b.DetectedAt = old.AppearedAfter, old.DetectedAt
			b.RecoveryAttempted, b.MaxRecoveryAttempts = old.RecoveryAttempted, old.MaxRecoveryAttempts
			return
		}
	}
	if b.AppearedAfter == "" {
		b.AppearedAfter = l.appeared(ctx)
	}
}

func (l *looking) appeared(ctx context.Context) string {
	g := l.d.Scene.Git
	if g == nil || l.Repo == nil {
		return ""
	}
	c := g.Real
	if c == nil {
		var err error
		if c, err = l.Repo.RealCommit(ctx); err != nil || c == nil {
			return ""
		}
	}
	return redact.Text(fmt.Sprintf("%.7s %s", c.ID, c.Subject))
}
