package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"session/internal/assistant"
	"session/internal/github"
	"session/internal/proc"
	"session/internal/session"
	"session/internal/store/file"
)

// HookStatus is one place from which the program is called by itself, and whether it will be.
type HookStatus struct {
	Name  string `json:"name"`  // git pre-push, or an assistant
	Armed bool   `json:"armed"` // it will be called
	Where string `json:"where"` // the file that git will run, or the assistant's settings
	Keeps string `json:"keeps,omitempty"`
	Last  string `json:"last,omitempty"`  // RFC 3339, when it was called last; "" for never, as far as the log goes back
	Error string `json:"error,omitempty"` // of the last time
	Why   string `json:"why,omitempty"`   // why it is not armed
	Fix   string `json:"fix,omitempty"`
}

// DoctorResult says what is installed, what of it works, and what to do about the rest.
type DoctorResult struct {
	Program    ProgramHealth     `json:"program"`
	Assistants []AssistantHealth `json:"assistants"`
	Hooks      []HookStatus      `json:"hooks"`
	GitHub     GitHubHealth      `json:"github"`
	State      PartHealth        `json:"state"`
	Store      PartHealth        `json:"store"`
	Shared     []PartHealth      `json:"shared"`   // back ends that a team shares; none: this machine works alone
	Failures   []HookFailure     `json:"failures"` // calls of hooks that came to nothing, newest first
	Disabled   bool              `json:"disabled"` // hooks are switched off in this environment
	Problems   []DoctorProblem   `json:"problems"`
	Healthy    bool              `json:"healthy"`
}

// ProgramHealth is the program itself.
type ProgramHealth struct {
	Version string `json:"version"`
	Path    string `json:"path"` // where hooks find it; "" if they do not
}

// AssistantHealth is one assistant here.
type AssistantHealth struct {
	Name    string       `json:"name"`
	Program string       `json:"program"`
	Version string       `json:"version"`
	SetUp   bool         `json:"set_up"`
	Plugin  bool         `json:"plugin,omitempty"`
	Files   []FileStatus `json:"files"`
	Hooks   []EventHook  `json:"hooks"`
}

// FileStatus is a file that init writes, and how it stands: fresh, stale, changed, foreign, absent, broken.
type FileStatus struct {
	Path  string `json:"path"`
	State string `json:"state"`
}

// EventHook is one event of an assistant.
type EventHook struct {
	Event string `json:"event"`
	Set   bool   `json:"set"`
	Last  string `json:"last,omitempty"`
	Error string `json:"error,omitempty"`
}

// GitHubHealth says whether GitHub can be asked. It never holds the token.
type GitHubHealth struct {
	Host  string `json:"host"`
	Token bool   `json:"token"`
	From  string `json:"from,omitempty"` // where the token was found
}

// PartHealth is something that is there or not, and right or not.
type PartHealth struct {
	Where string `json:"where"`
	OK    bool   `json:"ok"`
	Note  string `json:"note,omitempty"`
}

// HookFailure is a call of a hook that came to nothing.
type HookFailure struct {
	At    string `json:"at"`
	Hook  string `json:"hook"`
	Error string `json:"error"`
}

// DoctorProblem is one thing that is not as it should be, and the way out.
type DoctorProblem struct {
	Where  string `json:"where"`
	Kind   string `json:"kind"`
	Detail string `json:"detail"`
	Fix    string `json:"fix"`
	Advice bool   `json:"advice"` // all works without it
}

// prePush is the name of git's hook in lists.
const prePush = "git pre-push"

func (s *site) hookLog() string { return filepath.Join(s.runtimeDir(), "hooks.jsonl") }

func (s *site) healthOptions(quick bool) assistant.HealthOptions {
	return assistant.HealthOptions{Root: s.root, Home: proc.Getenv(s.Env, "HOME"), Env: s.Env, Record: s.initRecord(), HookLog: s.hookLog(),
		Windows: runtime.GOOS == "windows", Quick: quick}
}

// hooks says of every hook that was installed whether it will be called; all names those too that were not.
func (s *site) hooks(ctx context.Context, all bool) ([]HookStatus, error) {
	list := []HookStatus{}
	if _, err := os.Stat(s.hookRecord()); s.repo != nil && (all || err == nil) {
		h, err := s.gitHook(ctx)
		if err != nil {
			return list, err
		}
		list = append(list, h)
	}
	health, err := assistant.LookAt(ctx, s.healthOptions(true))
	if err != nil {
		return list, err
	}
	for _, h := range health {
		list = append(list, hookStatus(h))
	}
	return list, nil
}

