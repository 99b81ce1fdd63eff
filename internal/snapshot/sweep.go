package snapshot

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// A sweep cannot know whether a run that commits right now found its blob stored already and is about to name it. So a
// blob that no snapshot names goes to the trash first and from there a collection later, if still none names it: the
// trash is looked through by everybody who misses a blob, and what is named by then is put back. The time between, the
// policy's age, is longer than any run takes from its look to its manifest.

// sweep empties what is old in the trash, then moves blobs there. It returns what is gone for good.
func (s *Store) sweep(ctx context.Context, digests []string, before time.Time) (gone []string, err error) {
	if before.IsZero() {
		return nil, nil
	}
	used, err := s.usedBlobs(ctx)
	if err != nil {
		return nil, err
	}
	if gone, err = s.emptyTrash(ctx, used, before); err != nil {
		return gone, err
	}
	for _, d := range digests {
		if used[d] {
			continue
		}
		if err := s.toTrash(ctx, d); err != nil {
			return gone, err
		}
	}
	return gone, nil
}

// usedBlobs are the digests that manifests name. What cannot be read might name any, so it ends the sweep.
func (s *Store) usedBlobs(ctx context.Context) (map[string]bool, error) {
	g, err := s.Graph(ctx)
	if err != nil {
		return nil, err
	}
	if len(g.Damaged) > 0 {
		return nil, g.Damaged[0]
	}
	used := map[string]bool{}
	for i := range g.Nodes {
		_ = g.Nodes[i].Parts.each(func(_ string, p *Part) error { used[p.Digest] = true; return nil })
	}
	return used, nil
}

// toTrash leaves a blob that is in the trash already: its age there counts from the first time.
func (s *Store) toTrash(ctx context.Context, digest string) error {
	data, err := s.objects.Get(ctx, blobKey(digest))
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err == nil {
		err = s.objects.PutNew(ctx, trashKey(digest), data)
	}
	if errors.Is(err, ErrExists) {
		return nil
	}
	if err == nil {
		err = s.objects.Delete(ctx, blobKey(digest))
	}
	if err != nil {
		return fmt.Errorf("sweep blob %s: %w", digest, err)
	}
	return nil
}

// trash lists digests in the trash that went there before a time.
func (s *Store) trash(ctx context.Context, before time.Time) (old []string, err error) {
	return old, s.objects.List(ctx, trashDir, func(i Info) error {
		if d := strings.TrimPrefix(i.Key, trashDir); isDigest(d) && i.ModTime.Before(before) {
			old = append(old, d)
		}
		return nil
	})
}

func (s *Store) emptyTrash(ctx context.Context, used map[string]bool, before time.Time) (gone []string, err error) {
	old, err := s.trash(ctx, before)
	if err != nil {
		return nil, err
	}
	for _, d := range old {
		if used[d] {
			if err := s.fromTrash(ctx, d); err != nil {
				return gone, err
			}
		}
		if err := s.objects.Delete(ctx, trashKey(d)); err != nil {
			return gone, fmt.Errorf("empty the trash: %w", err)
		}
		if !used[d] {
			gone = append(gone, d)
		}
	}
	return gone, nil
}

func (s *Store) fromTrash(ctx context.Context, digest string) error {
	data, err := s.objects.Get(ctx, trashKey(digest))
	if err == nil {
		err = s.objects.PutNew(ctx, blobKey(digest), data)
	}
	if err != nil && !errors.Is(err, ErrExists) && !errors.Is(err, ErrNotFound) {
		return fmt.Errorf("put blob %s back: %w", digest, err)
	}
	return nil
}
