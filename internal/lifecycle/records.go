package lifecycle

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// Records keeps Sessions and all that stands around them. Every implementation runs internal/lifecycle/lifecycletest.
//
//   - A call does all of what it says or, with an error, nothing of it; a reader never sees a part.
//   - Any number of goroutines, processes and machines may use one store at a time.
//   - What a Key's Owner does not have is ErrNotFound, also if others have it. A Session that was removed is *GoneError.
//   - The clock is the store's own, injected when it is opened; so are the Policy and the limit.
//   - Besides the errors at the methods, all may return ErrInvalid, the context's error, and what the back end says.
type Records interface {
	Sessions
	Plans
	Requests
	History
	Statistics
	Keeper
}

// Options are what a store is opened with.
type Options struct {
	Now    func() time.Time // the clock; required
	Policy Policy
	Limit  int // live Sessions with Draft.Limited that an Owner may have at a time; 0 is DefaultLimit
}

// DefaultLimit is the seed's (§7.1).
const DefaultLimit = 5

// Check refuses options without a clock, and fills in the default limit; errors.Is ErrInvalid.
func (o *Options) Check() error {
	if o.Limit == 0 {
		o.Limit = DefaultLimit
	}
	if o.Now == nil || o.Limit < 0 {
		return fmt.Errorf("%w: records need a clock and a limit of sessions above 0", ErrInvalid)
	}
	return o.Policy.Check()
}

// Sessions are the records themselves.
type Sessions interface {
	// Create records a new Session. Errors: ErrTaken, also if the id was taken by a Session that is gone or another's;
	// *LimitError if the draft is Limited and its Owner has no place left.
	Create(ctx context.Context, d Draft) (Session, error)
	// Get is one Session.
	Get(ctx context.Context, k Key) (Session, error)
	// List is an Owner's Sessions, the newest first. What lies between two pages in time does not disturb them: see Page.
	List(ctx context.Context, q Query) (Page, error)
	// Change applies a change. Errors: those of Session.Apply; *LimitError where a failed Session that is Limited would
	// run again. A pending Request of a Session that leaves hitl_waiting is dropped.
	Change(ctx context.Context, k Key, c Change) (Session, error)
	// Delete removes everything of a Session but its tombstone. Errors: *BusyError while it is running; *ChangedError if
	// it is not at version (Newest: whichever it is at).
	Delete(ctx context.Context, k Key, version int64) (Tombstone, error)
}

// Plans are what Sessions mean to do.
type Plans interface {
	// Revise adds the next version of a Session's plan. Errors: *ChangedError, *FencedError.
	Revise(ctx context.Context, k Key, r Revision) (Plan, error)
	// Plan is one version of a Session's plan, 0 the newest. Errors: ErrNotFound.
	Plan(ctx context.Context, k Key, version int) (Plan, error)
	// Work changes Todos of the newest version, all or none. as is the run that speaks, see Change.As. Errors:
	// *FencedError, ErrNotFound if there is no plan.
	Work(ctx context.Context, k Key, as RunID, changes []TodoChange) ([]Todo, error)
	// Resume lets a Session go on, see Session.Resume. A Session without a plan has no Todos. Errors: those of
	// Session.Resume, *LimitError.
	Resume(ctx context.Context, k Key, r Resumption) (Session, []Todo, error)
}

// Requests are questions to a person.
type Requests interface {
	// Ask lets a running Session wait for a person. Errors: *FencedError, *TransitionError; ErrTaken if the Session had
	// a Request of this id.
	Ask(ctx context.Context, k Key, q Question) (Request, error)
	// Answer gives the one answer; the Session runs on. Errors: *AnsweredError to everybody but the first, and to all
	// once the time is out.
	Answer(ctx context.Context, k Key, id RequestID, d Decision) (Request, error)
	// Asked is every Request of a Session, oldest first.
	Asked(ctx context.Context, k Key) ([]Request, error)
	// TimeOut closes up to limit Requests of any Owner whose time is out, and pauses their Sessions. It returns them.
	TimeOut(ctx context.Context, limit int) ([]Request, error)
}

