package assistant

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"session/internal/proc"

	"github.com/BurntSushi/toml"
	"github.com/tailscale/hujson"
	"github.com/tidwall/gjson"
)

// ofItsOwn looks at what only one assistant has.
func (l *looker) ofItsOwn(ctx context.Context) {
	switch l.h.Name {
	case Claude:
		l.claude()
	case Gemini:
		l.gemini()
	case Codex:
		l.codex(ctx)
	}
}

// keptDays is how long Claude Code keeps transcripts unless it is told otherwise, and the least that is no worry.
const keptDays, enoughDays = 30, 90

func (l *looker) claude() {
	user := filepath.Join(l.config(), "settings.json")
	for _, path := range []string{l.project(".claude/settings.json"), l.project(".claude/settings.local.json"), user} {
		if foreign(path).Get("disableAllHooks").Bool() {
			l.problem(HooksOff, path, `"disableAllHooks": false`)
		}
	}
	days := foreign(user).Get("cleanupPeriodDays")
	if d := foreign(l.project(".claude/settings.json")).Get("cleanupPeriodDays"); d.Exists() {
		days = d
	}
	switch {
	case !days.Exists():
		l.problem(Forgets, fmt.Sprintf("cleanupPeriodDays = %d", keptDays), user+`: "cleanupPeriodDays": 365`)
	case days.Int() < enoughDays:
		l.problem(Forgets, fmt.Sprintf("cleanupPeriodDays = %d", days.Int()), user+`: "cleanupPeriodDays": 365`)
	}
}

// gemini: a hooks switch, folder trust, agents that wait for a person, and rules that keep the shell to a list.
func (l *looker) gemini() {
	project, user := foreign(l.project(".gemini/settings.json")), foreign(filepath.Join(l.config(), "settings.json"))
	for _, s := range []gjson.Result{project, user} {
		if on := s.Get("hooksConfig.enabled"); on.Exists() && !on.Bool() {
			l.problem(HooksOff, "hooksConfig.enabled", `"hooksConfig": {"enabled": true}`)
		}
	}
	if user.Get("security.folderTrust.enabled").Bool() && !l.geminiTrusts() {
		l.problem(FolderUntrusted, filepath.Join(l.config(), "trustedFolders.json"), "gemini, then /permissions")
	}
	for _, s := range []gjson.Result{project, user} {
		if rule := narrowed(s); rule != "" {
			l.problem(Denied, rule, `"tools": {"allowed": [`+strings.Join(quoted(geminiRules()), ", ")+`]}`)
		}
	}
	known := foreign(filepath.Join(l.config(), "acknowledgments", "agents.json"))
	var fresh []string
	known = pick(known, l.o.Root)
	for _, name := range Agents() {
		data, err := os.ReadFile(l.project(".gemini/agents/" + name + ".md"))
		if err == nil && pick(known, name).String() != sum(data) {
			fresh = append(fresh, name)
		}
	}
	if len(fresh) > 0 {
		l.problem(AgentsNew, strings.Join(fresh, ", "), "start gemini in a terminal at "+l.o.Root+" and accept the agents")
	}
}

// pick finds a member by its name, whatever characters it has.
func pick(v gjson.Result, key string) (found gjson.Result) {
	v.ForEach(func(k, m gjson.Result) bool {
		if k.String() == key {
			found = m
		}
		return found.Raw == ""
	})
	return found
}

func (l *looker) geminiTrusts() (trusted bool) {
	foreign(filepath.Join(l.config(), "trustedFolders.json")).ForEach(func(dir, how gjson.Result) bool {
		at := dir.String()
		if how.String() == "TRUST_PARENT" {
			at = filepath.Dir(at)
		}
		if _, below := relative(at, l.o.Root); below && strings.HasPrefix(how.String(), "TRUST") {
			trusted = true
		}
		return true
	})
	return trusted
}

// geminiRules are the entries of tools.allowed that let the commands run.
func geminiRules() (all []string) {
	for _, c := range []string{"save", "load", "status", "blocker"} {
		all = append(all, "run_shell_command(session "+c+")")
	}
	return all
}

