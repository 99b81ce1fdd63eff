package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// repository is a work tree that can be put back into the same state before each run.
type repository struct {
	*bench
	root     string
	modified []file // tracked files that a run finds changed
	files    int
	commits  int
	salt     int
}

// file is a tracked file as the base commit has it.
type file struct {
	path    string
	content []byte
}

// settled is when all files of a new work tree seem to have been written: long before the index, so that none of them is
// looked at for its content.
var settled = time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC)

const (
	modifiedFiles = 20
	newFiles      = 5
	ignoredFiles  = 20_000
)

// repository makes a work tree of n small files in some commits, with ignored files beside them, and one save in its store.
func (b *bench) repository(ctx context.Context, n, commits int) (*repository, error) {
	r := &repository{bench: b, root: filepath.Join(b.dir, fmt.Sprintf("files-%d-commits-%d", n, commits)), files: n, commits: commits}
	for i := range modifiedFiles {
		k := i * n / modifiedFiles
		r.modified = append(r.modified, file{treePath(k), treeContent(k, r.lastRevision(k))})
	}
	if exists(r.base("index")) {
		return r, nil
	}
	fmt.Fprintf(os.Stderr, "making a repository of %d files in %d commits\n", n, commits)
	if err := os.RemoveAll(r.root); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(r.root, 0o755); err != nil {
		return nil, err
	}
	if err := r.git(ctx, nil, "init", "-q", "-b", "main"); err != nil {
		return nil, err
	}
	for k, v := range map[string]string{"user.name": "Bench", "user.email": "bench@example.invalid", "gc.auto": "0", "maintenance.auto": "false"} {
		if err := r.git(ctx, nil, "config", k, v); err != nil {
			return nil, err
		}
	}
	if err := r.fill(ctx); err != nil {
		return nil, err
	}
	if err := r.git(ctx, nil, "checkout", "-q", "-f", "main"); err != nil {
		return nil, err
	}
	if err := r.settle(n); err != nil {
		return nil, err
	}
	return r, r.keep(ctx)
}

func (r *repository) git(ctx context.Context, stdin []byte, args ...string) error {
	_, err := r.do(ctx, r.root, stdin, append([]string{"git"}, args...)...)
	return err
}

// base is where the state to come back to is kept.
func (r *repository) base(part string) string { return filepath.Join(r.root, ".git", "bench", part) }

// treePath spreads files over folders, a dozen in each, up to four deep.
func treePath(i int) string {
	parts := []string{"src", "mod" + strconv.Itoa(i/12%9)}
	if d := i / 108; d > 0 {
		parts = append(parts, "part"+strconv.Itoa(d%13))
	}
	if d := i / 1404; d > 0 {
		parts = append(parts, "unit"+strconv.Itoa(d))
	}
	kinds := []string{".go", ".c", ".h", ".py", ".md", ".txt"}
	return strings.Join(append(parts, "file"+strconv.Itoa(i)+kinds[i%len(kinds)]), "/")
}

func treeContent(i, revision int) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# file %d, revision %d\n", i, revision)
	for j := range 5 + i*7907%60 {
		fmt.Fprintf(&b, "line %d of file %d says %d\n", j, i, (i*37+j*19)%9973)
	}
	return b.Bytes()
}

const (
	fewCommits = 4
	tagEvery   = 50 // commits, in a long history; and every such tag is a branch of the remote, too
)

// lastRevision is the newest commit that touched a file: the first has all of them, each later one a few.
func (r *repository) lastRevision(i int) int {
	for c := r.commits; c > 1; c-- {
		if slices.Contains(r.touched(c), i) {
			return c
		}
	}
	return 1
}

// touched are the files that a commit after the first changes, in order: one of 97 in the first few, then three each.
func (r *repository) touched(c int) []int {
	var all []int
	if c > fewCommits {
		all = []int{c * 7919 % r.files, c * 104729 % r.files, c * 1299709 % r.files}
		slices.Sort(all)
		return slices.Compact(all)
	}
	for i := c; i < r.files; i += 97 {
		all = append(all, i)
	}
	return all
}

// fill streams the history into git: what this process holds at its peak would count as every command's memory.
func (r *repository) fill(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, "git", "fast-import", "--quiet")
	cmd.Dir, cmd.Env, cmd.Stderr = r.root, r.env, os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	b := bufio.NewWriter(in)
	r.history(b)
	return errors.Join(b.Flush(), in.Close(), cmd.Wait())
}

