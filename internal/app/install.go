package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"session/internal/assistant"
	"session/internal/atomicfile"
	"session/internal/proc"
	"session/internal/snapshot"
)

// InitOptions is what session init was asked.
type InitOptions struct {
	Assistants []string // as people write them; uninstalling, none means all that were installed
	GitHook    bool     // the pre-push hook too; uninstalling without names takes it away anyhow
	DryRun     bool
	Uninstall  bool
}

// InitResult is what session init did, or would do.
type InitResult struct {
	Written []WrittenFile `json:"written"`
	Kept    []KeptFile    `json:"kept"`
	Backups []string      `json:"backups"`
	Hooks   []HookStatus  `json:"hooks"`
	Manual  []ManualStep  `json:"manual"`
	Ran     []string      `json:"ran"` // commands of others that were run afterwards
	DryRun  bool          `json:"dry_run"`
	Diff    string        `json:"diff,omitempty"`
}

// WrittenFile is one file that was written, added to, moved or taken away.
type WrittenFile struct {
	Path string `json:"path"` // relative to the work tree; of a hook, where it stands
	Act  string `json:"act"`  // create, update, merge, revert, delete, move
	From string `json:"from,omitempty"`
}

// KeptFile is a file that stays as it is, and why: yours, edited, shared, current, recorded.
type KeptFile struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// ManualStep is what a person has to do, because the file belongs to others.
type ManualStep struct {
	File  string `json:"file"`
	Lines string `json:"lines"`
	Why   string `json:"why"`
}

// NoGitError says that a git hook was asked for outside of a repository.
type NoGitError struct{ Dir string }

func (e *NoGitError) Error() string {
	return e.Dir + " is not inside a git repository: there is nothing that a git hook could be installed in"
}

// FoundAssistant is an assistant that seems to be used in a work tree.
type FoundAssistant struct {
	Name, Title string
	Installed   bool // its program is on the PATH
}

// Arguments splits what a person typed behind an assistant's slash command; "-" reads it. A shell has seen none of it.
func Arguments(value string, in io.Reader) ([]string, error) {
	if value == "-" {
		return assistant.ReadArguments(in)
	}
	return assistant.SplitArguments(value)
}

// AssistantNames lists the assistants that session init knows.
func AssistantNames() (all []string) {
	for _, n := range assistant.Names() {
		all = append(all, string(n))
	}
	return all
}

// DetectAssistants lists all assistants that session knows, with those first that are used here.
func DetectAssistants(ctx context.Context, p Place) ([]FoundAssistant, error) {
	s, err := p.open(ctx)
	if err != nil {
		return nil, err
	}
	var all []FoundAssistant
	for _, f := range assistant.Detect(s.root, s.Env) {
		all = append(all, FoundAssistant{Name: string(f.Name), Title: f.Name.Title(), Installed: f.Program != ""})
	}
	return all, nil
}

func (s *site) initRecord() string  { return filepath.Join(s.runtimeDir(), "installed.json") }
func (s *site) initBackups() string { return filepath.Join(s.runtimeDir(), "before-init") }

// hookRecord says that the git hook was asked for in this repository, so that its death is noticed.
func (s *site) hookRecord() string { return filepath.Join(s.storeDir(), "git-hook.json") }

// Init installs for assistants and git, or takes that away: all of it or nothing. Errors: *assistant.UnknownError,
// *assistant.SettingsError, *assistant.RecordError, *assistant.HookConflictError, *assistant.ChangedError,
// *assistant.UndoneError, *NoGitError, *snapshot.ErrBusy.
func Init(ctx context.Context, p Place, o InitOptions) (InitResult, error) {
	s, err := p.open(ctx)
	if err != nil {
		return InitResult{}, err
	}
	i := &installing{site: s, o: o, r: InitResult{Written: []WrittenFile{}, Kept: []KeptFile{}, Backups: []string{}, Hooks: []HookStatus{},
		Manual: []ManualStep{}, Ran: []string{}, DryRun: o.DryRun}}
	if o.DryRun {
		return i.r, i.plan(ctx)
	}
	if err := s.oneByOne(ctx, func() error { return i.plan(ctx) }, i.apply, func() error { return i.follow(ctx) }); err != nil {
		return i.r, err
	}
	i.r.Hooks, err = s.hooks(ctx, true)
	return i.r, err
}

// initWait is how long one init waits for another in the same repository.
const initWait = time.Minute

// oneByOne does the steps while no other init works in this repository or its linked work trees: what another takes back
// would else be what this one has just written, and its record would not know of it.
func (s *site) oneByOne(ctx context.Context, steps ...func() error) (err error) {
	held, err := s.initLock(ctx)
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, held.Unlock())
		_ = os.Remove(s.storeDir()) // made for the lock, where nothing was installed
		if s.repo == nil {
			_ = os.Remove(filepath.Dir(s.storeDir()))
		}
	}()
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (s *site) initLock(ctx context.Context) (*atomicfile.Held, error) {
	note, err := json.Marshal(s.holder(""))
	if err != nil {
		return nil, fmt.Errorf("wait for other runs of session init: %w", err)
	}
	const tries = 100
	for n := 1; ; n++ {
		if err := os.MkdirAll(s.storeDir(), 0o700); err != nil {
			return nil, fmt.Errorf("wait for other runs of session init: %w", err)
		}
		held, err := atomicfile.Lock(ctx, filepath.Join(s.storeDir(), "init-lock"), note, initWait)
		var busy *atomicfile.Busy
		switch {
		case isMissing(err) && n < tries: // another has just ended and taken the empty folder away
			continue
		case errors.As(err, &busy):
			who := snapshot.Holder{}
			_ = json.Unmarshal(busy.Note, &who) // a note that cannot be read is nobody's
			return nil, &snapshot.ErrBusy{Key: "session init", Who: who}
		case err != nil:
			return nil, fmt.Errorf("wait for other runs of session init: %w", err)
		}
		return held, nil
	}
}

