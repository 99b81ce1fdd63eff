package redis_test

import (
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"session/internal/coordination"
	"session/internal/snapshot"
	"session/internal/store/redis"
	"session/internal/store/redis/redistest"
)

const ample = 30 * time.Second

func path(n string) snapshot.ID { return snapshot.FirstID(storeID, snapshot.Path("refs/heads/"+n)) }

func acquire(t *testing.T, l *redis.Leases, key snapshot.ID, command string) *redis.Lease {
	t.Helper()
	got, err := l.Acquire(t.Context(), key, snapshot.Holder{PID: 1, Command: command}, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = got.Release(t.Context()) })
	return got.(*redis.Lease)
}

func wantLost(t *testing.T, l *redis.Lease) {
	t.Helper()
	select {
	case <-l.Lost():
	case <-time.After(ample):
		t.Fatal("the holder does not hear that its lease is lost")
	}
	if err := l.Renew(t.Context()); !errors.Is(err, snapshot.ErrLost) {
		t.Error("renewed what is lost:", err)
	}
}

func wantKept(t *testing.T, l *redis.Lease) {
	t.Helper()
	if err := l.Renew(t.Context()); err != nil {
		t.Error("not kept:", err)
	}
	select {
	case <-l.Lost():
		t.Error("lost")
	default:
	}
}

// short is a time to live that a test can wait out.
const short = 300 * time.Millisecond

// A lease is renewed by itself: nobody gets it as long as its holder lives.
func TestKeptBeyondItsTime(t *testing.T) {
	at := fresh(t)
	held := acquire(t, client(t, at, short).Leases(storeID), path("a"), "first")
	_, err := client(t, at, short).Leases(storeID).Acquire(t.Context(), path("a"), snapshot.Holder{}, 4*short)
	var busy *snapshot.ErrBusy
	if !errors.As(err, &busy) || busy.Who.Command != "first" {
		t.Error(err)
	}
	wantKept(t, held)
}

