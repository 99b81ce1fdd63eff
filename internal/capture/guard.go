package capture

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"session/gitstate"
	"session/internal/redact"
	"session/internal/session"
	"session/internal/survey"

	"github.com/bmatcuk/doublestar/v4"
)

// GuardSettings are the settings of the step Guard.
type GuardSettings struct {
	MaxFileSize int64    `json:"max_file_size"` // bytes; a new file that is larger is left out
	Allow       []string `json:"allow"`         // patterns of paths, ** for any depth, that are staged in spite of the rules
}

// Check refuses patterns that cannot be read.
func (s GuardSettings) Check() error {
	for _, p := range s.Allow {
		if !doublestar.ValidatePattern(p) {
			return fmt.Errorf("allow: %q is no pattern", p)
		}
	}
	if s.MaxFileSize < 0 {
		return fmt.Errorf("max_file_size: %d is below 0", s.MaxFileSize)
	}
	return nil
}

// Why a file was left out by the guard. A secret's reason goes on with ":RULE", a content's with ":LINE" too.
const (
	LeftTooLarge   = "too-large"
	LeftUnreadable = gitstate.SkipUnreadable
	LeftChanging   = "changing" // it changed while it was read
	leftByName     = "name:"
	leftByContent  = "secret:"
)

// guard leaves out, before any blob is written, what must not be committed by a program on its own: files that look
// like secrets by their name or hold one, and new files that are too large.
func (w World) guard(ctx context.Context, d *Draft, o GuardSettings) error {
	if d.Scene.Git == nil {
		return nil
	}
	d.Stage.Rules = &o
	allow := append(append([]string{}, o.Allow...), d.Ask.Allow...)
	for _, e := range d.Scene.Git.Entries {
		if !e.Stageable() || ownFile(e.Path) || e.Y == 'D' || e.Submodule() || strings.HasSuffix(e.Path, "/") || allowed(allow, e.Path) ||
			d.Ask.TrackedOnly && e.Kind == gitstate.Untracked {
			continue
		}
		reason, err := w.judge(ctx, d, e, o.MaxFileSize)
		if err != nil {
			return err
		}
		if reason != "" {
			stamp, _ := survey.StampOf(w.Repo.Root, e.Path)
			d.Stage.LeftOut = append(d.Stage.LeftOut, survey.LeftOut{Path: e.Path, Reason: reason, Stamp: stamp})
		}
	}
	return w.guardStaged(ctx, d, allow)
}

// guardStaged finds what was staged by hand, would be committed as it was staged, and looks like a secret.
func (w World) guardStaged(ctx context.Context, d *Draft, allow []string) error {
	d.Stage.Secret = nil
	byBlob := map[string][]gitstate.Entry{}
	for _, e := range d.Scene.Git.Entries {
		again := e.Stageable() && !d.Stage.leftOut(e.Path) && !ownFile(e.Path) // what the work tree holds is committed in its place
		if !e.Staged() || e.X == 'D' || e.Submodule() || again || allowed(allow, e.Path) {
			continue
		}
		if rule, bad := redact.FileName(e.Path); bad && e.X == 'A' {
			d.secretStaged(w.Repo.Root, e.Path, leftByName+rule)
			continue
		}
		byBlob[e.Index] = append(byBlob[e.Index], e)
	}
	names := map[string]string{}
	for blob, of := range byBlob {
		names[blob] = of[0].Path
	}
	found := map[string][]redact.Hit{}
	err := w.Repo.Blobs(ctx, names, func(_, blob string, content io.Reader) error {
		return redact.Scan(content, func(h redact.Hit) error { found[blob] = append(found[blob], h); return nil })
	})
	if err != nil {
		return fmt.Errorf("look for secrets in what is staged: %w", err)
	}
	for blob, hits := range found {
		for _, e := range byBlob[blob] {
			known, err := w.known(ctx, d, e)
			if err != nil {
				return err
			}
			if h, ok := fresh(hits, known); ok {
				d.secretStaged(w.Repo.Root, e.Path, fmt.Sprintf("%s%s:%d", leftByContent, h.Rule, h.Line))
			}
		}
	}
	slices.Sort(d.Stage.Secret)
	return nil
}

func (d *Draft) secretStaged(root, path, reason string) {
	d.Stage.Secret = append(d.Stage.Secret, path)
	if !d.Stage.leftOut(path) { // its content is nowhere recorded, not even as a hash
		stamp, _ := survey.StampOf(root, path)
		d.Stage.LeftOut = append(d.Stage.LeftOut, survey.LeftOut{Path: path, Reason: reason, Stamp: stamp})
	}
}

func allowed(patterns []string, p string) bool {
	for _, pattern := range patterns {
		if ok, err := doublestar.Match(pattern, p); err == nil && ok {
			return true
		}
	}
	return false
}

