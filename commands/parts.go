package commands

import (
	"context"
	"io"
	"log/slog"
	"net"
	"time"

	"session/internal/app"
)

// Parts are what the program session-service has, and session has not: see app.Adapters.
type Parts struct {
	Adapters app.Adapters
	// Serve makes the service; run answers over HTTP until ctx ends.
	Serve func(o ServeOptions) (run func(ctx context.Context) error, err error)
	// MCP speaks the Model Context Protocol until in ends.
	MCP func(ctx context.Context, p app.Place, in io.ReadCloser, out io.WriteCloser) error
}

// ServeOptions are what the service is told by its command line.
type ServeOptions struct {
	Place    app.Place
	Service  *app.Service
	Listener net.Listener
	Secure   bool     // Listener speaks TLS
	Hosts    []string // names that it is called by, besides those of the loopback
	Key      string   // the operator's secret of this start
	Rate     float64  // requests a second, for each user
	Drain    time.Duration
	Log      *slog.Logger
}

// handOver lets session-service run the command line that this program cannot. Without it, the error stands.
func (r *root) handOver(missing error) (code int, err error) {
	if r.Parts.MCP != nil { // this is it
		return 0, missing
	}
	code, err = app.HandOver(r.Env, r.line)
	if err != nil {
		return 0, &app.NoServiceError{Err: err}
	}
	return code, nil
}
