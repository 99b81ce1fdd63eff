package snapshot_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"session/internal/snapshot"
	"session/internal/snapshot/snapshottest"
)

// A manifest as it lies in the store. What is here must be readable for ever.
const golden = `{"accepted_plan_hash":"accepted","created":"2026-11-20T12:02:00Z","depth":1,"kind":"continue","line":"70rtrcv7` +
	`5smtb62n4n56a0fs94","origin":{"by":"undo","event":"by hand","names":["70rtrcv75smtb62n4n56a0fs94"],"took_in":3` +
	`},"parent_digest":"5bdc4fddb0ba1d045f39db4a560f3f187d9b6ae3436e0488aa14d91c268f9c2e","parent_session_id":"70rt` +
	`rcv75smtb62n4n56a0fs94","parts":{"context_state":{"digest":"669d880de405275b6bb6ed348e5e2b0d2751dfada39caed4e8` +
	`ca405bdbda1406","inline":{"blocker":null,"next_steps":["a","ü","한"],"working_on":"continue 2"},"size":72},"env` +
	`ironment_state":{"digest":"6e9ba4108bb8ddfbd9140a50f71c11ae32fb64a9ccb41303faa603d079d6e5be","inline":{"branch` +
	`":"main","commit":"0123abc","files":[1,2,3]},"size":52},"message_history_state":{"digest":"f66416f696669dac98f` +
	`51d33419dc86be8435b29d2366f1a9be865c4eda9ac55","size":16388}},"path":"refs/heads/main","plan_hash":"plan","run` +
	`_id":"run-2","session_id":"8ytctnb5nahnxc9ssqx4g7v9cg"}`

func goldenWorld(t testing.TB) (*snapshottest.World, snapshot.Committed) {
	w := snapshottest.InMemory(t)
	base := w.First(main)
	r := w.Ask(snapshot.Continue, base.ID)
	r.Origin = snapshot.Origin{By: "undo", Event: "by hand", Names: []snapshot.ID{base.ID}, TookIn: 3}
	r.Bundle.Messages = []byte(`["` + strings.Repeat("m", 16<<10) + `"]`)
	return w, w.Make(r)
}

