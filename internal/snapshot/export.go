package snapshot

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"

	"session/internal/canon"
)

// exportFormat is the version of the file that Export writes.
const exportFormat = 1

// line is one line of an export: exactly one member is set. Each line is canonical JSON, so the bytes of a manifest or a
// part stand in the file as they stand in the store, and exporting what was imported gives the same file again.
//
//	{"header":{"session_export":1,"stores":[…]}}         whose snapshots these are
//	{"tombstone":{…}}                                    removed ancestors, lowest first
//	{"blob":{"digest":…,"value":…}}                      before the first manifest that names it
//	{"manifest":{…}}                                     parents before children
//	{"autosave":{"line":…,"number":…,"session_id":…}}    announcements
//	{"end":{"lines":…,"sha256":…}}                       of everything before
type line struct {
	Header    *exportHeader   `json:"header,omitempty"`
	Tombstone json.RawMessage `json:"tombstone,omitempty"`
	Blob      *exportBlob     `json:"blob,omitempty"`
	Manifest  json.RawMessage `json:"manifest,omitempty"`
	Autosave  *exportAutosave `json:"autosave,omitempty"`
	End       *exportEnd      `json:"end,omitempty"`
}

type exportHeader struct {
	Format int       `json:"session_export"`
	Stores []StoreID `json:"stores"`
}

type exportBlob struct {
	Digest string          `json:"digest"`
	Value  json.RawMessage `json:"value"`
}

type exportAutosave struct {
	Line   ID  `json:"line"`
	Number int `json:"number"`
	ID     ID  `json:"session_id"`
}

type exportEnd struct {
	Lines  int    `json:"lines"`
	SHA256 string `json:"sha256"`
}

// Export writes snapshots with all their ancestors as one stream of JSON lines. Each is read whole first: what is damaged
// is not exported (*ErrCorrupt). Autosaves are exported if ids name them.
func (s *Store) Export(ctx context.Context, w io.Writer, ids ...ID) error {
	e := exporter{Store: s, out: bufio.NewWriterSize(w, 64<<10), sum: sha256.New(), nodes: map[ID]Ancestor{},
		graves: map[ID]Tombstone{}, makers: map[StoreID]bool{}, written: map[string]bool{}}
	err := e.collect(ctx, ids)
	if err == nil {
		err = e.write(ctx)
	}
	if err == nil {
		err = e.out.Flush()
	}
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return nil
}

type exporter struct {
	*Store
	out     *bufio.Writer
	sum     hash.Hash
	lines   int
	nodes   map[ID]Ancestor // without inlined parts
	graves  map[ID]Tombstone
	makers  map[StoreID]bool
	stores  []StoreID
	written map[string]bool // digests of blobs
}

// collect walks to the roots, and notes what shows that each id follows from its lineage.
func (e *exporter) collect(ctx context.Context, ids []ID) (err error) {
	if e.stores, err = e.knownStores(ctx); err != nil {
		return err
	}
	for _, id := range ids {
		for a, err := range e.Walk(ctx, id) {
			if err != nil {
				return err
			}
			if _, seen := e.nodes[a.ID]; seen && a.Removed == nil {
				break
			}
			if err := e.take(ctx, a); err != nil {
				return err
			}
		}
	}
	return nil
}

func (e *exporter) take(ctx context.Context, a Ancestor) error {
	if a.Removed != nil {
		return e.takeGrave(ctx, *a.Removed)
	}
	_ = a.Parts.each(func(_ string, p *Part) error { p.Inline = nil; return nil })
	e.nodes[a.ID] = a
	return e.maker(ctx, &a.Manifest)
}

func (e *exporter) takeGrave(ctx context.Context, t Tombstone) error {
	if _, seen := e.graves[t.ID]; seen {
		return nil
	}
	e.graves[t.ID] = t
	return e.maker(ctx, t.manifest())
}

