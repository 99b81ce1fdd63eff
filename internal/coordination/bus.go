package coordination

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"
)

// Event says that something happened to a session. Its JSON is what is published (seed 004 §8.1).
type Event struct {
	Type    string          `json:"event_type"` // e.g. "session.completed"
	Session string          `json:"session_id"`
	At      time.Time       `json:"timestamp"`
	Data    json.RawMessage `json:"data,omitempty"` // one JSON value
}

// Check refuses an event that cannot be published (ErrInvalid).
func (e Event) Check() error {
	if err := CheckName("event type", e.Type); err != nil {
		return err
	}
	if err := CheckName("session", e.Session); err != nil {
		return err
	}
	return checkData(e.Data)
}

// ParseEvent reads what was published. ErrDamaged.
func ParseEvent(raw []byte) (Event, error) {
	var e Event
	if len(raw) > 2*MaxData {
		return Event{}, fmt.Errorf("%w: an event of %d bytes", ErrDamaged, len(raw))
	}
	if err := json.Unmarshal(raw, &e); err != nil {
		return Event{}, fmt.Errorf("%w: an event: %w", ErrDamaged, err)
	}
	if err := e.Check(); err != nil {
		return Event{}, fmt.Errorf("%w: an event: %w", ErrDamaged, err)
	}
	return e, nil
}

// Bus tells everybody who listens now. Nothing is kept: the history is the database's.
type Bus interface {
	// Publish sends events to those who listen, in this order. That nobody does is no error. One that cannot be sent
	// (ErrInvalid) is passed over, and the others are sent. After ErrUnavailable some may have been sent, and a sender that
	// tries again may be heard twice.
	Publish(ctx context.Context, events ...Event) error
	// Subscribe hears the events of one session, or of all with "", in the order of their sender, from when it returns until
	// ctx ends, which closes the channel. Where something may have been missed (the connection was lost, the listener is too
	// slow) it hears that, and goes on by itself. ErrUnavailable: it does not listen.
	Subscribe(ctx context.Context, session string) (<-chan Heard, error)
}

// Heard is one thing that a listener hears.
type Heard struct {
	Event Event
	// Missed: there is no event here, but there may have been some: read the history.
	Missed bool
}

// inboxSize is how many events wait for a slow listener.
const inboxSize = 256

// Inbox stands between a sender that must not wait and a listener that may be slow. Safe for concurrent use.
type Inbox struct {
	mu     sync.Mutex
	queue  []Heard
	wake   chan struct{}
	heard  chan Heard
	closed <-chan struct{}
}

// NewInbox makes an inbox that lives until ctx ends.
func NewInbox(ctx context.Context) *Inbox {
	b := &Inbox{wake: make(chan struct{}, 1), heard: make(chan Heard), closed: ctx.Done()}
	go b.pass()
	return b
}

// Heard is the listener's side. It is closed when the inbox's context ends.
func (b *Inbox) Heard() <-chan Heard { return b.heard }

// Put hands over an event without ever waiting. When too many wait, it and those after it are dropped, and the listener
// hears that.
func (b *Inbox) Put(e Event) { b.add(Heard{Event: e}) }

// Miss tells the listener that something may have been missed here.
func (b *Inbox) Miss() { b.add(Heard{Missed: true}) }

func (b *Inbox) add(h Heard) {
	b.mu.Lock()
	defer b.mu.Unlock()
	last := len(b.queue) - 1
	if h.Missed || len(b.queue) >= inboxSize {
		if last >= 0 && b.queue[last].Missed {
			return
		}
		h = Heard{Missed: true}
	}
	b.queue = append(b.queue, h)
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

func (b *Inbox) pass() {
	defer close(b.heard)
	for {
		select {
		case <-b.closed:
			return
		case <-b.wake:
		}
		for h, ok := b.take(); ok; h, ok = b.take() {
			select {
			case b.heard <- h:
			case <-b.closed:
				return
			}
		}
	}
}

func (b *Inbox) take() (Heard, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.queue) == 0 {
		return Heard{}, false
	}
	h := b.queue[0]
	b.queue = b.queue[1:]
	return h, true
}
