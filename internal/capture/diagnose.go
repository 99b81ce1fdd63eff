package capture

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"session/blocker"
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
	if d.Ask.Carry {
		d.carry()
		return nil
	}
	l := &looking{World: w, d: d, options: w.Blockers.Options}
	l.options.Newest = w.newestInput(d)
	l.options.Now = w.Now()
	for source, how := range d.Proven {
		l.well(source, how, l.options.Now)
	}
	if w.Blockers.Exits {
		l.checks(ctx)
		l.evidence(ctx)
		l.watchedChecks()
	}
	d.Diagnosed = d.Base.Environment.Diagnosed
	if !d.Stage.Inherited { // an autosave scans nothing
		d.Diagnosed = l.options.Now.UTC()
		l.logs(ctx)
	}
	if w.Blockers.Git {
		l.git(ctx)
	}
	if w.Blockers.CI {
		l.ci()
	}
	d.Blockers = blocker.Order(l.settle(ctx))
	for i := range d.Blockers {
		mask(&d.Blockers[i])
	}
	d.Memory.About = d.facts()
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
	found   []seen
	proven  map[string]proof // source → what showed that it is well
	silent  map[string]bool  // logs that say neither that the run failed nor that it went well
}

// proof is what showed that something is well, and when.
type proof struct {
	how string
	at  time.Time
}

// seen is a blocker that was found, and when its source said so.
type seen struct {
	blocker.Blocker
	at time.Time
}

// find takes in a blocker. What was stale and has not been said again since logs were last looked at still is: that a
// save committed the change that made it so proves nothing.
func (l *looking) find(b blocker.Blocker, at time.Time) {
	if fromOutput(b) {
		b.Stale = at.Before(l.options.Newest)
		if old := l.from(b.Source); old != nil && old.Stale && !at.After(l.d.Base.Environment.Diagnosed) {
			b.Stale = true
		}
	}
	l.found = append(l.found, seen{b, at})
}

// from is the known blocker that was read from a source; nil: none.
func (l *looking) from(source string) *blocker.Blocker {
	for _, b := range known(l.d.Base.State()) {
		if b.AutoDetected && b.Source == source {
			return &b
		}
	}
	return nil
}

func (l *looking) well(source, how string, at time.Time) {
	if l.proven == nil {
		l.proven = map[string]proof{}
	}
	l.proven[source] = proof{how, at}
}

// checks judges what Verify ran: the surest source. A check passes when all its commands do.
func (l *looking) checks(ctx context.Context) {
	failed := map[string]bool{}
	for _, c := range l.d.Checks {
		if len(c.Command) == 0 {
			continue
		}
		source := "check:" + c.Name
		if failed[source] = failed[source] || c.Status != "passed"; !failed[source] {
			l.well(source, strings.Join(c.Command, " "), l.options.Now)
			continue
		}
		if delete(l.proven, source); c.Status == "interrupted" || c.Status == "skipped" || c.Status == "passed" {
			continue
		}
		l.command(ctx, source, session.Evidence{At: l.options.Now, Command: c.Command, ExitCode: c.ExitCode, Log: c.Log})
	}
}

// command judges a command that ended with a log or some output.
func (l *looking) command(ctx context.Context, source string, e session.Evidence) {
	in := blocker.Input{Name: source, Exit: &e.ExitCode, Command: strings.Join(e.Command, " ")}
	if e.Log != "" {
		f, err := os.Open(filepath.Join(l.Runtime, filepath.FromSlash(e.Log)))
		if err == nil {
			defer f.Close()
			if info, err := f.Stat(); err == nil {
				in.Data, in.Size = f, info.Size()
			}
		}
	}
	if in.Data == nil {
		in.Data, in.Size = strings.NewReader(e.Output), int64(len(e.Output))
	}
	o := l.options
	o.Dir = l.inside(e.Dir)
	r, err := blocker.Scan(ctx, in, o)
	if err != nil {
		l.failed(source, err)
		return
	}
	if b := r.First(); b != nil {
		b.Source = source
		l.find(*b, e.At)
	}
}

func (l *looking) failed(source string, err error) {
	l.d.find(session.Unread(source, err))
}

