package capture

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"

	"session/blocker"
	"session/gitstate"
	"session/internal/session"
)

// git looks at conflicts and at markers that were left in changed files.
func (l *looking) git(ctx context.Context) {
	g := l.d.Scene.Git
	if g == nil || l.d.Stage.Inherited {
		return
	}
	st := blocker.GitState{Unmerged: g.Unmerged()}
	if len(g.Operations) > 0 && g.Operations[0] != gitstate.Bisect {
		st.Operation = string(g.Operations[0])
	}
	found := blocker.FromGit(st, l.options.Now)
	for _, b := range found {
		l.find(b, l.options.Now)
	}
	if len(found) == 0 {
		l.well("git", "git status", l.options.Now)
	}
	l.markers()
}

// markers looks for conflict markers in what this save stages; unmerged files have them by nature.
func (l *looking) markers() {
	marked := false
	for _, e := range l.d.Scene.Git.Entries {
		if e.Kind == gitstate.Unmerged || !e.Stageable() || e.Y == 'D' || blocker.MarkersBelong(e.Path) || strings.HasSuffix(e.Path, "/") {
			continue
		}
		m, ok, err := l.marked(e.Path)
		if err == nil && ok {
			marked = true
			l.find(blocker.FromMarkers(session.PathText(e.Path), m, l.options.Now), l.options.Now)
		}
	}
	if !marked {
		l.well("markers", "git diff", l.options.Now)
	}
}

// marked looks into one file: into what was staged of it where that is at hand.
func (l *looking) marked(path string) (m blocker.Marker, ok bool, err error) {
	if scan := l.d.Scene.Git.Scan; scan != nil {
		if b, kept := scan.Kept(path); kept {
			return blocker.Markers(bytes.NewReader(b))
		}
	}
	f, info, err := openRegular(filepath.Join(l.Root, filepath.FromSlash(path)))
	if err != nil || f == nil {
		return m, false, err
	}
	if info.Size() <= maxMarked {
		m, ok, err = blocker.Markers(f)
	}
	return m, ok, errors.Join(err, f.Close())
}

// maxMarked is the largest file that is searched for conflict markers, in bytes.
const maxMarked = 8 << 20
