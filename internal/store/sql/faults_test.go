package sql

import (
	"bytes"
	"errors"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"session/internal/lifecycle"
	"session/internal/linktest"
)

// server is a PostgreSQL of a test's own, which it may stop.
type server struct {
	t       *testing.T
	dir     string
	address string
}

func ownServer(t *testing.T) *server {
	t.Helper()
	demand(t) // where there is one, there is the program
	s := &server{t: t, dir: filepath.Join(t.TempDir(), "services")}
	for dir := filepath.Dir(s.dir); len(dir) > len(os.TempDir()); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil { // PostgreSQL runs as somebody else when we are root
			t.Fatal(err)
		}
	}
	s.services("up", s.dir, "postgres")
	t.Cleanup(func() { s.services("down", s.dir) })
	out := s.services("env", s.dir)
	_, rest, _ := strings.Cut(out, "SESSION_TEST_POSTGRES='")
	s.address, _, _ = strings.Cut(rest, "'")
	return s
}

func (s *server) services(args ...string) string {
	s.t.Helper()
	var out, bad bytes.Buffer
	cmd := exec.Command("../../../scripts/services.sh", args...)
	cmd.Stdout, cmd.Stderr = &out, &bad
	if err := cmd.Run(); err != nil {
		s.t.Fatalf("services.sh %v: %v\n%s", args, err, bad.String())
	}
	return out.String()
}

func (s *server) set(text ...string) {
	s.t.Helper()
	admin, err := Open(s.address+"&options=-c%20default_transaction_read_only%3Doff", Patience{}, drivers())
	if err != nil {
		s.t.Fatal(err)
	}
	for _, q := range text {
		if _, err := admin.db.Exec(q); err != nil {
			s.t.Fatal(err)
		}
	}
	if err := admin.Close(); err != nil {
		s.t.Fatal(err)
	}
}

