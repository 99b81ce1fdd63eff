package app

import (
	"context"
	"slices"

	"session/internal/memory"
	"session/internal/session"
	"session/internal/snapshot"
)

// keepMemory says anew, in the newest snapshot of each line, what only snapshots remember that are about to go: what was
// learned outlives the record of when. It gives the number of things said anew.
func (c *lineage) keepMemory(ctx context.Context, remove []snapshot.Removal) (n int, err error) {
	going := map[snapshot.ID][]snapshot.ID{} // line → its snapshots that go
	for _, r := range remove {
		if r.Kind != snapshot.Auto { // a save took its memory in
			going[r.Line] = append(going[r.Line], r.ID)
		}
	}
	if len(going) == 0 {
		return 0, nil
	}
	all, err := c.memorySessions(ctx)
	if err != nil {
		return 0, err
	}
	for _, x := range all {
		if len(going[x.line]) == 0 || x.foreign {
			continue
		}
		items, err := c.onlyIn(ctx, x, going[x.line])
		if err != nil {
			return n, err
		}
		if len(items) == 0 {
			continue
		}
		err = c.remember(ctx, x, "gc", new(RememberResult), func(b *session.Bundle) (err error) {
			b.Context.Memory, err = rawItems(items)
			return err
		})
		if err != nil {
			return n, err
		}
		n += len(items)
	}
	return n, nil
}

// onlyIn is what a session still remembers, and only these of its snapshots say.
func (c *lineage) onlyIn(ctx context.Context, x memorySession, going []snapshot.ID) ([]memory.Item, error) {
	said := map[memory.ID]bool{}
	for _, id := range going {
		one, err := readBatch(ctx, c.store, id)
		if err != nil {
			return nil, err
		}
		for _, it := range one.Add {
			said[it.ID] = true
		}
	}
	all, err := chainBatch(ctx, c.store, x.head)
	if err != nil {
		return nil, err
	}
	for a, err := range c.store.Walk(ctx, x.head) {
		if err != nil || a.Removed == nil && a.Line != x.line {
			return kept(all.Add, said), err
		}
		if a.Removed != nil || slices.Contains(going, a.ID) {
			continue
		}
		one, err := readBatch(ctx, c.store, a.ID)
		if err != nil {
			return nil, err
		}
		for _, it := range one.Add {
			delete(said, it.ID)
		}
	}
	return kept(all.Add, said), nil
}

func kept(items []memory.Item, said map[memory.ID]bool) []memory.Item {
	return slices.DeleteFunc(items, func(it memory.Item) bool { return !said[it.ID] })
}
