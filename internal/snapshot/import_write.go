package snapshot

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"session/internal/canon"
)

// compare holds the file against what is here. Nothing has been written yet.
func (im *importer) compare(ctx context.Context) error {
	var ours []*item
	for _, id := range im.order {
		it := im.items[id]
		if err := im.compareItem(ctx, it); err != nil {
			return err
		}
		if it.maker == im.id && !it.known && !it.buried {
			ours = append(ours, it)
		}
	}
	if err := im.vouched(ctx, ours); err != nil {
		return err
	}
	if err := im.compareBlobs(ctx); err != nil {
		return err
	}
	return im.compareSlots(ctx)
}

func (im *importer) compareItem(ctx context.Context, it *item) error {
	_, digest, err := im.Store.manifest(ctx, it.ID)
	var removed *ErrRemoved
	switch {
	case errors.As(err, &removed):
		it.buried = true
		return nil
	case err != nil:
		return notFoundIsNil(err)
	case digest != it.digest:
		return &ErrConflict{ID: it.ID, Why: fmt.Sprintf("it is known here with the digest %s, the file has %s", digest, it.digest)}
	}
	it.known = true
	return nil
}

// vouched lets snapshots in this store's own name return only if one that is here, or returns, was built on them: anybody
// who has seen an export could make up the next snapshot of one of our paths.
func (im *importer) vouched(ctx context.Context, ours []*item) error {
	if len(ours) == 0 {
		return nil
	}
	g, err := im.Graph(ctx)
	if err != nil {
		return err
	}
	built := map[ID]string{}
	for i := range g.Nodes {
		built[g.Nodes[i].Parent] = g.Nodes[i].ParentDigest
	}
	for _, it := range slices.Backward(ours) { // children before parents
		if built[it.ID] != it.digest {
			return &ErrConflict{ID: it.ID, Why: "the file says that this store made it, and this store does not know it: import into a store of its own"}
		}
		built[it.Parent] = it.ParentDigest
	}
	return nil
}

// compareBlobs refuses to build on a blob that is here and damaged.
func (im *importer) compareBlobs(ctx context.Context) error {
	for d := range im.blobs {
		if _, err := im.Store.blob(ctx, d); err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
	}
	return nil
}

// compareSlots keeps announcements of lines that are not ours, and refuses to announce two autosaves under one number.
func (im *importer) compareSlots(ctx context.Context) error {
	for key, id := range im.slots {
		it := im.items[id]
		if it.maker == im.id || it.buried {
			delete(im.slots, key)
			continue
		}
		line, n, _ := parseSlotKey(key)
		is, err := im.slot(ctx, line, n)
		if err == nil && is != id {
			return &ErrConflict{ID: id, Why: fmt.Sprintf("autosave %d of its line is %s here", n, is)}
		}
		if notFoundIsNil(err) != nil {
			return err
		}
	}
	return nil
}

// store notes whose snapshots are here from now on.
func (im *importer) store(ctx context.Context) error {
	for _, id := range im.stores {
		if id == im.id {
			continue
		}
		if err := im.put(ctx, storesDir+string(id), []byte(id)); err != nil {
			return err
		}
	}
	return nil
}

func (im *importer) put(ctx context.Context, key string, data []byte) error {
	err := im.objects.PutNew(ctx, key, data)
	if errors.Is(err, ErrExists) {
		return nil
	}
	return err
}

// write stores one line on the second reading. What was judged is known by its digest, so a file that changed in between
// is refused.
func (im *importer) write(ctx context.Context, l line) error {
	switch {
	case l.Blob != nil:
		if canon.Digest(l.Blob.Value) != l.Blob.Digest || !im.blobs[l.Blob.Digest] {
			return errChanged()
		}
		return im.putBlob(ctx, l.Blob.Digest, l.Blob.Value)
	case l.Manifest != nil:
		return im.writeManifest(ctx, l.Manifest)
	case l.Tombstone != nil:
		return im.writeGrave(ctx, l.Tombstone)
	}
	return nil
}

func errChanged() error { return fmt.Errorf("%w: the file changed while it was read", ErrInvalid) }

func (im *importer) writeManifest(ctx context.Context, raw []byte) error {
	id, err := idOf(raw)
	if err != nil {
		return err
	}
	it := im.items[id]
	if it == nil || it.digest != canon.Digest(raw) {
		return errChanged()
	}
	if it.known || it.buried {
		return nil
	}
	err = im.objects.PutNew(ctx, snapshotKey(it.ID), raw)
	if errors.Is(err, ErrExists) { // since we compared
		_, digest, err := im.Store.manifest(ctx, it.ID)
		if err == nil && digest != it.digest {
			err = &ErrConflict{ID: it.ID, Why: "it was made here in this instant, with another content"}
		}
		return err
	}
	return err
}

// writeGrave takes over tombstones of other stores. One in our own name is ours to set.
func (im *importer) writeGrave(ctx context.Context, raw []byte) error {
	var t Tombstone
	if err := lenient(raw, &t); err != nil {
		return err
	}
	it := im.graves[t.ID]
	if it == nil || it.grave != canon.Digest(raw) {
		return errChanged()
	}
	if it.maker == im.id {
		return nil
	}
	_, err := im.objects.Get(ctx, snapshotKey(t.ID))
	if errors.Is(err, ErrNotFound) {
		return im.put(ctx, tombstoneKey(t.ID), raw)
	}
	return err // alive here: that stands
}

func (im *importer) announce(ctx context.Context) error {
	for key, id := range im.slots {
		raw, err := canon.Marshal(slot{ID: id})
		if err == nil {
			err = im.put(ctx, key, raw)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (im *importer) result() Imported {
	var r Imported
	for _, id := range im.order {
		it := im.items[id]
		switch {
		case it.known:
			r.Known++
		case it.buried:
			r.Removed = append(r.Removed, id)
		default:
			r.Added = append(r.Added, id)
		}
		if !it.child && it.Kind != Auto {
			r.Tips = append(r.Tips, id)
		}
	}
	return r
}
