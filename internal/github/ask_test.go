package github

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const refusedRuns = 1

// TestRefusals: each status of the API becomes a reason; nothing of it is a blocker, or fine.
func TestRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		want   Reason
		words  string
		pause  time.Duration
	}{
		"bad token":             {text(401, `{"message":"Bad credentials"}`), Unauthorized, "gh auth login --hostname github.com", 0},
		"missing permission":    {text(403, `{"message":"Resource not accessible by integration"}`, "X-RateLimit-Remaining", "4000"), Forbidden, "Resource not accessible", 0},
		"single sign-on":        {text(403, `{"message":"Resource protected"}`, "X-GitHub-SSO", "required; url=https://github.com/orgs/octo/sso?authorization_request=A1"), Forbidden, "https://github.com/orgs/octo/sso?authorization_request=A1", 0},
		"sign-on elsewhere":     {text(403, `{"message":"no"}`, "X-GitHub-SSO", "required; url=javascript:x"), Forbidden, "may not read", 0},
		"primary limit":         {text(403, `{"message":"API rate limit exceeded"}`, "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", fmt.Sprint(instant().Add(17*time.Minute).Unix()), "Date", instant().Format(http.TimeFormat)), RateLimited, "05:23:07", 17 * time.Minute},
		"primary limit, 429":    {text(429, `{"message":"API rate limit exceeded"}`, "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", fmt.Sprint(instant().Add(17*time.Minute).Unix()), "Date", instant().Format(http.TimeFormat)), RateLimited, "no more calls", 17 * time.Minute},
		"secondary limit":       {text(403, `{"message":"You have exceeded a secondary rate limit"}`, "Retry-After", "90"), RateLimited, "no more calls", 90 * time.Second},
		"secondary, no header":  {text(403, `{"message":"You have exceeded a secondary rate limit. Please wait."}`), RateLimited, "no more calls", time.Minute},
		"abuse, no header":      {text(403, `{"message":"You have triggered an abuse detection mechanism."}`), RateLimited, "no more calls", time.Minute},
		"429, no header":        {text(429, ""), RateLimited, "no more calls", time.Minute},
		"not there":             {text(404, `{"message":"Not Found"}`), NotFound, "octo/app", 0},
		"gone":                  {text(410, `{"message":"Gone"}`), Gone, "any more", 0},
		"unprocessable":         {text(422, `{"message":"Validation Failed","errors":[{"code":"invalid","field":"head_sha","resource":"Run"},"x",null,3]}`), Invalid, "HTTP 422", 0},
		"a teapot":              {text(418, "no"), Invalid, "HTTP 418", 0},
		"server error":          {text(500, `{"message":"boom"}`), ServerError, "HTTP 500", 0},
		"bad gateway":           {text(502, "<html>"), ServerError, "HTTP 502", 0},
		"maintenance":           {text(503, "", "Retry-After", "120"), ServerError, "HTTP 503", 2 * time.Minute},
		"gateway time-out":      {text(504, ""), ServerError, "HTTP 504", 0},
		"no content":            {text(204, ""), Malformed, "cannot be read", 0},
		"not JSON":              {text(200, "<html>"), Malformed, "cannot be read", 0},
		"another shape":         {text(200, `[1,2]`), Malformed, "cannot be read", 0},
		"cut off":               {text(200, `{"total_count":1,"workflow_runs":[{"id":1`), Malformed, "cannot be read", 0},
		"a part is missing":     {text(200, `{"total_count":1}`), Malformed, "workflow_runs", 0},
		"numbers without end":   {text(200, `{"total_count":1,"workflow_runs":[{"id":99999999999999999999999}]}`), Malformed, "cannot be read", 0},
		"deep":                  {text(200, strings.Repeat(`{"a":`, 20_000)), Malformed, "cannot be read", 0},
		"too large":             {text(200, `{"x":"`+strings.Repeat("a", 9<<20)), TooLarge, "8 MiB", 0},
		"too large a refusal":   {text(403, `{"message":"`+strings.Repeat("a", 9<<20)), Forbidden, "may not read", 0},
		"connection closed":     {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, Offline, "closed", 0},
		"body cut off":          {cutOff, Malformed, "unexpected EOF", 0},
		"control characters":    {text(403, "{\"message\":\"\\u001b]0;x\\u0007 \\u202eno\"}"), Forbidden, "may not read", 0},
		"moved off TLS":         {text(301, "", "Location", "http://api.github.com/x"), Redirected, "not followed", 0},
		"moved elsewhere":       {text(302, "", "Location", "https://evil.example/x"), Redirected, "not followed", 0},
		"in a circle":           {text(301, "", "Location", "https://"+runsPath), Redirected, "not followed", 0},
		"not modified":          {text(304, ""), Redirected, "not followed", 0},
		"moved to no address":   {text(301, "", "Location", "https://[x"), Redirected, "not followed", 0},
		"a header out of range": {text(403, `{"message":"x"}`, "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "99999999999999999999"), RateLimited, "no more calls", time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			f.on(runsPath, c.answer)
			a := f.ask(question())
			if len(a.Unknown) != refusedRuns || a.Unknown[0].What != AboutRuns || a.Unknown[0].Reason != c.want || !strings.Contains(a.Unknown[0].Why, c.words) {
				t.Fatalf("%+v, want %s: …%s…", a.Unknown, c.want, c.words)
			}
			if u := a.Unknown[0]; strings.ContainsAny(u.Why, "\x1b\x07\u202e\n") || len(u.Why) > 2*maxText {
				t.Errorf("%q", u.Why)
			}
			if a.CI() != Unclear || len(a.Blockers()) != 0 || a.Runs != nil || a.Pulls == nil {
				t.Errorf("%s, %v", a.CI(), a.Blockers())
			}
			want := time.Time{}
			if c.pause > 0 {
				want = instant().Add(c.pause)
			}
			if !a.NextAllowedAt.Equal(want) || !a.Unknown[0].RetryAt.Equal(want) {
				t.Errorf("next allowed %s, retry %s, want %s", a.NextAllowedAt, a.Unknown[0].RetryAt, want)
			}
			for _, c := range f.seen() {
				if c.Auth != "" && c.Host != "api.github.com" {
					t.Errorf("the token went to %s", c.Host)
				}
			}
		})
	}
}