// history is the stream for git fast-import.
func (r *repository) history(b *bufio.Writer) {
	data := func(s []byte) { fmt.Fprintf(b, "data %d\n%s\n", len(s), s) }
	write := func(i, c int) {
		fmt.Fprintf(b, "M 100644 inline %s\n", treePath(i))
		data(treeContent(i, c))
	}
	for c := 1; c <= r.commits; c++ {
		fmt.Fprintf(b, "commit refs/heads/main\nmark :%d\ncommitter Bench <bench@example.invalid> %d +0000\n", c, settled.Unix()+int64(c)*3600)
		data([]byte("commit " + strconv.Itoa(c)))
		if c > 1 {
			fmt.Fprintf(b, "from :%d\n", c-1)
		} else {
			b.WriteString("M 100644 inline .gitignore\n")
			data([]byte("node_modules/\n*.o\n!keep.o\n/out\n"))
		}
		if c == 1 {
			for i := range r.files {
				write(i, c)
			}
			continue
		}
		for _, i := range r.touched(c) {
			write(i, c)
		}
		if c%tagEvery == 0 {
			fmt.Fprintf(b, "reset refs/tags/v%[1]d\nfrom :%[1]d\nreset refs/remotes/origin/topic-%[1]d\nfrom :%[1]d\n", c)
		}
	}
}

// settle makes all files old, and ignored ones beside them.
func (r *repository) settle(n int) error {
	for i := range n {
		if err := os.Chtimes(filepath.Join(r.root, treePath(i)), settled, settled); err != nil {
			return err
		}
	}
	if err := os.Chtimes(filepath.Join(r.root, ".gitignore"), settled, settled); err != nil {
		return err
	}
	for i := range ignoredFiles {
		dir := filepath.Join(r.root, "node_modules", "pkg"+strconv.Itoa(i/100), "lib"+strconv.Itoa(i/10%10))
		if i%10 == 0 {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return err
			}
		}
		if err := os.WriteFile(filepath.Join(dir, "f"+strconv.Itoa(i)+".js"), []byte("1\n"), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// keep saves once, so that what is timed is never a store's first save, and keeps the state to come back to.
func (r *repository) keep(ctx context.Context) error {
	if err := r.git(ctx, nil, "update-index", "-q", "--refresh"); err != nil {
		return err
	}
	if _, err := r.do(ctx, r.root, nil, r.program, "save", "-m", "before"); err != nil {
		return err
	}
	if err := os.MkdirAll(r.base(""), 0o755); err != nil {
		return err
	}
	for from, to := range map[string]string{".git/session": "session", ".claude": "claude"} {
		if err := os.CopyFS(r.base(to), os.DirFS(filepath.Join(r.root, filepath.FromSlash(from)))); err != nil {
			return err
		}
	}
	if err := r.git(ctx, nil, "update-ref", "refs/bench/base", "HEAD"); err != nil {
		return err
	}
	return copyFile(filepath.Join(r.root, ".git", "index"), r.base("index"))
}

func copyFile(from, to string) error {
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, b, 0o644)
}

// dirty puts the work tree into the state that a save finds: HEAD, index and store as they were kept, 20 files modified
// and 5 new, with content that no object holds yet.
func (r *repository) dirty(ctx context.Context) error {
	if err := r.clean(ctx); err != nil {
		return err
	}
	r.salt++
	salt := fmt.Sprintf("edited %d %d\n", r.salt, time.Now().UnixNano())
	for _, f := range r.modified {
		if err := os.WriteFile(filepath.Join(r.root, f.path), append(bytes.Clone(f.content), salt...), 0o644); err != nil {
			return err
		}
	}
	dir := filepath.Join(r.root, "src", "fresh")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for i := range newFiles {
		if err := os.WriteFile(filepath.Join(dir, "new"+strconv.Itoa(i)+".go"), []byte("package fresh // "+strconv.Itoa(i)+" "+salt), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// clean puts everything back. Files are written in place, so that only their times change; the index is told.
func (r *repository) clean(ctx context.Context) error {
	if err := os.RemoveAll(filepath.Join(r.root, "src", "fresh")); err != nil {
		return err
	}
	for _, f := range r.modified {
		name := filepath.Join(r.root, f.path)
		if err := os.WriteFile(name, f.content, 0o644); err != nil {
			return err
		}
		if err := os.Chtimes(name, settled, settled); err != nil {
			return err
		}
	}
	for from, to := range map[string]string{"session": ".git/session", "claude": ".claude"} {
		to = filepath.Join(r.root, filepath.FromSlash(to))
		if err := os.RemoveAll(to); err != nil {
			return err
		}
		if err := os.CopyFS(to, os.DirFS(r.base(from))); err != nil {
			return err
		}
	}
	if err := r.git(ctx, nil, "update-ref", "HEAD", "refs/bench/base"); err != nil {
		return err
	}
	if err := copyFile(r.base("index"), filepath.Join(r.root, ".git", "index")); err != nil {
		return err
	}
	return r.git(ctx, nil, "update-index", "-q", "--refresh")
}
