package server

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"session/internal/app"
	"session/internal/coordination"
)

// Options are what a service is made from.
type Options struct {
	Place  app.Place    // the work tree that it serves; also clock and language
	Log    *slog.Logger // required
	Key    string       // the operator's secret of this start, at least 32 characters
	Owner  string       // the operator's name as an owner of sessions
	Tokens Tokens       // other users; nil: there are none
	// Sessions are where sessions are kept; nil: there are none, and no routes for them.
	Sessions Sessions
	// Shared tells what happens on other machines; nil: nothing does.
	Shared Shared
	// Rates counts requests over all services that share it; nil: each counts alone.
	Rates coordination.Limiter
	// Hosts are names by which the service may be called besides those of the loopback interface: "host" or "host:port".
	Hosts  []string
	Secure bool // it is served over TLS
	Traces bool // requests are told to the OpenTelemetry collector of the process's OTEL_ variables: see TracesWanted
	Limits Limits
}

// Tokens knows users by their tokens.
type Tokens interface {
	// Identify says whose token it is. Errors: ErrNoToken, and those of the place where tokens are kept.
	Identify(ctx context.Context, token string) (User, error)
}

// ErrNoToken says that a token is unknown, expired or revoked.
var ErrNoToken = errors.New("the token is unknown, expired or revoked")

// User is who asks.
type User struct {
	Name     string // owner of sessions
	Operator bool   // started the service
	Metrics  bool   // may read /metrics, and nothing else unless Name is set
}

// Limits bound what one client can take from others. The zero value of a field is its default.
type Limits struct {
	Body    int64         // bytes of a request's body; 1.5 MiB
	Rate    float64       // requests a second that one user, or one address without a token, may make for long; 50
	Burst   int           // and at once; 200
	Conns   int           // open connections; 4096
	Sockets int           // open WebSockets of one user; 64
	Header  time.Duration // for a request's header to arrive; 5 s
	Read    time.Duration // for the whole request; 20 s
	Write   time.Duration // for the answer; 60 s
	Idle    time.Duration // between two requests of a connection; 60 s
	Look    time.Duration // between two looks of a WebSocket at what others may have done; 250 ms
	Again   time.Duration // between two looks whether a WebSocket's token still holds; 5 s
	Take    time.Duration // for a WebSocket's client to take a message; 5 s
	Drain   time.Duration // for what is under way when the service ends; 15 s
}

func (l Limits) filled() Limits {
	l.Body = or(l.Body, 3<<19)
	l.Rate, l.Burst = or(l.Rate, 50), or(l.Burst, 200)
	l.Conns, l.Sockets = or(l.Conns, 4096), or(l.Sockets, 64)
	l.Header, l.Read = or(l.Header, 5*time.Second), or(l.Read, 20*time.Second)
	l.Write, l.Idle = or(l.Write, time.Minute), or(l.Idle, time.Minute)
	l.Look, l.Take = or(l.Look, 250*time.Millisecond), or(l.Take, patience)
	l.Again = or(l.Again, 5*time.Second)
	l.Drain = or(l.Drain, 15*time.Second)
	return l
}

func or[T comparable](a, b T) T {
	var zero T
	if a != zero {
		return a
	}
	return b
}

// check refuses options that would make an open service.
func (o Options) check() error {
	switch {
	case o.Log == nil:
		return errors.New("serve: no log")
	case len(o.Key) < minKey:
		return errors.New("serve: the operator's key is too short")
	case o.Owner == "":
		return errors.New("serve: the operator has no name")
	}
	return nil
}

const minKey = 32 // characters of a key or a token; shorter ones are not even looked up
