package snapshot

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

const maxBack = 1 << 20 // generations in HEAD~n; longer lines than any

// Resolve reads what a person writes for a snapshot: a whole id, any prefix that fits only one, or HEAD, and behind each
// ~n for its n-th ancestor. HEAD is head, or what it hangs on if that is an autosave. Errors, in an *ErrRef: ErrNothing
// (HEAD of a path without snapshots), ErrNotFound, ErrTooFar, *ErrAmbiguous, *ErrRemoved, ErrInvalid.
func (s *Store) Resolve(ctx context.Context, ref string, head ID) (ID, error) {
	id, err := s.resolve(ctx, ref, head)
	if err != nil {
		return "", &ErrRef{Ref: cut(ref), Err: err}
	}
	return id, nil
}

func (s *Store) resolve(ctx context.Context, ref string, head ID) (ID, error) {
	name, tail, back := strings.Cut(ref, "~")
	n := 0
	if back {
		var err error
		n, err = generations(tail)
		if err != nil {
			return "", err
		}
	}
	if name == "HEAD" {
		if head == "" {
			return "", ErrNothing
		}
		return s.back(ctx, head, n, true)
	}
	id, err := s.prefix(ctx, name)
	if err != nil || !back {
		return id, err
	}
	return s.back(ctx, id, n, false)
}

func generations(tail string) (int, error) {
	if tail == "" { // git's HEAD~
		return 1, nil
	}
	n, err := strconv.Atoi(tail)
	if err != nil || n < 0 || n > maxBack || tail[0] == '+' {
		return 0, fmt.Errorf("%w: %q is no number of generations", ErrInvalid, cut(tail))
	}
	return n, nil
}

// back goes n generations up. An autosave counts as none when HEAD was asked for.
func (s *Store) back(ctx context.Context, id ID, n int, overAuto bool) (ID, error) {
	for a, err := range s.Walk(ctx, id) {
		switch {
		case err != nil:
			return "", err
		case overAuto && a.Kind == Auto:
		case n > 0:
			n--
		case a.Removed != nil:
			return "", &ErrRemoved{ID: a.Removed.ID, Removed: a.Removed.Removed, Why: a.Removed.Why}
		default:
			return a.ID, nil
		}
	}
	return "", ErrTooFar
}

// prefix finds the one snapshot whose id begins so.
func (s *Store) prefix(ctx context.Context, p string) (ID, error) {
	if p == "" || len(p) > idLen || strings.Trim(p, alphabet) != "" {
		return "", fmt.Errorf("%w: neither HEAD nor the beginning of an id", ErrInvalid)
	}
	if len(p) == idLen {
		id, err := ParseID(p)
		if err != nil {
			return "", fmt.Errorf("%w: %w", ErrInvalid, err)
		}
		_, _, err = s.manifest(ctx, id)
		if isCorrupt(err) { // it is that one, whatever became of it
			err = nil
		}
		return id, err
	}
	ids, err := s.beginning(ctx, snapshotsDir, p)
	if err != nil {
		return "", err
	}
	switch len(ids) {
	case 1:
		return ids[0], nil
	case 0:
		return "", s.removedPrefix(ctx, p)
	}
	return "", &ErrAmbiguous{Prefix: p, IDs: ids}
}

// removedPrefix says whether the prefix is that of something removed.
func (s *Store) removedPrefix(ctx context.Context, p string) error {
	ids, err := s.beginning(ctx, tombstonesDir, p)
	if err != nil {
		return err
	}
	if len(ids) == 1 {
		return s.absent(ctx, ids[0])
	}
	return ErrNotFound
}

// beginning lists ids below dir with a prefix; a handful is enough to say that there are several.
func (s *Store) beginning(ctx context.Context, dir, p string) (ids []ID, err error) {
	const enough = 5
	stop := errors.New("enough")
	err = s.objects.List(ctx, dir+p[:1]+"/"+p, func(i Info) error {
		if id, err := keyID(i.Key); err == nil {
			ids = append(ids, id)
		}
		if len(ids) == enough {
			return stop
		}
		return nil
	})
	if errors.Is(err, stop) {
		err = nil
	}
	return ids, err
}
