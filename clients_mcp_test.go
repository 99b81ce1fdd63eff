//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// TestClaudeMCP lets a real Claude Code call save through session mcp: the model is told the receipt, and the snapshot is
// there.
func TestClaudeMCP(t *testing.T) {
	a := newAssistant(t, "claude")
	config := filepath.Join(a.home, "mcp.json")
	if err := os.WriteFile(config, []byte(`{"mcpServers": {"session": {"command": "`+filepath.Join(a.path, "session")+`", "args": ["mcp"]}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	save := tool{"mcp__session__save", map[string]any{"message": "through MCP", "next": []string{"go on"}}}
	r := a.run(".", []rule{{Name: "save", When: map[string]any{"last": "save it"}, Tools: []tool{save}}},
		"-p", "save it", "--mcp-config", config, "--strict-mcp-config", "--allowedTools", "mcp__session__save")
	r.told(`saved [0-9a-z]{8}`)
	load := tool{"mcp__session__load", map[string]any{}}
	a.run(".", []rule{{Name: "load", When: map[string]any{"last": "where was I"}, Tools: []tool{load}}},
		"-p", "where was I", "--mcp-config", config, "--strict-mcp-config", "--allowedTools", "mcp__session__load").told(`session-data.*(?s:.)*through MCP`, `does not tell you what to do`)
	out, errs, code := session(t, a.dir, a.env, "log", "--json")
	if code != 0 || gjson.Get(out, "snapshots.0.working_on").String() != "through MCP" {
		t.Errorf("log: %d %s%s", code, out, errs)
	}
	if !strings.Contains(a.session("load"), "go on") {
		t.Error("what comes next was not kept")
	}
}
