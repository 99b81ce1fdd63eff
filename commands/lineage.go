package commands

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"session/internal/app"
	"session/internal/text"

	"github.com/urfave/cli/v2"
)

// lineageCommands list, compare, mend and move snapshots.
func (r *root) lineageCommands() []*cli.Command {
	say := r.words.Say
	return []*cli.Command{
		{Name: "log", Usage: say("log.usage"), Description: say("log.help"), Action: r.act(r.log), Flags: []cli.Flag{
			&cli.BoolFlag{Name: "graph", Usage: say("flag.graph")}, &cli.BoolFlag{Name: "all", Usage: say("flag.all")},
			number{&cli.IntFlag{Name: "n", Usage: say("flag.n")}}}},
		{Name: "show", Usage: say("show.usage"), Description: say("show.help"), ArgsUsage: "[ID]", Action: r.act(r.show)},
		{Name: "diff", Usage: say("diff.usage"), Description: say("diff.help"), ArgsUsage: "A [B]", Action: r.act(r.diff)},
		{Name: "fork", Usage: say("fork.usage"), Description: say("fork.help"), ArgsUsage: "ID", Action: r.act(r.fork)},
		{Name: "undo", Usage: say("undo.usage"), Description: say("undo.help"), ArgsUsage: "[ID]", Action: r.act(r.undo)},
		{Name: "finish", Usage: say("finish.usage"), Description: say("finish.help"), Action: r.act(r.fold), Flags: []cli.Flag{
			&cli.StringFlag{Name: "m", Aliases: []string{"message"}, Usage: say("flag.finish-m")}, &cli.BoolFlag{Name: "even-if-pushed", Usage: say("flag.even-if-pushed")},
			&cli.BoolFlag{Name: "no-verify", Usage: say("flag.no-verify")}}},
		{Name: "restore", Usage: say("restore.usage"), Description: say("restore.help"), ArgsUsage: "ID [PATH…]", Action: r.act(r.restore), Flags: []cli.Flag{
			&cli.BoolFlag{Name: "apply", Usage: say("flag.apply")}}},
		{Name: "check", Usage: say("check.usage"), Description: say("check.help"), Action: r.act(r.check), Flags: []cli.Flag{
			&cli.BoolFlag{Name: "repair", Usage: say("flag.repair")}}},
		{Name: "gc", Usage: say("gc.usage"), Description: say("gc.help"), Action: r.act(r.gc), Flags: []cli.Flag{
			&cli.BoolFlag{Name: "dry-run", Usage: say("flag.dry-run")}, &cli.IntFlag{Name: "keep", Value: 100, Usage: say("flag.keep")},
			&cli.DurationFlag{Name: "older-than", Value: 90 * 24 * time.Hour, Usage: say("flag.older-than")}}},
		{Name: "export", Usage: say("export.usage"), Description: say("export.help"), ArgsUsage: "ID", Action: r.act(r.export), Flags: []cli.Flag{
			&cli.StringFlag{Name: "o", Aliases: []string{"output"}, Usage: say("flag.output")}}},
		{Name: "import", Usage: say("import.usage"), Description: say("import.help"), ArgsUsage: "FILE", Action: r.act(r.imports)},
	}
}

func (r *root) log(k *call) error {
	if err := k.none(); err != nil {
		return err
	}
	limit := k.Int("n")
	if k.IsSet("n") && limit < 1 {
		return r.misuse("usage.log-n")
	}
	if !k.IsSet("n") && !k.Bool("all") && !r.json {
		limit = 50
	}
	res, err := app.Log(k.Ctx(), k.place, app.LogOptions{All: k.Bool("all") || k.Bool("graph"), Limit: limit})
	if err != nil {
		return err
	}
	if r.json {
		r.print(res)
		return nil
	}
	if k.Bool("graph") {
		for _, line := range app.Graph(res, r.rowLine) {
			r.say("%s\n", text.Fit(line, r.width()))
		}
		return nil
	}
	for _, row := range res.Snapshots {
		r.say("%s\n", text.Fit(r.rowLine(row), r.width()))
	}
	return nil
}