// TestRefusalsOfGraphQL: the same statuses, where all that one call brings is missing.
func TestRefusalsOfGraphQL(t *testing.T) {
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		want   Reason
	}{
		"bad token":     {text(401, `{"message":"Bad credentials"}`), Unauthorized},
		"forbidden":     {text(403, `{"message":"no"}`), Forbidden},
		"not there":     {text(404, `{"message":"no"}`), NotFound},
		"down":          {text(502, ""), ServerError},
		"moved":         {text(301, "", "Location", "https://api.github.com/graphql2"), Redirected},
		"limit":         {text(200, `{"data":null,"errors":[{"type":"RATE_LIMITED","message":"API rate limit exceeded"}]}`, "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", fmt.Sprint(instant().Add(time.Hour).Unix()), "Date", instant().Format(http.TimeFormat)), RateLimited},
		"limit, silent": {text(200, `{"data":null,"errors":[{"type":"RATE_LIMITED","message":"API rate limit exceeded"}]}`), RateLimited},
		"too large":     {text(200, `{"data":"`+strings.Repeat("a", 9<<20)), TooLarge},
		"no content":    {text(204, ""), Malformed},
		"closed":        {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, Offline},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			f.on(graphQL, c.answer)
			f.failedRun(text(200, failing()))
			a := f.ask(question())
			wantUnknown(t, a, "checks="+string(c.want), "public="+string(c.want), "reviews="+string(c.want))
			if a.CI() != Failed || len(a.Blockers()) != 1 {
				t.Errorf("the runs said what they said: %s", a.CI())
			}
			if (c.want == RateLimited) == a.NextAllowedAt.IsZero() {
				t.Errorf("next %s", a.NextAllowedAt)
			}
		})
	}
}

