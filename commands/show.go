package commands

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"session/internal/app"
	"session/internal/quote"
	"session/internal/session"
	"session/internal/text"
)

// say writes to the result stream.
func (r *root) say(format string, args ...any) { fmt.Fprintf(r.Out, format, args...) }

// note writes to the other stream.
func (r *root) note(format string, args ...any) { fmt.Fprintf(r.Err, format, args...) }

// print writes one JSON document.
func (r *root) print(v any) {
	if r.assistant {
		v = forModel(v)
	}
	var doc strings.Builder
	e := json.NewEncoder(&doc)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		r.note("session: %v\n", err)
		return
	}
	r.say("%s", text.JSON(doc.String()))
}

// width is how many columns a line may have.
func (r *root) width() int {
	if r.Columns > 20 {
		return r.Columns
	}
	return 160
}

// finish ends a command whose result was printed: findings that need a person give exit code 3. Inside an assistant a
// finding is text with exit 0: any other code aborts the slash command before the model sees it.
func (k *call) finish(findings []session.Finding) error {
	if k.Bool("assistant") {
		return nil
	}
	for _, f := range findings {
		if f.Serious() {
			return &finished{app.NeedsPerson}
		}
	}
	return nil
}

// receipt is the one line after a save, and a line for each finding.
func (r *root) receipt(s app.SaveResult, assistant bool) {
	parts := []string{r.words.Say("receipt.saved", "id", short(s.Snapshot), "working_on", text.Line(s.State.WorkingOn, 60))}
	others, _ := s.State.Words.Others()
	if others = others && r.assistant; others { // a commit's subject: whoever made it chose the words
		parts[0] = r.words.Say("receipt.saved-only", "id", short(s.Snapshot))
	}
	if s.State.GitBranch != "" {
		parts = append(parts, r.committed(s))
	}
	if p := s.State.TaskProgress; p.Total > 0 {
		parts = append(parts, r.words.Say("receipt.tasks", "done", p.Completed, "total", p.Total))
	}
	parts = append(parts, r.blocked(s.State))
	if s.State.GitBranch != "" {
		key := "receipt.not-pushed"
		if s.State.GitPushed {
			key = "receipt.pushed"
			if s.Push.OK && s.Push.Public {
				key = "receipt.pushed-public"
			}
		}
		parts = append(parts, r.words.Say(key))
	}
	for _, c := range s.Verification {
		parts = append(parts, r.checked(c))
	}
	if n := len(s.Commit.LeftOut); n > 0 {
		parts = append(parts, r.words.Say("receipt.left-out", "n", n))
	}
	parts = append(parts, fmt.Sprintf("%d ms", s.DurationMS))
	r.say("%s\n", strings.Join(parts, " · "))
	if others {
		r.notice()
		r.say("    %s\n", quote.Line(s.State.WorkingOn, 60))
	}
	if slices.ContainsFunc(s.Findings, func(f session.Finding) bool { return f.Quote != "" }) {
		r.notice()
	}
	r.findings(s.Findings, assistant)
}

// checked is one check in a word or two. What there is no word for stays as it is recorded.
func (r *root) checked(c session.Check) string {
	name := c.Name
	switch name {
	case "build":
		name = r.words.Say("check-name.build")
	case "test":
		name = r.words.Say("check-name.test")
	}
	return r.words.Say("receipt.check", "name", name, "status", r.words.Say("checked."+c.Status))
}

// way says who scanned and staged the work tree, and where that was git, why.
func (r *root) way(c app.CommitResult) {
	switch {
	case c.Path == "": // nothing was looked at
	case c.Reason == "":
		r.note("%s\n", r.words.Say("receipt.path.fast"))
	default:
		r.note("%s\n", text.Safe(r.words.Say("receipt.path.safe", "reason", c.Reason)))
	}
}

// blocked names what to meet first.
func (r *root) blocked(s session.State) string {
	b := s.Blocker
	if b == nil {
		return r.words.Say("receipt.blockers", "n", 0)
	}
	where := ""
	if place := quote.Place(b); place != "" {
		where = " " + text.Fit(place, 66)
	}
	more := ""
	if n := len(s.Blockers); n > 1 {
		more = fmt.Sprintf(" (+%d)", n-1)
	}
	return r.words.Say("receipt.blocked", "type", string(b.Type), "where", where, "more", more)
}

func (r *root) committed(s app.SaveResult) string {
	switch {
	case s.Commit.Created:
		return r.words.Say("receipt.commit", "commit", short(s.Commit.ID), "branch", s.State.GitBranch, "n", s.Commit.Files)
	case s.Commit.Kept != "":
		return r.words.Say("receipt.kept", "commit", short(s.Commit.Kept), "n", s.Commit.Files)
	case s.Commit.ID == "":
		return r.words.Say("receipt.unborn", "branch", s.State.GitBranch)
	}
	return r.words.Say("receipt.no-commit", "commit", short(s.Commit.ID), "branch", s.State.GitBranch)
}

// findings go to the other stream, so that a script reads the receipt alone; an assistant gets one text.
func (r *root) findings(all []session.Finding, assistant bool) {
	write := r.note
	if assistant {
		write = r.say
	}
	for _, f := range all {
		write("! %s: %s\n", f.Status, f.Message)
		if f.Quote != "" {
			write("    %s\n", quote.Line(f.Quote, 160))
		}
		for _, a := range f.Actions {
			if len(a.Command) > 0 {
				write("    → %s\n", app.Shell(a.Command))
			}
		}
	}
}

