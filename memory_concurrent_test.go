package main

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/tidwall/gjson"
)

// TestMemoryAtOnce adds from many processes while others save and search: nothing that was said is lost, each search is
// an answer, and a repair makes the same of the snapshots.
func TestMemoryAtOnce(t *testing.T) {
	dir, env := filepath.Join(t.TempDir(), "r"), environ(t)
	sh(t, filepath.Dir(dir), env, "git init -q r; cd r; git commit -q --allow-empty -m base")
	session(t, dir, env, "memory", "add", "note of the beginning")
	const n = 8
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			if out, errs, code := session(t, dir, env, "memory", "add", fmt.Sprint("note w", i)); code != 0 {
				t.Errorf("add: %d %s%s", code, out, errs)
			}
		})
		all.Go(func() {
			if i%2 == 0 {
				if out, errs, code := session(t, dir, env, "save", "-m", fmt.Sprint("save ", i)); code != 0 {
					t.Errorf("save: %d %s%s", code, out, errs)
				}
				return
			}
			out, errs, code := session(t, dir, env, "memory", "search", "--json", "--top-k", "3", "beginning")
			if code != 0 || gjson.Get(out, "0.summary").String() != "note of the beginning" {
				t.Errorf("search: %d %s%s", code, out, errs)
			}
		})
	}
	all.Wait()
	notes := func() (k int) {
		out, _, _ := session(t, dir, env, "memory", "list", "--json")
		for _, m := range gjson.Parse(out).Array() {
			var i int
			if got, _ := fmt.Sscanf(m.Get("summary").String(), "note w%d", &i); got == 1 {
				k++
			}
		}
		return k
	}
	if k := notes(); k != n {
		t.Errorf("%d of %d notes are found", k, n)
	}
	if out, errs, code := session(t, dir, env, "check"); code != 0 {
		t.Errorf("check: %s%s", out, errs)
	}
	sh(t, dir, env, "rm .git/session/memory.db*")
	session(t, dir, env, "check", "--repair")
	if k := notes(); k != n {
		t.Errorf("%d of %d notes are found after a repair", k, n)
	}
}
