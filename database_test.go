package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"net/url"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/rogpeppe/go-internal/testscript"
)

// databaseCmd makes an empty database on the PostgreSQL server for this script alone, dropped at its end: its address
// becomes $DATABASE, its password $DATABASE_SECRET.
func databaseCmd(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: database")
	}
	at, drop, err := newDatabase(ts.Getenv("POSTGRES"))
	ts.Check(err)
	ts.Defer(drop)
	secret, _ := at.User.Password()
	ts.Setenv("DATABASE", at.String())
	ts.Setenv("DATABASE_SECRET", secret)
}

// freshDatabase is the address of an empty database for one test.
func freshDatabase(t *testing.T, server string) string {
	t.Helper()
	at, drop, err := newDatabase(server)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(drop)
	return at.String()
}

func newDatabase(server string) (at *url.URL, drop func(), err error) {
	ctx := context.Background()
	if at, err = url.Parse(server); err != nil {
		return nil, nil, err
	}
	admin, err := pgx.Connect(ctx, server)
	if err != nil {
		return nil, nil, err
	}
	var b [8]byte
	_, _ = rand.Read(b[:])
	name := "script_" + hex.EncodeToString(b[:])
	if _, err := admin.Exec(ctx, "CREATE DATABASE "+name); err != nil {
		return nil, nil, err
	}
	at.Path = "/" + name
	return at, func() {
		_, _ = admin.Exec(ctx, "DROP DATABASE "+name+" WITH (FORCE)")
		_ = admin.Close(ctx)
	}, nil
}
