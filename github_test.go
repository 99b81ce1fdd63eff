package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tidwall/gjson"
)

// gitHub stands in for api.github.com: a proxy that the program is told of by its environment, as behind a company's
// firewall, with a certificate that the environment trusts. Nothing leaves the machine.
type gitHub struct {
	mu    sync.Mutex
	serve http.HandlerFunc
	asked []string
}

func (g *gitHub) answers(h http.HandlerFunc) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.serve, g.asked = h, nil
}

func (g *gitHub) calls() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.asked
}

// newGitHub starts one and gives the environment that leads to it.
func newGitHub(t *testing.T, hosts ...string) (*gitHub, []string) {
	if runtime.GOOS != "linux" {
		t.Skip("SSL_CERT_FILE is read on Linux only")
	}
	cert, ca := certificate(t, hosts)
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, ca, 0o600); err != nil {
		t.Fatal(err)
	}
	g := &gitHub{}
	inner := accepting{make(chan net.Conn), make(chan struct{})}
	api := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.mu.Lock()
		g.asked = append(g.asked, r.Method+" "+r.Host+r.URL.RequestURI())
		serve := g.serve
		g.mu.Unlock()
		serve(w, r)
	}), TLSConfig: &tls.Config{Certificates: []tls.Certificate{cert}}}
	go func() { _ = api.ServeTLS(inner, "", "") }()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	proxy := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil || r.Method != http.MethodConnect {
			return
		}
		fmt.Fprint(conn, "HTTP/1.1 200 Connection established\r\n\r\n")
		inner.conns <- conn
	})}
	go func() { _ = proxy.Serve(l) }()
	t.Cleanup(func() { _ = proxy.Close(); _ = api.Close() })
	return g, []string{"HTTPS_PROXY=http://" + l.Addr().String(), "SSL_CERT_FILE=" + file, "GH_TOKEN=token", "GH_ENTERPRISE_TOKEN=token",
		"GH_CONFIG_DIR=" + t.TempDir()}
}

// accepting is a listener whose connections come from a channel.
type accepting struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (a accepting) Accept() (net.Conn, error) {
	select {
	case c := <-a.conns:
		return c, nil
	case <-a.closed:
		return nil, net.ErrClosed
	}
}
func (a accepting) Close() error   { close(a.closed); return nil }
func (a accepting) Addr() net.Addr { return &net.TCPAddr{} }

func certificate(t *testing.T, hosts []string) (tls.Certificate, []byte) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, DNSNames: hosts, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

// saidByGitHub answers the calls of a save: runs, pull requests, jobs, log.
type saidByGitHub struct {
	conclusion, status string
	pulls              string // JSON list
	rollup             string // JSON
	log                string
	public             bool
}

func (s saidByGitHub) handler(w http.ResponseWriter, r *http.Request) {
	commit := r.URL.Query().Get("head_sha")
	switch path := r.URL.Path; {
	case strings.HasSuffix(path, "/actions/runs"):
		fmt.Fprintf(w, `{"total_count":1,"workflow_runs":[{"id":7,"name":"CI","workflow_id":3,"event":"push","head_branch":"main","head_sha":%q,
			"run_attempt":1,"status":%q,"conclusion":%q,"html_url":"https://github.com/o/r/actions/runs/7","run_started_at":"2026-01-02T03:04:05Z"}]}`, commit, s.status, s.conclusion)
	case strings.HasSuffix(path, "/jobs"):
		fmt.Fprint(w, `{"total_count":1,"jobs":[{"id":70,"name":"build","status":"completed","conclusion":"failure","steps":[{"number":2,"name":"make","status":"completed","conclusion":"failure"}]}]}`)
	case strings.HasSuffix(path, "/logs"):
		fmt.Fprint(w, s.log)
	case strings.HasSuffix(path, "/graphql"):
		pulls := s.pulls
		if pulls == "" {
			pulls = "[]"
		}
		rollup := s.rollup
		if rollup == "" {
			rollup = "null"
		}
		fmt.Fprintf(w, `{"data":{"repository":{"isPrivate":%t,"object":{"statusCheckRollup":%s},"pullRequests":{"totalCount":0,"nodes":%s}}}}`, !s.public, rollup, pulls)
	default:
		http.NotFound(w, r)
	}
}

