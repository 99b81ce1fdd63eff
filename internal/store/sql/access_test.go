package sql

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"
)

func openAccess(t *testing.T, address string) Access {
	t.Helper()
	d, err := Open(address, Patience{}, drivers())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	a, err := d.Access(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestTokensSQLite(t *testing.T) { tokens(t, sqliteAddress(t)) }

func TestTokensPostgres(t *testing.T) {
	demand(t)
	tokens(t, postgresAddress(t))
}

func tokens(t *testing.T, address string) {
	a, ctx, now := openAccess(t, address), t.Context(), time.UnixMilli(1_800_000_000_123).UTC()
	secret := func(name string) string { return strings.Repeat(name, 16) }
	for _, x := range []Token{
		{ID: "t1", Owner: "ada", Label: "laptop", CreatedAt: now},
		{ID: "t2", Owner: "ben", CreatedAt: now, ExpiresAt: now.Add(time.Hour)},
		{ID: "t3", Metrics: true, CreatedAt: now.Add(1)},
	} {
		if err := a.Create(ctx, x, secret(x.ID)); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Create(ctx, Token{ID: "t1", Owner: "eve", CreatedAt: now}, secret("other")); !errors.Is(err, ErrTokenTaken) {
		t.Errorf("an id a second time: %v", err)
	}
	if err := a.Create(ctx, Token{ID: "t9", Owner: "eve", CreatedAt: now}, secret("t1")); !errors.Is(err, ErrTokenTaken) {
		t.Errorf("a secret a second time: %v", err)
	}
	for _, c := range []struct {
		secret string
		at     time.Time
		owner  string
		fails  bool
	}{
		{secret("t1"), now.Add(1e6 * time.Hour), "ada", false},
		{secret("t2"), now.Add(time.Hour - time.Millisecond), "ben", false},
		{secret("t2"), now.Add(time.Hour), "", true},
		{secret("t3"), now, "", false},
		{secret("t1")[1:], now, "", true},
		{hashed(secret("t1")), now, "", true},
		{"", now, "", true},
		{"' OR 1=1 --", now, "", true},
	} {
		x, err := a.Identify(ctx, c.secret, c.at)
		if errors.Is(err, ErrNoToken) != c.fails || !c.fails && x.Owner != c.owner {
			t.Errorf("%.10q at %v: %+v %v", c.secret, c.at, x, err)
		}
	}
	if all, err := a.List(ctx, ""); err != nil || len(all) != 3 || all[0].Label != "laptop" || !all[0].CreatedAt.Equal(now) {
		t.Errorf("%+v %v", all, err)
	}
	if ben, err := a.List(ctx, "ben"); err != nil || len(ben) != 1 || !ben[0].ExpiresAt.Equal(now.Add(time.Hour)) {
		t.Errorf("%+v %v", ben, err)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if _, err := a.Revoke(ctx, "t1", now.Add(time.Minute)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if x, err := a.Revoke(ctx, "t1", now.Add(time.Hour)); err != nil || !x.RevokedAt.Equal(now.Add(time.Minute)) {
		t.Errorf("revoked again: %+v %v", x, err)
	}
	if _, err := a.Identify(ctx, secret("t1"), now); !errors.Is(err, ErrNoToken) {
		t.Errorf("a revoked token holds: %v", err)
	}
	if _, err := a.Revoke(ctx, "t7", now); !errors.Is(err, ErrNoToken) {
		t.Errorf("revoke what is not there: %v", err)
	}
	var stored string
	if err := a.db.db.QueryRowContext(ctx, `SELECT CAST(id AS TEXT) || owner || label || hash FROM access_tokens WHERE id = 't2'`).Scan(&stored); err != nil || strings.Contains(stored, secret("t2")) {
		t.Errorf("the token itself is kept: %v", err)
	}
}
