package gitstate

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
)

// Open reads what Stage will store for a changed or new path: the file as it was when it was first read, a link's target.
// What is judged by it is what is staged. Several goroutines may call it. fs.ErrNotExist: the path is gone; ErrChanged,
// from Open or at the end of the content: it is no longer what it was.
func (s *Scan) Open(path string) (io.ReadCloser, error) {
	if c, ok := s.changes[path]; ok && c.content == nil {
		return nil, fileError("open", path, fs.ErrNotExist)
	}
	return s.contents.open(path)
}

// Size is the length of what Open will read, in bytes; regular is false for links and whatever else is no file.
func (s *Scan) Size(path string) (n int64, regular bool, err error) {
	c, ok := s.changes[path]
	switch {
	case !ok:
		i, err := s.tree.lstat(path)
		return i.length, i.regular(), err
	case c.content == nil:
		return 0, false, fileError("lstat", path, fs.ErrNotExist)
	}
	return c.content.length, c.content.info.regular(), nil
}

// Kept is the content of a changed or new file where it was read already and is kept in memory; Close lets it stay.
func (s *Scan) Kept(path string) ([]byte, bool) {
	f, ok := s.contents.known(path)
	if !ok || f.bytes == nil || !f.info.regular() {
		return nil, false
	}
	return f.bytes, true
}

// Stage stages paths of the scan into a private index, as Repo.Stage does; o.Sparse and o.Except do not arise. Blobs and
// trees are written, the real index is not touched. Besides failures the error may be an *Unfit: only git can stage this.
// ErrChanged: a file changed after it was scanned.
func (s *Scan) Stage(ctx context.Context, o StageOptions) (*Staging, error) {
	edits, blobs, err := s.edits(o.Paths)
	if err != nil {
		return nil, fmt.Errorf("stage: %w", err)
	}
	e := s.index.edit(edits)
	if err := treesOf(e, s.index.tree, s.made, s.has); err != nil {
		return nil, fmt.Errorf("stage: %w", unfit(err))
	}
	st := &Staging{Tree: s.index.tree.id.String(), repo: s.repo, file: filepath.Join(s.repo.runtimeDir(), "index."+o.Run), start: s.index.info, scan: s,
		hand: &byHand{s.repo, s.Config, s.now, s.writer}}
	st.diff = s.differences(e)
	if err := os.MkdirAll(filepath.Dir(st.file), 0o700); err != nil {
		return nil, fmt.Errorf("stage: %w", err)
	}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return s.writeIndex(st.file, e) })
	g.Go(func() error { return s.writeObjects(ctx, blobs) })
	if err := g.Wait(); err != nil {
		st.Drop()
		return nil, fmt.Errorf("stage: %w", err)
	}
	return st, nil
}

// edits are the changes of the index that staging the paths amounts to, and the blobs that have to be there for them.
func (s *Scan) edits(paths []string) (edits []indexEdit, blobs []newObject, err error) {
	wanted := make(map[string]bool, len(paths))
	for _, p := range paths {
		wanted[p] = true
		c, tracked := s.changes[p]
		if tracked && c.content == nil {
			edits = append(edits, indexEdit{path: p, gone: true})
			continue
		}
		if !tracked {
			if c.content, err = s.newFile(p); err != nil {
				return nil, nil, err
			}
		}
		f := c.content
		edits = append(edits, indexEdit{path: p, mode: f.info.mode, id: f.id, stat: f.info.stat})
		if !tracked || f.id != s.index.id(c.slot) {
			blobs = append(blobs, newObject{id: f.id, kind: blobObject, size: f.length, open: func() (io.ReadCloser, error) { return s.contents.open(p) }})
		}
	}
	for p, c := range s.changes {
		if c.same && !wanted[p] { // left out: with the new index's time its entry would look clean
			stat := s.index.stat(c.slot)
			stat.size = 0
			edits = append(edits, indexEdit{path: p, stay: true, mode: s.index.mode(c.slot), id: s.index.id(c.slot), stat: stat})
		}
	}
	return append(edits, s.settled...), blobs, nil
}

