package snapshottest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"session/internal/snapshot"
)

// Rounds of the races. Fewer, and a "look, then rename" survives now and then.
const (
	racers = 100
	rounds = 20
)

// Objects attacks an object store. open gives an empty one each time.
func Objects(t *testing.T, open func(t *testing.T) snapshot.Objects) {
	for _, c := range []struct {
		name string
		run  func(*testing.T, snapshot.Objects)
	}{
		{"WhatIsMissing", missing}, {"WhatIsStoredComesBack", comesBack}, {"CreatedOnce", createdOnce}, {"DataIsCopied", dataIsCopied},
		{"Prefixes", prefixes}, {"ListIsComplete", listComplete}, {"ListStops", listStops}, {"DeletedTwice", deletedTwice},
		{"CalledOff", calledOff}, {"TooLarge", tooLarge}, {"OneWinnerOfAHundred", oneWinner}, {"NobodySeesHalf", nobodySeesHalf},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, open(t)) })
	}
}

func missing(t *testing.T, o snapshot.Objects) {
	ctx := t.Context()
	for _, key := range []string{"blobs/aa/none", "none/none", "snapshots/a/none.json"} {
		if b, err := o.Get(ctx, key); !errors.Is(err, snapshot.ErrNotFound) || b != nil {
			t.Errorf("get %s: %q %v", key, b, err)
		}
		if err := o.Delete(ctx, key); err != nil {
			t.Errorf("delete %s: %v", key, err)
		}
	}
	if got := keys(t, o, ""); len(got) != 0 {
		t.Errorf("an empty store lists %v", got)
	}
}

