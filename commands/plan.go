package commands

import (
	"encoding/json"
	"strings"

	"session/internal/app"
	"session/internal/text"

	"charm.land/huh/v2"
	"github.com/urfave/cli/v2"
)

// planCommand is session plan.
func (r *root) planCommand() *cli.Command {
	say := r.words.Say
	profile := &cli.StringFlag{Name: "profile", Usage: say("flag.profile")}
	return &cli.Command{Name: "plan", Usage: say("plan.usage"), Description: say("plan.help"), Action: r.act(func(k *call) error {
		return k.misuse("usage.plan")
	}), Subcommands: []*cli.Command{
		{Name: "show", Usage: say("plan.show"), Action: r.act(r.planShow), Flags: []cli.Flag{profile, &cli.StringFlag{Name: "mode", Usage: say("flag.mode")}}},
		{Name: "hash", Usage: say("plan.hash"), Action: r.act(r.planHash), Flags: []cli.Flag{profile}},
		{Name: "check", Usage: say("plan.check"), Action: r.act(r.planCheck), Flags: []cli.Flag{profile}},
		{Name: "accept", Usage: say("plan.accept"), Action: r.act(r.planAccept), Flags: []cli.Flag{profile, &cli.BoolFlag{Name: "assistant", Usage: say("flag.assistant")}}},
		{Name: "upgrade", Usage: say("plan.upgrade"), Action: r.act(r.planUpgrade), Flags: []cli.Flag{profile}},
	}}
}

// plan looks at the policy of the work tree.
func (r *root) plan(k *call, mode string) (app.PlanResult, error) {
	if err := k.none(); err != nil {
		return app.PlanResult{}, err
	}
	k.place.Profile = k.String("profile")
	return app.ShowPlan(k.Ctx(), k.place, mode)
}

func (r *root) planShow(k *call) error {
	mode := k.String("mode")
	if mode == "" {
		mode = "quick"
	}
	res, err := r.plan(k, mode)
	if err != nil {
		return err
	}
	if r.json {
		r.print(res)
		return nil
	}
	r.say("%s\n", r.words.Say("plan.of", "mode", res.Mode, "profile", res.Inputs.Profile))
	for i, s := range res.Plan {
		var extra []string
		if s.Keep {
			extra = append(extra, "keep")
		}
		if s.Limit != "" {
			extra = append(extra, "limit "+s.Limit)
		}
		if s.With != nil {
			extra = append(extra, text.Safe(string(s.With)))
		}
		r.say("%s\n", text.Fit(strings.TrimRight(text.Pad(pad2(i+1)+"  "+text.Safe(s.Name), 24)+text.Pad(text.Safe(s.From), 40)+strings.Join(extra, "  "), " "), r.width()))
	}
	r.inert(res)
	return nil
}

func pad2(n int) string {
	b, _ := json.Marshal(n)
	return strings.Repeat(" ", max(0, 2-len(b))) + string(b)
}

// inert says that the shown policy does not run, and what differs.
func (r *root) inert(res app.PlanResult) {
	for _, p := range res.Problems {
		r.note("! %s\n", text.Safe(p))
	}
	if !res.Inert {
		return
	}
	r.note("! %s\n", r.words.Say("plan.inert", "runs", res.Runs))
	r.changes(res, r.note)
	r.note("    → session plan accept\n")
}

func (r *root) changes(res app.PlanResult, write func(string, ...any)) {
	for _, c := range res.Changes {
		if string(c.New) == `"`+res.Inputs.Profile+`"` {
			c.New = json.RawMessage(`"` + res.Shown + `"`)
		}
		write("%s\n", text.Fit(strings.TrimSuffix(c.File+": "+c.Entry, ": ")+": "+text.Safe(orNone(c.Old))+" → "+text.Safe(orNone(c.New)), r.width()))
	}
}

func (r *root) planHash(k *call) error {
	res, err := r.plan(k, "")
	if err != nil {
		return err
	}
	if r.json {
		r.print(res)
		return nil
	}
	r.say("%s\n", res.Hash)
	r.inert(res)
	return nil
}

func (r *root) planCheck(k *call) error {
	res, err := r.plan(k, "")
	if err != nil {
		return err
	}
	if r.json {
		r.print(res)
	} else {
		r.inert(res)
		if !res.Inert {
			r.accepted(res)
		}
	}
	if res.Inert {
		return &finished{app.NotAccepted}
	}
	return nil
}

// planAccept asks a person, at a terminal, whether the policy may run on this machine.
func (r *root) planAccept(k *call) error {
	if k.Bool("assistant") || !r.Terminal || r.getenv("CLAUDECODE") != "" {
		return &app.NoPersonError{}
	}
	res, err := r.plan(k, "")
	if err != nil {
		return err
	}
	if len(res.Problems) > 0 {
		r.inert(res)
		return &finished{app.NotAccepted}
	}
	if !res.Inert {
		r.accepted(res)
		return nil
	}
	write := r.say
	if r.json {
		write = r.note
	}
	r.changes(res, write)
	agreed := false
	if err := r.ask(huh.NewConfirm().Title(r.words.Say("plan.ask", "profile", res.Shown)).Value(&agreed)); err != nil {
		return err
	}
	if !agreed {
		return &finished{app.NotAccepted}
	}
	if res, err = app.AcceptPlan(k.Ctx(), k.place, res.Hash); err != nil {
		return err
	}
	r.accepted(res)
	return nil
}

// accepted says which policy runs here now.
func (r *root) accepted(res app.PlanResult) {
	if r.json {
		r.print(res)
		return
	}
	r.say("%s\n", r.words.Say("plan.accepted", "profile", res.Shown, "hash", res.Hash))
}

// planUpgrade moves to the newest built-in policy.
func (r *root) planUpgrade(k *call) error {
	if err := k.none(); err != nil {
		return err
	}
	k.place.Profile = app.NewestPolicy()
	res, err := app.ShowPlan(k.Ctx(), k.place, "")
	if err != nil {
		return err
	}
	switch {
	case !res.Inert && r.json:
		r.print(res)
		return nil
	case !res.Inert:
		r.say("%s\n", r.words.Say("plan.newest", "profile", res.Inputs.Profile))
		return nil
	}
	return r.planAccept(k)
}
