package sql

import (
	"context"
	dbsql "database/sql"
	"fmt"
	"net/url"
	"strings"
)

// Drivers are what a DB needs that is not SQLite. Where one is missing, the error is ErrNotBuiltIn.
type Drivers struct {
	// Postgres opens a database on a server, which is asked nothing yet.
	Postgres func(address string) (Server, error)
	// Queue is the queue in a database: on the server, if there is one, else through one connection to the file.
	Queue func(Server, *dbsql.DB) (Queue, error)
}

// Open opens a database by its address, and touches none of it yet:
//
//	sqlite:PATH                             a file, which is made if it is not there; PATH is taken as it is
//	postgres://USER:PASSWORD@HOST/NAME?…    as libpq knows them; also postgresql://
//
// What is recorded in it is durable: a crash of the machine loses nothing that a call returned from. The parts of the
// schema are made when Records, Jobs or OpenMemory ask for them. Errors: ErrURL, those of the file system; no error of this
// package, here or later, has the password in it.
func Open(address string, p Patience, with Drivers) (*DB, error) {
	if path, ok := strings.CutPrefix(address, "sqlite:"); ok {
		if path == "" {
			return nil, fmt.Errorf("%w: sqlite: is followed by the path of a file", ErrURL)
		}
		d, err := newSQLite(path, "FULL", p)
		if err != nil {
			return nil, fmt.Errorf("open the database %s: %w", path, err)
		}
		d.drivers = with
		return d, nil
	}
	if scheme, _, _ := strings.Cut(address, ":"); scheme != "postgres" && scheme != "postgresql" {
		return nil, fmt.Errorf("%w: it begins with sqlite: or postgres://", ErrURL)
	}
	return openPostgres(address, p, with)
}

// Shown is an address as it may be shown: without password and without parameters. What is no address is only called one.
func Shown(address string) string {
	if strings.HasPrefix(address, "sqlite:") {
		return address
	}
	u, err := url.Parse(address)
	if err != nil || u.Opaque != "" || u.Scheme != "postgres" && u.Scheme != "postgresql" {
		return "(an address that cannot be read)"
	}
	if u.User != nil {
		u.User = url.User(u.User.Username())
	}
	u.RawQuery, u.Fragment = "", ""
	return u.String()
}

// OpenMemory is the database's memory, with its tables made if they are not there. Errors: *ForeignSchemaError.
func (d *DB) OpenMemory(ctx context.Context) (Memory, error) {
	if err := d.migrate(ctx, memoryPart()); err != nil {
		return Memory{}, fmt.Errorf("open the memory in the database: %w", err)
	}
	return d.Memory(), nil
}
