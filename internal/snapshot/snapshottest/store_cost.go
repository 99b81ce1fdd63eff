package snapshottest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"

	"session/internal/snapshot"
)

// storedOnce: parts are cut at 16 KiB, large equal ones are one blob, and a growing conversation is stored once.
func storedOnce(w *World) {
	r := w.Ask(snapshot.First, "")
	r.Path = main
	text := func(n int) json.RawMessage { return json.RawMessage(`"` + strings.Repeat("x", n-2) + `"`) }
	r.Bundle.Environment, r.Bundle.Context, r.Bundle.Messages = text(16<<10), text(16<<10+1), json.RawMessage(` [1.0, 2e0 ,{"b":1,"a":"\u00fc"} ] `)
	s0 := w.Make(r)
	if s0.Parts.Environment.Inline == nil || s0.Parts.Context.Inline != nil || string(s0.Parts.Messages.Inline) != `[1,2,{"a":"ü","b":1}]` {
		w.T.Errorf("cut in the wrong place: %d %d %s", len(s0.Parts.Environment.Inline), len(s0.Parts.Context.Inline), s0.Parts.Messages.Inline)
	}
	at := s0.ID
	for range 3 { // the same large part again and again, and by a stranger
		next := w.Ask(snapshot.Continue, at)
		next.Bundle.Context = r.Bundle.Context
		at = w.Make(next).ID
	}
	stranger := w.Ask(snapshot.First, "")
	stranger.Path, stranger.Bundle.Messages = "refs/heads/other", r.Bundle.Context
	w.Make(stranger)
	if n := len(keys2(w, "blobs/")); n != 1 {
		w.T.Errorf("%d blobs for one large part", n)
	}
	before := total(w)
	const turns, size = 30, 20_000
	for i := range turns {
		next := w.Ask(snapshot.Continue, at)
		next.Bundle.Messages = json.RawMessage(fmt.Sprintf(`["turn %d %s"]`, i, strings.Repeat("m", size)))
		at = w.Make(next).ID
	}
	if grown := total(w) - before; grown > turns*(size+2000) {
		w.T.Errorf("%d turns of %d bytes take %d bytes", turns, size, grown)
	}
	w.WantSound(true)
}

func keys2(w *World, prefix string) map[string]int64 {
	all := map[string]int64{}
	err := w.Objects.List(w.T.Context(), prefix, func(i snapshot.Info) error { all[i.Key] = i.Size; return nil })
	if err != nil {
		w.T.Fatal(err)
	}
	return all
}

func total(w *World) (n int64) {
	for _, size := range keys2(w, "") {
		n += size
	}
	return n
}

// counting counts calls.
type counting struct {
	snapshot.Objects
	gets, puts, lists atomic.Int64
}

func (c *counting) Get(ctx context.Context, key string) ([]byte, error) {
	c.gets.Add(1)
	return c.Objects.Get(ctx, key)
}

func (c *counting) PutNew(ctx context.Context, key string, data []byte) error {
	c.puts.Add(1)
	return c.Objects.PutNew(ctx, key, data)
}

func (c *counting) List(ctx context.Context, prefix string, fn func(snapshot.Info) error) error {
	c.lists.Add(1)
	return c.Objects.List(ctx, prefix, fn)
}

func (c *counting) String() string {
	return fmt.Sprintf("%d gets, %d puts, %d lists", c.gets.Load(), c.puts.Load(), c.lists.Load())
}

// costConstant: finding the head and saving takes the same calls in a store of 3 and one of 200, and lists nothing.
func costConstant(w *World) {
	var first string
	at := w.Chain(main, 2)[1]
	for round, more := range []int{1, 100, 100} {
		for range more {
			at = w.Next(at).ID
		}
		for i := range more / 10 {
			w.First(snapshot.Path(fmt.Sprint("refs/heads/", round, "-", i)))
			w.Fork(at)
		}
		c := &counting{Objects: w.Objects}
		s, err := snapshot.New(c, w.Pointers, w.ID())
		if err != nil {
			w.T.Fatal(err)
		}
		pos, err := s.Head(w.T.Context(), main)
		if err != nil || pos.Pointer != snapshot.PointerStraight {
			w.T.Fatal(pos.Pointer, err)
		}
		if _, err := s.Pending(w.T.Context(), pos); err != nil {
			w.T.Fatal(err)
		}
		done, err := s.Commit(w.T.Context(), w.Ask(snapshot.Continue, pos.Head.ID))
		if err != nil {
			w.T.Fatal(err)
		}
		at = done.ID
		if first == "" {
			first = c.String()
			w.T.Log("a save costs", first)
		}
		if c.String() != first || c.lists.Load() != 0 || c.puts.Load() != 1 {
			w.T.Errorf("a save into a larger store costs %s, into a small one %s", c, first)
		}
	}
}
