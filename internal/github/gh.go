package github

import (
	"context"
	"net/url"

	"github.com/cli/go-gh/v2/pkg/auth"
	"github.com/cli/go-gh/v2/pkg/config"
	"github.com/cli/go-gh/v2/pkg/ssh"
)

// The functions of this file are what the program gh and ssh know. They read the environment and files and may start
// programs, so nothing in this package calls them: the wiring puts them into Options.

// Token looks a token up as gh does: GH_TOKEN, GITHUB_TOKEN (for other hosts GH_ENTERPRISE_TOKEN,
// GITHUB_ENTERPRISE_TOKEN), gh's configuration, the system's key ring through `gh auth token`. "" means that there is
// none. The key ring may ask its owner and wait; ctx ends our waiting.
func Token(ctx context.Context, host string) (string, error) {
	return within(ctx, func() string {
		token, _ := auth.TokenForHost(host)
		return token
	})
}

// Hosts lists the hosts that gh knows: GH_HOST, and those that the user is logged in to.
func Hosts() []string { return auth.KnownHosts() }

// Alias gives the real name of a host of ssh's configuration, through `ssh -G`; what ssh does not know comes back as it
// is.
func Alias(ctx context.Context, host string) string {
	if !hostname(host) {
		return host
	}
	real, err := within(ctx, func() string {
		return ssh.NewTranslator().Translate(&url.URL{Scheme: "ssh", Host: host, Path: "/"}).Hostname()
	})
	if err != nil || real == "" {
		return host
	}
	return real
}

// APIHost reads api_host of a host from gh's configuration (go-gh 2.17); "" where there is none.
func APIHost(host string) string {
	cfg, err := config.Read(nil)
	if err != nil || cfg == nil {
		return ""
	}
	api, err := cfg.Get([]string{"hosts", auth.NormalizeHostname(host), "api_host"})
	if err != nil {
		return ""
	}
	return api
}

// within gives up on f when ctx ends; go-gh's look-ups know no context.
func within(ctx context.Context, f func() string) (string, error) {
	done := make(chan string, 1)
	go func() { done <- f() }()
	select {
	case s := <-done:
		return s, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