func short(id string) string { return id[:min(8, len(id))] }

func (r *root) row(label, value string) {
	r.say("%s\n", text.Fit(text.Pad(r.words.Say(label), 12)+"  "+value, r.width()))
}

func (r *root) rows(lines []string) {
	for _, l := range lines {
		r.row("", l)
	}
}

func (r *root) showStatus(s app.StatusResult) {
	if s.Blocker != nil || s.CI != nil {
		r.notice()
	}
	if g := s.Git; g != nil {
		r.row("status.branch", r.branchLine(g))
		r.row("status.changes", r.words.Say("status.counts", "modified", g.Modified, "new", g.New, "deleted", g.Deleted))
		if len(g.Unmerged) > 0 {
			r.row("status.conflicts", text.Safe(strings.Join(g.Unmerged, ", ")))
		}
		if len(g.Operations) > 0 {
			r.row("status.operation", strings.Join(g.Operations, ", "))
		}
	}
	if t := s.Tasks; t.Change != "" {
		r.row("brief.tasks", r.words.Say("brief.progress", "change", t.Change, "done", t.Completed, "total", t.Total, "percent", t.Percentage))
		if t.Next != nil {
			r.row("brief.next", fmt.Sprintf("%s  (%s:%d)", text.Safe(t.Next.Description), text.Safe(t.Next.File), t.Next.Line))
		}
	}
	if s.Saved == nil {
		r.row("brief.saved", r.words.Say("status.never"))
	} else {
		at, err := time.Parse(time.RFC3339, s.Saved.SavedAt)
		if err == nil {
			r.savedLine(app.Ago(r.words, r.Now().Sub(at))+" · "+s.Saved.Mode, s.Saved.WorkingOn)
		}
	}
	if s.Blocker != nil {
		line, quoted := r.blockerLine(fmt.Sprintf("%s (%s)", s.Blocker.Type, s.Blocker.Severity), s.Blocker)
		r.row("brief.blocker", line)
		r.rows(quoted)
	}
	r.ci(s.CI)
	r.showHooks(s.Hooks)
	r.findings(s.Findings, r.assistant)
}

// savedLine says when was saved, and what was worked on.
func (r *root) savedLine(when, workingOn string) {
	if !r.assistant {
		r.row("brief.saved", when+" · "+text.Line(workingOn, 100))
		return
	}
	r.row("brief.saved", when)
	r.notice()
	r.row("", quote.Line(workingOn, 100))
}

// ci shows what CI last said, and how long ago.
func (r *root) ci(c *app.CIStatus) {
	if c == nil {
		return
	}
	r.row("brief.ci", r.words.Say("brief.ci-said", "verdict", r.words.Say("ci."+c.Verdict), "commit", short(c.Commit), "ago", app.Ago(r.words, r.Now().Sub(c.Asked))))
	for _, b := range c.Blockers {
		line, quoted := r.blockerLine(fmt.Sprintf("%s (%s)", b.Type, b.Severity), &b)
		r.row("", line)
		r.rows(quoted)
	}
}

func (r *root) branchLine(g *app.GitStatus) string {
	line := text.Safe(g.Branch)
	if g.Commit != "" {
		line += " @ " + short(g.Commit)
	}
	if g.Upstream != "" {
		line += " · " + r.words.Say("status.upstream", "upstream", g.Upstream, "ahead", g.Ahead, "behind", g.Behind)
	}
	return line
}

func (r *root) showTasks(t app.TasksResult) {
	defer func() {
		for _, w := range t.Warnings {
			r.note("! %s\n", text.Safe(w))
		}
	}()
	switch {
	case t.Archive != "":
		r.say("%s\n", r.words.Say("valid.change.archived", "change", t.Change, "dir", t.Archive))
	case t.Change == "" && t.Total > 0:
		r.say("%s\n", r.words.Say("brief.progress-by-hand", "done", t.Completed, "total", t.Total, "percent", t.Percentage))
	case t.Change == "":
		r.say("%s\n", r.words.Say("tasks.none"))
		return
	default:
		r.say("%s\n", r.words.Say("brief.progress", "change", t.Change, "done", t.Completed, "total", t.Total, "percent", t.Percentage)+r.why(t))
	}
	heading := ""
	for _, x := range t.Tasks {
		if x.Heading != heading {
			heading = x.Heading
			r.say("%s\n", text.Safe(heading))
		}
		mark := "[ ]"
		if x.Done {
			mark = "[x]"
		}
		pointer := "  "
		if t.Next != nil && !x.Done && x.Line == t.Next.Line && x.File == t.Next.File && x.Description == t.Next.Description {
			pointer = "→ "
		}
		r.say("%s\n", text.Fit(fmt.Sprintf("%s%s %s", pointer, mark, text.Safe(x.Description)), r.width()))
	}
}

// why says why this change was chosen, where there was a choice.
func (r *root) why(t app.TasksResult) string {
	if t.Why == "" || len(t.Candidates) < 2 {
		return ""
	}
	return " (" + r.words.Say("why."+t.Why) + ")"
}
