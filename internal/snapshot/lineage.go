package snapshot

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"session/internal/canon"
)

// PointerState says how a path's pointer served to find its head.
type PointerState string

// The states of a pointer. Only a holder of the path's lease mends one, by its next Commit; Repair does too.
const (
	PointerStraight PointerState = "straight" // names the head
	PointerBehind   PointerState = "behind"   // names an earlier snapshot of the path
	PointerLost     PointerState = "lost"     // not there, although the path has snapshots
	PointerWrong    PointerState = "wrong"    // unreadable, or names no snapshot of the path
	PointerNone     PointerState = "none"     // not there, and nothing to point at
)

// Position is where a path stands.
type Position struct {
	Path    Path
	Line    ID           // of the head; of the first snapshot to come, if there is none
	Head    *Manifest    // the newest snapshot; nil: nothing saved yet, or all of it removed
	Digest  string       // of the head's manifest
	Next    ID           // what continues the head, or begins the path
	Pointer PointerState // how it was found
}

// Head finds a path's newest snapshot: from its pointer, by following ids until one was never used. It reads a constant
// number of objects while the pointer is straight or a little behind, lists nothing and writes nothing. Without a pointer
// that serves, it follows ids from the path's name and looks through the whole store besides, because a snapshot in
// between may be lost. *ErrCorrupt: the newest cannot be read.
func (s *Store) Head(ctx context.Context, path Path) (Position, error) {
	at := Position{Path: path}
	if err := path.check(); err != nil {
		return at, fmt.Errorf("find head: %w", err)
	}
	from, raw, err := s.start(ctx, &at)
	if err == nil {
		err = s.follow(ctx, &at, from, raw)
	}
	if known := at.Pointer == PointerWrong || at.Next != from; err == nil && at.Pointer != "" && known {
		err = s.search(ctx, &at)
	}
	if err != nil {
		return at, fmt.Errorf("find the head of %q: %w", cut(string(path)), err)
	}
	at.judge(from)
	return at, nil
}

// judge says how the pointer served, where start had nothing against it.
func (at *Position) judge(from ID) {
	switch {
	case at.Head == nil && at.Pointer == PointerLost:
		at.Pointer = PointerNone
	case at.Head == nil || at.Pointer != "":
	case at.Head.ID == from:
		at.Pointer = PointerStraight
	default:
		at.Pointer = PointerBehind
	}
}

// search looks for a snapshot of the path beyond what follow found.
func (s *Store) search(ctx context.Context, at *Position) error {
	g, err := s.Graph(ctx)
	if err != nil {
		return err
	}
	for i := range g.Nodes { // deepest first
		n := &g.Nodes[i]
		if n.Path != at.Path || n.Kind == Auto {
			continue
		}
		own, err := s.madeHere(ctx, &n.Manifest)
		if err != nil {
			return err
		}
		if own {
			if at.Head != nil && n.Depth <= at.Head.Depth {
				return nil
			}
			return s.follow(ctx, at, n.ID, nil)
		}
	}
	return nil
}

// start gives the id to follow from: what a trustworthy pointer names, with its bytes, or what the path's name leads to.
func (s *Store) start(ctx context.Context, at *Position) (id ID, raw []byte, err error) {
	p, err := s.pointers.Pointer(ctx, at.Path)
	switch {
	case errors.Is(err, ErrNotFound):
		at.Pointer = PointerLost
	case isCorrupt(err):
		at.Pointer = PointerWrong
	case err != nil:
		return "", nil, fmt.Errorf("read its pointer: %w", err)
	default:
		if raw, err = s.pointed(ctx, p, at.Path); raw != nil || err != nil {
			return p.Head, raw, err
		}
		at.Pointer = PointerWrong
	}
	if fork, ok := at.Path.fork(); ok {
		return fork, nil, nil
	}
	return FirstID(s.id, at.Path), nil, nil
}

// pointed reads what a pointer names, if that is a snapshot of the path's own chain. One that is removed or damaged is
// not: what is newest then, only the whole chain tells.
func (s *Store) pointed(ctx context.Context, p Pointer, path Path) ([]byte, error) {
	if p.Path != path || parse(string(p.Head)) != nil {
		return nil, nil
	}
	raw, err := s.get(ctx, snapshotKey(p.Head), p.Head, "manifest")
	if err != nil {
		return nil, damageAside(err)
	}
	m, err := parseManifest(p.Head, raw)
	if err != nil || m.Path != path || m.Kind == Auto {
		return nil, nil
	}
	own, err := s.madeHere(ctx, &m)
	if !own || err != nil {
		return nil, err
	}
	return raw, nil
}

