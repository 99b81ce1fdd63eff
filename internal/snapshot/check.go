package snapshot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"session/internal/canon"
)

// ProblemKind sorts what Check finds.
type ProblemKind string

// The kinds of problems. The first five are damage: something that was saved cannot be read as it was saved.
const (
	Damaged     ProblemKind = "damaged"      // unreadable, or not what its digest names
	Lost        ProblemKind = "lost"         // named by something that is there
	WrongID     ProblemKind = "wrong id"     // an id that does not follow from its lineage
	BrokenChain ProblemKind = "broken chain" // not what its child was built on
	Unknown     ProblemKind = "unknown"      // no object of ours
	PointerOff  ProblemKind = "pointer off"  // a pointer is behind, lost or wrong; heads are found without it
	HalfRemoved ProblemKind = "half removed" // a removal was cut short
	Unannounced ProblemKind = "unannounced"  // an autosave that the next save would not see
	Leftover    ProblemKind = "leftover"     // of a writer that was killed; nothing refers to it
	Orphan      ProblemKind = "orphan"       // a blob that no snapshot names
)

// Problem is one thing that is not as it should be.
type Problem struct {
	Kind    ProblemKind `json:"kind"`
	Subject string      `json:"subject"` // key of the object, or the path
	ID      ID          `json:"session_id,omitempty"`
	Detail  string      `json:"detail"`
	// Repair is what Repair would do about it; empty: nothing that is safe.
	Repair string `json:"repair,omitempty"`

	fix   fix
	child ID // what was built on it
}

// Damage reports whether something that was saved is lost or altered; the other kinds are traces of runs that died.
func (p *Problem) Damage() bool {
	switch p.Kind {
	case PointerOff, HalfRemoved, Unannounced, Leftover, Orphan:
		return false
	}
	return true
}

// Report is what Check found.
type Report struct {
	Snapshots int       `json:"snapshots"`
	Removed   int       `json:"removed"` // tombstones
	Blobs     int       `json:"blobs"`
	Bytes     int64     `json:"bytes"` // of all of them
	Problems  []Problem `json:"problems"`
}

// Damage reports whether any problem is damage.
func (r *Report) Damage() bool {
	return slices.ContainsFunc(r.Problems, func(p Problem) bool { return p.Damage() })
}

// Check reads everything that the store holds: every byte against its digest, every parent against its child, every id
// against its lineage, and every pointer. It changes nothing. An error means that it could not look, not that something
// is wrong.
func (s *Store) Check(ctx context.Context) (Report, error) {
	c := checker{Store: s, nodes: map[ID]*checked{}, graves: map[ID]*Tombstone{}, blobs: map[string]bool{}, paths: map[Path]bool{}, bad: map[ID]*Problem{}}
	for _, step := range []func(context.Context) error{
		c.manifests, c.tombstones, c.chains, c.parts, c.pointersOf, c.autosaves, c.leftovers,
	} {
		if err := step(ctx); err != nil {
			return Report{}, fmt.Errorf("check the store: %w", err)
		}
	}
	for _, p := range c.bad {
		c.report.Problems = append(c.report.Problems, *p)
	}
	slices.SortStableFunc(c.report.Problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Subject, b.Subject), cmp.Compare(a.Detail, b.Detail))
	})
	return c.report, nil
}

// checked is a manifest that could be read.
type checked struct {
	Manifest // without inlined parts
	digest   string
	own      bool // made by this store
}

type checker struct {
	*Store
	report  Report
	nodes   map[ID]*checked
	graves  map[ID]*Tombstone
	stores  []StoreID
	blobs   map[string]bool // digests of blobs that are there and whole
	paths   map[Path]bool   // own ones
	bad     map[ID]*Problem // snapshots whose manifests are damaged, lost or not their child's parent
	skipped bool            // something unreadable might name any blob
}

func (c *checker) add(p Problem) { c.report.Problems = append(c.report.Problems, p) }