func (s *site) gitHook(ctx context.Context) (HookStatus, error) {
	h := HookStatus{Name: prePush}
	a, err := assistant.HookArmed(ctx, assistant.HookOptions{Root: s.root, Env: s.gitEnv()})
	if err != nil {
		return h, err
	}
	h.Where, h.Armed, h.Keeps = a.Site.File, a.OK(), string(a.Site.Keeper)
	if a.Through != "" {
		h.Where = a.Through
	}
	if !h.Armed {
		h.Fix = "session init --git-hook"
	}
	switch {
	case !a.Exists:
		h.Why = "hook.absent"
	case !a.Runs:
		h.Why, h.Fix = "hook.not-executable", Shell([]string{"chmod", "+x", a.Site.File})
	case !a.Calls:
		h.Why = "hook.not-called"
	case a.Behind:
		h.Why = "hook.behind"
	}
	if _, err := proc.LookPath("session", s.Env, s.root); err != nil && h.Armed {
		h.Armed, h.Why, h.Fix = false, "hook.no-program", ""
	}
	fired, err := assistant.LastFired(s.hookLog())
	for _, f := range slices.Backward(fired) {
		if f.From == "" {
			h.Last, h.Error = f.At.UTC().Format(time.RFC3339), f.Error
			break
		}
	}
	return h, err
}

// hookStatus is an assistant's hooks as one line.
func hookStatus(h assistant.Health) HookStatus {
	r := HookStatus{Name: string(h.Name), Armed: h.SetUp || h.Plugin}
	for _, p := range h.Problems {
		if p.Dead() {
			r.Armed, r.Why, r.Fix = false, "problem."+string(p.Kind), p.Fix
			break
		}
	}
	var last time.Time
	for _, x := range h.Hooks {
		if x.Last.After(last) {
			last, r.Error = x.Last, x.Error
		}
	}
	if !last.IsZero() {
		r.Last = last.UTC().Format(time.RFC3339)
	}
	for _, f := range h.Files {
		if strings.HasSuffix(f.Path, ".json") || strings.HasSuffix(f.Path, ".js") {
			r.Where = f.Path
		}
	}
	return r
}

// deadHooks names in one finding the hooks that were installed and will not be called, or whose last call came to
// nothing. What cannot be looked at is said, and keeps nobody from saving or loading.
func (s *site) deadHooks(ctx context.Context) []session.Finding {
	list, err := s.hooks(ctx, false)
	if err != nil {
		return []session.Finding{session.Unread("hooks", err)}
	}
	var dead []string
	fix := ""
	for _, h := range list {
		switch {
		case !h.Armed:
			dead = append(dead, h.Name+" ("+s.Words.Say(h.Why)+")")
		case h.Error != "":
			dead = append(dead, h.Name+" ("+h.Error+")")
		default:
			continue
		}
		if fix == "" {
			fix = h.Fix
		}
	}
	if len(dead) == 0 {
		return nil
	}
	f := session.NewFinding(session.HookDead, "hook.dead", "list", strings.Join(dead, ", "))
	return []session.Finding{f.Offer("doctor", "session", "doctor")}
}

// Doctor looks at everything that has to work together. It changes nothing.
func Doctor(ctx context.Context, p Place) (DoctorResult, error) {
	r := DoctorResult{Program: ProgramHealth{Version: Version().Version}, Assistants: []AssistantHealth{}, Hooks: []HookStatus{}, Failures: []HookFailure{},
		Problems: []DoctorProblem{}, Disabled: HooksDisabled(p.Env)}
	s, err := p.open(ctx)
	if err != nil {
		return r, err
	}
	if r.Program.Path, err = proc.LookPath("session", p.Env, p.Dir); err != nil {
		r.problem("session", "no-program", p.Words.Say("problem.no-program"), p.Words.Say("fix.path"), false)
	}
	if r.Disabled {
		r.problem("hooks", "disabled", HooksVariable+"=off", "unset "+HooksVariable, false)
	}
	if err := s.examine(ctx, &r); err != nil {
		return r, err
	}
	s.examineHooks(ctx, &r)
	s.examineGitHub(ctx, &r)
	s.examineState(ctx, &r)
	s.examineShared(ctx, &r)
	s.examineService(ctx, &r)
	r.Healthy = !slices.ContainsFunc(r.Problems, func(x DoctorProblem) bool { return !x.Advice })
	return r, nil
}

func (r *DoctorResult) problem(where, kind, detail, fix string, advice bool) {
	r.Problems = append(r.Problems, DoctorProblem{Where: where, Kind: kind, Detail: detail, Fix: fix, Advice: advice})
}

