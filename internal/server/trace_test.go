package server

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// receiver is an OTLP collector of its own.
type receiver struct {
	mu       sync.Mutex
	asked    int
	spans    []*otlp.Span
	resource map[string]string
}

func (c *receiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked++
	b, err := io.ReadAll(r.Body)
	var sent collector.ExportTraceServiceRequest
	if err == nil && r.URL.Path == "/v1/traces" {
		err = proto.Unmarshal(b, &sent)
	}
	if err != nil || r.URL.Path != "/v1/traces" {
		http.Error(w, r.URL.Path, http.StatusBadRequest)
		return
	}
	for _, of := range sent.ResourceSpans {
		c.resource = values(of.Resource.Attributes)
		for _, in := range of.ScopeSpans {
			c.spans = append(c.spans, in.Spans...)
		}
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
	b, _ = proto.Marshal(&collector.ExportTraceServiceResponse{})
	_, _ = w.Write(b)
}

func values(all []*common.KeyValue) map[string]string {
	m := map[string]string{}
	for _, kv := range all {
		m[kv.Key] = strings.Trim(strings.TrimPrefix(kv.Value.String(), "string_value:"), `"`)
	}
	return m
}

// named are the spans of a name.
func (c *receiver) named(name string) (all []*otlp.Span) {
	for _, s := range c.spans {
		if s.Name == name {
			all = append(all, s)
		}
	}
	return all
}

// toTheEnd serves requests, one after the other, and ends the service: what it tells is told by then.
func toTheEnd(t *testing.T, o Options, all ...*http.Request) *Server {
	t.Helper()
	s := serving(t, o)
	for _, r := range all {
		answer(s, r)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := s.Serve(ctx, l); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestTraces: a collector that is named hears of each request, with its route, its user, and what the route did.
func TestTraces(t *testing.T) {
	c := &receiver{}
	at := httptest.NewServer(c)
	defer at.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", at.URL)
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test")
	var log bytes.Buffer
	o := options(t)
	o.Traces, o.Sessions, o.Log = true, sessions(t), slog.New(slog.NewTextHandler(&log, nil))
	near := asks("GET", "/api/sessions", adaToken, "", "Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	near.RemoteAddr = "127.0.0.1:9"
	far := asks("GET", "/api/me", adaToken, "", "Traceparent", "00-1af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	far.RemoteAddr = "192.0.2.1:9"
	toTheEnd(t, o, near, far, asks("GET", "/api/sessions/none", adaToken, ""), asks("GET", "/api/me", "", ""), asks("GET", "/healthz", "", ""),
		asks("GET", "/%ff%fe", "", "", "User-Agent", "\xff\xfe"), asks("GET", "/api/me", benToken, ""))
	list := c.named("GET /api/sessions")
	if len(list) != 1 {
		t.Fatalf("spans: %v\n%s", c.spans, log.String())
	}
	if a := values(list[0].Attributes); a["http.route"] != "/api/sessions" || a["session.user"] != "ada" || a["session.request"] == "" {
		t.Errorf("attributes: %v", a)
	}
	if id := list[0].TraceId; !bytes.Equal(id, []byte("\x0a\xf7\x65\x19\x16\xcd\x43\xdd\x84\x48\xeb\x21\x1c\x80\x31\x9c")) {
		t.Errorf("a caller on this machine goes on with its trace, not %x", id)
	}
	if in := c.named("listSessions"); len(in) != 1 || !bytes.Equal(in[0].ParentSpanId, list[0].SpanId) {
		t.Errorf("what the route did: %v", in)
	}
	if !strings.Contains(log.String(), "trace=0af7651916cd43dd8448eb211c80319c") {
		t.Errorf("the log does not name the trace:\n%s", log.String())
	}
	me := c.named("GET /api/me")
	if len(me) != 3 {
		t.Fatalf("GET /api/me: %d spans", len(me))
	}
	if bytes.HasPrefix(me[0].TraceId, []byte("\x1a\xf7")) || len(me[0].Links) != 1 {
		t.Errorf("a caller from elsewhere is linked: %v", me[0])
	}
	if a := values(me[1].Attributes); a["session.code"] != "UNAUTHORIZED" || a["session.user"] != "" {
		t.Errorf("nobody: %v", a)
	}
	if one := c.named("getSession"); len(one) != 1 || one[0].Status.Code != otlp.Status_STATUS_CODE_ERROR {
		t.Errorf("a session that is not there: %v", one)
	}
	if c.resource["service.name"] != "session" || c.resource["deployment.environment.name"] != "test" {
		t.Errorf("resource: %v", c.resource)
	}
	for _, s := range c.spans {
		if strings.Contains(s.Name, "health") || strings.Contains(s.String(), adaToken) {
			t.Errorf("told: %v", s)
		}
	}
}

// TestNoTraces: where none are wanted, nothing is sent, whatever the variables say to the exporter.
func TestNoTraces(t *testing.T) {
	c := &receiver{}
	at := httptest.NewServer(c)
	defer at.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", at.URL)
	s := toTheEnd(t, options(t), asks("GET", "/api/me", adaToken, ""))
	if c.asked != 0 || s.traces != nil {
		t.Errorf("%d requests to the collector", c.asked)
	}
	for _, x := range []struct {
		want bool
		vars map[string]string
	}{
		{false, nil},
		{true, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}},
		{true, map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://127.0.0.1:4318/v1/traces", "OTEL_TRACES_EXPORTER": "otlp"}},
		{false, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318", "OTEL_SDK_DISABLED": "TRUE"}},
		{false, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318", "OTEL_TRACES_EXPORTER": "none"}},
	} {
		if got := TracesWanted(func(name string) string { return x.vars[name] }); got != x.want {
			t.Errorf("%v: %v", x.vars, got)
		}
	}
}

// TestCollectorAway: a collector that is not there is a line in the log, and nothing else.
func TestCollectorAway(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err = errors.Join(err, l.Close()); err != nil {
		t.Fatal(err)
	}
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://"+l.Addr().String())
	var log bytes.Buffer
	o := options(t)
	o.Traces, o.Log, o.Limits.Take = true, slog.New(slog.NewTextHandler(&log, nil)), 1
	s := toTheEnd(t, o)
	if w := answer(s, asks("GET", "/api/me", adaToken, "")); w.Code != http.StatusOK {
		t.Errorf("answered %d", w.Code)
	}
}