// unknown reports an object whose key is none of ours.
func (c *checker) unknown(key, what string) error {
	c.add(Problem{Kind: Unknown, Subject: key, Detail: "no " + what + " has this key"})
	return nil
}

// damaged reports an object that cannot be read; a nil err, or one that only says that it is gone meanwhile, is fine.
func (c *checker) damaged(key string, id ID, err error) error {
	if isCorrupt(err) {
		c.add(Problem{Kind: Damaged, Subject: key, ID: id, Detail: err.Error()})
	}
	return damageAside(err)
}

func (c *checker) manifests(ctx context.Context) error {
	return c.objects.List(ctx, snapshotsDir, func(i Info) error {
		id, err := keyID(i.Key)
		if err != nil || i.Key != snapshotKey(id) {
			return c.unknown(i.Key, "snapshot")
		}
		raw, err := c.objects.Get(ctx, i.Key)
		if errors.Is(err, ErrNotFound) {
			return nil
		}
		if err != nil && !errors.Is(err, ErrNoObject) {
			return err
		}
		c.report.Snapshots++
		c.report.Bytes += i.Size
		m, err := parseManifest(id, raw)
		if err != nil {
			c.skipped = true
			c.bad[id] = &Problem{Kind: Damaged, Subject: i.Key, ID: id, Detail: err.Error()}
			return nil
		}
		_ = m.Parts.each(func(_ string, p *Part) error { p.Inline = nil; return nil })
		c.nodes[id] = &checked{Manifest: m, digest: canon.Digest(raw)}
		return nil
	})
}

func (c *checker) tombstones(ctx context.Context) error {
	return c.objects.List(ctx, tombstonesDir, func(i Info) error {
		id, err := keyID(i.Key)
		if err != nil || i.Key != tombstoneKey(id) {
			return c.unknown(i.Key, "tombstone")
		}
		t, err := c.tombstone(ctx, id)
		if err != nil {
			return c.damaged(i.Key, id, err)
		}
		c.report.Removed++
		c.report.Bytes += i.Size
		c.graves[id] = &t
		c.halfRemoved(id)
		return nil
	})
}

func (c *checker) halfRemoved(id ID) {
	if c.nodes[id] == nil && c.bad[id] == nil {
		return
	}
	delete(c.nodes, id)
	delete(c.bad, id)
	c.add(Problem{Kind: HalfRemoved, Subject: snapshotKey(id), ID: id, Detail: "its tombstone stands, and it is still there",
		Repair: "finish the removal", fix: finishRemoval})
}

// chains compares each snapshot with its parent and with the id that it should have.
func (c *checker) chains(ctx context.Context) error {
	stores, err := c.knownStores(ctx)
	if err != nil {
		return err
	}
	c.stores = stores
	for _, n := range c.nodes {
		c.maker(n)
		if n.own {
			c.paths[n.Path] = true
		}
		if n.Parent != "" {
			c.parentOf(n)
		}
	}
	return nil
}

// maker finds the store whose id n's follows from.
func (c *checker) maker(n *checked) {
	removed := func(id ID) (bool, error) { return c.graves[id] != nil, nil }
	for i, store := range c.stores {
		if ok, _ := madeBy(store, &n.Manifest, removed); ok {
			n.own = i == 0
			return
		}
	}
	c.add(Problem{Kind: WrongID, Subject: snapshotKey(n.ID), ID: n.ID,
		Detail: "its id does not follow from its lineage: neither this store nor one that was imported from made it"})
}

