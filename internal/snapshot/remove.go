package snapshot

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"session/internal/canon"
)

// Delete removes one snapshot and leaves a Tombstone under its id. Snapshots after it stay, and walks pass over it; if
// it was its path's newest, the one before is the head again and the next save gets a new id. Its large parts go with the
// next Sweep. now and why go into the tombstone. Whoever deletes holds the path's lease. Errors: ErrNotFound, *ErrRemoved,
// *ErrCorrupt (Repair sets damaged ones aside).
func (s *Store) Delete(ctx context.Context, id ID, now time.Time, why string) (Tombstone, error) {
	m, digest, err := s.manifest(ctx, id)
	if err != nil {
		return Tombstone{}, fmt.Errorf("delete: %w", err)
	}
	t := m.tombstone(digest, now, why)
	if err := s.bury(ctx, t); err != nil {
		return Tombstone{}, fmt.Errorf("delete snapshot %s: %w", id, err)
	}
	if m.Kind != Auto {
		err = s.repoint(ctx, m.Path, id)
	}
	if err != nil {
		return t, fmt.Errorf("delete snapshot %s: it is gone, its path's pointer is not set: %w", id, err)
	}
	return t, nil
}

// bury puts the tombstone, then takes the manifest away. Cut short in between, the tombstone decides: nothing is built on
// the snapshot any more, and Repair finishes.
func (s *Store) bury(ctx context.Context, t Tombstone) error {
	raw, err := canon.Marshal(&t)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if err := s.objects.PutNew(ctx, tombstoneKey(t.ID), raw); err != nil && !errors.Is(err, ErrExists) {
		return fmt.Errorf("write tombstone: %w", err)
	}
	return s.objects.Delete(context.WithoutCancel(ctx), snapshotKey(t.ID))
}

// repoint moves the pointer of a path away from a snapshot that was removed.
func (s *Store) repoint(ctx context.Context, path Path, from ID) error {
	p, err := s.pointers.Pointer(ctx, path)
	if errors.Is(err, ErrNotFound) || isCorrupt(err) || err == nil && p.Head != from {
		return nil
	}
	if err != nil {
		return err
	}
	return s.point(ctx, path)
}

// point writes a path's pointer anew.
func (s *Store) point(ctx context.Context, path Path) error {
	at, err := s.Head(ctx, path)
	if err != nil {
		return err
	}
	if at.Head == nil {
		return s.pointers.Unpoint(ctx, path)
	}
	return s.pointers.Point(ctx, Pointer{Path: path, Head: at.Head.ID, Digest: at.Digest})
}

// DeleteLine removes every snapshot of a line, autosaves too, oldest first, and returns what it removed also when it ends
// with an error; called again it goes on. The path can begin anew afterwards.
func (s *Store) DeleteLine(ctx context.Context, line ID, now time.Time, why string) ([]Tombstone, error) {
	g, err := s.Graph(ctx)
	if err != nil {
		return nil, fmt.Errorf("delete line %s: %w", line, err)
	}
	var gone []Tombstone
	for _, n := range slices.Backward(g.Nodes) {
		if n.Line != line {
			continue
		}
		t, err := s.Delete(ctx, n.ID, now, why)
		if err != nil {
			return gone, fmt.Errorf("delete line %s: %w", line, err)
		}
		gone = append(gone, t)
	}
	if err := s.unannounce(ctx, line); err != nil {
		return gone, fmt.Errorf("delete line %s: %w", line, err)
	}
	return gone, nil
}

// unannounce removes all announcements of a line.
func (s *Store) unannounce(ctx context.Context, line ID) error {
	return s.objects.List(ctx, slotsDir(line), func(i Info) error { return s.objects.Delete(ctx, i.Key) })
}
