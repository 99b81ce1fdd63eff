package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"session/blocker"
	"session/internal/assistant"
	"session/internal/capture"
	"session/internal/proc"
	"session/internal/quote"
	"session/internal/session"
	"session/internal/snapshot"
	"session/internal/text"
)

// HooksVariable switches all hooks off for whoever has it in the environment with the value "off".
const HooksVariable = "SESSION_HOOKS"

// HookLimit is the longest that a hook may take, whatever happens.
const HookLimit = 2 * time.Second

// HooksDisabled reports whether hooks are switched off. Nothing is opened for the answer.
func HooksDisabled(env []string) bool { return proc.Getenv(env, HooksVariable) == "off" }

// HookInput is what a hook was started with.
type HookInput struct {
	Event string // an event of the program's, or an assistant's own name of it
	From  string // the assistant; "" for git, and for Claude Code
	Args  []string
	Body  io.Reader
}

// Hook does what follows from one call of an assistant or git, and gives what the caller reads on standard output; nil
// is silence. Whatever goes wrong is an error for the log and for nobody else: a hook never stops its caller. It starts
// no program but git, reads no network, and does nothing in a repository where nothing was ever saved or installed.
func Hook(ctx context.Context, p Place, in HookInput) (answer []byte, err error) {
	p.Backends.Offline = true
	began := p.Now()
	if HooksDisabled(p.Env) || proc.Getenv(p.Env, capture.OwnPush) != "" {
		return nil, nil
	}
	e, err := within(ctx, func(context.Context) (assistant.Event, error) { // whoever calls may never close our input
		return assistant.ParseEvent(assistant.Input{From: assistant.Name(in.From), Event: in.Event, Args: in.Args, Body: in.Body})
	})
	if err != nil && e.Kind == "" { // given up: whose hook it was is known all the same
		e, _ = assistant.ParseEvent(assistant.Input{From: assistant.Name(in.From), Event: in.Event, Body: strings.NewReader("{}")})
	}
	if e.Kind == assistant.Ignored || e.Kind == "" && err == nil {
		return nil, err
	}
	h, openErr := p.openHook(context.WithoutCancel(ctx), e)
	if h == nil {
		return nil, errors.Join(err, openErr)
	}
	// The line is written whoever wins: the work, a panic of it, or the deadline.
	log := func(err error) {
		f := assistant.Fired{At: began, From: e.From, Kind: e.Kind, Session: e.Session, Millis: p.Now().Sub(began).Milliseconds()}
		if err != nil {
			f.Error = text.Line(err.Error(), 280)
		}
		_ = assistant.LogFired(h.hookLog(), f) // a full disk: there is nobody left to tell
	}
	if err == nil {
		answer, err = within(ctx, func(ctx context.Context) ([]byte, error) { return h.do(ctx) })
	}
	log(err)
	return answer, err
}

// within runs f, turns its panic into an error, and gives up on it when ctx ends.
func within[T any](ctx context.Context, f func(context.Context) (T, error)) (T, error) {
	type result struct {
		answer T
		err    error
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			if v := recover(); v != nil {
				r.err = fmt.Errorf("a bug: %v", v)
			}
			done <- r
		}()
		r.answer, r.err = f(ctx)
	}()
	select {
	case r := <-done:
		return r.answer, r.err
	case <-ctx.Done():
		var none T
		return none, fmt.Errorf("given up: %w", context.Cause(ctx))
	}
}

// hooked is one event at the work tree that it belongs to.
type hooked struct {
	*site
	e assistant.Event
}

