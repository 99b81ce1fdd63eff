package s3

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"unicode"

	"github.com/minio/minio-go/v7"

	"session/internal/snapshot"
)

// What callers tell apart besides what else package snapshot names.
var (
	ErrUnavailable   = snapshot.ErrUnavailable
	ErrRefused       = snapshot.ErrRefused
	ErrForbidden     = snapshot.ErrForbidden
	ErrClock         = snapshot.ErrClock
	ErrNoBucket      = snapshot.ErrNoBucket
	ErrNoStore       = snapshot.ErrNoRemote
	ErrUnconditional = snapshot.ErrUnconditional
)

// ErrFormat says that a store is of a later program, or that its store.json is damaged.
type ErrFormat = snapshot.ErrRemoteFormat

// explain says what an operation met. ctx is the caller's own: its end is told apart from a server that was too slow.
func (s *Store) explain(ctx context.Context, op string, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", op, context.Cause(ctx))
	}
	if errors.Is(err, ErrNoBucket) && s.id != "" {
		err = fmt.Errorf("%w: %w", snapshot.ErrVanished, err)
	}
	return fmt.Errorf("%s in %s: %w", op, s.at, err)
}

// classify turns what the library says into what callers tell apart, in words without secrets.
func (s *Store) classify(err error) error {
	if err == nil || errors.Is(err, ErrRefused) {
		return err
	}
	answer := minio.ToErrorResponse(err)
	if answer.StatusCode == 0 && answer.Code == "" {
		return s.classifyNetwork(err)
	}
	return fmt.Errorf("%w: %s", kindOf(answer), s.quote(fmt.Sprintf("%s (%d): %s", answer.Code, answer.StatusCode, answer.Message)))
}

// kindOf names an answer by its code, which says more than the status, and then by the status.
func kindOf(a minio.ErrorResponse) error {
	byCode := map[string]error{
		"NoSuchBucket": ErrNoBucket, "NoSuchKey": snapshot.ErrNotFound, "PreconditionFailed": snapshot.ErrExists,
		"RequestTimeTooSkewed": ErrClock, "SlowDown": ErrUnavailable, "RequestTimeout": ErrUnavailable, "InternalError": ErrUnavailable,
		"ConditionalRequestConflict": errConflict, "OperationAborted": errConflict, "ServiceUnavailable": ErrUnavailable,
		"ExpiredToken": ErrForbidden, "InvalidToken": ErrForbidden, "NoSuchVersion": snapshot.ErrNotFound,
		"XMinioStorageFull": snapshot.ErrFull, "QuotaExceeded": snapshot.ErrFull, "XMinioAdminBucketQuotaExceeded": snapshot.ErrFull,
	}
	if kind := byCode[a.Code]; kind != nil {
		return kind
	}
	switch {
	case a.StatusCode == http.StatusNotFound && a.Code == "":
		return snapshot.ErrNotFound
	case a.StatusCode == http.StatusNotFound:
		return ErrForbidden // not what was asked for is missing: a user, say (versitygw)
	case a.StatusCode == http.StatusPreconditionFailed:
		return snapshot.ErrExists
	case a.StatusCode == http.StatusUnauthorized, a.StatusCode == http.StatusForbidden:
		return ErrForbidden
	case a.StatusCode == http.StatusInsufficientStorage:
		return snapshot.ErrFull
	case a.StatusCode == http.StatusNotImplemented:
		return ErrRefused
	case a.StatusCode == http.StatusConflict:
		return errConflict
	case a.StatusCode >= 500, a.StatusCode == http.StatusTooManyRequests, a.StatusCode == http.StatusRequestTimeout:
		return ErrUnavailable
	}
	return ErrRefused
}

// classifyNetwork is for what happened before there was an answer.
func (s *Store) classifyNetwork(err error) error {
	var request *url.Error
	if errors.As(err, &request) {
		err = request.Err // without the URL
	}
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	switch {
	case errors.As(err, &certificate):
		return fmt.Errorf("%w: its certificate: %s: name its authority with ca=FILE", ErrRefused, s.quote(certificate.Err.Error()))
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		return fmt.Errorf("%w: it does not speak TLS: write insecure=1 into the URL", ErrRefused)
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled): // ours: the caller's was looked at before
		return fmt.Errorf("%w: it took too long", ErrUnavailable)
	}
	var op *net.OpError
	if errors.As(err, &op) && op.Err != nil && (op.Op == "write" || op.Op == "readfrom") {
		return fmt.Errorf("%w: %s: %s", errCut, op.Op, s.quote(op.Err.Error()))
	}
	if op != nil && op.Err != nil {
		return fmt.Errorf("%w: %s: %s", ErrUnavailable, op.Op, s.quote(op.Err.Error()))
	}
	return fmt.Errorf("%w: %s", ErrUnavailable, s.quote(err.Error()))
}

// quote makes foreign words fit for printing: short, on one line, without our keys in them.
func (s *Store) quote(said string) string {
	const most = 300
	for _, secret := range []string{s.at.keys.secret, s.at.keys.token, s.at.keys.id} {
		if secret != "" {
			said = strings.ReplaceAll(said, secret, "***")
		}
	}
	said = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, said)
	if r := []rune(said); len(r) > most {
		said = string(r[:most]) + "…"
	}
	return said
}
