package commands

import (
	"errors"
	"strings"

	"session/internal/app"
	"session/internal/text"

	"charm.land/huh/v2"
	"github.com/urfave/cli/v2"
)

// installCommands are session init and session doctor.
func (r *root) installCommands() []*cli.Command {
	say := r.words.Say
	return []*cli.Command{
		{Name: "init", Usage: say("init.usage"), Description: say("init.help"), ArgsUsage: "[" + strings.Join(app.AssistantNames(), "|") + "]…",
			Action: r.act(r.install), Flags: []cli.Flag{
				&cli.BoolFlag{Name: "git-hook", Usage: say("flag.git-hook")},
				&cli.BoolFlag{Name: "dry-run", Usage: say("flag.dry-run-init")},
				&cli.BoolFlag{Name: "uninstall", Usage: say("flag.uninstall")},
			}},
		{Name: "doctor", Usage: say("doctor.usage"), Description: say("doctor.help"), Action: r.act(r.doctor), Flags: []cli.Flag{
			&cli.BoolFlag{Name: "assistant", Usage: say("flag.assistant")}}},
	}
}

// install is session init.
func (r *root) install(k *call) error {
	o := app.InitOptions{Assistants: k.Args().Slice(), GitHook: k.Bool("git-hook"), DryRun: k.Bool("dry-run"), Uninstall: k.Bool("uninstall")}
	if len(o.Assistants) == 0 && !o.GitHook && !o.Uninstall {
		if err := r.choices(k, &o); err != nil {
			return err
		}
	}
	res, err := app.Init(k.Ctx(), k.place, o)
	if err != nil {
		return err
	}
	if r.json {
		r.print(res)
		return nil
	}
	r.showInstall(res)
	return nil
}

// choices asks in a terminal what to install, and elsewhere takes the assistants that are found.
func (r *root) choices(k *call, o *app.InitOptions) error {
	found, err := app.DetectAssistants(k.Ctx(), k.place)
	if err != nil {
		return err
	}
	for _, f := range found {
		o.Assistants = append(o.Assistants, f.Name)
	}
	if r.Terminal && !r.json {
		return r.askInstall(o)
	}
	if len(o.Assistants) == 0 {
		return r.misuse("usage.init", "list", app.AssistantNames())
	}
	return nil
}

func (r *root) askInstall(o *app.InitOptions) error {
	var options []huh.Option[string]
	for _, n := range app.AssistantNames() {
		options = append(options, huh.NewOption(n, n))
	}
	chosen := o.Assistants
	if err := r.ask(huh.NewMultiSelect[string]().Title(r.words.Say("init.which")).Options(options...).Value(&chosen)); err != nil {
		return err
	}
	o.Assistants, o.GitHook = chosen, true
	if err := r.ask(huh.NewConfirm().Title(r.words.Say("init.hook")).Value(&o.GitHook)); err != nil {
		return err
	}
	if len(o.Assistants) == 0 && !o.GitHook {
		return &app.UsageError{Err: errors.New(r.words.Say("init.nothing-chosen"))}
	}
	return nil
}

// acts are the marks of what happens to a file.
func actMark(act string) string {
	switch act {
	case "create":
		return "+"
	case "delete":
		return "-"
	}
	return "~"
}

