package snapshot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"session/internal/canon"
)

// ImportLimits bound what a file may ask for. Zero values are replaced by 1 GiB and one million lines.
type ImportLimits struct {
	Bytes int64
	Lines int
}

func (l ImportLimits) orUsual() ImportLimits {
	if l.Bytes == 0 {
		l.Bytes = 1 << 30
	}
	if l.Lines == 0 {
		l.Lines = 1_000_000
	}
	return l
}

// Imported is what an import did.
type Imported struct {
	Added []ID // in the order of the file
	Known int  // snapshots that were here already, byte for byte
	// Removed were deleted here, and stay so.
	Removed []ID
	// Tips are the newest of each line in the file: what it was made for.
	Tips []ID
}

// Import adds the snapshots of an export. The whole file is read and judged first: form, sizes, digests, the chain, and
// that every id follows from its lineage; nothing is written before. Then parents go before children, so an import that
// dies leaves whole snapshots, and the next one goes on.
//
// It moves no head: the head of a path follows ids that only this store's own id leads to, and a file brings none of those
// except what a snapshot that is here names as its parent, byte for byte. Imported lines can be loaded, forked, and be
// what a path's first snapshot stands on.
//
// Errors: ErrInvalid (no export, or not whole), ErrTooLarge, *ErrConflict (a known id with other content, or an id in
// this store's name that it does not know), *ErrCorrupt (what is here is damaged).
func (s *Store) Import(ctx context.Context, r io.ReadSeeker, limits ImportLimits) (Imported, error) {
	start, err := r.Seek(0, io.SeekCurrent)
	if err != nil {
		return Imported{}, fmt.Errorf("import: %w", err)
	}
	im := importer{Store: s, limits: limits.orUsual(), items: map[ID]*item{}, graves: map[ID]*item{}, blobs: map[string]bool{}, slots: map[string]ID{}}
	err = im.read(ctx, r, im.judge)
	if err == nil {
		err = im.compare(ctx)
	}
	if err == nil {
		_, err = r.Seek(start, io.SeekStart)
	}
	if err == nil {
		err = im.store(ctx)
	}
	if err == nil {
		err = im.read(ctx, r, func(l line) error { return im.write(ctx, l) })
	}
	if err == nil {
		err = im.announce(ctx)
	}
	if err != nil {
		return Imported{}, fmt.Errorf("import: %w", err)
	}
	return im.result(), nil
}

// item is what is kept of a manifest or tombstone between the two readings.
type item struct {
	Manifest        // without parts' contents
	digest   string // of the manifest
	grave    string // digest of the tombstone
	maker    StoreID
	child    bool // something in the file continues it
	known    bool // here already
	buried   bool // removed here
}

type importer struct {
	*Store
	limits ImportLimits
	stores []StoreID
	order  []ID            // of items
	items  map[ID]*item    // manifests
	graves map[ID]*item    // tombstones
	blobs  map[string]bool // digests; true: a manifest names it
	slots  map[string]ID   // announcements by key
	steps  int             // that makerOf took
}

// judge checks one line against those before it.
func (im *importer) judge(l line) error {
	switch {
	case l.Header != nil:
		return im.header(*l.Header)
	case l.Tombstone != nil:
		return im.grave(l.Tombstone)
	case l.Blob != nil:
		return im.blobLine(*l.Blob)
	case l.Manifest != nil:
		return im.manifestLine(l.Manifest)
	case l.Autosave != nil:
		return im.autosave(*l.Autosave)
	}
	return im.complete()
}

func (im *importer) header(h exportHeader) error {
	const most = 64
	if h.Format > exportFormat {
		return fmt.Errorf("%w: the file has format %d, this program reads up to %d: use a newer one", ErrInvalid, h.Format, exportFormat)
	}
	if h.Format < 1 || len(h.Stores) > most || !slices.IsSorted(h.Stores) || slices.Contains(h.Stores, "") {
		return fmt.Errorf("%w: no header of an export", ErrInvalid)
	}
	im.stores = h.Stores
	return nil
}

func (im *importer) grave(raw []byte) error {
	id, err := idOf(raw)
	if err != nil {
		return err
	}
	t, err := parseTombstone(id, raw)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if err := im.once(t.ID); err != nil {
		return err
	}
	im.graves[t.ID] = &item{Manifest: *t.manifest(), digest: t.Digest, grave: canon.Digest(raw)}
	return nil
}

func (im *importer) blobLine(b exportBlob) error {
	if _, twice := im.blobs[b.Digest]; twice || canon.Digest(b.Value) != b.Digest || len(b.Value) <= inlineMax || len(b.Value) > MaxPart {
		return fmt.Errorf("%w: blob %q is not what its digest names, stands there twice, or has no size of a blob", ErrInvalid, cut(b.Digest))
	}
	im.blobs[b.Digest] = false
	return nil
}

func (im *importer) manifestLine(raw []byte) error {
	id, err := idOf(raw)
	if err != nil {
		return err
	}
	m, err := parseManifest(id, raw)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if err := errors.Join(im.once(m.ID), im.names(&m)); err != nil {
		return err
	}
	im.items[m.ID] = &item{Manifest: m, digest: canon.Digest(raw)}
	im.order = append(im.order, m.ID)
	return im.lineage(im.items[m.ID])
}

