package commands

import (
	"slices"
	"strings"

	"session/internal/app"
	"session/internal/session"

	"github.com/urfave/cli/v2"
)

// backendFlags name what a team shares, on every command.
func (r *root) backendFlags() []cli.Flag {
	var flags []cli.Flag
	for _, name := range []string{"store", "coordination"} {
		flags = append(flags, &cli.StringFlag{Name: name, Usage: r.words.Say("flag." + name), Category: r.words.Say("flags.everywhere")})
	}
	return flags
}

func backends(c *cli.Context) app.Backends {
	return app.Backends{Store: c.String("store"), Coordination: c.String("coordination")}
}

// commandLine is the command line as it may be kept and shown: without the secrets of URLs.
func commandLine(args []string) string {
	secret := []string{"store", "database", "coordination"}
	shown := slices.Clone(args)
	for i, arg := range shown {
		name, value, assigned := strings.Cut(arg, "=")
		if !strings.HasPrefix(arg, "-") || !slices.Contains(secret, strings.TrimLeft(name, "-")) {
			continue
		}
		switch {
		case assigned:
			shown[i] = name + "=" + app.SafeURL(value)
		case i+1 < len(shown):
			shown[i+1] = app.SafeURL(shown[i+1])
		}
	}
	return strings.Join(shown, " ")
}

// warn says what a command goes on without.
func (r *root) warn(f session.Finding) { r.note("session: %s\n", f.Message) }
