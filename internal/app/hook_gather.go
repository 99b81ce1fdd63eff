package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"session/blocker"
	"session/internal/assistant"
	"session/internal/atomicfile"
	"session/internal/memory"
	"session/internal/proc"
	"session/internal/redact"
	"session/internal/session"
	"session/internal/snapshot"
)

// autosave is what one hook adds to what its base says.
type autosave struct {
	event    assistant.Event
	page     assistant.Page
	read     bool // a transcript was read
	below    bool // a run started the assistant
	evidence []session.Evidence
}

// empty reports whether nothing happened that is not recorded already.
func (a *autosave) empty() bool {
	switch a.event.Kind {
	case assistant.PrePush:
		return false
	case assistant.AgentEnd, assistant.ToolFailed:
		return len(a.evidence) == 0
	}
	return a.read && len(a.evidence) == 0 && !a.worked()
}

// worked reports whether anything was said or done besides calling session itself: a turn that is nothing but a save or
// a load is taken in with the next one, so that no save is followed by an autosave of its own making.
// An answer whose question was taken in by an earlier hook, before the assistant had written it down, is no such turn.
func (a *autosave) worked() bool {
	own := false
	for _, s := range a.page.Segments {
		if s.Role == assistant.User {
			own = strings.HasPrefix(s.Text, assistant.OwnCommand)
		}
		if !own || s.Role != assistant.User && len(s.Tools) > 0 || s.Role == assistant.Summary {
			return true
		}
	}
	return false
}

// hookNotes is what hooks of a work tree know from one call to the next: how far each conversation was read, and whose
// last word was a failure.
type hookNotes struct {
	Read   []readMark           `json:"read"`
	Failed map[string]time.Time `json:"failed"` // by the evidence's source
	Passed map[string]time.Time `json:"passed"` // those that had failed, and worked again
}

// readMark is how far one conversation was read, and where it stands.
type readMark struct {
	Session    string             `json:"session"`
	At         assistant.Position `json:"at"`
	From       assistant.Name     `json:"from,omitempty"`
	Transcript string             `json:"transcript,omitempty"`
	Dir        string             `json:"dir,omitempty"` // where the assistant worked
}

// grown reports whether more was written since, in a transcript that only grows.
func (m readMark) grown() bool {
	if m.Transcript == "" {
		return false
	}
	info, err := os.Stat(m.Transcript)
	return err == nil && info.Size() > m.At.Offset
}

// Bounds of the notes.
const (
	maxReadMarks = 50
	maxFailed    = 100
	maxHookNotes = 1 << 20
)

func (s *site) notesFile() string { return filepath.Join(s.runtimeDir(), "hook-notes.json") }

// readOpen reads the notes. Damaged ones are set aside: what was noted is read once more, and nothing is lost.
func (s *site) readOpen() (hookNotes, error) {
	n := hookNotes{Failed: map[string]time.Time{}, Passed: map[string]time.Time{}}
	b, err := atomicfile.Read(s.notesFile(), maxHookNotes)
	if errors.Is(err, fs.ErrNotExist) {
		return n, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &n)
	}
	if err != nil {
		if e := os.Rename(s.notesFile(), s.notesFile()+".damaged"); e != nil {
			return n, fmt.Errorf("read what hooks noted: %w", errors.Join(err, e))
		}
		return hookNotes{Failed: map[string]time.Time{}, Passed: map[string]time.Time{}}, nil
	}
	for _, m := range []*map[string]time.Time{&n.Failed, &n.Passed} {
		if *m == nil {
			*m = map[string]time.Time{}
		}
	}
	return n, nil
}

func (s *site) writeOpen(n hookNotes) error {
	n.Read = n.Read[max(0, len(n.Read)-maxReadMarks):]
	forgetOldest(n.Failed)
	forgetOldest(n.Passed)
	b, err := json.Marshal(n)
	if err == nil {
		err = os.MkdirAll(s.runtimeDir(), 0o700)
	}
	if err == nil {
		err = atomicfile.Swap(s.notesFile(), b, 0o600)
	}
	if err != nil {
		return fmt.Errorf("note how far the conversation was read: %w", err)
	}
	return nil
}

