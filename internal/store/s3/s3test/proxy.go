package s3test

import (
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
)

// Fault is what happens to one request; the zero Fault lets it pass.
type Fault struct {
	Before     func() // called when the request is there, before the server hears of it
	Lose       bool   // the server never hears of it, and the connection is reset
	Status     int    // answered instead of the server, with Code
	Code       string
	After      func() // called when the server has answered, before the client hears of it
	LoseAnswer bool   // the server has done it, and the connection is reset
	Slow       bool   // nothing is answered until the client gives up
}

// Proxy stands before an S3 server and puts faults between it and its clients.
type Proxy struct {
	to   *url.URL // as package s3 writes it
	http *httptest.Server

	mu   sync.Mutex
	rule func(n int, r *http.Request) Fault
	n    int
}

// NewProxy stands before the server of a URL of package s3 (insecure=1), until the test ends.
func NewProxy(t testing.TB, before string) *Proxy {
	t.Helper()
	u, err := url.Parse(before)
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{to: u}
	p.http = httptest.NewServer(p)
	t.Cleanup(p.http.Close)
	return p
}

// URL is the server's URL through the proxy.
func (p *Proxy) URL() string {
	u := *p.to
	u.Host = p.http.Listener.Addr().String()
	return u.String()
}

// Set gives the rule for the requests from now on, of which n counts from 1; nil lets all pass.
func (p *Proxy) Set(rule func(n int, r *http.Request) Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rule, p.n = rule, 0
}

// Seen is how many requests there were since Set.
func (p *Proxy) Seen() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.n
}

func (p *Proxy) fault(r *http.Request) Fault {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.n++
	if p.rule == nil {
		return Fault{}
	}
	return p.rule(p.n, r)
}

// ServeHTTP implements http.Handler.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f := p.fault(r)
	if f.Before != nil {
		f.Before()
	}
	switch {
	case f.Lose:
		hangUp(w)
		return
	case f.Slow:
		_, _ = io.Copy(io.Discard, r.Body) // only then is a client that goes noticed
		<-r.Context().Done()
		return
	case f.Status != 0:
		Fail(w, r, f.Status, f.Code, "a fault of the test")
		return
	}
	answer, err := p.ask(r)
	if err != nil {
		hangUp(w)
		return
	}
	defer answer.Body.Close()
	if f.After != nil {
		f.After()
	}
	if f.LoseAnswer {
		hangUp(w)
		return
	}
	maps.Copy(w.Header(), answer.Header)
	w.WriteHeader(answer.StatusCode)
	_, _ = io.Copy(w, answer.Body)
}

// ask hands the request on as it is: its signature covers the host that the client dialled.
func (p *Proxy) ask(r *http.Request) (*http.Response, error) {
	on := r.Clone(r.Context())
	on.RequestURI, on.URL.Scheme, on.URL.Host = "", "http", p.to.Host
	return http.DefaultTransport.RoundTrip(on)
}

func hangUp(w http.ResponseWriter) {
	c, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = c.Close()
}
