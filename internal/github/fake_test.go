package github

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// The commit, branch, time and repository that the tests ask about.
const (
	commit = "0123456789abcdef0123456789abcdef01234567"
	other  = "fedcba9876543210fedcba9876543210fedcba98"
	branch = "feat/login"
	secret = "token-of-the-user"
)

func instant() time.Time { return time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC) }

func ours() Repo { return Repo{Host: "github.com", Owner: "octo", Name: "app"} }

func question() Question { return Question{Repo: ours(), Branch: branch, Commit: commit} }

// call is one request as it left the client.
type call struct {
	Method, Host, Path, Auth, Body string
	Query                          url.Values
	Header                         http.Header
}

// fake is a GitHub on a local port: a transport brings every https request there, whatever host it names.
type fake struct {
	t      *testing.T
	server *httptest.Server
	mu     sync.Mutex
	routes map[string]http.HandlerFunc // "HOST/PATH"
	calls  []call
	slept  []time.Duration
	clock  time.Time
}

const (
	runsPath = "api.github.com/repos/octo/app/actions/runs"
	graphQL  = "api.github.com/graphql"
)

func newFake(t *testing.T) *fake {
	t.Helper()
	f := &fake{t: t, routes: map[string]http.HandlerFunc{}, clock: instant()}
	f.server = httptest.NewServer(http.HandlerFunc(f.serve))
	t.Cleanup(f.server.Close)
	f.on(graphQL, text(200, green))
	f.on(runsPath, text(200, `{"total_count":0,"workflow_runs":[]}`))
	return f
}

const green = `{"data":{"repository":{"isPrivate":true,"nameWithOwner":"octo/app","object":null,"pullRequests":{"nodes":[]},"parent":null}}}`

func (f *fake) on(route string, h http.HandlerFunc) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.routes[route] = h
}

func (f *fake) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		f.t.Errorf("body: %v", err)
	}
	host := r.Header.Get("X-Host")
	r.Header.Del("X-Host")
	f.mu.Lock()
	f.calls = append(f.calls, call{r.Method, host, r.URL.Path, r.Header.Get("Authorization"), string(body), r.URL.Query(), r.Header.Clone()})
	h := f.routes[host+r.URL.Path]
	f.mu.Unlock()
	if h == nil {
		text(404, `{"message":"Not Found"}`)(w, r)
		return
	}
	h(w, r)
}

// RoundTrip brings a request to the server. A request that is not https would have shown the token to a network.
func (f *fake) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme != "https" {
		f.t.Errorf("%s %s: not https", r.Method, r.URL)
	}
	out := r.Clone(r.Context())
	out.Header.Set("X-Host", r.URL.Host)
	at, err := url.Parse(f.server.URL)
	if err != nil {
		return nil, err
	}
	out.URL.Scheme, out.URL.Host, out.Host = at.Scheme, at.Host, ""
	return http.DefaultTransport.RoundTrip(out)
}

// sleep moves the clock instead of waiting.
func (f *fake) sleep(ctx context.Context, d time.Duration) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.slept, f.clock = append(f.slept, d), f.clock.Add(d)
	return ctx.Err()
}

func (f *fake) now() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.clock
}

func (f *fake) seen() []call {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.calls)
}

// to lists the calls to one route.
func (f *fake) to(route string) (out []call) {
	for _, c := range f.seen() {
		if c.Host+c.Path == route {
			out = append(out, c)
		}
	}
	return out
}

func (f *fake) options() Options {
	return Options{Token: func(context.Context, string) (string, error) { return secret, nil }, Transport: f, Now: f.now, Sleep: f.sleep}
}

func (f *fake) client(change ...func(*Options)) *Client {
	f.t.Helper()
	o := f.options()
	for _, c := range change {
		c(&o)
	}
	c, err := New(o)
	if err != nil {
		f.t.Fatal(err)
	}
	return c
}

// ask asks and checks what holds for every answer: no error, no secret, JSON that Parse gives back.
func (f *fake) ask(q Question, change ...func(*Options)) Answer {
	f.t.Helper()
	a, err := f.client(change...).Ask(context.Background(), q)
	if err != nil {
		f.t.Fatal(err)
	}
	f.sound(a)
	return a
}

func (f *fake) sound(a Answer) {
	f.t.Helper()
	kept, err := json.Marshal(a)
	if err != nil {
		f.t.Fatal(err)
	}
	for _, never := range []string{secret, "sig=", f.server.URL} {
		if strings.Contains(string(kept), never) {
			f.t.Errorf("%q in the answer: %s", never, kept)
		}
	}
	back, err := Parse(kept)
	if err != nil {
		f.t.Fatalf("Parse: %v", err)
	}
	again, err := json.Marshal(back)
	if err != nil || string(again) != string(kept) {
		f.t.Errorf("kept and read again it is another answer (%v):\n%s\n%s", err, kept, again)
	}
	for _, b := range a.Blockers() {
		if faults := b.Faults(); len(faults) > 0 {
			f.t.Errorf("blocker %s: %v", b.Description, faults)
		}
	}
}