// newFile reads a file that is not in the index.
func (s *Scan) newFile(path string) (*fileContent, error) {
	info, err := s.tree.lstat(path)
	if err != nil {
		return nil, err
	}
	if u := s.judgeFile(path, info); u != nil {
		return nil, u
	}
	if u := nameGate(path, info.mode); u != nil {
		return nil, u
	}
	f, err := s.contents.of(path)
	if err != nil {
		return nil, err
	}
	return f, asError(s.convert.gate(path, f.cr, s.Config.Bool("core.autocrlf", false)))
}

// clockTick is the coarsest step of the clock from which file systems take their times (the kernel's jiffy).
const clockTick = 20 * time.Millisecond

// writeIndex writes the private index and gives it the time at which the scan began: a file that changed after that is not
// older than the index, so that git looks at its content whatever its size and times say (racy-git).
func (s *Scan) writeIndex(file string, e *editedIndex) error {
	if err := writeIndex(file, e, s.index.tree); err != nil {
		return err
	}
	info, err := os.Stat(file)
	if err != nil {
		return fmt.Errorf("write the index: %w", err)
	}
	began := info.ModTime().Add(-s.now().Sub(s.began) - clockTick) // by the file system's clock, which may not be ours
	if err := os.Chtimes(file, time.Time{}, began); err != nil {
		return fmt.Errorf("write the index: %w", err)
	}
	return nil
}

// writeObjects writes blobs, then trees, what is deeper first: nothing is ever there that names something missing.
func (s *Scan) writeObjects(ctx context.Context, blobs []newObject) error {
	if err := s.writer.writeAll(ctx, blobs); err != nil {
		return err
	}
	return s.writeTrees(ctx)
}

func (s *Scan) writeTrees(ctx context.Context) error {
	byDepth := map[int][]newObject{}
	deepest := 0
	for id, t := range s.made {
		o := bytesObject(id, treeObject, t.body)
		o.has = t.has
		byDepth[t.depth] = append(byDepth[t.depth], o)
		deepest = max(deepest, t.depth)
	}
	for depth := deepest; depth >= 0; depth-- {
		if err := s.writer.writeAll(ctx, byDepth[depth]); err != nil {
			return err
		}
	}
	clear(s.made)
	return nil
}

// IndexTree writes the tree of the index as it stood when it was scanned: what the user had staged by hand.
func (s *Scan) IndexTree(ctx context.Context) (string, error) {
	if err := s.writeTrees(ctx); err != nil {
		return "", fmt.Errorf("write the staged tree: %w", err)
	}
	return s.asItIs.String(), nil
}

// differences lists the files in which the edited index differs from HEAD.
func (s *Scan) differences(e *editedIndex) []File {
	paths := make([]string, 0, len(e.edits)+len(s.staged))
	for _, d := range e.edits {
		paths = append(paths, d.path)
	}
	for p := range s.staged {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	var files []File
	for _, p := range slices.Compact(paths) {
		var mode uint32
		var id objectID
		if k, ok := e.search(p); ok {
			mode, id, _ = e.entry(k)
		}
		if hadMode, had := s.atHead(p); hadMode == mode && had == id {
			continue
		}
		f := File{Path: p}
		if mode != 0 {
			f.Mode, f.Blob = fmt.Sprintf("%06o", mode), id.String()
		}
		files = append(files, f)
	}
	return files
}

// atHead is what HEAD has under a path; mode 0: nothing.
func (s *Scan) atHead(path string) (mode uint32, id objectID) {
	if x, ok := s.staged[path]; ok {
		return x.headMode, x.head
	}
	if i, ok := s.index.search(path); ok {
		return s.index.mode(i), s.index.id(i)
	}
	return 0, id
}
