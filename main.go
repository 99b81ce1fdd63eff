// Command session keeps the thread of a piece of work: what was being done, where it stopped, what blocks it, and what
// comes next.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"session/commands"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := commands.Main(ctx, os.Args, commands.FromOS())
	stop()
	os.Exit(code)
}
