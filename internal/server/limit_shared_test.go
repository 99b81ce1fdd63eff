package server

import (
	"bytes"
	"context"
	"crypto/rand"
	"log/slog"
	"strings"
	"testing"
	"time"

	"session/internal/coordination"
	"session/internal/needtest"
	"session/internal/store/redis"
)

// mute is a limiter that nobody reaches.
type mute struct{ asked int }

func (m *mute) Allow(context.Context, string, coordination.Rate) (bool, time.Duration, error) {
	m.asked++
	return false, 0, coordination.ErrUnavailable
}

// TestRatesTogether: two services that share a Redis bound a user, and an address that guesses, as one.
func TestRatesTogether(t *testing.T) {
	target, err := redis.ParseURL(needtest.Server(t, "redis"))
	if err != nil {
		t.Fatal(err)
	}
	c := redis.New(target, redis.Options{Random: rand.Reader, Now: time.Now})
	t.Cleanup(func() { _ = c.Close() })
	owner := "owner-" + rand.Text() // of this test alone
	address := "2001:db8:" + strings.ToLower(rand.Text())
	var both []*Server
	for range 2 {
		o := options(t)
		o.Rates, o.Owner, o.Limits = c, owner, Limits{Rate: 0.001, Burst: 6}
		both = append(both, serving(t, o))
	}
	for _, ask := range []struct {
		token string
		first int
	}{{testKey, 200}, {strings.Repeat("x", 40), 401}} {
		codes := map[int]int{}
		for i := range 20 {
			r := asks("GET", "/api/me", ask.token, "")
			if ask.first == 401 {
				r.RemoteAddr = "[" + address + "]:1"
			}
			codes[answer(both[i%2], r).Code]++
		}
		if codes[ask.first] != 6 || codes[429] != 14 {
			t.Errorf("answers of both services: %v, want six of %d", codes, ask.first)
		}
	}
}

// TestRatesAlone: while nobody answers, each service counts by itself, says so once, and asks again later.
func TestRatesAlone(t *testing.T) {
	var log bytes.Buffer
	var m mute
	now := time.Unix(1e9, 0)
	o := options(t)
	o.Rates, o.Log, o.Limits = &m, slog.New(slog.NewTextHandler(&log, nil)), Limits{Rate: 0.001, Burst: 4}
	o.Place.Now = func() time.Time { return now }
	s := serving(t, o)
	codes := map[int]int{}
	for range 10 {
		codes[answer(s, asks("GET", "/api/me", testKey, "")).Code]++
	}
	if codes[200] != 4 || codes[429] != 6 || m.asked != 1 {
		t.Errorf("answers %v; asked %d times", codes, m.asked)
	}
	if n := strings.Count(log.String(), "by this service alone"); n != 1 {
		t.Errorf("said %d times:\n%s", n, log.String())
	}
	now = now.Add(coordination.Pause)
	if answer(s, asks("GET", "/api/me", testKey, "")); m.asked != 2 {
		t.Errorf("asked %d times", m.asked)
	}
}
