package commands

import (
	"context"
	"fmt"
	"time"

	"session/internal/app"
	"session/internal/text"

	"github.com/urfave/cli/v2"
)

// hookCommand is session hook: assistants and git call it, nobody types it.
func (r *root) hookCommand() *cli.Command {
	say := r.words.Say
	return &cli.Command{Name: "hook", Usage: say("hook.usage"), Description: say("hook.help"), ArgsUsage: "EVENT", Action: r.act(r.hook),
		Flags: []cli.Flag{&cli.StringFlag{Name: "from", Usage: say("flag.from")}}}
}

// hook ends in 0 whatever happens, and within its limit: any other end would stop the assistant, the compaction or the
// push that it rides on.
func (r *root) hook(k *call) error {
	ctx, stop := context.WithTimeoutCause(k.Ctx(), app.HookLimit, fmt.Errorf("it took longer than %s", app.HookLimit))
	defer stop()
	in := app.HookInput{Event: k.Args().First(), From: k.String("from"), Body: r.In}
	if k.NArg() > 1 {
		in.Args = k.Args().Slice()[1:]
	}
	answer, err := r.bounded(ctx, k, in)
	if err != nil {
		r.note("session: %s\n", text.Line(err.Error(), 400))
		return nil
	}
	r.say("%s", answer)
	return nil
}

// bounded gives up on a hook that does not heed its limit, as a file system that hangs makes it.
func (r *root) bounded(ctx context.Context, k *call, in app.HookInput) ([]byte, error) {
	type result struct {
		answer []byte
		err    error
	}
	done := make(chan result, 1)
	go func() {
		var x result
		defer func() {
			if v := recover(); v != nil {
				x.err = fmt.Errorf("a bug: %v", v)
			}
			done <- x
		}()
		x.answer, x.err = app.Hook(ctx, k.place, in)
	}()
	select {
	case x := <-done:
		return x.answer, x.err
	case <-time.After(app.HookLimit + app.HookLimit/10):
		return nil, fmt.Errorf("given up after %s", app.HookLimit)
	}
}