// openHook finds the work tree of an event: where the assistant works now, else where it was started, else where the
// hook runs. Nil: none of them is a work tree that session was ever used in.
func (p Place) openHook(ctx context.Context, e assistant.Event) (*hooked, error) {
	var failed error
	for _, dir := range []string{e.Dir, proc.Getenv(p.Env, "CLAUDE_PROJECT_DIR"), p.Dir} {
		if dir == "" || !filepath.IsAbs(dir) {
			continue
		}
		at := p
		at.Dir, at.Prompt = dir, false
		s, err := at.open(ctx)
		if err != nil {
			failed = err
			continue
		}
		if s.inUse() {
			return &hooked{site: s, e: e}, nil
		}
	}
	return nil, failed
}

// inUse reports whether session was ever used here: something was saved, or installed.
func (s *site) inUse() bool {
	for _, f := range []string{filepath.Join(s.storeDir(), "store.json"), s.initRecord(), s.hookRecord(), s.stateFile()} {
		if _, err := os.Lstat(f); err == nil {
			return true
		}
	}
	return false
}

// do answers the event.
func (h *hooked) do(ctx context.Context) ([]byte, error) {
	switch h.e.Kind {
	case assistant.SessionStart, assistant.Prompt:
		return h.greet(ctx)
	case assistant.BeforePush:
		return h.warn(ctx)
	}
	return nil, errors.Join(h.catchUp(ctx, h.e.Session), h.record(ctx))
}

// greet answers the start of a conversation. Below a run the prompt says all that there is to say.
func (h *hooked) greet(ctx context.Context) ([]byte, error) {
	want := h.e.Wants(h.opens())
	if want == assistant.WantNothing || proc.Getenv(h.Env, RunVariable) != "" {
		return nil, nil
	}
	if on, err := h.follows(ctx, "session-start"); err != nil || !on {
		return nil, err
	}
	reply, err := h.offer(ctx, want)
	if isNothing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return h.e.Answer(reply), nil
}

// follows reports whether the policy lets anything follow from an event.
func (h *hooked) follows(ctx context.Context, event string) (bool, error) {
	pol, err := h.policy(ctx)
	return err == nil && pol.Triggers.Events[event] != "", err
}

// opens reports whether a prompt is the first of its conversation.
func (h *hooked) opens() bool {
	if h.e.Kind != assistant.Prompt {
		return false
	}
	head := make([]byte, 1<<20)
	f, err := os.Open(h.e.Transcript)
	if err != nil {
		return h.e.Opens(nil)
	}
	defer f.Close()
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false
	}
	return h.e.Opens(head[:n])
}

// maxBrief bounds the context that a conversation begins with, in bytes: about 600 tokens.
const maxBrief = 2400

// offer words the restore offer: the brief for the model, one line for the person.
func (h *hooked) offer(ctx context.Context, want assistant.Want) (assistant.Reply, error) {
	if want == assistant.WantPointer {
		from, err := h.saved(ctx, "")
		if err != nil {
			return assistant.Reply{}, err
		}
		ago := Ago(h.Words, h.Now().Sub(from.state.SavedAt))
		return assistant.Reply{Context: h.Words.Say("hook.pointer", "ago", ago, "id", short(from.state.Snapshot), "load", h.loadCommand())}, nil
	}
	o := LoadOptions{Assistant: true}
	if h.e.Source == "compact" {
		o.ID = h.newestAutosave(ctx)
	}
	res, err := Load(ctx, h.Place, o)
	if err != nil {
		return assistant.Reply{}, err
	}
	ago := Ago(h.Words, h.Now().Sub(res.State.SavedAt))
	key := "hook.context"
	if h.e.Source == "compact" {
		key = "hook.compacted"
	}
	brief := cut(res.Brief.Text(200), maxBrief)
	r := assistant.Reply{Context: h.Words.Say(key, "load", h.loadCommand()) + "\n```text\n" + strings.ReplaceAll(brief, "```", "'''") + "```\n",
		Message: h.Words.Say("hook.message", "ago", ago, "branch", res.State.GitBranch, "working_on", text.Line(res.State.WorkingOn, 60), "load", h.loadCommand())}
	if res.Blocker != nil {
		r.Message += " " + h.Words.Say("hook.message-blocker", "type", string(res.Blocker.Type), "where", at(res.Blocker))
	}
	return r, nil
}