// once refuses an id that stood in the file before.
func (im *importer) once(id ID) error {
	if im.graves[id] != nil || im.items[id] != nil {
		return fmt.Errorf("%w: snapshot %s stands in the file twice", ErrInvalid, id)
	}
	return nil
}

// names notes which blobs a manifest names, and takes its inlined parts out of memory.
func (im *importer) names(m *Manifest) error {
	return m.Parts.each(func(name string, p *Part) error {
		if p.Inline != nil {
			p.Inline = nil
			return nil
		}
		if _, ok := im.blobs[p.Digest]; !ok {
			return fmt.Errorf("%w: %s of snapshot %s is missing", ErrInvalid, name, m.ID)
		}
		im.blobs[p.Digest] = true
		return nil
	})
}

// lineage checks a manifest against its parent, which stands before it, and its id against its lineage.
func (im *importer) lineage(m *item) error {
	if err := im.makerOf(m); err != nil {
		return err
	}
	if m.Parent == "" {
		return im.lineOf(m)
	}
	p := im.items[m.Parent]
	if p == nil {
		p = im.graves[m.Parent]
	}
	switch {
	case p == nil:
		return fmt.Errorf("%w: snapshot %s stands before its parent %s, or without it", ErrInvalid, m.ID, m.Parent)
	case p.digest != m.ParentDigest || p.Depth != m.Depth-1:
		return fmt.Errorf("%w: snapshot %s was not built on %s as it is in the file", ErrInvalid, m.ID, m.Parent)
	case p.Kind == Auto:
		return fmt.Errorf("%w: snapshot %s: %w", ErrInvalid, m.ID, ErrLeaf)
	}
	if p.maker == "" {
		if err := im.makerOf(p); err != nil {
			return err
		}
	}
	if m.Kind == Continue && (p.Line != m.Line || p.Path != m.Path || p.maker != m.maker) {
		return fmt.Errorf("%w: snapshot %s is on another line than what it continues", ErrInvalid, m.ID)
	}
	im.continues(m)
	return im.lineOf(m)
}

// continues notes that the snapshot before m on its line is not the newest, removed ones in between not counted.
func (im *importer) continues(m *item) {
	for m != nil && m.Kind == Continue {
		if p := im.items[m.Parent]; p != nil {
			p.child = true
			return
		}
		m = im.graves[m.Parent]
	}
}

// makerOf finds the store of the header that a snapshot's id follows from.
func (im *importer) makerOf(m *item) error {
	for _, store := range im.stores {
		made, err := madeBy(store, &m.Manifest, im.step)
		if err != nil {
			return err
		}
		if made {
			m.maker = store
			return nil
		}
	}
	return fmt.Errorf("%w: the id %s does not follow from its lineage in any of the file's stores", ErrInvalid, m.ID)
}

// step is a look of madeBy past a tombstone. Real files take about one a store and line; a file can be made to take
// the square of its length.
func (im *importer) step(id ID) (bool, error) {
	if im.steps++; im.steps > im.limits.Lines*(len(im.stores)+10) {
		return false, fmt.Errorf("%w: its ids take too many steps to derive", ErrTooLarge)
	}
	return im.graves[id] != nil, nil
}

// lineOf keeps an autosave on a line of its own store: the others are checked with their parents.
func (im *importer) lineOf(m *item) error {
	if m.Kind != Auto {
		return nil
	}
	if p := im.items[m.Line]; p != nil && p.maker == m.maker {
		return nil
	}
	begin := item{Manifest: Manifest{ID: m.Line, Kind: First, Path: m.Path}}
	if g := im.graves[m.Line]; g != nil {
		begin.Manifest = g.Manifest
	}
	err := im.makerOf(&begin)
	if errors.Is(err, ErrTooLarge) {
		return err
	}
	if err != nil || begin.maker != m.maker {
		return fmt.Errorf("%w: autosave %s is on a line of another store", ErrInvalid, m.ID)
	}
	return nil
}

func (im *importer) autosave(a exportAutosave) error {
	m := im.items[a.ID]
	if m == nil || m.Kind != Auto || m.Line != a.Line || a.Number < 0 || a.Number > 1<<26 {
		return fmt.Errorf("%w: announcement %d of %s names no autosave of its line", ErrInvalid, a.Number, cut(string(a.Line)))
	}
	key := slotKey(a.Line, a.Number)
	if im.slots[key] != "" {
		return fmt.Errorf("%w: announcement %d of line %s stands there twice", ErrInvalid, a.Number, a.Line)
	}
	im.slots[key] = a.ID
	return nil
}

// complete checks what only the end shows.
func (im *importer) complete() error {
	for d, named := range im.blobs {
		if !named {
			return fmt.Errorf("%w: no snapshot names blob %s", ErrInvalid, d)
		}
	}
	for _, t := range im.graves {
		if err := im.makerOf(t); err != nil {
			return err
		}
	}
	return nil
}

// idOf reads the id of a manifest or tombstone that is still to be judged.
func idOf(raw []byte) (ID, error) {
	var is struct {
		ID ID `json:"session_id"`
	}
	err := lenient(raw, &is)
	return is.ID, err
}

func lenient(raw []byte, v any) error {
	if len(raw) > maxManifest {
		return fmt.Errorf("%w: a manifest of %d bytes", ErrTooLarge, len(raw))
	}
	if err := json.Unmarshal(raw, v); err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return nil
}
