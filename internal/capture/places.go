package capture

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"strings"

	"session/blocker"
)

// maxSameName bounds the files of one name that are told apart.
const maxSameName = 100

// place gives a blocker's file the path that it has in the work tree: tools name files relative to a package, a module
// or a build folder of their own. Where several could be meant and nothing tells which, the tool's word stands.
func (l *looking) place(ctx context.Context, b *blocker.Blocker) {
	if b.File == "" || l.Repo == nil || filepath.IsAbs(b.File) || l.exists(b.File) {
		return
	}
	files, err := l.Repo.Named(ctx, strings.TrimLeft(b.File, "./"), maxSameName)
	if err != nil || len(files) == 0 {
		return // an aid to the eye: the blocker holds without it
	}
	if f, ok := meant(files, b.Evidence); ok {
		b.Description = strings.Replace(b.Description, b.File+":", f+":", 1)
		b.Resolution = strings.Replace(b.Resolution, b.File+":", f+":", 1)
		b.File = f
	}
}

func (l *looking) exists(file string) bool {
	_, err := os.Lstat(filepath.Join(l.Root, filepath.FromSlash(file)))
	return err == nil
}

// meant chooses the only file there is, or the one whose folder the evidence names with the most of its path (a Go
// package, a Java class, a folder that make entered).
func meant(files, evidence []string) (string, bool) {
	if len(files) == 1 {
		return files[0], true
	}
	words := strings.FieldsFunc(strings.Join(evidence, "\n"), func(r rune) bool { return strings.ContainsRune(" \t\n\r\"'`()[]{}<>,;:=|", r) })
	best, depth, tied := "", 0, false
	for _, f := range files {
		d := foldersIn(path.Dir(f), words)
		switch {
		case d > depth:
			best, depth, tied = f, d, false
		case d == depth:
			tied = true
		}
	}
	return best, best != "" && !tied
}

// foldersIn counts how many folders at the end of dir some word has, in this order.
func foldersIn(dir string, words []string) int {
	parts := strings.Split(dir, "/")
	for i := range parts {
		tail := strings.Join(parts[i:], "/")
		for _, w := range words {
			if has(w, tail) || has(strings.ReplaceAll(w, ".", "/"), tail) {
				return len(parts) - i
			}
		}
	}
	return 0
}

// has reports whether a path has these folders in it as a whole.
func has(p, folders string) bool { return strings.Contains("/"+p+"/", "/"+folders+"/") }