func quoted(words []string) (all []string) {
	for _, w := range words {
		all = append(all, string(rawJSON(w)))
	}
	return all
}

// narrowed finds a rule that lets Gemini CLI run certain shell commands: with one of them it refuses all others (0.61.0,
// "narrowing enforcement"). "" where there is none, or where ours are among them.
func narrowed(settings gjson.Result) (rule string) {
	ours := 0
	for _, r := range settings.Get("tools.allowed").Array() {
		switch s := r.String(); {
		case strings.HasPrefix(s, "run_shell_command(session "):
			ours++
		case strings.HasPrefix(s, "run_shell_command(") || strings.HasPrefix(s, "ShellTool("):
			rule = s
		case s == "run_shell_command" || s == "ShellTool":
			return ""
		}
	}
	if ours >= len(geminiRules()) {
		return ""
	}
	return rule
}

// codex: trust of the folder, trust of each hook, and a shell that sets PATH anew.
func (l *looker) codex(ctx context.Context) {
	var config struct {
		Projects map[string]struct {
			Trust string `toml:"trust_level"`
		} `toml:"projects"`
		Hooks struct {
			State map[string]struct {
				Hash string `toml:"trusted_hash"`
			} `toml:"state"`
		} `toml:"hooks"`
	}
	path := filepath.Join(l.config(), "config.toml")
	if data, err := os.ReadFile(path); err == nil && len(data) <= maxSettings {
		if _, err := toml.Decode(string(data), &config); err != nil {
			l.problem(SettingsBroken, path, err.Error())
			return
		}
	}
	if config.Projects[l.o.Root].Trust != "trusted" {
		l.problem(FolderUntrusted, path, "start codex at "+l.o.Root+" and trust the folder")
	}
	var waiting []string
	for key, event := range l.codexKeys() {
		if config.Hooks.State[key].Hash == "" {
			waiting = append(waiting, event)
		}
	}
	if len(waiting) > 0 {
		l.problem(HooksUntrusted, path, "start codex at "+l.o.Root+" and choose \"Trust all and continue\"")
	}
	if !l.o.Windows && !l.o.Quick && !inLoginShell(ctx, l.o) {
		l.problem(NoLoginProgram, "bash -lc", "put the folder of the session program on the PATH in ~/.profile")
	}
}

// codexKeys are the names under which Codex keeps its trust in our hooks: FILE:event_name:group:handler (0.169.0).
func (l *looker) codexKeys() map[string]string {
	keys := map[string]string{}
	file := l.project(".codex/hooks.json")
	data, err := os.ReadFile(file)
	if err != nil {
		return keys
	}
	plain, err := hujson.Standardize(data)
	if err != nil {
		return keys
	}
	all := gjson.ParseBytes(plain).Get("hooks")
	for _, h := range hooksOf(Codex) {
		for g, entry := range all.Get(h.event).Array() {
			for i, handler := range entry.Get("hooks").Array() {
				if handler.Get("command").String() == hookLine(Codex, h.kind) {
					keys[fmt.Sprintf("%s:%s:%d:%d", file, snake(h.event), g, i)] = h.event
				}
			}
		}
	}
	return keys
}

// snake writes PreCompact as pre_compact.
func snake(s string) string {
	var b strings.Builder
	for i, r := range s {
		if r >= 'A' && r <= 'Z' {
			if i > 0 {
				b.WriteByte('_')
			}
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// inLoginShell asks a login shell whether it finds the program; Codex runs its commands in one, which sets PATH anew. A
// machine without bash gives no reason to complain.
func inLoginShell(ctx context.Context, o HealthOptions) bool {
	ctx, stop := context.WithTimeout(ctx, min(o.Limit, 5*time.Second))
	defer stop()
	_, err := proc.Run(ctx, proc.Command{Args: []string{"bash", "-lc", "command -v session"}, Dir: o.Root, Env: o.Env, Tree: true, Grace: time.Second})
	var exit *proc.ExitError
	return !errors.As(err, &exit)
}
