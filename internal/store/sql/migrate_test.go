package sql

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"session/internal/memory"
)

func files(texts ...string) part {
	m := fstest.MapFS{}
	for i, text := range texts {
		m[fmt.Sprintf("migrations/%04d_x.sql", i+1)] = &fstest.MapFile{Data: []byte(text)}
	}
	p := memoryPart()
	p.files = m
	return p
}

func TestMigrationsRunOnce(t *testing.T) {
	d := open(t, filepath.Join(t.TempDir(), "x.db"))
	own, err := fs.ReadFile(migrationFiles, "migrations/0001_memory.sql")
	if err != nil {
		t.Fatal(err)
	}
	one, two := "CREATE TABLE one (x BIGINT); INSERT INTO one (x) VALUES (1)", "ALTER TABLE one ADD COLUMN y BIGINT"
	for _, step := range [][]string{{string(own)}, {string(own), one}, {string(own), one, two}, {string(own), one, two}} {
		if err := d.migrate(t.Context(), files(step...)); err != nil {
			t.Fatal(err)
		}
	}
	var rows int
	if err := d.db.QueryRow("SELECT COUNT(*) + COUNT(y) FROM one").Scan(&rows); err != nil || rows != 1 {
		t.Errorf("%d rows, %v", rows, err)
	}
	var foreign *ForeignSchemaError
	if err := d.migrate(t.Context(), files(string(own), one)); !errors.As(err, &foreign) || foreign.Migration != 3 {
		t.Errorf("a database of a newer program: %v", err)
	}
	if err := d.migrate(t.Context(), files(string(own), one+" ", two)); !errors.As(err, &foreign) || foreign.Migration != 2 {
		t.Errorf("a migration that was another one: %v", err)
	}
	if _, err := OpenSQLite(t.Context(), d.pathOf(t)); !errors.As(err, &foreign) || !strings.Contains(err.Error(), "newer") {
		t.Errorf("opened with too few migrations: %v", err)
	}
}

