package snapshot

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// pointersOf compares every path's pointer with its head, and looks for heads that cannot be read.
func (c *checker) pointersOf(ctx context.Context) error {
	err := c.pointers.Each(ctx, func(name string, p Pointer, err error) error {
		switch {
		case isCorrupt(err): // of which path, the loop below finds: its head has no straight pointer
			c.add(Problem{Kind: PointerOff, Subject: name, Detail: err.Error()})
			return nil
		case err != nil:
			return err
		}
		c.paths[p.Path] = true
		return nil
	})
	if err != nil {
		return err
	}
	for path := range c.paths {
		if err := c.path(ctx, path); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) path(ctx context.Context, path Path) error {
	at, err := c.Head(ctx, path)
	if err == nil && at.Head != nil {
		_, err = c.Load(ctx, at.Head.ID)
	}
	var bad *ErrCorrupt
	if errors.As(err, &bad) {
		c.newest(bad.ID, path)
		return nil
	}
	if err != nil {
		return err
	}
	if at.Head != nil && at.Pointer == PointerStraight {
		return c.digestOf(ctx, at)
	}
	c.pointer(at)
	return nil
}

// pointer reports a pointer that does not name the head.
func (c *checker) pointer(at Position) {
	p := Problem{Kind: PointerOff, Subject: string(at.Path), Repair: "set the path's pointer to its newest snapshot", fix: setPointer}
	switch {
	case at.Head != nil:
		p.ID, p.Detail = at.Head.ID, fmt.Sprintf("%s: the newest is %s", at.Pointer, at.Head.ID)
	case at.Pointer == PointerWrong:
		p.Detail = "names a snapshot, and the path has none"
	default:
		return
	}
	c.add(p)
}

// digestOf compares a newest snapshot with what its pointer says about it: no child does yet.
func (c *checker) digestOf(ctx context.Context, at Position) error {
	p, err := c.pointers.Pointer(ctx, at.Path)
	if err != nil || p.Head != at.Head.ID || p.Digest == at.Digest {
		return err
	}
	c.add(Problem{Kind: BrokenChain, Subject: snapshotKey(p.Head), ID: p.Head,
		Detail: fmt.Sprintf("its digest is %s, the pointer of its path says %s: one of them was altered", at.Digest, cut(p.Digest))})
	return nil
}

// newest is a head that cannot be read: the only damage that keeps a path from going on.
func (c *checker) newest(id ID, path Path) {
	p := c.bad[id]
	if p == nil {
		p = &Problem{Kind: Damaged, Subject: snapshotKey(id), ID: id, Detail: "the newest snapshot cannot be read"}
		c.bad[id] = p
	}
	p.Detail += fmt.Sprintf("; it is the newest of %q", cut(string(path)))
	p.Repair, p.fix = "set it aside (its bytes are kept), so that the path goes on from the snapshot before it", setAside
}

// autosaves looks for autosaves that the next save would not take in, and for announcements of nothing.
func (c *checker) autosaves(ctx context.Context) error {
	said := map[ID]bool{}
	err := c.objects.List(ctx, autosavesDir, func(i Info) error {
		line, n, ok := parseSlotKey(i.Key)
		if !ok {
			return c.unknown(i.Key, "announcement")
		}
		id, err := c.slot(ctx, line, n)
		if err != nil {
			return c.damaged(i.Key, "", err)
		}
		said[id] = true
		c.announced(id, line, n)
		return nil
	})
	c.unannounced(said)
	return err
}

func (c *checker) unannounced(said map[ID]bool) {
	for _, n := range c.nodes {
		if n.Kind == Auto && n.own && !said[n.ID] {
			c.add(Problem{Kind: Unannounced, Subject: snapshotKey(n.ID), ID: n.ID, Detail: "the autosave's run died before it announced it",
				Repair: "announce it, so that the next save takes it in", fix: announceIt})
		}
	}
}

// announced offers to let saves pass over an announced autosave that is lost or damaged.
func (c *checker) announced(id, line ID, n int) {
	if c.nodes[id] != nil || c.graves[id] != nil {
		return
	}
	if c.bad[id] == nil {
		c.bad[id] = &Problem{Kind: Lost, Subject: snapshotKey(id), ID: id, Detail: fmt.Sprintf("autosave %d of line %s was announced", n, line)}
	}
	if p := c.bad[id]; p.fix == noFix {
		p.Repair, p.fix = "put a tombstone in its place (what is left of it is kept), so that saves pass over it", setAside
	}
}

// leftovers lists what writers that died left behind.
func (c *checker) leftovers(ctx context.Context) error {
	l, ok := c.objects.(Litterer)
	if !ok {
		return nil
	}
	return l.Litter(ctx, func(i Info) error {
		c.add(Problem{Kind: Leftover, Subject: i.Key, Detail: fmt.Sprintf("%d bytes of a writer that died, or still writes", i.Size),
			Repair: "remove it if it is older than an hour", fix: clearLitter})
		return nil
	})
}

// knownStores are this store, first, and those whose snapshots were imported.
func (s *Store) knownStores(ctx context.Context) ([]StoreID, error) {
	stores := []StoreID{s.id}
	err := s.objects.List(ctx, storesDir, func(i Info) error {
		if id, err := ParseStoreID(strings.TrimPrefix(i.Key, storesDir)); err == nil && id != s.id {
			stores = append(stores, id)
		}
		return nil
	})
	slices.Sort(stores[1:])
	return stores, err
}
