package snapshot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"session/internal/canon"
)

// setAside takes a damaged snapshot out of its chain: bytes kept, a tombstone in its place.
func (m *mender) setAside(ctx context.Context, p Problem) (why string, err error) {
	t, err := m.grave(ctx, p)
	if err != nil || t.Line == "" {
		return "its place in the chain is unknown", err
	}
	return m.leased(ctx, m.LeaseKey(t.Path), func() error {
		if whole, err := m.whole(ctx, p); whole || err != nil {
			return err
		}
		raw, err := canon.Marshal(&t)
		if err != nil {
			return err
		}
		if err := m.objects.PutNew(ctx, tombstoneKey(t.ID), raw); err != nil && !errors.Is(err, ErrExists) {
			return err
		}
		if _, err := m.moveAside(ctx, snapshotKey(t.ID)); err != nil {
			return err
		}
		if t.Kind == Auto {
			return nil
		}
		return m.point(ctx, t.Path)
	})
}

// whole reports whether a snapshot is sound after all: somebody brought it back since Check looked.
func (m *mender) whole(ctx context.Context, p Problem) (bool, error) {
	sn, err := m.Load(ctx, p.ID)
	if isCorrupt(err) || isGone(err) {
		return false, nil
	}
	if err != nil || p.child == "" {
		return err == nil, err
	}
	child, _, err := m.manifest(ctx, p.child)
	return child.ParentDigest == sn.Digest, err
}

// grave makes the tombstone of a damaged snapshot from what is known of it: its own manifest, or else its neighbours in
// the chain, its announcement, or its path.
func (m *mender) grave(ctx context.Context, p Problem) (Tombstone, error) {
	const why = "damaged: set aside by repair"
	own, digest, err := m.manifest(ctx, p.ID)
	if err == nil && p.child == "" {
		return own.tombstone(digest, m.run.Now, why), nil
	}
	raw, err := m.objects.Get(ctx, snapshotKey(p.ID))
	if err != nil && !errors.Is(err, ErrNoObject) && !errors.Is(err, ErrNotFound) {
		return Tombstone{}, err
	}
	t := Tombstone{ID: p.ID, Kind: Continue, RunID: "unknown", Digest: canon.Digest(raw), Removed: stamp(m.run.Now), Why: why}
	read := legible(raw)
	if word(read.Run) {
		t.RunID = read.Run
	}
	g, err := m.Graph(ctx)
	if err != nil {
		return t, err
	}
	if n := m.before(ctx, &g, p.ID); n != nil {
		t.Parent, t.ParentDigest, t.Line, t.Path, t.Depth = n.ID, n.Digest, n.Line, n.Path, n.Depth+1
	} else if err := m.alone(ctx, &t, read); err != nil {
		return t, err
	}
	if child := g.byID()[p.child]; child != nil {
		t.Digest, t.Depth = child.ParentDigest, child.Depth-1
		if child.Kind == Continue {
			t.Line, t.Path = child.Line, child.Path
		}
	}
	return t, nil
}

// before finds the snapshot that id continues, removed ones in between not counted.
func (m *mender) before(ctx context.Context, g *Graph, id ID) *Node {
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Kind == Auto || n.ID == id {
			continue
		}
		next := NextID(m.id, n.ID)
		for next != id {
			if _, err := m.tombstone(ctx, next); err != nil {
				break
			}
			next = NextID(m.id, next)
		}
		if next == id {
			return n
		}
	}
	return nil
}

// rest is what may still be legible of a damaged manifest.
type rest struct {
	Path Path   `json:"path"`
	Run  string `json:"run_id"`
}

func legible(raw []byte) (r rest) {
	_ = json.Unmarshal(raw, &r) // what cannot be read stays empty and fits nothing
	return r
}

// alone fills in what is known of a snapshot that continues nothing: it was announced as an autosave, or a path fits it.
func (m *mender) alone(ctx context.Context, t *Tombstone, read rest) error {
	slots, err := m.slots(ctx)
	if err != nil {
		return err
	}
	if a, ok := slots[t.ID]; ok {
		t.Kind, t.Line, t.Path = Auto, a.line, read.Path
		return nil
	}
	paths := []Path{read.Path}
	err = m.pointers.Each(ctx, func(_ string, p Pointer, err error) error {
		if err == nil {
			paths = append(paths, p.Path)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read the pointers: %w", err)
	}
	i := slices.IndexFunc(paths, func(p Path) bool { return p != "" && FirstID(m.id, p) == t.ID })
	fork, ok := read.Path.fork()
	switch {
	case i >= 0:
		t.Kind, t.Line, t.Path = First, t.ID, paths[i]
	case ok && fork == t.ID:
		t.Kind, t.Line, t.Path = Fork, t.ID, read.Path
	}
	return nil
}
