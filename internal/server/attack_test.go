package server

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"session/internal/needtest"
)

// exposed is a service on a port of this machine, with limits that are reached soon.
func exposed(t *testing.T, change func(*Limits)) (s *Server, at string) {
	t.Helper()
	o, x := options(t), sessions(t)
	o.Sessions = x
	o.Limits = Limits{Rate: 10_000, Burst: 10_000, Header: 300 * time.Millisecond, Read: 600 * time.Millisecond, Idle: 500 * time.Millisecond, Look: 20 * time.Millisecond, Drain: time.Second}
	if change != nil {
		change(&o.Limits)
	}
	s = serving(t, o)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, l) }()
	t.Cleanup(func() {
		end()
		if err := <-done; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return s, l.Addr().String()
}

func connect(t *testing.T, at string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// alive wants the service to answer somebody who behaves, on a new connection.
func alive(t *testing.T, at string) {
	t.Helper()
	r, err := http.NewRequest("GET", "http://"+at+"/api/me", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+testKey)
	r.Close = true
	for {
		a, err := http.DefaultClient.Do(r)
		if err != nil {
			if t.Context().Err() != nil {
				t.Fatal(err)
			}
			continue // all places are taken: it says no, and there will be one
		}
		a.Body.Close()
		if a.StatusCode != 200 {
			t.Errorf("somebody who behaves gets %d", a.StatusCode)
		}
		return
	}
}

// TestSlowloris sends headers and bodies by the byte: every such connection is closed, and others are served meanwhile.
func TestSlowloris(t *testing.T) {
	_, at := exposed(t, nil)
	var all sync.WaitGroup
	for i := range 60 {
		c := connect(t, at)
		begin := "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "
		if i%2 == 0 {
			begin = "POST /api/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + adaToken + "\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{"
		}
		if _, err := io.WriteString(c, begin); err != nil {
			t.Fatal(err)
		}
		all.Go(func() { _, _ = io.Copy(io.Discard, c) }) // ends when the service has had enough
	}
	alive(t, at)
	all.Wait()
	alive(t, at)
}

// TestIdleSockets opens ten thousand connections that say nothing: more than there are places are closed at once, the
// others when their time is out, and the service is there all the while or soon again.
func TestIdleSockets(t *testing.T) {
	n := 10_000
	if testing.Short() {
		n = 1000
	}
	s, at := exposed(t, func(l *Limits) { l.Conns = n / 10 })
	var all sync.WaitGroup
	opened := 0
	for range n {
		c, err := net.Dial("tcp", at)
		if err != nil {
			continue // this machine has no more of its own
		}
		opened++
		all.Go(func() {
			_, _ = io.Copy(io.Discard, c)
			c.Close()
		})
	}
	if opened < n/2 {
		needtest.Missing(t, "sockets", fmt.Sprintf("only %d connections can be opened here: raise the limit of open files", opened))
	}
	all.Wait() // every one of them was closed by the service
	alive(t, at)
	if !strings.Contains(answer(s, asks("GET", "/metrics", meterToken, "")).Body.String(), "session_http_refused_connections_total") {
		t.Error("nothing is counted")
	}
}

// TestGarbage speaks no HTTP, or almost: what comes back is a refusal or the end.
func TestGarbage(t *testing.T) {
	s, at := exposed(t, nil)
	made(t, s, adaToken, "one")
	upgrade := "GET /ws/one HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + adaToken + "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
	auth := "Host: 127.0.0.1\r\nAuthorization: Bearer " + adaToken + "\r\n"
	for name, c := range map[string]struct {
		say  string
		want []string // beginnings of what may come back; "" is nothing at all
	}{
		"noise":                    {"\x00\x01\x02\xff\xfe\r\n\r\n", []string{"HTTP/1.1 400"}},
		"TLS":                      {"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", []string{"HTTP/1.1 400"}},
		"two lengths":              {"POST /api/sessions HTTP/1.1\r\n" + auth + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello", []string{"HTTP/1.1 400"}},
		"length and chunks":        {"POST /api/sessions HTTP/1.1\r\n" + auth + "Content-Type: application/json\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", []string{"HTTP/1.1 400"}},
		"bad chunks":               {"POST /api/sessions HTTP/1.1\r\n" + auth + "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", []string{"HTTP/1.1 400"}},
		"a length below none":      {"POST /api/sessions HTTP/1.1\r\n" + auth + "Content-Length: -1\r\n\r\n", []string{"HTTP/1.1 400"}},
		"no host":                  {"GET / HTTP/1.1\r\n\r\n", []string{"HTTP/1.1 400"}},
		"two hosts":                {"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n\r\n", []string{"HTTP/1.1 400"}},
		"long header":              {"GET / HTTP/1.1\r\n" + auth + "X-Long: " + strings.Repeat("x", 64<<10) + "\r\n\r\n", []string{"HTTP/1.1 431"}},
		"many headers":             {"GET / HTTP/1.1\r\n" + auth + strings.Repeat("X-A: b\r\n", 20_000) + "\r\n", []string{"HTTP/1.1 431"}},
		"long path":                {"GET /" + strings.Repeat("a", 64<<10) + " HTTP/1.1\r\n" + auth + "\r\n", []string{"HTTP/1.1 431", "HTTP/1.1 414"}},
		"a method of its own":      {"EXPLODE /api/me HTTP/1.1\r\n" + auth + "\r\n", []string{"HTTP/1.1 405"}},
		"trace":                    {"TRACE / HTTP/1.1\r\n" + auth + "\r\n", []string{"HTTP/1.1 405"}},
		"connect":                  {"CONNECT evil.example:80 HTTP/1.1\r\nHost: evil.example:80\r\n\r\n", []string{"HTTP/1.1 4"}},
		"an address elsewhere":     {"GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n", []string{"HTTP/1.1 421"}},
		"HTTP/2 by itself":         {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", []string{"HTTP/1.1 4", "HTTP/1.1 505"}},
		"an old version":           {"GET /api/me HTTP/1.1\r\n" + auth + "Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n", []string{"HTTP/1.1 200"}},
		"a WebSocket of version 8": {strings.Replace(upgrade, "Version: 13", "Version: 8", 1) + "\r\n", []string{"HTTP/1.1 4"}},
		"a WebSocket without key":  {strings.Replace(upgrade, "AAAAAAAAAAAAAAAAAAAAAA==", "no", 1) + "\r\n", []string{"HTTP/1.1 4"}},
		"unmasked frame":           {upgrade + "\r\n\x81\x05hello", []string{"HTTP/1.1 101"}},
		"reserved bits":            {upgrade + "\r\n\xf1\x80\x00\x00\x00\x00", []string{"HTTP/1.1 101"}},
		"endless frame":            {upgrade + "\r\n\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x00", []string{"HTTP/1.1 101"}},
		"long ping":                {upgrade + "\r\n\x89\xfe\xff\xff\x00\x00\x00\x00", []string{"HTTP/1.1 101"}},
		"continuation of nothing":  {upgrade + "\r\n\x80\x80\x00\x00\x00\x00", []string{"HTTP/1.1 101"}},
		"close with half a code":   {upgrade + "\r\n\x88\x81\x00\x00\x00\x00\x03", []string{"HTTP/1.1 101"}},
	} {
		conn := connect(t, at)
		go func() { _, _ = io.WriteString(conn, c.say) }() // it may be closed before all is said
		if err := conn.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
			t.Fatal(err)
		}
		first, _ := bufio.NewReader(conn).ReadString('\n')
		ok := false
		for _, w := range c.want {
			ok = ok || strings.HasPrefix(first, w)
		}
		if !ok {
			t.Errorf("%s: %q, want one of %q", name, first, c.want)
		}
		if strings.HasPrefix(first, "HTTP/1.1 101") {
			if _, err := io.Copy(io.Discard, conn); errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("%s: it is not closed", name)
			}
		}
	}
	alive(t, at)
}
