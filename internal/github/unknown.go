package github

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"session/blocker"

	"github.com/cli/go-gh/v2/pkg/api"
)

// What could not be had.
const (
	AboutAll     = "github"  // everything that was asked
	AboutRuns    = "runs"    // CI runs of GitHub Actions
	AboutJobs    = "jobs"    // failing jobs and steps of a failing run
	AboutLog     = "log"     // the log of a failing job
	AboutChecks  = "checks"  // checks of other CI services
	AboutReviews = "reviews" // pull requests, their reviews and mergeability
	AboutMerge   = "merge"   // mergeability of a pull request that is known
	AboutPublic  = "public"  // whether everybody can read the repository
)

// Reason says why something is not known. Callers decide by it; Why is for people.
type Reason string

// The reasons.
const (
	NotGitHub    Reason = "not_github"   // the remote's host is none that gh knows
	NoToken      Reason = "no_token"     // nobody is logged in
	Unauthorized Reason = "unauthorized" // 401: the token is not valid any more
	Forbidden    Reason = "forbidden"    // 403: the token may not read this
	NotFound     Reason = "not_found"    // 404: not there, or not for this token
	Gone         Reason = "gone"         // 410: logs that have expired
	Invalid      Reason = "invalid"      // 422, or a question that cannot be asked
	RateLimited  Reason = "rate_limited" // 403 or 429, or nothing is asked before the time that GitHub named
	ServerError  Reason = "server_error" // 5xx
	Offline      Reason = "offline"      // no connection, no name, no certificate that is trusted
	TimedOut     Reason = "timed_out"
	Malformed    Reason = "malformed"  // an answer that is no answer
	TooLarge     Reason = "too_large"  // an answer beyond its limit
	Incomplete   Reason = "incomplete" // more than one answer holds, or not all of it may be read
	Redirected   Reason = "redirected" // to a place that is not followed
	Interrupted  Reason = "interrupted"
)

// Passing tells whether asking again later may help, with nothing changed by a person.
func (r Reason) Passing() bool {
	switch r {
	case RateLimited, ServerError, Offline, TimedOut, Malformed, Interrupted:
		return true
	}
	return false
}

// Unknown is one thing that could not be had.
type Unknown struct {
	What    string    `json:"what"` // one of the About constants
	Reason  Reason    `json:"reason"`
	Why     string    `json:"why"`               // for people: what happened, and what to do where something can be done
	RetryAt time.Time `json:"retry_at,omitzero"` // GitHub named it; zero: any time
	Detail  string    `json:"detail,omitempty"`  // which run, job or pull request
}

func (u *Unknown) tidy() {
	u.What, u.Reason, u.Why = word(u.What), Reason(word(string(u.Reason))), clip(u.Why, 2*maxText)
	u.RetryAt, u.Detail = writable(u.RetryAt), clip(u.Detail, maxName)
}

// gaps collects what could not be had, from several goroutines.
type gaps struct {
	mu   sync.Mutex
	list []Unknown
}

func (g *gaps) add(u Unknown) {
	g.mu.Lock()
	defer g.mu.Unlock()
	u.tidy()
	if !slices.Contains(g.list, u) {
		g.list = append(g.list, u)
	}
}

func (g *gaps) has(what string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.ContainsFunc(g.list, func(u Unknown) bool { return u.What == what || u.What == AboutAll })
}

// sorted gives the list in an order that does not depend on who answered first.
func (g *gaps) sorted() []Unknown {
	g.mu.Lock()
	defer g.mu.Unlock()
	slices.SortStableFunc(g.list, func(a, b Unknown) int {
		return cmp.Or(cmp.Compare(a.What, b.What), cmp.Compare(a.Detail, b.Detail), cmp.Compare(a.Reason, b.Reason))
	})
	return head(g.list, maxUnknown)
}

// limited tells whether GitHub asked for a pause: nothing more is asked then.
func (g *gaps) limited() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.ContainsFunc(g.list, func(u Unknown) bool { return u.Reason == RateLimited })
}

var (
	errTooLarge = errors.New("the answer is larger than its limit")
	errRedirect = errors.New("redirected to a place that is not followed")
)

