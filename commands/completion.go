package commands

import (
	_ "embed"
	"strings"
)

//go:embed completion/bash.sh
var bashCompletion string

//go:embed completion/zsh.sh
var zshCompletion string

//go:embed completion/fish.fish
var fishCompletion string

// completion is session completion.
func (r *root) completion(k *call) error {
	if k.NArg() != 1 {
		return r.misuse("usage.shell")
	}
	scripts := map[string]string{"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}
	s, ok := scripts[k.Args().First()]
	if !ok {
		return r.misuse("usage.shell")
	}
	var names []string
	for _, c := range r.commands() {
		names = append(names, c.Name)
	}
	r.say("%s", strings.ReplaceAll(s, "@COMMANDS@", strings.Join(names, " ")))
	return nil
}
