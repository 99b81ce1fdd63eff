// Package proc is the only place that starts programs. A Command is an argument list, never a shell string; its
// environment is complete, its output is bounded, and when its time is over the whole process tree is ended, not just
// the first process.
package proc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Command is one program to start.
type Command struct {
	Args  []string  // program and arguments; the program is looked up in the PATH of Env
	Dir   string    // working directory
	Env   []string  // the whole environment, KEY=value; nothing is inherited
	Stdin io.Reader // nil: /dev/null

	// Output receives stdout as it comes; nil: it is collected in Result.Stdout, up to MaxOutput bytes.
	Output io.Writer
	// Errors receives stderr as it comes; nil: its last 64 KiB are kept in Result.Stderr.
	Errors io.Writer
	// MaxOutput bounds the collected stdout, in bytes; 0: 1 GiB.
	MaxOutput int64

	// Tree makes the process a group of its own, ended as a whole when ctx is done, with those who left the group; on
	// Linux it is asked to end when we are killed, too. A program that talks to the terminal (a push that asks for a
	// password) must not have it: it would be in the background.
	Tree bool
	// Mark is an entry of Env, KEY=value, that nobody else has: who carries it belongs to the tree, wherever it went.
	Mark string
	// Grace is how long the tree may take to end after the first signal; 0: 2 s.
	Grace time.Duration
}

// Result is what a program that ended left behind.
type Result struct {
	Stdout, Stderr []byte
	Code           int  // exit status; -1 when it was ended by a signal
	Signaled       bool // ended by a signal, ours or another's
	Cut            bool // more stdout than MaxOutput came; the rest is lost
}

// ExitError says that a program ran and answered with a status other than 0.
type ExitError struct {
	Args   []string
	Code   int            // -1: ended by a signal
	Signal syscall.Signal // which one; 0: none
	Stderr string
}

func (e *ExitError) Error() string {
	how := fmt.Sprintf("exit status %d", e.Code)
	if e.Code < 0 {
		how = "ended by a signal"
		if e.Signal > 0 {
			how += " (" + e.Signal.String() + ")"
		}
	}
	if s := lastLines(e.Stderr, 6); s != "" {
		return fmt.Sprintf("%s: %s: %s", Name(e.Args), how, s)
	}
	return fmt.Sprintf("%s: %s", Name(e.Args), how)
}

// NotFoundError says that a program is not installed.
type NotFoundError struct{ Program string }

func (e *NotFoundError) Error() string { return e.Program + ": not found in PATH" }

// Run starts c and waits for it. The error is nil only for exit status 0; it is an *ExitError for any other one, a
// *NotFoundError when there is no such program, and ctx.Err() (wrapped) when the time was over.
func Run(ctx context.Context, c Command) (Result, error) {
	if len(c.Args) == 0 || c.Args[0] == "" {
		return Result{}, errors.New("proc: no program named")
	}
	path, err := LookPath(c.Args[0], c.Env, c.Dir)
	if err != nil {
		return Result{}, err
	}
	out := &cappedBuffer{max: c.MaxOutput}
	if out.max <= 0 {
		out.max = 1 << 30
	}
	tail := &tailBuffer{max: 64 << 10}
	cmd := build(ctx, c, path, out, tail)
	if c.Tree {
		err = runTree(ctx, cmd, asTree(cmd, c.Mark))
	} else {
		err = cmd.Run()
	}
	r := Result{Stdout: out.buf.Bytes(), Stderr: tail.bytes(), Cut: out.cut}
	if cmd.ProcessState != nil {
		r.Code = cmd.ProcessState.ExitCode()
		r.Signaled = r.Code < 0
	}
	return r, explain(ctx, c, r, err)
}