// at is a blocker's place behind its type.
func at(b *blocker.Blocker) string {
	if place := quote.Place(b); place != "" {
		return " " + place
	}
	return ""
}

// cut keeps whole lines.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	s = s[:most]
	return s[:strings.LastIndexByte(s, '\n')+1] + "…\n"
}

// loadCommand is how a person of this assistant asks for a load.
func (h *hooked) loadCommand() string {
	switch h.e.From {
	case assistant.Codex:
		return "$session-load"
	case assistant.Copilot, assistant.Cursor:
		return "/session-load"
	}
	return "/session:load"
}

// newestAutosave is the newest autosave since the last save, which a compaction has just made; "" where there is none.
func (h *hooked) newestAutosave(ctx context.Context) string {
	_, chain, err := h.store(false)
	if err != nil {
		return ""
	}
	at, err := chain.Head(ctx, h.path)
	if err != nil {
		return ""
	}
	pending, err := chain.Pending(ctx, at)
	if n := len(pending.Autosaves); err == nil && n > 0 {
		return string(pending.Autosaves[n-1].ID)
	}
	return ""
}

// warn answers an assistant that is about to push: what would be pushed was never saved, or is blocked.
func (h *hooked) warn(ctx context.Context) ([]byte, error) {
	if on, err := h.follows(ctx, "before-push"); err != nil || !on {
		return nil, err
	}
	from, err := h.saved(ctx, "")
	if isNothing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var parts []string
	st := from.state
	if b := st.Blocker; b != nil {
		parts = append(parts, h.Words.Say("hook.push-blocked", "type", string(b.Type), "where", at(b)))
	}
	if st.GitCommit != h.head.Commit || st.GitBranch != session.PathText(h.head.Branch()) {
		parts = append(parts, h.Words.Say("hook.push-stale", "ago", Ago(h.Words, h.Now().Sub(st.SavedAt)), "commit", short(st.GitCommit), "head", short(h.head.Commit)))
	}
	if len(parts) == 0 {
		return nil, nil
	}
	say := strings.Join(parts, " ")
	return h.e.Answer(assistant.Reply{Context: say, Message: "session: " + say}), nil
}

// eventName is the name under which triggers.yaml knows an event; "" where it has none of its own.
func eventName(k assistant.Kind) string {
	switch k {
	case assistant.PrePush:
		return "before-push"
	case assistant.ToolFailed:
		return "turn-end"
	}
	return string(k)
}

// record makes the autosave of an event, under the mode that the policy gives it.
func (h *hooked) record(ctx context.Context) error {
	a := &autosave{event: h.e, below: proc.Getenv(h.Env, RunVariable) != ""}
	fs, chain, err := h.store(true)
	if err != nil {
		return err
	}
	// One conversation is read by one hook at a time, so that no message is taken in twice.
	lease, err := fs.Acquire(ctx, chain.LeaseKey("transcripts:"+snapshot.Path(h.workTree())), h.holder(""), HookLimit/2)
	if err != nil {
		return err
	}
	err = h.recordHeld(ctx, a)
	return errors.Join(err, lease.Release(context.WithoutCancel(ctx)))
}

func (h *hooked) recordHeld(ctx context.Context, a *autosave) error {
	open, err := h.readOpen()
	if err != nil {
		return err
	}
	before := open
	before.Read = slices.Clone(open.Read)
	if err := h.gather(a, &open); err != nil {
		return err
	}
	if a.empty() {
		if a.read && before.began(h.e) {
			return h.writeOpen(before)
		}
		return nil
	}
	v := &saving{site: h.site, auto: a}
	if err := v.prepare(ctx); err != nil || v.o.Mode == "" {
		return err
	}
	if _, _, err := v.run(ctx); err != nil {
		return err
	}
	return h.writeOpen(open)
}
