package app

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"session/internal/capture"
	"session/internal/plan"
	"session/internal/proc"
	"session/internal/redact"
)

// logsDir is where the output of checks is kept, a folder a run, below the runtime folder.
const logsDir = "logs"

// keptLogs is how many runs' logs stay.
const keptLogs = 10

// checks are the policy's bundles of checks.
func (p policy) checks() map[string]capture.Checks {
	all := map[string]capture.Checks{}
	for name, b := range p.Bundles.Checks {
		c := capture.Checks{Limit: time.Duration(b.Limit)}
		c.Build, c.DetectBuild = commandLists(b.Build)
		c.Test, c.DetectTest = commandLists(b.Test)
		all[name] = c
	}
	return all
}

func commandLists(c *plan.CheckCommand) (lists [][]string, detect bool) {
	if c == nil {
		return nil, false
	}
	return c.Run, c.Detect
}

// runner runs commands of checks; their output is kept as logs, with secrets masked.
func (s *site) runner(run string) func(context.Context, []string, string, func(string)) capture.Ran {
	return s.runnerIn(run, s.root)
}

func (s *site) runnerIn(run, where string) func(context.Context, []string, string, func(string)) capture.Ran {
	dir := filepath.Join(s.runtimeDir(), logsDir, run)
	return func(ctx context.Context, args []string, name string, say func(string)) capture.Ran {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return capture.Ran{ExitCode: capture.NotStarted, Err: err}
		}
		file := filepath.Join(dir, name+".log")
		f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
		if err != nil {
			return capture.Ran{ExitCode: capture.NotStarted, Err: err}
		}
		r := s.logged(ctx, where, args, f, say, nil)
		r.Log = s.belowRuntime(file)
		return r
	}
}

// belowRuntime is a file's name below the runtime folder, which is what is recorded: paths of this machine are not.
func (s *site) belowRuntime(file string) string {
	rel, err := filepath.Rel(s.runtimeDir(), file)
	if err != nil {
		return filepath.Base(file)
	}
	return filepath.ToSlash(rel)
}

// logged runs a command with its output going through the redactor into a file.
func (s *site) logged(ctx context.Context, dir string, args []string, f *os.File, say func(string), also io.Writer) capture.Ran {
	reader, writer := io.Pipe()
	copied := make(chan error, 1)
	go func() {
		_, err := redact.Copy(f, reader)
		_ = reader.CloseWithError(err)
		copied <- errors.Join(err, f.Close())
	}()
	out := &lineTeller{to: writer, say: say}
	if also != nil {
		out.to = io.MultiWriter(also, writer)
	}
	_, err := proc.Run(ctx, proc.Command{Args: args, Dir: dir, Env: s.Env, Output: out, Errors: out, Tree: true})
	closed := errors.Join(writer.Close(), <-copied)
	r := capture.Ran{}
	var exit *proc.ExitError
	var missing *proc.NotFoundError
	switch {
	case errors.As(err, &missing):
		r.ExitCode, r.Err = capture.NotStarted, err
	case errors.As(err, &exit):
		r.ExitCode = exit.Code
		if exit.Signal > 0 {
			r.ExitCode = 128 + int(exit.Signal) // as a shell has it
		}
	case err != nil:
		r.ExitCode, r.Err = -1, err
	}
	r.Err = errors.Join(r.Err, closed)
	return r
}

// lineTeller passes bytes on and tells the last line as it comes. Both streams of a program share one.
type lineTeller struct {
	to   io.Writer
	say  func(string)
	part []byte
}

func (l *lineTeller) Write(p []byte) (int, error) {
	if l.say != nil {
		l.part = append(l.part, p...)
		if i := bytes.LastIndexByte(l.part, '\n'); i >= 0 {
			whole := l.part[:i]
			l.say(redact.Text(strings.ToValidUTF8(string(whole[bytes.LastIndexByte(whole, '\n')+1:]), "�")))
			l.part = append(l.part[:0], l.part[i+1:]...)
		}
		l.part = l.part[max(0, len(l.part)-4096):]
	}
	return l.to.Write(p)
}

// dropOldLogs keeps the logs of the newest runs.
func (s *site) dropOldLogs() error {
	dir := filepath.Join(s.runtimeDir(), logsDir)
	entries, err := os.ReadDir(dir)
	if isMissing(err) || len(entries) <= keptLogs {
		return nil
	}
	if err != nil {
		return err
	}
	sort.Slice(entries, func(i, j int) bool { return modTime(entries[i]).After(modTime(entries[j])) })
	for _, e := range entries[keptLogs:] {
		if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

func modTime(e os.DirEntry) time.Time {
	info, err := e.Info()
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}
