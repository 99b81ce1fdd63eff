//go:build unix

package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidwall/gjson"
)

// TestServeLoad lets many clients read and write at once: no error, and memory that does not grow with the number of
// requests. SESSION_TEST_LOAD says for how long (1m: then 200 read and 50 write); without it a few do for a moment.
// SESSION_TEST_LOAD_DATABASE is another database than SQLite.
func TestServeLoad(t *testing.T) {
	readers, writers, span := 20, 5, 2*time.Second
	if long, err := time.ParseDuration(os.Getenv("SESSION_TEST_LOAD")); err == nil {
		readers, writers, span = 200, 50, long
	} else {
		t.Parallel()
	}
	dir, env := teamTree(t)
	args := []string{"--rate", "1000000", "--limit", "1000000", "--workers", "0", "--log", "json"}
	if at := os.Getenv("SESSION_TEST_LOAD_DATABASE"); at != "" {
		args = append(args, "--database", at)
	}
	s := serve(t, dir, env, args...)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: readers + writers}}
	first := s.begin(s.key, `{"user_input":"first"}`)
	paths := []string{"/api/sessions?limit=20", "/api/sessions/" + first, "/api/sessions/" + first + "/events", "/api/statistics", "/api/me"}
	load := func(span time.Duration) (reads, writes []time.Duration) {
		var mu sync.Mutex
		var all sync.WaitGroup
		end := time.Now().Add(span)
		for i := range readers + writers {
			all.Go(func() {
				var mine []time.Duration
				for n := 0; time.Now().Before(end); n++ {
					method, path, body := "GET", paths[(i+n)%len(paths)], ""
					if i >= readers {
						method, path, body = "POST", "/api/sessions", fmt.Sprintf(`{"user_input":"work %d of %d"}`, n, i)
					}
					began := time.Now()
					if err := s.once(client, method, path, body); err != nil {
						t.Error(err)
						return
					}
					mine = append(mine, time.Since(began))
				}
				mu.Lock()
				defer mu.Unlock()
				if i >= readers {
					writes = append(writes, mine...)
				} else {
					reads = append(reads, mine...)
				}
			})
		}
		all.Wait()
		return reads, writes
	}
	load(span / 4)
	before := s.memory()
	reads, writes := load(span)
	after := s.memory()
	for name, all := range map[string][]time.Duration{"reads": reads, "writes": writes} {
		slices.Sort(all)
		if len(all) == 0 {
			t.Fatalf("no %s in %v", name, span)
		}
		t.Logf("%d clients for %v: %d %s, median %v, p99 %v, longest %v", readers+writers, span, len(all), name, all[len(all)/2], all[len(all)*99/100], all[len(all)-1])
	}
	t.Logf("memory: %d MiB before, %d MiB after", before>>20, after>>20)
	if after > before+before/2+64<<20 {
		t.Errorf("memory grows: %d MiB, then %d MiB", before>>20, after>>20)
	}
	_, body := s.does("GET", "/api/statistics", s.key, "")
	if n := body.Get("data.days.0.total_sessions").Int(); n < int64(len(writes)) {
		t.Errorf("%d sessions are there, %d were acknowledged", n, len(writes))
	}
	s.ends(t)
}

func (s *offered) once(c *http.Client, method, path, body string) error {
	r, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+s.key)
	r.Header.Set("Content-Type", "application/json")
	a, err := c.Do(r)
	if err != nil {
		return err
	}
	defer a.Body.Close()
	b, err := io.ReadAll(a.Body)
	if err != nil || a.StatusCode >= 400 || !gjson.GetBytes(b, "success").Bool() {
		return fmt.Errorf("%s %s: %d %.300s %w", method, path, a.StatusCode, b, err)
	}
	return nil
}

// memory is what the service holds, in bytes.
func (s *offered) memory() int64 {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(s.cmd.Process.Pid) + "/status")
	if err != nil {
		s.t.Skipf("no /proc: %v", err)
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kib, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return kib << 10
		}
	}
	return 0
}
