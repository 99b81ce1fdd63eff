package redis

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"session/internal/coordination"
	"session/internal/snapshot"
)

// Leases are those of one snapshot store. It implements snapshot.Leaser.
type Leases struct {
	c      *Client
	prefix string
}

// Leases gives the leases of a store: different stores do not meet.
func (c *Client) Leases(store snapshot.StoreID) *Leases {
	return &Leases{c: c, prefix: "session:lease:" + string(store) + ":"}
}

// note is what stands under a lease's key.
type note struct {
	Word   string          `json:"word"`
	Holder snapshot.Holder `json:"holder"`
}

// maxNote is how many bytes of a note are believed.
const maxNote = 4 << 10

// Renewal and release touch the key only where our own note stands.
var (
	renewScript   = goredis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("PEXPIRE", KEYS[1], ARGV[2]) end return 0`)
	releaseScript = goredis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)
)

// Acquire implements snapshot.Leaser. The lease is renewed by itself until it is released. coordination.ErrUnavailable:
// nobody knows whether somebody holds it.
func (l *Leases) Acquire(ctx context.Context, key snapshot.ID, who snapshot.Holder, wait time.Duration) (snapshot.Lease, error) {
	if _, err := snapshot.ParseID(string(key)); err != nil {
		return nil, fmt.Errorf("take the lease: %w: %w", snapshot.ErrInvalid, err)
	}
	mine, err := l.note(who)
	if err != nil {
		return nil, fmt.Errorf("take the lease of %s: %w", key, err)
	}
	op, until := "take the lease of "+string(key), l.c.options.Now().Add(wait)
	for pause := 10 * time.Millisecond; ; pause = min(2*pause, 200*time.Millisecond) {
		began := l.c.options.Now()
		holder, err := l.try(ctx, key, mine)
		if err != nil {
			return nil, l.c.explain(ctx, op, err)
		}
		if holder == nil {
			return l.held(key, mine, began), nil
		}
		left := until.Sub(l.c.options.Now())
		if left <= 0 {
			return nil, &snapshot.ErrBusy{Key: key, Who: *holder}
		}
		if err := sleep(ctx, min(pause, left)); err != nil {
			return nil, fmt.Errorf("%s: %w", op, err)
		}
	}
}

// try takes the key, or says who has it. A note of our own is there when an answer got lost.
func (l *Leases) try(ctx context.Context, key snapshot.ID, mine string) (*snapshot.Holder, error) {
	name := l.prefix + string(key)
	for range 3 { // it may go between the two questions
		err := l.c.redis.SetArgs(ctx, name, mine, goredis.SetArgs{Mode: "NX", TTL: l.c.options.TTL}).Err()
		if !errors.Is(err, goredis.Nil) {
			return nil, err
		}
		held, err := l.c.redis.Get(ctx, name).Result()
		switch {
		case errors.Is(err, goredis.Nil):
			continue
		case err != nil && strings.HasPrefix(err.Error(), "WRONGTYPE"):
			return nil, coordination.ErrDamaged
		case err != nil:
			return nil, err
		case held == mine:
			return nil, nil
		}
		h := read(held)
		return &h, nil
	}
	return &snapshot.Holder{}, nil
}

func (l *Leases) note(who snapshot.Holder) (string, error) {
	var b [16]byte
	if _, err := io.ReadFull(l.c.options.Random, b[:]); err != nil {
		return "", fmt.Errorf("make a word for the lease: %w", err)
	}
	raw, err := json.Marshal(note{hex.EncodeToString(b[:]), short(who)})
	return string(raw), err
}

// short keeps a note within maxNote.
func short(who snapshot.Holder) snapshot.Holder {
	const most = 512
	for _, s := range []*string{&who.Command, &who.Host, &who.RunID} {
		*s = strings.ToValidUTF8((*s)[:min(len(*s), most)], "")
	}
	return who
}

// read reads a note; one that cannot be read is nobody's.
func read(raw string) snapshot.Holder {
	var n note
	if len(raw) > maxNote || json.Unmarshal([]byte(raw), &n) != nil {
		return snapshot.Holder{}
	}
	return short(n.Holder)
}

// Live implements snapshot.Leaser.
func (l *Leases) Live(ctx context.Context) ([]snapshot.Held, error) {
	found := map[snapshot.ID]bool{} // a scan may say a key twice
	var live []snapshot.Held
	keys := l.c.redis.Scan(ctx, 0, l.prefix+"*", 500).Iterator()
	for keys.Next(ctx) {
		key, err := snapshot.ParseID(strings.TrimPrefix(keys.Val(), l.prefix))
		if err != nil || found[key] {
			continue
		}
		found[key] = true
		raw, err := l.c.redis.Get(ctx, keys.Val()).Result()
		if errors.Is(err, goredis.Nil) {
			continue
		}
		if err != nil && !strings.HasPrefix(err.Error(), "WRONGTYPE") {
			return nil, l.c.explain(ctx, "list leases", err)
		}
		live = append(live, snapshot.Held{Key: key, Who: read(raw)})
	}
	return live, l.c.explain(ctx, "list leases", keys.Err())
}

// Lease is a lease that we have.
type Lease struct {
	l    *Leases
	name string
	mine string
	lost chan struct{}
	stop context.CancelFunc
	over sync.WaitGroup

	mu    sync.Mutex
	good  time.Time // until when nobody else can have it
	state state
}

type state int

const (
	holding state = iota
	gone
	released
)

func (l *Leases) held(key snapshot.ID, mine string, began time.Time) *Lease {
	ctx, stop := context.WithCancel(context.Background())
	h := &Lease{l: l, name: l.prefix + string(key), mine: mine, lost: make(chan struct{}), stop: stop, good: began.Add(l.c.options.TTL)}
	h.over.Go(func() { h.keep(ctx) })
	return h
}

// keep renews the lease until it is released or lost.
func (h *Lease) keep(ctx context.Context) {
	for sleep(ctx, h.l.c.options.TTL/3) == nil {
		err := h.Renew(ctx)
		if errors.Is(err, snapshot.ErrLost) {
			return
		}
	}
}

// Lost is closed when the lease is not ours any more, or may not be: it could not be renewed for as long as it was good.
// Who hears that stops acting on the world.
func (h *Lease) Lost() <-chan struct{} { return h.lost }

// Renew implements snapshot.Lease. A key that is gone, because Redis was flushed or restarted, is taken again.
// coordination.ErrUnavailable: not renewed, and still ours for now.
func (h *Lease) Renew(ctx context.Context) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.state != holding {
		return fmt.Errorf("renew %s: %w", h.name, snapshot.ErrLost)
	}
	o := h.l.c.options
	began := o.Now()
	ours, err := h.renew(ctx)
	switch {
	case err == nil && ours:
		h.good = began.Add(o.TTL)
		return nil
	case err != nil && o.Now().Before(h.good):
		return h.l.c.explain(ctx, "renew "+h.name, err)
	}
	h.state = gone
	close(h.lost)
	return fmt.Errorf("renew %s: %w", h.name, errors.Join(snapshot.ErrLost, h.l.c.explain(ctx, "ask", err)))
}

func (h *Lease) renew(ctx context.Context) (bool, error) {
	n, err := renewScript.Run(ctx, h.l.c.redis, []string{h.name}, h.mine, h.l.c.options.TTL.Milliseconds()).Int()
	if err != nil || n == 1 {
		return err == nil, err
	}
	key := strings.TrimPrefix(h.name, h.l.prefix)
	holder, err := h.l.try(ctx, snapshot.ID(key), h.mine)
	return err == nil && holder == nil, err
}

// Release implements snapshot.Lease. coordination.ErrUnavailable: it could not be taken back, and ends with its time.
func (h *Lease) Release(ctx context.Context) error {
	h.stop()
	h.over.Wait()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.state != holding {
		return nil
	}
	h.state = released
	err := releaseScript.Run(ctx, h.l.c.redis, []string{h.name}, h.mine).Err()
	return h.l.c.explain(ctx, "release "+h.name, err)
}

// sleep waits; the error is why it did not wait to the end.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}