func (r *root) showInstall(res app.InitResult) {
	if res.DryRun {
		r.say("%s", text.SafeLines(res.Diff))
	}
	for _, w := range res.Written {
		from := ""
		if w.From != "" {
			from = " ← " + text.Safe(w.From)
		}
		r.say("%s %s%s\n", actMark(w.Act), text.Safe(w.Path), from)
	}
	current := 0
	for _, f := range res.Kept {
		if f.Why == "current" {
			current++
			continue
		}
		r.say("= %s  (%s)\n", text.Safe(f.Path), r.words.Say("init-kept."+f.Why))
	}
	for _, b := range res.Backups {
		r.say("%s\n", r.words.Say("init.backup", "file", b))
	}
	for _, m := range res.Manual {
		if m.File == "" { // a command, no lines for a file
			r.say("%s\n%s", r.words.Say("init.manual-run", "why", m.Why), text.SafeLines(m.Lines))
			continue
		}
		r.say("%s\n%s", r.words.Say("init.manual", "why", m.Why, "file", m.File), text.SafeLines(m.Lines))
	}
	for _, c := range res.Ran {
		r.say("%s\n", r.words.Say("init.ran", "command", c))
	}
	switch {
	case res.DryRun:
		r.say("%s\n", r.words.Say("init.dry-run"))
	case len(res.Written)+len(res.Manual) == 0:
		r.say("%s\n", r.words.Say("init.unchanged", "n", current))
	}
	r.showHooks(res.Hooks)
}

func (r *root) showHooks(list []app.HookStatus) {
	for _, h := range list {
		mark, why := "✓", ""
		if !h.Armed {
			mark = "·"
			if h.Why != "" {
				why = "  " + r.words.Say(h.Why)
			}
		}
		if h.Error != "" {
			mark, why = "!", "  "+text.Line(h.Error, 120)
		}
		r.say("%s %s  %s%s\n", mark, text.Pad(h.Name, 12), text.Safe(h.Where), why)
	}
}

// doctor is session doctor. It ends in 3 where something has to be done.
func (r *root) doctor(k *call) error {
	if err := k.none(); err != nil {
		return err
	}
	res, err := app.Doctor(k.Ctx(), k.place)
	if err != nil {
		return err
	}
	if r.json {
		r.print(res)
	} else {
		r.showDoctor(res)
	}
	if !res.Healthy && !k.Bool("assistant") {
		return &finished{app.NeedsPerson}
	}
	return nil
}

func (r *root) showDoctor(res app.DoctorResult) {
	r.say("%s session %s  %s\n", okMark(res.Program.Path != ""), res.Program.Version, text.Safe(res.Program.Path))
	r.say("%s %s  %s  %s\n", okMark(res.State.OK), r.words.Say("doctor.state"), text.Safe(res.State.Where), text.Safe(res.State.Note))
	r.say("%s %s  %s  %s\n", okMark(res.Store.OK), r.words.Say("doctor.store"), text.Safe(res.Store.Where), text.Safe(res.Store.Note))
	for _, s := range res.Shared {
		r.say("%s %s  %s  %s\n", okMark(s.OK), r.words.Say("doctor.shared"), text.Safe(s.Where), text.Safe(s.Note))
	}
	token := r.words.Say("doctor.no-token")
	if res.GitHub.Token {
		token = r.words.Say("doctor.token", "from", res.GitHub.From)
	}
	r.say("%s %s  %s\n", okMark(res.GitHub.Token), res.GitHub.Host, token)
	for _, a := range res.Assistants {
		r.say("%s %s %s  %s\n", okMark(a.SetUp || a.Plugin), a.Name, text.Safe(a.Version), text.Safe(a.Program))
		for _, h := range a.Hooks {
			last := r.words.Say("doctor.never")
			if h.Last != "" {
				last = h.Last
			}
			r.say("    %s %s %s  %s\n", okMark(h.Set), text.Pad(h.Event, 20), last, text.Line(h.Error, 100))
		}
	}
	r.showHooks(res.Hooks)
	for _, f := range res.Failures {
		r.say("! %s  %s: %s\n", f.At, text.Safe(f.Hook), text.Line(f.Error, 140))
	}
	for _, p := range res.Problems {
		mark := "!"
		if p.Advice {
			mark = "·"
		}
		r.say("%s %s: %s\n", mark, p.Where, text.Safe(p.Detail))
		if p.Fix != "" {
			r.say("    → %s\n", text.Safe(p.Fix))
		}
	}
	if len(res.Problems) == 0 {
		r.say("%s\n", r.words.Say("doctor.well"))
	}
}

func okMark(ok bool) string {
	if ok {
		return "✓"
	}
	return "·"
}
