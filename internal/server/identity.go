package server

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net"
	"net/http"
	"strings"
	"time"
)

// socketKey is how a page names its token when it opens a WebSocket: browsers let it set no header there, but it may
// offer protocols. It offers socketProtocol and socketKey+TOKEN, and gets the first.
const (
	socketProtocol = "session.v1"
	socketKey      = "session.key."
)

// access says whom a route is for.
type access int

const (
	users     access = iota // anybody with a token, for what is theirs
	operators               // the operator; for others it does not exist
)

// bearer is the token of a request; "" if it has none.
func bearer(r *http.Request) string {
	if scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") {
		return strings.TrimSpace(token)
	}
	if !strings.HasPrefix(r.URL.Path, "/ws/") {
		return ""
	}
	for _, offered := range r.Header.Values("Sec-WebSocket-Protocol") {
		for p := range strings.SplitSeq(offered, ",") {
			if token, ok := strings.CutPrefix(strings.TrimSpace(p), socketKey); ok {
				return token
			}
		}
	}
	return ""
}

// identify says who asks. Errors: ErrNoToken, those of Tokens.
func (s *Server) identify(ctx context.Context, r *http.Request) (User, error) {
	token := bearer(r)
	if len(token) < minKey || len(token) > 4*minKey {
		return User{}, ErrNoToken
	}
	if same(token, s.Key) {
		if !nearby(r) {
			return User{}, ErrNoToken // the key is for this machine; the network uses tokens
		}
		return User{Name: s.Owner, Operator: true, Metrics: true}, nil
	}
	if s.Tokens == nil {
		return User{}, ErrNoToken
	}
	return s.Tokens.Identify(ctx, token)
}

// same compares without telling by its time how much is right.
func same(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// nearby says whether a request comes from this machine.
func nearby(r *http.Request) bool {
	ip := net.ParseIP(address(r))
	return ip != nil && ip.IsLoopback()
}

func address(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

// admit identifies who asks, bounds how often, and answers itself where the answer is no.
func (s *Server) admit(w http.ResponseWriter, r *http.Request) (User, bool) {
	guesser := "address " + address(r) // only what is wrong counts against it: others may ask from there, too
	u, err := s.identifyOf(guesser, r)
	if errors.Is(err, ErrNoToken) {
		s.metrics.unknown.Inc()
		if ok, wait := s.guessed(r.Context(), guesser); !ok {
			s.tooOften(w, r, wait)
			return u, false
		}
		w.Header().Set("WWW-Authenticate", `Bearer realm="session"`)
		s.refuse(w, r, refusal{Status: http.StatusUnauthorized, Code: "UNAUTHORIZED", Message: s.say(r, "serve.token"), Hint: s.say(r, "serve.token.hint")})
		return u, false
	}
	if err != nil {
		s.refuse(w, r, s.refusalOf(r, err))
		return u, false
	}
	noteUser(r, u)
	if ok, wait := s.allowed(r.Context(), "user "+u.Name); !ok {
		s.tooOften(w, r, wait)
		return u, false
	}
	return u, true
}

// identifyOf is identify. Of addresses that guessed too often few are looked up at a time: a token that holds waits a moment
// there, and guesses take nothing from who asks elsewhere.
func (s *Server) identifyOf(guesser string, r *http.Request) (User, error) {
	ctx := r.Context()
	if ok, _ := s.rates.may(guesser, s.now()); !ok && !same(bearer(r), s.Key) {
		select {
		case s.doubtful <- struct{}{}:
			defer func() { <-s.doubtful }()
		case <-ctx.Done():
			return User{}, ctx.Err()
		}
	}
	return s.identify(ctx, r)
}

// maxDoubtful is how many tokens of addresses that guessed too often are looked up at a time.
const maxDoubtful = 2

// guessed counts a token that nobody has, here, and wherever services count together.
func (s *Server) guessed(ctx context.Context, guesser string) (ok bool, wait time.Duration) {
	if ok, wait = s.rates.allow(guesser, s.now()); ok {
		ok, wait, _ = s.everybody(ctx, guesser)
	}
	return ok, wait
}
