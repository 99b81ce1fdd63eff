package brief

import (
	"strings"

	"session/internal/quote"
	"session/internal/text"
)

// lay lays out one line of a brief behind its head. What is told is cut to cols columns; a finding is what a person has
// to read, so it goes on below itself; a way out is a command to copy, so nothing of it is cut or broken.
func lay(head string, l Line, cols int) string {
	switch l.Mark {
	case "→":
		return head + l.Text
	case "!":
		lines := text.Wrap(l.Text, max(cols-text.Width(head), 20))
		return head + strings.Join(lines, "\n"+strings.Repeat(" ", text.Width(head)))
	}
	if l.Quote {
		head += quote.Mark
	}
	return strings.TrimRight(text.Fit(head+l.Text, cols), " ")
}
