//go:build unix

package openspec

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func fifo(t *testing.T, path string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	if err := syscall.Mkfifo(path, 0o644); err != nil {
		t.Skip("no FIFOs here:", err)
	}
}
