package river

import (
	"context"
	"log/slog"
	"sync/atomic"
)

// untilStopped passes on what River logs, until the worker stops: then its parts complain of each other's end.
type untilStopped struct {
	slog.Handler
	stopped *atomic.Bool
}

// Enabled implements slog.Handler.
func (h untilStopped) Enabled(ctx context.Context, l slog.Level) bool {
	return !h.stopped.Load() && h.Handler.Enabled(ctx, l)
}

// WithAttrs implements slog.Handler.
func (h untilStopped) WithAttrs(a []slog.Attr) slog.Handler {
	return untilStopped{h.Handler.WithAttrs(a), h.stopped}
}

// WithGroup implements slog.Handler.
func (h untilStopped) WithGroup(name string) slog.Handler {
	return untilStopped{h.Handler.WithGroup(name), h.stopped}
}
