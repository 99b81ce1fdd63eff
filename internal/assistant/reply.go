package assistant

// Reply is what the program has to say to an event.
type Reply struct {
	Context string // for the model
	Message string // for the person, one or two lines
}

// specific is the part of an answer that belongs to one event (Claude Code, Gemini CLI, Codex CLI).
type specific struct {
	Event   string `json:"hookEventName"`
	Context string `json:"additionalContext"`
}

// Answer words a reply in the form that the assistant reads on a hook's standard output; nil where it wants silence. It
// never holds a decision: a hook of this program blocks nothing.
func (e Event) Answer(r Reply) []byte {
	if r == (Reply{}) {
		return nil
	}
	switch e.Kind {
	case SessionStart, Prompt:
		return e.opening(r)
	case BeforePush:
		if e.From == Claude || e.From == Codex {
			return answer(specific{"PreToolUse", r.Context}, r)
		}
	}
	return nil
}

func (e Event) opening(r Reply) []byte {
	switch e.From {
	case Claude, Codex:
		return answer(specific{"SessionStart", r.Context}, r)
	case Gemini: // a context at SessionStart would hide a slash command of gemini -p: it goes with the first prompt
		if e.Kind == Prompt {
			return answer(specific{"BeforeAgent", r.Context}, r)
		}
		return answer(specific{}, r)
	case Copilot:
		return line(map[string]string{"additionalContext": r.Context})
	case Cursor:
		return line(map[string]string{"additional_context": r.Context})
	case OpenCode: // our own plugin reads it
		return line(map[string]string{"context": r.Context, "message": r.Message})
	}
	return nil
}

func answer(s specific, r Reply) []byte {
	type form struct {
		Specific *specific `json:"hookSpecificOutput,omitempty"`
		Message  string    `json:"systemMessage,omitempty"`
	}
	f := form{Message: r.Message}
	if s.Event != "" && s.Context != "" {
		f.Specific = &s
	}
	if f == (form{}) {
		return nil
	}
	return line(f)
}

func line(v any) []byte { return append(rawJSON(v), '\n') }
