package survey

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"session/blocker"
)

const failing = "a.c:3:1: error: expected ';' before '}' token\nmake: *** [all] Error 1\n"

// tree writes files below a folder, the first one newest, a minute apart.
func tree(t testing.TB, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i, f := range files {
		full := filepath.Join(dir, filepath.FromSlash(f))
		if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(failing), 0o666); err != nil {
			t.Fatal(err)
		}
		at := noon().Add(-time.Duration(i) * time.Minute)
		if err := os.Chtimes(full, at, at); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func sources(all []Seen) (out []string) {
	for _, s := range all {
		out = append(out, s.Source)
	}
	return out
}

// TestLogsAreFound: which files of a tree are looked at, newest first.
func TestLogsAreFound(t *testing.T) {
	usual := []string{"**/Testing/Temporary/LastTest.log", "**/junit*.xml", "*.log", "out/**/report.txt"}
	for name, tc := range map[string]struct {
		files    []string
		patterns []string
		always   []string
		since    time.Time
		want     string
	}{
		"at the top":                          {files: []string{"build_output.log", "notes.txt"}, want: "build_output.log"},
		"newest first, then by name":          {files: []string{"b.log", "a.log"}, want: "b.log a.log"},
		"below build folders":                 {files: []string{"build/Testing/Temporary/LastTest.log", "cmake-build-debug/Testing/Temporary/LastTest.log", "build2/x/junit.xml"}, want: "build/Testing/Temporary/LastTest.log cmake-build-debug/Testing/Temporary/LastTest.log build2/x/junit.xml"},
		"below target, whatever the case":     {files: []string{"Target/surefire-reports/junit-a.xml"}, want: "Target/surefire-reports/junit-a.xml"},
		"below a folder that a pattern names": {files: []string{"out/a/b/report.txt"}, want: "out/a/b/report.txt"},
		"a pattern's own path":                {files: []string{"ci/last/fail.txt", "ci/fail.txt"}, patterns: []string{"ci/last/*.txt"}, want: "ci/last/fail.txt"},
		"not below the sources":               {files: []string{"src/x/junit.xml"}, want: ""},
		"not a log of another depth":          {files: []string{"build/x.log"}, want: ""},
		"not below hidden folders":            {files: []string{".build/junit.xml", "build/.cache/junit.xml"}, want: ""},
		"not below node_modules":              {files: []string{"build/node_modules/junit.xml", "node_modules/build/junit.xml"}, want: ""},
		"not too deep":                        {files: []string{"build/1/2/3/4/junit.xml", "build/1/2/3/4/5/junit.xml"}, want: "build/1/2/3/4/junit.xml"},
		"not older":                           {files: []string{"a.log", "b.log", "c.log"}, since: noon().Add(-time.Minute), want: "a.log"},
		"older, and asked for":                {files: []string{"a.log", "b.log", "src/c.txt"}, since: noon(), always: []string{"src/c.txt", "b.log"}, want: "b.log src/c.txt"},
		"asked for and matching: once":        {files: []string{"a.log"}, always: []string{"a.log", "a.log"}, want: "a.log"},
		"asked for and gone":                  {files: []string{"a.log"}, always: []string{"gone.log"}, want: "a.log"},
		"asked for outside":                   {files: []string{"a.log"}, always: []string{"../a.log", "/etc/passwd", "build/../../a.log"}, want: "a.log"},
		"asked for, a folder":                 {files: []string{"d/x"}, always: []string{"d"}, want: ""},
		"a pattern that is none":              {files: []string{"a.log"}, patterns: []string{"[", "*.log"}, want: "a.log"},
		"no patterns":                         {files: []string{"a.log"}, patterns: []string{}, want: ""},
	} {
		patterns := usual
		if tc.patterns != nil {
			patterns = tc.patterns
		}
		all := Logs(t.Context(), tree(t, tc.files...), LogAsk{Patterns: patterns, Always: tc.always, Since: tc.since})
		if got := strings.Join(sources(all), " "); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
		for _, s := range all {
			if s.Err != nil || s.Report.Verdict != blocker.Failed || s.Report.First() == nil || s.ModTime.IsZero() {
				t.Errorf("%s: %+v", name, s)
			}
		}
	}
}

// TestLogsThatAreNone: what is no regular file, or no text, is passed over; what cannot be read is named.
func TestLogsThatAreNone(t *testing.T) {
	w := newWorld(t, `mkfifo pipe.log; mkdir folder.log; ln -s /etc/hostname link.log; : >empty.log; printf '\000\001\002\003\000' >binary.log; echo 'all is well' >fine.log`)
	all := Logs(t.Context(), w.dir, LogAsk{Patterns: []string{"*.log"}})
	got := sources(all)
	slices.Sort(got)
	if strings.Join(got, " ") != "binary.log empty.log fine.log" {
		t.Errorf("%v", got)
	}
	for _, s := range all {
		if s.Err != nil || s.Report.First() != nil {
			t.Errorf("%+v", s)
		}
	}
	if s := judge(t.Context(), w.dir, found{path: "gone.log", info: mustStat(t, filepath.Join(w.dir, "fine.log"))}, blocker.Options{}); s.Err == nil {
		t.Error("a log that went away was read")
	}
}

func mustStat(t testing.TB, file string) os.FileInfo {
	t.Helper()
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// TestLogsAreBounded: a tree of any size costs a bounded look, and the newest logs are the ones that are judged.
func TestLogsAreBounded(t *testing.T) {
	var files []string
	for i := range 3 * maxLogs {
		files = append(files, fmt.Sprintf("l%02d.log", i))
	}
	if got := sources(Logs(t.Context(), tree(t, files...), LogAsk{Patterns: []string{"*.log"}})); !slices.Equal(got, files[:maxLogs]) {
		t.Errorf("%v", got)
	}
	dir := t.TempDir()
	for i := range maxEntries + 500 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%05d", i)), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	w := walker{root: dir, left: maxEntries, take: func(string, os.FileInfo, bool) {}}
	if n := len(w.entries("")); n > maxEntries+1 {
		t.Errorf("%d entries were read of a folder that has more than may be looked at", n)
	}
	w.walk()
	if w.left > 0 {
		t.Errorf("%d entries are left to look at", w.left)
	}
}

func TestLogsAreCalledOff(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if all := Logs(ctx, tree(t, "a.log", "b.log"), LogAsk{Patterns: []string{"*.log"}}); len(all) != 0 {
		t.Errorf("%v", sources(all))
	}
}

func TestMadeByBuilds(t *testing.T) {
	var w walker
	for p, want := range map[string]bool{"build": true, "Build": true, "builddir": true, "cmake-build-release": true, "out": true, "out-x": true, "outer": false,
		"target": true, "targets": false, "logs": true, "login": false, "test_results": true, "reports-1": true, "src": false, "src/build": true, "": false} {
		if got := w.made(p); got != want {
			t.Errorf("%q: %v", p, got)
		}
	}
}