// maker finds the store that made m, and takes along the tombstones that its id was derived past.
func (e *exporter) maker(ctx context.Context, m *Manifest) error {
	for _, store := range e.stores {
		var past []Tombstone
		made, err := madeBy(store, m, func(id ID) (bool, error) {
			t, err := e.tombstone(ctx, id)
			if err != nil {
				return false, notFoundIsNil(err)
			}
			past = append(past, t)
			return true, nil
		})
		if err != nil {
			return err
		}
		if !made {
			continue
		}
		e.makers[store] = true
		for _, t := range past {
			if err := e.takeGrave(ctx, t); err != nil {
				return err
			}
		}
		return nil
	}
	return errLineage(m.ID)
}

func (e *exporter) write(ctx context.Context) error {
	h := exportHeader{Format: exportFormat, Stores: []StoreID{}}
	for s := range e.makers {
		h.Stores = append(h.Stores, s)
	}
	slices.Sort(h.Stores)
	if err := e.put(line{Header: &h}); err != nil {
		return err
	}
	for _, t := range sorted(e.graves, func(t Tombstone) (int, ID) { return t.Depth, t.ID }) {
		raw, err := canon.Marshal(&t)
		if err != nil {
			return err
		}
		if err := e.put(line{Tombstone: raw}); err != nil {
			return err
		}
	}
	for _, a := range sorted(e.nodes, func(a Ancestor) (int, ID) { return a.Depth, a.ID }) {
		if err := e.snapshot(ctx, a); err != nil {
			return err
		}
	}
	if err := e.announcements(ctx); err != nil {
		return err
	}
	return e.put(line{End: &exportEnd{Lines: e.lines, SHA256: hex.EncodeToString(e.sum.Sum(nil))}})
}

// sorted gives the values of m in the order of depth, then id.
func sorted[V any](m map[ID]V, key func(V) (int, ID)) []V {
	var all []V
	for _, v := range m {
		all = append(all, v)
	}
	slices.SortFunc(all, func(a, b V) int {
		ad, ai := key(a)
		bd, bi := key(b)
		return cmp.Or(cmp.Compare(ad, bd), cmp.Compare(ai, bi))
	})
	return all
}

func (e *exporter) snapshot(ctx context.Context, a Ancestor) error {
	sn, err := e.Load(ctx, a.ID)
	if err != nil {
		return err
	}
	if sn.Digest != a.Digest {
		return &ErrCorrupt{ID: a.ID, What: "manifest", Why: errors.New("it changed while it was exported")}
	}
	parts := map[string][]byte{"environment_state": sn.Bundle.Environment, "context_state": sn.Bundle.Context, "message_history_state": sn.Bundle.Messages}
	err = sn.Parts.each(func(name string, p *Part) error {
		if p.Inline != nil || e.written[p.Digest] {
			return nil
		}
		e.written[p.Digest] = true
		return e.put(line{Blob: &exportBlob{Digest: p.Digest, Value: parts[name]}})
	})
	if err != nil {
		return err
	}
	raw, err := canon.Marshal(&sn.Manifest)
	if err != nil {
		return err
	}
	return e.put(line{Manifest: raw})
}

// announcements writes the numbers of the autosaves that are in the file.
func (e *exporter) announcements(ctx context.Context) error {
	slots, err := e.slots(ctx)
	if err != nil {
		return err
	}
	var all []exportAutosave
	for id, at := range slots {
		if _, ok := e.nodes[id]; ok {
			all = append(all, exportAutosave{Line: at.line, Number: at.n, ID: id})
		}
	}
	slices.SortFunc(all, func(a, b exportAutosave) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Number, b.Number))
	})
	for _, a := range all {
		if err := e.put(line{Autosave: &a}); err != nil {
			return err
		}
	}
	return nil
}

func (e *exporter) put(l line) error {
	raw, err := canon.Marshal(&l)
	if err != nil {
		return err
	}
	raw = append(raw, '\n')
	e.lines++
	e.sum.Write(raw)
	_, err = e.out.Write(raw)
	return err
}