// rowLine is one snapshot on one line.
func (r *root) rowLine(x app.Row) string {
	if x.Removed {
		return short(x.ID) + "  " + r.words.Say("log.removed")
	}
	parts := []string{short(x.ID)}
	marks := []string{}
	if x.Here {
		marks = append(marks, r.words.Say("log.here"))
	}
	if x.Head {
		marks = append(marks, text.Safe(strings.TrimPrefix(x.Path, "refs/heads/")))
	}
	if x.Kind == "auto" || x.Kind == "fork" {
		marks = append(marks, x.Kind)
	}
	if len(marks) > 0 {
		parts = append(parts, "("+strings.Join(marks, ", ")+")")
	}
	parts = append(parts, app.Ago(r.words, r.Now().Sub(x.Created)), x.Origin)
	if x.Undone != "" {
		parts = append(parts, r.words.Say("log.undone", "id", short(x.Undone)))
	}
	if x.Commit != "" {
		parts = append(parts, short(x.Commit))
	}
	if x.Total > 0 {
		parts = append(parts, fmt.Sprintf("%d/%d", x.Completed, x.Total))
	}
	if x.Blocker != "" {
		parts = append(parts, "["+x.Blocker+"]")
	}
	return strings.Join(append(parts, text.Line(x.WorkingOn, 80)), "  ")
}

func (r *root) show(k *call) error {
	if err := k.atMost(1); err != nil {
		return err
	}
	res, err := app.Show(k.Ctx(), k.place, k.Args().First())
	if err != nil {
		return err
	}
	if r.json {
		r.print(res)
		return nil
	}
	r.say("%s\n", r.rowLine(res.Row))
	r.row("show.id", res.ID)
	if res.Parent != "" {
		r.row("show.parent", res.Parent)
	}
	r.row("show.path", text.Safe(res.Path))
	r.row("show.plan", res.PlanHash)
	r.row("brief.working-on", text.Safe(res.Context.State.WorkingOn))
	for i, s := range res.Context.State.NextSteps {
		r.row(map[bool]string{true: "brief.next"}[i == 0], text.Safe(s))
	}
	if g := res.Environment.Git; g != nil {
		for i, f := range g.Files {
			r.row(map[bool]string{true: "show.files"}[i == 0], text.Safe(f.Path))
		}
	}
	r.findings(k.place.Word(res.Context.Findings), true)
	return nil
}

func (r *root) diff(k *call) error {
	if k.NArg() < 1 {
		return r.misuse("usage.diff")
	}
	if err := k.atMost(2); err != nil {
		return err
	}
	res, err := app.Diff(k.Ctx(), k.place, k.Args().Get(0), k.Args().Get(1))
	if err != nil {
		return err
	}
	if r.json {
		r.print(res)
		return nil
	}
	r.say("%s → %s\n", short(res.From), short(res.To))
	for _, c := range res.Changes {
		if inward(c.Part+c.Path) && !k.place.Verbose {
			continue
		}
		r.say("%s\n", text.Fit(text.Safe(fmt.Sprintf("%s%s: %s → %s", c.Part, c.Path, orNone(c.Before), orNone(c.After))), r.width()))
	}
	for _, f := range res.Files {
		r.say("%s  %s\n", f.Change, text.Safe(f.Path))
	}
	if res.NoFiles != "" {
		r.note("! %s\n", text.Safe(res.NoFiles))
	}
	return nil
}

// inward reports whether a field is for programs: what memory is found by, and marks of time. -v and --json show them.
func inward(field string) bool {
	last := field[strings.LastIndexByte(field, '/')+1:]
	return strings.HasPrefix(field, "context_state/memory/") && last != "summary" || field == "environment_state/diagnosed"
}

// orNone shows a JSON value, or that there is none.
func orNone(v json.RawMessage) string {
	if v == nil {
		return "–"
	}
	return string(v)
}

func (r *root) fork(k *call) error {
	if k.NArg() != 1 {
		return r.misuse("usage.one-id")
	}
	res, err := app.Fork(k.Ctx(), k.place, k.Args().First())
	if err != nil {
		return err
	}
	if r.json {
		r.print(res)
		return nil
	}
	r.say("%s\n", r.words.Say("fork.done", "id", short(res.ID), "parent", short(res.Parent)))
	return nil
}

