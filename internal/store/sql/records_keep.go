package sql

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"session/internal/lifecycle"
)

// Due implements lifecycle.Keeper.
func (r Records) Due(ctx context.Context, limit int) (all []lifecycle.Session, err error) {
	err = r.db.read(ctx, func(t tx) error {
		all, err = t.sessions("due", r.o.Now().UnixMilli(), limit)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("look up what is due: %w", err)
	}
	return all, nil
}

// Stranded are up to limit Sessions, of any owner, that are to run, that no run holds, and that nobody has touched since a
// time: whoever recorded them may have died before they were queued.
func (d *DB) Stranded(ctx context.Context, since time.Time, limit int) (all []lifecycle.Session, err error) {
	err = d.read(ctx, func(t tx) error {
		all, err = t.sessions("stranded", since.UnixMilli(), limit)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("look up what is stranded: %w", err)
	}
	return all, nil
}

// Unbegun are all Sessions, of any owner, that may run and have no checkpoint yet, in no order.
func (d *DB) Unbegun(ctx context.Context) (all []lifecycle.Session, err error) {
	const page = 1000
	for after := ""; ; {
		var some []lifecycle.Session
		err = d.read(ctx, func(t tx) error {
			some, err = t.sessions("unbegun", after, page)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("look up which sessions have recorded nothing yet: %w", err)
		}
		if all = append(all, some...); len(some) < page {
			return all, nil
		}
		after = string(some[page-1].ID)
	}
}

// Archive implements lifecycle.Keeper.
func (r Records) Archive(ctx context.Context, k lifecycle.Key, version int64) (lifecycle.Tombstone, error) {
	stone, err := r.remove(ctx, k, version, lifecycle.PutAway)
	return stone, of("archive", k, err)
}

// remove leaves of a Session a tombstone, what it adds to its day and, put away, its archive.
func (r Records) remove(ctx context.Context, k lifecycle.Key, version int64, how lifecycle.Removal) (stone lifecycle.Tombstone, err error) {
	if err := k.Check(); err != nil {
		return stone, err
	}
	err = r.db.write(ctx, func(t tx) error {
		row, err := t.session("lock-session", k)
		if err != nil {
			return err
		}
		s := row.Session
		switch {
		case version != lifecycle.Newest && version != s.Version:
			return &lifecycle.ChangedError{Session: s.ID, Version: s.Version, Status: s.Status}
		case s.Status == lifecycle.Running:
			return &lifecycle.BusyError{Session: s.ID, Status: s.Status}
		}
		whole, err := t.whole(s)
		if err != nil {
			return err
		}
		whole.At = r.o.Now()
		stone = stoneOf(whole, how)
		if how == lifecycle.PutAway {
			if err := t.addArchive(whole); err != nil {
				return err
			}
		}
		if err := t.bury(stone, s.Tally()); err != nil {
			return err
		}
		return t.forgetSession(s.ID)
	})
	return stone, err
}

func stoneOf(a lifecycle.Archived, how lifecycle.Removal) lifecycle.Tombstone {
	s := a.Session
	stone := lifecycle.Tombstone{ID: s.ID, Owner: s.Owner, Parent: s.Parent, Head: s.Head, Kind: how, Status: s.Status}
	stone.At = a.At.UTC().Truncate(time.Millisecond)
	for _, c := range a.Checkpoints {
		if !slices.Contains(stone.Purge, c.Snapshot) {
			stone.Purge = append(stone.Purge, c.Snapshot)
		}
	}
	return stone
}

func (t tx) addArchive(a lifecycle.Archived) error {
	b, err := a.Encode()
	if err != nil {
		return err
	}
	_, err = t.exec(lifecycleQueries["add-archive"], string(a.Session.ID), string(b))
	return err
}

func (t tx) bury(s lifecycle.Tombstone, d lifecycle.Tally) error {
	_, err := t.exec(lifecycleQueries["add-tombstone"], string(s.ID), string(s.Owner), string(s.Parent), string(s.Head), string(s.Kind), string(s.Status),
		millis(s.At), list(&s.Purge))
	if err != nil {
		return err
	}
	_, err = t.exec(lifecycleQueries["add-day"], string(s.Owner), d.Day, d.Sessions, d.Completed, d.Failed, d.Ran, d.ExecutionMS, d.TokensUsed, d.CostMicro)
	return err
}

// whole is everything of a Session.
func (t tx) whole(s lifecycle.Session) (a lifecycle.Archived, err error) {
	a.Session, a.Plans = s, []lifecycle.Plan{}
	for v := 1; v <= s.PlanVersion; v++ {
		p, err := t.plan(s, v)
		if err != nil {
			return a, err
		}
		a.Plans = append(a.Plans, p)
	}
	if a.Requests, err = t.requests(s.ID); err != nil {
		return a, err
	}
	if a.Checkpoints, err = t.checkpoints(s.ID); err != nil {
		return a, err
	}
	a.Events, err = t.events("events", string(s.ID), 0, s.Events)
	return a, err
}

// forgetSession removes the rows of a Session, the last one first made.
func (t tx) forgetSession(id lifecycle.ID) error {
	for _, table := range []string{"session_events", "session_checkpoints", "session_requests", "session_todos", "session_plans"} {
		if _, err := t.exec(`DELETE FROM `+table+` WHERE session = $1`, string(id)); err != nil {
			return err
		}
	}
	_, err := t.exec(`DELETE FROM sessions WHERE id = $1`, string(id))
	return err
}

// Archived implements lifecycle.Keeper.
func (r Records) Archived(ctx context.Context, k lifecycle.Key) (a lifecycle.Archived, err error) {
	var doc json.RawMessage
	err = r.stone(ctx, k, "archive", document{&doc})
	if err == nil {
		a, err = lifecycle.ReadArchive(doc)
	}
	return a, of("look up the archive of", k, err)
}

// stone scans the one row of a query about a Session that is gone.
func (r Records) stone(ctx context.Context, k lifecycle.Key, query string, dest ...any) error {
	if err := k.Check(); err != nil {
		return err
	}
	return r.db.read(ctx, func(t tx) error {
		found, err := t.one(lifecycleQueries[query], []any{string(k.ID), string(k.Owner)}, dest...)
		if err == nil && !found {
			err = lifecycle.ErrNotFound
		}
		return err
	})
}

// Tombstone implements lifecycle.Keeper.
func (r Records) Tombstone(ctx context.Context, k lifecycle.Key) (s lifecycle.Tombstone, err error) {
	err = r.stone(ctx, k, "tombstone", stoneDest(&s)...)
	return s, of("look up the tombstone of", k, err)
}

func stoneDest(s *lifecycle.Tombstone) []any {
	return []any{&s.ID, &s.Owner, &s.Parent, &s.Head, &s.Kind, &s.Status, instant{&s.At}, list(&s.Purge)}
}

func (t tx) tombstone(k lifecycle.Key) (s lifecycle.Tombstone, found bool, err error) {
	found, err = t.one(lifecycleQueries["tombstone"], []any{string(k.ID), string(k.Owner)}, stoneDest(&s)...)
	return s, found, err
}

// Unpurged implements lifecycle.Keeper.
func (r Records) Unpurged(ctx context.Context, limit int) (all []lifecycle.Tombstone, err error) {
	err = r.db.read(ctx, func(t tx) error {
		all = nil
		return t.each(lifecycleQueries["unpurged"], []any{limit}, func(scan func(...any) error) error {
			var s lifecycle.Tombstone
			err := scan(stoneDest(&s)...)
			all = append(all, s)
			return err
		})
	})
	if err != nil {
		return nil, fmt.Errorf("look up what is to be purged: %w", err)
	}
	return all, nil
}

// Purged implements lifecycle.Keeper.
func (r Records) Purged(ctx context.Context, k lifecycle.Key) error {
	if err := k.Check(); err != nil {
		return of("purge", k, err)
	}
	return of("purge", k, r.db.write(ctx, func(t tx) error {
		_, err := t.exec(lifecycleQueries["purged"], string(k.ID), string(k.Owner))
		return err
	}))
}
