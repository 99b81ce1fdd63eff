package snapshot

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"session/internal/canon"
)

// Kind is how a snapshot hangs on its parent; it is part of what its id follows from.
type Kind string

// The kinds of snapshots.
const (
	First    Kind = "first"    // begins a path
	Continue Kind = "continue" // the one snapshot after its parent
	Fork     Kind = "fork"     // begins a path of its own, after any snapshot
	Auto     Kind = "auto"     // an autosave: a leaf
)

const (
	inlineMax   = 16 << 10 // bytes of a part that stay in the manifest
	maxManifest = 128 << 10
	// MaxPart is how large one part may be, in bytes of canonical JSON.
	MaxPart = 64 << 20
	// MaxNames is how many snapshots an Origin may name.
	MaxNames = 64
)

// Origin says what made a snapshot, in words of the caller's. Nothing here decides where a snapshot goes.
type Origin struct {
	// By is the verb: save, run, hook, undo, blocker, import, …
	By string `json:"by"`
	// Event is the hook's event, or whatever says more about By.
	Event string `json:"event,omitempty"`
	// Names are the snapshots that this one is about: what an undo takes back, what an unshared autosave stood on.
	Names []ID `json:"names,omitempty"`
	// TookIn says that this snapshot holds what the line's autosaves with smaller numbers said. Never smaller than the
	// parent's: Commit sees to that.
	TookIn int `json:"took_in,omitempty"`
}

// Part is one of the three parts: what it is, and itself if it is small.
type Part struct {
	Digest string          `json:"digest"`           // SHA-256 hex of the part's canonical JSON
	Size   int64           `json:"size"`             // bytes of it
	Inline json.RawMessage `json:"inline,omitempty"` // the part, up to 16 KiB; larger ones are the blob named by Digest
}

// Parts are the three parts of a bundle (seed 002, Session Data Bundle).
type Parts struct {
	Environment Part `json:"environment_state"`
	Context     Part `json:"context_state"`
	Messages    Part `json:"message_history_state"`
}

// each visits the parts in the order of their names.
func (p *Parts) each(f func(name string, p *Part) error) error {
	for _, x := range []struct {
		name string
		part *Part
	}{{"context_state", &p.Context}, {"environment_state", &p.Environment}, {"message_history_state", &p.Messages}} {
		if err := f(x.name, x.part); err != nil {
			return err
		}
	}
	return nil
}

// Manifest is a snapshot without its large parts. Stored as canonical JSON (RFC 8785); the SHA-256 of those bytes is the
// snapshot's digest. All members are always there; no parent is an empty string.
type Manifest struct {
	ID               ID        `json:"session_id"`
	Parent           ID        `json:"parent_session_id"`
	ParentDigest     string    `json:"parent_digest"` // SHA-256 hex of the parent's manifest
	Line             ID        `json:"line"`          // the path's first snapshot
	Path             Path      `json:"path"`
	Kind             Kind      `json:"kind"`
	Depth            int       `json:"depth"` // parents down to the root
	Origin           Origin    `json:"origin"`
	RunID            string    `json:"run_id"` // the same run's second attempt is the same snapshot
	PlanHash         string    `json:"plan_hash"`
	AcceptedPlanHash string    `json:"accepted_plan_hash"`
	Created          time.Time `json:"created"` // RFC 3339, UTC; for people, orders nothing
	Parts            Parts     `json:"parts"`
}

// Bundle is the three parts themselves, each one JSON value of its owner's.
type Bundle struct {
	Environment json.RawMessage `json:"environment_state"`
	Context     json.RawMessage `json:"context_state"`
	Messages    json.RawMessage `json:"message_history_state"`
}

// Snapshot is a manifest with its parts.
type Snapshot struct {
	Manifest
	Bundle Bundle
	Digest string // of the manifest
}

// Tombstone stands where a snapshot was removed, so that its id is never used again and walks go on behind it.
type Tombstone struct {
	ID           ID        `json:"session_id"`
	Parent       ID        `json:"parent_session_id"`
	ParentDigest string    `json:"parent_digest"`
	Line         ID        `json:"line"`
	Path         Path      `json:"path"`
	Kind         Kind      `json:"kind"`
	Depth        int       `json:"depth"`
	RunID        string    `json:"run_id"`
	Digest       string    `json:"digest"` // of the manifest that was removed
	Removed      time.Time `json:"removed"`
	Why          string    `json:"why"`
}

func (m *Manifest) tombstone(digest string, now time.Time, why string) Tombstone {
	return Tombstone{
		ID: m.ID, Parent: m.Parent, ParentDigest: m.ParentDigest, Line: m.Line, Path: m.Path, Kind: m.Kind,
		Depth: m.Depth, RunID: m.RunID, Digest: digest, Removed: stamp(now), Why: why,
	}
}

