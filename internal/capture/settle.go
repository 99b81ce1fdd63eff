package capture

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

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
			if fromOutput(old) && (l.silent[old.Source] || l.options.Newest.After(l.d.Base.Environment.Diagnosed)) {
				old.Stale = true
			}
			all = append(all, old)
		}
	}
	return all
}

// distinct are the blockers that were found, each once: what several sources say of the same failure comes from the
// surest of them that is fresh. Sources were asked surest first.
func (l *looking) distinct(ctx context.Context) []blocker.Blocker {
	var kept []seen
	for _, f := range l.found {
		severity := f.Severity
		l.place(ctx, &f.Blocker)
		f.Blocker = blocker.New(f.Blocker)
		if s := l.Blockers.Severity[f.Type]; s != "" && severity == "" {
			f.Severity = s
		}
		if l.overruled(f) || l.d.Base.Context.TookAway(&f.Blocker, f.at) {
			l.d.Evidence = slices.DeleteFunc(l.d.Evidence, func(e session.Evidence) bool { return e.Source() == f.Source })
			continue
		}
		l.inherit(ctx, &f.Blocker)
		if n := len(l.d.Ask.Evidence); n > 0 && l.d.Ask.Evidence[n-1].Source() == f.Source {
			said := f.Blocker
			mask(&said)
			l.d.Said = &said
		}
		switch i := slices.IndexFunc(kept, func(k seen) bool { return k.Same(&f.Blocker) }); {
		case i < 0:
			kept = append(kept, f)
		case kept[i].Stale && !f.Stale:
			kept[i] = f
		}
	}
	var all []blocker.Blocker
	for _, f := range kept {
		if !slices.ContainsFunc(kept, f.toldBy) {
			all = append(all, f.Blocker)
		}
	}
	return all
}

// toldBy reports whether another blocker tells the same failure with its place: a list of failed tests goes beside the
// report of the same run that has their assertions. Two commands are two runs.
func (s seen) toldBy(o seen) bool {
	return s.File == "" && o.File != "" && s.Type == o.Type && fromOutput(s.Blocker) && fromOutput(o.Blocker) && (s.Stale || !o.Stale) &&
		!(commanded(s.Source) && commanded(o.Source)) && o.at.After(s.at.Add(-oneRun))
}

// oneRun is how far the reports of one run lie apart.
const oneRun = time.Minute

func commanded(source string) bool {
	kind, _, found := strings.Cut(source, ":")
	return found && (kind == "check" || kind == "command")
}

// fromOutput reports whether a blocker was read from what a program wrote, not from an agent, git or a person.
func fromOutput(b blocker.Blocker) bool {
	return commanded(b.Source) || b.AutoDetected && b.Source != "git" && !strings.Contains(b.Source, ":")
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
	p, ok := l.proven[sourceOf(b)]
	if !ok {
		p, ok = l.check(b)
	}
	return p.how, ok
}

// check is the check of the whole project that passed and proves that a blocker is gone. What a watched command failed at
// is proved by that command, or by the check as a whole.
func (l *looking) check(b blocker.Blocker) (p proof, ok bool) {
	name := checkOf(b.Type)
	if p, ok = l.proven[name]; !ok && !strings.HasPrefix(b.Source, "command:") {
		p, ok = l.proven["watched:"+strings.TrimPrefix(name, "check:")]
	}
	return p, ok
}

// overruled reports whether a check of the whole project has passed since older output, or an agent, said that it failed,
// or the proof that the policy names for it has just passed.
func (l *looking) overruled(f seen) bool {
	if f.Type == blocker.DecisionRequired || !fromOutput(f.Blocker) && !strings.HasPrefix(f.Source, "agent:") {
		return false
	}
	if _, passed := l.d.Proven[f.Source]; passed {
		return true
	}
	p, passed := l.check(f.Blocker)
	return passed && !p.at.Before(f.at) && !strings.HasPrefix(f.Source, "check:")
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