func patient(t *testing.T, address string, p Patience) (*DB, Records) {
	t.Helper()
	d, err := Open(address, p, drivers())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	r, err := d.Records(t.Context(), lifecycle.Options{Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	return d, r
}

var faultKey = lifecycle.Key{Owner: "ann", ID: "s1"}

// TestPostgresFaults is the fault table of PostgreSQL. After each row the records say what was answered, and the next call
// is served.
func TestPostgresFaults(t *testing.T) {
	s := ownServer(t)
	_, r := patient(t, s.address, Patience{})
	ctx := t.Context()
	if _, err := r.Create(ctx, lifecycle.Draft{ID: "s1", Owner: "ann"}); err != nil {
		t.Fatal(err)
	}
	cause := []lifecycle.Cause{lifecycle.Start, lifecycle.Pause, lifecycle.Resume, lifecycle.Pause, lifecycle.Resume, lifecycle.Pause, lifecycle.Resume}
	next := func(t *testing.T, r Records) error {
		t.Helper()
		before, err := r.Get(ctx, faultKey)
		if err != nil {
			t.Fatal(err)
		}
		_, err = r.Change(ctx, faultKey, lifecycle.Change{Version: before.Version, Cause: cause[before.Events-1]})
		return err
	}
	same := func(t *testing.T, version int64) {
		t.Helper()
		if got, err := r.Get(ctx, faultKey); err != nil || got.Version != version {
			t.Errorf("version %d, want %d: %v", got.Version, version, err)
		}
	}

	t.Run("restarted under a call", func(t *testing.T) {
		s.services("stop", s.dir, "postgres")
		var change sync.WaitGroup
		change.Go(func() { // while it is away
			if _, err := r.Change(ctx, faultKey, lifecycle.Change{Version: 1, Cause: lifecycle.Start}); err != nil {
				t.Error(err)
			}
		})
		s.services("start", s.dir, "postgres")
		change.Wait()
		same(t, 2)
	})
	t.Run("stopped", func(t *testing.T) {
		_, short := patient(t, s.address, Patience{Away: 300 * time.Millisecond})
		s.services("stop", s.dir, "postgres")
		_, err := short.Change(ctx, faultKey, lifecycle.Change{Version: 2, Cause: lifecycle.Pause})
		if !errors.Is(err, ErrUnavailable) {
			t.Errorf("when it stays away: %v", err)
		}
		s.services("start", s.dir, "postgres")
		same(t, 2)
	})
	t.Run("read-only", func(t *testing.T) {
		s.set("ALTER SYSTEM SET default_transaction_read_only = on", "SELECT pg_reload_conf()")
		var err error
		for !errors.Is(err, ErrReadOnly) { // reloading takes a moment
			if err = next(t, r); err != nil && !errors.Is(err, ErrReadOnly) {
				t.Fatal(err)
			}
		}
		now, err := r.Get(ctx, faultKey)
		if err != nil {
			t.Errorf("reading: %v", err)
		}
		s.set("ALTER SYSTEM RESET default_transaction_read_only", "SELECT pg_reload_conf()")
		same(t, now.Version)
		for err = ErrReadOnly; errors.Is(err, ErrReadOnly); {
			err = next(t, r)
		}
		if err != nil {
			t.Error(err)
		}
	})
	t.Run("slow, cut off, answers lost", func(t *testing.T) { throughLink(t, s, r) })
	t.Run("out of connections", func(t *testing.T) { crowded(t, s) })
}

// throughLink changes the Session through a network that fails.
func throughLink(t *testing.T, s *server, r Records) {
	u, err := url.Parse(s.address)
	if err != nil {
		t.Fatal("no URL")
	}
	link := linktest.New(t, u.Host)
	u.Host = link.Addr()
	_, far := patient(t, u.String(), Patience{Away: 500 * time.Millisecond, Answer: time.Second})
	for name, break_ := range map[string]func(){"stalled": link.Stall, "cut": link.Cut, "muted": link.Mute} {
		before := must(r.Get(t.Context(), faultKey))
		break_()
		_, err := far.Change(t.Context(), faultKey, lifecycle.Change{Version: before.Version, Tokens: 1})
		if !errors.Is(err, ErrUnavailable) && !errors.Is(err, ErrUncertain) {
			t.Errorf("%s: %v", name, err)
		}
		if strings.Contains(err.Error(), "secret") || u.User != nil && strings.Contains(err.Error(), password(u)) {
			t.Errorf("%s: the error tells the password", name)
		}
		link.Mend()
		after := must(r.Get(t.Context(), faultKey))
		if errors.Is(err, ErrUnavailable) && after.Version != before.Version {
			t.Errorf("%s: recorded, and said not to be", name)
		}
		var changed *lifecycle.ChangedError
		for range 20 { // what was held back may still arrive: the version refuses to count it twice
			_, err = far.Change(t.Context(), faultKey, lifecycle.Change{Version: before.Version, Tokens: 1})
			if err == nil || errors.As(err, &changed) {
				break
			}
		}
		if err != nil && changed == nil {
			t.Errorf("%s, afterwards: %v", name, err)
		}
		if got := must(r.Get(t.Context(), faultKey)); got.TokensUsed != before.TokensUsed+1 {
			t.Errorf("%s: %d tokens, want one more than %d", name, got.TokensUsed, before.TokensUsed)
		}
	}
}

func password(u *url.URL) string {
	p, _ := u.User.Password()
	return p
}

// crowded lets others take every connection.
func crowded(t *testing.T, s *server) {
	s.set("ALTER SYSTEM SET max_connections = 8", "ALTER SYSTEM SET superuser_reserved_connections = 0")
	s.services("stop", s.dir, "postgres")
	s.services("start", s.dir, "postgres")
	_, r := patient(t, s.address, Patience{Away: 300 * time.Millisecond})
	others, err := Open(s.address, Patience{}, drivers())
	if err != nil {
		t.Fatal(err)
	}
	d, err := Open(s.address, Patience{Away: 300 * time.Millisecond}, drivers())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	late := must(d.Records(t.Context(), lifecycle.Options{Now: time.Now}))
	pgPool(d).Reset() // its next call needs a connection
	var taken []*pgxpool.Conn
	for range 8 {
		c, err := pgPool(others).Acquire(t.Context())
		if err != nil {
			break
		}
		taken = append(taken, c)
	}
	if _, err := late.Get(t.Context(), faultKey); !errors.Is(err, ErrUnavailable) {
		t.Errorf("no connection to spare: %v", err)
	}
	if _, err := r.Get(t.Context(), faultKey); err != nil {
		t.Errorf("one that had a connection: %v", err)
	}
	for _, c := range taken {
		c.Release()
	}
	if err := others.Close(); err != nil {
		t.Error(err)
	}
	if _, err := late.Get(t.Context(), faultKey); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}
