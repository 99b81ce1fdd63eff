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
	l.options.Now = w.Now()
	l.options.Newest = w.newestInput(d)
	for source, how := range d.Proven {
		l.well(source, how)
	}
	if w.Blockers.Exits {
		l.checks(ctx)
		l.evidence(ctx)
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
			l.well(key, strings.Join(e.Command, " "))
		case e.Kind == session.ExitEvidence:
			l.options.Dir = l.inside(e.Dir)
			l.command(ctx, key, e.Command, e.ExitCode, e.Log, e.Output)
			l.options.Dir = ""
			if n := len(l.found); n > 0 && l.found[n-1].Source == key {
				l.found[n-1].Stale = e.At.Before(l.options.Newest)
			}
		}
	}
	l.d.Evidence = l.d.Evidence[max(0, len(l.d.Evidence)-maxEvidence):]
}

// lastWords are the last words of all commands and agents, in the order in which they first spoke.
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
		kept[i] = e
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
	d.Evidence = d.Evidence[max(0, len(d.Evidence)-maxEvidence):]
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
		l.well(source, e.Agent)
		return
	}
	b.Source, b.DetectedAt = source, e.At
	l.found = append(l.found, *b)
}

// logs judges logs and reports of the project's own tools.
func (l *looking) logs(ctx context.Context) {
	ask := survey.LogAsk{Patterns: l.Blockers.Patterns, Since: l.d.Base.Environment.Diagnosed, Options: l.options}
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
		b := s.Report.First()
		switch {
		case b != nil:
			b.Source, b.Stale = s.Source, s.ModTime.Before(l.options.Newest)
			l.found = append(l.found, *b)
		case s.Report.Verdict == blocker.Succeeded, l.writtenSince(s):
			l.well(s.Source, s.Source)
		}
	}
}

// writtenSince reports whether a log that a blocker came from was written again and shows no failure any more: many
// compilers say nothing when all is well.
func (l *looking) writtenSince(s survey.Seen) bool {
	return slices.ContainsFunc(known(l.d.Base.State()), func(b blocker.Blocker) bool {
		return b.Source == s.Source && s.ModTime.After(b.DetectedAt)
	})
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
	return newest
}

const maxStamps = 500
