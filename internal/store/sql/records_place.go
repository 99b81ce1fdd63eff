package sql

import (
	"hash/fnv"

	"session/internal/lifecycle"
)

// few is how many places are looked at as a whole. Where a limit is higher, looking at all of them would make each new
// Session of an owner dearer than the last.
const few = 64

// place gives a Session that counts against the limit one of its owner's places, and takes it from one that does not. Two
// that take the same place at a time meet in the index sessions_slot; one of them tries again.
func (r Records) place(t tx, s *record) error {
	if !s.Counts() {
		s.slot = nil
		return nil
	}
	if s.slot != nil {
		return nil
	}
	if r.o.Limit > few {
		free, err := r.nearby(t, s)
		if err != nil || free != nil {
			s.slot = free
			return err
		}
	}
	taken, err := t.places(lifecycleQueries["slots"], string(s.Owner))
	if err != nil {
		return err
	}
	if len(taken) >= r.o.Limit {
		return &lifecycle.LimitError{Owner: s.Owner, Limit: r.o.Limit}
	}
	free := gap(taken, 0)
	s.slot = &free
	return nil
}

// nearby is a free place near one that the Session's id chooses, so that two that are made at a time seldom want the same.
// nil: all must be looked at, because it is crowded there, or because the limit was higher once.
func (r Records) nearby(t tx, s *record) (*int64, error) {
	h := fnv.New64a()
	_, _ = h.Write([]byte(s.ID)) // never fails (hash.Hash)
	limit := int64(r.o.Limit)
	first := int64(h.Sum64() % uint64(limit))
	beyond, err := t.places(lifecycleQueries["slots-from"], string(s.Owner), limit, 1)
	if err != nil || len(beyond) > 0 {
		return nil, err
	}
	taken, err := t.places(lifecycleQueries["slots-from"], string(s.Owner), first, few)
	if free := gap(taken, first); err == nil && free < limit && len(taken) < few {
		return &free, nil
	}
	return nil, err
}

// gap is the first number from first on that is not among taken, which are in order and not smaller.
func gap(taken []int64, first int64) int64 {
	for _, n := range taken {
		if n != first {
			break
		}
		first++
	}
	return first
}

func (t tx) places(query string, args ...any) (taken []int64, err error) {
	err = t.each(query, args, func(scan func(...any) error) error {
		var n int64
		err := scan(&n)
		taken = append(taken, n)
		return err
	})
	return taken, err
}
