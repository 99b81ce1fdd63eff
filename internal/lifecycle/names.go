package lifecycle

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// The ids. All are made by the caller, and are plain names: 1 to 128 letters, digits, '.', '-', '_', ':'.
type (
	// ID is a Session's. It is unique in a store, across owners, for ever. Of a work tree's own Session it is the path's
	// line: the id of its first snapshot.
	ID string
	// Owner is a user. No Owner sees anything of another.
	Owner string
	// RunID is one execution, or one attempt of a job.
	RunID string
	// PlanID names a Session's plan through all its versions.
	PlanID string
	// TodoID is unique in its Session.
	TodoID string
	// RequestID is unique in its Session.
	RequestID string
	// Snapshot is the id of a snapshot, opaque here.
	Snapshot string
)

// Key is a Session as its Owner names it.
type Key struct {
	Owner Owner
	ID    ID
}

// Check refuses names that are not plain; errors.Is ErrInvalid.
func (k Key) Check() error {
	if err := plain("owner", k.Owner); err != nil {
		return err
	}
	return plain("session", k.ID)
}

const (
	maxName = 128
	maxText = 1 << 20 // of an input, a response, a plan, in bytes
)

func plain[T ~string](what string, name T) error {
	if name == "" || len(name) > maxName || strings.ContainsFunc(string(name), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune(".-_:@", r)
	}) {
		return fmt.Errorf("%w: %.40q is no id of a %s: 1 to %d letters, digits and any of . - _ : @", ErrInvalid, string(name), what, maxName)
	}
	return nil
}

// optional is plain, or nothing.
func optional[T ~string](what string, name T) error {
	if name == "" {
		return nil
	}
	return plain(what, name)
}

// text refuses what not every database can hold.
func text(what, s string) error {
	switch {
	case len(s) > maxText:
		return fmt.Errorf("%w: %s is longer than %d bytes", ErrInvalid, what, maxText)
	case !utf8.ValidString(s), strings.ContainsRune(s, 0):
		return fmt.Errorf("%w: %s is no text: it is not UTF-8, or has a zero in it", ErrInvalid, what)
	}
	return nil
}

// said refuses what is blank, besides what text does.
func said(what, s string) error {
	if strings.TrimSpace(s) == "" {
		return fmt.Errorf("%w: %s is blank", ErrInvalid, what)
	}
	return text(what, s)
}

// document refuses what is neither nothing nor JSON.
func document(what string, d json.RawMessage) error {
	if d == nil {
		return nil
	}
	if !json.Valid(d) {
		return fmt.Errorf("%w: %s is no JSON", ErrInvalid, what)
	}
	return text(what, string(d))
}

// moment is a time as it is stored: UTC, whole milliseconds.
func moment(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.UTC().Truncate(time.Millisecond)
}

// first is the first error of several checks.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
