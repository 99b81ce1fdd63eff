package app

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"time"

	"session/internal/lifecycle"
	"session/internal/store/sql"
)

// ErrNoToken says that a token is unknown, expired or revoked.
var ErrNoToken = sql.ErrNoToken

// Token is what is kept of a user's token: everything but the token.
type Token = sql.Token

// Identify is the token that a secret is of. Errors: ErrNoToken, those of the database.
func (s *Service) Identify(ctx context.Context, secret string) (Token, error) {
	return s.access.Identify(ctx, secret, s.place.Now())
}

// TokenOptions are a token that is to be made.
type TokenOptions struct {
	User    string        // a plain name; "" only with Metrics
	Label   string        // what it is for
	Metrics bool          // it may read /metrics
	For     time.Duration // how long it holds; 0: until it is revoked
}

// MadeToken is a new token. The secret is shown this once.
type MadeToken struct {
	Token
	Secret string `json:"token"`
}

// CreateToken makes a token for a user of the service.
func CreateToken(ctx context.Context, p Place, o TokenOptions) (MadeToken, error) {
	if o.User != "" || !o.Metrics {
		if err := (lifecycle.Key{Owner: lifecycle.Owner(o.User), ID: "x"}).Check(); err != nil {
			return MadeToken{}, &UsageError{err}
		}
	}
	if o.For < 0 || len(o.Label) > 200 {
		return MadeToken{}, &UsageError{errors.New("a token holds for some time, and its label is short")}
	}
	return withTokens(ctx, p, func(a sql.Access) (m MadeToken, err error) {
		var b [40]byte
		if _, err := io.ReadFull(p.Random, b[:]); err != nil {
			return m, err
		}
		m.Secret = "sst_" + base64.RawURLEncoding.EncodeToString(b[:32])
		m.Token = Token{ID: hex.EncodeToString(b[32:]), Owner: o.User, Label: o.Label, Metrics: o.Metrics, CreatedAt: p.Now()}
		if o.For > 0 {
			m.ExpiresAt = m.CreatedAt.Add(o.For)
		}
		return m, a.Create(ctx, m.Token, m.Secret)
	})
}

// TokenList is a list of tokens, the oldest first.
type TokenList struct {
	Tokens []Token `json:"tokens"`
}

// ListTokens lists the tokens of a user, or with "" all.
func ListTokens(ctx context.Context, p Place, user string) (TokenList, error) {
	return withTokens(ctx, p, func(a sql.Access) (TokenList, error) {
		all, err := a.List(ctx, user)
		if all == nil {
			all = []Token{}
		}
		return TokenList{all}, err
	})
}

// RevokeToken ends a token for ever. Errors: ErrNoToken.
func RevokeToken(ctx context.Context, p Place, id string) (Token, error) {
	return withTokens(ctx, p, func(a sql.Access) (Token, error) { return a.Revoke(ctx, id, p.Now()) })
}

func withTokens[T any](ctx context.Context, p Place, f func(sql.Access) (T, error)) (T, error) {
	return withSessions(ctx, p, SessionsOptions{}, func(x *Sessions) (r T, err error) {
		a, err := x.db.Access(ctx)
		if err != nil {
			return r, fmt.Errorf("tokens: %w", err)
		}
		return f(a)
	})
}
