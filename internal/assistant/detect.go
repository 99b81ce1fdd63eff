package assistant

import (
	"os"
	"path/filepath"

	"session/internal/proc"
)

// Found is an assistant that seems to be used here, and by what that is seen.
type Found struct {
	Name    Name
	Program string // its executable, "" where it is not on the PATH
	Sign    string // a file or folder of its in the project, relative; "" where there is none
}

// Detect finds the assistants whose program is installed, or of which the project shows a sign (the state file alone is
// none: it is ours).
func Detect(root string, env []string) []Found {
	signs := map[Name][]string{Claude: {".claude/settings.json", ".claude/commands", ".claude/agents", "CLAUDE.md"},
		Gemini: {".gemini", "GEMINI.md"}, Codex: {".codex"}, OpenCode: {".opencode", "opencode.json"},
		Copilot: {".github/copilot-instructions.md", ".github/agents"}, Cursor: {".cursor"}}
	var all []Found
	for _, n := range Names() {
		f := Found{Name: n}
		f.Program, _ = proc.LookPath(n.Program(), env, root)
		for _, sign := range signs[n] {
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(sign))); err == nil && f.Sign == "" {
				f.Sign = sign
			}
		}
		if f.Program != "" || f.Sign != "" {
			all = append(all, f)
		}
	}
	return all
}
