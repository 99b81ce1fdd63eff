package capture

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"session/blocker"
	"session/gitstate"
	"session/internal/memory"
	"session/internal/redact"
	"session/internal/session"
	"session/internal/survey"
)

// Sources are where blockers are looked for, as triggers.yaml has them.
type Sources struct {
	Patterns []string // of reports and logs
	Exits    bool     // commands that session ran, and that hooks saw
	Git      bool
	Agents   bool
	CI       bool
	Options  blocker.Options // rules, root
	Severity map[blocker.Type]blocker.Severity
}

// Diagnose finds what stops the work, clears what is proven gone, and gathers what this save has to remember.
func (w World) Diagnose(ctx context.Context, d *Draft) error {
	l := &looking{World: w, d: d, options: w.Blockers.Options}
	l.options.Now = w.Now()
	l.options.Newest = w.newestInput(d)
	if w.Blockers.Exits {
		l.checks(ctx)
		l.evidence(ctx)
	}
	l.logs(ctx)
	if w.Blockers.Git {
		l.git(ctx)
	}
	d.Blockers = blocker.Order(l.settle())
	for i := range d.Blockers {
		mask(&d.Blockers[i])
	}
	d.Memory.About = d.facts()
	if d.Ask.Turn != nil {
		d.Ask.Turn(&d.Memory.About)
	}
	return nil
}

// mask takes secrets out of what a blocker quotes.
func mask(b *blocker.Blocker) {
	for _, s := range []*string{&b.Description, &b.Message, &b.ErrorPattern, &b.Resolution} {
		*s = redact.Text(*s)
	}
	for i := range b.Evidence {
		b.Evidence[i] = redact.Text(b.Evidence[i])
	}
	if b.Cause != nil {
		mask(b.Cause)
	}
}

// looking gathers what was found and what was proven.
type looking struct {
	World
	d       *Draft
	options blocker.Options
	found   []blocker.Blocker
	proven  map[string]string // source → what showed that it is well now
}

func (l *looking) well(source, how string) {
	if l.proven == nil {
		l.proven = map[string]string{}
	}
	l.proven[source] = how
}

// checks judges what Verify ran: the surest source.
func (l *looking) checks(ctx context.Context) {
	for _, c := range l.d.Checks {
		if len(c.Command) == 0 {
			continue
		}
		source := "check:" + c.Name
		if c.Status == "passed" {
			l.well(source, strings.Join(c.Command, " "))
			continue
		}
		if c.Status == "interrupted" || c.Status == "skipped" {
			continue
		}
		l.command(ctx, source, c.Command, c.ExitCode, c.Log, "")
	}
}

// command judges a command that ended with a log or some output.
func (l *looking) command(ctx context.Context, source string, command []string, code int, log, output string) {
	in := blocker.Input{Name: source, Exit: &code, Command: strings.Join(command, " "), ModTime: l.options.Now}
	if log != "" {
		f, err := os.Open(filepath.Join(l.Runtime, filepath.FromSlash(log)))
		if err == nil {
			defer f.Close()
			if info, err := f.Stat(); err == nil {
				in.Data, in.Size = f, info.Size()
			}
		}
	}
	if in.Data == nil {
		in.Data, in.Size = strings.NewReader(output), int64(len(output))
	}
	o := l.options
	o.Newest = time.Time{}
	r, err := blocker.Scan(ctx, in, o)
	if err != nil {
		l.failed(source, err)
		return
	}
	l.report(source, r)
}

func (l *looking) report(source string, r blocker.Report) {
	if b := r.First(); b != nil {
		b.Source = source
		l.found = append(l.found, *b)
		return
	}
	if r.Verdict == blocker.Succeeded {
		l.well(source, source)
	}
}

func (l *looking) failed(source string, err error) {
	l.d.find(session.NewFinding(session.SourceFailed, "source.failed", "source", source, "cause", err))
}

