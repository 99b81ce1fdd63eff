package capture

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"session/gitstate"
	"session/internal/session"
)

// What the checks make in the work tree is nobody's work, and no save commits it: folders of theirs are put into the
// repository's own exclude file, as the state file is.

// buildFolder is where CMake builds if nobody says otherwise: in build, unless something else stands there.
func (w World) buildFolder() string {
	const usual, ours = "build", "build-session"
	entries, err := os.ReadDir(filepath.Join(w.Root, usual))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return ours // a file, say
	}
	tree := slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == "CMakeCache.txt" || e.Name() == "CMakeFiles" })
	if len(entries) == 0 || tree {
		return usual
	}
	return ours
}

// makes keeps the folder out of commits that a command is about to make, also if it is killed on the way. folder is that
// folder; "" where there is none, or git ignores it anyway.
func (w World) makes(ctx context.Context, args []string) (folder string, err error) {
	at := path.Clean(configures(args))
	if w.Repo == nil || at == "." || !filepath.IsLocal(filepath.FromSlash(at)) {
		return "", nil
	}
	if entries, err := os.ReadDir(filepath.Join(w.Root, filepath.FromSlash(at))); err == nil && len(entries) > 0 {
		return "", nil // it is somebody's already, or was ours before
	}
	added, err := w.exclude(ctx, at+"/")
	if !added {
		return "", err
	}
	return at + "/", err
}

// keptOut says which folder is kept out of commits from now on.
func keptOut(folder string) session.Finding {
	return session.NewFinding(session.FilesLeftOut, "checks.excluded", "folder", session.PathText(folder))
}

// configures is the build folder that a command line of CMake names; "" for any other.
func configures(args []string) string {
	if len(args) == 0 || path.Base(filepath.ToSlash(args[0])) != "cmake" {
		return ""
	}
	if i := slices.Index(args, "-B"); i >= 0 && i+1 < len(args) {
		return filepath.ToSlash(args[i+1])
	}
	return ""
}

func (w World) exclude(ctx context.Context, folder string) (added bool, err error) {
	ignored, err := w.Repo.Ignores(ctx, folder)
	if err != nil || ignored {
		return false, err
	}
	return w.Repo.Exclude(folder)
}

// madeSince looks what new things stand in the work tree after the checks that git does not ignore. Folders that say of
// themselves that a tool made them are kept out of commits; the rest is named, because it may be somebody's work.
func (w World) madeSince(ctx context.Context, d *Draft) func() {
	if w.Repo == nil || d.Scene.Git == nil {
		return func() {}
	}
	before, err := w.untracked(ctx)
	if err != nil {
		return func() {}
	}
	return func() {
		after, err := w.untracked(ctx)
		if err != nil {
			d.find(session.Unread("git", err))
			return
		}
		var rest []string
		for _, p := range after {
			if slices.Contains(before, p) || ownFile(p) {
				continue
			}
			made := w.toolFolders(p)
			if len(made) == 0 {
				rest = append(rest, p)
			}
			for _, folder := range made {
				added, err := w.exclude(ctx, folder)
				if err != nil {
					d.find(session.Unread("git", err))
				}
				if added {
					d.find(keptOut(folder))
				}
			}
		}
		if len(rest) > 0 {
			f := session.NewFinding(session.FilesLeftOut, "checks.made", "n", len(rest), "files", texts(clip(rest, 5)))
			d.find(f.Offer("inspect", "git", "status"))
		}
	}
}

func texts(paths []string) []string {
	all := make([]string, len(paths))
	for i, p := range paths {
		all[i] = session.PathText(p)
	}
	return all
}

// untracked lists what git neither tracks nor ignores, folders as a whole.
func (w World) untracked(ctx context.Context) ([]string, error) {
	st, err := w.Repo.Status(ctx, gitstate.Folders)
	var all []string
	for _, e := range st.Entries {
		if e.Kind == gitstate.Untracked {
			all = append(all, e.Path)
		}
	}
	return all, err
}

// Marks that tools leave in folders which hold nothing but what they made.
var toolMarks = map[string]bool{"CMakeCache.txt": true, "CACHEDIR.TAG": true}

const markDepth = 4 // folders below one another in which a mark is looked for

// toolFolders lists the folders, at a path or below it, that a tool marks as its own. Slash paths with a slash at the end.
func (w World) toolFolders(p string) (all []string) {
	if !strings.HasSuffix(p, "/") {
		return nil
	}
	if path.Base(p) == "__pycache__" {
		return []string{p}
	}
	entries, err := os.ReadDir(filepath.Join(w.Root, filepath.FromSlash(p)))
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if toolMarks[e.Name()] && e.Type().IsRegular() {
			return []string{p}
		}
	}
	for _, e := range entries {
		if e.IsDir() && strings.Count(p, "/") < markDepth {
			all = append(all, w.toolFolders(p+e.Name()+"/")...)
		}
	}
	return all
}
