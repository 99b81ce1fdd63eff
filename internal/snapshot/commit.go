package snapshot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"session/internal/canon"
)

// Request asks for one new snapshot.
type Request struct {
	Kind Kind
	// Path is the path that a First begins, and the path that an Auto belongs to if that is not its base's. Otherwise
	// empty, or the base's.
	Path Path
	// Base is the parent. First may have one (where the work tree stood) or none, Auto has none if there is nothing yet.
	Base ID
	// RunID names the run, 1 to 128 visible ASCII characters, and is never used for two runs. A run that asks again gets
	// the snapshot that it made.
	RunID            string
	Origin           Origin
	PlanHash         string // of the plan that ran
	AcceptedPlanHash string // of the policy that is accepted on this machine
	Created          time.Time
	Bundle           Bundle
}

// Committed is a snapshot that exists.
type Committed struct {
	Manifest
	Digest string
	// Again says that this run had committed it before: an answer was lost, or it asked twice.
	Again bool
	// Behind is why the path's pointer could not be moved: the snapshot stands, and readers find it by a longer way.
	Behind error
}

// Commit makes a snapshot exist, as a whole or not at all, and durably: large parts first, then the manifest, which is
// the commit, created only if nobody was first. What a failed or killed Commit leaves is invisible to every reader.
//
// Errors: *ErrContinued (somebody was first, at whatever time), ErrNotFound, *ErrRemoved or *ErrCorrupt (the parent is
// not there, or not whole), ErrLeaf, ErrForeign, ErrInvalid, ErrTooLarge, and what Objects return. After any error the
// same run may ask again.
func (s *Store) Commit(ctx context.Context, r Request) (Committed, error) {
	c, err := s.commit(ctx, r)
	if err != nil {
		return Committed{}, fmt.Errorf("commit snapshot: %w", err)
	}
	return c, nil
}

func (s *Store) commit(ctx context.Context, r Request) (Committed, error) {
	m := Manifest{
		Path: r.Path, Kind: r.Kind, Origin: r.Origin, RunID: r.RunID,
		PlanHash: r.PlanHash, AcceptedPlanHash: r.AcceptedPlanHash, Created: stamp(r.Created),
	}
	if err := m.words(); err != nil {
		return Committed{}, err
	}
	blobs, err := cutParts(&m.Parts, r.Bundle)
	if err != nil {
		return Committed{}, err
	}
	for {
		c, err := s.try(ctx, m, r.Base, blobs)
		var done *again
		switch {
		case errors.As(err, &done):
			return s.settle(ctx, done.c)
		case errors.Is(err, errGrave):
			continue
		case err != nil:
			return Committed{}, err
		}
		return s.settle(ctx, c)
	}
}

// errGrave: between our look and our create, the snapshot with our id was removed.
var errGrave = errors.New("the id was taken and freed meanwhile")

