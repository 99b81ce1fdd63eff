package commands

import (
	"slices"
	"strings"

	"session/blocker"
	"session/internal/app"
	"session/internal/quote"
	"session/internal/session"
	"session/internal/text"
)

// notice says what quoted lines are, once, ahead of the first one. A person at a terminal knows a log when they see it.
func (r *root) notice() {
	if r.assistant && !r.noticed {
		r.noticed = true
		r.say("%s\n", r.words.Say("quote.notice"))
	}
}

// blockerLine words a blocker for a person in one line; for an assistant what a log says of it stands below, quoted.
func (r *root) blockerLine(head string, b *blocker.Blocker) (line string, quoted []string) {
	place := quote.Place(b)
	if !r.assistant {
		if place == "" && b.File != "" { // out of the repository: a person may want to look there
			place = text.Safe(b.File)
		}
		line = head + ": " + text.Line(b.Description, 200)
	} else {
		line, quoted = head, []string{quote.Line(b.Description, 200)}
	}
	if place != "" {
		line += "  (" + place + ")"
	}
	return line, quoted
}

// forModel is a result as an assistant may have it in JSON: by the same rule as in text.
func forModel(v any) any {
	switch x := v.(type) {
	case app.LoadResult:
		x.State, x.Blocker = stateForModel(x.State), quote.Blocker(x.Blocker)
		x.Validation.Findings = findingsForModel(x.Validation.Findings)
		x.Recovery.Attempts = attemptsForModel(x.Recovery.Attempts)
		x.Since.Commits = slices.Clone(x.Since.Commits)
		for i := range x.Since.Commits {
			c := &x.Since.Commits[i]
			c.Subject, c.Author = quote.Words(c.Subject, 160), quote.Words(c.Author, 60)
		}
		x.Since.CI = ciForModel(x.Since.CI)
		return x
	case app.SaveResult:
		x.State, x.Findings = stateForModel(x.State), findingsForModel(x.Findings)
		return x
	case app.StatusResult:
		x.Blocker, x.CI, x.Findings = quote.Blocker(x.Blocker), ciForModel(x.CI), findingsForModel(x.Findings)
		return x
	case app.BlockerResult:
		x.Blocker, x.Blockers, x.Cleared = quote.Blocker(x.Blocker), quote.Blockers(x.Blockers), quote.Blockers(x.Cleared)
		return x
	case app.ScanResult:
		x.Blocker = quote.Blocker(x.Blocker)
		return x
	}
	return v
}

func stateForModel(s session.State) session.State {
	s.Blocker = quote.Blocker(s.Blocker)
	if s.Blockers != nil {
		s.Blockers = quote.Blockers(s.Blockers)
	}
	return s
}

func findingsForModel(all []session.Finding) []session.Finding {
	all = slices.Clone(all)
	for i := range all {
		if all[i].Quote != "" {
			all[i].Quote = quote.Words(all[i].Quote, quote.MaxLine)
		}
	}
	return all
}

func attemptsForModel(all []session.Attempt) []session.Attempt {
	all = slices.Clone(all)
	for i := range all {
		a := &all[i]
		a.Error, a.Leaves, a.Asked = quote.Words(a.Error, quote.MaxLine), quote.Words(a.Leaves, quote.MaxLine), quote.Words(a.Asked, quote.MaxLine)
		a.Said = strings.Join(quote.Lines([]string{a.Said}, 1<<10), "\n")
	}
	return all
}

func ciForModel(c *app.CIStatus) *app.CIStatus {
	if c == nil {
		return nil
	}
	x := *c
	x.Blockers = quote.Blockers(c.Blockers)
	return &x
}
