package server

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"session/internal/app"
	"session/internal/text"

	"github.com/tidwall/gjson"
)

const (
	testKey    = "operator-key-operator-key-operator-key"
	adaToken   = "ada-token-ada-token-ada-token-ada-token"
	benToken   = "ben-token-ben-token-ben-token-ben-token"
	meterToken = "meter-token-meter-token-meter-token-meter"
)

// fewTokens knows three users.
type fewTokens struct{}

func (fewTokens) Identify(_ context.Context, token string) (User, error) {
	switch token {
	case adaToken:
		return User{Name: "ada"}, nil
	case benToken:
		return User{Name: "ben"}, nil
	case meterToken:
		return User{Metrics: true}, nil
	}
	return User{}, ErrNoToken
}

// place is a work tree with one save in it.
func place(t *testing.T) app.Place {
	t.Helper()
	dir := t.TempDir()
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b.invalid", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b.invalid"}
	repo := filepath.Join(dir, "r")
	cmd := exec.Command("git", "init", "-q", repo)
	cmd.Env = env
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	p := app.Place{Dir: repo, Env: env, Now: time.Now, Random: rand.Reader, Words: text.New(text.English), PID: os.Getpid(), Command: "test"}
	for _, say := range []string{"first words", "second words"} {
		if err := os.WriteFile(filepath.Join(repo, "file"), []byte(say), 0o600); err != nil {
			t.Fatal(err)
		}
		o := app.SaveOptions{}
		o.Ask.Message = say
		if _, err := app.Save(context.Background(), p, o); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// options are a service's in an empty folder.
func options(t *testing.T) Options {
	p := app.Place{Dir: t.TempDir(), Now: time.Now, Random: rand.Reader, Words: text.New(text.English), PID: os.Getpid(), Command: "test"}
	return Options{Place: p, Log: slog.New(slog.DiscardHandler), Key: testKey, Owner: "local", Tokens: fewTokens{}, Limits: Limits{Rate: 10_000, Burst: 10_000}}
}

func serving(t *testing.T, o Options) *Server {
	t.Helper()
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// asks makes a request of this machine to a service.
func asks(method, path, token, body string, header ...string) *http.Request {
	r := httptest.NewRequest(method, "http://127.0.0.1:7420/", strings.NewReader(body))
	r.URL.Path, r.URL.RawQuery, _ = strings.Cut(path, "?")
	r.RemoteAddr = "127.0.0.1:5555"
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
		if header[i] == "Host" {
			r.Host = header[i+1]
		}
	}
	return r
}

func answer(s *Server, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	return w
}

func TestWhoMayAsk(t *testing.T) {
	s := serving(t, options(t))
	far := func(r *http.Request) *http.Request { r.RemoteAddr = "192.0.2.7:99"; return r }
	for _, c := range []struct {
		name   string
		r      *http.Request
		status int
		code   string
	}{
		{"no token", asks("GET", "/api/me", "", ""), 401, "UNAUTHORIZED"},
		{"guessed", asks("GET", "/api/me", strings.Repeat("x", 40), ""), 401, "UNAUTHORIZED"},
		{"short", asks("GET", "/api/me", "x", ""), 401, "UNAUTHORIZED"},
		{"almost the key", asks("GET", "/api/me", testKey[:len(testKey)-1]+"x", ""), 401, "UNAUTHORIZED"},
		{"very long", asks("GET", "/api/me", strings.Repeat("x", 8000), ""), 401, "UNAUTHORIZED"},
		{"not bearer", asks("GET", "/api/me", "", "", "Authorization", "Basic "+testKey), 401, "UNAUTHORIZED"},
		{"key in the query", asks("GET", "/api/me?token="+testKey, "", ""), 401, "UNAUTHORIZED"},
		{"key as a WebSocket's, elsewhere", asks("GET", "/api/me", "", "", "Sec-WebSocket-Protocol", socketKey+testKey), 401, "UNAUTHORIZED"},
		{"the key", asks("GET", "/api/me", testKey, ""), 200, ""},
		{"the key from another machine", far(asks("GET", "/api/me", testKey, "")), 401, "UNAUTHORIZED"},
		{"a token from another machine", far(asks("GET", "/api/me", adaToken, "")), 200, ""},
		{"a user at the work tree", asks("GET", "/api/snapshots", adaToken, ""), 404, "NOT_FOUND"},
		{"a user at a snapshot", asks("GET", "/api/snapshots/HEAD", adaToken, ""), 404, "NOT_FOUND"},
		{"a user at the diff", asks("GET", "/api/diff?from=HEAD", adaToken, ""), 404, "NOT_FOUND"},
		{"a user at the metrics", asks("GET", "/metrics", adaToken, ""), 404, "NOT_FOUND"},
		{"a meter at the metrics", asks("GET", "/metrics", meterToken, ""), 200, ""},
		{"a meter elsewhere", asks("GET", "/api/me", meterToken, ""), 404, "NOT_FOUND"},
		{"anybody asks for health", asks("GET", "/healthz", "", ""), 200, ""},
		{"anybody asks for the document", asks("GET", "/api/openapi.json", "", ""), 200, ""},
		{"anybody gets the page", asks("GET", "/", "", ""), 200, ""},
		{"another host", asks("GET", "/api/me", testKey, "", "Host", "evil.example"), 421, "WRONG_HOST"},
		{"a host that begins like ours", asks("GET", "/", "", "", "Host", "127.0.0.1.evil.example"), 421, "WRONG_HOST"},
		{"localhost", asks("GET", "/api/me", testKey, "", "Host", "localhost:7420"), 200, ""},
		{"IPv6", asks("GET", "/api/me", testKey, "", "Host", "[::1]:7420"), 200, ""},
		{"no host", asks("GET", "/api/me", testKey, "", "Host", ""), 421, "WRONG_HOST"},
		{"another origin", asks("GET", "/api/me", testKey, "", "Origin", "http://evil.example"), 403, "WRONG_ORIGIN"},
		{"another port", asks("GET", "/api/me", testKey, "", "Origin", "http://127.0.0.1:1"), 403, "WRONG_ORIGIN"},
		{"another scheme", asks("GET", "/api/me", testKey, "", "Origin", "https://127.0.0.1:7420"), 403, "WRONG_ORIGIN"},
		{"no origin at all", asks("GET", "/api/me", testKey, "", "Origin", "null"), 403, "WRONG_ORIGIN"},
		{"our own page", asks("GET", "/api/me", testKey, "", "Origin", "http://127.0.0.1:7420", "Sec-Fetch-Site", "same-origin"), 200, ""},
		{"an image of another page", asks("GET", "/icon.svg", "", "", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors"), 403, "WRONG_ORIGIN"},
		{"a link on another page", asks("GET", "/", "", "", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"), 200, ""},
		{"a link into the API", asks("GET", "/api/me", testKey, "", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"), 403, "WRONG_ORIGIN"},
	} {
		w := answer(s, c.r)
		if got := gjson.Get(w.Body.String(), "error.code").String(); w.Code != c.status || got != c.code {
			t.Errorf("%s: %d %s, want %d %s: %s", c.name, w.Code, got, c.status, c.code, w.Body)
		}
		if w.Header().Get("Access-Control-Allow-Origin") != "" || w.Header().Get("Set-Cookie") != "" {
			t.Errorf("%s: opens itself to others: %v", c.name, w.Header())
		}
		if w.Header().Get("Content-Security-Policy") == "" || w.Header().Get("X-Request-Id") == "" {
			t.Errorf("%s: headers %v", c.name, w.Header())
		}
	}
}

func TestSnapshotRoutes(t *testing.T) {
	o := options(t)
	o.Place = place(t)
	s := serving(t, o)
	list := answer(s, asks("GET", "/api/snapshots", testKey, "")).Body.String()
	if !gjson.Get(list, "success").Bool() || len(gjson.Get(list, "data.snapshots").Array()) != 2 {
		t.Fatalf("list: %s", list)
	}
	newest, oldest := gjson.Get(list, "data.snapshots.0.session_id").String(), gjson.Get(list, "data.snapshots.1.session_id").String()
	nobody := strings.Map(func(r rune) rune { return map[bool]rune{true: 'b', false: 'a'}[r == 'a'] }, newest[:1]) + newest[1:]
	for path, want := range map[string]string{
		"/api/snapshots?limit=1":                      `data.snapshots.#=1`,
		"/api/snapshots?all=true":                     `data.snapshots.#=2`,
		"/api/snapshots/" + oldest:                    `data.context_state.state.working_on=first words`,
		"/api/snapshots/HEAD":                         `data.session_id=` + newest,
		"/api/snapshots/HEAD~1":                       `data.session_id=` + oldest,
		"/api/snapshots/" + newest:                    `data.head=true`,
		"/api/snapshots/" + oldest + "?":              `data.head=false`,
		"/api/diff?from=" + oldest + "&to=" + newest:  `data.files.0.path=file`,
		"/api/diff?from=" + oldest:                    `data.to=` + newest,
		"/api/status":                                 `data.saved.working_on=second words`,
		"/api/me":                                     `data.operator=true`,
		"/api/snapshots/" + nobody:                    `error.code=NOT_FOUND`,
		"/api/snapshots/HEAD~9":                       `error.code=NOT_FOUND`,
		"/api/snapshots/!!":                           `error.code=INVALID`,
		"/api/snapshots?limit=0":                      `error.code=INVALID`,
		"/api/snapshots?limit=1001":                   `error.code=INVALID`,
		"/api/snapshots?limit=99999999999999999999":   `error.code=INVALID`,
		"/api/snapshots?limit=1&limit=2":              `error.code=INVALID`,
		"/api/snapshots?all=perhaps":                  `error.code=INVALID`,
		"/api/diff":                                   `error.code=INVALID`,
		"/api/diff?from=" + strings.Repeat("a", 5000): `error.code=INVALID`,
		"/api/nothing":                                `error.code=NOT_FOUND`,
	} {
		body := answer(s, asks("GET", path, testKey, "")).Body.String()
		key, value, _ := strings.Cut(want, "=")
		if got := gjson.Get(body, key).String(); got != value {
			t.Errorf("%s: %s is %q, want %q in %s", path, key, got, value, body)
		}
	}
	if w := answer(s, asks("DELETE", "/api/snapshots", testKey, "")); w.Code != 405 || w.Header().Get("Allow") != "GET" {
		t.Errorf("DELETE: %d %v", w.Code, w.Header())
	}
	ko := answer(s, asks("GET", "/api/nothing", testKey, "", "Accept-Language", "ko-KR,ko;q=0.9")).Body.String()
	if en := answer(s, asks("GET", "/api/nothing", testKey, "", "Accept-Language", "en-US,en;q=0.5")).Body.String(); gjson.Get(ko, "error.message").String() == gjson.Get(en, "error.message").String() {
		t.Errorf("Korean: %s", ko)
	}
}

func TestNothingSavedYet(t *testing.T) {
	o := options(t)
	o.Place.Dir = t.TempDir()
	s := serving(t, o)
	if w := answer(s, asks("GET", "/api/snapshots", testKey, "")); w.Code != 404 || gjson.Get(w.Body.String(), "error.code").String() != "NOTHING_SAVED" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// TestPathTricks tries other spellings of paths: none leads anywhere.
func TestPathTricks(t *testing.T) {
	s := serving(t, options(t))
	server := httptest.NewServer(s.Handler())
	defer server.Close()
	for _, path := range []string{"/api/../etc/passwd", "//api/me", "/api//me", "/api/./me", "/%2e%2e/etc/passwd", "/api/snapshots/..%2f..%2fetc", "/api/me/", "/main.js/../index.html", "/api/me%00",
		"/page/index.html", "/main.js%2f", "/API/me", `/api\me`, "/api/snapshots/%2e%2e", "/index.html"} {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(conn, "GET "+path+" HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer "+testKey+"\r\nConnection: close\r\n\r\n")
		b, _ := io.ReadAll(conn)
		if status := strings.SplitN(string(b), " ", 3); len(status) < 2 || status[1] != "404" && status[1] != "400" {
			t.Errorf("%s: %.60s", path, b)
		}
		conn.Close()
	}
}

// TestGuessing lets somebody try tokens: after the burst they are told to wait, and others are not, not even at the same
// address.
func TestGuessing(t *testing.T) {
	o := options(t)
	o.Limits = Limits{Rate: 0.001, Burst: 5}
	s := serving(t, o)
	codes := map[int]int{}
	for i := range 20 {
		codes[answer(s, asks("GET", "/api/me", strings.Repeat(strconv.Itoa(i%10), 40), "")).Code]++
	}
	if codes[401] != 5 || codes[429] != 15 {
		t.Errorf("answers %v", codes)
	}
	if w := answer(s, asks("GET", "/api/me", testKey, "")); w.Code != 200 {
		t.Errorf("the operator at the same address: %d", w.Code)
	}
	if w := answer(s, asks("GET", "/api/me", adaToken, "")); w.Code != 200 {
		t.Errorf("a user at the same address: %d", w.Code)
	}
	other := asks("GET", "/api/me", adaToken, "")
	other.RemoteAddr = "192.0.2.9:1"
	if w := answer(s, other); w.Code != 200 {
		t.Errorf("a user elsewhere: %d", w.Code)
	}
	codes = map[int]int{}
	for range 20 {
		w := answer(s, asks("GET", "/api/me", testKey, ""))
		codes[w.Code]++
		if w.Code == 429 && w.Header().Get("Retry-After") == "" {
			t.Error("429 says not for how long")
		}
	}
	if codes[200] != 4 || codes[429] != 16 {
		t.Errorf("one user's own bound: %v", codes)
	}
}

// busy counts how many tokens are looked up at a time.
type busy struct {
	now, most atomic.Int32
	go_       chan struct{}
}

func (b *busy) Identify(ctx context.Context, token string) (User, error) {
	if n := b.now.Add(1); n > b.most.Load() {
		b.most.Store(n)
	}
	defer b.now.Add(-1)
	<-b.go_
	return fewTokens{}.Identify(ctx, token)
}

// TestManyGuesses lets many guess at once from one address that has guessed too often: few are looked up at a time, a token
// that holds is found among them, and another address does not wait.
func TestManyGuesses(t *testing.T) {
	o := options(t)
	o.Limits = Limits{Rate: 0.001, Burst: 5}
	b := &busy{go_: make(chan struct{})}
	o.Tokens = b
	s := serving(t, o)
	for range 10 {
		answer(s, asks("GET", "/api/me", "short", "")) // is wrong without being looked up
	}
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			token, want := strings.Repeat("x", 40), 429
			if i == 25 {
				token, want = adaToken, 200
			}
			if w := answer(s, asks("GET", "/api/me", token, "")); w.Code != want {
				t.Errorf("guess %d: %d", i, w.Code)
			}
		})
	}
	other := asks("GET", "/api/me", adaToken, "")
	other.RemoteAddr = "192.0.2.9:1"
	all.Go(func() {
		if w := answer(s, other); w.Code != 200 {
			t.Errorf("a user elsewhere: %d", w.Code)
		}
	})
	for b.now.Load() < maxDoubtful+1 { // the one elsewhere is looked up beside them
		runtime.Gosched()
	}
	close(b.go_)
	all.Wait()
	if most := b.most.Load(); most > maxDoubtful+1 {
		t.Errorf("%d are looked up at a time", most)
	}
	gone, stop := context.WithCancel(t.Context())
	stop()
	s.doubtful <- struct{}{}
	s.doubtful <- struct{}{}
	if w := answer(s, asks("GET", "/api/me", adaToken, "").WithContext(gone)); w.Code != 503 {
		t.Errorf("one that does not wait: %d", w.Code)
	}
}

// TestRatesForget asks under more names than are remembered.
func TestRatesForget(t *testing.T) {
	now := time.Unix(1e9, 0)
	r := newRates(Limits{Rate: 1, Burst: 1})
	for i := range 3 * maxAsked {
		if ok, _ := r.allow(strconv.Itoa(i), now); !ok {
			t.Fatalf("the first request of %d is refused", i)
		}
	}
	if len(r.of) > maxAsked {
		t.Errorf("%d names are kept", len(r.of))
	}
}

// TestRefusesBadOptions makes services that would be open.
func TestRefusesBadOptions(t *testing.T) {
	for name, change := range map[string]func(*Options){
		"no key": func(o *Options) { o.Key = "" }, "short key": func(o *Options) { o.Key = "short" }, "no log": func(o *Options) { o.Log = nil }, "no owner": func(o *Options) { o.Owner = "" },
	} {
		o := Options{Log: slog.New(slog.DiscardHandler), Key: testKey, Owner: "local"}
		change(&o)
		if _, err := New(o); err == nil {
			t.Errorf("%s: passes", name)
		}
	}
}

// TestDrains ends a service while a request is under way: it is answered, and new ones are not.
func TestDrains(t *testing.T) {
	o := options(t)
	s := serving(t, o)
	inside, on := make(chan struct{}), make(chan struct{})
	s.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(inside)
		<-on
		io.WriteString(w, "done")
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, l) }()
	got := make(chan string, 1)
	go func() {
		r, err := http.Get("http://" + l.Addr().String() + "/")
		if err != nil {
			got <- err.Error()
			return
		}
		defer r.Body.Close()
		b, _ := io.ReadAll(r.Body)
		got <- string(b)
	}()
	<-inside
	end()
	for !s.ending.Load() {
		runtime.Gosched()
	}
	if w := httptest.NewRecorder(); true {
		s.ready(w, nil)
		if w.Code != 503 {
			t.Errorf("ready while ending: %d", w.Code)
		}
	}
	close(on)
	if g := <-got; g != "done" {
		t.Errorf("the request under way got %q", g)
	}
	if err := <-served; err != nil {
		t.Errorf("serve: %v", err)
	}
}

// TestPanics lets a route panic: the client hears of it in the usual form, the next request is served.
func TestPanics(t *testing.T) {
	s := serving(t, options(t))
	h := s.observe(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("boom") }))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, asks("GET", "/", "", ""))
	if w.Code != 500 || gjson.Get(w.Body.String(), "error.code").String() != "INTERNAL" || strings.Contains(w.Body.String(), "boom") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// TestDocument holds the OpenAPI document against the table.
func TestDocument(t *testing.T) {
	s := serving(t, options(t))
	doc := answer(s, asks("GET", "/api/openapi.json", "", "")).Body.Bytes()
	var d struct {
		OpenAPI string                                `json:"openapi"`
		Paths   map[string]map[string]json.RawMessage `json:"paths"`
	}
	if err := json.Unmarshal(doc, &d); err != nil || d.OpenAPI != "3.1.0" {
		t.Fatalf("%v %s", err, d.OpenAPI)
	}
	ids := map[string]bool{}
	for _, o := range s.ops {
		raw := d.Paths[o.path][strings.ToLower(o.method)]
		if raw == nil {
			t.Errorf("%s %s is not in the document", o.method, o.path)
		}
		if ids[o.id] || gjson.GetBytes(raw, "operationId").String() != o.id || o.summary == "" {
			t.Errorf("%s: id %s", o.path, o.id)
		}
		ids[o.id] = true
		for _, p := range parameters(o.in) {
			if p.doc == "" && p.where == "query" {
				t.Errorf("%s: %s is not explained", o.id, p.name)
			}
			if p.where == "path" != strings.Contains(o.path, "{"+p.name+"}") {
				t.Errorf("%s: %s is no part of %s", o.id, p.name, o.path)
			}
		}
	}
}
