package assistant

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// The names that a pre-push hook goes by: git's, ours for the one that was there before, and those under which
// pre-commit and lefthook put aside what they find.
const (
	hookName   = "pre-push"
	hookBefore = "pre-push.before-session"
)

var asideNames = []string{"pre-push.legacy", "pre-push.old"}

const (
	hookMark  = "# session pre-push hook v"
	blockOpen = "# >>> session pre-push hook v1: written by `session init --git-hook`, taken away by its --uninstall"
	blockEnd  = "# <<< session pre-push hook"
	// blockBare ends the first line of a block whose file had no newline at its end.
	blockBare = " (no newline before)"
)

// HookPlan is how the pre-push hook is installed, or taken away.
type HookPlan struct {
	Plan
	Site   HookSite
	Manual *Manual  // what a person has to do instead; nothing is written
	Then   []string // a command to run afterwards, as an argument list; nil: none
}

// Manual says which lines a person adds to which file, because the file belongs to others.
type Manual struct {
	File  string
	Lines string
	Why   string
}

// HookConflictError says that two hooks of other programs are in the way, and which. Nothing is changed.
type HookConflictError struct{ Hook, Before string }

func (e *HookConflictError) Error() string {
	return fmt.Sprintf("another program has replaced the hook of session: %s is its own, and %s is the hook that session had kept; "+
		"remove the one that is no longer needed, then run session init --git-hook again", e.Hook, e.Before)
}

// NoHooksError says that git runs no hooks here, because core.hooksPath names something that is no folder.
type NoHooksError struct{ Dir string }

func (e *NoHooksError) Error() string {
	return fmt.Sprintf("git runs no hooks here: core.hooksPath is %s, which is no folder", e.Dir)
}

// PlanHook plans the pre-push hook where git will really run it, in the way of whoever keeps the hooks there. Errors:
// *HookConflictError, *NoHooksError, *SettingsError, proc's when git cannot be asked.
func PlanHook(ctx context.Context, o HookOptions) (HookPlan, error) {
	s, err := Site(ctx, o)
	if err != nil {
		return HookPlan{}, err
	}
	if info, err := os.Stat(s.Dir); err == nil && !info.IsDir() {
		return HookPlan{}, &NoHooksError{s.Dir}
	}
	p := HookPlan{Site: s}
	switch s.Keeper {
	case Husky:
		err = p.husky()
	case Lefthook:
		err = p.lefthook()
	case Others:
		p.Manual = &Manual{File: s.File, Lines: hookLines(), Why: s.Reason}
	default:
		err = p.wrapper()
	}
	return p, err
}

// hookLines are the lines that call the program from any hook in sh; they need its arguments and its input.
func hookLines() string {
	return `if [ -z "${SESSION_HOOK-}" ] && command -v session >/dev/null 2>&1; then SESSION_HOOK=1 session hook pre-push "$@" || :; fi` + "\n"
}

func block() string { return blockOpen + "\n" + hookLines() + blockEnd + "\n" }

// frontBlock is the block for a script that may end before its last line: it reads what git says and hands it on.
func frontBlock() string {
	return blockOpen + `
if [ -z "${SESSION_HOOK-}" ] && [ ! -t 0 ] && command -v session >/dev/null 2>&1; then
session_refs=$(cat)
printf %s "${session_refs:+$session_refs
}" | SESSION_HOOK=1 session hook pre-push "$@" || :
if [ -z "$session_refs" ]; then exec </dev/null; else exec <<SESSION_REFS
$session_refs
SESSION_REFS
fi
fi
` + blockEnd + "\n"
}

// at opens the folder that a plan works in: the repository's own folder, or the work tree.
func (p *HookPlan) at(file string) (t *tree, rel string, err error) {
	for _, root := range []string{p.Site.Common, p.Site.Root} {
		if rel, ok := relative(root, file); ok {
			p.Root = root
			t, err = openTree(root)
			return t, rel, err
		}
	}
	return nil, "", fmt.Errorf("the hook %s is outside of this repository", file)
}