func (c *checker) parentOf(n *checked) {
	digest, depth, line, path := "", 0, ID(""), Path("")
	switch p, t := c.nodes[n.Parent], c.graves[n.Parent]; {
	case p != nil:
		digest, depth, line, path = p.digest, p.Depth, p.Line, p.Path
	case t != nil:
		digest, depth, line, path = t.Digest, t.Depth, t.Line, t.Path
	case c.bad[n.Parent] != nil:
		c.builtOn(n)
		return
	default:
		c.bad[n.Parent] = &Problem{Kind: Lost, Subject: snapshotKey(n.Parent), ID: n.Parent, Detail: "a later snapshot was built on it"}
		c.builtOn(n)
		return
	}
	if digest != n.ParentDigest && c.nodes[n.Parent] != nil {
		c.bad[n.Parent] = &Problem{Kind: BrokenChain, Subject: snapshotKey(n.Parent), ID: n.Parent,
			Detail: fmt.Sprintf("its digest is %s, a later snapshot was built on %s", digest, cut(n.ParentDigest))}
		c.builtOn(n)
		return
	}
	if digest != n.ParentDigest || depth != n.Depth-1 || n.Kind == Continue && (line != n.Line || path != n.Path) {
		c.add(Problem{Kind: BrokenChain, Subject: snapshotKey(n.ID), ID: n.ID,
			Detail: fmt.Sprintf("its line, path, depth or digest of its parent does not fit its parent %s", n.Parent)})
	}
}

// builtOn notes that a damaged snapshot has a child; its continuation knows most about it.
func (c *checker) builtOn(n *checked) {
	p := c.bad[n.Parent]
	if p.child == "" || n.Kind == Continue {
		p.child = n.ID
	}
	p.fix = setAside
	p.Repair = "put a tombstone in its place (what is left of it is kept), so that walks pass over it: import what holds it first"
}

// parts reads every blob.
func (c *checker) parts(ctx context.Context) error {
	used := map[string]bool{}
	for _, n := range c.nodes {
		_ = n.Parts.each(func(_ string, p *Part) error {
			used[p.Digest] = used[p.Digest] || p.Size > inlineMax
			return nil
		})
	}
	for _, dir := range []string{blobsDir, trashDir} {
		if err := c.readBlobs(ctx, dir, used); err != nil {
			return err
		}
	}
	for _, n := range c.nodes {
		_ = n.Parts.each(func(name string, p *Part) error {
			if p.Size > inlineMax && !c.blobs[p.Digest] {
				c.add(Problem{Kind: Lost, Subject: blobKey(p.Digest), ID: n.ID, Detail: fmt.Sprintf("%s of snapshot %s: lost or altered", name, n.ID)})
			}
			return nil
		})
	}
	return nil
}

// readBlobs reads what lies in blobs/ or in the trash, which serves whoever misses a blob.
func (c *checker) readBlobs(ctx context.Context, dir string, used map[string]bool) error {
	return c.objects.List(ctx, dir, func(i Info) error {
		d := i.Key[strings.LastIndexByte(i.Key, '/')+1:]
		if !isDigest(d) || i.Key != blobKey(d) && i.Key != trashKey(d) {
			return c.unknown(i.Key, "blob")
		}
		c.report.Blobs++
		c.report.Bytes += i.Size
		err := c.readBlob(ctx, i.Key, d)
		if err == nil && c.blobs[d] && !used[d] && !c.skipped && dir == blobsDir {
			c.add(Problem{Kind: Orphan, Subject: i.Key, Detail: fmt.Sprintf("%d bytes that no snapshot names: session gc takes them", i.Size)})
		}
		return err
	})
}

func (c *checker) readBlob(ctx context.Context, key, digest string) error {
	data, err := c.get(ctx, key, "", key)
	if is := canon.Digest(data); err == nil && is != digest {
		err = &ErrCorrupt{What: key, Why: fmt.Errorf("its bytes have the digest %s", is)}
	}
	if err == nil {
		c.blobs[digest] = true
	}
	if isCorrupt(err) {
		c.add(Problem{Kind: Damaged, Subject: key, Detail: err.Error(),
			Repair: "set it aside, so that an import can bring the right one back", fix: setBlobAside})
	}
	return damageAside(err)
}
