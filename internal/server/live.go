package server

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"session/internal/lifecycle"

	"github.com/coder/websocket"
)

// A WebSocket of a session tells what happens to it. Nothing is kept for a client: each reads the session's numbered
// events from where it stands, as fast as it takes them, so a slow one holds up nobody, and one that comes back goes on
// with ?after=NUMBER. What wakes the clients (a change through this service, the bus, a look at the database every
// so often) may be lost or come twice; the numbers may not.

// progress is how far a session is (seed 004 §3.4).
type progress struct {
	Total     int              `json:"total_todos"`
	Completed int              `json:"completed"`
	Current   lifecycle.TodoID `json:"current_todo,omitempty"`
}

func progressOf(p lifecycle.Plan) progress {
	out := progress{Total: len(p.Todos)}
	for _, t := range p.Todos {
		switch t.Status {
		case lifecycle.TodoCompleted, lifecycle.TodoSkipped:
			out.Completed++
		case lifecycle.TodoInProgress:
			out.Current = t.ID
		}
	}
	return out
}

// frame is one message to a client.
type frame struct {
	Type     string           `json:"type"` // hello, event, progress
	Session  lifecycle.ID     `json:"session_id"`
	Seq      int64            `json:"seq"` // of the newest event that the client has now
	Status   lifecycle.Status `json:"status,omitempty"`
	Event    *lifecycle.Event `json:"event,omitempty"`
	Progress *progress        `json:"progress,omitempty"`
}

// What a WebSocket is closed with, besides the protocol's own codes.
const (
	closedToken = websocket.StatusCode(4401) // its token was revoked, or has expired
	closedGone  = websocket.StatusCode(4404) // the session is gone
	closedSlow  = websocket.StatusCode(4408) // the client does not read
)

const (
	patience  = 5 * time.Second  // for a client to take one message
	heartbeat = 30 * time.Second // between two pings
	eachBatch = 100              // events read at once
)

// live is who listens to which session.
type live struct {
	mu      sync.Mutex
	of      map[lifecycle.Key]map[chan struct{}]bool
	users   map[string]int
	done    chan struct{} // closed when the service ends
	clients sync.WaitGroup
}

func newLive() *live {
	return &live{of: map[lifecycle.Key]map[chan struct{}]bool{}, users: map[string]int{}, done: make(chan struct{})}
}

// wake lets everybody who listens to a session look again.
func (l *live) wake(k lifecycle.Key) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.of[k] {
		select {
		case c <- struct{}{}:
		default: // it will look anyway
		}
	}
}

// wakeAll lets everybody look again who listens to a session of this id; "" is any.
func (l *live) wakeAll(id lifecycle.ID) {
	l.mu.Lock()
	var keys []lifecycle.Key
	for k := range l.of {
		if id == "" || k.ID == id {
			keys = append(keys, k)
		}
	}
	l.mu.Unlock()
	for _, k := range keys {
		l.wake(k)
	}
}

// listen wakes sockets when something happens on another machine. Without it they look for themselves, a little later.
func (s *Server) listen(ctx context.Context) {
	heard, err := s.Shared.Listen(ctx, "")
	if err != nil {
		s.Log.WarnContext(ctx, "nothing is heard of other machines", "cause", err)
		return
	}
	for h := range heard {
		if h.Missed {
			s.live.wakeAll("")
			continue
		}
		s.live.wakeAll(lifecycle.ID(h.Event.Session))
	}
}

// join begins to listen. ok is false if the user has too many sockets already.
func (l *live) join(user string, k lifecycle.Key, most int) (woken chan struct{}, leave func(), ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.users[user] >= most {
		return nil, nil, false
	}
	l.users[user]++
	l.clients.Add(1)
	woken = make(chan struct{}, 1)
	if l.of[k] == nil {
		l.of[k] = map[chan struct{}]bool{}
	}
	l.of[k][woken] = true
	return woken, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if delete(l.of[k], woken); len(l.of[k]) == 0 {
			delete(l.of, k)
		}
		if l.users[user]--; l.users[user] == 0 {
			delete(l.users, user)
		}
		l.clients.Done()
	}, true
}

// socket is GET /ws/{session_id}?after=NUMBER.
func (s *Server) socket(w http.ResponseWriter, r *http.Request) {
	u, ok := s.admit(w, r)
	if !ok {
		return
	}
	id := lifecycle.ID(r.PathValue("session_id"))
	noteSession(r, string(id))
	after, err := strconv.ParseInt(or(r.URL.Query().Get("after"), "0"), 10, 64)
	if err != nil || after < 0 {
		s.refuse(w, r, s.invalid(r, errors.New("after is the number of an event")))
		return
	}
	k := lifecycle.Key{Owner: lifecycle.Owner(u.Name), ID: id}
	x, err := s.Sessions.Get(r.Context(), k)
	if err != nil {
		s.refuse(w, r, s.refusalOf(r, err))
		return
	}
	after = min(after, x.Events) // of a number that there is not: from the last one on
	woken, leave, ok := s.live.join(u.Name, k, s.Limits.Sockets)
	if !ok {
		s.tooOften(w, r, time.Second)
		return
	}
	defer leave()
	raw := &hijacked{ResponseWriter: w}
	conn, err := websocket.Accept(raw, r, &websocket.AcceptOptions{Subprotocols: []string{socketProtocol}, CompressionMode: websocket.CompressionDisabled})
	if err != nil {
		return // it has answered
	}
	if s.Shared != nil {
		defer s.Shared.Connect(r.Context(), id, noteOf(r).id)()
	}
	s.metrics.sockets.Inc()
	defer s.metrics.sockets.Dec()
	t := &teller{Server: s, conn: conn, key: k, after: after, woken: woken, holds: func(ctx context.Context) error {
		_, err := s.identify(ctx, r)
		return err
	}}
	ctx, gone := context.WithCancel(r.Context())
	defer gone() // after the farewell: a reading that is cancelled cuts the connection
	code, why := t.tell(ctx, gone)
	s.metrics.dropped.WithLabelValues(why).Inc()
	if why != "left" {
		raw.soon(farewell)
		_ = conn.Close(code, why) // whoever has gone does not need it
	}
	_ = conn.CloseNow()
}