// TestThePauseIsKept: nothing is asked before the time that GitHub named; afterwards it is.
func TestThePauseIsKept(t *testing.T) {
	f := newFake(t)
	f.failedRun(text(200, failing()))
	known := f.ask(question())
	f.on(runsPath, text(403, `{"message":"limit"}`, "Retry-After", "600"))
	q := question()
	q.Last = &known
	limited := f.ask(q)
	q.Last = &limited
	before := len(f.seen())
	f.clock = instant().Add(599 * time.Second)
	a := f.ask(q)
	wantUnknown(t, a, "github=rate_limited")
	if len(f.seen()) != before || !a.NextAllowedAt.Equal(instant().Add(600*time.Second)) || !a.Unknown[0].RetryAt.Equal(a.NextAllowedAt) {
		t.Errorf("%d calls, next %s", len(f.seen())-before, a.NextAllowedAt)
	}
	if a.Runs == nil || !a.Runs.Old || !a.Runs.At.Equal(instant()) || a.CI() != Unclear || len(a.Blockers()) != 0 {
		t.Errorf("the last value with its age, and no verdict: %s %s", a.CI(), encode(a.Runs))
	}
	if p, err := f.client().Public(context.Background(), q); err != nil || len(f.seen()) != before || p.Unknown[0].Reason != RateLimited {
		t.Errorf("Public: %v %+v", err, p.Unknown)
	}
	elsewhere := q
	elsewhere.Repo.Name = "another"
	if a := f.ask(elsewhere); len(f.seen()) != before || a.Runs != nil {
		t.Errorf("the pause is the host's, the values are the repository's: %s", encode(a))
	}
	q.Last = &a
	f.clock = instant().Add(600 * time.Second)
	f.on(runsPath, runsOf(ciRun(12)))
	if a := f.ask(q); a.CI() != Passed || !a.NextAllowedAt.IsZero() {
		t.Errorf("%s %s", a.CI(), encode(a))
	}
	far := a
	far.NextAllowedAt = f.clock.Add(1000 * time.Hour)
	q.Last = &far
	if a := f.ask(q); a.CI() != Passed {
		t.Errorf("a time that GitHub never names silenced CI: %s", encode(a.Unknown))
	}
}

// TestExhaustedByAGoodAnswer: the last call that was allowed says so.
func TestExhaustedByAGoodAnswer(t *testing.T) {
	f := newFake(t)
	f.on(runsPath, text(200, `{"total_count":0,"workflow_runs":[]}`, "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", fmt.Sprint(instant().Add(5*time.Minute).Unix()), "Date", instant().Format(http.TimeFormat)))
	a := f.ask(question())
	wantUnknown(t, a)
	if a.CI() != None || !a.NextAllowedAt.Equal(instant().Add(5*time.Minute)) {
		t.Errorf("%s, next %s", a.CI(), a.NextAllowedAt)
	}
}

func TestRenamedRepository(t *testing.T) {
	f := newFake(t)
	f.on(runsPath, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://api.github.com/repositories/42/actions/runs?"+r.URL.RawQuery, http.StatusMovedPermanently)
	})
	f.on("api.github.com/repositories/42/actions/runs", runsOf(ciRun(1)))
	a := f.ask(question())
	wantUnknown(t, a)
	if c := f.to("api.github.com/repositories/42/actions/runs"); a.CI() != Passed || len(c) != 1 || c[0].Auth == "" {
		t.Errorf("%s, %v", a.CI(), c)
	}
}

