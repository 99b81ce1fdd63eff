package assistant

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"session/internal/proc"
)

// HookOptions say where git is asked about hooks.
type HookOptions struct {
	Root string   // the root of the work tree
	Env  []string // the whole environment of git
}

// Keeper is who decides about a repository's hooks.
type Keeper string

// The keepers. A folder that is tracked, or that core.hooksPath names outside of the repository, belongs to others: the
// lines to add are said, nothing is written there.
const (
	PlainHooks Keeper = "git"      // the hooks folder of the repository
	Husky      Keeper = "husky"    // core.hooksPath is .husky/_, made anew by each install; its hooks are in .husky
	Lefthook   Keeper = "lefthook" // rewrites every hook; its commands are in lefthook-local.yml
	Others     Keeper = "others"
)

// HookSite is where git looks for hooks in a work tree, and who keeps them.
type HookSite struct {
	Root   string
	Common string // the repository's own folder, shared by its linked work trees
	Dir    string // the folder that git takes hooks from: git rev-parse --git-path hooks
	File   string // Dir/pre-push
	Keeper Keeper
	Reason string // why Others

	lefthook string // its configuration, relative to Root
}

// Site asks git where it takes hooks from in a work tree, linked ones and core.hooksPath included.
func Site(ctx context.Context, o HookOptions) (HookSite, error) {
	s := HookSite{Root: o.Root}
	out, err := git(ctx, o, "rev-parse", "--git-path", "hooks", "--git-common-dir")
	if err != nil {
		return s, fmt.Errorf("ask git for its hooks folder: %w", err)
	}
	dir, common, ok := strings.Cut(strings.TrimRight(out, "\r\n"), "\n")
	if !ok {
		return s, fmt.Errorf("ask git for its hooks folder: unexpected answer %q", out)
	}
	s.Dir, s.Common = absolute(o.Root, dir), absolute(o.Root, strings.TrimRight(common, "\r"))
	s.File = filepath.Join(s.Dir, "pre-push")
	s.lefthook = firstFile(o.Root, lefthookNames("lefthook"))
	switch below, inside := relative(s.Root, s.Dir); {
	case strings.HasSuffix(filepath.ToSlash(s.Dir), "/.husky/_"):
		s.Keeper = Husky
	case s.lefthook != "":
		s.Keeper = Lefthook
	case s.ownFolder():
		s.Keeper = PlainHooks
	case !inside:
		s.Keeper, s.Reason = Others, "core.hooksPath names a folder outside of this repository"
	default:
		tracked, err := git(ctx, o, "ls-files", "--", below)
		if err != nil {
			return s, fmt.Errorf("ask git whether %s is tracked: %w", below, err)
		}
		if s.Keeper = PlainHooks; tracked != "" {
			s.Keeper, s.Reason = Others, "the hooks folder "+below+" is part of the project"
		}
	}
	return s, nil
}

// ownFolder reports whether the hooks are in the repository's own folder.
func (s HookSite) ownFolder() bool {
	_, inside := relative(s.Common, s.Dir)
	return inside
}

