package commands

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"session/internal/app"
	"session/internal/lifecycle"
	"session/internal/text"

	"github.com/urfave/cli/v2"
)

// sessionCommands are about Sessions: their life, their questions, their numbers.
func (r *root) sessionCommands() []*cli.Command {
	say := r.words.Say
	where := func(more ...cli.Flag) []cli.Flag {
		return append(more, &cli.StringFlag{Name: "database", Usage: say("flag.database")})
	}
	return []*cli.Command{
		r.workerCommand(),
		{Name: "list", Usage: say("sessions.list"), Description: say("sessions.list-help"), Action: r.act(r.sessionList), Flags: where(
			&cli.StringSliceFlag{Name: "status", Usage: say("flag.status")}, number{&cli.IntFlag{Name: "limit", Usage: say("flag.limit")}},
			number{&cli.IntFlag{Name: "offset", Usage: say("flag.offset")}}, &cli.StringFlag{Name: "after", Usage: say("flag.after")})},
		{Name: "info", Usage: say("sessions.info"), Description: say("sessions.info-help"), ArgsUsage: "ID", Action: r.act(r.sessionInfo), Flags: where()},
		{Name: "pause", Usage: say("sessions.pause"), Description: say("sessions.pause-help"), ArgsUsage: "ID", Action: r.act(r.sessionPause), Flags: where()},
		{Name: "resume", Usage: say("sessions.resume"), Description: say("sessions.resume-help"), ArgsUsage: "ID", Action: r.act(r.sessionResume), Flags: where(
			&cli.StringSliceFlag{Name: "skip-todo", Usage: say("flag.skip-todo")}, &cli.StringSliceFlag{Name: "retry-todo", Usage: say("flag.retry-todo")},
			&cli.StringSliceFlag{Name: "update-todo", Usage: say("flag.update-todo")}, &cli.StringFlag{Name: "agent", Usage: say("flag.agent")})},
		{Name: "cancel", Usage: say("sessions.cancel"), Description: say("sessions.cancel-help"), ArgsUsage: "ID", Action: r.act(r.sessionCancel), Flags: where()},
		{Name: "delete", Usage: say("sessions.delete"), Description: say("sessions.delete-help"), ArgsUsage: "ID", Action: r.act(r.sessionDelete), Flags: where()},
		{Name: "answer", Usage: say("sessions.answer"), Description: say("sessions.answer-help"), ArgsUsage: "ID ANSWER", Action: r.act(r.sessionAnswer), Flags: where(
			&cli.StringFlag{Name: "request", Usage: say("flag.request")}, &cli.BoolFlag{Name: "hold", Usage: say("flag.hold")})},
		{Name: "stats", Usage: say("sessions.stats"), Description: say("sessions.stats-help"), Action: r.act(r.sessionStats), Flags: where(
			&cli.IntFlag{Name: "days", Value: 30, Usage: say("flag.days")})},
	}
}

// oneSession reads the one id of a command, and where Sessions are kept.
func (k *call) oneSession() (string, error) {
	if k.NArg() != 1 || k.Args().First() == "" {
		return "", k.misuse("usage.session-id")
	}
	return k.Args().First(), k.database()
}

func (k *call) database() (err error) {
	k.place.Database, err = k.said("database")
	return err
}

func (r *root) sessionList(k *call) error {
	if err := k.none(); err != nil {
		return err
	}
	if err := k.database(); err != nil {
		return err
	}
	q := app.SessionsQuery{Limit: k.Int("limit"), Offset: k.Int("offset"), After: lifecycle.Cursor(k.String("after"))}
	if k.IsSet("limit") && q.Limit < 1 {
		return r.misuse("usage.session-limit")
	}
	for _, list := range k.StringSlice("status") {
		for s := range strings.SplitSeq(list, ",") {
			status := lifecycle.Status(strings.TrimSpace(s))
			if !slices.Contains(lifecycle.Statuses(), status) {
				return r.misuse("usage.status", "value", string(status), "list", words(lifecycle.Statuses()))
			}
			q.Statuses = append(q.Statuses, status)
		}
	}
	res, err := app.ListSessions(k.Ctx(), k.place, q)
	if err != nil {
		return err
	}
	if r.json {
		r.print(res)
		return nil
	}
	for _, s := range res.Sessions {
		r.say("%s\n", text.Fit(r.sessionLine(s), r.width()))
	}
	if len(res.Sessions) == 0 {
		r.note("%s\n", r.words.Say("sessions.none"))
	}
	if res.Next != "" {
		r.note("%s\n", r.words.Say("sessions.more", "command", app.Shell([]string{"session", "list", "--after", string(res.Next)})))
	}
	return nil
}

