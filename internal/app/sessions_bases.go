package app

import (
	"context"
	"errors"

	"session/internal/snapshot"
)

// bases are the snapshots from which Sessions begin, of whoever, that have recorded nothing of their own yet: they run, wait
// in the queue, or may be resumed. A collection that cannot ask for them removes nothing.
func (s *site) bases(ctx context.Context) (all []snapshot.ID, err error) {
	x, err := s.sessions(ctx, SessionsOptions{Read: true})
	var none *NoSessionsError
	switch {
	case errors.As(err, &none):
		return nil, nil
	case err != nil:
		return nil, err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	unbegun, err := x.db.Unbegun(ctx)
	if err != nil {
		return nil, err
	}
	for _, one := range unbegun {
		j, odd := jobOf(one)
		if id, err := snapshot.ParseID(j.Base); odd == nil && err == nil { // else somebody else's words, which name none of ours
			all = append(all, id)
		}
	}
	return all, nil
}
