//go:build unix

package blocker

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestRegular asks real files of every kind.
func TestRegular(t *testing.T) {
	dir := t.TempDir()
	fifo, file, link := filepath.Join(dir, "fifo"), filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := errors.Join(syscall.Mkfifo(fifo, 0o600), os.WriteFile(file, []byte("x"), 0o600), os.Symlink(file, link)); err != nil {
		t.Fatal(err)
	}
	for path, word := range map[string]string{dir: "a directory", fifo: "a pipe", link: "a symbolic link", "/dev/null": "a device", file: ""} {
		info, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		err = Regular(path, info)
		if (err == nil) != (word == "") || err != nil && (!errors.Is(err, ErrNotRegular) || !strings.Contains(err.Error(), word)) {
			t.Errorf("%s: %v, want %q", path, err, word)
		}
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, _ := f.Stat()
	if in, err := FromFile(file, f, info); err != nil || in.Size != 1 || in.ModTime.IsZero() {
		t.Errorf("%+v, %v", in, err)
	}
	if _, err := FromFile(dir, f, fakeInfo{mode: fs.ModeDir}); !errors.Is(err, ErrNotRegular) {
		t.Errorf("directory: %v", err)
	}
}
