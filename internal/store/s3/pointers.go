package s3

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"session/internal/snapshot"
)

// pointerKey names a path's pointer by a hash: ref names may have what keys may not.
func (s *Store) pointerKey(path snapshot.Path) string {
	return pathsDir + string(snapshot.FirstID(s.id, path)) + ".json"
}

// Point implements snapshot.Pointers.
func (s *Store) Point(ctx context.Context, p snapshot.Pointer) error {
	raw, err := json.Marshal(p)
	if err == nil {
		err = s.put(ctx, s.pointerKey(p.Path), append(raw, '\n'), "")
	}
	return s.explain(ctx, fmt.Sprintf("set the pointer of %q", p.Path), err)
}

// Pointer implements snapshot.Pointers.
func (s *Store) Pointer(ctx context.Context, path snapshot.Path) (snapshot.Pointer, error) {
	p, err := s.readPointer(ctx, s.pointerKey(path))
	return p, s.explain(ctx, fmt.Sprintf("read the pointer of %q", path), err)
}

func (s *Store) readPointer(ctx context.Context, key string) (p snapshot.Pointer, err error) {
	raw, err := s.get(ctx, key, smallBody)
	if errors.Is(err, snapshot.ErrNoObject) {
		return p, &snapshot.ErrCorrupt{What: "pointer " + key, Why: err}
	}
	if err != nil {
		return p, err
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil || p.Head == "" || p.Path == "" {
		return snapshot.Pointer{}, &snapshot.ErrCorrupt{What: "pointer " + key, Why: errors.Join(errors.New("no pointer"), err)}
	}
	return p, nil
}

// Each implements snapshot.Pointers.
func (s *Store) Each(ctx context.Context, fn func(name string, p snapshot.Pointer, err error) error) error {
	err := s.list(ctx, pathsDir, func(i snapshot.Info) error {
		p, err := s.readPointer(ctx, i.Key)
		var corrupt *snapshot.ErrCorrupt
		switch {
		case errors.Is(err, snapshot.ErrNotFound):
			return nil
		case err != nil && !errors.As(err, &corrupt):
			return err
		case err == nil && s.pointerKey(p.Path) != i.Key:
			err = &snapshot.ErrCorrupt{What: "pointer " + i.Key, Why: fmt.Errorf("is that of another path, %q", p.Path)}
		}
		if err := fn(i.Key, p, err); err != nil {
			return &callback{err}
		}
		return nil
	})
	var own *callback
	if errors.As(err, &own) {
		return own.error
	}
	return s.explain(ctx, "list pointers", err)
}

// Unpoint implements snapshot.Pointers.
func (s *Store) Unpoint(ctx context.Context, path snapshot.Path) error {
	return s.explain(ctx, fmt.Sprintf("remove the pointer of %q", path), s.remove(ctx, s.pointerKey(path)))
}
