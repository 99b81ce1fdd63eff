// Package brief words what a person or an assistant needs to go on: what was being done, when and where, what comes
// next, what changed since, and what is in the way, with the way out. It is a pure function of its input: the same
// input gives the same bytes, for session load, for the start of an assistant's session, for MCP and for the page.
package brief

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"session/blocker"
	"session/internal/quote"
	"session/internal/session"
	"session/internal/survey"
	"session/internal/text"
	"session/openspec"
)

// Input is all that a brief is made from.
type Input struct {
	State    session.State
	Scene    survey.Scene
	Findings []session.Finding // worded; AllValid is not shown
	Memories []Memory
	CI       *CI      // nil: never asked
	Reach    []string // documents of the change that is gone on with
}

// CI is what CI last said of the branch.
type CI struct {
	Verdict string // failed, running, stopped, none, passed, unknown
	Asked   time.Time
	Commit  string
}

// Memory is one remembered item.
type Memory struct {
	ID      string
	When    time.Time
	Summary string
}

// Line is one line of a brief: a label, or a mark, and what it says.
type Line struct {
	Label string
	Text  string
	Mark  string // "!" for a finding, "→" for a way out, "" otherwise
	Quote bool   // what it says are somebody's words, not ours: shown behind quote.Mark

	memory bool
}

// Brief is a worded brief.
type Brief []Line

// Make words a brief.
func Make(in Input, say *text.Catalogue) Brief {
	b := &builder{in: in, say: say}
	if others, _ := in.State.Words.Others(); others {
		b.quote("brief.working-on", in.State.WorkingOn, 200)
	} else {
		b.line("brief.working-on", text.Safe(in.State.WorkingOn))
	}
	b.saved()
	b.next()
	b.tasks()
	b.blockers()
	b.since()
	b.memories()
	b.findings()
	return b.lines
}

// Text lays a brief out in cols columns, labels in a column of their own.
func (b Brief) Text(cols int) string {
	wide := 0
	for _, l := range b {
		wide = max(wide, text.Width(l.Label))
	}
	var s strings.Builder
	for _, l := range b {
		head := text.Pad(l.Label, wide) + "  "
		if l.Mark != "" {
			head = text.Pad(l.Mark, wide) + "  "
			if l.Mark == "→" {
				head = strings.Repeat(" ", wide) + "  → "
			}
		}
		s.WriteString(lay(head, l, cols) + "\n")
	}
	return s.String()
}

// Within drops what matters least until the brief costs a language model at most so many tokens: memories first, then
// what is further down. The first line stays, cut short if it must be.
func (b Brief) Within(tokens int, count func(string) int) Brief {
	cost := func() int { return count(b.Text(maxBriefLine)) }
	for i := len(b) - 1; i > 0 && cost() > tokens; i-- {
		if b[i].memory {
			b = slices.Delete(slices.Clone(b), i, i+1)
		}
	}
	for len(b) > 1 && cost() > tokens {
		b = b[:len(b)-1]
	}
	for len(b) == 1 && cost() > tokens && b[0].Text != "" {
		r := []rune(b[0].Text)
		b = Brief{{Label: b[0].Label, Text: string(r[:len(r)/2])}}
	}
	return b
}

// maxBriefLine is how wide a brief's lines are where nobody reads them on a terminal, in columns.
const maxBriefLine = 240

type builder struct {
	in    Input
	say   *text.Catalogue
	lines Brief
}

func (b *builder) line(label, text string) {
	if label != "" {
		label = b.say.Say(label)
	}
	b.lines = append(b.lines, Line{Label: label, Text: text})
}

// quote adds words out of a log, a commit or the memory.
func (b *builder) quote(label, words string, cols int) {
	b.line(label, quote.Words(words, cols))
	b.lines[len(b.lines)-1].Quote = true
}

