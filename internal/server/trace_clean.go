package server

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// utf8Exporter mends what a request said in bytes that are no UTF-8 (a path, a User-Agent): one such text, which anybody
// can send, and the OTLP exporter delivers nothing of the whole batch.
type utf8Exporter struct{ sdktrace.SpanExporter }

// ExportSpans implements sdktrace.SpanExporter.
func (e utf8Exporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	mended := make([]sdktrace.ReadOnlySpan, len(spans))
	for i, s := range spans {
		mended[i] = utf8Span{s}
	}
	return e.SpanExporter.ExportSpans(ctx, mended)
}

type utf8Span struct{ sdktrace.ReadOnlySpan }

// Name implements sdktrace.ReadOnlySpan.
func (s utf8Span) Name() string { return mend(s.ReadOnlySpan.Name()) }

// Status implements sdktrace.ReadOnlySpan.
func (s utf8Span) Status() sdktrace.Status {
	is := s.ReadOnlySpan.Status()
	is.Description = mend(is.Description)
	return is
}

// Attributes implements sdktrace.ReadOnlySpan.
func (s utf8Span) Attributes() []attribute.KeyValue {
	all := slices.Clone(s.ReadOnlySpan.Attributes())
	for i, a := range all {
		if a.Value.Type() == attribute.STRING && !utf8.ValidString(a.Value.AsString()) {
			all[i].Value = attribute.StringValue(mend(a.Value.AsString()))
		}
	}
	return all
}

func mend(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
