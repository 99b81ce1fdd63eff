package app

import (
	"context"
	"errors"

	"session/internal/store/file"
)

// examineShared asks the back ends that are shared whether they are there. What is wrong with one costs no work: it is said,
// with what to do.
func (s *site) examineShared(ctx context.Context, r *DoctorResult) {
	r.Shared = []PartHealth{}
	b, err := s.backends(ctx)
	if err != nil {
		r.problem("shared", "unreadable", err.Error(), "", false)
		return
	}
	for _, x := range []struct {
		url string
		ask func(string) error
	}{
		{b.Store, func(raw string) error {
			_, err := s.shared(ctx, raw, false)
			if errors.Is(err, file.ErrNoStore) {
				return nil // the first save makes it
			}
			return err
		}},
		{b.Coordination, func(raw string) error { return s.pingRedis(ctx, raw) }},
	} {
		if x.url == "" {
			continue
		}
		part := PartHealth{Where: SafeURL(x.url), OK: true}
		if err := x.ask(x.url); err != nil {
			part.OK, part.Note = false, err.Error()
			r.problem("shared", "unreachable", err.Error(), "", false)
		}
		r.Shared = append(r.Shared, part)
	}
}

func (s *site) pingRedis(ctx context.Context, raw string) error {
	open, err := s.coordination(raw)
	if err != nil {
		return err
	}
	c := open()
	return errors.Join(c.Ping(ctx), c.Close())
}
