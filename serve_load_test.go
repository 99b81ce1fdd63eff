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
	"sync/atomic"
	"testing"
	"time"

	"session/internal/needtest"

	"github.com/tidwall/gjson"
)

// TestServeLoad lets many clients read and write at once, kills the service with kill -9 while they do, and starts it
// again: no error before, memory that does not grow with the number of requests, and every session that was acknowledged
// is there, with its job in the queue. SESSION_TEST_LOAD says for how long (1m: then 200 read and 50 write); without it a
// few do for a moment.
func TestServeLoad(t *testing.T) {
	if os.Getenv("SESSION_TEST_LOAD") == "" {
		t.Parallel()
	}
	t.Run("sqlite", func(t *testing.T) { loadTest(t, nil) })
	t.Run("postgres and redis", func(t *testing.T) {
		coordination := "SESSION_COORDINATION=" + needtest.Server(t, "redis")
		loadTest(t, []string{coordination}, "--database", freshDatabase(t, needtest.Server(t, "postgres")))
	})
}

func loadTest(t *testing.T, more []string, args ...string) {
	readers, writers, span := 20, 5, 2*time.Second
	if long, err := time.ParseDuration(os.Getenv("SESSION_TEST_LOAD")); err == nil {
		readers, writers, span = 200, 50, long
	}
	dir, env := teamTree(t)
	env = append(env, more...)
	args = append(args, "--rate", "1000000", "--limit", "1000000", "--workers", "0", "--log", "json")
	s := serve(t, dir, env, args...)
	l := &load{s: s, readers: readers, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: readers + writers}}}
	l.first = s.begin(s.key, `{"user_input":"first"}`)
	l.run(t, writers, span/4)
	before := s.memory()
	l.forget()
	l.run(t, writers, span)
	l.tell(t, span)
	if after := s.memory(); after > before+before/2+64<<20 {
		t.Errorf("memory grows: %d MiB, then %d MiB", before>>20, after>>20)
	} else {
		t.Logf("memory: %d MiB before, %d MiB after", before>>20, after>>20)
	}
	l.killed.Store(1 + l.acknowledged())
	l.run(t, writers, time.Hour) // until it is killed
	_ = s.cmd.Wait()
	again := serve(t, dir, env, args...)
	l.check(t, again)
	again.ends(t)
}

// load is many clients of one service.
type load struct {
	s       *offered
	client  *http.Client
	readers int
	first   string
	killed  atomic.Int64 // the service is to be killed once this many are acknowledged; 0: it is not

	mu            sync.Mutex
	made          []string // every session that was acknowledged
	reads, writes []time.Duration
}

// run lets all ask without pause until span is over, or until the service has been killed.
func (l *load) run(t *testing.T, writers int, span time.Duration) {
	var all sync.WaitGroup
	end := time.Now().Add(span)
	for i := range l.readers + writers {
		all.Go(func() {
			for n := 0; time.Now().Before(end); n++ {
				err := l.once(i, n)
				if err != nil && l.killed.Load() != 0 {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
}

func (l *load) once(i, n int) error {
	began := time.Now()
	if i < l.readers {
		paths := []string{"/api/sessions?limit=20", "/api/sessions/" + l.first, "/api/sessions/" + l.first + "/events", "/api/statistics", "/api/me"}
		_, err := l.s.once(l.client, "GET", paths[(i+n)%len(paths)], "")
		l.mu.Lock()
		defer l.mu.Unlock()
		l.reads = append(l.reads, time.Since(began))
		return err
	}
	made, err := l.s.once(l.client, "POST", "/api/sessions", fmt.Sprintf(`{"user_input":"work %d of %d"}`, n, i))
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.writes = append(l.writes, time.Since(began))
	l.made = append(l.made, made.Get("data.session_id").String())
	if k := l.killed.Load(); k != 0 && int64(len(l.made)) >= k+20 {
		return l.s.cmd.Process.Kill()
	}
	return nil
}

func (l *load) acknowledged() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return int64(len(l.made))
}

// forget begins to measure anew.
func (l *load) forget() { l.reads, l.writes = nil, nil }

func (l *load) tell(t *testing.T, span time.Duration) {
	for name, all := range map[string][]time.Duration{"reads": l.reads, "writes": l.writes} {
		slices.Sort(all)
		if len(all) == 0 {
			t.Fatalf("no %s in %v", name, span)
		}
		t.Logf("%v: %d %s, %.0f a second, median %v, p99 %v, longest %v", span, len(all), name, float64(len(all))/span.Seconds(),
			all[len(all)/2].Round(time.Millisecond), all[len(all)*99/100].Round(time.Millisecond), all[len(all)-1].Round(time.Millisecond))
	}
}

// check wants every session that was acknowledged, and a job for each.
func (l *load) check(t *testing.T, again *offered) {
	for _, id := range l.made {
		if code, body := again.does("GET", "/api/sessions/"+id, again.key, ""); code != 200 {
			t.Errorf("%s was acknowledged: %d %s", id, code, body)
		}
	}
	r, err := http.NewRequest("GET", again.url+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+again.key)
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	b, err := io.ReadAll(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(b), "\nsession_queue_waiting ")
	word, _, _ := strings.Cut(rest, "\n")
	if waiting, err := strconv.ParseFloat(word, 64); err != nil || int(waiting) <= len(l.made) { // and the first
		t.Errorf("%q jobs wait, %d sessions were acknowledged", word, len(l.made)+1)
	}
	t.Logf("killed with kill -9 under load: all %d that were acknowledged are there, %s jobs", len(l.made)+1, word)
}

func (s *offered) once(c *http.Client, method, path, body string) (gjson.Result, error) {
	r, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		return gjson.Result{}, err
	}
	r.Header.Set("Authorization", "Bearer "+s.key)
	r.Header.Set("Content-Type", "application/json")
	a, err := c.Do(r)
	if err != nil {
		return gjson.Result{}, err
	}
	defer a.Body.Close()
	b, err := io.ReadAll(a.Body)
	if err != nil || a.StatusCode >= 400 || !gjson.GetBytes(b, "success").Bool() {
		return gjson.Result{}, fmt.Errorf("%s %s: %d %.300s %w", method, path, a.StatusCode, b, err)
	}
	return gjson.ParseBytes(b), nil
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
