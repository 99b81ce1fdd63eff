package snapshot

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// sweep removes blobs that no snapshot names. A commit that finds its blob stored already writes nothing, so a sweep may
// take a blob away between that look and the manifest. Both sides look twice: the commit makes sure of the blob after its
// manifest, the sweep keeps what it takes in the trash, looks for new manifests, and puts back what one of them names.
// Whichever comes second sees the other.
func (s *Store) sweep(ctx context.Context, digests []string) ([]string, error) {
	used, err := s.usedBlobs(ctx)
	if err != nil {
		return nil, err
	}
	for _, d := range digests {
		if used[d] {
			continue
		}
		if err := s.toTrash(ctx, d); err != nil {
			return nil, err
		}
	}
	return s.emptyTrash(ctx)
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

func (s *Store) toTrash(ctx context.Context, digest string) error {
	data, err := s.objects.Get(ctx, blobKey(digest))
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err == nil {
		err = s.objects.PutNew(ctx, trashKey(digest), data)
	}
	if err != nil && !errors.Is(err, ErrExists) {
		return fmt.Errorf("sweep blob %s: %w", digest, err)
	}
	return s.objects.Delete(ctx, blobKey(digest))
}

// emptyTrash looks at the manifests as they are now, puts back what they name, and removes the rest. A sweep that was cut
// short left its trash to this one.
func (s *Store) emptyTrash(ctx context.Context) (gone []string, err error) {
	var trash []string
	err = s.objects.List(ctx, trashDir, func(i Info) error {
		if d := strings.TrimPrefix(i.Key, trashDir); isDigest(d) {
			trash = append(trash, d)
		}
		return nil
	})
	if err != nil || len(trash) == 0 {
		return nil, err
	}
	used, err := s.usedBlobs(ctx)
	if err != nil {
		return nil, err
	}
	for _, d := range trash {
		if used[d] {
			err = s.fromTrash(ctx, d)
		}
		if err != nil {
			return gone, err
		}
		if err = s.objects.Delete(ctx, trashKey(d)); err != nil {
			return gone, err
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
