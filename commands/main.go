// Package commands translates: flags into calls of internal/app, results into lines for people or JSON for programs.
// It is the only place that knows the command line, the terminal, the environment and the clock.
package commands

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"session/internal/app"
	"session/internal/quote"
	"session/internal/text"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"
)

// System is what a process has from its system. Tests replace it; everything below commands gets values.
type System struct {
	In       io.Reader
	Out, Err io.Writer
	Env      []string
	Dir      string
	Now      func() time.Time
	Terminal bool // a person reads Err and answers on In
	Plain    bool // the terminal cannot draw: it has no size, as one without a window (script, a container), or is dumb
	Columns  int  // width of the terminal; 0: not a terminal
	Parts    Parts
}

// FromOS reads the process's own system.
func FromOS() System {
	dir, err := os.Getwd()
	if err != nil {
		dir = "." // the folder was deleted; what is done in it says so
	}
	s := System{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Env: os.Environ(), Dir: dir, Now: time.Now}
	s.Terminal = term.IsTerminal(int(os.Stdin.Fd())) && term.IsTerminal(int(os.Stderr.Fd()))
	if w, h, err := term.GetSize(int(os.Stderr.Fd())); err == nil {
		s.Plain = w == 0 || h == 0 || os.Getenv("TERM") == "dumb"
	}
	if w, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil {
		s.Columns = w
	}
	return s
}

func (s System) getenv(key string) string {
	for i := len(s.Env) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(s.Env[i], key+"="); ok {
			return v
		}
	}
	return ""
}

// Main runs one command line (args[0] is the program) and returns the exit code.
func Main(ctx context.Context, args []string, sys System) int {
	lang, err := text.Choose(flagLang(args), sys.getenv)
	if err != nil { // said in English by the command, which reads the flag again
		lang = text.English
	}
	out := &kept{to: sys.Out}
	sys.Out = out
	r := &root{System: sys, words: text.New(lang), args: args, json: wantsJSON(args)}
	a := r.app()
	line, err := r.arrange(a, args[1:], func(text string) ([]string, error) { return app.Arguments(text, sys.In) })
	r.line = line
	if err == nil {
		err = a.RunContext(ctx, append([]string{"session"}, line...))
	}
	return r.delivered(r.end(ctx, err), out)
}

// flagLang looks for --lang before anything is parsed: the help of every flag is written in that language.
func flagLang(args []string) string {
	for i, a := range args {
		name, value, assigned := strings.Cut(a, "=")
		switch {
		case a == "--":
			return ""
		case name != "--lang" && name != "-lang":
		case assigned:
			return value
		case i+1 < len(args):
			return args[i+1]
		}
	}
	return ""
}

// wantsJSON looks for --json before anything is parsed: a command line that cannot be read is refused in JSON, too.
func wantsJSON(args []string) bool {
	if i := slices.Index(args, "--"); i >= 0 {
		args = args[:i]
	}
	return slices.ContainsFunc(args, func(a string) bool { return a == "--json" || a == "-json" || a == "--json=true" })
}

// root is one run of the program.
type root struct {
	System
	words *text.Catalogue
	args  []string
	line  []string // args as they were arranged, without the program
	json  bool

	assistant bool // a coding assistant reads the result
	ended     bool // who answers questions has hung up
	noticed   bool // it was told what is data in it
}

// end prints an error and turns it into an exit code.
func (r *root) end(ctx context.Context, err error) int {
	if err == nil {
		return app.OK
	}
	if app.IsMissing(err) {
		var code int
		if code, err = r.handOver(err); err == nil {
			return code
		}
	}
	var done *finished
	if errors.As(err, &done) {
		return done.code
	}
	var half *app.InterruptedError
	if ctx.Err() != nil && !errors.As(err, &half) {
		err = ctx.Err()
	}
	return r.complain(app.Describe(err, r.words))
}

// finished ends a command whose result was printed with a code that is not 0.
type finished struct{ code int }

func (f *finished) Error() string { return fmt.Sprintf("finished with code %d", f.code) }

func (r *root) complain(f app.Fault) int {
	if r.json {
		r.print(map[string]app.Fault{"error": f})
	}
	if r.assistant && !r.json && askable(f.Code) {
		if strings.Contains(f.Message, "\n  "+quote.Mark) {
			r.notice()
		}
		r.say("session: %s\n", f.Message)
		if f.Hint != "" {
			r.say("%s: %s\n", r.words.Say("error.hint"), f.Hint)
		}
		return app.OK
	}
	r.note("session: %s\n", f.Message)
	if f.Hint != "" {
		r.note("%s: %s\n", r.words.Say("error.hint"), f.Hint)
	}
	return f.Code
}

