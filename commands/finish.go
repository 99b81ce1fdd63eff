package commands

import (
	"session/internal/app"
	"session/internal/text"
)

func (r *root) fold(k *call) error {
	if err := k.none(); err != nil {
		return err
	}
	message, err := k.said("m")
	if err != nil {
		return err
	}
	if message == "" {
		return r.misuse("usage.finish")
	}
	res, err := app.Finish(k.Ctx(), k.place, app.FinishOptions{Message: message, EvenPushed: k.Bool("even-if-pushed"), NoVerify: k.Bool("no-verify")})
	if err != nil {
		return err
	}
	if r.json {
		r.print(res)
		return nil
	}
	r.say("%s\n", r.words.Say("finish.done", "n", len(res.Folded), "commit", short(res.Commit)))
	if len(res.Push) > 0 {
		r.say("    → %s\n", app.Shell(res.Push))
	}
	return nil
}

func (r *root) restore(k *call) error {
	if k.NArg() < 1 {
		return r.misuse("usage.one-id")
	}
	res, err := app.Restore(k.Ctx(), k.place, k.Args().First(), k.Args().Slice()[1:], k.Bool("apply"))
	if err != nil {
		return err
	}
	if r.json {
		r.print(res)
		return nil
	}
	kept := false
	for _, f := range res.Files {
		kept = kept || f.Kept()
		r.say("%s  %s\n", text.Pad(r.words.Say("restore."+f.Action), 12), text.Safe(f.Path))
	}
	key := "restore.would"
	switch {
	case res.Done:
		key = "restore.done"
	case len(res.Files) == 0:
		key = "restore.none"
	}
	r.say("%s\n", r.words.Say(key, "from", short(res.From), "saved", short(res.Saved), "id", short(res.Applied)))
	switch {
	case kept && res.Done:
		r.say("    → %s\n", r.words.Say("restore.kept-again", "from", short(res.From)))
	case kept:
		r.say("    → %s\n", r.words.Say("restore.kept-first", "from", short(res.From)))
	}
	return nil
}