// evidence judges what hooks saw and watched commands left, oldest first: the last word of a command or an agent counts.
func (l *looking) evidence(ctx context.Context) {
	all := l.d.Base.Context.Evidence
	for _, a := range l.d.Base.Autosaves {
		all = append(all, a.Context.Evidence...)
	}
	last := map[string]session.Evidence{}
	var order []string
	for _, e := range append(all, l.d.Ask.Evidence...) {
		key := evidenceSource(e)
		if _, known := last[key]; !known {
			order = append(order, key)
		}
		last[key] = e
	}
	for _, key := range order {
		e := last[key]
		l.d.Evidence = append(l.d.Evidence, e)
		switch {
		case e.Kind == session.AgentEvidence && l.Blockers.Agents:
			l.agent(key, e)
		case e.Kind == session.ExitEvidence && e.ExitCode == 0:
			l.well(key, strings.Join(e.Command, " "))
		case e.Kind == session.ExitEvidence:
			l.command(ctx, key, e.Command, e.ExitCode, e.Log, e.Output)
		}
	}
	l.d.Evidence = l.d.Evidence[max(0, len(l.d.Evidence)-maxEvidence):]
}

// maxEvidence bounds what is carried from save to save.
const maxEvidence = 20

func evidenceSource(e session.Evidence) string {
	if e.Kind == session.AgentEvidence {
		return "agent:" + e.Agent
	}
	return "command:" + strings.Join(e.Command, " ")
}

func (l *looking) agent(source string, e session.Evidence) {
	b := blocker.FromReport(e.Agent, e.Report, l.options)
	if b == nil {
		l.well(source, e.Agent)
		return
	}
	b.Source, b.DetectedAt = source, e.At
	l.found = append(l.found, *b)
}

// logs judges logs and reports of the project's own tools.
func (l *looking) logs(ctx context.Context) {
	ask := survey.LogAsk{Patterns: l.Blockers.Patterns, Since: l.d.Base.State().SavedAt, Options: l.options}
	for _, b := range l.d.Base.State().Blockers {
		if b.Source != "" && !strings.Contains(b.Source, ":") {
			ask.Always = append(ask.Always, b.Source)
		}
	}
	for _, s := range survey.Logs(ctx, l.Root, ask) {
		if s.Err != nil {
			l.failed(s.Source, s.Err)
			continue
		}
		switch s.Report.Verdict {
		case blocker.Succeeded:
			l.well(s.Source, s.Source)
		default:
			if b := s.Report.First(); b != nil {
				b.Source, b.Stale = s.Source, s.ModTime.Before(l.options.Newest)
				l.found = append(l.found, *b)
			}
		}
	}
}

// git looks at conflicts and at markers that were left in changed files.
func (l *looking) git(ctx context.Context) {
	g := l.d.Scene.Git
	if g == nil || l.d.Stage.Inherited {
		return
	}
	st := blocker.GitState{Unmerged: g.Unmerged()}
	if len(g.Operations) > 0 && g.Operations[0] != gitstate.Bisect {
		st.Operation = string(g.Operations[0])
	}
	found := blocker.FromGit(st, l.options.Now)
	l.found = append(l.found, found...)
	if len(found) == 0 {
		l.well("git", "git status")
	}
	l.markers()
}

// markers looks for conflict markers in what this save stages; unmerged files have them by nature.
func (l *looking) markers() {
	marked := false
	for _, e := range l.d.Scene.Git.Entries {
		if e.Kind == gitstate.Unmerged || !e.Stageable() || e.Y == 'D' || blocker.MarkersBelong(e.Path) || strings.HasSuffix(e.Path, "/") {
			continue
		}
		f, info, err := openRegular(filepath.Join(l.Root, filepath.FromSlash(e.Path)))
		if err != nil || f == nil || info.Size() > maxMarked {
			continue
		}
		m, ok, err := blocker.Markers(f)
		if e := f.Close(); err == nil {
			err = e
		}
		if err == nil && ok {
			marked = true
			l.found = append(l.found, blocker.FromMarkers(session.PathText(e.Path), m, l.options.Now))
		}
	}
	if !marked {
		l.well("markers", "git diff")
	}
}

// maxMarked is the largest file that is searched for conflict markers, in bytes.
const maxMarked = 8 << 20

// newestInput is the time of the newest change that a log may speak of: a log that is older is stale.
func (w World) newestInput(d *Draft) time.Time {
	var newest time.Time
	g := d.Scene.Git
	if g == nil {
		return newest
	}
	for i, e := range g.Entries {
		if i == maxStamps {
			break
		}
		if stamp, ok := survey.StampOf(w.Root, e.Path); ok && e.Stageable() {
			if t := time.Unix(0, stamp.ModTime); t.After(newest) {
				newest = t
			}
		}
	}
	if g.Real != nil && g.Real.Time.After(newest) {
		newest = g.Real.Time
	}
	return newest
}

const maxStamps = 500

