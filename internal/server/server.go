package server

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"session/internal/coordination"
	"session/internal/lifecycle"
	"session/internal/text"
)

// Server is the service. Make it with New; its Handler serves requests, Serve also minds the connections.
type Server struct {
	Options
	words    map[text.Lang]*text.Catalogue
	ops      []operation
	openapi  []byte
	metrics  *metrics
	rates    *rates
	doubtful chan struct{}      // places for looking up tokens of addresses that guessed too often
	alone    coordination.Quiet // while nobody answers with whom requests are counted
	live     *live
	traces   *traces
	counts   joined[countsOf, counted]
	ending   atomic.Bool
	handler  http.Handler
}

// New makes a service. It touches nothing yet; with Traces it begins to send some, and Serve ends that.
func New(o Options) (*Server, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	o.Limits = o.Limits.filled()
	s := &Server{Options: o, metrics: newMetrics(), rates: newRates(o.Limits), live: newLive(), doubtful: make(chan struct{}, maxDoubtful),
		words: map[text.Lang]*text.Catalogue{text.English: text.New(text.English), text.Korean: text.New(text.Korean)}}
	s.measureSessions()
	s.ops = s.operations()
	err := resolve(s.ops)
	if err != nil {
		return nil, err
	}
	if s.openapi, err = document(s.ops); err != nil {
		return nil, err
	}
	routes, err := s.routes()
	if err == nil && o.Traces {
		s.traces, err = s.openTraces()
	}
	s.handler = s.traces.traced(s.observe(s.guard(routes)))
	return s, err
}

// Handler is everything that the service answers.
func (s *Server) Handler() http.Handler { return s.handler }

// routes is the table as a mux.
func (s *Server) routes() (http.Handler, error) {
	mux := http.NewServeMux()
	for _, op := range s.ops {
		mux.Handle(op.method+" "+op.path, s.operate(op))
	}
	mux.HandleFunc("GET /healthz", s.health)
	mux.HandleFunc("GET /readyz", s.ready)
	mux.Handle("GET /metrics", s.measured())
	mux.HandleFunc("GET /api/openapi.json", s.describe)
	if s.Sessions != nil {
		mux.HandleFunc("GET /ws/{session_id}", s.socket)
	}
	mux.HandleFunc("/", s.nowhere(mux))
	return mux, s.page(mux)
}

// nowhere answers what no route does: with 405 if another method would be answered.
func (s *Server) nowhere(mux *http.ServeMux) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for _, m := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
			other := r.Clone(r.Context())
			if other.Method = m; m == r.Method {
				continue
			}
			if _, pattern := mux.Handler(other); pattern != "/" && pattern != "" {
				w.Header().Add("Allow", m)
			}
		}
		if w.Header().Get("Allow") != "" {
			s.refuse(w, r, refusal{Status: http.StatusMethodNotAllowed, Code: "METHOD_NOT_ALLOWED", Message: s.say(r, "serve.method")})
			return
		}
		s.refuse(w, r, s.absent(r))
	}
}

func (s *Server) health(w http.ResponseWriter, _ *http.Request) { plain(w, http.StatusOK, "ok") }

// ready says whether requests should come here: not once the service is ending, nor while its database is away.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	if s.ending.Load() {
		plain(w, http.StatusServiceUnavailable, "ending")
		return
	}
	if s.Sessions != nil {
		ctx, stop := context.WithTimeout(r.Context(), s.Limits.Take)
		defer stop()
		if _, err := s.Sessions.Get(ctx, lifecycle.Key{Owner: lifecycle.Owner(s.Owner), ID: "ready"}); err != nil && !errors.Is(err, lifecycle.ErrNotFound) {
			s.Log.Warn("not ready", "cause", err)
			plain(w, http.StatusServiceUnavailable, "the database is away")
			return
		}
	}
	plain(w, http.StatusOK, "ready")
}

func plain(w http.ResponseWriter, status int, word string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(word + "\n")) // whoever has gone does not need it
}

// Serve answers on l until ctx ends, and then lets what is under way end, for at most Limits.Drain. An error is what
// kept it from serving.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	h := &http.Server{
		Handler: s.handler, ReadHeaderTimeout: s.Limits.Header, ReadTimeout: s.Limits.Read, WriteTimeout: s.Limits.Write, IdleTimeout: s.Limits.Idle,
		MaxHeaderBytes: 16 << 10, ErrorLog: slog.NewLogLogger(s.Log.Handler(), slog.LevelDebug), // clients' broken handshakes
		BaseContext: func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
	}
	if s.Shared != nil {
		go s.listen(ctx)
	}
	failed := make(chan error, 1)
	go func() { failed <- h.Serve(limited(l, s.Limits.Conns, s.metrics)) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	s.ending.Store(true)
	close(s.live.done)
	s.Log.Info("ending", "drain", s.Limits.Drain)
	drain, stop := context.WithTimeout(context.WithoutCancel(ctx), s.Limits.Drain)
	defer stop()
	err := h.Shutdown(drain)
	if errors.Is(err, context.DeadlineExceeded) {
		s.Log.Warn("closing connections that did not end")
		err = h.Close()
	}
	s.live.clients.Wait() // each has been told; none takes longer than Limits.Take
	last, done := context.WithTimeout(context.WithoutCancel(ctx), s.Limits.Take)
	defer done()
	if err := s.traces.close(last); err != nil {
		s.Log.Warn("the last traces are not delivered", "cause", err)
	}
	return err
}

// now is the clock.
func (s *Server) now() time.Time { return s.Place.Now() }
