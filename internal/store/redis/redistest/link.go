// Package redistest puts a network that tests can cut before a server.
package redistest

import (
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
)

// Link is the network between us and a server, which a test can cut.
type Link struct {
	t     testing.TB
	to    string
	at    *url.URL
	local string

	mu      sync.Mutex
	listen  net.Listener
	conns   map[net.Conn]bool
	silent  chan struct{} // closed: what is sent arrives nowhere
	through sync.WaitGroup
}

// Through puts a link before the server of a URL.
func Through(t testing.TB, to string) *Link {
	t.Helper()
	return ThroughAt(t, to, "127.0.0.1:0")
}

// ThroughAt is Through with the address that the link listens at.
func ThroughAt(t testing.TB, to, local string) *Link {
	t.Helper()
	u, err := url.Parse(to)
	if err != nil {
		t.Fatal("no URL")
	}
	l := &Link{t: t, to: u.Host, at: u, local: local, conns: map[net.Conn]bool{}, silent: make(chan struct{})}
	l.Up()
	t.Cleanup(l.Down)
	return l
}

// URL is the server's through the link.
func (l *Link) URL() string {
	u := *l.at
	u.Host = l.local
	return u.String()
}

// Up lets connections through, on the same port each time.
func (l *Link) Up() {
	listen, err := net.Listen("tcp", l.local)
	if err != nil {
		l.t.Fatal(err)
	}
	l.mu.Lock()
	l.listen, l.local = listen, listen.Addr().String()
	l.mu.Unlock()
	l.through.Go(func() { l.accept(listen) })
}

// Down is a server that is stopped: connections are reset, new ones refused.
func (l *Link) Down() {
	l.mu.Lock()
	_ = l.listen.Close()
	for c := range l.conns {
		_ = c.(*net.TCPConn).SetLinger(0)
		_ = c.Close()
	}
	clear(l.conns)
	l.mu.Unlock()
	l.through.Wait()
}

// Cut is a network that swallows everything: connections stay, new ones are even accepted, and nothing is answered.
func (l *Link) Cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.silent)
}

// Mend undoes Cut. What was under way is lost with its connections.
func (l *Link) Mend() {
	l.mu.Lock()
	l.silent = make(chan struct{})
	l.mu.Unlock()
	l.Down()
	l.Up()
}

func (l *Link) accept(from net.Listener) {
	for {
		c, err := from.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", l.to)
		if err != nil {
			_ = c.Close()
			continue
		}
		l.mu.Lock()
		l.conns[c], l.conns[server] = true, true
		l.mu.Unlock()
		l.through.Go(func() { l.pass(c, server) })
		l.through.Go(func() { l.pass(server, c) })
	}
}

func (l *Link) pass(from, to net.Conn) {
	defer from.Close()
	defer to.Close()
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		l.mu.Lock()
		silent := l.silent
		l.mu.Unlock()
		select {
		case <-silent:
			if err != nil {
				return
			}
			continue
		default:
		}
		if _, werr := to.Write(buf[:n]); werr != nil || err != nil {
			_, _ = io.Copy(io.Discard, from)
			return
		}
	}
}
