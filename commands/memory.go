package commands

import (
	"io"
	"strings"
	"time"

	"session/internal/app"
	"session/internal/text"

	"github.com/urfave/cli/v2"
)

// memoryCommand is session memory.
func (r *root) memoryCommand() *cli.Command {
	say := r.words.Say
	scope := func(more ...cli.Flag) []cli.Flag {
		return append(more, &cli.StringFlag{Name: "session", Usage: say("flag.memory-session")}, &cli.BoolFlag{Name: "all", Usage: say("flag.memory-all")})
	}
	return &cli.Command{Name: "memory", Usage: say("memory.usage"), Description: say("memory.help"), Action: r.act(r.memoryBare),
		Subcommands: []*cli.Command{
			{Name: "add", Usage: say("memory.add"), Description: say("memory.add-help"), ArgsUsage: "TEXT | -", Action: r.act(r.memoryAdd), Flags: []cli.Flag{
				&cli.StringFlag{Name: "session", Usage: say("flag.memory-into")}, &cli.StringFlag{Name: "timestamp", Usage: say("flag.memory-timestamp")},
				&cli.StringSliceFlag{Name: "keyword", Usage: say("flag.memory-keyword")}}},
			{Name: "search", Usage: say("memory.search"), Description: say("memory.search-help"), ArgsUsage: "QUERY | -", Action: r.act(r.memorySearch), Flags: scope(
				number{&cli.IntFlag{Name: "top-k", Usage: say("flag.top-k")}}, &cli.StringFlag{Name: "ranking", Value: "count-recency", Usage: say("flag.ranking")})},
			{Name: "list", Usage: say("memory.list"), Action: r.act(r.memoryList), Flags: scope(number{&cli.IntFlag{Name: "limit", Usage: say("flag.memory-limit")}})},
			{Name: "forget", Usage: say("memory.forget"), Description: say("memory.forget-help"), ArgsUsage: "ID…", Action: r.act(r.memoryForget), Flags: scope()},
		}}
}

func (r *root) memoryBare(k *call) error {
	return r.misuse("usage.memory")
}

// memoryAdd takes one text, or JSON lines on stdin.
func (r *root) memoryAdd(k *call) error {
	name, err := k.said("session")
	if err != nil {
		return err
	}
	notes, err := k.notes()
	if err != nil {
		return err
	}
	res, err := app.AddMemory(k.Ctx(), k.place, name, notes)
	if err != nil {
		return err
	}
	defer r.behind(res)
	if r.json {
		r.print(res.Items)
		return nil
	}
	if res.Begun {
		r.note("%s\n", r.words.Say("memory.begun", "session", res.Session))
	}
	if len(res.Snapshots) == 0 {
		r.say("%s\n", r.words.Say("memory.known", "n", len(res.Items), "session", res.Session))
		return nil
	}
	r.changed("memory.added", res)
	return nil
}

// notes are what to remember, as arguments or on stdin.
func (k *call) notes() ([]app.Note, error) {
	at, err := k.when("timestamp")
	if err != nil {
		return nil, err
	}
	keywords, err := k.saidAll("keyword")
	if err != nil {
		return nil, err
	}
	args := k.Args().Slice()
	if len(args) > 1 || len(args) == 1 && args[0] != "-" {
		summary := strings.TrimSpace(strings.Join(args, " "))
		if summary == "" {
			return nil, k.misuse("usage.memory-add")
		}
		return []app.Note{{Summary: summary, Timestamp: at, Keywords: keywords}}, nil
	}
	if len(args) == 0 && k.Terminal || k.IsSet("timestamp") || k.IsSet("keyword") {
		return nil, k.misuse("usage.memory-add")
	}
	notes, err := app.ReadNotes(k.In)
	if err == nil && len(notes) == 0 {
		err = k.misuse("usage.memory-empty")
	}
	return notes, err
}

// when reads a flag that is a time.
func (k *call) when(name string) (time.Time, error) {
	v, err := k.said(name)
	if err != nil || v == "" {
		return time.Time{}, err
	}
	at, err := time.Parse(time.RFC3339, v)
	if err != nil {
		return at, k.misuse("usage.memory-timestamp", "value", v)
	}
	return at, nil
}

// changed says what was remembered or forgotten, and how to take that back.
func (r *root) changed(key string, res app.RememberResult) {
	for _, m := range res.Items[:min(10, len(res.Items))] {
		r.say("%s\n", r.memoryLine(m, ""))
	}
	r.say("%s\n", r.words.Say(key, "n", len(res.Items), "session", res.Session))
	for _, s := range res.Snapshots {
		r.say("    → session undo %s\n", short(s))
	}
}