func (d *DB) pathOf(t testing.TB) (path string) {
	t.Helper()
	var n, name string
	if err := d.db.QueryRow("PRAGMA database_list").Scan(&n, &name, &path); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestBrokenMigration leaves the schema where it was, also that of the migrations that ran before it.
func TestBrokenMigration(t *testing.T) {
	d := open(t, filepath.Join(t.TempDir(), "x.db"))
	own, err := fs.ReadFile(migrationFiles, "migrations/0001_memory.sql")
	if err != nil {
		t.Fatal(err)
	}
	err = d.migrate(t.Context(), files(string(own), "CREATE TABLE one (x BIGINT)", "CREATE TABLE two (x BIGINT); nonsense"))
	if err == nil || !strings.Contains(err.Error(), "0003_x.sql") {
		t.Errorf("%v", err)
	}
	var tables int
	if err := d.db.QueryRow("SELECT COUNT(*) FROM sqlite_master WHERE name IN ('one', 'two')").Scan(&tables); err != nil || tables != 0 {
		t.Errorf("%d tables of a migration that failed, %v", tables, err)
	}
	if err := d.migrate(t.Context(), memoryPart()); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// TestReleasedMigrations holds the sums of migrations: databases were made by them, so they never change after release. A
// new one gets a line here.
func TestReleasedMigrations(t *testing.T) {
	for _, c := range []struct {
		part part
		want []string
	}{
		{memoryPart(), []string{"f966b64ad710e41731a7e9e2d7371afb77769d70ed3fc943defafe4d6afedbee"}},
		{lifecyclePart(), []string{"505ec09c59860175b04c8e7b7e28028843b99fd363ee9459d12dbaf6251a8da1"}},
	} {
		all, err := c.part.migrations()
		if err != nil || len(all) != len(c.want) {
			t.Fatal(all, err)
		}
		for i, m := range all {
			if m.sum != c.want[i] || !strings.HasPrefix(path.Base(m.name), fmt.Sprintf("%04d_", i+1)) {
				t.Errorf("%s is number %d, with the sum %s", m.name, i+1, m.sum)
			}
		}
	}
}

// texts are all that is ever given to a database, by name.
func texts(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{"add 1": addPostings(1), "add 3": addPostings(3)}
	for name, text := range memoryQueries {
		all["memory.sql "+name] = text
	}
	for name, text := range lifecycleQueries {
		all["lifecycle.sql "+name] = text
	}
	for _, p := range []part{memoryPart(), lifecyclePart()} {
		all[p.name+" create"], all[p.name+" list"], all[p.name+" add"] = p.create(), p.list(), p.add()
		steps, err := p.migrations()
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range steps {
			all[m.name] = m.text
		}
	}
	return all
}

// TestTextsAreForBoth databases: parameters are numbered in the order of their first use (drivers of SQLite count them
// differently otherwise), and nothing is used that only one of the two has.
func TestTextsAreForBoth(t *testing.T) {
	ours := regexp.MustCompile(`(?i)\b(AUTOINCREMENT|SERIAL|NOW\(|DATETIME|STRFTIME|JSON_|INTERVAL|ILIKE|GLOB|INSERT OR|REPLACE INTO|PRAGMA|ROWID|BLOB|IFNULL|GROUP_CONCAT|STRING_AGG|RETURNING \*)\b`)
	for name, text := range texts(t) {
		highest := 0
		for _, m := range regexp.MustCompile(`\$(\d+)`).FindAllStringSubmatch(text, -1) {
			n, _ := strconv.Atoi(m[1])
			if n > highest+1 {
				t.Errorf("%s: $%d before $%d", name, n, highest+1)
			}
			highest = max(highest, n)
		}
		if m := ours.FindString(text); m != "" {
			t.Errorf("%s: %s is not for both databases", name, m)
		}
		if strings.Contains(text, "?") {
			t.Errorf("%s: ? is no parameter to PostgreSQL", name)
		}
	}
}

// TestQueriesAreUsed, and those that are used are there.
func TestQueriesAreUsed(t *testing.T) {
	d := open(t, filepath.Join(t.TempDir(), "x.db"))
	sources, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	code := ""
	for _, s := range sources {
		if !strings.HasSuffix(s, "_test.go") {
			b, err := os.ReadFile(s)
			if err != nil {
				t.Fatal(err)
			}
			code += string(b)
		}
	}
	if err := d.migrate(t.Context(), lifecyclePart()); err != nil {
		t.Fatal(err)
	}
	all := maps.Clone(lifecycleQueries)
	maps.Copy(all, memoryQueries)
	for name, text := range all {
		if !strings.Contains(code, `"`+name+`"`) {
			t.Errorf("%s is used nowhere", name)
		}
		stmt, err := d.db.Prepare(d.dialect.words.Replace(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		_ = stmt.Close()
	}
	for _, m := range regexp.MustCompile(`(?:memory|lifecycle)Queries\["([^"]+)"\]`).FindAllStringSubmatch(code, -1) {
		if all[m[1]] == "" {
			t.Errorf("there is no query %s", m[1])
		}
	}
}

// TestSessionLeadsTheKey: a search reads its own session's part of the table, in the order of the key, and nothing else.
func TestSessionLeadsTheKey(t *testing.T) {
	d := open(t, filepath.Join(t.TempDir(), "x.db"))
	if err := d.Memory().Apply(t.Context(), memory.Batch{SessionRef: "s1"}); err != nil {
		t.Fatal(err)
	}
	for query, args := range map[string][]any{"postings": {1, []byte("a"), []byte("b")}, "postings-everywhere": {[]byte("a"), []byte("b")}} {
		rows, err := d.db.Query("EXPLAIN QUERY PLAN "+memoryQueries[query], args...)
		if err != nil {
			t.Fatal(err)
		}
		plan := ""
		err = eachRow(rows, func(scan func(...any) error) error {
			var a, b, c any
			var line string
			err := scan(&a, &b, &c, &line)
			plan += line + "\n"
			return err
		})
		if err != nil || !strings.Contains(plan, "USING PRIMARY KEY (session=? AND keyword>? AND keyword<?)") {
			t.Errorf("%s: %v\n%s", query, err, plan)
		}
	}
}