func forgetOldest(m map[string]time.Time) {
	for len(m) > maxFailed {
		oldest := ""
		for k, at := range m {
			if oldest == "" || at.Before(m[oldest]) {
				oldest = k
			}
		}
		delete(m, oldest)
	}
}

func (n *hookNotes) position(conversation string) assistant.Position {
	for _, m := range n.Read {
		if m.Session == conversation {
			return m.At
		}
	}
	return assistant.Position{}
}

func (n *hookNotes) advance(m readMark) {
	n.Read = append(slices.DeleteFunc(n.Read, func(o readMark) bool { return o.Session == m.Session }), m)
}

// catchUp takes in what assistants wrote down after the hook that read their conversations: they write transcripts when
// they have time, and the last words before an end are written after its hook. but is a conversation that is read anyway.
func (s *site) catchUp(ctx context.Context, but string) error {
	if proc.Getenv(s.Env, RunVariable) != "" {
		return nil
	}
	n, err := s.readOpen()
	if err != nil {
		return err
	}
	for _, m := range n.Read {
		if m.Session == but || !m.grown() {
			continue
		}
		h := hooked{site: s, e: assistant.Event{Kind: assistant.TurnEnd, From: m.From, Session: m.Session, Transcript: m.Transcript, Dir: m.Dir}}
		err = errors.Join(err, h.record(ctx))
	}
	return err
}

// gather collects what an event brought: messages, and evidence of what failed or works again.
func (h *hooked) gather(a *autosave, n *hookNotes) error {
	switch h.e.Kind {
	case assistant.AgentEnd:
		h.agentReported(a, n)
	case assistant.ToolFailed:
		if h.e.ExitCode > 0 && assistant.BuildsOrTests(h.e.Command) {
			h.commandEnded(a, n, assistant.Ran{Command: redact.Text(h.e.Command), ExitCode: h.e.ExitCode, Failed: true, Output: redact.Text(h.e.Output), At: h.Now()})
		}
	case assistant.TurnEnd, assistant.BeforeCompact, assistant.SessionEnd:
		return h.messages(a, n)
	}
	return nil
}

// began notes a conversation of which nothing was taken in yet, so that what is written of it later is found.
func (n *hookNotes) began(e assistant.Event) (fresh bool) {
	if e.Transcript == "" || slices.ContainsFunc(n.Read, func(m readMark) bool { return m.Session == e.Session }) {
		return false
	}
	n.advance(readMark{Session: e.Session, From: e.From, Transcript: e.Transcript, Dir: e.Dir})
	return true
}

// messages reads what is new in the conversation.
func (h *hooked) messages(a *autosave, n *hookNotes) error {
	after := n.position(h.e.Session)
	switch {
	case len(h.e.Inline) > 0:
		a.page = assistant.ReadInline(h.e.Inline, after, redact.Text)
	case h.e.Transcript == "":
		return nil
	default:
		var err error
		a.page, err = assistant.ReadTranscript(assistant.TranscriptOptions{Path: h.e.Transcript, From: h.e.From, After: after, Redact: redact.Text})
		if errors.Is(err, fs.ErrNotExist) { // a conversation that ended before its first message
			a.read = true
			return nil
		}
		if err != nil {
			return err
		}
	}
	a.read = true
	n.advance(readMark{Session: h.e.Session, At: a.page.Next, From: h.e.From, Transcript: h.e.Transcript, Dir: h.e.Dir})
	for _, r := range a.page.Ran {
		h.commandEnded(a, n, r)
	}
	return nil
}

