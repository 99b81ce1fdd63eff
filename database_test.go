package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"net/url"

	"github.com/jackc/pgx/v5"
	"github.com/rogpeppe/go-internal/testscript"
)

// databaseCmd makes an empty database on the PostgreSQL server for this script alone, dropped at its end: its address
// becomes $DATABASE, its password $DATABASE_SECRET.
func databaseCmd(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: database")
	}
	ctx := context.Background()
	admin, err := pgx.Connect(ctx, ts.Getenv("POSTGRES"))
	ts.Check(err)
	var b [8]byte
	_, _ = rand.Read(b[:])
	name := "script_" + hex.EncodeToString(b[:])
	_, err = admin.Exec(ctx, "CREATE DATABASE "+name)
	ts.Check(err)
	ts.Defer(func() {
		_, _ = admin.Exec(ctx, "DROP DATABASE "+name+" WITH (FORCE)")
		_ = admin.Close(ctx)
	})
	u, err := url.Parse(ts.Getenv("POSTGRES"))
	ts.Check(err)
	u.Path = "/" + name
	secret, _ := u.User.Password()
	ts.Setenv("DATABASE", u.String())
	ts.Setenv("DATABASE_SECRET", secret)
}