// text answers with a status and a body: JSON if it looks like it.
func text(status int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if strings.HasPrefix(body, "{") || strings.HasPrefix(body, "[") {
			w.Header().Set("Content-Type", "application/json; charset=utf-8")
		} else {
			w.Header().Set("Content-Type", "text/plain")
		}
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// inTurn answers with one handler after the other; the last one stays.
func inTurn(list ...http.HandlerFunc) http.HandlerFunc {
	var mu sync.Mutex
	next := 0
	return func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		h := list[min(next, len(list)-1)]
		next++
		mu.Unlock()
		h(w, r)
	}
}

// ciRun is a run as the REST API gives it; the fields can be overwritten by pairs.
func ciRun(id int64, pairs ...any) map[string]any {
	r := map[string]any{"id": id, "name": "CI", "path": ".github/workflows/ci.yml", "workflow_id": 7, "event": "push", "head_branch": branch,
		"head_sha": commit, "run_attempt": 1, "status": "completed", "conclusion": "success",
		"html_url": fmt.Sprintf("https://github.com/octo/app/actions/runs/%d", id), "created_at": "2026-03-04T05:00:00Z",
		"run_started_at": "2026-03-04T05:00:00Z"}
	for i := 0; i+1 < len(pairs); i += 2 {
		r[pairs[i].(string)] = pairs[i+1]
	}
	return r
}

func runsOf(list ...map[string]any) http.HandlerFunc {
	return text(200, encode(map[string]any{"total_count": len(list), "workflow_runs": append([]map[string]any{}, list...)}))
}

func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// failedRun sets up one failing run with one failing job, whose log is behind the redirect that GitHub makes.
func (f *fake) failedRun(log http.HandlerFunc) {
	f.on(runsPath, runsOf(ciRun(11, "conclusion", "failure")))
	f.on(runsPath+"/11/jobs", text(200, oneFailedJob))
	f.on("api.github.com/repos/octo/app/actions/jobs/31/logs", text(302, "", "Location", "https://logs.blob.example.net/job.txt?sig=very-secret"))
	f.on("logs.blob.example.net/job.txt", log)
}

const oneFailedJob = `{"total_count":2,"jobs":[
 {"id":30,"name":"lint","status":"completed","conclusion":"success","html_url":"https://github.com/octo/app/actions/runs/11/job/30","steps":[]},
 {"id":31,"name":"build (ubuntu)","status":"completed","conclusion":"failure","html_url":"https://github.com/octo/app/actions/runs/11/job/31",
  "steps":[{"number":1,"name":"Set up job","status":"completed","conclusion":"success"},
           {"number":2,"name":"Run make","status":"completed","conclusion":"failure"},
           {"number":3,"name":"Upload","status":"completed","conclusion":"skipped"}]}]}`

// jobLog is a log as a runner writes it, with a failing step that holds the given lines.
func jobLog(lines ...string) string {
	all := []string{"\ufeff2026-03-04T05:00:01.0000001Z ##[group]Run make", "2026-03-04T05:00:01.0000002Z make",
		"2026-03-04T05:00:01.0000003Z ##[endgroup]"}
	for _, l := range lines {
		all = append(all, "2026-03-04T05:00:02.0000000Z "+l)
	}
	return strings.Join(append(all, "2026-03-04T05:00:03.0000000Z ##[error]Process completed with exit code 2.",
		"2026-03-04T05:00:03.0000001Z Post job cleanup.", ""), "\n")
}

// reasons lists what an answer does not know, as what=reason.
func reasons(a Answer) (out []string) {
	for _, u := range a.Unknown {
		out = append(out, u.What+"="+string(u.Reason))
	}
	return out
}

func wantUnknown(t *testing.T, a Answer, want ...string) {
	t.Helper()
	if got := reasons(a); !slices.Equal(got, want) {
		t.Errorf("unknown: %v, want %v\n%s", got, want, encode(a.Unknown))
	}
}

func TestNewWantsTheWorld(t *testing.T) {
	whole := newFake(t).options()
	for name, strip := range map[string]func(*Options){
		"no token func": func(o *Options) { o.Token = nil }, "no clock": func(o *Options) { o.Now = nil }, "no sleep": func(o *Options) { o.Sleep = nil },
	} {
		o := whole
		strip(&o)
		if _, err := New(o); !errors.Is(err, ErrOptions) {
			t.Errorf("%s: %v", name, err)
		}
	}
	o := whole
	o.Transport = nil
	c, err := New(o)
	if err != nil || c.Transport != http.DefaultTransport {
		t.Errorf("without a transport: %v, %v: go-gh's own is http.DefaultTransport", c.Transport, err)
	}
}