func keys(t *testing.T, o snapshot.Objects, prefix string) map[string]int64 {
	t.Helper()
	all := map[string]int64{}
	err := o.List(t.Context(), prefix, func(i snapshot.Info) error {
		if _, twice := all[i.Key]; twice {
			t.Errorf("%s is listed twice", i.Key)
		}
		all[i.Key] = i.Size
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func put(t *testing.T, o snapshot.Objects, key string, data []byte) {
	t.Helper()
	if err := o.PutNew(t.Context(), key, data); err != nil {
		t.Fatal(err)
	}
}

func wantObject(t *testing.T, o snapshot.Objects, key string, want []byte) {
	t.Helper()
	got, err := o.Get(t.Context(), key)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s holds %d bytes %.20q (%v), want %d bytes %.20q", key, len(got), got, err, len(want), want)
	}
}

func comesBack(t *testing.T, o snapshot.Objects) {
	bodies := map[string][]byte{
		"blobs/aa/one": []byte("1"), "blobs/aa/binary": {0, 255, '\n', '\r', 0}, "blobs/ab/page": bytes.Repeat([]byte("p"), 4096),
		"snapshots/a/part.json": bytes.Repeat([]byte("q"), 16<<10+1), "blobs/ab/big": bytes.Repeat([]byte("z\x00"), 9<<19),
	}
	for key, body := range bodies {
		put(t, o, key, body)
	}
	for key, body := range bodies {
		wantObject(t, o, key, body)
	}
}

func createdOnce(t *testing.T, o snapshot.Objects) {
	for _, body := range [][]byte{[]byte("first"), bytes.Repeat([]byte("first"), 1<<20)} {
		key := fmt.Sprintf("blobs/aa/%d", len(body))
		put(t, o, key, body)
		for _, second := range [][]byte{[]byte("second"), body, body[1:]} {
			if err := o.PutNew(t.Context(), key, second); !errors.Is(err, snapshot.ErrExists) {
				t.Errorf("created twice: %v", err)
			}
		}
		wantObject(t, o, key, body)
	}
}

func dataIsCopied(t *testing.T, o snapshot.Objects) {
	data := []byte("as it was")
	put(t, o, "blobs/aa/x", data)
	copy(data, "XX XX XXX")
	got, err := o.Get(t.Context(), "blobs/aa/x")
	if err != nil {
		t.Fatal(err)
	}
	copy(got, "YY YY YYY")
	wantObject(t, o, "blobs/aa/x", []byte("as it was"))
}

func prefixes(t *testing.T, o snapshot.Objects) {
	all := []string{"blobs/aa/x1", "blobs/aa/x2", "blobs/ab/x1", "snapshots/a/x1.json", "blobs/a"}
	for _, key := range all {
		put(t, o, key, []byte(key))
	}
	for prefix, want := range map[string]int{
		"": 5, "blobs/": 4, "blobs/a": 4, "blobs/aa/": 2, "blobs/aa/x": 2, "blobs/aa/x1": 1, "blobs/aa/x1/": 0,
		"snapshots/": 1, "none/": 0, "blobs/ac/": 0, "lobs/": 0,
	} {
		if got := keys(t, o, prefix); len(got) != want {
			t.Errorf("prefix %q: %v, want %d", prefix, got, want)
		}
	}
}

func listComplete(t *testing.T, o snapshot.Objects) {
	const n = 120
	want := map[string]int64{}
	for i := range n {
		key := fmt.Sprintf("snapshots/%c/%04d.json", "abc"[i%3], i)
		want[key] = int64(i + 1)
		put(t, o, key, make([]byte, i+1))
	}
	got := keys(t, o, "snapshots/")
	for key, size := range want {
		if got[key] != size {
			t.Errorf("%s: %d bytes listed, want %d", key, got[key], size)
		}
	}
	if len(got) != n {
		t.Errorf("%d listed, want %d", len(got), n)
	}
}

func listStops(t *testing.T, o snapshot.Objects) {
	for i := range 50 {
		put(t, o, fmt.Sprintf("blobs/%02d/x", i), []byte("x"))
	}
	stop, n := errors.New("enough"), 0
	err := o.List(t.Context(), "blobs/", func(snapshot.Info) error {
		if n++; n == 3 {
			return stop
		}
		return nil
	})
	if !errors.Is(err, stop) || n != 3 {
		t.Errorf("after an error: %v, %d calls", err, n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	n = 0
	err = o.List(ctx, "blobs/", func(snapshot.Info) error {
		if n++; n == 3 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || n == 50 {
		t.Errorf("called off: %v, %d calls", err, n)
	}
}

func deletedTwice(t *testing.T, o snapshot.Objects) {
	put(t, o, "blobs/aa/x", []byte("1"))
	put(t, o, "blobs/aa/y", []byte("1"))
	for range 2 {
		if err := o.Delete(t.Context(), "blobs/aa/x"); err != nil {
			t.Error(err)
		}
	}
	if _, err := o.Get(t.Context(), "blobs/aa/x"); !errors.Is(err, snapshot.ErrNotFound) {
		t.Error("deleted, and still there:", err)
	}
	if got := keys(t, o, "blobs/"); len(got) != 1 {
		t.Errorf("listed: %v", got)
	}
	put(t, o, "blobs/aa/x", []byte("2"))
	wantObject(t, o, "blobs/aa/x", []byte("2"))
}

func calledOff(t *testing.T, o snapshot.Objects) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	body := bytes.Repeat([]byte("x"), 1<<20)
	if err := o.PutNew(ctx, "blobs/aa/x", body); !errors.Is(err, context.Canceled) {
		t.Error("put:", err)
	}
	if _, err := o.Get(ctx, "blobs/aa/x"); !errors.Is(err, context.Canceled) {
		t.Error("get:", err)
	}
	for key := range keys(t, o, "") { // an adapter may be called off too late to undo it, but never half
		wantObject(t, o, key, body)
	}
}

func tooLarge(t *testing.T, o snapshot.Objects) {
	if err := o.PutNew(t.Context(), "blobs/aa/x", make([]byte, snapshot.MaxObject+1)); !errors.Is(err, snapshot.ErrTooLarge) {
		t.Error(err)
	}
	if got := keys(t, o, ""); len(got) != 0 {
		t.Errorf("listed: %v", got)
	}
}

// oneWinner: the barrier stands right before the create. Without it, a "look, then rename" passes.
func oneWinner(t *testing.T, o snapshot.Objects) {
	bad := 0
	for r := range rounds {
		key := fmt.Sprintf("snapshots/a/r%d.json", r)
		var wins, winner atomic.Int64
		barrier(racers, func(i int, ready func()) {
			body := bytes.Repeat([]byte{byte(i)}, 2000+i)
			ready()
			switch err := o.PutNew(t.Context(), key, body); {
			case err == nil:
				wins.Add(1)
				winner.Store(int64(i))
			case !errors.Is(err, snapshot.ErrExists):
				t.Error(err)
			}
		})
		if wins.Load() != 1 {
			bad++
			continue
		}
		i := int(winner.Load())
		wantObject(t, o, key, bytes.Repeat([]byte{byte(i)}, 2000+i))
	}
	if bad > 0 {
		t.Errorf("%d of %d rounds without exactly one winner", bad, rounds)
	}
	if got := keys(t, o, ""); len(got) != rounds {
		t.Errorf("%d objects listed after %d rounds", len(got), rounds)
	}
}

// barrier runs n goroutines, each of which calls ready right before what it is about; none passes before all are there.
func barrier(n int, run func(i int, ready func())) {
	var arrived, done sync.WaitGroup
	start := make(chan struct{})
	arrived.Add(n)
	for i := range n {
		done.Go(func() {
			run(i, func() { arrived.Done(); <-start })
		})
	}
	arrived.Wait()
	close(start)
	done.Wait()
}

// Written while others look.
const (
	written     = 20
	writtenSize = 3 << 20
)

func writtenBody(i int) []byte { return bytes.Repeat([]byte{byte('a' + i)}, writtenSize) }
func writtenKey(i int) string  { return fmt.Sprintf("blobs/aa/w%d", i) }

// nobodySeesHalf reads and lists while large objects are written.
func nobodySeesHalf(t *testing.T, o snapshot.Objects) {
	end := make(chan struct{})
	var readers sync.WaitGroup
	for _, look := range []func() bool{
		func() bool { return readWhole(t, o) }, func() bool { return readWhole(t, o) }, func() bool { return listWhole(t, o) },
	} {
		readers.Go(func() {
			for last := false; !last && look(); {
				select {
				case <-end:
					last = true
				default:
				}
			}
		})
	}
	for i := range written {
		put(t, o, writtenKey(i), writtenBody(i))
	}
	close(end)
	readers.Wait()
}

func readWhole(t *testing.T, o snapshot.Objects) bool {
	for i := range written {
		got, err := o.Get(t.Context(), writtenKey(i))
		if errors.Is(err, snapshot.ErrNotFound) {
			return true
		}
		if err != nil || !bytes.Equal(got, writtenBody(i)) {
			t.Errorf("a reader saw %d of %d bytes: %v", len(got), writtenSize, err)
			return false
		}
	}
	return true
}

func listWhole(t *testing.T, o snapshot.Objects) bool {
	ok := true
	err := o.List(t.Context(), "blobs/", func(i snapshot.Info) error {
		if i.Size != writtenSize || len(i.Key) > len(writtenKey(written)) {
			t.Errorf("%s is listed with %d of %d bytes", i.Key, i.Size, writtenSize)
			ok = false
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	return ok && err == nil
}
