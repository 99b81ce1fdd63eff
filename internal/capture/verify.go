package capture

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"session/internal/engine"
	"session/internal/session"
)

// VerifySettings are the settings of the step Verify.
type VerifySettings struct {
	Bundle string `json:"bundle"` // of bundles.yaml, checks
}

// Check wants a bundle to be named.
func (s VerifySettings) Check() error {
	if s.Bundle == "" {
		return errors.New("bundle: name a bundle of checks in bundles.yaml")
	}
	return nil
}

// Checks is a bundle of checks as the policy has it.
type Checks struct {
	Build, Test [][]string // argument lists; nil where Detect says so
	DetectBuild bool
	DetectTest  bool
	Limit       time.Duration // of all of them together
}

// Ran is a command that ended, or was ended.
type Ran struct {
	ExitCode int // 128 + n: ended by signal n; -1: ended by us
	Log      string
	Err      error // why it could not be started, or was ended
}

// verify builds and tests the project. A failing check ends the step with an error, which the plan keeps; later checks
// do not run on a broken build.
func (w World) verify(ctx context.Context, d *Draft, o VerifySettings) error {
	bundle, ok := w.Checks[o.Bundle]
	if !ok {
		return fmt.Errorf("there is no bundle of checks %q", o.Bundle)
	}
	commands := w.Commands(o.Bundle)
	if len(commands) == 0 {
		d.Checks = append(d.Checks, session.Check{Name: "build", Status: "skipped", Note: w.Say("verify.nothing")})
		return engine.Skip("no build system was recognised")
	}
	if bundle.Limit > 0 {
		var stop func()
		ctx, stop = context.WithTimeoutCause(ctx, bundle.Limit, fmt.Errorf("not done after %s: %w", bundle.Limit, context.DeadlineExceeded))
		defer stop()
	}
	defer w.madeSince(context.WithoutCancel(ctx), d)()
	for i, c := range commands {
		engine.Say(ctx, "%s", strings.Join(c.Args, " "))
		folder, err := w.makes(ctx, c.Args)
		if err != nil {
			return err
		}
		if folder != "" {
			d.find(keptOut(folder))
		}
		check := w.check(ctx, c, i)
		d.Checks = append(d.Checks, check)
		if check.Status != "passed" {
			return fmt.Errorf("%s: %s", strings.Join(c.Args, " "), check.Status)
		}
	}
	return nil
}

// Commands are the commands of a bundle of checks, in their order; nil where there is no such bundle, or nothing that it
// could run here.
func (w World) Commands(bundle string) []Command {
	return w.Checks[bundle].commands(w.readTop, w.buildFolder())
}

// Prove runs one command of a proof, with its output kept as a log.
func (w World) Prove(ctx context.Context, c Command, i int) session.Check {
	if _, err := w.makes(ctx, c.Args); err != nil {
		return session.Check{Name: c.Name, Command: c.Args, Status: "missing", ExitCode: NotStarted, Note: err.Error()}
	}
	return w.check(ctx, c, i)
}

func (c Checks) commands(read func(string) ([]byte, bool), folder string) []Command {
	build, test := detect(read, folder)
	if !c.DetectBuild {
		build = named("build", c.Build)
	}
	if !c.DetectTest {
		test = named("test", c.Test)
	}
	return append(build, test...)
}

func named(name string, lists [][]string) (all []Command) {
	for _, args := range lists {
		all = append(all, Command{name, args})
	}
	return all
}

// check runs one command and says how it ended.
func (w World) check(ctx context.Context, c Command, i int) session.Check {
	began := w.Now()
	ran := w.Run(ctx, c.Args, fmt.Sprintf("%02d-%s", i+1, c.Name), func(line string) { engine.Say(ctx, "%s", line) })
	r := session.Check{Name: c.Name, Command: c.Args, ExitCode: ran.ExitCode, Log: ran.Log, DurationMS: w.Now().Sub(began).Milliseconds(), Status: "passed"}
	switch {
	case errors.Is(ran.Err, context.DeadlineExceeded):
		r.Status, r.Note = "timeout", ran.Err.Error()
	case ctx.Err() != nil:
		r.Status = "interrupted"
	case ran.Err != nil && ran.ExitCode == NotStarted:
		r.Status, r.Note = "missing", ran.Err.Error()
	case ran.ExitCode != 0:
		r.Status = "failed"
	}
	return r
}

// NotStarted is the exit code of a command that is not installed, as a shell has it.
const NotStarted = 127

// readTop reads a small file at the top of the work tree.
func (w World) readTop(name string) ([]byte, bool) {
	f := filepath.Join(w.Root, name)
	info, err := os.Stat(f)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 4<<20 {
		return nil, false
	}
	b, err := os.ReadFile(f)
	return b, err == nil
}
