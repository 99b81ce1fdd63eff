package snapshot

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// GCRun is what ApplyGC needs of the outside.
type GCRun struct {
	Leases Leaser
	Who    Holder
	Now    time.Time // for the tombstones
}

// GCDone is what a collection did.
type GCDone struct {
	Removed []Removal `json:"removed"`
	Kept    []Kept    `json:"kept"`  // planned to go, and something changed since
	Trash   []string  `json:"trash"` // digests of blobs that are gone for good
}

// ApplyGC removes what a plan names, each snapshot under its path's lease and its own, and only if it still may go. What
// it did is returned also with an error. Interrupted, it leaves a store in which the next collection goes on.
func (s *Store) ApplyGC(ctx context.Context, plan GCPlan, run GCRun) (GCDone, error) {
	c := applier{Store: s, run: run, leases: map[ID]Lease{}}
	err := c.removeAll(ctx, plan.Remove)
	for key := range c.leases {
		err = errors.Join(err, c.release(ctx, key))
	}
	if err == nil {
		err = s.forgetAutosaves(ctx)
	}
	if err == nil {
		c.done.Trash, err = s.sweep(ctx, plan.Blobs, plan.before)
	}
	if err != nil {
		return c.done, fmt.Errorf("collect: %w", err)
	}
	return c.done, nil
}

type applier struct {
	*Store
	run    GCRun
	leases map[ID]Lease // those of paths until the end
	done   GCDone
}

func (c *applier) removeAll(ctx context.Context, all []Removal) error {
	for _, r := range all {
		if err := ctx.Err(); err != nil {
			return err
		}
		why, err := c.removeOne(ctx, r)
		if err != nil {
			return err
		}
		if why != "" {
			c.done.Kept = append(c.done.Kept, Kept{r.ID, why})
		} else {
			c.done.Removed = append(c.done.Removed, r)
		}
	}
	return nil
}

// removeOne looks again under the leases, because the plan was made without. why says that it stays.
func (c *applier) removeOne(ctx context.Context, r Removal) (why string, err error) {
	path := c.LeaseKey(r.Path)
	if ok, err := c.lease(ctx, path); !ok || err != nil {
		return "a run works on its path", err
	}
	if r.ID != path { // a run that forks it holds the snapshot's own lease
		if ok, err := c.lease(ctx, r.ID); !ok || err != nil {
			return "a run works on it", err
		}
		defer func() { err = errors.Join(err, c.release(ctx, r.ID)) }()
	}
	if why, err := c.stays(ctx, r); why != "" || err != nil {
		return why, err
	}
	if _, err := c.Delete(ctx, r.ID, c.run.Now, r.Why); err != nil {
		return "", err
	}
	return "", c.deleteAll(ctx, r.slots)
}

// lease takes a lease that we do not have yet; false: somebody else has it.
func (c *applier) lease(ctx context.Context, key ID) (bool, error) {
	if c.leases[key] != nil {
		return true, nil
	}
	l, err := c.run.Leases.Acquire(ctx, key, c.run.Who, 0)
	if err == nil {
		c.leases[key] = l
	}
	if isBusy(err) {
		return false, nil
	}
	return err == nil, err
}

func (c *applier) release(ctx context.Context, key ID) error {
	l := c.leases[key]
	delete(c.leases, key)
	return l.Release(context.WithoutCancel(ctx))
}

func (s *Store) deleteAll(ctx context.Context, keys []string) error {
	for _, key := range keys {
		if err := s.objects.Delete(ctx, key); err != nil {
			return err
		}
	}
	return nil
}

func isBusy(err error) bool {
	var b *ErrBusy
	return errors.As(err, &b)
}

// stays looks whether what the plan rested on still holds.
func (c *applier) stays(ctx context.Context, r Removal) (why string, err error) {
	_, digest, err := c.manifest(ctx, r.ID)
	switch {
	case isGone(err):
		return "it is gone already", nil
	case err != nil:
		return "", err
	case digest != r.Digest:
		return "it changed", nil
	case r.Kind == Auto:
		return "", nil
	}
	if here, err := c.isHere(ctx, r.parent); here || err != nil {
		return "its parent stays", err
	}
	at, err := c.Head(ctx, r.Path)
	if err == nil && at.Head != nil && at.Head.ID == r.ID {
		return "the newest of its path", nil
	}
	return "", err
}

func (s *Store) isHere(ctx context.Context, id ID) (bool, error) {
	if id == "" {
		return false, nil
	}
	_, _, err := s.manifest(ctx, id)
	if isGone(err) {
		return false, nil
	}
	return err == nil, err
}

// forgetAutosaves drops the tombstones of autosaves whose base is removed too: nothing can be made below that any more, so
// their ids stay unused without them. Autosaves are many; their graves would outgrow the store.
func (s *Store) forgetAutosaves(ctx context.Context) error {
	announced, err := s.slots(ctx)
	if err != nil {
		return err
	}
	return s.objects.List(ctx, tombstonesDir, func(i Info) error {
		id, err := keyID(i.Key)
		if err != nil {
			return nil
		}
		if _, ok := announced[id]; ok {
			return nil
		}
		t, err := s.tombstone(ctx, id)
		if err != nil || t.Kind != Auto || t.Parent == "" {
			return damageAside(err)
		}
		if _, err := s.tombstone(ctx, t.Parent); err != nil {
			return damageAside(err)
		}
		return s.objects.Delete(ctx, i.Key)
	})
}

// damageAside is for looks that leave what they do not find or cannot read to Check.
func damageAside(err error) error {
	if errors.Is(err, ErrNotFound) || isCorrupt(err) {
		return nil
	}
	return err
}
