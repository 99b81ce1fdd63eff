package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/cli/go-gh/v2/pkg/api"
	"github.com/cli/go-gh/v2/pkg/auth"
)

// Options carry the world in. Token, Now and Sleep are required.
type Options struct {
	// Token gives the token for a host, "" when nobody is logged in there (see Token in gh.go).
	Token func(ctx context.Context, host string) (string, error)
	// Hosts lists the hosts besides github.com that the user is logged in to. A token is sent to no other: anybody can
	// write a remote into a repository. nil: none.
	Hosts func() []string
	// Alias resolves a host of ssh's configuration; it gives back what it does not know. nil: no aliases.
	Alias func(ctx context.Context, host string) string
	// APIHost gives the host that answers the API of a host, where gh is configured so; "" is GitHub's own. nil: none.
	APIHost func(host string) string
	// Transport makes the calls; nil: http.DefaultTransport, which follows the environment's proxies as go-gh does.
	Transport http.RoundTripper
	Now       func() time.Time
	// Sleep waits for d, or for ctx's end, whose error it returns.
	Sleep  func(ctx context.Context, d time.Duration) error
	Agent  string // of the header User-Agent; "" is "session"
	Limits Limits
}

// Limits bound an asking. A zero field means the value of DefaultLimits.
type Limits struct {
	Total     time.Duration // one asking, all calls
	Answer    int64         // bytes of one answer of the API
	Log       int64         // bytes read of one log; its end where it is longer
	Logs      int           // failing runs whose jobs and log are read
	MergeWait time.Duration // before mergeability is asked a second time
}

// DefaultLimits are those of a save: 5 s in all, and the jobs and log of one failing run.
func DefaultLimits() Limits {
	return Limits{Total: 5 * time.Second, Answer: 8 << 20, Log: 64 << 20, Logs: 1, MergeWait: 1200 * time.Millisecond}
}

func (l Limits) orDefault() Limits {
	d := DefaultLimits()
	set(&l.Total, d.Total)
	set(&l.Answer, d.Answer)
	set(&l.Log, d.Log)
	set(&l.Logs, d.Logs)
	set(&l.MergeWait, d.MergeWait)
	return l
}

func set[T int | int64 | time.Duration](v *T, to T) {
	if *v <= 0 {
		*v = to
	}
}

// Client asks GitHub hosts. It may be used by several goroutines.
type Client struct {
	Options
	limits Limits
}

// ErrOptions says that a required field of Options is missing.
var ErrOptions = errors.New("GitHub client: Token, Now and Sleep are required")

// New makes a Client. Nothing is asked or looked up yet.
func New(o Options) (*Client, error) {
	if o.Token == nil || o.Now == nil || o.Sleep == nil {
		return nil, ErrOptions
	}
	if o.Transport == nil {
		o.Transport = http.DefaultTransport
	}
	if o.Agent == "" {
		o.Agent = "session"
	}
	return &Client{Options: o, limits: o.Limits.orDefault()}, nil
}

// dialog is one asking: the clients of one host, its rate limits, and what could not be had.
type dialog struct {
	client *Client
	repo   Repo // with the host that is really asked
	now    time.Time
	meter  *meter
	gaps   *gaps
	rest   *api.RESTClient
	logs   *api.RESTClient
	graph  *api.GraphQLClient
	plain  *http.Client // without a token
	read   int          // failing runs whose jobs and log were asked for
}

// open finds host and token. What is missing is the one Unknown about everything.
func (c *Client) open(ctx context.Context, r Repo, now time.Time) (*dialog, *Unknown) {
	d := &dialog{client: c, repo: r, now: now, meter: &meter{now: now}, gaps: &gaps{}}
	if !r.valid() {
		return d, &Unknown{What: AboutAll, Reason: Invalid, Why: "no repository is named"}
	}
	host, ok := c.host(ctx, r)
	if !ok {
		why := fmt.Sprintf("%s is no GitHub host that gh knows: if it is one, gh auth login --hostname %s", r.Host, r.Host)
		return d, &Unknown{What: AboutAll, Reason: NotGitHub, Why: why}
	}
	d.repo.Host = host
	token, err := c.Token(ctx, host)
	token = strings.TrimSpace(token)
	switch {
	case ctx.Err() != nil:
		u := d.unknown(AboutAll, ctx.Err())
		u.Why = fmt.Sprintf("no token for %s came within %s", host, c.limits.Total)
		return d, &u
	case err != nil || token == "":
		why := fmt.Sprintf("nobody is logged in to %s: gh auth login --hostname %s", host, host)
		if err != nil {
			why += " (" + err.Error() + ")"
		}
		return d, &Unknown{What: AboutAll, Reason: NoToken, Why: why}
	}
	if err := d.connect(token); err != nil {
		return d, &Unknown{What: AboutAll, Reason: Invalid, Why: err.Error()}
	}
	return d, nil
}

// host gives the host to ask, and whether it is one that the user trusts as GitHub's.
func (c *Client) host(ctx context.Context, r Repo) (string, bool) {
	if h, ok := c.trusted(r.Host); ok || !r.SSH || c.Alias == nil {
		return h, ok
	}
	return c.trusted(canonicalHost(c.Alias(ctx, r.Host)))
}

// trusted accepts github.com and the hosts that gh knows; never github.localhost, for which go-gh leaves TLS.
func (c *Client) trusted(host string) (string, bool) {
	if !hostname(host) || auth.NormalizeHostname(host) == "github.localhost" {
		return host, false
	}
	if host == "github.com" {
		return host, true
	}
	return host, c.Hosts != nil && slices.ContainsFunc(c.Hosts(), func(h string) bool { return strings.EqualFold(h, host) })
}

// connect makes go-gh's clients. Every option that go-gh would otherwise look up in files or the environment is given.
func (d *dialog) connect(token string) error {
	c := d.client
	o := api.ClientOptions{Host: d.repo.Host, APIHost: c.apiHost(d.repo.Host), AuthToken: token, LogIgnoreEnv: true,
		CacheDir: "unused", CheckRedirect: d.follow, SkipDefaultHeaders: true,
		Transport: &bounded{next: c.Transport, meter: d.meter, most: c.limits.Answer}}
	o.Headers = c.headers()
	var err error
	if d.rest, err = api.NewRESTClient(o); err != nil {
		return fmt.Errorf("GitHub client for %s: %w", d.repo.Host, err)
	}
	o.Headers = c.headers()
	if d.graph, err = api.NewGraphQLClient(o); err != nil {
		return fmt.Errorf("GitHub client for %s: %w", d.repo.Host, err)
	}
	o.Headers, o.Transport = c.headers(), &bounded{next: c.Transport, meter: d.meter, most: c.limits.Answer, logs: true}
	if d.logs, err = api.NewRESTClient(o); err != nil {
		return fmt.Errorf("GitHub client for %s: %w", d.repo.Host, err)
	}
	d.plain = &http.Client{Transport: bare{c.Transport}, CheckRedirect: secure}
	return nil
}

func (c *Client) apiHost(host string) string {
	if c.APIHost != nil {
		if h := c.APIHost(host); h != "" {
			return h
		}
	}
	if auth.IsEnterprise(host) {
		return host
	}
	return "api." + auth.NormalizeHostname(host)
}

// headers are go-gh's, but for the time zone, which it would look up. The preview is for mergeStateStatus.
func (c *Client) headers() map[string]string {
	return map[string]string{"Accept": "application/vnd.github.merge-info-preview+json", "Content-Type": "application/json; charset=utf-8",
		"User-Agent": c.Agent, "X-GitHub-Api-Version": "2022-11-28"}
}
