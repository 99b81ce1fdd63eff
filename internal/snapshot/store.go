package snapshot

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"session/internal/canon"
)

// Store is the chain rule over somebody's objects. It holds no state of its own but what it need not check twice: any
// number of them, in any number of processes, may work on the same objects. Safe for concurrent use.
type Store struct {
	objects  Objects
	pointers Pointers
	id       StoreID
	sound    sound
}

// sound remembers which bytes were found to be the manifest of an id: a command reads the newest few again and again, and
// to look whether every one is spelled as it must be takes longer than to read it.
type sound struct {
	mu  sync.Mutex
	ids map[ID]string // digest of the bytes
}

const maxSound = 1 << 10

func (s *sound) has(id ID, digest string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ids[id] == digest
}

func (s *sound) add(id ID, digest string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ids == nil || len(s.ids) >= maxSound {
		s.ids = map[ID]string{}
	}
	s.ids[id] = digest
}

// New makes a Store over a back end. id is the store's own, random and the same for everybody who opens it.
func New(o Objects, p Pointers, id StoreID) (*Store, error) {
	if err := parse(string(id)); err != nil {
		return nil, fmt.Errorf("open store: %q is no store id: %w", cut(string(id)), err)
	}
	return &Store{objects: o, pointers: p, id: id}, nil
}

// ID is the store's own id.
func (s *Store) ID() StoreID { return s.id }

// Keys of the objects. Snapshots and tombstones are spread over 32 folders, blobs over 256.
const (
	snapshotsDir  = "snapshots/"
	tombstonesDir = "tombstones/"
	blobsDir      = "blobs/"
	trashDir      = "trash/"     // blobs on their way out, see Sweep
	autosavesDir  = "autosaves/" // per line, the order in which its autosaves were announced
	storesDir     = "stores/"    // other stores whose snapshots were imported
	damagedDir    = "damaged/"   // what Repair set aside
)

func snapshotKey(id ID) string  { return snapshotsDir + string(id[:1]) + "/" + string(id) + ".json" }
func tombstoneKey(id ID) string { return tombstonesDir + string(id[:1]) + "/" + string(id) + ".json" }
func blobKey(d string) string   { return blobsDir + d[:2] + "/" + d }
func trashKey(d string) string  { return trashDir + d }
func slotsDir(line ID) string   { return autosavesDir + string(line) + "/" }
func slotKey(line ID, n int) string {
	return fmt.Sprintf("%s%08d.json", slotsDir(line), n)
}

// keyID is the id in a key of snapshots or tombstones.
func keyID(key string) (ID, error) {
	name := key[strings.LastIndexByte(key, '/')+1:]
	return ParseID(strings.TrimSuffix(name, ".json"))
}

// manifest reads one manifest and its digest. ErrNotFound, *ErrRemoved, *ErrCorrupt.
func (s *Store) manifest(ctx context.Context, id ID) (Manifest, string, error) {
	return s.vouched(ctx, id, "")
}

// vouched is manifest for a digest that the next snapshot of the chain vouches for: bytes that have it were found to be
// sound when that was made.
func (s *Store) vouched(ctx context.Context, id ID, want string) (Manifest, string, error) {
	if err := parse(string(id)); err != nil {
		return Manifest{}, "", fmt.Errorf("%w: %q is no snapshot id: %w", ErrInvalid, cut(string(id)), err)
	}
	raw, err := s.get(ctx, snapshotKey(id), id, "manifest")
	if errors.Is(err, ErrNotFound) {
		return Manifest{}, "", s.absent(ctx, id)
	}
	if err != nil {
		return Manifest{}, "", err
	}
	digest := canon.Digest(raw)
	if digest == want || s.sound.has(id, digest) {
		m, err := plainManifest(id, raw)
		if err == nil {
			s.sound.add(id, digest)
		}
		return m, digest, err
	}
	m, err := parseManifest(id, raw)
	if err == nil {
		s.sound.add(id, digest)
	}
	return m, digest, err
}

// get reads an object that belongs to a snapshot; what cannot be one is damage.
func (s *Store) get(ctx context.Context, key string, id ID, what string) ([]byte, error) {
	raw, err := s.objects.Get(ctx, key)
	switch {
	case err == nil, errors.Is(err, ErrNotFound):
		return raw, err
	case errors.Is(err, ErrNoObject):
		return nil, &ErrCorrupt{ID: id, What: what, Why: err}
	}
	return nil, fmt.Errorf("read %s: %w", key, err)
}

// absent says why there is no manifest: never made, or removed.
func (s *Store) absent(ctx context.Context, id ID) error {
	t, err := s.tombstone(ctx, id)
	switch {
	case err == nil:
		return &ErrRemoved{ID: id, Removed: t.Removed, Why: t.Why}
	case errors.Is(err, ErrNotFound):
		return fmt.Errorf("snapshot %s: %w", id, ErrNotFound)
	}
	return err
}

