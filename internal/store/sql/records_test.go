package sql

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"session/internal/lifecycle"
	"session/internal/lifecycle/lifecycletest"
	"session/internal/needtest"
)

func openRecords(t *testing.T, address string, o lifecycle.Options) Records {
	t.Helper()
	d, err := Open(address, Patience{}, drivers())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	r, err := d.Records(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func conformance(t *testing.T, address func(t *testing.T) string) {
	lifecycletest.Run(t, func(t *testing.T) lifecycletest.Subject {
		at := address(t)
		return lifecycletest.Subject{Open: func(t *testing.T, o lifecycle.Options) lifecycle.Records { return openRecords(t, at, o) }}
	})
}

func sqliteAddress(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "records.db") }

func TestRecordsSQLite(t *testing.T) {
	t.Parallel()
	conformance(t, sqliteAddress)
}

func TestRecordsPostgres(t *testing.T) {
	demand(t)
	t.Parallel()
	conformance(t, postgresAddress)
}

// demand is the URL of a PostgreSQL.
func demand(t *testing.T) string {
	t.Helper()
	return needtest.Server(t, "postgres")
}

// postgresAddress is a database of its own, dropped with the test.
func postgresAddress(t *testing.T) string {
	t.Helper()
	address := demand(t)
	admin, err := Open(address, Patience{}, drivers())
	if err != nil {
		t.Fatal(err)
	}
	name := strings.ToLower(fmt.Sprintf("t_%s_%d", strings.Map(letters, t.Name()), os.Getpid()))
	name = name[max(0, len(name)-60):]
	if _, err := admin.db.ExecContext(t.Context(), `CREATE DATABASE "`+name+`"`); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, err := admin.db.ExecContext(context.Background(), `DROP DATABASE "`+name+`" WITH (FORCE)`)
		if err != nil || admin.Close() != nil {
			t.Error(err)
		}
	})
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal("SESSION_TEST_POSTGRES is no URL")
	}
	u.Path = "/" + name
	return u.String()
}

func letters(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
		return r
	}
	return '_'
}

func lifecycleNow() time.Time { return time.Date(2026, 2, 6, 10, 0, 0, 0, time.UTC) }
