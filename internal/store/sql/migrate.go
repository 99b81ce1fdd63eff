package sql

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
)

//go:embed migrations/*.sql migrations/lifecycle/*.sql migrations/queue/*.sql
var migrationFiles embed.FS

// part is a part of the schema: its migrations, and the table that counts those that ran.
type part struct {
	name  string
	files fs.FS
	glob  string
	table string
}

func memoryPart() part {
	return part{"memory", migrationFiles, "migrations/*.sql", "schema_migrations"}
}

func lifecyclePart() part {
	return part{"lifecycle", migrationFiles, "migrations/lifecycle/*.sql", "lifecycle_migrations"}
}

func queuePart() part {
	return part{"queue", migrationFiles, "migrations/queue/*.sql", "queue_migrations"}
}

// ForeignSchemaError says that a database was made by another program, or by a newer one.
type ForeignSchemaError struct {
	Part      string // of the schema: memory, lifecycle or queue
	Migration int    // the first one that differs, from 1
	Why       string // how
}

func (e *ForeignSchemaError) Error() string {
	return fmt.Sprintf("the database's schema is not one that this program knows: %s migration %d %s", e.Part, e.Migration, e.Why)
}

type migration struct {
	name, text, sum string
}

// migrations are the steps of a part, oldest first: the files in order of their names.
func (p part) migrations() ([]migration, error) {
	names, err := fs.Glob(p.files, p.glob)
	if err != nil {
		return nil, err
	}
	var all []migration
	for _, n := range names {
		text, err := fs.ReadFile(p.files, n)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(text)
		all = append(all, migration{n, string(text), hex.EncodeToString(sum[:])})
	}
	return all, nil
}

func (p part) create() string {
	return `CREATE TABLE IF NOT EXISTS ` + p.table + ` (version BIGINT PRIMARY KEY, name TEXT NOT NULL, sha256 TEXT NOT NULL)`
}

func (p part) list() string { return `SELECT sha256 FROM ` + p.table + ` ORDER BY version` }

func (p part) add() string {
	return `INSERT INTO ` + p.table + ` (version, name, sha256) VALUES ($1, $2, $3)`
}

// migrate brings a part of the schema to what the program knows. One that is there already is only read.
func (d *DB) migrate(ctx context.Context, p part) error {
	all, err := p.migrations()
	if err != nil {
		return err
	}
	var done int
	err = d.read(ctx, func(t tx) (err error) {
		done, err = d.migrated(t, p, all)
		return err
	})
	if err != nil || done == len(all) {
		return err
	}
	return d.write(ctx, func(t tx) error { return d.advance(t, p, all) })
}

// migrated counts the migrations that a database has, and compares them.
func (d *DB) migrated(t tx, p part, all []migration) (n int, err error) {
	var has int
	if _, err := t.one(d.dialect.hasTable, []any{p.table}, &has); err != nil || has == 0 {
		return 0, err
	}
	n = 0 // a transaction may run again
	err = t.each(p.list(), nil, func(scan func(...any) error) error {
		var sum string
		if err := scan(&sum); err != nil {
			return err
		}
		switch {
		case n >= len(all):
			return &ForeignSchemaError{p.name, n + 1, "is unknown here: a newer version of the program was used; use that one"}
		case sum != all[n].sum:
			return &ForeignSchemaError{p.name, n + 1, "was another one there"}
		}
		n++
		return nil
	})
	return n, err
}

// advance runs what is missing. Another process may have been faster.
func (d *DB) advance(t tx, p part, all []migration) error {
	if d.dialect.lock != "" {
		if _, err := t.exec(d.dialect.lock); err != nil {
			return err
		}
	}
	if _, err := t.exec(p.create()); err != nil {
		return err
	}
	done, err := d.migrated(t, p, all)
	if err != nil {
		return err
	}
	for i := done; i < len(all); i++ {
		if _, err := t.exec(all[i].text); err != nil {
			return fmt.Errorf("%s: %w", all[i].name, err)
		}
		if _, err := t.exec(p.add(), i+1, all[i].name, all[i].sum); err != nil {
			return err
		}
	}
	return nil
}
