package snapshot_test

import (
	"encoding/json"
	"iter"
	"testing"

	"session/internal/snapshot"
)

// taken is a part that lists the autosaves which a save took in.
func taken(p snapshot.Pending) json.RawMessage {
	ids := []snapshot.ID{}
	for _, m := range p.Autosaves {
		ids = append(ids, m.ID)
	}
	b, err := json.Marshal(ids)
	if err != nil {
		panic(err)
	}
	return b
}

func decode(t *testing.T, raw []byte) (list []string) {
	t.Helper()
	if err := json.Unmarshal(raw, &list); err != nil {
		t.Fatal(err)
	}
	return list
}

// last is the error that an iteration ends with.
func last[V any](seq iter.Seq2[V, error]) (err error) {
	for _, e := range seq {
		err = e
	}
	return err
}