// installing is one session init.
type installing struct {
	*site
	o     InitOptions
	plans []assistant.Plan
	then  [][]string
	hook  bool // the git hook is installed afterwards
	r     InitResult
}

func (i *installing) plan(ctx context.Context) error {
	o := assistant.Options{Root: i.root, Record: i.initRecord(), Backups: i.initBackups(), Windows: runtime.GOOS == "windows"}
	for _, name := range i.o.Assistants {
		n, err := assistant.ParseName(name)
		if err != nil {
			return &UsageError{err}
		}
		o.Assistants = append(o.Assistants, n)
	}
	if len(o.Assistants) > 0 || i.o.Uninstall && !i.o.GitHook {
		make := assistant.PlanInit
		if i.o.Uninstall {
			make = assistant.PlanUninstall
		}
		pl, err := make(o)
		if err != nil {
			return err
		}
		i.add(pl, "")
	}
	if i.o.Uninstall && len(o.Assistants) > 0 && !i.o.GitHook {
		return nil
	}
	if i.repo == nil {
		if i.o.GitHook {
			return &NoGitError{i.root}
		}
		return nil
	}
	return i.planHook(ctx)
}

// planHook plans the git hook, in or out.
func (i *installing) planHook(ctx context.Context) error {
	h := assistant.HookOptions{Root: i.root, Env: i.gitEnv()}
	switch {
	case i.o.Uninstall:
		plans, err := assistant.PlanUnhook(ctx, h)
		if err != nil {
			return err
		}
		for _, p := range plans {
			i.add(p.Plan, i.hookBase(p.Plan))
		}
	case i.o.GitHook:
		p, err := assistant.PlanHook(ctx, h)
		if err != nil {
			return err
		}
		if i.hook = true; p.Manual != nil {
			i.r.Manual = append(i.r.Manual, ManualStep{File: p.Manual.File, Lines: p.Manual.Lines, Why: p.Manual.Why})
		}
		if len(p.Then) > 0 {
			i.then = append(i.then, p.Then)
		}
		i.add(p.Plan, i.hookBase(p.Plan))
	}
	return nil
}

// gitEnv is the environment in which git says where it takes hooks from: here, whatever called us.
func (s *site) gitEnv() []string {
	return proc.With(s.Env, []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR"})
}

// hookBase is what stands before the paths of a hook's plan, where that is not in the work tree.
func (i *installing) hookBase(p assistant.Plan) string {
	if p.Root == "" || p.Root == i.root {
		return ""
	}
	return p.Root
}

func (i *installing) add(p assistant.Plan, base string) {
	at := func(path string) string {
		if base == "" || path == "" {
			return path
		}
		return filepath.Join(base, filepath.FromSlash(path))
	}
	for _, c := range p.Changes {
		i.r.Written = append(i.r.Written, WrittenFile{Path: at(c.Path), Act: string(c.Act), From: at(c.From)})
	}
	for _, k := range p.Kept {
		i.r.Kept = append(i.r.Kept, KeptFile{Path: at(k.Path), Why: string(k.Why)})
	}
	if p.Root != "" {
		i.plans = append(i.plans, p)
	}
	if i.o.DryRun {
		i.r.Diff += p.Diff()
	}
}

// apply carries the plans out; when one fails, the earlier ones are taken back.
func (i *installing) apply() error {
	var done []*assistant.Applied
	for _, p := range i.plans {
		a, err := p.Apply()
		if err != nil {
			for k := len(done) - 1; k >= 0; k-- {
				err = errors.Join(err, done[k].Undo())
			}
			return err
		}
		done = append(done, a)
		i.r.Backups = append(i.r.Backups, a.Backups...)
	}
	return nil
}

// follow does what comes after the files: the note that the git hook is wanted, and what its keeper has to run.
func (i *installing) follow(ctx context.Context) error {
	switch {
	case i.hook && len(i.r.Manual) == 0:
		note, err := json.Marshal(map[string]int{"version": 1})
		if err == nil {
			err = os.MkdirAll(i.storeDir(), 0o700)
		}
		if err == nil {
			err = atomicfile.Replace(i.hookRecord(), append(note, '\n'), 0o600)
		}
		if err != nil {
			return fmt.Errorf("note that the git hook is wanted: %w", err)
		}
	case i.o.Uninstall && i.repo != nil && (i.o.GitHook || len(i.o.Assistants) == 0):
		if err := os.Remove(i.hookRecord()); err != nil && !isMissing(err) {
			return err
		}
	}
	for _, args := range i.then {
		program, err := proc.LookPath(args[0], i.Env, i.root) // never one that the repository brings along
		if err != nil {
			i.r.Manual = append(i.r.Manual, ManualStep{Lines: strings.Join(args, " ") + "\n", Why: args[0] + " is not on the PATH"})
			continue
		}
		if _, err := proc.Run(ctx, proc.Command{Args: append([]string{program}, args[1:]...), Dir: i.root, Env: i.gitEnv(), Tree: true, MaxOutput: 1 << 20}); err != nil {
			return fmt.Errorf("run %s: %w", strings.Join(args, " "), err)
		}
		i.r.Ran = append(i.r.Ran, strings.Join(args, " "))
	}
	return nil
}
