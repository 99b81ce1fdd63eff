package sql

import (
	"context"
	dbsql "database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"modernc.org/sqlite"
	sqlitelib "modernc.org/sqlite/lib"

	"session/internal/memory"
)

// OpenSQLite opens the database in a file, or makes it: with mode 0600, in a folder that is there. It only becomes
// durable as far as a projection needs it: a crash of the program loses nothing, a crash of the machine at most the last
// transactions, as wholes, and what is in the tables says where they stand. The log beside the file stays when the database
// is closed: both are read together, and copied or removed together.
//
// Errors: ErrDamaged (of package memory) if the file is no database, *ForeignSchemaError, and those of the file system.
func OpenSQLite(ctx context.Context, path string) (*DB, error) {
	d, err := openSQLite(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("open the database %s: %w", path, err)
	}
	return d, nil
}

func openSQLite(ctx context.Context, path string) (*DB, error) {
	if err := makeFile(path); err != nil {
		return nil, err
	}
	connector, err := sqliteConnector(path, "NORMAL", sqliteWait)
	if err != nil {
		return nil, err
	}
	d := newDB(pool(logKeeper{connector}, sqliteConns), sqliteDialect(), Patience{})
	d.file, d.keepsLog = path, true
	if err := d.migrate(ctx, memoryPart()); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

func newSQLite(path, durable string, p Patience) (*DB, error) {
	if err := makeFile(path); err != nil {
		return nil, err
	}
	db, err := sqliteConn(path, durable, sqliteWait, sqliteConns)
	if err != nil {
		return nil, err
	}
	d := newDB(db, sqliteDialect(), p)
	d.file = path
	return d, nil
}

// queueConn is the one connection that River has to a file: it expects no other of its own process. nil: it is no file.
func (d *DB) queueConn() (*dbsql.DB, error) {
	d.opening.Lock()
	defer d.opening.Unlock()
	if d.queue != nil || d.server != nil {
		return d.queue, nil
	}
	connector, err := sqliteConnector(d.file, "FULL", queueWait)
	if err != nil {
		return nil, err
	}
	d.queue = pool(inLine{connector, d.writer}, 1)
	return d.queue, nil
}

// sqliteConn is connections to a file that is there. wait is for how many ms SQLite itself waits for others.
func sqliteConn(path, durable string, wait, conns int) (*dbsql.DB, error) {
	connector, err := sqliteConnector(path, durable, wait)
	if err != nil {
		return nil, err
	}
	return pool(connector, conns), nil
}

func sqliteConnector(path, durable string, wait int) (driver.Connector, error) {
	name, err := sqliteName(path, durable, wait)
	if err != nil {
		return nil, err
	}
	return sqlite.NewConnector(name)
}

func pool(c driver.Connector, conns int) *dbsql.DB {
	db := dbsql.OpenDB(c)
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	return db
}

// makeFile makes an empty file, which to SQLite is a new database. SQLite itself would give it the mode of the umask; the
// files beside it (-wal, -shm) get the mode of this one.
func makeFile(path string) (err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return errors.New("it is no regular file")
	case info.Mode().Perm()&0o077 != 0: // made by another program; it is nobody else's to read
		if err := f.Chmod(0o600); err != nil {
			return err
		}
	}
	return checkBegin(f)
}

// checkBegin reads what every file of SQLite 3 begins with (sqlite.org/fileformat.html, 1.3). SQLite itself goes by what the
// log has of the first page, if it has it. An empty file is a new database.
func checkBegin(f io.Reader) error {
	const magic = "SQLite format 3\x00"
	switch b, err := io.ReadAll(io.LimitReader(f, int64(len(magic)))); {
	case err != nil:
		return err
	case len(b) > 0 && string(b) != magic:
		return fmt.Errorf("%w: it does not begin as a database of SQLite does", memory.ErrDamaged)
	}
	return nil
}

const (
	sqliteConns = 4 // of one process; readers do not wait for the writer
	// sqliteWait is for how many ms SQLite itself waits for another process's transaction to end. It hears of no cancelled
	// context while it does, so it is short, and the wait is made of many (tries).
	sqliteWait = 100
	queueWait  = 30_000 // of River's connection, in ms: it does not try again by itself
)

// sqliteName is the name under which the driver opens a file. Write-ahead logging lets readers read while one writes.
func sqliteName(path, durable string, wait int) (string, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if full = filepath.ToSlash(full); !strings.HasPrefix(full, "/") {
		full = "/" + full // C:/x
	}
	options := url.Values{
		"_pragma": {fmt.Sprintf("busy_timeout(%d)", wait), "journal_mode(WAL)", "synchronous(" + durable + ")", "foreign_keys(1)"},
		"_txlock": {"immediate"},
	}
	return (&url.URL{Scheme: "file", OmitHost: true, Path: full, RawQuery: options.Encode()}).String(), nil
}

func sqliteDialect() dialect {
	return dialect{
		name: "sqlite",
		words: strings.NewReplacer("/*clustered*/", "WITHOUT ROWID", "/*now*/", "datetime('now', 'subsec')",
			"/*now_ms*/", "CAST(unixepoch('subsec') * 1000 AS INTEGER)", "/*bytes(*/", "CAST(", "/*)*/", " AS BLOB)"),
		rows:     1, // the driver looks every parameter up among all of them
		hasTable: `SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name = $1`,
		check:    checkSQLite,
		again:    func(err error) bool { return sqliteCode(err)&0xff == sqlitelib.SQLITE_BUSY },
		away:     func(error) bool { return false },
		explain:  explainSQLite,
		writers:  1,
		readers:  sqliteConns - 1,
	}
}

// sqliteCode is SQLite's extended result code, 0 if err is none of its errors.
func sqliteCode(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code()
	}
	return 0
}

// explainSQLite tells damage from everything else. "Short read" is a file that ends before its pages do.
func explainSQLite(err error) error {
	code := sqliteCode(err)
	switch code & 0xff {
	case sqlitelib.SQLITE_CORRUPT, sqlitelib.SQLITE_NOTADB, sqlitelib.SQLITE_FORMAT:
		return fmt.Errorf("%w: %w", memory.ErrDamaged, err)
	case sqlitelib.SQLITE_BUSY:
		return fmt.Errorf("%w: another process has held the database for %d s: %w", ErrUnavailable, sqliteWait*tries/1000, err)
	case sqlitelib.SQLITE_READONLY:
		return fmt.Errorf("%w: %w", ErrReadOnly, err)
	case sqlitelib.SQLITE_FULL:
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	if code == sqlitelib.SQLITE_IOERR_SHORT_READ {
		return fmt.Errorf("%w: %w", memory.ErrDamaged, err)
	}
	return err
}

// checkSQLite reads every page and compares every index with its table.
func checkSQLite(ctx context.Context, db *dbsql.DB) error {
	rows, err := db.QueryContext(ctx, `PRAGMA integrity_check(10)`)
	if err != nil {
		return err
	}
	var problems []string
	err = eachRow(rows, func(scan func(...any) error) error {
		var s string
		if err := scan(&s); err != nil {
			return err
		}
		if s != "ok" {
			problems = append(problems, s)
		}
		return nil
	})
	if err == nil && problems != nil {
		err = fmt.Errorf("%w: %s", memory.ErrDamaged, strings.Join(problems, "; "))
	}
	return err
}
