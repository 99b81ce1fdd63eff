package assistant

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// patient is a project and a home that LookAt looks at.
type patient struct {
	*testTree
	home string
	bin  string
}

func newPatient(t *testing.T, files map[string]string) *patient {
	p := &patient{testTree: newTestTree(t, files), home: t.TempDir(), bin: t.TempDir()}
	p.program("session", "exit 0")
	return p
}

// program puts a program on the PATH.
func (p *patient) program(name, script string) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(p.bin, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		p.t.Fatal(err)
	}
}

func (p *patient) config(path, text string) {
	p.t.Helper()
	full := filepath.Join(p.home, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		p.t.Fatal(err)
	}
	write(p.t, full, text)
}

func (p *patient) options(names ...Name) HealthOptions {
	return HealthOptions{Root: p.root, Home: p.home, Env: []string{"PATH=" + p.bin + ":/usr/bin:/bin", "HOME=" + p.home}, Record: p.o.Record,
		HookLog: filepath.Join(p.home, "hooks.jsonl"), Assistants: names, Limit: 5 * time.Second}
}

func (p *patient) look(n Name) Health {
	p.t.Helper()
	all, err := LookAt(context.Background(), p.options(n))
	if err != nil || len(all) != 1 {
		p.t.Fatal(all, err)
	}
	return all[0]
}

func (h Health) has(k ProblemKind) bool {
	return slices.ContainsFunc(h.Problems, func(p Problem) bool { return p.Kind == k })
}

func TestHealthOfClaude(t *testing.T) {
	p := newPatient(t, nil)
	if h := p.look(Claude); h.SetUp || h.Program != "" || len(h.Problems) != 0 {
		t.Errorf("nothing is there: %+v", h)
	}
	p.program("claude", "echo '2.1.328 (Claude Code)'")
	if h := p.look(Claude); h.Version != "2.1.328" || !h.has(NotSetUp) {
		t.Errorf("installed, not set up: %+v", h)
	}
	p.init(Claude)
	h := p.look(Claude)
	if !h.SetUp || h.has(FilesMissing) || h.has(HooksMissing) || !h.has(NeverFired) || !h.has(Forgets) {
		t.Errorf("set up: %+v", h.Problems)
	}
	if err := LogFired(p.options().HookLog, Fired{At: time.Unix(5, 0), From: Claude, Kind: TurnEnd, Error: "no"}); err != nil {
		t.Fatal(err)
	}
	p.config(".claude/settings.json", `{"cleanupPeriodDays": 365}`)
	h = p.look(Claude)
	i := slices.IndexFunc(h.Hooks, func(x HookHealth) bool { return x.Event == "Stop" })
	if h.has(NeverFired) || h.has(Forgets) || h.Hooks[i].Last.Unix() != 5 || h.Hooks[i].Error != "no" || !h.Hooks[i].Set {
		t.Errorf("fired: %+v %+v", h.Problems, h.Hooks)
	}
	for what, change := range map[ProblemKind]func(){
		FilesMissing:   func() { os.Remove(p.path(".claude/commands/session/save.md")) },
		HooksMissing:   func() { p.write(".claude/settings.json", "{}") },
		SettingsBroken: func() { p.write(".claude/settings.json", "{") },
		HooksOff:       func() { p.config(".claude/settings.json", `{"disableAllHooks": true}`) },
		NoProgram:      func() { os.Remove(filepath.Join(p.bin, "session")) },
	} {
		change()
		h := p.look(Claude)
		if !h.has(what) {
			t.Errorf("%s is not seen: %+v", what, h.Problems)
		}
		for _, x := range h.Problems {
			if x.Fix == "" {
				t.Errorf("%s has no way out", x.Kind)
			}
			if dead := x.Kind != FilesMissing && x.Kind != NeverFired && x.Kind != Forgets; x.Dead() != dead {
				t.Errorf("%s is dead: %v", x.Kind, x.Dead())
			}
		}
	}
}

func TestHealthOfAPlugin(t *testing.T) {
	p := newPatient(t, nil)
	p.program("claude", "echo 2.1.328")
	p.config(".claude/settings.json", `{"enabledPlugins":{"session@session-tools":true}}`)
	if h := p.look(Claude); !h.Plugin || h.has(NotSetUp) || h.has(FilesMissing) || h.has(HooksMissing) {
		t.Errorf("%+v", h)
	}
}

