package redis_test

import (
	"crypto/rand"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"session/internal/coordination"
	"session/internal/coordination/coordinationtest"
	"session/internal/needtest"
	"session/internal/snapshot"
	"session/internal/snapshot/snapshottest"
	"session/internal/store/redis"
)

func server(t testing.TB) string { return needtest.Server(t, "redis") }

// fresh is an empty database of the server: those of one package run one after the other.
func fresh(t testing.TB) string {
	t.Helper()
	u, err := url.Parse(server(t))
	if err != nil {
		t.Fatal("SESSION_TEST_REDIS is no URL")
	}
	u.Path = "/9"
	if err := raw(t, u.String()).FlushDB(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	return u.String()
}

// raw is a client without our code.
func raw(t testing.TB, at string) *goredis.Client {
	t.Helper()
	o, err := goredis.ParseURL(at)
	if err != nil {
		t.Fatal("SESSION_TEST_REDIS is no URL of a Redis")
	}
	c := goredis.NewClient(o)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func client(t testing.TB, at string, ttl time.Duration) *redis.Client {
	t.Helper()
	target, err := redis.ParseURL(at)
	if err != nil {
		t.Fatal(err)
	}
	c := redis.New(target, redis.Options{Random: rand.Reader, Now: time.Now, TTL: ttl})
	t.Cleanup(func() { _ = c.Close() })
	return c
}

const storeID = snapshot.StoreID("00000000000000000000000000")

func TestLeaser(t *testing.T) {
	server(t)
	snapshottest.Leaser(t, func(t *testing.T) snapshot.Leaser { return client(t, fresh(t), 0).Leases(storeID) })
}

func TestHot(t *testing.T) {
	server(t)
	coordinationtest.Hot(t, func(t *testing.T) coordinationtest.Keeper {
		at := fresh(t)
		return coordinationtest.Keeper{Hot: client(t, at, 0), Now: time.Now, Pass: func(d time.Duration) { pass(t, raw(t, at), d) }}
	})
}

// pass takes d off the time that every key has left.
func pass(t *testing.T, c *goredis.Client, d time.Duration) {
	t.Helper()
	for _, key := range c.Keys(t.Context(), "*").Val() {
		left, err := c.PTTL(t.Context(), key).Result()
		if err == nil && left > 0 {
			err = c.PExpire(t.Context(), key, left-d).Err()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestBus(t *testing.T) {
	server(t)
	coordinationtest.Bus(t, func(t *testing.T) (a, b coordination.Bus) {
		at := fresh(t)
		return client(t, at, 0), client(t, at, 0)
	})
}

// What other programs find there is what the seed says (004 §3.4).
func TestKeysAreTheSeeds(t *testing.T) {
	at := fresh(t)
	c, r, ctx := client(t, at, 0), raw(t, at), t.Context()
	soon := time.Now().Add(time.Hour)
	err := c.Put(ctx, "abc", coordination.Change{
		State:    &coordination.State{Status: "running", Layer: "execution", Plan: "plan_xyz789", LastActivity: time.Date(2026, 2, 6, 10, 5, 0, 0, time.UTC)},
		Progress: &coordination.Progress{Total: 5, Completed: 2, Current: "todo_003"},
		Pending:  &coordination.Pending{Request: "hitl_001", Type: "plan_review", Data: []byte(`{"a":1}`), TimeoutAt: soon},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Connect(ctx, "abc", "client-1"); err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(r.HGetAll(ctx, "session:abc").Val(), r.HGetAll(ctx, "session:abc:progress").Val(), r.SMembers(ctx, "ws_connections:abc").Val())
	want := "map[current_layer:execution last_activity:2026-02-06T10:05:00Z plan_id:plan_xyz789 status:running]" +
		" map[completed:2 current_todo:todo_003 total_todos:5] [client-1]"
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
	asked := r.Get(ctx, "session:abc:hitl_pending").Val()
	if !strings.HasPrefix(asked, `{"request_id":"hitl_001","type":"plan_review","data":{"a":1},"timeout_at":"`) {
		t.Error(asked)
	}
	for key, about := range map[string]time.Duration{
		"session:abc": 24 * time.Hour, "session:abc:progress": 24 * time.Hour, "session:abc:hitl_pending": time.Hour, "ws_connections:abc": -1,
	} {
		if left := r.PTTL(ctx, key).Val(); left > about || about > 0 && left < about-time.Minute {
			t.Errorf("%s is kept for %v, want %v", key, left, about)
		}
	}
}

// Whatever stands under our keys, nobody falls over it, and the next write replaces it.
func TestDamaged(t *testing.T) {
	for name, spoil := range map[string]func(*goredis.Client, *testing.T) error{
		"state is a string": func(r *goredis.Client, t *testing.T) error { return r.Set(t.Context(), "session:abc", "x", 0).Err() },
		"state without a time": func(r *goredis.Client, t *testing.T) error {
			return r.HSet(t.Context(), "session:abc", "status", "running").Err()
		},
		"state with escapes": func(r *goredis.Client, t *testing.T) error {
			return r.HSet(t.Context(), "session:abc", "status", "\x1b[2J", "last_activity", "2026-02-06T10:05:00Z").Err()
		},
		"progress is a list": func(r *goredis.Client, t *testing.T) error {
			return r.RPush(t.Context(), "session:abc:progress", "x").Err()
		},
		"progress is no count": func(r *goredis.Client, t *testing.T) error {
			return r.HSet(t.Context(), "session:abc:progress", "total_todos", "x").Err()
		},
		"question is no JSON": func(r *goredis.Client, t *testing.T) error {
			return r.Set(t.Context(), "session:abc:hitl_pending", "{", 0).Err()
		},
		"question is a hash": func(r *goredis.Client, t *testing.T) error {
			return r.HSet(t.Context(), "session:abc:hitl_pending", "a", "b").Err()
		},
		"clients are a string": func(r *goredis.Client, t *testing.T) error {
			return r.Set(t.Context(), "ws_connections:abc", "x", 0).Err()
		},
	} {
		t.Run(name, func(t *testing.T) {
			at := fresh(t)
			c, ctx := client(t, at, 0), t.Context()
			if err := spoil(raw(t, at), t); err != nil {
				t.Fatal(err)
			}
			if v, err := c.Look(ctx, "abc"); err == nil || strings.Contains(err.Error(), "\x1b") {
				t.Errorf("%+v %v", v, err)
			}
			change := coordination.Change{State: &coordination.State{Status: "running", LastActivity: time.Now()}, Progress: &coordination.Progress{},
				Pending: &coordination.Pending{Request: "r", TimeoutAt: time.Now().Add(time.Hour)}}
			if err := c.Put(ctx, "abc", change); err != nil {
				t.Error(err)
			}
			if err := c.Connect(ctx, "abc", "client"); err != nil {
				t.Error(err)
			}
			if _, err := c.Look(ctx, "abc"); err != nil {
				t.Error(err)
			}
		})
	}
}
