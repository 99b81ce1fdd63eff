package commands

import (
	"errors"
	"fmt"
	"io"

	"session/blocker"
	"session/internal/app"
	"session/internal/quote"
	"session/internal/session"
	"session/internal/text"

	"charm.land/huh/v2"
)

// offer asks in a terminal what to do about the findings of a load, does it, and loads again, until the person has had
// enough or nothing is left to do.
func (r *root) offer(k *call, res app.LoadResult) error {
	for {
		actions := offers(res.Validation.Findings)
		if len(actions) == 0 {
			return k.finish(res.Validation.Findings)
		}
		chosen, err := r.choose(actions)
		if err != nil || chosen == nil {
			return errors.Join(err, k.finish(res.Validation.Findings))
		}
		if err := r.perform(k, *chosen); err != nil {
			return err
		}
		if res, err = app.Load(k.Ctx(), k.place, app.LoadOptions{}); err != nil {
			return err
		}
		r.say("\n%s", res.Brief.Text(r.width()))
	}
}

// offers are the ways out of all findings that need a person, each once.
func offers(findings []session.Finding) []session.Action {
	var all []session.Action
	seen := map[string]bool{}
	for _, f := range findings {
		for _, a := range f.Actions {
			line := app.Shell(a.Command)
			if f.Serious() && !seen[line] {
				seen[line] = true
				all = append(all, a)
			}
		}
	}
	return all
}

// choose asks for one of the actions; nil means none.
func (r *root) choose(actions []session.Action) (*session.Action, error) {
	var options []huh.Option[int]
	for i, a := range actions {
		options = append(options, huh.NewOption(fmt.Sprintf("%s  (%s)", a.Label, text.Fit(app.Shell(a.Command), 60)), i))
	}
	options = append(options, huh.NewOption(r.words.Say("offer.nothing"), -1))
	choice := -1
	err := r.ask(huh.NewSelect[int]().Title(r.words.Say("offer.title")).Options(options...).Value(&choice))
	if err != nil || choice < 0 {
		return nil, err
	}
	return &actions[choice], nil
}

// ask puts one question on the terminal. Giving up on a question is an answer: nothing is done.
func (r *root) ask(field huh.Field) error {
	if r.ended { // nobody is there any more
		return nil
	}
	in, accessible := r.In, r.Plain || r.getenv("ACCESSIBLE") != ""
	if accessible {
		in = &empties{r.In, &r.ended}
	}
	form := huh.NewForm(huh.NewGroup(field)).WithInput(in).WithOutput(r.Err).WithAccessible(accessible).WithShowHelp(true)
	if err := form.Run(); err != nil && !errors.Is(err, huh.ErrUserAborted) {
		return fmt.Errorf("ask: %w", err)
	}
	return nil
}

// empties answers with empty lines where an input has ended, which is what a question takes for nothing: huh v2.0.3
// panics when the last line before the end was no valid choice.
type empties struct {
	io.Reader
	ended *bool
}

func (e *empties) Read(p []byte) (int, error) {
	n, err := e.Reader.Read(p)
	if n == 0 && err != nil && len(p) > 0 {
		p[0], *e.ended = '\n', true
		return 1, nil
	}
	return n, err
}

// perform does what was chosen.
func (r *root) perform(k *call, a session.Action) error {
	if a.ID == "new" {
		var name string
		if err := r.ask(huh.NewInput().Title(r.words.Say("offer.task")).Value(&name)); err != nil || name == "" {
			return err
		}
		a.Command[len(a.Command)-1] = name
	}
	if mends := a.ID == "resume" || a.ID == "answer"; mends {
		return r.mend(k, a)
	}
	done, err := app.Act(k.Ctx(), k.place, a)
	if err != nil {
		return err
	}
	if done.Saved != nil {
		r.receipt(*done.Saved, false)
	}
	if done.Output != "" {
		r.say("%s\n", text.SafeLines(done.Output))
	}
	return nil
}

// decide puts the question that stops the work to the person, with the choices that it offers; "" is no answer.
func (r *root) decide(all []blocker.Blocker) (answer string, err error) {
	title, choices := r.words.Say("offer.answer"), []string(nil)
	for _, b := range all {
		if b.Type == blocker.DecisionRequired {
			title, choices = text.Line(b.Message, quote.MaxLine), b.Choices()
			break
		}
	}
	const own = "\x00" // no choice can be this
	if len(choices) > 0 {
		var options []huh.Option[string]
		for _, c := range choices {
			options = append(options, huh.NewOption(text.Line(c, 100), c))
		}
		options = append(options, huh.NewOption(r.words.Say("offer.own-answer"), own), huh.NewOption(r.words.Say("offer.nothing"), ""))
		if err := r.ask(huh.NewSelect[string]().Title(title).Options(options...).Value(&answer)); err != nil || answer != own {
			return answer, err
		}
		answer, title = "", r.words.Say("offer.answer")
	}
	err = r.ask(huh.NewInput().Title(title).Value(&answer))
	return answer, err
}

// mend recovers; a question is put to the person first.
func (r *root) mend(k *call, a session.Action) error {
	var o app.RecoverOptions
	if a.ID == "answer" {
		all, err := app.Blockers(k.Ctx(), k.place)
		if err != nil {
			return err
		}
		if o.Answer, err = r.decide(all.Blockers); err != nil || o.Answer == "" {
			return err
		}
	}
	res, err := app.Recover(k.Ctx(), k.place, o)
	if err != nil {
		return err
	}
	r.recovered(res)
	return nil
}
