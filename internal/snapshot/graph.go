package snapshot

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"session/internal/canon"
)

// Node is one row of a lineage picture: a manifest without its inlined parts.
type Node struct {
	Manifest
	Digest string
	Head   bool // the newest of its line
}

// Graph is what the store holds, newest first.
type Graph struct {
	// Nodes are sorted by depth, deepest first, then by line and id: every snapshot comes before its parent.
	Nodes []Node
	// Damaged are snapshots whose manifests cannot be read.
	Damaged []*ErrCorrupt
}

// Graph reads every manifest. It costs what the store holds, so nothing on the way of a save calls it.
func (s *Store) Graph(ctx context.Context) (Graph, error) {
	var g Graph
	err := s.objects.List(ctx, snapshotsDir, func(i Info) error {
		id, err := keyID(i.Key)
		if err != nil {
			return nil // Check reports what is no snapshot
		}
		n, err := s.node(ctx, id)
		var bad *ErrCorrupt
		switch {
		case errors.Is(err, ErrNotFound): // removed meanwhile
		case errors.As(err, &bad):
			g.Damaged = append(g.Damaged, bad)
		case err != nil:
			return err
		default:
			g.Nodes = append(g.Nodes, n)
		}
		return nil
	})
	if err != nil {
		return Graph{}, fmt.Errorf("read the lineage: %w", err)
	}
	g.order()
	return g, nil
}

// node reads a manifest for its place in the lineage; Load and Check look at every byte.
func (s *Store) node(ctx context.Context, id ID) (Node, error) {
	raw, err := s.get(ctx, snapshotKey(id), id, "manifest")
	if err != nil {
		return Node{}, err
	}
	var m Manifest
	if err := json.Unmarshal(raw, &m); err != nil {
		return Node{}, &ErrCorrupt{ID: id, What: "manifest", Why: err}
	}
	if err := m.check(id); err != nil {
		return Node{}, &ErrCorrupt{ID: id, What: "manifest", Why: err}
	}
	_ = m.Parts.each(func(_ string, p *Part) error { p.Inline = nil; return nil })
	return Node{Manifest: m, Digest: canon.Digest(raw)}, nil
}

func (g *Graph) order() {
	slices.SortFunc(g.Nodes, func(a, b Node) int {
		return cmp.Or(cmp.Compare(b.Depth, a.Depth), cmp.Compare(a.Line, b.Line), cmp.Compare(a.ID, b.ID))
	})
	newest := map[ID]bool{}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Kind != Auto && !newest[n.Line] {
			newest[n.Line], n.Head = true, true
		}
	}
}

// byID is for lookups.
func (g *Graph) byID() map[ID]*Node {
	m := make(map[ID]*Node, len(g.Nodes))
	for i := range g.Nodes {
		m[g.Nodes[i].ID] = &g.Nodes[i]
	}
	return m
}

// Children are the snapshots whose parent id is: its continuation, forks, autosaves, and first snapshots of other paths.
// It reads every manifest.
func (s *Store) Children(ctx context.Context, id ID) ([]Node, error) {
	g, err := s.Graph(ctx)
	if err != nil {
		return nil, err
	}
	var c []Node
	for _, n := range g.Nodes {
		if n.Parent == id {
			c = append(c, n)
		}
	}
	return c, nil
}

// PathInfo is one path that has snapshots.
type PathInfo struct {
	Path      Path
	Line      ID
	Head      Node
	Snapshots int // of the line that are still there, autosaves not counted
	Autosaves int
	Foreign   bool // an imported line: no work tree of ours stands on it
}

// Paths lists every path that has snapshots, in the order of their names. It reads every manifest rather than believe
// the pointers.
func (s *Store) Paths(ctx context.Context) ([]PathInfo, error) {
	g, err := s.Graph(ctx)
	if err != nil {
		return nil, err
	}
	var all []PathInfo
	for _, p := range g.lines() {
		if p.Snapshots == 0 { // only autosaves so far
			continue
		}
		own, err := s.madeHere(ctx, &p.Head.Manifest)
		if err != nil {
			return nil, err
		}
		p.Foreign = !own
		all = append(all, *p)
	}
	slices.SortFunc(all, func(a, b PathInfo) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line))
	})
	return all, nil
}

// lines counts the nodes of each line.
func (g *Graph) lines() map[ID]*PathInfo {
	lines := map[ID]*PathInfo{}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		p := lines[n.Line]
		if p == nil {
			p = &PathInfo{Path: n.Path, Line: n.Line}
			lines[n.Line] = p
		}
		p.count(n)
	}
	return lines
}

func (p *PathInfo) count(n *Node) {
	if n.Kind == Auto {
		p.Autosaves++
		return
	}
	p.Snapshots++
	if n.Head {
		p.Head = *n
	}
}