// sessionLine is one Session on one line.
func (r *root) sessionLine(s lifecycle.Session) string {
	what := text.Line(s.Input, 200)
	if s.WorkTree {
		what = r.words.Say("sessions.tree") + "  " + what
	}
	return short(string(s.ID)) + "  " + text.Pad(string(s.Status), 12) + "  " + text.Pad(app.Ago(r.words, r.Now().Sub(s.UpdatedAt)), 14) + "  " + what
}

func (r *root) sessionInfo(k *call) error {
	id, err := k.oneSession()
	if err != nil {
		return err
	}
	res, err := app.InfoSession(k.Ctx(), k.place, id)
	if err != nil {
		return err
	}
	if r.json {
		r.print(res)
		return nil
	}
	r.showSession(res)
	return nil
}

func (r *root) showSession(i app.SessionInfo) {
	r.say("%s\n", text.Fit(r.sessionLine(i.Session), r.width()))
	r.row("sessions.id", string(i.ID))
	if i.Parent != "" {
		r.row("show.parent", string(i.Parent))
	}
	if i.Head != "" {
		r.row("sessions.head", string(i.Head))
	}
	r.row("sessions.used", r.words.Say("sessions.usage", "tokens", i.TokensUsed, "cost", dollars(i.CostMicro), "time", span(i.ExecutionMS)))
	if !i.ArchivedAt.IsZero() {
		r.row("sessions.archived", i.ArchivedAt.Local().Format("2006-01-02 15:04"))
	} else if !i.ExpiresAt.IsZero() {
		r.row("sessions.expires", i.ExpiresAt.Local().Format("2006-01-02 15:04"))
	}
	if why := i.Why(); why != "" {
		r.say("%s  %s\n", text.Pad(r.words.Say("sessions.why"), 12), text.Line(why, 500))
	}
	for n, t := range i.Todos {
		line := fmt.Sprintf("%s  %s  %s", t.ID, t.Status, text.Safe(t.Title))
		if t.RetryCount > 0 {
			line += fmt.Sprintf("  (×%d)", t.RetryCount)
		}
		r.row(map[bool]string{true: "sessions.todos"}[n == 0], line)
	}
	for n, e := range i.History[max(0, len(i.History)-shownEvents):] {
		r.row(map[bool]string{true: "sessions.history"}[n == 0], e.At.Local().Format("2006-01-02 15:04:05")+"  "+string(e.Type))
	}
	r.asks(i.Session.ID, i.Pending)
}

const shownEvents = 12 // of a Session's history; --json has all

// asks shows the question that waits, and how it is answered.
func (r *root) asks(id lifecycle.ID, q *lifecycle.Request) {
	if q == nil {
		return
	}
	r.note("? %s\n", text.SafeLines(app.QuestionOf(*q)))
	for _, o := range q.Options {
		r.note("    %s  %s\n", text.Safe(o.ID), text.Safe(o.Label))
	}
	r.note("    → %s\n", r.words.Say("sessions.answer-with", "id", short(string(id)), "until", q.TimeoutAt.Local().Format("2006-01-02 15:04")))
}

func dollars(micro int64) string { return fmt.Sprintf("$%.4f", float64(micro)/1e6) }

func span(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	if d >= time.Minute {
		return d.Round(time.Second).String()
	}
	return d.Round(10 * time.Millisecond).String()
}

func (r *root) sessionPause(k *call) error {
	id, err := k.oneSession()
	if err != nil {
		return err
	}
	s, err := app.PauseSession(k.Ctx(), k.place, id)
	return r.changedTo(s, err)
}

func (r *root) sessionCancel(k *call) error {
	id, err := k.oneSession()
	if err != nil {
		return err
	}
	s, err := app.CancelSession(k.Ctx(), k.place, id)
	return r.changedTo(s, err)
}

func (r *root) changedTo(s lifecycle.Session, err error) error {
	if err != nil {
		return err
	}
	if r.json {
		r.print(s)
		return nil
	}
	r.say("%s\n", r.words.Say("sessions.changed", "id", short(string(s.ID)), "status", s.Status))
	return nil
}

func (r *root) sessionDelete(k *call) error {
	id, err := k.oneSession()
	if err != nil {
		return err
	}
	t, err := app.DeleteSession(k.Ctx(), k.place, id)
	if err != nil {
		return err
	}
	if r.json {
		r.print(t)
		return nil
	}
	r.say("%s\n", r.words.Say("sessions.deleted", "id", short(string(t.ID))))
	return nil
}

