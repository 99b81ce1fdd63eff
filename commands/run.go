package commands

import (
	"time"

	"session/internal/app"

	"github.com/urfave/cli/v2"
)

// runCommand is session run.
func (r *root) runCommand() *cli.Command {
	say := r.words.Say
	return &cli.Command{Name: "run", Usage: say("run.usage"), Description: say("run.help"), ArgsUsage: "INPUT", Action: r.act(r.run), Flags: []cli.Flag{
		&cli.StringFlag{Name: "base", Usage: say("flag.base")}, &cli.BoolFlag{Name: "fork", Usage: say("flag.fork")},
		&cli.StringFlag{Name: "agent", Usage: say("flag.agent")}, &cli.StringFlag{Name: "profile", Usage: say("flag.profile")},
		&cli.StringFlag{Name: "session", Usage: say("flag.run-session")}, &cli.StringSliceFlag{Name: "todo", Usage: say("flag.run-todo")},
		&cli.DurationFlag{Name: "answer-within", Value: 12 * time.Hour, Usage: say("flag.answer-within")}, &cli.StringFlag{Name: "database", Usage: say("flag.database")},
		&cli.BoolFlag{Name: "queue", Usage: say("flag.queue")}, &cli.StringFlag{Name: "priority", Usage: say("flag.priority")},
	}}
}

func (r *root) run(k *call) error {
	if k.NArg() > 1 || k.Args().First() == "" && (!k.IsSet("session") || k.NArg() > 0) {
		return r.misuse("usage.run")
	}
	if k.IsSet("session") && (k.IsSet("base") || k.IsSet("fork")) {
		return r.misuse("usage.run-session")
	}
	if k.Duration("answer-within") < time.Millisecond {
		return r.misuse("usage.answer-within")
	}
	if err := k.database(); err != nil {
		return err
	}
	todos, err := k.saidAll("todo")
	if err != nil {
		return err
	}
	k.place.Profile, k.place.Watch = k.String("profile"), r.progress()
	if k.Bool("queue") {
		return r.queue(k, todos)
	}
	if k.IsSet("priority") {
		return r.misuse("usage.priority")
	}
	res, err := app.Run(k.Ctx(), k.place, app.RunOptions{Base: k.String("base"), Fork: k.Bool("fork"), Agent: k.String("agent"), Input: k.Args().First(),
		Session: k.String("session"), Todos: todos, Within: k.Duration("answer-within")})
	return r.went(res, app.Going{Run: &res}, err)
}
