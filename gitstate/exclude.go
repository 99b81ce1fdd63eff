package gitstate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"session/internal/atomicfile"
)

// Exclude keeps a path (slash-separated, relative to the work tree's root) out of git's sight through the repository's
// own exclude file (gitignore(5), $GIT_COMMON_DIR/info/exclude), which is never committed. Lines that stand there stay.
// It reports whether a line was added.
func (r *Repo) Exclude(path string) (bool, error) {
	file := filepath.Join(r.CommonDir, "info", "exclude")
	line := []byte("/" + escapePattern(path))
	b, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, fmt.Errorf("keep %s out of commits: %w", path, err)
	}
	for _, l := range bytes.Split(b, []byte("\n")) {
		if bytes.Equal(bytes.TrimRight(l, " \r"), line) {
			return false, nil
		}
	}
	if len(b) > 0 && !bytes.HasSuffix(b, []byte("\n")) {
		b = append(b, '\n')
	}
	b = append(append(b, line...), '\n')
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil { // as git makes it: the umask decides
		return false, fmt.Errorf("keep %s out of commits: %w", path, err)
	}
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real // a user who linked the file elsewhere keeps the link
	}
	if err := atomicfile.Replace(file, b, 0o644); err != nil {
		return false, fmt.Errorf("keep %s out of commits: %w", path, err)
	}
	return true, nil
}

// escapePattern keeps git from reading a path as a pattern.
func escapePattern(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, " ", `\ `).Replace(path)
}

// Ignores reports whether git ignores a path, which need not be there; a folder ends in a slash.
func (r *Repo) Ignores(ctx context.Context, path string) (bool, error) {
	_, err := r.git.run(ctx, zeroed([]string{path}), "check-ignore", "-q", "-z", "--stdin")
	if err != nil && exitCode(err) == 1 {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("ask whether %s is ignored: %w", path, err)
	}
	return true, nil
}

// Tracks reports whether git tracks a path, whatever its state.
func (r *Repo) Tracks(ctx context.Context, path string) (bool, error) {
	out, err := r.git.run(ctx, nil, "ls-files", "-z", "--", ":(top,literal)"+path)
	if err != nil {
		return false, fmt.Errorf("ask whether %s is tracked: %w", path, err)
	}
	return len(out) > 0 && strings.TrimSuffix(string(out), "\x00") == path, nil
}
