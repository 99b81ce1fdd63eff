package s3_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"session/internal/snapshot"
	"session/internal/snapshot/snapshottest"
	"session/internal/store/s3"
	"session/internal/store/s3/s3test"
)

const main = snapshot.Path("refs/heads/main")

// hurried gives up soon: the faults of these tests do not pass by waiting.
const hurried = "&timeout=200ms"

func world(t testing.TB, s *s3.Store) *snapshottest.World {
	return snapshottest.NewWorldAs(t, snapshottest.Back{Objects: s, Pointers: s, Leaser: snapshottest.NewMemory()}, s.ID())
}

// request is what a run asks for. Its content tells the run.
func request(kind snapshot.Kind, base snapshot.ID, run string, size int) snapshot.Request {
	return snapshot.Request{
		Kind: kind, Base: base, RunID: run, Origin: snapshot.Origin{By: "save"}, PlanHash: "plan", AcceptedPlanHash: "plan",
		Created: snapshottest.Noon(), Bundle: snapshottest.Words(run, size),
	}
}

// behindProxy is a store with one snapshot, seen through a proxy that puts faults before its server.
func behindProxy(t *testing.T, raw, options string) (*s3test.Proxy, *snapshot.Store, *snapshottest.World, snapshot.ID) {
	t.Helper()
	w := world(t, quick(t, raw))
	base := w.First(main).ID
	p := s3test.NewProxy(t, raw)
	s, err := s3.Open(t.Context(), target(t, p.URL()+options), s3.Options{Random: rand.Reader})
	if err != nil {
		t.Fatal(err)
	}
	chain, err := s.Snapshots()
	if err != nil {
		t.Fatal(err)
	}
	return p, chain, w, base
}

// faults are those of one request that pass by themselves: the next attempt gets through.
var faults = map[string]s3test.Fault{
	"lost on the way":           {Lose: true},
	"answer lost":               {LoseAnswer: true},
	"503 SlowDown":              {Status: http.StatusServiceUnavailable, Code: "SlowDown"},
	"500 InternalError":         {Status: http.StatusInternalServerError, Code: "InternalError"},
	"502 of a proxy on the way": {Status: http.StatusBadGateway, Code: ""},
	"504":                       {Status: http.StatusGatewayTimeout, Code: ""},
}

// Whichever request of a commit meets a fault that passes, and whether the server did it or not: one snapshot, whole, and
// the run is told that it won.
func TestEveryRequestOfACommitMeetsAFaultOnce(t *testing.T) {
	servers(t, func(t *testing.T, url func(testing.TB) string) {
		for name, fault := range faults {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				p, chain, w, base := behindProxy(t, url(t), "")
				tried := 0
				for at := 1; ; at++ {
					run := fmt.Sprint("run-", at)
					p.Set(func(n int, _ *http.Request) s3test.Fault {
						if n == at {
							return fault
						}
						return s3test.Fault{}
					})
					c, err := chain.Commit(t.Context(), request(snapshot.Continue, base, run, 20_000))
					if err != nil || c.Behind != nil || c.RunID != run {
						t.Fatalf("request %d: %v %v", at, err, c.Behind)
					}
					w.WantWhole(c.ID, snapshottest.Words(run, 20_000))
					base = c.ID
					if p.Seen() < at {
						break
					}
					tried++
				}
				if tried < 6 {
					t.Errorf("only %d requests met a fault", tried)
				}
				w.WantHead(main, base)
				w.WantSound(false)
			})
		}
	})
}

// Every answer to a write is lost: the run is told that nobody knows. The same run asks again, and is told that it won.
func TestEveryAnswerIsLost(t *testing.T) {
	servers(t, func(t *testing.T, url func(testing.TB) string) {
		p, chain, w, base := behindProxy(t, url(t), hurried)
		p.Set(func(_ int, r *http.Request) s3test.Fault {
			return s3test.Fault{LoseAnswer: r.Method == http.MethodPut || r.Method == http.MethodHead}
		})
		ask := request(snapshot.Continue, base, "the-run", 100)
		if _, err := chain.Commit(t.Context(), ask); !errors.Is(err, s3.ErrUnavailable) {
			t.Fatal(err)
		}
		p.Set(nil)
		c, err := chain.Commit(t.Context(), ask)
		if err != nil || !c.Again {
			t.Fatalf("%+v %v", c, err)
		}
		var lost *snapshot.ErrContinued
		if _, err := chain.Commit(t.Context(), request(snapshot.Continue, base, "another", 100)); !errors.As(err, &lost) || lost.Run != "the-run" {
			t.Error(err)
		}
		w.WantHead(main, c.ID)
		w.WantSound(false)
	})
}