func git(ctx context.Context, o HookOptions, args ...string) (string, error) {
	env := proc.With(o.Env, nil, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0")
	r, err := proc.Run(ctx, proc.Command{Args: append([]string{"git"}, args...), Dir: o.Root, Env: env, Tree: true, MaxOutput: maxSettings})
	return string(r.Stdout), err
}

func absolute(root, p string) string {
	if p = filepath.FromSlash(p); filepath.IsAbs(p) {
		return filepath.Clean(p)
	}
	return filepath.Join(root, p)
}

// relative is a path seen from a folder, with slashes, and whether it is below it. Links on the way are resolved as far
// as they exist: git names the real folder, a caller perhaps a link to it.
func relative(dir, p string) (string, bool) {
	r, err := filepath.Rel(resolved(dir), resolved(p))
	if err != nil || !filepath.IsLocal(r) {
		return "", false
	}
	return filepath.ToSlash(r), true
}

func resolved(p string) string {
	if r, err := filepath.EvalSymlinks(p); err == nil {
		return r
	}
	if parent := filepath.Dir(p); parent != p {
		return filepath.Join(resolved(parent), filepath.Base(p))
	}
	return p
}

// lefthookNames are the files in which lefthook 2.2.2 looks for a configuration.
func lefthookNames(base string) (all []string) {
	for _, prefix := range []string{"", ".", ".config/"} {
		for _, ext := range []string{"yml", "yaml", "json", "jsonc", "toml"} {
			all = append(all, prefix+base+"."+ext)
		}
	}
	return all
}

func firstFile(root string, names []string) string {
	for _, n := range names {
		if info, err := os.Stat(filepath.Join(root, filepath.FromSlash(n))); err == nil && info.Mode().IsRegular() {
			return n
		}
	}
	return ""
}

// Armed says which file git will run before a push, and whether that calls this program.
type Armed struct {
	Site    HookSite
	Exists  bool   // the file is there
	Runs    bool   // and git may run it (its x bit; Windows has none)
	Calls   bool   // and it comes to session hook pre-push
	Behind  bool   // the call stands behind the end of the script
	Through string // the file, relative or absolute, in which the call stands
}

// OK reports whether a push will be recorded.
func (a Armed) OK() bool { return a.Exists && a.Runs && a.Calls && !a.Behind }

// HookArmed looks at the hook that git will really run, and follows it through husky, lefthook and pre-commit.
func HookArmed(ctx context.Context, o HookOptions) (Armed, error) {
	s, err := Site(ctx, o)
	if err != nil {
		return Armed{}, err
	}
	a := Armed{Site: s}
	is, err := readHook(s.File)
	if err != nil || is == nil {
		return a, err
	}
	a.Exists, a.Runs = true, runnable(is.mode)
	for _, at := range s.callers(string(is.data)) {
		if t, err := readHook(at); err == nil && t != nil && calls(string(t.data)) {
			a.Calls, a.Through = true, at
			a.Behind = filepath.Base(at) == hookName && !reached(string(t.data))
			return a, nil
		}
	}
	return a, nil
}

// callers are the files that a hook of this text comes to, itself first.
func (s HookSite) callers(text string) []string {
	all := []string{s.File}
	switch {
	case s.Keeper == Husky:
		all = append(all, filepath.Join(s.Dir, "..", "pre-push"))
	case strings.Contains(text, "lefthook"):
		for _, base := range []string{"lefthook-local", "lefthook"} {
			if n := firstFile(s.Root, lefthookNames(base)); n != "" {
				all = append(all, filepath.Join(s.Root, filepath.FromSlash(n)))
			}
		}
	case strings.Contains(text, "pre-commit"): // it runs the hook that it found as its legacy hook
		all = append(all, s.File+".legacy")
	}
	return all
}

// calls reports whether a hook or its configuration calls the program, comments aside.
func calls(text string) bool {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "#") && strings.Contains(line, "session hook pre-push") {
			return true
		}
	}
	return false
}

// leaves reports whether a script may end before its last line.
func leaves(script string) bool {
	for line := range strings.Lines(script) {
		code, _, _ := strings.Cut(line, "#")
		for _, word := range strings.FieldsFunc(code, func(r rune) bool { return strings.ContainsRune(" \t\r\n;&|(){}", r) }) {
			if word == "exit" || word == "exec" || word == "return" {
				return true
			}
		}
	}
	return false
}

// reached reports whether a script calls the program before it ends in any case: by an exit or an exec that stands in no
// condition, loop or function.
func reached(script string) bool {
	depth, goesOn := 0, false
	for line := range strings.Lines(script) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "#") {
			continue
		}
		if calls(line) {
			return true
		}
		words := strings.Fields(strings.ReplaceAll(line, ";", " ; "))
		if depth == 0 && !goesOn && ends(words) {
			return false
		}
		for _, w := range words {
			switch w {
			case "if", "case", "do", "{", "(":
				depth++
			case "fi", "esac", "done", "}", ")":
				depth = max(0, depth-1)
			}
			if strings.HasSuffix(w, "(){") {
				depth++
			}
		}
		goesOn = strings.HasSuffix(line, "&&") || strings.HasSuffix(line, "||") || strings.HasSuffix(line, "\\")
	}
	return false
}

// ends reports whether a command that stands alone ends its script: exit, or exec of a program.
func ends(words []string) bool {
	switch {
	case len(words) == 0 || words[0] != "exit" && words[0] != "exec":
		return false
	case words[0] == "exit":
		return true
	}
	return len(words) > 1 && !strings.HasPrefix(words[1], ";") && !strings.ContainsAny(words[1][:min(2, len(words[1]))], "<>")
}

// readHook reads a hook, of a large one its beginning; nil when it is not there.
func readHook(path string) (*content, error) {
	f, size, err := openRegular(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil
	}
	var info fs.FileInfo
	if err == nil {
		defer f.Close()
		info, err = f.Stat()
	}
	if err != nil {
		return nil, fmt.Errorf("read the hook %s: %w", path, err)
	}
	b := make([]byte, min(size, maxSettings))
	if n, err := f.ReadAt(b, 0); n < len(b) {
		return nil, fmt.Errorf("read the hook %s: %w", path, err)
	}
	return &content{data: b, mode: info.Mode().Perm()}, nil
}