func TestWhoIsAsked(t *testing.T) {
	alias := func(_ context.Context, h string) string {
		return map[string]string{"github-work": "github.com", "work": "ssh.github.com", "corp": "ghe.corp.example", "bad": "evil.example", "worse": "-oProxyCommand"}[h]
	}
	for name, c := range map[string]struct {
		remote string
		change func(*Options)
		asked  string // host and path of GraphQL; "" when nobody is
	}{
		"github.com":                  {"https://github.com/octo/app", nil, "api.github.com/graphql"},
		"Enterprise":                  {"https://ghe.corp.example/octo/app", nil, "ghe.corp.example/api/graphql"},
		"Enterprise, other case":      {"git@GHE.corp.example:octo/app", nil, "ghe.corp.example/api/graphql"},
		"a tenant":                    {"https://acme.ghe.com/octo/app", nil, "api.acme.ghe.com/graphql"},
		"an API host of its own":      {"https://ghe.corp.example/octo/app", func(o *Options) { o.APIHost = func(string) string { return "api.internal.example" } }, "api.internal.example/api/graphql"},
		"an API host that is none":    {"https://ghe.corp.example/octo/app", func(o *Options) { o.APIHost = func(string) string { return "http://x/" } }, ""},
		"an alias":                    {"git@github-work:octo/app.git", nil, "api.github.com/graphql"},
		"an alias of ssh's other":     {"git@work:octo/app.git", nil, "api.github.com/graphql"},
		"an alias of Enterprise":      {"git@corp:octo/app.git", nil, "ghe.corp.example/api/graphql"},
		"an alias of a stranger":      {"git@bad:octo/app.git", nil, ""},
		"an alias of an option":       {"git@worse:octo/app.git", nil, ""},
		"aliases are ssh's":           {"https://github-work/octo/app", nil, ""},
		"no aliases":                  {"git@github-work:octo/app.git", func(o *Options) { o.Alias = nil }, ""},
		"a stranger":                  {"https://gitlab.com/octo/app", nil, ""},
		"a stranger by name":          {"https://github.com.evil.example/octo/app", nil, ""},
		"a host below GitHub's":       {"https://raw.github.com/octo/app", nil, ""},
		"no hosts known":              {"https://ghe.corp.example/octo/app", func(o *Options) { o.Hosts = nil }, ""},
		"plain HTTP":                  {"https://github.localhost/octo/app", nil, ""},
		"plain HTTP by another name":  {"https://x.github.localhost/octo/app", nil, ""},
		"GitHub, though no host is":   {"https://github.com/octo/app", func(o *Options) { o.Hosts = nil }, "api.github.com/graphql"},
		"a token with a line end":     {"https://github.com/octo/app", func(o *Options) { o.Token = tokenOf(secret + "\n") }, "api.github.com/graphql"},
		"a token that is no token":    {"https://github.com/octo/app", func(o *Options) { o.Token = tokenOf("a\nb") }, ""},
		"an agent of one's own":       {"https://github.com/octo/app", func(o *Options) { o.Agent = "session/1" }, "api.github.com/graphql"},
		"nobody is logged in":         {"https://github.com/octo/app", func(o *Options) { o.Token = tokenOf("") }, ""},
		"the look-up of tokens fails": {"https://github.com/octo/app", func(o *Options) { o.Token = tokenError }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			for _, h := range []string{"ghe.corp.example/api/graphql", "api.acme.ghe.com/graphql", "api.internal.example/api/graphql"} {
				f.on(h, text(200, green))
			}
			for _, h := range []string{"ghe.corp.example/api/v3", "api.acme.ghe.com", "api.internal.example/api/v3"} {
				f.on(h+"/repos/octo/app/actions/runs", runsOf())
			}
			repo, ok := Remote(c.remote)
			if !ok {
				t.Fatal(c.remote)
			}
			q := question()
			q.Repo = repo
			a := f.ask(q, func(o *Options) {
				o.Hosts = func() []string {
					return []string{"ghe.corp.example", "acme.ghe.com", "github.localhost", "x.github.localhost"}
				}
				o.Alias = alias
				if c.change != nil {
					c.change(o)
				}
			})
			if calls := f.seen(); c.asked == "" {
				if len(calls) != 0 || len(a.Unknown) == 0 || a.CI() != Unclear {
					t.Fatalf("%d calls, %+v", len(calls), a.Unknown)
				}
				return
			}
			if g := f.to(c.asked); len(g) != 1 || g[0].Auth != "token "+secret {
				t.Errorf("asked: %v", f.seen())
			}
			wantUnknown(t, a)
		})
	}
}

