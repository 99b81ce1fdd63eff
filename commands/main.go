// Package commands translates: flags into calls of internal/app, results into lines for people or JSON for programs.
// It is the only place that knows the command line, the terminal, the environment and the clock.
package commands

import (
	"context"
	"io"
	"os"
)

// IO is what a command reads from and writes to.
type IO struct {
	In       io.Reader
	Out, Err io.Writer
}

// System is the process's own streams.
func System() IO { return IO{os.Stdin, os.Stdout, os.Stderr} }

// Main runs one command line (args[0] is the program) and returns the exit code.
func Main(ctx context.Context, args []string, io IO) int { return 0 }
