package sql

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"

	"modernc.org/libc"
	sqlitelib "modernc.org/sqlite/lib"
)

// logKeeper is connections that leave the write-ahead log beside the file when the last of them closes. SQLite would
// otherwise move it into the file at the end of every process, which waits four times for the disk; what is in the log is
// as safe, and the next process reads it there (docs/adr/0021-memory-log.md).
type logKeeper struct{ driver.Connector }

func (k logKeeper) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := k.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	if err := keepLog(c); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// keepLog sets SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE (SQLite 3.22 and newer), for which the driver has no word of its own.
func keepLog(c driver.Conn) error {
	v := reflect.Indirect(reflect.ValueOf(c))
	if v.Kind() != reflect.Struct || v.FieldByName("db").Kind() != reflect.Uintptr {
		return fmt.Errorf("a connection of the driver is a %T, in which the handle of SQLite is not found", c)
	}
	tls := libc.NewTLS()
	defer tls.Close()
	args := libc.NewVaList(int32(1), uintptr(0))
	defer libc.Xfree(tls, args)
	if code := sqlitelib.Xsqlite3_db_config(tls, uintptr(v.FieldByName("db").Uint()), sqlitelib.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, args); code != sqlitelib.SQLITE_OK {
		return fmt.Errorf("keep the log: SQLite answers %d", code)
	}
	return nil
}

// logMax is how long a log may be that is left, in bytes: whoever opens the file reads it through.
const logMax = 1 << 20

// settle moves a log that has become long into the file. What another process still reads stays for the next one to move.
func (d *DB) settle() error {
	if !d.keepsLog || !d.wrote.Load() {
		return nil
	}
	info, err := os.Stat(d.file + "-wal")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Size() < logMax:
		return nil
	}
	_, err = d.db.Exec(`PRAGMA wal_checkpoint(TRUNCATE)`)
	return err
}
