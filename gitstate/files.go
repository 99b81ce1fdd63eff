package gitstate

import (
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// File is one file as a snapshot records it.
type File struct {
	Path string `json:"path"`           // slash-separated, relative to the work tree
	Mode string `json:"mode,omitempty"` // git's six octal digits; "" when the file is deleted
	Blob string `json:"blob,omitempty"` // git's object id; "" when the file is deleted
}

// TreeDiff lists the files in which two trees (or commits) differ, as the second one has them. from "" stands for the
// empty tree.
func (r *Repo) TreeDiff(ctx context.Context, from, to string) ([]File, error) {
	if from == "" {
		return r.listTree(ctx, to)
	}
	if o := r.history(); o != nil {
		files, err := o.diffHere(from, to)
		o.Close()
		if err == nil {
			return files, nil
		}
	}
	out, err := r.git.run(ctx, nil, "diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-commit-id", "--no-ext-diff", from, to)
	if err != nil {
		return nil, fmt.Errorf("compare %.12s with %.12s: %w", from, to, err)
	}
	files, err := diffRecords(out)
	if err != nil {
		return nil, fmt.Errorf("compare %.12s with %.12s: %w", from, to, err)
	}
	return files, nil
}

// diffRecords reads what --raw -z lists, as the second side has it.
func diffRecords(out []byte) ([]File, error) {
	var files []File
	fields := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		f := strings.Fields(strings.TrimPrefix(fields[i], ":")) // modeA modeB idA idB status
		if len(f) != 5 {
			return nil, fmt.Errorf("record %q", clip([]byte(fields[i])))
		}
		file := File{Path: fields[i+1]}
		if f[4] != "D" {
			file.Mode, file.Blob = f[1], f[3]
		}
		files = append(files, file)
	}
	return files, nil
}

func (r *Repo) listTree(ctx context.Context, tree string) ([]File, error) {
	out, err := r.git.run(ctx, nil, "ls-tree", "-r", "-z", tree)
	if err != nil {
		return nil, fmt.Errorf("list %.12s: %w", tree, err)
	}
	var files []File
	for _, rec := range strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		meta, path, ok := strings.Cut(rec, "\t")
		f := strings.Fields(meta) // mode type id
		if !ok || len(f) != 3 {
			continue
		}
		files = append(files, File{Path: path, Mode: f[0], Blob: f[2]})
	}
	return files, nil
}

// FilesNow says what stands in the work tree under the given paths, in git's terms: filters applied, symbolic links as
// their targets, submodules as their commits. Paths that are gone come back with no mode and no blob, files that change all
// the while with no blob. Nothing is written.
func (r *Repo) FilesNow(ctx context.Context, paths []string) ([]File, error) {
	out := make([]File, len(paths))
	var hash []string
	var at []int
	for i, p := range paths {
		name := strings.TrimSuffix(p, "/")
		out[i].Path = name
		full := filepath.Join(r.Root, filepath.FromSlash(name))
		info, err := os.Lstat(full)
		switch {
		case err != nil:
		case info.Mode()&os.ModeSymlink != 0:
			target, err := os.Readlink(full)
			if err != nil {
				return nil, fmt.Errorf("read link %s: %w", name, err)
			}
			out[i].Mode, out[i].Blob = "120000", r.blobID([]byte(target))
		case info.IsDir():
			out[i].Mode, out[i].Blob = "160000", r.submoduleCommit(ctx, full)
		case info.Mode().IsRegular():
			out[i].Mode = regularMode(info)
			hash, at = append(hash, name), append(at, i)
		}
	}
	ids, err := r.hashFiles(ctx, hash)
	if err != nil {
		return nil, err
	}
	for k, i := range at {
		out[i].Blob = ids[k]
	}
	return out, nil
}

func regularMode(info os.FileInfo) string {
	if info.Mode()&0o100 != 0 {
		return "100755"
	}
	return "100644"
}