func isCorrupt(err error) bool {
	var e *ErrCorrupt
	return errors.As(err, &e)
}

// isGone: never there, or removed.
func isGone(err error) bool {
	var e *ErrRemoved
	return errors.Is(err, ErrNotFound) || errors.As(err, &e)
}

// follow goes from id to the first id that was never used, and stands at the last snapshot before it. newest is what is
// at id, if that was read.
func (s *Store) follow(ctx context.Context, at *Position, id ID, newest []byte) error {
	at.Head, at.Digest = nil, ""
	var head ID
	if newest != nil {
		head, id = id, NextID(s.id, id)
	}
	for {
		raw, used, err := s.used(ctx, id)
		if err != nil {
			return err
		}
		if !used {
			break
		}
		if raw != nil {
			head, newest = id, raw
		}
		id = NextID(s.id, id)
	}
	at.Next, at.Line = id, id
	if head == "" {
		return nil
	}
	if err := s.stand(ctx, at, head, newest); err != nil {
		return err
	}
	if buried, err := s.buried(ctx)(head); !buried || err != nil {
		return err
	}
	return s.stepBack(ctx, at)
}

// stepBack leaves a head whose removal was cut short: its tombstone stands, so nothing may be built on it.
func (s *Store) stepBack(ctx context.Context, at *Position) error {
	for a, err := range s.Walk(ctx, at.Head.ID) {
		if err != nil {
			return err
		}
		if a.Removed == nil && a.Line != at.Line || a.Removed != nil && a.Removed.Line != at.Line {
			break
		}
		if a.Removed != nil {
			continue
		}
		if buried, err := s.buried(ctx)(a.ID); !buried || err != nil {
			at.Head, at.Digest = &a.Manifest, a.Digest
			return err
		}
	}
	at.Head, at.Digest, at.Line = nil, "", at.Next
	return nil
}

// used reports whether an id was ever used, and reads what is there: nil where it was removed.
func (s *Store) used(ctx context.Context, id ID) (raw []byte, used bool, err error) {
	raw, err = s.objects.Get(ctx, snapshotKey(id))
	switch {
	case err == nil:
		return raw, true, nil
	case errors.Is(err, ErrNoObject):
		return []byte{}, true, nil
	case !errors.Is(err, ErrNotFound):
		return nil, false, err
	}
	_, err = s.tombstone(ctx, id)
	return nil, err == nil, notFoundIsNil(err)
}

// stand sets the head, if it is what the path's name leads to.
func (s *Store) stand(ctx context.Context, at *Position, head ID, raw []byte) error {
	m, err := parseManifest(head, raw)
	if err != nil {
		return err
	}
	own, err := s.madeHere(ctx, &m)
	switch {
	case err != nil:
		return err
	case m.Path != at.Path:
		return &ErrCorrupt{ID: head, What: "manifest", Why: fmt.Errorf("is on path %q", cut(string(m.Path)))}
	case !own:
		return errLineage(head)
	}
	at.Head, at.Line, at.Digest = &m, m.Line, canon.Digest(raw)
	return nil
}

func errLineage(id ID) error {
	return &ErrCorrupt{ID: id, What: "manifest", Why: errors.New("the id does not follow from its lineage")}
}

// madeHere reports whether this store made a snapshot: whether its id follows from this store's own.
func (s *Store) madeHere(ctx context.Context, m *Manifest) (bool, error) {
	return madeBy(s.id, m, s.buried(ctx))
}

// buried reports whether an id has a tombstone.
func (s *Store) buried(ctx context.Context) func(ID) (bool, error) {
	return func(id ID) (bool, error) {
		_, err := s.tombstone(ctx, id)
		return err == nil, notFoundIsNil(err)
	}
}

// madeBy derives a manifest's id again as store would have, stepping over ids that were removed.
func madeBy(store StoreID, m *Manifest, removed func(ID) (bool, error)) (bool, error) {
	var id ID
	switch m.Kind {
	case Fork:
		return m.ID == ForkID(store, m.Parent, m.RunID) && m.Path == ForkPath(m.ID), nil
	case Auto:
		return m.ID == AutoID(store, m.Parent, m.RunID) || m.Parent == "" && m.ID == AutoID(store, m.Line, m.RunID), nil
	case First:
		id = FirstID(store, m.Path)
	default:
		id = NextID(store, m.Parent)
	}
	for id != m.ID {
		gone, err := removed(id)
		if err != nil || !gone {
			return false, err
		}
		id = NextID(store, id)
	}
	return true, nil
}