// Somebody else wins between our attempt and its repetition: we are told that we lost, whatever got lost before.
func TestSomebodyElseWinsWhileOursIsLost(t *testing.T) {
	servers(t, func(t *testing.T, url func(testing.TB) string) {
		p, chain, w, base := behindProxy(t, url(t), "")
		var once atomic.Bool
		p.Set(func(_ int, r *http.Request) s3test.Fault {
			if r.Method != http.MethodPut || !once.CompareAndSwap(false, true) {
				return s3test.Fault{}
			}
			return s3test.Fault{Lose: true, Before: func() {
				if _, err := w.Commit(t.Context(), request(snapshot.Continue, base, "quicker", 100)); err != nil {
					t.Error(err)
				}
			}}
		})
		_, err := chain.Commit(t.Context(), request(snapshot.Continue, base, "slower", 100))
		var lost *snapshot.ErrContinued
		if !errors.As(err, &lost) || lost.Run != "quicker" {
			t.Error(err)
		}
	})
}

// A server that is down for good, or swallows everything: the error says so by type and within its time, and nothing is
// there.
func TestDownForGood(t *testing.T) {
	for name, fault := range map[string]s3test.Fault{
		"refuses": {Lose: true}, "503": {Status: 503, Code: "SlowDown"}, "500": {Status: 500, Code: "InternalError"}, "slow": {Slow: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := s3test.New(t, s3test.Options{})
			p, chain, w, base := behindProxy(t, server.URL("x"), hurried)
			before := len(server.Objects())
			p.Set(func(int, *http.Request) s3test.Fault { return fault })
			within, cancel := context.WithTimeout(t.Context(), 20*time.Second) // what only a hang uses up
			defer cancel()
			_, headed := chain.Head(within, main)
			_, committed := chain.Commit(within, request(snapshot.Continue, base, "the-run", 100))
			_, checked := chain.Check(within)
			_, removed := chain.Delete(within, base, snapshottest.Noon(), "test")
			for what, err := range map[string]error{"head": headed, "commit": committed, "check": checked, "delete": removed} {
				if !errors.Is(err, s3.ErrUnavailable) || errors.Is(err, snapshot.ErrNotFound) {
					t.Errorf("%s: %v", what, err)
				}
			}
			p.Set(nil)
			if after := len(server.Objects()); after != before {
				t.Errorf("%d objects, before %d", after, before)
			}
			w.WantHead(main, base)
		})
	}
}

// A caller that gives up is told its own reason, not that the server is down.
func TestCallerGivesUp(t *testing.T) {
	server := s3test.New(t, s3test.Options{})
	p, chain, _, base := behindProxy(t, server.URL("x"), "&timeout=1m")
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	p.Set(func(int, *http.Request) s3test.Fault {
		return s3test.Fault{Slow: true, Before: func() { cancel(enough) }}
	})
	if _, err := chain.Load(ctx, base); !errors.Is(err, enough) || errors.Is(err, s3.ErrUnavailable) {
		t.Error(err)
	}
}

