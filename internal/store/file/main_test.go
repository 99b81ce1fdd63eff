package file_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"session/internal/snapshot"
	"session/internal/snapshot/snapshottest"
	"session/internal/store/file"
)

// TestMain is also the other processes of these tests: started again with STORE_DO set, the binary does one thing.
func TestMain(m *testing.M) {
	do := os.Getenv("STORE_DO")
	if do == "" {
		os.Exit(m.Run())
	}
	runtime.LockOSThread() // strace counts calls by thread
	if err := other(do, os.Getenv("STORE_DIR"), os.Getenv("STORE_ARG")); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func other(do, dir, arg string) error {
	switch do {
	case "create":
		_, err := file.Create(dir, file.Options{Random: strings.NewReader("sixteen bytes ok"), Ignored: true})
		return err
	case "ref":
		return file.NewFileSessionStore(dir, clock).Save(context.Background(), someRef("1"))
	case "race":
		return race(dir, arg)
	case "lease":
		return hold(dir, snapshot.ID(arg))
	}
	s, err := openChain(dir)
	if err != nil {
		return err
	}
	return change(s, do, snapshot.ID(arg))
}

func openChain(dir string) (*snapshot.Store, error) {
	s, err := file.Open(dir)
	if err != nil {
		return nil, err
	}
	return s.Snapshots()
}

// request is what a process asks for. Its content tells the run.
func request(kind snapshot.Kind, base snapshot.ID, run string, size int) snapshot.Request {
	return snapshot.Request{
		Kind: kind, Base: base, RunID: run, Origin: snapshot.Origin{By: "save"}, PlanHash: "plan", AcceptedPlanHash: "plan",
		Created: snapshottest.Noon(), Bundle: snapshottest.Words(run, size),
	}
}

// change is one change of a store by a process that may be killed.
func change(s *snapshot.Store, do string, base snapshot.ID) error {
	ctx := context.Background()
	kind, size := snapshot.Kind(strings.TrimSuffix(do, "+blob")), 100
	if strings.HasSuffix(do, "+blob") {
		size = 40_000
	}
	switch do {
	case "delete":
		_, err := s.Delete(ctx, base, snapshottest.Noon(), "test")
		return err
	}
	c, err := s.Commit(ctx, request(kind, base, "the-run", size))
	if err != nil {
		return err
	}
	return c.Behind
}

// race commits once for each base that it reads, and answers how that went.
func race(dir, run string) error {
	s, err := openChain(dir)
	if err != nil {
		return err
	}
	fmt.Println("ready")
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		c, err := s.Commit(context.Background(), request(snapshot.Continue, snapshot.ID(in.Text()), run, 500))
		var lost *snapshot.ErrContinued
		switch {
		case err == nil:
			fmt.Println("won", c.ID)
		case errors.As(err, &lost):
			fmt.Println("lost", lost.Run)
		default:
			fmt.Println("failed", err)
		}
	}
	return nil
}

// hold takes a lease, says so, and keeps it until its input ends.
func hold(dir string, key snapshot.ID) error {
	s, err := file.Open(dir)
	if err != nil {
		return err
	}
	who := snapshot.Holder{PID: os.Getpid(), Start: snapshottest.Noon(), Command: "session run"}
	l, err := s.Acquire(context.Background(), key, who, time.Minute)
	if err != nil {
		return err
	}
	fmt.Println("ready")
	bufio.NewScanner(os.Stdin).Scan()
	return l.Release(context.Background())
}