func tokenOf(s string) func(context.Context, string) (string, error) {
	return func(context.Context, string) (string, error) { return s, nil }
}

func tokenError(context.Context, string) (string, error) {
	return "", errors.New("the key ring is locked")
}

// TestNoTokenForAStranger: whoever writes a remote into a repository gets nothing, not even a look-up.
func TestNoTokenForAStranger(t *testing.T) {
	f := newFake(t)
	q := question()
	q.Repo.Host = "evil.example"
	a := f.ask(q, func(o *Options) {
		o.Token = func(context.Context, string) (string, error) {
			t.Error("a token was looked up")
			return secret, nil
		}
	})
	if wantUnknown(t, a, "github=not_github"); !strings.Contains(a.Unknown[0].Why, "gh auth login --hostname evil.example") {
		t.Errorf("%s", a.Unknown[0].Why)
	}
}

func TestNoToken(t *testing.T) {
	f := newFake(t)
	a := f.ask(question(), func(o *Options) { o.Token = tokenError })
	if wantUnknown(t, a, "github=no_token"); !strings.Contains(a.Unknown[0].Why, "key ring is locked") || !strings.Contains(a.Unknown[0].Why, "gh auth login") {
		t.Errorf("%s", a.Unknown[0].Why)
	}
}

// TestEnvironmentIsNotRead: what go-gh would look up by itself is of no effect.
func TestEnvironmentIsNotRead(t *testing.T) {
	dir := t.TempDir()
	hosts := "github.com:\n    oauth_token: other-token\n    api_host: evil.example\n"
	if err := os.WriteFile(filepath.Join(dir, "hosts.yml"), []byte(hosts), 0o600); err != nil {
		t.Fatal(err)
	}
	for k, v := range map[string]string{"GH_CONFIG_DIR": dir, "GH_TOKEN": "other", "GH_HOST": "evil.example", "GH_DEBUG": "api", "HTTPS_PROXY": "http://127.0.0.1:1",
		"https_proxy": "http://127.0.0.1:1", "ALL_PROXY": "http://127.0.0.1:1"} {
		t.Setenv(k, v)
	}
	screen := os.Stderr
	printed, err := os.Create(filepath.Join(dir, "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	os.Stderr = printed
	defer func() { os.Stderr = screen }()
	f := newFake(t)
	wantUnknown(t, f.ask(question()))
	for _, c := range f.seen() {
		if c.Auth != "token "+secret || c.Host != "api.github.com" {
			t.Errorf("%s with %q", c.Host, c.Auth)
		}
	}
	if text, err := os.ReadFile(printed.Name()); err != nil || len(text) > 0 {
		t.Errorf("printed %v: %s", err, text)
	}
}

// transport is a RoundTripper made of a function.
type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestOffline(t *testing.T) {
	for name, c := range map[string]struct {
		err   error
		words string
	}{
		"no such host":    {&net.DNSError{Err: "no such host", Name: "api.github.com"}, "name cannot be found"},
		"refused":         {&net.OpError{Op: "dial", Err: errors.New("connect: connection refused")}, "connection refused"},
		"bad certificate": {&tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}, "unknown authority"},
		"closed":          {io.EOF, "connection was closed"},
		"something else":  {errors.New("secret words: https://x/?sig=1"), "the call failed"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			a := f.ask(question(), func(o *Options) {
				o.Transport = transport(func(*http.Request) (*http.Response, error) { return nil, c.err })
			})
			wantUnknown(t, a, "checks=offline", "public=offline", "reviews=offline", "runs=offline")
			if !strings.Contains(a.Unknown[0].Why, c.words) || a.CI() != Unclear {
				t.Errorf("%s", a.Unknown[0].Why)
			}
		})
	}
	f := newFake(t)
	f.server.Close()
	wantUnknown(t, f.ask(question()), "checks=offline", "public=offline", "reviews=offline", "runs=offline")
}