func (b *builder) saved() {
	s := b.in.State
	parts := []string{Ago(b.say, b.in.Scene.At.Sub(s.SavedAt)) + " (" + s.SavedAt.Local().Format("2006-01-02 15:04") + ")", s.Mode}
	if s.GitBranch != "" {
		at := b.say.Say("brief.on-branch", "branch", s.GitBranch)
		if s.GitCommit != "" {
			at = b.say.Say("brief.on-branch-at", "branch", s.GitBranch, "commit", s.GitCommit[:min(8, len(s.GitCommit))])
		}
		parts = append(parts, at)
	}
	if s.Snapshot != "" {
		parts = append(parts, b.say.Say("brief.snapshot", "id", s.Snapshot[:min(8, len(s.Snapshot))]))
	}
	b.line("brief.saved", strings.Join(parts, " · "))
}

// next names the task to go on with as it is now, with its place; what was saved as next steps follows where it says
// something else.
func (b *builder) next() {
	label := "brief.next"
	if n := b.in.Scene.Tasks.Next; n != nil {
		b.line(label, text.Safe(n.Description)+b.place(n))
		label = ""
		if n.Heading != "" && len(b.in.Reach) > 0 {
			b.line("", b.say.Say("brief.under", "heading", text.Line(n.Heading, 80), "files", text.Line(strings.Join(b.in.Reach, ", "), 160)))
		}
	}
	for i, s := range b.in.State.NextSteps {
		if i == 3 {
			break
		}
		if n := b.in.Scene.Tasks.Next; n != nil && strings.HasSuffix(s, n.Description) {
			continue
		}
		if _, others := b.in.State.Words.Others(); others {
			b.quote(label, s, 200)
		} else {
			b.line(label, text.Safe(s))
		}
		label = ""
	}
}

func (b *builder) place(t *openspec.Task) string {
	if t.File == "" || t.Line == 0 {
		return ""
	}
	return fmt.Sprintf("  (%s:%d)", text.Safe(t.File), t.Line)
}

func (b *builder) tasks() {
	w := b.in.Scene.Tasks
	switch {
	case w.Source != "" && w.Change != "" && (w.Unread() == nil || b.in.State.TaskProgress.Total == 0):
		b.line("brief.tasks", b.say.Say("brief.progress", "change", w.Change, "done", w.Completed, "total", w.Total, "percent", w.Percentage()))
	case b.in.State.TaskProgress.Total > 0:
		p, key, of := b.in.State.TaskProgress, "brief.progress-by-hand", b.in.State.OpenSpec
		if s := b.in.State.TaskSource; of == "" && s != "by-hand" {
			of = s
		}
		if of != "" { // its tasks are gone, or cannot be read, which is said below: these are as they were saved
			key = "brief.progress"
		}
		b.line("brief.tasks", b.say.Say(key, "change", of, "done", p.Completed, "total", p.Total, "percent", p.Percentage))
	}
}

func (b *builder) blockers() {
	all := b.in.State.Blockers
	if len(all) == 0 && b.in.State.Blocker != nil {
		all = []blocker.Blocker{*b.in.State.Blocker}
	}
	for i, x := range all {
		label := "brief.blocker"
		if i > 0 {
			label = ""
		}
		where := ""
		if place := quote.Place(&x); place != "" {
			where = "  (" + place + ")"
		}
		if x.Stale {
			where += "  " + b.say.Say("brief.stale", "ago", Ago(b.say, b.in.Scene.At.Sub(x.DetectedAt)))
		}
		b.line(label, fmt.Sprintf("%s (%s)%s", x.Type, x.Severity, where))
		b.quote("", x.Description, 160)
		if x.Resolution != "" {
			b.quote("", b.say.Say("brief.resolution", "text", text.Line(x.Resolution, 200)), 200)
		}
	}
}

