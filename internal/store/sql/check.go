package sql

import (
	"context"
	dbsql "database/sql"
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
	var lost int64
	if _, err := t.one(memoryQueries["unfindable"], nil, &lost); err != nil {
		return err
	}
	if lost > 0 {
		return fmt.Errorf("%w: %d items belong to no session", memory.ErrDamaged, lost)
	}
	return checkKeywords(t)
}

// checkKeywords counts the keywords that items have, against those that belong to them.
func checkKeywords(t tx) error {
	type item struct{ at, keywords int64 }
	items := map[int64]item{}
	err := t.each(memoryQueries["every-item"], nil, func(scan func(...any) error) error {
		var session, n int64
		var it item
		err := scan(&session, &n, &it.at, &it.keywords)
		items[session<<itemBits+n] = it
		return err
	})
	if err != nil {
		return err
	}
	stray := 0
	err = t.each(memoryQueries["every-block"], nil, func(scan func(...any) error) error {
		var session, block int64
		var b dbsql.RawBytes
		if err := scan(&session, &block, &b); err != nil {
			return err
		}
		return eachPosting(b, session<<itemBits+block*blockItems, func(p memory.Posting) {
			it, known := items[p.Item]
			if !known || it.at != p.At {
				stray++
				return
			}
			it.keywords--
			items[p.Item] = it
		})
	})
	if err != nil {
		return err
	}
	lacking := 0
	for _, it := range items {
		if it.keywords != 0 {
			lacking++
		}
	}
	if stray > 0 || lacking > 0 {
		return fmt.Errorf("%w: %d keywords belong to no item, %d items lack keywords or have too many", memory.ErrDamaged, stray, lacking)
	}
	return nil
}