// Flushed, and nobody was quicker: the holder takes it again. Somebody was quicker: the holder hears it.
func TestFlushed(t *testing.T) {
	at := fresh(t)
	r, leases := raw(t, at), client(t, at, 0).Leases(storeID)
	a, b := acquire(t, leases, path("a"), "a"), acquire(t, leases, path("b"), "b")
	if err := r.FlushDB(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	thief := acquire(t, client(t, at, 0).Leases(storeID), path("b"), "thief")
	wantKept(t, a)
	if err := b.Renew(t.Context()); !errors.Is(err, snapshot.ErrLost) {
		t.Error("renewed somebody else's:", err)
	}
	wantLost(t, b)
	if err := b.Release(t.Context()); err != nil {
		t.Error(err)
	}
	wantKept(t, thief) // what was lost takes nothing away
}

// Stopped: nobody waits for long, and everything says by type that it is away. Started again, empty: all goes on.
func TestStoppedAndStartedEmpty(t *testing.T) {
	at := fresh(t)
	net := redistest.Through(t, at)
	c := client(t, net.URL()+"?timeout=200ms", 0)
	held := acquire(t, c.Leases(storeID), path("a"), "a")
	net.Down()
	wantAway(t, c)
	if err := held.Renew(t.Context()); !errors.Is(err, coordination.ErrUnavailable) {
		t.Error("renewed:", err)
	}
	if err := raw(t, at).FlushDB(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	net.Up()
	comesBack(t, c)
	wantKept(t, held)
	if live, err := c.Leases(storeID).Live(t.Context()); err != nil || len(live) != 1 || live[0].Who.Command != "a" {
		t.Errorf("%+v %v", live, err)
	}
}

// comesBack waits until the client noticed: after many refusals the library dials once a second only.
func comesBack(t *testing.T, c *redis.Client) {
	t.Helper()
	var err error
	for until := time.Now().Add(ample); time.Now().Before(until); {
		if err = c.Ping(t.Context()); err == nil {
			return
		}
	}
	t.Fatal("it does not come back:", err)
}

func wantAway(t *testing.T, c *redis.Client) {
	t.Helper()
	ctx := t.Context()
	_, leased := c.Leases(storeID).Acquire(ctx, path("x"), snapshot.Holder{}, time.Hour)
	_, listed := c.Leases(storeID).Live(ctx)
	_, looked := c.Look(ctx, "abc")
	_, heard := c.Subscribe(ctx, "")
	for name, err := range map[string]error{
		"ping": c.Ping(ctx), "acquire": leased, "live": listed, "look": looked, "subscribe": heard,
		"put":     c.Put(ctx, "abc", coordination.Change{State: &coordination.State{Status: "running"}}),
		"publish": c.Publish(ctx, coordination.Event{Type: "session.created", Session: "abc"}),
		"connect": c.Connect(ctx, "abc", "client"), "disconnect": c.Disconnect(ctx, "abc", "client"),
		"settle": c.Settle(ctx, "abc", "r"), "forget": c.Forget(ctx, "abc"),
	} {
		if !errors.Is(err, coordination.ErrUnavailable) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Cut off: the holder stops by itself when its lease has run out, and whoever is on the other side goes on.
func TestCutOff(t *testing.T) {
	at := fresh(t)
	net := redistest.Through(t, at)
	c := client(t, net.URL()+"?timeout=100ms", short)
	held := acquire(t, c.Leases(storeID), path("a"), "cut off")
	net.Cut()
	wantAway(t, c)
	wantLost(t, held)
	next, err := client(t, at, short).Leases(storeID).Acquire(t.Context(), path("a"), snapshot.Holder{Command: "next"}, ample)
	if err != nil {
		t.Fatal(err)
	}
	net.Mend()
	if err := held.Release(t.Context()); err != nil {
		t.Error(err)
	}
	wantKept(t, next.(*redis.Lease))
	if err := next.Release(t.Context()); err != nil {
		t.Error(err)
	}
}

// A listener whose connection broke hears that it may have missed something, and what comes later.
func TestListenerComesBack(t *testing.T) {
	at := fresh(t)
	net := redistest.Through(t, at)
	heard, err := client(t, net.URL()+"?timeout=200ms", 0).Subscribe(t.Context(), "abc")
	if err != nil {
		t.Fatal(err)
	}
	sender := client(t, at, 0)
	say := func(n string) {
		t.Helper()
		if err := sender.Publish(t.Context(), coordination.Event{Type: "session.created", Session: "abc", At: time.Now(), Data: json.RawMessage(`"` + n + `"`)}); err != nil {
			t.Fatal(err)
		}
	}
	say("before")
	if h := next(t, heard); string(h.Event.Data) != `"before"` {
		t.Errorf("%+v", h)
	}
	for name, fail := range map[string]func(){"stopped": func() { net.Down(); say("lost"); net.Up() }, "cut": func() { net.Cut(); say("lost"); net.Mend() }} {
		fail()
		if h := next(t, heard); !h.Missed {
			t.Errorf("%s: heard %+v", name, h)
		}
		say("after")
		for h := next(t, heard); string(h.Event.Data) != `"after"`; h = next(t, heard) {
			if !h.Missed {
				t.Errorf("%s: heard %+v", name, h)
			}
		}
	}
	foreign := raw(t, at)
	if err := foreign.Publish(t.Context(), "session_events", "{").Err(); err != nil {
		t.Fatal(err)
	}
	if h := next(t, heard); !h.Missed {
		t.Errorf("a stranger's message: %+v", h)
	}
}

func next(t *testing.T, heard <-chan coordination.Heard) coordination.Heard {
	t.Helper()
	select {
	case h, ok := <-heard:
		if !ok {
			t.Fatal("the channel was closed")
		}
		return h
	case <-time.After(ample):
		t.Fatal("nothing is heard")
	}
	return coordination.Heard{}
}

// What stands under a lease's key and is none of ours: nobody is let in, nobody falls over it.
func TestForeignLease(t *testing.T) {
	at := fresh(t)
	r, leases := raw(t, at), client(t, at, 0).Leases(storeID)
	key := "session:lease:" + string(storeID) + ":" + string(path("a"))
	for name, value := range map[string]string{"nothing": "", "no JSON": "{", "huge": strings.Repeat("x", 1<<20), "another shape": `[1]`} {
		if err := r.Set(t.Context(), key, value, 0).Err(); err != nil {
			t.Fatal(err)
		}
		_, err := leases.Acquire(t.Context(), path("a"), snapshot.Holder{}, 0)
		var busy *snapshot.ErrBusy
		if !errors.As(err, &busy) || busy.Who != (snapshot.Holder{}) {
			t.Errorf("%s: %v", name, err)
		}
		if live, err := leases.Live(t.Context()); err != nil || len(live) != 1 {
			t.Errorf("%s: %v %v", name, live, err)
		}
	}
	if err := errors.Join(r.Del(t.Context(), key).Err(), r.RPush(t.Context(), key, "x").Err()); err != nil {
		t.Fatal(err)
	}
	if _, err := leases.Acquire(t.Context(), path("a"), snapshot.Holder{}, 0); !errors.Is(err, coordination.ErrDamaged) {
		t.Error("a list:", err)
	}
}

func TestURLs(t *testing.T) {
	for raw, want := range map[string]string{
		"redis://h": "redis://h:6379/0", "redis://:pw@h:1/2": "redis://h:1/2", "rediss://u:pw@h/3?timeout=1s": "rediss://h:6379/3", "redis://[::1]:7/": "redis://[::1]:7/0",
	} {
		if got, err := redis.ParseURL(raw); err != nil || got.String() != want || redis.Safe(raw) != want {
			t.Errorf("%s: %v %v", raw, got, err)
		}
	}
	for _, bad := range []string{
		"", "h:6379", "http://:secret@h", "redis://", "redis://:secret@", "redis://:secret@h/x", "redis://:secret@h/-1", "redis://:secret@h?x=1",
		"redis://:secret@h?timeout=1ns", "redis://:sec%ret@h", "redis://:secret@h#x", "redis:secret",
	} {
		_, err := redis.ParseURL(bad)
		if !errors.Is(err, redis.ErrURL) || strings.Contains(err.Error()+redis.Safe(bad), "sec") {
			t.Errorf("%q: %v, %s", bad, err, redis.Safe(bad))
		}
	}
}

// The password is in no error, also where the server refuses it.
func TestSecretsAreNotSaid(t *testing.T) {
	u, err := url.Parse(fresh(t))
	if err != nil {
		t.Fatal("no URL")
	}
	u.User = url.UserPassword("somebody-secret", "pass-secret")
	c := client(t, u.String(), 0)
	err = c.Ping(t.Context())
	if !errors.Is(err, coordination.ErrUnavailable) || strings.Contains(err.Error()+c.String(), "secret") {
		t.Error(err)
	}
}

func FuzzParseURL(f *testing.F) {
	f.Add("redis://u:p@h:1/2?timeout=1s")
	f.Add("rediss://[::1]")
	f.Fuzz(func(t *testing.T, raw string) {
		at, err := redis.ParseURL(raw)
		if err == nil && (at.Host == "" || at.Timeout <= 0) {
			t.Errorf("%q: %+v", raw, at)
		}
		_ = redis.Safe(raw)
	})
}
