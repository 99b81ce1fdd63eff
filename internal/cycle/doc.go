// Package cycle is the commit protocol that every command which records something goes through:
//
//	lease of the path → mend what a killed run left → read the base → journal → run the plan → one commit → projections → journal away
//
// The cycle becomes real when its snapshot's manifest appears; what comes after (state file, Ref, memory) are
// projections that name the snapshot they stand at, and what comes before leaves no trace when it fails. The package
// knows neither the draft that a plan works on nor what stores, journals and projections are made of.
package cycle

import (
	"context"
	"time"

	"session/internal/session"
	"session/internal/snapshot"
)

// Journal is the note that a running cycle leaves for the case that it is killed. There is one a work tree.
type Journal interface {
	// Begin writes the note, durably; an earlier one is replaced.
	Begin(ctx context.Context, e Entry) error
	// Note adds which commit a ref is about to move to, durably.
	Note(ctx context.Context, ref, commit string) error
	// End removes the note. Nothing there: nil.
	End(ctx context.Context) error
}

// Entry is what the journal holds.
type Entry struct {
	Path     snapshot.Path   `json:"path"`
	RunID    string          `json:"run_id"`
	Snapshot snapshot.ID     `json:"snapshot"`
	Holder   snapshot.Holder `json:"holder"`
	Ref      string          `json:"ref,omitempty"`
	Commit   string          `json:"commit,omitempty"`
}

// Base is what a cycle starts from: the path's newest snapshot, or a named one.
type Base struct {
	Manifest snapshot.Manifest // zero: the path has no snapshot yet
	Bundle   session.Bundle
	Next     snapshot.ID // the id that this cycle's snapshot will have
	Line     snapshot.ID
	Beside   bool // another run holds the path: this cycle records an autosave beside it
	// Autosaves are what hooks recorded since the path's newest snapshot, oldest first: a save takes their content in.
	Autosaves []session.Bundle
	Damaged   []error // autosaves that cannot be read
	tookIn    int
}

// Has reports whether there is a snapshot to start from.
func (b Base) Has() bool { return b.Manifest.ID != "" }

// Projection writes something that shows what a snapshot says. It is called after the commit, by the holder of the
// path's lease only; its failure is reported and loses nothing.
type Projection struct {
	Name string
	Do   func(ctx context.Context, made snapshot.Manifest, b session.Bundle) error
}

// Where says on which path a cycle records, and how.
type Where struct {
	Path   snapshot.Path
	Stood  snapshot.ID // where the work tree stood: parent of a path's first snapshot; "" if nowhere
	Base   snapshot.ID // a base that the caller named: it is continued, or the command refused
	Fork   bool        // of Base, or of the newest
	Auto   bool        // an autosave: a leaf, no lease
	Leave  bool        // autosaves stay for the next save: this command takes nothing of theirs in
	Leaf   bool        // an autosave by a whole cycle: the chain that it belongs to is out of reach
	Wait   time.Duration
	Origin snapshot.Origin
}
