// Package memorytest is the conformance suite of memory.Store. An implementation hands in how to open one:
//
//	func TestSQLite(t *testing.T) { memorytest.Run(t, func(t *testing.T) memorytest.Subject { … }) }
//
// It attacks: it reads while others write, creates one session from many sides at once, stops calls half-way, damages
// what is stored, and puts the syntax of everything into queries.
package memorytest

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"time"

	"session/internal/memory"
)

// Subject is an empty store.
type Subject struct {
	Store memory.Store
	// Again opens the same store once more, as another process would. It is closed with the test.
	Again func(t *testing.T) memory.Store
	// Damage are ways in which what is stored can be spoiled, by name; nil if it is out of reach. The store is closed then,
	// and each begins with what was stored, whole. A search must notice every one of them.
	Damage map[string]func(t *testing.T)
	// Close closes Store, so that everything is where Damage looks for it.
	Close func(t *testing.T)
	// Reopen opens the store again, until the test ends.
	Reopen func(t *testing.T) (memory.Store, error)
}

// Run runs the suite. open is called once a test.
func Run(t *testing.T, open func(t *testing.T) Subject) {
	for _, c := range []struct {
		name string
		test func(*testing.T, Subject)
	}{
		{"Empty", empty},
		{"FieldsComeBack", fieldsComeBack},
		{"Order", order},
		{"WholeQuestions", wholeQuestions},
		{"HostileQueries", hostileQueries},
		{"HostileItems", hostileItems},
		{"QueriesAreChecked", queriesAreChecked},
		{"TopK", topK},
		{"Scope", scope},
		{"ApplyTwice", applyTwice},
		{"ApplyWithoutSnapshot", applyWithoutSnapshot},
		{"Forget", forget},
		{"Rebuild", rebuild},
		{"Drop", drop},
		{"Behind", behind},
		{"FailedApplyKeepsNothing", failedApplyKeepsNothing},
		{"StoppedApplyKeepsNothing", stoppedApplyKeepsNothing},
		{"Cancelled", cancelled},
		{"OthersSee", othersSee},
		{"Oracle", againstOracle},
		{"ReaderDuringWrites", readerDuringWrites},
		{"ManyWriters", manyWriters},
		{"ManyWritersOfOneItem", manyWritersOfOneItem},
		{"Damaged", damaged},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, open(t)) })
	}
}

// At is the time of the items of this suite: n minutes after a certain one.
func At(n int) time.Time {
	return time.Date(2024, 2, 28, 23, 0, 0, 0, time.FixedZone("", 9*3600)).Add(time.Duration(n) * time.Minute)
}

// ID is the n-th id of a session of this suite.
func ID(session memory.SessionRef, n int) memory.ID {
	var b [16]byte
	copy(b[:6], session)
	binary.BigEndian.PutUint64(b[8:], uint64(n))
	b[6], b[8] = 0x40, 0x80 // version 4
	return memory.ID(fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:]))
}

// Item is the n-th item of a session: of minute n, with a summary that is all it is found by.
func Item(t testing.TB, session memory.SessionRef, n int, summary string) memory.Item {
	t.Helper()
	it, err := new(memory.Analyser).NewItem(ID(session, n), At(n), session, summary)
	if err != nil {
		t.Fatal(err)
	}
	return it
}

func items(t testing.TB, session memory.SessionRef, summaries ...string) (all []memory.Item) {
	t.Helper()
	for n, s := range summaries {
		all = append(all, Item(t, session, n, s))
	}
	return all
}

func apply(t testing.TB, s memory.Store, b memory.Batch) {
	t.Helper()
	if err := s.Apply(t.Context(), b); err != nil {
		t.Fatal(err)
	}
}

// fill puts summaries into a session, one a minute.
func fill(t testing.TB, s memory.Store, session memory.SessionRef, summaries ...string) {
	t.Helper()
	apply(t, s, memory.Batch{SessionRef: session, Snapshot: "snap", Add: items(t, session, summaries...)})
}

func query(session memory.SessionRef, text string) memory.Query {
	return memory.Query{Text: text, TopK: 10, Ranking: memory.CountRecency, In: memory.InSession(session)}
}

func search(t testing.TB, s memory.Store, q memory.Query) []memory.Found {
	t.Helper()
	found, err := s.Search(t.Context(), q)
	if err != nil {
		t.Fatalf("search %.60q: %v", q.Text, err)
	}
	return found
}

func list(t testing.TB, s memory.Store, in memory.Scope) []memory.Found {
	t.Helper()
	found, err := s.List(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func standing(t testing.TB, s memory.Store, session memory.SessionRef) memory.Snapshot {
	t.Helper()
	at, err := s.Standing(t.Context(), session)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// said are the summaries of what was found, in its order.
func said(found []memory.Found) string {
	var all []string
	for _, f := range found {
		all = append(all, f.Summary)
	}
	return strings.Join(all, " | ")
}

func wantSaid(t testing.TB, what string, found []memory.Found, want string) {
	t.Helper()
	if got := said(found); got != want {
		t.Errorf("%s: %s\nwant %s", what, got, want)
	}
}
