package server

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"

	"session/internal/lifecycle"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics are what /metrics tells.
type metrics struct {
	registry     *prometheus.Registry
	requests     *prometheus.CounterVec
	seconds      *prometheus.HistogramVec
	unknown      prometheus.Counter
	tooOften     prometheus.Counter
	refusedConns prometheus.Counter
	sockets      prometheus.Gauge
	dropped      *prometheus.CounterVec
}

func newMetrics() *metrics {
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	}
	m := &metrics{
		registry:     prometheus.NewRegistry(),
		requests:     prometheus.NewCounterVec(prometheus.CounterOpts{Name: "session_http_requests_total", Help: "Requests answered."}, []string{"route", "code"}),
		seconds:      prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "session_http_request_seconds", Help: "Time to the end of the answer.", Buckets: prometheus.ExponentialBuckets(0.001, 2.5, 11)}, []string{"route"}),
		unknown:      counter("session_http_unknown_tokens_total", "Requests without a token that is known."),
		tooOften:     counter("session_http_rate_limited_total", "Requests refused because they came too often."),
		refusedConns: counter("session_http_refused_connections_total", "Connections closed because there were too many."),
		sockets:      prometheus.NewGauge(prometheus.GaugeOpts{Name: "session_websockets", Help: "Open WebSockets."}),
		dropped:      prometheus.NewCounterVec(prometheus.CounterOpts{Name: "session_websockets_ended_total", Help: "WebSockets ended, by reason."}, []string{"reason"}),
	}
	m.registry.MustRegister(m.requests, m.seconds, m.unknown, m.tooOften, m.refusedConns, m.sockets, m.dropped,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// measured is /metrics, for the operator and for tokens made for it.
func (s *Server) measured() http.Handler {
	show := promhttp.HandlerFor(s.metrics.registry, promhttp.HandlerOpts{ErrorHandling: promhttp.HTTPErrorOnError})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		u, ok := s.admit(w, r)
		if !ok {
			return
		}
		if !u.Metrics {
			s.refuse(w, r, s.absent(r))
			return
		}
		show.ServeHTTP(w, r)
	})
}

// measureSessions adds what is counted when somebody looks: sessions in each state, and the load of this process.
func (s *Server) measureSessions() {
	if s.Sessions == nil {
		return
	}
	s.metrics.registry.MustRegister(counting{s,
		prometheus.NewDesc("session_sessions", "Sessions in each state.", []string{"status"}, nil),
		prometheus.NewDesc("session_runs", "Sessions that workers run.", nil, nil),
		prometheus.NewDesc("session_queue_waiting", "Sessions that wait for a worker.", nil, nil)})
}

type counting struct {
	*Server
	sessions, busy, waiting *prometheus.Desc
}

// Describe implements prometheus.Collector.
func (c counting) Describe(to chan<- *prometheus.Desc) {
	to <- c.sessions
	to <- c.busy
	to <- c.waiting
}

// Collect implements prometheus.Collector.
func (c counting) Collect(to chan<- prometheus.Metric) {
	ctx, stop := context.WithTimeout(context.Background(), c.Limits.Take)
	defer stop()
	running, waiting, err := c.Sessions.Load(ctx)
	if err != nil {
		to <- prometheus.NewInvalidMetric(c.busy, err)
		return
	}
	to <- prometheus.MustNewConstMetric(c.busy, prometheus.GaugeValue, float64(running))
	to <- prometheus.MustNewConstMetric(c.waiting, prometheus.GaugeValue, float64(waiting))
	counts, err := c.Sessions.Counts(ctx, lifecycle.OfAll())
	if err != nil {
		to <- prometheus.NewInvalidMetric(c.sessions, err)
		return
	}
	for _, status := range lifecycle.Statuses() {
		to <- prometheus.MustNewConstMetric(c.sessions, prometheus.GaugeValue, float64(counts[status]), string(status))
	}
}

// note is what is learnt about a request on its way, for its line in the log.
type note struct {
	id, user, session, code string
	cause                   error
}

type noteKey struct{}

func noteOf(r *http.Request) *note {
	n, _ := r.Context().Value(noteKey{}).(*note)
	if n == nil {
		return &note{} // a handler called without observe, in a test
	}
	return n
}

func noteUser(r *http.Request, u User) { noteOf(r).user = u.Name }

func noteSession(r *http.Request, id string) { noteOf(r).session = cut(id) }

func noteRefusal(r *http.Request, no refusal) (request string) {
	n := noteOf(r)
	n.code, n.cause = no.Code, no.cause
	return n.id
}

// observe gives each request an id, a line in the log and its place in the metrics. A route that panics is an answer of
// 500, and the others go on.
func (s *Server) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now() // a duration of this process, not a time of the domain
		n := &note{id: requestID()}
		w.Header().Set("X-Request-Id", n.id)
		seen := &seen{ResponseWriter: w}
		r = r.WithContext(context.WithValue(r.Context(), noteKey{}, n))
		defer func() {
			if p := recover(); p != nil && p != http.ErrAbortHandler {
				s.Log.Error("a route panicked", "request", n.id, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
				if seen.status == 0 {
					s.refuse(seen, r, refusal{Status: http.StatusInternalServerError, Code: "INTERNAL", Message: s.say(r, "serve.internal")})
				}
			}
			s.record(r, n, seen, time.Since(began))
		}()
		next.ServeHTTP(seen, r)
	})
}

func (s *Server) record(r *http.Request, n *note, seen *seen, took time.Duration) {
	route := r.Pattern
	if route == "" {
		route = "none"
	}
	s.metrics.requests.WithLabelValues(route, strconv.Itoa(seen.status)).Inc()
	if seen.status != http.StatusSwitchingProtocols {
		s.metrics.seconds.WithLabelValues(route).Observe(took.Seconds())
	}
	trace := noteSpan(r, n)
	level := slog.LevelInfo
	attrs := []slog.Attr{slog.String("request", n.id), slog.String("method", cut(r.Method)), slog.String("path", cut(r.URL.Path)), slog.Int("status", seen.status),
		slog.Int64("bytes", seen.bytes), slog.Duration("took", took), slog.String("from", address(r))}
	for _, x := range []struct{ key, value string }{{"user", n.user}, {"session", n.session}, {"code", n.code}, {"trace", trace}} {
		if x.value != "" {
			attrs = append(attrs, slog.String(x.key, x.value))
		}
	}
	if n.cause != nil {
		level = slog.LevelError
		attrs = append(attrs, slog.String("cause", n.cause.Error()))
	}
	s.Log.LogAttrs(r.Context(), level, "request", attrs...)
}

func requestID() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	return hex.EncodeToString(b[:])
}

// seen remembers what was answered.
type seen struct {
	http.ResponseWriter
	status int
	bytes  int64
}

func (s *seen) WriteHeader(status int) {
	if s.status == 0 {
		s.status = status
	}
	s.ResponseWriter.WriteHeader(status)
}

func (s *seen) Write(b []byte) (int, error) {
	if s.status == 0 {
		s.status = http.StatusOK
	}
	n, err := s.ResponseWriter.Write(b)
	s.bytes += int64(n)
	return n, err
}

// Hijack hands the connection to the WebSocket library.
func (s *seen) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	s.status = http.StatusSwitchingProtocols
	return http.NewResponseController(s.ResponseWriter).Hijack()
}

// Unwrap lets http.ResponseController through.
func (s *seen) Unwrap() http.ResponseWriter { return s.ResponseWriter }
