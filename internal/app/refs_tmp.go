package app

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"session/internal/atomicfile"
	"session/internal/session"
)

type tmpRefs struct {
	file string
	now  func() time.Time
}

func (t tmpRefs) Load(context.Context) (r session.Ref, err error) {
	b, err := os.ReadFile(t.file)
	if err != nil {
		return r, session.ErrNoRef
	}
	if err := json.Unmarshal(b, &r); err != nil {
		return r, fmt.Errorf("%w: %w", session.ErrBadRef, err)
	}
	return r, nil
}

func (t tmpRefs) Save(_ context.Context, r session.Ref) error {
	r.UpdatedAt = t.now().UTC()
	b, _ := json.Marshal(r)
	if err := os.MkdirAll(filepath.Dir(t.file), 0o700); err != nil {
		return err
	}
	return atomicfile.Replace(t.file, b, 0o600)
}