// tombstone reads the tombstone of id. ErrNotFound, *ErrCorrupt.
func (s *Store) tombstone(ctx context.Context, id ID) (Tombstone, error) {
	raw, err := s.get(ctx, tombstoneKey(id), id, "tombstone")
	if err != nil {
		return Tombstone{}, err
	}
	return parseTombstone(id, raw)
}

func parseTombstone(id ID, raw []byte) (Tombstone, error) {
	var t Tombstone
	if err := decode(raw, &t); err != nil {
		return t, &ErrCorrupt{ID: id, What: "tombstone", Why: err}
	}
	if t.ID != id || t.Line == "" || t.Depth < 0 {
		return t, &ErrCorrupt{ID: id, What: "tombstone", Why: fmt.Errorf("is the tombstone of %q", t.ID)}
	}
	return t, nil
}

// Manifest reads a snapshot's manifest alone; its large parts may be damaged. ErrNotFound, *ErrRemoved, *ErrCorrupt.
func (s *Store) Manifest(ctx context.Context, id ID) (Manifest, error) {
	m, _, err := s.belonging(ctx, id)
	return m, err
}

// belonging is manifest for callers from outside: where it says it belongs, it does. No child's digest shows that of a
// newest snapshot, but its id does.
func (s *Store) belonging(ctx context.Context, id ID) (Manifest, string, error) {
	m, digest, err := s.manifest(ctx, id)
	if err != nil {
		return Manifest{}, "", err
	}
	own, err := s.madeHere(ctx, &m)
	if own || err != nil {
		return m, digest, err
	}
	stores, err := s.knownStores(ctx)
	if err != nil {
		return Manifest{}, "", err
	}
	for _, store := range stores[1:] {
		if made, err := madeBy(store, &m, s.buried(ctx)); made || err != nil {
			return m, digest, err
		}
	}
	return Manifest{}, "", errLineage(id)
}

// Load reads a whole snapshot, every byte checked against its digest, or nothing. ErrNotFound, *ErrRemoved, *ErrCorrupt
// (which names what is damaged).
func (s *Store) Load(ctx context.Context, id ID) (Snapshot, error) {
	m, digest, err := s.belonging(ctx, id)
	if err != nil {
		return Snapshot{}, err
	}
	b, err := s.bundle(ctx, &m)
	if err != nil {
		return Snapshot{}, err
	}
	return Snapshot{Manifest: m, Bundle: b, Digest: digest}, nil
}

func (s *Store) bundle(ctx context.Context, m *Manifest) (b Bundle, err error) {
	if b.Environment, err = s.part(ctx, m.ID, "environment_state", m.Parts.Environment); err != nil {
		return Bundle{}, err
	}
	if b.Context, err = s.part(ctx, m.ID, "context_state", m.Parts.Context); err != nil {
		return Bundle{}, err
	}
	if b.Messages, err = s.part(ctx, m.ID, "message_history_state", m.Parts.Messages); err != nil {
		return Bundle{}, err
	}
	return b, nil
}

// part gives one part; an inlined one was checked with its manifest.
func (s *Store) part(ctx context.Context, id ID, name string, p Part) ([]byte, error) {
	if p.Inline != nil {
		return p.Inline, nil
	}
	data, err := s.blob(ctx, p.Digest)
	var bad *ErrCorrupt
	switch {
	case errors.Is(err, ErrNotFound):
		return nil, &ErrCorrupt{ID: id, What: name, Why: fmt.Errorf("blob %s is lost", p.Digest)}
	case errors.As(err, &bad):
		return nil, &ErrCorrupt{ID: id, What: name, Why: fmt.Errorf("blob %s: %w", p.Digest, bad.Why)}
	case err != nil:
		return nil, fmt.Errorf("read %s of snapshot %s: %w", name, id, err)
	case int64(len(data)) != p.Size:
		return nil, &ErrCorrupt{ID: id, What: name, Why: fmt.Errorf("%d bytes instead of %d", len(data), p.Size)}
	}
	return data, nil
}

// blob reads one blob, from the trash if a sweep took it there, and compares it with its name. ErrNotFound, *ErrCorrupt.
func (s *Store) blob(ctx context.Context, digest string) ([]byte, error) {
	data, err := s.get(ctx, blobKey(digest), "", "blob "+digest)
	if errors.Is(err, ErrNotFound) {
		data, err = s.get(ctx, trashKey(digest), "", "blob "+digest)
	}
	if errors.Is(err, ErrNotFound) { // put back between the two looks
		data, err = s.get(ctx, blobKey(digest), "", "blob "+digest)
	}
	if err != nil {
		return nil, err
	}
	if is := canon.Digest(data); is != digest {
		return nil, &ErrCorrupt{What: "blob " + digest, Why: fmt.Errorf("its bytes have the digest %s", is)}
	}
	return data, nil
}

// notFoundIsNil is for looks that may find nothing.
func notFoundIsNil(err error) error {
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}
