package commands

import (
	"time"

	"session/internal/app"
	"session/internal/text"

	"github.com/urfave/cli/v2"
)

// tokenCommand is session token: the users of session serve.
func (r *root) tokenCommand() *cli.Command {
	say := r.words.Say
	where := func(more ...cli.Flag) []cli.Flag {
		return append(more, &cli.StringFlag{Name: "database", Usage: say("flag.database")})
	}
	return &cli.Command{Name: "token", Usage: say("token.usage"), Description: say("token.help"), Action: r.act(r.tokenList), Flags: where(),
		Subcommands: []*cli.Command{
			{Name: "create", Usage: say("token.create"), ArgsUsage: "USER", Action: r.act(r.tokenCreate), Flags: where(
				&cli.StringFlag{Name: "label", Usage: say("flag.label")}, &cli.DurationFlag{Name: "for", Usage: say("flag.for")},
				&cli.BoolFlag{Name: "metrics", Usage: say("flag.metrics")})},
			{Name: "list", Usage: say("token.list"), ArgsUsage: "[USER]", Action: r.act(r.tokenList), Flags: where()},
			{Name: "revoke", Usage: say("token.revoke"), ArgsUsage: "ID", Action: r.act(r.tokenRevoke), Flags: where()},
		}}
}

func (r *root) tokenCreate(k *call) error {
	if k.NArg() > 1 || k.NArg() == 0 && !k.Bool("metrics") {
		return r.misuse("usage.token-user")
	}
	if k.IsSet("for") && k.Duration("for") <= 0 {
		return r.misuse("usage.token-for")
	}
	if err := k.database(); err != nil {
		return err
	}
	label, err := k.said("label")
	if err != nil {
		return err
	}
	made, err := app.CreateToken(k.Ctx(), k.place, app.TokenOptions{User: k.Args().First(), Label: label, Metrics: k.Bool("metrics"), For: k.Duration("for")})
	if err != nil {
		return err
	}
	if r.json {
		r.print(made)
		return nil
	}
	r.say("%s\n", made.Secret)
	r.note("%s\n", r.words.Say("token.once", "id", made.ID))
	return nil
}

func (r *root) tokenList(k *call) error {
	if k.Command.Name == "token" && k.NArg() > 0 { // no user is meant: a word that is no subcommand
		return r.misuse("usage.token")
	}
	if err := k.atMost(1); err != nil {
		return err
	}
	if err := k.database(); err != nil {
		return err
	}
	res, err := app.ListTokens(k.Ctx(), k.place, k.Args().First())
	if err != nil {
		return err
	}
	if r.json {
		r.print(res)
		return nil
	}
	for _, t := range res.Tokens {
		r.say("%s\n", text.Fit(r.tokenLine(t), r.width()))
	}
	if len(res.Tokens) == 0 {
		r.note("%s\n", r.words.Say("token.none"))
	}
	return nil
}

func (r *root) tokenLine(t app.Token) string {
	state := r.words.Say("token.holds")
	switch {
	case !t.RevokedAt.IsZero():
		state = r.words.Say("token.revoked")
	case !t.ExpiresAt.IsZero() && !r.Now().Before(t.ExpiresAt):
		state = r.words.Say("token.expired")
	case !t.ExpiresAt.IsZero():
		state = r.words.Say("token.until", "time", t.ExpiresAt.Local().Format(time.DateOnly))
	}
	line := t.ID + "  " + text.Pad(text.Safe(t.Owner), 16) + "  " + state
	if t.Metrics {
		line += "  metrics"
	}
	return line + "  " + text.Line(t.Label, 60)
}

func (r *root) tokenRevoke(k *call) error {
	if k.NArg() != 1 {
		return r.misuse("usage.token-id")
	}
	if err := k.database(); err != nil {
		return err
	}
	res, err := app.RevokeToken(k.Ctx(), k.place, k.Args().First())
	if err != nil {
		return err
	}
	if r.json {
		r.print(res)
		return nil
	}
	r.say("%s\n", r.words.Say("token.gone", "id", res.ID))
	return nil
}