// History is what happened to Sessions.
type History interface {
	// Events are up to limit events of a Session with numbers above after, in order, without gaps.
	Events(ctx context.Context, k Key, after int64, limit int) ([]Event, error)
	// Checkpoint adds a place to go on from, which becomes the Session's Head. as is the run that speaks, see Change.As.
	Checkpoint(ctx context.Context, k Key, as RunID, snapshot Snapshot, label string) (Checkpoint, error)
	// Checkpoints are all of a Session's, oldest first.
	Checkpoints(ctx context.Context, k Key) ([]Checkpoint, error)
	// Unpublished are up to limit events, of any Owner, that nobody has called Published with yet: of each Session in
	// order. It is an outbox: what is published twice has the same Session and Seq.
	Unpublished(ctx context.Context, limit int) ([]Event, error)
	// Published takes events out of the outbox. They stay in the history.
	Published(ctx context.Context, events []Event) error
}

// Statistics count.
type Statistics interface {
	// Daily is the table of the days from and to and between, the newest first; days without Sessions are left out.
	Daily(ctx context.Context, of Whose, from, to time.Time) ([]Day, error)
	// Counts is how many Sessions there are in each state; a state that none is in is left out.
	Counts(ctx context.Context, of Whose) (map[Status]int64, error)
}

// Whose says whose Sessions are counted. The zero Whose is nobody's and refused, so that nobody counts others' by
// forgetting a field.
type Whose struct {
	owner Owner
	all   bool
}

// Of counts one Owner's Sessions.
func Of(o Owner) Whose { return Whose{owner: o} }

// OfAll counts everybody's: for who runs the service.
func OfAll() Whose { return Whose{all: true} }

// Owner is the one; all is true, and the owner empty, if it is everybody.
func (w Whose) Owner() (o Owner, all bool) { return w.owner, w.all }

// Check refuses the zero Whose; errors.Is ErrInvalid.
func (w Whose) Check() error {
	if w.all {
		return nil
	}
	return plain("owner", w.owner)
}

// Keeper is for the clean-up. Its Due and Unpurged are of every Owner.
type Keeper interface {
	// Due is up to limit Sessions that Due (the function) does something with now.
	Due(ctx context.Context, limit int) ([]Session, error)
	// Archive puts a Session away: like Delete, and what was there can be read with Archived. Errors: as Delete's.
	Archive(ctx context.Context, k Key, version int64) (Tombstone, error)
	// Archived is a Session that was put away. Errors: ErrNotFound.
	Archived(ctx context.Context, k Key) (Archived, error)
	// Tombstone is what is left of a Session. Errors: ErrNotFound, also of one that is still there.
	Tombstone(ctx context.Context, k Key) (Tombstone, error)
	// Unpurged are up to limit tombstones whose Purge has snapshots that may have to be removed elsewhere.
	Unpurged(ctx context.Context, limit int) ([]Tombstone, error)
	// Purged says that a tombstone's snapshots are gone or belong to others. Doing it again changes nothing.
	Purged(ctx context.Context, k Key) error
}

// Query asks for a page of an Owner's Sessions (seed 004 §4.1, list_sessions).
type Query struct {
	Owner    Owner
	Statuses []Status // none: all
	Limit    int      // 1 to 1,000; 0 is 20
	Offset   int
	After    Cursor // the end of the last page; then Offset counts from there
}

// Cursor is a place in a list, opaque to callers.
type Cursor string

// Page is a part of a list. The order is by creation and id, which never change: a change to a Session moves nothing, one
// that is removed shifts offsets, one that is new comes before the first. Next goes on from exactly where the page ends,
// whatever happened meanwhile: every Session that was there all the time comes exactly once.
type Page struct {
	Sessions []Session
	Next     Cursor // "" if there is nothing behind
}

const (
	defaultPage = 20
	maxPage     = 1000
)

// Check refuses what cannot be asked, and fills in the default limit; errors.Is ErrInvalid.
func (q *Query) Check() error {
	if q.Limit == 0 {
		q.Limit = defaultPage
	}
	if q.Limit < 0 || q.Limit > maxPage || q.Offset < 0 {
		return fmt.Errorf("%w: a page of %d sessions from %d; the limit is 1 to %d, the offset 0 or more", ErrInvalid, q.Limit, q.Offset, maxPage)
	}
	for _, s := range q.Statuses {
		if err := s.Check(); err != nil {
			return err
		}
	}
	if _, _, err := q.After.Place(); err != nil {
		return err
	}
	return plain("owner", q.Owner)
}

// Has says whether a Session of the Owner is asked for.
func (q Query) Has(s Session) bool {
	return s.Owner == q.Owner && (len(q.Statuses) == 0 || slices.Contains(q.Statuses, s.Status))
}