// hookAt opens the folder that a plan works in, for a hook in a folder of hooks. A hook that is a link is that link: what it
// names may be a file of the project.
func (p *HookPlan) hookAt(dir string) (t *tree, rel string, err error) {
	t, rel, err = p.at(dir)
	return t, path.Join(rel, hookName), err
}

// wrapper plans our hook in front of the one that is there.
func (p *HookPlan) wrapper() error {
	ours, err := files.ReadFile("files/" + hookName)
	if err != nil {
		return err
	}
	t, rel, err := p.hookAt(p.Site.Dir)
	if err != nil {
		return err
	}
	defer t.close()
	for _, aside := range asideNames { // pre-commit runs the one that it put aside
		if is, err := t.read(path.Join(path.Dir(rel), aside)); err == nil && is != nil && isOurs(is.data) && aside == asideNames[0] {
			p.Kept = append(p.Kept, Kept{path.Join(path.Dir(rel), aside), Current})
			return nil
		}
	}
	is, err := t.readOwn(rel)
	if err != nil {
		return err
	}
	switch {
	case is == nil:
	case bytes.Equal(is.data, ours):
		p.Kept = append(p.Kept, Kept{rel, Current})
		return nil
	case isOurs(is.data):
		p.Changes = []Change{{Act: Update, Path: rel, Before: is.data, After: ours, Mode: 0o755}}
		return nil
	default:
		before := path.Join(path.Dir(rel), hookBefore)
		if t.there(before) {
			return &HookConflictError{Hook: p.Site.File, Before: filepath.Join(p.Site.Dir, hookBefore)}
		}
		p.Changes = []Change{{Act: Move, From: rel, Path: before}}
	}
	p.Changes = append(p.Changes, Change{Act: Create, Path: rel, After: ours, Mode: 0o755})
	return nil
}

func isOurs(hook []byte) bool {
	return bytes.Contains(hook[:min(len(hook), 200)], []byte(hookMark))
}

// husky plans a block in the hook that husky runs, which is a file of the project.
func (p *HookPlan) husky() error {
	t, rel, err := p.at(filepath.Join(p.Site.Dir, "..", hookName))
	if err != nil {
		return err
	}
	defer t.close()
	is, err := t.read(rel)
	if err != nil {
		return err
	}
	c := Change{Act: Create, Path: rel, Mode: 0o644, After: []byte(block())}
	if is != nil {
		rest, had := withoutBlock(is.data)
		next := withCall(rest)
		if !had && calls(string(is.data)) || bytes.Equal(next, is.data) || had && reached(string(is.data)) {
			p.Kept = append(p.Kept, Kept{rel, Current})
			return nil
		}
		c = Change{Act: Merge, Path: rel, Before: is.data, Mode: is.mode, After: next}
	}
	p.Changes = []Change{c}
	return nil
}

// withCall is a script with our block: at its end, or at its beginning where it may leave before its end.
func withCall(script []byte) []byte {
	if !leaves(string(script)) {
		return appended(script, block())
	}
	first := 0
	if end := bytes.IndexByte(script, '\n'); bytes.HasPrefix(script, []byte("#!")) && end >= 0 {
		first = end + 1
	}
	out := append([]byte(nil), script[:first]...)
	out = append(out, strings.ReplaceAll(frontBlock(), "\n", lineEnd(script))...)
	return append(out, script[first:]...)
}

