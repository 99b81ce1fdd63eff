package redact

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"session/internal/needtest"
)

// sample is one line of a file of samples: a text in which some rule of some other scanner must find a secret (kind tp)
// or must not (fp).
type sample struct{ Rule, Kind, Path, Text string }

// TestOtherScannersSamples measures recall and false hits on the samples that another scanner is tested with. Such
// samples are somebody else's, so they are not here: SESSION_TEST_SECRETS names a file of JSON lines
// {"Rule","Kind":"tp"|"fp","Path","Text"}.
func TestOtherScannersSamples(t *testing.T) {
	file := needtest.Named(t, "secrets", "SESSION_TEST_SECRETS", "a file of samples, to measure recall")
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	type count struct{ found, of, false, ofFalse int }
	rules := map[string]*count{}
	var all count
	missed := map[string]bool{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var s sample
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			t.Fatal(err)
		}
		if rules[s.Rule] == nil {
			rules[s.Rule] = &count{}
		}
		r := rules[s.Rule]
		_, named := FileName(s.Path)
		hit := len(Find([]byte(s.Text))) > 0 || s.Path != "" && named && s.Text == ""
		switch {
		case s.Kind == "tp":
			r.of, all.of = r.of+1, all.of+1
			if hit {
				r.found, all.found = r.found+1, all.found+1
			} else if os.Getenv("SESSION_TEST_SHOW") != "" && len(missed) < 4000 {
				missed[fmt.Sprintf("missed %s: %.160q", s.Rule, s.Text)] = true
			}
		default:
			r.ofFalse, all.ofFalse = r.ofFalse+1, all.ofFalse+1
			if hit {
				r.false, all.false = r.false+1, all.false+1
				missed[fmt.Sprintf("false %s: %.200q is %+v", s.Rule, s.Text, Find([]byte(s.Text)))] = true
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(rules)) {
		if r := rules[name]; r.found < r.of || r.false > 0 {
			t.Logf("%-40s %4d of %4d, false %d of %d", name, r.found, r.of, r.false, r.ofFalse)
		}
	}
	for _, m := range slices.Sorted(maps.Keys(missed)) {
		t.Log(m)
	}
	t.Logf("recall %.1f %% (%d of %d), false hits %d of %d", 100*float64(all.found)/float64(all.of), all.found, all.of, all.false, all.ofFalse)
	if all.found*100 < all.of*90 || all.false*100 > all.ofFalse*15 {
		t.Error("worse than what was measured when the rules were made")
	}
}

// TestOrdinaryText measures hits a megabyte and bytes a second over a folder of text that has few secrets in it, such as
// the sources of a module cache. SESSION_TEST_TEXT names the folder.
func TestOrdinaryText(t *testing.T) {
	dir := needtest.Named(t, "text", "SESSION_TEST_TEXT", "a folder of sources, to measure false hits")
	var size, files, hits int
	var took time.Duration
	rules := map[string]int{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(p)
		if err != nil || strings.Contains(string(b[:min(len(b), 8000)]), "\x00") {
			return err
		}
		began := time.Now()
		found := Find(b)
		took += time.Since(began)
		size, files, hits = size+len(b), files+1, hits+len(found)
		for _, h := range found {
			rules[h.Rule]++
			if os.Getenv("SESSION_TEST_SHOW") != "" {
				t.Logf("%s %s:%d: %.100q in %.120q", h.Rule, p, h.Line, b[h.Start:h.End], b[max(0, h.Start-40):min(len(b), h.End+10)])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	mb := float64(size) / 1e6
	t.Logf("%d files, %.0f MB, %.0f MB/s, %d hits, %.3f a MB: %v", files, mb, mb/took.Seconds(), hits, float64(hits)/mb, rules)
}