// TestFiveSecondsInAll: whatever hangs, an asking ends in its time, and says what hung.
func TestFiveSecondsInAll(t *testing.T) {
	type hang struct {
		name string
		at   func(*http.Request) bool
		body bool
		want []string
	}
	all := func(*http.Request) bool { return true }
	post := func(r *http.Request) bool { return r.Method == http.MethodPost }
	log := func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/logs") }
	for _, c := range []hang{
		{"everything", all, false, []string{"checks=timed_out", "public=timed_out", "reviews=timed_out", "runs=timed_out"}},
		{"every body", all, true, []string{"checks=timed_out", "public=timed_out", "reviews=timed_out", "runs=timed_out"}},
		{"GraphQL", post, false, []string{"checks=timed_out", "public=timed_out", "reviews=timed_out"}},
		{"the log", log, false, []string{"log=timed_out"}},
		{"the body of the log", log, true, []string{"log=timed_out"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				o := Options{Token: tokenOf(secret), Now: time.Now, Sleep: func(context.Context, time.Duration) error { return nil }}
				o.Transport = transport(func(r *http.Request) (*http.Response, error) {
					if !c.at(r) {
						return local(r), nil
					}
					if !c.body {
						<-r.Context().Done()
						return nil, r.Context().Err()
					}
					res := local(r)
					res.Body = io.NopCloser(io.MultiReader(strings.NewReader(`{"total_`), stuck{r.Context()}))
					return res, nil
				})
				client, err := New(o)
				if err != nil {
					t.Fatal(err)
				}
				a, err := client.Ask(t.Context(), question())
				if took := time.Since(begun); err != nil || took != 5*time.Second {
					t.Errorf("%v after %s", err, took)
				}
				wantUnknown(t, a, c.want...)
				if v := a.CI(); v == Passed || v == None {
					t.Error(v)
				}
				if c.name == "GraphQL" && (len(a.Blockers()) != 1 || a.Blockers()[0].Cause == nil) {
					t.Errorf("the log was there to be read: %+v", a.Blockers())
				}
			})
		})
	}
}

// stuck is a body that comes to no end.
type stuck struct{ ctx context.Context }

func (s stuck) Read([]byte) (int, error) {
	<-s.ctx.Done()
	return 0, s.ctx.Err()
}

// local answers without a network: one failing run.
func local(r *http.Request) *http.Response {
	body := green
	switch {
	case strings.HasSuffix(r.URL.Path, "/runs"):
		body = encode(map[string]any{"total_count": 1, "workflow_runs": []any{ciRun(11, "conclusion", "failure")}})
	case strings.HasSuffix(r.URL.Path, "/jobs"):
		body = oneFailedJob
	case strings.HasSuffix(r.URL.Path, "/logs"):
		body = failing()
	}
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}}, ContentLength: -1, Request: r,
		Body: io.NopCloser(bytes.NewReader([]byte(body)))}
}

