package commands

import (
	"fmt"
	"slices"
	"strings"

	"session/internal/app"
	"session/internal/quote"
	"session/internal/session"
	"session/internal/text"
)

// resume is session load --resume. It asks nothing: where a person is needed it stops and says so.
func (r *root) resume(k *call) error {
	if err := k.none(); err != nil {
		return err
	}
	answer, err := k.said("answer")
	if err != nil {
		return err
	}
	res, err := app.Recover(k.Ctx(), k.place, app.RecoverOptions{Assistant: k.Bool("assistant"), Answer: answer})
	if err != nil {
		return err
	}
	goOn := k.String("agent") != "" && ready(res)
	if r.json {
		if !goOn {
			r.print(res)
		}
	} else {
		r.recovered(res)
	}
	if goOn {
		return r.goOn(k, res)
	}
	return r.outcome(k, res)
}

// ready reports whether nothing keeps the work from going on.
func ready(res app.LoadResult) bool {
	for _, f := range res.Validation.Findings {
		if f.Serious() {
			return false
		}
	}
	s := res.Recovery.Step
	return s == nil || s.Clear()
}

// outcome is the exit code: 4 where recovery gave up, 3 where a person is needed.
func (r *root) outcome(k *call, res app.LoadResult) error {
	s := res.Recovery.Step
	switch {
	case k.Bool("assistant"):
		return nil
	case s != nil && s.GaveUp():
		return &finished{app.Blocked}
	case s != nil && !s.Clear():
		return &finished{app.NeedsPerson}
	}
	return k.finish(res.Validation.Findings)
}

// recovered prints the ledger, the step that comes next, and the brief.
func (r *root) recovered(res app.LoadResult) {
	if len(res.Recovery.Attempts) > 0 || res.Recovery.Step != nil && !res.Recovery.Step.Clear() {
		r.notice()
	}
	for _, a := range res.Recovery.Attempts {
		r.say("%s\n", r.attempt(a))
		for _, words := range []string{a.Asked, a.Leaves} {
			if words != "" && (a.Result == session.Decided || !a.Same) {
				r.say("   %s\n", quote.Line(words, 100))
			}
		}
		for _, words := range lastWords(a) {
			r.say("   %s\n", quote.Line(words, 100))
		}
	}
	if s := res.Recovery.Step; s != nil && !s.Clear() {
		r.step(s)
	}
	r.brief(res)
}

// proof words what judges an attempt: a command line as it is, or what stands for one.
func (r *root) proof(line string) string {
	if slices.Contains([]string{"ci", "review", "person", "none"}, line) {
		return r.words.Say("proof." + line)
	}
	return text.Line(line, 80)
}

// lastWords are the last lines of an agent's program that ended badly or was ended: most say there what was wrong.
func lastWords(a session.Attempt) []string {
	if a.Result != session.Crashed && a.Result != session.TimedOut {
		return nil
	}
	lines := slices.DeleteFunc(strings.Split(a.Said, "\n"), func(s string) bool { return strings.TrimSpace(s) == "" })
	return lines[max(0, len(lines)-whyLines):]
}

// whyLines is how many lines of a failed program a ledger shows. Its entry in JSON has more.
const whyLines = 4

// brief prints a brief, and to an assistant first what is data in it.
func (r *root) brief(res app.LoadResult) {
	if slices.ContainsFunc(res.Brief, func(l app.BriefLine) bool { return l.Quote }) {
		r.notice()
	}
	r.say("%s", res.Brief.Text(r.width()))
}

func (r *root) attempt(a session.Attempt) string {
	if a.Result == session.Decided {
		return r.words.Say("resume.decided", "answer", text.Line(a.Answer, 100))
	}
	line := r.words.Say("resume.tried", "n", a.N, "agent", text.Line(a.Agent, 40), "result", r.words.Say("attempt."+a.Result), "proof", r.proof(a.Proof))
	switch {
	case a.Same:
		line += " · " + r.words.Say("resume.same")
	case a.Leaves != "":
		line += " · " + r.words.Say("resume.other")
	}
	if n := len(a.Files); n > 0 {
		more := ""
		if n > 4 {
			more = fmt.Sprintf(" (+%d)", n-4)
		}
		line += " · " + r.words.Say("resume.files", "files", text.Line(strings.Join(a.Files[:min(n, 4)], ", "), 100), "more", more)
	}
	return line
}

func (r *root) step(s *app.RecoveryStep) {
	r.say("%s\n", text.Safe(s.Message))
	for _, words := range s.Quotes {
		r.say("%s\n", quote.Line(words, quote.MaxLine))
	}
	if s.Prompt != "" {
		if s.HandsOver() {
			r.say("%s\n", r.words.Say("resume.hand-over", "name", s.Name))
		}
		r.say("----------\n%s----------\n", text.SafeLines(s.Prompt))
	}
	for _, line := range s.Actions {
		r.say("    → %s\n", line)
	}
}

// goOn starts an agent with the brief.
func (r *root) goOn(k *call, res app.LoadResult) error {
	out, err := app.Run(k.Ctx(), k.place, app.RunOptions{Agent: k.String("agent"), Input: r.words.Say("resume.input") + " " + r.words.Say("quote.notice") + "\n\n" + res.Brief.Text(240)})
	if err != nil {
		return err
	}
	if r.json {
		r.print(map[string]any{"load": res, "run": out})
		return nil
	}
	r.say("%s\n", text.SafeLines(out.Output))
	return nil
}
