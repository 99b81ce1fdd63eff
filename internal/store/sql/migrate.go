package sql

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// ForeignSchemaError says that a database was made by another program, or by a newer one.
type ForeignSchemaError struct {
	Migration int    // the first one that differs, from 1
	Why       string // how
}

func (e *ForeignSchemaError) Error() string {
	return fmt.Sprintf("the database's schema is not one that this program knows: migration %d %s", e.Migration, e.Why)
}

type migration struct {
	name, text, sum string
}

// migrations are the steps of the schema, oldest first: the files in order of their names.
func migrations(files fs.FS) ([]migration, error) {
	names, err := fs.Glob(files, "migrations/*.sql")
	if err != nil {
		return nil, err
	}
	var all []migration
	for _, n := range names {
		text, err := fs.ReadFile(files, n)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(text)
		all = append(all, migration{n, string(text), hex.EncodeToString(sum[:])})
	}
	return all, nil
}

const (
	createMigrations = `CREATE TABLE IF NOT EXISTS schema_migrations (version BIGINT PRIMARY KEY, name TEXT NOT NULL, sha256 TEXT NOT NULL)`
	listMigrations   = `SELECT sha256 FROM schema_migrations ORDER BY version`
	addMigration     = `INSERT INTO schema_migrations (version, name, sha256) VALUES ($1, $2, $3)`
)

// migrate brings the schema to what the program knows. A database that is there already is only read.
func (d *DB) migrate(ctx context.Context, files fs.FS) error {
	all, err := migrations(files)
	if err != nil {
		return err
	}
	var done int
	err = d.read(ctx, func(t tx) (err error) {
		done, err = d.migrated(t, all)
		return err
	})
	if err != nil || done == len(all) {
		return err
	}
	return d.write(ctx, func(t tx) error { return d.advance(t, all) })
}

// migrated counts the migrations that a database has, and compares them.
func (d *DB) migrated(t tx, all []migration) (n int, err error) {
	var has int
	if _, err := t.one(d.dialect.hasTable, []any{"schema_migrations"}, &has); err != nil || has == 0 {
		return 0, err
	}
	err = t.each(listMigrations, nil, func(scan func(...any) error) error {
		var sum string
		if err := scan(&sum); err != nil {
			return err
		}
		switch {
		case n >= len(all):
			return &ForeignSchemaError{n + 1, "is unknown here: a newer version of the program was used; use that one"}
		case sum != all[n].sum:
			return &ForeignSchemaError{n + 1, "was another one there"}
		}
		n++
		return nil
	})
	return n, err
}

// advance runs what is missing. Another process may have been faster.
func (d *DB) advance(t tx, all []migration) error {
	if d.dialect.lock != "" {
		if _, err := t.exec(d.dialect.lock); err != nil {
			return err
		}
	}
	if _, err := t.exec(createMigrations); err != nil {
		return err
	}
	done, err := d.migrated(t, all)
	if err != nil {
		return err
	}
	for i := done; i < len(all); i++ {
		if _, err := t.exec(all[i].text); err != nil {
			return fmt.Errorf("%s: %w", all[i].name, err)
		}
		if _, err := t.exec(addMigration, i+1, all[i].name, all[i].sum); err != nil {
			return err
		}
	}
	return nil
}
