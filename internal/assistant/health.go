package assistant

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"session/internal/lazy"
	"session/internal/proc"

	"github.com/tailscale/hujson"
	"github.com/tidwall/gjson"
	"golang.org/x/sync/errgroup"
)

// HealthOptions say where to look.
type HealthOptions struct {
	Root       string
	Home       string   // the person's home folder
	Env        []string // PATH, and CLAUDE_CONFIG_DIR, CODEX_HOME where they are set
	Record     string   // as in Options
	HookLog    string   // as for LogFired
	Windows    bool
	Assistants []Name        // none: all that are installed or set up here
	Limit      time.Duration // of one look at a version; 0: 5 s
	Quick      bool          // files only: no program is started, and only those are looked at that the record names
}

// Health is what is true of one assistant in one work tree.
type Health struct {
	Name     Name
	Program  string // its executable; "" where it is not on the PATH
	Version  string // "" where the program does not say in time
	SetUp    bool   // something of ours is there
	Plugin   bool   // Claude Code's plugin is switched on
	Files    []FileHealth
	Hooks    []HookHealth
	Problems []Problem
}

// FileHealth is a file that init writes or adds to, and how it stands.
type FileHealth struct {
	Path  string
	State FileState
}

// FileState is how a file stands.
type FileState string

// The states. Foreign is a file of the user's under a name of ours, which is used instead; Stale is an earlier version of
// ours, Changed was edited since, Broken cannot be read.
const (
	Fresh   FileState = "fresh"
	Stale   FileState = "stale"
	Changed FileState = "changed"
	Foreign FileState = "foreign"
	Absent  FileState = "absent"
	Broken  FileState = "broken"
)

// HookHealth is one hook, and when it last fired.
type HookHealth struct {
	Kind  Kind
	Event string    // the assistant's name
	Set   bool      // its settings name it
	Last  time.Time // zero: never, as far as the log goes back
	Error string    // of the last time
}

// Problem is something that keeps the assistant and the program apart, with the way out.
type Problem struct {
	Kind   ProblemKind
	Detail string // a path, a version, an event; for people, from files: escape before printing
	Fix    string // a command, or lines for the file that Detail names
}

// ProblemKind is what is wrong.
type ProblemKind string

// The problems.
const (
	NotSetUp        ProblemKind = "not-set-up"         // the assistant is installed, but knows nothing of the program here
	FilesMissing    ProblemKind = "files-missing"      // some of our files are not there, or stale
	SettingsBroken  ProblemKind = "settings-broken"    // a settings file cannot be read
	HooksMissing    ProblemKind = "hooks-missing"      // the settings do not name our hooks
	HooksOff        ProblemKind = "hooks-off"          // the settings switch hooks off
	FolderUntrusted ProblemKind = "folder-untrusted"   // the assistant ignores the settings of this folder
	HooksUntrusted  ProblemKind = "hooks-untrusted"    // Codex asks a person before it runs a hook
	AgentsNew       ProblemKind = "agents-new"         // Gemini CLI asks a person before it uses an agent
	NoProgram       ProblemKind = "no-program"         // session is not on the PATH
	NoLoginProgram  ProblemKind = "no-login-program"   // session is not on the PATH of a login shell, which Codex uses
	NeverFired      ProblemKind = "never-fired"        // no hook has been called yet
	Forgets         ProblemKind = "transcripts-expire" // the assistant deletes its transcripts after a while
	Denied          ProblemKind = "denied"             // the assistant's rules refuse to run session
)

