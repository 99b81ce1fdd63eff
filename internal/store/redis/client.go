package redis

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"

	goredis "github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"

	"session/internal/coordination"
)

// Options are what a Client needs of its process.
type Options struct {
	// Random gives the words by which leases are known: crypto/rand.Reader. Safe for concurrent use.
	Random io.Reader
	// Now is the clock that says when a lease is over that could not be renewed.
	Now func() time.Time
	// TTL is how long a lease lives that nobody renews, instead of what the Target says. It is renewed three times in that
	// time.
	TTL time.Duration
}

// Client is one Redis. It implements coordination.Hot and coordination.Bus, and gives leases. Safe for concurrent use.
type Client struct {
	at      Target
	redis   *goredis.Client
	options Options
}

// New makes a client. It asks nobody: a Redis that is away is found out by what is asked first.
func New(at Target, o Options) *Client {
	logging.Disable() // the library writes to stderr what we return as errors
	if o.TTL == 0 {
		o.TTL = at.Lease
	}
	return &Client{at: at, redis: at.client(), options: o}
}

// Close ends the connections.
func (c *Client) Close() error { return c.redis.Close() }

// String names the Redis without secrets.
func (c *Client) String() string { return c.at.String() }

// Ping says whether somebody answers.
func (c *Client) Ping(ctx context.Context) error {
	return c.explain(ctx, "reach the coordination service", c.redis.Ping(ctx).Err())
}

// explain turns what the library says into what callers tell apart, in words without secrets.
func (c *Client) explain(ctx context.Context, op string, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("%s: %w", op, context.Cause(ctx))
	case errors.Is(err, coordination.ErrInvalid), errors.Is(err, coordination.ErrNotFound), errors.Is(err, coordination.ErrDamaged):
		return fmt.Errorf("%s: %w", op, err)
	case strings.HasPrefix(err.Error(), "WRONGTYPE"):
		return fmt.Errorf("%s in %s: %w", op, c.at, coordination.ErrDamaged)
	}
	return fmt.Errorf("%s at %s: %w: %s", op, c.at, coordination.ErrUnavailable, c.quote(err.Error()))
}

// quote makes foreign words fit for printing: short, on one line, without our credentials in them.
func (c *Client) quote(said string) string {
	const most = 200
	for _, secret := range []string{c.at.secret, c.at.user} {
		if secret != "" && secret != "default" {
			said = strings.ReplaceAll(said, secret, "***")
		}
	}
	said = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, said)
	if r := []rune(said); len(r) > most {
		said = string(r[:most]) + "…"
	}
	return said
}
