package snapshot

import (
	"context"
	"errors"
	"fmt"

	"session/internal/canon"
)

// slot is the object that announces an autosave: number n of its line.
type slot struct {
	ID ID `json:"session_id"`
}

// Pending are a line's autosaves that no save has taken in, oldest first.
type Pending struct {
	Autosaves []Manifest
	// Damaged are announced autosaves that cannot be read. They do not keep anyone from saving.
	Damaged []error
	// TookIn goes into the Origin of the save that takes these in.
	TookIn int
}

// Pending reads the autosaves of a path that are newer than what its head took in. at is what Head found.
func (s *Store) Pending(ctx context.Context, at Position) (Pending, error) {
	p := Pending{TookIn: at.mark()}
	for ; ; p.TookIn++ {
		id, err := s.slot(ctx, at.Line, p.TookIn)
		if errors.Is(err, ErrNotFound) {
			return p, nil
		}
		if err == nil {
			err = s.announcedOne(ctx, at.Line, id, &p)
		}
		if isCorrupt(err) {
			p.Damaged = append(p.Damaged, err)
		} else if err != nil {
			return Pending{}, fmt.Errorf("read autosaves: %w", err)
		}
	}
}

// announcedOne adds an announced autosave; one that was removed since is passed over.
func (s *Store) announcedOne(ctx context.Context, line, id ID, p *Pending) error {
	m, _, err := s.manifest(ctx, id)
	var removed *ErrRemoved
	switch {
	case errors.As(err, &removed):
		return nil
	case errors.Is(err, ErrNotFound):
		return &ErrCorrupt{ID: id, What: "manifest", Why: errors.New("lost: it was announced")}
	case err != nil:
		return err
	case m.Kind != Auto || m.Line != line:
		return &ErrCorrupt{ID: id, What: "announcement", Why: errors.New("it is no autosave of this line")}
	}
	p.Autosaves = append(p.Autosaves, m)
	return nil
}

// mark is the number of the first autosave that the head did not take in.
func (at *Position) mark() int {
	if at.Head == nil {
		return 0
	}
	return at.Head.Origin.TookIn
}

func (s *Store) slot(ctx context.Context, line ID, n int) (ID, error) {
	what := fmt.Sprintf("announcement %d of line %s", n, line)
	raw, err := s.get(ctx, slotKey(line, n), "", what)
	if err != nil {
		return "", err
	}
	var x slot
	if err := decode(raw, &x); err != nil {
		return "", &ErrCorrupt{What: what, Why: err}
	}
	if x.ID == "" {
		return "", &ErrCorrupt{What: what, Why: errors.New("names nothing")}
	}
	return x.ID, nil
}

// announce gives an autosave the next number of its line. Numbers below what a head took in may have been collected, so
// one that was given from an old head's point of view is given again.
func (s *Store) announce(ctx context.Context, c Committed) error {
	if c.Again { // perhaps announced then, and even taken in since
		if known, err := s.announced(ctx, c.Line, c.ID); known || err != nil {
			return err
		}
	}
	for done := false; !done; {
		var err error
		if done, err = s.announceOnce(ctx, c); err != nil {
			return fmt.Errorf("announce autosave %s: %w", c.ID, err)
		}
	}
	return nil
}

func (s *Store) announceOnce(ctx context.Context, c Committed) (done bool, err error) {
	at, err := s.Head(ctx, c.Path)
	if err != nil {
		return false, err
	}
	n, err := s.number(ctx, c, at.mark())
	if err != nil {
		return false, err
	}
	now, err := s.Head(ctx, c.Path)
	return now.mark() <= n || now.mark() == at.mark(), err
}

// announced looks through a line's announcements for an autosave.
func (s *Store) announced(ctx context.Context, line, id ID) (bool, error) {
	found := false
	err := s.objects.List(ctx, slotsDir(line), func(i Info) error {
		raw, err := s.objects.Get(ctx, i.Key)
		if errors.Is(err, ErrNotFound) {
			return nil
		}
		var x slot
		if err == nil && decode(raw, &x) == nil {
			found = found || x.ID == id
		}
		return err
	})
	if err != nil {
		return false, fmt.Errorf("look for the announcement of autosave %s: %w", id, err)
	}
	return found, nil
}

// number creates c's announcement behind its line's and returns its number.
func (s *Store) number(ctx context.Context, c Committed, from int) (int, error) {
	raw, err := canon.Marshal(slot{ID: c.ID})
	if err != nil {
		return 0, err
	}
	n, err := s.end(ctx, c.Line, from)
	if err != nil {
		return 0, err
	}
	for ; ; n++ {
		err = s.objects.PutNew(ctx, slotKey(c.Line, n), raw)
		if !errors.Is(err, ErrExists) {
			return n, err
		}
	}
}

// end finds the first free number at or after from in a logarithmic number of looks: there are no gaps above from.
func (s *Store) end(ctx context.Context, line ID, from int) (int, error) {
	low, step := from, 1 // everything below low is taken
	for {
		is, err := s.taken(ctx, line, low+step-1)
		if err != nil {
			return 0, err
		}
		if !is {
			return s.between(ctx, line, low, low+step-1)
		}
		low, step = low+step, 2*step
	}
}

// between finds the first free number from low on; high is free.
func (s *Store) between(ctx context.Context, line ID, low, high int) (int, error) {
	for low < high {
		middle := (low + high) / 2
		is, err := s.taken(ctx, line, middle)
		if err != nil {
			return 0, err
		}
		if is {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low, nil
}

// taken reports whether a number is given; one whose announcement is damaged is given too.
func (s *Store) taken(ctx context.Context, line ID, n int) (bool, error) {
	_, err := s.slot(ctx, line, n)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return true, damageAside(err)
}