func lineEnd(text []byte) string {
	if bytes.Contains(text, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// appended is a text with our block after it, in its own line ends.
func appended(text []byte, lines string) []byte {
	newline := lineEnd(text)
	out := append([]byte(nil), text...)
	if len(out) > 0 && !bytes.HasSuffix(out, []byte("\n")) {
		out = append(out, newline...)
		lines = strings.Replace(lines, blockOpen, blockOpen+blockBare, 1)
	}
	return append(out, strings.ReplaceAll(lines, "\n", newline)...)
}

// withoutBlock is a text without our block; ok says whether it had one.
func withoutBlock(text []byte) (rest []byte, ok bool) {
	inside := false
	for line := range bytes.Lines(text) {
		switch t := strings.TrimSpace(string(line)); {
		case strings.HasPrefix(t, "# >>> session pre-push hook"):
			inside, ok = true, true
			if strings.HasSuffix(t, blockBare) {
				rest = bytes.TrimSuffix(bytes.TrimSuffix(rest, []byte("\n")), []byte("\r"))
			}
		case inside && strings.HasPrefix(t, blockEnd):
			inside = false
		case !inside:
			rest = append(rest, line...)
		}
	}
	if inside { // its end is missing: where it ends is not ours to guess
		return text, false
	}
	return rest, ok
}

// PlanUnhook plans to take the hook away wherever an earlier init has put it, and to put back what was there before.
// The plans are to be applied one after the other; none: nothing is installed.
func PlanUnhook(ctx context.Context, o HookOptions) ([]HookPlan, error) {
	s, err := Site(ctx, o)
	if err != nil {
		return nil, err
	}
	var plans []HookPlan
	hooks := []string{s.Dir, filepath.Join(s.Common, "hooks")}
	if resolved(hooks[0]) == resolved(hooks[1]) {
		hooks = hooks[:1]
	}
	for _, dir := range hooks {
		p := HookPlan{Site: s}
		if err := p.unwrap(dir); err != nil {
			return nil, err
		}
		plans = append(plans, p)
	}
	blocks := []string{filepath.Join(s.Root, ".husky", hookName)}
	for _, n := range lefthookNames("lefthook-local")[:2] {
		blocks = append(blocks, filepath.Join(s.Root, n))
	}
	blocks = append(blocks, filepath.Join(s.Root, ".lefthook-local.yml"), filepath.Join(s.Root, ".config", "lefthook-local.yml"))
	for _, file := range blocks {
		p := HookPlan{Site: s}
		if err := p.unblock(file); err != nil {
			return nil, err
		}
		plans = append(plans, p)
	}
	return plans, nil
}

// unwrap plans the end of our hook, under whatever name it stands now.
func (p *HookPlan) unwrap(dir string) error {
	t, rel, err := p.hookAt(dir)
	if err != nil {
		return nil // outside of the repository nothing of ours was written
	}
	defer t.close()
	ours, err := files.ReadFile("files/" + hookName)
	if err != nil {
		return err
	}
	before := t.there(path.Join(path.Dir(rel), hookBefore))
	for _, name := range append([]string{hookName}, asideNames...) {
		at := path.Join(path.Dir(rel), name)
		is, err := t.readOwn(at)
		if err != nil {
			return err
		}
		switch {
		case is == nil || !isOurs(is.data):
			continue
		case !bytes.Equal(is.data, ours) && !released(hookName, is.data):
			p.Kept = append(p.Kept, Kept{at, Edited})
			return nil
		}
		p.Changes = append(p.Changes, Change{Act: Delete, Path: at, Before: is.data, Mode: is.mode})
		if before {
			p.Changes = append(p.Changes, Change{Act: Move, From: path.Join(path.Dir(rel), hookBefore), Path: at})
			before = false
		}
	}
	return nil
}

// unblock plans the end of our block in somebody's file.
func (p *HookPlan) unblock(file string) error {
	t, rel, err := p.at(file)
	if err != nil {
		return nil // as above
	}
	defer t.close()
	is, err := t.read(rel)
	if err != nil || is == nil {
		return err
	}
	rest, ok := withoutBlock(is.data)
	switch {
	case !ok:
	case len(bytes.TrimSpace(rest)) == 0:
		p.Changes = []Change{{Act: Delete, Path: rel, Before: is.data, Mode: is.mode}}
	default:
		p.Changes = []Change{{Act: Revert, Path: rel, Before: is.data, After: rest, Mode: is.mode}}
	}
	return nil
}
