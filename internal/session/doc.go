// Package session holds the documents of the domain: what a developer left off with (State), what a runtime needs to
// go on (Ref), what differs between the two and the world (Finding), and what one snapshot carries (Bundle). It does no
// I/O and reads no clock.
//
// A Session is the life of a piece of work. Each save writes an immutable snapshot of it; the State is the newest
// snapshot's words as one file, .claude/session-state.json, one a work tree. The file is a projection: whatever it
// holds can be rebuilt from the snapshots.
package session
