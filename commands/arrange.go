package commands

import (
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"session/internal/app"

	"github.com/urfave/cli/v2"
)

// misuse refuses a command line that makes no sense, in the language of whoever typed it.
func (r *root) misuse(key string, pairs ...any) error {
	return &app.UsageError{Err: errors.New(r.words.Say(key, pairs...))}
}

// usageError takes what the library refuses: what arrange lets through is known, so a value is at fault.
func (r *root) usageError(_ *cli.Context, err error, _ bool) error {
	return r.misuse("usage.value", "why", err)
}

// arrange brings a command line into the order that urfave/cli understands (it stops looking for flags at the first
// argument): command, flags, "--", arguments. What follows a "--" of the user's stays as it is. --arguments=TEXT stands
// for the words in TEXT, once: that is how an assistant's slash command hands over what a person typed behind it. They are
// not asked for permission, so they neither run a program nor lead out of the project.
func (r *root) arrange(a *cli.App, args []string, expand func(string) ([]string, error)) ([]string, error) {
	var words, flags, rest, names []string
	commands, known := a.Commands, a.Flags
	pasted := 0 // how many words of TEXT are to come
	for i := 0; i < len(args); i++ {
		arg := args[i]
		pasted--
		if arg == "--" {
			rest = append(rest, args[i+1:]...)
			break
		}
		if len(arg) < 2 || arg[0] != '-' {
			if arg == "help" && len(words) == 0 && len(rest) == 0 {
				names = append(names, arg)
			} else if c := find(commands, arg); c != nil && len(rest) == 0 {
				if pasted >= 0 && c.Name == "watch" {
					return nil, r.misuse("usage.slash-program", "command", arg)
				}
				words, commands, known = append(words, c.Name), c.Subcommands, c.Flags
			} else {
				rest = append(rest, arg)
			}
			continue
		}
		name, value, assigned := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if name == "arguments" && assigned && expand != nil {
			more, err := expand(value)
			if err != nil {
				return nil, &app.UsageError{Err: err}
			}
			args, expand, pasted = slices.Concat(args[:i+1], more, args[i+1:]), nil, len(more)
			continue
		}
		if pasted >= 0 && slices.Contains(elsewhere, name) {
			return nil, r.misuse("usage.slash-elsewhere", "flag", dashed(name))
		}
		flags, names = append(flags, arg), append(names, name)
		if f := lookup(known, name); f != nil && takesValue(f) && !assigned {
			if i+1 == len(args) {
				return nil, r.misuse("usage.no-value", "flag", dashed(name))
			}
			i++
			pasted--
			flags = append(flags, args[i])
		}
	}
	if instead, err := r.settled(words, names, known); instead != nil || err != nil {
		return instead, err
	}
	line := append(words, flags...)
	if len(rest) > 0 {
		line = append(append(line, "--"), rest...)
	}
	return line, nil
}

// settled is the command line where it is clear from the names of its flags: they ask for help or the version, or the
// command does not have one of them. What no command is named by is refused for that, and what is being completed is
// not yet a name.
func (r *root) settled(words, names []string, known []cli.Flag) (instead []string, err error) {
	switch {
	case slices.Contains(names, completes):
		return nil, nil
	case slices.Contains(names, "help"), slices.Contains(names, "h"):
		return append(words, "--help"), nil // whatever else is said: the library would look for a command of that name
	case len(words) == 0 && slices.Contains(names, "version"):
		return []string{"version"}, nil
	case len(words) == 0:
		return nil, nil
	}
	for _, name := range names {
		if lookup(known, name) != nil {
			continue
		}
		if words[len(words)-1] == "watch" { // it is the watched command's
			return nil, r.misuse("usage.watch")
		}
		return nil, r.misuse("usage.no-flag", "flag", dashed(name))
	}
	return nil, nil
}

// completes is the flag by which the library is asked what could follow.
const completes = "generate-bash-completion"

// elsewhere are the flags by which a command works in another place than the one it was called in.
var elsewhere = []string{"C", "store", "database", "coordination", "profile"}

func find(commands []*cli.Command, name string) *cli.Command {
	for _, c := range commands {
		if c.HasName(name) {
			return c
		}
	}
	return nil
}

func lookup(flags []cli.Flag, name string) cli.Flag {
	for _, f := range flags {
		for _, n := range f.Names() {
			if n == name {
				return f
			}
		}
	}
	return nil
}

func takesValue(f cli.Flag) bool {
	d, ok := f.(cli.DocGenerationFlag)
	return ok && d.TakesValue()
}

// none refuses arguments where a command takes none.
func (k *call) none() error { return k.atMost(0) }

// atMost refuses more than n arguments.
func (k *call) atMost(n int) error {
	if k.NArg() > n {
		return k.misuse("usage.unexpected", "argument", strconv.Quote(k.Args().Get(n)))
	}
	return nil
}

// said reads a flag whose value must not be empty or blank when it is given.
func (k *call) said(name string) (string, error) {
	v := k.String(name)
	if k.IsSet(name) && strings.TrimSpace(v) == "" {
		return "", k.misuse("usage.empty", "flag", dashed(name))
	}
	return strings.TrimSpace(v), nil
}

// saidAll is said for a flag that may be given several times.
func (k *call) saidAll(name string) ([]string, error) {
	var all []string
	for _, v := range k.StringSlice(name) {
		if strings.TrimSpace(v) == "" {
			return nil, k.misuse("usage.empty", "flag", dashed(name))
		}
		all = append(all, strings.TrimSpace(v))
	}
	return all, nil
}

// dashed is a flag as a person writes it.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// words are values of a list as a sentence takes them.
func words[T ~string](all []T) (out []string) {
	for _, v := range all {
		out = append(out, string(v))
	}
	return out
}

func join(dir, at string) string {
	if at == "" {
		return dir
	}
	if filepath.IsAbs(at) {
		return at
	}
	return filepath.Join(dir, at)
}
