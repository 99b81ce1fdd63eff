package blocker

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"session/internal/needtest"
)

// label is one row of a corpus of labelled logs, labels.jsonl beside the logs: the type a person gave it, others that
// count as right, the first error's place and words.
type label struct {
	File    string   `json:"file"`
	Type    string   `json:"type"`
	Also    []string `json:"also"`
	ErrFile string   `json:"first_error_file"`
	ErrLine int      `json:"first_error_line"`
	Message string   `json:"first_error_message_substring"`
	Accept  []string `json:"accept"`
	LogLine int      `json:"log_line"`
}

// corpusPlace is the folder of the corpus. It is no part of the project, since its logs belong to others.
func corpusPlace(t *testing.T) string {
	t.Helper()
	return needtest.Named(t, "corpus", "SESSION_BLOCKER_CORPUS", "a folder with labels.jsonl, to measure against labelled logs")
}

func readLabels(t *testing.T, dir string) (out []label) {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, "labels.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		var l label
		if err := json.Unmarshal(s.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		out = append(out, l)
	}
	return out
}

// tally counts what a detector got right; per type: hits, false alarms, misses.
type tally struct {
	n, right, clean, alarms, failing, detected, first, placed, places int
	hit, alarm, miss                                                  map[string]int
}

// TestCorpus holds the detector to its marks on labelled logs: type, false alarms, detection, first line, place.
func TestCorpus(t *testing.T) {
	dir := corpusPlace(t)
	c := tally{hit: map[string]int{}, alarm: map[string]int{}, miss: map[string]int{}}
	for _, l := range readLabels(t, dir) {
		f, err := os.Open(filepath.Join(dir, l.File))
		if err != nil {
			t.Fatal(err)
		}
		info, err := f.Stat()
		if err != nil {
			t.Fatal(err)
		}
		in, err := FromFile(l.File, f, info)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Scan(context.Background(), in, Options{Now: now})
		f.Close()
		if err != nil {
			t.Errorf("%s: %v", l.File, err)
		}
		c.add(t, l, r.First())
	}
	c.judge(t)
}

func (c *tally) add(t *testing.T, l label, b *Blocker) {
	got := "none"
	if b != nil {
		got = string(b.Type)
	}
	right := got == l.Type || slices.Contains(l.Also, got)
	c.n++
	c.right += boolInt(right)
	if l.Type == "none" {
		c.clean++
		c.alarms += boolInt(b != nil)
	} else {
		c.failing++
		c.detected += boolInt(b != nil)
		c.words(t, l, b)
	}
	if !right {
		t.Logf("%s: %s, labelled %s", l.File, got, l.Type)
		c.alarm[got]++
	}
	if l.Type != "none" && right {
		c.hit[l.Type]++
	} else if l.Type != "none" {
		c.miss[l.Type]++
	}
}

// words compares the first error line (message and pattern, not the evidence) and the place.
func (c *tally) words(t *testing.T, l label, b *Blocker) {
	if l.ErrFile != "" && l.ErrLine > 0 {
		c.places++
	}
	if b == nil {
		return
	}
	found := l.LogLine > 0 && b.LogLine >= l.LogLine-1 && b.LogLine <= l.LogLine+1
	for _, s := range append(l.Accept, l.Message) {
		found = found || s != "" && strings.Contains(b.Message+"\n"+b.ErrorPattern+"\n"+b.File, s)
	}
	c.first += boolInt(found)
	if !found {
		t.Logf("%s: first line %q, labelled %q", l.File, b.Message, l.Message)
	}
	if l.ErrFile != "" && l.ErrLine > 0 && b.Line == l.ErrLine && path.Base(slashes(b.File)) == path.Base(slashes(l.ErrFile)) {
		c.placed++
	}
}

func (c *tally) judge(t *testing.T) {
	least := func(what string, part, of int, mark float64) {
		got := float64(part) / float64(max(of, 1))
		t.Logf("%-16s %3d of %3d = %.3f (at least %.2f)", what, part, of, got, mark)
		if of > 0 && got < mark {
			t.Errorf("%s is %.3f, at least %.2f", what, got, mark)
		}
	}
	least("type", c.right, c.n, 0.97)
	least("no false alarm", c.clean-c.alarms, c.clean, 0.99)
	least("detected", c.detected, c.failing, 1)
	least("first line", c.first, c.failing, 0.93)
	least("file and line", c.placed, c.places, 0.85)
	for ty, n := range c.hit {
		least("F1 of "+ty, 2*n, 2*n+c.alarm[ty]+c.miss[ty], 0.9)
	}
}