// hashFiles finds the blob ids of files, in order: in process where that gives what git would say, else by git, one start
// for all whose names fit on a line and one each for names that hold a line break.
func (r *Repo) hashFiles(ctx context.Context, paths []string) ([]string, error) {
	if ids, ok := r.hashHere(ctx, paths); ok {
		return ids, nil
	}
	ids := make([]string, len(paths))
	var list bytes.Buffer
	var at []int
	g := r.git
	g.locale = true
	for i, p := range paths {
		if !strings.ContainsAny(p, "\n\"") {
			list.WriteString(p + "\n")
			at = append(at, i)
			continue
		}
		out, err := g.read(ctx, nil, "hash-object", "--", p)
		if err != nil && !errors.Is(err, ErrChanged) {
			return nil, fmt.Errorf("hash %s: %w", strconv.Quote(p), err)
		}
		ids[i] = strings.TrimSpace(string(out))
	}
	if len(at) == 0 {
		return ids, nil
	}
	out, err := g.read(ctx, list.Bytes(), "hash-object", "--stdin-paths")
	if err != nil && ctx.Err() == nil {
		return ids, r.hashSingly(ctx, paths, at, ids)
	}
	if err != nil {
		return nil, fmt.Errorf("hash changed files: %w", err)
	}
	got := lines(out)
	if len(got) != len(at) {
		return nil, fmt.Errorf("hash changed files: %d answers for %d files", len(got), len(at))
	}
	for k, i := range at {
		ids[i] = got[k]
	}
	return ids, nil
}

// hashSingly hashes files one by one, after one of them has failed: a file whose filter fails is hashed without it, which
// tells a later change just as well.
func (r *Repo) hashSingly(ctx context.Context, paths []string, at []int, ids []string) error {
	g := r.git
	g.locale = true
	for _, i := range at {
		out, err := g.read(ctx, nil, "hash-object", "--", paths[i])
		if err != nil && !errors.Is(err, ErrChanged) {
			out, err = g.read(ctx, nil, "hash-object", "--no-filters", "--", paths[i])
		}
		if err != nil && !errors.Is(err, ErrChanged) {
			return fmt.Errorf("hash %s: %w", strconv.Quote(paths[i]), err)
		}
		ids[i] = strings.TrimSpace(string(out))
	}
	return nil
}

// blobID is git's id of a blob that passes through no filter (a link's target).
func (r *Repo) blobID(content []byte) string {
	head := append([]byte("blob "+strconv.Itoa(len(content))), 0)
	if r.sha256() {
		s := sha256.Sum256(append(head, content...))
		return hex.EncodeToString(s[:])
	}
	s := sha1.Sum(append(head, content...))
	return hex.EncodeToString(s[:])
}

// sha256 reports the object format. go-git opens only SHA-1 repositories, so the question arises behind it.
func (r *Repo) sha256() bool {
	if r.inner != nil {
		return false
	}
	b, err := os.ReadFile(filepath.Join(r.CommonDir, "config"))
	return err == nil && strings.Contains(strings.ToLower(string(b)), "objectformat = sha256")
}

func (r *Repo) submoduleCommit(ctx context.Context, dir string) string {
	g := r.git
	g.place = []string{"-C", dir}
	out, err := g.run(ctx, nil, "rev-parse", "-q", "--verify", "HEAD^{commit}")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// Filtered reports whether a clean filter stands between a file and its blob (gitattributes(5), filter): LFS, for one.
func (r *Repo) Filtered(ctx context.Context, path string) (bool, error) {
	out, err := r.git.run(ctx, nil, "check-attr", "-z", "filter", "--", path)
	if err != nil {
		return false, fmt.Errorf("attributes of %s: %w", strconv.Quote(path), err)
	}
	f := strings.Split(string(out), "\x00") // path, attribute, value
	return len(f) >= 3 && f[2] != "unspecified" && f[2] != "unset" && f[2] != "", nil
}

// BlobSize is the size of a blob in bytes.
func (r *Repo) BlobSize(ctx context.Context, id string) (int64, error) {
	out, err := r.git.run(ctx, nil, "cat-file", "-s", id)
	if err != nil {
		return 0, fmt.Errorf("size of %.12s: %w", id, err)
	}
	return strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
}

// Blob is a blob's content; ok is false when there is no such object.
func (r *Repo) Blob(ctx context.Context, id string) (content []byte, ok bool, err error) {
	out, err := r.git.run(ctx, nil, "cat-file", "blob", id)
	if err != nil && exitCode(err) == 128 {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("read %.12s: %w", id, err)
	}
	return out, true, nil
}
