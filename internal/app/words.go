package app

import (
	"strings"

	"session/gitstate"
	"session/internal/brief"
	"session/internal/session"
)

// word fills in the messages of findings and the labels of their ways out, in the language of the place.
func (p Place) word(findings []session.Finding) []session.Finding {
	out := make([]session.Finding, 0, len(findings))
	for _, f := range findings {
		f.Message = p.Words.Say(f.Key, f.Args...)
		for i := range f.Actions {
			f.Actions[i].Label = p.Words.Say("action." + f.Actions[i].ID)
		}
		if len(f.Actions) > 0 && len(f.Actions[0].Command) > 0 {
			f.Action = brief.Shell(f.Actions[0].Command)
		}
		out = append(out, f)
	}
	return out
}

// Word fills in the messages of findings that were recorded without them.
func (p Place) Word(findings []session.Finding) []session.Finding { return p.word(findings) }

// reasonKey is the catalogue's key for why a file was left out; rules of the redactor share one sentence.
func reasonKey(reason string) string {
	switch reason {
	case gitstate.SkipNotAFile, gitstate.SkipUnreadable, gitstate.SkipEmptyRepo, gitstate.SkipSparse, gitstate.SkipSubmodule, "too-large", "changing":
		return reason
	}
	if strings.HasPrefix(reason, "name:") {
		return "secret-name"
	}
	return "secret"
}
