package capture

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"session/internal/session"
)

// DocsSettings are the settings of the step CheckDocs.
type DocsSettings struct {
	Files []string `json:"files"` // below the top of the work tree
}

// Check wants at least one file.
func (s DocsSettings) Check() error {
	if len(s.Files) == 0 {
		return errors.New("files: name at least one")
	}
	return nil
}

// checkDocs looks whether the documents that tell of a change do: there, touched since the last real commit, or with a
// word about the change or an unreleased section. What is not as it should be is recorded and told; it stops nothing.
func (w World) checkDocs(ctx context.Context, d *Draft, o DocsSettings) error {
	touched, err := w.touched(ctx, d)
	if err != nil {
		return err
	}
	for _, f := range o.Files {
		c := session.Check{Name: f, Status: "passed"}
		content, ok := w.readTop(f)
		mention := mentions(content, d)
		switch {
		case !ok:
			c.Status, c.Note = "missing", w.Say("docs.missing", "file", f)
		case touched[f]:
			c.Note = w.Say("docs.touched", "file", f)
		case mention != "":
			c.Note = w.Say("docs.mentions", "file", f, "what", mention)
		default:
			c.Status, c.Note = "stale", w.Say("docs.stale", "file", f)
		}
		d.Checks = append(d.Checks, c)
	}
	return nil
}

// touched are the files that differ from the last real commit.
func (w World) touched(ctx context.Context, d *Draft) (map[string]bool, error) {
	paths := map[string]bool{}
	for _, f := range d.Stage.Files {
		paths[f.Path] = true
	}
	if w.Repo == nil || d.Stage.Commit == "" {
		return paths, nil
	}
	real, err := w.Repo.RealCommit(ctx)
	if err != nil || real == nil || real.ID == d.Stage.Commit {
		return paths, err
	}
	files, err := w.Repo.TreeDiff(ctx, real.ID, d.Stage.Commit)
	for _, f := range files {
		paths[f.Path] = true
	}
	return paths, err
}

// mentions is what of this change a document speaks of: the change's name, or a section for what is not released yet.
func mentions(content []byte, d *Draft) string {
	lower := bytes.ToLower(content)
	for _, word := range []string{d.Tasks.Change, "unreleased"} {
		if w := strings.ToLower(word); w != "" && bytes.Contains(lower, []byte(w)) {
			return word
		}
	}
	return ""
}