func TestHealthOfGemini(t *testing.T) {
	p := newPatient(t, nil)
	p.program("gemini", "echo 0.61.0")
	p.init(Gemini)
	if h := p.look(Gemini); !h.has(AgentsNew) || h.has(Denied) || h.has(FolderUntrusted) {
		t.Errorf("%+v", h.Problems)
	}
	known := map[string]map[string]string{p.root: {}}
	for _, a := range Agents() {
		known[p.root][a] = sum([]byte(p.read(".gemini/agents/" + a + ".md")))
	}
	text, err := json.Marshal(known)
	if err != nil {
		t.Fatal(err)
	}
	p.config(".gemini/acknowledgments/agents.json", string(text))
	p.config(".gemini/settings.json", `{"security":{"folderTrust":{"enabled":true}},"tools":{"allowed":["run_shell_command(ls)"]},"hooksConfig":{"enabled":false}}`)
	h := p.look(Gemini)
	if h.has(AgentsNew) || !h.has(Denied) || !h.has(FolderUntrusted) || !h.has(HooksOff) {
		t.Errorf("%+v", h.Problems)
	}
	p.config(".gemini/trustedFolders.json", `{"`+filepath.Dir(p.root)+`":"TRUST_FOLDER"}`)
	p.config(".gemini/settings.json", `{"security":{"folderTrust":{"enabled":true}},"tools":{"allowed":["run_shell_command"]}}`)
	if h := p.look(Gemini); h.has(FolderUntrusted) || h.has(Denied) || h.has(HooksOff) {
		t.Errorf("%+v", h.Problems)
	}
}

func TestHealthOfCodex(t *testing.T) {
	p := newPatient(t, nil)
	p.program("codex", "echo codex-cli 0.169.0")
	p.config(".profile", "PATH=/usr/bin:/bin\n")
	p.init(Codex)
	if h := p.look(Codex); h.Version != "0.169.0" || !h.has(FolderUntrusted) || !h.has(HooksUntrusted) || !h.has(NoLoginProgram) {
		t.Errorf("%+v", h)
	}
	var state strings.Builder
	l := looker{o: p.options(), h: Health{Name: Codex}}
	for key := range l.codexKeys() {
		state.WriteString("[hooks.state.'" + key + "']\ntrusted_hash = \"x\"\n")
	}
	p.config(".codex/config.toml", "[projects.'"+p.root+"']\ntrust_level = \"trusted\"\n"+state.String())
	p.config(".profile", "PATH="+p.bin+":/usr/bin:/bin\n")
	if h := p.look(Codex); h.has(FolderUntrusted) || h.has(HooksUntrusted) || h.has(NoLoginProgram) {
		t.Errorf("%+v", h.Problems)
	}
	p.config(".codex/config.toml", "no toml [")
	if h := p.look(Codex); !h.has(SettingsBroken) {
		t.Errorf("%+v", h.Problems)
	}
}

// All assistants at once: those that are here are listed; a quick look starts no program and asks the record.
func TestLookAtAll(t *testing.T) {
	p := newPatient(t, nil)
	p.program("opencode", "echo 1.18.33")
	p.program("copilot", "sleep 60")
	p.init(OpenCode, Copilot, Cursor)
	o := p.options()
	o.Limit = 300 * time.Millisecond
	all, err := LookAt(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	var names []Name
	for _, h := range all {
		names = append(names, h.Name)
		for _, x := range h.Hooks {
			if !x.Set {
				t.Errorf("%s: %s is not set", h.Name, x.Event)
			}
		}
		if h.Name == Copilot && h.Version != "" {
			t.Error("a program that does not answer has a version")
		}
	}
	if !slices.Equal(names, []Name{OpenCode, Copilot, Cursor}) {
		t.Error(names)
	}
	o.Quick = true
	p.program("opencode", "touch "+filepath.Join(p.home, "started"))
	all, err = LookAt(context.Background(), o)
	if err != nil || len(all) != 3 {
		t.Error(all, err)
	}
	if _, err := os.Stat(filepath.Join(p.home, "started")); err == nil {
		t.Error("a quick look started a program")
	}
	write(t, p.o.Record, "damage")
	if _, err := LookAt(context.Background(), o); err == nil {
		t.Error("a damaged record is passed over")
	}
}

func TestDetect(t *testing.T) {
	p := newPatient(t, map[string]string{"GEMINI.md": "x", ".cursor/rules": "x"})
	p.program("codex", "exit 0")
	var got []string
	for _, f := range Detect(p.root, p.options().Env) {
		got = append(got, string(f.Name)+" "+filepath.Base(f.Program)+" "+f.Sign)
	}
	if want := []string{"gemini . GEMINI.md", "codex codex ", "cursor . .cursor"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
