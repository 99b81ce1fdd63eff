package commands

import (
	"fmt"
	"io"
	"strings"

	"session/blocker"
	"session/internal/app"
	"session/internal/quote"
	"session/internal/text"

	"github.com/urfave/cli/v2"
)

// blockerCommand is session blocker.
func (r *root) blockerCommand() *cli.Command {
	say := r.words.Say
	c := &cli.Command{Name: "blocker", Usage: say("blocker.usage"), Description: say("blocker.help"), Action: r.act(r.blockerList),
		Flags: []cli.Flag{&cli.BoolFlag{Name: "assistant", Usage: say("flag.assistant")}},
		Subcommands: []*cli.Command{
			{Name: "list", Usage: say("blocker.list"), Action: r.act(r.blockerList)},
			{Name: "scan", Usage: say("blocker.scan"), ArgsUsage: "FILE…", Action: r.act(r.blockerScan)},
			{Name: "set", Usage: say("blocker.set"), ArgsUsage: "TYPE", Action: r.act(r.blockerSet), Flags: []cli.Flag{
				&cli.StringFlag{Name: "m", Aliases: []string{"message"}, Usage: say("flag.blocker-m")},
				&cli.StringFlag{Name: "severity", Usage: say("flag.severity")}, &cli.StringFlag{Name: "resolution", Usage: say("flag.resolution")}}},
			{Name: "clear", Usage: say("blocker.clear"), ArgsUsage: "[ID]", Action: r.act(r.blockerClear)},
			{Name: "watch", Usage: say("blocker.watch"), ArgsUsage: "-- COMMAND…", Action: r.act(r.blockerWatch)},
			{Name: "report", Usage: say("blocker.report"), Action: r.act(r.blockerReport), Flags: []cli.Flag{
				&cli.StringFlag{Name: "agent", Usage: say("flag.report-agent")}}},
		}}
	for _, s := range c.Subcommands { // an assistant's command names the flag before a person names the subcommand
		s.Flags = append(s.Flags, &cli.BoolFlag{Name: "assistant", Usage: say("flag.assistant")})
	}
	return c
}

func (r *root) blockerList(k *call) error {
	if err := k.none(); err != nil {
		return err
	}
	res, err := app.Blockers(k.Ctx(), k.place)
	if err != nil {
		return err
	}
	return r.showBlockers(res)
}

func (r *root) showBlockers(res app.BlockerResult) error {
	if r.json {
		r.print(res)
		return nil
	}
	if len(res.Cleared)+len(res.Blockers) > 0 {
		r.notice()
	}
	for _, b := range res.Cleared {
		r.say("%s\n    %s\n", r.words.Say("blocker.gone", "type", string(b.Type)), quote.Line(b.Description, 160))
	}
	for _, b := range res.Blockers {
		r.showBlocker(b)
	}
	if len(res.Blockers) == 0 {
		r.say("%s\n", r.words.Say("blocker.none"))
	}
	return nil
}

func (r *root) showBlocker(b blocker.Blocker) {
	stale := ""
	if b.Stale {
		stale = " " + r.words.Say("blocker.stale")
	}
	line, quoted := r.blockerLine(fmt.Sprintf("%s  %s (%s)%s", short(b.ID), b.Type, b.Severity, stale), &b)
	r.say("%s\n", text.Fit(line, r.width()))
	mark := ""
	if r.assistant {
		mark = quote.Mark
	}
	for _, q := range quoted {
		r.say("    %s\n", q)
	}
	if b.Resolution != "" {
		r.say("    %s\n", mark+r.words.Say("brief.resolution", "text", quote.Words(b.Resolution, 200)))
	}
}

// blockerScan says what logs say; one JSON document a file.
func (r *root) blockerScan(k *call) error {
	if k.NArg() == 0 {
		return r.misuse("usage.scan")
	}
	for _, name := range k.Args().Slice() {
		res, err := app.ScanLog(k.Ctx(), k.place, name, r.In)
		if err != nil {
			return err
		}
		switch {
		case r.json:
			r.print(res)
		case res.Blocker == nil:
			r.say("%s: %s\n", text.Safe(name), r.words.Say("blocker.none"))
		default:
			r.notice()
			r.showBlocker(*res.Blocker)
		}
	}
	return nil
}

func (r *root) blockerSet(k *call) error {
	if k.NArg() != 1 {
		return r.misuse("usage.blocker-set", "list", words(blocker.Types()))
	}
	message, err := k.said("m")
	if err != nil {
		return err
	}
	if message == "" {
		return r.misuse("usage.blocker-m")
	}
	res, err := app.SetBlocker(k.Ctx(), k.place, app.SetOptions{Type: k.Args().First(), Message: message, Severity: k.String("severity"), Resolution: k.String("resolution")})
	if err != nil {
		return err
	}
	return r.showBlockers(res)
}

func (r *root) blockerClear(k *call) error {
	if err := k.atMost(1); err != nil {
		return err
	}
	res, err := app.ClearBlocker(k.Ctx(), k.place, k.Args().First())
	if err != nil {
		return err
	}
	return r.showBlockers(res)
}

// blockerWatch runs a command and ends with its exit code.
func (r *root) blockerWatch(k *call) error {
	if k.NArg() == 0 {
		return r.misuse("usage.watch")
	}
	out := r.Out
	if r.json {
		out = r.Err // stdout has the one document
	}
	res, err := app.WatchBlocker(k.Ctx(), k.place, k.Args().Slice(), out)
	if err != nil {
		return err
	}
	if r.json {
		r.print(res)
	} else {
		for _, b := range res.Cleared {
			r.note("%s\n    %s\n", r.words.Say("blocker.gone", "type", string(b.Type)), quote.Line(b.Description, 160))
		}
		if res.Blocker != nil {
			r.note("! %s: %s\n", res.Blocker.Type, text.Line(res.Blocker.Description, 200))
		}
	}
	if res.ExitCode != 0 {
		return &finished{max(res.ExitCode, 1)}
	}
	return nil
}

// blockerReport reads an agent's report.
func (r *root) blockerReport(k *call) error {
	if err := k.none(); err != nil {
		return err
	}
	agent := k.String("agent")
	if strings.TrimSpace(agent) == "" {
		return r.misuse("usage.report")
	}
	report, err := io.ReadAll(io.LimitReader(r.In, 16<<20))
	if err != nil {
		return err
	}
	res, err := app.ReportBlocker(k.Ctx(), k.place, agent, string(report))
	if err != nil {
		return err
	}
	return r.showBlockers(res)
}