// askable reports whether a command stopped for want of something that the assistant can talk over with its user: it has
// to read that, and any exit code but 0 keeps it from doing so.
func askable(code int) bool {
	return code == app.Nothing || code == app.NotAccepted || code == app.Busy || code == app.Corrupt
}

func (r *root) app() *cli.App {
	a := &cli.App{
		Name: "session", Usage: r.words.Say("app.usage"), HideVersion: true, HideHelpCommand: true, EnableBashCompletion: true,
		Reader: r.In, Writer: r.Out, ErrWriter: r.Err,
		ExitErrHandler:            func(*cli.Context, error) {}, // the library must not exit by itself
		OnUsageError:              r.usageError,
		Commands:                  r.commands(),
		Action:                    r.act(r.overview),
		Flags:                     r.globals(),
		DisableSliceFlagSeparator: true, // a comma is part of what was said
		CommandNotFound:           func(*cli.Context, string) {},
	}
	named := r.named(a.Commands)
	for _, c := range a.Commands {
		if len(named) == 0 || named[c] {
			r.prepare(c, "")
		} else {
			c.Flags, c.Subcommands, c.Description = nil, nil, ""
		}
	}
	quiet(a.Flags)
	if len(named) == 0 {
		a.CustomAppHelpTemplate = r.frontPage(a.Commands)
	}
	return a
}

// named are the commands whose names are words of the command line: it can only be about one of them, and the library
// looks at every flag of every command that it is shown. None: it may be about any.
func (r *root) named(all []*cli.Command) map[*cli.Command]bool {
	named := map[*cli.Command]bool{}
	for _, word := range r.args[min(1, len(r.args)):] {
		if word == "--"+completes {
			return nil
		}
		if c := find(all, word); c != nil {
			named[c] = true
		}
	}
	return named
}

// prepare gives every command what urfave/cli leaves to chance.
func (r *root) prepare(c *cli.Command, parent string) {
	c.OnUsageError = r.usageError
	c.HideHelpCommand = true
	c.Flags = append(c.Flags, r.globals()...)
	c.CustomHelpTemplate = helpTemplate
	for _, s := range c.Subcommands {
		r.prepare(s, c.Description)
	}
	c.Description = r.describe(c, parent)
	quiet(c.Flags)
}

// quiet takes "(default: false)" out of help: it says nothing.
func quiet(flags []cli.Flag) {
	for _, f := range flags {
		if b, ok := f.(*cli.BoolFlag); ok {
			b.DisableDefaultText = true
		}
	}
}

func (r *root) globals() []cli.Flag {
	return append([]cli.Flag{
		&cli.StringFlag{Name: "C", Usage: r.words.Say("flag.C"), Category: r.words.Say("flags.everywhere")},
		&cli.StringFlag{Name: "lang", Usage: r.words.Say("flag.lang"), Category: r.words.Say("flags.everywhere")},
		&cli.BoolFlag{Name: "json", Usage: r.words.Say("flag.json"), Category: r.words.Say("flags.everywhere")},
		&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Usage: r.words.Say("flag.verbose"), Category: r.words.Say("flags.everywhere")},
	}, r.backendFlags()...)
}

// call is one command being run: where, how, and what was asked.
type call struct {
	*root
	*cli.Context
	place app.Place
}

// act wraps a command's function: global flags are read, the place is made.
func (r *root) act(f func(*call) error) cli.ActionFunc {
	return func(c *cli.Context) error {
		r.json, r.assistant = c.Bool("json"), c.Bool("assistant")
		if l := c.String("lang"); l != "" {
			lang, err := text.Choose(l, r.getenv)
			if err != nil {
				return &app.UsageError{Err: err}
			}
			r.words = text.New(lang)
		}
		if at := c.String("C"); at != "" {
			if _, err := os.Stat(join(r.Dir, at)); err != nil {
				return err
			}
		}
		k := &call{root: r, Context: c}
		k.place = app.Place{
			Dir: join(r.Dir, c.String("C")), Env: r.Env, Now: r.Now, Random: rand.Reader, Words: r.words, PID: os.Getpid(),
			Command: commandLine(r.args), Prompt: r.Terminal, Verbose: c.Bool("verbose"),
			GitPath: r.getenv("SESSION_GIT_PATH"), Backends: backends(c), Adapters: r.Parts.Adapters, Warn: r.warn,
		}
		return f(k)
	}
}

// Ctx is the command's context.
func (k *call) Ctx() context.Context { return k.Context.Context }
