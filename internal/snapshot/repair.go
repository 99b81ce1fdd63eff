package snapshot

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"session/internal/canon"
)

// fix is what Repair does about a problem.
type fix int

const (
	noFix fix = iota
	finishRemoval
	setPointer
	announceIt
	setAside
	setBlobAside
	clearLitter
)

// litterAge is how old a leftover must be before its writer is taken for dead.
const litterAge = time.Hour

// RepairRun is what Repair needs of the outside.
type RepairRun struct {
	Leases Leaser
	Who    Holder
	Now    time.Time
}

// Repaired is what Repair did about one problem.
type Repaired struct {
	Problem Problem `json:"problem"`
	Done    bool    `json:"done"`
	Why     string  `json:"why,omitempty"` // when it was not done
}

// Repair does what Check said it would do, and nothing else: it looks at each problem again first, works under the path's
// lease where a path is concerned, and never changes or throws away a byte that somebody saved. What it cannot mend it
// returns with the reason.
func (s *Store) Repair(ctx context.Context, r Report, run RepairRun) ([]Repaired, error) {
	m := mender{Store: s, run: run}
	var all []Repaired
	for _, p := range r.Problems {
		if p.fix == noFix {
			continue
		}
		if err := ctx.Err(); err != nil {
			return all, err
		}
		why, err := m.mend(ctx, p)
		if err != nil {
			return all, fmt.Errorf("repair %s: %w", p.Subject, err)
		}
		all = append(all, Repaired{Problem: p, Done: why == "", Why: why})
	}
	return all, nil
}

type mender struct {
	*Store
	run RepairRun
}

func (m *mender) mend(ctx context.Context, p Problem) (why string, err error) {
	switch p.fix {
	case finishRemoval:
		t, err := m.tombstone(ctx, p.ID)
		if err == nil {
			err = m.objects.Delete(ctx, snapshotKey(p.ID))
		}
		if err == nil && t.Kind != Auto {
			err = m.repoint(ctx, t.Path, p.ID)
		}
		return "", err
	case setPointer:
		return m.setPointer(ctx, Path(p.Subject))
	case announceIt:
		auto, digest, err := m.manifest(ctx, p.ID)
		if err != nil {
			return "", err
		}
		return "", m.announce(ctx, Committed{Manifest: auto, Digest: digest, Again: true})
	case setAside:
		return m.setAside(ctx, p)
	case setBlobAside:
		return m.moveAside(ctx, p.Subject)
	case clearLitter:
		return m.clear(ctx, p.Subject)
	}
	return "nothing is known to help", nil
}

// setPointer writes a path's pointer anew while nobody else works on the path.
func (m *mender) setPointer(ctx context.Context, path Path) (why string, err error) {
	return m.leased(ctx, m.LeaseKey(path), func() error { return m.point(ctx, path) })
}

func (m *mender) leased(ctx context.Context, key ID, do func() error) (why string, err error) {
	l, err := m.run.Leases.Acquire(ctx, key, m.run.Who, 0)
	if isBusy(err) {
		return err.Error(), nil
	}
	if err != nil {
		return "", err
	}
	return "", errors.Join(do(), l.Release(context.WithoutCancel(ctx)))
}

// clear removes a leftover that is old enough.
func (m *mender) clear(ctx context.Context, key string) (why string, err error) {
	l, ok := m.objects.(Litterer)
	if !ok {
		return "the back end knows no leftovers", nil
	}
	why = "it is gone already"
	err = l.Litter(ctx, func(i Info) error {
		switch {
		case i.Key != key:
			return nil
		case !i.ModTime.Before(m.run.Now.Add(-litterAge)):
			why = "it is younger than an hour: its writer may be alive"
			return nil
		}
		why = ""
		return l.Clear(ctx, key)
	})
	return why, err
}

// moveAside keeps an object's bytes under damaged/ and frees its key.
func (m *mender) moveAside(ctx context.Context, key string) (why string, err error) {
	raw, err := m.objects.Get(ctx, key)
	switch {
	case errors.Is(err, ErrNotFound):
		return "it is gone already", nil
	case errors.Is(err, ErrNoObject):
		return "what stands there is no object: move it away by hand", nil
	case err != nil:
		return "", err
	}
	aside := damagedDir + strings.ReplaceAll(strings.TrimSuffix(key, ".json"), "/", "-") + "-" + canon.Digest(raw)[:16]
	if err := m.objects.PutNew(ctx, aside, raw); err != nil && !errors.Is(err, ErrExists) {
		return "", err
	}
	return "", m.objects.Delete(ctx, key)
}
