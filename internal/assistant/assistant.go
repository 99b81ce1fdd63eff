// Package assistant knows the protocols of coding assistants, so that the rest of the program speaks of events,
// messages and files and never of a vendor's JSON. It prints nothing and reads no environment and no clock: values come
// in, values go out, and files are touched below the folders that it is given.
//
// Five things live here, each a pair of "what is" and "what to do":
//
//	Start      an assistant's program is run on a prompt, its answer is read       start.go, output.go
//	Event      a hook's input becomes one typed event, its answer is worded        event*.go, reply.go
//	Transcript the part of a conversation that is new, as plain segments           transcript*.go
//	Plan       what session init changes and takes back, file by file              plan.go, apply.go, settings*.go
//	Hook       where git will really run a pre-push hook, and whether it calls us  prepush*.go, armed.go
//
// Health looks at all of it and says what is armed and what is not.
//
// The protocols were measured on Claude Code 2.1.328, Gemini CLI 0.61.0, Codex CLI 0.169.0, OpenCode 1.18.33 and
// Copilot CLI 1.0.102; what is known of Cursor comes from its documentation. Everything that an assistant, a transcript
// or a repository hands over is hostile: sizes are bounded, unknown fields and lines are passed over, nothing of it
// reaches a shell.
package assistant

import (
	"fmt"
	"slices"
	"strings"
)

// Name is an assistant that the program knows.
type Name string

// The assistants, as session init names them.
const (
	Claude   Name = "claude"
	Gemini   Name = "gemini"
	Codex    Name = "codex"
	OpenCode Name = "opencode"
	Copilot  Name = "copilot"
	Cursor   Name = "cursor"
)

// Names lists the assistants in the order in which they are shown.
func Names() []Name { return []Name{Claude, Gemini, Codex, OpenCode, Copilot, Cursor} }

// UnknownError says that there is no assistant of this name.
type UnknownError struct{ Name string }

func (e *UnknownError) Error() string {
	return fmt.Sprintf("%q is no assistant that session knows (claude, gemini, codex, opencode, copilot, cursor)", e.Name)
}

// ParseName reads the name of an assistant. Error: *UnknownError.
func ParseName(s string) (Name, error) {
	if n := Name(strings.ToLower(strings.TrimSpace(s))); slices.Contains(Names(), n) {
		return n, nil
	}
	return "", &UnknownError{s}
}

// Program is the name of the assistant's executable.
func (n Name) Program() string {
	if n == Cursor {
		return "cursor-agent"
	}
	return string(n)
}

// Title is the assistant's name as its maker writes it.
func (n Name) Title() string {
	switch n {
	case Claude:
		return "Claude Code"
	case Gemini:
		return "Gemini CLI"
	case Codex:
		return "Codex CLI"
	case OpenCode:
		return "OpenCode"
	case Copilot:
		return "Copilot CLI"
	case Cursor:
		return "Cursor"
	}
	return string(n)
}
