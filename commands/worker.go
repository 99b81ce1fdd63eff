package commands

import (
	"log/slog"
	"time"

	"session/internal/app"
	"session/internal/lifecycle"

	"github.com/urfave/cli/v2"
)

// workerCommand is session worker.
func (r *root) workerCommand() *cli.Command {
	say := r.words.Say
	return &cli.Command{Name: "worker", Usage: say("worker.usage"), Description: say("worker.help"), Action: r.act(r.worker), Flags: []cli.Flag{
		&cli.IntFlag{Name: "slots", Value: 4, Usage: say("flag.slots")}, &cli.StringFlag{Name: "name", Usage: say("flag.worker-name")},
		&cli.BoolFlag{Name: "drain", Usage: say("flag.drain")}, &cli.DurationFlag{Name: "grace", Value: 30 * time.Second, Usage: say("flag.grace")},
		&cli.DurationFlag{Name: "rescue-after", Value: 40 * time.Second, Usage: say("flag.rescue-after")},
		&cli.StringFlag{Name: "database", Usage: say("flag.database")},
	}}
}

// worker works until it is interrupted, or with --drain until there is nothing left.
func (r *root) worker(k *call) error {
	if err := k.none(); err != nil {
		return err
	}
	if err := k.database(); err != nil {
		return err
	}
	name, err := k.said("name")
	if err != nil {
		return err
	}
	if k.Duration("rescue-after") < time.Second {
		return r.misuse("usage.rescue-after")
	}
	level := slog.LevelWarn
	if k.Bool("verbose") {
		level = slog.LevelInfo
	}
	log := slog.New(slog.NewTextHandler(r.Err, &slog.HandlerOptions{Level: level}))
	err = app.Worker(k.Ctx(), k.place, app.WorkerOptions{Slots: k.Int("slots"), Name: name, Drain: k.Bool("drain"), Grace: k.Duration("grace"),
		Rescue: k.Duration("rescue-after"), Log: log})
	if err == nil && k.Ctx().Err() != nil {
		return &finished{app.Interrupted} // what it did is recorded, and there is no more to say
	}
	return err
}

// queue puts a run into the queue.
func (r *root) queue(k *call, todos []string) error {
	if k.IsSet("fork") || k.IsSet("session") || k.NArg() != 1 {
		return r.misuse("usage.queue")
	}
	s, err := app.QueueRun(k.Ctx(), k.place, app.QueueOptions{Input: k.Args().First(), Base: k.String("base"), Agent: k.String("agent"),
		Priority: k.String("priority"), Todos: todos})
	if err != nil {
		return err
	}
	if r.json {
		r.print(struct {
			lifecycle.Session
			Queued bool `json:"queued"`
		}{s, true})
		return nil
	}
	r.say("%s\n", r.words.Say("run.queued", "id", short(string(s.ID))))
	return nil
}