// unknown turns an error of a call into what is kept of it. The words never hold an address: that of a log is a key to
// it.
func (d *dialog) unknown(what string, err error) Unknown {
	u := Unknown{What: what}
	var status *api.HTTPError
	var store storeError
	switch {
	case errors.As(err, &store):
		u.Reason, u.Why = store.reason(), store.Error()
	case errors.Is(err, errTooLarge):
		u.Reason, u.Why = TooLarge, fmt.Sprintf("%s: more than %d MiB", errTooLarge, d.client.limits.Answer>>20)
	case errors.Is(err, errRedirect):
		u.Reason, u.Why = Redirected, errRedirect.Error()
	case errors.As(err, &status):
		return d.refused(what, status)
	case errors.Is(err, context.DeadlineExceeded):
		u.Reason, u.Why = TimedOut, fmt.Sprintf("no answer of %s within %s", d.repo.Host, d.client.limits.Total)
	case errors.Is(err, context.Canceled):
		u.Reason, u.Why = Interrupted, "the question was interrupted"
	case malformed(err):
		u.Reason, u.Why = Malformed, "the answer cannot be read: "+err.Error()
	default:
		u.Reason, u.Why = Offline, fmt.Sprintf("%s cannot be reached: %s", d.repo.Host, reason(err))
	}
	return u
}

func malformed(err error) bool {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	var network net.Error
	return errors.As(err, &syntax) || errors.As(err, &kind) || errors.Is(err, errShape) || errors.Is(err, blocker.ErrBinary) ||
		errors.Is(err, io.ErrUnexpectedEOF) && !errors.As(err, &network)
}

// reason says what happened to a connection. Only errors whose words are known to hold no address are quoted.
func reason(err error) string {
	var name *net.DNSError
	var op *net.OpError
	var cert *tls.CertificateVerificationError
	switch {
	case errors.As(err, &name):
		return "its name cannot be found"
	case errors.As(err, &op):
		return op.Err.Error()
	case errors.As(err, &cert):
		return cert.Err.Error()
	case errors.Is(err, io.EOF):
		return "the connection was closed"
	}
	return "the call failed"
}

// refused reads a status that is not 2xx.
func (d *dialog) refused(what string, e *api.HTTPError) Unknown {
	u := Unknown{What: what, RetryAt: d.meter.pause(e)}
	said := ""
	if m := clip(e.Message, maxText); m != "" && !strings.HasPrefix(m, fmt.Sprint(e.StatusCode)) {
		said = " (" + m + ")"
	}
	host := d.repo.Host
	switch code := e.StatusCode; {
	case !u.RetryAt.IsZero():
		u.Reason, u.Why = RateLimited, fmt.Sprintf("%s allows no more calls before %s%s", host, u.RetryAt.Format(time.RFC3339), said)
	case code == http.StatusUnauthorized:
		u.Reason, u.Why = Unauthorized, fmt.Sprintf("%s does not accept the token%s: gh auth login --hostname %s", host, said, host)
	case code == http.StatusForbidden && link(singleSignOn(e.Headers)) != "":
		u.Reason, u.Why = Forbidden, "the organization wants single sign-on for the token: "+link(singleSignOn(e.Headers))
	case code == http.StatusForbidden:
		u.Reason, u.Why = Forbidden, fmt.Sprintf("the token may not read the %s of %s%s", what, d.repo, said)
	case code == http.StatusNotFound:
		u.Reason, u.Why = NotFound, fmt.Sprintf("%s has no %s of %s that the token may see%s", host, what, d.repo, said)
	case code == http.StatusGone:
		u.Reason, u.Why = Gone, fmt.Sprintf("%s does not keep it any more%s", host, said)
	case code >= 500:
		u.RetryAt = d.meter.retryAfter(e.Headers)
		u.Reason, u.Why = ServerError, fmt.Sprintf("%s has a fault: HTTP %d%s", host, code, said)
	case code >= 300 && code < 400:
		u.Reason, u.Why = Redirected, errRedirect.Error()
	default:
		u.Reason, u.Why = Invalid, fmt.Sprintf("%s refused the question: HTTP %d%s", host, code, said)
	}
	return u
}

// singleSignOn reads "required; url=https://…" of the header X-GitHub-SSO.
func singleSignOn(h http.Header) string {
	_, at, _ := strings.Cut(h.Get("X-GitHub-SSO"), "url=")
	return strings.TrimSpace(at)
}
