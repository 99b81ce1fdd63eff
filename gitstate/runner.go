package gitstate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"syscall"

	"session/internal/proc"
)

// runner starts git in one place with one environment.
type runner struct {
	program string
	env     []string
	place   []string // -C ROOT, and --git-dir, --work-tree where the environment had named them
	inherit bool     // git's own variables are passed on as they came (discovery only)
	index   string   // GIT_INDEX_FILE
	prompt  bool     // a person can answer
	locale  bool     // keep the user's locale: nothing is read from the messages, and filters or hooks run
}

func (g runner) run(ctx context.Context, stdin io.Reader, args ...string) ([]byte, error) {
	r, err := proc.Run(ctx, g.command(stdin, args))
	return r.Stdout, err
}

// readTries is how often a command that only reads the work tree is started again after it was torn.
const readTries = 5

// read runs a command that changes nothing. It is started again where a file was cut short under its hands; ErrChanged
// (wrapped): every time.
func (g runner) read(ctx context.Context, stdin []byte, args ...string) (out []byte, err error) {
	for range readTries {
		var in io.Reader
		if stdin != nil {
			in = bytes.NewReader(stdin)
		}
		if out, err = g.run(ctx, in, args...); !torn(err) {
			return out, err
		}
	}
	return out, fmt.Errorf("%w: %w", ErrChanged, err)
}

// torn reports whether git was ended because a file was cut short while git read it: git maps files into its memory, and
// there the kernel answers with SIGBUS.
func torn(err error) bool {
	var exit *proc.ExitError
	return errors.As(err, &exit) && exit.Signal == syscall.SIGBUS
}

func (g runner) command(stdin io.Reader, args []string) proc.Command {
	drop := local
	if g.inherit {
		drop = nil
	}
	var set []string
	if !g.locale {
		set = append(set, "LC_ALL=C", "LANGUAGE=")
	}
	if !g.prompt {
		set = append(set, "GIT_TERMINAL_PROMPT=0")
	}
	if g.index != "" {
		set = append(set, "GIT_INDEX_FILE="+g.index)
	}
	full := append(append([]string{g.program}, g.place...), args...)
	return proc.Command{Args: full, Env: proc.With(g.env, drop, set...), Stdin: stdin}
}

// withIndex is a runner whose children use another index file, in the user's locale: filters and hooks may run.
func (g runner) withIndex(file string) runner {
	g.index, g.locale = file, true
	return g
}

func exitCode(err error) int {
	var exit *proc.ExitError
	if errors.As(err, &exit) {
		return exit.Code
	}
	return -1
}

// zeroed joins paths for programs that read them separated by NUL bytes.
func zeroed(paths []string) io.Reader {
	var b bytes.Buffer
	for _, p := range paths {
		b.WriteString(p)
		b.WriteByte(0)
	}
	return &b
}