func build(ctx context.Context, c Command, path string, out, tail io.Writer) *exec.Cmd {
	cmd := exec.CommandContext(ctx, path, c.Args[1:]...)
	cmd.Args[0] = c.Args[0]
	cmd.Dir, cmd.Env, cmd.Stdin = c.Dir, c.Env, c.Stdin
	if cmd.Env == nil {
		cmd.Env = []string{}
	}
	cmd.Stdout, cmd.Stderr = out, tail
	if c.Output != nil {
		cmd.Stdout = c.Output
	}
	if c.Errors != nil {
		cmd.Stderr = c.Errors
	}
	cmd.WaitDelay = c.Grace
	if cmd.WaitDelay <= 0 {
		cmd.WaitDelay = 2 * time.Second
	}
	return cmd
}

func runTree(ctx context.Context, cmd *exec.Cmd, t *tree) error {
	runtime.LockOSThread() // Linux takes the end of the thread that started a process for our end
	defer runtime.UnlockOSThread()
	err := cmd.Start()
	if err == nil {
		t.started()
		err = cmd.Wait()
	}
	if ctx.Err() != nil {
		t.end()
	}
	return err
}

func explain(ctx context.Context, c Command, r Result, err error) error {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("%s: %w", Name(c.Args), context.Cause(ctx))
	case errors.As(err, &exit):
		return &ExitError{Args: c.Args, Code: r.Code, Signal: signal(exit.ProcessState), Stderr: string(r.Stderr)}
	case errors.Is(err, exec.ErrWaitDelay):
		return nil // it ended well; a child of it kept our pipe open
	default:
		return fmt.Errorf("%s: %w", Name(c.Args), err)
	}
}

func signal(s *os.ProcessState) syscall.Signal {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return w.Signal()
	}
	return 0
}

// Name is a short name of a command for messages: the program and its first word that is no option.
func Name(args []string) string {
	if len(args) == 0 {
		return "program"
	}
	name := args[0][strings.LastIndexAny(args[0], `/\`)+1:]
	for i := 1; i < len(args); i++ {
		switch a := args[i]; {
		case a == "-c" || a == "-C": // git's options that take a value
			i++
		case !strings.HasPrefix(a, "-"):
			return name + " " + a
		}
	}
	return name
}

// With returns env with the given KEY=value entries set, replacing earlier ones, and the keys of drop left out.
func With(env []string, drop []string, set ...string) []string {
	out := make([]string, 0, len(env)+len(set))
	for _, e := range env {
		k, _, _ := strings.Cut(e, "=")
		if !slices.Contains(drop, k) && !slices.ContainsFunc(set, func(s string) bool { return strings.HasPrefix(s, k+"=") }) {
			out = append(out, e)
		}
	}
	return append(out, set...)
}

// Getenv reads a variable of an environment list; the last entry counts.
func Getenv(env []string, key string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(env[i], key+"="); ok {
			return v
		}
	}
	return ""
}

func lastLines(s string, n int) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

type cappedBuffer struct {
	buf bytes.Buffer
	max int64
	cut bool
}

func (b *cappedBuffer) Write(p []byte) (int, error) {
	if room := b.max - int64(b.buf.Len()); int64(len(p)) > room {
		b.cut = true
		b.buf.Write(p[:max(room, 0)])
		return len(p), nil
	}
	return b.buf.Write(p)
}

type tailBuffer struct {
	b   []byte
	max int
}

func (t *tailBuffer) Write(p []byte) (int, error) {
	t.b = append(t.b, p...)
	if len(t.b) > 2*t.max {
		t.b = append(t.b[:0], t.b[len(t.b)-t.max:]...)
	}
	return len(p), nil
}

func (t *tailBuffer) bytes() []byte { return t.b[max(0, len(t.b)-t.max):] }

// Detach starts a program that outlives us: no terminal, no streams, a session of its own. Only that it started is known.
func Detach(c Command) error {
	path, err := LookPath(c.Args[0], c.Env, c.Dir)
	if err != nil {
		return err
	}
	cmd := exec.Command(path, c.Args[1:]...)
	cmd.Args[0], cmd.Dir, cmd.Env = c.Args[0], c.Dir, c.Env
	apart(cmd)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%s: %w", Name(c.Args), err)
	}
	return cmd.Process.Release()
}
