package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"session/internal/needtest"
)

// TestMemoryCorpus lets a judge of memory programs, and sets of texts and questions, loose on this one: both are others',
// so they are not here. SESSION_TEST_MEMORY_CORPUS names a folder with score.py, which gets the command lines of add and
// search and ends with 0 if all is well, and sets.
func TestMemoryCorpus(t *testing.T) {
	const hint = "a folder with score.py and sets (items.jsonl, queries.jsonl)"
	dir := needtest.Named(t, "corpus", "SESSION_TEST_MEMORY_CORPUS", hint)
	judge := filepath.Join(dir, "score.py")
	if _, err := os.Stat(judge); err != nil {
		t.Fatalf("%v: %s", err, hint)
	}
	python := needtest.Program(t, "python3", "apt install python3")
	const add = "session memory add --json --session {session}"
	search := map[string]string{
		"count-recency":      "session memory search --json --session {session} --top-k {k} {query}",
		"count-bm25-recency": "session memory search --json --ranking count-bm25-recency --session {session} --top-k {k} {query}",
	}
	score := func(t *testing.T, args ...string) {
		t.Parallel()
		c := exec.Command(python, append([]string{"-B", judge}, args...)...)
		c.Env = environ(t, "TMPDIR="+t.TempDir()) // the store is made below the judge's own folder
		out, err := c.CombinedOutput()
		if t.Logf("%s", out); err != nil {
			t.Errorf("%s: %v", strings.Join(args[:1], " "), err)
		}
	}
	for ranking, command := range search {
		t.Run("contract/"+ranking, func(t *testing.T) { score(t, "contract", "--inside", "--add", add, "--search", command) })
	}
	if testing.Short() {
		return
	}
	for ranking, floor := range map[string]string{"count-recency": "r5=.56,r10=.66", "count-bm25-recency": "r5=.67,r10=.74"} {
		t.Run("quality/"+ranking, func(t *testing.T) {
			score(t, "quality", "--set", filepath.Join(dir, "restic-pr-body"), "--add", add, "--search", search[ranking], "--floor", floor)
		})
	}
}
