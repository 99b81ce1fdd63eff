package assistant

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"session/blocker"

	"github.com/BurntSushi/toml"
	"github.com/tidwall/gjson"
	"go.yaml.in/yaml/v3"
)

// claudeFolder is the project's own .claude folder.
const claudeFolder = "../../.claude"

// TestClaudeFolder holds the project's own .claude against what the program installs: SESSION_UPDATE=1 copies the
// embedded files over it.
func TestClaudeFolder(t *testing.T) {
	want := map[string][]byte{}
	err := fs.WalkDir(files, "files/claude", func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			want[strings.TrimPrefix(p, "files/claude/")], err = files.ReadFile(p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("SESSION_UPDATE") != "" {
		for p, data := range want {
			at := filepath.Join(claudeFolder, filepath.FromSlash(p))
			if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(at, data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	have := 0
	err = filepath.WalkDir(claudeFolder, func(p string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(claudeFolder, p)
		if err != nil || d.IsDir() || strings.HasPrefix(rel, "session-s") || strings.HasPrefix(rel, "settings") {
			return err // the state file, the store and settings are a work tree's own
		}
		have++
		data, err := os.ReadFile(p)
		if !bytes.Equal(data, want[filepath.ToSlash(rel)]) {
			t.Errorf(".claude/%s is not internal/assistant/files/claude/%s: change that one, then run SESSION_UPDATE=1 go test ./internal/assistant -run ClaudeFolder", rel, rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if have != len(want) {
		t.Errorf(".claude holds %d files of the %d that are embedded", have, len(want))
	}
}

// TestPluginHooks holds the plugin's hooks, a file of its own, against the ones that init merges.
func TestPluginHooks(t *testing.T) {
	want := hookFile(Claude, 0)
	at := "files/claude/hooks/hooks.json"
	if os.Getenv("SESSION_UPDATE") != "" {
		if err := os.WriteFile(at, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(at)
	if err != nil || !bytes.Equal(have, want) {
		t.Errorf("%s is not what hooksOf(Claude) says (%v); run SESSION_UPDATE=1 go test ./internal/assistant", at, err)
	}
}

func TestPluginAndMarketplace(t *testing.T) {
	plugin, err := files.ReadFile("files/claude/.claude-plugin/plugin.json")
	if err != nil || !json.Valid(plugin) {
		t.Fatal(err)
	}
	market, err := os.ReadFile("../../.claude-plugin/marketplace.json")
	if err != nil || !json.Valid(market) {
		t.Fatal(err)
	}
	p, m := gjson.ParseBytes(plugin), gjson.ParseBytes(market)
	// The plugin's name is what stands before the colon of /session:save; its folder is the project's own.
	for what, is := range map[string]string{
		"session":            p.Get("name").String(),
		"./commands/session": p.Get("commands.0").String(),
		"./.claude":          m.Get("plugins.0.source").String(),
	} {
		if is != what {
			t.Errorf("%q, want %q", is, what)
		}
	}
	if m.Get("plugins.0.name").String() != "session" {
		t.Errorf("the marketplace calls the plugin %q", m.Get("plugins.0.name"))
	}
}

var allowed = regexp.MustCompile(`^Bash\(session (save|load|status|blocker)(?: --assistant)?:\*\)(, Bash\(session blocker report:\*\), Agent)?$`)

func TestClaudeCommands(t *testing.T) {
	for _, name := range []string{"save", "load", "status", "blocker"} {
		data, err := files.ReadFile("files/claude/commands/session/" + name + ".md")
		if err != nil {
			t.Fatal(err)
		}
		head, body, err := frontMatter(string(data))
		if err != nil {
			t.Fatal(err)
		}
		if m := allowed.FindStringSubmatch(head["allowed-tools"]); m == nil || m[1] != name {
			t.Errorf("%s: allowed-tools %q is wider than the command needs", name, head["allowed-tools"])
		}
		if head["disable-model-invocation"] != "true" {
			t.Errorf("%s: a model may call it", name)
		}
		inline := regexp.MustCompile("(?s)```!\n(.*?)\n```").FindAllStringSubmatch(body, -1)
		if want := " --arguments=- <<'END-OF-SESSION-ARGUMENTS'\n$ARGUMENTS\nEND-OF-SESSION-ARGUMENTS"; len(inline) != 1 || strings.Count(body, "$ARGUMENTS") != 1 ||
			!strings.HasPrefix(inline[0][1], "session "+name+" --assistant") || !strings.HasSuffix(inline[0][1], want) {
			t.Errorf("%s: a shell reads what a person typed: %q", name, inline)
		}
		if strings.Contains(body, "$0") || strings.Contains(body, "$1") {
			t.Errorf("%s: positional arguments mean different things in different versions", name)
		}
		wellFormed(t, name, data)
	}
}

// wellFormed reads the head of a Markdown file as the YAML that the assistants take it for.
func wellFormed(t *testing.T, name string, data []byte) map[string]any {
	t.Helper()
	head, _, ok := strings.Cut(strings.TrimPrefix(string(data), "---\n"), "\n---\n")
	var keys map[string]any
	if err := yaml.Unmarshal([]byte(head), &keys); !ok || err != nil {
		t.Errorf("%s: front matter: %v", name, err)
	}
	return keys
}

func TestAgents(t *testing.T) {
	for _, name := range Agents() {
		data, err := files.ReadFile("files/claude/agents/" + name + ".md")
		if err != nil {
			t.Fatal(err)
		}
		keys := wellFormed(t, name, data)
		if keys["name"] != name || len(keys["description"].(string)) > 1024 {
			t.Errorf("%s: %v", name, keys)
		}
		text := Instructions(name)
		for _, rule := range []string{"no commit, push, stash", "`.claude/session-state.json`", "It is data", "Never silence a check", "Run the proof last"} {
			if !strings.Contains(text, rule) {
				t.Errorf("%s does not say %q", name, rule)
			}
		}
		reports(t, name, text)
	}
	if all, _ := fs.Glob(files, "files/claude/agents/*.md"); len(all) != len(Agents()) {
		t.Errorf("%d agents are shipped, %d named", len(all), len(Agents()))
	}
	if Instructions("nobody") != "" || Instructions("../commands/session/save") == "x" {
		t.Error("instructions of an agent that is none")
	}
}

// reports makes sure that what the agents are told to end with is what the program reads as their report (S1.12).
func reports(t *testing.T, agent, text string) {
	t.Helper()
	_, forms, ok := strings.Cut(text, "## Report")
	if !ok {
		t.Fatalf("%s has no report form", agent)
	}
	var found []string
	for form := range strings.SplitSeq(forms, "\n\n") {
		if !strings.HasPrefix(form, "    Status:") {
			continue
		}
		b := blocker.FromReport(agent, "Done so far.\n\n"+strings.ReplaceAll(form, "    ", ""), blocker.Options{})
		switch {
		case b == nil:
			found = append(found, "none")
		case b.Type == blocker.DecisionRequired:
			found = append(found, "decision")
		default:
			found = append(found, "failed")
		}
	}
	if !slices.Equal(found, []string{"none", "failed", "decision"}) {
		t.Errorf("%s: its report forms are read as %v", agent, found)
	}
}

func TestFilesOfOthers(t *testing.T) {
	for _, n := range Names() {
		for _, windows := range []bool{false, true} {
			all, err := shipped(n, windows)
			if err != nil || len(all) == 0 {
				t.Fatal(n, err)
			}
			for _, f := range all {
				checkFile(t, n, f, windows)
			}
		}
	}
	if _, err := shipped("emacs", false); err == nil {
		t.Error("an unknown assistant has files")
	}
}

func checkFile(t *testing.T, n Name, f file, windows bool) {
	t.Helper()
	text := string(f.data)
	switch {
	case !filepath.IsLocal(filepath.FromSlash(f.path)):
		t.Errorf("%s: %s leaves the project", n, f.path)
	case windows && strings.ContainsAny(f.path, `:*?"<>|`):
		t.Errorf("%s: %s cannot be a file on Windows", n, f.path)
	case bytes.Contains(f.data, []byte("\r")) || !strings.HasSuffix(text, "\n"):
		t.Errorf("%s: %s: line ends", n, f.path)
	}
	switch filepath.Ext(f.path) {
	case ".toml":
		var keys map[string]string
		if _, err := toml.Decode(text, &keys); err != nil {
			t.Errorf("%s: %v", f.path, err)
		}
		if body := keys["prompt"] + keys["developer_instructions"]; body == "" || keys["description"] == "" {
			t.Errorf("%s: %v", f.path, keys)
		}
	case ".md":
		if n != Cursor {
			keys := wellFormed(t, f.path, f.data)
			if d, _ := keys["description"].(string); d == "" || len(d) > 1024 {
				t.Errorf("%s: description %q", f.path, d)
			}
			if name := keys["name"]; strings.HasSuffix(f.path, "/SKILL.md") && name != filepath.Base(filepath.Dir(f.path)) {
				t.Errorf("%s: a skill's name is its folder's, not %v", f.path, name)
			}
		}
	case ".json":
		if !json.Valid(f.data) {
			t.Errorf("%s: no JSON", f.path)
		}
	}
}

// TestArgumentsStayOutOfShells: what a person types behind a command is pasted by OpenCode and Gemini CLI.
func TestArgumentsStayOutOfShells(t *testing.T) {
	all, _ := shipped(OpenCode, false)
	more, _ := shipped(Gemini, false)
	for _, f := range append(all, more...) {
		text := string(f.data)
		if i := strings.Index(text, "$ARGUMENTS"); i >= 0 && !strings.HasSuffix(text[:i], "<<'END-OF-SESSION-ARGUMENTS'\n") {
			t.Errorf("%s pastes its arguments where a shell reads them", f.path)
		}
		if i := strings.Index(text, "{{args}}"); i >= 0 && !strings.HasSuffix(text[:i], "--arguments=") {
			t.Errorf("%s splits what Gemini CLI has quoted as one word", f.path)
		}
	}
}

func TestHookLinesFailOpen(t *testing.T) {
	for _, n := range Names() {
		for _, h := range hooksOf(n) {
			line := hookLine(n, h.kind)
			if !strings.HasPrefix(line, "command -v session >/dev/null 2>&1 || exit 0; ") || !strings.HasSuffix(line, " || exit 0") || !ourLine(line) {
				t.Errorf("%s %s: %s", n, h.event, line)
			}
			if k := kindOf(h.event); k != h.kind {
				t.Errorf("%s: %s is read as %q, the hook is for %q", n, h.event, k, h.kind)
			}
			if h.limit <= 0 {
				t.Errorf("%s: %s has no limit", n, h.event)
			}
		}
	}
}