// farewell is how long a client has to answer that its socket is closed.
const farewell = 5 * time.Second

// hijacked keeps the connection below a WebSocket: the library waits without end for the rest of a frame that it is about
// to throw away (coder/websocket 1.8, waitCloseHandshake).
type hijacked struct {
	http.ResponseWriter
	conn net.Conn
}

// Hijack implements http.Hijacker.
func (h *hijacked) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(h.ResponseWriter).Hijack()
	h.conn = conn
	return conn, rw, err
}

// soon ends all reading after d.
func (h *hijacked) soon(d time.Duration) {
	if h.conn != nil {
		_ = h.conn.SetReadDeadline(time.Now().Add(d)) // an error says that it is closed already
	}
}

// teller is one client.
type teller struct {
	*Server
	conn     *websocket.Conn
	key      lifecycle.Key
	after    int64
	woken    chan struct{}
	holds    func(context.Context) error // whether its token does
	progress progress
	told     bool // progress was told once
}

// tell sends until one side has had enough, and says with what the socket is to be closed.
func (t *teller) tell(ctx context.Context, gone context.CancelFunc) (websocket.StatusCode, string) {
	spoke := make(chan struct{})
	go func() {
		if _, _, err := t.conn.Reader(ctx); err == nil { // a client has nothing to say; it answers pings by itself
			close(spoke)
			return
		}
		gone()
	}()
	look := time.NewTicker(t.Limits.Look)
	beat := time.NewTicker(heartbeat)
	again := time.NewTicker(t.Limits.Again)
	defer look.Stop()
	defer beat.Stop()
	defer again.Stop()
	if err := t.hello(ctx); err != nil {
		return t.ended(ctx, err)
	}
	for {
		if err := t.news(ctx); err != nil {
			return t.ended(ctx, err)
		}
		select {
		case <-spoke:
			return websocket.StatusPolicyViolation, "spoke"
		case <-ctx.Done():
			return websocket.StatusNormalClosure, "left"
		case <-t.live.done:
			return websocket.StatusGoingAway, "ending"
		case <-t.woken:
		case <-look.C:
		case <-again.C:
			if err := t.holds(ctx); errors.Is(err, ErrNoToken) { // a database that is away ends nobody's token
				return t.ended(ctx, err)
			}
		case <-beat.C:
			if err := t.ping(ctx); err != nil {
				return t.ended(ctx, err)
			}
		}
	}
}

var errSlow = errors.New("the client does not read")

func (t *teller) ended(ctx context.Context, err error) (websocket.StatusCode, string) {
	switch {
	case ctx.Err() != nil:
		return websocket.StatusNormalClosure, "left"
	case errors.Is(err, errSlow):
		return closedSlow, "slow"
	case errors.Is(err, lifecycle.ErrNotFound):
		return closedGone, "gone"
	case errors.Is(err, ErrNoToken):
		return closedToken, "token"
	}
	t.Log.Error("a WebSocket ends", "session", t.key.ID, "cause", err)
	return websocket.StatusInternalError, "failed"
}

func (t *teller) hello(ctx context.Context) error {
	x, err := t.Sessions.Get(ctx, t.key)
	if err != nil {
		return err
	}
	return t.send(ctx, frame{Type: "hello", Session: t.key.ID, Seq: t.after, Status: x.Status})
}

// news sends every event that the client does not have, and the progress if it is another one.
func (t *teller) news(ctx context.Context) error {
	for {
		events, err := t.Sessions.Events(ctx, t.key, t.after, eachBatch)
		if err != nil {
			return err
		}
		for _, e := range events {
			if err := t.send(ctx, frame{Type: "event", Session: t.key.ID, Seq: e.Seq, Event: &e}); err != nil {
				return err
			}
			t.after = e.Seq
		}
		if len(events) < eachBatch {
			return t.advance(ctx)
		}
	}
}

func (t *teller) advance(ctx context.Context) error {
	plan, err := t.Sessions.Plan(ctx, t.key, 0)
	if errors.Is(err, lifecycle.ErrNotFound) {
		_, err = t.Sessions.Get(ctx, t.key) // no plan, or no session any more
		return err
	}
	if err != nil {
		return err
	}
	p := progressOf(plan)
	if t.told && p == t.progress {
		return nil
	}
	t.told, t.progress = true, p
	return t.send(ctx, frame{Type: "progress", Session: t.key.ID, Seq: t.after, Progress: &p})
}

func (t *teller) send(ctx context.Context, f frame) error {
	b, err := json.Marshal(f)
	if err != nil {
		return err
	}
	timed, stop := context.WithTimeout(ctx, t.Limits.Take)
	defer stop()
	return t.late(ctx, t.conn.Write(timed, websocket.MessageText, b))
}

func (t *teller) ping(ctx context.Context) error {
	timed, stop := context.WithTimeout(ctx, t.Limits.Take)
	defer stop()
	return t.late(ctx, t.conn.Ping(timed))
}

// late tells a client that does not read from one that has gone.
func (t *teller) late(ctx context.Context, err error) error {
	if err != nil && ctx.Err() == nil {
		return errSlow
	}
	return err
}
