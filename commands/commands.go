package commands

import (
	"slices"
	"strings"

	"session/internal/app"
	"session/internal/text"

	"github.com/urfave/cli/v2"
)

// commands is the table of commands.
func (r *root) commands() []*cli.Command {
	return slices.Concat([]*cli.Command{
		r.saveCommand(),
		r.loadCommand(),
		r.blockerCommand(),
		r.memoryCommand(),
		r.planCommand(),
		r.runCommand(),
		r.mcpCommand(),
		r.serveCommand(),
		r.tokenCommand(),
		{Name: "status", Usage: r.words.Say("status.usage"), Description: r.words.Say("status.help"), Action: r.act(r.status),
			Flags: []cli.Flag{&cli.BoolFlag{Name: "ci", Usage: r.words.Say("flag.ci")}, &cli.BoolFlag{Name: "assistant", Usage: r.words.Say("flag.assistant")}}},
		{Name: "tasks", Usage: r.words.Say("tasks.usage"), Description: r.words.Say("tasks.help"), Action: r.act(r.tasks),
			Flags: []cli.Flag{&cli.StringFlag{Name: "change", Usage: r.words.Say("flag.change")}}},
		{Name: "schema", Usage: r.words.Say("schema.usage"), Description: r.words.Say("schema.help"), Action: r.act(r.schema)},
		{Name: "version", Usage: r.words.Say("version.usage"), Description: r.words.Say("version.help"), Action: r.act(r.version)},
		{Name: "completion", Usage: r.words.Say("completion.usage"), ArgsUsage: "bash|zsh|fish", Description: r.words.Say("completion.help"), Action: r.act(r.completion)},
	}, r.installCommands(), []*cli.Command{r.hookCommand()}, r.lineageCommands(), r.sessionCommands())
}

func (r *root) saveCommand() *cli.Command {
	say := r.words.Say
	return &cli.Command{
		Name: "save", Usage: say("save.usage"), Description: say("save.help"), Action: r.act(r.save),
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "quick", Usage: say("flag.quick")},
			&cli.BoolFlag{Name: "sync", Usage: say("flag.sync")},
			&cli.BoolFlag{Name: "full", Usage: say("flag.full")},
			&cli.StringFlag{Name: "mode", Usage: say("flag.mode")},
			&cli.StringFlag{Name: "base", Usage: say("flag.base")},
			&cli.StringFlag{Name: "profile", Usage: say("flag.profile")},
			&cli.StringFlag{Name: "m", Aliases: []string{"message"}, Usage: say("flag.m")},
			&cli.StringSliceFlag{Name: "next", Usage: say("flag.next")},
			&cli.StringSliceFlag{Name: "done", Usage: say("flag.done")},
			&cli.StringSliceFlag{Name: "todo", Usage: say("flag.todo")},
			&cli.StringFlag{Name: "openspec", Usage: say("flag.openspec")},
			&cli.StringSliceFlag{Name: "allow", Usage: say("flag.allow")},
			&cli.BoolFlag{Name: "no-commit", Usage: say("flag.no-commit")},
			&cli.BoolFlag{Name: "wait-ci", Usage: say("flag.wait-ci")},
			&cli.BoolFlag{Name: "tracked-only", Usage: say("flag.tracked-only")},
			&cli.BoolFlag{Name: "replace-corrupt", Usage: say("flag.replace-corrupt")},
			&cli.BoolFlag{Name: "assistant", Usage: say("flag.assistant")},
			&cli.BoolFlag{Name: "inline", Usage: say("flag.inline")},
		},
	}
}

func (r *root) loadCommand() *cli.Command {
	say := r.words.Say
	return &cli.Command{
		Name: "load", Usage: say("load.usage"), Description: say("load.help"), ArgsUsage: "[ID]", Action: r.act(r.load),
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "resume", Usage: say("flag.resume")},
			&cli.StringFlag{Name: "answer", Usage: say("flag.answer")},
			&cli.StringFlag{Name: "agent", Usage: say("flag.agent-go-on")},
			&cli.StringFlag{Name: "profile", Usage: say("flag.profile")},
			&cli.BoolFlag{Name: "assistant", Usage: say("flag.assistant")},
		},
	}
}

// save is session save.
func (r *root) save(k *call) error {
	o, err := k.saveOptions()
	if err != nil {
		return err
	}
	k.place.Watch, k.place.Profile = r.progress(), k.String("profile")
	if k.Bool("inline") && r.takesMinutes(k, o.Mode) {
		r.say("%s\n  %s\n", r.words.Say("save.inline"), app.Shell(r.withoutInline()))
		return nil
	}
	res, err := app.Save(k.Ctx(), k.place, o)
	if err != nil {
		return err
	}
	if r.json {
		r.print(res)
	} else {
		r.receipt(res, k.Bool("assistant"))
		if k.place.Verbose {
			r.way(res.Commit)
		}
	}
	if res.Interrupted && !k.Bool("assistant") {
		r.note("session: %s\n", r.words.Say("save.interrupted"))
		return &finished{app.Interrupted}
	}
	return k.finish(res.Findings)
}

