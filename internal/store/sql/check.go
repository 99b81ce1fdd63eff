package sql

import (
	"context"
	"fmt"

	"session/internal/memory"
)

// Check reads the whole database and reports what is wrong with it; errors.Is memory.ErrDamaged if something is. It takes
// as long as reading the file does.
func (d *DB) Check(ctx context.Context) error {
	if err := d.dialect.check(ctx, d.db); err != nil {
		return fmt.Errorf("check the database: %w", d.explain(ctx, err))
	}
	if err := d.read(ctx, checkMemory); err != nil {
		return fmt.Errorf("check the database: %w", err)
	}
	return nil
}

// checkMemory compares what the tables of memory say of each other.
func checkMemory(t tx) error {
	var refs []string
	err := t.each(memoryQueries["miscounted"], nil, func(scan func(...any) error) error {
		var ref string
		err := scan(&ref)
		refs = append(refs, ref)
		return err
	})
	if err != nil {
		return err
	}
	if len(refs) > 0 {
		return fmt.Errorf("%w: sessions %.300q do not hold the items that they count", memory.ErrDamaged, refs)
	}
	for query, what := range map[string]string{"stray-keywords": "keywords belong to no item", "unfindable": "items belong to no session"} {
		var n int64
		if _, err := t.one(memoryQueries[query], nil, &n); err != nil {
			return err
		}
		if n > 0 {
			return fmt.Errorf("%w: %d %s", memory.ErrDamaged, n, what)
		}
	}
	return nil
}
