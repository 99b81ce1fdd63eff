package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"session/internal/atomicfile/atomicfiletest"
)

func env(do, path string) []string { return []string{"ATOMICFILE_DO=" + do, "ATOMICFILE_PATH=" + path} }

func TestKilledBetweenAnyTwoCalls(t *testing.T) {
	for _, do := range []string{"replace", "create", "swap"} {
		t.Run(do, func(t *testing.T) {
			var path string
			before := func() []string {
				path = filepath.Join(atomicfiletest.Dir(t), "f")
				if do != "create" {
					if err := os.WriteFile(path, []byte(oldText), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				return env(do, path)
			}
			n := atomicfiletest.KillEverywhere(t, 40, before, func(point string) {
				b, err := os.ReadFile(path)
				switch {
				case do == "create" && errors.Is(err, fs.ErrNotExist):
				case do != "create" && string(b) == oldText:
				case string(b) == newText:
				default:
					t.Errorf("killed at %s: %q %v", point, b, err)
				}
				for _, name := range folder(t, filepath.Dir(path)) {
					if name != "f" && !IsTemp(name) {
						t.Errorf("killed at %s: left %s", point, name)
					}
				}
				if err := Create(path, []byte(newText), 0o600); err != nil && !errors.Is(err, fs.ErrExist) {
					t.Errorf("killed at %s: the next one fails: %v", point, err)
				}
			})
			if n < 2 {
				t.Errorf("only %d points: the killing does not work", n)
			}
		})
	}
}

// The order that a power cut needs: bytes synced before they get the name, the folder synced after.
func TestOrderOfSyncs(t *testing.T) {
	for do, want := range map[string]string{
		"replace": "write, fsync, renameat, fsync folder", "create": "write, fsync, linkat, unlinkat, fsync folder", "swap": "write, renameat",
	} {
		path := filepath.Join(t.TempDir(), "f")
		var got []string
		for _, line := range atomicfiletest.Trace(t, env(do, path)) {
			call, _, _ := strings.Cut(line[strings.Index(line, " ")+1:], "(")
			if call = strings.TrimSpace(call); !strings.Contains(line, filepath.Dir(path)) {
				continue
			}
			if strings.Contains(line, "fsync") && !strings.Contains(line, tempPrefix) {
				call = "fsync folder"
			}
			got = append(got, call)
		}
		if s := strings.Join(got, ", "); s != want {
			t.Errorf("%s: %s, want %s", do, s, want)
		}
	}
}

func TestErrorsOfTheSystem(t *testing.T) {
	for _, c := range []struct{ inject, say string }{
		{"write:error=ENOSPC:when=1", "no space left on device"},
		{"fsync:error=EIO:when=1", "input/output error"},
		{"linkat:error=EIO", "input/output error"},
		{"linkat:error=EROFS", "read-only file system"},
	} {
		path := filepath.Join(t.TempDir(), "f")
		out, err := atomicfiletest.Failing(t, c.inject, env("create", path))
		if err == nil || !strings.Contains(out, c.say) || !strings.Contains(out, path) {
			t.Errorf("%s: %v %q", c.inject, err, out)
		}
		wantOnly(t, filepath.Dir(path))
	}
	path := filepath.Join(t.TempDir(), "f")
	if out, err := atomicfiletest.Failing(t, "linkat:error=EPERM", env("create", path)); err != nil {
		t.Error("without hard links:", err, out)
	}
	wantFile(t, path, newText)
}