// manifest is what a tombstone still tells about the lineage of what was there.
func (t *Tombstone) manifest() *Manifest {
	return &Manifest{ID: t.ID, Parent: t.Parent, ParentDigest: t.ParentDigest, Line: t.Line, Path: t.Path, Kind: t.Kind, Depth: t.Depth, RunID: t.RunID}
}

// stamp is a time as manifests hold it.
func stamp(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

// decode reads what only this package writes: anything that is not byte for byte what encoding v again gives was altered
// or is from a later version. v is a pointer to a Manifest, a Tombstone, …
func decode(raw []byte, v any) error {
	if len(raw) > maxManifest {
		return fmt.Errorf("%d bytes, at most %d", len(raw), maxManifest)
	}
	return decodeLarge(raw, v)
}

func decodeLarge(raw []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	again, err := canon.Marshal(v)
	if err != nil {
		return err
	}
	if !bytes.Equal(raw, again) {
		return fmt.Errorf("not written by this program (first difference at byte %d)", difference(raw, again))
	}
	return nil
}

func difference(a, b []byte) int {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	return i
}

// parseManifest reads the manifest of id and checks everything that needs no other object.
func parseManifest(id ID, raw []byte) (Manifest, error) {
	var m Manifest
	if err := decode(raw, &m); err != nil {
		return m, &ErrCorrupt{ID: id, What: "manifest", Why: err}
	}
	if err := m.check(id); err != nil {
		return m, &ErrCorrupt{ID: id, What: "manifest", Why: err}
	}
	return m, nil
}

// plainManifest is parseManifest for bytes whose spelling need not be looked at.
func plainManifest(id ID, raw []byte) (m Manifest, err error) {
	if err = json.Unmarshal(raw, &m); err == nil {
		err = m.check(id)
	}
	if err != nil {
		return m, &ErrCorrupt{ID: id, What: "manifest", Why: err}
	}
	return m, nil
}

func (m *Manifest) check(id ID) error {
	switch {
	case m.ID != id:
		return fmt.Errorf("is the manifest of %s", m.ID)
	case m.Line == "" || m.Depth < 0 || m.Created.IsZero():
		return fmt.Errorf("line, depth or time is missing")
	case (m.Parent == "") != (m.ParentDigest == ""):
		return fmt.Errorf("parent without digest, or digest without parent")
	case m.Kind != First && m.Kind != Auto && m.Parent == "":
		return fmt.Errorf("%s without a parent", m.Kind)
	case m.Parent == "" && m.Depth != 0:
		return fmt.Errorf("depth %d without a parent", m.Depth)
	case (m.Kind == First || m.Kind == Fork) && m.Line != m.ID:
		return fmt.Errorf("begins a line and names another")
	}
	if err := m.Path.check(); err != nil {
		return err
	}
	if err := m.words(); err != nil {
		return err
	}
	return m.Parts.each(func(name string, p *Part) error { return p.check(name) })
}

// words checks what callers hand in and the store only keeps.
func (m *Manifest) words() error {
	switch m.Kind {
	case First, Continue, Fork, Auto:
	default:
		return fmt.Errorf("%w: kind %q", ErrInvalid, cut(string(m.Kind)))
	}
	if !word(m.RunID) || !word(m.Origin.By) {
		return fmt.Errorf("%w: run %q by %q: both must be 1 to 128 visible ASCII characters", ErrInvalid, cut(m.RunID), cut(m.Origin.By))
	}
	if m.Origin.TookIn < 0 || len(m.Origin.Names) > MaxNames || len(m.Origin.Event) > 256 {
		return fmt.Errorf("%w: origin names %d snapshots, at most %d", ErrInvalid, len(m.Origin.Names), MaxNames)
	}
	if len(m.PlanHash) > 128 || len(m.AcceptedPlanHash) > 128 {
		return fmt.Errorf("%w: a plan hash of more than 128 characters", ErrInvalid)
	}
	return nil
}

func word(s string) bool {
	return s != "" && len(s) <= 128 && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}

// check compares an inlined part with its digest; blobs are checked when they are read.
func (p *Part) check(name string) error {
	switch {
	case p.Size < 0 || p.Size > MaxPart:
		return fmt.Errorf("%s: %d bytes", name, p.Size)
	case !isDigest(p.Digest):
		return fmt.Errorf("%s: %q is no digest", name, cut(p.Digest))
	case (p.Inline == nil) != (p.Size > inlineMax):
		return fmt.Errorf("%s: a part of %d bytes is on the wrong side of the limit for inlining", name, p.Size)
	case p.Inline != nil && (int64(len(p.Inline)) != p.Size || canon.Digest(p.Inline) != p.Digest):
		return fmt.Errorf("%s: is not what its digest names", name)
	}
	return nil
}

func isDigest(s string) bool {
	return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == ""
}
