package sql

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"time"
)

//go:embed migrations/access/*.sql
var accessFiles embed.FS

func accessPart() part {
	return part{"access", accessFiles, "migrations/access/*.sql", "access_migrations"}
}

// Access is the tokens of the service's users. A token is a secret of at least 256 bits, so a plain hash of it keeps it.
type Access struct{ db *DB }

// Token is what is kept of a token: everything but the token. Times are UTC, whole milliseconds; zero: never.
type Token struct {
	ID        string    `json:"id"`
	Owner     string    `json:"user"`    // "" if it only reads metrics
	Label     string    `json:"label"`   // what it is for, in somebody's words
	Metrics   bool      `json:"metrics"` // may read /metrics
	CreatedAt time.Time `json:"created_at"`
	ExpiresAt time.Time `json:"expires_at,omitzero"`
	RevokedAt time.Time `json:"revoked_at,omitzero"`
}

var (
	// ErrNoToken says that a token is unknown, expired or revoked; or that there is none of an id.
	ErrNoToken = errors.New("no such token")
	// ErrTokenTaken says that there is a token of this id already.
	ErrTokenTaken = errors.New("there is such a token already")
)

// Access opens the database's tokens, with their table made if it is not there. Errors: *ForeignSchemaError, those of the
// package.
func (d *DB) Access(ctx context.Context) (Access, error) {
	if err := d.migrate(ctx, accessPart()); err != nil {
		return Access{}, fmt.Errorf("open the tokens in the database: %w", err)
	}
	return Access{d}, nil
}

// Create keeps a token. Errors: ErrTokenTaken.
func (a Access) Create(ctx context.Context, t Token, secret string) error {
	err := a.db.write(ctx, func(x tx) error {
		n, err := x.exec(`INSERT INTO access_tokens (id, owner, label, metrics, hash, created_ms, expires_ms) VALUES ($1, $2, $3, $4, $5, $6, $7)
			ON CONFLICT DO NOTHING`, t.ID, t.Owner, t.Label, bit(t.Metrics), hashed(secret), t.CreatedAt.UnixMilli(), millis(t.ExpiresAt))
		if err == nil && n == 0 {
			err = ErrTokenTaken
		}
		return err
	})
	return tokened("make", t.ID, err)
}

const tokenColumns = `id, owner, label, metrics, created_ms, expires_ms, revoked_ms`

// Identify is the token that a secret is of, if it holds at a time. Errors: ErrNoToken.
func (a Access) Identify(ctx context.Context, secret string, now time.Time) (t Token, err error) {
	err = a.db.read(ctx, func(x tx) (err error) {
		t, err = oneToken(x, `SELECT `+tokenColumns+` FROM access_tokens WHERE hash = $1`, hashed(secret))
		return err
	})
	if err == nil && (!t.RevokedAt.IsZero() || !t.ExpiresAt.IsZero() && !now.Before(t.ExpiresAt)) {
		err = ErrNoToken
	}
	return t, tokened("look up", "", err)
}

// List is all tokens, of one user or with "" of all, the oldest first.
func (a Access) List(ctx context.Context, owner string) (all []Token, err error) {
	err = a.db.read(ctx, func(x tx) error {
		all = nil // a transaction may run again
		return x.each(`SELECT `+tokenColumns+` FROM access_tokens WHERE $1 = '' OR owner = $1 ORDER BY created_ms, id`, []any{owner}, func(scan func(...any) error) error {
			t, err := scanToken(scan)
			all = append(all, t)
			return err
		})
	})
	return all, tokened("list", "", err)
}

// Revoke ends a token for ever. Doing it again changes nothing. Errors: ErrNoToken.
func (a Access) Revoke(ctx context.Context, id string, now time.Time) (t Token, err error) {
	err = a.db.write(ctx, func(x tx) (err error) {
		if _, err = x.exec(`UPDATE access_tokens SET revoked_ms = $1 WHERE id = $2 AND revoked_ms IS NULL`, now.UnixMilli(), id); err != nil {
			return err
		}
		t, err = oneToken(x, `SELECT `+tokenColumns+` FROM access_tokens WHERE id = $1`, id)
		return err
	})
	return t, tokened("revoke", id, err)
}

func oneToken(x tx, query string, by string) (t Token, err error) {
	err = ErrNoToken
	failed := x.each(query, []any{by}, func(scan func(...any) error) error {
		t, err = scanToken(scan)
		return err
	})
	return t, errors.Join(failed, err)
}

func scanToken(scan func(...any) error) (t Token, err error) {
	var metrics int64
	err = scan(&t.ID, &t.Owner, &t.Label, &metrics, instant{&t.CreatedAt}, instant{&t.ExpiresAt}, instant{&t.RevokedAt})
	t.Metrics = metrics == 1
	return t, err
}

func hashed(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

func bit(is bool) int64 {
	if is {
		return 1
	}
	return 0
}

func tokened(what, id string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s token %.80s: %w", what, id, err)
}
