package commands

import (
	"fmt"
	"strings"

	"session/internal/app"
)

// unknown refuses a command that there is not, naming the nearest.
func (r *root) unknown(name string) error {
	var near []string
	for _, c := range r.commands() {
		if strings.HasPrefix(c.Name, name[:min(2, len(name))]) {
			near = append(near, c.Name)
		}
	}
	if len(near) > 0 {
		return &app.UsageError{Err: fmt.Errorf("%s", r.words.Say("usage.unknown-near", "name", name, "near", near))}
	}
	return &app.UsageError{Err: fmt.Errorf("%s", r.words.Say("usage.unknown", "name", name))}
}
