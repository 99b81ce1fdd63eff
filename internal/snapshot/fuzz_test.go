package snapshot_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"session/internal/snapshot"
	"session/internal/snapshot/snapshottest"
)

// FuzzManifest: whatever stands in the place of a manifest, nothing panics, and what is accepted is what was written.
func FuzzManifest(f *testing.F) {
	w, c := goldenWorld(f)
	raw, err := w.Back.Objects.Get(f.Context(), key(c.ID))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	f.Add([]byte(`{"session_id":"` + string(c.ID) + `"}`))
	f.Add(bytes.Replace(raw, []byte(`"depth":1`), []byte(`"depth":1e0`), 1))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, data []byte) {
		w, c := goldenWorld(t)
		w.Back.Objects.(*snapshottest.Memory).Put(key(c.ID), data)
		got, err := w.Load(t.Context(), c.ID)
		if err == nil && (got.ID != c.ID || got.RunID == "" || !bytes.Equal(got.Bundle.Messages, largeMessages())) {
			t.Errorf("%q was read as %+v", data, got.Manifest)
		}
		if _, err := w.Check(t.Context()); err != nil {
			t.Error(err)
		}
		if _, err := w.Graph(t.Context()); err != nil {
			t.Error(err)
		}
		_, _ = w.Head(t.Context(), main)
		w.Repairing(snapshottest.Noon())
	})
}

func largeMessages() []byte { return []byte(`["` + strings.Repeat("m", 16<<10) + `"]`) }

// FuzzImport: a file from a stranger is taken as a whole or refused, and leaves a sound store and our heads where they are.
func FuzzImport(f *testing.F) {
	w := snapshottest.InMemory(f)
	ids := w.Chain(main, 3)
	auto := w.Auto(ids[2])
	fork := w.Make(snapshottest.Large(w.Ask(snapshot.Fork, ids[1])))
	if _, err := w.Delete(f.Context(), ids[1], snapshottest.Noon(), "seed"); err != nil {
		f.Fatal(err)
	}
	var file bytes.Buffer
	if err := w.Export(f.Context(), &file, ids[2], auto.ID, fork.ID); err != nil {
		f.Fatal(err)
	}
	f.Add(file.Bytes(), true)
	f.Add(file.Bytes(), false)
	f.Add([]byte("{\"header\":{\"session_export\":1,\"stores\":[]}}\n{\"end\":{\"lines\":1,\"sha256\":\"\"}}\n"), true)
	f.Add([]byte("\n\n"), true)
	f.Fuzz(func(t *testing.T, data []byte, mend bool) {
		if mend { // or nothing would ever get past the last line
			data = snapshottest.Reseal(data)
		}
		m := snapshottest.NewMemory()
		here := snapshottest.NewWorldAs(t, snapshottest.Back{Objects: m, Pointers: m, Leaser: m}, storeB)
		own := here.Chain(main, 2)
		before := objects(t, m)
		_, err := here.Import(t.Context(), bytes.NewReader(data), snapshot.ImportLimits{Bytes: 1 << 20, Lines: 100})
		if err != nil && len(objects(t, m)) != len(before) {
			t.Errorf("refused (%v), and something was written", err)
		}
		here.WantSound(false)
		here.WantHead(main, own[1])
		here.Next(own[1])
	})
}

func objects(t *testing.T, m *snapshottest.Memory) (keys []string) {
	t.Helper()
	if err := m.List(t.Context(), "", func(i snapshot.Info) error { keys = append(keys, i.Key); return nil }); err != nil {
		t.Fatal(err)
	}
	return keys
}

// FuzzResolve: what a person writes for a snapshot is one, or an error with a name.
func FuzzResolve(f *testing.F) {
	w := snapshottest.InMemory(f)
	ids := w.Chain(main, 4)
	for _, s := range []string{"HEAD", "HEAD~2", "HEAD~", "~", "8", string(ids[2]), string(ids[1][:9]) + "~1", "HEAD~00001", "HEAD~~", "\x00", "../x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, ref string) {
		id, err := w.Resolve(t.Context(), ref, ids[3])
		var a *snapshot.ErrAmbiguous
		switch {
		case err == nil:
			if _, err := w.Load(t.Context(), id); err != nil {
				t.Errorf("%q is %q: %v", ref, id, err)
			}
		case !errors.Is(err, snapshot.ErrInvalid) && !errors.Is(err, snapshot.ErrNotFound) && !errors.As(err, &a):
			t.Errorf("%q: %v", ref, err)
		}
	})
}

// FuzzCompare: no difference where there is none, and applying nothing panics.
func FuzzCompare(f *testing.F) {
	f.Add(`{"a":[1,{"b":null}]}`, `{"a":[{"b":1}]}`)
	f.Add(`[1,2,3]`, `[3,2,1]`)
	f.Add(`[[[[]]]]`, `{}`)
	f.Fuzz(func(t *testing.T, a, b string) {
		if !json.Valid([]byte(a)) || !json.Valid([]byte(b)) {
			return
		}
		got, err := snapshot.Compare(with(a), with(b))
		if err != nil {
			return // no canonical form
		}
		back, err := snapshot.Compare(with(b), with(a))
		if err != nil || len(back) != len(got) {
			t.Errorf("%d changes there, %d back: %v", len(got), len(back), err)
		}
		if same, err := snapshot.Compare(with(a), with(a)); err != nil || len(same) != 0 {
			t.Errorf("%q differs from itself: %v %v", a, same, err)
		}
	})
}
