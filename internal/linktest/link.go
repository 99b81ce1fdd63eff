// Package linktest is a TCP link between clients and a server that a test can cut, stall and mend: the network of a bad day.
//
// A test lets its clients dial the Link instead of the server. Cut is a cable pulled out with a bang: connections are
// reset, new ones are reset too. Stall is a partition: everything is accepted and nothing arrives, neither way, until Mend,
// which delivers what was on its way, late, also what a client sent that has long given up. Mute lets requests through and
// keeps the answers: the server does what it was asked, and nobody hears of it.
package linktest

import (
	"errors"
	"io"
	"net"
	"sync"
	"testing"
)

type mode int

const (
	whole mode = iota
	cut
	stalled
	muted
)

// Link is one listening address before one server. Safe for concurrent use.
type Link struct {
	to       string
	listener net.Listener

	mu     sync.Mutex
	change *sync.Cond
	mode   mode
	ended  bool
	conns  map[net.Conn]bool
	seen   int
	all    sync.WaitGroup
}

// New listens on a loopback port before the server at to (host:port), until the test ends.
func New(t testing.TB, to string) *Link { return Listen(t, "127.0.0.1:0", to) }

// Listen is New at an address.
func Listen(t testing.TB, at, to string) *Link {
	t.Helper()
	listener, err := net.Listen("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	l := &Link{to: to, listener: listener, conns: map[net.Conn]bool{}}
	l.change = sync.NewCond(&l.mu)
	l.all.Go(l.accept)
	t.Cleanup(l.end)
	return l
}

// Addr is where clients dial: host:port.
func (l *Link) Addr() string { return l.listener.Addr().String() }

// Cut resets every connection and those that come, until Mend.
func (l *Link) Cut() {
	l.set(cut)
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.conns {
		reset(c)
	}
}

// Stall holds back everything that arrives from now on, both ways, until Mend.
func (l *Link) Stall() { l.set(stalled) }

// Mute holds back what the server answers, until Mend.
func (l *Link) Mute() { l.set(muted) }

// Mend makes the link whole again and delivers what was held back, as far as there is still somebody.
func (l *Link) Mend() { l.set(whole) }

// Connections is how many clients have connected so far.
func (l *Link) Connections() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.seen
}

func (l *Link) set(m mode) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mode = m
	l.change.Broadcast()
}

func (l *Link) end() {
	l.mu.Lock()
	l.ended = true
	for c := range l.conns {
		_ = c.Close()
	}
	l.change.Broadcast()
	l.mu.Unlock()
	_ = l.listener.Close()
	l.all.Wait()
}

func reset(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = c.Close()
}

func (l *Link) accept() {
	for {
		c, err := l.listener.Accept()
		if err != nil {
			return
		}
		l.all.Go(func() { l.serve(c) })
	}
}

func (l *Link) serve(client net.Conn) {
	defer client.Close()
	l.mu.Lock()
	l.seen++
	l.mu.Unlock()
	if !l.add(client) || !l.passing(true) {
		reset(client)
		return
	}
	server, err := net.Dial("tcp", l.to)
	if err != nil {
		reset(client)
		return
	}
	defer server.Close()
	if !l.add(server) {
		return
	}
	var both sync.WaitGroup
	both.Go(func() { l.copy(server, client, true) })
	both.Go(func() { l.copy(client, server, false) })
	both.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.conns, client)
	delete(l.conns, server)
}

func (l *Link) add(c net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.mode == cut || l.ended {
		return false
	}
	l.conns[c] = true
	return true
}

// passing waits while this direction is held back; false: there is no link any more.
func (l *Link) passing(request bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for !l.ended && (l.mode == stalled || l.mode == muted && !request) {
		l.change.Wait()
	}
	return !l.ended && l.mode != cut
}

func (l *Link) copy(to, from net.Conn, request bool) {
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			if !l.passing(request) {
				reset(to)
				return
			}
			if _, err := to.Write(buf[:n]); err != nil {
				reset(from)
				return
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			if l.passing(request) {
				_ = to.(*net.TCPConn).CloseWrite()
			}
			return
		case err != nil:
			reset(to)
			return
		}
	}
}