func (s *Store) try(ctx context.Context, m Manifest, base ID, blobs map[string][]byte) (Committed, error) {
	parent, err := s.place(ctx, &m, base)
	if err != nil {
		return Committed{}, err
	}
	raw, err := canon.Marshal(&m)
	if err != nil {
		return Committed{}, err
	}
	if err := m.check(m.ID); err != nil { // never write what would not be read
		return Committed{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return s.write(ctx, m, raw, blobs, parent)
}

// again ends placing: this run's snapshot is there already.
type again struct{ c Committed }

func (*again) Error() string { return "committed before" }

// cutParts brings the parts into canonical form and takes the large ones out.
func cutParts(p *Parts, b Bundle) (blobs map[string][]byte, err error) {
	in := map[string]json.RawMessage{"environment_state": b.Environment, "context_state": b.Context, "message_history_state": b.Messages}
	blobs = map[string][]byte{}
	return blobs, p.each(func(name string, p *Part) error {
		data, err := canonical(in[name])
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		*p = Part{Digest: canon.Digest(data), Size: int64(len(data))}
		if len(data) <= inlineMax {
			p.Inline = data
		} else {
			blobs[p.Digest] = data
		}
		return nil
	})
}

func canonical(raw []byte) ([]byte, error) {
	if len(raw) > 2*MaxPart { // canonical form is hardly ever half as long; do not even look
		return nil, fmt.Errorf("%w: %d bytes, at most %d", ErrTooLarge, len(raw), MaxPart)
	}
	data, err := canon.Transform(raw)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if len(data) > MaxPart {
		return nil, fmt.Errorf("%w: %d bytes, at most %d", ErrTooLarge, len(data), MaxPart)
	}
	return data, nil
}

// write puts blobs, then the manifest. A removal puts a tombstone before it takes the manifest away, so whoever creates a
// manifest where one was removed finds the tombstone afterwards, and goes on behind it.
func (s *Store) write(ctx context.Context, m Manifest, raw []byte, blobs map[string][]byte, parent *Manifest) (Committed, error) {
	if err := s.putBlobs(ctx, blobs, parent); err != nil {
		return Committed{}, err
	}
	err := s.objects.PutNew(ctx, snapshotKey(m.ID), raw)
	if errors.Is(err, ErrExists) {
		return s.first(ctx, m)
	}
	if err != nil {
		return Committed{}, fmt.Errorf("write manifest: %w", err)
	}
	ctx = context.WithoutCancel(ctx)
	var removed *ErrRemoved
	err = s.alive(ctx, m.ID)
	if errors.As(err, &removed) {
		if err = s.objects.Delete(ctx, snapshotKey(m.ID)); err == nil {
			err = errGrave
		}
	}
	if err != nil {
		return Committed{}, err
	}
	return Committed{Manifest: m, Digest: canon.Digest(raw)}, nil
}

// putBlobs stores what no object holds yet. What is stored must be what its name says, or the snapshot would be damaged
// from its first day.
func (s *Store) putBlobs(ctx context.Context, blobs map[string][]byte, parent *Manifest) error {
	whole := map[string]bool{} // the parent was just read
	if parent != nil {
		_ = parent.Parts.each(func(_ string, p *Part) error { whole[p.Digest] = true; return nil })
	}
	for d, data := range blobs {
		if whole[d] {
			continue
		}
		if err := s.putBlob(ctx, d, data); err != nil {
			return fmt.Errorf("write blob: %w", err)
		}
	}
	return nil
}

func (s *Store) putBlob(ctx context.Context, digest string, data []byte) error {
	err := s.objects.PutNew(ctx, blobKey(digest), data)
	if !errors.Is(err, ErrExists) {
		return err
	}
	_, err = s.blob(ctx, digest)
	return err
}

// first says who has the key that we wanted: ourselves, when an answer got lost, or somebody else.
func (s *Store) first(ctx context.Context, m Manifest) (Committed, error) {
	by, digest, err := s.manifest(ctx, m.ID)
	if err != nil {
		return Committed{}, err
	}
	if by.RunID == m.RunID {
		return Committed{Manifest: by, Digest: digest, Again: true}, nil
	}
	base := m.Parent
	if m.Kind == First {
		base = ""
	}
	return Committed{}, &ErrContinued{Base: base, Path: m.Path, By: by.ID, Run: by.RunID}
}

// settle does what follows a commit. The snapshot exists, so being called off does not end it.
func (s *Store) settle(ctx context.Context, c Committed) (Committed, error) {
	ctx = context.WithoutCancel(ctx)
	if c.Kind == Auto {
		return c, s.announce(ctx, c)
	}
	c.Behind = s.pointers.Point(ctx, Pointer{Path: c.Path, Head: c.ID, Digest: c.Digest})
	return c, nil
}

// place finds where the snapshot goes: its id, parent, line, path and depth. It returns the parent, if there is one.
func (s *Store) place(ctx context.Context, m *Manifest, base ID) (*Manifest, error) {
	var parent *Manifest
	if base != "" {
		p, digest, err := s.parent(ctx, base)
		if err != nil {
			return nil, err
		}
		parent, m.Parent, m.ParentDigest, m.Depth = p, base, digest, p.Depth+1
	}
	switch m.Kind {
	case First:
		return parent, s.placeFirst(ctx, m)
	case Auto:
		return parent, s.placeAuto(ctx, m, parent)
	}
	if parent == nil {
		return nil, fmt.Errorf("%w: %s without a base", ErrInvalid, m.Kind)
	}
	if m.Kind == Fork {
		m.ID = ForkID(s.id, base, m.RunID)
		m.Line, m.Path = m.ID, ForkPath(m.ID)
		_, err := s.free(ctx, m.ID, m.RunID)
		return parent, err
	}
	return parent, s.placeNext(ctx, m, parent)
}

// parent reads a base. It must be there, whole, and not an autosave.
func (s *Store) parent(ctx context.Context, base ID) (*Manifest, string, error) {
	p, err := s.Load(ctx, base)
	if err != nil {
		return nil, "", fmt.Errorf("base: %w", err)
	}
	if p.Kind == Auto {
		return nil, "", fmt.Errorf("base %s: %w (%s)", base, ErrLeaf, p.Parent)
	}
	if err := s.alive(ctx, base); err != nil {
		return nil, "", fmt.Errorf("base: %w", err)
	}
	return &p.Manifest, p.Digest, nil
}

// alive refuses a snapshot whose removal has begun: its tombstone stands, its manifest goes next.
func (s *Store) alive(ctx context.Context, id ID) error {
	t, err := s.tombstone(ctx, id)
	switch {
	case errors.Is(err, ErrNotFound):
		return nil
	case err == nil:
		return &ErrRemoved{ID: id, Removed: t.Removed, Why: t.Why}
	}
	return err
}

func (s *Store) placeFirst(ctx context.Context, m *Manifest) error {
	if _, ok := m.Path.fork(); ok {
		return fmt.Errorf("%w: path %q is begun by a fork", ErrInvalid, m.Path)
	}
	if err := m.Path.check(); err != nil {
		return err
	}
	at, err := s.Head(ctx, m.Path)
	if err != nil {
		return err
	}
	if at.Head == nil {
		m.ID, m.Line = at.Next, at.Line
		_, err := s.free(ctx, m.ID, m.RunID)
		return err
	}
	begun, digest, err := s.manifest(ctx, at.Line)
	if err == nil && begun.RunID == m.RunID && begun.Kind == First {
		return &again{Committed{Manifest: begun, Digest: digest, Again: true}}
	}
	return &ErrContinued{Path: m.Path, By: at.Head.ID, Run: at.Head.RunID}
}

func (s *Store) placeNext(ctx context.Context, m *Manifest, parent *Manifest) error {
	if m.Path != "" && m.Path != parent.Path {
		return fmt.Errorf("%w: base %s is on path %q, not %q", ErrInvalid, parent.ID, parent.Path, m.Path)
	}
	if own, err := s.madeHere(ctx, parent); err != nil {
		return err
	} else if !own {
		return fmt.Errorf("base %s: %w", parent.ID, ErrForeign)
	}
	m.Line, m.Path = parent.Line, parent.Path
	m.Origin.TookIn = max(m.Origin.TookIn, parent.Origin.TookIn)
	id, err := s.free(ctx, NextID(s.id, parent.ID), m.RunID)
	m.ID = id
	return err
}

// free steps over ids whose snapshots were removed: a chain goes on behind them. It refuses a run that made one of them.
func (s *Store) free(ctx context.Context, id ID, run string) (ID, error) {
	for {
		t, err := s.tombstone(ctx, id)
		if errors.Is(err, ErrNotFound) {
			return id, nil
		}
		if err != nil {
			return "", err
		}
		if t.RunID == run || t.Kind == Fork || t.Kind == Auto {
			return "", &ErrRemoved{ID: id, Removed: t.Removed, Why: t.Why}
		}
		id = NextID(s.id, id)
	}
}

// placeAuto puts an autosave on its base's line, or, where the base is another path's or nothing, on the line of the path
// that it names.
func (s *Store) placeAuto(ctx context.Context, m *Manifest, parent *Manifest) (err error) {
	if m.Path == "" && parent != nil {
		m.Path = parent.Path
	}
	if m.Line, err = s.autoLine(ctx, m.Path, parent); err != nil {
		return err
	}
	base := m.Parent
	if base == "" {
		base = m.Line
	}
	m.ID = AutoID(s.id, base, m.RunID)
	_, err = s.free(ctx, m.ID, m.RunID)
	return err
}

func (s *Store) autoLine(ctx context.Context, path Path, parent *Manifest) (ID, error) {
	if parent != nil && path == parent.Path {
		own, err := s.madeHere(ctx, parent)
		if own || err != nil {
			return parent.Line, err
		}
	}
	at, err := s.Head(ctx, path)
	return at.Line, err
}
