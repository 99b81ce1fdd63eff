package github

import (
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cli/go-gh/v2/pkg/api"
)

// Bounds of a pause that GitHub asks for.
const (
	secondaryPause = time.Minute    // at least, where a secondary limit names no time (docs.github.com, "Rate limits for the REST API")
	longestPause   = 24 * time.Hour // whatever a header says: nobody silences CI for ever
)

// meter reads GitHub's rate limits out of every answer. Remaining 0 on a good answer counts too: the next call would be
// refused.
type meter struct {
	now   time.Time // of this asking
	mu    sync.Mutex
	until time.Time
}

// see notes what an answer says.
func (m *meter) see(code int, h http.Header) {
	var until time.Time
	if h.Get("X-RateLimit-Remaining") == "0" {
		until = m.reset(h)
	}
	if refusal(code) || code == http.StatusServiceUnavailable {
		if t := m.retryAfter(h); t.After(until) {
			until = t
		}
	}
	m.extend(until)
}

func (m *meter) extend(until time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if until.After(m.until) {
		m.until = until
	}
}

func (m *meter) nextAllowed() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.until
}

func refusal(code int) bool {
	return code == http.StatusForbidden || code == http.StatusTooManyRequests
}

// pause gives the time until which a refusal asks to wait; zero when it is no matter of rates. A secondary limit may
// come without any header: then only the words of the answer tell it from a missing permission.
func (m *meter) pause(e *api.HTTPError) time.Time {
	if !refusal(e.StatusCode) {
		return time.Time{}
	}
	until := m.retryAfter(e.Headers)
	if e.Headers.Get("X-RateLimit-Remaining") == "0" && until.IsZero() {
		until = m.reset(e.Headers)
	}
	said := strings.ToLower(e.Message)
	if until.IsZero() && (e.StatusCode == http.StatusTooManyRequests || strings.Contains(said, "secondary rate limit") || strings.Contains(said, "abuse detection")) {
		until = m.after(secondaryPause)
	}
	m.extend(until)
	return until
}

// graphPause is the pause for a refusal of the GraphQL API, which has the status of a good answer.
func (m *meter) graphPause() time.Time {
	if until := m.nextAllowed(); until.After(m.now) {
		return until
	}
	m.extend(m.after(secondaryPause))
	return m.nextAllowed()
}

// retryAfter reads Retry-After: seconds or a date (RFC 9110, 10.2.3).
func (m *meter) retryAfter(h http.Header) time.Time {
	v := strings.TrimSpace(h.Get("Retry-After"))
	if v == "" {
		return time.Time{}
	}
	if s, err := strconv.ParseUint(v, 10, 31); err == nil {
		return m.after(time.Duration(s) * time.Second)
	}
	if t, err := http.ParseTime(v); err == nil {
		return m.after(t.Sub(m.server(h)))
	}
	return m.after(secondaryPause)
}

// reset reads X-RateLimit-Reset, seconds of the server's clock since 1970.
func (m *meter) reset(h http.Header) time.Time {
	s, err := strconv.ParseInt(strings.TrimSpace(h.Get("X-RateLimit-Reset")), 10, 40)
	if err != nil {
		return m.after(secondaryPause)
	}
	return m.after(time.Unix(s, 0).Sub(m.server(h)))
}

// server is the time of the server's clock: ours may be wrong by hours.
func (m *meter) server(h http.Header) time.Time {
	if t, err := http.ParseTime(h.Get("Date")); err == nil {
		return t
	}
	return m.now
}

// after gives a whole second, the later one.
func (m *meter) after(d time.Duration) time.Time {
	return m.now.Add(min(max(d, time.Second), longestPause) + time.Second - 1).UTC().Truncate(time.Second)
}
