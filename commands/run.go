package commands

import (
	"session/internal/app"
	"session/internal/text"

	"github.com/urfave/cli/v2"
)

// runCommand is session run.
func (r *root) runCommand() *cli.Command {
	say := r.words.Say
	return &cli.Command{Name: "run", Usage: say("run.usage"), Description: say("run.help"), ArgsUsage: "INPUT", Action: r.act(r.run), Flags: []cli.Flag{
		&cli.StringFlag{Name: "base", Usage: say("flag.base")}, &cli.BoolFlag{Name: "fork", Usage: say("flag.fork")},
		&cli.StringFlag{Name: "agent", Usage: say("flag.agent")}, &cli.StringFlag{Name: "profile", Usage: say("flag.profile")},
	}}
}

func (r *root) run(k *call) error {
	if k.NArg() != 1 || k.Args().First() == "" {
		return usagef("%s", r.words.Say("usage.run"))
	}
	k.place.Profile, k.place.Watch = k.String("profile"), r.progress()
	res, err := app.Run(k.Ctx(), k.place, app.RunOptions{Base: k.String("base"), Fork: k.Bool("fork"), Agent: k.String("agent"), Input: k.Args().First()})
	if err != nil {
		return err
	}
	if r.json {
		r.print(res)
		return nil
	}
	r.say("%s\n", text.SafeLines(res.Output))
	r.note("%s\n", r.words.Say("run.done", "id", short(res.ID), "program", res.Program))
	return nil
}