func (b *builder) since() {
	g := b.in.Scene.Git
	label := "brief.since"
	add := func(s string) {
		b.line(label, s)
		label = ""
	}
	if g != nil && len(g.Since) > 0 {
		add(b.say.Say("brief.commits", "n", count(len(g.Since)), "branch", b.in.State.GitBranch))
		b.subjects(g)
	}
	if g != nil && g.HasUpstream && g.Behind > 0 {
		add(b.say.Say("brief.upstream", "n", g.Behind, "upstream", g.Upstream))
	}
	if ticked := Ticked(b.in.State, b.in.Scene); len(ticked) > 0 {
		add(b.say.Say("brief.ticked", "n", len(ticked), "first", ticked[0]))
	}
	if c := b.in.CI; c != nil {
		b.line("brief.ci", b.say.Say("brief.ci-said", "verdict", b.say.Say("ci."+c.Verdict), "commit", c.Commit[:min(8, len(c.Commit))], "ago", Ago(b.say, b.in.Scene.At.Sub(c.Asked))))
	}
}

func count(n int) string {
	if n >= survey.SinceLimit {
		return fmt.Sprintf("%d+", n)
	}
	return fmt.Sprint(n)
}

// subjects names the newest two commits: whoever wrote them chose the words.
func (b *builder) subjects(g *survey.Git) {
	for i, c := range g.Since {
		if i == 2 {
			b.quote("", "…", 1)
			break
		}
		b.quote("", fmt.Sprintf("%.7s %s (%s)", c.ID, text.Line(c.Subject, 100), text.Line(c.Author, 30)), 160)
	}
}

// Ticked lists the tasks of the recorded change that are done now and were not at the save.
func Ticked(state session.State, scene survey.Scene) []string {
	if scene.Tasks.Change != state.OpenSpec || state.OpenSpec == "" {
		return nil
	}
	was := map[string]int{}
	for _, d := range state.CompletedTasks {
		was[d]++
	}
	var now []string
	for _, t := range scene.Tasks.Done() {
		if was[t.Description]--; was[t.Description] < 0 && t.Description != "" {
			now = append(now, t.Description)
		}
	}
	return now
}

func (b *builder) memories() {
	for i, m := range b.in.Memories {
		label := "brief.memory"
		if i > 0 {
			label = ""
		}
		b.quote(label, m.When.Local().Format("2006-01-02")+" "+text.Line(m.Summary, 200), 212)
		b.lines[len(b.lines)-1].memory = true
	}
}

func (b *builder) findings() {
	for _, f := range b.in.Findings {
		if f.Status == session.AllValid {
			continue
		}
		b.lines = append(b.lines, Line{Mark: "!", Text: string(f.Status) + ": " + f.Message})
		if f.Quote != "" && f.Status != session.BlockerExists { // a blocker is quoted above
			b.quote("", f.Quote, 160)
		}
		for i, a := range f.Actions {
			if i == 3 {
				break
			}
			if len(a.Command) > 0 {
				b.lines = append(b.lines, Line{Mark: "→", Text: Shell(a.Command)})
			}
		}
	}
}

// Ago words a distance in time.
func Ago(say *text.Catalogue, d time.Duration) string {
	switch {
	case d < 0:
		return say.Say("ago.future")
	case d < time.Minute:
		return say.Say("ago.now")
	case d < 2*time.Hour:
		return say.Say("ago.minutes", "n", int(d.Minutes()))
	case d < 48*time.Hour:
		return say.Say("ago.hours", "n", int(d.Hours()))
	}
	return say.Say("ago.days", "n", int(d.Hours()/24))
}

// Shell writes an argument list as a line that a POSIX shell reads back as the same list, safe to print and to paste.
func Shell(args []string) string {
	quoted := make([]string, len(args))
	for i, a := range args {
		quoted[i] = shellWord(a)
	}
	return strings.Join(quoted, " ")
}

func shellWord(s string) string {
	plain := func(r rune) bool {
		return r > 0x7f || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=@+,%", r)
	}
	switch {
	case s == "":
		return "''"
	case text.Safe(s) != s: // control characters: $'…' spells them out
		return "$'" + strings.NewReplacer(`'`, `\'`).Replace(text.Safe(strings.ReplaceAll(s, `\`, `\\`))) + "'"
	case strings.ContainsFunc(s, func(r rune) bool { return !plain(r) }):
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return s
}