// judge says why a file is left out; "" for one that is not.
func (w World) judge(ctx context.Context, d *Draft, e gitstate.Entry, most int64) (string, error) {
	if rule, bad := redact.FileName(e.Path); bad && (e.Kind == gitstate.Untracked || e.X == 'A' || e.Y == 'A') {
		return leftByName + rule, nil
	}
	f, err := w.content(d, e.Path)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return LeftUnreadable, nil
	case err != nil || f == nil:
		return "", nil // gone, or no regular file: the staging says what becomes of it
	case most > 0 && f.size > most:
		return w.tooLarge(ctx, e, most)
	}
	r, err := f.open()
	switch {
	case errors.Is(err, fs.ErrPermission):
		return LeftUnreadable, nil
	case err != nil:
		return "", nil
	}
	defer r.Close()
	return w.secret(ctx, d, e, r, f.size)
}

// content is a regular file that will be staged.
type content struct {
	size int64 // bytes
	open func() (io.ReadCloser, error)
}

// content finds what will be staged: where the work tree was scanned in process, the very bytes. nil: no regular file.
// Neither a link is followed nor a pipe waited for.
func (w World) content(d *Draft, path string) (*content, error) {
	if scan := d.Scene.Git.Scan; scan != nil {
		size, regular, err := scan.Size(path)
		if err != nil || !regular {
			return nil, err
		}
		return &content{size, func() (io.ReadCloser, error) { return scan.Open(path) }}, nil
	}
	name := filepath.Join(w.Repo.Root, filepath.FromSlash(path))
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return nil, err
	}
	return &content{info.Size(), func() (io.ReadCloser, error) { return os.Open(name) }}, nil
}

// openRegular opens a regular file, without following a link and without hanging on a pipe.
func openRegular(name string) (*os.File, fs.FileInfo, error) {
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return nil, nil, err
	}
	f, err := os.Open(name)
	return f, info, err
}

// tooLarge leaves a large file out unless git keeps it small (a filter such as LFS), or had it as large before.
func (w World) tooLarge(ctx context.Context, e gitstate.Entry, most int64) (string, error) {
	filtered, err := w.Repo.Filtered(ctx, e.Path)
	if err != nil || filtered {
		return "", err
	}
	if e.Kind == gitstate.Tracked {
		if size, err := w.Repo.BlobSize(ctx, e.Index); err != nil || size > most {
			return "", err
		}
	}
	return LeftTooLarge, nil
}

// secret looks for secrets that the committed version does not hold.
func (w World) secret(ctx context.Context, d *Draft, e gitstate.Entry, f io.Reader, size int64) (string, error) {
	hits, err := secrets(f, size)
	if errors.Is(err, gitstate.ErrChanged) {
		return LeftChanging, nil
	}
	if err != nil {
		return "", fmt.Errorf("look for secrets in %s: %w", session.PathText(e.Path), err)
	}
	if len(hits) == 0 {
		return "", nil
	}
	known, err := w.known(ctx, d, e)
	if h, ok := fresh(hits, known); ok && err == nil {
		return fmt.Sprintf("%s%s:%d", leftByContent, h.Rule, h.Line), nil
	}
	return "", err
}

// known counts the secrets that the committed version of a path holds, by rule.
func (w World) known(ctx context.Context, d *Draft, e gitstate.Entry) (map[string]int, error) {
	blob := e.Index
	if e.Staged() { // the index has another one, which nobody has looked at
		was, err := w.Repo.FilesAt(ctx, d.Scene.Git.Head.Commit, []string{e.Path})
		if err != nil {
			return nil, err
		}
		blob = was[0].Blob
	}
	if blob == "" {
		return nil, nil
	}
	old, _, err := w.Repo.Blob(ctx, blob)
	known := map[string]int{}
	for _, h := range redact.Find(old) {
		known[h.Rule]++
	}
	return known, err
}

// fresh is the first secret that is not among the known ones.
func fresh(hits []redact.Hit, had map[string]int) (redact.Hit, bool) {
	known := maps.Clone(had)
	if known == nil {
		known = map[string]int{}
	}
	for _, h := range hits {
		if known[h.Rule]--; known[h.Rule] < 0 {
			return h, true
		}
	}
	return redact.Hit{}, false
}

// shortFile is read in one piece: the window of a stream costs more than it, in bytes.
const shortFile = 256 << 10

func secrets(f io.Reader, size int64) (hits []redact.Hit, err error) {
	start := make([]byte, min(size, shortFile)+1)
	n, err := io.ReadFull(f, start)
	start = start[:n]
	switch {
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return redact.Find(start), nil
	case err != nil:
		return nil, err
	}
	err = redact.Scan(io.MultiReader(bytes.NewReader(start), f), func(h redact.Hit) error { hits = append(hits, h); return nil })
	return hits, err
}