// settle joins what was found with what was known: the same failure keeps its history, what is proven gone is cleared
// and said, what was not looked at still holds.
func (l *looking) settle() []blocker.Blocker {
	var all []blocker.Blocker
	found := map[string]bool{}
	for i := range l.found {
		b := blocker.New(l.found[i])
		if s := l.Blockers.Severity[b.Type]; s != "" && l.found[i].Severity == "" {
			b.Severity = s
		}
		l.inherit(&b)
		found[sourceOf(b)] = true
		all = append(all, b)
	}
	for _, old := range known(l.d.Base.State()) {
		how, gone := l.provenGone(old)
		switch {
		case same(all, old):
		case gone:
			l.d.Cleared = append(l.d.Cleared, old)
			l.d.find(session.NewFinding(session.BlockerCleared, "blocker.cleared", "type", string(old.Type), "description", old.Description, "how", how))
		case found[sourceOf(old)] && old.AutoDetected: // the same source shows another failure now: the work moved on
			l.d.find(session.NewFinding(session.BlockerCleared, "blocker.changed", "type", string(old.Type), "description", old.Description))
		default:
			all = append(all, old)
		}
	}
	return all
}

func known(s session.State) []blocker.Blocker {
	if len(s.Blockers) == 0 && s.Blocker != nil {
		return []blocker.Blocker{*s.Blocker}
	}
	return s.Blockers
}

func same(all []blocker.Blocker, b blocker.Blocker) bool {
	for i := range all {
		if all[i].Same(&b) {
			return true
		}
	}
	return false
}

func sourceOf(b blocker.Blocker) string {
	if b.Rule == "conflict-markers" || strings.HasPrefix(b.Source, "markers") {
		return "markers"
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
	check := map[blocker.Type]string{blocker.BuildError: "check:build", blocker.Dependency: "check:build", blocker.TestFailure: "check:test"}[b.Type]
	how, ok := l.proven[check]
	return how, ok && check != ""
}

// inherit takes over what is known of the same failure; a new one appeared after the newest real commit.
func (l *looking) inherit(b *blocker.Blocker) {
	for _, old := range known(l.d.Base.State()) {
		if old.Same(b) {
			b.AppearedAfter, b.DetectedAt = old.AppearedAfter, old.DetectedAt
			b.RecoveryAttempted, b.MaxRecoveryAttempts = old.RecoveryAttempted, old.MaxRecoveryAttempts
			return
		}
	}
	if b.AppearedAfter == "" {
		b.AppearedAfter = l.appeared()
	}
}

func (l *looking) appeared() string {
	g := l.d.Scene.Git
	if g == nil || l.Repo == nil {
		return ""
	}
	c := g.Real
	if c == nil {
		var err error
		if c, err = l.Repo.RealCommit(context.Background()); err != nil || c == nil {
			return ""
		}
	}
	return redact.Text(fmt.Sprintf("%.7s %s", c.ID, c.Subject))
}

// facts are what a summary of this save is made of.
func (d *Draft) facts() memory.Facts {
	f := memory.Facts{Doing: d.Words.WorkingOn, Next: d.Words.NextSteps,
		Task: memory.Task{Change: d.Tasks.Change, Done: len(d.Tasks.Completed), Total: len(d.Tasks.Completed) + len(d.Tasks.Pending)}}
	if n := len(d.Tasks.Completed); n > 0 {
		f.Task.Last = d.Tasks.Completed[n-1]
	}
	if len(d.Tasks.Pending) > 0 {
		f.Task.Next = d.Tasks.Pending[0]
	}
	if b := blocker.First(d.Blockers); b != nil {
		f.Blocker = memory.Blocker{Type: string(b.Type), Message: b.Message, Place: b.File}
	}
	f.Text = redact.Text(strings.Join(append([]string{d.Words.WorkingOn}, d.Words.NextSteps...), "\n"))
	if d.Words.SaidWork {
		f.Asked = redact.Text(d.Words.WorkingOn)
	}
	if g := d.Scene.Git; g != nil {
		for _, c := range g.Since {
			if c.Trailer == "" {
				f.Commits = append(f.Commits, memory.Commit{Subject: redact.Text(c.Subject)})
			}
		}
		f.Git = memory.Git{Branch: g.Head.Branch(), Head: d.Stage.Commit, Files: len(d.Stage.Files)}
		for _, x := range d.Stage.Files {
			f.Git.Paths = append(f.Git.Paths, x.Path)
		}
	}
	return f
}