// examine looks at the assistants.
func (s *site) examine(ctx context.Context, r *DoctorResult) error {
	all, err := assistant.LookAt(ctx, s.healthOptions(false))
	if err != nil {
		return err
	}
	for _, h := range all {
		a := AssistantHealth{Name: string(h.Name), Program: h.Program, Version: h.Version, SetUp: h.SetUp, Plugin: h.Plugin, Files: []FileStatus{}, Hooks: []EventHook{}}
		for _, f := range h.Files {
			a.Files = append(a.Files, FileStatus{f.Path, string(f.State)})
		}
		for _, x := range h.Hooks {
			e := EventHook{Event: x.Event, Set: x.Set || h.Plugin, Error: x.Error}
			if !x.Last.IsZero() {
				e.Last = x.Last.UTC().Format(time.RFC3339)
			}
			a.Hooks = append(a.Hooks, e)
		}
		for _, p := range h.Problems {
			advice := !p.Dead() && p.Kind != assistant.FilesMissing && p.Kind != assistant.Denied && p.Kind != assistant.NoLoginProgram
			r.problem(string(h.Name), string(p.Kind), s.Words.Say("problem."+string(p.Kind))+": "+p.Detail, p.Fix, advice)
		}
		r.Assistants = append(r.Assistants, a)
		if h.SetUp || h.Plugin {
			r.Hooks = append(r.Hooks, hookStatus(h))
		}
	}
	return nil
}

// examineHooks looks at git's hook and at the hook log.
func (s *site) examineHooks(ctx context.Context, r *DoctorResult) {
	if s.repo != nil {
		h, err := s.gitHook(ctx)
		_, asked := os.Stat(s.hookRecord())
		switch {
		case err != nil:
			r.problem(prePush, "unreadable", err.Error(), "", false)
		case !h.Armed:
			r.problem(prePush, strings.TrimPrefix(h.Why, "hook."), h.Where+": "+s.Words.Say(h.Why), h.Fix, asked != nil)
		}
		r.Hooks = append([]HookStatus{h}, r.Hooks...)
	}
	fired, err := assistant.ReadFired(s.hookLog())
	if err != nil {
		r.problem("hooks", "unreadable", err.Error(), Shell([]string{"rm", s.hookLog()}), false)
	}
	for _, f := range slices.Backward(fired) {
		if f.Error != "" && len(r.Failures) < 10 {
			name := string(f.Kind)
			if f.From != "" {
				name = string(f.From) + " " + name
			}
			r.Failures = append(r.Failures, HookFailure{At: f.At.UTC().Format(time.RFC3339), Hook: name, Error: f.Error})
		}
	}
}

// examineGitHub says whether a token for GitHub is there; nobody is asked.
func (s *site) examineGitHub(ctx context.Context, r *DoctorResult) {
	r.GitHub.Host = "github.com"
	for _, v := range []string{"GH_TOKEN", "GITHUB_TOKEN"} {
		if proc.Getenv(s.Env, v) != "" {
			r.GitHub.Token, r.GitHub.From = true, v
			return
		}
	}
	ctx, stop := context.WithTimeout(ctx, 3*time.Second) // a key ring may ask its owner and wait
	defer stop()
	token, err := github.Token(ctx, r.GitHub.Host)
	if r.GitHub.Token = err == nil && token != ""; r.GitHub.Token {
		r.GitHub.From = "gh"
		return
	}
	r.problem("github", "no-token", s.Words.Say("problem.no-token"), "gh auth login", true)
}

// examineState looks at the state file and the store, without reading every snapshot: session check does that.
func (s *site) examineState(ctx context.Context, r *DoctorResult) {
	r.State, r.Store = PartHealth{Where: s.stateFile(), OK: true}, PartHealth{Where: s.storeDir(), OK: true}
	var corrupt *CorruptStateError
	switch _, found, err := s.readState(); {
	case errors.As(err, &corrupt):
		r.State.OK, r.State.Note = false, err.Error()
		r.problem("state", "corrupt", err.Error(), "session save --replace-corrupt", false)
	case err != nil:
		r.State.OK, r.State.Note = false, err.Error()
		r.problem("state", "unreadable", err.Error(), "", false)
	case !found:
		r.State.Note = s.Words.Say("doctor.nothing-saved")
	}
	fs, chain, err := s.store(false)
	if errors.Is(err, file.ErrNoStore) {
		r.Store.Note = s.Words.Say("doctor.nothing-saved")
		return
	}
	if err == nil {
		_, err = chain.Head(ctx, s.path)
	}
	if err == nil && fs != nil {
		err = writable(s.storeDir())
	}
	if err != nil {
		r.Store.OK, r.Store.Note = false, err.Error()
		r.problem("store", "broken", err.Error(), "session check --repair", false)
	}
}

// writable tries whether a save could write.
func writable(dir string) error {
	f, err := os.CreateTemp(dir, ".doctor-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}
