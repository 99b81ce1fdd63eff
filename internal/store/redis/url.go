package redis

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	goredis "github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// ErrURL says that a URL cannot be used. It never shows the URL: what is wrong with it may be a secret in a wrong place.
var ErrURL = errors.New("the coordination URL cannot be used")

const (
	urlForm        = "write redis://[[USER]:PASSWORD@]HOST[:PORT][/DB], or rediss:// for TLS"
	defaultPort    = "6379"
	defaultTimeout = 2 * time.Second
	defaultLease   = 15 * time.Second
	databases      = 1 << 16
)

// Target is where a Redis is and how to get there. Printed in any way it shows no secret.
type Target struct {
	Host    string // host:port
	DB      int
	TLS     bool
	Timeout time.Duration // for one answer
	Lease   time.Duration // how long a lease lives that its holder cannot renew
	user    string
	secret  string
}

// ParseURL reads a URL. Its options are timeout, 100ms to 1m, and lease, 1s to 1h. ErrURL.
func ParseURL(raw string) (Target, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "redis" && u.Scheme != "rediss" || u.Opaque != "" || u.Fragment != "" || u.Hostname() == "" {
		return Target{}, badURL("%s", urlForm)
	}
	t := Target{Host: u.Host, TLS: u.Scheme == "rediss", Timeout: defaultTimeout, Lease: defaultLease}
	if u.Port() == "" {
		t.Host = net.JoinHostPort(u.Hostname(), defaultPort)
	}
	if u.User != nil {
		t.user = u.User.Username()
		t.secret, _ = u.User.Password()
	}
	if db := strings.Trim(u.Path, "/"); db != "" {
		if t.DB, err = strconv.Atoi(db); err != nil || t.DB < 0 || t.DB >= databases {
			return Target{}, badURL("behind the host stands the number of a database: %s", urlForm)
		}
	}
	return t, t.options(u.RawQuery)
}

func (t *Target) options(query string) error {
	q, err := url.ParseQuery(query)
	if err != nil {
		return badURL("its options cannot be read")
	}
	for name, values := range q {
		limits, ok := map[string][2]time.Duration{"timeout": {100 * time.Millisecond, time.Minute}, "lease": {time.Second, time.Hour}}[name]
		if !ok || len(values) != 1 {
			return badURL("its options are timeout and lease")
		}
		d, err := time.ParseDuration(values[0])
		if err != nil || d < limits[0] || d > limits[1] {
			return badURL("%s is between %v and %v", name, limits[0], limits[1])
		}
		if name == "lease" {
			t.Lease = d
		} else {
			t.Timeout = d
		}
	}
	return nil
}

func badURL(format string, a ...any) error {
	return fmt.Errorf("%w: %s", ErrURL, fmt.Sprintf(format, a...))
}

// String names the Redis without secrets.
func (t Target) String() string {
	scheme := "redis"
	if t.TLS {
		scheme = "rediss"
	}
	return fmt.Sprintf("%s://%s/%d", scheme, t.Host, t.DB)
}

// GoString is String: %#v shows no secret either.
func (t Target) GoString() string { return t.String() }

// Safe is a URL as it may be printed: without credentials, and without anything where it cannot be read for sure.
func Safe(raw string) string {
	t, err := ParseURL(raw)
	if err != nil {
		return "redis://(a URL that cannot be read)"
	}
	return t.String()
}

// client makes a client; it asks nobody yet.
func (t Target) client() *goredis.Client {
	o := &goredis.Options{
		Addr: t.Host, Username: t.user, Password: t.secret, DB: t.DB, ContextTimeoutEnabled: true,
		DialTimeout: t.Timeout, ReadTimeout: t.Timeout, WriteTimeout: t.Timeout, PoolTimeout: 2 * t.Timeout,
		MaxRetries: 1, DialerRetries: 1, DisableIdentity: true,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	}
	if t.TLS {
		host, _, _ := net.SplitHostPort(t.Host)
		o.TLSConfig = &tls.Config{ServerName: host, MinVersion: tls.VersionTLS12}
	}
	return goredis.NewClient(o)
}
