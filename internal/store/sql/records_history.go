package sql

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"session/internal/lifecycle"
)

func (t tx) addEvent(e lifecycle.Event) error {
	_, err := t.exec(lifecycleQueries["add-event"], string(e.Session), e.Seq, string(e.Owner), string(e.Type), millis(e.At), document{&e.Data})
	return err
}

func (t tx) events(query string, args ...any) ([]lifecycle.Event, error) {
	all := []lifecycle.Event{}
	err := t.each(lifecycleQueries[query], args, func(scan func(...any) error) error {
		var e lifecycle.Event
		err := scan(&e.Session, &e.Seq, &e.Owner, &e.Type, instant{&e.At}, document{&e.Data})
		all = append(all, e)
		return err
	})
	return all, err
}

// Events implements lifecycle.History.
func (r Records) Events(ctx context.Context, k lifecycle.Key, after int64, limit int) (all []lifecycle.Event, err error) {
	err = r.look(ctx, k, func(t tx, s record) error {
		all, err = t.events("events", string(s.ID), after, limit)
		return err
	})
	return all, of("look up the events of", k, err)
}

// Checkpoint implements lifecycle.History.
func (r Records) Checkpoint(ctx context.Context, k lifecycle.Key, as lifecycle.RunID, snapshot lifecycle.Snapshot, label string) (c lifecycle.Checkpoint, err error) {
	_, err = r.change(ctx, k, func(t tx, s lifecycle.Session) (lifecycle.Session, lifecycle.Event, error) {
		after, made, err := s.Checkpointed(as, snapshot, label, r.o.Now(), r.o.Policy)
		if err != nil {
			return s, lifecycle.Event{}, err
		}
		c = made
		_, err = t.exec(lifecycleQueries["add-checkpoint"], string(s.ID), c.Number, string(c.Snapshot), c.Label, millis(c.At))
		return after, lifecycle.Event{}, err
	})
	return c, of("add a checkpoint to", k, err)
}

// Checkpoints implements lifecycle.History.
func (r Records) Checkpoints(ctx context.Context, k lifecycle.Key) (all []lifecycle.Checkpoint, err error) {
	err = r.look(ctx, k, func(t tx, s record) error {
		all, err = t.checkpoints(s.ID)
		return err
	})
	return all, of("look up the checkpoints of", k, err)
}

func (t tx) checkpoints(id lifecycle.ID) ([]lifecycle.Checkpoint, error) {
	all := []lifecycle.Checkpoint{}
	err := t.each(lifecycleQueries["checkpoints"], []any{string(id)}, func(scan func(...any) error) error {
		var c lifecycle.Checkpoint
		err := scan(&c.Number, &c.Snapshot, &c.Label, instant{&c.At})
		all = append(all, c)
		return err
	})
	return all, err
}

// Unpublished implements lifecycle.History.
func (r Records) Unpublished(ctx context.Context, limit int) (all []lifecycle.Event, err error) {
	err = r.db.read(ctx, func(t tx) error {
		all, err = t.events("unpublished", limit)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("look up the outbox: %w", err)
	}
	return all, nil
}

// Published implements lifecycle.History.
func (r Records) Published(ctx context.Context, events []lifecycle.Event) error {
	err := r.db.write(ctx, func(t tx) error {
		for part := range slices.Chunk(events, t.rows) {
			args := make([]any, 0, 2*len(part))
			for _, e := range part {
				args = append(args, string(e.Session), e.Seq)
			}
			if _, err := t.exec(published(len(part)), args...); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("take events out of the outbox: %w", err)
	}
	return nil
}

// published is the query of that name for n events: one wait for a server instead of n.
func published(n int) string {
	text := strings.Builder{}
	text.WriteString(lifecycleQueries["published"])
	for i := 1; i < n; i++ {
		fmt.Fprintf(&text, " OR session = $%d AND seq = $%d", 2*i+1, 2*i+2)
	}
	return text.String()
}

// Daily implements lifecycle.Statistics.
func (r Records) Daily(ctx context.Context, of lifecycle.Whose, from, to time.Time) ([]lifecycle.Day, error) {
	if err := of.Check(); err != nil {
		return nil, fmt.Errorf("count sessions: %w", err)
	}
	owner, all := of.Owner()
	first, last := lifecycle.DayOf(from), lifecycle.DayOf(to)
	var days []lifecycle.Day
	err := r.db.read(ctx, func(t tx) error {
		days = []lifecycle.Day{}
		args := []any{first, last, yes{&all}, string(owner), first * dayMS, (last + 1) * dayMS}
		return t.each(lifecycleQueries["daily"], args, func(scan func(...any) error) error {
			var d lifecycle.Tally
			err := scan(&d.Day, &d.Sessions, &d.Completed, &d.Failed, &d.Ran, &d.ExecutionMS, &d.TokensUsed, &d.CostMicro)
			days = append(days, d.Row())
			return err
		})
	})
	if err != nil {
		return nil, fmt.Errorf("count sessions: %w", err)
	}
	return days, nil
}

const dayMS = 24 * 60 * 60 * 1000

// Counts implements lifecycle.Statistics.
func (r Records) Counts(ctx context.Context, of lifecycle.Whose) (counts map[lifecycle.Status]int64, err error) {
	if err := of.Check(); err != nil {
		return nil, fmt.Errorf("count sessions: %w", err)
	}
	owner, all := of.Owner()
	err = r.db.read(ctx, func(t tx) error {
		counts = map[lifecycle.Status]int64{}
		return t.each(lifecycleQueries["counts"], []any{yes{&all}, string(owner)}, func(scan func(...any) error) error {
			var s lifecycle.Status
			var n int64
			err := scan(&s, &n)
			counts[s] = n
			return err
		})
	})
	if err != nil {
		return nil, fmt.Errorf("count sessions: %w", err)
	}
	return counts, nil
}