// evidence judges what hooks saw and watched commands left, oldest first: the last word of a command or an agent counts.
func (l *looking) evidence(ctx context.Context) {
	l.d.Evidence = l.d.lastWords()
	for _, e := range l.d.Evidence {
		key := e.Source()
		switch {
		case e.Kind == session.AgentEvidence && l.Blockers.Agents:
			l.agent(key, e)
		case e.Kind == session.ExitEvidence && e.ExitCode == 0:
			l.well(key, strings.Join(e.Command, " "), e.At)
		case e.Kind == session.ExitEvidence && l.judged(e):
			l.find(*l.from(key), e.At)
		case e.Kind == session.ExitEvidence:
			l.command(ctx, key, e)
		}
	}
}

// judged reports whether a failure is known from an earlier look at the very same evidence: its log may be gone since.
func (l *looking) judged(e session.Evidence) bool {
	return l.from(e.Source()) != nil && slices.ContainsFunc(l.d.Base.Context.Evidence, func(old session.Evidence) bool {
		return old.Source() == e.Source() && old.At.Equal(e.At)
	})
}

// watchedChecks takes commands that were watched one by one for the project's check that they are: a person proves a mend
// with them. Tests count on a build that passed, too.
func (l *looking) watchedChecks() {
	since := l.d.Base.Environment.Diagnosed
	if !slices.ContainsFunc(l.d.Evidence, func(e session.Evidence) bool {
		return e.Kind == session.ExitEvidence && e.ExitCode == 0 && e.At.After(since)
	}) {
		return
	}
	all := l.Commands(l.Verifies)
	for i, c := range all {
		if slices.ContainsFunc(all[i+1:], func(x Command) bool { return x.Name == c.Name }) {
			continue
		}
		if at, ok := l.passed(all[:i+1]); ok && at.After(since) {
			l.well("watched:"+c.Name, strings.Join(c.Args, " "), at)
		}
	}
}

// passed reports whether the last word of each command is a success, and since when all are.
func (l *looking) passed(all []Command) (at time.Time, ok bool) {
	for i, c := range all {
		source := session.Evidence{Kind: session.ExitEvidence, Command: redact.Texts(c.Args)}.Source()
		p, ok := l.proven[source]
		if !ok {
			return at, false
		}
		if i == 0 || p.at.Before(at) {
			at = p.at
		}
	}
	return at, true
}

// lastWords are the last words of all commands and agents, in the order in which they first spoke. An autosave may be
// older than what was recorded beside it, and repeats what its base knew.
func (d *Draft) lastWords() (kept []session.Evidence) {
	all := slices.Clone(d.Base.Context.Evidence)
	for _, a := range d.Base.Autosaves {
		all = append(all, a.Context.Evidence...)
	}
	at := map[string]int{}
	for _, e := range append(all, d.Ask.Evidence...) {
		i, known := at[e.Source()]
		if !known {
			at[e.Source()] = len(kept)
			kept = append(kept, e)
			continue
		}
		if !e.At.Before(kept[i].At) {
			kept[i] = e
		}
	}
	for len(kept) > maxEvidence {
		oldest := slices.MinFunc(kept, func(a, b session.Evidence) int { return a.At.Compare(b.At) })
		kept = slices.DeleteFunc(kept, func(e session.Evidence) bool { return e.Source() == oldest.Source() })
	}
	return kept
}

// carry is Diagnose for a hook's autosave: what was found holds, what is new is kept for the next save to judge. A hook has no
// time to read logs.
func (d *Draft) carry() {
	d.keep()
	d.Memory.About = d.facts()
	if d.Ask.Turn != nil {
		d.Ask.Turn(&d.Memory.About)
	}
}

// keep keeps what was found, and what is new for the next save to judge.
func (d *Draft) keep() {
	d.Evidence, d.Blockers = d.lastWords(), slices.Clone(known(d.Base.State()))
	d.Diagnosed = d.Base.Environment.Diagnosed
}

