// Package snapshottest holds the suites that every back end of package snapshot runs, and a back end in memory.
//
// A back end is right when Objects, Pointers and Leaser pass over its adapters, and Store over a snapshot.Store on top of
// them. The suites attack: a hundred creators of one key with a barrier right before the create, readers during writes,
// every single call made to fail or to lose its answer. A plain round trip passes with a write that is not atomic, so it
// proves nothing; the tests of this package show which broken back ends the suites catch.
//
//	func TestObjects(t *testing.T) {
//		snapshottest.Objects(t, func(t *testing.T) snapshot.Objects { return open(t) })
//	}
package snapshottest
