package snapshot_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"session/internal/snapshot"
)

const (
	storeA = snapshot.StoreID("00000000000000000000000000")
	storeB = snapshot.StoreID("zzzzzzzzzzzzzzzzzzzzzzzzzw")
)

// Ids are kept for ever: a change of one of these is another store format.
func TestIDsNeverChange(t *testing.T) {
	base := snapshot.FirstID(storeA, "refs/heads/main")
	for _, c := range []struct {
		got  snapshot.ID
		want string
	}{
		{base, "70rtrcv75smtb62n4n56a0fs94"},
		{snapshot.FirstID(storeB, "refs/heads/main"), "mmbwgf3tkxr9qj7ygsy1wxktfr"},
		{snapshot.NextID(storeA, base), "8ytctnb5nahnxc9ssqx4g7v9cg"},
		{snapshot.ForkID(storeA, base, "run-1"), "nrphe8pg34nj1fwraj9decrty0"},
		{snapshot.AutoID(storeA, base, "run-1"), "rsxybf8dfdcjakych4ky8ardyw"},
	} {
		if string(c.got) != c.want {
			t.Errorf("%s, want %s", c.got, c.want)
		}
	}
}

func TestIDsAreKeptApart(t *testing.T) {
	base := snapshot.FirstID(storeA, "p")
	seen := map[snapshot.ID]string{}
	for name, id := range map[string]snapshot.ID{
		"first": base, "first elsewhere": snapshot.FirstID(storeB, "p"), "other path": snapshot.FirstID(storeA, "P"),
		"next": snapshot.NextID(storeA, base), "next elsewhere": snapshot.NextID(storeB, base),
		"fork": snapshot.ForkID(storeA, base, "r"), "auto": snapshot.AutoID(storeA, base, "r"), "other run": snapshot.AutoID(storeA, base, "s"),
		"fork shifted": snapshot.ForkID(storeA, base+"r", ""), "a path like a base": snapshot.FirstID(storeA, snapshot.Path(base)),
	} {
		if old, ok := seen[id]; ok {
			t.Errorf("%s and %s are both %s", old, name, id)
		}
		seen[id] = name
		if p, err := snapshot.ParseID(string(id)); err != nil || p != id {
			t.Errorf("%s: %v", id, err)
		}
	}
}

func TestParseID(t *testing.T) {
	good := "8ytctnb5nahnxc9ssqx4g7v9cg"
	if id, err := snapshot.ParseID(good); err != nil || id.String() != good {
		t.Error(id, err)
	}
	for name, s := range map[string]string{
		"empty": "", "short": good[1:], "long": good + "0", "capitals": strings.ToUpper(good), "letter o": "o" + good[1:], "letter u": "u" + good[1:],
		"spare bits": good[:25] + "h", "path": "../../../../../etc/passwd/", "line break": good[:25] + "\n", "not UTF-8": good[:25] + "\xff",
	} {
		if id, err := snapshot.ParseID(s); err == nil || id != "" {
			t.Errorf("%s: %q was taken", name, s)
		}
		if id, err := snapshot.ParseStoreID(s); err == nil || id != "" {
			t.Errorf("%s: %q was taken as a store's", name, s)
		}
	}
	var id snapshot.ID
	if err := id.UnmarshalText([]byte("nonsense")); err == nil {
		t.Error("unmarshalled nonsense")
	}
	if err := id.UnmarshalText(nil); err != nil || id != "" {
		t.Error("no snapshot:", id, err)
	}
}

func TestNewStoreID(t *testing.T) {
	a, err := snapshot.NewStoreID(bytes.NewReader(make([]byte, 16)))
	if err != nil || a != storeA {
		t.Error(a, err)
	}
	b, err := snapshot.NewStoreID(bytes.NewReader(bytes.Repeat([]byte{255}, 16)))
	if err != nil || b != storeB {
		t.Error(b, err)
	}
	if _, err := snapshot.ParseStoreID(string(b)); err != nil {
		t.Error(err)
	}
	if id, err := snapshot.NewStoreID(bytes.NewReader(make([]byte, 15))); err == nil {
		t.Error("made of too little:", id)
	}
	if _, err := snapshot.New(nil, nil, "x"); err == nil {
		t.Error("opened under no id")
	}
}

func TestMessagesSayWhatToDo(t *testing.T) {
	const id, other = snapshot.ID("8ytctnb5nahnxc9ssqx4g7v9cg"), snapshot.ID("70rtrcv75smtb62n4n56a0fs94")
	for _, c := range []struct {
		err  error
		want []string
	}{
		{&snapshot.ErrContinued{Base: id, By: other, Run: "r1"}, []string{string(id), string(other), "r1", "fork"}},
		{&snapshot.ErrContinued{Path: "refs/heads/main", By: other}, []string{"refs/heads/main", string(other), "continue its newest"}},
		{&snapshot.ErrCorrupt{ID: id, What: "context_state", Why: errors.New("digest")}, []string{string(id), "context_state", "digest", "session check"}},
		{&snapshot.ErrCorrupt{What: "pointer x", Why: errors.New("empty")}, []string{"pointer x", "session check"}},
		{&snapshot.ErrRemoved{ID: id, Why: "collected"}, []string{string(id), "collected"}},
		{&snapshot.ErrAmbiguous{Prefix: "8", IDs: []snapshot.ID{id, other}}, []string{`"8"`, string(id), string(other)}},
		{&snapshot.ErrBusy{Key: id, Who: snapshot.Holder{PID: 4711, Command: "session run\x1b[2J"}}, []string{"4711", `session run\x1b[2J`, "fork"}},
		{&snapshot.ErrConflict{ID: id, Why: "another digest"}, []string{string(id), "another digest", "nothing was imported"}},
	} {
		for _, w := range c.want {
			if !strings.Contains(c.err.Error(), w) {
				t.Errorf("%q does not say %q", c.err, w)
			}
		}
	}
}
