package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tidwall/gjson"
)

// TestClaudeRecovery: S1.16 in a real assistant: /session:load --resume names the step, the Agent tool starts the right
// agent, the proof runs, and the loop ends.
func TestClaudeRecovery(t *testing.T) {
	a := newAssistant(t, "claude")
	sh(t, a.dir, a.env, `printf 'all:\n\t@test -e mended || { echo "clock.cpp:7:3: error: Tick was not declared in this scope"; exit 1; }\n' >Makefile
mkdir -p openspec/changes/clock; printf '## 1. Clock\n\n- [x] 1.1 Tick\n- [ ] 1.2 Tock\n' >openspec/changes/clock/tasks.md; git add -A; git commit -qm more`)
	a.install()
	a.session("save", "--full")
	rules := []rule{
		{Name: "proved", When: map[string]any{"last": "mended and proved"}, Text: "The build is mended."},
		{Name: "ask the agent", When: map[string]any{"last": "Start the agent cpp-builder with exactly"}, Tools: []tool{{"Agent", map[string]any{"description": "mend",
			"prompt": "You are asked as cpp-builder: SUBTASK", "subagent_type": "cpp-builder", "run_in_background": false}}}},
		{Name: "the agent mends", When: map[string]any{"last": "SUBTASK"}, Tools: bash("touch mended && echo TOUCHED")},
		{Name: "the agent reports", When: map[string]any{"last": "TOUCHED"}, Text: "Status: FIXED\nProof: make (exit status 0)\nSummary: touched"},
		{Name: "ask again", When: map[string]any{"last": "Status: FIXED"}, Tools: bash("session load --resume --assistant")},
	}
	r := a.run(".", rules, "-p", "/session:load --resume", "--allowedTools", "Bash(session load:*)", "Bash(touch:*)", "Agent")
	r.told(`Attempt 1 of 3, by the agent cpp-builder`, `\| .*Tick was not declared`, `1\. cpp-builder: mended and proved · proof: make`, `Next +1\.2 Tock`)
	st, err := os.ReadFile(filepath.Join(a.dir, ".claude", "session-state.json"))
	if err != nil {
		t.Fatal(err)
	}
	if b := gjson.GetBytes(st, "blocker"); b.Type != gjson.Null {
		t.Errorf("the blocker stands: %s", b.Raw)
	}
	a.run(".", nil, "-p", "/session:load --resume").untold(`Start the agent`)
}
