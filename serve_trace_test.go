//go:build unix

package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// TestServeTraces: session serve tells the collector that the usual variable names, also what it did last before its end.
func TestServeTraces(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var told strings.Builder
	at := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		if err != nil || r.URL.Path != "/v1/traces" {
			t.Errorf("%s: %v", r.URL.Path, err)
		}
		mu.Lock()
		defer mu.Unlock()
		told.Write(b)
	}))
	defer at.Close()
	dir, env := workTree(t)
	s := serve(t, dir, append(env, "XDG_RUNTIME_DIR="+t.TempDir(), "OTEL_EXPORTER_OTLP_ENDPOINT="+at.URL, "OTEL_SERVICE_NAME=seen-by-a-test"))
	if code, body := s.does("GET", "/api/me", s.key, ""); code != 200 {
		t.Fatal(code, body)
	}
	s.ends(t)
	mu.Lock()
	defer mu.Unlock()
	for _, want := range []string{"seen-by-a-test", "GET /api/me", "http.route"} {
		if !strings.Contains(told.String(), want) {
			t.Errorf("%q was not told: %q", want, told.String())
		}
	}
	if strings.Contains(told.String(), s.key) {
		t.Error("the key was told")
	}
}