func (r *root) undo(k *call) error {
	if err := k.atMost(1); err != nil {
		return err
	}
	res, err := app.Undo(k.Ctx(), k.place, k.Args().First())
	if err != nil {
		return err
	}
	if r.json {
		r.print(res)
		return nil
	}
	key := "undo.done"
	switch {
	case res.From == res.To:
		key = "undo.done-words"
	case res.To == "":
		key = "undo.done-first"
	}
	r.say("%s\n", r.words.Say(key, "undone", short(res.Undone), "id", short(res.Snapshot), "from", short(res.From), "to", short(res.To)))
	return nil
}

func (r *root) check(k *call) error {
	if err := k.none(); err != nil {
		return err
	}
	res, err := app.Check(k.Ctx(), k.place, k.Bool("repair"))
	if err != nil {
		return err
	}
	if r.json {
		r.print(res)
	} else {
		r.showCheck(res)
	}
	if !res.Clean {
		return &finished{app.Corrupt}
	}
	return nil
}

func (r *root) showCheck(res app.CheckResult) {
	for _, x := range res.Repaired {
		if x.Done {
			r.say("%s\n", r.words.Say("check.repaired", "what", x.Problem.Subject, "how", x.Problem.Repair))
		}
	}
	for _, x := range res.Problems {
		r.say("! %s: %s: %s\n", x.Kind, text.Safe(x.Subject), text.Safe(x.Detail))
		if x.Repair != "" {
			r.say("    → %s\n", r.words.Say("check.would", "how", x.Repair))
		}
	}
	for _, x := range res.Projections {
		key := "check.projection"
		if x.Repaired {
			key = "check.projected"
		}
		r.say("%s\n", r.words.Say(key, "name", x.Name, "detail", x.Detail))
	}
	if res.Clean {
		r.say("%s\n", r.words.Say("check.clean", "n", res.Snapshots, "blobs", res.Blobs))
	}
}

func (r *root) gc(k *call) error {
	if err := k.none(); err != nil {
		return err
	}
	if k.Int("keep") < 1 || k.Duration("older-than") < 0 {
		return r.misuse("usage.gc")
	}
	res, err := app.GC(k.Ctx(), k.place, app.GCOptions{Keep: k.Int("keep"), Older: k.Duration("older-than"), DryRun: k.Bool("dry-run")})
	if err != nil {
		return err
	}
	if r.json {
		r.print(res)
		return nil
	}
	for _, x := range res.Remove {
		r.say("%s  %s  %s\n", short(string(x.ID)), x.Created.Format(time.DateOnly), text.Safe(x.Why))
	}
	key := "gc.done"
	if !res.Done {
		key = "gc.would"
	}
	r.say("%s\n", r.words.Say(key, "n", len(res.Remove), "blobs", res.Blobs, "kept", len(res.Kept)))
	return nil
}

func (r *root) export(k *call) error {
	if k.NArg() != 1 {
		return r.misuse("usage.one-id")
	}
	to := k.String("o")
	if to == "" || to == "-" {
		return app.Export(k.Ctx(), k.place, k.Args().First(), r.Out)
	}
	f, err := os.OpenFile(join(k.place.Dir, to), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	err = app.Export(k.Ctx(), k.place, k.Args().First(), f)
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		_ = os.Remove(f.Name()) // half a file is none
		return err
	}
	if !r.json {
		r.say("%s\n", r.words.Say("export.done", "file", text.Safe(to)))
	}
	return nil
}

func (r *root) imports(k *call) error {
	if k.NArg() != 1 {
		return r.misuse("usage.import")
	}
	var from io.ReadSeeker
	f, err := os.Open(join(k.place.Dir, k.Args().First()))
	if err != nil {
		return err
	}
	defer f.Close()
	from = f
	res, err := app.Import(k.Ctx(), k.place, from)
	if err != nil {
		return err
	}
	if r.json {
		r.print(res)
		return nil
	}
	r.say("%s\n", r.words.Say("import.done", "n", len(res.Added), "known", res.Known))
	for _, id := range res.Tips {
		r.say("  session load %s\n", short(id))
	}
	return nil
}
