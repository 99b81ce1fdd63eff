package server

import (
	"net"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// limited accepts at most max connections at a time. One more is accepted and closed at once: a client that hears no is
// better off than one that waits.
func limited(l net.Listener, max int, m *metrics) net.Listener {
	return &bounded{Listener: l, places: make(chan struct{}, max), metrics: m}
}

type bounded struct {
	net.Listener
	places  chan struct{}
	metrics *metrics
}

// Accept waits for a connection that there is a place for.
func (b *bounded) Accept() (net.Conn, error) {
	for {
		c, err := b.Listener.Accept()
		if err != nil {
			return nil, err
		}
		select {
		case b.places <- struct{}{}:
			return &placed{Conn: c, free: func() { <-b.places }}, nil
		default:
			b.metrics.refusedConns.Inc()
			_ = c.Close() // it was never ours
		}
	}
}

// placed gives its place back when it is closed.
type placed struct {
	net.Conn
	once sync.Once
	free func()
}

func (p *placed) Close() error {
	err := p.Conn.Close()
	p.once.Do(p.free)
	return err
}

// rates bounds how often somebody may ask.
type rates struct {
	mu    sync.Mutex
	limit rate.Limit
	burst int
	of    map[string]*asked
}

type asked struct {
	limiter *rate.Limiter
	last    time.Time
}

// maxAsked is how many askers are remembered. One that is forgotten begins with a full burst again.
const maxAsked = 8192

func newRates(l Limits) *rates {
	return &rates{limit: rate.Limit(l.Rate), burst: l.Burst, of: map[string]*asked{}}
}

// allow says whether who may ask now, and else how long to wait.
func (r *rates) allow(who string, now time.Time) (ok bool, wait time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := r.of[who]
	if a == nil {
		if len(r.of) >= maxAsked {
			r.forget(now)
		}
		a = &asked{limiter: rate.NewLimiter(r.limit, r.burst)}
		r.of[who] = a
	}
	a.last = now
	return a.limiter.AllowN(now, 1), r.wait()
}

// may says whether allow would, and counts nothing.
func (r *rates) may(who string, now time.Time) (ok bool, wait time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := r.of[who]
	return a == nil || a.limiter.TokensAt(now) >= 1, r.wait()
}

func (r *rates) wait() time.Duration { return time.Duration(float64(time.Second) / float64(r.limit)) }

// forget makes room: who has not asked for so long that the burst is full again loses nothing.
func (r *rates) forget(now time.Time) {
	full := time.Duration(float64(r.burst) / float64(r.limit) * float64(time.Second))
	for who, a := range r.of {
		if now.Sub(a.last) > full {
			delete(r.of, who)
		}
	}
	for who := range r.of {
		if len(r.of) < maxAsked/2 {
			return
		}
		delete(r.of, who)
	}
}