func (r *root) sessionResume(k *call) error {
	id, err := k.oneSession()
	if err != nil {
		return err
	}
	var o app.ResumeOptions
	for name, to := range map[string]*[]lifecycle.TodoID{"skip-todo": &o.Skip, "retry-todo": &o.Retry} {
		all, err := k.saidAll(name)
		if err != nil {
			return err
		}
		for _, list := range all {
			for t := range strings.SplitSeq(list, ",") {
				*to = append(*to, lifecycle.TodoID(strings.TrimSpace(t)))
			}
		}
	}
	for _, u := range k.StringSlice("update-todo") {
		todo, title, ok := strings.Cut(u, "=")
		if !ok || strings.TrimSpace(title) == "" {
			return r.misuse("usage.update-todo")
		}
		title = strings.TrimSpace(title)
		o.Update = append(o.Update, lifecycle.TodoUpdate{ID: lifecycle.TodoID(strings.TrimSpace(todo)), Title: &title})
	}
	if o.Agent, err = k.said("agent"); err != nil {
		return err
	}
	k.place.Watch = r.progress()
	res, err := app.ResumeSession(k.Ctx(), k.place, id, o)
	return r.went(res, res, err)
}

// went shows how a Session went on; whole is what --json prints.
func (r *root) went(whole any, g app.Going, err error) error {
	if err != nil {
		return err
	}
	var q *lifecycle.Request
	if g.Run != nil {
		q = g.Run.Request
	}
	switch {
	case r.json:
		r.print(whole)
	case g.Run != nil:
		r.ran(*g.Run)
	default:
		return r.changedTo(g.Session, nil)
	}
	if q != nil {
		return &finished{app.NeedsPerson}
	}
	return nil
}

// ran shows what a run said, and what its Session is now.
func (r *root) ran(res app.RunResult) {
	if res.ID == "" {
		r.note("%s\n", r.words.Say("run.waits"))
	} else {
		r.say("%s\n", text.SafeLines(res.Output))
		r.note("%s\n", r.words.Say("run.done", "id", short(res.ID), "program", res.Program))
	}
	r.asks(res.Session, res.Request)
}

func (r *root) sessionAnswer(k *call) error {
	if k.NArg() < 2 {
		return r.misuse("usage.answer")
	}
	if err := k.database(); err != nil {
		return err
	}
	request, err := k.said("request")
	if err != nil {
		return err
	}
	says := strings.TrimSpace(strings.Join(k.Args().Tail(), " "))
	if says == "" {
		return r.misuse("usage.answer")
	}
	k.place.Watch = r.progress()
	res, err := app.AnswerSession(k.Ctx(), k.place, k.Args().First(), app.AnswerOptions{Request: request, Choice: says, Via: "terminal", Hold: k.Bool("hold")})
	return r.went(res, res.Going, err)
}

func (r *root) sessionStats(k *call) error {
	if err := k.none(); err != nil {
		return err
	}
	if err := k.database(); err != nil {
		return err
	}
	if k.Int("days") < 1 || k.Int("days") > 366 {
		return r.misuse("usage.days")
	}
	res, err := app.SessionStats(k.Ctx(), k.place, k.Int("days"))
	if err != nil {
		return err
	}
	if r.json {
		r.print(res)
		return nil
	}
	r.showStats(res)
	return nil
}

// showStats is the table of seed 004 §9.2, with a bar for each day: what completed, what failed, the rest.
func (r *root) showStats(s app.StatsResult) {
	if len(s.Days) == 0 {
		r.note("%s\n", r.words.Say("sessions.none"))
		return
	}
	most := int64(1)
	for _, d := range s.Days {
		most = max(most, d.Total)
	}
	r.say("%s\n", r.words.Say("sessions.stats-head"))
	for _, d := range s.Days {
		cells := fmt.Sprintf("%s %8d %9d %6d %9s %10d %10s", d.Date, d.Total, d.Completed, d.Failed, span(d.AvgExecutionMS), d.Tokens, dollars(d.CostMicro))
		r.say("%s\n", text.Fit(cells+"  "+bar(d, most), r.width()))
	}
	var now []string
	for _, st := range lifecycle.Statuses() {
		if n := s.Counts[st]; n > 0 {
			now = append(now, fmt.Sprintf("%s %d", st, n))
		}
	}
	r.say("%s\n", r.words.Say("sessions.stats-now", "list", strings.Join(now, " · ")))
}

const barWidth = 24 // columns

func bar(d lifecycle.Day, most int64) string {
	cols := func(n int64) int { return int((n*barWidth + most - 1) / most) }
	completed, failed := cols(d.Completed), 0
	if d.Failed > 0 {
		failed = max(1, cols(d.Completed+d.Failed)-completed)
	}
	rest := max(0, cols(d.Total)-completed-failed)
	return strings.Repeat("█", completed) + strings.Repeat("x", failed) + strings.Repeat("░", rest)
}