func (k *call) saveOptions() (app.SaveOptions, error) {
	var o app.SaveOptions
	if err := k.none(); err != nil {
		return o, err
	}
	var err error
	if o.Mode, err = k.modeName(); err != nil {
		return o, err
	}
	for _, f := range []struct {
		name string
		to   *string
	}{{"m", &o.Ask.Message}, {"openspec", &o.Ask.Change}, {"base", &o.Base}} {
		if *f.to, err = k.said(f.name); err != nil {
			return o, err
		}
	}
	o.Ask.Change = k.String("openspec") // a name may begin with a blank
	for _, f := range []struct {
		name string
		to   *[]string
	}{{"next", &o.Ask.Next}, {"done", &o.Ask.Done}, {"todo", &o.Ask.Todo}, {"allow", &o.Ask.Allow}} {
		if *f.to, err = k.saidAll(f.name); err != nil {
			return o, err
		}
	}
	o.Ask.WaitCI = k.Bool("wait-ci")
	o.Ask.NoCommit, o.Ask.TrackedOnly, o.ReplaceCorrupt = k.Bool("no-commit"), k.Bool("tracked-only"), k.Bool("replace-corrupt")
	return o, nil
}

// takesMinutes reports whether a mode runs checks of the project: too long for an assistant that waits for two minutes.
func (r *root) takesMinutes(k *call, mode string) bool {
	if mode == "" || mode == "quick" || mode == "sync" {
		return false
	}
	p, err := app.ShowPlan(k.Ctx(), k.place, mode)
	return err == nil && slices.ContainsFunc(p.Plan, func(s app.PlanStep) bool { return s.Name == "Verify" })
}

// withoutInline is this command line as an assistant has to run it by itself.
func (r *root) withoutInline() []string {
	return append([]string{"session"}, slices.DeleteFunc(slices.Clone(r.line), func(s string) bool { return s == "--inline" })...)
}

// modeName is the one mode that was asked for.
func (k *call) modeName() (string, error) {
	mode, err := k.said("mode")
	if err != nil {
		return "", err
	}
	for _, m := range []string{"quick", "sync", "full"} {
		if !k.Bool(m) {
			continue
		}
		if mode != "" {
			return "", k.misuse("usage.two-modes", "a", mode, "b", m)
		}
		mode = m
	}
	return mode, nil
}

// load is session load.
func (r *root) load(k *call) error {
	if err := k.atMost(1); err != nil {
		return err
	}
	k.place.Watch, k.place.Profile = r.progress(), k.String("profile")
	if k.Bool("resume") {
		return r.resume(k)
	}
	if k.IsSet("answer") || k.IsSet("agent") {
		return r.misuse("usage.with-resume")
	}
	res, err := app.Load(k.Ctx(), k.place, app.LoadOptions{ID: k.Args().First(), Assistant: k.Bool("assistant")})
	if err != nil {
		return err
	}
	if r.json {
		r.print(res)
		return k.finish(res.Validation.Findings)
	}
	r.brief(res)
	if k.Bool("assistant") && res.Mends() {
		r.say("\n%s\n    → %s\n", r.words.Say("resume.offer", "agents", strings.Join(res.Recovery.Route, ", ")), app.Shell([]string{"session", "load", "--resume", "--assistant"}))
	}
	if r.Terminal && !k.Bool("assistant") {
		return r.offer(k, res)
	}
	return k.finish(res.Validation.Findings)
}

// status is session status.
func (r *root) status(k *call) error {
	if err := k.none(); err != nil {
		return err
	}
	res, err := app.Status(k.Ctx(), k.place, app.StatusOptions{CI: k.Bool("ci")})
	if err != nil {
		return err
	}
	if r.json {
		r.print(res)
		return nil
	}
	r.showStatus(res)
	return nil
}

// tasks is session tasks.
func (r *root) tasks(k *call) error {
	if err := k.none(); err != nil {
		return err
	}
	if _, err := k.said("change"); err != nil {
		return err
	}
	res, err := app.Tasks(k.Ctx(), k.place, app.TasksOptions{Change: k.String("change")}) // a name may begin with a blank
	if err != nil {
		return err
	}
	if r.json {
		r.print(res)
		return nil
	}
	r.showTasks(res)
	return nil
}

// schema is session schema.
func (r *root) schema(k *call) error {
	if err := k.none(); err != nil {
		return err
	}
	r.say("%s", app.Schema())
	return nil
}

// version is session version.
func (r *root) version(k *call) error {
	if err := k.none(); err != nil {
		return err
	}
	v := app.Version()
	if r.json {
		r.print(v)
		return nil
	}
	r.say("session %s\n", v.Version)
	return nil
}

// overview is session without a command.
func (r *root) overview(k *call) error {
	if k.NArg() > 0 {
		return r.unknown(k.Args().First())
	}
	res, err := app.Status(k.Ctx(), k.place, app.StatusOptions{CI: k.Bool("ci")})
	if err != nil {
		return err
	}
	if r.json {
		r.print(res)
		return nil
	}
	r.showStatus(res)
	r.say("\n%s\n", r.words.Say("overview.next"))
	for _, c := range r.sensible(res) {
		r.say("  %s  %s\n", text.Pad(app.Shell(c), 24), r.words.Say("overview."+c[1]))
	}
	return nil
}

// sensible are the three commands that make sense next.
func (r *root) sensible(res app.StatusResult) [][]string {
	if res.Saved == nil {
		return [][]string{{"session", "save"}, {"session", "tasks"}, {"session", "init"}}
	}
	return [][]string{{"session", "load"}, {"session", "save"}, {"session", "status"}}
}