func rawManifest(t testing.TB, w *snapshottest.World, id snapshot.ID) []byte {
	t.Helper()
	raw, err := w.Back.Objects.Get(t.Context(), key(id))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func key(id snapshot.ID) string { return "snapshots/" + string(id[:1]) + "/" + string(id) + ".json" }

func TestManifestOnDisk(t *testing.T) {
	w, c := goldenWorld(t)
	if got := string(rawManifest(t, w, c.ID)); got != golden {
		t.Errorf("got\n%s\nwant\n%s", got, golden)
	}
	for _, name := range []string{"session_id", "parent_session_id", "parent_digest", "line", "path", "kind", "depth", "origin", "run_id",
		"plan_hash", "accepted_plan_hash", "created", "parts", "environment_state", "context_state", "message_history_state"} {
		if strings.Count(golden, `"`+name+`":`) != 1 {
			t.Errorf("%s is not there once", name)
		}
	}
}

// Whatever is changed in a manifest by hand is seen, also in the newest, which no child vouches for.
func TestManifestsAreReadStrictly(t *testing.T) {
	w, c := goldenWorld(t)
	raw := rawManifest(t, w, c.ID)
	for name, change := range map[string][2]string{
		"spaces":               {`,"depth":`, `, "depth":`},
		"a member more":        {`{"accepted`, `{"aa":1,"accepted`},
		"a member less":        {`"depth":1,`, ``},
		"capitals":             {`"depth":`, `"Depth":`},
		"another id":           {`"session_id":"8y`, `"session_id":"7y`},
		"another parent":       {`"parent_session_id":"7`, `"parent_session_id":"8`},
		"no parent digest":     {`"parent_digest":"`, `"parent_digest":"","x":"`},
		"negative depth":       {`"depth":1`, `"depth":-1`},
		"depth as a word":      {`"depth":1`, `"depth":"1"`},
		"depth as 1.0":         {`"depth":1`, `"depth":1.0`},
		"another kind":         {`"kind":"continue"`, `"kind":"first"`},
		"an unknown kind":      {`"kind":"continue"`, `"kind":"merge"`},
		"empty path":           {`"path":"refs/heads/main"`, `"path":""`},
		"control characters":   {`"path":"refs/heads/main"`, `"path":"refs\u001bheads/main"`},
		"time of day":          {`"created":"2026`, `"created":"x026`},
		"local time":           {`:00Z"`, `:00+00:00"`},
		"part without digest":  {`"digest":"`, `"digest":"x`},
		"part with other size": {`"inline":{"blocker"`, `"inline":{"blockers"`},
		"part of no size":      {`"size":16388`, `"size":16`},
		"huge part":            {`"size":16388`, `"size":999999999999`},
		"words of a part":      {`continue 2`, `continue X`},
		"no origin":            {`"by":"undo"`, `"by":""`},
		"nonsense named":       {`"names":["7`, `"names":["!`},
		"took in less":         {`"took_in":3`, `"took_in":-3`},
		"empty run":            {`"run_id":"run-2"`, `"run_id":""`},
	} {
		bad := strings.Replace(string(raw), change[0], change[1], 1)
		if bad == string(raw) {
			t.Errorf("%s: nothing was changed", name)
		}
		w.Back.Objects.(*snapshottest.Memory).Put(key(c.ID), []byte(bad))
		_, err := w.Load(t.Context(), c.ID)
		w.WantCorrupt(err, c.ID)
		_, err = w.Manifest(t.Context(), c.ID)
		w.WantCorrupt(err, c.ID)
		if _, err := w.Head(t.Context(), main); err == nil {
			t.Errorf("%s: stood on all the same", name)
		}
	}
	for name, bad := range map[string][]byte{
		"empty": nil, "null": []byte("null"), "list": []byte("[]"), "deep": bytes.Repeat([]byte("["), 100_000), "twice": append(bytes.Clone(raw), raw...),
		"long": append(bytes.Clone(raw), bytes.Repeat([]byte(" "), 200<<10)...),
	} {
		w.Back.Objects.(*snapshottest.Memory).Put(key(c.ID), bad)
		_, err := w.Load(t.Context(), c.ID)
		if w.WantCorrupt(err, c.ID); err == nil {
			t.Error(name)
		}
	}
}

// Errors of the back end are no damage, and damage is no absence.
func TestABackEndThatFailsIsNoDamage(t *testing.T) {
	w, c := goldenWorld(t)
	f := &snapshottest.Faults{Objects: w.Back.Objects, Pointers: w.Back.Pointers, FailAt: 1}
	s, err := snapshot.New(f, f, w.ID())
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Delete(t.Context(), "blobs/none"); !errors.Is(err, snapshottest.ErrBroken) {
		t.Fatal(err)
	}
	for name, call := range map[string]func() error{
		"load":    func() error { _, err := s.Load(t.Context(), c.ID); return err },
		"head":    func() error { _, err := s.Head(t.Context(), main); return err },
		"walk":    func() error { return last(s.Walk(t.Context(), c.ID)) },
		"history": func() error { return last(s.History(t.Context(), c.ID)) },
		"graph":   func() error { _, err := s.Graph(t.Context()); return err },
		"paths":   func() error { _, err := s.Paths(t.Context()); return err },
		"check":   func() error { _, err := s.Check(t.Context()); return err },
		"export":  func() error { return s.Export(t.Context(), &bytes.Buffer{}, c.ID) },
		"diff":    func() error { _, err := s.Diff(t.Context(), c.ID, c.ID); return err },
		"resolve": func() error { _, err := s.Resolve(t.Context(), "HEAD~1", c.ID); return err },
		"pending": func() error { _, err := s.Pending(t.Context(), snapshot.Position{Line: c.Line}); return err },
		"plan":    func() error { _, err := s.PlanGC(t.Context(), snapshot.GCPolicy{}, w.Leaser); return err },
		"delete":  func() error { _, err := s.Delete(t.Context(), c.ID, snapshottest.Noon(), "x"); return err },
		"line":    func() error { _, err := s.DeleteLine(t.Context(), c.Line, snapshottest.Noon(), "x"); return err },
	} {
		err := call()
		var corrupt *snapshot.ErrCorrupt
		if !errors.Is(err, snapshottest.ErrBroken) || errors.As(err, &corrupt) || errors.Is(err, snapshot.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