// publishedTree is a repository whose remote is o/r on GitHub, and whose pushes go to a folder.
func publishedTree(t *testing.T, env []string) (work string) {
	t.Helper()
	dir := t.TempDir()
	sh(t, dir, env, `git init -q --bare up.git; git init -q w; cd w; echo 'int main(){}' >main.c; git add -A; git commit -qm base
		git remote add origin https://github.com/o/r.git; git config remote.origin.pushurl "$PWD/../up.git"`)
	return filepath.Join(dir, "w")
}

// TestCI: S1.4, S1.5, S1.11: what GitHub says is a blocker with its cause, is proven gone, and unknown is neither.
func TestCI(t *testing.T) {
	g, more := newGitHub(t, "api.github.com")
	env := environ(t, more...)
	work := publishedTree(t, env)
	run := func(want int, args ...string) gjson.Result {
		t.Helper()
		return runJSON(t, work, env, want, args...)
	}

	g.answers(saidByGitHub{status: "completed", conclusion: "failure", public: true,
		log: "2026-01-02T03:04:06Z ##[group]Run make\n2026-01-02T03:04:06Z make\n2026-01-02T03:04:06Z ##[endgroup]\n2026-01-02T03:04:07Z main.c:1:5: error: expected ';' before '}' token\n2026-01-02T03:04:07Z make: *** [all] Error 1\n2026-01-02T03:04:08Z ##[error]Process completed with exit code 2.\n"}.handler)
	r := run(0, "save", "--sync", "--json")
	if got := r.Get("state.blocker.type").String(); got != "ci_failure" {
		t.Fatalf("blocker %q in %s", got, r)
	}
	if !r.Get("push.public").Bool() {
		t.Error("nobody says that the repository is public")
	}
	if !r.Get("push.ok").Bool() || r.Get("state.blocker.recovery_agent").String() != "devops" || r.Get("state.blocker.cause.file").String() != "main.c" {
		t.Errorf("push, agent or cause: %s", r)
	}
	if got := r.Get(`verification.#(name=="CI").status`).String(); got != "failed" {
		t.Errorf("CI check %q", got)
	}

	if calls := g.calls(); len(calls) > 4 {
		t.Errorf("%d calls: %q", len(calls), calls)
	}

	t.Run("quick does not ask", func(t *testing.T) {
		g.answers(func(w http.ResponseWriter, r *http.Request) { t.Error("asked"); http.Error(w, "", 500) })
		if r := run(0, "save", "--json"); r.Get("state.blocker.type").String() != "ci_failure" {
			t.Errorf("forgotten: %s", r)
		}
		r := run(3, "load", "--json")
		if r.Get("since.ci.verdict").String() != "failed" || r.Get("since.ci.asked").String() == "" {
			t.Errorf("load: %s", r.Get("since"))
		}
	})
	t.Run("unknown is neither", func(t *testing.T) {
		for name, answer := range map[string]http.HandlerFunc{
			"401": func(w http.ResponseWriter, _ *http.Request) {
				http.Error(w, `{"message":"Bad credentials"}`, http.StatusUnauthorized)
			},
			"404":       http.NotFound,
			"502":       func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "", http.StatusBadGateway) },
			"malformed": func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"workflow_runs": [{"id":`) },
		} {
			g.answers(answer)
			r := run(0, "status", "--ci", "--json")
			if r.Get("ci.verdict").String() != "unknown" || len(r.Get("ci.unknown").Array()) == 0 {
				t.Errorf("%s: %s", name, r.Get("ci"))
			}
			if r := run(0, "save", "--sync", "--json"); r.Get("state.blocker.type").String() != "ci_failure" || !strings.Contains(r.Get("findings").Raw, "unknown") {
				t.Errorf("%s: a blocker went without proof, or nothing was said: %s", name, r)
			}
		}
	})
	t.Run("a rate limit is kept", func(t *testing.T) {
		g.answers(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "60")
			http.Error(w, `{"message":"secondary rate limit"}`, http.StatusForbidden)
		})
		run(0, "status", "--ci", "--json")
		g.answers(func(http.ResponseWriter, *http.Request) { t.Error("asked before the time that GitHub named") })
		run(0, "status", "--ci", "--json")
		if err := os.Remove(filepath.Join(work, ".git", "session", "github.json")); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("running proves nothing", func(t *testing.T) {
		g.answers(saidByGitHub{status: "in_progress"}.handler)
		r := run(0, "save", "--sync", "--json")
		if r.Get("state.blocker.type").String() != "ci_failure" || r.Get(`verification.#(name=="CI").status`).String() != "running" {
			t.Errorf("%s", r)
		}
	})
	t.Run("review and conflict", func(t *testing.T) {
		g.answers(saidByGitHub{status: "completed", conclusion: "success", pulls: pull("CHANGES_REQUESTED", "CONFLICTING")}.handler)
		r := run(0, "save", "--sync", "--json")
		if got := r.Get("state.blockers.#.type").Raw; got != `["merge_conflict","review_blocked"]` {
			t.Errorf("%s in %s", got, r)
		}
		g.answers(saidByGitHub{status: "completed", conclusion: "success", pulls: pull("APPROVED", "MERGEABLE")}.handler)
		r = run(0, "save", "--sync", "--json")
		if r.Get("state.blocker").Type != gjson.Null || !strings.Contains(r.Raw, "BLOCKER_CLEARED") {
			t.Errorf("not cleared: %s", r)
		}
	})
	t.Run("waits when asked", func(t *testing.T) {
		var n atomic.Int32
		g.answers(func(w http.ResponseWriter, r *http.Request) {
			s := saidByGitHub{status: "in_progress"}
			if strings.HasSuffix(r.URL.Path, "/actions/runs") {
				n.Add(1)
			}
			if n.Load() > 1 {
				s = saidByGitHub{status: "completed", conclusion: "success"}
			}
			s.handler(w, r)
		})
		r := run(0, "save", "--sync", "--wait-ci", "--json")
		if got := r.Get(`verification.#(name=="CI").status`).String(); got != "passed" || n.Load() < 2 {
			t.Errorf("%s after %d calls", got, n.Load())
		}
	})
}

