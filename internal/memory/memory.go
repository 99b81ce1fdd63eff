// Package memory remembers what was done, in one item a save or a turn, and finds it again by keywords. It is seed 003
// (PRD-005), S3 of the requirements.
//
// An Item is a short summary, the time it is about, and the keywords under which it is found. Keywords come from
// everything that was said, not from the summary: a summary is for reading, and drops the very words that a question is
// asked with. Nobody sees them; an answer is a Found, which is summary, id and timestamp.
//
// A memory belongs to one session (SessionRef, the id of the line of snapshots that it is about). Looking into every
// session has to be asked for by name, and a zero Scope looks nowhere.
//
// # The way of a text
//
//	scan      text → pieces: words, and names out of code (sessionStore, a/b.go) with the words in them
//	term      word → what it is compared by: English stems, Korean words without particles, nothing for words of grammar
//	Entries   item → the keys under which an index holds it
//	ask       query → keywords, each as ranges of keys
//	Rank      keywords × index → the best items
//
// Nothing in a query has a meaning to a database: there is no syntax in it, and what reaches a store are keys.
//
// # Stores and snapshots
//
// What is remembered is recorded in snapshots. A Store is a projection of them that can be searched; it says at which
// snapshot it stands, can be thrown away, and is made again from the snapshots. So nothing is kept of a cycle that
// failed: its items are in no snapshot, and a store is only told after the commit.
//
// # Steps
//
// A plan decides whether anything of this happens. The five steps (SummarizeMemory, PersistMemory, RetrieveMemory,
// ContextSelect, PromptAssemble) are plain functions over a Work, which is this package's part of a bigger draft. They
// know no engine and no plan; clock, random ids and the search are handed in.
package memory

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
)

// AnalyserVersion changes when the same texts no longer give the same keys. A store that was filled under another version
// stands at no snapshot, and is made anew.
const AnalyserVersion = 2

// ID names an item: a UUID, version 4, in lower case (seed 003, Data Structures).
type ID string

// SessionRef names the session that a memory belongs to. The package only compares it.
type SessionRef string

// Snapshot is the id of a snapshot. The package only compares it.
type Snapshot string

// Item is one thing remembered (seed 003, MemoryItem). It does not change: its id again is the same item.
type Item struct {
	ID ID `json:"id"`
	// Timestamp is when it happened, in the zone where it did: its day is looked for as it was on the wall.
	Timestamp time.Time `json:"timestamp"`
	Summary   string    `json:"summary"`
	Words
	SessionRef SessionRef `json:"sessionRef"`
}

// Words are what an item is found by.
type Words struct {
	// Keywords are the words of everything that the item is about: folded to lower case and NFKC, without words of grammar,
	// one of each stem, in order of appearance. They are words and not stems, so that an index can be made anew from them
	// when stemming changes.
	Keywords []string `json:"keywords"`
	// Counts says how often each keyword was there; empty is once each.
	Counts []int `json:"counts,omitempty"`
	// Literals are paths, files, symbols and error codes as a whole. Only names in a query are looked for in them, plain
	// words are not.
	Literals []string `json:"literals,omitempty"`
}

// Found is what a search or a list says of an item, and all of it (seed 003: internal keywords are not exposed).
type Found struct {
	ID        ID        `json:"id"`
	Timestamp time.Time `json:"timestamp"` // UTC, to the millisecond
	Summary   string    `json:"summary"`
}

// Errors that a caller must tell apart.
var (
	// ErrInvalid says that an item, a batch or a query breaks the contract; nothing was done.
	ErrInvalid = errors.New("invalid")
	// ErrBehind says that a store does not stand at the snapshot that the caller goes by. Bring it up and ask again.
	ErrBehind = errors.New("memory is behind its snapshots")
	// ErrDamaged says that a store cannot be read as what it was written as. It answers nothing and must be made again.
	ErrDamaged = errors.New("memory store is damaged")
)

// Limits of an item. They are far above what a save makes; a foreign snapshot may try anything.
const (
	MaxSummary = 256 << 10 // bytes
	maxRef     = 256       // bytes of a SessionRef or Snapshot
)

// Check refuses items that a store could not keep and give back as they are; errors.Is ErrInvalid.
func (it Item) Check() error {
	switch problem := it.problem(); problem {
	case "":
		return nil
	default:
		return fmt.Errorf("memory item %.80q: %w: %s", it.ID, ErrInvalid, problem)
	}
}

func (it Item) problem() string {
	switch year := it.Timestamp.Year(); {
	case !it.ID.valid():
		return "its id is no UUID of version 4 in lower case"
	case it.Timestamp.IsZero() || year < 1 || year > 9999:
		return "its timestamp is missing or outside the years 1 to 9999"
	case strings.TrimSpace(it.Summary) == "" || len(it.Summary) > MaxSummary:
		return fmt.Sprintf("its summary is empty or longer than %d bytes", MaxSummary)
	case !utf8.ValidString(it.Summary) || strings.ContainsRune(it.Summary, 0):
		return "its summary is not UTF-8, or has a NUL in it"
	case len(it.Keywords) > maxKeywords || len(it.Literals) > maxKeywords:
		return fmt.Sprintf("more than %d keywords or literals", maxKeywords)
	case len(it.Counts) != 0 && len(it.Counts) != len(it.Keywords):
		return "its counts are not one for each keyword"
	}
	if !it.SessionRef.valid() {
		return "its sessionRef is empty, too long, or not plain text"
	}
	return ""
}

func (id ID) valid() bool {
	u, err := uuid.Parse(string(id))
	return err == nil && u.Version() == 4 && u.String() == string(id)
}

// ParseID reads the id of an item; errors.Is ErrInvalid.
func ParseID(s string) (ID, error) {
	if !ID(s).valid() {
		return "", fmt.Errorf("memory id %.80q: %w: not a UUID of version 4 in lower case", s, ErrInvalid)
	}
	return ID(s), nil
}

func (r SessionRef) valid() bool { return plain(string(r)) && r != "" }

// plain is printable text of one line that a database of any make keeps as it is.
func plain(s string) bool {
	return len(s) <= maxRef && utf8.ValidString(s) && strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }) < 0
}

// NewItem makes an item whose keywords come from its summary and from more texts (what was said, tags); errors.Is
// ErrInvalid.
func (a *Analyser) NewItem(id ID, at time.Time, session SessionRef, summary string, more ...string) (Item, error) {
	it := Item{ID: id, Timestamp: at, Summary: summary, SessionRef: session}
	it.Words, _ = a.Keywords(append([]string{summary}, more...)...)
	return it, it.Check()
}