// A clock that is wrong by more than signatures allow is named, and what to do; by less, it has no say in anything.
func TestWrongClock(t *testing.T) {
	server := s3test.New(t, s3test.Options{})
	w := world(t, quick(t, server.URL("x")))
	base := w.First(main).ID
	for _, off := range []time.Duration{-10 * time.Minute, 10 * time.Minute} {
		server.Set(func(o *s3test.Options) { o.Now = func() time.Time { return time.Now().Add(off) } })
		base = w.Next(base).ID
	}
	for _, off := range []time.Duration{-20 * time.Minute, 20 * time.Minute, 24 * 365 * time.Hour} {
		server.Set(func(o *s3test.Options) { o.Now = func() time.Time { return time.Now().Add(off) } })
		before := len(server.Objects())
		_, err := w.Commit(t.Context(), request(snapshot.Continue, base, "the-run", 100))
		if !errors.Is(err, s3.ErrClock) || !strings.Contains(err.Error(), "set this machine's clock") {
			t.Errorf("%v off: %v", off, err)
		}
		if after := len(server.Objects()); after != before {
			t.Errorf("%v off: %d objects, before %d", off, after, before)
		}
	}
	server.Set(func(o *s3test.Options) { o.Now = time.Now })
	w.WantHead(main, base)
}

// TestRefusedCredentials answers as servers do to whom they do not let in: never taken for something that is not there.
func TestRefusedCredentials(t *testing.T) {
	for _, answer := range []struct {
		status int
		code   string
	}{{403, "AccessDenied"}, {403, "InvalidAccessKeyId"}, {403, "SignatureDoesNotMatch"}, {401, "Unauthorized"}, {404, "XAdminUserNotFound"}, {400, "ExpiredToken"}, {400, "InvalidToken"}} {
		server := s3test.New(t, s3test.Options{})
		s := quick(t, server.URL("x"))
		server.Set(func(o *s3test.Options) {
			o.Answer = func(w http.ResponseWriter, r *http.Request) bool {
				s3test.Fail(w, r, answer.status, answer.code, "no")
				return true
			}
		})
		_, opened := s3.Open(t.Context(), target(t, server.URL("x")), s3.Options{Random: rand.Reader})
		_, made := s3.Create(t.Context(), target(t, server.URL("x")), s3.Options{Random: rand.Reader})
		_, got := s.Get(t.Context(), "snapshots/a/x.json")
		for _, err := range []error{opened, made, got} {
			if !errors.Is(err, snapshot.ErrForbidden) || !errors.Is(err, snapshot.ErrDenied) || errors.Is(err, snapshot.ErrNotFound) {
				t.Errorf("%d %s: %v", answer.status, answer.code, err)
			}
		}
	}
}

// What a server, or whoever answers in its place, sends: nobody falls over it, nothing of it reaches a terminal as it is,
// and no secret is in an error.
func TestHostileAnswers(t *testing.T) {
	for name, answer := range map[string]func(w http.ResponseWriter, r *http.Request){
		"a login page": func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>please pay") },
		"nothing":      func(w http.ResponseWriter, _ *http.Request) {},
		"escapes":      func(w http.ResponseWriter, r *http.Request) { s3test.Fail(w, r, 400, "Bad\x1b[2J", "\x1b]0;x\a") },
		"our secret": func(w http.ResponseWriter, r *http.Request) {
			s3test.Fail(w, r, 403, "AccessDenied", "bad key "+s3test.Key+" "+s3test.Secret)
		},
		"a huge error":       func(w http.ResponseWriter, r *http.Request) { s3test.Fail(w, r, 400, "X", strings.Repeat("x", 1<<20)) },
		"another one's page": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) },
		"a redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusTemporaryRedirect)
		},
		"a lying length": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "99")
			fmt.Fprint(w, "x")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := s3test.New(t, s3test.Options{})
			s := quick(t, server.URL("x"))
			chain, err := s.Snapshots()
			if err != nil {
				t.Fatal(err)
			}
			base := world(t, s).First(main).ID
			server.Set(func(o *s3test.Options) {
				o.Answer = func(w http.ResponseWriter, r *http.Request) bool { answer(w, r); return true }
			})
			_, committed := chain.Commit(t.Context(), request(snapshot.Continue, base, "the-run", 100))
			_, opened := s3.Open(t.Context(), target(t, server.URL("x")), s3.Options{Random: rand.Reader})
			for _, err := range []error{committed, opened} {
				if err == nil || strings.ContainsAny(err.Error(), "\x1b\a") || len(err.Error()) > 2000 ||
					strings.Contains(err.Error(), s3test.Secret) || strings.Contains(err.Error(), s3test.Key) {
					t.Errorf("%.300v", err)
				}
			}
		})
	}
}