// inside is the absolute folder of a slash path below the top; "" for the top itself.
func (l *looking) inside(dir string) string {
	if dir == "" || dir == "." || !filepath.IsLocal(filepath.FromSlash(dir)) {
		return ""
	}
	return filepath.Join(l.Root, filepath.FromSlash(dir))
}

// maxEvidence bounds what is carried from save to save.
const maxEvidence = 20

func (l *looking) agent(source string, e session.Evidence) {
	b := blocker.FromReport(e.Agent, e.Report, l.options)
	if b == nil {
		l.well(source, e.Agent, e.At)
		return
	}
	b.Source, b.DetectedAt = source, e.At
	l.find(*b, e.At)
}

// logs judges logs and reports of the project's own tools.
func (l *looking) logs(ctx context.Context) {
	ask := survey.LogAsk{Patterns: l.Blockers.Patterns, Since: l.d.Base.Environment.Diagnosed, Options: l.options}
	for _, b := range l.d.Base.State().Blockers {
		if b.Source != "" && !strings.Contains(b.Source, ":") {
			ask.Always = append(ask.Always, b.Source)
		}
	}
	all := survey.Logs(ctx, l.Root, ask)
	sources := map[string]bool{}
	for _, s := range all {
		sources[s.Source] = true
	}
	for _, s := range all {
		if s.Err != nil {
			l.failed(s.Source, s.Err)
			continue
		}
		b := s.Report.First()
		switch {
		case b != nil:
			b.Source = s.Source
			l.find(*b, s.ModTime)
		case s.Report.Verdict == blocker.Succeeded, l.builtSince(s, sources):
			l.well(s.Source, s.Source, s.ModTime)
		default:
			l.unsaid(s)
		}
	}
}

// builtSince reports whether something was changed after a failure was seen, and its log was written again after that and
// shows no failure any more: many compilers say nothing when all is well. One that counts its steps says when it is done.
func (l *looking) builtSince(s survey.Seen, logs map[string]bool) bool {
	old := l.from(s.Source)
	return old != nil && s.Report.Reader == "log" && !s.Report.CutOff && l.changedBetween(old.DetectedAt, s.ModTime, logs)
}

// changedBetween reports whether a file was changed in this time, or a save committed what was. The logs themselves are no
// change, and what a build makes is newer than the log that it began.
func (l *looking) changedBetween(from, to time.Time, but map[string]bool) bool {
	within := func(t time.Time) bool { return t.After(from) && !t.After(to) }
	if g := l.d.Base.Environment.Git; g != nil && g.Created && within(l.d.Base.State().SavedAt) {
		return true
	}
	if l.d.Scene.Git == nil {
		return false
	}
	for i, e := range l.d.Scene.Git.Entries {
		if i == maxStamps {
			break
		}
		if stamp, ok := survey.StampOf(l.Root, e.Path); ok && e.Stageable() && !but[e.Path] && within(time.Unix(0, stamp.ModTime)) {
			return true
		}
	}
	return false
}

// unsaid takes in a log that does not say how its run ended: it was cut off, it is being written, or its tools say nothing
// when all is well. What it showed before is neither seen again nor gone.
func (l *looking) unsaid(s survey.Seen) {
	old := l.from(s.Source)
	if old == nil {
		return
	}
	if l.silent == nil {
		l.silent = map[string]bool{}
	}
	l.silent[s.Source] = true
	if !s.ModTime.After(l.d.Base.Environment.Diagnosed) {
		return
	}
	f := session.NewFinding(session.SourceFailed, "blocker.unsaid", "source", s.Source, "type", string(old.Type))
	for _, c := range l.proofOf(old.Type) {
		f = f.Offer("prove", session.WatchLine(l.Here, "", c.Args)...)
	}
	l.d.find(f)
}

// proofOf are the project's commands that prove that no blocker of a type holds.
func (l *looking) proofOf(t blocker.Type) []Command {
	all := l.Commands(l.Verifies)
	for i, c := range slices.Backward(all) {
		if "check:"+c.Name == checkOf(t) {
			return all[:i+1]
		}
	}
	return nil
}

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
	if now := w.Now(); newest.After(now) { // a clock that is ahead makes nothing stale that was seen just now
		return now
	}
	return newest
}

const maxStamps = 500
