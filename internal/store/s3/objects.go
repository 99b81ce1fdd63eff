package s3

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"session/internal/snapshot"
)

// checkKey refuses what is no key of an object. Keys are made by package snapshot, but a bug there must not write over
// the store's own.
func checkKey(key string) error {
	const allowed = "abcdefghijklmnopqrstuvwxyz0123456789-_./"
	if !isObject(key) || strings.Trim(key, allowed) != "" || path.Clean("/"+key) != "/"+key {
		return fmt.Errorf("%w: %q is no key of an object", snapshot.ErrInvalid, key)
	}
	return nil
}

// isObject keeps objects apart from what the store keeps for itself.
func isObject(key string) bool {
	return strings.Contains(key, "/") && !strings.HasPrefix(key, pathsDir) && !strings.HasPrefix(key, probeDir)
}

// PutNew implements snapshot.Objects: one PUT that the server refuses to all but the first.
func (s *Store) PutNew(ctx context.Context, key string, data []byte) error {
	if len(data) > snapshot.MaxObject {
		return fmt.Errorf("store %s: %w: %d bytes", key, snapshot.ErrTooLarge, len(data))
	}
	err := checkKey(key)
	if err == nil {
		err = s.putNew(ctx, key, data)
	}
	return s.explain(ctx, "store "+key, err)
}

// Get implements snapshot.Objects.
func (s *Store) Get(ctx context.Context, key string) ([]byte, error) {
	err := checkKey(key)
	var data []byte
	if err == nil {
		data, err = s.get(ctx, key, snapshot.MaxObject)
	}
	return data, s.explain(ctx, "get "+key, err)
}

// callback marks an error as the caller's own, which comes back as it is.
type callback struct{ error }

// List implements snapshot.Objects.
func (s *Store) List(ctx context.Context, prefix string, fn func(snapshot.Info) error) error {
	err := s.list(ctx, prefix, func(i snapshot.Info) error {
		if !isObject(i.Key) {
			return nil
		}
		if err := fn(i); err != nil {
			return &callback{err}
		}
		return nil
	})
	var own *callback
	if errors.As(err, &own) {
		return own.error
	}
	return s.explain(ctx, "list "+prefix, err)
}

// Delete implements snapshot.Objects.
func (s *Store) Delete(ctx context.Context, key string) error {
	err := checkKey(key)
	if err == nil {
		err = s.remove(ctx, key)
	}
	return s.explain(ctx, "delete "+key, err)
}

// Litter implements snapshot.Litterer: what a Create left that was killed while it tried the server.
func (s *Store) Litter(ctx context.Context, fn func(snapshot.Info) error) error {
	err := s.list(ctx, probeDir, func(i snapshot.Info) error {
		if err := fn(i); err != nil {
			return &callback{err}
		}
		return nil
	})
	var own *callback
	if errors.As(err, &own) {
		return own.error
	}
	return s.explain(ctx, "look for leftovers", err)
}

// Clear implements snapshot.Litterer.
func (s *Store) Clear(ctx context.Context, key string) error {
	if name, ok := strings.CutPrefix(key, probeDir); !ok || strings.Contains(name, "/") {
		return fmt.Errorf("clear %q: %w: no leftover of the store", key, snapshot.ErrInvalid)
	}
	return s.explain(ctx, "clear "+key, s.remove(ctx, key))
}