// Ancestor is one stop of a Walk.
type Ancestor struct {
	Manifest            // zero where the snapshot was removed
	Digest   string     // of the manifest
	Removed  *Tombstone // what is left of it
}

// Walk visits a snapshot, its parent, and so on down to the root, and checks that each is what its child was built on.
// Removed ones are visited as Tombstones. It ends at the first error: ErrNotFound or *ErrRemoved for id itself,
// *ErrCorrupt for what is damaged, lost, or not what its child names.
func (s *Store) Walk(ctx context.Context, id ID) iter.Seq2[Ancestor, error] {
	return func(yield func(Ancestor, error) bool) {
		var child *Ancestor
		for id != "" {
			a, err := s.ancestor(ctx, id, child)
			if err != nil {
				yield(Ancestor{}, fmt.Errorf("walk back: %w", err))
				return
			}
			if !yield(a, nil) {
				return
			}
			child, id = &a, a.parent()
		}
	}
}

func (a *Ancestor) parent() ID {
	if a.Removed != nil {
		return a.Removed.Parent
	}
	return a.Parent
}

// link is what a says about its parent.
func (a *Ancestor) link() (digest string, depth int) {
	if a.Removed != nil {
		return a.Removed.ParentDigest, a.Removed.Depth
	}
	return a.ParentDigest, a.Depth
}

func (s *Store) ancestor(ctx context.Context, id ID, child *Ancestor) (Ancestor, error) {
	var want string
	if child != nil {
		want, _ = child.link()
	}
	m, digest, err := s.vouched(ctx, id, want)
	a := Ancestor{Manifest: m, Digest: digest}
	if child == nil {
		return a, err
	}
	if isGone(err) {
		a, err = s.grave(ctx, id)
	}
	if err != nil {
		return a, err
	}
	return a, a.fits(id, child)
}

// grave visits a removed snapshot.
func (s *Store) grave(ctx context.Context, id ID) (Ancestor, error) {
	t, err := s.tombstone(ctx, id)
	if errors.Is(err, ErrNotFound) {
		err = &ErrCorrupt{ID: id, What: "manifest", Why: errors.New("lost: a later snapshot was built on it")}
	}
	return Ancestor{Removed: &t, Digest: t.Digest}, err
}

// fits compares a with what its child says of it.
func (a *Ancestor) fits(id ID, child *Ancestor) error {
	_, depth := a.link()
	digest, below := child.link()
	var why error
	switch {
	case a.Digest != digest:
		why = fmt.Errorf("its digest is %s, the next snapshot was built on %s", a.Digest, cut(digest))
	case depth != below-1:
		why = fmt.Errorf("depth %d below depth %d", depth, below)
	default:
		return nil
	}
	return &ErrCorrupt{ID: id, What: "manifest", Why: why}
}

// Segment is what one snapshot added to the message history.
type Segment struct {
	ID       ID
	Path     Path
	Depth    int
	Messages []byte // message_history_state: JSON of its owner's
}

// History gives the message history up to a snapshot, oldest segment first: each snapshot holds only what is new since
// its parent. Removed snapshots have taken theirs along. Errors as of Walk and Load.
func (s *Store) History(ctx context.Context, id ID) iter.Seq2[Segment, error] {
	return func(yield func(Segment, error) bool) {
		way, err := s.way(ctx, id)
		if err != nil {
			yield(Segment{}, err)
			return
		}
		for _, id := range slices.Backward(way) {
			seg, err := s.segment(ctx, id)
			if !yield(seg, err) || err != nil {
				return
			}
		}
	}
}

// way lists the snapshots from id to the root.
func (s *Store) way(ctx context.Context, id ID) (ids []ID, err error) {
	for a, err := range s.Walk(ctx, id) {
		if err != nil {
			return nil, err
		}
		if a.Removed == nil {
			ids = append(ids, a.ID)
		}
	}
	return ids, nil
}

func (s *Store) segment(ctx context.Context, id ID) (Segment, error) {
	m, _, err := s.manifest(ctx, id)
	if err != nil {
		return Segment{}, err
	}
	data, err := s.part(ctx, id, "message_history_state", m.Parts.Messages)
	return Segment{ID: id, Path: m.Path, Depth: m.Depth, Messages: data}, err
}