// TestTokenThatDoesNotCome: a key ring may ask its owner, who is not there.
func TestTokenThatDoesNotCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		client, err := New(Options{Now: time.Now, Sleep: func(context.Context, time.Duration) error { return nil }, Transport: transport(nil),
			Token: func(ctx context.Context, _ string) (string, error) {
				<-ctx.Done()
				return "", ctx.Err()
			}})
		if err != nil {
			t.Fatal(err)
		}
		a, err := client.Ask(t.Context(), question())
		if took := time.Since(begun); err != nil || took != 5*time.Second {
			t.Errorf("%v after %s", err, took)
		}
		if wantUnknown(t, a, "github=timed_out"); !strings.Contains(a.Unknown[0].Why, "no token") {
			t.Errorf("%s", a.Unknown[0].Why)
		}
	})
}

// TestCancelled: the caller's cancelling is the one error; what was there so far comes with it.
func TestCancelled(t *testing.T) {
	f := newFake(t)
	ctx, cancel := context.WithCancel(context.Background())
	f.on(runsPath, func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		cancel()
		<-r.Context().Done()
	})
	a, err := f.client().Ask(ctx, question())
	if !errors.Is(err, context.Canceled) || a.CI() != Unclear {
		t.Errorf("%v, %s", err, encode(a))
	}
	found := false
	for _, u := range a.Unknown {
		found = found || u.What == AboutRuns && u.Reason == Interrupted
	}
	if !found {
		t.Errorf("%v", reasons(a))
	}
}

func TestPublic(t *testing.T) {
	f := newFake(t)
	f.failedRun(text(200, failing()))
	last := f.ask(question())
	for answer, want := range map[string]*bool{
		`{"data":{"repository":{"isPrivate":false}}}`: new(true),
		`{"data":{"repository":{"isPrivate":true}}}`:  new(false),
		`{"data":{"repository":{"isPrivate":null}}}`:  nil,
		`{"data":{"repository":null}}`:                nil,
		`{"message":"x"}`:                             nil,
	} {
		f.on(graphQL, text(200, answer))
		before := len(f.seen())
		a, err := f.client().Public(context.Background(), Question{Repo: ours()})
		if err != nil || len(f.seen()) != before+1 {
			t.Fatalf("%v, %d calls", err, len(f.seen())-before)
		}
		f.sound(a)
		if (a.Public == nil) != (want == nil) || want != nil && a.Public.Value != *want {
			t.Errorf("%s: %s", answer, encode(a))
		}
		if want == nil {
			wantUnknown(t, a, "public=malformed")
		}
		a, err = f.client().Public(context.Background(), Question{Repo: ours(), Last: &last})
		if err != nil || a.CI() != Unclear && a.CI() != Failed || a.Runs == nil || a.Runs.Old || a.Commit != commit || a.Branch != branch {
			t.Errorf("what was not asked for stays as it was: %v %s", err, encode(a))
		}
		if want == nil && (a.Public == nil || !a.Public.Old) {
			t.Errorf("the last value, marked so: %s", encode(a.Public))
		}
	}
}

// TestLastIsNotChanged: an answer that a caller keeps is the caller's.
func TestLastIsNotChanged(t *testing.T) {
	f := newFake(t)
	f.failedRun(text(200, failing()))
	last := f.ask(question())
	before := encode(last)
	f.on(runsPath, text(500, ""))
	f.on(graphQL, text(500, ""))
	q := question()
	q.Last = &last
	a := f.ask(q)
	if encode(last) != before {
		t.Error("the last answer was changed")
	}
	if a.Runs == nil || !a.Runs.Old || a.Public == nil || !a.Public.Old || a.Pulls == nil || !a.Pulls.Old || len(a.Blockers()) != 0 || a.CI() != Unclear {
		t.Errorf("%s", encode(a))
	}
	q.Branch = "main"
	if a := f.ask(q); a.Runs != nil || a.Pulls != nil || a.Public == nil {
		t.Errorf("another branch: %s", encode(a))
	}
	q.Repo.Name = "other"
	if a := f.ask(q); a.Public != nil {
		t.Errorf("another repository: %s", encode(a))
	}
}
