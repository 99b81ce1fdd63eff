package server

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// TracesWanted says whether an OpenTelemetry collector is named: by OTEL_EXPORTER_OTLP_ENDPOINT or
// OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, unless OTEL_SDK_DISABLED or OTEL_TRACES_EXPORTER=none takes it back (OpenTelemetry
// specification 1.50, "Environment Variable Specification"). Without one nothing of it is started.
func TracesWanted(getenv func(string) string) bool {
	if strings.EqualFold(getenv("OTEL_SDK_DISABLED"), "true") {
		return false
	}
	switch strings.ToLower(getenv("OTEL_TRACES_EXPORTER")) {
	case "", "otlp":
	default: // none, or one that is not built in
		return false
	}
	return getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != ""
}

// traces are what the service tells a collector; nil: there is none.
type traces struct {
	provider *sdktrace.TracerProvider
	tracer   trace.Tracer
}

// openTraces begins to tell a collector. Where it is, what it wants to hear and how often follow from the process's OTEL_
// variables, which the exporter reads by itself.
func (s *Server) openTraces() (*traces, error) {
	ctx := context.Background() // of the exporter's background work, which close ends
	about, err := resource.New(ctx, resource.WithAttributes(attribute.String("service.name", "session")), resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil && !errors.Is(err, resource.ErrPartialResource) {
		return nil, err
	}
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, err
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { s.Log.Warn("traces are not delivered", "cause", err) }))
	p := sdktrace.NewTracerProvider(sdktrace.WithBatcher(utf8Exporter{exporter}), sdktrace.WithResource(about))
	return &traces{p, p.Tracer("session/internal/server")}, nil
}

// close delivers what has not been, as long as ctx lasts.
func (t *traces) close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	return t.provider.Shutdown(ctx)
}

// traced makes a span of each request that people or programs make; what only asks how the service is makes none. Whoever
// asks from this machine may go on with a trace of theirs; others' traces are linked to ours, and do not decide about it.
func (t *traces) traced(next http.Handler) http.Handler {
	if t == nil {
		return next
	}
	return otelhttp.NewHandler(next, "request", otelhttp.WithTracerProvider(t.provider), otelhttp.WithPropagators(propagation.TraceContext{}),
		otelhttp.WithPublicEndpointFn(func(r *http.Request) bool { return !nearby(r) }),
		otelhttp.WithFilter(func(r *http.Request) bool {
			return r.URL.Path != "/healthz" && r.URL.Path != "/readyz" && r.URL.Path != "/metrics"
		}))
}

// operation is the span of what a route does, below the one of its request.
func (t *traces) operation(ctx context.Context, id string) (context.Context, func(error)) {
	if t == nil {
		return ctx, func(error) {}
	}
	ctx, span := t.tracer.Start(ctx, id)
	return ctx, func(err error) {
		if err != nil {
			span.SetStatus(codes.Error, cut(err.Error()))
		}
		span.End()
	}
}

// noteSpan puts what is learnt about a request into its span; the returned id is "" if there is none.
func noteSpan(r *http.Request, n *note) (traceID string) {
	span := trace.SpanFromContext(r.Context())
	if !span.SpanContext().IsValid() {
		return ""
	}
	if r.Pattern != "" {
		route := r.Pattern[strings.IndexByte(r.Pattern, ' ')+1:]
		span.SetName(r.Method + " " + route)
		span.SetAttributes(attribute.String("http.route", route))
	}
	for _, a := range []struct{ key, value string }{{"session.request", n.id}, {"session.user", n.user}, {"session.id", n.session}, {"session.code", n.code}} {
		if a.value != "" {
			span.SetAttributes(attribute.String(a.key, a.value))
		}
	}
	return span.SpanContext().TraceID().String()
}
