package memory

import (
	"context"
	"fmt"
)

// Store holds the items of many sessions and finds them. It is a projection of snapshots: the cycle that commits one
// tells the store afterwards, and what a store does not know is brought to it from the snapshots.
//
// Every implementation runs internal/memory/memorytest. The rules:
//
//   - A call does all of what it says or, with an error, nothing of it; a reader never sees a part.
//   - What is not readable as it was written is ErrDamaged, never an empty answer.
//   - Any number of processes may use one store at the same time.
//   - Errors say which session they are about. A cancelled context ends a call and leaves nothing of it.
type Store interface {
	// Apply brings a session to a snapshot in one transaction. Doing it again changes nothing. Errors: ErrInvalid.
	Apply(ctx context.Context, b Batch) error
	// Rebuild makes a session anew: afterwards it holds what b adds and does not forget, and nothing else. It also heals a
	// session that another AnalyserVersion filled. Errors: ErrInvalid.
	Rebuild(ctx context.Context, b Batch) error
	// Drop forgets all of a session. A session that is not there is no error.
	Drop(ctx context.Context, session SessionRef) error
	// Standing is the snapshot that a session stands at: "" if it was never applied, or filled by another
	// AnalyserVersion, and must be rebuilt.
	Standing(ctx context.Context, session SessionRef) (Snapshot, error)
	// List is every item in scope, newest first. Errors: ErrInvalid.
	List(ctx context.Context, in Scope) ([]Found, error)
	// Search is the best q.TopK items for q.Text, best first (seed 003: search(query, topK)); no match is an empty list.
	// Errors: ErrInvalid, ErrBehind.
	Search(ctx context.Context, q Query) ([]Found, error)
}

// Batch is what one snapshot, or several in a row, do to a session's memory.
type Batch struct {
	SessionRef SessionRef
	// Snapshot is where the session stands afterwards. Empty leaves it where it stands: what an autosave remembers can be
	// found at once, and comes again with the save that takes it in.
	Snapshot Snapshot
	// Add are new items, oldest first. An id that is there already is the same item and changes nothing.
	Add []Item
	// Forget are ids to take out, after Add. An id that is not there is no error.
	Forget []ID
}

// Check refuses a batch with an invalid item, two items of one id, or an item of another session; errors.Is ErrInvalid.
func (b Batch) Check() error {
	if !b.SessionRef.valid() || !plain(string(b.Snapshot)) {
		return fmt.Errorf("memory of session %.80q at snapshot %.80q: %w: not plain names", b.SessionRef, b.Snapshot, ErrInvalid)
	}
	seen := make(map[ID]bool, len(b.Add))
	for _, it := range b.Add {
		if err := it.Check(); err != nil {
			return err
		}
		if it.SessionRef != b.SessionRef || seen[it.ID] {
			return fmt.Errorf("memory item %s: %w: twice in one batch, or of session %.80q in a batch of %.80q",
				it.ID, ErrInvalid, it.SessionRef, b.SessionRef)
		}
		seen[it.ID] = true
	}
	return nil
}

// Scope says where to look. The zero Scope looks nowhere and is refused, so that nobody reads another session's memory by
// forgetting a field.
type Scope struct {
	session SessionRef
	every   bool
}

// InSession looks into one session.
func InSession(s SessionRef) Scope { return Scope{session: s} }

// InEverySession looks into all sessions of the store. Only for a person who asked for that (seed 003, Session Scope).
func InEverySession() Scope { return Scope{every: true} }

// Session is the one session to look into; every is true, and session empty, if it is all of them.
func (s Scope) Session() (session SessionRef, every bool) { return s.session, s.every }

// Check refuses the zero Scope; errors.Is ErrInvalid.
func (s Scope) Check() error {
	if !s.every && !s.session.valid() {
		return fmt.Errorf("memory: %w: no session to look into; name one, or ask for all", ErrInvalid)
	}
	return nil
}

// Query is a search. Text is any text: a question, two words, a log. Of what is beyond its first megabyte, or beyond its
// first 1,024 different keywords, nothing is looked for.
type Query struct {
	Text    string
	TopK    int // at most so many answers; no default
	Ranking Ranking
	In      Scope
	// At is the snapshot that the one session in scope must stand at; ErrBehind if it does not. Empty takes it as it is.
	At Snapshot
}

// Check refuses a query without a positive TopK, a known Ranking or a Scope; errors.Is ErrInvalid.
func (q Query) Check() error {
	if err := checkTopK(q.TopK); err != nil {
		return err
	}
	if err := q.Ranking.Check(); err != nil {
		return err
	}
	return q.In.Check()
}

func checkTopK(n int) error {
	if n < 1 {
		return fmt.Errorf("memory search: %w: topK is %d; it must be 1 or more, and has no default", ErrInvalid, n)
	}
	return nil
}