// LookAt looks at every assistant that is installed or set up in a work tree; it changes nothing. What cannot be read is
// a problem of its assistant, not an error.
func LookAt(ctx context.Context, o HealthOptions) ([]Health, error) {
	if o.Limit <= 0 {
		o.Limit = 5 * time.Second
	}
	rec, err := readRecord(o.Record)
	if err != nil {
		return nil, err
	}
	read := ReadFired
	if o.Quick {
		read = LastFired
	}
	fired, err := read(o.HookLog)
	if err != nil {
		return nil, err
	}
	names := o.Assistants
	switch {
	case len(names) > 0:
	case o.Quick:
		names = rec.names()
	default:
		names = Names()
	}
	all := make([]Health, len(names))
	group, ctx := errgroup.WithContext(ctx)
	for i, n := range names {
		group.Go(func() error {
			l := looker{o: o, record: rec, fired: fired, h: Health{Name: n}}
			l.look(ctx)
			all[i] = l.h
			return ctx.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	if len(o.Assistants) == 0 {
		all = slices.DeleteFunc(all, func(h Health) bool { return h.Program == "" && !h.SetUp })
	}
	return all, nil
}

// looker looks at one assistant.
type looker struct {
	o      HealthOptions
	record record
	fired  []Fired
	h      Health
}

func (l *looker) look(ctx context.Context) {
	l.h.Program, _ = proc.LookPath(l.h.Name.Program(), l.o.Env, l.o.Root)
	if l.h.Program != "" && !l.o.Quick {
		l.h.Version = version(ctx, l.h.Program, l.o)
	}
	l.files()
	l.hooks()
	if l.h.Name == Claude {
		l.h.Plugin = pluginEnabled(l.project(".claude/settings.json")) || pluginEnabled(l.project(".claude/settings.local.json")) ||
			pluginEnabled(filepath.Join(l.config(), "settings.json"))
	}
	if !l.h.SetUp && !l.h.Plugin {
		if l.h.Program != "" {
			l.problem(NotSetUp, l.h.Name.Title(), l.initLine())
		}
		return
	}
	if _, err := proc.LookPath("session", l.o.Env, l.o.Root); err != nil {
		l.problem(NoProgram, "PATH", "put the folder of the session program on the PATH")
	}
	l.checkFiles()
	l.checkHooks()
	l.ofItsOwn(ctx)
}

func (l *looker) problem(kind ProblemKind, detail, fix string) {
	l.h.Problems = append(l.h.Problems, Problem{kind, detail, fix})
}

func (l *looker) initLine() string { return "session init " + string(l.h.Name) }
func (l *looker) project(path string) string {
	return filepath.Join(l.o.Root, filepath.FromSlash(path))
}

// config is the folder in which the assistant keeps what belongs to the person.
func (l *looker) config() string {
	set := map[Name]string{Claude: "CLAUDE_CONFIG_DIR", Codex: "CODEX_HOME"}[l.h.Name]
	if dir := proc.Getenv(l.o.Env, set); set != "" && dir != "" {
		return dir
	}
	return filepath.Join(l.o.Home, "."+string(l.h.Name))
}

// files compares what is there with what this version of the program ships.
func (l *looker) files() {
	all, err := shipped(l.h.Name, l.o.Windows)
	if err != nil {
		return
	}
	t, err := openTree(l.o.Root)
	if err != nil {
		return
	}
	defer t.close()
	for _, f := range all {
		state := l.state(t, f)
		l.h.Files = append(l.h.Files, FileHealth{f.path, state})
		// A skill may be another assistant's, and a file of the user's is no sign of ours, nor one that was left behind.
		if mine, _ := l.record.find(f.path); state != Absent && state != Foreign && !mine.Left && !strings.HasPrefix(f.path, ".agents/") {
			l.h.SetUp = true
		}
	}
}

func (l *looker) state(t *tree, f file) FileState {
	is, err := t.read(f.path)
	mine, known := l.record.find(f.path)
	f = f.sealed(is, "")
	switch {
	case err != nil:
		return Broken
	case is == nil:
		return Absent
	case bytes.Equal(is.data, f.data):
		return Fresh
	case known && sum(is.data) == mine.After, released(f.path, is.data):
		return Stale
	case known:
		return Changed
	}
	return Foreign
}

// hooks compares the settings with the hooks that init adds, and the log with both.
func (l *looker) hooks() {
	for _, h := range hooksOf(l.h.Name) {
		l.h.Hooks = append(l.h.Hooks, l.withLast(HookHealth{Kind: h.kind, Event: h.event}))
	}
	if l.h.Name == OpenCode || l.h.Name == Copilot { // their hooks are files of ours
		set := slices.ContainsFunc(l.h.Files, func(f FileHealth) bool {
			return (strings.HasSuffix(f.Path, "/session.js") || strings.HasSuffix(f.Path, "/session.json")) && f.State != Absent && f.State != Broken
		})
		if l.h.Name == OpenCode {
			for _, k := range []Kind{SessionStart, TurnEnd, AgentEnd, ToolFailed, BeforeCompact} {
				l.h.Hooks = append(l.h.Hooks, l.withLast(HookHealth{Kind: k, Event: string(k)}))
			}
		}
		for i := range l.h.Hooks {
			l.h.Hooks[i].Set = set
		}
		return
	}
	for _, m := range merges(l.h.Name) {
		l.settings(m)
	}
}

func (l *looker) withLast(h HookHealth) HookHealth {
	for _, f := range slices.Backward(l.fired) {
		if f.From == l.h.Name && f.Kind == h.Kind {
			h.Last, h.Error = f.At, f.Error
			return h
		}
	}
	return h
}

func (l *looker) settings(m merged) {
	f := FileHealth{Path: m.path, State: Absent}
	defer func() { l.h.Files = append(l.h.Files, f) }()
	data, err := os.ReadFile(l.project(m.path))
	if err != nil {
		return
	}
	f.State = Fresh
	s, err := parseSettings(data)
	if err != nil {
		f.State = Broken
		l.problem(SettingsBroken, m.path, err.Error())
		return
	}
	for i := range l.h.Hooks {
		h := &l.h.Hooks[i]
		if h.Set = s.hasHook(h.Event, hookLine(l.h.Name, h.Kind)); h.Set {
			l.h.SetUp = true
		} else {
			f.State = Stale
		}
	}
}

// hasHook reports whether an event's list holds a command line.
func (s *settings) hasHook(event, line string) bool {
	root, ok := s.doc.Value.(*hujson.Object)
	for _, key := range []string{"hooks", event} {
		if !ok {
			return false
		}
		m, err := member(root, key)
		if err != nil || m == nil {
			return false
		}
		if key == event {
			arr, ok := m.Value.(*hujson.Array)
			return ok && slices.ContainsFunc(arr.Elements, func(e hujson.Value) bool { return slices.Contains(commandsOf(plain(e.Value)), line) })
		}
		root, ok = m.Value.(*hujson.Object)
	}
	return false
}

func (l *looker) checkFiles() {
	var missing []string
	for _, f := range l.h.Files {
		if f.State == Absent || f.State == Stale {
			missing = append(missing, f.Path)
		}
	}
	if len(missing) > 0 && !l.h.Plugin {
		l.problem(FilesMissing, strings.Join(missing, ", "), l.initLine())
	}
}

func (l *looker) checkHooks() {
	var off []string
	fired := false
	for _, h := range l.h.Hooks {
		if !h.Set {
			off = append(off, h.Event)
		}
		fired = fired || !h.Last.IsZero()
	}
	switch {
	case len(off) > 0 && !l.h.Plugin:
		l.problem(HooksMissing, strings.Join(off, ", "), l.initLine())
	case !fired && len(l.h.Hooks) > 0:
		l.problem(NeverFired, l.h.Name.Title(), "start "+l.h.Name.Title()+" at "+l.o.Root+" and say anything")
	}
}

var versionNumber = lazy.Regexp(`\d+\.\d+(?:\.\d+)?[\w.+-]*`)

// version asks a program for its version; whatever it does, it is over after the limit.
func version(ctx context.Context, program string, o HealthOptions) string {
	ctx, stop := context.WithTimeout(ctx, o.Limit)
	defer stop()
	r, err := proc.Run(ctx, proc.Command{Args: []string{program, "--version"}, Dir: o.Root, Env: o.Env, Tree: true, MaxOutput: 64 << 10, Grace: time.Second})
	if err != nil {
		return ""
	}
	return versionNumber().FindString(string(r.Stdout))
}

// pluginEnabled reports whether a settings file of Claude Code switches this program's plugin on.
func pluginEnabled(path string) bool {
	on := false
	foreign(path).Get("enabledPlugins").ForEach(func(k, v gjson.Result) bool {
		on = on || strings.HasPrefix(k.String(), "session@") && v.Bool()
		return true
	})
	return on
}

// foreign reads somebody's JSON, comments allowed; what cannot be read is empty.
func foreign(path string) gjson.Result {
	f, size, err := openRegular(path)
	if err != nil {
		return gjson.Result{}
	}
	defer f.Close()
	data := make([]byte, min(size, 8<<20))
	if n, err := f.ReadAt(data, 0); n < len(data) || err != nil && n == 0 || tooDeep(data) {
		return gjson.Result{}
	}
	plain, err := hujson.Standardize(bytes.TrimPrefix(data, byteOrderMark))
	if err != nil {
		return gjson.Result{}
	}
	return gjson.ParseBytes(plain)
}
