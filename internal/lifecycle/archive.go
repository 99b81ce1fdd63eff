package lifecycle

import (
	"encoding/json"
	"fmt"
	"time"
)

// Archived is a Session put away whole: one document that can be read without the store that it came from.
type Archived struct {
	Format      int          `json:"format"` // ArchiveFormat
	At          time.Time    `json:"archived_at"`
	Session     Session      `json:"session"`
	Plans       []Plan       `json:"plans"` // every version, oldest first
	Requests    []Request    `json:"requests"`
	Checkpoints []Checkpoint `json:"checkpoints"`
	Events      []Event      `json:"events"`
}

// ArchiveFormat is the format that this program writes. Readers refuse a greater one.
const ArchiveFormat = 1

// Encode is the document.
func (a Archived) Encode() ([]byte, error) {
	a.Format = ArchiveFormat
	b, err := json.Marshal(a)
	if err != nil {
		return nil, fmt.Errorf("write the archive of session %s: %w", a.Session.ID, err)
	}
	return b, nil
}

// ReadArchive reads what Encode wrote. Errors: ErrInvalid.
func ReadArchive(b []byte) (a Archived, err error) {
	if err := json.Unmarshal(b, &a); err != nil {
		return a, fmt.Errorf("%w: an archive that cannot be read: %w", ErrInvalid, err)
	}
	if a.Format < 1 || a.Format > ArchiveFormat {
		return a, fmt.Errorf("%w: an archive of format %d; this program reads up to %d", ErrInvalid, a.Format, ArchiveFormat)
	}
	return a, nil
}

// Checkpoint is a place to go on from: the id of a snapshot.
type Checkpoint struct {
	Number   int64     `json:"number"` // from 1, in the order in which they were made
	Snapshot Snapshot  `json:"snapshot"`
	Label    string    `json:"label,omitempty"`
	At       time.Time `json:"at"`
}

// Checkpointed is the Session after one more checkpoint. Errors: ErrInvalid, *FencedError.
func (s Session) Checkpointed(as RunID, snapshot Snapshot, label string, now time.Time, p Policy) (Session, Checkpoint, error) {
	if err := first(plain("snapshot", snapshot), text("a checkpoint's label", label), optional("run", as), s.admits(Newest, as)); err != nil {
		return s, Checkpoint{}, err
	}
	now = s.after(now)
	s.Checkpoints++
	s.Head = snapshot
	s.touch(now, p)
	return s, Checkpoint{s.Checkpoints, snapshot, label, now}, nil
}

// Tombstone is what is left of a Session: its id stays taken, and what came from it can still be followed.
type Tombstone struct {
	ID     ID         `json:"id"`
	Owner  Owner      `json:"user_id"`
	Parent ID         `json:"parent_id,omitempty"`
	Head   Snapshot   `json:"head_snapshot,omitempty"`
	Kind   Removal    `json:"kind"`
	Status Status     `json:"status"` // it ended in
	At     time.Time  `json:"at"`
	Purge  []Snapshot `json:"purge,omitempty"` // its checkpoints' snapshots, until Keeper.Purged
}

// Removal is how a Session left.
type Removal string

// The ways to leave.
const (
	Deleted Removal = "deleted"
	PutAway Removal = "archived"
)