// behind tells that something is recorded, but not shown yet.
func (r *root) behind(res app.RememberResult) {
	for _, err := range res.Behind {
		r.note("! %s\n    → session check --repair\n", r.words.Say("save.behind", "cause", err))
	}
}

// memorySearch shows what is remembered, best first.
func (r *root) memorySearch(k *call) error {
	if !k.IsSet("top-k") {
		return r.misuse("usage.top-k")
	}
	scope, err := k.memoryScope()
	if err != nil {
		return err
	}
	query, err := k.query()
	if err != nil {
		return err
	}
	found, err := app.SearchMemory(k.Ctx(), k.place, app.MemoryQuery{MemoryScope: scope, Text: query, TopK: k.Int("top-k"), Ranking: k.String("ranking")})
	if err != nil {
		return err
	}
	if r.json {
		r.print(found)
		return nil
	}
	for _, m := range found {
		r.showMemory(m, query)
	}
	if len(found) == 0 {
		r.note("%s\n", r.words.Say("memory.none-found"))
	}
	return nil
}

// maxQuery bounds a query on stdin; of what is beyond a megabyte nothing is looked for.
const maxQuery = 1<<20 + 1

func (k *call) query() (string, error) {
	query := strings.Join(k.Args().Slice(), " ")
	if query == "-" {
		b, err := io.ReadAll(io.LimitReader(k.In, maxQuery))
		if err != nil {
			return "", err
		}
		query = string(b)
	}
	if strings.TrimSpace(query) == "" {
		return "", k.misuse("usage.memory-search")
	}
	return query, nil
}

func (k *call) memoryScope() (app.MemoryScope, error) {
	name, err := k.said("session")
	return app.MemoryScope{Session: name, All: k.Bool("all")}, err
}

func (r *root) memoryList(k *call) error {
	if err := k.none(); err != nil {
		return err
	}
	if k.IsSet("limit") && k.Int("limit") < 1 {
		return r.misuse("usage.memory-limit")
	}
	scope, err := k.memoryScope()
	if err != nil {
		return err
	}
	found, err := app.ListMemory(k.Ctx(), k.place, scope, k.Int("limit"))
	if err != nil {
		return err
	}
	if r.json {
		r.print(found)
		return nil
	}
	for _, m := range found {
		r.say("%s\n", text.Fit(r.memoryLine(m, ""), r.width()))
	}
	if len(found) == 0 {
		r.note("%s\n", r.words.Say("memory.none"))
	}
	return nil
}

func (r *root) memoryForget(k *call) error {
	if k.NArg() == 0 {
		return r.misuse("usage.memory-forget")
	}
	scope, err := k.memoryScope()
	if err != nil {
		return err
	}
	res, err := app.ForgetMemory(k.Ctx(), k.place, scope, k.Args().Slice())
	r.behind(res)
	if err != nil {
		return err
	}
	if r.json {
		r.print(res.Items)
		return nil
	}
	r.changed("memory.forgot", res)
	return nil
}

// memoryLine is one thing remembered on one line: the beginning of its id, its time, its summary.
func (r *root) memoryLine(m app.Memory, query string) string {
	summary := strings.Join(strings.Fields(m.Summary), " ")
	return short(string(m.ID)) + "  " + m.Timestamp.Format("2006-01-02 15:04") + "  " + r.highlit(summary, query)
}

// showMemory shows all of it, with what the query asked for marked.
func (r *root) showMemory(m app.Memory, query string) {
	first, rest, more := strings.Cut(strings.TrimSpace(m.Summary), "\n")
	m.Summary = first
	r.say("%s\n", r.memoryLine(m, query))
	for more {
		first, rest, more = strings.Cut(rest, "\n")
		r.say("          %s\n", r.highlit(strings.TrimRight(first, " \r"), query))
	}
}

// highlit makes foreign text safe and, on a terminal, shows in bold what a query asked for in it.
func (r *root) highlit(s, query string) string {
	if query == "" || r.Columns == 0 || r.getenv("NO_COLOR") != "" {
		return text.Safe(s)
	}
	var b strings.Builder
	at := 0
	for _, span := range app.Highlight(query, s) {
		b.WriteString(text.Safe(s[at:span[0]]) + "\x1b[1m" + text.Safe(s[span[0]:span[1]]) + "\x1b[22m")
		at = span[1]
	}
	return b.String() + text.Safe(s[at:])
}