// commandEnded takes a build or test command in: that it failed, or that it works again. Without an exit code nothing is
// known of a failure: a person may have refused the command.
func (h *hooked) commandEnded(a *autosave, n *hookNotes, r assistant.Ran) {
	e := session.Evidence{Kind: session.ExitEvidence, At: r.At.UTC(), Command: []string{r.Command}, Dir: h.below()}
	key := e.Source()
	failed, was := n.Failed[key]
	if !r.At.IsZero() && (r.At.Before(failed) || r.At.Before(n.Passed[key])) {
		return // read late: what is known is newer
	}
	if e.At.IsZero() {
		e.At = h.Now().UTC()
	}
	switch {
	case r.Failed && r.ExitCode > 0:
		e.ExitCode, e.Output = r.ExitCode, r.Output
		n.Failed[key] = e.At
		delete(n.Passed, key)
	case !r.Failed && was:
		delete(n.Failed, key)
		n.Passed[key] = e.At
	default:
		return
	}
	a.evidence = append(a.evidence, e)
}

// below is where the assistant works, below the top of the work tree; "" for the top and for places outside.
func (h *hooked) below() string {
	real, err := filepath.EvalSymlinks(h.e.Dir)
	if err != nil {
		return ""
	}
	rel, err := filepath.Rel(h.root, real)
	if err != nil || rel == "." || !filepath.IsLocal(rel) {
		return ""
	}
	return filepath.ToSlash(rel)
}

// agentReported takes an agent's last report in, where it says that something stops the work, or where its last one did.
func (h *hooked) agentReported(a *autosave, n *hookNotes) {
	key := "agent:" + h.e.Agent
	_, was := n.Failed[key]
	stops := blocker.FromReport(h.e.Agent, h.e.Message, blocker.Options{Now: h.Now()}) != nil
	if !stops && !was {
		return
	}
	if delete(n.Failed, key); stops {
		n.Failed[key] = h.Now().UTC()
	}
	report := h.e.Message
	report = strings.ToValidUTF8(report[max(0, len(report)-maxReport):], "")
	a.evidence = append(a.evidence, session.Evidence{Kind: session.AgentEvidence, At: h.Now().UTC(), Agent: h.e.Agent, Report: redact.Text(report)})
}

// origin is what the autosave's manifest says of where it came from.
func (a *autosave) origin() snapshot.Origin {
	return snapshot.Origin{By: "hook", Event: string(a.event.Kind)}
}

// turn is what the person and the assistant said, for the memory of this turn.
func (a *autosave) turn() (asked, answered, all string) {
	var b strings.Builder
	for _, s := range a.page.Segments {
		switch s.Role {
		case assistant.User:
			asked, answered = s.Text, ""
		case assistant.Assistant:
			if s.Text != "" {
				answered = s.Text
			}
		default:
			continue
		}
		if b.Len() < maxTurn {
			b.WriteString(s.Text + "\n")
		}
	}
	return asked, answered, b.String()
}

// maxTurn bounds what keywords are made from, in bytes.
const maxTurn = 64 << 10

// conversation is who said it, beside each message.
type conversation struct {
	From    assistant.Name `json:"assistant"`
	Session string         `json:"conversation,omitempty"`
	assistant.Segment
}

// add puts the messages and what they cost into a bundle.
func (a *autosave) add(b *session.Bundle) error {
	for _, s := range a.page.Segments {
		raw, err := json.Marshal(conversation{a.event.From, a.event.Session, s})
		if err != nil {
			return fmt.Errorf("write a message: %w", err)
		}
		b.Messages.Segments = append(b.Messages.Segments, raw)
	}
	u := a.page.Usage
	spent := session.Spent{Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, CostMicroUSD: a.page.CostMicro}
	if spent != (session.Spent{}) && !a.below { // below a run, the run counts what its agent costs
		b.Messages.Spent = &spent
	}
	if a.event.From != "" {
		b.Environment.Assistant = &session.Assistant{Name: string(a.event.From), Session: a.event.Session}
	}
	return nil
}

// about adds the turn to what a summary is made of.
func (a *autosave) about(f *memory.Facts) {
	asked, answered, all := a.turn()
	if asked == "" || strings.HasPrefix(asked, assistant.OwnCommand) {
		return
	}
	f.Asked, f.Answered, f.Text = asked, answered, all
}
