package gitstate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"session/internal/proc"
)

// What a path's content may pass through on its way into a blob (gitattributes(5), convert.c). We match no patterns:
// we only ask whether any rule, for whatever files, mentions such a conversion.
type conversions struct {
	endings bool // text, eol, crlf or binary: changes nothing in content without carriage returns
	filters bool // filter, ident or working-tree-encoding
	unread  string
}

// maxAttributes bounds an attributes file that is read, in bytes.
const maxAttributes = 1 << 20

// mentioned looks for the names of conversions in an attributes file.
func (c *conversions) mentioned(b []byte) {
	has := func(words ...string) bool {
		for _, w := range words {
			if bytes.Contains(b, []byte(w)) {
				return true
			}
		}
		return false
	}
	macro := has("[attr]")
	c.endings = c.endings || macro || has("text", "eol", "crlf", "binary")
	c.filters = c.filters || macro || has("filter", "ident", "working-tree-encoding")
}

// attributeSources are the files besides those in the work tree (gitattributes(5)). GIT_ATTR_NOSYSTEM is not looked at:
// one file more is read than git would.
func (r *Repo) attributeSources(cfg Config) []string {
	files := []string{filepath.Join(r.CommonDir, "info", "attributes"), filepath.Join(r.GitDir, "info", "attributes"), "/etc/gitattributes"}
	if program, err := proc.LookPath(r.git.program, r.git.env, r.Root); err == nil { // built with a prefix of its own
		if real, err := filepath.EvalSymlinks(program); err == nil {
			files = append(files, filepath.Join(filepath.Dir(real), "..", "etc", "gitattributes"))
		}
	}
	return append(files, r.userAttributes(cfg))
}

// userAttributes is the file that core.attributesFile names (git-config(1), "pathname"), or the default.
func (r *Repo) userAttributes(cfg Config) string {
	home := proc.Getenv(r.git.env, "HOME")
	named, ok := cfg["core.attributesfile"]
	rest, tilde := strings.CutPrefix(named, "~/")
	xdg := proc.Getenv(r.git.env, "XDG_CONFIG_HOME")
	switch {
	case tilde:
		return filepath.Join(home, rest)
	case ok && filepath.IsAbs(named):
		return named
	case ok:
		return filepath.Join(r.Root, named) // also ~name and %(prefix): see plainAttributes
	case xdg != "":
		return filepath.Join(xdg, "git", "attributes")
	}
	return filepath.Join(home, ".config", "git", "attributes")
}

// plainAttributes reports whether core.attributesFile can be understood without git.
func plainAttributes(cfg Config) bool {
	named := cfg["core.attributesfile"]
	return !strings.HasPrefix(named, "%(") && (!strings.HasPrefix(named, "~") || strings.HasPrefix(named, "~/"))
}

// conversions reads all attribute files that can say something about the paths: the general ones, and .gitattributes in
// every folder on the way to each of them.
func (s *Scan) conversions(paths []string) conversions {
	var c conversions
	for _, f := range s.repo.attributeSources(s.Config) {
		b, err := readBounded(f)
		c.take(f, b, err)
	}
	seen := map[string]bool{}
	for _, p := range paths {
		for dir, more := parent(p); ; dir, more = parent(dir) {
			if seen[dir] {
				break
			}
			seen[dir] = true
			s.folderAttributes(&c, strings.TrimPrefix(dir+"/.gitattributes", "/"))
			if !more {
				break
			}
		}
	}
	return c
}

// folderAttributes reads a .gitattributes file. Where it is missing git reads the one of the index.
func (s *Scan) folderAttributes(c *conversions, file string) {
	info, err := s.tree.lstat(file)
	if errors.Is(err, fs.ErrNotExist) {
		if _, tracked := s.index.search(file); tracked {
			c.unread = file
		}
		return
	}
	if err != nil || !info.regular() || info.length > maxAttributes {
		c.unread = file
		return
	}
	f, _, err := s.tree.open(file)
	if err != nil {
		c.unread = file
		return
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxAttributes+1))
	c.take(file, b, err)
}

func (c *conversions) take(file string, b []byte, err error) {
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil || len(b) > maxAttributes:
		c.unread = file
	default:
		c.mentioned(b)
	}
}

func readBounded(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", file)
	}
	return io.ReadAll(io.LimitReader(f, maxAttributes+1))
}

// filtered asks git which of the paths pass through a filter, an encoding or keyword expansion; the first one is
// returned, "" if none does.
func (r *Repo) filtered(ctx context.Context, paths []string) (string, error) {
	out, err := r.git.run(ctx, zeroed(paths), "check-attr", "-z", "--stdin", "filter", "ident", "working-tree-encoding")
	if err != nil {
		return "", fmt.Errorf("ask for the attributes of changed files: %w", err)
	}
	f := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	if len(f) != 9*len(paths) {
		return "", fmt.Errorf("ask for the attributes of changed files: %d fields for %d files", len(f), len(paths))
	}
	for i := 0; i < len(f); i += 3 {
		if v := f[i+2]; v != "unspecified" && v != "unset" {
			return f[i], nil
		}
	}
	return "", nil
}