func pull(decision, mergeable string) string {
	return fmt.Sprintf(`[{"number":12,"title":"t","url":"https://github.com/o/r/pull/12","isDraft":false,"author":{"login":"ada"},"baseRefName":"main",
		"headRefOid":"","headRepository":{"name":"r","owner":{"login":"o"}},"reviewDecision":%q,"mergeable":%q,"mergeStateStatus":"CLEAN",
		"reviews":{"totalCount":1,"nodes":[{"state":%q,"submittedAt":"2026-01-02T03:04:05Z","authorCanPushToRepository":true,"author":{"login":"kim"}}]},
		"reviewThreads":{"totalCount":0,"nodes":[]}}]`, decision, mergeable, decision)
}

// runJSON runs session in dir, wants its exit code, and gives the one JSON document that it prints.
func runJSON(t testing.TB, dir string, env []string, want int, args ...string) gjson.Result {
	t.Helper()
	out, errs, got := session(t, dir, env, args...)
	if got != want {
		t.Fatalf("session %s: exit code %d, want %d\n%s%s", strings.Join(args, " "), got, want, out, errs)
	}
	if !gjson.Valid(out) {
		t.Fatalf("session %s: not one JSON document: %s", strings.Join(args, " "), out)
	}
	return gjson.Parse(out)
}
